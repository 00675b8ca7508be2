//! Tables of synonyms: the cells of a row mean the same; several may stand in one, joined by `|`.

use std::path::Path;

use truename_read::{Source, SourceOptions, Table, TableOptions};

use crate::Error;

/// Names of columns, by which a header is known.
const HEADERS: [&str; 8] = ["word", "words", "name", "names", "synonym", "synonyms", "target", "substitutes"];

/// Passes the synonyms of each row to `add`; a row of names of columns at the top is a header.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or has a quote that is never closed.
pub(super) fn read(path: &Path, delimiter: u8, mut add: impl FnMut(Vec<String>)) -> Result<(), Error> {
    let source = Source::open(path, &SourceOptions::default())?;
    let options = TableOptions { delimiter: Some(delimiter), has_header: false, ..TableOptions::default() };
    let mut table = Table::open(source, &options)?;
    let mut is_first = true;
    while let Some(record) = table.read_filled()? {
        let failed = |message: &str| Error::word_list(path, record.line, message.to_owned());
        if record.has_open_quote {
            return Err(failed("a quote that is never closed"));
        }
        let cells: Option<Vec<String>> = record.cells().map(|cell| table.encoding().decode(cell)).collect();
        let cells = cells.ok_or_else(|| failed("not UTF-8"))?;
        let is_name = |cell: &String| HEADERS.contains(&cell.trim().to_lowercase().as_str());
        if !std::mem::take(&mut is_first) || !cells.iter().all(is_name) {
            add(cells.iter().flat_map(|cell| cell.split('|')).map(str::to_owned).collect());
        }
    }
    Ok(())
}
