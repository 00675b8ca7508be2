//! Checksums of a store's file as of its last commit, kept beside it in `data.sum`.
//!
//! They cover the pages that the committed state uses, a megabyte at a time. A commit of LMDB never writes to
//! those, so they hold while the next transaction is being written and after it was cut off. The two meta pages
//! are kept as they are, which tells a commit from a changed byte. Bytes that no state uses have a sum of their
//! own: an interrupted transaction may leave anything there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, HintPart, hint};
use truename_files::{Partial, open_regular};
use truename_storage::damaged_in;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::pages::{COMMITTED, Meta, free_pages, newest, read_metas};
use crate::{Error, error};

/// Begins the file; the number is the version of its layout.
const MAGIC: &[u8; 8] = b"tnsums01";
/// Bytes under one sum.
const CHUNK: u64 = 1 << 20;
/// Largest file of sums, in bytes. At most every second page of the largest store (64 GiB) begins a free run, of eight bytes.
const MOST_BYTES: u64 = 1 << 27;
/// A writer may replace the sums while they are compared; so often the comparison begins again.
const ATTEMPTS: usize = 5;
/// Time for a meta page that is just being written.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checksums {
    metas: [Vec<u8>; 2],
    /// Hash of the bytes in use of each chunk.
    used: Vec<u64>,
    /// Sum of the hashes of each chunk's bytes that are not in use.
    unused: u64,
    /// Runs of pages that are not in use, each with the page after its last.
    free: Vec<(u64, u64)>,
    /// Bytes of the file.
    length: u64,
}

/// Result of comparing an undamaged store with its checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Every byte is as it was after the last commit.
    Intact,
    /// Every byte in use is; others differ, as after an interrupted write.
    UnusedDiffers,
    /// The process was killed between its commit and the writing of the sums. The pages of the state before are
    /// intact; pages of the last commit cannot be compared.
    LastCommitWithoutSums,
    /// There are no sums: an older version of Truename wrote the store last.
    NoSums,
}

/// The meta pages compared with those in the sums.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Same,
    /// A commit later.
    OneLater,
    /// Several commits later, by a program that writes no sums.
    Later,
    /// Changed from outside; the place of the first byte that differs.
    Damaged(u64),
}

pub(crate) fn path_of(folder: &Path) -> PathBuf {
    folder.join("data.sum")
}

/// Writes the sums of the committed state. The caller must hold the write lock.
pub(crate) fn write(folder: &Path) -> io::Result<()> {
    write_for(&folder.join("data.mdb"), &path_of(folder))
}

/// As [`write`], for a file of any name.
pub(crate) fn write_for(data: &Path, sums: &Path) -> io::Result<()> {
    let mut file = open_regular(data, File::options().read(true))?;
    let metas = read_metas(&mut file, None)?;
    let Some(meta) = newest(&metas) else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut free: Vec<(u64, u64)> = Vec::new();
    for page in free_pages(&mut file, &meta)? {
        match free.last_mut() {
            Some((_, end)) if *end == page => *end += 1,
            _ => free.push((page, page + 1)),
        }
    }
    let length = file.metadata()?.len();
    let mut sums_of = Checksums { metas, used: Vec::new(), unused: 0, free, length };
    (sums_of.used, sums_of.unused) = sums_of.scan(data, &meta, length)?;
    let body = postcard::to_stdvec(&sums_of).map_err(io::Error::other)?;
    // The caller's lock keeps other writers from this name.
    let partial = Partial::create(sums.with_extension("sum.partial"))?;
    std::fs::write(partial.path(), [&MAGIC[..], &xxh3_64(&body).to_le_bytes(), &body].concat())?;
    partial.replace(sums)
}

