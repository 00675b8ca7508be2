use std::path::{Path, PathBuf};

use url::Url;

use crate::archive::Archive;
use crate::certificates;
use crate::client::{Client, Download, shown};
use crate::credentials::Credentials;
use crate::environment::Environment;
use crate::netrc::Netrc;
use crate::pip_settings::PipSettings;
use crate::proxy::Proxies;
use crate::simple_index::{self, Link};
use crate::source::normalize_package;
use crate::version::Version;
use crate::{Error, Progress, Source};

/// One file of one version.
pub(crate) struct Release {
    pub(crate) package: String,
    version: Version,
    pub(crate) version_text: String,
    file_name: String,
    place: Place,
    sha256: Option<String>,
    bytes: Option<u64>,
    yanked: bool,
}

enum Place {
    Web(Url),
    Disk(PathBuf),
}

impl Release {
    /// None where the file is not of this package or not to be used without building it.
    fn new(package: &str, link: Link, place: Place) -> Option<Self> {
        let version_text = version_in(&link.file_name, package)?.to_owned();
        let version = Version::parse(&version_text)?;
        let Link { file_name, sha256, bytes, yanked, .. } = link;
        Some(Self { package: package.to_owned(), version, version_text, file_name, place, sha256, bytes, yanked })
    }

    pub(crate) fn source(&self) -> Source {
        package_source(&self.package, Some(&self.version_text))
    }

    /// Higher is better: newer versions, and wheels before source packages.
    fn rank(&self) -> (&Version, bool) {
        (&self.version, self.file_name.ends_with(".whl"))
    }
}

/// The version in the name of a wheel for any platform or of a source package.
fn version_in<'a>(file_name: &'a str, package: &str) -> Option<&'a str> {
    if let Some(wheel) = file_name.strip_suffix(".whl") {
        let words: Vec<&str> = wheel.split('-').collect();
        let fits = matches!(words.len(), 5 | 6) && words.ends_with(&["none", "any"]);
        return (fits && normalize_package(words[0]) == package).then(|| words[1]);
    }
    let stem = file_name.strip_suffix(".tar.gz").or_else(|| file_name.strip_suffix(".zip"))?;
    let divisions = stem.match_indices('-').map(|(place, _)| (&stem[..place], &stem[place + 1..]));
    let mut named = divisions.filter(|(name, _)| normalize_package(name) == package);
    named.find(|(_, version)| Version::parse(version).is_some()).map(|(_, version)| version)
}

/// A package as a source, whose name is normalized.
pub(crate) fn package_source(package: &str, version: Option<&str>) -> Source {
    Source::PyPi { package: package.to_owned(), version: version.map(str::to_owned) }
}

/// All places that pip would look at.
pub(crate) struct Index {
    client: Client,
    indexes: Vec<Url>,
    /// Pages with links to files, whatever the package.
    pages: Vec<Url>,
    /// The same on disk.
    folders: Vec<PathBuf>,
}

impl Index {
    pub(crate) fn new(environment: &Environment) -> Result<Self, Error> {
        let mut settings = PipSettings::read(environment)?;
        let mut credentials = Credentials::new(Netrc::read(environment));
        let (mut pages, folders) = divide(&settings.find_links, environment);
        settings.indexes.iter_mut().chain(&mut pages).for_each(|url| credentials.take_from(url));
        let roots = certificates::roots(environment, settings.certificates.as_deref())?;
        let proxies = Proxies::read(environment, settings.proxy.as_deref())?;
        let client = Client::new(roots, credentials, proxies, settings.timeout);
        Ok(Self { client, indexes: settings.indexes, pages, folders })
    }

    pub(crate) fn is_offline(&self) -> bool {
        self.indexes.is_empty()
    }

    /// The file to take: of `version`, else of the newest that is neither withdrawn nor, unless
    /// there are no others, a pre-release.
    pub(crate) fn newest(&self, package: &str, version: Option<&str>) -> Result<Release, Error> {
        let (releases, failure) = self.releases(package);
        let wanted = version.and_then(Version::parse);
        let (fitting, others): (Vec<_>, Vec<_>) = releases.into_iter().partition(|release| match &wanted {
            Some(wanted) => release.version == *wanted,
            None => !release.yanked,
        });
        let any_prerelease = wanted.is_some();
        let preference = |release: &Release| any_prerelease || !release.version.is_prerelease();
        let newest = fitting.into_iter().max_by(|a, b| (preference(a), a.rank()).cmp(&(preference(b), b.rank())));
        newest.ok_or_else(|| failure.unwrap_or_else(|| self.missing(package, version, &others)))
    }

