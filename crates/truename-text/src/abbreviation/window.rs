//! The words beside a short form as letters, with the costs of aligning the short form to them.

use super::compound::{COMPOUND_BYTES, boundaries};
use super::vocabulary::{folded, is_locant, is_quote, is_stop_word, number_word};
use super::words_backwards::{Word, WordsBackwards};
use crate::Span;

/// The last words beside a short form, taken apart into letters.
pub(super) struct Window {
    words: Vec<Word>,
    letters: Vec<Letter>,
    /// For each word, and for the end, the cost of leaving out all words before it.
    skip_costs: Vec<u32>,
    pub(super) end: usize,
}

/// A letter or digit of a window.
struct Letter {
    start: usize,
    folded: char,
    /// The digit that the number word which starts here stands for.
    digit: Option<char>,
    word: usize,
    place: Place,
    is_last: bool,
}

/// Place of a letter in its word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front, or with nothing in front that is spelt: "Trimethoprim", "2,4-Dinitrophenol".
    WordStart,
    /// After a slash: "and/Or".
    AfterSlash,
    /// After a hyphen or another sign: "blood-Brain".
    PartStart,
    /// After a combining form, a digit or a change of case: "hydroCortisone", "mRna".
    Boundary,
    Inner,
}

/// Leaving out a word such as "of", a bracket between words, any other word.
///
/// Costs are relative to a letter at the start of a word, which has none, and to the budgets of a short form. Their
/// order is that of the strategies of Sohn et al. (2008): first letters; with stop words left out; with a letter inside
/// a compound; with contiguous letters; with words left out; any letter.
const SKIPPED_STOP_WORD: u32 = 1;
const SKIPPED_ASIDE: u32 = 2;
const SKIPPED_WORD: u32 = 4;

/// The next letter of the short form follows at once in the same word, or later in it.
const STEP_CONTIGUOUS: u32 = 1;
const STEP_INNER: u32 = 2;

/// The next letter is the first that is found in its word, yet stands after a hyphen there, or anywhere.
const STEP_INTO_PART: u32 = 3;
const STEP_INTO_WORD: u32 = 5;

/// A digit of the short form is not found: "nitrous oxide (N2O)".
pub(super) const LEFT_OUT_DIGIT: u32 = 4;

/// The long form starts after a slash, after a hyphen, or with a word such as "of".
const START_AFTER_SLASH: u32 = 2;
const START_AT_PART: u32 = 4;
const START_AT_STOP_WORD: u32 = 4;

/// Letters of a word that are looked at; only names of molecules have more.
const MAX_WORD_LETTERS: usize = 64;

impl Window {
    /// Takes apart the last `most` words of `side`; none where there are none.
    pub(super) fn new(text: &str, side: Span, most: usize) -> Option<Self> {
        let mut words: Vec<Word> = WordsBackwards::new(text, side).take(most).collect();
        words.reverse();
        let last = words.last_mut().filter(|last| !last.is_aside)?;
        last.span = last.span.trimmed(text, |letter| matches!(letter, ',' | ':' | ';') || is_quote(letter));
        let mut window = Self { end: last.span.end, words, letters: Vec::new(), skip_costs: vec![0] };
        for nth in 0..window.words.len() {
            window.read_word(text, nth);
        }
        Some(window)
    }

    /// Returns the number of letters.
    pub(super) fn len(&self) -> usize {
        self.letters.len()
    }

    fn read_word(&mut self, text: &str, nth: usize) {
        let Word { span, is_aside } = &mut self.words[nth];
        *span = span.trimmed(text, is_quote);
        let word = &text[span.range()];
        let cost = match is_aside {
            true => SKIPPED_ASIDE,
            false if is_stop_word(word) => SKIPPED_STOP_WORD,
            false => SKIPPED_WORD,
        };
        self.skip_costs.push(self.skip_costs[nth] + cost);
        if !*is_aside {
            self.read_letters(word, nth);
        }
    }

