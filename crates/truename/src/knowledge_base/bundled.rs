//! The knowledge bases that are part of the program.

use std::path::Path;

use truename_kb::import::read_bytes;
use truename_kb::{Concept, Format, ImportOptions};
use truename_text::stable_hash;

use crate::cache::open_or_make;
use crate::{Error, KnowledgeBase, bundled_models};

/// A knowledge base that is part of the program; `kb/README.md` gives sources, licences and rules.
struct Bundled {
    /// Begins the name of its folder in the cache.
    name: &'static str,
    /// Its concepts, gzipped JSONL.
    content: &'static [u8],
    /// Name of the recognizer of the program that it carries.
    recognizer: Option<&'static str>,
}

/// MeSH descriptors of diseases and chemicals with names of MONDO, DOID and WordNet (`scripts/bundled_kb.py`).
static MESH: Bundled = Bundled { name: "mesh", content: include_bytes!("../../kb/mesh.jsonl.gz"), recognizer: None };
/// Persons, places and organizations with names of WordNet, GeoNames and the Name Suggestion Index (`scripts/general_kb.py`).
static GENERAL: Bundled = Bundled {
    name: "general",
    content: include_bytes!("../../kb/general.jsonl.gz"),
    recognizer: Some(bundled_models::GENERAL),
};

/// Opens the default one.
pub(crate) fn open() -> Result<KnowledgeBase, Error> {
    MESH.open()
}

/// Returns true for the name of the one of general entities, where no file or folder has it.
pub(crate) fn is_general(path: &Path) -> bool {
    path == Path::new(GENERAL.name) && !path.exists()
}

/// Opens the one of general entities.
pub(crate) fn general() -> Result<KnowledgeBase, Error> {
    GENERAL.open()
}

/// Returns the concepts of all of them.
pub(crate) fn concepts() -> Result<Vec<Concept>, Error> {
    let all = [MESH.concepts()?, GENERAL.concepts()?];
    Ok(all.into_iter().flatten().collect())
}

/// Returns a hash of the contents of all of them.
pub(crate) fn version() -> u64 {
    stable_hash(&format!("{} {}", MESH.content_version(), GENERAL.content_version()))
}

impl Bundled {
    fn concepts(&self) -> Result<Vec<Concept>, Error> {
        Ok(read_bytes(self.content, Format::Jsonl, &ImportOptions::default())?.concepts)
    }

    /// Unpacks it into the user's cache on first use, or into a private temporary folder if the cache cannot be written.
    fn open(&self) -> Result<KnowledgeBase, Error> {
        let unpack = |path: &Path| {
            let kb = KnowledgeBase::create(self.concepts()?, path)?;
            if let Some(recognizer) = self.recognizer.map(bundled_models::recognizer).transpose()?.flatten() {
                kb.attach_recognizer(&recognizer)?;
            }
            kb.close();
            Ok(())
        };
        open_or_make(&format!("{}-{:016x}", self.name, self.version()), |path| KnowledgeBase::open(path), unpack)
    }

    /// Returns a hash of the contents, program version and store format; any change unpacks anew.
    fn version(&self) -> u64 {
        let recognizer = self.recognizer.and_then(bundled_models::version_of);
        let recognizer = recognizer.map_or_else(String::new, |version| format!(" {version:x}"));
        stable_hash(&format!("{} {}{recognizer}", self.content_version(), truename_kb::FORMAT))
    }

    /// Returns the program version, and size and checksum of the content.
    fn content_version(&self) -> String {
        let size = self.content.len();
        format!("{} {size} {:?}", env!("CARGO_PKG_VERSION"), &self.content[size.saturating_sub(8)..])
    }
}
