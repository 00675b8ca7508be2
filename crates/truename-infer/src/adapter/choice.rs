//! The choice of the adapters of a model folder: all, none, or some by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;

use crate::Error;

/// The adapters of a model folder that are used: all, or those with some names.
///
/// Written `all`, `none`, or names with commas between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AdapterChoice {
    /// All adapters of the folder.
    #[default]
    All,
    /// The adapters with these names; none where there is no name.
    Only(Vec<String>),
}

impl AdapterChoice {
    const ALL: &'static str = "all";
    const NONE: &'static str = "none";

    /// No adapter: the backbone alone.
    pub fn none() -> Self {
        Self::Only(Vec::new())
    }

    /// Returns whether an adapter may have a name: letters, digits, `-` and `_`, and no word of a choice.
    pub fn is_name(name: &str) -> bool {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
        !name.is_empty() && name.chars().all(is_sign) && ![Self::ALL, Self::NONE].contains(&name)
    }
}

impl FromStr for AdapterChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            Self::ALL => Ok(Self::All),
            Self::NONE => Ok(Self::none()),
            names => {
                let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
                match names.iter().find(|name| !Self::is_name(name)) {
                    Some(name) => {
                        let message = format!("\"{name}\" is not the name of an adapter");
                        let advice = "use letters, digits, - and _; several names with commas between them";
                        Err(Error::new(ErrorKind::Choice, message).with_hint(advice))
                    }
                    None => Ok(Self::Only(names)),
                }
            }
        }
    }
}

impl fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str(Self::ALL),
            Self::Only(names) if names.is_empty() => f.write_str(Self::NONE),
            Self::Only(names) => f.write_str(&names.join(",")),
        }
    }
}

impl TryFrom<String> for AdapterChoice {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<AdapterChoice> for String {
    fn from(choice: AdapterChoice) -> Self {
        choice.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_written_as_they_are_read() {
        for text in ["all", "none", "general", "general,biomedical"] {
            assert_eq!(text.parse::<AdapterChoice>().unwrap().to_string(), text);
        }
        assert_eq!("none".parse::<AdapterChoice>().unwrap(), AdapterChoice::none());
        let spaced: AdapterChoice = "general, biomedical".parse().unwrap();
        assert_eq!(spaced, AdapterChoice::Only(vec!["general".into(), "biomedical".into()]));
    }

    #[test]
    fn names_that_a_choice_cannot_hold_are_refused() {
        for text in ["", "general,", "general,all", "a b", "a.b"] {
            let error = text.parse::<AdapterChoice>().unwrap_err().to_string();
            assert!(error.contains("name of an adapter"), "{text}: {error}");
        }
        assert!(AdapterChoice::is_name("bio-2") && !AdapterChoice::is_name("none"));
    }
}
