//! Scores of lexical simplification: substitutes of words in sentences against those that people gave.
//!
//! Read in this order: [`read_gold`] reads sentences with a [`GoldWord`] each; a [`JudgedWord`] has the substitutes of a system
//! beside those of the annotators; [`SubstituteScores`] are the scores of many.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::Serialize;
use truename::Progress;
use truename_read::{Source, SourceOptions};
use truename_substitutes::Simplifier;
use truename_text::Span;

use crate::Error;
use crate::linked::PrecisionRecall;
use crate::pairs::share;
use crate::table::FileKind;
use truename_error::counted;

const KIND: FileKind = FileKind {
    nothing: Some("no sentence with a word and substitutes"),
    hint: || {
        "one sentence a line, as LexMTurk (a header; sentence, word, substitutes) or BenchLS (sentence, word, position, \
           rank:substitute) has them, separated by tabs".into()
    },
};

/// A word of a sentence with the substitutes that annotators gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoldWord {
    /// The sentence.
    pub sentence: String,
    /// Place of the word in the sentence.
    pub span: Span,
    /// The substitutes, each once, in the order of the file.
    pub substitutes: Vec<String>,
}

impl GoldWord {
    /// The word.
    pub fn word(&self) -> &str {
        &self.sentence[self.span.range()]
    }
}

/// A word with the substitutes of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedWord {
    /// The word.
    pub word: String,
    /// The substitutes of the annotators.
    pub gold: Vec<String>,
    /// The substitutes that the system generated.
    pub candidates: Vec<String>,
    /// The word that stands in the simplified sentence; the word itself where the system keeps it.
    pub answer: String,
}

/// Scores of substitutes, as LSBert counts them (Qiang et al. 2020, section 4; PICSO, table 5). Words are compared without regard to
/// capitals.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SubstituteScores {
    /// Number of words.
    pub words: usize,
    /// Share of all candidates that are gold substitutes.
    pub precision: f64,
    /// Share of all gold substitutes that are candidates.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Share of words with a candidate that is a gold substitute.
    pub potential: f64,
    /// Share of words that are replaced by a gold substitute: the accuracy of the full system.
    pub accuracy: f64,
    /// Share of words that are replaced by a gold substitute or kept: the precision of the full system.
    pub system_precision: f64,
    /// Share of words that are replaced.
    pub changed: f64,
}

impl JudgedWord {
    /// Simplifies the words of gold in their sentences.
    ///
    /// # Errors
    /// If a model fails, or the work is stopped.
    pub fn simplified(simplifier: &Simplifier, gold: &[GoldWord], progress: &Progress) -> Result<Vec<Self>, Error> {
        progress.begin("simplifying", gold.len() as u64);
        let mut judged = Vec::with_capacity(gold.len());
        for one in gold {
            progress.check()?;
            let found = simplifier.simplify(&one.sentence, &[one.span])?;
            judged.extend(found.into_iter().map(|found| Self {
                word: one.word().to_owned(),
                gold: one.substitutes.clone(),
                candidates: found.substitutes.into_iter().map(|one| one.word).collect(),
                answer: found.replacement.unwrap_or(found.word),
            }));
            progress.advance(1);
        }
        Ok(judged)
    }
}

impl SubstituteScores {
    /// Returns the scores of words.
    pub fn of(judged: &[JudgedWord]) -> Self {
        let [mut common, mut candidates, mut gold, mut potential] = [0; 4];
        let [mut right, mut kept] = [0; 2];
        for word in judged {
            let right_ones = distinct(&word.gold);
            let found = distinct(&word.candidates);
            let both = found.intersection(&right_ones).count();
            (common, candidates, gold) = (common + both, candidates + found.len(), gold + right_ones.len());
            potential += usize::from(both > 0);
            let answer = word.answer.to_lowercase();
            if answer == word.word.to_lowercase() {
                kept += 1;
            } else {
                right += usize::from(right_ones.contains(&answer));
            }
        }
        let PrecisionRecall { precision, recall, f1, .. } = PrecisionRecall::new(common, candidates, gold);
        let words = judged.len();
        Self {
            words,
            precision,
            recall,
            f1,
            potential: share(potential, words),
            accuracy: share(right, words),
            system_precision: share(right + kept, words),
            changed: share(words - kept, words),
        }
    }
}

