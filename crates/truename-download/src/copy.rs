use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

use crate::Progress;

/// What a copy brought.
pub(crate) struct Copied {
    pub(crate) bytes: u64,
    /// Of the bytes, in lower-case hexadecimal digits.
    pub(crate) sha256: String,
}

/// Why a copy ended early.
pub(crate) enum Failure {
    Read(io::Error),
    Write(io::Error),
    /// There is more than the limit; no byte past it was written.
    TooLong,
    Stopped,
}

/// Copies all of `reader`, at most `limit` bytes, hashing on the way and asking whether to stop.
pub(crate) fn copy(
    reader: &mut dyn Read,
    writer: &mut dyn Write,
    limit: u64,
    progress: &dyn Progress,
) -> Result<Copied, Failure> {
    let (mut bytes, mut hasher, mut buffer) = (0u64, Sha256::new(), vec![0; 1 << 16]);
    loop {
        if progress.stop() {
            return Err(Failure::Stopped);
        }
        let read = match reader.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(Failure::Read)?,
        };
        if read == 0 {
            writer.flush().map_err(Failure::Write)?;
            return Ok(Copied { bytes, sha256: hexadecimal(&hasher.finalize()) });
        }
        bytes += read as u64;
        if bytes > limit {
            return Err(Failure::TooLong);
        }
        hasher.update(&buffer[..read]);
        writer.write_all(&buffer[..read]).map_err(Failure::Write)?;
        progress.advance(read as u64);
    }
}

/// The name git gives to a file of these bytes.
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
        let mut copied = Vec::new();
        let Ok(done) = copy(&mut &b"abc"[..], &mut copied, 3, &()) else { panic!("three bytes fit") };
        // hashlib.sha256(b"abc").hexdigest()
        assert_eq!(done.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((done.bytes, copied.as_slice()), (3, &b"abc"[..]));
        assert!(matches!(copy(&mut &b"abcd"[..], &mut io::sink(), 3, &()), Err(Failure::TooLong)));
    }

    #[test]
    fn a_blob_is_named_as_git_names_it() {
        // printf abc | git hash-object --stdin
        assert_eq!(git_blob(b"abc"), "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f");
    }
}
