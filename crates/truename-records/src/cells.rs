//! The cells of a table, in one text.

use truename_storage::{ScratchBytes, ScratchWriter};

use crate::Error;

/// Most bytes of cells that are kept in memory.
const MOST_IN_MEMORY: usize = 256 << 20;
/// Bits of a byte of a length; the highest bit says that another byte follows.
const LENGTH_BITS: u32 = 7;
const FOLLOWED: u8 = 1 << LENGTH_BITS;

/// Rows of cells. They take the bytes of their text, one more for each cell of up to 127 bytes and eight a row. Those of more than 256 MiB are in a
/// temporary file, whose pages the system keeps in memory or not.
#[derive(Debug)]
pub struct Cells {
    /// Each cell behind its length.
    bytes: ScratchBytes,
    /// Beginning of each row, and the end of the last.
    rows: Vec<u64>,
    width: usize,
}

/// Rows of cells that grow.
#[derive(Debug)]
pub struct CellsWriter {
    bytes: ScratchWriter,
    rows: Vec<u64>,
    width: usize,
    row: Vec<u8>,
}

impl Default for CellsWriter {
    fn default() -> Self {
        Self::with_most_in_memory(MOST_IN_MEMORY)
    }
}

impl CellsWriter {
    fn with_most_in_memory(most: usize) -> Self {
        Self { bytes: ScratchWriter::new(most), rows: vec![0], width: 0, row: Vec::new() }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn push<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) -> Result<(), Error> {
        self.row.clear();
        let mut width = 0;
        for cell in cells {
            put(&mut self.row, cell.as_ref());
            width += 1;
        }
        self.bytes.write(&self.row)?;
        self.rows.push(self.bytes.length());
        self.width = self.width.max(width);
        Ok(())
    }

    /// Returns the rows.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn finish(self) -> Result<Cells, Error> {
        Ok(Cells { bytes: self.bytes.finish()?, rows: self.rows, width: self.width })
    }
}

impl Cells {
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
        let mut row = &self.bytes[self.rows[row] as usize..self.rows[row + 1] as usize];
        for _ in 0..column {
            row = split_cell(row).1;
        }
        std::str::from_utf8(split_cell(row).0).expect("cells are UTF-8")
    }
}

impl<R: IntoIterator<Item = T>, T: AsRef<str>> FromIterator<R> for Cells {
    /// Collects rows in memory.
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut writer = CellsWriter::with_most_in_memory(usize::MAX);
        let written = rows.into_iter().try_for_each(|row| writer.push(row)).and_then(|()| writer.finish());
        written.expect("memory can be written")
    }
}

/// Writes a cell behind its length.
fn put(row: &mut Vec<u8>, cell: &str) {
    let mut length = cell.len();
    while length >= usize::from(FOLLOWED) {
        row.push(length as u8 | FOLLOWED);
        length >>= LENGTH_BITS;
    }
    row.push(length as u8);
    row.extend_from_slice(cell.as_bytes());
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
        let collected: Cells = rows.into_iter().collect();
        let mut spilled = CellsWriter::with_most_in_memory(10);
        rows.into_iter().for_each(|row| spilled.push(row).unwrap());
        for cells in [collected, spilled.finish().unwrap()] {
            assert_eq!((cells.rows(), cells.width()), (5, 3));
            for (row, of) in rows.into_iter().enumerate() {
                let found: Vec<&str> = (0..4).map(|column| cells.cell(row, column)).collect();
                let mut filled = of.to_vec();
                filled.resize(4, "");
                assert_eq!(found, filled);
            }
        }
        let empty = CellsWriter::default().finish().unwrap();
        assert_eq!((empty.rows(), empty.width()), (0, 0));
    }
}
