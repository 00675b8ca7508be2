//! Tables: one name a row, or names joined by a separator.

use std::cell::Cell;
use std::sync::Arc;

use truename_error::{ErrorKind, Hint, HintPart, hint};
use truename_read::{HeaderNote, ID_COLUMNS as ID, NAME_COLUMNS as NAME, Record, Source, Table, TableOptions, column};
use truename_text::excerpt;

use super::collector::{Collector, Entry};
use super::list_cell::list_cell;
use super::options::Columns;
use super::placeholder::is_placeholder;
use crate::{Error, error};

/// Names by which further columns go, in lower case, `_` for space and hyphen.
pub(super) const SYNONYMS: &[&str] = &[
    "synonyms",
    "synonym",
    "aliases",
    "alias",
    "names",
    "alternative_names",
    "alt_labels",
    "alt_label",
    "altlabels",
    "altlabel",
];
pub(super) const TYPES: &[&str] = &["types", "type", "category", "categories", "semantic_type", "semantic_types"];
pub(super) const PARENTS: &[&str] = &["parents", "parent", "is_a", "broader"];
pub(super) const XREFS: &[&str] = &["xrefs", "xref", "dbxrefs"];
pub(super) const DEFINITION: &[&str] = &["definition", "definitions", "description"];
/// Columns that say whether an id is no longer in use, and what they say of one that is.
pub(super) const OBSOLETE: &[&str] = &["obsolete", "is_obsolete", "deprecated", "removed"];
/// Columns of the ids that replace one that is no longer in use.
const REPLACED_BY: &[&str] = &["replaced_by"];
const YES: [&str; 7] = ["true", "yes", "1", "1.0", "y", "t", "x"];
/// Values by which an id is in use, beside those that are missing.
const NO: [&str; 6] = ["false", "no", "0", "0.0", "n", "f"];
/// End of the reason of a problem with a value that is in neither list.
pub(super) const NEITHER: &str = "says neither yes nor no, so the id is taken for one in use";

pub(super) const SEPARATOR: &str = "|";
/// Separator of lists that have no other.
const SEMICOLON: &str = ";";
/// Separators of lists that names may have too, so that they are noted and not parted.
const POSSIBLE: [&str; 6] = [" / ", "^", "~", "、", "；", COMMA];
const COMMA: &str = ", ";

/// Number of columns that a message lists.
const LISTED_COLUMNS: usize = 20;

/// Columns of a table, by their places.
struct Layout {
    /// Names of all columns.
    columns: Vec<String>,
    id: usize,
    /// Columns with names, the preferred one first; none where the table has further names alone.
    names: Vec<usize>,
    /// True if the names of a cell are joined.
    are_joined: bool,
    /// Columns of further names, each with the separator of its cells; so are the others of lists.
    synonyms: Vec<(usize, String)>,
    types: Vec<(usize, String)>,
    parents: Vec<(usize, String)>,
    xrefs: Vec<(usize, String)>,
    replaced_by: Vec<(usize, String)>,
    definition: Option<usize>,
    obsolete: Option<usize>,
    separator: String,
    /// True once a cell has had the separator of its column.
    has_lists: Cell<bool>,
}

pub(super) fn read(source: Source, collector: &mut Collector, delimiter: Option<u8>) -> Result<(), Error> {
    let asked = Arc::clone(&collector.options);
    let columns = &asked.columns;
    let (ids, names) = (wanted(&columns.id, ID), wanted(&columns.name, NAME));
    let options = TableOptions {
        delimiter: columns.delimiter.or(delimiter),
        skip_rows: if has_titles(&source.beginning_text(), columns) { columns.skip_rows } else { 0 },
        has_header: !columns.no_header,
        wanted: &[&ids, &names],
        ..TableOptions::default()
    };
    if options.skip_rows < columns.skip_rows {
        collector.add_note("no row is skipped, since the first one is the header".to_owned());
    }
    let mut table = Table::open(source, &options)?;
    let layout = Layout::find(&mut table, collector)?;
    layout.note_unread(collector);
    list_cut_header(&table, collector)?;
    for_each_record(&mut table, collector, |record, collector| add_row(record, &layout, collector))?;
    let separator = collector.options.columns.separator.as_ref().filter(|asked| !asked.is_empty());
    if let Some(asked) = separator.filter(|_| !layout.has_lists.get()) {
        collector.add_note(format!("the separator of values, \"{}\", is in no cell", excerpt(asked)));
    }
    Ok(())
}

