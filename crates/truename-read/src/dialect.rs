//! The dialect of a table, told by its first rows.

use crate::column::folded;
use crate::record::{Dialect, Quoting, Record, Records};

/// Possible delimiters; of equally good ones the first is chosen.
pub(crate) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Number of rows examined after the header.
const ROWS: usize = 50;

/// Facts about a table before its rows are read.
pub(crate) struct Clues<'a> {
    /// Delimiter that is said, or that a line `sep=;` says.
    pub(crate) delimiter: Option<u8>,
    /// The delimiter that the file's name suggests.
    pub(crate) usual: Option<u8>,
    /// True if cells may be quoted.
    pub(crate) is_quoted: bool,
    /// True if the text is whole; else the last row may be cut off.
    pub(crate) is_whole: bool,
    pub(crate) skip_rows: u64,
    /// Columns that the header is expected to have; those of a row are alternatives.
    pub(crate) wanted: &'a [&'a [&'a str]],
}

/// Qualities of a dialect, the most telling first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    wanted_columns: usize,
    /// Thousandths of the rows that are as wide as the header.
    even_rows: usize,
    /// Thousandths of the rows in which all quotes open or close a cell, or are escaped.
    sound_rows: usize,
    width: usize,
}

impl Clues<'_> {
    /// Returns the dialect by which the header has the columns that are expected, else by which most rows have as many cells
    /// as the header, else by which the header has most cells; commas if none splits the header.
    pub(crate) fn dialect(&self, beginning: &[u8]) -> Dialect {
        let delimiters = match self.delimiter {
            Some(said) => vec![said],
            None => self.usual.into_iter().chain(DELIMITERS).collect(),
        };
        let mut quotings = vec![if self.is_quoted { Quoting::Doubled } else { Quoting::None }];
        let has = |written: &[u8]| memchr::memmem::find(beginning, written).is_some();
        if self.is_quoted && (has(b"\\\"") || has(b"\\\n") || has(b"\\\r")) {
            quotings.push(Quoting::Escaped);
        }
        let mut best = (Fit::default(), Dialect { delimiter: delimiters[0], quoting: quotings[0] });
        for delimiter in delimiters {
            for quoting in &quotings {
                let dialect = Dialect { delimiter, quoting: *quoting };
                match self.fit(beginning, dialect) {
                    Some(fit) if fit > best.0 => best = (fit, dialect),
                    _ => {}
                }
            }
        }
        best.1
    }

    fn fit(&self, beginning: &[u8], dialect: Dialect) -> Option<Fit> {
        let mut records = Records::of_bytes(beginning, Some(dialect));
        for _ in 0..self.skip_rows {
            records.read().ok()??;
        }
        let mut rows = std::iter::from_fn(|| records.read_filled().ok().flatten());
        let header = rows.next()?;
        if header.width() < 2 && self.delimiter.is_none() {
            return None;
        }
        let mut rows: Vec<Record> = rows.take(ROWS + 1).collect();
        if !self.is_whole || rows.len() > ROWS {
            rows.pop();
        }
        let share = |fits: &dyn Fn(&&Record) -> bool| 1000 * rows.iter().filter(fits).count() / rows.len().max(1);
        let columns: Vec<String> = header.cells().map(|cell| folded(&String::from_utf8_lossy(cell))).collect();
        let has = |names: &&&[&str]| names.iter().any(|name| columns.contains(&folded(name)));
        Some(Fit {
            wanted_columns: self.wanted.iter().filter(has).count(),
            even_rows: share(&|row| row.width() == header.width()),
            sound_rows: share(&|row| !row.has_open_quote && !row.has_stray_quote),
            width: header.width(),
        })
    }
}

/// Returns the delimiter that a line `sep=;` says, as spreadsheets write it above the header.
pub(crate) fn said_by(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let line = line.strip_prefix(b"\"").map_or(line, |inner| inner.strip_suffix(b"\"").unwrap_or(line));
    let (name, delimiter) = line.split_at_checked(4)?;
    match delimiter {
        _ if !name.eq_ignore_ascii_case(b"sep=") => None,
        [said] if DELIMITERS.contains(said) => Some(*said),
        // The delimiter was taken off as a blank at the end of the line.
        [] => Some(b'\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(text: &str, wanted: &[&str]) -> Dialect {
        let clues =
            Clues { delimiter: None, usual: None, is_quoted: true, is_whole: true, skip_rows: 0, wanted: &[wanted] };
        clues.dialect(text.as_bytes())
    }

    #[test]
    fn the_first_rows_tell_the_delimiter() {
        let cases = [
            ("name\na;b\n", "name", b','),
            ("id;name\n1;a, b\n2;c\n", "name", b';'),
            ("id\tname\n1\ta, b; c\n", "name", b'\t'),
            ("id|name\n", "name", b'|'),
            ("id;what, exactly\n1;a, b\n2;c\n", "name", b';'),
            ("id;what, exactly;x\n1;a, b;2\n", "name", b';'),
            ("name,a|b|c\nx,1|2|3\n", "name", b','),
            ("a|b|c,term\nx|y|z,1\n", "Term", b','),
            ("\"a;b\",name\n\"1;2\",x\n", "name", b','),
            ("\n\nid;name\n", "name", b';'),
            ("", "name", b','),
        ];
        for (text, wanted, expected) in cases {
            assert_eq!(char::from(dialect(text, &[wanted]).delimiter), char::from(expected), "{text:?}");
        }
    }

    #[test]
    fn backslashes_are_escapes_where_they_make_the_rows_even() {
        let escaped = "id,name\n1,\"Gear \\\"mini\\\", brass\"\n2,\"Pipe 5\\\"\"\n";
        assert_eq!(dialect(escaped, &["name"]).quoting, Quoting::Escaped);
        let paths = "id,name\n1,\"C:\\dir\\\"\n2,\"C:\\\"\n";
        assert_eq!(dialect(paths, &["name"]).quoting, Quoting::Doubled);
    }

    #[test]
    fn a_line_may_say_the_delimiter() {
        let cases: [(&[u8], Option<u8>); 5] = [
            (b"sep=;", Some(b';')),
            (b"\"SEP=|\"", Some(b'|')),
            (b"sep=\t", Some(b'\t')),
            (b"sepal", None),
            (b"sep=ab", None),
        ];
        for (line, expected) in cases {
            assert_eq!(said_by(line), expected);
        }
    }
}
