//! Data of tasks that learn an encoder from the names of concepts.

mod accuracy;
mod dataset;
mod encoder;
mod keys;

use std::path::Path;

use rayon::prelude::*;
use truename_error::counted;
use truename_infer::{Checkpoint, Encoder, Tokenizer};
use truename_kb::Progress;
use truename_nn::LearnerOptions;

use crate::Error;
use crate::recipe::Recipe;
use crate::training::{Description, Scores, TaskData};

pub use accuracy::{Accuracy, AccuracySearch};
pub use dataset::{Dataset, NamedConcept, Query};
pub(crate) use dataset::{read_concepts, vocabularies};
pub(crate) use encoder::pooling_of;
pub(crate) use keys::NameKeys;

/// Names to learn an encoder from, and the names that it is asked for.
pub struct Names {
    dataset: Dataset,
    keys: NameKeys,
    seed: u64,
}

impl Names {
    /// Takes the encoder and the evaluation from a recipe.
    ///
    /// # Errors
    /// Where the recipe has other types of values for them.
    pub fn new(recipe: &Recipe, dataset: Dataset) -> Result<Self, Error> {
        Ok(Self { dataset, keys: recipe.keys()?, seed: recipe.seed })
    }

    /// The data set.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Describes the names for the user.
    ///
    /// # Errors
    /// Where a name cannot be turned into tokens.
    pub fn describe(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let names: Vec<&String> = self.dataset.concepts().iter().flat_map(|concept| &concept.names).collect();
        let read = |name: &&String| {
            let tokens = tokenizers[0].tokens(name)?;
            Ok((tokens.ids.len() as u32, tokens.is_truncated))
        };
        let read: Vec<(u32, bool)> = names.par_iter().map(read).collect::<Result<_, Error>>()?;
        let mut lines = vec![format!(
            "{} of {} to learn, {} to ask for",
            counted(names.len() as u64, "name"),
            counted(self.dataset.concepts().len() as u64, "concept"),
            counted(self.dataset.queries().len() as u64, "name")
        )];
        let truncated = read.iter().filter(|(_, is_truncated)| *is_truncated).count();
        if truncated > 0 {
            lines.push(format!("{} cut to the encoder's window", counted(truncated as u64, "name")));
        }
        Ok(Description { lines, lengths: read.into_iter().map(|(length, _)| length).collect() })
    }

    /// Measures the encoder of a folder on the names that are asked for.
    ///
    /// # Errors
    /// Where the folder cannot be read, or the work is stopped.
    pub fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        let encoder = Encoder::open(folder)?;
        let keys = &self.keys.evaluation;
        let search = AccuracySearch { max_names: keys.max_names, vote: keys.vote, preferred: keys.preferred };
        let accuracy = Accuracy::of(&encoder, &self.dataset, &search, progress)?;
        Ok(accuracy.map(Accuracy::scores).unwrap_or_default())
    }

    pub(crate) fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![self.keys.encoder.open(self.seed)?])
    }

    pub(crate) fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options)
    }
}

impl TaskData for Names {
    fn hash(&self) -> String {
        self.dataset.hash()
    }

    fn provenance(&self) -> serde_json::Value {
        let (concepts, names) = (self.dataset.concepts().len(), self.dataset.name_count());
        serde_json::json!({"concepts": concepts, "names": names, "files": self.dataset.files()})
    }

    fn has_evaluation(&self) -> bool {
        !self.dataset.queries().is_empty()
    }
}
