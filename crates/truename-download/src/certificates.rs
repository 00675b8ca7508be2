use std::path::{Path, PathBuf};

use ureq::tls::{Certificate, PemItem, RootCerts, parse_pem};

use crate::Error;
use crate::environment::Environment;

/// Where systems keep all certificates in one file, as OpenSSL's users do
/// (Debian, Fedora, openSUSE, Alpine and the BSDs).
const SYSTEM_BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The certificates to trust: those of the setting (pip's `cert`), of the usual variables, of the
/// system, or Mozilla's.
pub(crate) fn roots(environment: &Environment, setting: Option<&Path>) -> Result<RootCerts, Error> {
    let variable = environment.first(&["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]).map(PathBuf::from);
    if let Some(path) = setting.map(Path::to_owned).or(variable) {
        return read(&path);
    }
    if cfg!(any(windows, target_os = "macos")) {
        return Ok(RootCerts::PlatformVerifier);
    }
    let system = SYSTEM_BUNDLES.iter().find_map(|path| read(Path::new(path)).ok());
    Ok(system.unwrap_or(RootCerts::WebPki))
}

fn read(path: &Path) -> Result<RootCerts, Error> {
    let pem = std::fs::read(path).map_err(|source| Error::io("read the certificates of", path, source))?;
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let certificates: Vec<Certificate<'static>> = parse_pem(&pem).filter_map(certificate).collect();
    if certificates.is_empty() {
        return Err(Error::setting("certificates", &path.display().to_string(), "holds no certificate in PEM"));
    }
    Ok(certificates.into())
}
