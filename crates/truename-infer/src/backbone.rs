//! Backbones: tokens in, states out, for every head; batches by length, the same answer in any order.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::adapter::{AdapterChoice, Adapters};
use crate::architecture::Family;
use crate::batch::{Batch, plan};
use crate::character_config;
use crate::characters::CharacterNetwork;
use crate::checkpoint::{CharacterCheckpoint, TransformerCheckpoint};
use crate::config::ModelConfig;
use crate::hash::Fingerprint;
use crate::head::{Dense, MaskedHead};
use crate::transformer::{Transformer, Workspace};
use crate::weights::{Scope, Weights};
use crate::{Architecture, Checkpoint, Error, Info, Input, Manifest, Pooling, Precision, States, Tokenizer, error};

/// Largest number of tokens of a batch: enough to use each weight often while it is in the cache, few enough for the threads to
/// finish together. On MiniLM-L6, 128 to 1,024 take the same processor time within 10 %, the noise of that measurement.
const BATCH_TOKENS: usize = 256;

/// A network that turns tokens into states, with its tokenizer. Heads make answers of the states.
///
/// Shared by reference between threads; each call uses the threads of the current rayon pool.
///
/// ```
/// use truename_infer::{Backbone, Input};
///
/// # fn main() -> Result<(), truename_infer::Error> {
/// # let folder = "tests/models/bert";
/// let backbone = Backbone::open(folder.as_ref())?;
/// let text = "The patient had a heart attack.";
/// let windows = backbone.tokenizer().windows(text, 16)?;
/// let inputs: Vec<Input> = windows.iter().map(|window| window.input.clone()).collect();
/// let states = backbone.states(&inputs, &[backbone.info().layers])?;
/// let token = windows[0].places.iter().position(|place| place.is_some_and(|place| &text[place.span.range()] == "heart"));
/// assert_eq!(states[0].row(0, token.unwrap()).len(), backbone.info().hidden);
/// # Ok(())
/// # }
/// ```
pub struct Backbone {
    folder: PathBuf,
    info: Info,
    tokenizer: Tokenizer,
    network: Network,
    adapters: AdapterChoice,
    /// Layers behind the pooling.
    dense: Vec<Dense>,
    /// Family and sizes of a transformer, for heads that share its tables.
    family: Option<(&'static Family, Box<ModelConfig>)>,
    weights: Weights,
    manifest: Manifest,
    fingerprint: Fingerprint,
    /// Buffers that no batch uses now.
    idle: Mutex<Vec<Workspace>>,
}

pub(crate) enum Network {
    Transformer(Box<Transformer>),
    Characters(CharacterNetwork),
}

/// The order in which sequences are computed, and the runs of that order that are computed together.
pub(crate) struct Plan {
    pub order: Vec<usize>,
    pub batches: Vec<Range<usize>>,
}

impl Backbone {
    /// Opens a Hugging Face folder, or the folder of an encoder of characters.
    ///
    /// A Hugging Face folder must have `config.json`, `model.safetensors` (in single precision) and `tokenizer.json`;
    /// `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json` and `truename.json` are read where they are.
    /// Without them the window is as long as the model has positions.
    ///
    /// # Errors
    /// Where a file is missing or is not what it should be, or where the model is of a kind that is not known.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::of(folder, Checkpoint::open(folder)?)
    }

    fn of(folder: &Path, checkpoint: Checkpoint) -> Result<Self, Error> {
        match checkpoint {
            Checkpoint::Transformer(checkpoint) => Self::of_transformer(folder, checkpoint),
            Checkpoint::Characters(checkpoint) => Self::of_characters(folder, checkpoint),
        }
    }

    /// Opens a folder with chosen adapters alone.
    ///
    /// # Errors
    /// As [`Backbone::open`], and if there is no such adapter.
    pub fn open_with_adapters(folder: &Path, choice: &AdapterChoice) -> Result<Self, Error> {
        let mut checkpoint = Checkpoint::open(folder)?;
        checkpoint.use_adapters(choice)?;
        Self::of(folder, checkpoint)
    }

