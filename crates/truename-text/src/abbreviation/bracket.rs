//! Brackets that may hold half of a definition of an abbreviation, told from list labels and from parts of words.

use std::collections::VecDeque;

use super::vocabulary::is_quote;
use crate::Span;

/// A pair of round (full-width ones too) or square brackets and its content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bracket {
    pub(super) open: usize,
    pub(super) content: Span,
}

/// Brackets that hold more bytes are not read; definitions are far shorter.
const LONGEST_BRACKET: usize = 400;

/// Returns the brackets that may hold half of a definition, in the order in which they open.
pub(super) fn brackets(text: &str) -> Vec<Bracket> {
    let (mut round, mut square) = (VecDeque::new(), VecDeque::new());
    let mut found = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '(' | '\u{FF08}' => push_open(&mut round, at),
            '[' | '\u{FF3B}' | '\u{3010}' | '\u{3014}' => push_open(&mut square, at),
            ')' | '\u{FF09}' => found.extend(round.pop_back().and_then(|open| bracket(text, open, at))),
            ']' | '\u{FF3D}' | '\u{3011}' | '\u{3015}' => {
                found.extend(square.pop_back().and_then(|open| bracket(text, open, at)))
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

/// Adds an opening bracket, and forgets brackets that are open for too long.
fn push_open(waiting: &mut VecDeque<usize>, at: usize) {
    while waiting.front().is_some_and(|open| at - open > LONGEST_BRACKET) {
        waiting.pop_front();
    }
    waiting.push_back(at);
}

/// Returns the bracket from `open` to `close`; none where it is part of a word, as in "Ca(2+)", "(h)alpha" or "[3H]-thymidine".
fn bracket(text: &str, open: usize, close: usize) -> Option<Bracket> {
    let width = |at: usize| text[at..].chars().next().map_or(0, char::len_utf8);
    let start = open + width(open);
    let (inner, rest) = (&text[start..close], &text[close + width(close)..]);
    let is_wide = start > open + 1;
    let is_isotope = rest.starts_with('-') && inner.starts_with(|c: char| c.is_ascii_digit());
    let is_link = rest.starts_with("(http");
    if inner.len() > LONGEST_BRACKET || !is_wide && rest.starts_with(char::is_alphanumeric) || is_isotope || is_link {
        return None;
    }
    let content = without_lead(text, Span::new(start, close).trimmed(text, char::is_whitespace));
    let content = without_reference(text, content);
    let before = text[..open].chars().next_back();
    let is_apart = is_wide || before.is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '['));
    let is_attached = before.is_some_and(char::is_alphabetic) && is_acronym(&text[content.range()]);
    (content.start < content.end && (is_apart || is_attached)).then_some(Bracket { open, content })
}

/// Words that introduce half of a definition in a bracket.
const LEADS: [&str; 17] = [
    "a.k.a.",
    "aka",
    "henceforth",
    "hereafter",
    "hereinafter",
    "abbreviated as",
    "abbreviated to",
    "abbreviated",
    "abbreviation",
    "or",
    "i.e.",
    "also known as",
    "also called",
    "known as",
    "referred to as",
    "called",
    "termed",
];

/// Returns the content of a bracket without a word that introduces it and without quotation marks: `henceforth, "TPO"`.
fn without_lead(text: &str, content: Span) -> Span {
    let piece = &text[content.range()];
    let behind = |lead: &&str| {
        let rest = piece.get(lead.len()..).filter(|_| piece[..lead.len()].eq_ignore_ascii_case(lead))?;
        rest.starts_with([' ', ',', ':']).then_some(rest.len())
    };
    let length = LEADS.iter().find_map(behind).unwrap_or(piece.len());
    let rest = Span::new(content.end - length, content.end);
    let is_lead = |c: char| c.is_whitespace() || c == '=' || length < piece.len() && matches!(c, ',' | ':');
    let rest = rest.trimmed(text, is_lead);
    let inner = rest.trimmed(text, is_quote);
    if text[inner.range()].contains(is_quote) { rest } else { inner }
}

/// Returns the content of a bracket without a citation or code behind its one word: `TPO [1,2]`, `TPO: C92.0`.
fn without_reference(text: &str, content: Span) -> Span {
    let piece = &text[content.range()];
    let end = piece.find([' ', ':', '—']).unwrap_or(piece.len());
    let reference = piece[end..].trim_start_matches([' ', ':', '—']);
    let is_cited = ["[", "("].iter().any(|open| reference.starts_with(open)) || !piece[end..].starts_with(' ');
    let is_number = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || "[](),.-–".contains(c) || c == ' ';
    let has_number = reference.contains(|c: char| c.is_ascii_digit()) && reference.chars().all(is_number);
    if is_cited && has_number && piece[..end].contains(char::is_uppercase) {
        Span::new(content.start, content.start + end)
    } else {
        content
    }
}

/// Returns true if a bracket may define the word it touches: "ubiquitin(Ub)", but not "poly(A)" or "iron(II)".
fn is_acronym(content: &str) -> bool {
    content.len() >= 2 && content.starts_with(char::is_uppercase) && !content.bytes().all(|byte| b"IVX".contains(&byte))
}

const FIRST_LABELS: [&str; 4] = ["a", "A", "i", "I"];
const ROMAN_LABELS: [&str; 8] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"];

/// Returns for each bracket whether it numbers an item of a list: "(a) … (b)", "(i) … (ii)".
pub(super) fn labels(text: &str, brackets: &[Bracket]) -> Vec<bool> {
    let mut labels = vec![false; brackets.len()];
    for here in 1..brackets.len() {
        let [before, label] = [here - 1, here].map(|at| &text[brackets[at].content.range()]);
        if is_next_label(before, label) && (labels[here - 1] || FIRST_LABELS.contains(&before)) {
            labels[here - 1..=here].fill(true);
        }
    }
    labels
}

fn is_next_label(before: &str, label: &str) -> bool {
    if let ([before], [label]) = (before.as_bytes(), label.as_bytes()) {
        return before.is_ascii_alphabetic() && before + 1 == *label;
    }
    ROMAN_LABELS.windows(2).any(|pair| pair[0].eq_ignore_ascii_case(before) && pair[1].eq_ignore_ascii_case(label))
}

/// Returns true if each bracket has its other half.
pub(super) fn is_balanced(piece: &str) -> bool {
    [['(', ')'], ['[', ']']].iter().all(|[open, close]| {
        let mut depth = 0;
        let never_negative = piece.chars().all(|letter| {
            depth += i32::from(letter == *open) - i32::from(letter == *close);
            depth >= 0
        });
        never_negative && depth == 0
    })
}
