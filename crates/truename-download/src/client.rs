use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, Response};
use ureq::tls::{RootCerts, TlsConfig};
use url::Url;

use crate::copy::{Copied, Failure, copy};
use crate::credentials::{Credentials, without_login};
use crate::proxy::Proxies;
use crate::{Error, Progress};

/// Redirects followed for one request, as browsers and pip's library do.
const REDIRECTS: usize = 20;
/// How often a request is sent before a failure that may pass is taken as one.
const ATTEMPTS: u32 = 3;
/// The longest list of files that is read, in bytes; PyPI's longest is about 20 MB.
const LONGEST_TEXT: u64 = 256 << 20;
/// The largest file that is fetched, in bytes.
pub(crate) const LARGEST_FILE: u64 = 64 << 30;

/// Asks servers: with credentials for those they are meant for, through proxies, over redirects.
pub(crate) struct Client {
    agent: Agent,
    credentials: Credentials,
    proxies: Proxies,
    /// Before the second attempt; doubled before each further one.
    pause: Duration,
}

/// A success: where redirects led, and the headers of the first answer on the way.
pub(crate) struct Answer {
    pub(crate) url: Url,
    pub(crate) first: HeaderMap,
    response: Response<ureq::Body>,
}

/// A file to fetch, and what is known of it.
pub(crate) struct Download<'a> {
    pub(crate) url: &'a Url,
    pub(crate) name: &'a str,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<&'a str>,
}

impl Client {
    pub(crate) fn new(roots: RootCerts, credentials: Credentials, proxies: Proxies, timeout: Duration) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .timeout_connect(Some(timeout))
            .timeout_per_read(Some(timeout.max(Duration::from_secs(60))))
            .user_agent(concat!("truename/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Self { agent, credentials, proxies, pause: Duration::from_millis(500) }
    }

    /// Follows redirects to a success.
    pub(crate) fn get(&self, url: &Url, accept: &str) -> Result<Answer, Error> {
        let (mut url, mut first) = (url.clone(), None);
        for _ in 0..=REDIRECTS {
            let response = self.persist(&url, accept)?;
            let first = first.get_or_insert_with(|| response.headers().clone());
            let status = response.status();
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None if status.is_success() => return Ok(Answer { url, first: std::mem::take(first), response }),
                None => return Err(refusal(&url, status.as_u16(), first)),
            }
        }
        Err(Error::answer(&shown(&url), format!("is the end of more than {REDIRECTS} redirects")))
    }

    /// Sends a request again where the failure may pass.
    fn persist(&self, url: &Url, accept: &str) -> Result<Response<ureq::Body>, Error> {
        let mut pause = self.pause;
        for _ in 1..ATTEMPTS {
            match self.send(url, accept) {
                Ok(response) if !matches!(response.status().as_u16(), 429 | 502 | 503 | 504) => return Ok(response),
                Err(error) if !may_pass(&error) => return Err(Error::unreachable(&shown(url), error)),
                Ok(_) | Err(_) => std::thread::sleep(pause),
            }
            pause *= 2;
        }
        self.send(url, accept).map_err(|source| Error::unreachable(&shown(url), source))
    }

    fn send(&self, url: &Url, accept: &str) -> Result<Response<ureq::Body>, ureq::Error> {
        let mut request = self.agent.get(without_login(url).as_str()).header("Accept", accept);
        if let Some(authorization) = self.credentials.header(url) {
            request = request.header("Authorization", authorization);
        }
        request.config().proxy(self.proxies.of(url)).build().call()
    }

    /// The text at `url`, its kind and where redirects led.
    pub(crate) fn text(&self, url: &Url, accept: &str) -> Result<(Url, String, String), Error> {
        let answer = self.get(url, accept)?;
        let kind = header(answer.response.headers(), "content-type").unwrap_or_default().to_ascii_lowercase();
        let mut text = String::new();
        // The reader itself fails past its limit.
        let mut body = answer.response.into_body().into_with_config().limit(LONGEST_TEXT).reader();
        body.read_to_string(&mut text).map_err(|source| Error::unreachable(&shown(&answer.url), source))?;
        Ok((answer.url, kind, text))
    }

    /// Writes a file and checks its size and hash against what is stated.
    pub(crate) fn download(
        &self,
        download: &Download<'_>,
        target: &Path,
        progress: &dyn Progress,
    ) -> Result<(Copied, HeaderMap), Error> {
        let answer = self.get(download.url, "*/*")?;
        let length = answer.response.body().content_length();
        progress.file(download.name, download.bytes.or(length));
        let limit = download.bytes.unwrap_or(LARGEST_FILE);
        let mut file = File::create(target).map_err(|source| Error::io("write", target, source))?;
        let mut body = answer.response.into_body().into_with_config().limit(u64::MAX).reader();
        let copied = copy(&mut body, &mut file, limit, progress).map_err(|failure| match failure {
            Failure::Read(source) => Error::unreachable(&shown(&answer.url), source),
            Failure::Write(source) => Error::io("write", target, source),
            Failure::TooLong => Error::differs(download.name, "size", format!("{limit} bytes"), "more"),
            Failure::Stopped => Error::interrupted(),
        })?;
        check(download, &copied).map(|()| (copied, answer.first))
    }
}

fn check(download: &Download<'_>, copied: &Copied) -> Result<(), Error> {
    if let Some(stated) = download.bytes.filter(|stated| *stated != copied.bytes) {
        return Err(Error::differs(download.name, "size", format!("{stated} bytes"), copied.bytes));
    }
    check_sha256(download.name, download.sha256, &copied.sha256)
}

/// Compares a hash with the stated one, where one is stated.
pub(crate) fn check_sha256(name: &str, stated: Option<&str>, found: &str) -> Result<(), Error> {
    match stated {
        Some(stated) if !stated.eq_ignore_ascii_case(found) => Err(Error::differs(name, "SHA-256", stated, found)),
        _ => Ok(()),
    }
}

/// A header's value, where it is text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A URL without its login and without the signature of a storage service, for messages.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = without_login(url);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// Where an answer sends on to; never from an encrypted to an open connection.
fn redirect(url: &Url, response: &Response<ureq::Body>) -> Result<Option<Url>, Error> {
    let location = header(response.headers(), "location");
    let Some(location) = location.filter(|_| matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)) else {
        return Ok(None);
    };
    let next = url.join(location).map_err(|source| Error::unreadable(&shown(url), source))?;
    match (url.scheme(), next.scheme()) {
        ("http", "http") | (_, "https") => Ok(Some(next)),
        _ => Err(Error::answer(&shown(url), format!("redirects to the unprotected {}", shown(&next)))),
    }
}

/// The hub says in a header what its status means: it answers 401 for what is not there, too.
fn refusal(url: &Url, status: u16, headers: &HeaderMap) -> Error {
    let code = header(headers, "x-error-code");
    let is_absent = status == 404 || code == Some("RepoNotFound");
    let error = Error::refused(&shown(url), status, is_absent);
    match code {
        Some("RepoNotFound") => error.with_hint("check the name; for a private repository set HF_TOKEN"),
        Some("RevisionNotFound") => error.with_hint("check the revision: a branch, a tag or a full commit"),
        _ => error,
    }
}

fn may_pass(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_))
}