/// Compares the file with its sums, without LMDB.
///
/// # Errors
/// [`Error::is_damaged`] if they differ.
pub(crate) fn compare(folder: &Path) -> Result<Comparison, Error> {
    undisturbed(folder, |sums| {
        let data = folder.join("data.mdb");
        let (standing, length) = sums.standing(&data).map_err(|source| error::io("read", &data, source))?;
        if let Standing::Damaged(at) = standing {
            return Err(changed(folder, at));
        }
        if standing == Standing::Later {
            return Ok(Comparison::NoSums);
        }
        let Some(meta) = newest(&sums.metas) else { return Err(unreadable(folder)) };
        let needed = (meta.last_page + 1) * meta.page_size;
        if length < needed {
            return Err(damaged_in(folder, format!("data.mdb is cut off: it has {length} bytes of {needed}")));
        }
        let (used, unused) = sums.scan(&data, &meta, length).map_err(|source| error::io("read", &data, source))?;
        let differ: Vec<u64> =
            (0..).zip(sums.used.iter().zip(&used)).filter(|(_, (was, is))| was != is).map(|(chunk, _)| chunk).collect();
        match differ.as_slice() {
            [] if standing == Standing::OneLater => Ok(Comparison::LastCommitWithoutSums),
            [] if unused == sums.unused && length == sums.length => Ok(Comparison::Intact),
            [] => Ok(Comparison::UnusedDiffers),
            [first, others @ ..] => {
                let (start, end) = (first * CHUNK, ((first + 1) * CHUNK).min(needed));
                let others = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
                let place = format!("bytes {start} to {end} of data.mdb differ from the last commit{others}");
                Err(damaged_in(folder, place))
            }
        }
    })
    .map(|compared| compared.unwrap_or(Comparison::NoSums))
}

/// Compares the meta pages alone, which costs nothing, before LMDB believes them.
///
/// # Errors
/// [`Error::is_damaged`] if they differ in another way than by a commit.
pub(crate) fn compare_metas(folder: &Path) -> Result<(), Error> {
    // A reader can do without sums.
    if read(folder).is_err() {
        return Ok(());
    }
    let compared = undisturbed(folder, |sums| match sums.standing(&folder.join("data.mdb")) {
        Ok((Standing::Damaged(at), _)) => Err(changed(folder, at)),
        _ => Ok(()),
    });
    compared.map(|_| ())
}

/// Returns a hash of the committed state by its sums, without reading the file.
///
/// # Errors
/// If the sums are missing or those of an earlier commit, or the meta pages differ from them in another way.
pub(crate) fn fingerprint(folder: &Path) -> Result<u64, Error> {
    let data = folder.join("data.mdb");
    let found =
        undisturbed(folder, |sums| match sums.standing(&data).map_err(|source| error::io("read", &data, source))?.0 {
            Standing::Same => sums.fingerprint().ok_or_else(|| unreadable(&path_of(folder))),
            Standing::Damaged(at) => Err(changed(folder, at)),
            Standing::OneLater | Standing::Later => Err(error::without_sums(folder)),
        })?;
    found.ok_or_else(|| error::without_sums(folder))
}

/// Copies the state that a transaction committed to another folder, with sums of the copy; pages that are not in use are zeros there.
/// Returns false where the sums are of another state. A reader of the state must keep its pages from being used anew.
///
/// # Errors
/// [`Error::is_damaged`] if a page differs from the sums; or if the copy cannot be written.
pub(crate) fn copy(folder: &Path, transaction: u64, to: &Path) -> Result<bool, Error> {
    let Some(sums) = read(folder)? else { return Err(error::without_sums(folder)) };
    let Some(meta) = newest(&sums.metas) else { return Err(unreadable(&path_of(folder))) };
    if meta.transaction != transaction {
        return Ok(false);
    }
    let (data, copy) = (folder.join("data.mdb"), to.join("data.mdb"));
    sums.copy_pages(&meta, &data, &copy).and_then(|()| write(to)).map_err(|source| error::io("copy", &data, source))?;
    if read(to)?.and_then(|copied| copied.fingerprint()) == sums.fingerprint() {
        return Ok(true);
    }
    compare(folder)?;
    Err(damaged_in(folder, "data.mdb was changed while it was copied"))
}

/// Runs a comparison, and runs it again where it failed and the sums were replaced meanwhile.
fn undisturbed<T>(folder: &Path, compare: impl Fn(&Checksums) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let mut attempt = 1;
    loop {
        let Some(sums) = read(folder)? else { return Ok(None) };
        let compared = compare(&sums);
        if compared.is_ok() {
            return compared.map(Some);
        }
        if attempt == ATTEMPTS || read(folder)?.as_ref() == Some(&sums) {
            return compared.map(Some);
        }
        attempt += 1;
    }
}

fn read(folder: &Path) -> Result<Option<Checksums>, Error> {
    let path = path_of(folder);
    let failed = |source| error::io("read", &path, source);
    let mut bytes = Vec::new();
    match open_regular(&path, File::options().read(true)) {
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed)?.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?,
    };
    let parsed = || {
        let (sum, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        (u64::from_le_bytes(*sum) == xxh3_64(body)).then(|| postcard::from_bytes(body).ok())?
    };
    parsed().map(Some).ok_or_else(|| unreadable(&path))
}

