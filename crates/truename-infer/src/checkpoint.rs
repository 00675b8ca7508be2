//! Model folders as they are read, changed and saved, whichever engine loads them.

use std::path::{Path, PathBuf};

use serde_json::Value;
use truename_error::ErrorKind;

use crate::adapter::{AdapterChoice, AdapterFeatures, AdaptersConfig};
use crate::architecture::Family;
use crate::character_config::CharacterConfig;
use crate::config::{ModelConfig, SentenceConfig, Settings};
use crate::embedding_table::grown;
use crate::hash::Fingerprint;
use crate::tokenizer::{NewToken, Tokenizer, TokenizerFile};
use crate::weights::Weights;
use crate::{
    Activation, Architecture, Error, LayerForm, Manifest, Pooling, Scope, SpecialToken, TensorNames, Tensors, error,
};

/// A model folder as read, to be loaded by either engine, changed and saved.
#[non_exhaustive]
pub enum Checkpoint {
    /// An encoder of the BERT family, as Hugging Face lays it out.
    Transformer(TransformerCheckpoint),
    /// An encoder that reads characters.
    Characters(CharacterCheckpoint),
}

impl Checkpoint {
    /// Opens a folder.
    ///
    /// # Errors
    /// Where `config.json` or `model.safetensors` is missing or is not what it should be, or the family is not known.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let bytes = std::fs::read(&path).map_err(|source| error::io("read", &path, source))?;
        let mut fingerprint = Fingerprint::default();
        if let Some(config) = CharacterConfig::parse(&path, &bytes, &mut fingerprint)? {
            let weights = Weights::open(folder)?;
            let manifest = Manifest::read(folder, &mut fingerprint)?;
            return Ok(Self::Characters(CharacterCheckpoint { config, weights, manifest, fingerprint }));
        }
        let config = Family::config(Settings::parse(path, &bytes, &mut fingerprint)?)?;
        TransformerCheckpoint::open(folder, config, fingerprint).map(Self::Transformer)
    }

    /// Opens a folder with chosen adapters alone; the others are left out of a folder that is saved.
    ///
    /// # Errors
    /// As [`Checkpoint::open`], and if there is no such adapter.
    pub fn open_with_adapters(folder: &Path, choice: &AdapterChoice) -> Result<Self, Error> {
        let mut checkpoint = Self::open(folder)?;
        match &mut checkpoint {
            Self::Transformer(transformer) if *choice != AdapterChoice::All => {
                let features = transformer.adapters.features;
                transformer.keep_adapters(choice, features)?;
            }
            _ => checkpoint.use_adapters(choice)?,
        }
        Ok(checkpoint)
    }

    /// The tokenizer, for texts of at most as many tokens as the model reads.
    ///
    /// # Errors
    /// Where a transformer's `tokenizer.json` is missing or is none.
    pub fn tokenizer(&mut self) -> Result<Tokenizer, Error> {
        match self {
            Self::Transformer(checkpoint) => checkpoint.tokenizer(),
            Self::Characters(checkpoint) => Ok(Tokenizer::of_characters(checkpoint.config.window)),
        }
    }

    /// Opens a folder written from several networks: that of the first, and below it those of the others.
    ///
    /// # Errors
    /// As [`Checkpoint::open`].
    pub fn open_all(folder: &Path) -> Result<Vec<Self>, Error> {
        network_folders(folder).map(|folder| Self::open(&folder)).collect()
    }

    /// The tensors of the folder, by their whole names.
    pub fn tensors(&self) -> Scope<'_> {
        self.weights().whole()
    }

    /// As [`TransformerCheckpoint::use_adapters`]; a network of characters has no adapters.
    ///
    /// # Errors
    /// If there is no adapter with one of the names.
    pub fn use_adapters(&mut self, choice: &AdapterChoice) -> Result<(), Error> {
        match self {
            Self::Transformer(checkpoint) => checkpoint.use_adapters(choice),
            Self::Characters(_) => AdaptersConfig::default().keep(choice),
        }
    }

    /// Width of its last states.
    pub fn hidden(&self) -> usize {
        match self {
            Self::Transformer(checkpoint) => checkpoint.adapters.width(checkpoint.config.hidden_size),
            Self::Characters(checkpoint) => checkpoint.config.hidden,
        }
    }

    /// The heads of the folder.
    pub fn manifest(&self) -> &Manifest {
        match self {
            Self::Transformer(checkpoint) => &checkpoint.manifest,
            Self::Characters(checkpoint) => &checkpoint.manifest,
        }
    }

    /// The heads of the folder, to add some.
    pub fn manifest_mut(&mut self) -> &mut Manifest {
        match self {
            Self::Transformer(checkpoint) => &mut checkpoint.manifest,
            Self::Characters(checkpoint) => &mut checkpoint.manifest,
        }
    }

    /// Writes a folder like this one, with the tensors given added or in place of their namesakes.
    ///
    /// `config.json` follows tables that have other sizes. `pooling`, where it is given, becomes that of a transformer's new
    /// folder. All else of the folder is copied: its other tensors, tokenizer and configuration.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub fn save(&self, folder: &Path, tensors: &Tensors, pooling: Option<Pooling>) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| error::io("create", folder, source))?;
        match self {
            Self::Transformer(checkpoint) => checkpoint.write_settings(folder, tensors, pooling)?,
            Self::Characters(checkpoint) => checkpoint.config.write(folder)?,
        }
        self.manifest().save(folder)?;
        self.weights().save(folder, tensors)
    }

    /// Leaves tensors whose names begin with one of these out of folders that are saved.
    pub fn leave_out(&mut self, names: &[&str]) {
        match self {
            Self::Transformer(checkpoint) => checkpoint.weights.leave_out(names),
            Self::Characters(checkpoint) => checkpoint.weights.leave_out(names),
        }
    }

    fn weights(&self) -> &Weights {
        match self {
            Self::Transformer(checkpoint) => &checkpoint.weights,
            Self::Characters(checkpoint) => &checkpoint.weights,
        }
    }
}

