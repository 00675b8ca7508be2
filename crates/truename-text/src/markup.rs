//! Text without the markup of HTML: tags and character references.

mod entity;

use self::entity::character_at;
use crate::mojibake::{LEADS, sequence_at};
use crate::words::is_cited_behind;
use crate::{Document, Span};

/// A text without its tags and with the characters of its references, and the places of its pieces in the text as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainText {
    /// The text without markup.
    pub text: String,
    pieces: Vec<Piece>,
}

/// A piece of text, copied or in the place of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    plain: Span,
    written: Span,
}

/// Tags that stand within a word or sentence, without the prefix of their vocabulary (`jats:sub`).
const INLINE: [&str; 34] = [
    "sub",
    "sup",
    "inf",
    "i",
    "b",
    "u",
    "em",
    "strong",
    "span",
    "italic",
    "bold",
    "sc",
    "small",
    "font",
    "mark",
    "math",
    "mi",
    "mn",
    "mo",
    "mrow",
    "msub",
    "msup",
    "mtext",
    "a",
    "xref",
    "ext-link",
    "named-content",
    "styled-content",
    "underline",
    "monospace",
    "roman",
    "abbr",
    "cite",
    "wbr",
];
/// Tags of paragraphs, headings, items and cells.
const BLOCK: [&str; 16] =
    ["p", "div", "title", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "tr", "td", "th", "sec"];
/// Beginnings and ends of comments, scripts, styles and declarations, which are left out.
const HIDDEN: [(&str, &str); 5] =
    [("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<?xml", "?>"), ("<!DOCTYPE", ">")];
/// Hyphens that part a word at the end of a line.
const HYPHENS: [char; 4] = ['-', '\u{AD}', '\u{2010}', '¬'];
/// Bytes of the longest one that is left out.
const LONGEST_HIDDEN: usize = 4000;
/// Bytes of the longest tag that is read.
const LONGEST_TAG: usize = 200;

/// Returns a name without markup; `None` if it has none. All words of a name stay, those of a script too.
pub fn without_markup(name: &str) -> Option<String> {
    PlainText::read(name, &['<', '&'], markup_at).map(|plain| plain.text)
}

impl PlainText {
    /// Reads a text with markup, with characters that were decoded wrongly (`SjÃ¶gren`) or with words parted at the ends of lines; `None` if
    /// it has none.
    pub fn of(text: &str) -> Option<Self> {
        let wrong: &[char] = if text.is_ascii() { &[] } else { &LEADS };
        let marks = [&['<', '&'], &HYPHENS[..], wrong].concat();
        let replacement_at = |text: &str, at: usize| {
            let repaired = || sequence_at(&text[at..]).map(|(length, character)| (length, character.to_string()));
            hidden_at(&text[at..])
                .map(|length| (length, " ".to_owned()))
                .or_else(|| line_end_at(text, at).map(|length| (length, String::new())))
                .or_else(|| markup_at(text, at))
                .or_else(repaired)
        };
        Self::read(text, &marks, replacement_at)
    }

    /// Reads a text with what `replacement_at` finds at one of some characters: its length and what takes its place.
    fn read(
        text: &str,
        marks: &[char],
        replacement_at: impl Fn(&str, usize) -> Option<(usize, String)>,
    ) -> Option<Self> {
        let mut plain = Self { text: String::new(), pieces: Vec::new() };
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = text[at..].find(marks) {
            let start = at + found;
            match replacement_at(text, start) {
                Some((length, content)) => {
                    plain.push(text, Span::new(copied, start), None);
                    plain.push(text, Span::new(start, start + length), Some(&content));
                    (copied, at) = (start + length, start + length);
                }
                None => at = text.ceil_char_boundary(start + 1),
            }
        }
        plain.push(text, Span::new(copied, text.len()), None);
        (copied > 0).then_some(plain)
    }

