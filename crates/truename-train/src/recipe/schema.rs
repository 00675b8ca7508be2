//! The keys of one kind of task, put together from its structs.

use std::fmt;

use toml::Table;

use super::EVERY_KIND;
use super::keys::{Condition, Part, merge};

/// The keys of recipes of one kind of task.
pub(crate) struct Schema {
    /// Name of the kind, the value of `task.kind`.
    pub(crate) name: &'static str,
    /// Description in a line.
    pub(crate) summary: &'static str,
    /// A recipe with every key, its default and its meaning.
    pub(crate) explained: &'static str,
    /// The sections that the kind has beside those of every kind.
    pub(crate) parts: &'static [Part],
}

impl Schema {
    pub(super) fn all_parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&EVERY_KIND).chain(self.parts)
    }

    /// Returns every key with its default.
    pub(crate) fn defaults(&self) -> Table {
        let mut table = Table::new();
        self.all_parts().for_each(|part| merge(&mut table, (part.defaults)()));
        table
    }

    pub(super) fn conditions(&self) -> impl Iterator<Item = &'static Condition> {
        self.parts.iter().flat_map(|part| part.conditions)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|part| part.paths).copied()
    }

    /// Returns whether a key is in a section whose keys are the user's.
    pub(super) fn is_open(&self, key: &str) -> bool {
        let section = key.split_once('.').map(|(section, _)| section);
        self.parts.iter().flat_map(|part| part.open).any(|open| section == Some(*open))
    }

    /// Returns the first key of a section, where the kind has a section of that name.
    pub(super) fn first_key(&self, section: &str) -> Option<&'static str> {
        let header = format!("\n[{section}]\n");
        let (_, keys) = self.explained.split_once(&header)?;
        keys.lines().find_map(|line| line.split_once(" = ").filter(|_| !line.starts_with('#')).map(|(key, _)| key))
    }
}

/// Schemas of one name are the same.
impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
