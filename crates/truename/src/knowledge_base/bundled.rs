//! The knowledge bases that are part of the program.

use std::path::{Path, PathBuf};

use truename_kb::import::read_bytes;
use truename_kb::{Format, ImportOptions};
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

/// Returns the folder of the one of general entities.
pub(crate) fn general() -> Result<PathBuf, Error> {
    Ok(GENERAL.open()?.path().to_owned())
}

impl Bundled {
    /// Unpacks it into the user's cache on first use, or into a private temporary folder if the cache cannot be written.
    fn open(&self) -> Result<KnowledgeBase, Error> {
        // Before the knowledge base, for one thing is unpacked at a time.
        let recognizer = self.recognizer.map(bundled_models::recognizer).transpose()?.flatten();
        let unpack = |path: &Path| {
            let import = read_bytes(self.content, Format::Jsonl, &ImportOptions::default())?;
            let kb = KnowledgeBase::create(import.concepts, path)?;
            if let Some(recognizer) = &recognizer {
                kb.attach_recognizer(recognizer)?;
            }
            kb.close();
            Ok(())
        };
        open_or_make(&format!("{}-{:016x}", self.name, self.version()), |path| KnowledgeBase::open(path), unpack)
    }

    /// Returns a hash of the contents, program version and store format; any change unpacks anew.
    fn version(&self) -> u64 {
        let size = self.content.len();
        let checksum = &self.content[size.saturating_sub(8)..];
        let (program, format) = (env!("CARGO_PKG_VERSION"), truename_kb::FORMAT);
        let recognizer = self.recognizer.map_or_else(String::new, |_| format!(" {:x}", bundled_models::version()));
        stable_hash(&format!("{program} {format} {size} {checksum:?}{recognizer}"))
    }
}
