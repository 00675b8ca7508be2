//! Texts and names that a student learns from, and those that it is evaluated on.

use truename_corpus::ReadOptions;
use truename_error::{HintPart, counted};
use truename_text::Document;
use xxhash_rust::xxh3::Xxh3;

use super::keys::DataKeys;
use crate::documents::{Corpora, is_held_out, read_corpus};
use crate::names::read_concepts;
use crate::training::TaskData;
use crate::{DataFile, Error, error};

/// Texts and names that a student learns from, and those that it is evaluated on.
#[derive(Default)]
pub(super) struct DistilData {
    pub passages: Vec<String>,
    pub names: Vec<String>,
    /// Documents to evaluate on.
    pub dev: Corpora,
    /// Names to evaluate on.
    pub dev_names: Vec<String>,
    files: Vec<DataFile>,
}

impl DistilData {
    /// Reads the texts and names that a recipe names; `types` are those of the teacher.
    ///
    /// # Errors
    /// Where a file cannot be read, or there is nothing to learn.
    pub fn read(keys: &DataKeys, types: &[&str]) -> Result<Self, Error> {
        let mut data = Self { dev: Corpora::read(&keys.dev, types, "data.dev")?, ..Self::default() };
        let (mut held_out, mut documents) = (Corpora::default(), 0);
        for path in &keys.text {
            read_corpus(path, &ReadOptions::default(), &mut data.files, &mut |document| {
                documents += 1;
                match is_held_out(documents, keys.dev_share) && keys.dev.is_empty() {
                    true => held_out.add_unlabelled(&document),
                    false => data.passages.extend(passages(&document)),
                }
            })?;
        }
        if keys.dev.is_empty() {
            data.dev = held_out;
        }
        data.read_names(keys)?;
        if data.passages.is_empty() && data.names.is_empty() {
            return Err(error::missing("data.text or data.kb", HintPart::setting("kb")));
        }
        Ok(data)
    }

    fn read_names(&mut self, keys: &DataKeys) -> Result<(), Error> {
        let concepts = read_concepts(&keys.kb, &mut self.files)?;
        let mut names: Vec<String> = concepts.into_iter().flat_map(|concept| concept.names).collect();
        for file in DataFile::each_of(&keys.names)? {
            names.extend(truename_eval::read_gold(&file.path)?.into_iter().map(|gold| gold.name));
            self.files.push(file);
        }
        let mut known = std::collections::HashSet::new();
        names.retain(|name| !name.trim().is_empty() && known.insert(name.clone()));
        for (number, name) in (1..).zip(names) {
            let names = if is_held_out(number, keys.dev_share) { &mut self.dev_names } else { &mut self.names };
            names.push(name);
        }
        Ok(())
    }

    /// Describes the data for the user.
    pub fn lines(&self, windows: usize) -> Vec<String> {
        let count = |number: usize, noun| counted(number as u64, noun);
        let mut lines = Vec::new();
        if !self.passages.is_empty() {
            let (passages, dev) = (self.passages.len(), self.dev.documents);
            lines.push(format!(
                "{} of texts to learn from in {}, {} to evaluate on",
                count(passages, "passage"),
                count(windows, "window"),
                count(dev, "document")
            ));
        }
        if !self.names.is_empty() {
            let (names, dev) = (self.names.len(), self.dev_names.len());
            lines.push(format!("{} to learn from, {} to evaluate on", count(names, "name"), count(dev, "name")));
        }
        lines
    }
}

fn passages(document: &Document) -> impl Iterator<Item = String> {
    document.passage_spans().into_iter().map(|span| document.text[span.range()].to_owned())
}

impl TaskData for DistilData {
    fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        let dev = self.dev.passages.iter().map(|passage| &passage.text);
        for texts in [&self.passages, &self.names, &self.dev_names, &dev.cloned().collect()] {
            hasher.update(format!("{}\0", texts.len()).as_bytes());
            texts.iter().for_each(|text| hasher.update(format!("{text}\0").as_bytes()));
        }
        self.dev.passages.iter().for_each(|passage| hasher.update(format!("{:?}\0", passage.mentions).as_bytes()));
        format!("{:032x}", hasher.digest128())
    }

    fn provenance(&self) -> serde_json::Value {
        let files: Vec<_> = self.files.iter().chain(&self.dev.files).collect();
        serde_json::json!({
            "passages": self.passages.len(), "names": self.names.len(), "dev_documents": self.dev.documents,
            "dev_names": self.dev_names.len(), "files": files,
        })
    }

    fn has_evaluation(&self) -> bool {
        !self.dev.passages.is_empty() || !self.dev_names.is_empty()
    }
}
