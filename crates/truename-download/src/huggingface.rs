use std::time::Duration;

use serde::Deserialize;
use url::Url;

use crate::client::{Client, Connection, RemoteFile, header, shown, web_url};
use crate::copy::{check_hash, git_blob};
use crate::credentials::Credentials;
use crate::environment::{Environment, is_yes};
use crate::model_files::ModelFiles;
use crate::source::is_hexadecimal;
use crate::store::Partial;
use crate::{Error, Offer, Source};

/// Default endpoint of the hub's own client.
const DEFAULT_ENDPOINT: &str = "https://huggingface.co";
/// Variables that disable the network.
const OFFLINE: [&str; 2] = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"];
/// Timeout of a response, as in the hub's client.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size in bytes of files checked against their git hash; larger ones lie in LFS and have a SHA-256.
const MAX_BLOB_BYTES: u64 = 64 << 20;

/// A commit of a repository on the hub or a mirror of it.
pub(crate) struct Commit {
    client: Client,
    /// URL of the repository.
    page: Url,
    repository: String,
    listing: Listing,
}

/// Response of the hub for a revision.
#[derive(Deserialize)]
struct Listing {
    /// Hash of the commit.
    sha: String,
    siblings: Vec<HubFile>,
}

#[derive(Deserialize)]
struct HubFile {
    #[serde(rename = "rfilename")]
    path: String,
    size: Option<u64>,
    /// Git hash of the file, or of its pointer if it lies in LFS.
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

impl Commit {
    /// Requests the commit of a revision from the hub.
    pub(crate) fn ask(environment: &Environment, source: &Source) -> Result<Self, Error> {
        if let Some(setting) = OFFLINE.into_iter().find(|name| environment.first(&[name]).is_some_and(is_yes)) {
            return Err(Error::offline(source, setting));
        }
        let mut endpoint = web_url("HF_ENDPOINT", environment.first(&["HF_ENDPOINT"]).unwrap_or(DEFAULT_ENDPOINT))?;
        let mut credentials = Credentials::default();
        credentials.take_from(&mut endpoint);
        if let Some(token) = token(environment) {
            credentials.add_token(&endpoint, &token);
        }
        let connection = Connection { certificates: None, proxy: None, timeout: TIMEOUT };
        let client = Client::new(environment, credentials, connection)?;
        let (repository, page) = (source.name().to_owned(), extended(&endpoint, source.name().split('/')));
        let steps = ["api", "models"].into_iter().chain(repository.split('/')).chain(["revision"]);
        let mut url = extended(&endpoint, steps.chain(source.requested()));
        url.set_query(Some("blobs=true"));
        let (_, _, text) = client.text(&url, "application/json").map_err(|error| advise(error, &page))?;
        let listing: Listing = serde_json::from_str(&text).map_err(|source| Error::unreadable(&shown(&url), source))?;
        if !is_hexadecimal(&listing.sha, 40) {
            return Err(Error::new(format!("the answer of {} names no commit", shown(&url))));
        }
        Ok(Self { client, page, repository, listing })
    }

    /// Downloads one file to `path` of the model and checks it.
    fn fetch_file(&self, file: &HubFile, path: &str, partial: &mut Partial<'_>) -> Result<(), Error> {
        let lfs = file.lfs.as_ref();
        let sha256 = lfs.and_then(|lfs| lfs.sha256.as_deref()).map(|sha256| sha256.trim_start_matches("sha256:"));
        let remote = RemoteFile {
            name: file.path.clone(),
            url: extended(&self.page, ["resolve", &self.listing.sha].into_iter().chain(file.path.split('/'))),
            bytes: lfs.and_then(|lfs| lfs.size).or(file.size),
            sha256: sha256.map(str::to_owned),
            yanked: false,
        };
        let target = partial.target(path)?;
        let (copied, headers) = self.client.download(&remote, &target, partial.progress)?;
        let tag = |name| header(&headers, name).map(|tag| tag.trim_start_matches("W/").trim_matches('"'));
        let linked = tag("x-linked-etag").filter(|tag| is_hexadecimal(tag, 64));
        check_hash(&file.path, "SHA-256", linked, &copied.sha256)?;
        let blob = file.blob.as_deref().or_else(|| tag("etag").filter(|tag| is_hexadecimal(tag, 40)));
        if lfs.is_none() && blob.is_some() && copied.bytes <= MAX_BLOB_BYTES {
            let contents = std::fs::read(&target).map_err(|source| Error::io("read", &target, source))?;
            check_hash(&file.path, "git hash", blob, &git_blob(&contents))?;
        }
        if sha256.or(linked).or(blob).is_none() {
            tracing::warn!(file = file.path, "the hub states no hash");
        }
        partial.wrote(path, copied);
        Ok(())
    }
}

impl Offer for Commit {
    fn source(&self) -> Source {
        Source::HuggingFace { repository: self.repository.clone(), revision: Some(self.listing.sha.clone()) }
    }

    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error> {
        let files = &self.listing.siblings;
        let model = ModelFiles::find(&self.source(), files.iter().map(|file| file.path.as_str()))?;
        for path in &model.files {
            if let Some(file) = files.iter().find(|file| file.path == model.path(path)) {
                self.fetch_file(file, path, partial).map_err(|error| advise(error, &self.page))?;
            }
        }
        Ok(())
    }
}

/// Adds a hint to a refusal that has none yet.
fn advise(error: Error, page: &Url) -> Error {
    match error.status() {
        Some(401 | 403) if error.hint().is_none() => error
            .with_hint(format!("set HF_TOKEN to a token that may read it, and accept its terms, if any, at {page}")),
        _ => error,
    }
}

/// Appends path segments to a URL, each escaped.
fn extended<'a>(url: &Url, steps: impl IntoIterator<Item = &'a str>) -> Url {
    let mut url = url.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(steps);
    }
    url
}

/// Returns `$HF_TOKEN`, else the token stored on login by the hub's client.
fn token(environment: &Environment) -> Option<String> {
    if let Some(token) = environment.first(&["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"]) {
        return Some(token.to_owned());
    }
    let cache = || environment.folder("XDG_CACHE_HOME", ".cache").map(|cache| cache.join("huggingface"));
    let folder = environment.path("HF_HOME").or_else(cache);
    let path = environment.path("HF_TOKEN_PATH").or_else(|| folder.map(|folder| folder.join("token")))?;
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty())
}
