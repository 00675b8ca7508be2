//! Recipes: TOML files that state training runs.
//!
//! The sections of every kind of task are fields of [`Recipe`]; those of one kind are structs of that kind ([`Keys`]), beside its
//! task.
//!
//! Keys are checked as they are written: a key that has no effect beside the others is an error, even with its
//! default. The recipe in the folder of a run holds the keys that count, and is a recipe again.

mod change;
mod document;
mod keys;
mod range;
mod schedule;
mod schema;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use truename_error::{ErrorKind, HintPart, hint};
use truename_nn::{AdamWOptions, Device, LearnerOptions};

use crate::{Error, error};
use document::Document;

pub use change::Change;
pub(crate) use document::one_of;
pub(crate) use keys::{Condition, Keys, Part, find, merge};
pub(crate) use range::Range;
pub use schedule::{Decay, Schedule};
pub(crate) use schema::Schema;

/// One training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Recipe {
    /// Seed of all random choices.
    pub seed: u64,
    /// Device to compute on: `cpu`, `vulkan` or `cuda`.
    pub device: String,
    task: TaskKeys,
    /// Length and speed.
    pub schedule: Schedule,
    /// Evaluations during the run.
    pub evaluation: Evaluation,
    /// The sections of the kind of task, with every key.
    #[serde(skip)]
    own: Table,
    /// The keys of its kind; `None` for a task that is not one of ours.
    #[serde(skip)]
    schema: Option<&'static Schema>,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct TaskKeys {
    kind: String,
}

/// Evaluations during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Evaluation {
    /// Epochs from one evaluation and checkpoint to the next.
    pub every: usize,
    /// Steps from one evaluation and checkpoint to the next within an epoch; 0 evaluates between epochs alone.
    pub steps: u64,
    /// Evaluations without a better score after which the run ends; 0 never ends it.
    pub patience: usize,
    /// Weights that are the result.
    pub keep: Keep,
}

/// Weights that are the result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Keep {
    /// Weights with the best score; the last where there is none.
    Best,
    /// The last weights.
    Last,
}

/// The row of the sections of every kind.
pub(crate) static EVERY_KIND: Part = Part::of::<Recipe>();

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 0,
            device: "cpu".into(),
            task: TaskKeys::default(),
            schedule: Schedule::default(),
            evaluation: Evaluation::default(),
            own: Table::new(),
            schema: None,
        }
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        Self { every: 1, steps: 0, patience: 0, keep: Keep::Best }
    }
}

impl Keys for Recipe {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("schedule.epochs", Range::of(1.0, 10_000.0)),
        ("schedule.max_steps", Range::of(0.0, 1e10)),
        ("schedule.max_minutes", Range::of(0.0, 1e6)),
        ("schedule.learning_rate", Range::positive(10.0)),
        ("schedule.head_rate", Range::positive(1e6)),
        ("schedule.warmup_ratio", Range::SHARE),
        ("schedule.accumulate", Range::of(1.0, 10_000.0)),
        ("schedule.weight_decay", Range::of(0.0, 1000.0)),
        ("schedule.max_grad_norm", Range::of(0.0, 1e6)),
        ("evaluation.every", Range::of(1.0, 10_000.0)),
        ("evaluation.steps", Range::of(0.0, 1e10)),
        ("evaluation.patience", Range::of(0.0, 10_000.0)),
    ];

    fn check(&self) -> Result<(), Error> {
        self.device().map(drop)
    }
}

impl Recipe {
    /// Creates a recipe with the default of every key of a schema.
    pub(crate) fn of_kind(kind: &str, schema: Option<&'static Schema>) -> Self {
        let mut recipe = Self { task: TaskKeys { kind: kind.to_owned() }, schema, ..Self::default() };
        for part in schema.map_or(&[][..], |schema| schema.parts) {
            merge(&mut recipe.own, (part.defaults)());
        }
        recipe
    }

