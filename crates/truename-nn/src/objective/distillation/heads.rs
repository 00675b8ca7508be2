//! Span heads of a student, beside the fixed vectors of the teacher's types.

use burn_tensor::Tensor;

use super::SoftSpans;
use crate::layer::indices;
use crate::objective::spans::{Part, SpanThreshold, Spans, SpansOptions, constant};
use crate::parameter::Parameter;

/// Span heads of a teacher, which the student begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTeacher {
    /// Number of types.
    pub types: usize,
    /// Largest number of tokens of a span.
    pub max_span: usize,
    /// Width of the vectors that are compared.
    pub dimensions: usize,
    /// Width of the embedding of a span's width.
    pub width: usize,
    /// True where starts and ends have one map.
    pub shares_maps: bool,
    /// Kind of thresholds.
    pub thresholds: TeacherThresholds,
    /// Vectors of the types that starts, ends and spans are compared with, of unit length: `[types, dimensions]`
    pub vectors: [Vec<f32>; 3],
}

/// Thresholds of a teacher.
#[derive(Clone, Debug, PartialEq)]
pub enum TeacherThresholds {
    /// The similarity of the type to the first token of the text.
    Dynamic,
    /// A learned number for each type.
    Learned,
    /// A fixed number for each type, of spans alone.
    Tuned(Vec<f32>),
}

/// Span heads that learn.
#[derive(Clone, Debug)]
pub(super) struct SpanHeads {
    spans: Spans,
    teacher: SpanTeacher,
}

impl SpanHeads {
    pub fn new(hidden: usize, teacher: SpanTeacher, seed: u64) -> Self {
        let SpanTeacher { types, max_span, dimensions, width, shares_maps, .. } = teacher;
        let threshold = match teacher.thresholds {
            TeacherThresholds::Learned => SpanThreshold::Learned,
            _ => SpanThreshold::Dynamic,
        };
        let options = SpansOptions {
            types,
            max_span,
            dimensions,
            width,
            threshold,
            shares_maps,
            seed,
            ..SpansOptions::default()
        };
        Self { spans: Spans::new(hidden, hidden, options), teacher }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.spans.text_parameters()
    }

    /// Returns the margins of a kind of candidates, and those of the teacher; `None` without candidates, or thresholds for them.
    ///
    /// # Shapes
    /// `states: [tokens, hidden]`, output: `[candidates, types]` each
    pub fn margins(&self, part: Part, states: &Tensor<2>, batch: &SoftSpans) -> Option<(Tensor<2>, Vec<f32>)> {
        let device = states.device();
        let has_thresholds = part == Part::Span || !matches!(self.teacher.thresholds, TeacherThresholds::Tuned(_));
        let Candidates { mut firsts, mut lasts, mut widths, texts, targets } = Candidates::of(part, batch);
        if firsts.is_empty() || !has_thresholds {
            return None;
        }
        // The first token of each text comes before the candidates: its score is the threshold.
        let anchors: Vec<i32> = batch.texts.rows().map(|rows| rows.start as i32).collect();
        let (count, candidates) = (anchors.len(), firsts.len());
        firsts.splice(0..0, anchors.iter().copied());
        lasts.splice(0..0, anchors);
        widths.splice(0..0, std::iter::repeat_n(0, count));
        let vectors = match part {
            Part::Span => self.spans.span_vectors(states, firsts, lasts, widths),
            _ => self.spans.map(part).forward(states.clone().select(0, indices(firsts, &device))),
        };
        let shape = [self.teacher.types, self.teacher.dimensions];
        let types = constant(self.teacher.vectors[part as usize].clone(), shape, &device);
        let scores = self.spans.scores(part, vectors, types);
        let thresholds = match &self.teacher.thresholds {
            TeacherThresholds::Dynamic => scores.clone().select(0, indices(texts, &device)),
            TeacherThresholds::Learned => self.spans.learned_thresholds(part),
            TeacherThresholds::Tuned(tuned) => constant(tuned.clone(), [1, tuned.len()], &device),
        };
        Some((scores.narrow(0, count, candidates) - thresholds, targets))
    }
}

/// Candidates of all texts of a batch, with the number of their text.
#[derive(Default)]
struct Candidates {
    firsts: Vec<i32>,
    lasts: Vec<i32>,
    widths: Vec<i32>,
    texts: Vec<i32>,
    targets: Vec<f32>,
}

impl Candidates {
    fn of(part: Part, batch: &SoftSpans) -> Self {
        let mut all = Self::default();
        for (number, (rows, labels)) in batch.texts.rows().zip(&batch.labels).enumerate() {
            let mut push = |first: u32, last: u32| {
                all.firsts.push((rows.start + first as usize) as i32);
                all.lasts.push((rows.start + last as usize) as i32);
                all.widths.push((last - first) as i32);
                all.texts.push(number as i32);
            };
            let targets = match part {
                Part::Start => {
                    labels.starts.iter().for_each(|token| push(*token, *token));
                    &labels.start_margins
                }
                Part::End => {
                    labels.ends.iter().for_each(|token| push(*token, *token));
                    &labels.end_margins
                }
                Part::Span => {
                    labels.spans.iter().for_each(|(first, last)| push(*first, *last));
                    &labels.span_margins
                }
            };
            all.targets.extend_from_slice(targets);
        }
        all
    }
}
