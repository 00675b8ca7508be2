//! Contents copied with a bound on their size, counted and hashed, and the check of the stated hash.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use truename_error::ErrorKind;

use crate::{Error, Progress};

/// Maximum size of a downloaded file in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 30;

/// Contents to write.
pub(crate) struct Contents<'a> {
    /// Name for messages.
    pub(crate) name: &'a str,
    /// Exact size in bytes, if stated.
    pub(crate) bytes: Option<u64>,
    pub(crate) reader: &'a mut dyn Read,
}

/// Size and hash of written contents.
pub(crate) struct FileDigest {
    pub(crate) bytes: u64,
    /// SHA-256 in lower-case hexadecimal digits.
    pub(crate) sha256: String,
}

impl Contents<'_> {
    /// Writes all contents, at most the stated size, to a file, or nowhere to check them.
    ///
    /// `broken` creates the error of a failed read.
    pub(crate) fn write(
        self,
        target: Option<&Path>,
        progress: &dyn Progress,
        broken: impl FnOnce(io::Error) -> Error,
    ) -> Result<FileDigest, Error> {
        progress.file(self.name, self.bytes);
        let failed = |source| Error::io("write", target.unwrap_or(Path::new("")), source);
        let mut file = target.map(File::create).transpose().map_err(failed)?;
        let limit = self.bytes.unwrap_or(MAX_FILE_BYTES);
        let (mut bytes, mut hasher, mut buffer) = (0u64, Sha256::new(), vec![0; 1 << 16]);
        loop {
            if progress.stop() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted; nothing was kept"));
            }
            let read = match self.reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => &buffer[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken(error)),
            };
            bytes += read.len() as u64;
            if bytes > limit {
                return Err(differs(self.name, "size", format!("{limit} bytes"), "more"));
            }
            hasher.update(read);
            if let Some(file) = &mut file {
                file.write_all(read).map_err(failed)?;
            }
            progress.advance(read.len() as u64);
        }
        match self.bytes {
            Some(stated) if stated != bytes => Err(differs(self.name, "size", format!("{stated} bytes"), bytes)),
            _ => Ok(FileDigest { bytes, sha256: hexadecimal(&hasher.finalize()) }),
        }
    }
}

fn differs(name: &str, what: &str, stated: impl Display, found: impl Display) -> Error {
    let message = format_args!("{name} has another {what} than stated: {found}, not {stated}");
    Error::new(ErrorKind::Damaged, message)
        .with_hint("pull again; if it stays so, the server or a proxy alters what it sends")
}

/// Refuses another hash than the stated one.
pub(crate) fn check_hash(name: &str, what: &str, stated: &str, found: &str) -> Result<(), Error> {
    if stated.eq_ignore_ascii_case(found) { Ok(()) } else { Err(differs(name, what, stated, found)) }
}

/// Returns git's hash of a file with these contents.
pub(crate) fn git_blob(contents: &[u8]) -> String {
    let mut hasher = sha1::Sha1::new();
    hasher.update(format!("blob {}\0", contents.len()));
    hasher.update(contents);
    hexadecimal(&hasher.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_hashed_and_limited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let copy = |bytes: Option<u64>, mut text: &[u8]| {
            let contents = Contents { name: "x", bytes, reader: &mut text };
            let done = contents.write(Some(&path), &(), |error| panic!("{error}"));
            (done.map(|done| (done.bytes, done.sha256)), std::fs::read(&path).unwrap())
        };
        // hashlib.sha256(b"abc").hexdigest()
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let (done, copied) = copy(Some(3), b"abc");
        assert_eq!((done.unwrap(), copied.as_slice()), ((3, sha256.to_owned()), &b"abc"[..]));
        for (text, found) in [(&b"abcd"[..], "more"), (b"ab", "2")] {
            let (error, copied) = copy(Some(3), text);
            let message = format!("x has another size than stated: {found}, not 3 bytes");
            assert_eq!(error.unwrap_err().to_string(), message);
            assert!(copied.len() <= 3);
        }
    }

    #[test]
    fn a_blob_is_named_as_git_names_it() {
        // printf abc | git hash-object --stdin
        assert_eq!(git_blob(b"abc"), "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f");
    }
}
