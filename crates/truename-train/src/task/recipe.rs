//! Recipes of the kinds of task that there are.

use std::path::Path;
use std::str::FromStr;

use truename_read::{Source, SourceOptions};

use super::Kind;
use crate::Error;
use crate::recipe::{Change, Recipe};

impl Recipe {
    /// Creates a recipe of a kind of task with the default of every key; a task of your own may have any name.
    pub fn new(kind: &str) -> Self {
        Self::of_kind(kind, Kind::find(kind).map(|kind| &kind.schema))
    }

    /// Reads a file and changes keys. Paths in the file count from the folder that the file is in.
    ///
    /// # Errors
    /// If the file cannot be read; if a key is not one of its kind of task, has no effect beside other keys, or has a
    /// value that it cannot have.
    pub fn read(path: &Path, changes: &[Change]) -> Result<Self, Error> {
        let text = Source::open(path, &SourceOptions::default())?.into_string()?;
        Self::parse(path, &text, changes, &Kind::schemas())
    }

    /// Reads the text of a recipe that stands at a place, for messages, and changes keys. Its paths count from the working folder.
    ///
    /// # Errors
    /// As [`Recipe::read`].
    pub fn of_text(place: &str, text: &str, changes: &[Change]) -> Result<Self, Error> {
        Self::parse(Path::new(place), text, changes, &Kind::schemas())
    }
}

impl Recipe {
    /// Returns the recipe of `truename distil`: the schedule of `recipes/distil-recognizer.toml`, with keys changed. The teacher (`encoder.from`), the
    /// texts or names, and the size of the student are left to the changes.
    ///
    /// # Errors
    /// As [`Recipe::read`].
    pub fn distil(changes: &[Change]) -> Result<Self, Error> {
        const RECIPE: &str =
            "task.kind = \"distil\"\nschedule.epochs = 4\nschedule.learning_rate = 3e-4\nevaluation.keep = \"last\"\n";
        Self::of_text("distil", RECIPE, changes)
    }
}

impl FromStr for Recipe {
    type Err = Error;

    /// Reads the text of a recipe; its paths count from the working folder.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::of_text("recipe", text, &[])
    }
}
