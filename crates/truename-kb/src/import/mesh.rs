//! MeSH XML: descriptor records (`desc*.xml`) and supplementary records (`supp*.xml`).

use std::collections::HashMap;
use std::io::{BufRead, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, Event};

use super::{Collector, Entry, Source};
use crate::Error;

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

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let path = source.path.clone();
    let mut reader = Reader::from_reader(LineCounting { inner: source.reader(), line: 1 });
    let (mut buffer, mut text, mut within) = (Vec::new(), String::new(), Vec::<String>::new());
    let mut record = Record::default();
    let mut records: Vec<Record> = Vec::new();
    loop {
        let event = reader.read_event_into(&mut buffer);
        let line = reader.get_ref().line;
        match event {
            Err(error) => return Err(Error::syntax(&path, Some(line), format!("not MeSH XML: {error}"))),
            Ok(Event::Eof) if within.is_empty() => break,
            Ok(Event::Eof) => return Err(Error::syntax(&path, Some(line), "the file ends within a record")),
            Ok(Event::Start(start)) => {
                let name = start.local_name().as_ref().to_owned();
                if is_record(&name) {
                    record = Record { line, ..Record::default() };
                }
                within.push(name);
                text.clear();
            }
            Ok(Event::Text(piece)) => text.push_str(&piece.xml10_content()),
            Ok(Event::CData(piece)) => text.push_str(&piece.xml10_content()),
            Ok(Event::GeneralRef(reference)) => text.push_str(&resolved(&reference)),
            Ok(Event::End(_)) => {
                record.take(&within, text.trim());
                text.clear();
                if within.pop().is_some_and(|name| is_record(&name)) {
                    records.push(std::mem::take(&mut record));
                }
            }
            Ok(_) => {}
        }
        buffer.clear();
    }
    finish(records, collector)
}

fn is_record(name: &str) -> bool {
    matches!(name, "DescriptorRecord" | "SupplementalRecord")
}

fn resolved(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => character.to_string(),
        _ => resolve_xml_entity(reference).unwrap_or_default().to_owned(),
    }
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

/// Turns tree numbers into parents and types, which takes all records.
fn finish(mut records: Vec<Record>, collector: &mut Collector<'_>) -> Result<(), Error> {
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

fn categories(trees: &[String]) -> Vec<String> {
    let name = |tree: &String| CATEGORIES.iter().find(|(start, _)| tree.starts_with(start)).map(|(_, name)| *name);
    trees.iter().filter_map(name).map(str::to_owned).collect()
}

/// Counts the lines that were consumed.
struct LineCounting<R> {
    inner: R,
    line: u64,
}

impl<R: BufRead> Read for LineCounting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.line += newlines(&buffer[..read]);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for LineCounting<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if amount > 0
            && let Ok(buffer) = self.inner.fill_buf()
        {
            self.line += newlines(&buffer[..amount.min(buffer.len())]);
        }
        self.inner.consume(amount);
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}
