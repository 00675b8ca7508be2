use ureq::Proxy;
use url::Url;

use crate::Error;
use crate::environment::Environment;

/// Returns the proxy for `url`: `setting` (pip's `proxy`), else the value of `HTTPS_PROXY`, `HTTP_PROXY` or
/// `ALL_PROXY`; `None` if `NO_PROXY` covers the host.
///
/// `ureq` reads these variables too, but uses one proxy for all schemes, and its `NO_PROXY` does not cover subdomains.
pub(crate) fn proxy(environment: &Environment, setting: Option<&str>, url: &Url) -> Result<Option<Proxy>, Error> {
    let host = url.host_str().unwrap_or_default();
    let covers = |name: &str| {
        let name = name.trim().split(':').next().unwrap_or_default().trim_start_matches("*.").trim_start_matches('.');
        let before = host.strip_suffix(&name.to_ascii_lowercase()).filter(|_| !name.is_empty());
        name == "*" || before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    if environment.first(&["no_proxy", "NO_PROXY"]).is_some_and(|names| names.split(',').any(covers)) {
        return Ok(None);
    }
    let variables = match url.scheme() {
        "https" => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        _ => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    // The value may contain a password and is not shown.
    let invalid = |_| Error::setting("proxy", "…", "is not the URL of an HTTP proxy");
    setting.or_else(|| environment.first(&variables)).map(|value| Proxy::new(value).map_err(invalid)).transpose()
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
        let host = |url: &str| {
            let proxy = proxy(&environment, None, &Url::parse(url).unwrap()).unwrap();
            proxy.map(|proxy| proxy.host().to_owned())
        };
        assert_eq!(host("https://a.org/").as_deref(), Some("secure"));
        assert_eq!(host("http://a.org/").as_deref(), Some("all"));
        assert_eq!(host("https://inside.org/"), None);
        assert_eq!(host("https://x.inside.org/"), None);
        assert_eq!(host("https://x.local/"), None);
        assert_eq!(host("https://notinside.org/").as_deref(), Some("secure"));
    }
}