/// The error of a byte of a meta page that no commit changed.
fn changed(folder: &Path, at: u64) -> Error {
    damaged_in(folder, format!("byte {at} of data.mdb differs from the last commit"))
}

fn unreadable(path: &Path) -> Error {
    let (path, check) = (path.display(), HintPart::action("kb check"));
    let advice =
        hint![format!("remove {path}; "), check, " then reads every record, and the next write makes new checksums",];
    let message = format!("{path} is damaged, so that data.mdb beside it cannot be checked");
    Error::new(ErrorKind::Damaged, message).with_hint(advice)
}

impl Checksums {
    /// Returns a hash of the committed state: of the sums of its pages and of what a commit writes, but for the size of the map, which
    /// depends on the machine.
    fn fingerprint(&self) -> Option<u64> {
        let Meta { page_size, last_page, transaction, root, .. } = newest(&self.metas)?;
        let mut hash = Xxh3::new();
        for number in [page_size, last_page, transaction, root].iter().chain(&self.used) {
            hash.update(&number.to_le_bytes());
        }
        Some(hash.digest())
    }

    /// Writes a new file with the meta pages of the sums and the pages in use.
    fn copy_pages(&self, meta: &Meta, data: &Path, copy: &Path) -> io::Result<()> {
        let mut data = open_regular(data, File::options().read(true))?;
        let mut copy = File::create_new(copy)?;
        copy.set_len((meta.last_page + 1) * meta.page_size)?;
        copy.write_all(&self.metas.concat())?;
        let mut page = 2;
        while page <= meta.last_page {
            let (is_used, until) = self.run(meta, page);
            let until = until.min(meta.last_page + 1);
            if is_used {
                let start = SeekFrom::Start(page * meta.page_size);
                data.seek(start)?;
                copy.seek(start)?;
                io::copy(&mut (&mut data).take((until - page) * meta.page_size), &mut copy)?;
            }
            page = until;
        }
        Ok(())
    }

    /// Reads the meta pages again; returns how they stand, and the length of the file.
    fn standing(&self, data: &Path) -> io::Result<(Standing, u64)> {
        let mut file = open_regular(data, File::options().read(true))?;
        let length = file.metadata()?.len();
        let size = self.metas[0].len() as u64;
        if length < 2 * size {
            return Ok((Standing::Damaged(length), length));
        }
        let standing = self.compare_metas(&read_metas(&mut file, Some(size))?, length);
        if !matches!(standing, Standing::Damaged(_)) {
            return Ok((standing, length));
        }
        std::thread::sleep(PAUSE);
        Ok((self.compare_metas(&read_metas(&mut file, Some(size))?, length), length))
    }

    fn compare_metas(&self, metas: &[Vec<u8>; 2], length: u64) -> Standing {
        let differing: Vec<usize> = (0..2).filter(|page| metas[*page] != self.metas[*page]).collect();
        let Some(first) = differing.first() else { return Standing::Same };
        let is_commit = |page: &usize| self.is_commit(*page, &metas[*page], length);
        match differing.len() {
            1 if is_commit(first) => Standing::OneLater,
            2 if differing.iter().all(is_commit) => Standing::Later,
            _ => {
                let changed = differing.iter().copied().find(|page| !is_commit(page)).unwrap_or(*first);
                let size = self.metas[changed].len();
                let at = (0..size).find(|at| metas[changed][*at] != self.metas[changed][*at]).unwrap_or(0);
                Standing::Damaged((changed * size + at) as u64)
            }
        }
    }

    /// Returns true if a later commit wrote a meta page that differs: with a later number, of the parity of the
    /// page, and another root, in the bytes that commits write.
    fn is_commit(&self, page: usize, now: &[u8], length: u64) -> bool {
        let was = &self.metas[page];
        let around = |bytes: &[u8]| [&bytes[..COMMITTED.start], &bytes[COMMITTED.end..]].concat();
        let (Some(then), Some(meta)) = (newest(&self.metas), Meta::parse(now)) else { return false };
        let roots = self.metas.iter().filter_map(|meta| Meta::parse(meta)).map(|meta| meta.root);
        around(was) == around(now)
            && meta.page_size == then.page_size
            && meta.transaction > then.transaction
            && meta.transaction - then.transaction <= u64::from(u32::MAX)
            && meta.transaction % 2 == page as u64
            && meta.last_page < length / meta.page_size
            && roots.into_iter().all(|root| root != meta.root)
    }

