//! Loads the layers of a transformer by the names of a family.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::{Family, LayerForm, RotaryPositions};
use crate::config::ModelConfig;
use crate::layer::{
    Activation, AttentionPositions, Layer, LayerSizes, Linear, Norm, PositionBias, Rotary, TokenEmbedding,
};
use crate::transformer::Transformer;
use crate::weights::{Scope, Weights};
use crate::{Error, error};

/// The angles of layers, by their base.
struct RotaryTables {
    depth: usize,
    positions: usize,
    all: Mutex<Vec<(f32, Arc<Rotary>)>>,
}

impl RotaryTables {
    fn of(&self, rotary: RotaryPositions) -> Arc<Rotary> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = all.iter().find(|(base, _)| *base == rotary.base) {
            return Arc::clone(table);
        }
        let angles = (0..self.positions).flat_map(|position| rotary.angles(self.depth, position));
        let table = Arc::new(Rotary::new(angles, self.depth));
        all.push((rotary.base, Arc::clone(&table)));
        table
    }
}

impl Family {
    pub fn load(&self, config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
        (self.load)(self, config, &self.encoder(weights))
    }

    /// Loads layers of the family's form.
    pub(super) fn load_layers(&self, config: &ModelConfig, root: &Scope) -> Result<Transformer, Error> {
        let bias = self.names.position_bias.map(|name| self.position_bias(&root.at(name), config));
        let bias = bias.transpose()?.map(Arc::new);
        let tables =
            RotaryTables { depth: config.head_depth(), positions: self.positions(config), all: Mutex::default() };
        self.transformer(config, root, |number, layer| {
            let form = (self.form)(config, number)?;
            let positions = match (form.rotary, &bias) {
                (Some(rotary), _) => AttentionPositions::Rotary { angles: tables.of(rotary), reach: rotary.reach },
                (None, Some(bias)) => AttentionPositions::Bias(Arc::clone(bias)),
                (None, None) => AttentionPositions::InStates,
            };
            config.layer_sizes(form)?.load(&self.names, layer, positions)
        })
    }

    /// Loads a transformer of layers that are loaded by their number and tensors.
    pub(super) fn transformer(
        &self,
        config: &ModelConfig,
        root: &Scope,
        layer: impl Fn(usize, &Scope) -> Result<Layer, Error> + Sync,
    ) -> Result<Transformer, Error> {
        // Several layers at a time: packing the weights is most of the work.
        let layers = (0..config.num_hidden_layers).into_par_iter();
        let norm = |name| Norm::load(&root.at(name), config.hidden_size, config.layer_norm_eps);
        Ok(Transformer {
            embedding: self.embedding(root, config)?,
            layers: layers
                .map(|number| layer(number, &root.at(&self.names.layer(number))))
                .collect::<Result<_, _>>()?,
            last_norm: self.names.last_norm.map(norm).transpose()?,
            hidden: config.hidden_size,
            adapters: None,
        })
    }

    fn embedding(&self, root: &Scope, config: &ModelConfig) -> Result<TokenEmbedding, Error> {
        let (names, width) = (&self.names, self.embedding_width(config));
        let table = |name, rows| root.at(name).table(rows, width);
        let positions = self.position_table(config);
        let map = names.embedding_map.filter(|_| width != config.hidden_size);
        Ok(TokenEmbedding {
            words: table(names.words, config.vocab_size)?,
            positions: positions.map(|name| table(name, config.max_position_embeddings)).transpose()?,
            first_position: (self.first_position)(config),
            window: self.positions(config),
            segments: self.segments(config).map(|(name, count)| table(name, count)).transpose()?,
            norm: Norm::load(&root.at(names.embedding_norm), width, config.layer_norm_eps)?,
            map: map.map(|name| Linear::load(&root.at(name), width, config.hidden_size)).transpose()?,
        })
    }

    fn position_bias(&self, scope: &Scope, config: &ModelConfig) -> Result<PositionBias, Error> {
        let (buckets, heads) = (config.position_buckets(), config.num_attention_heads);
        if buckets < PositionBias::FEWEST_BUCKETS {
            let known = format!("{} and more", PositionBias::FEWEST_BUCKETS);
            return Err(error::setting(&config.path, "relative_attention_num_buckets", buckets, known));
        }
        Ok(PositionBias::new(&scope.table(buckets, heads)?, heads, self.positions(config)))
    }
}

impl ModelConfig {
    pub(crate) fn activation(&self) -> Result<Activation, Error> {
        Activation::named(&self.hidden_act, &self.path)
    }

    /// The sizes of a layer.
    pub(super) fn layer_sizes(&self, form: LayerForm) -> Result<LayerSizes, Error> {
        Ok(LayerSizes {
            hidden: self.hidden_size,
            inner: self.intermediate_size,
            heads: self.num_attention_heads,
            epsilon: self.layer_norm_eps,
            activation: self.activation()?,
            form,
        })
    }

    /// Dimensions of a head.
    fn head_depth(&self) -> usize {
        self.hidden_size / self.num_attention_heads
    }
}
