//! Borders between the words of a text: ends of sentences, paragraphs, headings, items of lists and cells of tables.

use std::cell::OnceCell;

use crate::Span;

/// Border before a word, by what may reach across.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Border {
    /// No border.
    None,
    /// A full stop or another mark of [`BORDER_MARKS`]: only a name with the same mark at this place reaches across (`Acme Inc. USA`).
    Mark,
    /// A pictograph: no mention reaches across, but a sentence may.
    Pictograph,
    /// The end of a paragraph, heading, item of a list or cell of a table: nothing reaches across.
    Segment,
}

/// Marks that end a sentence, and the slash between two cells.
pub const BORDER_MARKS: [char; 5] = ['.', '!', '?', ';', '/'];

/// Words of at most this many bytes before a full stop are taken for abbreviations (`E. coli`, `St. John`).
const LONGEST_ABBREVIATED: usize = 2;
/// Prose is not wrapped to lines of fewer bytes; a narrower block is a list.
const NARROWEST_PROSE: usize = 50;
/// A line in capitals with fewer letters may be an acronym of a wrapped sentence.
const MIN_HEADING_LETTERS: usize = 6;

/// Bullets, which also part the items of a list in one line.
const BULLETS: [char; 12] = ['•', '▪', '◦', '‣', '●', '○', '■', '□', '☐', '☑', '✓', '✔'];
const PARAGRAPH_SEPARATOR: char = '\u{2029}';

/// Hyphens that part a word at the end of a line.
const HYPHENS: [&str; 3] = ["-", "\u{2010}", "\u{2011}"];

/// Returns true for a pictograph or dingbat, which no mention reaches across.
pub fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{FE0F}')
}

/// Tells the borders between the words of a piece of a text.
pub(crate) struct Borders<'t> {
    text: &'t str,
    piece: Span,
    /// Lines of the piece; read where a border depends on them.
    lines: OnceCell<Vec<Line>>,
}

/// A line of a text.
struct Line {
    start: usize,
    /// Bytes of the longest line of its block, which ends at empty lines.
    width: usize,
    is_row: bool,
    is_heading: bool,
    begins_item: bool,
}

impl<'t> Borders<'t> {
    pub(crate) fn of(text: &'t str, piece: Span) -> Self {
        Self { text, piece, lines: OnceCell::new() }
    }

    /// Returns the border between two neighbouring words.
    pub(crate) fn between(&self, before: Span, after: Span) -> Border {
        let between = &self.text[before.end..after.start];
        if matches!(between, "" | " " | "-" | ", " | " (") {
            return Border::None;
        }
        let bytes = between.as_bytes();
        let is_spaced = |mark: u8| bytes.windows(3).any(|three| three == [b' ', mark, b' ']);
        let (rest, indent) = between.split_once('\n').map_or((between, None), |(rest, indent)| (rest, Some(indent)));
        let at_line_end: &[char] = if indent.is_some() { &['\r', ' ', '\t'] } else { &['\r', ' '] };
        let is_bulleted = || between.split(' ').any(|piece| piece.parse().is_ok_and(|c: char| BULLETS.contains(&c)));
        let has_sign = !between.is_ascii() && (is_bulleted() || between.contains(PARAGRAPH_SEPARATOR));
        let ends_cell =
            has_sign || between.contains('|') || is_spaced(b';') || rest.trim_end_matches(at_line_end).contains('\t');
        if ends_cell || indent.is_some_and(|indent| indent.contains('\n') || self.ends_line(before, after, rest)) {
            return Border::Segment;
        }
        if !between.is_ascii() && between.contains(is_pictograph) {
            return Border::Pictograph;
        }
        let ends_with = |mark: u8| bytes.windows(2).any(|two| two[0] == mark && two[1].is_ascii_whitespace());
        let is_mark = [b'!', b'?', b';'].into_iter().any(ends_with)
            || ends_with(b'.') && !self.is_abbreviated(before, after)
            || is_spaced(b'/') && self.is_capitalized(after);
        if is_mark { Border::Mark } else { Border::None }
    }

