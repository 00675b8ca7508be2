//! Vocabulary files of the Comparative Toxicogenomics Database, MEDIC among them: tab-separated, comment
//! lines behind `#`, the column names in the last but one or last of them.

use super::{Collector, Entry, Source};
use crate::Error;

#[derive(Default)]
struct Layout {
    columns: Vec<String>,
}

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let mut layout = Layout::default();
    source.for_each_line(collector, |number, line, collector| {
        if let Some(comment) = line.strip_prefix('#') {
            if comment.contains("ID\t") {
                layout.columns = comment.split('\t').map(|column| column.trim().to_owned()).collect();
            }
            return Ok(());
        }
        if line.trim().is_empty() {
            return Ok(());
        }
        let cells: Vec<&str> = line.split('\t').collect();
        match layout.entry(&cells) {
            Some(entry) => collector.add(Some(number), entry),
            None => collector.problem(Some(number), line, "no name and id in the columns of the `# Fields:` header"),
        }
    })
}

impl Layout {
    fn entry(&self, cells: &[&str]) -> Option<Entry> {
        let cell = |is: &dyn Fn(&str) -> bool| {
            self.columns.iter().position(|column| is(column)).and_then(|at| cells.get(at)).copied()
        };
        let several = |column: &str| -> Vec<String> {
            let joined = cell(&|found| found == column).unwrap_or_default();
            joined.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect()
        };
        let kind =
            self.columns.first()?.strip_suffix("Name").or_else(|| self.columns.first()?.strip_suffix("Symbol"))?;
        let mut xrefs = several("AltDiseaseIDs");
        xrefs.extend(several("CasRN").into_iter().map(|number| format!("CAS:{number}")));
        Some(Entry {
            id: cell(&|column| column == format!("{kind}ID"))?.to_owned(),
            name: cells.first()?.to_string(),
            synonyms: several("Synonyms"),
            types: vec![kind.to_ascii_lowercase()],
            parents: several("ParentIDs"),
            xrefs,
            definition: cell(&|column| column == "Definition").map(str::to_owned),
        })
    }
}