/// Returns the folders of all networks that were written together, the first network's own folder first.
pub fn network_folders(first: &Path) -> impl Iterator<Item = PathBuf> {
    let others = (1..).map(|number| first.join(network_folder(number))).take_while(|folder| folder.exists());
    std::iter::once(first.to_owned()).chain(others)
}

/// Files of a Hugging Face folder beside `model.safetensors`: configuration, tokenizer, pooling and the layers behind it.
pub const SETTINGS_FILES: [&str; 15] = [
    "config.json",
    "tokenizer.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "2_Dense/config.json",
    "2_Dense/model.safetensors",
    "3_Dense/config.json",
    "3_Dense/model.safetensors",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "config_sentence_transformers.json",
];

/// Those of [`SETTINGS_FILES`] that list tokens by their numbers, as `tokenizer.json` does too.
const LISTS_OF_TOKENS: [&str; 2] = ["tokenizer_config.json", "vocab.txt"];

/// Folder of a network, from 1 for the second, below that of the first.
pub fn network_folder(number: usize) -> String {
    format!("network-{}", number + 1)
}

/// An encoder that reads characters.
pub struct CharacterCheckpoint {
    pub(crate) config: CharacterConfig,
    pub(crate) weights: Weights,
    pub(crate) manifest: Manifest,
    pub(crate) fingerprint: Fingerprint,
}

impl CharacterCheckpoint {
    /// Creates a checkpoint with initial, untrained weights.
    ///
    /// # Panics
    /// Where `tensors` are not those of [`CharacterConfig::tensors`].
    pub fn new(config: CharacterConfig, tensors: &Tensors) -> Self {
        for (name, shape) in config.tensors() {
            assert!(tensors.get(&name).is_some_and(|tensor| tensor.shape() == shape), "{name} has shape {shape:?}");
        }
        let (manifest, fingerprint) = (Manifest::default(), Fingerprint::default());
        Self { config, weights: Weights::in_memory(tensors), manifest, fingerprint }
    }

    /// Its sizes.
    pub fn config(&self) -> &CharacterConfig {
        &self.config
    }

    /// Its tensors.
    pub fn tensors(&self) -> Scope<'_> {
        self.weights.whole()
    }
}

/// An encoder of the BERT family.
pub struct TransformerCheckpoint {
    pub(crate) folder: PathBuf,
    pub(crate) config: Box<ModelConfig>,
    pub(crate) sentence: SentenceConfig,
    pub(crate) family: &'static Family,
    pub(crate) weights: Weights,
    pub(crate) manifest: Manifest,
    /// The adapters in use.
    pub(crate) adapters: AdaptersConfig,
    /// The choice that they are.
    pub(crate) choice: AdapterChoice,
    /// `tokenizer.json`, where it differs from that of the folder.
    pub(crate) tokenizer: Option<Box<TokenizerFile>>,
    pub(crate) fingerprint: Fingerprint,
}

