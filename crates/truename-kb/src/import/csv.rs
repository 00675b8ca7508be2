//! Comma- and tab-separated tables with a header: one name a row, or names joined by a separator.

use std::io::Read;
use std::path::Path;

use csv::ByteRecord;
use truename_text::excerpt;

use super::collector::{Collector, Entry};
use super::source::Source;
use crate::Error;

/// Names by which columns go, in lower case, `_` for space and hyphen.
const ID: &[&str] = &["id", "concept_id", "identifier", "curie", "code", "cui", "uri", "iri", "entity_id"];
const NAME: &[&str] =
    &["name", "preferred_name", "label", "preferred_label", "term", "canonical_name", "text", "title", "entity_name"];
const SYNONYMS: &[&str] =
    &["synonyms", "synonym", "aliases", "alias", "names", "alternative_names", "alt_labels", "alt_label"];
const TYPES: &[&str] = &["types", "type", "category", "categories", "semantic_type", "semantic_types"];
const PARENTS: &[&str] = &["parents", "parent", "is_a", "broader"];
const XREFS: &[&str] = &["xrefs", "xref", "dbxrefs"];
const DEFINITION: &[&str] = &["definition", "description"];

/// A row that is put behind the file. A quoted cell that is never closed swallows it.
const END: &[u8] = b"\n\0end of file\0\n";

struct Layout {
    id: usize,
    name: usize,
    /// True if the name column is one of joined names.
    joined: bool,
    /// Further columns with names.
    further_names: Vec<usize>,
    synonyms: Vec<usize>,
    types: Vec<usize>,
    parents: Vec<usize>,
    xrefs: Vec<usize>,
    definition: Option<usize>,
}

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>, delimiter: u8) -> Result<(), Error> {
    let (path, watch) = (source.path.clone(), source.watch());
    let failed =
        |error: csv::Error| watch.failure_or(|| Error::syntax(&path, error.position().map(|at| at.line()), error));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter == b',')
        .flexible(true)
        .from_reader(source.reader().chain(END));
    let header = reader.byte_headers().map_err(failed)?.clone();
    if is_end(&header) {
        return Err(Error::syntax(&path, None, "the file is empty; a table begins with a row of column names"));
    }
    refuse_open_quote(&path, &header)?;
    let layout = Layout::find(&header, &path, collector)?;
    let mut row = ByteRecord::new();
    // The last row, its line, and the problems listed before it.
    let mut last = (header.clone(), 1, collector.problem_count());
    loop {
        watch.begin_value();
        let mut is_read = reader.read_byte_record(&mut row).map_err(failed)?;
        if is_read && is_end(&row) {
            // Nothing follows, unless the file holds such a row itself.
            is_read = reader.read_byte_record(&mut row).map_err(failed)?;
        }
        if !is_read {
            break;
        }
        let line = row.position().map_or(0, |at| at.line());
        last.1 = line;
        last.2 = collector.problem_count();
        watch.check_line(line, row.as_slice().len() as u64)?;
        refuse_open_quote(&path, &row)?;
        add_row(&row, line, header.len(), &layout, collector)?;
        std::mem::swap(&mut last.0, &mut row);
    }
    if watch.ends_within_a_line() && collector.problem_count() == last.2 {
        collector.cut_off(last.1, &shown(&last.0))?;
    }
    Ok(())
}

fn add_row(
    row: &ByteRecord,
    line: u64,
    columns: usize,
    layout: &Layout,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let counts = || cell_counts(row.len(), columns);
    if row.iter().skip(columns).any(|cell| !cell.is_empty()) {
        let reason = format!("{}; is a cell with a delimiter not in quotes?", counts());
        return collector.problem(Some(line), &shown(row), reason);
    }
    match entry(row, layout, collector) {
        Some(entry) if entry.name.contains('\n') => {
            collector.problem(Some(line), &entry.name, "a name with a line end; is a quote never closed?")
        }
        Some(entry) => collector.add_row(Some(line), entry),
        None if row.len() <= layout.id.max(layout.name) => collector.problem(Some(line), &shown(row), counts()),
        None => collector.not_utf8(line, row.as_slice()),
    }
}

/// Returns the reason for leaving a row out that has too few or too many cells.
pub(super) fn cell_counts(cells: usize, columns: usize) -> String {
    let plural = |count| if count == 1 { "" } else { "s" };
    format!("a row of {cells} cell{} in a table of {columns} column{}", plural(cells), plural(columns))
}

fn is_end(row: &ByteRecord) -> bool {
    row.len() == 1 && &row[0] == END.trim_ascii()
}

fn refuse_open_quote(path: &Path, row: &ByteRecord) -> Result<(), Error> {
    if !row.iter().next_back().is_some_and(|cell| cell.ends_with(END)) {
        return Ok(());
    }
    let line = row.position().map(|at| at.line());
    Err(Error::syntax(path, line, "the file ends within a quoted cell of this row")
        .with_hint("close the quote, or fetch the file again if it is cut off"))
}

