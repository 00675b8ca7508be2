//! Packs: a knowledge base as one file, whose name ends with the hash of its bytes.
//!
//! A pack is a tar packed by zstd. It holds `data.mdb` and `data.sum` of one committed state, and the files of the models that are attached
//! in it; the same state makes the same pack. It is unpacked once into a folder of its own, by one process at a time.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};
use tar::{Archive, Builder, Entry, EntryType, Header};
use truename_error::{ErrorKind, HintPart, hint};
use truename_files::{Partial, open_regular, remove_remains};

use super::models::MODELS;
use super::{KnowledgeBase, bundled};
use crate::cache::cache_folder;
use crate::{Error, error};

/// Ends the name of a pack.
const EXTENSION: &str = ".tar.zst";
/// Digits of the hash in the name of a pack: the first half of a SHA-256.
const HASH_DIGITS: usize = 32;
/// Folder in the user's cache into which packs are unpacked.
const FOLDER: &str = "packs";
/// File that the process locks that unpacks into a folder; the system unlocks it when that process ends.
const LOCK: &str = ".lock";
/// Files of the store.
pub(super) const STORE: [&str; 2] = ["data.mdb", "data.sum"];
/// Level of zstd; higher ones take several times as long for a tenth of the size.
const LEVEL: i32 = 3;
/// Largest ratio of the unpacked size to that of the pack: stores shrink to a third, small ones to a twentieth.
const MAX_RATIO: u64 = 100;
/// Unpacked size in bytes that any pack may have, however small it is.
const ALWAYS_ALLOWED: u64 = 64 << 20;
/// Bytes that a file of a pack counts at least, since an empty one takes room too.
const FILE_BYTES: u64 = 4096;

impl KnowledgeBase {
    /// Writes the last committed state with its models to a file `NAME-HASH.tar.zst` in the folder `out`: the name of this folder, and the
    /// first 32 hexadecimal digits of the SHA-256 of the file. Returns its path. Writers go on meanwhile.
    ///
    /// # Errors
    /// If the checksums are not those of the last commit, the store differs from them, a model is missing or leads elsewhere, or the file
    /// cannot be written.
    pub fn pack(&self, out: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let out = out.as_ref();
        let failed = |source| error::io("write to", out, source);
        let folder = self.path().canonicalize().map_err(|source| error::io("open", self.path(), source))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        fs::create_dir_all(out).map_err(failed)?;
        let copy = Partial::beside(&out.join(&*name)).map_err(failed)?;
        self.store.copy(copy.path())?;
        let packed = Partial::beside(&out.join(format!("{name}{EXTENSION}"))).map_err(failed)?;
        let hash = write(&self.files(copy.path())?, packed.path())?;
        let target = out.join(format!("{name}-{hash}{EXTENSION}"));
        packed.replace(&target).map_err(|source| error::io("write", &target, source))?;
        Ok(target)
    }

    /// Returns the files of a state of this knowledge base that was copied: each with its place in a pack.
    fn files(&self, copy: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let mut files: Vec<_> = STORE.iter().map(|name| (name.into(), copy.join(name))).collect();
        let copied = Self::open(copy)?;
        for model in copied.models()? {
            files.extend(self.files_of(&model)?.into_iter().map(|file| (file.clone(), self.path().join(file))));
        }
        copied.close();
        Ok(files)
    }