/// Returns false if the first row is a header by its usual names, and the one below the rows to skip is none: of several files, only some
/// have titles.
fn has_titles(text: &str, columns: &Columns) -> bool {
    let below: Vec<&str> = text.lines().skip(columns.skip_rows as usize).collect();
    columns.are_named() || !begins(text) || begins(&below.join("\n"))
}

/// Lists a header without a line end: it may be cut off.
pub(super) fn list_cut_header(table: &Table, collector: &mut Collector) -> Result<(), Error> {
    match table.header.as_ref().filter(|header| header.line_end.is_empty()) {
        Some(header) => collector.cut_off(header.line, &shown(header)),
        None => Ok(()),
    }
}

/// Hands each row that is not blank to `visit`. A quote that is never closed is listed, and so is a last row without a line end
/// unless it is listed already. A row that repeats the header, as where files were joined, is left out and counted.
pub(super) fn for_each_record(
    table: &mut Table,
    collector: &mut Collector,
    mut visit: impl FnMut(&Record, &mut Collector) -> Result<(), Error>,
) -> Result<(), Error> {
    let header = table.header.clone();
    while let Some(record) = table.read_filled()? {
        let listed = collector.problem_count();
        if record.is_blank() {
            continue;
        }
        if header.as_ref().is_some_and(|header| is_same(header, &record)) {
            collector.add_left_out("rows that repeat the header left out");
            continue;
        }
        if let Some(reason) = record.quote_fault() {
            collector.problem(Some(record.line), &shown(&record), reason)?;
        }
        visit(&record, collector)?;
        if record.line_end.is_empty() && collector.problem_count() == listed {
            collector.cut_off(record.line, &shown(&record))?;
        }
    }
    Ok(())
}

/// Returns true if two rows have the same cells, but for blanks and a byte order mark.
fn is_same(one: &Record, other: &Record) -> bool {
    one.width() == other.width() && one.cells().zip(other.cells()).all(|(one, other)| bare(one) == bare(other))
}

fn bare(cell: &[u8]) -> &[u8] {
    let Some(rest) = cell.strip_prefix("\u{FEFF}".as_bytes()) else { return cell.trim_ascii() };
    // Behind the mark the quotes of a cell are characters.
    rest.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(rest).trim_ascii()
}

