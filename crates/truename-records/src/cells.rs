//! The cells of a table, in one text.

/// Rows of cells. They take the bytes of their text, four more a cell and sixteen a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    text: String,
    /// End of each cell within the text of its row.
    ends: Vec<u32>,
    rows: Vec<Row>,
}

/// Beginning of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    text: usize,
    cell: usize,
}

impl Cells {
    /// Appends a row.
    ///
    /// # Panics
    /// If its text has four gigabytes.
    pub fn push<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let row = Row { text: self.text.len(), cell: self.ends.len() };
        for cell in cells {
            self.text.push_str(cell.as_ref());
            self.ends.push(u32::try_from(self.text.len() - row.text).expect("a row has less than four gigabytes"));
        }
        self.rows.push(row);
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of cells of the longest row.
    pub fn width(&self) -> usize {
        (0..self.rows.len()).map(|row| self.width_of(row)).max().unwrap_or_default()
    }

    /// Returns a cell; an empty one behind the end of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let Row { text, cell } = self.rows[row];
        if column >= self.width_of(row) {
            return "";
        }
        let end = |at: usize| self.ends[cell + at] as usize;
        let begin = column.checked_sub(1).map_or(0, end);
        &self.text[text + begin..text + end(column)]
    }

    fn width_of(&self, row: usize) -> usize {
        self.rows.get(row + 1).map_or(self.ends.len(), |next| next.cell) - self.rows[row].cell
    }
}

impl<R: IntoIterator<Item = T>, T: AsRef<str>> FromIterator<R> for Cells {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut cells = Self::default();
        rows.into_iter().for_each(|row| cells.push(row));
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_row_and_column() {
        let rows = [&["a", "", "ü b"][..], &[], &["c"], &["", ""]];
        let cells: Cells = rows.into_iter().collect();
        assert_eq!((cells.rows(), cells.width()), (4, 3));
        for (row, of) in rows.into_iter().enumerate() {
            let found: Vec<&str> = (0..4).map(|column| cells.cell(row, column)).collect();
            let mut filled = of.to_vec();
            filled.resize(4, "");
            assert_eq!(found, filled);
        }
        assert_eq!((Cells::default().rows(), Cells::default().width()), (0, 0));
    }
}
