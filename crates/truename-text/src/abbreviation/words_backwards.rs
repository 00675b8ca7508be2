//! Words before a bracket, the last first, up to the end of the sentence: where long forms are sought.

use super::bracket::is_balanced;
use super::vocabulary::is_quote;
use crate::Span;

/// Words of the sentence in `side`, the last first, up to the bracket or paragraph that holds them.
pub(super) struct WordsBackwards<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// The first letter of the word that was given last.
    following: Option<char>,
}

/// A word, or a bracket between words.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) span: Span,
    pub(super) is_aside: bool,
}

/// Long forms are sought in this many bytes.
const LONGEST_SIDE: usize = 500;

/// A bracket between words that has more bytes ends the search.
const LONGEST_ASIDE: usize = 200;

impl<'a> WordsBackwards<'a> {
    pub(super) fn new(text: &'a str, side: Span) -> Self {
        let start = text.ceil_char_boundary(side.start.max(side.end.saturating_sub(LONGEST_SIDE)));
        Self { text, start, end: side.end, following: None }
    }

    /// Returns the piece of text before the last one, up to white space or a dash; none at the start of a paragraph.
    fn token(&mut self) -> Option<Span> {
        let before = &self.text[self.start..self.end];
        let mut rest = before.trim_end();
        if before[rest.len()..].bytes().filter(|byte| *byte == b'\n').count() > 1 {
            return None;
        }
        while let Some(shorter) = rest.strip_suffix("--").or_else(|| rest.strip_suffix('—')) {
            rest = shorter.trim_end();
        }
        let token = rest.rsplit(|letter: char| letter.is_whitespace() || letter == '—').next()?;
        let token = token.rsplit("--").next().filter(|token| !token.is_empty())?;
        let end = self.start + rest.len();
        self.end = end - token.len();
        Some(Span::new(self.end, end))
    }
}

impl Iterator for WordsBackwards<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let mut span = self.token()?;
        if ends_sentence(&self.text[span.range()], self.following) {
            self.end = self.start;
            return None;
        }
        let mut outside = open_outside(&self.text[span.range()], 0);
        while let Outside::Before(depth) = outside {
            let token = self.token().filter(|token| span.end - token.start <= LONGEST_ASIDE)?;
            outside = open_outside(&self.text[token.range()], depth);
            span.start = token.start;
        }
        if let Outside::Enclosing(open) = outside {
            span.start += open + 1;
            (self.start, self.end) = (span.start, span.start);
        }
        let word = &self.text[span.range()];
        self.following = word.chars().next();
        (!word.is_empty()).then_some(Word { span, is_aside: is_bracketed(word) })
    }
}

/// Place of the opening brackets for the closing ones of a piece of text.
enum Outside {
    /// In the piece, all of them.
    Nothing,
    /// Before it, that many of them.
    Before(usize),
    /// In the piece, all of them; another bracket opens in the piece and does not close.
    Enclosing(usize),
}

/// Returns the place of the opening brackets for a piece of text and `depth` brackets that close after it.
fn open_outside(piece: &str, depth: usize) -> Outside {
    let depth = piece.bytes().enumerate().rev().try_fold(depth, |depth, (at, byte)| match byte {
        b')' | b']' => Ok(depth + 1),
        b'(' | b'[' => depth.checked_sub(1).ok_or(at),
        _ => Ok(depth),
    });
    match depth {
        Ok(0) => Outside::Nothing,
        Ok(depth) => Outside::Before(depth),
        Err(open) => Outside::Enclosing(open),
    }
}

fn is_bracketed(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    word.starts_with(['(', '[']) && word.ends_with([')', ']']) && is_balanced(word)
}

/// Returns true if a sentence or clause ends with `word`; an initial or "U.S." is no end, nor is "spp." before a small
/// letter.
fn ends_sentence(word: &str, following: Option<char>) -> bool {
    let word = word.trim_end_matches(|letter: char| is_quote(letter) || matches!(letter, ')' | ']'));
    let Some(stem) = word.strip_suffix('.') else { return word.ends_with([';', ':', '?', '!']) };
    let last_part = stem.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_initial = last_part.chars().nth(1).is_none() && last_part.contains(char::is_alphabetic);
    !is_initial && following.is_some_and(|next| !next.is_lowercase())
}
