//! Knowledge bases: a store with its indexes.

pub(crate) mod bundled;
mod check;
mod frequencies;
mod import;
mod info;
mod judgements;
mod learnt_names;
mod losses;
mod model_hash;
mod models;
mod pack;
mod retired;
mod vector_sets;
mod vectors;
mod written_ids;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use truename_error::ErrorKind;
use truename_index::{Hit, NgramIndex, Rank, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Encoder;
use truename_kb::{Concept, ConceptId, NameIndex, Snapshot, Store, WriteTransaction};
use truename_text::{Key, NormalizedName, grams, stable_hash};

pub use frequencies::NameFrequencies;
pub(crate) use import::Contents;
pub use import::{Provenance, Report};
pub use info::{Info, NextVectors, VectorInfo};
pub use judgements::{LearnReport, last_of_each};
pub use learnt_names::LearntNames;
pub use model_hash::ModelHash;
pub use models::{AttachedModel, ModelRole};
pub use vector_sets::EncoderRecord;
pub use vectors::EmbedReport;
pub use written_ids::WrittenIds;

use crate::Error;
use crate::indexes::Indexes;
use crate::link::COMPOSITE;

/// A knowledge base on disk.
#[derive(Clone)]
pub struct KnowledgeBase {
    pub(crate) store: Store,
    pub(crate) indexes: Indexes,
    /// The encoder that it links with, once it is opened or chosen; `None` to go by letters alone.
    encoder: OnceLock<Option<Arc<Encoder>>>,
    /// The pack that it was opened from, if it was.
    pack: Option<PathBuf>,
}

/// Number of forms that a search by prefix reads and sorts by length.
const PREFIX_FORMS: usize = 1024;

thread_local! {
    static SCRATCH: RefCell<SearchScratch> = RefCell::default();
}

/// A stored name near a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearName {
    /// Id of the concept.
    pub id: ConceptId,
    /// The name.
    pub name: String,
    /// Cosine of the TF-IDF weighted character n-grams or of the vectors; higher is closer.
    pub score: f32,
}