    /// Creates the network of a checkpoint, with the tokens and weights that it has now.
    ///
    /// # Errors
    /// As [`Backbone::open`].
    pub fn of_checkpoint(mut checkpoint: Checkpoint) -> Result<Self, Error> {
        let tokenizer = checkpoint.tokenizer()?;
        match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                let folder = checkpoint.folder.clone();
                Self::with_tokenizer(&folder, checkpoint, |_, _| Ok(tokenizer))
            }
            Checkpoint::Characters(checkpoint) => Self::of_characters(Path::new(""), checkpoint),
        }
    }

    fn of_transformer(folder: &Path, checkpoint: TransformerCheckpoint) -> Result<Self, Error> {
        let (window, is_lowercase) = (checkpoint.window(), checkpoint.sentence.is_lowercase);
        Self::with_tokenizer(folder, checkpoint, |folder, fingerprint| {
            Tokenizer::read(folder, window, is_lowercase, fingerprint)
        })
    }

    fn with_tokenizer(
        folder: &Path,
        checkpoint: TransformerCheckpoint,
        tokenizer: impl FnOnce(&Path, &mut Fingerprint) -> Result<Tokenizer, Error> + Send,
    ) -> Result<Self, Error> {
        let window = checkpoint.window();
        let TransformerCheckpoint {
            config,
            sentence,
            family,
            weights,
            manifest,
            adapters,
            choice,
            mut fingerprint,
            ..
        } = checkpoint;
        let (transformer, tokenizer) =
            rayon::join(|| family.load(&config, &weights), || tokenizer(folder, &mut fingerprint));
        let (mut transformer, tokenizer) = (transformer?, tokenizer?);
        if !adapters.adapters.is_empty() {
            transformer.adapters = Some(Adapters::load(&adapters, &config, &weights)?);
        }
        let mut width = adapters.width(config.hidden_size);
        let mut dense = Vec::with_capacity(sentence.dense.len());
        for layer in &sentence.dense {
            dense.push(Dense::load(layer, width, &mut fingerprint)?);
            width = layer.out_features;
        }
        let info = Info {
            architecture: family.architecture,
            layers: config.num_hidden_layers,
            hidden: adapters.width(config.hidden_size),
            adapters: adapters.adapters.into_keys().collect(),
            heads: Some(config.num_attention_heads),
            parameters: weights.parameters(),
            precision: weights.precision(),
            is_trainable: dense.is_empty() && weights.precision() == Precision::Single,
            window,
            pooling: Some(sentence.pooling),
            vocabulary: config.vocab_size,
        };
        Ok(Self {
            folder: folder.to_owned(),
            info,
            tokenizer,
            network: Network::Transformer(Box::new(transformer)),
            adapters: choice,
            dense,
            family: Some((family, config)),
            weights,
            manifest,
            fingerprint,
            idle: Mutex::default(),
        })
    }

    fn of_characters(folder: &Path, checkpoint: CharacterCheckpoint) -> Result<Self, Error> {
        let CharacterCheckpoint { config, weights, manifest, fingerprint } = checkpoint;
        let info = Info {
            architecture: Architecture::Characters(config.network),
            layers: config.layers,
            hidden: config.hidden,
            adapters: Vec::new(),
            heads: None,
            parameters: weights.parameters(),
            precision: weights.precision(),
            is_trainable: true,
            window: config.window,
            pooling: (config.network != character_config::Network::Lstm).then_some(Pooling::Mean),
            vocabulary: config.vocabulary(),
        };
        Ok(Self {
            folder: folder.to_owned(),
            info,
            tokenizer: Tokenizer::of_characters(config.window),
            network: Network::Characters(CharacterNetwork::load(&config, &weights)?),
            adapters: AdapterChoice::All,
            dense: Vec::new(),
            family: None,
            weights,
            manifest,
            fingerprint,
            idle: Mutex::default(),
        })
    }

    /// The folder that was opened.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kind and sizes of the model.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// The choice of adapters that it was opened with; all where it uses all that the folder has.
    pub fn adapter_choice(&self) -> &AdapterChoice {
        &self.adapters
    }

    /// The tokenizer of the folder.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The layers behind the pooling.
    pub(crate) fn dense(&self) -> &[Dense] {
        &self.dense
    }

    /// The masked-language head of the folder, for some tokens.
    ///
    /// # Errors
    /// Where the network reads characters, the folder has no such head, or there is no such token.
    pub(crate) fn masked_head(&self, tokens: &[u32]) -> Result<MaskedHead, Error> {
        let (family, config) = self.family.as_ref().ok_or_else(error::characters_alone)?;
        MaskedHead::load(family, config, &self.weights, tokens)
    }

    /// Returns whether the folder has a masked-language head.
    pub(crate) fn has_masked_head(&self) -> bool {
        let names = self.family.as_ref().map(|(family, _)| &family.names);
        names.is_some_and(|names| self.weights.whole().at(names.masked_map).has("weight"))
    }

    /// The heads of the folder.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The tensors of the folder, those of heads among them, by their whole names.
    pub fn tensors(&self) -> Scope<'_> {
        self.weights.whole()
    }

    /// A hash of the weights, the tokenizer and the configuration, in hexadecimal: vectors of encoders with the same hash
    /// may be compared. It is taken of the whole files when first asked for.
    pub fn hash(&self) -> &str {
        self.fingerprint.hex(self.weights.bytes())
    }

    /// Returns the states of sequences after chosen layers, in the order of the sequences. Layer 0 is the embeddings, the
    /// last one [`Info::layers`].
    ///
    /// A sequence has the same states, to the bit, alone and among others.
    ///
    /// # Errors
    /// Where a sequence has tokens, positions or segments that the model does not have, or there is no such layer.
    pub fn states(&self, sequences: &[Input], layers: &[usize]) -> Result<Vec<States>, Error> {
        self.check(sequences, layers)?;
        // From inside the pool, or each matrix product would be handed to it anew.
        rayon::scope(|_| {
            let Plan { order, batches } = self.plan(sequences.iter().map(Input::len));
            let of_batch = |batch: Range<usize>| {
                self.states_of_batch(order[batch].iter().map(|number| &sequences[*number]), layers)
            };
            let found: Vec<Vec<States>> = batches.into_par_iter().map(of_batch).collect::<Result<_, _>>()?;
            let mut states: Vec<(usize, States)> = order.into_iter().zip(found.into_iter().flatten()).collect();
            states.sort_unstable_by_key(|(number, _)| *number);
            Ok(states.into_iter().map(|(_, states)| states).collect())
        })
    }

    /// Returns how much some tokens of a sequence attend to each in the last layer, as the mean over them and the heads.
    pub(crate) fn attention(&self, sequence: &Input, tokens: Range<usize>) -> Result<Vec<f32>, Error> {
        let Network::Transformer(transformer) = &self.network else { return Err(error::characters_alone()) };
        let Some(last) = transformer.layers.last() else { return Ok(Vec::new()) };
        let states = self.states(std::slice::from_ref(sequence), &[transformer.layers.len() - 1])?;
        let (mut weights, share) = (vec![0.0; sequence.len()], 1.0 / tokens.len() as f32);
        for token in tokens {
            let of_token = last.attention_weights(states[0].layer(0), token);
            weights.iter_mut().zip(of_token).for_each(|(sum, weight)| *sum += share * weight);
        }
        Ok(weights)
    }

    fn check(&self, sequences: &[Input], layers: &[usize]) -> Result<(), Error> {
        if let Some(layer) = layers.iter().find(|layer| **layer > self.info.layers) {
            return Err(error::input(format!("there is no layer {layer}; the model has {}", self.info.layers)));
        }
        let is_plain = |sequence: &Input| {
            sequence.segments().is_none() && sequence.positions().is_none() && sequence.visibility().is_none()
        };
        match self.network {
            Network::Characters(_) if !sequences.iter().all(is_plain) => Err(error::characters_alone()),
            _ => Ok(()),
        }
    }

    fn states_of_batch<'a>(
        &self,
        sequences: impl Iterator<Item = &'a Input>,
        layers: &[usize],
    ) -> Result<Vec<States>, Error> {
        self.with_batch(
            |batch| sequences.for_each(|sequence| batch.push_input(sequence)),
            |network, workspace| {
                let rows: Vec<Range<usize>> = workspace.batch.rows().collect();
                let mut found: Vec<States> = rows.iter().map(|rows| States::new(rows.len(), layers.len())).collect();
                network.run(workspace, |layer, values| {
                    let width = values.len() / rows.last().map_or(1, |rows| rows.end.max(1));
                    for (rows, states) in rows.iter().zip(&mut found) {
                        let places = layers.iter().enumerate().filter(|(_, chosen)| **chosen == layer);
                        places.for_each(|(place, _)| states.set(place, &values[rows.start * width..rows.end * width]));
                    }
                })?;
                Ok(found)
            },
        )
    }

    /// Computes something of a batch, in buffers that are kept.
    pub(crate) fn with_batch<T>(
        &self,
        fill: impl FnOnce(&mut Batch),
        compute: impl FnOnce(&Network, &mut Workspace) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut workspace = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        workspace.batch.clear();
        fill(&mut workspace.batch);
        let computed = compute(&self.network, &mut workspace)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        Ok(computed)
    }

    /// Plans the batches of sequences with these numbers of tokens.
    pub(crate) fn plan(&self, lengths: impl Iterator<Item = usize>) -> Plan {
        let lengths: Vec<usize> = lengths.collect();
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        // The longest first, so that no thread is left with one while the others have finished.
        order.sort_by_key(|number| std::cmp::Reverse(lengths[*number]));
        let most = self.batch_tokens(lengths.iter().sum());
        let batches = plan(order.iter().map(|number| lengths[*number]), most);
        Plan { order, batches }
    }

    /// Most tokens of a batch: few sequences are split evenly among the threads, many into batches of
    /// [`BATCH_TOKENS`]. A step of a recurrence is one character of all texts, so that it wants many of them.
    fn batch_tokens(&self, all: usize) -> usize {
        /// Below this a batch is not worth splitting: the threads share its matrix products instead.
        const FEWEST: usize = 64;
        let most = match self.network {
            Network::Transformer(_) => BATCH_TOKENS,
            Network::Characters(_) => 16 * BATCH_TOKENS,
        };
        all.div_ceil(rayon::current_num_threads()).clamp(FEWEST, most)
    }
}

impl Network {
    /// Computes the states of a batch; `visit` sees those after each layer, those of the embeddings as layer 0.
    fn run(&self, workspace: &mut Workspace, visit: impl FnMut(usize, &[f32])) -> Result<(), Error> {
        if workspace.batch.tokens().is_empty() {
            return Ok(());
        }
        match self {
            Self::Transformer(transformer) => transformer.run(workspace, visit).map(|_| ()),
            Self::Characters(network) => network.run(&workspace.batch, visit).map(|_| ()),
        }
    }
}