impl fmt::Display for SubstituteScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        writeln!(f, "{}", counted(self.words as u64, "word"))?;
        writeln!(
            f,
            "candidates: precision {}, recall {}, F1 {}, a right one for {}",
            percent(self.precision),
            percent(self.recall),
            percent(self.f1),
            percent(self.potential)
        )?;
        write!(
            f,
            "simplified: accuracy {}, precision {}, changed {}",
            percent(self.accuracy),
            percent(self.system_precision),
            percent(self.changed)
        )
    }
}

fn distinct(words: &[String]) -> BTreeSet<String> {
    words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty()).collect()
}

/// Reads sentences with a word each and its substitutes, in one of two forms, one sentence a line:
///
/// - LexMTurk's: a header, then `sentence TAB word TAB substitute TAB …`; the word is its first occurrence in the sentence.
/// - BenchLS's and NNSeval's: `sentence TAB word TAB position TAB rank:substitute TAB …`, without a header; the position counts the
///   sentence's words between spaces from 0.
///
/// # Errors
/// If a file cannot be read, or has a line without a word or a substitute, or whose word is not in its sentence.
pub fn read_gold(path: &Path, options: &SourceOptions) -> Result<Vec<GoldWord>, Error> {
    KIND.read(path, options, of_source)
}

fn of_source(source: Source) -> Result<Vec<GoldWord>, Error> {
    KIND.lines(source, |number, line| {
        let mut cells = line.split('\t').map(str::trim);
        let (sentence, word) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
        let ranked = cells.get(1..).unwrap_or_default();
        let has_ranks = !ranked.is_empty() && ranked.iter().all(|cell| rank(cell).is_some());
        let unranked = ranked.iter().find(|cell| rank(cell).is_none());
        let of_some = ranked.iter().any(|cell| rank(cell).is_some()) && cells[0].parse::<usize>().is_ok();
        if let Some(cell) = unranked.filter(|_| of_some) {
            return Err(format!("\"{cell}\" has no rank, as in 1:word, which others of the line have"));
        }
        let position = cells.first().and_then(|cell| cell.parse::<usize>().ok()).filter(|_| has_ranks);
        if number == 1 && position.is_none() && place(sentence, word, None).is_none() {
            return Ok(None);
        }
        if word.is_empty() || cells.is_empty() || position.is_some() && cells.len() < 2 {
            return Err("expected a sentence, a word and its substitutes, separated by tabs".into());
        }
        let span =
            place(sentence, word, position).ok_or_else(|| format!("the word \"{word}\" is not in its sentence"))?;
        let found = match position {
            Some(_) => ranked.iter().filter_map(|cell| rank(cell)).collect(),
            None => cells,
        };
        let mut substitutes: Vec<String> = Vec::new();
        for one in found {
            if !substitutes.iter().any(|known| known == one) {
                substitutes.push(one.to_owned());
            }
        }
        Ok(Some(GoldWord { sentence: sentence.to_owned(), span, substitutes }))
    })
}

/// Returns the substitute of a cell `rank:substitute`.
fn rank(cell: &str) -> Option<&str> {
    let (rank, word) = cell.split_once(':')?;
    (rank.trim().parse::<u32>().is_ok() && !word.trim().is_empty()).then(|| word.trim())
}

/// Returns the place of a word: the token at a position where that is the word, or the first occurrence as a whole word, capitals
/// counted before they are ignored.
fn place(sentence: &str, word: &str, position: Option<usize>) -> Option<Span> {
    if word.is_empty() {
        return None;
    }
    let is_word = |span: &Span| span.of(sentence).is_some_and(|piece| piece.to_lowercase() == word.to_lowercase());
    if let Some(span) = position.and_then(|position| tokens(sentence).nth(position)).filter(is_word) {
        return Some(span);
    }
    let whole = |at: usize| {
        let span = Span::new(at, at + word.len());
        let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        let ends = is_end(sentence[..span.start].chars().next_back()) && is_end(sentence[span.end..].chars().next());
        ends.then_some(span)
    };
    let exact = sentence.match_indices(word).find_map(|(at, _)| whole(at));
    let starts = sentence.char_indices().map(|(at, _)| at);
    let similar = |at: usize| sentence.get(at..at + word.len()).filter(|_| is_word(&Span::new(at, at + word.len())));
    exact.or_else(|| starts.filter(|at| similar(*at).is_some()).find_map(whole))
}

