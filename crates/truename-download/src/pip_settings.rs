use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::Error;
use crate::environment::{Environment, is_yes};

/// The index that pip asks where none is set.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";
/// Until when pip waits for an answer, in seconds.
const DEFAULT_TIMEOUT_S: u64 = 15;

/// What pip's configuration says about where packages come from.
#[derive(Debug)]
pub(crate) struct PipSettings {
    /// Logins included; empty where `no-index` is set.
    pub(crate) indexes: Vec<Url>,
    /// Folders and pages with links to packages.
    pub(crate) find_links: Vec<String>,
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
    pub(crate) timeout: Duration,
}

impl PipSettings {
    /// From files and variables as pip orders them: system, user, virtual environment,
    /// `$PIP_CONFIG_FILE`, `PIP_…`; what comes later wins.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Error> {
        let mut values = HashMap::new();
        for path in configuration_files(environment) {
            if let Ok(text) = std::fs::read_to_string(&path) {
                values.extend(parse(&text));
            }
        }
        for key in ["index-url", "extra-index-url", "no-index", "find-links", "cert", "proxy", "timeout"] {
            values.extend(variable(environment, key).map(|value| (key.to_owned(), value.to_owned())));
        }
        Self::from_values(environment, &values)
    }

    fn from_values(environment: &Environment, values: &HashMap<String, String>) -> Result<Self, Error> {
        let value = |key: &str| values.get(key).map(|value| value.trim()).filter(|value| !value.is_empty());
        let words = |key: &str| value(key).unwrap_or_default().split_whitespace();
        let index = words("index-url").next().unwrap_or(DEFAULT_INDEX);
        let forbidden = value("no-index").is_some_and(is_yes);
        let indexes = std::iter::once(index).chain(words("extra-index-url")).filter(|_| !forbidden);
        let timeout_s = value("timeout").and_then(|value| value.parse().ok()).unwrap_or(DEFAULT_TIMEOUT_S);
        Ok(Self {
            indexes: indexes.map(index_url).collect::<Result<_, _>>()?,
            find_links: words("find-links").map(str::to_owned).collect(),
            certificates: value("cert").map(|path| environment.expand(path)),
            proxy: value("proxy").map(str::to_owned),
            timeout: Duration::from_secs(timeout_s.max(1)),
        })
    }
}

/// `PIP_INDEX_URL` for `index-url`; pip reads `PIP_DEFAULT_TIMEOUT` as `PIP_TIMEOUT`.
fn variable<'a>(environment: &'a Environment, key: &str) -> Option<&'a str> {
    let name = format!("PIP_{}", key.replace('-', "_").to_ascii_uppercase());
    environment.get(&name).or_else(|| environment.get("PIP_DEFAULT_TIMEOUT").filter(|_| key == "timeout"))
}

/// An index ends in `/`, so that names can be joined to it.
fn index_url(text: &str) -> Result<Url, Error> {
    let url = Url::parse(&format!("{}/", text.trim_end_matches('/')));
    let web = url.ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    // The value may hold a password: only what is behind it is shown.
    let shown = text.rsplit('@').next().unwrap_or_default();
    web.ok_or_else(|| Error::setting("index-url", shown, "is not an http or https URL"))
}

/// The files pip reads; what comes later wins.
fn configuration_files(environment: &Environment) -> Vec<PathBuf> {
    let explicit = environment.path("PIP_CONFIG_FILE");
    // pip's own way to switch all of them off.
    if explicit.as_ref().is_some_and(|path| path.as_os_str() == "/dev/null" || path.as_os_str() == "nul") {
        return Vec::new();
    }
    let mut files = system_files(environment);
    files.extend(user_files(environment));
    let name = if cfg!(windows) { "pip.ini" } else { "pip.conf" };
    files.extend(environment.path("VIRTUAL_ENV").map(|folder| folder.join(name)));
    files.extend(explicit);
    files
}

fn system_files(environment: &Environment) -> Vec<PathBuf> {
    if cfg!(windows) {
        return environment.path("PROGRAMDATA").map(|folder| folder.join("pip/pip.ini")).into_iter().collect();
    }
    if cfg!(target_os = "macos") {
        return vec!["/Library/Application Support/pip/pip.conf".into()];
    }
    let folders = environment.get("XDG_CONFIG_DIRS").unwrap_or("/etc/xdg").split(':');
    let mut files: Vec<_> = folders.map(|folder| PathBuf::from(folder).join("pip/pip.conf")).collect();
    files.push("/etc/pip.conf".into());
    files
}

fn user_files(environment: &Environment) -> Vec<PathBuf> {
    let home = environment.home();
    let in_home = |path: &str| home.as_ref().map(|home| home.join(path));
    if cfg!(windows) {
        let roaming = environment.path("APPDATA").map(|folder| folder.join("pip/pip.ini"));
        return [in_home("pip/pip.ini"), roaming].into_iter().flatten().collect();
    }
    let current = environment.user_folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("pip/pip.conf"));
    let apple = in_home("Library/Application Support/pip/pip.conf").filter(|_| cfg!(target_os = "macos"));
    [in_home(".pip/pip.conf"), current, apple].into_iter().flatten().collect()
}

/// The keys of `[global]` and, over them, of `[install]`, spelled with `-`.
fn parse(text: &str) -> HashMap<String, String> {
    let mut sections: HashMap<String, HashMap<String, String>> = HashMap::new();
    let (mut section, mut key) = (String::new(), None::<String>);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with(['#', ';']) || trimmed.is_empty() {
            continue;
        }
        if let (Some(key), true) = (&key, line.starts_with([' ', '\t'])) {
            let value = sections.entry(section.clone()).or_default().entry(key.clone()).or_default();
            value.push('\n');
            value.push_str(trimmed);
        } else if let Some(name) = trimmed.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            (section, key) = (name.trim().to_owned(), None);
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            let name = name.trim().trim_start_matches('-').replace('_', "-").to_ascii_lowercase();
            sections.entry(section.clone()).or_default().insert(name.clone(), value.trim().to_owned());
            key = Some(name);
        }
    }
    let mut values = sections.remove("global").unwrap_or_default();
    values.extend(sections.remove("install").unwrap_or_default());
    values
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
        assert_eq!(settings.find_links, ["/wheels"]);
        assert_eq!(settings.timeout, Duration::from_secs(7));
        let settings =
            read(&[("HOME", &home), ("PIP_INDEX_URL", "http://e.org/s"), ("PIP_EXTRA_INDEX_URL", "http://f.org")]);
        assert_eq!(settings.indexes.len(), 2);
        assert_eq!(settings.indexes[0].as_str(), "http://e.org/s/");
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
