//! JSON objects, one a line or in an array: Truename's own format (`docs/concept.schema.json`) or scispaCy's
//! (`{"concept_id", "canonical_name", "aliases", "types", "definition"}`). A line with `judged` is a judgement without a concept.
//!
//! Read as programs write them: a number as an id, null for an empty list, one text for a list of one. Fields of other names
//! are counted.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use truename_read::{Source, json};
use truename_text::excerpt;

use super::collector::{Collector, Entry};
use crate::{Error, Judgement, JudgementLine};

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let mut objects = source.into_objects();
    while let Some(record) = objects.read()? {
        let line = record.line;
        let Ok(text) = std::str::from_utf8(record.content()) else {
            collector.not_utf8(line, record.content())?;
            continue;
        };
        match json::object(text).and_then(Fields::line) {
            Ok(Line::Entry(entry, unread)) => {
                unread.keys().for_each(|field| collector.add_unread(field));
                collector.add(Some(line), *entry)?;
            }
            Ok(Line::Judgement(judgement)) => collector.add_judgement(line, judgement)?,
            Err(reason) => collector.problem(Some(line), text, reason)?,
        }
    }
    Ok(())
}

/// An object of a file, by its kind.
enum Line {
    /// An entry, and the fields that are of neither format.
    Entry(Box<Entry>, BTreeMap<String, Box<RawValue>>),
    Judgement(Judgement),
}

/// The fields of an object as they are written, for a number that is an id keeps its digits; taken one by one.
struct Fields(BTreeMap<String, Box<RawValue>>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format!("`{}` stands twice in one object", excerpt(&name))));
            }
            fields.insert(name, value);
        }
        Ok(Fields(fields))
    }
}

impl Fields {
    /// Returns the entry or the judgement that the object is.
    fn line(mut self) -> Result<Line, String> {
        if self.0.contains_key("judged") {
            return self.judgement().map(Line::Judgement);
        }
        let id = self.text("id")?.or(self.text("concept_id")?).ok_or("not a concept (missing field `id`)")?;
        let name = self.text("name")?.or(self.text("canonical_name")?).unwrap_or_default();
        let (mut synonyms, mut aliases) = (self.texts("synonyms")?, Vec::new());
        for alias in self.list("aliases") {
            if alias.get().starts_with('{') {
                aliases.push(parsed(&alias).map_err(|error| format!("not a concept (`aliases`: {error})"))?);
            } else {
                // scispaCy calls synonyms so.
                synonyms.push(text("aliases", &alias)?);
            }
        }
        let scopes =
            self.0.remove("scopes").filter(|value| value.get() != NULL).map(|value| parsed(&value)).transpose();
        let scopes = scopes.map_err(|error| format!("not a concept (`scopes`: {error})"))?.unwrap_or_default();
        let entry = Entry {
            id,
            name,
            synonyms,
            scopes,
            aliases,
            types: self.texts("types")?,
            parents: self.texts("parents")?,
            part_of: self.texts("part_of")?,
            disjoint_from: self.texts("disjoint_from")?,
            xrefs: self.texts("xrefs")?,
            definition: self.text("definition")?,
            is_removed: self.0.remove("removed").is_some_and(|removed| removed.get() == "true"),
            replaced_by: self.texts("replaced_by")?,
            consider: self.texts("consider")?,
            replaces: self.texts("replaces")?,
            considered_for: self.texts("considered_for")?,
        };
        Ok(Line::Entry(Box::new(entry), self.0))
    }

    fn judgement(self) -> Result<Judgement, String> {
        let object = serde_json::to_string(&self.0).map_err(|error| error.to_string())?;
        let line: JudgementLine =
            serde_json::from_str(&object).map_err(|error| format!("not a judgement ({error})"))?;
        line.judgement().map_err(|error| format!("not a judgement without a concept ({error})"))
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, String> {
        self.0.remove(field).filter(|value| value.get() != NULL).map(|value| text(field, &value)).transpose()
    }

    fn texts(&mut self, field: &str) -> Result<Vec<String>, String> {
        self.list(field).into_iter().map(|value| text(field, &value)).collect()
    }

    /// Returns the values of a list, or the one value in place of a list, but for those that are null.
    fn list(&mut self, field: &str) -> Vec<Box<RawValue>> {
        let Some(value) = self.0.remove(field) else { return Vec::new() };
        let mut values = parsed(&value).unwrap_or_else(|_| vec![value]);
        values.retain(|value| value.get() != NULL);
        values
    }
}

const NULL: &str = "null";

fn parsed<T: DeserializeOwned>(value: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(value.get())
}

fn text(field: &str, value: &RawValue) -> Result<String, String> {
    let written = value.get();
    match parsed(value) {
        Ok(text) => Ok(text),
        // A column of whole numbers with a gap is one of fractions to pandas: `101.0`.
        Err(_) if written.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
            Ok(written.strip_suffix(".0").unwrap_or(written).to_owned())
        }
        Err(_) => Err(format!("not a concept (`{field}`: expected a text, found {})", excerpt(written))),
    }
}