impl TransformerCheckpoint {
    fn open(folder: &Path, config: ModelConfig, mut fingerprint: Fingerprint) -> Result<Self, Error> {
        let sentence = SentenceConfig::read(folder, &mut fingerprint)?;
        let family = Family::of(&config)?;
        let weights = Weights::open(folder)?;
        weights.check_scheme()?;
        let manifest = Manifest::read(folder, &mut fingerprint)?;
        let adapters = manifest.head(AdaptersConfig::HEAD)?.unwrap_or_default();
        let (folder, config) = (folder.to_owned(), Box::new(config));
        Ok(Self {
            folder,
            config,
            sentence,
            family,
            weights,
            manifest,
            adapters,
            choice: AdapterChoice::All,
            tokenizer: None,
            fingerprint,
        })
    }

    /// The adapters in use.
    pub fn adapters(&self) -> &AdaptersConfig {
        &self.adapters
    }

    /// Uses the chosen adapters alone. All adapters of a folder that is saved are in use again when it is opened.
    ///
    /// # Errors
    /// If there is no adapter with one of the names.
    pub fn use_adapters(&mut self, choice: &AdapterChoice) -> Result<(), Error> {
        let known = self.adapters.adapters.len();
        self.adapters.keep(choice)?;
        if self.adapters.adapters.len() < known {
            let names: Vec<&str> = self.adapters.adapters.keys().map(String::as_str).collect();
            self.fingerprint.add(names.join(",").as_bytes());
            self.choice = choice.clone();
        }
        Ok(())
    }

    /// Keeps the chosen adapters alone, also in a folder that is saved, and sets the states that the model gives.
    ///
    /// # Errors
    /// If there is no adapter with one of the names.
    pub fn keep_adapters(&mut self, choice: &AdapterChoice, features: AdapterFeatures) -> Result<(), Error> {
        self.use_adapters(choice)?;
        self.adapters.features = features;
        self.manifest.set_head(AdaptersConfig::HEAD, &self.adapters)
    }

    /// Adds special tokens, such as `[START]`, to the tokenizer, and rows for them to the tables with a row for each token.
    ///
    /// A new row is that of the token's [`like`](SpecialToken::like); where there is none, or the vocabulary lacks it, it has the mean
    /// and the spread of the others, drawn from `seed` and the token's number alone. Tokens that the tokenizer has already are left as
    /// they are. Returns the numbers of the tokens given, in their order.
    ///
    /// # Errors
    /// Where a file of the folder cannot be read, or a table is not in single precision.
    pub fn add_special_tokens(&mut self, tokens: &[SpecialToken], seed: u64) -> Result<Vec<u32>, Error> {
        let mut file = match &self.tokenizer {
            Some(file) => file.clone(),
            None => Box::new(TokenizerFile::read(&self.folder)?),
        };
        let (ids, new) = file.add_special_tokens(tokens)?;
        if !new.is_empty() {
            let rows = new.iter().map(|token| token.id as usize + 1).fold(self.config.vocab_size, usize::max);
            self.weights = self.weights.with(&self.with_rows_for(&new, rows, seed)?)?;
            self.config.vocab_size = rows;
        }
        self.tokenizer = Some(file);
        Ok(ids)
    }

    /// Returns the number of a special token.
    ///
    /// # Errors
    /// If the tokenizer has no such token.
    pub fn special_token(&self, token: &str) -> Result<u32, Error> {
        let id = match &self.tokenizer {
            Some(file) => file.id(token),
            None => TokenizerFile::read(&self.folder)?.id(token),
        };
        id.ok_or_else(|| error::no_token(token))
    }

    /// The tables with a row for each token, of so many rows, with initial values for new tokens.
    fn with_rows_for(&self, new: &[NewToken], rows: usize, seed: u64) -> Result<Tensors, Error> {
        let words = format!("{}.weight", self.names().words);
        let grown_words = grown(self.encoder().tensor(&words)?, new, rows, seed);
        let mut tensors = Tensors::new();
        for (name, is_vector) in
            TensorNames::OF_TOKENS.into_iter().filter(|(name, _)| self.weights.shape(name).is_some())
        {
            let tensor = self.weights.whole().tensor(name)?;
            let tensor = if is_vector { grown(tensor, new, rows, seed) } else { tensor.with_rows(rows) };
            tensors.insert(name.to_owned(), tensor);
        }
        tensors.insert(self.encoder().name(&words), grown_words);
        Ok(tensors)
    }

