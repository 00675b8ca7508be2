use std::path::Path;

use pep440_rs::Version;
use url::Url;

use crate::archive::Archive;
use crate::client::{Client, RemoteFile, file_path, shown};
use crate::credentials::Credentials;
use crate::environment::Environment;
use crate::error::Kind;
use crate::netrc::Netrc;
use crate::pip_settings::PipSettings;
use crate::simple_index;
use crate::source::normalize_package;
use crate::store::Partial;
use crate::{Error, Source};

/// One file of one version.
pub(crate) struct Release {
    pub(crate) package: String,
    pub(crate) version: Version,
    file: RemoteFile,
}

impl Release {
    /// Creates a release; `None` if the file is of another package or has to be built.
    fn new(package: &str, file: RemoteFile) -> Option<Self> {
        Some(Self { package: package.to_owned(), version: version_in(&file.name, package)?, file })
    }

    pub(crate) fn source(&self) -> Source {
        Source::PyPi { package: self.package.clone(), version: Some(self.version.to_string()) }
    }

    /// Returns the rank, higher is better: final versions, newer ones, wheels before source packages.
    fn rank(&self) -> (bool, &Version, bool) {
        (!self.version.any_prerelease(), &self.version, self.file.name.ends_with(".whl"))
    }
}

/// Returns the version in the name of a wheel for any platform or of a source package.
fn version_in(file_name: &str, package: &str) -> Option<Version> {
    if let Some(wheel) = file_name.strip_suffix(".whl") {
        let (words, is_wheel_of) = (wheel.split('-').collect::<Vec<_>>(), |name| normalize_package(name) == package);
        return match *words {
            [name, version, _, "none", "any"] | [name, version, _, _, "none", "any"] if is_wheel_of(name) => {
                version.parse().ok()
            }
            _ => None,
        };
    }
    let stem = file_name.strip_suffix(".tar.gz").or_else(|| file_name.strip_suffix(".zip"))?;
    let divisions = stem.match_indices('-').map(|(place, _)| (&stem[..place], &stem[place + 1..]));
    let mut named = divisions.filter(|(name, _)| normalize_package(name) == package);
    named.find_map(|(_, version)| version.parse().ok())
}

/// All places where pip looks for packages.
pub(crate) struct Index {
    client: Client,
    indexes: Vec<Url>,
    /// Pages and folders (`file:`) with files of any package.
    find_links: Vec<Url>,
}

impl Index {
    pub(crate) fn new(environment: &Environment) -> Result<Self, Error> {
        let PipSettings { mut indexes, mut find_links, connection } = PipSettings::read(environment)?;
        let mut credentials = Credentials::new(Netrc::read(environment));
        indexes.iter_mut().chain(&mut find_links).for_each(|url| credentials.take_from(url));
        Ok(Self { client: Client::new(environment, credentials, connection)?, indexes, find_links })
    }

    /// Returns the file to download: of `version`, else of the newest version that is not yanked and, if there are
    /// others, not a pre-release.
    pub(crate) fn newest(&self, package: &str, version: Option<&Version>) -> Result<Release, Error> {
        let (mut releases, failure) = self.releases(package);
        let fits = |release: &Release| version.map_or(!release.file.yanked, |version| release.version == *version);
        let fitting = (0..releases.len()).filter(|place| fits(&releases[*place]));
        match fitting.max_by_key(|place| releases[*place].rank()) {
            Some(place) => Ok(releases.swap_remove(place)),
            None => Err(failure.unwrap_or_else(|| self.missing(package, version, &releases))),
        }
    }

