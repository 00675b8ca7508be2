use std::fmt;

use crate::Network;

/// What a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The family it belongs to.
    pub architecture: Architecture,
    /// How many layers it has.
    pub layers: usize,
    /// The width of its hidden states, which is the dimension of its vectors.
    pub hidden: usize,
    /// How many heads of attention each layer has; none without attention.
    pub heads: Option<usize>,
    /// How many numbers its file of weights holds.
    pub parameters: u64,
    /// The most tokens it reads of one text, those that mark its start and end included.
    pub window: usize,
    /// How the vectors of the tokens become one; nothing where the network makes one by itself.
    pub pooling: Option<Pooling>,
    /// How many tokens it has a vector for.
    pub vocabulary: usize,
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
    /// Characters in place of tokens.
    Characters(Network),
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bert => "BERT",
            Self::Roberta => "RoBERTa",
            Self::MpNet => "MPNet",
            Self::Characters(Network::Graph) => "graph network over characters",
            Self::Characters(Network::Convolution) => "convolutions over characters",
            Self::Characters(Network::Lstm) => "bidirectional LSTM over characters",
        })
    }
}

/// How the hidden states of a text's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first token.
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
