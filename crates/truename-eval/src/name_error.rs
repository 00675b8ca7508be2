//! Wrong answers to names, sorted by what the name and the right concept's names have in common.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use truename_text::similarity::{acronym_fit, is_misspelt};
use truename_text::{NameProfile, Token};

use crate::JudgedName;

/// Fewest letters of a misspelt word: another letter makes another word of a shorter one.
const MIN_MISSPELT: usize = 4;
/// Number of answers shown.
const ANSWERS: usize = 5;

/// Errors of a linker, in the kinds of the error analysis of CoSiNES (section 5.5, table 2).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NameErrors {
    /// Number of wrong answers by kind.
    pub kinds: BTreeMap<NameErrorKind, usize>,
    /// The wrong answers, each name once with its frequency, the commonest first.
    pub errors: Vec<NameError>,
}

/// A name with a wrong first answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NameError {
    /// The kind of error.
    pub kind: NameErrorKind,
    /// The name.
    pub name: String,
    /// Preferred names of the right concepts; empty if NIL is right.
    pub gold: Vec<String>,
    /// Preferred names of the first answers.
    pub answers: Vec<String>,
    /// True if the system answered NIL.
    pub nil: bool,
    /// Number of times that the name was asked for.
    pub count: usize,
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NameErrorKind {
    /// A word of the name is a misspelt word of a right name: `Andriod` for `Android`.
    Misspelling,
    /// One is an acronym of the other: `IIB` for `IBM Integration Bus`.
    Acronym,
    /// The name shares words with a right name, and so with names of other concepts: `MQ 9.1` for `IBM WebSphere MQ`.
    SeveralConcepts,
    /// The name shares no word with a right name: `AS400` for `IBM Power Systems`.
    NoSharedWord,
    /// The name has no concept, and was given one.
    NoConcept,
    /// The knowledge base has no right concept.
    UnknownConcept,
}

impl NameErrorKind {
    /// Returns the kind in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Misspelling => "misspelling",
            Self::Acronym => "acronym",
            Self::SeveralConcepts => "several concepts",
            Self::NoSharedWord => "no shared word",
            Self::NoConcept => "no concept",
            Self::UnknownConcept => "unknown concept",
        }
    }

    /// Returns the kind of a wrong answer, given all names of the right concepts.
    fn of(name: &str, gold: &[&str]) -> Self {
        if gold.is_empty() {
            return Self::UnknownConcept;
        }
        let asked = NameProfile::new(name);
        let squeezed = asked.normalized.squeezed();
        let gold: Vec<NameProfile> = gold.iter().map(|name| NameProfile::new(name)).collect();
        // Held-out names are compared with the others; a name that the right concept does have is one of several concepts'.
        let others: Vec<&NameProfile> = gold.iter().filter(|gold| gold.normalized.squeezed() != squeezed).collect();
        if others.is_empty() {
            return Self::SeveralConcepts;
        }
        let is_any = |fits: &dyn Fn(&NameProfile) -> bool| others.iter().any(|gold| fits(gold));
        if is_any(&|gold| has_misspelling(&asked, gold)) {
            Self::Misspelling
        } else if is_any(&|gold| is_acronym(&asked, gold) || is_acronym(gold, &asked)) {
            Self::Acronym
        } else if is_any(&|gold| asked.tokens.iter().any(|token| has(gold, token))) {
            Self::SeveralConcepts
        } else {
            Self::NoSharedWord
        }
    }
}

fn has(name: &NameProfile, token: &Token) -> bool {
    name.tokens.iter().any(|other| other.hash == token.hash)
}

fn has_misspelling(asked: &NameProfile, gold: &NameProfile) -> bool {
    let is_word =
        |token: &Token| token.letters.len() >= MIN_MISSPELT && !token.letters.iter().any(char::is_ascii_digit);
    let is_misspelt = |token: &Token| {
        let mut unshared = gold.tokens.iter().filter(|other| is_word(other) && !has(asked, other));
        unshared.any(|other| is_misspelt(token, other))
    };
    asked.tokens.iter().any(|token| is_word(token) && !has(gold, token) && is_misspelt(token))
}

fn is_acronym(short: &NameProfile, long: &NameProfile) -> bool {
    short.looks_like_acronym() && acronym_fit(short, long) > 0.0
}

