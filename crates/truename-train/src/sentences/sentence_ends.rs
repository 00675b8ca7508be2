//! Sentences of a running text, by a simple rule.

use truename_text::Span;

/// Words before a full stop that ends no sentence, in lower case and without the stop.
const ABBREVIATIONS: [&str; 32] = [
    "al", "approx", "ca", "cf", "co", "corp", "dr", "e.g", "ed", "eds", "eq", "esp", "etc", "fig", "figs", "i.e",
    "inc", "jr", "ltd", "mr", "mrs", "ms", "no", "nos", "prof", "ref", "refs", "sp", "spp", "st", "viz", "vs",
];

/// Returns the sentences of a part of a text, without the white space around them.
///
/// A sentence ends at `.`, `!` or `?`, with the quotes and brackets that close there, if white space follows and then no small
/// letter; and at an empty line. A full stop ends none after an initial (`E. coli`), an abbreviation of [`ABBREVIATIONS`] or a
/// number that a number follows.
pub(crate) fn sentences(text: &str, within: Span) -> Vec<Span> {
    let (mut sentences, mut start) = (Vec::new(), within.start);
    let mut add = |start: usize, end: usize| {
        let piece = &text[start..end];
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let start = start + (piece.len() - piece.trim_start().len());
            sentences.push(Span::new(start, start + trimmed.len()));
        }
    };
    for (at, character) in text[within.range()].char_indices().map(|(at, character)| (within.start + at, character)) {
        let end = at + character.len_utf8();
        let ends = match character {
            _ if at < start => None,
            '.' | '!' | '?' => end_at(text, Span::new(start, at), Span::new(end, within.end), character),
            '\n' => is_empty_line(&text[end..within.end]).then_some(end),
            _ => None,
        };
        if let Some(end) = ends {
            add(start, end);
            start = end;
        }
    }
    add(start, within.end);
    sentences
}

/// Returns the end of a sentence at a stop, behind the quotes and brackets that close there; none where it goes on.
fn end_at(text: &str, before: Span, after: Span, stop: char) -> Option<usize> {
    let rest = &text[after.range()];
    let follows = rest.trim_start_matches(is_closing);
    let end = after.end - follows.len();
    let next = follows.trim_start();
    if next.len() == follows.len() || next.starts_with(char::is_lowercase) {
        return None;
    }
    let word = text[before.range()].rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_abbreviation = ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    let is_number =
        word.chars().all(|digit| digit.is_ascii_digit()) && next.starts_with(|digit: char| digit.is_ascii_digit());
    (stop != '.' || !(is_initial || is_abbreviation || is_number)).then_some(end)
}

fn is_closing(character: char) -> bool {
    matches!(character, '"' | '\'' | ')' | ']' | '”' | '’' | '»')
}

/// Returns whether only blanks stand before the next line feed.
fn is_empty_line(rest: &str) -> bool {
    rest.split_once('\n').is_some_and(|(line, _)| line.trim().is_empty())
}

/// Returns a part of a sentence around a span, cut at white space, of at most so many characters; the whole sentence where it is
/// not longer, and none where the span itself is.
pub(crate) fn window(text: &str, sentence: Span, span: Span, limit: usize) -> Option<Span> {
    let count = |span: Span| text[span.range()].chars().count();
    if count(sentence) <= limit {
        return Some(sentence);
    }
    let room = limit.checked_sub(count(span))?;
    let (before, after) = (Span::new(sentence.start, span.start), Span::new(span.end, sentence.end));
    // Half of the room on each side, and what one side has no use for on the other.
    let (left, right) = (count(before), count(after));
    let left = (room / 2).max(room.saturating_sub(right)).min(left);
    let right = (room - left).min(right);
    let skipped = count(before) - left;
    let start = text[before.range()].char_indices().nth(skipped).map_or(span.start, |(at, _)| before.start + at);
    let end = text[after.range()].char_indices().nth(right).map_or(after.end, |(at, _)| after.start + at);
    let start = if start == sentence.start { start } else { begin_word(text, start, span.start) };
    let end = if end == sentence.end { end } else { end_word(text, span.end, end) };
    Some(Span::new(start, end))
}

/// Returns the first beginning of a word from `start` on.
fn begin_word(text: &str, start: usize, limit: usize) -> usize {
    if text[..start].ends_with(char::is_whitespace) && !text[start..].starts_with(char::is_whitespace) {
        return start;
    }
    let piece = &text[start..limit];
    let space = piece.find(char::is_whitespace);
    space.map_or(limit, |space| limit - piece[space..].trim_start().len())
}

/// Returns the last end of a word up to `end`.
fn end_word(text: &str, limit: usize, end: usize) -> usize {
    if text[end..].starts_with(char::is_whitespace) && !text[..end].ends_with(char::is_whitespace) {
        return end;
    }
    let piece = &text[limit..end];
    piece.rfind(char::is_whitespace).map_or(limit, |space| limit + piece[..space].trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, Span::new(0, text.len())).into_iter().map(|span| span.of(text).unwrap()).collect()
    }

    #[test]
    fn sentences_end_at_stops_that_no_small_letter_follows() {
        for (text, wanted) in [
            ("It came. It went!  Did it? (Yes.) No", vec!["It came.", "It went!", "Did it?", "(Yes.)", "No"]),
            (
                "E. coli of Fig. 3, e.g. This, et al. Here. 3.5 mg",
                vec!["E. coli of Fig. 3, e.g. This, et al. Here.", "3.5 mg"],
            ),
            ("about 2. of 1. 5 and 7. Then", vec!["about 2. of 1. 5 and 7.", "Then"]),
            ("a line\ngoes on\n \nafter an empty one", vec!["a line\ngoes on", "after an empty one"]),
            ("He said “yes.” Then “Été. Naïf!”", vec!["He said “yes.”", "Then “Été.", "Naïf!”"]),
            (" \n\n ", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), wanted);
        }
        assert_eq!(sentences("A bee. Cat d.", Span::new(2, 11)), [Span::new(2, 6), Span::new(7, 10)]);
    }

    #[test]
    fn long_sentences_are_cut_around_the_entity() {
        let text = "one two three four heart attack five six seven";
        let entity = Span::new(19, 31);
        let cut = |limit| window(text, Span::new(0, text.len()), entity, limit).map(|span| span.of(text).unwrap());
        assert_eq!(cut(100), Some(text));
        assert_eq!(cut(24), Some("four heart attack five"));
        assert_eq!(cut(13), Some("heart attack"));
        assert_eq!(cut(12), Some("heart attack"));
        assert_eq!(cut(11), None);
        let first = window(text, Span::new(0, text.len()), Span::new(0, 3), 14).unwrap();
        assert_eq!(first.of(text), Some("one two three"));
        let last = window(text, Span::new(0, text.len()), Span::new(41, 46), 14).unwrap();
        assert_eq!(last.of(text), Some("five six seven"));
        let wide = "naïve éléments façade";
        let span = window(wide, Span::new(0, wide.len()), Span::new(7, 17), 15).unwrap();
        assert!(span.of(wide).is_some_and(|piece| piece.contains("éléments")));
    }
}
