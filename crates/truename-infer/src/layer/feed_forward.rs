//! The feed-forward part of a layer.

use std::cell::RefCell;

use rayon::prelude::*;

use super::gate::gated;
use super::{Activation, Linear, PartNorm, sized};

thread_local! {
    /// Scratch of rows that are computed together.
    static SCRATCH: RefCell<FeedForwardScratch> = RefCell::default();
}

/// `x + W₂ f(W₁ x + b₁) + b₂` with the activation `f`, or with a gate in place of it; a norm comes before or after.
pub(crate) struct FeedForward {
    pub up: Linear,
    pub down: Linear,
    pub activation: Activation,
    /// True where the first half of the inner numbers, activated, is multiplied by the other half.
    pub is_gated: bool,
    pub norm: PartNorm,
}

/// Buffers of a feed-forward part.
#[derive(Default)]
pub(crate) struct FeedForwardScratch {
    inner: Vec<f32>,
    normed: Vec<f32>,
}

impl FeedForward {
    /// Computes the states after the part, in place.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn run(&self, hidden: &mut [f32], scratch: &mut FeedForwardScratch) {
        if self.up.is_int8() {
            let rows = hidden.par_chunks_mut(Linear::INT8_ROWS * self.down.outputs());
            rows.for_each(|rows| SCRATCH.with_borrow_mut(|scratch| self.add_rows(rows, scratch)));
        } else {
            self.add_rows(hidden, scratch);
        }
    }

    fn add_rows(&self, hidden: &mut [f32], FeedForwardScratch { inner, normed }: &mut FeedForwardScratch) {
        let tokens = hidden.len() / self.down.outputs();
        let inner = sized(inner, tokens * self.up.outputs());
        let normed = self.norm.before(hidden, normed);
        let activated = if self.is_gated {
            self.up.apply(normed, inner);
            gated(self.activation, inner, self.up.outputs())
        } else {
            self.up.apply_activated(normed, inner, self.activation);
            inner
        };
        self.down.add(activated, hidden, &self.norm);
    }
}
