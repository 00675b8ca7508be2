//! Distillation: a smaller model learns the answers of a larger one (Hinton et al. 2015).

mod divergence;
mod heads;

use burn_tensor::Tensor;
use truename_infer::Batch;

use self::divergence::divergence;
use self::heads::SpanHeads;
use super::spans::{Part, constant, with_gradient};
use super::{Loss, Objective, Pass};
use crate::layer::{Linear, indices, unit_rows};
use crate::parameter::Parameter;

pub use self::heads::{SpanTeacher, TeacherThresholds};

/// Losses over the margins of spans, the states of tokens and the vectors of names of a teacher.
#[derive(Clone, Debug)]
pub struct Distillation {
    options: DistillationOptions,
    heads: Option<SpanHeads>,
    /// Map to the width of the teacher's states, where the student's have another.
    map: Option<Linear>,
}

/// Options of [`Distillation`].
#[derive(Clone, Debug, PartialEq)]
pub struct DistillationOptions {
    /// Temperature of the probabilities that margins become; higher ones weigh small margins more.
    pub temperature: f64,
    /// Weight of the loss of spans.
    pub spans: f64,
    /// Weight of the losses of starts and of ends.
    pub positions: f64,
    /// Weight of the loss of states.
    pub states: f64,
    /// Weight of the loss of names' vectors.
    pub vectors: f64,
    /// Weight of the loss of names' similarities to one another.
    pub similarities: f64,
    /// Seed of the initial values.
    pub seed: u64,
}

impl Default for DistillationOptions {
    fn default() -> Self {
        Self { temperature: 2.0, spans: 1.0, positions: 0.5, states: 1.0, vectors: 1.0, similarities: 1.0, seed: 0 }
    }
}

/// Outputs of a teacher for a batch.
#[derive(Clone, Debug)]
pub enum TeacherAnswers {
    /// Margins of spans and states of tokens, for texts.
    Texts(SoftSpans),
    /// Vectors, for names.
    Names(SoftVectors),
}

/// Texts with the margins of their spans and states of their tokens by the teacher.
#[derive(Clone, Debug, Default)]
pub struct SoftSpans {
    /// The texts.
    pub texts: Batch,
    /// The margins of each text.
    pub labels: Vec<SoftLabels>,
    /// Numbers of tokens of the batch.
    pub state_rows: Vec<u32>,
    /// States of these tokens: `[state_rows, hidden]`
    pub states: Vec<f32>,
}

/// Margins of the spans of a text by the teacher: differences of score and threshold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoftLabels {
    /// Tokens at which a mention may begin.
    pub starts: Vec<u32>,
    /// Margins of these tokens: `[starts, types]`
    pub start_margins: Vec<f32>,
    /// Tokens at which a mention may end.
    pub ends: Vec<u32>,
    /// Margins of these tokens: `[ends, types]`
    pub end_margins: Vec<f32>,
    /// First and last tokens of spans.
    pub spans: Vec<(u32, u32)>,
    /// Margins of these spans: `[spans, types]`
    pub span_margins: Vec<f32>,
}

/// Names with their vectors by the teacher.
#[derive(Clone, Debug, Default)]
pub struct SoftVectors {
    /// The names.
    pub texts: Batch,
    /// Vectors of unit length: `[texts, hidden]`
    pub vectors: Vec<f32>,
}

impl Distillation {
    /// Creates the objective for a student and a teacher with states of these widths; `teacher` has the span heads, where the two have some.
    pub fn new(
        hidden: usize,
        teacher_hidden: usize,
        teacher: Option<SpanTeacher>,
        options: DistillationOptions,
    ) -> Self {
        let seed = options.seed;
        let map = || Linear::untrained(&format!("{}map", Self::TRAINING_ONLY), hidden, teacher_hidden, seed);
        Self {
            heads: teacher.map(|teacher| SpanHeads::new(hidden, teacher, seed)),
            map: (hidden != teacher_hidden).then(map),
            options,
        }
    }

    /// Beginning of the names of tensors that serve the training alone.
    pub const TRAINING_ONLY: &'static str = "distillation.";

    fn texts(&self, pass: &Pass<'_>, batch: &SoftSpans) -> Tensor<1> {
        let DistillationOptions { temperature, spans, positions, states: of_states, .. } = self.options;
        let states = pass.states(0, &batch.texts);
        let mut loss = self.states(&states, batch) * of_states;
        let Some(heads) = &self.heads else { return loss };
        let words = batch.labels.iter().map(|labels| labels.starts.len()).sum::<usize>().max(1);
        for part in [Part::Start, Part::End, Part::Span] {
            let weight = if part == Part::Span { spans } else { positions };
            if weight > 0.0
                && let Some((margins, targets)) = heads.margins(part, &states, batch)
            {
                let of_part = with_gradient(margins, |margins| divergence(margins, &targets, temperature));
                loss = loss + of_part * (weight / words as f64);
            }
        }
        loss
    }

    /// The squared error of the states, relative to the square of the teacher's.
    fn states(&self, states: &Tensor<2>, batch: &SoftSpans) -> Tensor<1> {
        let device = states.device();
        let rows = batch.state_rows.len();
        if rows == 0 {
            return states.clone().sum() * 0.0;
        }
        let of_rows =
            states.clone().select(0, indices(batch.state_rows.iter().map(|row| *row as i32).collect(), &device));
        let squares: f64 = batch.states.iter().map(|value| f64::from(*value).powi(2)).sum();
        let teacher = constant(batch.states.clone(), [rows, batch.states.len() / rows], &device);
        (self.mapped(of_rows) - teacher).square().sum() / squares.max(f64::MIN_POSITIVE)
    }

    fn names(&self, pass: &Pass<'_>, batch: &SoftVectors) -> Tensor<1> {
        let names = batch.texts.rows().count();
        let vectors = pass.vectors(0, &batch.texts);
        let teacher = constant(batch.vectors.clone(), [names, batch.vectors.len() / names], &vectors.device());
        let cosines = unit_rows(self.mapped(vectors.clone())) * teacher.clone();
        let unlike = cosines.sum() * (-1.0 / names as f64) + 1.0;
        let vectors = unit_rows(vectors);
        let similarities = vectors.clone().matmul(vectors.transpose()) - teacher.clone().matmul(teacher.transpose());
        unlike * self.options.vectors + similarities.square().mean() * self.options.similarities
    }

    fn mapped(&self, states: Tensor<2>) -> Tensor<2> {
        self.map.iter().fold(states, |states, map| map.forward(states))
    }
}

impl Objective for Distillation {
    type Batch = TeacherAnswers;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        let heads = self.heads.iter_mut().flat_map(SpanHeads::parameters);
        heads.chain(self.map.iter_mut().flat_map(Linear::parameters)).collect()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &TeacherAnswers) -> Loss {
        Loss(match batch {
            TeacherAnswers::Texts(texts) => self.texts(pass, texts),
            TeacherAnswers::Names(names) => self.names(pass, names),
        })
    }
}
