//! Data of tasks that learn from texts, or pairs of texts, with labels or values.

mod keys;

use std::path::PathBuf;

use truename_eval::{LabelledText, read_texts};
use truename_infer::ClassifyText;
use truename_text::stable_hash;
use xxhash_rust::xxh3::Xxh3;

use crate::recipe::Recipe;
use crate::{DataFile, Error, error};

pub(crate) use keys::{TextKeys, text_or_number};

/// Texts with labels to learn from and to evaluate on.
pub(crate) struct Texts {
    pub train: Vec<Example>,
    pub dev: Vec<Example>,
    pub files: Vec<DataFile>,
}

/// A text or pair of texts with its label.
pub(crate) struct Example {
    pub text: LabelledText,
    /// Number of its file.
    file: usize,
}

impl Example {
    /// The text or pair for a classifier.
    pub fn asked(&self) -> ClassifyText<'_> {
        ClassifyText { first: &self.text.first, second: self.text.second.as_deref() }
    }

    /// The same for equal texts.
    fn hash(&self) -> u64 {
        stable_hash(&format!("{}\0{}", self.text.first, self.text.second.as_deref().unwrap_or_default()))
    }
}

impl Texts {
    /// Reads the tables that a recipe names. Where there is none to evaluate on, a share of the texts is held out.
    ///
    /// # Errors
    /// Where a file is not named or cannot be read, there are single texts beside pairs, or nothing to evaluate on and the recipe
    /// needs it.
    pub fn read(recipe: &Recipe) -> Result<Self, Error> {
        let TextKeys { data, .. } = recipe.keys()?;
        if data.train.is_empty() {
            return Err(error::no_files("data.train"));
        }
        let mut files = Vec::new();
        let mut read = |paths: &[PathBuf]| {
            let mut examples = Vec::new();
            for file in DataFile::each_of(paths)? {
                let texts = read_texts(&file.path, &data.layout()?)?;
                examples.extend(texts.into_iter().map(|text| Example { text, file: files.len() }));
                files.push(file);
            }
            Ok::<_, Error>(examples)
        };
        let (train, dev) = (read(&data.train)?, read(&data.dev)?);
        let mut texts = Self { train, dev, files };
        texts.check_pairs()?;
        if data.dev.is_empty() {
            texts.hold_out(data.dev_share);
        }
        if texts.dev.is_empty() && recipe.evaluation.patience > 0 {
            return Err(error::nothing_to_evaluate());
        }
        Ok(texts)
    }

    /// Refuses single texts beside pairs.
    fn check_pairs(&self) -> Result<(), Error> {
        let is_pair = self.is_pair();
        let message =
            if is_pair { "a single text, and the others are pairs" } else { "a pair, and the others are single texts" };
        let mut all = self.train.iter().chain(&self.dev);
        let other = all.find(|example| example.text.second.is_some() != is_pair);
        other.map_or(Ok(()), |other| Err(self.malformed(other, message)))
    }

    /// Returns whether the texts are pairs.
    pub fn is_pair(&self) -> bool {
        self.train.first().is_some_and(|example| example.text.second.is_some())
    }

    /// Moves a share of the texts to those to evaluate on: those with the lowest hashes, so that equal ones stay together and their
    /// order does not count.
    fn hold_out(&mut self, share: f64) {
        let mut hashes: Vec<u64> = self.train.iter().map(Example::hash).collect();
        hashes.sort_unstable();
        let count = (share * hashes.len() as f64).round() as usize;
        let Some(highest) = count.checked_sub(1).map(|last| hashes[last]) else { return };
        let held_out = std::mem::take(&mut self.train).into_iter().partition(|example| example.hash() <= highest);
        (self.dev, self.train) = held_out;
    }

    /// Returns an error that names the file and the line of an example.
    pub fn malformed(&self, example: &Example, message: impl std::fmt::Display) -> Error {
        truename_eval::malformed_text(&self.files[example.file].path, example.text.line, message)
    }

    /// Returns the hash of all texts with their labels.
    pub fn hash(&self) -> String {
        let mut hash = Xxh3::new();
        for examples in [&self.train, &self.dev] {
            hash.update(&(examples.len() as u64).to_le_bytes());
            for LabelledText { first, second, label, .. } in examples.iter().map(|example| &example.text) {
                let second = second.as_deref().unwrap_or_default();
                for part in [first, second, label] {
                    hash.update(&(part.len() as u64).to_le_bytes());
                    hash.update(part.as_bytes());
                }
            }
        }
        format!("{:032x}", hash.digest128())
    }
}
