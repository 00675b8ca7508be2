//! `id||name` lines, as in BioSyn's dictionaries; the name may be several joined by `|`, and the id may
//! carry alternatives behind a `|`, which become cross-references. Lines that begin with `#` are comments.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    for_each_row(
        source,
        collector,
        |_| false,
        |number, line, collector| {
            if line.starts_with('#') {
                return Ok(());
            }
            let Some((ids, names)) = line.split_once("||") else {
                return collector.problem(Some(number), line, "no `||` between id and name");
            };
            let (mut ids, mut names) = (ids.split('|').map(str::to_owned), names.split('|').map(str::to_owned));
            let id = ids.next().unwrap_or_default();
            let xrefs: Vec<String> = ids.collect();
            // A table separated by `|` that has an empty cell looks so too.
            xrefs.iter().for_each(|_| collector.add_left_out("ids behind a `|`, taken for cross-references"));
            let entry = Entry {
                id,
                name: names.next().unwrap_or_default(),
                synonyms: names.filter(|name| !name.trim().is_empty()).collect(),
                xrefs,
                ..Entry::default()
            };
            collector.add_row(Some(number), entry)
        },
    )
}

/// Returns true if most lines at the beginning of a text, the first among them, are ids and names with a single `||` between them.
pub(super) fn begins(text: &str) -> bool {
    let is_row = |line: &&str| {
        let fields: Vec<&str> = line.split("||").collect();
        !line.contains('\t')
            && matches!(fields[..], [id, name] if !id.is_empty() && !name.is_empty() && !name.starts_with('|'))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
    lines.first().is_some_and(is_row) && 2 * lines.iter().filter(|line| is_row(line)).count() > lines.len()
}