    /// Unpacks a pack into a folder `NAME-HASH` in the folder `into`, without one in `packs` of the user's cache ([`cache_folder`]). Returns
    /// the folder, at once where it is there already. Of processes that unpack at the same time one does, and the others wait.
    ///
    /// # Errors
    /// If the bytes of the pack do not have the hash in its name, it holds anything but the files of a knowledge base or more than a hundred
    /// times its size, or the folder cannot be written. Nothing is left behind then.
    pub fn unpack(pack: impl AsRef<Path>, into: Option<&Path>) -> Result<PathBuf, Error> {
        let pack = pack.as_ref();
        let (name, hash) = name_and_hash(pack)?;
        let into = into.map_or_else(|| cache_folder().join(FOLDER), Path::to_owned);
        let target = into.join(name);
        let is_there = || target.join(STORE[0]).is_file();
        if is_there() {
            return Ok(target);
        }
        let failed = |source| error::io("write to", &into, source);
        fs::create_dir_all(&into).map_err(failed)?;
        let lock =
            open_regular(&into.join(LOCK), File::options().write(true).create(true).truncate(false)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        if is_there() {
            return Ok(target);
        }
        remove_remains(&into, |target| target == name).map_err(failed)?;
        let partial = Partial::beside(&target).map_err(failed)?;
        fs::create_dir(partial.path()).map_err(failed)?;
        extract(pack, hash, partial.path())?;
        partial.replace(&target).map_err(failed)?;
        Ok(target)
    }
}

/// Returns true if a path is named as a pack is, and no folder.
pub(super) fn is_pack(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(EXTENSION.as_bytes()) && !path.is_dir()
}

/// Returns the folder of a knowledge base; a pack, and one that is part of the program, is unpacked into the user's cache.
pub(super) fn folder_of(path: &Path) -> Result<PathBuf, Error> {
    match path {
        _ if is_pack(path) => KnowledgeBase::unpack(path, None),
        _ if bundled::is_general(path) => Ok(bundled::general()?.path().to_owned()),
        _ => Ok(path.to_owned()),
    }
}

/// Error of a change of a pack.
pub(super) fn not_written(pack: &Path) -> Error {
    if bundled::is_general(pack) {
        let copy = HintPart::action("kb pack").with("kb", pack.display()).with("out", "DIR");
        let message = format!("{} is part of the program, which is not written to", pack.display());
        return Error::new(ErrorKind::Other, message).with_hint(hint![
            copy,
            " and ",
            HintPart::action("kb unpack"),
            " copy it"
        ]);
    }
    let unpack = HintPart::action("kb unpack").value(pack.display()).with("out", "DIR");
    Error::new(ErrorKind::Other, format_args!("{} is a pack, which is not written to", pack.display()))
        .with_hint(hint![unpack, " makes a folder of it"])
}

/// Returns the name of the folder that a pack becomes, and the hash at its end.
fn name_and_hash(pack: &Path) -> Result<(&str, &str), Error> {
    let name = pack.file_name().and_then(|name| name.to_str()?.strip_suffix(EXTENSION));
    let is_hash = |text: &str| text.len() == HASH_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = name.and_then(|name| Some((name, name.rsplit_once('-')?.1)));
    parts.filter(|(_, hash)| is_hash(hash)).ok_or_else(|| {
        let message = format!("{} is not named as a pack is, NAME-HASH{EXTENSION}", pack.display());
        Error::new(ErrorKind::Damaged, message).with_hint("give it the name that it was packed with")
    })
}

/// Returns the largest size in bytes that a pack may unpack to.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED)
}

