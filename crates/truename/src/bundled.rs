//! The knowledge base that comes with Truename: MeSH diseases and chemicals.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::GzDecoder;
use truename_kb::import::read_bytes;
use truename_kb::{Format, ImportOptions};
use truename_text::stable_hash;

use crate::{Error, KnowledgeBase};

/// MeSH descriptors of diseases and chemicals with names of MONDO, DOID and WordNet (`scripts/bundled_kb.py`), gzipped
/// JSONL. `kb/README.md` gives the sources, their licences and the rules.
static MESH: &[u8] = include_bytes!("../../../kb/mesh.jsonl.gz");

/// Opens it, unpacking it into the user's cache where it is not there yet.
pub(crate) fn open() -> Result<KnowledgeBase, Error> {
    // Threads that open it for the first time at once unpack it once.
    static UNPACKING: Mutex<()> = Mutex::new(());
    let _alone = UNPACKING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = cache_folder().join(format!("mesh-{:016x}", version()));
    match KnowledgeBase::open(&path) {
        Err(_) => unpack(&path),
        opened => opened,
    }
}

/// The contents and the program and layout that indexed them: a new version of any unpacks anew.
fn version() -> u64 {
    let size = MESH.len();
    let checksum = &MESH[size.saturating_sub(8)..];
    stable_hash(&format!("{} {} {size} {checksum:?}", env!("CARGO_PKG_VERSION"), truename_kb::FORMAT))
}

fn unpack(path: &Path) -> Result<KnowledgeBase, Error> {
    let mut text = Vec::new();
    GzDecoder::new(MESH).read_to_end(&mut text).map_err(|source| Error::io("unpack", path, source))?;
    let import = read_bytes(&text, Format::Jsonl, &ImportOptions::default())?;
    // Each process builds its own copy; the first to finish puts it in place.
    let own = path.with_extension(std::process::id().to_string());
    let built = KnowledgeBase::create(import.concepts, &own);
    let moved = built.and_then(|built| {
        built.close();
        // What is there cannot be opened, or another process was faster; then this one's rename fails.
        if KnowledgeBase::open(path).is_err() {
            let _ = std::fs::remove_dir_all(path);
        }
        std::fs::rename(&own, path).map_err(|source| Error::io("write", path, source))
    });
    let _ = std::fs::remove_dir_all(&own);
    match moved {
        Err(error) if !path.join("data.mdb").is_file() => Err(error),
        _ => KnowledgeBase::open(path),
    }
}

/// Where what can be made or fetched again is kept: `$TRUENAME_CACHE`, or `truename` in the user's cache folder.
pub fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("TRUENAME_CACHE") {
        return folder;
    }
    let user = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    user.unwrap_or_else(std::env::temp_dir).join("truename")
}
