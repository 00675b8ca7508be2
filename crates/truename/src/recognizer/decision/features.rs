//! Features of a form: what speaks for and against its being a mention.

use truename_text::{KeyMatch, cased_letters, is_unspaced};

use super::super::spelling::{self, Capitals, Spelling, without_inner_brackets};
use super::english::{Commonness, commonness, function_word_kind};

/// Features of a form that hold wherever it stands, in the words of an explanation.
pub(super) const FORM: [&str; 21] = [
    "its length",
    "its number of words",
    "its share of digits",
    "its share of capitals",
    "its first letter",
    "a name that is a code",
    "a name that is an acronym",
    "how its form meets the name",
    "how its capitals meet those of the name",
    "how its marks meet those of the name",
    "blanks that it joins or parts",
    "how rare its rarest word is",
    "how rare its commonest word is",
    "how rare its last word is",
    "the number of concepts with the name",
    "whether the name is preferred",
    "letters that are not of English",
    "names with its rarest word",
    "names with its last word",
    "a word or capitals that are not the name's",
    "capitals that say nothing",
];

/// Features of the place of a form, in the words of an explanation.
pub(super) const PLACE: [&str; 7] = [
    "the character before it",
    "the character behind it",
    "the word before it",
    "the word behind it",
    "the length of its line",
    "an abbreviation of the document in it",
    "the share of capitals around it",
];

/// Features of a form in its document, in the words of an explanation.
pub(super) const DOCUMENT: [&str; 5] = [
    "a definition of it in the document",
    "how often the document has it",
    "other names of the concept in the document",
    "a longer name around it",
    "a shorter name within it",
];

/// Features of a form that hold wherever it stands.
pub(in crate::recognizer) type FormFeatures = [f32; FORM.len()];
/// Features of the place of a form.
pub(in crate::recognizer) type PlaceFeatures = [f32; PLACE.len()];

/// Returns the features of a piece of text that is written like a name of `concepts` concepts. `names`: the numbers of names with its rarest
/// and its last word.
pub(in crate::recognizer) fn of_form(
    piece: &str,
    name: &str,
    (spelling, meeting, capitals): (Spelling, KeyMatch, Capitals),
    is_preferred: bool,
    concepts: usize,
    names: [u32; 2],
) -> FormFeatures {
    let count = |text: &str, is_counted: fn(char) -> bool| text.chars().filter(|c| is_counted(*c)).count() as f32;
    // A character of Chinese, Japanese or Korean stands for several letters.
    let signs = (count(piece, char::is_alphanumeric) + WIDE * count(piece, is_wide)).max(1.0);
    let letters = count(piece, char::is_alphabetic).max(1.0);
    let words: Vec<f32> = piece
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().nth(1).is_some())
        .map(|word| commonness(word) as u8 as f32)
        .collect();
    let unknown = Commonness::Unknown as u8 as f32;
    let blanks = |text: &str| text.split_whitespace().count() as f32;
    let flag = f32::from;
    [
        signs,
        piece.split_whitespace().count() as f32,
        count(piece, |c| c.is_ascii_digit()) / signs,
        count(piece, char::is_uppercase) / letters,
        flag(piece.starts_with(char::is_uppercase)),
        flag(spelling::is_code(name)),
        flag(spelling::is_acronym(name)),
        meeting as u8 as f32,
        capitals_alike(piece, name),
        flag(marks(piece) == marks(name)),
        (blanks(piece) - blanks(name)).clamp(-3.0, 3.0),
        words.iter().copied().reduce(f32::max).unwrap_or(unknown),
        words.iter().copied().reduce(f32::min).unwrap_or(unknown),
        words.last().copied().unwrap_or(unknown),
        concepts as f32,
        flag(is_preferred),
        flag(piece.contains(|c: char| c.is_alphabetic() && !c.is_ascii())),
        many(names[0]),
        many(names[1]),
        spelling as u8 as f32,
        capitals as u8 as f32,
    ]
}

/// Further letters that a character of Chinese, Japanese or Korean stands for.
const WIDE: f32 = 2.0;

fn is_wide(c: char) -> bool {
    is_unspaced(c) || ('\u{AC00}'..='\u{D7A3}').contains(&c)
}

/// Returns how the letters of a piece and a name agree: 3 with capitals, 2 but for the first one, 1 without capitals, 0 not at all.
fn capitals_alike(piece: &str, name: &str) -> f32 {
    let (written, known) = (cased_letters(piece), cased_letters(name));
    let behind_first = |text: &str| text.chars().skip(1).collect::<String>();
    match () {
        () if written == known => 3.0,
        () if written.to_lowercase() != known.to_lowercase() => 0.0,
        () if behind_first(&written) == behind_first(&known) => 2.0,
        () => 1.0,
    }
}

/// Returns the marks and single blanks of a text, without the brackets of raised and lowered characters.
fn marks(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    without_inner_brackets(&words.join(" ")).chars().filter(|c| !c.is_alphanumeric()).collect()
}

/// Returns the logarithm of a number of names.
fn many(names: u32) -> f32 {
    (1.0 + names as f32).ln()
}

/// Returns the kind of the character beside a form; `None` at the end of the text.
pub(in crate::recognizer) fn beside(character: Option<char>) -> f32 {
    match character {
        None | Some('\n' | '\r' | '\t') => 0.0,
        // Words of Chinese and Japanese have no blanks between them.
        Some(c) if c.is_whitespace() || is_unspaced(c) => 1.0,
        Some('(' | '[' | ')' | ']') => 2.0,
        Some('.' | ',' | ';' | ':' | '!' | '?' | '。' | '、') => 3.0,
        Some('-' | '\u{2010}' | '\u{2011}' | '\u{2013}' | '\u{2212}') => 4.0,
        Some('/' | '+') => 5.0,
        Some('\'' | '’' | '"' | '“' | '”') => 6.0,
        Some(_) => 7.0,
    }
}

/// Returns the kind of the word beside a form; `None` where there is none in its sentence.
pub(in crate::recognizer) fn neighbour(word: Option<&str>) -> f32 {
    let Some(word) = word else { return 0.0 };
    let is_capital = word.starts_with(char::is_uppercase);
    match function_word_kind(word) {
        _ if word.starts_with(|c: char| c.is_numeric()) => 1.0,
        Some(kind) => kind as f32 + 2.0,
        None if spelling::is_common_word(word) => 8.0 + f32::from(is_capital),
        None => 10.0 + f32::from(is_capital),
    }
}
