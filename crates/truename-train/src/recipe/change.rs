//! Changes to single keys of a recipe, as `--set` and other arguments make them.

use std::path::{Path, PathBuf};

use toml::Value;

use crate::{Error, error};

/// A change to one key of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub(super) key: String,
    /// `None` takes the key out of the recipe.
    pub(super) value: Option<Value>,
    /// The argument that asks for the change, for messages.
    pub(super) origin: String,
    /// Paths in the value count from the folder that the recipe is in.
    pub(super) is_beside_recipe: bool,
}

impl Change {
    /// Reads `section.key=value`; a value that is no TOML is taken as a string. Without a value the key is
    /// taken out of the recipe, so that it has its default. `flag` is the argument that asks for it.
    ///
    /// # Errors
    /// Where there is no `=`.
    pub fn parse(flag: &str, text: &str) -> Result<Self, Error> {
        let (key, value) = text.split_once('=').ok_or_else(|| error::value(flag, text, "KEY=VALUE"))?;
        let parsed: Result<toml::Table, _> = toml::from_str(&format!("value = {value}"));
        let parsed = parsed.ok().and_then(|mut table| table.remove("value"));
        let value = parsed.or_else(|| (!value.is_empty()).then(|| value.into()));
        let (key, origin) = (key.trim().to_owned(), format!("{flag} {text}"));
        Ok(Self { key, value, origin, is_beside_recipe: true })
    }

    /// Sets a key to a string; `flag` is the argument that asks for it.
    pub fn text(flag: &str, key: &str, value: &str) -> Self {
        Self { key: key.to_owned(), value: Some(value.into()), origin: flag.to_owned(), is_beside_recipe: false }
    }

    /// Sets a key to a path from the working folder.
    pub fn path(flag: &str, key: &str, path: &Path) -> Self {
        Self::text(flag, key, &path.to_string_lossy())
    }

    /// Sets a key to paths from the working folder.
    pub fn paths(flag: &str, key: &str, paths: &[PathBuf]) -> Self {
        let paths: Vec<Value> = paths.iter().map(|path| path.to_string_lossy().into_owned().into()).collect();
        Self { value: Some(paths.into()), ..Self::text(flag, key, "") }
    }
}
