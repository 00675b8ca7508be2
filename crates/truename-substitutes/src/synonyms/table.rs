//! Tables of synonyms: the cells of a row mean the same; several may stand in one, joined by `|`.

use truename_read::{Source, Table, TableOptions, has_extension};

use crate::{Error, error};

/// Names of columns, by which a header is known.
const HEADERS: [&str; 8] = ["word", "words", "name", "names", "synonym", "synonyms", "target", "substitutes"];

/// Passes the synonyms of each row to `add`; a row of names of columns at the top is a header.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or has a quote that is never closed.
pub(super) fn read(source: Source, mut add: impl FnMut(Vec<String>)) -> Result<(), Error> {
    let path = source.path().to_owned();
    let options =
        TableOptions { delimiter: usual(&source), has_header: false, wanted: &[&HEADERS], ..TableOptions::default() };
    let mut table = Table::open(source, &options)?;
    let mut is_first = true;
    while let Some(record) = table.read_filled()? {
        let failed = |message: &str| error::word_list(&path, record.line, message);
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

/// Returns the delimiter that the name of a file tells if all of its first lines have it. Rows may differ in width, and have `|` too, so that
/// the width of rows is no clue.
fn usual(source: &Source) -> Option<u8> {
    let delimiter = [("csv", ','), ("tsv", '\t'), ("tab", '\t')]
        .into_iter()
        .find_map(|(extension, delimiter)| has_extension(source.path(), extension).then_some(delimiter))?;
    let beginning = source.beginning_text();
    let mut lines = beginning.lines().filter(|line| !line.trim().is_empty());
    lines.all(|line| line.contains(delimiter)).then_some(delimiter as u8)
}
