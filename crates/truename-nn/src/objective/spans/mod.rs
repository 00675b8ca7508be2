//! Recognition by spans: starts, ends and spans of mentions against descriptions of types (BINDER).

mod contrast;
mod rows;

use burn_tensor::{Device as BurnDevice, Tensor, TensorData};
use truename_infer::{Batch, SpanTensors};

use self::contrast::{Group, contrast};
use self::rows::{PositionRows, SpanRows};
use super::{Loss, Objective, Pass};
use crate::layer::{Linear, dropped, indices, unit_rows};
use crate::parameter::Parameter;

/// Contrastive losses over spans, starts and ends of mentions, and thresholds (BINDER, section 3.2).
///
/// The first network reads texts, the second descriptions of types. The similarity of a span or token to a type is the cosine
/// of their vectors, divided by a learned temperature.
#[derive(Clone, Debug)]
pub struct Spans {
    options: SpansOptions,
    span: Linear,
    start: Linear,
    end: Option<Linear>,
    type_span: Linear,
    type_start: Option<Linear>,
    type_end: Option<Linear>,
    /// `[max_span, width]`
    widths: Parameter,
    /// Of starts, ends and spans: `[3]`
    log_scales: Parameter,
    /// Of starts, ends and spans: `[3, types]`
    thresholds: Option<Parameter>,
}

/// Options of [`Spans`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpansOptions {
    /// Number of types.
    pub types: usize,
    /// Largest number of tokens of a span.
    pub max_span: usize,
    /// Width of the vectors that are compared.
    pub dimensions: usize,
    /// Width of the embedding of a span's width.
    pub width: usize,
    /// Temperature that the learned ones start from.
    pub temperature: f64,
    /// Weights of the losses over starts, ends and spans (α, γ and λ of equation 15).
    pub weights: [f64; 3],
    /// Weight of the loss of mentions, that of thresholds being `1 − beta` (equations 13 and 14).
    pub beta: f64,
    /// Kind of thresholds.
    pub threshold: SpanThreshold,
    /// Uses one map for starts and ends, and one for the three vectors of a type (table 5, shared linear layers).
    pub shares_maps: bool,
    /// Drops numbers of the vectors that are compared too, by the dropout of the networks.
    pub drops_vectors: bool,
    /// Seed of the initial values.
    pub seed: u64,
}

/// Kinds of thresholds (BINDER, section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanThreshold {
    /// The similarity of the type to the first token of the text.
    Dynamic,
    /// A learned number for each type.
    Learned,
    /// None: the loss of mentions alone.
    None,
}

impl Default for SpansOptions {
    /// The options of the paper (section 4.2).
    fn default() -> Self {
        Self {
            types: 1,
            max_span: 30,
            dimensions: 128,
            width: 128,
            temperature: 0.07,
            weights: [0.2, 0.2, 0.6],
            beta: 0.5,
            threshold: SpanThreshold::Dynamic,
            shares_maps: false,
            drops_vectors: false,
            seed: 0,
        }
    }
}

/// Texts with their mentions, and the descriptions of all types.
#[derive(Clone, Debug, Default)]
pub struct LabelledSpans {
    /// The texts.
    pub texts: Batch,
    /// The mentions of each text.
    pub labels: Vec<SpanLabels>,
    /// The descriptions.
    pub descriptions: Batch,
    /// The type of each description.
    pub types: Vec<u32>,
}

/// The mentions of a text, by the numbers of its tokens. The first token of a text is no part of a mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanLabels {
    /// Tokens at which a mention may begin, in order.
    pub starts: Vec<u32>,
    /// Tokens at which a mention may end, in order.
    pub ends: Vec<u32>,
    /// The mentions. Each begins at one of `starts` and ends at one of `ends`.
    pub gold: Vec<GoldSpan>,
    /// First and last tokens of what may be mentions or not: no span that overlaps one of these is a negative.
    pub open: Vec<(u32, u32)>,
    /// The types whose mentions are marked; others take no part in the loss.
    pub types: Vec<u32>,
}

/// A mention by its first and last token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldSpan {
    /// The first token.
    pub first: u32,
    /// The last token.
    pub last: u32,
    /// The type.
    pub type_number: u32,
}

