//! Maps of span heads, by the names of their tensors.

use crate::layer::Linear;
use crate::{Error, Scope, scale_to_unit};

/// Names of the tensors of span heads, in the folder of the text network.
///
/// A map `NAME` is `NAME.weight: [dimensions, inputs]` and `NAME.bias: [dimensions]`.
pub struct SpanTensors;

impl SpanTensors {
    /// Map of the states of a span's first and last token and the embedding of its width.
    pub const SPAN: &'static str = "spans.span";
    /// Map of the state of a token that may begin a mention.
    pub const START: &'static str = "spans.start";
    /// Map of the state of a token that may end a mention; that of starts where there is none.
    pub const END: &'static str = "spans.end";
    /// Map of the state of a description to the vector that spans are compared with.
    pub const TYPE_SPAN: &'static str = "spans.type_span";
    /// Map of the state of a description to the vector that starts are compared with; that of spans where there is none.
    pub const TYPE_START: &'static str = "spans.type_start";
    /// Map of the state of a description to the vector that ends are compared with; that of spans where there is none.
    pub const TYPE_END: &'static str = "spans.type_end";
    /// Embeddings of widths from 0: `[max_span, width]`
    pub const WIDTHS: &'static str = "spans.widths";
    /// Logarithms of the scales of starts, ends and spans: `[3]`. A scale is the reciprocal of a temperature.
    pub const SCALES: &'static str = "spans.log_scales";
    /// Learned thresholds of starts, ends and spans: `[3, types]`
    pub const THRESHOLDS: &'static str = "spans.thresholds";
}

/// The maps of a model's span heads.
pub(super) struct Maps {
    pub dimensions: usize,
    /// Part of the span's map for its first token, without the bias.
    pub first: Linear,
    /// Part of the span's map for its last token, without the bias.
    pub last: Linear,
    /// Part of the span's map for its width, with the bias: `[max_span, dimensions]`
    pub widths: Vec<f32>,
    pub start: Linear,
    pub end: Linear,
    /// Scales of starts, ends and spans.
    pub scales: [f32; 3],
}

impl Maps {
    pub fn load(tensors: &Scope<'_>, hidden: usize, max_span: usize) -> Result<Self, Error> {
        let widths = tensors.tensor(SpanTensors::WIDTHS)?;
        let bias = tensors.at(SpanTensors::SPAN).tensor("bias")?;
        let (dimensions, width) = (bias.values().len(), widths.values().len() / max_span);
        let widths = tensors.values(SpanTensors::WIDTHS, &[max_span, width])?;
        let inputs = 2 * hidden + width;
        let weight = tensors.at(SpanTensors::SPAN).values("weight", &[dimensions, inputs])?;
        let columns = |from: usize, count: usize, bias: Vec<f32>| {
            let of_row = |row: &[f32]| row[from..from + count].to_vec();
            Linear::new(&weight.chunks_exact(inputs).flat_map(of_row).collect::<Vec<_>>(), bias)
        };
        let mut of_widths = vec![0.0; max_span * dimensions];
        columns(2 * hidden, width, bias.values().to_vec()).apply(&widths, &mut of_widths);
        let scales = tensors.values(SpanTensors::SCALES, &[3])?;
        Ok(Self {
            dimensions,
            first: columns(0, hidden, vec![0.0; dimensions]),
            last: columns(hidden, hidden, vec![0.0; dimensions]),
            widths: of_widths,
            start: map(tensors, [SpanTensors::START; 2], hidden, dimensions)?,
            end: map(tensors, [SpanTensors::END, SpanTensors::START], hidden, dimensions)?,
            scales: [0, 1, 2].map(|part| scales[part].exp()),
        })
    }

    /// Returns the unit vectors of rows of states by a map.
    ///
    /// # Shapes
    /// `states: [rows, inputs]`, output: `[rows, dimensions]`
    pub fn unit_rows(&self, map: &Linear, states: &[f32], rows: usize) -> Vec<f32> {
        unit_rows(map, states, rows, self.dimensions)
    }

    /// Returns the vectors of rows of states by a map.
    ///
    /// # Shapes
    /// `states: [rows, inputs]`, output: `[rows, dimensions]`
    pub fn rows(&self, map: &Linear, states: &[f32], rows: usize) -> Vec<f32> {
        mapped(map, states, rows, self.dimensions)
    }
}

/// Loads the map with the first of two names that the model has.
pub(super) fn map(tensors: &Scope<'_>, names: [&str; 2], inputs: usize, dimensions: usize) -> Result<Linear, Error> {
    let name = names.into_iter().find(|name| tensors.at(name).has("weight")).unwrap_or(names[1]);
    Linear::load(&tensors.at(name), inputs, dimensions)
}

/// As [`Maps::unit_rows`].
pub(super) fn unit_rows(map: &Linear, states: &[f32], rows: usize, dimensions: usize) -> Vec<f32> {
    let mut vectors = mapped(map, states, rows, dimensions);
    vectors.chunks_exact_mut(dimensions).for_each(scale_to_unit);
    vectors
}

fn mapped(map: &Linear, states: &[f32], rows: usize, dimensions: usize) -> Vec<f32> {
    let mut vectors = vec![0.0; rows * dimensions];
    if rows > 0 {
        map.apply(states, &mut vectors);
    }
    vectors
}
