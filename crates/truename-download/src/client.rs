//! HTTP client of an index or hub: bounded lists, checked downloads, redirects without the login.

use std::path::Path;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use truename_error::ErrorKind;
use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::tls::TlsConfig;
use ureq::{Agent, Body, ResponseExt};
use url::{Origin, Url};

use crate::copy::{Contents, FileDigest, check_hash, git_blob};
use crate::settings::Settings;
use crate::source::Host;
use crate::{Error, Progress};

/// Longest time to connect, as in pip, and to wait for bytes.
const CONNECT: Duration = Duration::from_secs(15);
const READ: Duration = Duration::from_secs(60);
/// Maximum size of a list of files in bytes; PyPI's longest is about 20 MB.
const MAX_LIST_BYTES: u64 = 256 << 20;
/// Maximum size in bytes of files checked against their git hash; larger ones of the hub have a SHA-256.
const MAX_BLOB_BYTES: u64 = 64 << 20;

/// Advice where a server cannot be reached or read, has no such file, or asks for a login.
const UNREACHABLE: &str = "check the network, PIP_INDEX_URL or HF_ENDPOINT, HTTPS_PROXY and, for a private server, \
                           SSL_CERT_FILE; a package can also be pulled from the file that `pip download --no-deps NAME` leaves";
const MISSING: &str = "check the name and the version or revision; for a private repository set HF_TOKEN";
const DENIED: &str = "for an index give the login in PIP_INDEX_URL (https://USER:PASSWORD@HOST/simple); for the hub \
                      accept the model's terms, if any, and set HF_TOKEN to a token that may read it";

/// A client of an index or hub, which also follows links and redirects to other servers.
pub(crate) struct Client {
    agent: Agent,
    /// URL of the index or hub, without a login.
    pub(crate) url: Url,
    /// Scheme, host and port of the index or hub, with the `Authorization` header that no other gets.
    login: Option<(Origin, String)>,
}

/// A file of a package or repository, with the claims of its index or hub.
pub(crate) struct RemoteFile {
    pub(crate) name: String,
    pub(crate) url: Url,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
    /// Git's hash of the file, where there is no SHA-256.
    pub(crate) git_hash: Option<String>,
}

impl Client {
    pub(crate) fn new(settings: &Settings, host: Host) -> Result<Self, Error> {
        let (variable, text, token) = match host {
            Host::PyPi => ("PIP_INDEX_URL", &settings.index, None),
            Host::HuggingFace => ("HF_ENDPOINT", &settings.endpoint, settings.token.as_ref()),
        };
        let web = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        // The value may contain a password; only the text after it is shown.
        let shown = text.rsplit('@').next().unwrap_or_default();
        let mut url = web.ok_or_else(|| {
            let message = format_args!("the setting {variable}=\"{shown}\" is not an http or https URL");
            Error::new(ErrorKind::Choice, message).with_hint("correct it, as in https://HOST/PATH")
        })?;
        let login = basic(&url).or_else(|| token.map(|token| format!("Bearer {token}")));
        let login = login.map(|login| (url.origin(), login));
        remove_login(&mut url);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .proxy(settings.proxy.clone())
            .tls_config(TlsConfig::builder().root_certs(settings.roots()?).build())
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(READ))
            .user_agent(concat!("truename/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self { agent, url, login })
    }

    /// Returns the URL of a path on the server, each step escaped.
    pub(crate) fn below<'a>(&self, steps: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(steps);
        }
        url
    }

    /// Sends a request and follows redirects. Returns the response and its URL.
    fn get(&self, url: &Url, accept: &str) -> Result<(Url, Response<Body>), Error> {
        // A redirect must not leave an encrypted connection.
        let agent = self.agent.get(url.as_str()).config().https_only(url.scheme() == "https").build();
        let request = agent.header("Accept", accept);
        let response = match &self.login {
            Some((origin, login)) if *origin == url.origin() => request.header("Authorization", login).call(),
            _ => request.call(),
        };
        let response = response.map_err(|source| unreachable(url, source))?;
        let url = Url::parse(&response.get_uri().to_string()).unwrap_or_else(|_| url.clone());
        if response.status().is_success() { Ok((url, response)) } else { Err(refusal(&url, &response)) }
    }

    /// Returns the JSON at a URL, and the URL after redirects.
    pub(crate) fn list(&self, url: &Url, accept: &str) -> Result<(Url, Value), Error> {
        let (url, response) = self.get(url, accept)?;
        // The reader itself fails past its limit.
        let body = response.into_body().into_with_config().limit(MAX_LIST_BYTES).read_to_vec();
        let list = serde_json::from_slice(&body.map_err(|source| unreachable(&url, source))?);
        let unreadable = || Error::new(ErrorKind::Syntax, format_args!("the answer of {} is not JSON", shown(&url)));
        Ok((url.clone(), list.map_err(|source| unreadable().with_source(source).with_hint(UNREACHABLE))?))
    }

    /// Downloads a file and checks its size and hash.
    pub(crate) fn download(
        &self,
        file: &RemoteFile,
        target: &Path,
        progress: &dyn Progress,
    ) -> Result<FileDigest, Error> {
        let (url, response) = self.get(&file.url, "*/*")?;
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let contents = Contents { name: &file.name, bytes: file.bytes, reader: &mut body };
        let copied = contents.write(Some(target), progress, |source| unreachable(&url, source))?;
        match (&file.sha256, &file.git_hash) {
            (Some(sha256), _) => check_hash(&file.name, "SHA-256", sha256, &copied.sha256)?,
            (None, Some(hash)) if copied.bytes <= MAX_BLOB_BYTES => {
                let contents = std::fs::read(target).map_err(|source| Error::io("read", target, source))?;
                check_hash(&file.name, "git hash", hash, &git_blob(&contents))?;
            }
            _ => tracing::warn!(file = file.name, "the server states no hash"),
        }
        Ok(copied)
    }
}

fn unreachable(url: &Url, source: impl std::error::Error + Send + Sync + 'static) -> Error {
    let error = Error::new(ErrorKind::Unreachable, format_args!("cannot fetch {}", shown(url)));
    error.with_source(source).with_hint(UNREACHABLE)
}

/// Creates the error for a status. The hub also answers 401 for a missing repository, and says so in a header.
fn refusal(url: &Url, response: &Response<Body>) -> Error {
    let message = format!("{} answered with status {}", shown(url), response.status());
    let is_missing = response.headers().get("x-error-code").is_some_and(|code| code == "RepoNotFound");
    match response.status().as_u16() {
        status if is_missing || status == 404 => Error::new(ErrorKind::NotFound, message).with_hint(MISSING),
        401 | 403 => Error::new(ErrorKind::Other, message).with_hint(DENIED),
        _ => Error::new(ErrorKind::Other, message),
    }
}

/// Returns a URL for messages, without login and storage signature.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    remove_login(&mut url);
    url.set_query(None);
    url.into()
}

fn remove_login(url: &mut Url) {
    // These fail only for URLs that cannot have a login.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

/// Returns the `Authorization` header for the login in a URL. `ureq` would send it without decoding it.
fn basic(url: &Url) -> Option<String> {
    let decode = |text| percent_decode_str(text).decode_utf8_lossy();
    let login = format!("{}:{}", decode(url.username()), decode(url.password().unwrap_or_default()));
    (login != ":").then(|| format!("Basic {}", BASE64_STANDARD.encode(login)))
}
