//! MeSH XML: descriptor records (`desc*.xml`) and supplementary records (`supp*.xml`).

use std::collections::HashMap;

use super::collector::{Collector, Entry};
use crate::Error;
use truename_read::Source;
use truename_read::xml::{Piece, Pieces};

/// The categories of the MeSH tree, by the letter with which tree numbers begin.
const CATEGORIES: [(&str, &str); 16] = [
    ("A", "anatomy"),
    ("B", "organism"),
    ("C", "disease"),
    ("D", "chemical"),
    ("E", "technique"),
    ("F03", "disease"),
    ("F", "psychology"),
    ("G", "phenomenon"),
    ("H", "discipline"),
    ("I", "society"),
    ("J", "technology"),
    ("K", "humanities"),
    ("L", "information"),
    ("M", "group"),
    ("N", "health care"),
    ("Z", "place"),
];

#[derive(Default)]
struct Record {
    entry: Entry,
    trees: Vec<String>,
    line: u64,
}

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let mut pieces = Pieces::new(source.into_text(), "MeSH XML");
    let unresolved = pieces.unresolved();
    let (mut text, mut within) = (String::new(), Vec::<String>::new());
    let mut record = Record::default();
    let mut records: Vec<Record> = Vec::new();
    while let Some(piece) = pieces.read()? {
        collector.report_unresolved(&unresolved)?;
        match piece {
            Piece::Start { name, .. } => {
                if is_record(&name) {
                    record = Record { line: pieces.line(), ..Record::default() };
                }
                within.push(name);
                text.clear();
            }
            Piece::Text(piece) => text = piece,
            Piece::End { name } => {
                record.take(&within, text.trim());
                text.clear();
                within.pop();
                if is_record(&name) {
                    records.push(std::mem::take(&mut record));
                }
            }
        }
    }
    finish(records, collector)
}

fn is_record(name: &str) -> bool {
    matches!(name, "DescriptorRecord" | "SupplementalRecord")
}

impl Record {
    /// Takes the text of the element that ends, whose ancestors and itself are `within`.
    fn take(&mut self, within: &[String], text: &str) {
        let path: Vec<&str> = within.iter().map(String::as_str).collect();
        let entry = &mut self.entry;
        match path[..] {
            [.., "DescriptorRecord", "DescriptorUI"] | [.., "SupplementalRecord", "SupplementalRecordUI"] => {
                entry.id = text.to_owned();
            }
            [.., "DescriptorRecord", "DescriptorName", "String"]
            | [.., "SupplementalRecord", "SupplementalRecordName", "String"] => entry.name = text.to_owned(),
            [.., "Term", "String"] => entry.synonyms.push(text.to_owned()),
            [.., "TreeNumberList", "TreeNumber"] => self.trees.push(text.to_owned()),
            [.., "HeadingMappedTo", "DescriptorReferredTo", "DescriptorUI"] => {
                entry.parents.push(text.trim_start_matches('*').to_owned());
            }
            [.., "Concept", "ScopeNote"] if entry.definition.is_none() => entry.definition = Some(text.to_owned()),
            [.., "Concept", "RegistryNumber"] if text != "0" && !text.is_empty() => entry.xrefs.push(text.to_owned()),
            _ => {}
        }
    }
}

/// Turns tree numbers into parents and types, once all records are read.
fn finish(mut records: Vec<Record>, collector: &mut Collector) -> Result<(), Error> {
    let by_tree: HashMap<String, String> = records
        .iter()
        .flat_map(|record| record.trees.iter().map(|tree| (tree.clone(), record.entry.id.clone())))
        .collect();
    let categories: HashMap<String, Vec<String>> =
        records.iter().map(|record| (record.entry.id.clone(), categories(&record.trees))).collect();
    for Record { mut entry, trees, line } in records.drain(..) {
        let above = trees.iter().filter_map(|tree| by_tree.get(tree.rsplit_once('.')?.0));
        entry.parents.extend(above.cloned());
        entry.types = categories.get(&entry.id).cloned().unwrap_or_default();
        if entry.types.is_empty() {
            let inherited = entry.parents.iter().filter_map(|parent| categories.get(parent)).flatten();
            entry.types = inherited.cloned().collect();
        }
        collector.add(Some(line), entry)?;
    }
    Ok(())
}

pub(super) fn categories(trees: &[String]) -> Vec<String> {
    let name = |tree: &String| CATEGORIES.iter().find(|(start, _)| tree.starts_with(start)).map(|(_, name)| *name);
    trees.iter().filter_map(name).map(str::to_owned).collect()
}
