//! DeBERTa, second and third version (He et al. 2021).

use std::sync::Arc;

use serde::Deserialize;

use super::{DisentangledForm, Family, LayerForm, TensorNames};
use crate::config::ModelConfig;
use crate::layer::{AttentionPositions, Disentangled, DistanceRows, Linear, Norm};
use crate::transformer::Transformer;
use crate::weights::Scope;
use crate::{Architecture, Error, error};

/// DeBERTa, second and third version (He et al. 2021): BERT's layers with disentangled attention.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::DebertaV2,
    model_types: &["deberta-v2"],
    prefix: "deberta.",
    names: TensorNames::DEBERTA,
    form,
    load,
    ..Family::BERT
};

/// The settings that other families do not have.
#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    relative_attention: bool,
    max_relative_positions: Option<i64>,
    position_buckets: Option<i64>,
    #[serde(default)]
    norm_rel_ebd: String,
    #[serde(default)]
    share_att_key: bool,
    pos_att_type: Option<Terms>,
    #[serde(default)]
    conv_kernel_size: usize,
    embedding_size: Option<usize>,
}

/// The scores with distances: `c2p`, `p2c`, or both.
#[derive(Deserialize)]
#[serde(untagged)]
enum Terms {
    Listed(Vec<String>),
    Joined(String),
}

impl Terms {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::Listed(terms) => terms.iter().any(|term| term == name),
            Self::Joined(terms) => terms.split('|').any(|term| term.trim() == name),
        }
    }
}

impl Settings {
    fn check(&self, config: &ModelConfig) -> Result<(), Error> {
        if self.conv_kernel_size > 0 {
            return Err(error::setting(&config.path, "conv_kernel_size", self.conv_kernel_size, "0"));
        }
        match self.embedding_size.filter(|width| *width != config.hidden_size) {
            Some(width) => Err(error::setting(&config.path, "embedding_size", width, config.hidden_size)),
            None => Ok(()),
        }
    }

    fn has(&self, term: &str) -> bool {
        self.pos_att_type.as_ref().is_some_and(|terms| terms.has(term))
    }

    /// The form of attention, where it looks at distances.
    fn form(&self, config: &ModelConfig) -> Option<DisentangledForm> {
        let farthest = positive(self.max_relative_positions).unwrap_or(config.max_position_embeddings);
        let buckets = positive(self.position_buckets);
        self.relative_attention.then(|| DisentangledForm {
            span: buckets.unwrap_or(farthest),
            has_buckets: buckets.is_some(),
            farthest,
            has_norm: self.norm_rel_ebd.split('|').any(|norm| norm.trim() == "layer_norm"),
            has_shared_maps: self.share_att_key,
            scores_queries: self.has("c2p"),
            scores_keys: self.has("p2c"),
        })
    }
}

/// The number, where it is one that counts: -1 stands for none.
fn positive(number: Option<i64>) -> Option<usize> {
    number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0)
}

/// The vectors of distances, and the row of each distance.
struct Distances {
    form: DisentangledForm,
    vectors: Vec<f32>,
    rows: Arc<DistanceRows>,
    hidden: usize,
}

impl Distances {
    fn load(form: DisentangledForm, config: &ModelConfig, root: &Scope) -> Result<Self, Error> {
        let hidden = config.hidden_size;
        let mut vectors = root.at(DisentangledForm::TABLE).values("weight", &[form.rows(), hidden])?;
        if form.has_norm {
            Norm::load(&root.at(DisentangledForm::NORM), hidden, config.layer_norm_eps)?.apply(&mut vectors);
        }
        let rows = DistanceRows::new(config.max_position_embeddings, |distance| form.row(distance));
        Ok(Self { form, vectors, rows: Arc::new(rows), hidden })
    }

    /// The vectors, mapped as a layer maps its queries or keys.
    fn mapped(&self, map: &Scope) -> Result<Vec<f32>, Error> {
        let mut mapped = vec![0.0; self.vectors.len()];
        Linear::load(map, self.hidden, self.hidden)?.apply(&self.vectors, &mut mapped);
        Ok(mapped)
    }

    fn of_layer(&self, layer: &Scope) -> Result<Disentangled, Error> {
        let [query, key, _] = TensorNames::DISENTANGLED;
        let [query, key] = match self.form.has_shared_maps {
            true => [query, key],
            false => [DisentangledForm::QUERY, DisentangledForm::KEY],
        };
        let mapped = |is_wanted: bool, name| is_wanted.then(|| self.mapped(&layer.at(name))).transpose();
        Ok(Disentangled {
            keys: mapped(self.form.scores_queries, key)?,
            queries: mapped(self.form.scores_keys, query)?,
            distances: Arc::clone(&self.rows),
        })
    }
}

fn form(config: &ModelConfig, _: usize) -> Result<LayerForm, Error> {
    let settings: Settings = config.settings()?;
    settings.check(config)?;
    Ok(LayerForm { disentangled: settings.form(config), ..LayerForm::BERT })
}

fn load(family: &Family, config: &ModelConfig, root: &Scope) -> Result<Transformer, Error> {
    let form = form(config, 0)?;
    let distances = form.disentangled.map(|form| Distances::load(form, config, root)).transpose()?;
    let sizes = config.layer_sizes(form)?;
    family.transformer(config, root, |_, layer| {
        let positions = match &distances {
            Some(distances) => AttentionPositions::Disentangled(distances.of_layer(layer)?),
            None => AttentionPositions::InStates,
        };
        sizes.load(&family.names, layer, positions)
    })
}
