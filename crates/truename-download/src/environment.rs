use std::collections::HashMap;
use std::path::PathBuf;

/// Environment variables that a pull reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(HashMap<String, String>);

impl Environment {
    /// Reads the variables of this process.
    pub(crate) fn of_process() -> Self {
        let variables = std::env::vars_os();
        Self(
            variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect(),
        )
    }

    #[cfg(test)]
    pub(crate) fn of<'a>(variables: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns the first of these variables that is set and not empty.
    pub(crate) fn first(&self, names: &[&str]) -> Option<&str> {
        let mut values = names.iter().filter_map(|name| self.0.get(*name));
        values.find_map(|value| Some(value.trim()).filter(|value| !value.is_empty()))
    }

    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.first(&[name]).map(PathBuf::from)
    }

    /// Returns `$variable`, or `fallback` in the user's folder.
    pub(crate) fn folder(&self, variable: &str, fallback: &str) -> Option<PathBuf> {
        self.path(variable).or_else(|| Some(self.home()?.join(fallback)))
    }

    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.first(&["HOME", "USERPROFILE"]).map(PathBuf::from)
    }

    /// Replaces a leading `~` by the user's folder.
    pub(crate) fn expand(&self, path: &str) -> PathBuf {
        let in_home = path.strip_prefix("~/").and_then(|rest| Some(self.home()?.join(rest)));
        in_home.unwrap_or_else(|| PathBuf::from(path))
    }
}

/// Reads a switch as pip and the hub's client do.
pub(crate) fn is_yes(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "t" | "y")
}
