use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use url::Url;

use crate::certificates;
use crate::client::{Client, Download, check_sha256, header, shown};
use crate::copy::git_blob;
use crate::credentials::Credentials;
use crate::environment::Environment;
use crate::model_files::ModelFiles;
use crate::netrc::Netrc;
use crate::proxy::Proxies;
use crate::source::is_commit;
use crate::store::{Partial, Store};
use crate::{Error, Progress, Source};

/// The hub that its client asks where none is set.
const DEFAULT_ENDPOINT: &str = "https://huggingface.co";
/// What switches the network off.
const OFFLINE: [&str; 2] = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"];
/// How long to wait for an answer, as its client does.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Files up to this size, in bytes, are checked against the name git gives them; larger ones lie in
/// LFS and have a SHA-256.
const LARGEST_BLOB: u64 = 64 << 20;

/// Brings a repository's model, from the cache where it answers.
pub(crate) fn pull(
    environment: &Environment,
    repository: &str,
    revision: Option<&str>,
    store: &Store,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let wanted = source(repository, revision);
    let asked = revision.unwrap_or("main");
    let offline = OFFLINE.into_iter().find(|name| environment.is_on(name));
    let cached = if offline.is_some() || is_commit(asked) { store.find(&wanted, progress)? } else { None };
    match (cached, offline) {
        (Some(folder), _) => return Ok(folder),
        (None, Some(setting)) => return Err(Error::offline(wanted, setting)),
        (None, None) => {}
    }
    let hub = Hub::new(environment)?;
    match hub.listing(repository, asked) {
        Ok(listing) => hub.fetch(repository, asked, &listing, store, progress),
        Err(error) if error.is_unreachable() => {
            tracing::warn!(%error, "answered from the cache if it can");
            store.find(&wanted, progress)?.ok_or(error)
        }
        Err(error) => Err(error),
    }
}

fn source(repository: &str, revision: Option<&str>) -> Source {
    Source::HuggingFace { repository: repository.to_owned(), revision: revision.map(str::to_owned) }
}

/// What the hub says of a revision.
#[derive(Deserialize)]
struct Listing {
    /// Its commit.
    sha: String,
    siblings: Vec<HubFile>,
}

#[derive(Deserialize)]
struct HubFile {
    #[serde(rename = "rfilename")]
    path: String,
    size: Option<u64>,
    /// The name git gives to it, or to the pointer where it lies in LFS.
    #[serde(rename = "blobId")]
    blob: Option<String>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    #[serde(alias = "oid")]
    sha256: Option<String>,
    size: Option<u64>,
}

/// The hub or a mirror of it.
struct Hub {
    client: Client,
    endpoint: Url,
}

impl Hub {
    fn new(environment: &Environment) -> Result<Self, Error> {
        let stated = environment.get("HF_ENDPOINT").unwrap_or(DEFAULT_ENDPOINT);
        let web = Url::parse(stated).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let mut endpoint = web.ok_or_else(|| {
            Error::setting("HF_ENDPOINT", stated.rsplit('@').next().unwrap_or_default(), "is not an http or https URL")
        })?;
        let mut credentials = Credentials::new(Netrc::default());
        credentials.take_from(&mut endpoint);
        if let Some(token) = token(environment) {
            credentials.add_token(&endpoint, &token);
        }
        let roots = certificates::roots(environment, None)?;
        let client = Client::new(roots, credentials, Proxies::read(environment, None)?, TIMEOUT);
        Ok(Self { client, endpoint })
    }