    /// Returns the releases of all places, and the first failure, which may hide more of them.
    fn releases(&self, package: &str) -> (Vec<Release>, Option<Error>) {
        let (mut releases, mut failure) = (Vec::new(), None);
        let lists = self.indexes.iter().filter_map(|index| index.join(&format!("{package}/")).ok());
        for page in lists.chain(self.find_links.iter().cloned()) {
            let found = file_path(&page).map_or_else(|| self.page(&page), |folder| Ok(local(&folder)));
            match found {
                Ok(files) => releases.extend(files.into_iter().filter_map(|file| Release::new(package, file))),
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    tracing::warn!(%error, "an index was left out");
                    failure.get_or_insert(error);
                }
            }
        }
        (releases, failure)
    }

    fn page(&self, page: &Url) -> Result<Vec<RemoteFile>, Error> {
        let (base, kind, text) = self.client.text(page, simple_index::ACCEPT).map_err(with_login_hint)?;
        let mut files = simple_index::parse(&base, &kind, &text)?;
        // A page must not refer to files of this machine.
        files.retain(|file| matches!(file.url.scheme(), "http" | "https"));
        Ok(files)
    }

    fn missing(&self, package: &str, version: Option<&Version>, releases: &[Release]) -> Error {
        let wanted = Source::PyPi { package: package.to_owned(), version: version.map(Version::to_string) };
        let mut versions: Vec<_> = releases.iter().map(|release| &release.version).collect();
        versions.sort();
        versions.dedup();
        let names: Vec<_> = versions.iter().rev().take(5).map(|version| version.to_string()).collect();
        let hint = match &*names {
            [] => "check the name; it needs a wheel for any platform or a source package".to_owned(),
            names => format!("there are the versions {}", names.join(", ")),
        };
        let places: Vec<_> = self.indexes.iter().chain(&self.find_links).map(shown).collect();
        let message = format!("there is no {wanted} at {}", places.join(", "));
        match (&*self.indexes, &*places) {
            ([], []) => Error::offline(wanted, "PIP_NO_INDEX"),
            ([], _) => Error::of(Kind::Offline, message).with_hint(hint),
            _ => Error::of(Kind::Missing, message).with_hint(hint),
        }
    }

    /// Downloads a file and checks its hash; a file on disk is used in place.
    pub(crate) fn fetch(&self, release: &Release, partial: &Partial<'_>) -> Result<Archive, Error> {
        let file = &release.file;
        if let Some(path) = file_path(&file.url) {
            return Archive::open(&path, &file.name);
        }
        if file.sha256.is_none() {
            tracing::warn!(file = file.name, "the index states no SHA-256");
        }
        let target = partial.scratch("package");
        self.client.download(file, &target, partial.progress).map_err(with_login_hint)?;
        Archive::open(&target, &file.name)
    }
}

/// Lists the files in a folder; empty for a missing folder, as in pip.
fn local(folder: &Path) -> Vec<RemoteFile> {
    let file = |entry: std::fs::DirEntry| {
        let (name, url) = (entry.file_name().into_string().ok()?, Url::from_file_path(entry.path()).ok()?);
        Some(RemoteFile { name, url, bytes: None, sha256: None, yanked: false })
    };
    std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| file(entry.ok()?)).collect()
}

fn with_login_hint(error: Error) -> Error {
    match error.status() {
        Some(401 | 403) => {
            error.with_hint("give the login in the URL of the index (https://USER:PASSWORD@HOST/simple) or in ~/.netrc")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_names_of_files() {
        let package = "all-mpnet-part-001";
        for (file_name, version) in [
            ("all_mpnet_part_001-0.0.1-py3-none-any.whl", Some("0.0.1")),
            ("all_mpnet_part_001-0.0.1-1-py2.py3-none-any.whl", Some("0.0.1")),
            ("all-mpnet-part_001-0.0.1.tar.gz", Some("0.0.1")),
            ("all-mpnet-part_001-0.0.1.zip", Some("0.0.1")),
            ("all_mpnet_part_001-0.0.1-cp312-cp312-linux_x86_64.whl", None),
            ("all_mpnet_part_002-0.0.1-py3-none-any.whl", None),
            ("all-mpnet-part-001-0.0.1.exe", None),
        ] {
            let found = version_in(file_name, package).map(|version| version.to_string());
            assert_eq!(found.as_deref(), version, "{file_name}");
        }
    }
}