    /// Returns true if a full stop between two words ends no sentence: `E. coli`, but not `No PE. Has` and `6 p.m. Next`.
    fn is_abbreviated(&self, word: Span, next: Span) -> bool {
        let form = &self.text[word.range()];
        let is_acronym = form.len() == LONGEST_ABBREVIATED && form.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_time = form == "m" && ["a.", "p."].iter().any(|half| self.text[..word.start].ends_with(half));
        form.len() <= LONGEST_ABBREVIATED
            && !form.bytes().all(|byte| byte.is_ascii_digit())
            && !((is_acronym || is_time) && self.is_capitalized(next))
    }

    fn is_capitalized(&self, word: Span) -> bool {
        self.text[word.range()].starts_with(char::is_uppercase)
    }

    /// Returns true if the line end between two words is the end of a row, item or heading, and does not wrap a sentence. `rest`: what stands
    /// between the first word and the line end.
    fn ends_line(&self, before: Span, after: Span, rest: &str) -> bool {
        let lines = self.lines.get_or_init(|| lines(self.text, self.piece));
        let line_of = |word: Span| &lines[lines.partition_point(|line| line.start <= word.start).saturating_sub(1)];
        let (line, next) = (line_of(before), line_of(after));
        let next_word = self.text[after.start..self.piece.end].split(char::is_whitespace).next().unwrap_or_default();
        let ends_early = || before.end - line.start + 1 + next_word.len() <= line.width || line.width < NARROWEST_PROSE;
        let is_heading = line.is_heading && !next.is_heading || rest.trim_end().ends_with(':');
        let is_whole = rest.trim().is_empty() && self.is_capitalized(after);
        let begins_item =
            next.begins_item && !HYPHENS.contains(&rest.trim_end()) && (ends_early() || !rest.trim().is_empty());
        line.is_row || next.is_row || begins_item || is_heading || is_whole && ends_early()
    }
}

/// Returns the lines of a piece of a text.
fn lines(text: &str, piece: Span) -> Vec<Line> {
    let (mut lines, mut start, mut block): (Vec<Line>, _, _) = (Vec::new(), piece.start, 0);
    let set_width = |block: &mut [Line], width| block.iter_mut().for_each(|line| line.width = width);
    let mut width = 0;
    for line in text[piece.range()].split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            set_width(&mut lines[block..], width);
            (block, width) = (lines.len(), 0);
        }
        width = width.max(line.trim_end().len());
        lines.push(Line {
            start,
            width: 0,
            is_row: trimmed.contains(['|', '\t']) || trimmed.contains(" ; "),
            is_heading: is_heading(trimmed),
            begins_item: begins_item(trimmed),
        });
        start += line.len();
    }
    set_width(&mut lines[block..], width);
    // `a. ` of a list, but not `B. ` of a wrapped `hepatitis B`.
    let letter = |line: &Line| letter_of_item(&text[line.start..piece.end]);
    for next in 1..lines.len() {
        if let Some(after) = letter(&lines[next])
            && letter(&lines[next - 1]).is_some_and(|before| before + 1 == after)
        {
            lines[next].begins_item = true;
        }
    }
    lines
}

