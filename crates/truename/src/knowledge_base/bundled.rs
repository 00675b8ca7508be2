//! The bundled knowledge base: MeSH diseases and chemicals.

use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use truename_files::Partial;
use truename_kb::import::read_bytes;
use truename_kb::{Format, ImportOptions};
use truename_text::stable_hash;

use crate::{Error, KnowledgeBase, error};

/// MeSH descriptors of diseases and chemicals with names of MONDO, DOID and WordNet (`scripts/bundled_kb.py`), gzipped
/// JSONL. `kb/README.md` gives sources, licences and rules.
static MESH: &[u8] = include_bytes!("../../kb/mesh.jsonl.gz");

/// Opens the bundled knowledge base. Unpacks it into the user's cache on first use, or into a private temporary folder
/// if the cache cannot be written.
pub(crate) fn open() -> Result<KnowledgeBase, Error> {
    // Threads that open it at once unpack it only once.
    static UNPACKING: Mutex<()> = Mutex::new(());
    let _alone = UNPACKING.lock().unwrap_or_else(PoisonError::into_inner);
    let name = format!("mesh-{:016x}", version());
    let error = match open_in(&cache_folder(), &name) {
        Err(error) => error,
        opened => return opened,
    };
    let Ok(folder) = private_folder() else { return Err(error) };
    tracing::info!("{error}; the bundled knowledge base is unpacked into {}", folder.display());
    open_in(&folder, &name).map_err(|_| error)
}

fn open_in(folder: &Path, name: &str) -> Result<KnowledgeBase, Error> {
    let path = folder.join(name);
    KnowledgeBase::open(&path).or_else(|_| unpack(&path))
}

/// Returns a folder for temporary files that no other user can write to.
fn private_folder() -> std::io::Result<PathBuf> {
    // The owner of a new file is the current user; there is no other safe way to ask.
    let mine = tempfile::tempdir()?;
    let (path, builder) = private_name(mine.path())?;
    match builder.create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if is_private(&path, mine.path())? { Ok(path) } else { Err(std::io::ErrorKind::PermissionDenied.into()) }
}

#[cfg(unix)]
fn private_name(mine: &Path) -> std::io::Result<(PathBuf, DirBuilder)> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let user = std::fs::metadata(mine)?.uid();
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    Ok((std::env::temp_dir().join(format!("truename-{user}")), builder))
}

/// Returns whether a path is a folder of `mine`'s owner that nobody else can open; links are refused.
#[cfg(unix)]
fn is_private(path: &Path, mine: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (folder, mine) = (std::fs::symlink_metadata(path)?, std::fs::metadata(mine)?);
    Ok(folder.is_dir() && folder.uid() == mine.uid() && folder.mode() & 0o077 == 0)
}

/// Returns the folder to use; each user already has one for temporary files.
#[cfg(not(unix))]
fn private_name(_: &Path) -> std::io::Result<(PathBuf, DirBuilder)> {
    Ok((std::env::temp_dir().join("truename"), DirBuilder::new()))
}

#[cfg(not(unix))]
fn is_private(path: &Path, _: &Path) -> std::io::Result<bool> {
    Ok(std::fs::symlink_metadata(path)?.is_dir())
}

/// Returns a hash of the contents, program version and store format; any change unpacks anew.
fn version() -> u64 {
    let size = MESH.len();
    let checksum = &MESH[size.saturating_sub(8)..];
    stable_hash(&format!("{} {} {size} {checksum:?}", env!("CARGO_PKG_VERSION"), truename_kb::FORMAT))
}

fn unpack(path: &Path) -> Result<KnowledgeBase, Error> {
    let import = read_bytes(MESH, Format::Jsonl, &ImportOptions::default())?;
    // Each process builds its own copy; the first to finish puts it in place.
    let own = Partial::new(path.with_extension(std::process::id().to_string()));
    let built = KnowledgeBase::create(import.concepts, own.path());
    let moved = built.and_then(|built| {
        built.close();
        // An unreadable copy is replaced; if another process was faster, this one's rename fails.
        if KnowledgeBase::open(path).is_err() {
            let _ = std::fs::remove_dir_all(path);
        }
        own.replace(path).map_err(|source| error::io("write", path, source))
    });
    match moved {
        Err(error) if !path.join("data.mdb").is_file() => Err(error),
        _ => KnowledgeBase::open(path),
    }
}

/// Returns the folder for files that can be made or downloaded again: `$TRUENAME_CACHE`, else `truename` in the user's
/// cache folder, else a private temporary folder.
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
    match user {
        Some(user) => user.join("truename"),
        // A folder with a fixed name in /tmp could belong to another user.
        None => private_folder().unwrap_or_else(|_| std::env::temp_dir().join("truename")),
    }
}
