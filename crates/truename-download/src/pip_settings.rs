use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use configparser::ini::Ini;
use url::Url;

use crate::Error;
use crate::client::{Connection, web_url};
use crate::environment::{Environment, is_yes};

/// Default index of pip.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";
/// Default timeout of pip in seconds.
const DEFAULT_TIMEOUT_S: u64 = 15;

/// Places of packages in pip's configuration.
#[derive(Debug)]
pub(crate) struct PipSettings {
    /// URLs of the indexes with their logins; empty if `no-index` is set.
    pub(crate) indexes: Vec<Url>,
    /// Folders and pages with links to packages.
    pub(crate) find_links: Vec<Url>,
    pub(crate) connection: Connection,
}

impl PipSettings {
    /// Reads files and variables in pip's order: system, user, virtual environment, `$PIP_CONFIG_FILE`, `PIP_…`; later
    /// ones win.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Error> {
        let mut values = HashMap::new();
        for path in configuration_files(environment) {
            if let Ok(text) = std::fs::read_to_string(&path) {
                values.extend(parse(text).map_err(|reason| {
                    Error::new(format!("the configuration of pip in {} cannot be read: {reason}", path.display()))
                        .with_hint("correct the file, or set PIP_CONFIG_FILE=/dev/null to read none")
                })?);
            }
        }
        let value = |key: &str| {
            let name = format!("PIP_{}", key.replace('-', "_").to_ascii_uppercase());
            // pip reads PIP_DEFAULT_TIMEOUT as PIP_TIMEOUT.
            let other = if key == "timeout" { "PIP_DEFAULT_TIMEOUT" } else { &name };
            let in_files = values.get(key).map(|value| value.trim()).filter(|value| !value.is_empty());
            environment.first(&[&name, other]).or(in_files)
        };
        let words = |key| value(key).unwrap_or_default().split_whitespace();
        // An index ends in `/`, so that package names can be appended.
        let index_url = |url: &str| web_url("index-url", &format!("{}/", url.trim_end_matches('/')));
        let index = words("index-url").next().unwrap_or(DEFAULT_INDEX);
        let is_forbidden = value("no-index").is_some_and(is_yes);
        let indexes = std::iter::once(index).chain(words("extra-index-url")).filter(|_| !is_forbidden);
        let timeout_s: u64 = value("timeout").and_then(|value| value.parse().ok()).unwrap_or(DEFAULT_TIMEOUT_S);
        Ok(Self {
            indexes: indexes.map(index_url).collect::<Result<_, _>>()?,
            find_links: words("find-links").filter_map(|place| link_url(environment, place)).collect(),
            connection: Connection {
                certificates: value("cert").map(|path| environment.expand(path)),
                proxy: value("proxy").map(str::to_owned),
                timeout: Duration::from_secs(timeout_s.max(1)),
            },
        })
    }
}

/// Parses one of pip's `find-links`: the URL of a page, or a folder.
fn link_url(environment: &Environment, place: &str) -> Option<Url> {
    let url = Url::parse(place).ok().filter(|url| matches!(url.scheme(), "http" | "https" | "file"));
    url.or_else(|| Url::from_directory_path(std::path::absolute(environment.expand(place)).ok()?).ok())
}

/// Lists the files that pip reads; later ones win.
fn configuration_files(environment: &Environment) -> Vec<PathBuf> {
    let explicit = environment.path("PIP_CONFIG_FILE");
    // The null device disables all of them.
    if explicit.as_deref().is_some_and(|path| path == Path::new("/dev/null") || path == Path::new("nul")) {
        return Vec::new();
    }
    let variable = |name: &str, below: &str| environment.path(name).map(|folder| folder.join(below));
    let home = |below: &str| environment.home().map(|home| home.join(below));
    let user = environment.folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("pip"));
    let system = environment.first(&["XDG_CONFIG_DIRS"]).unwrap_or("/etc/xdg").split(':');
    let mut folders: Vec<Option<PathBuf>> = match std::env::consts::OS {
        "windows" => vec![variable("PROGRAMDATA", "pip"), home("pip"), variable("APPDATA", "pip")],
        "macos" => vec![
            Some("/Library/Application Support/pip".into()),
            home(".pip"),
            user,
            home("Library/Application Support/pip"),
        ],
        _ => system
            .map(|folder| Some(Path::new(folder).join("pip")))
            .chain([Some("/etc".into()), home(".pip"), user])
            .collect(),
    };
    folders.push(environment.path("VIRTUAL_ENV"));
    let name = if cfg!(windows) { "pip.ini" } else { "pip.conf" };
    folders.into_iter().flatten().map(|folder| folder.join(name)).chain(explicit).collect()
}