/// Returns the letter with a full stop that a line begins with.
fn letter_of_item(line: &str) -> Option<u8> {
    match line.trim_start_matches([' ', '\t']).as_bytes() {
        [letter, b'.', b' ' | b'\t', ..] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

/// Returns true for a line with the mark of a heading (`# `), or in capitals alone.
fn is_heading(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    line.starts_with("# ")
        || line.starts_with("##")
        || letters >= MIN_HEADING_LETTERS && !line.contains(char::is_lowercase) && line.contains(char::is_uppercase)
}

/// Returns true if a line begins with a bullet, a number or a letter of a list (`- `, `2. `, `b) `, `(3) `).
pub(crate) fn begins_item(line: &str) -> bool {
    const DASHES: [char; 6] = ['-', '*', '#', '\u{2013}', '\u{2014}', '·'];
    let is_apart = |rest: &str| rest.starts_with([' ', '\t', '\u{A0}']);
    if let Some(rest) = line.strip_prefix(DASHES).or_else(|| line.strip_prefix(BULLETS)) {
        return is_apart(rest.trim_start_matches('#'));
    }
    let inner = line.trim_start_matches(['(', '[']);
    let label = &inner[..inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len())];
    let is_number = (1..=2).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = label.len() == 1;
    let rest = &inner[label.len()..];
    (is_number || is_letter) && rest.strip_prefix([')', ']']).is_some_and(is_apart)
        || is_number && inner.len() == line.len() && rest.strip_prefix('.').is_some_and(is_apart)
}

#[cfg(test)]
mod tests {
    use crate::{Border, Span, Words};

    /// Returns the text with `¦` for the borders that a mark of a name reaches across, `☺` for pictographs and `‖` for segments.
    fn parts(text: &str) -> String {
        let words = Words::of(text, Span::new(0, text.len()));
        let mut parts = String::new();
        for word in 0..words.len() {
            parts += match words.border_before(word) {
                _ if word == 0 => "",
                Border::None => " ",
                Border::Mark => " ¦ ",
                Border::Pictograph => " ☺ ",
                Border::Segment => " ‖ ",
            };
            parts += words.form(word);
        }
        parts
    }

    #[test]
    fn a_mark_of_a_sentence_is_a_border_that_names_with_it_cross() {
        for (text, expected) in [
            ("E. coli in cancer. Breast lumps; none! Why", "e coli in cancer ¦ breast lumps ¦ none ¦ why"),
            ("Grade 2. Next", "grade 2 ¦ next"),
            ("No PE. Has it at 6 p.m. Next ST. elevation", "no pe ¦ has it at 6 p m ¦ next st elevation"),
            ("and/or Left / Right and left / right", "and or left ¦ right and left right"),
        ] {
            assert_eq!(parts(text), expected, "{text:?}");
        }
    }

    #[test]
    fn nothing_crosses_cells_items_and_headings() {
        for (text, expected) in [
            ("Bone ; Skin / Graft", "bone ‖ skin ¦ graft"),
            ("Bone | Skin|Graft\tBone", "bone ‖ skin ‖ graft ‖ bone"),
            ("a | Bone\nskin | b", "a ‖ bone ‖ skin ‖ b"),
            ("- bone\n- skin", "bone ‖ skin"),
            ("bone -\n1. skin", "bone ‖ 1 ¦ skin"),
            (
                "It was a long line of a list in which there stood a bone:\n1. skin",
                "it was a long line of a list in which there stood a bone ‖ 1 ¦ skin",
            ),
            ("a. bone\nb. skin\n\nc. graft", "a bone ‖ b skin ‖ c graft"),
            ("Bone 😀 skin😢graft\u{2029}bone • skin ☐ graft", "bone ☺ skin ☺ graft ‖ bone ‖ skin ‖ graft"),
            ("bone\n1. skin\n(b) graft", "bone ‖ 1 ¦ skin ‖ b graft"),
            ("## Bone\nskin", "bone ‖ skin"),
            ("Known:\nbone", "known ‖ bone"),
            ("PAST HISTORY\nskin", "past history ‖ skin"),
            ("Bone\nSkin graft\nHeart", "bone ‖ skin graft ‖ heart"),
            ("bone\n\nskin", "bone ‖ skin"),
        ] {
            assert_eq!(parts(text).replace("# ", ""), expected, "{text:?}");
        }
    }

    #[test]
    fn a_wrapped_sentence_is_not_cut() {
        for text in [
            "bone\nskin",
            "bone\r\n\t skin",
            "bone  skin",
            "TNF\nskin",
            "A long line of a text that somebody wrapped before the word\nGraft would have stood in it, and then went on with it",
            "bone-\nSkin",
            "bone-\t\nskin",
            "ABX-\n2. ",
            "A long line of a text that somebody wrapped behind a vitamin B\n12. ",
            "A long line of a text that somebody wrapped behind hepatitis B\nB. ",
        ] {
            assert!(!parts(text).contains(['¦', '‖']), "{text:?}");
        }
    }
}
