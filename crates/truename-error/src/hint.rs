//! Advice on what to do.

use std::fmt;

/// Advice: text, with settings and actions as data. [`Hint::worded`] writes these in a caller's own terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint(Vec<HintPart>);

/// A part of a [`Hint`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HintPart {
    /// Words.
    Text(String),
    /// A setting by the name of its field, with a value where one is meant.
    Setting {
        /// Name of the field.
        name: &'static str,
        /// The value.
        value: Option<String>,
    },
    /// A key of a recipe, with a value where one is meant.
    Key {
        /// Name of the key with its sections.
        name: String,
        /// The value.
        value: Option<String>,
    },
    /// An action of Truename, such as `kb import`.
    Action {
        /// Name of the action.
        name: &'static str,
        /// Values, with the settings that they are given for; without a name for what the action is done to, without a value for
        /// a switch.
        arguments: Vec<(&'static str, String)>,
    },
}

impl HintPart {
    /// Creates a setting.
    pub fn setting(name: &'static str) -> Self {
        Self::Setting { name, value: None }
    }

    /// Creates a key of a recipe.
    pub fn key(name: impl Into<String>) -> Self {
        Self::Key { name: name.into(), value: None }
    }

    /// Creates an action.
    pub fn action(name: &'static str) -> Self {
        Self::Action { name, arguments: Vec::new() }
    }

    /// Adds the value of a setting or key, or the object of an action.
    #[must_use]
    pub fn value(self, value: impl fmt::Display) -> Self {
        match self {
            Self::Setting { name, .. } => Self::Setting { name, value: Some(value.to_string()) },
            Self::Key { name, .. } => Self::Key { name, value: Some(value.to_string()) },
            other => other.with("", value),
        }
    }

    /// Adds a setting of an action.
    #[must_use]
    pub fn with(mut self, setting: &'static str, value: impl fmt::Display) -> Self {
        if let Self::Action { arguments, .. } = &mut self {
            arguments.push((setting, value.to_string()));
        }
        self
    }
}

impl From<&str> for HintPart {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for HintPart {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Joins texts and parts to a [`Hint`].
#[macro_export]
macro_rules! hint {
    [$($part:expr),+ $(,)?] => { <$crate::Hint as ::core::iter::FromIterator<$crate::HintPart>>::from_iter([$($crate::HintPart::from($part)),+]) };
}

impl FromIterator<HintPart> for Hint {
    fn from_iter<I: IntoIterator<Item = HintPart>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl<P: Into<HintPart>> From<P> for Hint {
    fn from(part: P) -> Self {
        Self(vec![part.into()])
    }
}

impl Hint {
    /// Returns the parts.
    pub fn parts(&self) -> &[HintPart] {
        &self.0
    }

    /// Returns the advice with its settings, keys and actions as `word` writes them; the texts between them stay.
    pub fn worded(&self, word: impl Fn(&HintPart) -> String) -> String {
        let worded = |part: &HintPart| match part {
            HintPart::Text(text) => text.clone(),
            other => word(other),
        };
        self.0.iter().map(worded).collect()
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| part.fmt(f))
    }
}

impl fmt::Display for HintPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |f: &mut fmt::Formatter<'_>, name: &str, value: &Option<String>| match value {
            Some(value) => write!(f, "`{name} = {value}`"),
            None => write!(f, "`{name}`"),
        };
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Setting { name, value } => named(f, name, value),
            Self::Key { name, value } => named(f, name, value),
            Self::Action { name, arguments } => {
                write!(f, "`{name}")?;
                for (setting, value) in arguments {
                    match (setting.is_empty(), value.is_empty()) {
                        (true, _) => write!(f, " {value}")?,
                        (false, true) => write!(f, " {setting}")?,
                        (false, false) => write!(f, " {setting}={value}")?,
                    }
                }
                f.write_str("`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_words_settings_and_actions() {
        let hint = hint![
            "make them: ",
            HintPart::action("kb embed").value("names").with("kb", "my"),
            "; or say ",
            HintPart::setting("encoding").value("utf-16le"),
            String::from(", "),
            HintPart::key("ranker.folds").value(2),
        ];
        assert_eq!(
            hint.to_string(),
            "make them: `kb embed names kb=my`; or say `encoding = utf-16le`, `ranker.folds = 2`"
        );
        let worded = hint.worded(|part| match part {
            HintPart::Setting { name, .. } => format!("--{name}"),
            HintPart::Action { name, .. } => format!("truename {name}"),
            _ => "…".to_owned(),
        });
        assert_eq!(worded, "make them: truename kb embed; or say --encoding, …");
        assert_eq!(Hint::from("as it is").to_string(), "as it is");
    }
}
