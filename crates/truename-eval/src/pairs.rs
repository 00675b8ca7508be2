//! Labelled pairs of texts, and scores of decisions about them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use truename_read::TableOptions;

use crate::Error;
use crate::table::{FileKind, Rows, chance};

const KIND: FileKind = FileKind {
    nothing: Some("no pairs"),
    hint: || {
        "labelled pairs are a table with the columns `left`, `right`, `label` (1 or 0) and perhaps `chance` (above 0, at most 1), or lines \
           `COL … VAL … TAB COL … VAL … TAB 1`"
            .into()
    },
};

/// Beginning of a serialised record, and so of a file of pairs without a header.
const SERIALIZED: &str = "COL ";

/// Two texts, and whether they stand for the same thing.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPair {
    /// The first text, such as a serialised record.
    pub left: String,
    /// The second text.
    pub right: String,
    /// True if both stand for the same thing.
    pub is_same: bool,
    /// Chance with which the pair was drawn to be judged, beside that of the others.
    pub chance: f64,
    /// The file.
    pub file: Arc<Path>,
    /// Line of the file on which the pair begins, from 1.
    pub line: u64,
}

/// Reads labelled pairs, plain or gzipped: a table with a header and the columns `left`, `right`, `label` (1 or 0) and perhaps
/// `chance` (1 where it is empty), or lines of Ditto (`COL … VAL … TAB COL … VAL … TAB 1`). Capitals and blanks in a header do not count. The delimiter is the one of
/// tab, comma, semicolon and `|` by which the header has these columns.
///
/// # Errors
/// If the file cannot be read, lacks a column, is not UTF-8, or has a row with another label or a chance that is none.
pub fn read_pairs(path: &Path) -> Result<Vec<LabelledPair>, Error> {
    read(path, true)
}

/// Reads pairs as [`read_pairs`] does. A table may lack the column `label`; all its pairs are then of the same thing.
///
/// # Errors
/// The errors of [`read_pairs`].
pub fn read_matches(path: &Path) -> Result<Vec<LabelledPair>, Error> {
    read(path, false)
}

fn read(path: &Path, needs_label: bool) -> Result<Vec<LabelledPair>, Error> {
    KIND.read_utf8(path, |source| {
        let file: Arc<Path> = source.path().into();
        let pair = |line, [left, right]: [&str; 2], is_same, chance| {
            let [left, right] = [left, right].map(|text| text.trim().to_owned());
            LabelledPair { left, right, is_same, chance, file: Arc::clone(&file), line }
        };
        if source.beginning_text().trim_start().starts_with(SERIALIZED) {
            return KIND
                .pairs(source, |line, [left, right, label]| Ok(pair(line, [left, right], label_of(label)?, 1.0)));
        }
        let options = TableOptions { wanted: &[&["left"], &["right"]], ..TableOptions::default() };
        let rows = Rows::open(source, &options, &KIND)?;
        let (left, right) = (rows.column("left")?, rows.column("right")?);
        let label = if needs_label { Some(rows.column("label")?) } else { rows.column("label").ok() };
        let chance_of = rows.column("chance").ok();
        rows.read(|row| {
            let cell = |at: usize| row.get(at).unwrap_or_default();
            let is_same = label.map(|at| label_of(cell(at))).transpose()?.unwrap_or(true);
            Ok(pair(row.line, [cell(left), cell(right)], is_same, chance(chance_of.and_then(|at| row.get(at)))?))
        })
    })
}

fn label_of(text: &str) -> Result<bool, String> {
    match text.trim() {
        "1" | "1.0" | "true" | "True" => Ok(true),
        "0" | "0.0" | "false" | "False" => Ok(false),
        other => Err(format!("the label \"{}\" is neither 1 nor 0", other.escape_debug())),
    }
}

/// Precision, recall and F1 of the pairs decided to be the same. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairScores {
    /// Number of pairs.
    pub pairs: usize,
    /// Number of pairs of the same thing.
    pub positives: usize,
    /// Number of pairs decided to be the same.
    pub found: usize,
    /// Number of pairs decided to be the same that are.
    pub right: usize,
    /// Lowest probability of a pair decided to be the same.
    pub threshold: f64,
    /// Share of the pairs found that are right; 0 if none is found.
    pub precision: f64,
    /// Share of the pairs of the same thing that are found; 0 if there are none.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Share of all pairs that are decided rightly.
    pub accuracy: f64,
    /// The threshold with the highest F1 on these very pairs, and that F1: an upper bound, not a result.
    pub best: BestThreshold,
}

/// A threshold with its F1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BestThreshold {
    /// Lowest probability of a pair decided to be the same.
    pub threshold: f64,
    /// F1 of the decisions.
    pub f1: f64,
}

impl PairScores {
    /// Scores pairs, each with its probability and whether it is of the same thing, at a threshold.
    pub fn of(judged: &[(f64, bool)], threshold: f64) -> Self {
        let count = |holds: &dyn Fn(&(f64, bool)) -> bool| judged.iter().filter(|one| holds(one)).count();
        let positives = count(&|(_, is_same)| *is_same);
        let found = count(&|(probability, _)| *probability >= threshold);
        let right = count(&|(probability, is_same)| *is_same && *probability >= threshold);
        let wrong = found + positives - 2 * right;
        Self {
            pairs: judged.len(),
            positives,
            found,
            right,
            threshold,
            precision: share(right, found),
            recall: share(right, positives),
            f1: share(2 * right, found + positives),
            accuracy: share(judged.len() - wrong, judged.len()),
            best: BestThreshold::of(judged, positives, threshold),
        }
    }
}

