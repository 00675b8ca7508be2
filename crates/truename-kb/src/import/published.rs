//! Tables as vocabularies publish them: a description says what their columns hold, and one walk reads their rows.

use truename_read::{Record, Source, Table, TableOptions};

use super::collector::{Collector, Entry};
use super::table::{cell_counts, for_each_record, list_cut_header, shown};
use crate::{Error, error};

/// The tables of a published vocabulary.
pub(super) struct PublishedTables {
    /// The tables, in the order in which they are read.
    pub(super) tables: &'static [Description],
    /// Columns by which the tables are told, beside those that each must have.
    pub(super) told_by: &'static [&'static str],
    /// True if cells of a table with tabs may be in quotes; those of other tables may.
    pub(super) is_quoted: bool,
    /// True if a row may lack its last cells.
    pub(super) is_ragged: bool,
    /// Returns true for a row that is a comment.
    pub(super) is_comment: fn(&[u8]) -> bool,
}

/// A table: the columns by which it is known, and what they hold. All columns but these go by their names in small letters, and
/// `name*` and `*name` stand for all that begin or end so.
pub(super) struct Description {
    /// Name in messages.
    pub(super) name: &'static str,
    /// Columns that every such table has. A table without a header has these first.
    pub(super) columns: &'static [&'static str],
    /// A test of the first line, of a table without a header. Newer releases may have one.
    pub(super) is_row: Option<fn(&str) -> bool>,
    /// Name of another table, and the note that is due where that one is not read.
    pub(super) needs: Option<(&'static str, &'static str)>,
    /// The meaning of a row.
    pub(super) rows: Rows,
}

