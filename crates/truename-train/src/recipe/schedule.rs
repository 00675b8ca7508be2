//! Length of a run, and its learning rate by step.

use serde::{Deserialize, Serialize};

/// Length and speed of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Schedule {
    /// Number of times that all data is learnt.
    pub epochs: usize,
    /// Largest number of steps; 0 sets no limit.
    pub max_steps: u64,
    /// Minutes after which the run ends with a checkpoint; 0 sets no limit.
    pub max_minutes: f64,
    /// Highest learning rate.
    pub learning_rate: f64,
    /// Factor of the learning rate for heads.
    pub head_rate: f64,
    /// Share of all steps over which the learning rate rises.
    pub warmup_ratio: f64,
    /// Course of the learning rate after the warm-up.
    pub decay: Decay,
    /// Batches of a step.
    pub accumulate: usize,
    /// Weight decay of AdamW.
    pub weight_decay: f64,
    /// Gradient norm above which gradients are clipped; 0 clips none.
    pub max_grad_norm: f64,
}

/// Course of the learning rate after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decay {
    /// A line down to 0.
    Linear,
    /// Half a cosine down to 0.
    Cosine,
    /// No change.
    Constant,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            epochs: 8,
            max_steps: 0,
            max_minutes: 0.0,
            learning_rate: 5e-5,
            head_rate: 1.0,
            warmup_ratio: 0.1,
            decay: Decay::Linear,
            accumulate: 1,
            weight_decay: 0.01,
            max_grad_norm: 1.0,
        }
    }
}

impl Schedule {
    /// Returns the learning rate of a step, from 0, of `total`.
    pub(crate) fn learning_rate_at(&self, step: u64, total: u64) -> f64 {
        let warm_up = (self.warmup_ratio * total as f64).ceil() as u64;
        if step < warm_up {
            return self.learning_rate * (step + 1) as f64 / warm_up as f64;
        }
        let progress = (step - warm_up) as f64 / (total - warm_up).max(1) as f64;
        self.learning_rate
            * match self.decay {
                Decay::Linear => 1.0 - progress,
                Decay::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * progress).cos()),
                Decay::Constant => 1.0,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let mut schedule = Schedule { learning_rate: 1.0, warmup_ratio: 0.2, ..Schedule::default() };
        let rates = |schedule: &Schedule| [0, 1, 2, 6, 9].map(|step| schedule.learning_rate_at(step, 10));
        assert_eq!(rates(&schedule), [0.5, 1.0, 1.0, 0.5, 0.125]);
        schedule.decay = Decay::Cosine;
        assert!((rates(&schedule)[3] - 0.5).abs() < 1e-12);
        schedule.decay = Decay::Constant;
        schedule.warmup_ratio = 0.0;
        assert_eq!(rates(&schedule), [1.0; 5]);
    }
}
