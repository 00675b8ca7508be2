use std::fmt;
use std::str::FromStr;

use pep440_rs::Version;

use crate::Error;
use crate::error::shorten;

/// Name of a model: `pypi:NAME`, `pypi:NAME==VERSION`, `hf:ORG/NAME` or `hf:ORG/NAME@REVISION`.
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
        /// Name of the package; `A_b.c` and `a-b-c` are the same name.
        package: String,
        /// Version (PEP 440); the newest if none.
        version: Option<String>,
    },
    /// A model repository of the Hugging Face hub.
    HuggingFace {
        /// `ORG/NAME`.
        repository: String,
        /// Branch, tag or commit; `main` if none.
        revision: Option<String>,
    },
}

impl Source {
    /// Returns the name of the package or repository.
    pub fn name(&self) -> &str {
        match self {
            Self::PyPi { package, .. } => package,
            Self::HuggingFace { repository, .. } => repository,
        }
    }

    /// Returns the version or revision, if one is named.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::PyPi { version, .. } => version.as_deref(),
            Self::HuggingFace { revision, .. } => revision.as_deref(),
        }
    }

    /// Returns whether the name always means the same bytes.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Self::PyPi { version, .. } => version.is_some(),
            Self::HuggingFace { revision, .. } => {
                revision.as_deref().is_some_and(|revision| is_hexadecimal(revision, 40))
            }
        }
    }

    /// Returns the folder of all versions, relative to the cache's folder of models.
    pub(crate) fn folder(&self) -> String {
        match self {
            Self::PyPi { package, .. } => format!("pypi/{}", normalize_package(package)),
            Self::HuggingFace { repository, .. } => format!("hf/{}", repository.replace('/', "--")),
        }
    }

    /// Returns the branch, tag or commit to request from the hub.
    pub(crate) fn requested(&self) -> Option<&str> {
        match self {
            Self::PyPi { .. } => None,
            Self::HuggingFace { revision, .. } => Some(revision.as_deref().unwrap_or("main")),
        }
    }

    /// Returns the version of a package.
    pub(crate) fn package_version(&self) -> Option<Version> {
        match self {
            Self::PyPi { version, .. } => version.as_deref()?.parse().ok(),
            Self::HuggingFace { .. } => None,
        }
    }

    /// Refuses names that no index has, since names become parts of URLs and paths.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let reason = match self {
            Self::PyPi { package, .. } if !is_package_name(package) => "it is not the name of a package",
            Self::PyPi { version: Some(_), .. } if self.package_version().is_none() => {
                "its version does not follow PEP 440"
            }
            Self::HuggingFace { repository, .. } if !is_repository(repository) => {
                "a repository is ORG/NAME of letters, digits, '-', '_' and '.'"
            }
            Self::HuggingFace { revision: Some(revision), .. } if !is_path(revision) => {
                "its revision is not a branch, tag or commit"
            }
            _ => return Ok(()),
        };
        Err(invalid(&self.to_string(), reason))
    }
}

fn invalid(value: &str, reason: &str) -> Error {
    Error::new(format!("\"{}\" names no model: {reason}", shorten(value)))
        .with_hint("name a model as pypi:NAME, pypi:NAME==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION")
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        let divide = |rest: &str, separator| {
            let (name, version) =
                rest.split_once(separator).map_or((rest, None), |(name, version)| (name, Some(version)));
            (name.trim().to_owned(), version.map(|version| version.trim().to_owned()))
        };
        let source = match value.split_once(':') {
            Some(("pypi", rest)) => {
                let (package, version) = divide(rest, "==");
                Self::PyPi { package, version }
            }
            Some(("hf", rest)) => {
                let (repository, revision) = divide(rest, "@");
                Self::HuggingFace { repository, revision }
            }
            _ => return Err(invalid(value, "it starts with neither pypi: nor hf:")),
        };
        source.check().map(|()| source)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, separator) = match self {
            Self::PyPi { .. } => ("pypi", "=="),
            Self::HuggingFace { .. } => ("hf", "@"),
        };
        write!(f, "{index}:{}", self.name())?;
        self.version().map_or(Ok(()), |version| write!(f, "{separator}{version}"))
    }
}

/// Returns the normalized name of a package (PEP 503): lower case, runs of `-`, `_` and `.` as one `-`.
pub(crate) fn normalize_package(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns whether a name fits PEP 508: letters, digits, `-`, `_`, `.`, with a letter or digit at both ends.
fn is_package_name(name: &str) -> bool {
    let is_end = |end: char| end.is_ascii_alphanumeric();
    name.starts_with(is_end) && name.ends_with(is_end) && name.chars().all(is_name_character)
}

/// Returns whether a name is one or two path segments without `--`, which stands for `/` in the cache's folder names.
fn is_repository(name: &str) -> bool {
    name.split('/').count() <= 2 && !name.contains("--") && is_path(name)
}

/// Returns whether a name consists of path segments that neither lead up nor are hidden.
fn is_path(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && !word.starts_with('.') && word.chars().all(is_name_character);
    name.split('/').all(is_word)
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

/// Returns whether a text is so many hexadecimal digits.
pub(crate) fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