/// Passes bytes on, and hashes them.
struct Hashing<T> {
    inner: T,
    hash: Sha256,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    /// Returns the digits of the hash that stand in the name of a pack.
    fn digits(self) -> String {
        self.hash.finalize().iter().take(HASH_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// Writes files, each with its place, as a pack. Returns the digits of its hash.
fn write(files: &[(PathBuf, PathBuf)], pack: &Path) -> Result<String, Error> {
    let failed = |source| error::io("write", pack, source);
    let file = File::create_new(pack).map_err(failed)?;
    let mut tar = Builder::new(zstd::Encoder::new(Hashing::new(file), LEVEL).map_err(failed)?);
    let mut unpacked = 0;
    for (place, path) in files {
        unpacked += append(&mut tar, place, path).map_err(|source| error::io("pack", path, source))?.max(FILE_BYTES);
    }
    let hashing = tar.into_inner().and_then(zstd::Encoder::finish).map_err(failed)?;
    let packed = hashing.inner.metadata().map_err(failed)?.len();
    if unpacked > most_unpacked(packed) {
        let message = format!("the pack has {packed} bytes and would unpack to {unpacked}, which is refused as a bomb");
        let compact = HintPart::action("kb compact").with("kb", "DIR");
        return Err(Error::new(ErrorKind::Other, message).with_hint(hint![compact, " frees unused bytes"]));
    }
    Ok(hashing.digits())
}

/// Appends a file. Returns its size. Owner, time and permissions are those of no machine.
fn append(tar: &mut Builder<impl Write>, place: &Path, path: &Path) -> io::Result<u64> {
    let mut file = open_regular(path, File::options().read(true))?;
    let bytes = file.metadata()?.len();
    let mut header = Header::new_ustar();
    header.set_path(place)?;
    header.set_size(bytes);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    tar.append(&header, (&mut file).take(bytes))?;
    if file.stream_position()? == bytes { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Unpacks the files of a pack into an empty folder, and compares the hash of the pack.
fn extract(pack: &Path, hash: &str, into: &Path) -> Result<(), Error> {
    let unread = |source| error::io("read", pack, source);
    let file = File::open(pack).map_err(unread)?;
    let metadata = file.metadata().map_err(unread)?;
    if !metadata.is_file() {
        return Err(unread(io::Error::other("it is no file")));
    }
    let mut hashing = Hashing::new(file);
    let extracted = extract_files(&mut hashing, most_unpacked(metadata.len()), into);
    io::copy(&mut hashing, &mut io::sink()).map_err(unread)?;
    let found = hashing.digits();
    if !found.eq_ignore_ascii_case(hash) {
        let message = format!("{} is not whole or was changed: the hash of its bytes is {found}", pack.display());
        return Err(Error::new(ErrorKind::Damaged, message)
            .with_hint("copy the pack again, under the name that it was packed with"));
    }
    extracted.map_err(|source| match error::io("unpack", pack, source) {
        full if full.kind() == ErrorKind::Full => full,
        damaged => damaged.of_kind(ErrorKind::Damaged),
    })
}

fn extract_files(pack: &mut impl Read, limit: u64, into: &Path) -> io::Result<()> {
    // The files have at most the limit, and padding as much again.
    let mut tar = Archive::new(zstd::Decoder::new(pack)?.take(limit.saturating_mul(2)));
    let mut unpacked = 0u64;
    // As they are: a header that describes the next one is refused as any other that is of no file.
    for entry in tar.entries()?.raw(true) {
        let mut entry = entry?;
        let path = into.join(place(&entry)?);
        unpacked = unpacked.saturating_add(entry.size().max(FILE_BYTES));
        if unpacked > limit {
            return Err(io::Error::other(format!(
                "it would unpack to {unpacked} bytes; {limit} are the most for its size"
            )));
        }
        fs::create_dir_all(path.parent().unwrap_or(into))?;
        let mut file = File::create_new(path)?;
        if io::copy(&mut entry, &mut file)? != entry.size() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.sync_all()?;
    }
    if into.join(STORE[0]).is_file() { Ok(()) } else { Err(io::Error::other(format!("it holds no {}", STORE[0]))) }
}

/// Returns the place of a file in the folder of a knowledge base.
fn place<R: Read>(entry: &Entry<'_, R>) -> io::Result<PathBuf> {
    let path = entry.path()?.into_owned();
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let is_known = STORE.iter().any(|name| path == Path::new(name)) || path.starts_with(MODELS);
    match is_inside && is_known && entry.header().entry_type() == EntryType::Regular {
        true => Ok(path),
        false => Err(io::Error::other(format!("it holds {path:?}, which is no file of a knowledge base"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Concept;

    /// A knowledge base of some concepts in a folder `kb`.
    fn kb(folder: &Path) -> KnowledgeBase {
        let concepts = (0..200).map(|n| Concept::new(format!("A:{n}").parse().unwrap(), format!("name {n}"))).collect();
        KnowledgeBase::create(concepts, &folder.join("kb")).unwrap()
    }

    /// Names in a folder but for the lock.
    fn names(folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != LOCK).collect();
        names.sort();
        names
    }

    /// Writes entries as a pack of the right hash, with their types, paths, stated sizes and contents.
    fn packed(folder: &Path, entries: &[(EntryType, &[u8], u64, &[u8])]) -> PathBuf {
        let mut tar = Vec::new();
        for (kind, path, size, content) in entries {
            let mut header = Header::new_gnu();
            header.as_old_mut().name[..path.len()].copy_from_slice(path);
            header.set_entry_type(*kind);
            header.set_size(*size);
            header.set_cksum();
            tar.extend(header.as_bytes());
            tar.extend(*content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
        let mut hashing = Hashing::new(Vec::new());
        hashing.write_all(&zstd::encode_all(&tar[..], 1).unwrap()).unwrap();
        let bytes = hashing.inner.clone();
        let path = folder.join(format!("evil-{}{EXTENSION}", hashing.digits()));
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_pack_is_unpacked_to_the_same_state() {
        let folder = tempfile::tempdir().unwrap();
        let (kb, out, into) = (kb(folder.path()), folder.path().join("out"), folder.path().join("into"));
        let pack = kb.pack(&out).unwrap();
        assert_eq!(kb.pack(&out).unwrap(), pack, "the same state makes the same pack");
        assert_eq!(names(&out).len(), 1, "{:?}", names(&out));
        let unpacked = KnowledgeBase::unpack(&pack, Some(&into)).unwrap();
        let opened = KnowledgeBase::open(&unpacked).unwrap();
        assert_eq!(opened.fingerprint().unwrap(), kb.fingerprint().unwrap());
        assert!(opened.concept(&"A:7".parse().unwrap()).is_ok());
        assert_eq!(KnowledgeBase::check(&unpacked, false).unwrap(), crate::Comparison::Intact);
        assert!(pack.ends_with(format!("{}{EXTENSION}", names(&into)[0])));
        // What is there already is not unpacked again.
        fs::remove_file(&pack).unwrap();
        assert_eq!(KnowledgeBase::unpack(&pack, Some(&into)).unwrap(), unpacked);
    }

    #[test]
    fn a_pack_that_was_changed_cut_or_renamed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (into, pack) = (folder.path().join("into"), kb(folder.path()).pack(folder.path()).unwrap());
        let whole = fs::read(&pack).unwrap();
        let unpack = |bytes: &[u8]| {
            fs::write(&pack, bytes).unwrap();
            let refused = KnowledgeBase::unpack(&pack, Some(&into)).unwrap_err();
            assert!(refused.is_damaged() && refused.to_string().contains("is not whole or was changed"), "{refused}");
            assert!(refused.hint().is_some());
            assert_eq!(names(&into), [""; 0]);
        };
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            unpack(&changed);
            unpack(&whole[..at]);
        }
        unpack(&[&whole[..], b"more"].concat());
        fs::write(&pack, &whole).unwrap();
        for name in ["kb.tar.zst", "kb-0123.tar.zst", "kb-0123456789abcdef0123456789abcdeg.tar.zst"] {
            let renamed = folder.path().join(name);
            fs::copy(&pack, &renamed).unwrap();
            let refused = KnowledgeBase::unpack(&renamed, Some(&into)).unwrap_err();
            assert!(refused.to_string().contains("is not named as a pack is"), "{refused}");
        }
        let other = folder.path().join("kb-0123456789abcdef0123456789abcdef.tar.zst");
        fs::rename(&pack, &other).unwrap();
        assert!(KnowledgeBase::unpack(&other, Some(&into)).unwrap_err().is_damaged());
        assert_eq!(names(&into), [""; 0]);
    }

    #[test]
    fn a_pack_that_leads_elsewhere_or_is_a_bomb_is_refused() {
        use EntryType::{Char, Continuous, Directory, Fifo, GNULongName, GNUSparse, Link, Regular, Symlink, XHeader};
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("into");
        let refused = |entries: &[(EntryType, &[u8], u64, &[u8])]| {
            let error = KnowledgeBase::unpack(packed(folder.path(), entries), Some(&into)).unwrap_err();
            assert!(error.is_damaged() && error.to_string().starts_with("cannot unpack "), "{error}");
            assert_eq!(names(&into), [""; 0]);
            std::error::Error::source(&error).unwrap().to_string()
        };
        let store = (Regular, &b"data.mdb"[..], 2, &b"ok"[..]);
        for path in
            ["../data.mdb", "/data.mdb", "models/../../x", "models/./../x", "other", "data.mdb/x", "lock.mdb", ""]
        {
            let why = refused(&[store, (Regular, path.as_bytes(), 1, b"x")]);
            assert!(why.contains("which is no file of a knowledge base"), "{path}: {why}");
        }
        for kind in [Symlink, Link, Directory, Char, Fifo, GNUSparse, GNULongName, XHeader, Continuous] {
            let why = refused(&[store, (kind, b"models/x", 0, b"")]);
            assert!(why.contains("which is no file of a knowledge base"), "{kind:?}: {why}");
        }
        let zeros = vec![0; (ALWAYS_ALLOWED + 1) as usize];
        let why = refused(&[store, (Regular, b"models/zeros", zeros.len() as u64, &zeros)]);
        assert!(why.contains("are the most for its size"), "{why}");
        assert!(refused(&[store, (Regular, b"models/x", u64::from(u32::MAX), b"x")]).contains("are the most"));
        assert!(refused(&[store, (Regular, b"models/x", 5000, b"x")]).contains("end of file"));
        refused(&[store, store]);
        assert_eq!(refused(&[(Regular, b"models/x", 1, b"x")]), "it holds no data.mdb");
        assert_eq!(refused(&[]), "it holds no data.mdb");
        assert!(!folder.path().join("data.mdb").exists() && !folder.path().join("x").exists());
    }

    #[test]
    fn a_pack_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let pack = kb(folder.path()).pack(folder.path()).unwrap();
        assert!(is_pack(&pack) && !is_pack(&folder.path().join("kb")));
        let unpacked = KnowledgeBase::unpack(&pack, Some(folder.path())).unwrap();
        let opened = KnowledgeBase { pack: Some(pack.clone()), ..KnowledgeBase::open(unpacked).unwrap() };
        let removed = ["A:1".parse().unwrap()];
        let refused = opened.update(&[], &removed, &crate::ImportOptions::default()).unwrap_err();
        let hint = refused.hint().unwrap().to_string();
        assert!(refused.to_string().ends_with("which is not written to") && hint.contains("kb unpack"), "{hint}");
        assert!(KnowledgeBase::compact(&pack).unwrap_err().to_string().ends_with("which is not written to"));
    }
}
