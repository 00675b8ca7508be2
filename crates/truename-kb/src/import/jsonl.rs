//! JSON objects, one a line or in an array: Truename's own format (`docs/concept.schema.json`) or scispaCy's
//! (`{"concept_id", "canonical_name", "aliases", "types", "definition"}`).
//!
//! Read as programs write them: a number as an id, null for an empty list, one text for a list of one. Fields of other names
//! are counted.

use serde_json::{Map, Value};
use truename_read::{Source, json};
use truename_text::excerpt;

use super::collector::{Collector, Entry, Former};
use crate::{Alias, Error};

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let mut objects = source.into_objects();
    while let Some(record) = objects.read()? {
        let line = record.line;
        let Ok(text) = std::str::from_utf8(record.content()) else {
            collector.not_utf8(line, record.content())?;
            continue;
        };
        let read = json::object(text).and_then(|fields| Fields(fields).object());
        match read {
            Ok(object) => {
                object.unread.keys().for_each(|field| collector.add_unread(field));
                object.hand_over(line, collector)?;
            }
            Err(reason) => collector.problem(Some(line), text, reason)?,
        }
    }
    Ok(())
}

/// A concept, or one that was removed.
struct Object {
    entry: Entry,
    is_removed: bool,
    replaced_by: Vec<String>,
    consider: Vec<String>,
    /// Retired ids that the concept replaces.
    replaces: Vec<String>,
    /// Retired ids in place of which the concept may be meant.
    considered_for: Vec<String>,
    /// Fields that are of neither format.
    unread: Map<String, Value>,
}

impl Object {
    fn hand_over(self, line: u64, collector: &mut Collector<'_>) -> Result<(), Error> {
        let (line, id) = (Some(line), self.entry.id.clone());
        if self.is_removed {
            let Self { replaced_by, consider, .. } = self;
            return collector.remove(line, Former { id, replaced_by, consider });
        }
        collector.add(line, self.entry)?;
        for former in self.replaces {
            collector.retire(line, Former::replaced(former, &id))?;
        }
        for former in self.considered_for {
            collector.retire(line, Former::considered(former, &id))?;
        }
        Ok(())
    }
}

/// The fields of an object, taken one by one.
struct Fields(Map<String, Value>);

impl Fields {
    fn object(mut self) -> Result<Object, String> {
        let id = self.text("id")?.or(self.text("concept_id")?).ok_or("not a concept (missing field `id`)")?;
        let name = self.text("name")?.or(self.text("canonical_name")?).unwrap_or_default();
        let mut entry = Entry { id, name, synonyms: self.texts("synonyms")?, ..Entry::default() };
        for alias in self.list("aliases") {
            match alias {
                // scispaCy calls synonyms so.
                Value::String(name) => entry.synonyms.push(name),
                alias => match serde_json::from_value::<Alias>(alias) {
                    Ok(alias) => entry.aliases.push(alias),
                    Err(error) => return Err(format!("not a concept (`aliases`: {error})")),
                },
            }
        }
        entry.types = self.texts("types")?;
        entry.parents = self.texts("parents")?;
        entry.xrefs = self.texts("xrefs")?;
        entry.definition = self.text("definition")?;
        let is_removed = self.0.remove("removed").and_then(|removed| removed.as_bool()).unwrap_or(false);
        Ok(Object {
            entry,
            is_removed,
            replaced_by: self.texts("replaced_by")?,
            consider: self.texts("consider")?,
            replaces: self.texts("replaces")?,
            considered_for: self.texts("considered_for")?,
            unread: self.0,
        })
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, String> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => text(field, value).map(Some),
        }
    }

    fn texts(&mut self, field: &str) -> Result<Vec<String>, String> {
        self.list(field).into_iter().map(|value| text(field, value)).collect()
    }

    /// Returns the values of a list, or the one value in place of a list.
    fn list(&mut self, field: &str) -> Vec<Value> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(values)) => values,
            Some(value) => vec![value],
        }
    }
}

fn text(field: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        // A column of whole numbers with a gap is one of fractions to pandas: `101.0`.
        Value::Number(number) => Ok(number.to_string().strip_suffix(".0").map_or(number.to_string(), str::to_owned)),
        other => Err(format!("not a concept (`{field}`: expected a text, found {})", excerpt(&other.to_string()))),
    }
}
