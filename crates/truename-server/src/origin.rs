//! Host names of the server, and origins whose pages may read its answers.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::ServerOptions;
use crate::route::Route;

/// Stands for any origin.
const ANY: &str = "*";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Allow lists of host names and origins.
pub(crate) struct Origins {
    hosts: Vec<String>,
    reconciliation: Vec<String>,
    api: Vec<String>,
}

impl Origins {
    pub fn new(options: &ServerOptions) -> Self {
        let own = options.base_url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        let own = own.as_ref().and_then(Uri::host).map(str::to_owned);
        let plain = |host: String| host.trim_end_matches('.').to_ascii_lowercase();
        let origin = |origin: &String| origin.trim_end_matches('/').to_ascii_lowercase();
        Self {
            hosts: options.host_names.iter().cloned().chain(own).map(plain).collect(),
            reconciliation: options.allow_origins.iter().map(origin).collect(),
            api: options.allow_api_origins.iter().map(origin).collect(),
        }
    }

    /// Returns the host that a request names and the server does not have. A page of a foreign name that leads to this
    /// address (DNS rebinding) would count as one of ours.
    pub fn foreign_host(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        let named =
            headers.get_all(header::HOST).iter().map(|host| String::from_utf8_lossy(host.as_bytes()).into_owned());
        named.chain(uri.authority().map(ToString::to_string)).find(|host| !self.is_own(host))
    }

    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        // No name leads elsewhere where there is no name.
        address.parse::<IpAddr>().is_ok()
            || name == "localhost"
            || name.ends_with(".localhost")
            || self.hosts.contains(&name)
    }

    /// Returns true if pages of an origin may read the answers of a route.
    pub fn may_read(&self, origin: &HeaderValue, route: Route) -> bool {
        let allowed = if route.is_reconciliation { &self.reconciliation } else { &self.api };
        let Ok(origin) = origin.to_str() else { return false };
        allowed.iter().any(|known| known == ANY || known.eq_ignore_ascii_case(origin))
    }

    /// Returns true if a request shows that the page that sent it may read the answer, even as a script.
    pub fn shows_reader(&self, headers: &HeaderMap, route: Route) -> bool {
        sender(headers).is_some_and(|origin| self.may_read(&origin, route))
    }

    /// Returns true if the page that sent a request may not read the answer. Programs that are no browsers have no page.
    pub fn is_from_stranger(&self, headers: &HeaderMap, route: Route) -> bool {
        let site = headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes);
        let is_page = site.map_or_else(|| sender(headers).is_some(), |site| !matches!(site, b"same-origin" | b"none"));
        is_page && !self.shows_reader(headers, route) && !is_of(headers, None)
    }
}

/// Returns true if a page of the server itself sent the request.
pub(crate) fn is_own_page(headers: &HeaderMap, base_url: Option<&str>) -> bool {
    !headers.contains_key(header::ORIGIN) || is_of(headers, base_url)
}

fn is_of(headers: &HeaderMap, base_url: Option<&str>) -> bool {
    let Some(origin) = sender(headers) else { return false };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_at = origin.split_once("://").is_some_and(|(_, of_origin)| of_origin == host);
    let starts = |own: &str| own.strip_prefix(origin).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    is_at || base_url.is_some_and(starts)
}

/// Returns the origin of the page that sent a request.
fn sender(headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(origin) = headers.get(header::ORIGIN) {
        return Some(origin.clone());
    }
    let referer = headers.get(header::REFERER)?.to_str().ok()?.parse::<Uri>().ok()?;
    HeaderValue::from_str(&format!("{}://{}", referer.scheme_str()?, referer.authority()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> Origins {
        Origins::new(&ServerOptions {
            host_names: vec!["Names.example.org".into()],
            base_url: Some("https://proxy.example.org/truename".into()),
            ..ServerOptions::default()
        })
    }

    #[test]
    fn a_host_is_an_address_a_loopback_name_or_one_of_the_list() {
        for (host, is_own) in [
            ("localhost:8077", true),
            ("LOCALHOST.", true),
            ("a.localhost", true),
            ("127.0.0.1:1", true),
            ("[::1]:8077", true),
            ("10.0.0.7", true),
            ("names.example.org:80", true),
            ("proxy.example.org", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost@evil.example", false),
            ("", false),
            ("a b", false),
        ] {
            assert_eq!(origins().is_own(host), is_own, "{host}");
        }
    }

    #[test]
    fn pages_of_openrefine_read_reconciliation_alone() {
        let [reconciliation, api] =
            [true, false].map(|is_reconciliation| Route { is_reconciliation, ..Route::default() });
        let headers = |name, value: &'static str| HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let openrefine = HeaderValue::from_static("http://127.0.0.1:3333");
        assert!(origins().may_read(&openrefine, reconciliation) && !origins().may_read(&openrefine, api));
        let of_openrefine = headers(header::REFERER, "http://127.0.0.1:3333/project?project=1");
        assert!(origins().shows_reader(&of_openrefine, reconciliation));
        for (name, value, is_stranger) in [
            (header::ORIGIN, "https://evil.example", true),
            (header::ORIGIN, "null", true),
            (header::REFERER, "https://evil.example/a", true),
            (header::REFERER, "http://127.0.0.1:3333/", false),
            (SEC_FETCH_SITE, "cross-site", true),
            (SEC_FETCH_SITE, "same-site", true),
            (SEC_FETCH_SITE, "none", false),
            (header::ACCEPT, "*/*", false),
        ] {
            assert_eq!(origins().is_from_stranger(&headers(name, value), reconciliation), is_stranger, "{value}");
        }
    }
}
