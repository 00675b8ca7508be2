//! Models of the Hugging Face hub: a commit of a repository, with its files and their hashes.

use serde_json::Value;
use truename_error::ErrorKind;

use crate::client::{Client, RemoteFile, shown};
use crate::model_files::ModelFiles;
use crate::settings::Settings;
use crate::source::{Host, is_commit};
use crate::store::Partial;
use crate::{Error, Offer, Source};

/// A commit of a repository on the hub or a mirror of it.
pub(crate) struct Commit {
    client: Client,
    /// Source with the commit.
    source: Source,
    /// Paths, sizes and hashes of all files.
    files: Vec<Value>,
}

impl Commit {
    /// Requests the commit of a revision from the hub.
    pub(crate) fn ask(settings: &Settings, source: &Source) -> Result<Self, Error> {
        if settings.is_offline {
            let message = format!("{source} is not in the cache, and HF_HUB_OFFLINE forbids the network");
            let hint = "pull it once with the network, or copy the cache from a machine that has it";
            return Err(Error::new(ErrorKind::Unreachable, message).with_hint(hint));
        }
        let client = Client::new(settings, Host::HuggingFace)?;
        let steps = ["api", "models"].into_iter().chain(source.name.split('/')).chain(["revision"]);
        let mut url = client.below(steps.chain(source.requested()));
        url.set_query(Some("blobs=true"));
        let (url, mut list) = client.list(&url, "application/json")?;
        let commit = list["sha"].as_str().filter(|commit| is_commit(commit));
        let no_commit = || Error::new(ErrorKind::Syntax, format_args!("the answer of {} names no commit", shown(&url)));
        let commit = commit.ok_or_else(no_commit)?;
        let source = Source { version: Some(commit.to_owned()), ..source.clone() };
        let files = if let Value::Array(files) = list["siblings"].take() { files } else { Vec::new() };
        Ok(Self { client, source, files })
    }

    /// Describes a file in the list.
    fn remote(&self, file: &Value) -> RemoteFile {
        let (name, lfs) = (path_of(file).to_owned(), &file["lfs"]);
        let steps = self.source.name.split('/').chain(["resolve"]).chain(self.source.version.as_deref());
        let url = self.client.below(steps.chain(name.split('/')));
        let text = |value: &Value| value.as_str().map(str::to_owned);
        // The blob of a file in LFS is a pointer to it.
        let git_hash = text(&file["blobId"]).filter(|_| lfs.is_null());
        RemoteFile {
            name,
            url,
            bytes: lfs["size"].as_u64().or(file["size"].as_u64()),
            sha256: text(&lfs["sha256"]),
            git_hash,
        }
    }
}

impl Offer for Commit {
    fn source(&self) -> &Source {
        &self.source
    }

    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error> {
        let model = ModelFiles::find(&self.source, self.files.iter().map(path_of))?;
        for file in &self.files {
            if let Some(path) = model.kept(path_of(file)) {
                let target = partial.scratch("file");
                let copied = self.client.download(&self.remote(file), &target, partial.progress)?;
                partial.keep(path, &target, copied)?;
            }
        }
        Ok(())
    }
}

fn path_of(file: &Value) -> &str {
    file["rfilename"].as_str().unwrap_or_default()
}
