//! Knowledge bases that are served, with all models that are attached to them.
//!
//! A [`Slot`] holds the open knowledge base with its models and the linkers of the last sets of options; a batch
//! keeps the one it began with. A change within the store is seen by the next call, another folder or model by a
//! look once a second.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lru::LruCache;
use truename::{
    AttachedModel, Error, KnowledgeBase, LinkOptions, Linker, ModelRole, Recognizer, RecognizerOptions, SharedLinks,
    StopNames, TrainedRecognizer,
};

use crate::catalogue::Catalogue;

/// Number of sets of options whose linkers are kept.
const KEPT: usize = 32;
/// Number of sets of options whose linkers of documents are kept.
const KEPT_OF_DOCUMENTS: usize = 4;

/// Bytes of an answer without its candidates, and of each candidate.
const NAME_BYTES: usize = 256;
const CANDIDATE_BYTES: usize = 256;
/// Bytes of the mentions of a document, for each byte of its text; and of the search for their names, which a single candidate seldom needs.
const MENTION_BYTES: usize = 96;
const SEARCH_BYTES: usize = 304;
/// Letters of a name of its own, where a document has one after the other.
const LETTERS: usize = 16;

/// Options of an answer to a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NameOptions {
    pub top: usize,
    pub types: Vec<String>,
    pub without_aliases: Vec<String>,
    pub explain: bool,
    /// Bits of the probability below which the answer is NIL.
    pub min_probability: Option<u64>,
    /// Bits of the share of NIL.
    pub nil_share: u64,
}

impl Default for NameOptions {
    fn default() -> Self {
        Self {
            top: 5,
            types: Vec::new(),
            without_aliases: Vec::new(),
            explain: false,
            min_probability: None,
            nil_share: LinkOptions::NIL_SHARE.to_bits(),
        }
    }
}

impl NameOptions {
    /// Returns the most memory that answers to names usually take, in bytes.
    pub fn bytes_of(&self, names: &[String]) -> usize {
        let texts: usize = names.iter().map(String::len).sum();
        // A name is kept in the answer too.
        2 * texts + names.len() * (NAME_BYTES + self.top * CANDIDATE_BYTES)
    }

    /// Returns the most memory that a document of some bytes takes once its mentions are linked, in bytes. Measured with texts of nothing
    /// but names, short ones and different ones.
    pub fn bytes_of_document(&self, length: usize) -> usize {
        let search = if self.top > 1 { SEARCH_BYTES } else { 0 };
        length * (MENTION_BYTES + search + self.top * CANDIDATE_BYTES / LETTERS)
    }

    fn link_options(&self) -> LinkOptions {
        LinkOptions {
            top: self.top,
            types: self.types.clone(),
            without_aliases: self.without_aliases.clone(),
            explain: self.explain,
            min_probability: self.min_probability.map(f64::from_bits),
            nil_share: f64::from_bits(self.nil_share),
            ..LinkOptions::default()
        }
    }
}

/// Options of the answer to a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct DocumentOptions {
    pub names: NameOptions,
    pub nested: bool,
    pub composites: bool,
    pub abbreviations: bool,
    pub given_mentions: bool,
    pub context: bool,
    pub asserted: bool,
    pub type_name: Option<String>,
    pub stop_names: Vec<String>,
}

/// Bounds of the answers to names that a knowledge base remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cache {
    /// Most answers.
    pub answers: usize,
    /// Most bytes of all of them.
    pub bytes: usize,
}

/// An open knowledge base with its models.
pub(crate) struct Base {
    pub kb: KnowledgeBase,
    /// Linker with the default options and all models open, which those with other options share, as they do its memory.
    linker: Linker,
    linkers: Kept<NameOptions, Linker>,
    of_documents: Kept<DocumentOptions, Linker>,
    /// By whether they find mentions within mentions.
    recognizers: Kept<bool, Arc<dyn Recognizer>>,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    identity: Identity,
}

/// State of a folder beside the version of its knowledge base; another state is opened anew.
#[derive(PartialEq)]
struct Identity {
    folder: PathBuf,
    models: Vec<AttachedModel>,
    /// Version of a knowledge base with a re-ranker, whose calibration is part of it.
    version: Option<u64>,
}

impl Base {
    fn open(folder: Option<&Path>, cache: Cache) -> Result<Self, Error> {
        let Cache { answers: remembered_answers, bytes: remembered_bytes } = cache;
        let options = LinkOptions { remembered_answers, remembered_bytes, ..LinkOptions::default() };
        let linker = folder.map_or_else(Linker::bundled, Linker::open)?.with_options(options)?;
        let kb = linker.knowledge_base().clone();
        let identity = Identity::of(&kb, folder)?;
        let (linkers, of_documents, recognizers) = (Kept::new(KEPT), Kept::new(KEPT_OF_DOCUMENTS), Kept::new(KEPT));
        Ok(Self { kb, linker, linkers, of_documents, recognizers, catalogue: Mutex::default(), identity })
    }

