//! An annotation as a file has it, checked against the text.

use truename_error::{Hint, HintPart};
use truename_text::{Assertions, Mention, OffsetUnit, Offsets, Span, excerpt};

use crate::wrong::Wrong;

/// An annotation with offsets in the unit of the file.
#[derive(Debug, Default)]
pub(crate) struct Annotation {
    /// First unit, and unit after the last, of each piece; mostly one piece.
    pub(crate) pieces: Vec<(usize, usize)>,
    /// Text of the annotation according to the file.
    pub(crate) text: Option<String>,
    pub(crate) mention_type: String,
    pub(crate) id: Option<String>,
    pub(crate) probability: Option<f64>,
    pub(crate) assertions: Assertions,
}

/// The text of a document, to which annotations refer.
pub(crate) struct AnnotatedText<'t> {
    text: &'t str,
    offsets: Offsets,
    unit: OffsetUnit,
}

impl<'t> AnnotatedText<'t> {
    pub(crate) fn new(text: &'t str, unit: OffsetUnit) -> Self {
        Self { text, offsets: Offsets::new(text, unit), unit }
    }

    /// Returns the mention, or the problem with the annotation.
    pub(crate) fn mention(&self, annotation: Annotation) -> Result<Mention, Wrong> {
        let Annotation { pieces, text, mention_type, id, probability, assertions } = annotation;
        let said = text.as_deref();
        let spans = self.spans(&pieces, said).map_err(|wrong| self.with_fitting_unit(wrong, &pieces, said))?;
        let span = envelope(&spans);
        let mut fragments = if spans.len() > 1 { spans } else { Vec::new() };
        fragments.sort();
        Ok(Mention { span, fragments, mention_type, id, probability, assertions })
    }

    /// Returns the bytes of pieces, or the reason for which there are none or they have another text than the file says.
    fn spans(&self, pieces: &[(usize, usize)], said: Option<&str>) -> Result<Vec<Span>, Wrong> {
        let spans: Vec<Span> = pieces.iter().map(|(start, end)| self.span(*start, *end)).collect::<Result<_, _>>()?;
        said.map_or(Ok(()), |said| self.check_text(&spans, said))?;
        Ok(spans)
    }

    /// Advises the unit in which the offsets have the text that the file says, if there is one.
    fn with_fitting_unit(&self, wrong: Wrong, pieces: &[(usize, usize)], said: Option<&str>) -> Wrong {
        let fits = |unit: &OffsetUnit| Self::new(self.text, *unit).spans(pieces, said).is_ok();
        let fitting = || others(self.unit).into_iter().find(fits);
        match said.and(wrong.hint.as_ref()).and_then(|_| fitting()) {
            Some(unit) => Wrong { hint: Some(advice(self.unit, &[unit])), ..wrong },
            None => wrong,
        }
    }

    /// Returns the bytes between two offsets, or the reason for which there are none.
    pub(crate) fn span(&self, start: usize, end: usize) -> Result<Span, Wrong> {
        if start >= end {
            return Err(format!("the span {start}–{end} is empty").into());
        }
        let (Some(from), Some(to)) = (self.byte(start)?, self.byte(end)?) else {
            let (length, unit) = (self.offsets.length(), self.unit);
            let message = format!("the span {start}–{end} lies outside the text, which has {length} {unit}");
            return Err(self.wrong(message));
        };
        Ok(Span::new(from, to))
    }

    fn byte(&self, offset: usize) -> Result<Option<usize>, Wrong> {
        let length = self.offsets.length();
        match self.offsets.to_byte(offset).filter(|byte| self.text.is_char_boundary(*byte)) {
            None if offset < length => Err(self.wrong(format!("the offset {offset} cuts a character"))),
            byte => Ok(byte),
        }
    }

    /// Compares the text that the file gives with the text at the offsets, which detects offsets in another unit.
    fn check_text(&self, spans: &[Span], said: &str) -> Result<(), Wrong> {
        let span = envelope(spans);
        let whole = span.of(self.text).unwrap_or_default();
        if same_letters(whole, said) {
            return Ok(());
        }
        let joined: Vec<&str> = spans.iter().filter_map(|span| span.of(self.text)).collect();
        if spans.len() > 1 && same_letters(&joined.join(" "), said) {
            return Ok(());
        }
        let (start, end) = (self.offsets.of_byte(span.start), self.offsets.of_byte(span.end));
        let (whole, said) = (excerpt(whole), excerpt(said));
        Err(self.wrong(format!("the text at {start}–{end} is \"{whole}\", the file says \"{said}\"")))
    }

    /// Returns a problem with advice where offsets may be in another unit, which matters in a text beyond ASCII.
    fn wrong(&self, message: String) -> Wrong {
        Wrong { hint: (!self.text.is_ascii()).then(|| unit_advice(self.unit)), ..message.into() }
    }
}

/// Returns the span from the beginning of the first to the end of the last.
fn envelope(spans: &[Span]) -> Span {
    let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
    Span::new(start, spans.iter().map(|span| span.end).max().unwrap_or_default())
}

/// Returns advice on offsets that make no sense.
pub(crate) fn unit_advice(unit: OffsetUnit) -> Hint {
    advice(unit, &others(unit))
}

fn others(unit: OffsetUnit) -> [OffsetUnit; 2] {
    match unit {
        OffsetUnit::Bytes => [OffsetUnit::Chars, OffsetUnit::Utf16],
        OffsetUnit::Chars => [OffsetUnit::Bytes, OffsetUnit::Utf16],
        OffsetUnit::Utf16 => [OffsetUnit::Chars, OffsetUnit::Bytes],
    }
}

