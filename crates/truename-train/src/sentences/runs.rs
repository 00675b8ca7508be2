//! Sentences sorted outside of memory: sorted runs on disk, merged where they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Lines, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_files::Partial;

use crate::{Error, error};

/// Largest number of runs of one level; as many become one of the next level, so that few files are open at once and each
/// sentence is written few times.
const FANOUT: usize = 32;

/// A sentence found in a text, in the order of runs: by concept, then at random.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct FoundSentence {
    pub concept: String,
    /// Random number by which sentences of a concept are drawn.
    pub order: u64,
    pub text: String,
    pub start: usize,
    pub end: usize,
    pub source: String,
}

/// A sorted run on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    level: u32,
    number: u64,
}

impl Run {
    fn path(self, folder: &Path) -> PathBuf {
        folder.join(format!("run-{:06}.jsonl", self.number))
    }
}

/// The runs of a corpus that is being built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Runs {
    runs: Vec<Run>,
    next: u64,
}

impl Runs {
    /// Writes a run; returns files that are no longer needed once the runs are saved.
    pub fn add(&mut self, folder: &Path, mut sentences: Vec<FoundSentence>) -> Result<Vec<PathBuf>, Error> {
        if sentences.is_empty() {
            return Ok(Vec::new());
        }
        sentences.sort_unstable();
        self.write(folder, 0, sentences.into_iter().map(Ok))?;
        let mut merged = Vec::new();
        for level in 0.. {
            let full: Vec<Run> = self.runs.iter().copied().filter(|run| run.level == level).collect();
            if full.len() < FANOUT {
                break;
            }
            self.runs.retain(|run| run.level != level);
            self.write(folder, level + 1, SentenceMerge::open(folder, &full)?)?;
            merged.extend(full.into_iter().map(|run| run.path(folder)));
        }
        Ok(merged)
    }

    /// Returns all sentences in their order.
    pub fn merged(&self, folder: &Path) -> Result<SentenceMerge, Error> {
        SentenceMerge::open(folder, &self.runs)
    }

    fn write(
        &mut self,
        folder: &Path,
        level: u32,
        sentences: impl Iterator<Item = Result<FoundSentence, Error>>,
    ) -> Result<(), Error> {
        let run = Run { level, number: self.next };
        let path = run.path(folder);
        let failed = |source| Error::io("write", &path, source);
        let partial = Partial::beside(&path).map_err(failed)?;
        let mut file = BufWriter::new(File::create(partial.path()).map_err(failed)?);
        for sentence in sentences {
            serde_json::to_writer(&mut file, &sentence?).map_err(|error| failed(error.into()))?;
            file.write_all(b"\n").map_err(failed)?;
        }
        file.into_inner().map_err(|error| failed(error.into_error()))?;
        partial.replace(&path).map_err(failed)?;
        self.runs.push(run);
        self.next += 1;
        Ok(())
    }
}

/// The sentences of several runs in their order.
pub(super) struct SentenceMerge {
    files: Vec<(PathBuf, Lines<BufReader<File>>)>,
    first: BinaryHeap<Reverse<(FoundSentence, usize)>>,
}

impl SentenceMerge {
    fn open(folder: &Path, runs: &[Run]) -> Result<Self, Error> {
        let mut merged = Self { files: Vec::new(), first: BinaryHeap::new() };
        for run in runs {
            let path = run.path(folder);
            let file = File::open(&path).map_err(|source| Error::io("read", &path, source))?;
            merged.files.push((path, BufReader::new(file).lines()));
            merged.advance(merged.files.len() - 1)?;
        }
        Ok(merged)
    }

    fn advance(&mut self, file: usize) -> Result<(), Error> {
        let (path, lines) = &mut self.files[file];
        let Some(line) = lines.next() else { return Ok(()) };
        let line = line.map_err(|source| Error::io("read", path, source))?;
        let sentence = serde_json::from_str(&line).map_err(|error| error::state(path, error))?;
        self.first.push(Reverse((sentence, file)));
        Ok(())
    }

    /// Returns the concept of the next sentence.
    pub fn concept(&self) -> Option<&str> {
        self.first.peek().map(|Reverse((sentence, _))| sentence.concept.as_str())
    }
}

impl Iterator for SentenceMerge {
    type Item = Result<FoundSentence, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((sentence, file)) = self.first.pop()?;
        Some(self.advance(file).map(|()| sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(number: u64) -> FoundSentence {
        let concept = format!("C:{}", number % 7);
        FoundSentence { concept, order: number * 7919 % 101, text: "a".into(), start: 0, end: 1, source: "b".into() }
    }

    #[test]
    fn runs_are_merged_whatever_their_number() {
        let all: Vec<FoundSentence> = (0..1100).map(sentence).collect();
        let mut sorted = all.clone();
        sorted.sort();
        for size in [11, 5000] {
            let folder = tempfile::tempdir().unwrap();
            let mut runs = Runs::default();
            for part in all.chunks(size) {
                for path in runs.add(folder.path(), part.to_vec()).unwrap() {
                    std::fs::remove_file(path).unwrap();
                }
            }
            assert!(runs.runs.len() < 3 * FANOUT, "{}", runs.runs.len());
            let merged: Vec<_> = runs.merged(folder.path()).unwrap().map(Result::unwrap).collect();
            assert_eq!(merged, sorted);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), runs.runs.len());
        }
    }

    #[test]
    fn a_damaged_run_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut runs = Runs::default();
        assert_eq!(runs.add(folder.path(), Vec::new()).unwrap(), Vec::<PathBuf>::new());
        assert!(runs.merged(folder.path()).unwrap().next().is_none());
        runs.add(folder.path(), vec![sentence(1), sentence(2)]).unwrap();
        let path = folder.path().join("run-000000.jsonl");
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let mut merged = runs.merged(folder.path()).unwrap();
        let error = merged.find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), format!("{} cannot be read as the state of a run", path.display()));
        std::fs::remove_file(&path).unwrap();
        assert!(runs.merged(folder.path()).err().unwrap().to_string().starts_with("cannot read "));
    }
}
