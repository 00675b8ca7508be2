//! Kinds of tasks: their keys, their explanation, and the start of their runs.

use std::path::Path;

use truename_error::{HintPart, hint};

use super::KINDS;
use crate::recipe::{Schema, one_of};
use crate::training::{Run, Start, Task, Training};
use crate::{Dataset, Error, Recipe, error};

/// A kind of task that a recipe can name.
pub struct Kind {
    pub(crate) schema: Schema,
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
        KINDS.iter().find(|kind| kind.schema.name == name)
    }

    /// Returns the name, the value of `task.kind`.
    pub fn name(&self) -> &'static str {
        self.schema.name
    }

    /// Returns the description in a line.
    pub fn summary(&self) -> &'static str {
        self.schema.summary
    }

    /// Returns a recipe with every key, its default and its meaning.
    pub fn explained(&self) -> &'static str {
        self.schema.explained
    }

    pub(super) fn schemas() -> Vec<&'static Schema> {
        KINDS.iter().map(|kind| &kind.schema).collect()
    }

    fn on_names(&self) -> Result<BeginOn, Error> {
        self.begin_on.ok_or_else(|| {
            let message = format!("a task of the kind {} does not learn from names", self.name());
            error::key(message, hint![HintPart::action("recipe explain"), " lists the kinds of tasks"])
        })
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

/// Starts the run of a task.
pub(super) fn run<T: Task + 'static>(
    task: T,
    recipe: &Recipe,
    out: &Path,
    start: Start,
) -> Result<Box<dyn Run>, Error> {
    Ok(Box::new(Training::new(recipe, task, out, start)?))
}

/// Returns whether the task of a recipe learns from names.
pub(crate) fn learns_from_names(recipe: &Recipe) -> bool {
    Kind::find(recipe.kind()).is_some_and(|kind| kind.begin_on.is_some())
}

fn kind_of(recipe: &Recipe) -> Result<&'static Kind, Error> {
    Kind::find(recipe.kind()).ok_or_else(|| error::value("task.kind", recipe.kind(), one_of(&Kind::schemas())))
}

#[cfg(test)]
mod tests {
    use truename_error::ErrorKind;

    use super::*;

    #[test]
    fn a_task_that_does_not_learn_from_names_is_refused_them() {
        let groups = super::super::groups::KIND;
        let kind = Kind { schema: Schema { name: "tags", ..groups.schema }, begin_on: None, ..groups };
        let error = kind.on_names().unwrap_err();
        assert!(
            error.to_string().contains("tags does not learn from names") && error.kind() == ErrorKind::Recipe,
            "{error}"
        );
        let dataset = Dataset::new(
            vec![crate::NamedConcept::new("1", ["a"]), crate::NamedConcept::new("2", ["b"])],
            vec![],
            vec![],
        );
        let error = begin_on(&Recipe::new("tags"), dataset.unwrap(), Path::new("none"), Start::Anew).err().unwrap();
        assert!(error.to_string().contains("task.kind is tags; it must be one of "), "{error}");
    }
}
