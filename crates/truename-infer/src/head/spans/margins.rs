//! Margins of all spans of windows, by which a smaller model learns from this one.

use rayon::prelude::*;

use super::{Part, SpanOptions, SpanScorer, SpanWindow, WindowTask};
use crate::{Error, Input};

/// Differences of scores and thresholds in a window, for each type of the scorer, with the states that they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowMargins {
    /// Margins of the tokens that begin a word: `[starts, types]`; infinite where there are no thresholds of starts.
    pub starts: Vec<f32>,
    /// Margins of the tokens that end a word: `[ends, types]`; infinite where there are no thresholds of ends.
    pub ends: Vec<f32>,
    /// First and last tokens of the spans.
    pub spans: Vec<(u32, u32)>,
    /// Margins of the spans: `[spans, types]`
    pub span_margins: Vec<f32>,
    /// States of all tokens: `[tokens, hidden]`
    pub states: Vec<f32>,
}

impl SpanScorer {
    /// Returns the margins of all spans of windows.
    ///
    /// # Errors
    /// Where a window has tokens that the model does not have.
    pub fn margins(&self, windows: &[&SpanWindow]) -> Result<Vec<WindowMargins>, Error> {
        let inputs: Vec<Input> = windows.iter().map(|window| window.sequence.input.clone()).collect();
        let states = self.text.states(&inputs, &[self.text.info().layers])?;
        let all = SpanOptions { min_margin: f32::NEG_INFINITY, ..SpanOptions::default() };
        let of_window = |(window, states): (&&SpanWindow, &crate::States)| {
            let task = WindowTask { window: (*window).clone(), likely: Vec::new(), slacks: [].into() };
            let found = self.score_window(&task, states, &all);
            let spans = found.chunk_by(|left, right| (left.first, left.last) == (right.first, right.last));
            WindowMargins {
                starts: self.position_margins(states, &window.starts, Part::Start),
                ends: self.position_margins(states, &window.ends, Part::End),
                spans: spans.map(|span| (span[0].first, span[0].last)).collect(),
                span_margins: found.iter().map(|span| span.score - span.threshold).collect(),
                states: states.layer(0).to_vec(),
            }
        };
        Ok(windows.par_iter().zip(&states).map(of_window).collect())
    }
}