    /// Hashes the file: each chunk's bytes in use, and all that are not in use.
    fn scan(&self, data: &Path, meta: &Meta, length: u64) -> io::Result<(Vec<u64>, u64)> {
        let hashed = (0..length.div_ceil(CHUNK)).into_par_iter().map_init(
            || (open_regular(data, File::options().read(true)), Vec::new()),
            |(file, bytes), chunk| {
                let file = file.as_mut().map_err(|source| io::Error::new(source.kind(), source.to_string()))?;
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(length);
                bytes.resize((range.end - range.start) as usize, 0);
                file.seek(SeekFrom::Start(range.start))?;
                file.read_exact(bytes)?;
                Ok(self.hash(meta, chunk, range.start, bytes))
            },
        );
        let hashed: Vec<(u64, u64)> = hashed.collect::<io::Result<_>>()?;
        let unused = hashed.iter().fold(0u64, |sum, (_, unused)| sum.wrapping_add(*unused));
        let in_use = ((meta.last_page + 1) * meta.page_size).div_ceil(CHUNK) as usize;
        Ok((hashed.into_iter().map(|(used, _)| used).take(in_use).collect(), unused))
    }

    fn hash(&self, meta: &Meta, chunk: u64, start: u64, bytes: &[u8]) -> (u64, u64) {
        let (mut used, mut unused, mut any_unused) = (Xxh3::new(), Xxh3::with_seed(chunk), false);
        let end = start + bytes.len() as u64;
        let mut at = start.max(2 * meta.page_size);
        while at < end {
            let (is_used, until) = self.run(meta, at / meta.page_size);
            let until = until.saturating_mul(meta.page_size).min(end);
            let piece = &bytes[(at - start) as usize..(until - start) as usize];
            if is_used {
                used.update(piece);
            } else {
                unused.update(piece);
                any_unused = true;
            }
            at = until;
        }
        (used.digest(), if any_unused { unused.digest() } else { 0 })
    }

    /// Returns true for a page in use, and the first page after it for which that differs.
    fn run(&self, meta: &Meta, page: u64) -> (bool, u64) {
        if page > meta.last_page {
            return (false, u64::MAX);
        }
        let next = self.free.partition_point(|(_, end)| *end <= page);
        match self.free.get(next) {
            Some((start, end)) if *start <= page => (false, *end),
            Some((start, _)) => (true, *start),
            None => (true, meta.last_page + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Concept, Store};

    fn store(folder: &Path) -> Store {
        let store = Store::create(folder).unwrap();
        let concepts = |from: u32, to: u32| -> Vec<Concept> {
            (from..to).map(|n| Concept::new(format!("A:{n}").parse().unwrap(), format!("name {n}"))).collect()
        };
        let mut write = store.write().unwrap();
        store.fill(&mut write, concepts(0, 2000)).unwrap();
        store.commit(write).unwrap();
        // Leaves free pages.
        let mut write = store.write().unwrap();
        let removed: Vec<_> = (0..500).map(|n| format!("A:{n}").parse().unwrap()).collect();
        store.apply(&mut write, concepts(2000, 2100), &removed).unwrap();
        store.commit(write).unwrap();
        store
    }

    /// Changes a byte, looks, and changes it back.
    fn with_changed(folder: &Path, at: usize, change: u8) -> Result<Comparison, Error> {
        let data = folder.join("data.mdb");
        let mut bytes = std::fs::read(&data).unwrap();
        bytes[at] ^= change;
        std::fs::write(&data, &bytes).unwrap();
        let compared = compare(folder);
        bytes[at] ^= change;
        std::fs::write(&data, &bytes).unwrap();
        compared
    }

    #[test]
    fn a_changed_byte_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path()).close();
        assert_eq!(compare(folder.path()).unwrap(), Comparison::Intact);
        let length = std::fs::metadata(folder.path().join("data.mdb")).unwrap().len() as usize;
        let sums = read(folder.path()).unwrap().unwrap();
        let meta = newest(&sums.metas).unwrap();
        assert!(!sums.free.is_empty());
        for at in (0..length).step_by(9973).chain((0..160).step_by(3)).chain((4096..4256).step_by(3)) {
            let page = at as u64 / meta.page_size;
            match with_changed(folder.path(), at, 1 << (at % 8)) {
                Ok(Comparison::UnusedDiffers) => assert!(page >= 2 && !sums.run(&meta, page).0, "byte {at}"),
                Err(error) => {
                    assert!(error.is_damaged() && (page < 2 || sums.run(&meta, page).0), "byte {at}: {error}")
                }
                other => panic!("byte {at}: {other:?}"),
            }
        }
        assert_eq!(compare(folder.path()).unwrap(), Comparison::Intact);
    }

