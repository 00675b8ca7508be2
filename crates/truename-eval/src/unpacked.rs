use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::Error;

const GZIP: &[u8] = b"\x1f\x8b";

/// Returns the text of a file, plain or gzipped. `malformed` makes the error of a line that is not UTF-8.
pub(crate) fn text(path: &Path, malformed: fn(&Path, u64, &str) -> Error) -> Result<String, Error> {
    let mut bytes = std::fs::read(path).map_err(|source| Error::io("open", path, source))?;
    if bytes.starts_with(GZIP) {
        let mut plain = Vec::new();
        let unpacked = MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain);
        unpacked.map_err(|source| Error::io("unpack", path, source))?;
        bytes = plain;
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        malformed(path, line, "not UTF-8")
    })
}