/// The pieces between spaces.
fn tokens(sentence: &str) -> impl Iterator<Item = Span> + '_ {
    sentence.split(' ').filter(|token| !token.is_empty()).map(|token| {
        let start = token.as_ptr().addr() - sentence.as_ptr().addr();
        Span::new(start, start + token.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(word: &str, gold: &[&str], candidates: &[&str], answer: &str) -> JudgedWord {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        JudgedWord { word: word.into(), gold: owned(gold), candidates: owned(candidates), answer: answer.into() }
    }

    #[test]
    fn candidates_are_counted_over_all_words_and_answers_by_word() {
        let scores = SubstituteScores::of(&[
            // 2 of 4 candidates are right, of 3 gold substitutes; the answer is right.
            judged("pieces", &["parts", "bits", "items"], &["parts", "bits", "sections", "lots"], "parts"),
            // 1 of 2, of 2; the answer is wrong.
            judged("Diverted", &["Turned", "moved"], &["turned", "led"], "led"),
            // None of 1, of 1; the word is kept.
            judged("imminent", &["coming"], &["possible"], "imminent"),
            // No candidate, of 2.
            judged("arid", &["dry", "barren"], &[], "arid"),
        ]);
        assert_eq!(scores.words, 4);
        assert!((scores.precision - 3.0 / 7.0).abs() < 1e-12);
        assert!((scores.recall - 3.0 / 8.0).abs() < 1e-12);
        assert!((scores.f1 - 0.4).abs() < 1e-12, "2 · 3/7 · 3/8 / (3/7 + 3/8) = 2 · 3 / (7 + 8)");
        assert_eq!((scores.potential, scores.accuracy), (0.5, 0.25));
        assert_eq!((scores.system_precision, scores.changed), (0.75, 0.5));
        let shown = scores.to_string();
        assert!(shown.starts_with("4 words\ncandidates: precision 42.86 %, recall 37.50 %, F1 40.00 %"), "{shown}");
    }

    #[test]
    fn without_words_or_right_candidates_the_scores_are_0() {
        assert_eq!(SubstituteScores::of(&[]), SubstituteScores::default());
        let scores = SubstituteScores::of(&[judged("a", &["b"], &["c"], "c")]);
        assert_eq!((scores.f1, scores.accuracy, scores.changed), (0.0, 0.0, 1.0));
    }

    #[test]
    fn a_substitute_counts_once() {
        let scores = SubstituteScores::of(&[judged("a", &["b", "B", " b"], &["b", "b"], "B")]);
        assert_eq!((scores.precision, scores.recall, scores.accuracy), (1.0, 1.0, 1.0));
    }

    fn read(text: &str) -> Result<Vec<GoldWord>, Error> {
        KIND.read_from(Path::new("gold.txt"), std::io::Cursor::new(text.to_owned()), of_source)
    }

    #[test]
    fn both_forms_are_read() {
        let gold = read(
            "Sentence\tWord\tLabels\nThe art is a part of it .\tpart\tpiece\tbit\tpiece\t\n\nPart of it\tpart\tbit\n",
        );
        let gold = gold.unwrap();
        assert_eq!((gold[0].word(), gold[0].span), ("part", Span::new(13, 17)), "not within a word");
        assert_eq!(gold[0].substitutes, ["piece", "bit"]);
        assert_eq!(gold[1].word(), "Part", "capitals count last");
        let gold = read("a part is a part\tpart\t4\t1:piece\t2:bit of it\t2:piece\n").unwrap();
        assert_eq!(gold[0].span, Span::new(12, 16), "the second one");
        assert_eq!(gold[0].substitutes, ["piece", "bit of it"]);
    }

    #[test]
    fn a_position_that_is_not_the_word_gives_way_to_the_first_occurrence() {
        let gold = read("\u{e9}t\u{e9} is a part\tpart\t9\t1:piece\n").unwrap();
        assert_eq!(gold[0].word(), "part");
    }

    #[test]
    fn malformed_lines_are_refused_with_their_number() {
        let cases = [
            (
                "s\tw\tl\na part\tpart\n",
                "gold.txt:2: expected a sentence, a word and its substitutes, separated by tabs",
            ),
            (
                "a part\tpart\t1\t1:piece\tbit\n",
                "gold.txt:1: \"bit\" has no rank, as in 1:word, which others of the line have",
            ),
            ("s\tw\tl\na part\twhole\tall\n", "gold.txt:2: the word \"whole\" is not in its sentence"),
            ("s\tw\tl\n", "gold.txt:1: no sentence with a word and substitutes"),
            ("", "gold.txt:1: no sentence with a word and substitutes"),
        ];
        for (text, message) in cases {
            let error = read(text).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.hint().unwrap().to_string().contains("LexMTurk"), "{error}");
        }
    }
}
