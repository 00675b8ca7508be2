//! The state from which a run goes on, weights and optimizer aside.

use serde::{Deserialize, Serialize};

/// The state of a run, weights and optimizer aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State<P> {
    pub data_hash: String,
    /// The epoch under way, from 0.
    pub epoch: usize,
    /// The task's plan of the epoch.
    pub plan: P,
    /// Batches of the epoch that were learnt.
    pub batch: usize,
    /// Steps made.
    pub step: u64,
    /// The best score so far.
    pub best: Option<f64>,
    /// Evaluations after epochs since then.
    pub since_best: usize,
    /// Steps made at the last evaluation. A checkpoint whose evaluation is still to come has a lower number than `step`.
    pub evaluated: u64,
    /// Seconds that the run took, its pauses aside.
    pub seconds: f64,
}

impl<P: Default> State<P> {
    /// The state before the first step.
    pub fn new(data_hash: String) -> Self {
        Self {
            data_hash,
            epoch: 0,
            plan: P::default(),
            batch: 0,
            step: 0,
            best: None,
            since_best: 0,
            evaluated: 0,
            seconds: 0.0,
        }
    }
}
