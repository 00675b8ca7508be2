//! Lines of a file, gzipped or not.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::Error;

/// Longest line of a word list or vocabulary in bytes; a longer one is an error, so that a file without line ends is not read whole.
const MAX_LINE_BYTES: u64 = 1 << 24;

/// Passes each line with its number, from 1, to `visit`, without its end.
///
/// # Errors
/// If the file cannot be read, or a line is not UTF-8 or too long.
pub(super) fn for_each_line(path: &Path, mut visit: impl FnMut(u64, &str) -> Result<(), Error>) -> Result<(), Error> {
    let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
    let is_gzipped = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let content: Box<dyn Read> = if is_gzipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut content = BufReader::new(content);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = content.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|source| Error::io("read", path, source))?;
        if read == 0 {
            break;
        }
        if read as u64 > MAX_LINE_BYTES {
            return Err(Error::word_list(path, number, format!("the line is longer than {MAX_LINE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(&line).map_err(|_| Error::word_list(path, number, "not UTF-8".into()))?;
        let text = if number == 1 { text.trim_start_matches('\u{FEFF}') } else { text };
        visit(number, text.trim_end_matches(['\n', '\r']))?;
    }
    Ok(())
}

/// Returns the name of a file without `.gz`, in lower case.
pub(super) fn plain_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.strip_suffix(".gz").unwrap_or(&name).to_owned()
}