    #[test]
    fn a_file_of_another_length_is_found() {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path()).close();
        let data = folder.path().join("data.mdb");
        let bytes = std::fs::read(&data).unwrap();
        std::fs::write(&data, [bytes.as_slice(), b"more"].concat()).unwrap();
        assert_eq!(compare(folder.path()).unwrap(), Comparison::UnusedDiffers);
        for kept in [bytes.len() - 1, bytes.len() / 2, 5000, 10] {
            std::fs::write(&data, &bytes[..kept]).unwrap();
            assert!(compare(folder.path()).unwrap_err().is_damaged(), "{kept}");
        }
    }

    #[test]
    fn a_copy_is_the_state_that_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder.path().join("kb"));
        let copied = |name: &str| {
            let copy = folder.path().join(name);
            store.copy(&copy).map(|()| (compare(&copy).unwrap(), fingerprint(&copy).unwrap()))
        };
        let before = store.fingerprint().unwrap();
        // A reader keeps the pages of its state; the copy is of the last one all the same.
        let _reader = store.snapshot().unwrap();
        assert_eq!(copied("first").unwrap(), (Comparison::Intact, before));
        let mut write = store.write().unwrap();
        store.put_meta(&mut write, "fact", &[1; 30_000]).unwrap();
        assert_eq!(copied("under way").unwrap(), (Comparison::Intact, before));
        store.commit(write).unwrap();
        let after = store.fingerprint().unwrap();
        assert_ne!(after, before);
        assert_eq!(copied("second").unwrap(), (Comparison::Intact, after));
        let copy = Store::open(&folder.path().join("second")).unwrap();
        assert_eq!(copy.snapshot().unwrap().meta("fact").unwrap(), Some(&[1; 30_000][..]));
        // The transactions of a copy go on from there.
        let mut write = copy.write().unwrap();
        copy.put_meta(&mut write, "fact", &[2]).unwrap();
        copy.commit(write).unwrap();
        assert_eq!(compare(copy.path()).unwrap(), Comparison::Intact);
        let path = store.path().join("data.mdb");
        let mut bytes = std::fs::read(&path).unwrap();
        let sums = read(store.path()).unwrap().unwrap();
        let meta = newest(&sums.metas).unwrap();
        let used = (2..).find(|page| sums.run(&meta, *page).0).unwrap();
        bytes[(used * meta.page_size) as usize + 100] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(copied("third").unwrap_err().is_damaged());
    }

    #[test]
    fn a_state_without_sums_of_its_own_has_no_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let (sums, known) = (path_of(folder.path()), store.fingerprint().unwrap());
        let before = std::fs::read(&sums).unwrap();
        let mut write = store.write().unwrap();
        store.put_meta(&mut write, "fact", &[1]).unwrap();
        store.commit(write).unwrap();
        store.close();
        std::fs::write(&sums, before).unwrap();
        assert!(fingerprint(folder.path()).is_err());
        let store = Store::open(folder.path()).unwrap();
        // The next writer makes the sums of a commit that a killed one left without.
        assert_ne!(store.fingerprint().unwrap(), known);
        std::fs::remove_file(&sums).unwrap();
        let error = store.fingerprint().unwrap_err();
        assert!(error.hint().unwrap().to_string().starts_with("`kb compact"), "{error:?}");
    }

    #[test]
    fn a_commit_without_sums_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let sums = path_of(folder.path());
        let before = std::fs::read(&sums).unwrap();
        for (commits, expected) in [(1, Comparison::LastCommitWithoutSums), (2, Comparison::NoSums)] {
            let mut write = store.write().unwrap();
            store.put_meta(&mut write, "fact", &[commits; 3000]).unwrap();
            store.commit(write).unwrap();
            let after = std::fs::read(&sums).unwrap();
            std::fs::write(&sums, &before).unwrap();
            assert_eq!(compare(folder.path()).unwrap(), expected);
            std::fs::write(&sums, after).unwrap();
        }
        assert_eq!(compare(folder.path()).unwrap(), Comparison::Intact);
        std::fs::remove_file(&sums).unwrap();
        assert_eq!(compare(folder.path()).unwrap(), Comparison::NoSums);
        std::fs::write(&sums, &before[..before.len() - 1]).unwrap();
        assert!(compare(folder.path()).unwrap_err().to_string().contains("data.sum is damaged"));
    }
}
