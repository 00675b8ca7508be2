//! Recipes as they are written: each key with its place, checked against the keys of its kind of task.

use std::collections::HashMap;
use std::path::Path;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use truename_error::{HintPart, hint};

use super::change::Change;
use super::keys::{find, names};
use super::schema::Schema;
use crate::{Error, error};

/// Keys of earlier recipes, with their names now.
pub(super) const RENAMED: [(&str, &str); 5] = [
    ("schedule.most_steps", "schedule.max_steps"),
    ("schedule.warm_up", "schedule.warmup_ratio"),
    ("schedule.most_norm", "schedule.max_grad_norm"),
    ("pairs.most", "pairs.max_pairs"),
    ("evaluation.most_names", "evaluation.max_names"),
];

/// The keys of a recipe as they are written, each with its place.
pub(super) struct Document<'a> {
    path: &'a Path,
    pub table: Table,
    lines: HashMap<String, usize>,
    changes: Vec<Change>,
    /// The kinds of task that a recipe can name.
    schemas: &'a [&'static Schema],
}

impl<'a> Document<'a> {
    /// # Errors
    /// Where the text is no TOML.
    pub fn parse(path: &'a Path, text: &str, schemas: &'a [&'static Schema]) -> Result<Self, Error> {
        let failed = |source| error::recipe(path, source);
        let table = toml::from_str(text).map_err(failed)?;
        let mut lines = HashMap::new();
        add_lines(DeTable::parse(text).map_err(failed)?.get_ref(), "", text, &mut lines);
        Ok(Self { path, table, lines, changes: Vec::new(), schemas })
    }

    /// # Errors
    /// Where the key is a section, or is in a key that is none.
    pub fn apply(&mut self, change: &Change) -> Result<(), Error> {
        let key = &change.key;
        if let Some(first) = self.schemas.iter().find_map(|schema| schema.first_key(key)) {
            let value = change.value.as_ref().map(Value::to_string).unwrap_or_default();
            let example = HintPart::key(format!("{key}.{first}")).value(value);
            let message = format!("`{key}` is a section, not a key");
            return Err(error::key(message, hint!["set a key in it, e.g. ", example]));
        }
        let mut parts: Vec<&str> = key.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        let mut section = &mut self.table;
        for part in parts {
            let entry = section.entry(part.to_owned()).or_insert_with(|| Table::new().into());
            section = entry.as_table_mut().ok_or_else(|| {
                let message = format!("{}: `{part}` is a key, not a section", change.origin);
                error::key(message, error::explain("KIND"))
            })?;
        }
        match &change.value {
            Some(value) => drop(section.insert(last.to_owned(), value.clone())),
            None => drop(section.remove(last)),
        }
        self.changes.push(change.clone());
        Ok(())
    }

    /// Returns the kind of task that the recipe names.
    ///
    /// # Errors
    /// Where it names none, or one that is not known.
    pub fn schema(&self) -> Result<&'static Schema, Error> {
        let Some(name) = find(&self.table, "task.kind") else {
            let loss = find(&self.table, "objective.loss").and_then(Value::as_str);
            let kind = if loss == Some("contrastive") { "pairs" } else { "groups" };
            let lines = format!("add the lines `[task]` and `kind = \"{kind}\"`; ");
            let message = format!("{} names no kind of task", self.path.display());
            return Err(error::key(message, hint![lines, HintPart::action("recipe explain"), " lists the kinds"]));
        };
        let known = self.schemas.iter().find(|schema| name.as_str() == Some(schema.name));
        known.copied().ok_or_else(|| error::value("task.kind", name, one_of(self.schemas)))
    }

    /// Checks that the kind has every key that is written.
    ///
    /// # Errors
    /// Names the first that it does not have.
    pub fn check_names(&self, schema: &Schema) -> Result<(), Error> {
        let known = schema.defaults();
        let unknown = names(&self.table).into_iter().find(|key| find(&known, key).is_none() && !schema.is_open(key));
        let Some(key) = unknown else { return Ok(()) };
        let place = self.place(&key);
        if let Some((_, new)) = RENAMED.iter().find(|(old, _)| *old == key) {
            return Err(error::key(format!("{place}: {key} is now {new}"), format!("write {new} in its place")));
        }
        let others = self.schemas.iter().filter(|other| find(&other.defaults(), &key).is_some());
        let (others, kind): (Vec<&str>, _) = (others.map(|other| other.name).collect(), schema.name);
        let message = match &others[..] {
            [] => format!("{place}: {kind} has no key {key}"),
            others => format!("{place}: {key} is a key of {}, not of {kind}", others.join(" and ")),
        };
        Err(error::key(message, error::explain(kind)))
    }

    /// Checks that every key that is written counts, `complete` being all keys with their values.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check_conditions(&self, schema: &Schema, complete: &Table) -> Result<(), Error> {
        for condition in schema.conditions().filter(|condition| !condition.holds(complete)) {
            if let Some(key) = condition.keys.iter().find(|key| find(&self.table, key).is_some()) {
                let value = find(complete, condition.on).map(Value::to_string).unwrap_or_default();
                let (place, on, values) = (self.place(key), condition.on, condition.values.join("\" or \""));
                let message = format!("{place}: {key} counts only where {on} is \"{values}\"; it is {value}");
                let without = HintPart::key(*key).value("");
                let advice = hint![format!("leave {key} out ("), without, format!("), or set {on} to \"{values}\"")];
                return Err(error::key(message, advice));
            }
        }
        Ok(())
    }

    /// Checks the types of all values as they stand in the file; the error names the line.
    ///
    /// # Errors
    /// Where one is of another type.
    pub fn check_types(&self, schema: &Schema, text: &str) -> Result<(), Error> {
        schema
            .all_parts()
            .try_for_each(|part| (part.check_types)(text))
            .map_err(|source| error::recipe(self.path, source))
    }

    /// Returns whether a path counts from the folder of the recipe.
    pub fn is_beside_recipe(&self, key: &str) -> bool {
        self.change(key).is_none_or(|change| change.is_beside_recipe)
    }

    /// Returns the file and line of a key, or the argument that set it.
    fn place(&self, key: &str) -> String {
        match (self.change(key), self.lines.get(key)) {
            (Some(change), _) => change.origin.clone(),
            (None, Some(line)) => format!("{}, line {line}", self.path.display()),
            (None, None) => self.path.display().to_string(),
        }
    }

    fn change(&self, key: &str) -> Option<&Change> {
        self.changes.iter().rev().find(|change| change.key == key)
    }
}

/// Returns the names of all kinds, for messages.
pub(crate) fn one_of(schemas: &[&Schema]) -> String {
    format!("one of {}", schemas.iter().map(|schema| schema.name).collect::<Vec<_>>().join(", "))
}

/// Adds the line of each key of a table, whose own name ends in a dot.
fn add_lines(table: &DeTable<'_>, section: &str, text: &str, lines: &mut HashMap<String, usize>) {
    for (key, value) in table {
        let name = format!("{section}{}", key.get_ref());
        let value: &Spanned<DeValue<'_>> = value;
        if let DeValue::Table(table) = value.get_ref() {
            add_lines(table, &format!("{name}."), text, lines);
        }
        lines.insert(name, 1 + text[..key.span().start].matches('\n').count());
    }
}
