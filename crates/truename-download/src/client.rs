use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::tls::TlsConfig;
use ureq::{Agent, Error as Failure};
use url::Url;

use crate::certificates::roots;
use crate::copy::{Contents, Copied, check_hash};
use crate::credentials::{Credentials, without_login};
use crate::environment::Environment;
use crate::error::Kind;
use crate::proxy::proxy;
use crate::{Error, Progress};

/// Maximum number of redirects for one request, as in browsers and pip.
const MAX_REDIRECTS: usize = 20;
/// Pauses before a request is repeated, in milliseconds.
const PAUSES_MS: [u64; 2] = [500, 1000];
/// Maximum size of a list of files in bytes; PyPI's longest is about 20 MB.
const MAX_TEXT_BYTES: u64 = 256 << 20;

/// A client that follows redirects and uses proxies, with the credentials of each server.
pub(crate) struct Client {
    agent: Agent,
    credentials: Credentials,
    environment: Environment,
    proxy: Option<String>,
}

/// Connection settings, named as in pip.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
    pub(crate) timeout: Duration,
}

/// A successful response.
struct Answer {
    /// URL after all redirects.
    url: Url,
    /// Headers of the first response, before any redirect.
    first: HeaderMap,
    response: Response<ureq::Body>,
}

/// A file of a package or repository, with the claims of its index or hub.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RemoteFile {
    pub(crate) name: String,
    pub(crate) url: Url,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
    /// True if its author withdrew it; then only a request of exactly this version gets it.
    pub(crate) yanked: bool,
}

impl Client {
    pub(crate) fn new(
        environment: &Environment,
        credentials: Credentials,
        connection: Connection,
    ) -> Result<Self, Error> {
        let Connection { certificates, proxy, timeout } = connection;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .tls_config(TlsConfig::builder().root_certs(roots(environment, certificates)?).build())
            .timeout_connect(Some(timeout))
            .timeout_per_read(Some(timeout.max(Duration::from_secs(60))))
            .user_agent(concat!("truename/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self { agent, credentials, environment: environment.clone(), proxy })
    }

    /// Sends a request and follows redirects, with the credentials of each server.
    fn get(&self, url: &Url, accept: &str) -> Result<Answer, Error> {
        let (mut url, mut first) = (url.clone(), None);
        for _ in 0..=MAX_REDIRECTS {
            let response = self.persist(&url, accept)?;
            let first = first.get_or_insert_with(|| response.headers().clone());
            let status = response.status();
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None if status.is_success() => return Ok(Answer { url, first: std::mem::take(first), response }),
                None => return Err(refusal(&url, status, first)),
            }
        }
        Err(Error::new(format!("the answer of {} is the end of more than {MAX_REDIRECTS} redirects", shown(&url))))
    }

    /// Sends a request, and repeats it after a transient failure.
    fn persist(&self, url: &Url, accept: &str) -> Result<Response<ureq::Body>, Error> {
        let proxy = proxy(&self.environment, self.proxy.as_deref(), url)?;
        let send = || {
            let mut request = self.agent.get(without_login(url).as_str()).header("Accept", accept);
            if let Some(authorization) = self.credentials.header(url) {
                request = request.header("Authorization", authorization);
            }
            request.config().proxy(proxy.clone()).build().call()
        };
        let mut result = send();
        for pause_ms in PAUSES_MS {
            let may_pass = match &result {
                Ok(response) => matches!(response.status().as_u16(), 429 | 502 | 503 | 504),
                Err(error) => matches!(error, Failure::Io(_) | Failure::ConnectionFailed | Failure::Protocol(_)),
            };
            if may_pass {
                std::thread::sleep(Duration::from_millis(pause_ms));
                result = send();
            }
        }
        result.map_err(|source| Error::unreachable(&shown(url), source))
    }

    /// Returns the URL after redirects, the media type and the text.
    pub(crate) fn text(&self, url: &Url, accept: &str) -> Result<(Url, String, String), Error> {
        let answer = self.get(url, accept)?;
        let kind = header(answer.response.headers(), "content-type").unwrap_or_default().to_ascii_lowercase();
        let mut text = String::new();
        // The reader itself fails past its limit.
        let mut body = answer.response.into_body().into_with_config().limit(MAX_TEXT_BYTES).reader();
        body.read_to_string(&mut text).map_err(|source| Error::unreachable(&shown(&answer.url), source))?;
        Ok((answer.url, kind, text))
    }

    /// Downloads a file, checks its size and hash, and returns both with the headers before any redirect.
    pub(crate) fn download(
        &self,
        remote: &RemoteFile,
        target: &Path,
        progress: &dyn Progress,
    ) -> Result<(Copied, HeaderMap), Error> {
        let answer = self.get(&remote.url, "*/*")?;
        progress.file(&remote.name, remote.bytes.or(answer.response.body().content_length()));
        let mut file = File::create(target).map_err(|source| Error::io("write", target, source))?;
        let mut body = answer.response.into_body().into_with_config().limit(u64::MAX).reader();
        let contents = Contents { name: &remote.name, bytes: remote.bytes, reader: &mut body };
        let broken = |source| Error::unreachable(&shown(&answer.url), source);
        let copied = contents.write((target, &mut file), progress, broken)?;
        check_hash(&remote.name, "SHA-256", remote.sha256.as_deref(), &copied.sha256)?;
        Ok((copied, answer.first))
    }
}

/// Parses the URL of a server in a setting.
pub(crate) fn web_url(setting: &str, text: &str) -> Result<Url, Error> {
    let web = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    // The value may contain a password; only the text after it is shown.
    let shown = text.rsplit('@').next().unwrap_or_default();
    web.ok_or_else(|| Error::setting(setting, shown, "is not an http or https URL"))
}

/// Returns the path of a `file:` URL.
pub(crate) fn file_path(url: &Url) -> Option<PathBuf> {
    url.to_file_path().ok().filter(|_| url.scheme() == "file")
}

/// Returns a header's value, where it is text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns a URL for messages, without login and storage signature.
pub(crate) fn shown(url: &Url) -> String {
    if let Some(path) = file_path(url) {
        return path.display().to_string();
    }
    let mut url = without_login(url);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// Returns the target of a redirect; a redirect from an encrypted to an unencrypted connection is refused.
fn redirect(url: &Url, response: &Response<ureq::Body>) -> Result<Option<Url>, Error> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = header(response.headers(), "location").filter(|_| is_redirect) else {
        return Ok(None);
    };
    let next = url.join(location).map_err(|source| Error::unreadable(&shown(url), source))?;
    match (url.scheme(), next.scheme()) {
        ("http", "http") | (_, "https") => Ok(Some(next)),
        _ => Err(Error::new(format!("{} redirects to the unprotected {}", shown(url), shown(&next)))),
    }
}

/// Creates the error for a status. The hub explains its status in a header, and also answers 401 for a missing
/// repository.
fn refusal(url: &Url, status: StatusCode, headers: &HeaderMap) -> Error {
    let code = header(headers, "x-error-code");
    let is_missing = status == StatusCode::NOT_FOUND || code == Some("RepoNotFound");
    let message = format!("{} answered with status {status}", shown(url));
    let error = Error::of(Kind::Refused { status: status.as_u16(), is_missing }, message);
    match code {
        Some("RepoNotFound") => error.with_hint("check the name; for a private repository set HF_TOKEN"),
        Some("RevisionNotFound") => error.with_hint("check the revision: a branch, a tag or a full commit"),
        _ => error,
    }
}