impl Spans {
    /// Creates the objective for networks with states of these widths.
    pub fn new(text_hidden: usize, description_hidden: usize, options: SpansOptions) -> Self {
        let SpansOptions { types, max_span, dimensions, width, seed, .. } = options;
        let map = |name, inputs| Linear::untrained(name, inputs, dimensions, seed);
        let unless_shared = |name, inputs| (!options.shares_maps).then(|| map(name, inputs));
        let log_scale = -options.temperature.ln() as f32;
        let learned = options.threshold == SpanThreshold::Learned;
        Self {
            span: map(SpanTensors::SPAN, 2 * text_hidden + width),
            start: map(SpanTensors::START, text_hidden),
            end: unless_shared(SpanTensors::END, text_hidden),
            type_span: map(SpanTensors::TYPE_SPAN, description_hidden),
            type_start: unless_shared(SpanTensors::TYPE_START, description_hidden),
            type_end: unless_shared(SpanTensors::TYPE_END, description_hidden),
            widths: Parameter::initial(SpanTensors::WIDTHS, [max_span, width], seed),
            log_scales: Parameter::new(SpanTensors::SCALES, &[3], &[log_scale; 3]),
            thresholds: learned.then(|| Parameter::new(SpanTensors::THRESHOLDS, &[3, types], &vec![0.0; 3 * types])),
            options,
        }
    }

    /// Its options.
    pub fn options(&self) -> &SpansOptions {
        &self.options
    }

    /// The loss over one kind of rows.
    ///
    /// # Shapes
    /// `vectors: [rows, dimensions]`, `types: [types, dimensions]`, output: `[1]`
    fn contrasted(
        &self,
        pass: &Pass<'_>,
        part: Part,
        [vectors, types]: [Tensor<2>; 2],
        mut groups: Vec<Group>,
    ) -> Tensor<1> {
        let drop = |vectors| if self.options.drops_vectors { dropped(vectors, pass.next_dropout()) } else { vectors };
        let mut scores = self.scores(part, drop(vectors), unit_rows(drop(types)));
        let rows = scores.dims()[0];
        match (self.options.threshold, &self.thresholds) {
            (SpanThreshold::Learned, Some(thresholds)) => {
                scores = Tensor::cat(vec![scores, thresholds.matrix().narrow(0, part as usize, 1)], 0);
                groups.iter_mut().for_each(|group| group.threshold = Some(rows));
            }
            (SpanThreshold::Dynamic, _) => {}
            _ => groups.iter_mut().for_each(|group| group.threshold = None),
        }
        with_gradient(scores, |scores| contrast(scores, self.options.types, &groups, self.options.beta))
    }

    /// Similarities of vectors to types, which are of unit length.
    ///
    /// # Shapes
    /// `vectors: [rows, dimensions]`, `types: [types, dimensions]`, output: `[rows, types]`
    pub(super) fn scores(&self, part: Part, vectors: Tensor<2>, types: Tensor<2>) -> Tensor<2> {
        let scale = self.log_scales.vector().narrow(0, part as usize, 1).exp();
        unit_rows(vectors).matmul(types.transpose()) * scale.unsqueeze()
    }

    /// The map of the states of tokens that begin or end a mention.
    pub(super) fn map(&self, part: Part) -> &Linear {
        self.end.as_ref().filter(|_| part == Part::End).unwrap_or(&self.start)
    }

    /// # Shapes
    /// output: `[1, types]`
    ///
    /// # Panics
    /// Where thresholds are not learned.
    pub(super) fn learned_thresholds(&self, part: Part) -> Tensor<2> {
        self.thresholds.as_ref().expect("learned thresholds").matrix().narrow(0, part as usize, 1)
    }

    /// The parameters beside those of types.
    pub(super) fn text_parameters(&mut self) -> Vec<&mut Parameter> {
        let Self { span, start, end, widths, log_scales, thresholds, .. } = self;
        let maps = [Some(span), Some(start), end.as_mut()].into_iter().flatten();
        maps.flat_map(Linear::parameters).chain([widths, log_scales]).chain(thresholds.as_mut()).collect()
    }

    /// The vectors of tokens that begin or end a mention, and their groups.
    fn positions(&self, part: Part, states: &Tensor<2>, batch: &LabelledSpans) -> (Tensor<2>, Vec<Group>) {
        let PositionRows { rows, groups } = PositionRows::of(batch, part);
        let states = states.clone().select(0, indices(rows, &states.device()));
        (self.map(part).forward(states), groups)
    }

    /// The vectors of spans, and their groups.
    fn spans(&self, states: &Tensor<2>, batch: &LabelledSpans) -> (Tensor<2>, Vec<Group>) {
        let SpanRows { firsts, lasts, widths, groups } = SpanRows::of(batch, self.options.max_span);
        (self.span_vectors(states, firsts, lasts, widths), groups)
    }

