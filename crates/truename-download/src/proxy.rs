use ureq::Proxy;
use url::Url;

use crate::Error;
use crate::environment::Environment;

/// Which proxy a request goes through.
pub(crate) struct Proxies {
    https: Option<Proxy>,
    http: Option<Proxy>,
    /// Hosts that are asked directly: names that also cover what is under them, or `*` for all.
    direct: Vec<String>,
}

impl Proxies {
    /// `setting` (pip's `proxy`) for all, else `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`.
    pub(crate) fn read(environment: &Environment, setting: Option<&str>) -> Result<Self, Error> {
        let of = |names: &[&str]| setting.or_else(|| environment.first(names)).map(parse).transpose();
        let direct = environment.first(&["no_proxy", "NO_PROXY"]).unwrap_or_default();
        let host = |host: &str| host.trim().trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
        Ok(Self {
            https: of(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])?,
            http: of(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])?,
            direct: direct.split(',').map(host).filter(|host| !host.is_empty()).collect(),
        })
    }

    pub(crate) fn of(&self, url: &Url) -> Option<Proxy> {
        let host = url.host_str().unwrap_or_default();
        let under = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if self.direct.iter().any(|name| name == "*" || under(name.split(':').next().unwrap_or(name))) {
            return None;
        }
        if url.scheme() == "https" { self.https.clone() } else { self.http.clone() }
    }
}

fn parse(value: &str) -> Result<Proxy, Error> {
    // The value may hold a password: it is not shown.
    Proxy::new(value).map_err(|_| Error::setting("proxy", "…", "is not the URL of an HTTP proxy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_and_the_host_choose_the_proxy() {
        let environment = Environment::of([
            ("HTTPS_PROXY", "http://secure:1".to_owned()),
            ("all_proxy", "http://all:2".to_owned()),
            ("NO_PROXY", "inside.org, .local".to_owned()),
        ]);
        let proxies = Proxies::read(&environment, None).unwrap();
        let host = |url: &str| proxies.of(&Url::parse(url).unwrap()).map(|proxy| proxy.host().to_owned());
        assert_eq!(host("https://a.org/").as_deref(), Some("secure"));
        assert_eq!(host("http://a.org/").as_deref(), Some("all"));
        assert_eq!(host("https://inside.org/"), None);
        assert_eq!(host("https://x.inside.org/"), None);
        assert_eq!(host("https://x.local/"), None);
        assert_eq!(host("https://notinside.org/").as_deref(), Some("secure"));
    }
}
