use crate::recipe::{Decay, Schedule};

/// The learning rate of a step, from 0, of `total`: it rises over the warm-up, then falls.
pub(crate) fn learning_rate(schedule: &Schedule, step: u64, total: u64) -> f64 {
    let warm_up = (schedule.warm_up * total as f64).ceil() as u64;
    if step < warm_up {
        return schedule.learning_rate * (step + 1) as f64 / warm_up as f64;
    }
    let progress = (step - warm_up) as f64 / (total - warm_up).max(1) as f64;
    schedule.learning_rate
        * match schedule.decay {
            Decay::Linear => 1.0 - progress,
            Decay::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * progress).cos()),
            Decay::Constant => 1.0,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let mut schedule = Schedule { learning_rate: 1.0, warm_up: 0.2, ..Schedule::default() };
        let rates = |schedule: &Schedule| [0, 1, 2, 6, 9].map(|step| learning_rate(schedule, step, 10));
        assert_eq!(rates(&schedule), [0.5, 1.0, 1.0, 0.5, 0.125]);
        schedule.decay = Decay::Cosine;
        assert!((rates(&schedule)[3] - 0.5).abs() < 1e-12);
        schedule.decay = Decay::Constant;
        schedule.warm_up = 0.0;
        assert_eq!(rates(&schedule), [1.0; 5]);
    }
}