fn wanted<'a>(asked: &'a Option<String>, usual: &[&'a str]) -> Vec<&'a str> {
    asked.as_deref().map_or(usual.to_vec(), |asked| vec![asked])
}

fn add_row(record: &Record, layout: &Layout, collector: &mut Collector) -> Result<(), Error> {
    let (line, width) = (record.line, layout.columns.len());
    let counts = || cell_counts(record.width(), width);
    if record.cells().skip(width).any(|cell| !cell.is_empty()) {
        let reason = format!("{}; is a cell with a delimiter not in quotes?", counts());
        return collector.problem(Some(line), &shown(record), reason);
    }
    match layout.entry(record) {
        Some(entry) if entry.id.is_empty() => {
            let reason = format!("a row without an id, which column \"{}\" has", excerpt(&layout.columns[layout.id]));
            collector.problem(Some(line), &shown(record), reason)
        }
        Some(Entry { id, replaced_by, .. }) if layout.is_obsolete(record) == Some(true) => {
            collector.add(Some(line), Entry { replaced_by, ..Entry::removed(id) })
        }
        Some(entry) => {
            if let Some(at) = layout.obsolete.filter(|_| layout.is_obsolete(record).is_none()) {
                let reason = format!("column \"{}\" {NEITHER}", excerpt(&layout.columns[at]));
                collector.problem(Some(line), &shown(record), reason)?;
            }
            if layout.columns.iter().skip(record.width()).any(|column| !column.trim().is_empty()) {
                let reason = format!("{}; the others are taken for empty", counts());
                collector.problem(Some(line), &shown(record), reason)?;
            }
            collector.add_row(Some(line), entry)
        }
        None if record.width() <= layout.last_needed() => collector.problem(Some(line), &shown(record), counts()),
        None => collector.not_utf8(line, record.content()),
    }
}

/// Returns the reason for leaving a row out that has too few or too many cells.
pub(super) fn cell_counts(cells: usize, columns: usize) -> String {
    let plural = |count| if count == 1 { "" } else { "s" };
    format!("a row of {cells} cell{} in a table of {columns} column{}", plural(cells), plural(columns))
}

/// Returns a row as messages show it.
pub(super) fn shown(record: &Record) -> String {
    String::from_utf8_lossy(record.content()).into_owned()
}

impl Layout {
    fn find(table: &mut Table, collector: &mut Collector) -> Result<Self, Error> {
        let options = Arc::clone(&collector.options);
        let asked = &options.columns;
        if !asked.no_header && are_numbers(table, [&asked.id, &asked.name]) {
            if is_data(table) {
                table.header_is_row();
            } else if !table.has_usual_column() {
                let HeaderNote { message, hint } = HeaderNote::new(&table.columns);
                collector.add_advised_note(message, Some(hint));
            }
        }
        let cells = table.columns.clone();
        let numbered = |asked: &Option<String>, number: &str| {
            asked.clone().or_else(|| table.header.is_none().then(|| number.to_owned()))
        };
        let (asked_id, asked_name) = (numbered(&asked.id, "1"), numbered(&asked.name, "2"));
        let (path, is_only_file) = (collector.path().to_owned(), collector.is_only_file());
        let missing = |what: String| {
            let titles = wanted(&asked_name, NAME).into_iter().find_map(|name| table.title_rows(name));
            let hint = match titles {
                Some(rows) => {
                    hint!["the header seems to be further down: ", HintPart::setting("skip_rows").value(rows)]
                }
                None if !is_only_file && (asked.id.is_some() || asked.name.is_some()) => hint![
                    "the columns that are named are those of all tables; import the others, and add this one by ",
                    HintPart::action("kb update").value(path.display()),
                ],
                None => hint![
                    "name the columns: ",
                    HintPart::setting("id_column").value("COLUMN"),
                    " ",
                    HintPart::setting("name_column").value("COLUMN"),
                    "; if the first row is no header, add ",
                    HintPart::setting("no_header"),
                    " and name them by numbers; ",
                    HintPart::setting("delimiter"),
                    " says what separates them",
                ],
            };
            let line = table.header.as_ref().map(|header| header.line);
            error::syntax(&path, line.or(Some(1)), format!("{what} among {}", listed(&cells))).with_hint(hint)
        };
        let find = |asked: &Option<String>, usual: &[&str]| match asked {
            None => columns_named(&cells, usual),
            Some(name) => columns_asked(&cells, name),
        };
        let no_column = |name: &str| missing(format!("no column \"{}\"", excerpt(name))).of_kind(ErrorKind::NoColumn);
        let ids = find(&asked_id, ID);
        let id = *ids.first().ok_or_else(|| match &asked_id {
            Some(name) => no_column(name),
            None => missing("no id column".to_owned()),
        })?;
        let mut synonyms = match &asked.synonyms[..] {
            [] => columns_named(&cells, SYNONYMS),
            asked => asked.iter().flat_map(|name| columns_asked(&cells, name)).collect(),
        };
        let further = asked.synonyms.iter().chain(&asked.types);
        let absent: Vec<&String> = further.filter(|name| columns_asked(&cells, name).is_empty()).collect();
        let mut names = find(&asked_name, NAME);
        match (names.is_empty(), absent.first()) {
            // The names of another file of the import.
            (true, _) if asked.name.is_some() && !asked.synonyms.is_empty() && !synonyms.is_empty() => {}
            (true, _) if asked_name.is_some() => return Err(no_column(asked_name.as_deref().unwrap_or_default())),
            (_, Some(absent)) if is_only_file => return Err(no_column(absent)),
            _ => {
                let note = |absent: &&String| format!("no column \"{}\", so read without", excerpt(absent));
                absent.iter().map(note).for_each(|note| collector.add_note(note));
            }
        }
        // A table with `id` and `names` alone has its names there.
        let are_joined = asked.name.is_none() && (names.is_empty() || synonyms.first() == names.first());
        if are_joined {
            names = synonyms.first().copied().into_iter().collect();
        }
        if names.is_empty() && synonyms.is_empty() {
            return Err(missing("no name column".to_owned()));
        }
        names.dedup_by(|next, first| plain(&cells[*next]) != plain(&cells[*first]));
        synonyms.retain(|column| !names.contains(column) && *column != id);
        let definitions = columns_named(&cells, DEFINITION);
        for columns in [&ids, &definitions] {
            let is_second = |column: &&usize| plain(&cells[**column]) == plain(&cells[columns[0]]);
            if let Some(column) = columns.iter().skip(1).find(is_second) {
                collector.problem(Some(1), &cells[*column], "two columns of this name; the first is read")?;
            }
        }
        let mut lists = |columns: Vec<usize>| -> Vec<(usize, String)> {
            columns.into_iter().map(|at| (at, separator(table, at, collector))).collect()
        };
        let [synonyms, types] = [synonyms, find(&asked.types, TYPES)].map(&mut lists);
        let [parents, xrefs, replaced_by] =
            [PARENTS, XREFS, REPLACED_BY].map(|usual| lists(columns_named(&cells, usual)));
        Ok(Self {
            id,
            names,
            are_joined: are_joined || asked.separator.is_some(),
            synonyms,
            types,
            parents,
            xrefs,
            replaced_by,
            definition: definitions.first().copied(),
            obsolete: columns_named(&cells, OBSOLETE).first().copied(),
            has_lists: Cell::new(false),
            separator: asked_separator(collector).unwrap_or(SEPARATOR.into()),
            columns: cells,
        })
    }

    /// Notes the columns that are not read.
    fn note_unread(&self, collector: &mut Collector) {
        let Self { id, definition, obsolete, names, synonyms, types, parents, xrefs, replaced_by, .. } = self;
        let lists = [synonyms, types, parents, xrefs, replaced_by].into_iter().flatten().map(|(at, _)| at);
        let read: Vec<&usize> = lists.chain(names).chain([id]).chain(definition).chain(obsolete).collect();
        let columns =
            self.columns.iter().enumerate().filter(|(at, column)| !read.contains(&at) && !column.trim().is_empty());
        let unread: Vec<String> = columns.map(|(_, column)| column.clone()).collect();
        if !unread.is_empty() {
            let advice = hint![HintPart::setting("synonyms_column"), " says which have further names"];
            collector.add_advised_note(format!("columns not read: {}", listed(&unread)), Some(advice));
        }
    }

    /// Returns true if a row says that its id is no longer in use, `None` if its cell says neither yes nor no.
    fn is_obsolete(&self, record: &Record) -> Option<bool> {
        says_yes(&String::from_utf8_lossy(self.obsolete.and_then(|at| record.cell(at)).unwrap_or_default()))
    }

    /// The last cell that every row must have.
    fn last_needed(&self) -> usize {
        self.id.max(self.names.first().copied().unwrap_or_default())
    }

    /// Returns the entry of a row; none where a cell is missing or is not UTF-8.
    fn entry(&self, record: &Record) -> Option<Entry> {
        let cell = |at: usize| std::str::from_utf8(record.cell(at)?).ok().map(unprotected);
        let optional = |at: usize| if at < record.width() { cell(at) } else { Some("") };
        let split = |cell: &str, separator: &str| {
            self.has_lists.set(self.has_lists.get() || cell.contains(separator) || list_cell(cell).is_some());
            split(cell, separator)
        };
        let all = |columns: &[(usize, String)]| -> Option<Vec<String>> {
            let lists = columns.iter().map(|(column, separator)| Some(split(optional(*column)?, separator)));
            Some(lists.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        };
        let mut names = Vec::new();
        for (at, column) in self.names.iter().enumerate() {
            let name = if at == 0 { cell(*column)? } else { optional(*column)? };
            names.extend(if self.are_joined { split(name, &self.separator) } else { vec![one_line(name)] });
        }
        names.extend(all(&self.synonyms)?);
        let mut names = names.into_iter();
        let name = if self.names.is_empty() { String::new() } else { names.next().unwrap_or_default() };
        Some(Entry {
            id: cell(self.id)?.trim().to_owned(),
            name,
            synonyms: names.filter(|name| !name.is_empty()).collect(),
            types: all(&self.types)?,
            parents: all(&self.parents)?,
            xrefs: all(&self.xrefs)?,
            replaced_by: all(&self.replaced_by)?,
            definition: match self.definition {
                Some(column) => Some(optional(column)?.to_owned()),
                None => None,
            },
            ..Entry::default()
        })
    }
}

/// Returns whether a text begins with a header that has a column of ids and one of names, by their usual names.
pub(super) fn begins(text: &str) -> bool {
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    [',', ';', '\t', '|'].into_iter().any(|delimiter| {
        let cells: Vec<String> = header.split(delimiter).map(str::to_owned).collect();
        let has = |usual: &[&str]| !columns_named(&cells, usual).is_empty();
        has(ID) && (has(NAME) || has(SYNONYMS))
    })
}

/// Returns true if columns are asked for by numbers.
fn are_numbers(table: &Table, asked: [&Option<String>; 2]) -> bool {
    let is_number = |asked: &Option<String>| {
        asked
            .as_deref()
            .is_some_and(|name| name.parse::<usize>().is_ok() && !table.columns.iter().any(|cell| cell == name))
    };
    asked.into_iter().all(is_number)
}

/// Returns true if the first row looks like data: it has a number or a value twice.
fn is_data(table: &Table) -> bool {
    let cells = || table.columns.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
    let twice = || cells().enumerate().any(|(at, cell)| cells().skip(at + 1).any(|other| other == cell));
    cells().any(|cell| cell.parse::<f64>().is_ok()) || twice()
}

/// Returns a cell without the formula by which spreadsheets keep its zeros: `001` of `="001"`.
fn unprotected(cell: &str) -> &str {
    cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')).filter(|rest| !rest.contains('"')).unwrap_or(cell)
}

/// Returns a value with its line ends as blanks.
fn one_line(value: &str) -> String {
    let value = value.trim();
    if value.contains(['\n', '\r']) { value.split_whitespace().collect::<Vec<_>>().join(" ") } else { value.to_owned() }
}

/// Returns the values of a cell that is a list of quoted texts or has values between separators.
pub(super) fn split(cell: &str, separator: &str) -> Vec<String> {
    let values = list_cell(cell).unwrap_or_else(|| cell.split(separator).map(str::to_owned).collect());
    values.iter().map(|value| one_line(value)).filter(|value| !value.is_empty()).collect()
}

/// Returns true for a yes, false for a no or a missing value, `None` for another value.
pub(super) fn says_yes(value: &str) -> Option<bool> {
    let value = value.trim();
    let is_among = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    match is_among(&YES) {
        true => Some(true),
        false => (value.is_empty() || is_among(&NO) || is_placeholder(value)).then_some(false),
    }
}

/// Returns the separator of values that the user named.
pub(super) fn asked_separator(collector: &Collector) -> Option<String> {
    collector.options.columns.separator.clone().filter(|asked| !asked.is_empty())
}

/// Returns the separator of the lists in a column, told by the first rows.
fn separator(table: &Table, column: usize, collector: &mut Collector) -> String {
    let sample = table.first_rows();
    let cells = sample.iter().filter_map(|row| row.cell(column)).map(|cell| String::from_utf8_lossy(cell).into_owned());
    let place = format!("the cells of column \"{}\"", excerpt(&table.columns[column]));
    separator_of(cells.collect(), &place, collector)
}

/// Returns the separator of lists: the one asked for, else `|`, or `;` where some of the first cells are such lists. `place` names the
/// cells in notes.
pub(super) fn separator_of(mut cells: Vec<String>, place: &str, collector: &mut Collector) -> String {
    if let Some(asked) = asked_separator(collector) {
        return asked;
    }
    cells.retain(|cell| list_cell(cell).is_none());
    let parts = |cell: &String| {
        let cell = cell.trim_matches(|c: char| c.is_whitespace() || SEMICOLON.starts_with(c));
        let is_list = !has_character_reference(cell) && cell.split(SEMICOLON).all(|part| !part.trim().is_empty());
        if is_list { cell.split(SEMICOLON).count() } else { 0 }
    };
    let lists = cells.iter().filter(|cell| parts(cell) > 1 && !cell.contains(SEPARATOR)).count();
    let are_lists = lists > 1 || cells.iter().any(|cell| parts(cell) > 2);
    let is_parted = cells.iter().any(|cell| cell.contains(SEPARATOR));
    if lists > 0 && (is_parted || !are_lists) {
        let (look, are) = match lists {
            1 => ("one of them looks like a list", "is read as one name"),
            _ => ("some of them look like lists", "are read as one name each"),
        };
        let note = format!("{place} are parted at \"{SEPARATOR}\"; {look} separated by \"{SEMICOLON}\", and {are}");
        let hint = hint![HintPart::setting("separator").value(SEMICOLON), " parts them there"];
        collector.add_advised_note(note, Some(hint));
        return SEPARATOR.to_owned();
    }
    if is_parted {
        return SEPARATOR.to_owned();
    }
    if !are_lists {
        if let Some(PossibleSeparator { words, hint }) = PossibleSeparator::of(&cells) {
            let note = format!("{place} look like lists separated by {words}, and are read as one name each");
            collector.add_advised_note(note, Some(hint));
        }
        return SEPARATOR.to_owned();
    }
    let note = format!("{place} are lists separated by \";\"");
    collector.add_advised_note(note, Some(hint![HintPart::setting("separator"), " says another"]));
    SEMICOLON.to_owned()
}

/// Returns true for a text with a reference such as `&alpha;` or `&#945;`, whose semicolon parts no list.
fn has_character_reference(text: &str) -> bool {
    let is_reference = |rest: &str| {
        let name = rest.split_once(SEMICOLON).map(|(name, _)| name.strip_prefix('#').unwrap_or(name));
        name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    text.match_indices('&').any(|(at, _)| is_reference(&text[at + 1..]))
}

/// Separator of cells that look like lists but may be names.
struct PossibleSeparator {
    /// As a message says it.
    words: String,
    /// The way to part the cells.
    hint: Hint,
}

impl PossibleSeparator {
    fn of(cells: &[String]) -> Option<Self> {
        let any = |is_list: fn(&str) -> bool| cells.iter().any(|cell| is_list(cell.trim()));
        if any(|cell| cell.contains(['\n', '\r'])) {
            let hint = hint![HintPart::setting("separator"), " parts them"];
            return Some(Self { words: "line ends".to_owned(), hint });
        }
        if any(|cell| cell.starts_with('[') && cell.ends_with(']') && cell.contains(['"', '\''])) {
            let hint = hint!["lists in JSON are read, as in [\"a\", \"b\"]"];
            return Some(Self { words: "commas within brackets".to_owned(), hint });
        }
        let separator = POSSIBLE.into_iter().find(|separator| may_part(separator, cells))?;
        let words = if separator == COMMA { "commas".to_owned() } else { format!("\"{separator}\"") };
        Some(Self { words, hint: hint![HintPart::setting("separator").value(separator), " parts them"] })
    }
}

/// Returns true if a separator parts more than half of the cells, or one of them more than once. Commas are in names too often for that.
fn may_part(separator: &str, cells: &[String]) -> bool {
    let parts = |cell: &String| match cell.split(separator).all(|part| !part.trim().is_empty()) {
        true => cell.split(separator).count(),
        false => 0,
    };
    let lists = cells.iter().filter(|cell| parts(cell) > 1).count();
    let filled = cells.iter().filter(|cell| !cell.trim().is_empty()).count();
    let is_parted_twice = separator != COMMA && cells.iter().any(|cell| parts(cell) > 2);
    is_parted_twice || (lists > 1 && 2 * lists > filled)
}

/// Returns columns as messages list them.
fn listed(columns: &[String]) -> String {
    let quoted: Vec<String> =
        columns.iter().take(LISTED_COLUMNS).map(|column| format!("\"{}\"", excerpt(column))).collect();
    let more = columns.len().saturating_sub(LISTED_COLUMNS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", quoted.join(", "))
}

/// Returns the columns with any of the usual names, the most usual name first.
fn columns_named(cells: &[String], usual: &[&str]) -> Vec<usize> {
    usual.iter().flat_map(|name| (0..cells.len()).filter(move |at| plain(&cells[*at]) == *name)).collect()
}

/// Returns the columns with the name that the user gave, as it is or but for capitals and spaces, else the one of this number.
fn columns_asked(cells: &[String], name: &str) -> Vec<usize> {
    let exact: Vec<usize> = (0..cells.len()).filter(|at| cells[*at] == name).collect();
    let alike = || Some(columns_named(cells, &[&plain(name)])).filter(|alike| !alike.is_empty());
    if exact.is_empty() { alike().unwrap_or_else(|| column(cells, name).into_iter().collect()) } else { exact }
}

pub(super) fn plain(column: &str) -> String {
    column.trim().trim_matches('"').trim_start_matches('#').to_ascii_lowercase().replace([' ', '-'], "_")
}
