//! Gold judgements: names with the ids that they stand for.

use std::io::Read;
use std::path::Path;

use truename_text::GoldName;

use crate::Error;

/// Reads a table with a header and the columns `name`, `id` (several accepted ids joined by `|`, empty where
/// the answer is NIL) and perhaps `type`, in capitals or not. The delimiter is the comma in a file called `.csv`, else the
/// tab; or else the one of comma, semicolon, tab and `|` by which the header has these columns.
///
/// # Errors
/// If the file cannot be read, lacks a column, is not UTF-8, or has a row without a name or with more cells than the
/// header.
pub fn read_gold(path: &Path) -> Result<Vec<GoldName>, Error> {
    let table = std::fs::read(path).map_err(|source| Error::io("open", path, source))?;
    let delimiter = delimiter_with(&table, path, ["name", "id"]).unwrap_or_else(|usual| usual);
    read_gold_from(&table[..], delimiter, path)
}

/// Returns the delimiter by which the header of a table has two columns: the comma in a file called `.csv`, else the tab, or
/// else another one; the usual one of such a file as an error if there is none.
pub(crate) fn delimiter_with(table: &[u8], path: &Path, columns: [&str; 2]) -> Result<u8, u8> {
    let comma = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let usual = if comma { b',' } else { b'\t' };
    let fits = |delimiter: &u8| {
        let header = reader(table, *delimiter).headers().cloned().unwrap_or_default();
        columns.iter().all(|name| column(&header, name).is_some())
    };
    [usual, b',', b';', b'\t', b'|'].into_iter().find(fits).ok_or(usual)
}

/// Reads a table of judgements from a reader; errors name `path`.
///
/// # Errors
/// The errors of [`read_gold`].
pub fn read_gold_from(table: impl Read, delimiter: u8, path: &Path) -> Result<Vec<GoldName>, Error> {
    let mut reader = reader(table, delimiter);
    let failed = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        let message = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => Error::io("read", path, source),
            csv::ErrorKind::Utf8 { .. } => Error::malformed_gold(path, line, "not UTF-8"),
            _ => Error::malformed_gold(path, line, message),
        }
    };
    let header = reader.headers().map_err(failed)?.clone();
    let needed = |name: &str| {
        column(&header, name)
            .ok_or_else(|| Error::malformed_gold(path, 1, format!("no column \"{name}\" in the header")))
    };
    let (name, id, kind) = (needed("name")?, needed("id")?, column(&header, "type"));
    let mut gold = Vec::new();
    for row in reader.records() {
        let row = row.map_err(failed)?;
        let line = row.position().map_or(0, csv::Position::line);
        let text = row.get(name).filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| Error::malformed_gold(path, line, "a row without a name"))?;
        if text.contains('\n') {
            return Err(Error::malformed_gold(path, line, "a name with a line end; is a quote never closed?"));
        }
        // A cell too many moves the others under headers that are not theirs.
        if row.iter().skip(header.len()).any(|cell| !cell.trim().is_empty()) {
            let message = format!("row has {} cells, the header has {}", row.len(), header.len());
            return Err(Error::malformed_gold(path, line, message));
        }
        // A missing last cell is an empty one: NIL.
        let ids = row.get(id).unwrap_or_default();
        gold.push(GoldName {
            name: text.to_owned(),
            ids: ids.split('|').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect(),
            kind: kind.and_then(|at| row.get(at)).filter(|kind| !kind.is_empty()).map(str::to_owned),
        });
    }
    if gold.is_empty() {
        return Err(Error::malformed_gold(path, 1, "no judgements"));
    }
    Ok(gold)
}

pub(crate) fn reader<R: Read>(table: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new().delimiter(delimiter).quoting(delimiter != b'\t').flexible(true).from_reader(table)
}

/// Returns the place of a column; capitals and surrounding blanks do not count.
pub(crate) fn column(header: &csv::StringRecord, name: &str) -> Option<usize> {
    header.iter().position(|found| found.trim_start_matches('\u{FEFF}').trim().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<GoldName>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.tsv");
        std::fs::write(&path, text).unwrap();
        read_gold(&path)
    }

    #[test]
    fn several_ids_and_none_are_read() {
        let gold = read("name\tid\ttype\na\tX:1| X:2\tdisease\nb\t\t\nc\n").unwrap();
        assert_eq!(gold[0].ids, ["X:1", "X:2"]);
        assert_eq!(gold[0].kind.as_deref(), Some("disease"));
        assert!(gold[1].ids.is_empty() && gold[2].ids.is_empty());
    }

    #[test]
    fn tables_are_read_whatever_their_delimiter_capitals_and_line_ends() {
        let expected = read("name\tid\na, b\tX:1\nc\tX:2\n").unwrap();
        let tables = [
            "Name\t ID \na, b\tX:1\nc\tX:2\n",
            "id;name\nX:1;a, b\nX:2;c\n",
            "name,id\n\"a, b\",X:1\nc,X:2\n",
            "name|id\ra, b|X:1\rc|X:2|\r",
        ];
        for table in tables {
            assert_eq!(read(table).unwrap(), expected, "{table:?}");
        }
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let cases = [
            ("name\tcode\na\t1\n", ":1: no column \"id\" in the header"),
            ("name\tid\na\t1\n\t2\n", ":3: a row without a name"),
            ("name\tid\n", ":1: no judgements"),
            ("name,id\na, b,X:1\n", ":2: row has 3 cells, the header has 2"),
            ("name,id\nx,X:1\n\"a,X:2\nb,X:3\n", ":3: a name with a line end; is a quote never closed?"),
        ];
        for (text, message) in cases {
            let error = read(text).unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
        }
    }
}