impl KnowledgeBase {
    /// Opens the knowledge base in a folder or in a pack ([`KnowledgeBase::pack`]), or the one of persons, places and organizations that is
    /// part of the program, named `general`. A pack and `general` are unpacked into the user's cache on first use and cannot be written
    /// to. Attached models are opened when they are first needed.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version of Truename made it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if bundled::is_general(path) {
            return Ok(Self { pack: Some(path.to_owned()), ..bundled::general()? });
        }
        let store = Store::open(&pack::folder_of(path)?)?;
        let read = store.env().read()?;
        let ngrams = NgramIndex::open(store.env(), &read)?;
        let vectors = VectorIndex::open(store.env(), &read)?;
        read.commit()?;
        let pack = pack::is_pack(path).then(|| path.to_owned());
        Ok(Self { store, indexes: Indexes { ngrams, vectors }, encoder: OnceLock::new(), pack })
    }

    /// Returns true if a path is the folder of a knowledge base, or named as a pack or one of the program is.
    pub fn is_at(path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        pack::is_pack(path) || bundled::is_general(path) || path.join(pack::STORE[0]).is_file()
    }

    /// Returns true for the name of a knowledge base that is part of the program, where no file or folder has it.
    pub fn is_bundled(path: impl AsRef<Path>) -> bool {
        bundled::is_general(path.as_ref())
    }

    /// Opens the bundled knowledge base: MeSH diseases and chemicals. Unpacks it into the user's cache on first use.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        bundled::open()
    }

    /// Returns the concept with an id.
    ///
    /// # Errors
    /// If there is none ([`Error::is_not_found`]) or the storage fails.
    pub fn concept(&self, id: &ConceptId) -> Result<Concept, Error> {
        self.store.snapshot()?.concept_by_id(id)
    }

    /// Returns the concepts of an answer: the one with the id, or those of a composite one (`A|B`, [`LinkOptions::composites`](crate::LinkOptions::composites)).
    ///
    /// # Errors
    /// As [`KnowledgeBase::concept`].
    pub fn concepts_of(&self, id: &ConceptId) -> Result<Vec<Concept>, Error> {
        match self.concept(id) {
            Err(error) if error.kind() == ErrorKind::NotFound && id.as_str().contains(COMPOSITE) => {
                id.as_str().split(COMPOSITE).map(|part| self.concept(&part.parse()?)).collect()
            }
            concept => Ok(vec![concept?]),
        }
    }

    /// Passes every concept to `visit`, in the order of their ids.
    ///
    /// # Errors
    /// If the storage or `visit` fails.
    pub fn for_each_concept<E: From<Error>>(&self, mut visit: impl FnMut(Concept) -> Result<(), E>) -> Result<(), E> {
        let snapshot = self.store.snapshot()?;
        for concept in snapshot.concepts()? {
            visit(concept?)?;
        }
        Ok(())
    }

    /// Returns the names nearest to `name` by character n-grams, best first, as that candidate generator finds them.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn nearest_by_ngrams(&self, name: &str, limit: usize) -> Result<Vec<NearName>, Error> {
        let snapshot = self.store.snapshot()?;
        let rank = snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
        let search = Search { limit, rank: rank.as_ref().map(|rank| rank as Rank<'_>), ..Search::default() };
        let grams = grams(&NormalizedName::new(name));
        let hits = SCRATCH
            .with_borrow_mut(|scratch| self.indexes.ngrams.search(snapshot.transaction(), &grams, &search, scratch))?;
        near_names(&snapshot, hits)
    }

    /// Returns the names whose vectors are nearest to the vector of `name`, best first; none without an encoder.
    ///
    /// # Errors
    /// If the storage or the encoder fails.
    pub fn nearest_by_vectors(&self, name: &str, limit: usize) -> Result<Vec<NearName>, Error> {
        let Some(encoder) = self.encoder()? else { return Ok(Vec::new()) };
        let vector = encoder.encode(&[name])?;
        let snapshot = self.store.snapshot()?;
        let Some(reader) = self.vectors(&snapshot)? else { return Ok(Vec::new()) };
        let rank = snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
        let search =
            VectorSearch { limit, rank: rank.as_ref().map(|rank| rank as Rank<'_>), ..VectorSearch::default() };
        let hits = reader.search(&[vector.row(0)], &search, &mut VectorScratch::default())?;
        near_names(&snapshot, hits.into_iter().flatten().collect())
    }

    /// Returns names that begin with `prefix`, whatever their case and spacing, one a concept, shorter ones first. `score` is the share
    /// of the name that the prefix covers.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<NearName>, Error> {
        let prefix = NormalizedName::new(prefix).squeezed();
        let snapshot = self.store.snapshot()?;
        let mut forms = snapshot.forms()?.with_prefix(&prefix, PREFIX_FORMS.max(limit));
        forms.sort_by_key(String::len);
        let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
        for form in forms {
            for number in snapshot.names_under(Key(stable_hash(&form)))? {
                let (concept, name) = snapshot.name(number)?;
                if names.len() < limit && NormalizedName::new(name).squeezed() == form && seen.insert(concept.0) {
                    let id = snapshot.concept_names(concept)?.0.parse()?;
                    let score = prefix.len() as f32 / form.len().max(1) as f32;
                    names.push(NearName { id, name: name.to_owned(), score });
                }
            }
        }
        Ok(names)
    }

    /// Returns the number of the last committed version; each change of the knowledge base has a higher one.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn version(&self) -> Result<u64, Error> {
        Ok(self.store.snapshot()?.version())
    }

    /// Returns 16 hexadecimal digits that tell the last committed state, the attached models included, from any other. No file is read
    /// but that of the checksums.
    ///
    /// - Every commit changes it: an import, an update, a calibration, vectors, a model that is added or removed.
    /// - Copies of a folder have the same, and so has what is unpacked from a pack ([`KnowledgeBase::pack`]).
    /// - So have two imports of the same files by the same version of Truename, if the files are named alike (their paths are kept as
    ///   provenance) and the machines have memory pages of the same size. The bundled knowledge base has no provenance, and so one
    ///   fingerprint on all such hosts.
    /// - Knowledge bases with other fingerprints may answer alike, such as an updated one and one imported from the same concepts.
    ///
    /// # Errors
    /// If the checksums are missing or are not those of the last commit, or the file differs from them.
    pub fn fingerprint(&self) -> Result<String, Error> {
        Ok(format!("{:016x}", self.store.fingerprint()?))
    }

    /// Returns true where a part of the store could not be read, so that answers may be wrong
    /// ([`guard::survive`](crate::guard::survive)).
    pub fn has_faulted(&self) -> bool {
        self.store.has_faulted()
    }

    /// Returns at most about `count` concepts, evenly spaced by id.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn sample(&self, count: usize) -> Result<Vec<Concept>, Error> {
        self.store.snapshot()?.sample(count)
    }

    /// Returns all types of the concepts.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn types(&self) -> Result<BTreeSet<String>, Error> {
        let snapshot = self.store.snapshot()?;
        let mut types = BTreeSet::new();
        for entry in snapshot.all_types()? {
            for name in entry?.1 {
                if !types.contains(name) {
                    types.insert(name.to_owned());
                }
            }
        }
        Ok(types)
    }

    /// Returns the folder; that in the cache where a pack was opened.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Begins to write to the store.
    ///
    /// # Errors
    /// As [`KnowledgeBase::check_writable`] and [`Store::write`].
    pub(crate) fn write(&self) -> Result<WriteTransaction<'_>, Error> {
        self.check_writable()?;
        self.store.write()
    }

    /// Refuses to write to a pack.
    ///
    /// # Errors
    /// If a pack was opened.
    pub(crate) fn check_writable(&self) -> Result<(), Error> {
        self.pack.as_ref().map_or(Ok(()), |pack| Err(pack::not_written(pack)))
    }

    /// Closes the store, so that its folder can be moved.
    pub(crate) fn close(self) {
        self.store.close();
    }
}

fn near_names(snapshot: &Snapshot<'_>, hits: Vec<Hit>) -> Result<Vec<NearName>, Error> {
    let named = |hit: Hit| {
        let (concept, name) = snapshot.name(NameIndex(hit.name))?;
        let id = snapshot.concept_names(concept)?.0.parse()?;
        Ok(NearName { id, name: name.to_owned(), score: hit.score })
    };
    hits.into_iter().map(named).collect()
}