    fn push(&mut self, text: &str, written: Span, content: Option<&str>) {
        let start = self.text.len();
        self.text.push_str(content.unwrap_or(&text[written.range()]));
        if self.text.len() > start {
            self.pieces.push(Piece { plain: Span::new(start, self.text.len()), written });
        }
    }

    /// Returns the document with this text in the place of its own, its passages and mentions moved.
    pub fn document(&self, document: &Document) -> Document {
        let mut plain = Document { text: self.text.clone(), ..document.clone() };
        plain.passages.iter_mut().for_each(|passage| passage.span = self.plain_span(passage.span));
        for mention in &mut plain.mentions {
            mention.span = self.plain_span(mention.span);
            mention.fragments.iter_mut().for_each(|span| *span = self.plain_span(*span));
        }
        plain
    }

    /// Returns the place in this text of a span of the text as it was written.
    fn plain_span(&self, written: Span) -> Span {
        let place = |at: usize, is_end: bool| {
            let next = self.pieces.partition_point(|piece| piece.written.end <= at);
            let Some(piece) = self.pieces.get(next) else { return self.text.len() };
            match at.checked_sub(piece.written.start) {
                None | Some(0) => piece.plain.start,
                Some(within) if piece.is_copied() => piece.plain.start + within,
                Some(_) if is_end => piece.plain.end,
                Some(_) => piece.plain.start,
            }
        };
        let start = place(written.start, false);
        Span::new(start, place(written.end, true).max(start))
    }

    /// Returns the place of a span of this text in the text as it was written, with the tags directly around it whose partners it has.
    pub fn written_span(&self, text: &str, plain: Span) -> Span {
        let first = self.pieces.partition_point(|piece| piece.plain.end <= plain.start);
        let last = self.pieces.partition_point(|piece| piece.plain.end < plain.end);
        let (Some(first), Some(last)) = (self.pieces.get(first), self.pieces.get(last)) else {
            return Span::new(text.len(), text.len());
        };
        let within = |piece: &Piece, at: usize| piece.written.start + at - piece.plain.start;
        let start = if first.is_copied() { within(first, plain.start) } else { first.written.start };
        let end = if last.is_copied() { within(last, plain.end) } else { last.written.end };
        with_partners(text, Span::new(start, end.max(start)))
    }
}

impl Piece {
    fn is_copied(&self) -> bool {
        self.plain.end - self.plain.start == self.written.end - self.written.start
    }
}

/// Returns the span with the tags directly before and behind it whose partners it has.
fn with_partners(text: &str, span: Span) -> Span {
    let (mut open, mut unopened, mut at) = (0usize, 0usize, span.start);
    while let Some(found) = text[at..span.end].find(['<', '&']) {
        at += found;
        match tag_at(text, at).filter(|tag| !tag.is_block) {
            Some(tag) if tag.is_closing && open == 0 => unopened += 1,
            Some(tag) if tag.is_closing => open -= 1,
            Some(_) => open += 1,
            None => {}
        }
        at = tag_at(text, at).map_or(at + 1, |tag| at + tag.length).min(span.end);
    }
    let Span { mut start, mut end } = span;
    for _ in 0..open {
        match tag_at(text, end).filter(|tag| tag.is_closing && !tag.is_block) {
            Some(tag) => end += tag.length,
            None => break,
        }
    }
    for _ in 0..unopened {
        let is_partner = |at: &usize| {
            tag_at(text, *at).is_some_and(|tag| at + tag.length == start && !tag.is_closing && !tag.is_block)
        };
        match ["<", "&lt;"].iter().filter_map(|bracket| text[..start].rfind(bracket)).find(is_partner) {
            Some(at) => start = at,
            None => break,
        }
    }
    Span::new(start, end)
}