    /// Reads the text of a file as a recipe of one of the kinds of task, with some keys changed.
    pub(crate) fn parse(
        path: &Path,
        text: &str,
        changes: &[Change],
        schemas: &[&'static Schema],
    ) -> Result<Self, Error> {
        let mut document = Document::parse(path, text, schemas)?;
        changes.iter().try_for_each(|change| document.apply(change))?;
        let schema = document.schema()?;
        document.check_names(schema)?;
        document.check_types(schema, text)?;
        let mut recipe = Self::complete(&document.table, Some(schema))?;
        document.check_conditions(schema, &recipe.table()?)?;
        for key in schema.paths().filter(|key| document.is_beside_recipe(key)) {
            recipe.set_beside(key, path.parent().unwrap_or(Path::new("")));
        }
        Ok(recipe)
    }

    /// Reads the recipe that a run of this one's kind left in its folder; one of another kind has no keys of its own.
    ///
    /// # Errors
    /// Where it cannot be read, or an earlier version wrote it, without a kind of task.
    pub(crate) fn read_stored(&self, path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let table: Table = toml::from_str(&text).map_err(|source| error::recipe(path, source))?;
        let name = find(&table, "task.kind").and_then(Value::as_str).ok_or_else(|| {
            let out = HintPart::setting("out");
            let advice = hint!["go on with the version that began the run, or begin a new one with another ", out];
            let message = format!("{} was written by an earlier version: it names no kind of task", path.display());
            Error::new(ErrorKind::OtherVersion, message).with_hint(advice)
        })?;
        Self::complete(&table, self.schema.filter(|schema| schema.name == name))
    }

    fn complete(written: &Table, schema: Option<&'static Schema>) -> Result<Self, Error> {
        let mut recipe: Self = (EVERY_KIND.read)(written)?.try_into().map_err(error::types)?;
        recipe.schema = schema;
        for part in schema.map_or(&[][..], |schema| schema.parts) {
            merge(&mut recipe.own, (part.read)(written)?);
        }
        Ok(recipe)
    }

    /// Takes paths that are not there as lying in a folder.
    fn set_beside(&mut self, key: &str, folder: &Path) {
        let beside = |path: &mut Value| {
            let path = match path {
                Value::Table(corpus) => corpus.get_mut("path"),
                path => Some(path),
            };
            if let Some(Value::String(path)) = path
                && !path.is_empty()
                && !stands_for_files(Path::new(path))
            {
                *path = folder.join(&path).to_string_lossy().into_owned();
            }
        };
        match keys::section_of(&mut self.own, key).and_then(|(section, key)| section.get_mut(key)) {
            Some(Value::Array(paths)) => paths.iter_mut().for_each(beside),
            Some(path) => beside(path),
            None => {}
        }
    }

    /// The kind of task.
    pub fn kind(&self) -> &str {
        &self.task.kind
    }

    /// The folder of the network that a run starts from; empty where there is none.
    pub(crate) fn encoder(&self) -> &str {
        find(&self.own, "encoder.from").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the sections of its kind of task as a struct, which may leave out sections and keys.
    ///
    /// # Errors
    /// Where the struct needs a key that there is not.
    pub fn keys<K: DeserializeOwned>(&self) -> Result<K, Error> {
        self.own.clone().try_into().map_err(error::types)
    }

    /// Returns every key.
    fn table(&self) -> Result<Table, Error> {
        let mut table = self.own.clone();
        merge(&mut table, Table::try_from(self).map_err(error::unwritable)?);
        Ok(table)
    }

    /// Returns every key that counts; such a file is a recipe again.
    pub(crate) fn effective(&self) -> Result<Table, Error> {
        let complete = self.table()?;
        let mut table = complete.clone();
        let idle = self.schema.into_iter().flat_map(Schema::conditions);
        for key in idle.filter(|condition| !condition.holds(&complete)).flat_map(|condition| condition.keys) {
            remove(&mut table, key);
        }
        Ok(table)
    }

    /// Returns every key that counts, paths aside.
    pub(crate) fn without_paths(&self) -> Result<Table, Error> {
        let mut table = self.effective()?;
        self.schema.into_iter().flat_map(Schema::paths).for_each(|key| remove(&mut table, key));
        Ok(table)
    }

    /// Returns whether a run begun by one can go on by the other: paths aside, for the data is compared by its hash and the
    /// weights are those of the checkpoint; and the time limit aside, so that a run which it ended can go on.
    pub(crate) fn is_same_run(&self, other: &Self) -> Result<bool, Error> {
        let [mut one, mut other] = [self.without_paths()?, other.without_paths()?];
        [&mut one, &mut other].into_iter().for_each(|table| remove(table, "schedule.max_minutes"));
        Ok(one == other)
    }

    fn device(&self) -> Result<Device, Error> {
        self.device.parse().map_err(|reason: String| {
            let advice = match &*self.device {
                name @ ("cuda" | "vulkan") => format!("use `device = \"cpu\"`, or rebuild with `--features {name}`"),
                _ => "use cpu, or vulkan or cuda in a build with that feature".to_owned(),
            };
            error::key(reason, advice)
        })
    }

    /// The options of a learner, apart from those of its networks.
    pub(crate) fn learner(&self) -> Result<LearnerOptions, Error> {
        let Schedule { weight_decay, max_grad_norm, head_rate, .. } = self.schedule;
        let max_grad_norm = (max_grad_norm > 0.0).then_some(max_grad_norm);
        let optimizer = AdamWOptions { weight_decay, max_grad_norm, ..AdamWOptions::default() };
        Ok(LearnerOptions {
            device: self.device()?,
            seed: self.seed,
            optimizer,
            head_rate,
            ..LearnerOptions::default()
        })
    }
}

/// Returns true if a path is there, or is a pattern that a file matches.
fn stands_for_files(path: &Path) -> bool {
    path.exists() || truename_read::files(path).is_ok_and(|files| files.iter().any(|file| file.exists()))
}

fn remove(table: &mut Table, key: &str) {
    if let Some((section, key)) = keys::section_of(table, key) {
        section.remove(key);
    }
}

/// Reads a path, or a list of them.
pub(crate) fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(PathBuf),
        Many(Vec<PathBuf>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(path) => vec![path],
        OneOrMany::Many(paths) => paths,
    })
}

#[cfg(test)]
mod tests;
