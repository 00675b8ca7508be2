//! `id||name` lines, as in BioSyn's dictionaries; the name may be several joined by `|`, and the id may
//! carry alternatives behind a `|`, which become cross-references. Lines that begin with `#` are comments.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    for_each_row(source, collector, |number, line, collector| {
        if line.starts_with('#') {
            return Ok(());
        }
        let Some((ids, names)) = line.split_once("||") else {
            return collector.problem(Some(number), line, "no `||` between id and name");
        };
        let (mut ids, mut names) = (ids.split('|').map(str::to_owned), names.split('|').map(str::to_owned));
        let entry = Entry {
            id: ids.next().unwrap_or_default(),
            name: names.next().unwrap_or_default(),
            synonyms: names.filter(|name| !name.trim().is_empty()).collect(),
            xrefs: ids.collect(),
            ..Entry::default()
        };
        collector.add_row(Some(number), entry)
    })
}