/// Returns the length of the markup at a byte, and what takes its place: nothing for a tag within a sentence.
fn markup_at(text: &str, at: usize) -> Option<(usize, String)> {
    if let Some(tag) = tag_at(text, at) {
        let content = match tag.name {
            "br" => "\n",
            _ if tag.is_block => "\n\n",
            _ if cites(text, at, &tag) => " ",
            _ => "",
        };
        return Some((tag.length, content.to_owned()));
    }
    character_at(&text[at..]).map(|(length, character)| (length, character.to_string()))
}

/// Returns true for a tag before the numbers of references behind a word.
fn cites(text: &str, at: usize, tag: &Tag<'_>) -> bool {
    let content = text[at + tag.length..].split(['<', '&']).next().unwrap_or_default();
    !tag.is_closing
        && ["sup", "xref"].iter().any(|name| name.eq_ignore_ascii_case(tag.name))
        && is_cited_behind(&text[..at])
        && content.starts_with(|c: char| c.is_ascii_digit())
        && content.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | ';' | '-' | '–'))
}

/// Returns the length of a hyphen and the line end behind it that part a word (`myo-`, `cardial`).
fn line_end_at(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(HYPHENS)?;
    let next = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?.trim_start_matches([' ', '\t']);
    // `pre-`, `and post-operative`.
    let is_list = ["and ", "or ", "to "].iter().any(|word| next.starts_with(word));
    let is_parted = text[..at].ends_with(char::is_lowercase) && next.starts_with(char::is_lowercase) && !is_list;
    is_parted.then(|| text.len() - at - next.len())
}

/// Returns the length of what begins a text and is none.
fn hidden_at(text: &str) -> Option<usize> {
    let (_, end) = HIDDEN
        .iter()
        .find(|(start, _)| text.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(start)))?;
    let window = &text[..text.floor_char_boundary(LONGEST_HIDDEN)];
    window.find(end).map(|at| at + end.len())
}

/// A tag of the lists above.
struct Tag<'t> {
    name: &'t str,
    length: usize,
    is_closing: bool,
    is_block: bool,
}

