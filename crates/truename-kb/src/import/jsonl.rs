//! JSON lines: Truename's own format (`docs/concept.schema.json`) or scispaCy's
//! (`{"concept_id", "canonical_name", "aliases", "types", "definition"}`).

use serde::Deserialize;

use super::collector::{Collector, Entry};
use super::source::Source;
use crate::{Alias, Error};

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Own(Own),
    ScispaCy(ScispaCy),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    synonyms: Vec<String>,
    #[serde(default)]
    aliases: Vec<Alias>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    xrefs: Vec<String>,
    definition: Option<String>,
    #[serde(default)]
    removed: bool,
}

#[derive(Deserialize)]
struct ScispaCy {
    concept_id: String,
    canonical_name: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    definition: Option<String>,
}

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    source.for_each_line(collector, |number, line, collector| {
        if line.trim().is_empty() {
            return Ok(());
        }
        if !line.trim_start().starts_with('{') {
            return collector.problem(Some(number), line, reason(line));
        }
        match serde_json::from_str(line) {
            Ok(Line::Own(own)) if own.removed => collector.remove(Some(number), &own.id),
            Ok(Line::Own(own)) => collector.add(Some(number), own.into()),
            Ok(Line::ScispaCy(entry)) => collector.add(Some(number), entry.into()),
            Err(_) => collector.problem(Some(number), line, reason(line)),
        }
    })
}

/// Returns the reason for refusing a line. Shapes are tried one by one, because an untagged enum gives no reason.
fn reason(line: &str) -> String {
    // The line that serde counts is always the first.
    let said = |error: serde_json::Error| error.to_string().replace(" at line 1 column", " at column");
    match serde_json::from_str::<serde_json::Value>(line) {
        Err(error) => return format!("not JSON ({})", said(error)),
        Ok(value) if !value.is_object() => return "not a concept (expected an object with `id` and `name`)".to_owned(),
        Ok(_) => {}
    }
    let shape = if line.contains("\"concept_id\"") {
        serde_json::from_str::<ScispaCy>(line).err()
    } else {
        serde_json::from_str::<Own>(line).err()
    };
    shape.map_or_else(|| "not a concept".to_owned(), |error| format!("not a concept ({})", said(error)))
}

impl From<Own> for Entry {
    fn from(own: Own) -> Self {
        let Own { id, name, synonyms, aliases, types, parents, xrefs, definition, .. } = own;
        Self { id, name, synonyms, aliases, types, parents, xrefs, definition }
    }
}

impl From<ScispaCy> for Entry {
    fn from(entry: ScispaCy) -> Self {
        let ScispaCy { concept_id: id, canonical_name: name, aliases: synonyms, types, definition } = entry;
        Self { id, name, synonyms, types, definition, ..Self::default() }
    }
}
