//! BioC, as XML and as JSON: collections of documents of passages, all offsets from the beginning of the
//! document (Comeau et al. 2013, <http://bioc.sourceforge.net>).
//!
//! A document here is assembled from its passages: each stands where its offset says, after a line break and
//! as many spaces as it takes.

pub(crate) mod json;
pub(crate) mod xml;

use truename_text::{Document, Mention, OffsetUnit, Offsets, Passage, Span, excerpt};

use crate::annotation::{AnnotatedText, Annotation, concept_id, number, piece, unit_advice};
use crate::output::{Output, ReadDocument};
use crate::wrong::Wrong;

/// Type that writers give to text between passages; readers make no passage of it.
const GAP: &str = "gap";
/// Infon with the names of a mention's assertions, between commas.
const ASSERTIONS: &str = "assertions";
/// Largest total length of the gaps between passages, in units; more means that offsets are in another unit.
const WIDEST_GAPS: usize = 1 << 20;
/// Infons that hold an id, in order of preference, in lower case: BioC's own, then those of tools of the NCBI
/// and of corpora.
const IDENTIFIERS: [&str; 13] = [
    "identifier",
    "mesh",
    "ncbi gene",
    "ncbi_gene",
    "ncbi gene identifier",
    "ncbigene",
    "omim",
    "ncbi_taxonomy",
    "ncbi taxonomy",
    "cui",
    "concept_id",
    "normalized_id",
    "normalized id",
];

/// A document as a file has it.
#[derive(Default)]
struct RawDocument {
    id: String,
    line: Option<u64>,
    passages: Vec<RawPassage>,
    annotations: Vec<RawAnnotation>,
    relations: u64,
    /// First problem with the document.
    problem: Option<Wrong>,
}

#[derive(Default)]
struct RawPassage {
    kind: Option<String>,
    /// Text of the passage, or texts of its sentences.
    pieces: Vec<RawPiece>,
    offset: Option<String>,
    text: Option<String>,
}

#[derive(Default)]
struct RawPiece {
    offset: Option<String>,
    text: Option<String>,
}

#[derive(Default)]
struct RawAnnotation {
    line: Option<u64>,
    infons: Vec<(String, String)>,
    /// Offset and length of each location.
    locations: Vec<(Option<String>, Option<String>)>,
    text: Option<String>,
}

impl RawDocument {
    fn give(self, output: &mut Output<'_>) {
        let (id, unit, with_mentions) = (self.id.clone(), output.unit(), output.options.mentions);
        output.give_one(&id, self.document(unit, with_mentions));
    }

    fn document(mut self, unit: OffsetUnit, with_mentions: bool) -> Result<ReadDocument, Wrong> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let untyped = self.passages.len() == 1 && self.passages[0].kind.is_none();
        let (text, mut passages) = self.assemble(unit).map_err(|wrong| Wrong { line: self.line, ..wrong })?;
        if untyped && passages.first().is_some_and(|passage| passage.span == Span::new(0, text.len())) {
            passages.clear();
        }
        let (mut mentions, mut left_out) = (Vec::new(), 0);
        if with_mentions {
            left_out = self.relations;
            let annotated = AnnotatedText::new(&text, unit);
            for (at, raw) in std::mem::take(&mut self.annotations).into_iter().enumerate() {
                let line = raw.line.or(self.line);
                let wrong = |wrong: Wrong| Wrong { line, ..wrong.within(format_args!("annotation {}", at + 1)) };
                match raw.mention(&annotated).map_err(wrong)? {
                    Some(mention) => mentions.push(mention),
                    None => left_out += 1,
                }
            }
        }
        Ok(ReadDocument { document: Document { id: self.id, text, passages, mentions }, left_out })
    }

    fn assemble(&mut self, unit: OffsetUnit) -> Result<(String, Vec<Passage>), Wrong> {
        let (mut text, mut passages) = (Text { unit, ..Text::default() }, Vec::new());
        for (at, passage) in std::mem::take(&mut self.passages).into_iter().enumerate() {
            let what = format!("passage {}", at + 1);
            let kind = passage.kind.clone().unwrap_or_default();
            let mut span: Option<Span> = None;
            let pieces = passage.pieces().map_err(|wrong| wrong.within(&what))?;
            for (sentence, piece) in pieces.into_iter().enumerate() {
                let offset = piece.offset.ok_or_else(|| format!("{what} has no offset"))?;
                let added = number(&offset)
                    .and_then(|offset| text.place(offset, &piece.text.unwrap_or_default(), sentence == 0))
                    .map_err(|wrong| wrong.within(&what))?;
                span = Some(Span::new(span.map_or(added.start, |span| span.start), added.end));
            }
            if let Some(span) = span.filter(|span| span.start < span.end && kind != GAP) {
                passages.push(Passage { kind, span });
            }
        }
        Ok((text.text, passages))
    }
}

impl RawPassage {
    /// Returns the passage's text, which must agree with its sentences, or else the sentences that have a text.
    fn pieces(self) -> Result<Vec<RawPiece>, Wrong> {
        let Some(text) = &self.text else {
            return Ok(self.pieces.into_iter().filter(|piece| piece.text.is_some()).collect());
        };
        let mut said = self.pieces.iter().filter_map(|piece| piece.text.as_deref());
        if let Some(other) = said.find(|sentence| !text.contains(sentence.trim())) {
            return Err(format!("a sentence says \"{}\", which its passage does not", excerpt(other)).into());
        }
        Ok(vec![RawPiece { offset: self.offset, text: self.text }])
    }
}

