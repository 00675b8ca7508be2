//! Gilda's grounding term table: tab-separated, a row a name, columns
//! `norm_text text db id entry_name status source organism source_db source_id`.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (path, mut header) = (source.path().to_owned(), None::<Vec<String>>);
    for_each_row(source, collector, |number, line, collector| {
        let cells: Vec<&str> = line.split('\t').map(|cell| cell.trim_matches('"')).collect();
        let Some(columns) = &header else {
            if let Some(missing) = ["text", "db", "id"].iter().find(|column| !cells.contains(column)) {
                let message = format!("no column \"{missing}\" in the header of a Gilda table");
                return Err(Error::syntax(&path, Some(number), message));
            }
            header = Some(cells.into_iter().map(str::to_owned).collect());
            return Ok(());
        };
        let cell = |name: &str| columns.iter().position(|column| column == name).and_then(|at| cells.get(at)).copied();
        let (Some(text), Some(db), Some(id)) = (cell("text"), cell("db"), cell("id")) else {
            return collector.problem(Some(number), line, "a row without text, db and id");
        };
        if db.trim().is_empty() || id.trim().is_empty() {
            return collector.problem(Some(number), line, "a row with an empty db or id");
        }
        let curie = |db: &str, id: &str| if id.contains(':') { id.to_owned() } else { format!("{db}:{id}") };
        let source_id = cell("source_id").filter(|id| !id.is_empty());
        let entry = Entry {
            id: curie(db, id),
            name: cell("entry_name").filter(|name| !name.is_empty()).unwrap_or(text).to_owned(),
            synonyms: vec![text.to_owned()],
            xrefs: cell("source_db").zip(source_id).map(|(db, id)| curie(db, id)).into_iter().collect(),
            ..Entry::default()
        };
        collector.add_row(Some(number), entry)
    })
}