    /// All tensors, by their whole names.
    pub fn tensors(&self) -> Scope<'_> {
        self.weights.whole()
    }

    /// Names of the encoder's tensors, below its prefix.
    pub fn names(&self) -> &'static TensorNames {
        &self.family.names
    }

    /// Number of segments; 0 where the model has none.
    pub fn segments(&self) -> usize {
        self.family.segments(&self.config).map_or(0, |(_, rows)| rows)
    }

    /// The sizes of the model.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The family it belongs to.
    pub fn architecture(&self) -> Architecture {
        self.family.architecture
    }

    /// Refuses a model with a layer behind its pooling, which `truename-nn` does not have.
    ///
    /// # Errors
    /// Where the model serves inference alone.
    pub fn check_trainable(&self) -> Result<(), Error> {
        if self.sentence.dense.is_empty() {
            return Ok(());
        }
        let folder = self.folder.display();
        let message = format!("the model in {folder} has a dense layer behind its pooling, which cannot be trained");
        let hint = "take its Dense module out of `modules.json` to train the layers before it";
        Err(Error::new(ErrorKind::Choice, message).with_hint(hint))
    }

    /// The table of positions, where the model has one.
    pub fn position_table(&self) -> Option<&'static str> {
        self.family.position_table(&self.config)
    }

    /// The form of a layer, by its number.
    ///
    /// # Errors
    /// Where `config.json` asks for something that there is no code for.
    pub fn layer_form(&self, number: usize) -> Result<LayerForm, Error> {
        (self.family.form)(&self.config, number)
    }

    /// Width of the vectors of tokens, which a map brings to that of the states where they differ.
    pub fn embedding_width(&self) -> usize {
        self.family.embedding_width(&self.config)
    }

    /// Pooling of token states into a text's vector, by the files of sentence-transformers; the mean where there are none.
    pub fn pooling(&self) -> Pooling {
        self.sentence.pooling
    }

    /// Longest text in tokens.
    pub fn window(&self) -> usize {
        self.sentence.window(self.family.positions(&self.config))
    }

    /// Sets the longest text in tokens.
    ///
    /// # Errors
    /// If the model has fewer positions.
    pub fn set_window(&mut self, tokens: usize) -> Result<(), Error> {
        let positions = self.family.positions(&self.config);
        if tokens > positions {
            return Err(error::too_long(tokens, positions));
        }
        self.sentence.window = Some(tokens);
        Ok(())
    }

    /// The place of a text's first token in the table of positions.
    pub fn first_position(&self) -> usize {
        self.config.max_position_embeddings - self.family.positions(&self.config)
    }

    /// Activation of the feed-forward parts.
    ///
    /// # Errors
    /// Where `config.json` names an activation that there is no code for.
    pub fn activation(&self) -> Result<Activation, Error> {
        self.config.activation()
    }

    /// The tensors of the encoder, without those of its heads.
    pub fn encoder(&self) -> Scope<'_> {
        self.family.encoder(&self.weights)
    }

    fn tokenizer(&mut self) -> Result<Tokenizer, Error> {
        let window = self.window();
        match &self.tokenizer {
            Some(file) => Tokenizer::of_file(TokenizerFile::clone(file), window, self.sentence.is_lowercase),
            None => Tokenizer::read(&self.folder, window, self.sentence.is_lowercase, &mut self.fingerprint),
        }
    }

    pub(crate) fn write_settings(
        &self,
        folder: &Path,
        tensors: &Tensors,
        pooling: Option<Pooling>,
    ) -> Result<(), Error> {
        let is_pruned = self.tokenizer.as_ref().is_some_and(|file| file.is_pruned);
        let mut files = SETTINGS_FILES.into_iter().filter(|file| !is_pruned || !LISTS_OF_TOKENS.contains(file));
        files.try_for_each(|file| self.copy(file, folder))?;
        self.write_sizes(folder, tensors)?;
        self.write_window(folder)?;
        self.tokenizer.as_ref().map_or(Ok(()), |file| file.write(folder))?;
        pooling.map_or(Ok(()), |pooling| self.write_pooling(folder, pooling))
    }

    /// Writes the longest text into `sentence_bert_config.json`, if it was set.
    fn write_window(&self, folder: &Path) -> Result<(), Error> {
        let SentenceConfig { window, is_lowercase, .. } = &self.sentence;
        let Some(window) = window else { return Ok(()) };
        let path = folder.join("sentence_bert_config.json");
        let known = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        if known.as_ref().and_then(|known| known.get("max_seq_length")?.as_u64()) == Some(*window as u64) {
            return Ok(());
        }
        let limits = serde_json::json!({"max_seq_length": window, "do_lower_case": is_lowercase});
        truename_files::write(&path, format!("{limits:#}\n")).map_err(|source| error::io("write", &path, source))
    }

    /// Writes the sizes of tables into `config.json`, where they differ from those there.
    fn write_sizes(&self, folder: &Path, tensors: &Tensors) -> Result<(), Error> {
        let path = folder.join("config.json");
        let bytes = std::fs::read(&path).map_err(|source| error::io("read", &path, source))?;
        let mut config: Value = serde_json::from_slice(&bytes).map_err(|source| error::json(&path, source))?;
        let mut is_changed = false;
        for (key, rows) in self.layer_sizes().chain(self.table_sizes(tensors)) {
            if let Some(size) = config.get_mut(key).filter(|size| **size != rows) {
                (*size, is_changed) = (Value::from(rows), true);
            }
        }
        if !is_changed {
            return Ok(());
        }
        truename_files::write(&path, format!("{config:#}\n")).map_err(|source| error::io("write", &path, source))
    }

    /// The keys of `config.json` that are sizes of layers, by BERT's names and by those of the family.
    fn layer_sizes(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let sizes = [
            ("num_hidden_layers", self.config.num_hidden_layers),
            ("hidden_size", self.config.hidden_size),
            ("num_attention_heads", self.config.num_attention_heads),
            ("intermediate_size", self.config.intermediate_size),
        ];
        let theirs =
            |name| self.family.settings.iter().filter(move |(_, ours)| *ours == name).map(|(theirs, _)| *theirs);
        sizes.into_iter().flat_map(move |(name, size)| theirs(name).chain([name]).map(move |key| (key, size)))
    }

    /// The keys of `config.json` that are numbers of rows, each with the rows of its table.
    fn table_sizes(&self, tensors: &Tensors) -> Vec<(&'static str, usize)> {
        let names = self.names();
        let tables = [
            ("vocab_size", Some(names.words)),
            ("max_position_embeddings", self.position_table()),
            ("type_vocab_size", names.segments),
        ];
        let rows = |table: &str| {
            let name = self.encoder().name(&format!("{table}.weight"));
            let shape = tensors.get(&name).map(|tensor| tensor.shape()).or_else(|| self.weights.shape(&name))?;
            shape.first().copied()
        };
        tables.into_iter().filter_map(|(key, table)| Some((key, rows(table?)?))).collect()
    }

    /// The files by which sentence-transformers knows how the vectors of a text's tokens become one.
    fn write_pooling(&self, folder: &Path, pooling: Pooling) -> Result<(), Error> {
        let kind = |name: &str| format!("sentence_transformers.models.{name}");
        let modules = serde_json::json!([
            {"idx": 0, "name": "0", "path": "", "type": kind("Transformer")},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": kind("Pooling")},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": kind("Normalize")},
        ]);
        let is = |mode| pooling == mode;
        let config = serde_json::json!({
            "word_embedding_dimension": self.config.hidden_size,
            "pooling_mode_cls_token": is(Pooling::Cls),
            "pooling_mode_mean_tokens": is(Pooling::Mean),
            "pooling_mode_max_tokens": is(Pooling::Max),
            "pooling_mode_mean_sqrt_len_tokens": false,
        });
        for (file, json) in [("modules.json", modules), ("1_Pooling/config.json", config)] {
            let path = folder.join(file);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(|source| error::io("create", parent, source))?;
            truename_files::write(&path, format!("{json:#}\n")).map_err(|source| error::io("write", &path, source))?;
        }
        Ok(())
    }

    fn copy(&self, file: &str, folder: &Path) -> Result<(), Error> {
        let (from, to) = (self.folder.join(file), folder.join(file));
        if !from.exists() || from == to {
            return Ok(());
        }
        let parent = to.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|source| error::io("create", parent, source))?;
        let bytes = std::fs::read(&from).map_err(|source| error::io("read", &from, source))?;
        truename_files::write(&to, bytes).map_err(|source| error::io("write", &to, source))
    }
}
