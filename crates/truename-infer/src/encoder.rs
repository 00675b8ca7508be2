use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::batch::plan;
use crate::characters::{self, CharacterNetwork};
use crate::checkpoint::{CharacterCheckpoint, TransformerCheckpoint};
use crate::hash::Fingerprint;
use crate::tokenizer::{Tokenizer, Tokens};
use crate::transformer::{Transformer, Workspace};
use crate::weights::Weights;
use crate::{Architecture, Checkpoint, Embeddings, Error, Info, Pooling};

/// The most tokens of a batch: enough to use each weight often while it is in the cache, few enough for the threads to
/// finish together. On MiniLM-L6, 128 to 1,024 take the same processor time within 10 %, the noise of that measurement.
const BATCH_TOKENS: usize = 256;

/// What makes states of tokens.
enum Network {
    Transformer(Transformer, Pooling),
    Characters(CharacterNetwork),
}

/// A sentence encoder: texts in, unit vectors out.
///
/// Shared by reference between threads; each call uses the threads of the current rayon pool.
pub struct Encoder {
    folder: PathBuf,
    info: Info,
    tokenizer: Tokenizer,
    network: Network,
    weights: Weights,
    fingerprint: Fingerprint,
    /// The workspaces that no batch uses now.
    idle: Mutex<Vec<Workspace>>,
}

