use std::path::{Path, PathBuf};

use ureq::tls::{PemItem, RootCerts, parse_pem};

use crate::Error;
use crate::environment::Environment;

/// System files with all certificates (Debian, Fedora, openSUSE, Alpine and the BSDs).
const SYSTEM_BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Returns the trusted certificates: from the setting (pip's `cert`), else the usual variables, else the system, else
/// Mozilla.
pub(crate) fn roots(environment: &Environment, setting: Option<PathBuf>) -> Result<RootCerts, Error> {
    let variable = environment.first(&["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]);
    if let Some(path) = setting.or_else(|| variable.map(PathBuf::from)) {
        return read(&path);
    }
    if cfg!(any(windows, target_os = "macos")) {
        return Ok(RootCerts::PlatformVerifier);
    }
    Ok(SYSTEM_BUNDLES.iter().find_map(|path| read(Path::new(path)).ok()).unwrap_or(RootCerts::WebPki))
}

fn read(path: &Path) -> Result<RootCerts, Error> {
    let pem = std::fs::read(path).map_err(|source| Error::io("read the certificates of", path, source))?;
    let certificates: Vec<_> = parse_pem(&pem)
        .filter_map(|item| if let Ok(PemItem::Certificate(certificate)) = item { Some(certificate) } else { None })
        .collect();
    if certificates.is_empty() {
        return Err(Error::setting("certificates", &path.display().to_string(), "holds no certificate in PEM"));
    }
    Ok(certificates.into())
}
