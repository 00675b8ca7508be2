use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};

use crate::architecture::Family;
use crate::characters::CharacterConfig;
use crate::config::{ModelConfig, SentenceConfig};
use crate::hash::Fingerprint;
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;
use crate::{Activation, Architecture, Error, Pooling, Scope};

/// An encoder's folder with what is in it, before anything is made of the weights.
#[non_exhaustive]
pub enum Checkpoint {
    /// One of the BERT family, as Hugging Face lays it out.
    Transformer(TransformerCheckpoint),
    /// One that reads characters.
    Characters(CharacterCheckpoint),
}

impl Checkpoint {
    /// Opens a folder.
    ///
    /// # Errors
    /// Where `config.json` or `model.safetensors` is missing or is not what it should be, or the family is not known.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let bytes = std::fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
        let mut fingerprint = Fingerprint::default();
        if let Some(config) = CharacterConfig::parse(&path, &bytes, &mut fingerprint)? {
            let weights = Weights::open(folder)?;
            return Ok(Self::Characters(CharacterCheckpoint { config, weights, fingerprint }));
        }
        let config = ModelConfig::parse(path, &bytes, &mut fingerprint)?;
        TransformerCheckpoint::open(folder, config, fingerprint).map(Self::Transformer)
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

    /// Writes a folder like this one in which the tensors of those names have other values.
    ///
    /// `pooling`, where it is given, is what the new folder of a transformer says of itself; what else a folder has
    /// (tokenizer, configuration) is copied.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    ///
    /// # Panics
    /// Where a tensor would have another size.
    pub fn save(
        &self,
        folder: &Path,
        values: &HashMap<String, Vec<f32>>,
        pooling: Option<Pooling>,
    ) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
        match self {
            Self::Transformer(checkpoint) => {
                checkpoint.copy_settings(folder, pooling)?;
                checkpoint.weights.save(folder, values)
            }
            Self::Characters(checkpoint) => {
                checkpoint.config.write(folder)?;
                checkpoint.weights.save(folder, values)
            }
        }
    }
}

/// An encoder that reads characters.
pub struct CharacterCheckpoint {
    pub(crate) config: CharacterConfig,
    pub(crate) weights: Weights,
    pub(crate) fingerprint: Fingerprint,
}

impl CharacterCheckpoint {
    /// One with weights that nothing was learnt by yet.
    ///
    /// # Panics
    /// Where `values` have not the shapes of [`CharacterConfig::tensors`].
    pub fn new(config: CharacterConfig, values: &HashMap<String, Vec<f32>>) -> Self {
        let tensors = config.tensors();
        let views = tensors.iter().map(|(name, shape)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(&values[name]));
            (name, view.expect("values have the shape of their tensor"))
        });
        let file = safetensors::serialize(views, None).expect("tensors of single precision can be written");
        Self { config, weights: Weights::in_memory(file), fingerprint: Fingerprint::default() }
    }

    /// Its sizes.
    pub fn config(&self) -> &CharacterConfig {
        &self.config
    }

    /// Its tensors.
    pub fn tensors(&self) -> Scope<'_> {
        self.weights.under(&[""], "embeddings.weight")
    }
}

/// An encoder of the BERT family.
pub struct TransformerCheckpoint {
    pub(crate) folder: PathBuf,
    pub(crate) config: ModelConfig,
    pub(crate) sentence: SentenceConfig,
    pub(crate) family: &'static Family,
    pub(crate) weights: Weights,
    pub(crate) fingerprint: Fingerprint,
}

impl TransformerCheckpoint {
    fn open(folder: &Path, config: ModelConfig, mut fingerprint: Fingerprint) -> Result<Self, Error> {
        let sentence = SentenceConfig::read(folder, &mut fingerprint)?;
        let family = Family::of(&config)?;
        let weights = Weights::open(folder)?;
        Ok(Self { folder: folder.to_owned(), config, sentence, family, weights, fingerprint })
    }

    /// The sizes of the model.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The family it belongs to.
    pub fn architecture(&self) -> Architecture {
        self.family.architecture
    }

    /// How the folder says that the vectors of a text's tokens become one; their mean where it says nothing.
    pub fn pooling(&self) -> Pooling {
        self.sentence.pooling
    }

    /// The most tokens of a text.
    pub fn window(&self) -> usize {
        self.sentence.window(self.family.positions(&self.config))
    }

    /// The place of a text's first token in the table of positions.
    pub fn first_position(&self) -> usize {
        self.config.max_position_embeddings - self.family.positions(&self.config)
    }

    /// What stands between the two maps of a feed-forward part.
    ///
    /// # Errors
    /// Where `config.json` names an activation that there is no code for.
    pub fn activation(&self) -> Result<Activation, Error> {
        self.config.activation()
    }

    /// The tensors of the encoder, without those that stand on top of it.
    pub fn encoder(&self) -> Scope<'_> {
        self.family.encoder(&self.weights)
    }

    fn tokenizer(&mut self) -> Result<Tokenizer, Error> {
        Tokenizer::read(&self.folder, self.window(), self.sentence.is_lowercase, &mut self.fingerprint)
    }

    fn copy_settings(&self, folder: &Path, pooling: Option<Pooling>) -> Result<(), Error> {
        for file in
            ["config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"]
                .into_iter()
                .chain(["tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "vocab.json", "merges.txt"])
                .chain(["config_sentence_transformers.json"])
        {
            self.copy(file, folder)?;
        }
        pooling.map_or(Ok(()), |pooling| self.write_pooling(folder, pooling))
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
            std::fs::create_dir_all(parent).map_err(|source| Error::io("create", parent, source))?;
            std::fs::write(&path, format!("{json:#}\n")).map_err(|source| Error::io("write", &path, source))?;
        }
        Ok(())
    }

    fn copy(&self, file: &str, folder: &Path) -> Result<(), Error> {
        let (from, to) = (self.folder.join(file), folder.join(file));
        if !from.exists() || from == to {
            return Ok(());
        }
        let parent = to.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|source| Error::io("create", parent, source))?;
        std::fs::copy(&from, &to).map_err(|source| Error::io("copy", &from, source))?;
        Ok(())
    }
}
