//! Disentangled attention: scores of contents with the distances of tokens, as in DeBERTa.

use burn_tensor::{Device, Int, Tensor};
use truename_infer::{DisentangledForm, Error, Scope, TransformerCheckpoint};

use super::{Linear, Norm, indices};
use crate::parameter::Parameter;

/// The table of distances, which all layers share.
#[derive(Clone, Debug)]
pub(crate) struct DistanceTable {
    form: DisentangledForm,
    table: Parameter,
    norm: Option<Norm>,
}

/// The distances of a batch: their vectors, and the vector of each two places.
#[derive(Clone)]
pub(crate) struct Distances {
    form: DisentangledForm,
    /// `[distances, hidden]`
    vectors: Tensor<2>,
    /// `[longest, longest]`, of a query and a key
    rows: Tensor<2, Int>,
}

/// The maps of distances to queries and keys of a layer that does not map them as contents.
#[derive(Clone, Debug)]
pub(crate) struct DistanceMaps {
    query: Option<Linear>,
    key: Option<Linear>,
}

impl DistanceTable {
    pub fn load(checkpoint: &TransformerCheckpoint, device: &Device) -> Result<Option<Self>, Error> {
        let Some(form) = checkpoint.layer_form(0)?.disentangled else { return Ok(None) };
        let (config, encoder) = (checkpoint.config(), checkpoint.encoder());
        let (hidden, epsilon) = (config.hidden_size, config.layer_norm_eps);
        let table = Parameter::load(&encoder.at(DisentangledForm::TABLE), "weight", &[form.rows(), hidden], device)?;
        let norm = form.has_norm.then(|| Norm::load(&encoder.at(DisentangledForm::NORM), hidden, epsilon, device));
        Ok(Some(Self { form, table, norm: norm.transpose()? }))
    }

    /// The distances in texts of at most `longest` tokens.
    pub fn distances(&self, longest: usize, device: &Device) -> Distances {
        let farthest = longest as isize - 1;
        let [first, last] = [-farthest, farthest].map(|distance| self.form.row(distance));
        let vectors = self.table.matrix().narrow(0, first, last + 1 - first);
        let vectors = self.norm.iter().fold(vectors, |vectors, norm| norm.forward(vectors));
        let of_query = |query: isize| (0..=farthest).map(move |key| (self.form.row(query - key) - first) as i32);
        let rows = indices((0..=farthest).flat_map(of_query).collect(), device).reshape([longest, longest]);
        Distances { form: self.form, vectors, rows }
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        std::iter::once(&mut self.table).chain(self.norm.iter_mut().flat_map(Norm::parameters))
    }
}

impl DistanceMaps {
    pub fn load(form: DisentangledForm, scope: &Scope, hidden: usize, device: &Device) -> Result<Self, Error> {
        let map = |is_wanted: bool, name| {
            let is_own = is_wanted && !form.has_shared_maps;
            is_own.then(|| Linear::load(&scope.at(name), hidden, hidden, device)).transpose()
        };
        Ok(Self {
            query: map(form.scores_keys, DisentangledForm::QUERY)?,
            key: map(form.scores_queries, DisentangledForm::KEY)?,
        })
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        self.query.iter_mut().chain(&mut self.key).flat_map(Linear::parameters)
    }
}

impl Distances {
    /// Scores that are summed, with that of the contents.
    pub fn terms(&self) -> usize {
        self.form.terms()
    }

    /// Returns the scores with distances, to be scaled as those of the contents; `maps` are those of queries and keys.
    ///
    /// # Shapes
    /// `query, key: [texts, heads, longest, depth]`, output: `[texts, heads, longest, longest]`
    pub fn scores(&self, [query, key]: [Tensor<4>; 2], maps: [&Linear; 2], own: &DistanceMaps) -> Option<Tensor<4>> {
        let [texts, heads, longest, depth] = query.dims();
        let shape = [texts, heads, longest, longest];
        let spread = |rows: Tensor<2, Int>| rows.reshape([1, 1, longest, longest]).expand(shape);
        let distances = self.vectors.dims()[0];
        // [1, heads, depth, distances]
        let mapped = |map: &Linear| {
            let rows = map.forward(self.vectors.clone()).reshape([1, distances, heads, depth]);
            rows.permute([0, 2, 3, 1]).expand([texts, heads, depth, distances])
        };
        let of_queries = self
            .form
            .scores_queries
            .then(|| query.matmul(mapped(own.key.as_ref().unwrap_or(maps[1]))).gather(3, spread(self.rows.clone())));
        let of_keys = self.form.scores_keys.then(|| {
            let scores = key.matmul(mapped(own.query.as_ref().unwrap_or(maps[0])));
            scores.gather(3, spread(self.rows.clone().transpose())).swap_dims(2, 3)
        });
        of_queries.into_iter().chain(of_keys).reduce(|left, right| left + right)
    }
}
