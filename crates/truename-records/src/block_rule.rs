//! Rules of blocking: records with equal keys are compared.

use std::fmt;
use std::str::FromStr;

use truename_error::ErrorKind;
use truename_read::{folded, quoted};
use truename_text::NormalizedName;

use super::Record;
use crate::Error;
use crate::missing::is_missing;

/// Digits of Soundex by letter, from `a`; 0 for vowels, which part equal digits, and 9 for `h` and `w`, which do not.
const SOUNDEX: &[u8; 26] = b"01230129022455012623019202";
/// Letters of a Soundex code.
const SOUNDEX_LETTERS: usize = 4;

/// A rule of blocking such as `postcode + soundex(last)`: records whose keys are equal are compared. A record that lacks a value has no
/// key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRule {
    text: String,
    terms: Vec<Term>,
}

/// A part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// Folded name of the column.
    column: String,
    function: Function,
}

/// Part of the normal form without spaces that is the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Whole,
    /// The first letters.
    Prefix(usize),
    /// The American Soundex code of its last word.
    Soundex,
}

impl FromStr for BlockRule {
    type Err = Error;

    /// Reads terms with `+` between them: `COLUMN`, `prefix(COLUMN, LETTERS)` or `soundex(COLUMN)`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = |reason: String| {
            let hint =
                "a rule is written `postcode + soundex(last)`, of columns, prefix(COLUMN, LETTERS) and soundex(COLUMN)";
            Error::new(ErrorKind::Choice, format!("no rule of blocking {}: {reason}", quoted(text))).with_hint(hint)
        };
        let terms = text.split('+').map(term).collect::<Result<_, _>>().map_err(refused)?;
        Ok(Self { text: text.to_owned(), terms })
    }
}

fn term(text: &str) -> Result<Term, String> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else {
        return match text {
            "" => Err("a column is missing".into()),
            column => Ok(Term { column: folded(column), function: Function::Whole }),
        };
    };
    let inner = rest.strip_suffix(')').ok_or_else(|| format!("{} has no closing bracket", quoted(text)))?;
    let (column, letters) = inner.split_once(',').map_or((inner, None), |(column, rest)| (column, Some(rest.trim())));
    let function = match (name.trim(), letters) {
        ("soundex", None) => Function::Soundex,
        ("prefix", Some(letters)) => match letters.parse() {
            Ok(letters) if letters > 0 => Function::Prefix(letters),
            _ => return Err(format!("{} is no number of letters", quoted(letters))),
        },
        _ => return Err(format!("{} is neither soundex(COLUMN) nor prefix(COLUMN, LETTERS)", quoted(text))),
    };
    match column.trim() {
        "" => Err("a column is missing".into()),
        column => Ok(Term { column: folded(column), function }),
    }
}

impl BlockRule {
    /// Returns the folded names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| term.column.as_str())
    }

    /// Returns true if the rule compares two records.
    pub fn joins(&self, left: &Record, right: &Record) -> bool {
        self.key(left).is_some_and(|key| self.key(right) == Some(key))
    }

    /// Returns the key of a record; none if it lacks a value.
    pub fn key(&self, record: &Record) -> Option<String> {
        let parts: Option<Vec<String>> = self.terms.iter().map(|term| term.of(record)).collect();
        parts.map(|parts| parts.join("\t"))
    }
}

impl fmt::Display for BlockRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Term {
    fn of(&self, record: &Record) -> Option<String> {
        let mut values = record.folded_fields().filter(|(name, _)| *name == self.column).map(|(_, value)| value);
        let value = values.find(|value| !is_missing(value))?;
        let normalized = NormalizedName::new(value);
        let part = match self.function {
            Function::Whole => normalized.squeezed(),
            Function::Prefix(letters) => normalized.squeezed().chars().take(letters).collect(),
            Function::Soundex => soundex(normalized.tokens().next_back()?),
        };
        (!part.is_empty()).then_some(part)
    }
}

/// Returns the American Soundex code of a word in lower case; the word itself if it does not begin with a letter of ASCII.
fn soundex(word: &str) -> String {
    let digit = |letter: u8| SOUNDEX[usize::from(letter - b'a')];
    let letters: Vec<u8> = word.bytes().filter(u8::is_ascii_lowercase).collect();
    if !word.starts_with(|first: char| first.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let (mut code, mut last) = (vec![letters[0]], digit(letters[0]));
    for letter in &letters[1..] {
        let digit = digit(*letter);
        if digit != b'9' {
            if digit != b'0' && digit != last {
                code.push(digit);
            }
            last = digit;
        }
    }
    code.resize(SOUNDEX_LETTERS, b'0');
    code.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(values: [&str; 3]) -> Record {
        let columns = ["Postcode".to_owned(), "last".to_owned(), "title".to_owned()].into();
        Record::new(&columns, values.map(str::to_owned).to_vec())
    }

    #[test]
    fn words_that_sound_alike_have_one_code() {
        // The examples of the National Archives of the United States.
        let codes =
            [("robert", "r163"), ("rupert", "r163"), ("rubin", "r150"), ("ashcraft", "a261"), ("tymczak", "t522")];
        for (word, code) in codes.into_iter().chain([("pfister", "p236"), ("lee", "l000"), ("honeyman", "h555")]) {
            assert_eq!(soundex(word), code, "{word}");
        }
        assert_eq!(soundex("山田"), "山田");
    }

    #[test]
    fn rules_are_read_and_join_records() {
        let joins = |rule: &str, left, right| rule.parse::<BlockRule>().unwrap().joins(&record(left), &record(right));
        let (one, other) = (["04511", "de Smith", "Rules of sets"], ["04511", "Smyth", "rules for sets"]);
        assert!(joins("postcode + soundex(LAST)", one, other) && !joins("postcode + last", one, other));
        assert!(joins(" prefix( title , 5 )", one, other) && !joins("prefix(title, 8)", one, other));
        assert!(
            !joins("postcode", ["", "a", "b"], ["", "a", "b"]) && !joins("postcode", ["n/a", "", ""], ["n/a", "", ""])
        );
        for (text, reason) in [
            ("", "a column is missing"),
            ("a + ", "a column is missing"),
            ("soundex(a", "\"soundex(a\" has no closing bracket"),
            ("sound(a)", "\"sound(a)\" is neither"),
            ("prefix(a, x)", "\"x\" is no number of letters"),
            ("prefix(a, 0)", "\"0\" is no number of letters"),
        ] {
            let error = text.parse::<BlockRule>().unwrap_err();
            assert!(error.to_string().contains(reason) && error.hint().is_some(), "{error}");
        }
    }
}
