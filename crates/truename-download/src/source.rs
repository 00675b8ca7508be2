use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::version::Version;

/// Where a model comes from, by name: `pypi:NAME`, `pypi:NAME==VERSION`, `hf:ORG/NAME` or
/// `hf:ORG/NAME@REVISION`.
///
/// ```
/// use truename_download::Source;
///
/// let source: Source = "hf:sentence-transformers/all-MiniLM-L6-v2@main".parse()?;
/// assert_eq!(source.to_string(), "hf:sentence-transformers/all-MiniLM-L6-v2@main");
/// assert_eq!(source.version(), Some("main"));
/// assert!("pypi:../secrets".parse::<Source>().is_err());
/// # Ok::<(), truename_download::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A package of a Python package index.
    PyPi {
        /// Its name; `A_b.c` and `a-b-c` name the same.
        package: String,
        /// Its version (PEP 440); the newest where there is none.
        version: Option<String>,
    },
    /// A model repository of the Hugging Face hub.
    HuggingFace {
        /// `ORG/NAME`.
        repository: String,
        /// A branch, tag or commit; `main` where there is none.
        revision: Option<String>,
    },
}

impl Source {
    /// The name of the package or repository.
    pub fn name(&self) -> &str {
        match self {
            Self::PyPi { package, .. } => package,
            Self::HuggingFace { repository, .. } => repository,
        }
    }

    /// The version or revision, where one is named.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::PyPi { version, .. } => version.as_deref(),
            Self::HuggingFace { revision, .. } => revision.as_deref(),
        }
    }

    /// Refuses names that no index has: they become parts of URLs and paths.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |reason| Err(Error::invalid_source(&self.to_string(), reason));
        match self {
            Self::PyPi { package, .. } if !is_package_name(package) => refuse("it is not the name of a package"),
            Self::PyPi { version: Some(version), .. } if Version::parse(version).is_none() => {
                refuse("its version does not follow PEP 440")
            }
            Self::HuggingFace { repository, .. } if !is_repository(repository) => {
                refuse("a repository is ORG/NAME of letters, digits, '-', '_' and '.'")
            }
            Self::HuggingFace { revision: Some(revision), .. } if !is_revision(revision) => {
                refuse("its revision is not a branch, tag or commit")
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        let source = if let Some(rest) = value.strip_prefix("pypi:") {
            let (package, version) = divide(rest, "==");
            Self::PyPi { package, version }
        } else if let Some(rest) = value.strip_prefix("hf:") {
            let (repository, revision) = divide(rest, "@");
            Self::HuggingFace { repository, revision }
        } else {
            return Err(Error::invalid_source(value, "it starts with neither pypi: nor hf:"));
        };
        source.check().map(|()| source)
    }
}

fn divide(value: &str, separator: &str) -> (String, Option<String>) {
    match value.split_once(separator) {
        Some((name, version)) => (name.trim().to_owned(), Some(version.trim().to_owned())),
        None => (value.trim().to_owned(), None),
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PyPi { package, version: None } => write!(f, "pypi:{package}"),
            Self::PyPi { package, version: Some(version) } => write!(f, "pypi:{package}=={version}"),
            Self::HuggingFace { repository, revision: None } => write!(f, "hf:{repository}"),
            Self::HuggingFace { repository, revision: Some(revision) } => write!(f, "hf:{repository}@{revision}"),
        }
    }
}

/// The one spelling of a package's name (PEP 503): lower case, runs of `-`, `_` and `.` as one `-`.
pub(crate) fn normalize_package(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// PEP 508: letters, digits, `-`, `_`, `.`, with a letter or digit at both ends.
fn is_package_name(name: &str) -> bool {
    let ends = [name.chars().next(), name.chars().next_back()];
    ends.iter().all(|end| end.is_some_and(|end| end.is_ascii_alphanumeric())) && name.chars().all(is_name_character)
}

/// One or two words, none of which could be a step in a path.
fn is_repository(repository: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && !word.starts_with('.') && !word.contains("--") && word.chars().all(is_name_character)
    };
    repository.split('/').count() <= 2 && repository.split('/').all(is_word)
}

fn is_revision(revision: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && !word.starts_with('.') && word.chars().all(is_name_character);
    revision.split('/').all(is_word)
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

/// A full commit, which names the same bytes for ever.
pub(crate) fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_as_they_are_shown() {
        for text in ["pypi:a", "pypi:A_b.c==1.0rc1", "hf:org/name", "hf:org/name@refs/pr/3", "hf:bert-base-uncased"] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_names_no_model_is_refused_with_a_hint() {
        for text in [
            "minilm",
            "pypi:",
            "pypi:../a",
            "pypi:a/b",
            "pypi:a==",
            "pypi:a==../b",
            "pypi:-a",
            "hf:",
            "hf:a/b/c",
            "hf:../b",
            "hf:a/..",
            "hf:a/b@",
            "hf:a/b@../c",
            "hf:a/b@x?y",
            "hf:a/b c",
        ] {
            let error = text.parse::<Source>().unwrap_err();
            assert!(error.hint().unwrap().contains("pypi:NAME"), "{text}");
        }
    }

    #[test]
    fn spellings_of_a_package_are_one() {
        assert_eq!(normalize_package("All_MPNet..base-v2"), "all-mpnet-base-v2");
    }
}
