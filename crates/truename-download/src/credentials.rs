use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use url::{Origin, Url};

use crate::netrc::Netrc;

/// `Authorization` headers; each is sent only to its own scheme, host and port.
#[derive(Default)]
pub(crate) struct Credentials {
    by_origin: Vec<(Origin, String)>,
    netrc: Netrc,
}

impl Credentials {
    pub(crate) fn new(netrc: Netrc) -> Self {
        Self { by_origin: Vec::new(), netrc }
    }

    /// Adds a token for the scheme, host and port of `url`.
    pub(crate) fn add_token(&mut self, url: &Url, token: &str) {
        self.by_origin.push((url.origin(), format!("Bearer {token}")));
    }

    /// Moves user and password out of `url` and keeps them for its scheme, host and port.
    pub(crate) fn take_from(&mut self, url: &mut Url) {
        self.by_origin.extend(in_url(url).map(|header| (url.origin(), header)));
        *url = without_login(url);
    }

    /// Returns the `Authorization` header for a URL.
    pub(crate) fn header(&self, url: &Url) -> Option<String> {
        let given = self.by_origin.iter().find(|(origin, _)| *origin == url.origin()).map(|(_, header)| header.clone());
        let in_netrc = || self.netrc.login(url.host_str()?).map(|(user, password)| basic(user, password));
        in_url(url).or(given).or_else(in_netrc)
    }
}

/// Returns the URL without user and password.
pub(crate) fn without_login(url: &Url) -> Url {
    let mut url = url.clone();
    // These fail only for URLs that cannot have a login.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn in_url(url: &Url) -> Option<String> {
    let decode = |text| percent_decode_str(text).decode_utf8_lossy();
    let (user, password) = (decode(url.username()), decode(url.password().unwrap_or_default()));
    (!user.is_empty() || !password.is_empty()).then(|| basic(&user, &password))
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_goes_only_to_its_server() {
        let mut credentials = Credentials::new(Netrc("machine files.org login f password g".to_owned()));
        let mut url = Url::parse("https://me:p%40ss@index.org/simple/").unwrap();
        credentials.take_from(&mut url);
        assert_eq!(url.as_str(), "https://index.org/simple/");
        let header = |url: &str| credentials.header(&Url::parse(url).unwrap());
        // base64.b64encode(b"me:p@ss")
        assert_eq!(header("https://index.org/other").as_deref(), Some("Basic bWU6cEBzcw=="));
        assert_eq!(header("http://index.org/simple/"), None);
        assert_eq!(header("https://index.org:444/"), None);
        assert_eq!(header("https://files.org/").as_deref(), Some("Basic Zjpn"));
    }
}