impl Encoder {
    /// Opens a Hugging Face folder, or one of an encoder of characters.
    ///
    /// A Hugging Face folder must have `config.json`, `model.safetensors` (in single precision) and `tokenizer.json`; `modules.json`,
    /// `1_Pooling/config.json` and `sentence_bert_config.json` say more where they are. Without them vectors are the mean
    /// of the tokens', and the window is as long as the model has positions.
    ///
    /// # Errors
    /// Where a file is missing or is not what it should be, or where the model is of a kind that is not known.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        match Checkpoint::open(folder)? {
            Checkpoint::Transformer(checkpoint) => Self::of_transformer(folder, checkpoint),
            Checkpoint::Characters(checkpoint) => Self::of_characters(folder, checkpoint),
        }
    }

    fn of_transformer(folder: &Path, checkpoint: TransformerCheckpoint) -> Result<Self, Error> {
        let window = checkpoint.window();
        let TransformerCheckpoint { config, sentence, family, weights, mut fingerprint, .. } = checkpoint;
        let (transformer, tokenizer) = rayon::join(
            || family.load(&config, &weights),
            || Tokenizer::read(folder, window, sentence.is_lowercase, &mut fingerprint),
        );
        let info = Info {
            architecture: family.architecture,
            layers: config.num_hidden_layers,
            hidden: config.hidden_size,
            heads: Some(config.num_attention_heads),
            parameters: weights.parameters(),
            window,
            pooling: Some(sentence.pooling),
            vocabulary: config.vocab_size,
        };
        Ok(Self {
            folder: folder.to_owned(),
            info,
            tokenizer: tokenizer?,
            network: Network::Transformer(transformer?, sentence.pooling),
            weights,
            fingerprint,
            idle: Mutex::default(),
        })
    }

    fn of_characters(folder: &Path, checkpoint: CharacterCheckpoint) -> Result<Self, Error> {
        let CharacterCheckpoint { config, weights, fingerprint } = checkpoint;
        let info = Info {
            architecture: Architecture::Characters(config.network),
            layers: config.layers,
            hidden: config.hidden,
            heads: None,
            parameters: weights.parameters(),
            window: config.window,
            pooling: (config.network != characters::Network::Lstm).then_some(Pooling::Mean),
            vocabulary: config.vocabulary(),
        };
        Ok(Self {
            folder: folder.to_owned(),
            info,
            tokenizer: Tokenizer::of_characters(config.window),
            network: Network::Characters(CharacterNetwork::load(&config, &weights)?),
            weights,
            fingerprint,
            idle: Mutex::default(),
        })
    }

    /// The vectors of `texts`, in their order.
    ///
    /// White space around a text does not count. Of a text that is longer than the window its beginning is encoded, and
    /// [`Embeddings::truncated`] says so. Equal texts are encoded once. All tokens and vectors are held at a time: millions
    /// of texts are better given some ten thousand at a time.
    ///
    /// # Errors
    /// Where the tokenizer fails, or makes a token that the model has no vector for.
    #[tracing::instrument(name = "encode", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn encode<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Embeddings, Error> {
        // From inside the pool, or each matrix product would be handed to it anew.
        rayon::scope(|_| self.encode_distinct(&Distinct::of(texts)))
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.info.hidden
    }

    /// The folder it was opened from.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the model is.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// A hash of the weights, the tokenizer and the configuration, in hexadecimal: vectors of encoders with the same hash
    /// may be compared. It is taken of the whole files when first asked for.
    pub fn hash(&self) -> &str {
        self.fingerprint.hex(self.weights.bytes())
    }

    fn encode_distinct(&self, texts: &Distinct) -> Result<Embeddings, Error> {
        let tokens =
            texts.distinct.par_iter().map(|text| self.tokenizer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        // The longest first, so that no thread is left with one while the others have finished.
        order.sort_by_key(|text| std::cmp::Reverse(tokens[*text].ids.len()));
        let sorted = self.encode_in_order(&tokens, &order)?;
        Ok(self.in_order_of_texts(texts, &tokens, &order, &sorted))
    }

    /// The vectors of the texts in the order given, one row each.
    fn encode_in_order(&self, tokens: &[Tokens], order: &[usize]) -> Result<Vec<f32>, Error> {
        let dimensions = self.dimensions();
        let mut vectors = vec![0.0; order.len() * dimensions];
        let mut rest = vectors.as_mut_slice();
        let batches = plan(order.iter().map(|text| tokens[*text].ids.len()), self.batch_tokens(tokens));
        let mut work: Vec<(Range<usize>, &mut [f32])> = Vec::with_capacity(batches.len());
        for batch in batches {
            let (rows, after) = rest.split_at_mut(batch.len() * dimensions);
            work.push((batch, rows));
            rest = after;
        }
        work.into_par_iter().try_for_each(|(batch, rows)| {
            self.encode_batch(order[batch].iter().map(|text| tokens[*text].ids.as_slice()), rows)
        })?;
        Ok(vectors)
    }

    fn encode_batch<'a>(&self, texts: impl Iterator<Item = &'a [u32]>, vectors: &mut [f32]) -> Result<(), Error> {
        let mut workspace = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        workspace.batch.clear();
        texts.for_each(|text| workspace.batch.push(text));
        if workspace.batch.rows().all(|rows| rows.is_empty()) {
            vectors.fill(0.0);
            return Ok(());
        }
        match &self.network {
            Network::Transformer(transformer, pooling) => {
                let (batch, states) = transformer.hidden_states(&mut workspace)?;
                pooling.write_all(batch, states, vectors);
            }
            Network::Characters(network) => network.write(&workspace.batch, vectors)?,
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        Ok(())
    }

    /// How many tokens a batch may have: few texts are split evenly among the threads, many into batches of
    /// [`BATCH_TOKENS`]. A step of a recurrence is one character of all texts, so that it wants many of them.
    fn batch_tokens(&self, tokens: &[Tokens]) -> usize {
        /// Below this a batch is not worth splitting: the threads share its matrix products instead.
        const FEWEST: usize = 64;
        let most = match self.network {
            Network::Transformer(..) => BATCH_TOKENS,
            Network::Characters(_) => 16 * BATCH_TOKENS,
        };
        let all: usize = tokens.iter().map(|tokens| tokens.ids.len()).sum();
        all.div_ceil(rayon::current_num_threads()).clamp(FEWEST, most)
    }

    fn in_order_of_texts(&self, texts: &Distinct, tokens: &[Tokens], order: &[usize], sorted: &[f32]) -> Embeddings {
        let dimensions = self.dimensions();
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, text)| places[*text] = place);
        let mut vectors = Vec::with_capacity(texts.numbers.len() * dimensions);
        for number in &texts.numbers {
            vectors.extend_from_slice(&sorted[places[*number] * dimensions..][..dimensions]);
        }
        let is_truncated = |(_, number): &(usize, &usize)| tokens[**number].is_truncated;
        let truncated = texts.numbers.iter().enumerate().filter(is_truncated).map(|(text, _)| text).collect();
        Embeddings::new(vectors, dimensions, truncated)
    }
}

/// Texts without repetition.
struct Distinct<'a> {
    distinct: Vec<&'a str>,
    /// Which of the distinct texts each text is.
    numbers: Vec<usize>,
}

impl<'a> Distinct<'a> {
    fn of<S: AsRef<str>>(texts: &'a [S]) -> Self {
        let mut distinct = Vec::new();
        let mut known = HashMap::with_capacity(texts.len());
        let mut number = |text: &'a str| {
            *known.entry(text).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        };
        let numbers = texts.iter().map(|text| number(text.as_ref())).collect();
        Self { distinct, numbers }
    }
}