impl BestThreshold {
    /// Returns the highest of the thresholds with the best F1 among so many positives; `default` if no pair is of the same thing.
    pub(crate) fn of(judged: &[(f64, bool)], positives: usize, default: f64) -> Self {
        let mut sorted = judged.to_vec();
        sorted.sort_by(|left, right| right.0.total_cmp(&left.0));
        let (mut best, mut found, mut right) = (Self { threshold: default, f1: 0.0 }, 0, 0);
        // Pairs with one probability are decided alike.
        for equal in sorted.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            found += equal.len();
            right += equal.iter().filter(|(_, is_same)| *is_same).count();
            let f1 = share(2 * right, found + positives);
            if f1 > best.f1 {
                best = Self { threshold: equal[0].0, f1 };
            }
        }
        best
    }
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl fmt::Display for PairScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, positives, found, right, threshold, precision, recall, f1, accuracy, best } = self;
        writeln!(f, "{pairs} pairs, {positives} of the same thing; {found} found, {right} of them right")?;
        let [precision, recall, f1, accuracy, best_f1] = [precision, recall, f1, accuracy, &best.f1].map(|x| 100.0 * x);
        writeln!(f, "precision {precision:.2}, recall {recall:.2}, F1 {f1:.2}, accuracy {accuracy:.2}")?;
        write!(f, "at the threshold {threshold}; the best F1 here, {best_f1:.2}, at {:.4}", best.threshold)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<LabelledPair>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.csv");
        std::fs::write(&path, bytes).unwrap();
        let mut pairs = read_pairs(&path)?;
        pairs.iter_mut().for_each(|pair| pair.file = Path::new("pairs.csv").into());
        Ok(pairs)
    }

    #[test]
    fn scores_are_those_of_the_decisions() {
        // scikit-learn 1.5: precision_recall_fscore_support([1, 1, 1, 0, 0], [1, 0, 1, 1, 0], average="binary")
        // → 0.6667, 0.6667, 0.6667; accuracy_score → 0.6
        let judged = [(0.9, true), (0.4, true), (0.5, true), (0.7, false), (0.1, false)];
        let scores = PairScores::of(&judged, 0.5);
        let two_thirds = 2.0 / 3.0;
        assert_eq!((scores.precision, scores.recall, scores.f1), (two_thirds, two_thirds, two_thirds));
        assert_eq!((scores.accuracy, scores.pairs, scores.positives, scores.found, scores.right), (0.6, 5, 3, 3, 2));
        // All but the last: 3 right of 4 found, 3 of 3.
        assert_eq!(scores.best, BestThreshold { threshold: 0.4, f1: 6.0 / 7.0 });
        let shown = scores.to_string();
        assert!(shown.contains("F1 66.67") && shown.contains("85.71, at 0.4000"), "{shown}");
    }

    #[test]
    fn nothing_found_is_no_division_by_zero() {
        let scores = PairScores::of(&[(0.1, false)], 0.5);
        assert_eq!((scores.precision, scores.recall, scores.f1, scores.accuracy), (0.0, 0.0, 0.0, 1.0));
        assert_eq!(scores.best.f1, 0.0);
    }

    #[test]
    fn tables_and_lines_are_read() {
        let line = "COL a VAL x \tCOL a VAL y, z \t1\n\nCOL a VAL \tCOL a VAL w\t0\n";
        let from_lines = read(line.as_bytes()).unwrap();
        assert_eq!((from_lines[0].right.as_str(), from_lines[1].left.as_str()), ("COL a VAL y, z", "COL a VAL"));
        assert_eq!(
            from_lines.iter().map(|pair| (pair.is_same, pair.line)).collect::<Vec<_>>(),
            [(true, 1), (false, 3)]
        );
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(line.as_bytes()).unwrap();
        assert_eq!(read(&packed.finish().unwrap()).unwrap(), from_lines);
        for table in [
            "label,Left, right \n1,x,\"y, z\"\n0,,w\n",
            "\u{FEFF}left\tright\tlabel\nx\ty, z\t1\n\tw\t0\n",
            "left;right;label;more\nx;y, z;true;1\n;w;0;2\n",
        ] {
            let pairs = read(table.as_bytes()).unwrap();
            assert_eq!((pairs[0].left.as_str(), pairs[0].right.as_str(), pairs[0].is_same), ("x", "y, z", true));
            assert_eq!((pairs[1].left.as_str(), pairs[1].right.as_str(), pairs[1].is_same), ("", "w", false));
        }
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let cases: [(&[u8], &str); 6] = [
            (b"left,label\na,1\n", ":1: no column \"right\" among \"left\", \"label\""),
            (b"left,right\na,b\n", ":1: no column \"label\" among \"left\", \"right\""),
            (b"left,right,label\na,b,1\na,b,maybe\n", ":3: the label \"maybe\" is neither 1 nor 0"),
            (b"COL a VAL x\tCOL a VAL y\t2\n", ":1: the label \"2\" is neither 1 nor 0"),
            (
                b"COL a VAL x\tCOL a VAL y\n",
                ":1: a pair is a record, a tab, a record, a tab and a label; this line has 2 parts",
            ),
            (b"left,right,label\n", ":1: no pairs"),
        ];
        for (bytes, message) in cases {
            let error = read(bytes).unwrap_err();
            assert!(error.to_string().ends_with(message), "{error}");
            assert!(error.hint().is_some());
        }
        let error = read(b"left,right,label\na,\xFF,1\n").unwrap_err().to_string();
        assert!(error.contains(":2: byte 3 of the line is not UTF-8"), "{error}");
    }

    #[test]
    fn matches_need_no_label() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.csv");
        std::fs::write(&path, "left,right\n1,2\n").unwrap();
        assert!(read_matches(&path).unwrap()[0].is_same);
        std::fs::write(&path, "left,right,label\n1,2,0\n").unwrap();
        assert!(!read_matches(&path).unwrap()[0].is_same);
    }
}