/// The meaning of the rows of a table.
pub(super) enum Rows {
    /// A concept each.
    Concepts(Concepts),
    /// An id that is no longer in use each, with a list of those that replace it, separated by commas.
    Former { id: &'static str, replaced_by: &'static str, is_removed: bool },
    /// Anything else.
    Other(fn(&Row<'_>, &mut Collector) -> Result<(), Error>),
    /// Nothing that is read, which a note says.
    Unread(&'static str),
}

/// The columns of a table of concepts.
pub(super) struct Concepts {
    pub(super) id: &'static str,
    /// Names, the preferred one first.
    pub(super) names: &'static [Column],
    pub(super) types: &'static [Column],
    pub(super) parents: &'static [Column],
    pub(super) xrefs: &'static [Column],
    pub(super) definition: &'static str,
    /// A type of all rows.
    pub(super) concept_type: &'static str,
    /// The column of the status, and its values for an id that is no longer in use.
    pub(super) retired: (&'static str, &'static [&'static str]),
    /// A column, its value in rows that are left out, and the note on them.
    pub(super) left_out: Option<(&'static str, &'static str, &'static str)>,
    /// The value that stands for an empty cell.
    pub(super) empty: &'static str,
    /// True if an id that comes twice is listed.
    pub(super) is_unique: bool,
}

/// A column with one value, or with a list of values.
#[derive(Clone, Copy)]
pub(super) struct Column {
    name: &'static str,
    separator: Option<char>,
    /// True if quotes may be around a value, and commas in it.
    is_quoted: bool,
    /// The prefix that makes its ids CURIEs.
    prefix: &'static str,
}

pub(super) const fn one(name: &'static str) -> Column {
    Column { name, separator: None, is_quoted: false, prefix: "" }
}

pub(super) const fn list(name: &'static str, separator: char) -> Column {
    Column { name, separator: Some(separator), is_quoted: false, prefix: "" }
}

/// A list of values between commas, with quotes around those that have one.
pub(super) const fn quoted(name: &'static str) -> Column {
    Column { name, separator: Some(','), is_quoted: true, prefix: "" }
}

pub(super) const fn ids(prefix: &'static str, name: &'static str, separator: char) -> Column {
    Column { name, separator: Some(separator), is_quoted: false, prefix }
}

impl PublishedTables {
    pub(super) const DEFAULT: Self =
        Self { tables: &[], told_by: &[], is_quoted: true, is_ragged: false, is_comment: |_| false };

    /// Returns the place of the table that a text is, by its first line.
    pub(super) fn told(&self, beginning: &str) -> Option<usize> {
        let first = self.first_line(beginning);
        self.tables.iter().position(|table| match table.is_row {
            Some(is_row) => is_row(first),
            None => has_columns(first, self.told_by) && has_columns(first, table.columns),
        })
    }

    /// Returns the line that may be a header: the first that is neither empty nor a comment.
    fn first_line<'t>(&self, text: &'t str) -> &'t str {
        text.lines().find(|line| !line.trim().is_empty() && !(self.is_comment)(line.as_bytes())).unwrap_or_default()
    }

    /// Reads a table.
    pub(super) fn read(&self, source: Source, collector: &mut Collector) -> Result<(), Error> {
        let beginning = source.beginning_text();
        let has_tabs = self.first_line(&beginning).contains('\t');
        let told = &self.tables[self.told(&beginning).unwrap_or_default()];
        let options = TableOptions {
            delimiter: has_tabs.then_some(b'\t'),
            is_quoted: self.is_quoted && !told.has_quoted_values() || !has_tabs,
            has_header: told.is_row.is_none(),
            ..TableOptions::default()
        };
        let table = Table::open_below(self.is_comment, source, &options)?;
        let description = match options.has_header {
            true => self.with_header(&table, collector)?,
            false => told,
        };
        list_cut_header(&table, collector)?;
        collector.tables.push(description.name);
        if let Some((_, note)) = description.needs.filter(|(needed, _)| !collector.tables.contains(needed)) {
            collector.add_note(note.to_owned());
        }
        match &description.rows {
            Rows::Concepts(concepts) => {
                self.walk(table, description, collector, |row, collector| concepts.add(row, collector))
            }
            Rows::Former { id, replaced_by, is_removed } => {
                self.walk(table, description, collector, |row, collector| {
                    let former = Entry { is_removed: *is_removed, ..row.former(id, replaced_by) };
                    if *is_removed { collector.add(row.line, former) } else { collector.retire(row.line, former) }
                })
            }
            Rows::Other(add) => self.walk(table, description, collector, add),
            Rows::Unread(note) => {
                collector.add_note((*note).to_owned());
                Ok(())
            }
        }
    }

    /// Returns the description of a table by its columns.
    fn with_header(&self, table: &Table, collector: &Collector) -> Result<&Description, Error> {
        let has = |column: &&&str| table.columns.iter().any(|known| plain(known) == column.to_ascii_lowercase());
        let missing = |description: &Description| description.columns.iter().find(|column| !has(column)).copied();
        let found = self.tables.iter().find(|description| missing(description).is_none());
        found.ok_or_else(|| {
            let (first, column) = (&self.tables[0], missing(&self.tables[0]).unwrap_or_default());
            let message = format!("no column \"{column}\", which every table of {} has", first.name);
            error::syntax(collector.path(), Some(1), message)
        })
    }

    /// Hands each row to `visit`. Rows with more or fewer cells than the header, or that are not UTF-8, are listed.
    fn walk(
        &self,
        mut table: Table,
        description: &Description,
        collector: &mut Collector,
        visit: impl Fn(&Row<'_>, &mut Collector) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let columns: Vec<String> = match table.header {
            Some(_) => table.columns.iter().map(|name| plain(name)).collect(),
            None => description.columns.iter().map(|name| plain(name)).collect(),
        };
        let width = table.columns.len().max(columns.len());
        let place = |needed: &&str| columns.iter().position(|column| *column == needed.to_ascii_lowercase());
        let last_needed = description.columns.iter().filter_map(place).max().unwrap_or_default();
        let needed = if self.is_ragged { last_needed + 1 } else { width };
        for_each_record(&mut table, collector, |record, collector| {
            if (self.is_comment)(record.content()) {
                return Ok(());
            }
            let cells: Result<Vec<&str>, _> = record.cells().map(std::str::from_utf8).collect();
            match cells {
                Err(_) => collector.not_utf8(record.line, record.content()),
                Ok(cells) if cells.len() < needed || cells.iter().skip(width).any(|cell| !cell.is_empty()) => {
                    collector.problem(Some(record.line), &shown(record), cell_counts(cells.len(), width))
                }
                Ok(cells) if description.is_row.is_some() && cells[0] == description.columns[0] => Ok(()),
                Ok(cells) => visit(&Row { line: Some(record.line), columns: &columns, cells, record }, collector),
            }
        })
    }
}

impl Description {
    pub(super) const DEFAULT: Self = Self { name: "", columns: &[], is_row: None, needs: None, rows: Rows::Unread("") };

    /// Returns whether quotes stand around the values of a list, and not around a cell: `"heparin binding", "HB"`.
    fn has_quoted_values(&self) -> bool {
        matches!(&self.rows, Rows::Concepts(concepts) if concepts.names.iter().any(|column| column.is_quoted))
    }
}

impl Concepts {
    pub(super) const DEFAULT: Self = Self {
        id: "",
        names: &[],
        types: &[],
        parents: &[],
        xrefs: &[],
        definition: "",
        concept_type: "",
        retired: ("", &[]),
        left_out: None,
        empty: "",
        is_unique: false,
    };

    fn add(&self, row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
        if let Some((_, _, note)) = self.left_out.filter(|(column, value, _)| row.cell(column) == *value) {
            collector.add_left_out(note);
            return Ok(());
        }
        let (status, retired) = self.retired;
        if row.list(status, '|').any(|status| retired.contains(&&*status)) {
            return collector.add(row.line, Entry::removed(row.cell(self.id).to_owned()));
        }
        let values = |columns: &[Column]| -> Vec<String> {
            let values = columns.iter().flat_map(|column| row.values(*column));
            values.filter(|value| value != self.empty).collect()
        };
        // `HGNC:HGNC:5` has its prefix twice.
        let once = |xref: String| match xref.split_once(':') {
            Some((prefix, rest)) if rest.split(':').next() == Some(prefix) => rest.to_owned(),
            _ => xref,
        };
        let concept_type = Some(self.concept_type.to_owned()).filter(|concept_type| !concept_type.is_empty());
        let entry = Entry {
            id: row.cell(self.id).to_owned(),
            synonyms: values(self.names),
            types: values(self.types).into_iter().chain(concept_type).collect(),
            parents: values(self.parents),
            xrefs: values(self.xrefs).into_iter().map(once).collect(),
            definition: Some(row.cell(self.definition).to_owned()),
            ..Entry::default()
        };
        if self.is_unique { collector.add(row.line, entry) } else { collector.add_row(row.line, entry) }
    }
}

/// A row of a table.
pub(super) struct Row<'a> {
    pub(super) line: Option<u64>,
    /// Names of the columns, in small letters.
    columns: &'a [String],
    cells: Vec<&'a str>,
    record: &'a Record,
}

impl<'a> Row<'a> {
    /// Returns the row as messages show it.
    pub(super) fn shown(&self) -> String {
        shown(self.record)
    }

    /// Returns a cell without blanks around it; an empty text where the row has no such column.
    pub(super) fn cell(&self, column: &str) -> &'a str {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at)).map_or("", |cell| cell.trim())
    }

    /// Returns true if the row has a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().take(self.cells.len()).any(|name| name == column)
    }

    /// Returns the cells of the columns that a name stands for.
    pub(super) fn cells(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let is_meant = move |column: &str| match (name.strip_suffix('*'), name.strip_prefix('*')) {
            (Some(begin), _) => column.starts_with(begin),
            (_, Some(end)) => column.ends_with(end),
            _ => column == name,
        };
        let cells = self.columns.iter().zip(&self.cells);
        cells.filter(move |(column, _)| is_meant(column)).map(|(_, cell)| cell.trim())
    }

    /// Returns the values of a cell that is a list.
    pub(super) fn list(&self, column: &str, separator: char) -> impl Iterator<Item = String> + use<'a> {
        values(self.cell(column), separator)
    }

