//! Delimiter of a table, detected from its first rows.

use super::column::folded;
use super::record::{Cells, Dialect, Records};

/// Possible delimiters; of equally good ones the first is chosen.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Number of rows examined after the header.
const ROWS: usize = 50;

/// Returns the delimiter by which the header has the column wanted, else by which most rows have as many cells as the
/// header, else by which the header has most cells; a comma if none splits the header.
///
/// The last row does not count unless `is_whole`, since it may be cut off.
pub fn delimiter(beginning: &[u8], is_whole: bool, wanted: Option<&str>) -> u8 {
    let fits =
        DELIMITERS.into_iter().filter_map(|delimiter| Some((fit(beginning, is_whole, wanted, delimiter)?, delimiter)));
    // `max_by_key` returns the last of equal ones.
    fits.rev().max_by_key(|(fit, _)| *fit).map_or(b',', |(_, delimiter)| delimiter)
}

/// Rates a delimiter: whether the column is there, the share of rows as wide as the header (in thousandths), the width.
/// Returns `None` below a width of two.
fn fit(beginning: &[u8], is_whole: bool, wanted: Option<&str>, delimiter: u8) -> Option<(bool, usize, usize)> {
    let dialect = Dialect::quoted(delimiter);
    let (mut records, mut cells) = (Records::new(beginning, Some(dialect), usize::MAX), Cells::new(dialect));
    let mut rows = std::iter::from_fn(|| records.next().ok().flatten()).filter(|row| !row.content.is_empty());
    let header = rows.next()?;
    let header: Vec<String> =
        cells.of(&header.content).into_iter().map(|cell| folded(&String::from_utf8_lossy(cell))).collect();
    let mut widths: Vec<usize> = rows.take(ROWS + 1).map(|row| cells.of(&row.content).len()).collect();
    if !is_whole || widths.len() > ROWS {
        widths.pop();
    }
    let as_wide = widths.iter().filter(|width| **width == header.len()).count();
    let has_column = header.contains(&folded(wanted.unwrap_or("name")));
    (header.len() > 1).then_some((has_column, 1000 * as_wide / widths.len().max(1), header.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_tell_the_delimiter() {
        let cases = [
            ("name\na;b\n", None, b','),
            ("id;name\n1;a, b\n2;c\n", None, b';'),
            ("id\tname\n1\ta, b; c\n", None, b'\t'),
            ("id|name\n", None, b'|'),
            ("id;what, exactly\n1;a, b\n2;c\n", None, b';'),
            ("id;what, exactly;x\n1;a, b;2\n", None, b';'),
            ("name,a|b|c\nx,1|2|3\n", None, b','),
            ("a|b|c,term\nx|y|z,1\n", Some("Term"), b','),
            ("\"a;b\",name\n\"1;2\",x\n", None, b','),
            ("\n\nid;name\n", None, b';'),
            ("", None, b','),
        ];
        for (text, wanted, expected) in cases {
            assert_eq!(char::from(delimiter(text.as_bytes(), true, wanted)), char::from(expected), "{text:?}");
        }
    }
}