    /// What all places have, and the first failure that may hide more.
    fn releases(&self, package: &str) -> (Vec<Release>, Option<Error>) {
        let (mut releases, mut failure) = (Vec::new(), None);
        let lists = self.indexes.iter().filter_map(|index| index.join(&format!("{package}/")).ok());
        for page in lists.chain(self.pages.iter().cloned()) {
            match self.page(package, &page) {
                Ok(found) => releases.extend(found),
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    tracing::warn!(%error, "an index was left out");
                    failure.get_or_insert(error);
                }
            }
        }
        releases.extend(self.folders.iter().flat_map(|folder| local(package, folder)));
        (releases, failure)
    }

    fn page(&self, package: &str, page: &Url) -> Result<Vec<Release>, Error> {
        let (base, kind, text) = self.client.text(page, simple_index::ACCEPT).map_err(with_login_hint)?;
        let links = simple_index::parse(&base, &kind, &text)?;
        let release = |link: Link| {
            let place = Place::Web(link.url.clone());
            Release::new(package, link, place)
        };
        Ok(links.into_iter().filter_map(release).collect())
    }

    fn missing(&self, package: &str, version: Option<&str>, releases: &[Release]) -> Error {
        if self.indexes.is_empty() && self.pages.is_empty() && self.folders.is_empty() {
            return Error::offline(package_source(package, version), "PIP_NO_INDEX");
        }
        let web = self.indexes.iter().chain(&self.pages).map(shown);
        let places = web.chain(self.folders.iter().map(|folder| folder.display().to_string())).collect();
        let mut versions: Vec<_> = releases.iter().collect();
        versions.sort_by_key(|release| release.rank());
        versions.dedup_by_key(|release| &release.version);
        let names: Vec<&str> = versions.iter().rev().take(5).map(|release| release.version_text.as_str()).collect();
        let error = Error::missing(package_source(package, version).to_string(), places);
        match &*names {
            [] => error.with_hint("check the name; it needs a wheel for any platform or a source package"),
            names => error.with_hint(format!("there are the versions {}", names.join(", "))),
        }
    }

    /// Fetches a file and checks its hash.
    pub(crate) fn bring(&self, release: &Release, target: &Path, progress: &dyn Progress) -> Result<Archive, Error> {
        let url = match &release.place {
            Place::Disk(path) => return Archive::open(path, &release.file_name),
            Place::Web(url) => url,
        };
        if release.sha256.is_none() {
            tracing::warn!(file = release.file_name, "the index states no SHA-256");
        }
        let sha256 = release.sha256.as_deref();
        let download = Download { url, name: &release.file_name, bytes: release.bytes, sha256 };
        self.client.download(&download, target, progress).map_err(with_login_hint)?;
        Archive::open(target, &release.file_name)
    }
}

/// The pages and the folders among pip's `find-links`.
fn divide(find_links: &[String], environment: &Environment) -> (Vec<Url>, Vec<PathBuf>) {
    let (mut pages, mut folders) = (Vec::new(), Vec::new());
    for place in find_links {
        match Url::parse(place) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => pages.push(url),
            Ok(url) if url.scheme() == "file" => folders.extend(url.to_file_path()),
            _ => folders.push(environment.expand(place)),
        }
    }
    (pages, folders)
}

/// The packages in a folder on disk; pip, too, passes over one that is not there.
fn local(package: &str, folder: &Path) -> Vec<Release> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let release = |entry: std::fs::DirEntry| {
        let url = Url::from_file_path(std::path::absolute(entry.path()).ok()?).ok()?;
        let file_name = entry.file_name().into_string().ok()?;
        let link = Link { file_name, url, sha256: None, bytes: None, yanked: false };
        Release::new(package, link, Place::Disk(entry.path()))
    };
    entries.filter_map(release).collect()
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
            assert_eq!(version_in(file_name, package), version, "{file_name}");
        }
    }
}