    /// The endpoint with these steps behind it, each escaped.
    fn url<'a>(&self, steps: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.endpoint.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(steps);
        }
        url
    }

    fn listing(&self, repository: &str, revision: &str) -> Result<Listing, Error> {
        let steps = ["api", "models"].into_iter().chain(repository.split('/')).chain(["revision", revision]);
        let mut url = self.url(steps);
        url.set_query(Some("blobs=true"));
        let (_, _, text) =
            self.client.text(&url, "application/json").map_err(|error| self.advise(error, repository))?;
        let listing: Listing = serde_json::from_str(&text).map_err(|source| Error::unreadable(&shown(&url), source))?;
        if !is_commit(&listing.sha) {
            return Err(Error::answer(&shown(&url), "names no commit"));
        }
        Ok(listing)
    }

    fn fetch(
        &self,
        repository: &str,
        asked: &str,
        listing: &Listing,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<PathBuf, Error> {
        let exact = source(repository, Some(&listing.sha));
        if let Some(folder) = store.find(&exact, progress)? {
            return Ok(folder);
        }
        let model = ModelFiles::find(listing.siblings.iter().map(|file| file.path.as_str()))
            .map_err(|unusable| unusable.error(&exact))?;
        let mut partial = store.partial()?;
        for path in &model.files {
            let full = format!("{}{path}", model.folder);
            if let Some(file) = listing.siblings.iter().find(|file| file.path == full) {
                self.bring((repository, &listing.sha), file, path, &mut partial, progress)?;
            }
        }
        store.publish(partial, &exact, Some(asked), progress)
    }

    /// Fetches one file to `path` of the model and checks it.
    fn bring(
        &self,
        (repository, commit): (&str, &str),
        file: &HubFile,
        path: &str,
        partial: &mut Partial,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let url = self.url(repository.split('/').chain(["resolve", commit]).chain(file.path.split('/')));
        let download = Download { url: &url, name: &file.path, bytes: file.bytes(), sha256: file.sha256() };
        let target = partial.target(path)?;
        let fetched = self.client.download(&download, &target, progress);
        let (copied, headers) = fetched.map_err(|error| self.advise(error, repository))?;
        let tag = |name: &str| header(&headers, name).map(|tag| tag.trim_start_matches("W/").trim_matches('"'));
        let is_sha256 = |tag: &&str| tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let linked = tag("x-linked-etag").filter(is_sha256);
        check_sha256(&file.path, linked, &copied.sha256)?;
        if file.sha256().or(linked).or(file.blob.as_deref()).or(tag("etag")).is_none() {
            tracing::warn!(file = file.path, "the hub states no hash");
        }
        if file.lfs.is_none() && copied.bytes <= LARGEST_BLOB {
            let blob = file.blob.as_deref().or_else(|| tag("etag").filter(|tag| is_commit(tag)));
            check_blob(&file.path, blob, &target)?;
        }
        partial.wrote(path, copied.bytes, copied.sha256);
        Ok(())
    }

    /// Says what to do about a refusal, unless the answer itself told.
    fn advise(&self, error: Error, repository: &str) -> Error {
        match error.status() {
            Some(401 | 403) if error.hint().is_none() => error.with_hint(format!(
                "set HF_TOKEN to a token that may read it, and accept its terms, if any, at {}",
                self.url(repository.split('/'))
            )),
            _ => error,
        }
    }
}

impl HubFile {
    fn sha256(&self) -> Option<&str> {
        self.lfs.as_ref().and_then(|lfs| lfs.sha256.as_deref()).map(|sha256| sha256.trim_start_matches("sha256:"))
    }

    fn bytes(&self) -> Option<u64> {
        self.lfs.as_ref().and_then(|lfs| lfs.size).or(self.size)
    }
}

fn check_blob(name: &str, stated: Option<&str>, path: &Path) -> Result<(), Error> {
    let Some(stated) = stated else { return Ok(()) };
    let contents = std::fs::read(path).map_err(|source| Error::io("read", path, source))?;
    let found = git_blob(&contents);
    if found.eq_ignore_ascii_case(stated) { Ok(()) } else { Err(Error::differs(name, "git hash", stated, found)) }
}

/// `$HF_TOKEN`, else the file that the hub's client writes on login.
fn token(environment: &Environment) -> Option<String> {
    if let Some(token) = environment.first(&["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"]) {
        return Some(token.to_owned());
    }
    let folder = environment
        .path("HF_HOME")
        .or_else(|| environment.user_folder("XDG_CACHE_HOME", ".cache").map(|cache| cache.join("huggingface")));
    let path = environment.path("HF_TOKEN_PATH").or_else(|| folder.map(|folder| folder.join("token")))?;
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty())
}
