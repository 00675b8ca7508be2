use url::{Origin, Url};

use crate::netrc::Netrc;

/// What to say to which server. Nothing is ever sent to another server than it was meant for.
#[derive(Default)]
pub(crate) struct Credentials {
    by_origin: Vec<(Origin, String)>,
    netrc: Netrc,
}

impl Credentials {
    pub(crate) fn new(netrc: Netrc) -> Self {
        Self { by_origin: Vec::new(), netrc }
    }

    /// A token for the scheme, host and port of `url`.
    pub(crate) fn add_token(&mut self, url: &Url, token: &str) {
        self.by_origin.push((url.origin(), format!("Bearer {token}")));
    }

    /// Takes user and password out of `url` and remembers them for its scheme, host and port.
    pub(crate) fn take_from(&mut self, url: &mut Url) {
        if let Some(header) = in_url(url) {
            self.by_origin.push((url.origin(), header));
        }
        *url = without_login(url);
    }

    /// The `Authorization` header for a URL.
    pub(crate) fn header(&self, url: &Url) -> Option<String> {
        let known =
            || self.by_origin.iter().find(|(origin, _)| *origin == url.origin()).map(|(_, header)| header.clone());
        let from_netrc = || self.netrc.login(url.host_str()?).map(|(user, password)| basic(user, password));
        in_url(url).or_else(known).or_else(from_netrc)
    }
}

/// A URL as messages and manifests may show it.
pub(crate) fn without_login(url: &Url) -> Url {
    let mut shown = url.clone();
    // They fail only for URLs that cannot have a login.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown
}

fn in_url(url: &Url) -> Option<String> {
    let password = url.password().unwrap_or_default();
    let decode = |text: &str| percent_decode(text);
    (!url.username().is_empty() || !password.is_empty()).then(|| basic(&decode(url.username()), &decode(password)))
}

/// `%41` becomes `A`; what is no UTF-8 afterwards is replaced.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", base64(format!("{user}:{password}").as_bytes()))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, place| bits << 8 | u32::from(group.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_goes_only_to_its_server() {
        let mut credentials = Credentials::new(Netrc::parse("machine files.org login f password g"));
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

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("abcd", "YWJjZA==")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