/// Returns the tag at a byte, its angle brackets written as themselves or as references (`&lt;sub&gt;`).
fn tag_at(text: &str, at: usize) -> Option<Tag<'_>> {
    let rest = &text[at..];
    let (opening, closing) = if rest.starts_with('<') { ("<", ">") } else { ("&lt;", "&gt;") };
    let inner = rest.strip_prefix(opening)?;
    let window = &inner[..inner.floor_char_boundary(LONGEST_TAG)];
    let inner = &window[..window.find(closing)?];
    let length = opening.len() + inner.len() + closing.len();
    let (is_closing, content) = inner.strip_prefix('/').map_or((false, inner), |content| (true, content));
    let (name, attributes) = content.split_at(content.find([' ', '/', '\n']).unwrap_or(content.len()));
    let name = name.rsplit(':').next().unwrap_or(name);
    let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_tag = matches!(attributes.trim(), "" | "/") || attributes.contains('=');
    let is_br = name.eq_ignore_ascii_case("br");
    let is_block = is_br || is_in(&BLOCK);
    (is_tag && (is_block || is_in(&INLINE))).then_some(Tag {
        name: if is_br { "br" } else { name },
        length,
        is_closing,
        is_block,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_and_references_are_read() {
        for (written, plain) in [
            ("CO<sub>2</sub>", "CO2"),
            ("CD4<SUP class=\"x\">+</SUP>", "CD4+"),
            ("&lt;i&gt;ABC&lt;/i&gt;", "ABC"),
            ("R&amp;D, R&amp;amp;D", "R&D, R&D"),
            ("IL-1&#x3b2; &#945; &beta; &amp;gamma;", "IL-1β α β γ"),
            ("Sj&ouml;gren&rsquo;s heart&nbsp;attack", "Sjögren’s heart\u{a0}attack"),
            ("<p>heart</p>", "\n\nheart\n\n"),
            ("a<br/>b <jats:italic>c</jats:italic>", "a\nb c"),
            ("asthma<sup>1,2</sup> m<sup>2</sup> CO<sup>2</sup>", "asthma 1,2 m2 CO2"),
            ("asthma<xref ref-type=\"bibr\">1</xref>", "asthma 1"),
        ] {
            assert_eq!(without_markup(written).as_deref(), Some(plain), "{written}");
        }
        for text in [
            "a < b > c",
            "AT&T; R&D",
            "a <b and c> d",
            "<made@up.org>",
            "&nothing; &; &#; &#xD800;",
            "x<y>",
            "a <!-- b",
            "<script>a</script> of a name",
            "",
        ] {
            assert_eq!(without_markup(text), None, "{text}");
        }
    }

    #[test]
    fn comments_and_scripts_of_texts_are_left_out() {
        let plain = PlainText::of("a<!-- b -->c<script>d < e</script>").map(|plain| plain.text);
        assert_eq!(plain.as_deref(), Some("a c "));
    }

    #[test]
    fn wrongly_decoded_characters_of_texts_are_read() {
        let of = |text: &str| PlainText::of(text).map(|plain| plain.text);
        assert_eq!(of("SjÃ¶gren’s, IL-1Î² & <i>Äcad Â»</i>").as_deref(), Some("Sjögren’s, IL-1β & Äcad Â»"));
        assert_eq!(of("Ärger à »"), None);
        assert_eq!(without_markup("SjÃ¶gren"), None);
    }

    #[test]
    fn words_parted_at_line_ends_are_joined() {
        let text = "myo-\r\n\tcardial hyper\u{ad}\ntension\npre-\nor post-\nB T-\ncell a-\n\nb as- pirin";
        let plain = PlainText::of(text).unwrap();
        assert_eq!(plain.text, "myocardial hypertension\npre-\nor post-\nB T-\ncell a-\n\nb as- pirin");
        assert_eq!(plain.written_span(text, Span::new(0, 10)).of(text), Some("myo-\r\n\tcardial"));
    }

    #[test]
    fn spans_have_their_tags() {
        for (written, name, expected) in [
            ("low CO<sub>2</sub>.", "CO2", "CO<sub>2</sub>"),
            ("<p><b>heart</b> <i>attack</i></p>", "heart attack", "<b>heart</b> <i>attack</i>"),
            ("<i>ABC</i>", "ABC", "ABC"),
            ("a TNF-&alpha; b", "TNF-α", "TNF-&alpha;"),
            ("a &lt;sup&gt;3&lt;/sup&gt;H b", "3H", "&lt;sup&gt;3&lt;/sup&gt;H"),
        ] {
            let plain = PlainText::of(written).unwrap();
            let start = plain.text.find(name).unwrap();
            let span = plain.written_span(written, Span::new(start, start + name.len()));
            assert_eq!(span.of(written), Some(expected), "{written}");
            assert_eq!(plain.plain_span(span).of(&plain.text), Some(name), "{written}");
        }
    }

    proptest! {
        #[test]
        fn every_span_slices_its_text(
            text in prop_oneof![".{0,40}", "(<sub>|</sub>|<p>|&lt;|&gt;|&amp;|&#945;|&beta;|<|&|[aé2 -]|\r?\n){0,20}"],
            bounds in any::<[u8; 2]>(),
        ) {
            if let Some(plain) = PlainText::of(&text) {
                let places: Vec<usize> =
                    (0..=plain.text.len()).filter(|at| plain.text.is_char_boundary(*at)).collect();
                let mut ends = bounds.map(|bound| places[usize::from(bound) % places.len()]);
                ends.sort_unstable();
                let written = plain.written_span(&text, Span::new(ends[0], ends[1]));
                prop_assert!(text.get(written.range()).is_some());
                let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
                let mut ends = bounds.map(|bound| places[usize::from(bound) % places.len()]);
                ends.sort_unstable();
                let span = plain.plain_span(Span::new(ends[0], ends[1]));
                prop_assert!(plain.text.get(span.range()).is_some());
            }
        }
    }
}
