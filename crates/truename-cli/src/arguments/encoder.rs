//! Arguments of the knowledge base, the encoder and its adapters, shared by all commands that link.

use std::path::{Path, PathBuf};

use clap::Args;
use truename::{AdapterChoice, Encoder, Error, Precision, with_precision};

/// The knowledge base to use.
#[derive(Args)]
pub struct KbArgument {
    /// Knowledge base to use: a folder, a pack, or `general` for the persons, places and organizations that are part of the program
    /// [default: the bundled one, MeSH diseases and chemicals]
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: Option<PathBuf>,
}

/// Knowledge base and encoder to link with.
#[derive(Args)]
pub struct LinkerArguments {
    #[command(flatten)]
    pub kb: KbArgument,
    #[command(flatten)]
    pub encoder: EncoderArgument,
}

/// The encoder to use.
#[derive(Args)]
pub struct EncoderArgument {
    /// Encoder for vectors of names, a Hugging Face folder (`truename model pull` fetches one), or `none` to go by letters
    /// alone [default: the knowledge base's own]
    #[arg(long, value_name = "DIR", value_parser = str::parse::<EncoderChoice>)]
    pub encoder: Option<EncoderChoice>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
}

/// The adapters of an encoder to use.
#[derive(Args)]
pub struct AdapterArgument {
    /// Adapters of the encoder's folder to use, with commas between them: `general,biomedical`, `all` or `none` [default: all]
    #[arg(long, value_name = "NAMES", requires = "encoder")]
    pub adapter: Option<AdapterChoice>,
    /// Weights of the encoder: `f32`, or `int8` for a copy in 8 bits, which is made in the cache on first use; vectors of the one are
    /// not those of the other [default: those of the folder]
    #[arg(long, value_name = "PRECISION", requires = "encoder")]
    pub precision: Option<Precision>,
}

impl AdapterArgument {
    /// Opens the encoder in a folder with the adapters named.
    pub fn open(&self, folder: &Path) -> Result<Encoder, Error> {
        let folder =
            self.precision.map_or_else(|| Ok(folder.to_owned()), |precision| with_precision(folder, precision))?;
        Encoder::open_with_adapters(&folder, &self.adapter.clone().unwrap_or_default())
    }
}

/// The value of `--encoder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncoderChoice {
    /// No encoder: names are compared lexically.
    None,
    Folder(PathBuf),
}

impl std::str::FromStr for EncoderChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "none" { Self::None } else { Self::Folder(text.into()) })
    }
}

impl EncoderArgument {
    /// Returns the folder named, if one is.
    pub fn folder(&self) -> Option<&Path> {
        match &self.encoder {
            Some(EncoderChoice::Folder(folder)) => Some(folder),
            Some(EncoderChoice::None) | None => None,
        }
    }
}