    /// Returns the vectors of spans, given by the rows of their first and last tokens and by their numbers of tokens less 1.
    ///
    /// # Shapes
    /// `states: [tokens, hidden]`, output: `[spans, dimensions]`
    pub(super) fn span_vectors(
        &self,
        states: &Tensor<2>,
        firsts: Vec<i32>,
        lasts: Vec<i32>,
        widths: Vec<i32>,
    ) -> Tensor<2> {
        let hidden = states.dims()[1];
        let device = states.device();
        // The map of a concatenation is the sum of the maps of its parts, which are of tokens and widths, not of spans.
        let weight = self.span.weight.matrix();
        let part = |input: Tensor<2>, from: usize, count: usize| {
            input.matmul(weight.clone().narrow(1, from, count).transpose())
        };
        let first = part(states.clone(), 0, hidden).select(0, indices(firsts, &device));
        let last = part(states.clone(), hidden, hidden).select(0, indices(lasts, &device));
        let width = part(self.widths.matrix(), 2 * hidden, self.options.width) + self.span.bias.vector().unsqueeze();
        first + last + width.select(0, indices(widths, &device))
    }

    /// Returns the mean state of the first tokens of each type's descriptions.
    ///
    /// # Shapes
    /// output: `[types, hidden]`
    fn type_states(&self, pass: &Pass<'_>, batch: &LabelledSpans) -> Tensor<2> {
        let states = pass.states(1, &batch.descriptions);
        let device = states.device();
        let firsts = batch.descriptions.rows().map(|rows| rows.start as i32).collect();
        let states = states.select(0, indices(firsts, &device));
        let (types, descriptions) = (self.options.types, batch.types.len());
        let mut counts = vec![0.0f32; types];
        batch.types.iter().for_each(|type_number| counts[*type_number as usize] += 1.0);
        let mut shares = vec![0.0f32; types * descriptions];
        for (description, type_number) in batch.types.iter().enumerate() {
            shares[*type_number as usize * descriptions + description] = 1.0 / counts[*type_number as usize];
        }
        constant(shares, [types, descriptions], &device).matmul(states)
    }
}

/// The kinds of vectors that are compared with types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Start = 0,
    End = 1,
    Span = 2,
}

impl Objective for Spans {
    type Batch = LabelledSpans;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        let Self { span, start, end, type_span, type_start, type_end, .. } = self;
        let maps = [Some(span), Some(start), end.as_mut(), Some(type_span), type_start.as_mut(), type_end.as_mut()];
        let mut parameters: Vec<&mut Parameter> = maps.into_iter().flatten().flat_map(Linear::parameters).collect();
        parameters.extend([&mut self.widths, &mut self.log_scales]);
        parameters.extend(self.thresholds.as_mut());
        parameters
    }

    fn loss(&self, pass: &Pass<'_>, batch: &LabelledSpans) -> Loss {
        Loss(self.loss_of(&pass.states(0, &batch.texts), pass, batch))
    }
}

impl Spans {
    /// Returns the loss of texts, given by the states of their tokens.
    ///
    /// # Shapes
    /// `states: [tokens, hidden]`, output: `[1]`
    pub(super) fn loss_of(&self, states: &Tensor<2>, pass: &Pass<'_>, batch: &LabelledSpans) -> Tensor<1> {
        let types = self.type_states(pass, batch);
        let [of_start, of_end, of_span] = self.options.weights;
        let part_loss = |part, (vectors, groups), own: &Option<Linear>| {
            let types = own.as_ref().unwrap_or(&self.type_span).forward(types.clone());
            self.contrasted(pass, part, [vectors, types], groups)
        };
        let mut loss = part_loss(Part::Span, self.spans(states, batch), &None) * of_span;
        if of_start > 0.0 {
            loss =
                loss + part_loss(Part::Start, self.positions(Part::Start, states, batch), &self.type_start) * of_start;
        }
        if of_end > 0.0 {
            loss = loss + part_loss(Part::End, self.positions(Part::End, states, batch), &self.type_end) * of_end;
        }
        loss
    }
}

/// Returns a function of numbers as a tensor that has the function's gradient. `of` returns the value and the gradient.
pub(super) fn with_gradient(numbers: Tensor<2>, of: impl FnOnce(&[f32]) -> (f64, Vec<f32>)) -> Tensor<1> {
    let (shape, device) = (numbers.dims(), numbers.device());
    let values: Vec<f32> = numbers.clone().into_data().try_into_vec().expect("scores are in single precision");
    let (value, gradient) = of(&values);
    let linear: f64 = values.iter().zip(&gradient).map(|(value, slope)| f64::from(*value) * f64::from(*slope)).sum();
    (numbers * constant(gradient, shape, &device)).sum() + (value - linear)
}

pub(super) fn constant(values: Vec<f32>, shape: [usize; 2], device: &BurnDevice) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests;
