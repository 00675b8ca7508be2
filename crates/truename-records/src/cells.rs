//! The cells of a table, in one text.

use truename_storage::Spilling;

/// Number of rows from which what is as long as the tables is spilled.
const SPILLED: usize = 1_000_000;
/// Bits of a byte of a length; the highest bit says that another byte follows.
const LENGTH_BITS: u32 = 7;
const FOLLOWED: u8 = 1 << LENGTH_BITS;

/// Rows of cells. They take the bytes of their text, one more for each cell of up to 127 bytes and eight a row. While there is a table of a
/// million rows, a program with the [`SpillAllocator`] has its cells and whatever is as long in temporary files.
///
/// [`SpillAllocator`]: truename_storage::SpillAllocator
#[derive(Debug)]
pub struct Cells {
    /// Each cell behind its length.
    bytes: Vec<u8>,
    /// Beginning of each row, and the end of the last.
    rows: Vec<usize>,
    width: usize,
    spilling: Option<Spilling>,
}

impl Default for Cells {
    fn default() -> Self {
        Self { bytes: Vec::new(), rows: vec![0], width: 0, spilling: None }
    }
}

impl Cells {
    /// Appends a row.
    pub fn push<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut width = 0;
        for cell in cells {
            put(&mut self.bytes, cell.as_ref());
            width += 1;
        }
        self.rows.push(self.bytes.len());
        self.width = self.width.max(width);
        if self.rows() == SPILLED {
            self.spilling = Some(Spilling::begin());
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len() - 1
    }

    /// Returns the number of cells of the longest row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns a cell; an empty one behind the end of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let mut row = &self.bytes[self.rows[row]..self.rows[row + 1]];
        for _ in 0..column {
            row = split_cell(row).1;
        }
        std::str::from_utf8(split_cell(row).0).expect("cells are UTF-8")
    }
}

impl<R: IntoIterator<Item = T>, T: AsRef<str>> FromIterator<R> for Cells {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut cells = Self::default();
        rows.into_iter().for_each(|row| cells.push(row));
        cells
    }
}

/// Appends a cell behind its length.
fn put(bytes: &mut Vec<u8>, cell: &str) {
    let mut length = cell.len();
    while length >= usize::from(FOLLOWED) {
        bytes.push(length as u8 | FOLLOWED);
        length >>= LENGTH_BITS;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(cell.as_bytes());
}

/// Returns the first cell and those behind it; an empty cell where there is none.
fn split_cell(row: &[u8]) -> (&[u8], &[u8]) {
    let (mut length, mut shift, mut at) = (0, 0, 0);
    while let Some(byte) = row.get(at) {
        at += 1;
        length |= usize::from(byte & !FOLLOWED) << shift;
        shift += LENGTH_BITS;
        if byte & FOLLOWED == 0 {
            break;
        }
    }
    row[at..].split_at(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_row_and_column() {
        let long = "ä".repeat(20_000);
        let rows = [&["a", "", "ü b"][..], &[], &["c"], &["", ""], &[&long, "x", &long[..254]]];
        let cells: Cells = rows.into_iter().collect();
        assert_eq!((cells.rows(), cells.width()), (5, 3));
        for (row, of) in rows.into_iter().enumerate() {
            let found: Vec<&str> = (0..4).map(|column| cells.cell(row, column)).collect();
            let mut filled = of.to_vec();
            filled.resize(4, "");
            assert_eq!(found, filled);
        }
        let empty = Cells::default();
        assert_eq!((empty.rows(), empty.width()), (0, 0));
    }
}
