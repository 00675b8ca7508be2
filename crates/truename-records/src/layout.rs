//! The columns of several tables over each other.

use std::collections::HashMap;

use truename_read::folded;

use super::record_tables::{Parts, RecordTable};

/// The union of the columns of tables: those of one name are one; the second of one name in a table stays apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Names of the columns, as the first table with them writes them.
    pub columns: Vec<String>,
    /// Places of each table's columns among them.
    places: Vec<Vec<usize>>,
}

impl ColumnLayout {
    /// Lays the columns of tables over each other.
    pub fn of<'a>(tables: impl IntoIterator<Item = &'a RecordTable>) -> Self {
        let mut layout = Self::default();
        let mut known: HashMap<(String, usize), usize> = HashMap::new();
        for table in tables {
            let mut seen: HashMap<String, usize> = HashMap::new();
            let place = |name: &String| {
                let count = seen.entry(folded(name)).or_default();
                *count += 1;
                *known.entry((folded(name), *count)).or_insert_with(|| {
                    layout.columns.push(name.clone());
                    layout.columns.len() - 1
                })
            };
            layout.places.push(table.columns.iter().map(place).collect());
        }
        layout
    }

    /// Returns the cells of a row of a table in the places of the columns; empty ones where the table has none.
    ///
    /// # Panics
    /// If there is no such table.
    pub fn row<'a>(&self, table: usize, cells: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let mut row = vec![""; self.columns.len()];
        cells.into_iter().zip(&self.places[table]).for_each(|(cell, place)| row[*place] = cell);
        row
    }
}

impl RecordTable {
    /// Puts the rows of tables one behind the other, under the union of their columns.
    pub fn union(name: impl Into<String>, tables: &[Self]) -> Self {
        let layout = ColumnLayout::of(tables);
        let rows =
            tables.iter().enumerate().flat_map(|(table, own)| (0..own.rows()).map(move |row| (table, own.row(row))));
        Self::new(name, layout.columns.clone(), rows.map(|(table, row)| layout.row(table, row)))
    }

    /// Puts the rows of several tables one behind the other as [`Self::union`] does, and keeps which came from which.
    pub fn linked(tables: &[Self]) -> Self {
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        let rows = (0..).zip(tables).flat_map(|(number, table)| std::iter::repeat_n(number, table.rows())).collect();
        let mut linked = Self::union(names.join(", "), tables);
        linked.parts = Some(Parts { names, rows });
        linked
    }

    /// Takes the column of a place out of the table, and returns its cells.
    pub(super) fn take_column(&mut self, place: usize) -> Vec<String> {
        let cells = self.column(place).map(str::to_owned).collect();
        self.columns.remove(place);
        self.places.remove(place);
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_tables_stand_under_the_union_of_their_columns() {
        let strings = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let left = RecordTable::new("left", strings(&["Name", "city", "name"]), [["a", "b", "c"]]);
        let right = RecordTable::new("right", strings(&["zip", "NAME"]), [["d", "e"]]);
        let rows = |table: &RecordTable| {
            let row = |row| table.row(row).map(str::to_owned).collect::<Vec<_>>();
            (0..table.rows()).map(row).collect::<Vec<_>>()
        };
        let mut both = RecordTable::union("both", &[left.clone(), right.clone()]);
        assert_eq!(both.columns, ["Name", "city", "name", "zip"]);
        assert_eq!(rows(&both), [["a", "b", "c", ""], ["e", "", "", "d"]]);
        let linked = RecordTable::linked(&[left, right]);
        assert_eq!(
            (linked.row_name(1), linked.part(0), linked.sources()),
            ("right:1".into(), Some("left"), Some(&[0, 1][..]))
        );
        assert_eq!(both.take_column(3), ["", "d"]);
        assert_eq!(rows(&both), [["a", "b", "c"], ["e", "", ""]]);
    }
}
