//! Segments of a text: the parts that no mention reaches across.

use crate::{Border, Span, Words};

/// Returns the parts of a piece of a text between the ends of paragraphs, headings, items of lists and cells of tables; parts without a word are
/// left out.
pub fn segments(text: &str, piece: Span) -> Vec<Span> {
    let words = Words::of(text, piece);
    let ends_part = |c: char| c.is_whitespace() || c == '|';
    let (mut parts, mut start) = (Vec::new(), piece.start);
    for word in 1..words.len() {
        if words.border_before(word) != Border::Segment {
            continue;
        }
        let between = Span::new(words.span(word - 1).end, words.span(word).start);
        let gap = &text[between.range()];
        let end = gap.find(ends_part).map_or(between.end, |at| between.start + at);
        parts.push(Span::new(start, end));
        start = between.end - gap.chars().rev().take_while(|c| !ends_part(*c)).map(char::len_utf8).sum::<usize>();
    }
    if !words.is_empty() {
        parts.push(Span::new(start, piece.end));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_the_parts_between_borders() {
        for (text, expected) in [
            ("bone", vec!["bone"]),
            ("- Bone (1)\n- \"Skin\", Graft.\n\n", vec!["- Bone (1)", "\"Skin\", Graft.\n\n"]),
            (" | Bone)|(skin", vec![" | Bone)", "(skin"]),
            ("Bone😀\tSkin 😀 graft", vec!["Bone😀", "Skin 😀 graft"]),
            (" . ", vec![]),
        ] {
            let whole = format!("x {text} x");
            let parts = segments(&whole, Span::new(2, 2 + text.len()));
            assert_eq!(parts.iter().map(|part| &whole[part.range()]).collect::<Vec<_>>(), expected);
        }
    }
}
