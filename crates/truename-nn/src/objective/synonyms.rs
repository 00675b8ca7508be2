//! Contrastive learning of an adapter from synonyms in their sentences (PICSO, sections 3.2 to 3.4).

use std::ops::Range;

use burn_tensor::{Tensor, TensorData};
use truename_infer::{AdapterConfig, Batch, Error, InitialWeights, Pooling, TransformerCheckpoint};

use super::metric::{Classes, MetricLoss};
use super::{Loss, Objective, Pass};
use crate::adapter::{Adapter, balanced};
use crate::layer::{Linear, indices};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// Contrastive learning of an adapter from synonyms in their sentences (PICSO, sections 3.2 to 3.4). The backbone keeps its weights.
#[derive(Clone, Debug)]
pub struct Synonyms {
    adapter: Adapter,
    /// Layers of the backbone that the adapter reads.
    layers: Vec<usize>,
    vector: Vector,
    loss: MetricLoss,
}

/// The vector of an entity that the loss compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityVector {
    /// The pooled states, as an encoder without fine-tuning gives them: [`AdapterFeatures::Balanced`](truename_infer::AdapterFeatures).
    Pooled,
    /// The output of an aggregator, as published: a linear map of the states of both markers.
    Aggregated,
}

/// [`EntityVector`] with what it needs.
#[derive(Clone, Debug)]
enum Vector {
    Pooled(Pooling),
    Aggregated(Box<Linear>),
}

/// Sentences with a marked entity each, as the backbone reads them.
#[derive(Clone, Debug, Default)]
pub struct MarkedEntities {
    /// The sentences; each has an entity.
    pub texts: Batch,
    /// The backbone's states after each layer that the adapter reads, then those after its last layer: `[tokens, hidden]` each.
    pub states: Vec<Vec<f32>>,
    /// The tokens of each sentence whose states are pooled, counted in the sentence.
    pub pooled: Vec<Range<usize>>,
    /// The class of each entity: entities of one class are synonyms.
    pub labels: Vec<u32>,
}

impl Synonyms {
    /// Creates the objective for an adapter of a backbone, with initial values where the folder has no adapter of that name.
    ///
    /// # Errors
    /// If the sizes do not fit the backbone.
    pub fn new(
        name: &str,
        config: &AdapterConfig,
        backbone: &TransformerCheckpoint,
        vector: EntityVector,
        loss: MetricLoss,
        initial: InitialWeights,
    ) -> Result<Self, Error> {
        let hidden = backbone.config().hidden_size;
        let vector = match vector {
            EntityVector::Pooled => Vector::Pooled(backbone.pooling()),
            EntityVector::Aggregated => {
                let name = format!("{}.aggregator", AdapterConfig::prefix(name));
                Vector::Aggregated(Box::new(Linear::untrained(&name, 4 * hidden, hidden, initial.seed)))
            }
        };
        let adapter = Adapter::untrained(name, config, backbone, initial)?;
        Ok(Self { adapter, layers: config.layers.clone(), vector, loss })
    }

    /// Returns the vector of each entity. Lengths are left to the loss.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    fn vectors(&self, pass: &Pass<'_>, batch: &MarkedEntities) -> Tensor<2> {
        let device = self.adapter.device();
        let tokens = batch.texts.tokens().len();
        let hidden = batch.states[0].len() / tokens;
        let constant = |values: &Vec<f32>| {
            let data = TensorData::new(values.clone(), [tokens, hidden]);
            Tensor::<2>::from_data(data, &device)
        };
        let states = |layer: usize| {
            let place = self.layers.iter().position(|known| *known == layer).expect("a layer of the adapter");
            constant(&batch.states[place])
        };
        let of_adapter = self.adapter.forward(states, &batch.texts, pass.next_dropout(), pass.is_fused());
        let last = constant(batch.states.last().expect("the states of the last layer"));
        match &self.vector {
            Vector::Pooled(pooling) => {
                let states = balanced(last, std::iter::once(of_adapter));
                pool(*pooling, states, &Layout::of_parts(&batch.texts, &batch.pooled))
            }
            Vector::Aggregated(aggregator) => {
                aggregated(aggregator, Tensor::cat(vec![last, of_adapter], 1), &batch.texts)
            }
        }
    }
}

/// `h W + b`, where `h` is `H[p_s] ⊕ H[p_e]` and `H` is `H_p ⊕ H_a` (section 3.3).
///
/// # Shapes
/// `joined: [tokens, 2 hidden]`, output: `[texts, hidden]`
fn aggregated(aggregator: &Linear, joined: Tensor<2>, texts: &Batch) -> Tensor<2> {
    let entity = |number| texts.entity(number).expect("each sentence has an entity");
    let markers = |place: fn(Range<usize>) -> usize| {
        let rows = texts.rows().enumerate();
        let places = rows.map(|(number, rows)| (rows.start + place(entity(number))) as i32).collect();
        joined.clone().select(0, indices(places, &joined.device()))
    };
    aggregator.forward(Tensor::cat(vec![markers(|entity| entity.start), markers(|entity| entity.end - 1)], 1))
}

impl Objective for Synonyms {
    type Batch = MarkedEntities;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = self.adapter.parameters();
        if let Vector::Aggregated(aggregator) = &mut self.vector {
            parameters.extend(aggregator.parameters());
        }
        parameters
    }

    fn loss(&self, pass: &Pass<'_>, batch: &MarkedEntities) -> Loss {
        Loss(self.loss.of(self.vectors(pass, batch), &Classes::new(&batch.labels)))
    }
}