/// Parses the keys of `[global]` and `[install]`, spelled with `-`; `[install]` wins.
fn parse(text: String) -> Result<HashMap<String, String>, String> {
    let mut ini = Ini::new();
    ini.set_multiline(true);
    ini.set_inline_comment_symbols(Some(&[]));
    let mut sections = ini.read(text)?;
    let values = ["global", "install"].into_iter().filter_map(|name| sections.remove(name)).flatten();
    Ok(values.filter_map(|(key, value)| Some((key.trim_start_matches('-').replace('_', "-"), value?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> PipSettings {
        let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        PipSettings::read(&Environment::of(variables)).unwrap()
    }

    #[test]
    fn files_and_variables_are_layered() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        write(".pip/pip.conf", "[global]\nindex-url = https://old.org/simple\ntimeout = 7\n");
        write(
            ".config/pip/pip.conf",
            "[global]\n# mine\nindex_url: https://user.org/simple/\nextra-index-url =\n  https://a.org/\n  https://b.org/x\n",
        );
        let explicit = write("explicit.conf", "[install]\nfind-links = /wheels\n[list]\nindex-url = https://no.org\n");
        let home = folder.path().display().to_string();
        let settings = read(&[("HOME", &home), ("PIP_CONFIG_FILE", &explicit), ("XDG_CONFIG_DIRS", &home)]);
        let indexes: Vec<_> = settings.indexes.iter().map(Url::as_str).collect();
        assert_eq!(indexes, ["https://user.org/simple/", "https://a.org/", "https://b.org/x/"]);
        assert_eq!(settings.find_links[0].as_str(), "file:///wheels/");
        assert_eq!(settings.connection.timeout, Duration::from_secs(7));
        let settings =
            read(&[("HOME", &home), ("PIP_INDEX_URL", "http://e.org/s"), ("PIP_EXTRA_INDEX_URL", "http://f.org")]);
        assert_eq!(settings.indexes.len(), 2);
        assert_eq!(settings.indexes[0].as_str(), "http://e.org/s/");
    }

    #[test]
    fn a_file_that_cannot_be_parsed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pip.conf");
        std::fs::write(&path, "[global\nindex-url = https://a.org\n").unwrap();
        let environment = Environment::of([("PIP_CONFIG_FILE", path.display().to_string())]);
        let error = PipSettings::read(&environment).unwrap_err();
        assert!(error.to_string().contains("pip.conf cannot be read: line 1"), "{error}");
        assert!(error.hint().unwrap().contains("PIP_CONFIG_FILE"));
    }

    #[test]
    fn a_value_may_hold_signs_of_comments_and_keys() {
        let text = "[global]\nINDEX_URL = https://me:p#;=x@a.org/simple ; x\n--no-index=1\n";
        let values = parse(text.into()).unwrap();
        assert_eq!(values["index-url"], "https://me:p#;=x@a.org/simple ; x");
        assert_eq!(values["no-index"], "1");
    }

    #[test]
    fn no_index_leaves_none_and_the_default_is_pypi() {
        assert!(read(&[("PIP_NO_INDEX", "1"), ("PIP_CONFIG_FILE", "/dev/null")]).indexes.is_empty());
        assert_eq!(read(&[("PIP_CONFIG_FILE", "/dev/null")]).indexes[0].as_str(), "https://pypi.org/simple/");
    }

    #[test]
    fn a_bad_index_is_refused_without_its_password() {
        let environment = Environment::of([("PIP_INDEX_URL", "ftp://me:secret@host/simple".to_owned())]);
        let error = PipSettings::read(&environment).unwrap_err().to_string();
        assert!(error.contains("host/simple") && !error.contains("secret"), "{error}");
    }
}