    /// Returns a linker of names without context.
    pub fn linker(&self, options: &NameOptions) -> Result<Arc<Linker>, Error> {
        self.linkers.get(options, || self.linker.with_options(self.link_options(options)))
    }

    /// Links names without context, from memory where they were asked for before.
    pub fn link_names(&self, options: &NameOptions, names: &[&str]) -> Result<SharedLinks, Error> {
        self.linker(options)?.link_shared(names)
    }

    fn link_options(&self, names: &NameOptions) -> LinkOptions {
        let LinkOptions { remembered_answers, remembered_bytes, .. } = *self.linker.options();
        LinkOptions { remembered_answers, remembered_bytes, ..names.link_options() }
    }

    /// Returns a linker of documents.
    pub fn linker_of_documents(&self, options: &DocumentOptions) -> Result<Arc<Linker>, Error> {
        self.of_documents.get(options, || {
            let linker = self.linker.with_options(LinkOptions {
                nested: options.nested,
                composites: options.composites,
                abbreviations: options.abbreviations,
                asserted: options.asserted,
                type_name: options.type_name.clone(),
                stop_names: Arc::new(StopNames::new(&options.stop_names)),
                ..self.link_options(&options.names)
            })?;
            Ok(if options.context { linker } else { linker.without_context() })
        })
    }

    /// Returns the trained recognizer, else the dictionary with the types of its concepts. A trained one decides itself whether mentions
    /// are flat where nested ones are not asked for.
    pub fn recognizer(&self, nested: bool) -> Result<Arc<Arc<dyn Recognizer>>, Error> {
        self.recognizers.get(&nested, || {
            let options =
                RecognizerOptions { nested: nested.then_some(true), typed: true, ..RecognizerOptions::default() };
            let own = self.linker.trained_recognizer()?.map(|own| TrainedRecognizer::clone(&own));
            options.of_knowledge_base(&self.kb, own)
        })
    }

    /// Returns types and cross-references of the current version.
    pub fn catalogue(&self) -> Result<Arc<Catalogue>, Error> {
        let version = self.kb.version()?;
        let mut kept = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.version() == version) {
            return Ok(Arc::clone(kept));
        }
        let read = Arc::new(Catalogue::read(&self.kb, version)?);
        *kept = Some(Arc::clone(&read));
        Ok(read)
    }

    /// Returns the linker with the default options.
    pub fn default_linker(&self) -> &Linker {
        &self.linker
    }
}

impl Identity {
    fn of(kb: &KnowledgeBase, folder: Option<&Path>) -> Result<Self, Error> {
        let folder = folder.unwrap_or(kb.path());
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let models = kb.models()?;
        let has_reranker = models.iter().any(|model| model.role == ModelRole::Reranker);
        let version = has_reranker.then(|| kb.version()).transpose()?;
        Ok(Self { folder, models, version })
    }
}

/// A name under which a knowledge base is served.
pub(crate) struct Slot {
    pub name: String,
    folder: Option<PathBuf>,
    cache: Cache,
    /// `None` while it cannot be read.
    current: RwLock<Option<Arc<Base>>>,
}

impl Slot {
    pub fn open(name: &str, folder: Option<&Path>, cache: Cache) -> Result<Self, Error> {
        let current = RwLock::new(Some(Arc::new(Base::open(folder, cache)?)));
        Ok(Self { name: name.to_owned(), folder: folder.map(Path::to_owned), cache, current })
    }

    /// Returns false for the bundled knowledge base.
    pub fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns the knowledge base that answers from now on; `None` while it cannot be read.
    pub fn base(&self) -> Option<Arc<Base>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone().filter(|base| !base.kb.has_faulted())
    }

    /// Opens the knowledge base anew if its folder leads elsewhere, its models changed, or it could not be read. Answers under way keep
    /// the old one.
    ///
    /// # Errors
    /// If the new one cannot be opened; the old one stays if it can be read.
    pub fn refresh(&self) -> Result<bool, Error> {
        match self.base() {
            Some(old) if Identity::of(&old.kb, self.folder.as_deref())? == old.identity => return Ok(false),
            Some(_) => {}
            // A file is open once a process: the old one is closed first.
            None => self.set(None),
        }
        self.set(Some(Arc::new(Base::open(self.folder.as_deref(), self.cache)?)));
        Ok(true)
    }

    fn set(&self, base: Option<Arc<Base>>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = base;
    }
}

/// The values made last, by what they were made of.
struct Kept<K, V>(Mutex<LruCache<K, Arc<V>>>);

impl<K: Hash + Eq + Clone, V> Kept<K, V> {
    fn new(most: usize) -> Self {
        Self(Mutex::new(LruCache::new(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN))))
    }

    fn get(&self, key: &K, make: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
        if let Some(value) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(make()?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key.clone(), Arc::clone(&value));
        Ok(value)
    }
}