impl NameErrors {
    /// Collects the wrong answers. `names` returns the names of a concept, the preferred one first.
    ///
    /// # Errors
    /// The errors of `names`.
    pub fn of<E>(judged: &[JudgedName], names: impl Fn(&str) -> Result<Vec<String>, E>) -> Result<Self, E> {
        let mut found = Self::default();
        let mut places: HashMap<(&str, &[String]), usize> = HashMap::new();
        for one in judged.iter().filter(|one| !one.is_right_at(1)) {
            let place = match places.get(&(one.name.as_str(), one.gold.as_slice())) {
                Some(place) => *place,
                None => {
                    found.errors.push(NameError::of(one, &names)?);
                    places.insert((&one.name, &one.gold), found.errors.len() - 1);
                    found.errors.len() - 1
                }
            };
            found.errors[place].count += 1;
            *found.kinds.entry(found.errors[place].kind).or_default() += 1;
        }
        found.errors.sort_by_key(|error| Reverse(error.count));
        Ok(found)
    }
}

impl NameError {
    /// Returns the error with a count of 0.
    fn of<E>(judged: &JudgedName, names: impl Fn(&str) -> Result<Vec<String>, E>) -> Result<Self, E> {
        let gold: Vec<Vec<String>> = judged.gold.iter().map(|id| names(id)).collect::<Result<_, E>>()?;
        let first = |id: &str, names: &[String]| names.first().map_or_else(|| id.to_owned(), String::clone);
        let all: Vec<&str> = gold.iter().flatten().map(String::as_str).collect();
        let kind =
            if judged.gold.is_empty() { NameErrorKind::NoConcept } else { NameErrorKind::of(&judged.name, &all) };
        let answers = judged.answers.iter().take(ANSWERS);
        let answers = answers.map(|answer| Ok(first(&answer.id, &names(&answer.id)?))).collect::<Result<_, E>>()?;
        Ok(Self {
            kind,
            name: judged.name.clone(),
            gold: judged.gold.iter().zip(&gold).map(|(id, names)| first(id, names)).collect(),
            answers,
            nil: judged.nil,
            count: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::Answer;

    #[test]
    fn errors_have_the_kinds_of_the_paper() {
        let cases = [
            ("Andriod", "Android", NameErrorKind::Misspelling),
            ("Visusal Basic", "Visual Basic", NameErrorKind::Misspelling),
            ("NES", "Netscape Enterprise Server", NameErrorKind::Acronym),
            ("IIB", "IBM Integration Bus", NameErrorKind::Acronym),
            ("IBM Integration Bus", "IIB", NameErrorKind::Acronym),
            ("Cordova Android", "Apache Cordova", NameErrorKind::SeveralConcepts),
            ("MQ 9.1", "IBM WebSphere MQ", NameErrorKind::SeveralConcepts),
            ("Open Liberty", "WebSphere Liberty", NameErrorKind::SeveralConcepts),
            ("AS400", "IBM Power Systems", NameErrorKind::NoSharedWord),
            ("EAP", "JBoss", NameErrorKind::NoSharedWord),
            // A name that the right concept has, as others have it.
            ("p53", "P-53", NameErrorKind::SeveralConcepts),
        ];
        for (name, gold, kind) in cases {
            assert_eq!(NameErrorKind::of(name, &[gold]), kind, "{name}");
        }
        assert_eq!(NameErrorKind::of("p53", &[]), NameErrorKind::UnknownConcept);
    }

    #[test]
    fn wrong_answers_are_counted_with_their_names() {
        let answer = |id: &str| Answer { id: id.into(), probability: 0.5 };
        let judged = [
            JudgedName::new("Andriod", &["A"], vec![answer("B"), answer("A")], false),
            JudgedName::new("right", &["A"], vec![answer("A")], false),
            JudgedName::new("EAP", &["B"], vec![answer("B")], true),
            JudgedName::new("a cat", &[], vec![answer("B")], false),
            JudgedName::new("EAP", &["B"], vec![answer("B")], true),
        ];
        let names = |id: &str| {
            let names: &[&str] = if id == "A" { &["Android", "Android OS"] } else { &["JBoss"] };
            Ok::<_, Infallible>(names.iter().map(|name| (*name).to_owned()).collect())
        };
        let errors = NameErrors::of(&judged, names).unwrap();
        let kinds = [(NameErrorKind::Misspelling, 1), (NameErrorKind::NoSharedWord, 2), (NameErrorKind::NoConcept, 1)];
        assert_eq!(errors.kinds, BTreeMap::from(kinds));
        let shown: Vec<_> = errors.errors.iter().map(|error| (error.name.as_str(), error.count, error.nil)).collect();
        assert_eq!(shown, [("EAP", 2, true), ("Andriod", 1, false), ("a cat", 1, false)]);
        assert_eq!((&errors.errors[1].gold[0], &errors.errors[1].answers[0]), (&"Android".into(), &"JBoss".into()));
    }
}