    fn read_letters(&mut self, word: &str, nth: usize) {
        let boundaries = boundaries(word);
        let mut before = None;
        let letters = word.char_indices().filter(|(_, letter)| letter.is_alphanumeric());
        for (at, letter) in letters.take(MAX_WORD_LETTERS) {
            let place = place(word, at, boundaries);
            let starts_part = !matches!(place, Place::Inner | Place::Boundary);
            let digit = if starts_part { number_word(&word[at..]) } else { None };
            let start = self.words[nth].span.start + at;
            before = Some(self.letters.len());
            self.letters.push(Letter { start, folded: folded(letter), digit, word: nth, place, is_last: false });
        }
        if let Some(last) = before {
            self.letters[last].is_last = true;
        }
    }

    /// Returns the letters that may stand for one of a short form.
    pub(super) fn places(&self, wanted: char) -> impl Iterator<Item = usize> {
        let letters = self.letters.iter().enumerate();
        letters.filter(move |(_, here)| here.folded == wanted || here.digit == Some(wanted)).map(|(at, _)| at)
    }

    /// Returns the cost of leaving out the words from `start` up to `end`.
    fn skip_cost(&self, start: usize, end: usize) -> u32 {
        self.skip_costs[end] - self.skip_costs[start]
    }

    /// Returns the cost of going from a letter of the short form to the next one, or to the end of the window.
    pub(super) fn step_cost(&self, from: usize, to: usize, is_plural: bool) -> u32 {
        let from_word = self.letters[from].word;
        let Some(letter) = self.letters.get(to) else {
            return self.skip_cost(from_word + 1, self.words.len());
        };
        if from_word == letter.word {
            let is_plural_ending = is_plural && letter.is_last && letter.word + 1 == self.words.len();
            return match letter.place {
                Place::Inner if is_plural_ending => 0,
                Place::Inner if to == from + 1 => STEP_CONTIGUOUS,
                Place::Inner => STEP_INNER,
                _ => 0,
            };
        }
        let entry = match letter.place {
            Place::WordStart => 0,
            Place::PartStart | Place::AfterSlash => STEP_INTO_PART,
            Place::Boundary | Place::Inner => STEP_INTO_WORD,
        };
        self.skip_cost(from_word + 1, letter.word) + entry
    }

    /// Returns the cost of a long form whose first letter is this one; none where it cannot be.
    pub(super) fn start_cost(&self, at: usize) -> Option<u32> {
        let Letter { word, place, .. } = self.letters[at];
        let is_stop_word = self.skip_cost(word, word + 1) == SKIPPED_STOP_WORD;
        match place {
            Place::WordStart if is_stop_word => Some(START_AT_STOP_WORD),
            Place::WordStart => Some(0),
            Place::AfterSlash => Some(START_AFTER_SLASH),
            Place::PartStart => Some(START_AT_PART),
            Place::Boundary | Place::Inner => None,
        }
    }

    /// Returns the start of the long form: of the whole word, except for text before a slash.
    pub(super) fn long_form_start(&self, at: usize) -> usize {
        let letter = &self.letters[at];
        if letter.place == Place::AfterSlash { letter.start } else { self.words[letter.word].span.start }
    }
}

/// Returns the place of the letter at `at` in its word.
fn place(word: &str, at: usize, boundaries: u64) -> Place {
    let letter = word[at..].chars().next().unwrap_or_default();
    match word[..at].chars().next_back() {
        Some(before) if before.is_alphanumeric() => {
            let is_new_kind = before.is_numeric() != letter.is_numeric();
            let is_new_case = before.is_lowercase() && letter.is_uppercase();
            let is_boundary = is_new_kind || is_new_case || at < COMPOUND_BYTES && boundaries & (1 << at) != 0;
            if is_boundary { Place::Boundary } else { Place::Inner }
        }
        _ if word[..at].split(|sign: char| !sign.is_alphanumeric()).all(is_locant) => Place::WordStart,
        Some('/') => Place::AfterSlash,
        _ => Place::PartStart,
    }
}
