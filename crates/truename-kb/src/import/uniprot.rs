//! UniProtKB's table of entries, as its site writes it with tabs.
//!
//! Columns: `Entry`, `Entry Name`, `Protein names`, `Gene Names`, `Organism`.

use super::collector::{Collector, Entry};
use super::published::{Description, PublishedTables, Row, Rows};
use crate::Error;

pub(super) const UNIPROT: PublishedTables = PublishedTables {
    tables: &[Description {
        name: "UniProt",
        columns: &["Entry", "Protein names"],
        rows: Rows::Other(add_protein),
        ..Description::DEFAULT
    }],
    is_quoted: false,
    ..PublishedTables::DEFAULT
};

fn add_protein(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let (id, names) = (row.cell("entry").to_owned(), row.cell("protein names"));
    if let Some(replaced_by) = successors(names) {
        return collector.add(row.line, Entry { replaced_by, ..Entry::removed(id) });
    }
    let mut names = protein_names(names);
    let xrefs = names.extract_if(.., |name| name.starts_with("EC ")).map(|number| number.replacen("EC ", "EC:", 1));
    let xrefs = xrefs.collect();
    let genes = row.cells("gene names*").flat_map(|genes| genes.split([' ', ';'])).filter(|gene| !gene.is_empty());
    let entry = Entry {
        id,
        synonyms: names.into_iter().chain(genes.map(str::to_owned)).chain(row.list("entry name", '\n')).collect(),
        types: row.list("organism", '\n').collect(),
        xrefs,
        ..Entry::default()
    };
    collector.add_row(row.line, entry)
}

/// Returns the entries that an inactive one became: `Deleted.`, `Merged into P12345.`, `Demerged into P12345, P12346 and P12347.`
fn successors(names: &str) -> Option<Vec<String>> {
    let words = names.strip_suffix('.')?;
    if words == "Deleted" {
        return Some(Vec::new());
    }
    let into = words.strip_prefix("Merged into ").or_else(|| words.strip_prefix("Demerged into "))?;
    Some(into.split([' ', ',']).filter(|word| !word.is_empty() && *word != "and").map(str::to_owned).collect())
}

/// Returns the recommended name and the others, which stand behind it in brackets: `Cyclin-dependent kinase 2 (EC 2.7.11.22) (p33)`.
/// Names of domains and of products, in square brackets, are of other things.
fn protein_names(names: &str) -> Vec<String> {
    let ends = [" [Cleaved into:", " [Includes:"].iter().filter_map(|part| names.find(part));
    let mut rest = names[..ends.min().unwrap_or(names.len())].trim_end();
    let mut further = Vec::new();
    while let Some((before, name)) = last_in_brackets(rest) {
        if !matches!(name, "Fragment" | "Fragments") {
            further.push(name.to_owned());
        }
        rest = before;
    }
    further.push(rest.to_owned());
    further.reverse();
    further
}

/// Returns a text up to the brackets at its end, and what stands in them: brackets may stand within brackets.
fn last_in_brackets(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let mut depth = 1;
    for (at, byte) in inner.bytes().enumerate().rev() {
        depth += match byte {
            b')' => 1,
            b'(' => -1,
            _ => 0,
        };
        if depth == 0 {
            let before = inner[..at].strip_suffix(' ')?;
            return Some((before.trim_end(), &inner[at + 1..]));
        }
    }
    None
}