    fn values(&self, column: Column) -> Vec<String> {
        let separator = column.separator.unwrap_or('\n');
        let values = self.cells(column.name).flat_map(|cell| {
            // Every second part stands within quotes.
            let parts = cell.split(move |letter| column.is_quoted && letter == '"').enumerate();
            parts.flat_map(move |(at, part)| values(part, if at % 2 == 1 { '\n' } else { separator }))
        });
        let prefixed = |value: String| match column.prefix {
            "" => value,
            prefix => format!("{prefix}:{value}"),
        };
        values.map(prefixed).collect()
    }

    /// Returns an id that is no longer in use, with the ids that replace it: `HGNC:1|SYMBOL|Approved, HGNC:2|…`.
    fn former(&self, id: &str, replaced_by: &str) -> Entry {
        let ids = self.cells(replaced_by).flat_map(|ids| values(ids, ','));
        let ids = ids.filter_map(|id| id.split('|').next().map(str::to_owned)).filter(|id| id != "-");
        Entry { id: self.cell(id).to_owned(), replaced_by: ids.collect(), ..Entry::default() }
    }
}

/// Returns the values of a list that are not empty.
pub(super) fn values(list: &str, separator: char) -> impl Iterator<Item = String> + use<'_> {
    list.split(separator).map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// Returns true if a header has all of some columns, whatever separates them.
pub(super) fn has_columns(header: &str, columns: &[&str]) -> bool {
    let names: Vec<String> = header.split(['\t', ',', ';', '|']).map(plain).collect();
    columns.iter().all(|column| names.contains(&column.to_ascii_lowercase()))
}

/// Returns the name of a column without capitals, quotes and the sign of a comment.
fn plain(column: &str) -> String {
    column.trim().trim_matches('"').trim_start_matches('#').trim().to_ascii_lowercase()
}
