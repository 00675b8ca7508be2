//! JSON objects, one a line or in an array: Truename's own format (`docs/concept.schema.json`) or scispaCy's
//! (`{"concept_id", "canonical_name", "aliases", "types", "definition"}`). A line with `judged` is a judgement without a concept.
//!
//! Read as programs write them: a number as an id, null for an empty list, one text for a list. Fields may have the names of
//! the columns of [tables](super::table), and a text in place of a list is split as their cells are. Fields of other names are
//! counted.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};
use std::io::Cursor;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};
use truename_read::{ID_COLUMNS, NAME_COLUMNS, Source, SourceOptions, json};
use truename_text::excerpt;

use super::collector::{Collector, Entry};
use super::table::{self, DEFINITION, NEITHER, OBSOLETE, PARENTS, SYNONYMS, TYPES, XREFS, plain, says_yes};
use crate::{Error, Judgement, JudgementLine};

/// Fields of the two formats; a value of another type is a problem. Under the other names of columns it is not read.
const OWN: &[&str] = &[
    "id",
    "concept_id",
    "name",
    "canonical_name",
    "synonyms",
    "aliases",
    "types",
    "parents",
    "part_of",
    "disjoint_from",
    "xrefs",
    "definition",
    "replaced_by",
    "consider",
    "replaces",
    "considered_for",
];

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let separators = Separators::find(&source, collector)?;
    let mut objects = source.into_objects();
    while let Some(record) = objects.read()? {
        let line = record.line;
        let Ok(text) = std::str::from_utf8(record.content()) else {
            collector.not_utf8(line, record.content())?;
            continue;
        };
        match json::object(text).and_then(|fields: Fields| fields.line(&separators)) {
            Ok(Line::Entry { entry, unclear, unread }) => {
                unread.keys().for_each(|field| collector.add_unread(field));
                for field in unclear {
                    collector.problem(Some(line), text, format!("`{}` {NEITHER}", excerpt(&field)))?;
                }
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
    Entry {
        entry: Box<Entry>,
        /// Fields that say neither that the id is in use nor that it is not.
        unclear: Vec<String>,
        /// Fields that are not read.
        unread: BTreeMap<String, Box<RawValue>>,
    },
    Judgement(Judgement),
}

/// Separators of the texts that stand in place of lists.
struct Separators {
    /// Separators of fields with further names.
    by_field: BTreeMap<String, String>,
    other: String,
}

impl Separators {
    /// Tells the separators by the first objects of a file.
    fn find(source: &Source, collector: &mut Collector) -> Result<Self, Error> {
        let beginning = Cursor::new(source.beginning().to_vec());
        let mut objects = Source::of_reader(source.path(), beginning, &SourceOptions::default())?.into_objects();
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        // The last object may be cut off.
        while let Ok(Some(record)) = objects.read() {
            let fields = std::str::from_utf8(record.content()).ok().and_then(|text| json::object::<Fields>(text).ok());
            for (field, value) in fields.into_iter().flat_map(|fields| fields.0) {
                if SYNONYMS.contains(&&*plain(&field))
                    && let Ok(text) = parsed(&value)
                {
                    texts.entry(field).or_default().push(text);
                }
            }
        }
        let separator = |(field, texts): (String, Vec<String>)| {
            let place = format!("the texts of field `{}`", excerpt(&field));
            (field, table::separator_of(texts, &place, collector))
        };
        let by_field = texts.into_iter().map(separator).collect();
        Ok(Self { by_field, other: table::asked_separator(collector).unwrap_or(table::SEPARATOR.to_owned()) })
    }

    fn of(&self, field: &str) -> &str {
        self.by_field.get(field).unwrap_or(&self.other)
    }
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
    fn line(mut self, separators: &Separators) -> Result<Line, String> {
        if self.0.contains_key("judged") {
            return self.judgement().map(Line::Judgement);
        }
        let columns: Vec<(String, String)> = self.0.keys().map(|field| (plain(field), field.clone())).collect();
        let named = |usual: &[&str]| -> Vec<&str> {
            let found = usual.iter().flat_map(|name| columns.iter().filter(move |(column, _)| column == name));
            found.map(|(_, field)| &**field).collect()
        };
        let id = self.first_text(named(ID_COLUMNS))?.ok_or("not a concept (missing field `id`)")?;
        // Patterns of spaCy's EntityRuler have a name and its type; a pattern of ids is a regular expression.
        let is_nameless = !self.0.contains_key("name");
        let pattern = self.0.get("pattern").filter(|pattern| is_nameless && !pattern.get().starts_with("\"^")).cloned();
        let label = if pattern.is_some() { self.first_text(vec!["label"])? } else { None };
        let name = match &pattern {
            Some(pattern) if label.is_some() => Some(text("pattern", pattern)?),
            _ => self.first_text(named(NAME_COLUMNS))?,
        };
        if label.is_some() {
            self.0.remove("pattern");
        }
        let mut further = named(SYNONYMS);
        if name.is_none() {
            further.sort_by_key(|field| plain(field) != "names");
        }
        let (mut synonyms, mut aliases) = (Vec::new(), Vec::new());
        for field in further {
            for value in self.list(field, separators) {
                // scispaCy calls synonyms so.
                if field == "aliases" && value.get().starts_with('{') {
                    aliases.push(parsed(&value).map_err(|error| format!("not a concept (`aliases`: {error})"))?);
                } else {
                    synonyms.push(text(field, &value)?);
                }
            }
        }
        let scopes =
            self.0.remove("scopes").filter(|value| value.get() != NULL).map(|value| parsed(&value)).transpose();
        let scopes = scopes.map_err(|error| format!("not a concept (`scopes`: {error})"))?.unwrap_or_default();
        let (mut is_removed, mut unclear) = (false, Vec::new());
        for field in named(OBSOLETE) {
            let Some(value) = self.0.remove(field) else { continue };
            match says_yes(&parsed(&value).unwrap_or_else(|_| value.get().to_owned())) {
                Some(says_yes) => is_removed |= says_yes,
                None => unclear.push(field.to_owned()),
            }
        }
        let entry = Entry {
            id,
            name: name.unwrap_or_default(),
            synonyms,
            scopes,
            aliases,
            types: self.texts(&named(TYPES), separators)?.into_iter().chain(label).collect(),
            parents: self.texts(&named(PARENTS), separators)?,
            part_of: self.texts(&["part_of"], separators)?,
            disjoint_from: self.texts(&["disjoint_from"], separators)?,
            xrefs: self.texts(&named(XREFS), separators)?,
            definition: self.first_text(named(DEFINITION))?,
            is_removed,
            replaced_by: self.texts(&["replaced_by"], separators)?,
            consider: self.texts(&["consider"], separators)?,
            replaces: self.texts(&["replaces"], separators)?,
            considered_for: self.texts(&["considered_for"], separators)?,
        };
        Ok(Line::Entry { entry: Box::new(entry), unclear, unread: self.0 })
    }

    fn judgement(self) -> Result<Judgement, String> {
        let object = serde_json::to_string(&self.0).map_err(|error| error.to_string())?;
        let line: JudgementLine =
            serde_json::from_str(&object).map_err(|error| format!("not a judgement ({error})"))?;
        line.judgement().map_err(|error| format!("not a judgement without a concept ({error})"))
    }

    /// Returns the text of the first of some fields that has one.
    fn first_text(&mut self, fields: Vec<&str>) -> Result<Option<String>, String> {
        for field in fields {
            let Some(value) = self.0.get(field) else { continue };
            if !OWN.contains(&field) && !is_scalar(value) {
                continue;
            }
            let found = (value.get() != NULL).then(|| text(field, value)).transpose()?;
            self.0.remove(field);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn texts(&mut self, fields: &[&str], separators: &Separators) -> Result<Vec<String>, String> {
        let mut texts = Vec::new();
        for field in fields {
            for value in self.list(field, separators) {
                texts.push(text(field, &value).or_else(|error| reference(field, &value).ok_or(error))?);
            }
        }
        Ok(texts)
    }

    /// Returns the values of a list, or of the text or value in place of a list, but for those that are null.
    fn list(&mut self, field: &str, separators: &Separators) -> Vec<Box<RawValue>> {
        let Some(value) = self.0.remove(field) else { return Vec::new() };
        if let Ok(text) = parsed::<String>(&value) {
            return table::split(&text, separators.of(field)).iter().flat_map(to_raw_value).collect();
        }
        let list = parsed::<Vec<Box<RawValue>>>(&value);
        let is_other = list.as_ref().map_or(!is_scalar(&value), |list| !list.iter().all(|value| is_scalar(value)));
        if is_other && !OWN.contains(&field) {
            self.0.insert(field.to_owned(), value);
            return Vec::new();
        }
        let mut values = list.unwrap_or_else(|_| vec![value]);
        values.retain(|value| value.get() != NULL);
        values
    }
}

const NULL: &str = "null";

/// Returns true for a text, a number or null.
fn is_scalar(value: &RawValue) -> bool {
    value.get().starts_with(|c: char| matches!(c, '"' | '-' | 'n') || c.is_ascii_digit())
}

fn parsed<T: DeserializeOwned>(value: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(value.get())
}

/// Returns a cross-reference that is written as an object (`{"namespace": "MESH", "id": "D004194"}`); `None` for another field or object.
fn reference(field: &str, value: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Reference {
        #[serde(alias = "identifier", alias = "accession")]
        id: String,
        #[serde(alias = "prefix", alias = "database", alias = "db", alias = "source")]
        namespace: String,
    }
    let Reference { id, namespace } = parsed(value).ok().filter(|_| XREFS.contains(&field))?;
    let is_whole = id.strip_prefix(&namespace).is_some_and(|rest| rest.starts_with(':'));
    Some(if is_whole { id } else { format!("{namespace}:{id}") })
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