/// Returns advice to count offsets in one of some units.
fn advice(unit: OffsetUnit, wanted: &[OffsetUnit]) -> Hint {
    let mut parts = vec![HintPart::from(format!("offsets count {unit}: try "))];
    for (at, wanted) in wanted.iter().enumerate() {
        parts.extend((at > 0).then(|| " or ".into()));
        parts.push(HintPart::setting("offsets").value(wanted));
    }
    parts.into_iter().collect()
}

/// Returns true if two texts have the same letters and digits or, where one has none, the same words.
///
/// Tools write tabs and line breaks as spaces; gold corpora also differ in case, quotes and brackets (`Erk` and
/// `ERK` in NLM-Gene, `" plus "` without quotes in NCBI Disease), and it is the offsets that are right.
fn same_letters(one: &str, other: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    if one == other || one.split_whitespace().eq(other.split_whitespace()) {
        return true;
    }
    let found = letters(one);
    !found.is_empty() && found == letters(other)
}

/// Parses an offset.
pub(crate) fn number(value: &str) -> Result<usize, Wrong> {
    value.trim().parse().map_err(|_| format!("\"{}\" is no offset", excerpt(value)).into())
}

/// Parses the place of an annotation by its offset and length.
pub(crate) fn piece(offset: &str, length: &str) -> Result<(usize, usize), Wrong> {
    let start = number(offset)?;
    let length = number(length).map_err(|_| format!("\"{}\" is no length", excerpt(length)))?;
    start.checked_add(length).map(|end| (start, end)).ok_or_else(|| format!("\"{offset}\" is no offset").into())
}

/// Returns an id as written; none where the file says that there is none.
pub(crate) fn concept_id(value: &str) -> Option<String> {
    Some(value.trim()).filter(|id| !matches!(*id, "" | "-" | "-1")).map(str::to_owned)
}

/// Returns a text with its tabs and line breaks as spaces, each of the same length in every unit.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\t', '\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::with_hint;

    fn mention(text: &str, unit: OffsetUnit, pieces: &[(usize, usize)], said: &str) -> Result<Mention, Wrong> {
        let annotation = Annotation { pieces: pieces.to_vec(), text: Some(said.into()), ..Annotation::default() };
        AnnotatedText::new(text, unit).mention(annotation)
    }

    #[test]
    fn bad_annotations_are_explained() {
        let (chars, bytes, utf16) = (OffsetUnit::Chars, OffsetUnit::Bytes, OffsetUnit::Utf16);
        for (text, unit, pieces, message) in [
            ("a cold", chars, (2, 2), "the span 2–2 is empty"),
            ("a cold", chars, (3, 2), "the span 3–2 is empty"),
            ("a cold", chars, (2, 9), "the span 2–9 lies outside the text, which has 6 chars"),
            ("a cold", chars, (7, 9), "the span 7–9 lies outside the text, which has 6 chars"),
            ("a cold", chars, (0, 4), "the text at 0–4 is \"a co\", the file says \"cold\""),
            (
                "é cold",
                bytes,
                (2, 6),
                "the text at 2–6 is \" col\", the file says \"cold\" (offsets count bytes: try `offsets = chars`)",
            ),
            ("é cold", bytes, (1, 6), "the offset 1 cuts a character (offsets count bytes: try `offsets = chars`)"),
            ("😀 cold", utf16, (1, 6), "the offset 1 cuts a character (offsets count utf16: try `offsets = chars`)"),
            (
                "😀 cold",
                chars,
                (3, 7),
                "the span 3–7 lies outside the text, which has 6 chars (offsets count chars: try `offsets = utf16`)",
            ),
            (
                "é cold",
                chars,
                (0, 4),
                "the text at 0–4 is \"é co\", the file says \"cold\" (offsets count chars: try `offsets = bytes` or `offsets = utf16`)",
            ),
        ] {
            let wrong = mention(text, unit, &[pieces], "cold").unwrap_err();
            assert_eq!(with_hint(&wrong.in_file("a".as_ref(), None)), format!("a: {message}"));
        }
        assert_eq!(number("1x").unwrap_err().message, "\"1x\" is no offset");
        assert_eq!(number("-1").unwrap_err().message, "\"-1\" is no offset");
    }

    #[test]
    fn only_letters_are_compared_where_there_are_some() {
        for said in ["bad   cold", "Bad \" cold", "(bad cold"] {
            assert!(mention("a bad\r\n\tcold", OffsetUnit::Chars, &[(2, 12)], said).is_ok());
        }
        assert!(mention("a bad\r\n\tcold", OffsetUnit::Chars, &[(2, 12)], "bad col").is_err());
        assert!(mention("a + b", OffsetUnit::Chars, &[(1, 3)], "+").is_ok());
        assert!(mention("a + b", OffsetUnit::Chars, &[(2, 3)], "-").is_err());
    }

    #[test]
    fn pieces_become_fragments_of_an_envelope() {
        let found = mention("left and right arm", OffsetUnit::Chars, &[(15, 18), (0, 4)], "arm left").unwrap();
        assert_eq!((found.span, found.fragments), (Span::new(0, 18), vec![Span::new(0, 4), Span::new(15, 18)]));
        let envelope = mention("left and right arm", OffsetUnit::Chars, &[(0, 4), (15, 18)], "left and right arm");
        assert!(envelope.is_ok());
    }
}
