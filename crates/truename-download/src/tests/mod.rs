//! Pulls from small servers on this machine: no test needs the network.

mod archives;
mod huggingface;
mod pypi;
mod server;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use server::Server;

use crate::settings::Settings;
use crate::{Error, Progress, Source, pull_with};

/// The three files that a model must have, and a pooling configuration.
const MODEL: [(&str, &str); 4] = [
    ("config.json", "{\"model_type\": \"bert\"}"),
    ("model.safetensors", "weights weights weights"),
    ("tokenizer.json", "{}"),
    ("1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": true}"),
];

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn zip_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(path, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a wheel with the model in `pkg/model`.
fn wheel() -> Vec<u8> {
    let mut files: Vec<(String, &[u8])> = vec![("pkg/__init__.py".into(), b"raise SystemExit")];
    files.extend(MODEL.iter().map(|(path, text)| (format!("pkg/model/{path}"), text.as_bytes())));
    zip_of(files.iter().map(|(path, bytes)| (path.as_str(), *bytes)))
}

/// Returns settings with this server as index and hub.
fn settings(server: &Server) -> Settings {
    Settings {
        index: format!("{}/simple", server.url),
        endpoint: server.url.clone(),
        token: None,
        is_offline: false,
        certificates: None,
        proxy: None,
    }
}

/// Returns settings with a server that does not answer.
fn unreachable() -> Settings {
    Settings {
        index: "http://127.0.0.1:9/simple".into(),
        endpoint: "http://127.0.0.1:9".into(),
        ..settings(&Server::start())
    }
}

fn pull(cache: &TempDir, source: &str, settings: &Settings) -> Result<PathBuf, Error> {
    pull_watched(cache, source, settings, &())
}

fn pull_watched(cache: &TempDir, source: &str, settings: &Settings, progress: &dyn Progress) -> Result<PathBuf, Error> {
    pull_with(settings, &source.parse::<Source>()?, cache.path(), progress)
}

fn cache() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Asserts that every file of the model is there and no temporary file is left.
fn assert_whole(cache: &TempDir, folder: &Path) {
    for (path, text) in MODEL {
        assert_eq!(std::fs::read_to_string(folder.join(path)).unwrap(), text, "{path}");
    }
    assert_nothing_partial(cache);
}

fn assert_nothing_partial(cache: &TempDir) {
    let partial = cache.path().join("models/.partial");
    assert_eq!(std::fs::read_dir(partial).map_or(0, Iterator::count), 0, "a partial folder is left");
}

/// Asserts that there is no model, whole or partial.
fn assert_empty(cache: &TempDir) {
    assert_nothing_partial(cache);
    assert_eq!(crate::list(cache.path()).unwrap(), []);
}

/// Stops once so many bytes have arrived.
struct StopAfter {
    bytes: u64,
    arrived: AtomicU64,
}

impl StopAfter {
    fn new(bytes: u64) -> Self {
        Self { bytes, arrived: AtomicU64::new(0) }
    }
}

impl Progress for StopAfter {
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    fn advance(&self, bytes: u64) {
        self.arrived.fetch_add(bytes, Ordering::Relaxed);
    }
    fn stop(&self) -> bool {
        self.arrived.load(Ordering::Relaxed) >= self.bytes
    }
}
