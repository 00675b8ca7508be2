use std::collections::HashMap;
use std::path::PathBuf;

/// The environment variables that a pull honours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(HashMap<String, String>);

impl Environment {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    #[cfg(test)]
    pub(crate) fn of<'a>(variables: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The first of these variables that is set.
    pub(crate) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// Whether a variable says yes.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(is_yes)
    }

    /// The user's folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }

    /// `$variable`, or `fallback` in the user's folder.
    pub(crate) fn user_folder(&self, variable: &str, fallback: &str) -> Option<PathBuf> {
        self.path(variable).or_else(|| Some(self.home()?.join(fallback)))
    }

    /// A path in which a leading `~` stands for the user's folder.
    pub(crate) fn expand(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        }
    }
}

/// As pip and the client of the hub read switches.
pub(crate) fn is_yes(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "t" | "y")
}
