//! Sets of vectors in a store, by name; each set is replaced as a whole.
//!
//! A set has a name, rows (names or concepts), a number in the table and its encoder (hash of weights, tokenizer
//! and configuration); every snapshot compares the encoder with the one in use. Vectors are made some thousands of
//! rows a transaction, so that a stopped run goes on. Those of another encoder are made as a second set: one
//! transaction makes it the current one when every row has a vector, and clears the first, so that a change of
//! encoder that is stopped or fails changes no answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_infer::{AdapterChoice, Encoder};
use truename_kb::Snapshot;

use super::ModelHash;
use crate::{Error, TrainedRetriever};

/// Meta key of the sets.
pub(super) const META_VECTORS: &str = "vectors";
/// Name of the set that names are linked with.
pub(super) const ENCODER: &str = "encoder";
/// Name of the set that mentions in their contexts are linked with.
pub(super) const RETRIEVER: &str = "retriever";
/// Numbers of sets in the index.
pub(super) const NUMBERS: std::ops::Range<u8> = 0..16;

/// The encoder that made the vectors of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EncoderRecord {
    /// Hash of its weights, tokenizer and configuration.
    pub hash: ModelHash,
    /// Folder from which it was first opened.
    pub folder: String,
    /// Number of dimensions of the vectors.
    pub dimensions: usize,
    /// Adapters that it uses of those in its folder.
    #[serde(default)]
    pub adapters: AdapterChoice,
}

impl EncoderRecord {
    pub(super) fn of_retriever(retriever: &TrainedRetriever) -> Result<Self, Error> {
        Ok(Self {
            hash: retriever.hash().parse()?,
            folder: std::path::absolute(retriever.folder()).unwrap_or_default().display().to_string(),
            dimensions: retriever.dimensions(),
            adapters: AdapterChoice::All,
        })
    }

    pub(super) fn of(encoder: &Encoder) -> Result<Self, Error> {
        Ok(Self {
            hash: encoder.hash().parse()?,
            folder: std::path::absolute(encoder.folder()).unwrap_or_default().display().to_string(),
            dimensions: encoder.dimensions(),
            adapters: encoder.backbone().adapter_choice().clone(),
        })
    }
}

/// Kind of rows in a set of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rows {
    /// One vector a name.
    #[default]
    Names,
    /// One vector a concept.
    Concepts,
}

/// One set of vectors of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VectorSet {
    /// Number in the index.
    pub(super) number: u8,
    pub(super) encoder: EncoderRecord,
    #[serde(default)]
    pub(super) rows: Rows,
    /// True if the encoder lies in the folder of the knowledge base.
    #[serde(default)]
    pub(super) is_attached: bool,
}

/// The vectors in use under a name, and their unfinished replacement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions {
    /// The set in use.
    pub(super) current: Option<VectorSet>,
    /// The set that replaces the current one once every row has a vector.
    pub(super) next: Option<VectorSet>,
}

impl Versions {
    fn all(&self) -> impl Iterator<Item = &VectorSet> {
        self.current.iter().chain(&self.next)
    }

    /// Returns the set of an encoder.
    pub(super) fn of(&self, encoder: &EncoderRecord) -> Option<&VectorSet> {
        self.all().find(|set| set.encoder.hash == encoder.hash)
    }
}

/// The sets of vectors of a store, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct VectorSets(BTreeMap<String, Versions>);

impl VectorSets {
    pub(super) fn read(snapshot: &Snapshot<'_>) -> Result<Self, Error> {
        /// Older stores have a single set without a name.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum StoredSets {
            Named(BTreeMap<String, Versions>),
            Unnamed(Versions),
        }
        let Some(json) = snapshot.meta(META_VECTORS)? else { return Ok(Self::default()) };
        match serde_json::from_slice(json) {
            Ok(StoredSets::Named(sets)) => Ok(Self(sets)),
            Ok(StoredSets::Unnamed(versions)) => Ok(Self(BTreeMap::from([(ENCODER.to_owned(), versions)]))),
            Err(_) => Err(truename_kb::damaged("the record of its encoder")),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers are JSON")
    }

    /// Returns the versions of a set; empty if the name is unknown.
    pub(super) fn named(&self, name: &str) -> Versions {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// Replaces the versions of a set; empty versions remove it.
    pub(super) fn put(&mut self, name: &str, versions: Versions) {
        match versions == Versions::default() {
            true => self.0.remove(name),
            false => self.0.insert(name.to_owned(), versions),
        };
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &VectorSet> {
        self.0.values().flat_map(Versions::all)
    }

    /// Returns the lowest free number, or an error if all are taken.
    pub(super) fn free_number(&self) -> Result<u8, Error> {
        let is_free = |number: &u8| self.all().all(|set| set.number != *number);
        let full = || Error::new(ErrorKind::Full, "the knowledge base has no room for another set of vectors");
        NUMBERS.into_iter().find(is_free).ok_or_else(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KnowledgeBase;

    #[test]
    fn sets_are_read_as_written_now_and_before_they_had_names() {
        let folder = tempfile::tempdir().unwrap();
        let kb = KnowledgeBase::create(Vec::new(), &folder.path().join("kb")).unwrap();
        let read = |json: &[u8]| {
            let mut write = kb.store.write().unwrap();
            kb.store.put_meta(&mut write, META_VECTORS, json).unwrap();
            kb.store.commit(write).unwrap();
            VectorSets::read(&kb.store.snapshot().unwrap())
        };
        let encoder = EncoderRecord {
            hash: "ab".parse().unwrap(),
            folder: "/models/x".into(),
            dimensions: 3,
            adapters: AdapterChoice::All,
        };
        let set = VectorSet { number: 1, encoder, rows: Rows::Names, is_attached: false };
        let unnamed =
            br#"{"current":{"number":1,"encoder":{"hash":"ab","folder":"/models/x","dimensions":3}},"next":null}"#;
        let mut expected = VectorSets::default();
        expected.put(ENCODER, Versions { current: Some(set.clone()), next: None });
        assert_eq!(read(unnamed).unwrap(), expected);
        assert_eq!(read(&expected.to_json()).unwrap(), expected);
        expected.put(
            RETRIEVER,
            Versions { current: Some(VectorSet { number: 0, rows: Rows::Concepts, ..set }), next: None },
        );
        assert_eq!(read(&expected.to_json()).unwrap(), expected);
        assert_eq!(expected.free_number().unwrap(), 2);
        assert!(read(b"{\"current\": 3}").is_err());
        let unnamed = String::from_utf8_lossy(unnamed);
        for hash in ["/../../../x", "0123456789aé"] {
            let error = read(unnamed.replace("\"ab\"", &format!("\"{hash}\"")).as_bytes()).unwrap_err();
            assert!(error.is_damaged(), "{error}");
        }
    }
}
