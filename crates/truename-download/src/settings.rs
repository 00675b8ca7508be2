//! Settings of a pull from the environment: index, hub, proxy, logins, certificates.

use std::path::PathBuf;

use truename_error::ErrorKind;
use ureq::Proxy;
use ureq::tls::{PemItem, RootCerts, parse_pem};

use crate::Error;

/// Settings of a pull.
pub(crate) struct Settings {
    /// URL of the package index.
    pub(crate) index: String,
    /// URL of the hub, and the token for it.
    pub(crate) endpoint: String,
    pub(crate) token: Option<String>,
    /// True if the hub must not be asked.
    pub(crate) is_offline: bool,
    /// File of the trusted certificates in PEM; none for the system's.
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) proxy: Option<Proxy>,
}

impl Settings {
    /// Reads the environment of this process.
    pub(crate) fn of_process() -> Self {
        let variable = |name: &str| {
            let value = std::env::var(name).ok()?.trim().to_owned();
            Some(value).filter(|value| !value.is_empty())
        };
        let is_yes = |value: String| matches!(&*value.to_ascii_lowercase(), "1" | "on" | "yes" | "true");
        let certificates = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"].into_iter().find_map(variable);
        Self {
            index: variable("PIP_INDEX_URL").unwrap_or_else(|| "https://pypi.org/simple".into()),
            endpoint: variable("HF_ENDPOINT").unwrap_or_else(|| "https://huggingface.co".into()),
            token: variable("HF_TOKEN"),
            is_offline: variable("HF_HUB_OFFLINE").is_some_and(is_yes),
            certificates: certificates.map(PathBuf::from),
            proxy: Proxy::try_from_env(),
        }
    }

    /// Reads the trusted certificates.
    pub(crate) fn roots(&self) -> Result<RootCerts, Error> {
        let Some(path) = &self.certificates else { return Ok(RootCerts::PlatformVerifier) };
        let pem = std::fs::read(path).map_err(|source| Error::io("read the certificates of", path, source))?;
        let certificate = |item| if let PemItem::Certificate(certificate) = item { Some(certificate) } else { None };
        let certificates: Vec<_> = parse_pem(&pem).filter_map(|item| certificate(item.ok()?)).collect();
        match &*certificates {
            [] => Err(Error::new(ErrorKind::Choice, format_args!("{} holds no certificate in PEM", path.display()))
                .with_hint("correct REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE or SSL_CERT_FILE")),
            _ => Ok(certificates.into()),
        }
    }
}
