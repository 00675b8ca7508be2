//! Lists of candidates to rank, as Bio-ML has them.
//!
//! A table with the columns `SrcEntity`, `TgtEntity` and `TgtCandidates`.

use std::path::Path;

use truename_error::ErrorKind;
use truename_read::{Source, SourceOptions, Table, TableOptions};

use crate::{Error, plain_id};

const COLUMNS: [&[&str]; 3] = [&["SrcEntity"], &["TgtEntity"], &["TgtCandidates"]];

/// A concept with the candidates that it may be mapped onto.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CandidateList {
    /// Id of the concept, as [`plain_id`] writes it.
    pub subject: String,
    /// Id of the concept that it is mapped onto, likewise.
    pub object: String,
    /// Ids of the candidates, `object` among them as a rule.
    pub candidates: Vec<String>,
}

/// Reads lists of candidates. Candidates stand in quotes, as Python writes a tuple or list of strings, or with commas or `|` between them.
///
/// # Errors
/// If the file cannot be read, lacks a column, or has a row without an id or without candidates.
pub fn read_candidates(path: &Path) -> Result<Vec<CandidateList>, Error> {
    let malformed = |line: u64, message: String| {
        let hint = "candidates are a table with the columns `SrcEntity`, `TgtEntity` and `TgtCandidates`";
        Error::at(ErrorKind::Syntax, path, line, message).with_hint(hint)
    };
    let source = Source::open_table(path, &SourceOptions::default())?;
    let mut table = Table::open(source, &TableOptions { wanted: &COLUMNS, ..TableOptions::default() })?;
    let line = table.header.as_ref().map_or(1, |header| header.line);
    let missing = |name: &str| malformed(line, format!("no column \"{name}\""));
    let mut places = [0; COLUMNS.len()];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        *place = table.column(name[0]).map_err(|_| missing(name[0]))?;
    }
    let mut lists = Vec::new();
    while let Some(record) = table.read_filled()? {
        let cells = places.map(|place| String::from_utf8_lossy(record.cell(place).unwrap_or_default()).into_owned());
        let [subject, object, candidates] = cells;
        let candidates: Vec<String> = ids(&candidates).map(plain_id).collect();
        if subject.trim().is_empty() || object.trim().is_empty() || candidates.is_empty() {
            return Err(malformed(record.line, "a row without an id or without candidates".to_owned()));
        }
        lists.push(CandidateList { subject: plain_id(&subject), object: plain_id(&object), candidates });
    }
    match lists.is_empty() {
        true => Err(malformed(line, "no candidates".to_owned())),
        false => Ok(lists),
    }
}

/// Returns the ids of a cell.
fn ids(cell: &str) -> impl Iterator<Item = &str> {
    let quote = cell.find(['\'', '"']).map(|place| char::from(cell.as_bytes()[place]));
    let is_quoted = quote.is_some();
    let parts = cell.split(move |letter| match quote {
        Some(quote) => letter == quote,
        None => matches!(letter, ',' | '|' | '(' | ')' | '[' | ']'),
    });
    // Between quotes stand the parts of odd number.
    let inner = parts.enumerate().filter(move |(number, _)| !is_quoted || number % 2 == 1);
    inner.map(|(_, part)| part.trim()).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<CandidateList>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.cands.tsv");
        std::fs::write(&path, text).unwrap();
        read_candidates(&path)
    }

    #[test]
    fn candidates_are_read_however_they_are_written() {
        let cells = [
            "('b:1', 'b:2')",
            "[\"b:1\", \"b:2\"]",
            "('http://purl.obolibrary.org/obo/B_1', 'b:2',)",
            "b:1|b:2",
            "b:1, b:2",
        ];
        for cell in cells {
            let quoted = cell.replace('"', "\"\"");
            let lists = read(&format!("SrcEntity\tTgtEntity\tTgtCandidates\nA:1\tB:2\t\"{quoted}\"\n")).unwrap();
            assert_eq!((lists[0].subject.as_str(), lists[0].object.as_str()), ("a:1", "b:2"));
            assert_eq!(lists[0].candidates, ["b:1", "b:2"], "{cell}");
        }
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("SrcEntity\tTgtEntity\nA:1\tB:2\n").contains("cands.tsv:1: no column \"TgtCandidates\""));
        let row = message("SrcEntity\tTgtEntity\tTgtCandidates\nA:1\tB:2\t()\n");
        assert!(row.contains("cands.tsv:2: a row without an id or without candidates"), "{row}");
        assert!(message("SrcEntity\tTgtEntity\tTgtCandidates\n").contains("no candidates"));
    }
}