/// Returns a row as messages show it.
fn shown(row: &ByteRecord) -> String {
    row.iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

impl Layout {
    fn find(header: &ByteRecord, path: &Path, collector: &mut Collector<'_>) -> Result<Self, Error> {
        let cells: Vec<String> = header.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        let columns = &collector.options.columns;
        let missing = |what: String| {
            let quoted: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", excerpt(cell))).collect();
            Error::syntax(path, Some(1), format!("{what} among {}", quoted.join(", ")))
                .with_hint("name the columns: --id-column COLUMN --name-column COLUMN")
        };
        let find = |asked: &Option<String>, usual: &[&str]| {
            let found = match asked {
                None => columns_named(&cells, usual),
                Some(name) => columns_asked(&cells, name),
            };
            match asked {
                Some(name) if found.is_empty() => Err(missing(format!("no column \"{}\"", excerpt(name)))),
                _ => Ok(found),
            }
        };
        let ids = find(&columns.id, ID)?;
        let id = *ids.first().ok_or_else(|| missing("no id column".to_owned()))?;
        let mut synonyms = find(&columns.synonyms, SYNONYMS)?;
        let mut names = find(&columns.name, NAME)?;
        // A table with `id` and `names` alone has its names there.
        let joined = names.is_empty() || synonyms.first() == names.first();
        if joined {
            names.clear();
            names.extend(synonyms.iter().take(1));
        }
        let name = *names.first().ok_or_else(|| missing("no name column".to_owned()))?;
        let is_same = |column: &usize| plain(&cells[*column]) == plain(&cells[name]);
        let further_names: Vec<usize> = names.into_iter().skip(1).filter(is_same).collect();
        synonyms.retain(|column| *column != name && !further_names.contains(column));
        let (types, definitions) = (find(&columns.types, TYPES)?, columns_named(&cells, DEFINITION));
        for columns in [&ids, &definitions] {
            let is_second = |column: &&usize| plain(&cells[**column]) == plain(&cells[columns[0]]);
            if let Some(column) = columns.iter().skip(1).find(is_second) {
                collector.problem(Some(1), &cells[*column], "two columns of this name; the first is read")?;
            }
        }
        Ok(Self {
            id,
            name,
            joined,
            further_names,
            synonyms,
            types,
            parents: columns_named(&cells, PARENTS),
            xrefs: columns_named(&cells, XREFS),
            definition: definitions.first().copied(),
        })
    }
}

/// Returns the columns with any of the usual names, the most usual name first.
fn columns_named(cells: &[String], usual: &[&str]) -> Vec<usize> {
    usual.iter().flat_map(|name| (0..cells.len()).filter(move |at| plain(&cells[*at]) == *name)).collect()
}

/// Returns the columns with the name that the user gave, as it is or but for capitals and spaces.
fn columns_asked(cells: &[String], name: &str) -> Vec<usize> {
    let exact: Vec<usize> = (0..cells.len()).filter(|at| cells[*at] == name).collect();
    if exact.is_empty() { columns_named(cells, &[&plain(name)]) } else { exact }
}

fn plain(column: &str) -> String {
    column.trim().trim_matches('"').to_ascii_lowercase().replace([' ', '-'], "_")
}

/// Returns the entry of a row; none where a cell is missing or is not UTF-8.
fn entry(row: &ByteRecord, layout: &Layout, collector: &Collector<'_>) -> Option<Entry> {
    let asked = collector.options.columns.separator.as_deref();
    let separator = asked.filter(|separator| !separator.is_empty()).unwrap_or("|");
    let cell = |column: usize| std::str::from_utf8(row.get(column)?).ok().map(|cell| unquoted(cell).to_owned());
    let optional = |column: usize| if column < row.len() { cell(column) } else { Some(String::new()) };
    let split = |cell: String| -> Vec<String> {
        cell.split(separator).map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
    };
    let all = |columns: &[usize]| -> Option<Vec<String>> {
        let cells: Option<Vec<String>> = columns.iter().map(|column| optional(*column)).collect();
        Some(cells?.into_iter().flat_map(split).collect())
    };
    let splits_names = asked.is_some() || layout.joined;
    let mut names = vec![cell(layout.name)?];
    for column in &layout.further_names {
        names.push(optional(*column)?);
    }
    if splits_names {
        names = names.into_iter().flat_map(split).collect();
    }
    let mut names = names.into_iter();
    Some(Entry {
        id: cell(layout.id)?,
        name: names.next().unwrap_or_default(),
        synonyms: names.filter(|name| !name.is_empty()).chain(all(&layout.synonyms)?).collect(),
        aliases: Vec::new(),
        types: all(&layout.types)?,
        parents: all(&layout.parents)?,
        xrefs: all(&layout.xrefs)?,
        definition: match layout.definition {
            Some(column) => optional(column),
            None => None,
        },
    })
}

/// Tab-separated values have no quoting, yet spreadsheets write some.
fn unquoted(cell: &str) -> &str {
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(cell)
}
