//! Scores of assertions: what texts say of their mentions.
//!
//! [`read_assertions`] reads sentences with a concept each, as the corpus of NegEx and ConText has them (Harkema et al. 2009);
//! [`AssertionScores`] compare what rules say of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Serialize;
use truename_read::{Source, TableOptions};
use truename_text::{Assertion, AssertionRules, Assertions, Span};

use crate::Error;
use crate::linked::PrecisionRecall;
use crate::table::{FileKind, Rows};
use truename_error::counted;

const KIND: FileKind = FileKind {
    nothing: Some("no sentence with a concept"),
    hint: || {
        "a table with the columns sentence and concept, and with negation, temporality and experiencer, or with assertions".into()
    },
};

/// A sentence with what it says of one mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoldAssertions {
    /// The sentence.
    pub sentence: String,
    /// Place of the mention; none where the sentence does not have the concept.
    pub span: Option<Span>,
    /// Assertions that annotators gave the mention.
    pub assertions: Assertions,
}

/// Precision, recall and F1 of each assertion that the gold has.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AssertionScores {
    /// Number of sentences that were judged.
    pub sentences: usize,
    /// Number of sentences that do not have their concept, which are left out.
    pub left_out: usize,
    /// Scores by the name of the assertion.
    pub assertions: BTreeMap<&'static str, PrecisionRecall>,
}

/// Reads a table with the columns `sentence` and `concept`, and with `negation` (`negated`, `possible`, else affirmed), `temporality`
/// (`historical`, `hypothetical` or `not particular`, else recent) and `experiencer` (`patient`, else another), or with `assertions`,
/// between commas. A concept in capitals in its sentence is read as its column has it.
///
/// # Errors
/// If the file cannot be read, lacks a column or has an unknown assertion.
pub fn read_assertions(path: &Path) -> Result<Vec<GoldAssertions>, Error> {
    KIND.read_utf8(path, of_source)
}

fn of_source(source: Source) -> Result<Vec<GoldAssertions>, Error> {
    let options = TableOptions { wanted: &[&["sentence"], &["concept"]], ..TableOptions::default() };
    let rows = Rows::open(source, &options, &KIND)?;
    let (sentence, concept) = (rows.column("sentence")?, rows.column("concept")?);
    let columns = ["assertions", "negation", "temporality", "experiencer"].map(|name| rows.column(name).ok());
    rows.read(|row| {
        let cell = |column: Option<usize>| column.and_then(|at| row.get(at)).unwrap_or_default().trim().to_lowercase();
        let [said, negation, temporality, experiencer] = columns.map(cell);
        let mut assertions: Assertions = said.parse()?;
        let of_columns = [
            (negation == "negated", Assertion::Negated),
            (matches!(&*negation, "possible" | "uncertain"), Assertion::Uncertain),
            (temporality == "historical", Assertion::Historical),
            (matches!(&*temporality, "hypothetical" | "not particular"), Assertion::Hypothetical),
            (!matches!(&*experiencer, "" | "patient"), Assertion::Family),
        ];
        of_columns.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, assertion)| assertions.insert(assertion));
        let text = |at| row.get(at).filter(|text| !text.trim().is_empty());
        let sentence = text(sentence).ok_or("a row without a sentence")?;
        let concept = text(concept).ok_or("a row without a concept")?.trim();
        let span = place(sentence, concept);
        let sentence = match span {
            Some(Span { start, end }) => format!("{}{concept}{}", &sentence[..start], &sentence[end..]),
            None => sentence.to_owned(),
        };
        Ok(GoldAssertions { sentence, span, assertions })
    })
}

/// Returns the first place of a concept, in capitals or not.
fn place(sentence: &str, concept: &str) -> Option<Span> {
    let capitals = sentence.find(&concept.to_uppercase()).filter(|_| concept.is_ascii());
    let is_at = |at: &usize| {
        let piece = sentence.get(*at..*at + concept.len());
        piece.is_some_and(|piece| piece.eq_ignore_ascii_case(concept))
    };
    let start = capitals.or_else(|| (0..sentence.len()).find(is_at))?;
    Some(Span::new(start, start + concept.len()))
}

