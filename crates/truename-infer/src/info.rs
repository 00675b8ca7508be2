//! Kind and sizes of a model: family, layers, window, pooling.

use std::fmt;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;

use crate::{Error, Network};

/// Kind and sizes of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The family it belongs to.
    pub architecture: Architecture,
    /// Number of layers.
    pub layers: usize,
    /// The width of its last states, which is the dimension of its vectors.
    pub hidden: usize,
    /// Names of its adapters.
    pub adapters: Vec<String>,
    /// Attention heads of each layer; none without attention.
    pub heads: Option<usize>,
    /// Number of parameters in its file.
    pub parameters: u64,
    /// Precision of its weights.
    pub precision: Precision,
    /// True where the model can be trained, false where it serves inference alone.
    pub is_trainable: bool,
    /// Longest text in tokens, those that mark its start and end included.
    pub window: usize,
    /// Pooling of the states into one vector; nothing where the network makes one by itself.
    pub pooling: Option<Pooling>,
    /// Number of tokens that it has a vector for.
    pub vocabulary: usize,
}

/// Precision of the weights of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precision {
    /// Single precision.
    Single,
    /// Maps of layers in 7-bit weights, tables of tokens in 4 bits.
    Int8,
}

impl std::str::FromStr for Precision {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "f32" => Ok(Self::Single),
            "int8" => Ok(Self::Int8),
            _ => {
                Err(Error::new(ErrorKind::Choice, format!("there is no precision {name}"))
                    .with_hint("take f32 or int8"))
            }
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "f32",
            Self::Int8 => "int8",
        })
    }
}

/// A family of models that share their layers and the names of their tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Architecture {
    /// Devlin et al. 2018.
    Bert,
    /// Liu et al. 2019.
    Roberta,
    /// Song et al. 2020.
    MpNet,
    /// Sanh et al. 2019.
    DistilBert,
    /// Clark et al. 2020.
    Electra,
    /// Warner et al. 2024.
    ModernBert,
    /// Nussbaum et al. 2024.
    NomicBert,
    /// He et al. 2021.
    DebertaV2,
    /// Characters in place of tokens.
    Characters(Network),
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bert => "BERT",
            Self::Roberta => "RoBERTa",
            Self::MpNet => "MPNet",
            Self::DistilBert => "DistilBERT",
            Self::Electra => "ELECTRA",
            Self::ModernBert => "ModernBERT",
            Self::NomicBert => "Nomic BERT",
            Self::DebertaV2 => "DeBERTa-v2",
            Self::Characters(Network::Graph) => "graph network over characters",
            Self::Characters(Network::Convolution) => "convolutions over characters",
            Self::Characters(Network::Lstm) => "bidirectional LSTM over characters",
        })
    }
}

/// Pooling of the states of a text's tokens into one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pooling {
    /// The mean of the states.
    Mean,
    /// The state of the first token.
    Cls,
    /// The greatest value in each dimension.
    Max,
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Max => "max",
        })
    }
}
