use burn_tensor::{Tensor, TensorData};
use truename_infer::{AdapterConfig, Batch, Error, TransformerCheckpoint};

use super::metric::{Classes, MetricLoss};
use super::{Loss, Objective, Pass, untrained};
use crate::adapter::Adapter;
use crate::layer::{Linear, indices};
use crate::parameter::Parameter;

/// Contrastive learning of an adapter from synonyms in their sentences (PICSO, sections 3.2 to 3.4). The backbone keeps its weights.
#[derive(Clone, Debug)]
pub struct Synonyms {
    adapter: Adapter,
    /// Layers of the backbone that the adapter reads.
    layers: Vec<usize>,
    aggregator: Linear,
    loss: MetricLoss,
}

/// Sentences with a marked entity each, as the backbone reads them.
#[derive(Clone, Debug, Default)]
pub struct MarkedEntities {
    /// The sentences; each has an entity.
    pub texts: Batch,
    /// The backbone's states after each layer that the adapter reads, then those after its last layer: `[tokens, hidden]` each.
    pub states: Vec<Vec<f32>>,
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
        loss: MetricLoss,
        seed: u64,
    ) -> Result<Self, Error> {
        let hidden = backbone.config().hidden_size;
        let aggregator = format!("{}.aggregator", AdapterConfig::prefix(name));
        Ok(Self {
            adapter: Adapter::untrained(name, config, backbone, seed)?,
            layers: config.layers.clone(),
            aggregator: untrained(&aggregator, 4 * hidden, hidden, seed),
            loss,
        })
    }

    /// Returns the vector of each entity: `h W + b`, where `h` is `H[p_s] ⊕ H[p_e]` and `H` is `H_p ⊕ H_a` (section 3.3). Lengths are
    /// left to the loss.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    fn vectors(&self, pass: &Pass<'_>, batch: &MarkedEntities) -> Tensor<2> {
        let device = self.aggregator.weight.vector().device();
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
        let joined = Tensor::cat(vec![last, of_adapter], 1);
        let rows = batch.texts.rows().enumerate();
        let markers = rows.map(|(number, rows)| {
            let entity = batch.texts.entity(number).expect("each sentence has an entity");
            [rows.start + entity.start, rows.start + entity.end - 1]
        });
        let [starts, ends]: [Vec<i32>; 2] =
            markers.fold([Vec::new(), Vec::new()], |[mut starts, mut ends], [start, end]| {
                starts.push(start as i32);
                ends.push(end as i32);
                [starts, ends]
            });
        let select = |places| joined.clone().select(0, indices(places, &device));
        self.aggregator.forward(Tensor::cat(vec![select(starts), select(ends)], 1))
    }
}

impl Objective for Synonyms {
    type Batch = MarkedEntities;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = self.adapter.parameters();
        parameters.extend(self.aggregator.parameters());
        parameters
    }

    fn loss(&self, pass: &Pass<'_>, batch: &MarkedEntities) -> Loss {
        Loss(self.loss.of(self.vectors(pass, batch), &Classes::new(&batch.labels)))
    }
}
