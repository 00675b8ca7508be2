use std::path::Path;

use toml::Table;

use super::KINDS;
use crate::recipe::{Condition, EVERY_KIND, Part, merge};
use crate::{Dataset, Error, Recipe, Run, Start};

/// A kind of task that a recipe can name.
pub struct Kind {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) explained: &'static str,
    pub(super) parts: &'static [Part],
    /// Starts a run on the data that the recipe names.
    pub(super) begin: Begin,
    /// Starts a run on given names; `None` for a task that does not learn from names.
    pub(super) begin_on: Option<BeginOn>,
}

/// Starts a run on the data that the recipe names.
type Begin = fn(&Recipe, &Path, Start) -> Result<Box<dyn Run>, Error>;
/// Starts a run on given names.
type BeginOn = fn(&Recipe, Dataset, &Path, Start) -> Result<Box<dyn Run>, Error>;

impl Kind {
    /// Returns all kinds.
    pub fn all() -> &'static [Self] {
        KINDS
    }

    /// Returns the kind with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// The name, the value of `task.kind`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The description in a line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// A recipe with every key, its default and its meaning.
    pub fn explained(&self) -> &'static str {
        self.explained
    }

    /// The sections that the kind has beside those of every kind.
    pub(crate) fn own_parts(&self) -> &[Part] {
        self.parts
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&EVERY_KIND).chain(self.parts)
    }

    /// Returns every key with its default.
    pub(crate) fn defaults(&self) -> Table {
        let mut table = Table::new();
        self.parts().for_each(|part| merge(&mut table, (part.defaults)()));
        table
    }

    pub(crate) fn conditions(&self) -> impl Iterator<Item = &'static Condition> {
        self.parts.iter().flat_map(|part| part.conditions)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|part| part.paths).copied()
    }

    /// Returns the names of all kinds, for messages.
    pub(crate) fn names() -> String {
        format!("one of {}", KINDS.iter().map(Self::name).collect::<Vec<_>>().join(", "))
    }

    fn on_names(&self) -> Result<BeginOn, Error> {
        self.begin_on.ok_or_else(|| Error::no_names(self.name))
    }

    /// Returns the first key of a section, where a kind has a section of that name.
    pub(crate) fn first_key(section: &str) -> Option<&'static str> {
        let header = format!("\n[{section}]\n");
        let (_, keys) = KINDS.iter().find_map(|kind| kind.explained.split_once(&header))?;
        keys.lines().find_map(|line| line.split_once(" = ").filter(|_| !line.starts_with('#')).map(|(key, _)| key))
    }
}

/// Starts the run of a recipe on the data that it names.
///
/// # Errors
/// Where a file or network cannot be opened, or the folder holds another run.
pub fn begin(recipe: &Recipe, out: &Path, start: Start) -> Result<Box<dyn Run>, Error> {
    (kind_of(recipe)?.begin)(recipe, out, start)
}

/// Starts the run of a recipe on given names.
///
/// # Errors
/// As [`begin`], and where the task does not learn from names.
pub fn begin_on(recipe: &Recipe, dataset: Dataset, out: &Path, start: Start) -> Result<Box<dyn Run>, Error> {
    (kind_of(recipe)?.on_names()?)(recipe, dataset, out, start)
}

/// Returns whether the task of a recipe learns from names.
pub(crate) fn learns_from_names(recipe: &Recipe) -> bool {
    Kind::find(recipe.kind()).is_some_and(|kind| kind.begin_on.is_some())
}

fn kind_of(recipe: &Recipe) -> Result<&'static Kind, Error> {
    Kind::find(recipe.kind()).ok_or_else(|| Error::value("task.kind", recipe.kind(), Kind::names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_does_not_learn_from_names_is_refused_them() {
        let kind = Kind { name: "tags", begin_on: None, ..super::super::groups::KIND };
        let error = kind.on_names().unwrap_err();
        assert!(error.to_string().contains("tags does not learn from names") && error.is_recipe(), "{error}");
        let dataset = Dataset::new(vec![crate::Named::new("1", ["a"]), crate::Named::new("2", ["b"])], vec![], vec![]);
        let error = begin_on(&Recipe::new("tags"), dataset.unwrap(), Path::new("none"), Start::Anew).err().unwrap();
        assert!(error.to_string().contains("task.kind is tags; it must be one of "), "{error}");
    }
}