/// The text of a document as it grows.
#[derive(Default)]
struct Text {
    text: String,
    units: usize,
    /// The length of all gaps so far.
    gaps: usize,
    unit: OffsetUnit,
}

impl Text {
    /// Adds a piece at its offset, after a line break, where a passage begins, and spaces.
    fn place(&mut self, offset: usize, piece: &str, begins_passage: bool) -> Result<Span, Wrong> {
        let ends = self.units;
        let wrong = |message: String| Wrong { hint: Some(unit_advice(self.unit)), ..message.into() };
        let Some(gap) = offset.checked_sub(ends) else {
            return Err(wrong(format!("it begins at {offset}, but the text before it ends at {ends}")));
        };
        self.gaps = self.gaps.saturating_add(gap);
        if self.gaps > WIDEST_GAPS {
            return Err(wrong(format!("it begins {gap} after the text before it; gaps have at most {WIDEST_GAPS}")));
        }
        self.text.push_str(&fill(gap, begins_passage));
        let start = self.text.len();
        self.text.push_str(piece);
        self.units = offset + Offsets::new(piece, self.unit).length();
        Ok(Span::new(start, self.text.len()))
    }
}

/// Returns the text between two passages or sentences.
fn fill(length: usize, begins_passage: bool) -> String {
    let break_first = if begins_passage && length > 0 { "\n" } else { "" };
    format!("{break_first}{}", " ".repeat(length - break_first.len()))
}

impl RawAnnotation {
    /// Returns the mention; none where it has no place in the text.
    fn mention(self, annotated: &AnnotatedText<'_>) -> Result<Option<Mention>, Wrong> {
        if self.locations.is_empty() {
            return Ok(None);
        }
        let located = |location: &(Option<String>, Option<String>)| match location {
            (Some(offset), Some(length)) => piece(offset, length),
            _ => Err("a location without offset or length".into()),
        };
        let pieces = self.locations.iter().map(located).collect::<Result<_, _>>()?;
        let values = |wanted: &str| -> Vec<&str> {
            let found = self.infons.iter().filter(|(key, _)| key.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.trim()).collect()
        };
        let infon = |wanted: &str| values(wanted).first().copied();
        let probability = infon("probability").and_then(|value| value.parse().ok());
        // One infon may hold several ids, and several infons one each.
        let ids = IDENTIFIERS.iter().map(|key| values(key)).find(|values| !values.is_empty()).unwrap_or_default();
        let mut ids: Vec<String> = ids.into_iter().filter_map(concept_id).collect();
        ids.dedup();
        annotated
            .mention(Annotation {
                pieces,
                mention_type: infon("type").unwrap_or_default().to_owned(),
                id: (!ids.is_empty()).then(|| ids.join("|")),
                probability: probability.filter(|probability| (0.0..=1.0).contains(probability)),
                text: self.text,
                assertions: infon(ASSERTIONS).and_then(|names| names.parse().ok()).unwrap_or_default(),
            })
            .map(Some)
    }
}

/// A part of a document as the writers put it into a passage.
struct Part<'d> {
    kind: Option<&'d str>,
    span: Span,
    mentions: Vec<&'d Mention>,
}

/// Returns the passages of a document and the text between them, so that no text is lost.
///
/// Text between passages that readers would not fill in as it is becomes a part of the type `gap`. Every
/// mention is in the part where it begins.
fn parts(document: &Document) -> Vec<Part<'_>> {
    let (text, mut parts, mut end) = (&document.text, Vec::new(), 0);
    let part = |kind, start, end| Part { kind, span: Span::new(start, end), mentions: Vec::new() };
    for passage in &document.passages {
        let span = passage.span;
        if span.start < end || span.of(text).is_none() {
            continue;
        }
        if text[end..span.start] != fill(span.start - end, true) {
            parts.push(part(Some(GAP), end, span.start));
        }
        parts.push(part(Some(passage.kind.as_str()), span.start, span.end));
        end = span.end;
    }
    if parts.is_empty() {
        parts.push(part(None, 0, text.len()));
    } else if end < text.len() {
        parts.push(part(Some(GAP), end, text.len()));
    }
    for mention in &document.mentions {
        let at = parts.partition_point(|part| part.span.start <= mention.span.start);
        parts[at.saturating_sub(1)].mentions.push(mention);
    }
    parts
}

/// Returns the pieces of a mention.
fn locations(mention: &Mention) -> Vec<Span> {
    if mention.fragments.is_empty() { vec![mention.span] } else { mention.fragments.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_what_would_not_be_filled_in() {
        let passage = |kind: &str, start, end| Passage { kind: kind.into(), span: Span::new(start, end) };
        let mut document = Document::new("1", "\n  One\n Two and more");
        document.passages = vec![passage("title", 3, 6), passage("", 8, 11)];
        document.mentions = vec![Mention::new(Span::new(0, 4), "", None), Mention::new(Span::new(12, 15), "", None)];
        let found: Vec<_> =
            parts(&document).into_iter().map(|part| (part.kind, part.span.range(), part.mentions.len())).collect();
        assert_eq!(found, [(Some("title"), 3..6, 1), (Some(""), 8..11, 0), (Some("gap"), 11..20, 1)]);
        document.text.replace_range(6..7, "-");
        let kinds: Vec<_> = parts(&document).into_iter().map(|part| part.kind).collect();
        assert_eq!(kinds, [Some("title"), Some("gap"), Some(""), Some("gap")]);
    }
}