impl AssertionScores {
    /// Compares what rules say of mentions with what annotators say.
    pub fn of(rules: &AssertionRules, gold: &[GoldAssertions]) -> Self {
        let judged: Vec<(Assertions, Assertions)> = gold
            .iter()
            .filter_map(|GoldAssertions { sentence, span, assertions }| {
                let found = rules.of_passage(sentence, Span::new(0, sentence.len()), &[(*span)?]);
                Some((found[0], *assertions))
            })
            .collect();
        let score = |assertion: Assertion| {
            let count = |is: &dyn Fn(bool, bool) -> bool| {
                let both = judged.iter().map(|(found, gold)| (found.contains(assertion), gold.contains(assertion)));
                both.filter(|(found, gold)| is(*found, *gold)).count()
            };
            let right = count(&|found, gold| found && gold);
            PrecisionRecall::new(right, count(&|found, _| found), count(&|_, gold| gold))
        };
        let scored = Assertion::ALL.into_iter().map(|assertion| (assertion.as_str(), score(assertion)));
        Self {
            sentences: judged.len(),
            left_out: gold.len() - judged.len(),
            assertions: scored.filter(|(_, scores)| scores.gold > 0).collect(),
        }
    }
}

impl fmt::Display for AssertionScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", counted(self.sentences as u64, "sentence"))?;
        if self.left_out > 0 {
            write!(f, ", {} left out, for they do not have their concept", self.left_out)?;
        }
        write!(f, "\n{:<14}{:>9} {:>9} {:>9} {:>6} {:>6}", "in %", "precision", "recall", "F1", "gold", "found")?;
        for (name, PrecisionRecall { precision, recall, f1, gold, found }) in &self.assertions {
            let [precision, recall, f1] = [precision, recall, f1].map(|share| 100.0 * share);
            write!(f, "\n{name:<14}{precision:>9.2} {recall:>9.2} {f1:>9.2} {gold:>6} {found:>6}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<GoldAssertions>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.tsv");
        std::fs::write(&path, text).unwrap();
        read_assertions(&path)
    }

    #[test]
    fn columns_of_the_corpus_and_names_of_assertions_are_read() {
        let gold = read(
            "concept\tsentence\tnegation\ttemporality\texperiencer\n\
             fever\tNo FEVER here.\tNegated\tRecent\tPatient\n\
             cough\tA cough.\tPossible\tNot particular\tFamily member\n\
             rash\tNothing.\tAffirmed\tHistorical\tPatient\n",
        )
        .unwrap();
        let said: Vec<_> = gold.iter().map(|one| one.assertions.to_string()).collect();
        assert_eq!(said, ["negated", "hypothetical,family,uncertain", "historical"]);
        assert_eq!((gold[0].sentence.as_str(), gold[0].span), ("No fever here.", Some(Span::new(3, 8))));
        assert_eq!(gold[2].span, None);
        let named = read("sentence\tconcept\tassertions\nNo fever\tfever\tnegated, historical\n").unwrap();
        assert_eq!(named[0].assertions.to_string(), "negated,historical");
        let error = read("sentence\tconcept\tassertions\nNo fever\tfever\tdenied\n").unwrap_err().to_string();
        assert!(
            error.ends_with(
                ":2: \"denied\" is no assertion; they are negated, hypothetical, historical, family, uncertain"
            ),
            "{error}"
        );
    }

    #[test]
    fn right_found_and_gold_are_counted() {
        let gold = read(
            "concept\tsentence\tnegation\nfever\tNo FEVER here.\tNegated\ncough\tNo COUGH\tAffirmed\npain\tPAIN\tNegated\nx\ty\tNegated\n",
        )
        .unwrap();
        let scores = AssertionScores::of(&AssertionRules::english(), &gold);
        assert_eq!((scores.sentences, scores.left_out), (3, 1));
        assert_eq!(scores.assertions["negated"], PrecisionRecall::new(1, 2, 2));
        assert_eq!(
            scores.to_string(),
            "3 sentences, 1 left out, for they do not have their concept\n\
             in %          precision    recall        F1   gold  found\n\
             negated           50.00     50.00     50.00      2      2"
        );
    }
}
