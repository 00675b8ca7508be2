//! Vocabulary files of the Comparative Toxicogenomics Database, MEDIC among them: tab- or comma-separated, comment
//! lines behind `#`, the column names in the last but one or last of them.

use std::borrow::Cow;

use truename_read::{Dialect, Records, Source};

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use super::table::cell_counts;
use crate::Error;

struct Layout {
    delimiter: char,
    /// The kind of thing that the file lists, by which its id and name columns begin: `Disease`.
    kind: String,
    columns: Vec<String>,
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (path, mut layout) = (source.path().to_owned(), None);
    for_each_row(source, collector, |number, line, collector| {
        if let Some(comment) = line.strip_prefix('#') {
            layout = layout.take().or_else(|| Layout::of_header(comment));
            return Ok(());
        }
        let Some(layout) = &layout else {
            let message = "no column names above the rows; a CTD file has them in a `# DiseaseName…` line";
            return Err(Error::syntax(&path, Some(number), message));
        };
        let Some(cells) = layout.cells(line) else {
            return collector.problem(Some(number), line, "a quoted cell that is never closed");
        };
        let (found, expected) = (cells.len(), layout.columns.len());
        match layout.entry(&cells) {
            None => collector.problem(Some(number), line, "no name and id in the columns of the `# Fields:` header"),
            Some(_) if found != expected => collector.problem(Some(number), line, cell_counts(found, expected)),
            Some(entry) => collector.add(Some(number), entry),
        }
    })
}

impl Layout {
    /// Returns the layout that a comment states, if it lists columns.
    fn of_header(comment: &str) -> Option<Self> {
        let delimiter = if comment.contains('\t') { '\t' } else { ',' };
        let columns: Vec<String> = comment.split(delimiter).map(|column| column.trim().to_owned()).collect();
        let first = columns.first()?;
        let kind = first.strip_suffix("Name").or_else(|| first.strip_suffix("Symbol"))?.to_owned();
        let id = format!("{kind}ID");
        columns.contains(&id).then_some(Self { delimiter, kind, columns })
    }

    /// Returns the cells of a row; none where a quote is left open.
    fn cells<'line>(&self, line: &'line str) -> Option<Vec<Cow<'line, str>>> {
        if self.delimiter == '\t' || !line.contains('"') {
            return Some(line.split(self.delimiter).map(Cow::Borrowed).collect());
        }
        if line.matches('"').count() % 2 == 1 {
            return None;
        }
        let row = Records::of_bytes(line.as_bytes(), Some(Dialect::of(b','))).read().ok()??;
        Some(row.cells().map(|cell| Cow::Owned(String::from_utf8_lossy(cell).into_owned())).collect())
    }

    fn entry(&self, cells: &[Cow<'_, str>]) -> Option<Entry> {
        let cell = |name: &str| {
            self.columns.iter().position(|column| column == name).and_then(|at| cells.get(at)).map(Cow::as_ref)
        };
        let several = |column: &str| -> Vec<String> {
            let joined = cell(column).unwrap_or_default();
            joined.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect()
        };
        let mut xrefs = several("AltDiseaseIDs");
        xrefs.extend(several("CasRN").into_iter().map(|number| format!("CAS:{number}")));
        Some(Entry {
            id: cell(&format!("{}ID", self.kind))?.to_owned(),
            name: cells.first()?.to_string(),
            // Newer files of chemicals have `MESHSynonyms` and `CTDCuratedSynonyms`.
            synonyms: self
                .columns
                .iter()
                .filter(|column| column.ends_with("Synonyms"))
                .flat_map(|column| several(column))
                .collect(),
            aliases: Vec::new(),
            types: vec![self.kind.to_ascii_lowercase()],
            parents: several("ParentIDs"),
            xrefs,
            definition: cell("Definition").map(str::to_owned),
        })
    }
}
