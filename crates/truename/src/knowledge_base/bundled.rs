//! The bundled knowledge base: MeSH diseases and chemicals.

use std::path::Path;

use truename_kb::import::read_bytes;
use truename_kb::{Format, ImportOptions};
use truename_text::stable_hash;

use crate::cache::open_or_make;
use crate::{Error, KnowledgeBase};

/// MeSH descriptors of diseases and chemicals with names of MONDO, DOID and WordNet (`scripts/bundled_kb.py`), gzipped
/// JSONL. `kb/README.md` gives sources, licences and rules.
static MESH: &[u8] = include_bytes!("../../kb/mesh.jsonl.gz");

/// Opens the bundled knowledge base. Unpacks it into the user's cache on first use, or into a private
/// temporary folder if the cache cannot be written.
pub(crate) fn open() -> Result<KnowledgeBase, Error> {
    let unpack = |path: &Path| {
        let import = read_bytes(MESH, Format::Jsonl, &ImportOptions::default())?;
        KnowledgeBase::create(import.concepts, path)?.close();
        Ok(())
    };
    open_or_make(&format!("mesh-{:016x}", version()), |path| KnowledgeBase::open(path), unpack)
}

/// Returns a hash of the contents, program version and store format; any change unpacks anew.
fn version() -> u64 {
    let size = MESH.len();
    let checksum = &MESH[size.saturating_sub(8)..];
    let (program, format) = (env!("CARGO_PKG_VERSION"), truename_kb::FORMAT);
    stable_hash(&format!("{program} {format} {size} {checksum:?}"))
}
