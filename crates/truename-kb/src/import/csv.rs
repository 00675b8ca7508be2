//! Comma- and tab-separated tables with a header: one name a row, or names joined by a separator.

use csv::ByteRecord;

use super::{Collector, Entry, Source};
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

struct Layout {
    id: usize,
    name: usize,
    /// Whether the name column is one of joined names.
    joined: bool,
    synonyms: Option<usize>,
    types: Option<usize>,
    parents: Option<usize>,
    xrefs: Option<usize>,
    definition: Option<usize>,
}

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>, delimiter: u8) -> Result<(), Error> {
    let path = source.path.clone();
    let failed = |error: csv::Error| Error::syntax(&path, error.position().map(|at| at.line()), error);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter == b',')
        .flexible(true)
        .from_reader(source.reader());
    let header = reader.byte_headers().map_err(failed)?.clone();
    let layout = Layout::find(&header, collector).map_err(|message| {
        let shown = String::from_utf8_lossy(header.as_slice()).into_owned();
        Error::syntax(&path, Some(1), format!("{message} among \"{}\"", crate::error::shorten(&shown)))
            .with_hint("name the columns: --id-column COLUMN --name-column COLUMN")
    })?;
    let mut row = ByteRecord::new();
    while reader.read_byte_record(&mut row).map_err(failed)? {
        let line = row.position().map(|at| at.line());
        match entry(&row, &layout, collector) {
            Some(entry) if entry.name.contains('\n') => {
                collector.problem(line, &entry.name, "a name with a line end; is a quote never closed?")?;
            }
            Some(entry) => collector.add_row(line, entry)?,
            None if row.len() <= layout.id.max(layout.name) => {
                let shown = String::from_utf8_lossy(row.as_slice()).into_owned();
                collector.problem(line, &shown, format!("a row of {} columns of {}", row.len(), header.len()))?;
            }
            None => collector.not_utf8(line.unwrap_or_default(), row.as_slice())?,
        }
    }
    Ok(())
}

impl Layout {
    fn find(header: &ByteRecord, collector: &Collector<'_>) -> Result<Self, String> {
        let named: Vec<String> = header.iter().map(|cell| plain(&String::from_utf8_lossy(cell))).collect();
        let usual = |names: &[&str]| names.iter().find_map(|name| named.iter().position(|column| column == name));
        let asked = |asked: &Option<String>, names: &[&str]| match asked {
            None => Ok(usual(names)),
            Some(name) => {
                let exact = header.iter().position(|cell| cell == name.as_bytes());
                exact.map(Some).ok_or_else(|| format!("no column \"{name}\""))
            }
        };
        let columns = &collector.options.columns;
        let id = asked(&columns.id, ID)?.ok_or("no id column")?;
        let synonyms = asked(&columns.synonyms, SYNONYMS)?;
        // A table with `id` and `names` alone has its names there.
        let name = asked(&columns.name, NAME)?.or(synonyms).ok_or("no name column")?;
        Ok(Self {
            id,
            name,
            joined: synonyms == Some(name),
            synonyms: synonyms.filter(|column| *column != name),
            types: asked(&columns.types, TYPES)?,
            parents: usual(PARENTS),
            xrefs: usual(XREFS),
            definition: usual(DEFINITION),
        })
    }
}

fn plain(column: &str) -> String {
    column.trim().trim_matches('"').to_ascii_lowercase().replace([' ', '-'], "_")
}

/// The entry of a row, or nothing where a cell is missing or is not UTF-8.
fn entry(row: &ByteRecord, layout: &Layout, collector: &Collector<'_>) -> Option<Entry> {
    let asked = collector.options.columns.separator.as_deref();
    let separator = asked.filter(|separator| !separator.is_empty()).unwrap_or("|");
    let cell = |column: usize| std::str::from_utf8(row.get(column)?).ok().map(|cell| unquoted(cell).to_owned());
    let optional = |column: Option<usize>| match column {
        Some(at) if at < row.len() => cell(at),
        _ => Some(String::new()),
    };
    let split = |cell: String| -> Vec<String> {
        cell.split(separator).map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
    };
    let (name, mut synonyms) = (cell(layout.name)?, split(optional(layout.synonyms)?));
    let name = if asked.is_some() || layout.joined {
        let mut names = split(name).into_iter();
        let first = names.next().unwrap_or_default();
        synonyms.splice(0..0, names);
        first
    } else {
        name
    };
    Some(Entry {
        id: cell(layout.id)?,
        name,
        synonyms,
        types: split(optional(layout.types)?),
        parents: split(optional(layout.parents)?),
        xrefs: split(optional(layout.xrefs)?),
        definition: Some(optional(layout.definition)?),
    })
}

/// Tab-separated values have no quoting, yet spreadsheets write some.
fn unquoted(cell: &str) -> &str {
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(cell)
}
