//! Silhouettes of clusterings (Rousseeuw 1987), on a sample where there are many names.

use rayon::prelude::*;
use truename_kb::Progress;

use super::space::{FARTHEST, NameSpace};
use crate::Error;

/// Most distances that are held, 80 MB: of more than 4,472 names a sample is compared with all names.
const MAX_DISTANCES: usize = 20_000_000;
/// Names whose distances are computed together.
const ROWS: usize = 128;

/// Distances of a sample of the names to all names.
pub(super) struct Silhouette {
    names: usize,
    sampled: Vec<usize>,
    /// `[sampled, names]`
    distances: Vec<f32>,
}

impl Silhouette {
    pub fn new(space: &NameSpace, progress: &Progress) -> Result<Self, Error> {
        Self::sampled(space, MAX_DISTANCES / space.len().max(1), progress)
    }

    fn sampled(space: &NameSpace, most: usize, progress: &Progress) -> Result<Self, Error> {
        let names = space.len();
        let count = names.min(most.max(1));
        let sampled: Vec<usize> = (0..count).map(|at| at * names / count).collect();
        progress.begin("choosing the threshold", 0);
        let mut distances = vec![0.0; count * names];
        for (rows, out) in sampled.chunks(ROWS).zip(distances.chunks_mut(ROWS * names.max(1))) {
            progress.check()?;
            space.distances(rows, 0, out);
            out.iter_mut().for_each(|distance| *distance = distance.min(FARTHEST));
        }
        Ok(Self { names, sampled, distances })
    }

    /// Returns the mean distance of a name of the sample to another name; 0 if there is one name at most.
    pub fn mean_distance(&self) -> f32 {
        let rows = self.sampled.par_iter().zip(self.distances.par_chunks(self.names.max(1)));
        let sums = rows
            .map(|(name, row)| row.iter().map(|distance| f64::from(*distance)).sum::<f64>() - f64::from(row[*name]));
        let sum: f64 = sums.collect::<Vec<f64>>().iter().sum();
        let pairs = self.sampled.len() * self.names.saturating_sub(1);
        if pairs == 0 { 0.0 } else { (sum / pairs as f64) as f32 }
    }

    /// Returns the mean silhouette of the sample (Rousseeuw 1987), from -1 to 1; higher is better. A name alone in its cluster
    /// has 0.
    pub fn of(&self, labels: &[usize]) -> f64 {
        let clusters = labels.iter().max().map_or(0, |last| last + 1);
        if clusters < 2 {
            return 0.0;
        }
        let mut sizes = vec![0_u32; clusters];
        labels.iter().for_each(|label| sizes[*label] += 1);
        let rows = self.sampled.par_iter().zip(self.distances.par_chunks(self.names));
        let each = rows.map_init(
            || vec![0.0_f64; clusters],
            |sums, (name, distances)| {
                let own = labels[*name];
                if sizes[own] == 1 {
                    return 0.0;
                }
                sums.fill(0.0);
                labels.iter().zip(distances).for_each(|(label, distance)| sums[*label] += f64::from(*distance));
                let within = (sums[own] - f64::from(distances[*name])) / f64::from(sizes[own] - 1);
                let others = sums.iter().zip(&sizes).enumerate().filter(|(label, _)| *label != own);
                let nearest = others.map(|(_, (sum, size))| sum / f64::from(*size)).fold(f64::INFINITY, f64::min);
                let larger = within.max(nearest);
                if larger > 0.0 { (nearest - within) / larger } else { 0.0 }
            },
        );
        each.collect::<Vec<f64>>().iter().sum::<f64>() / self.sampled.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClusterOptions;

    /// Against the definition, pair by pair in `f64`.
    #[test]
    fn the_silhouette_is_that_of_its_definition() {
        let names = ["heart attack", "heart attacks", "attack heart", "flu", "influenza", "the flu", "aids"];
        let progress = Progress::default();
        let space = NameSpace::new(&names, None, &ClusterOptions::default(), &progress).unwrap();
        let labels = [0, 0, 0, 1, 2, 1, 3];
        let mean = |name: usize, label: usize| {
            let others: Vec<usize> =
                (0..names.len()).filter(|other| *other != name && labels[*other] == label).collect();
            others.iter().map(|other| f64::from(space.distance(name, *other))).sum::<f64>() / others.len() as f64
        };
        let one = |name: usize| {
            if labels.iter().filter(|label| **label == labels[name]).count() == 1 {
                return 0.0;
            }
            let within = mean(name, labels[name]);
            let nearest =
                (0..4).filter(|label| *label != labels[name]).map(|label| mean(name, label)).fold(f64::MAX, f64::min);
            (nearest - within) / nearest.max(within)
        };
        let expected = (0..names.len()).map(one).sum::<f64>() / names.len() as f64;
        let found = Silhouette::new(&space, &progress).unwrap();
        assert!(expected > 0.3 && (found.of(&labels) - expected).abs() < 1e-5, "{} {expected}", found.of(&labels));
        assert_eq!(found.of(&[0; 7]), 0.0);
        let pairs = (0..7).flat_map(|one| (0..7).filter(move |other| *other != one).map(move |other| (one, other)));
        let mean = pairs.map(|(one, other)| space.distance(one, other)).sum::<f32>() / 42.0;
        assert!((found.mean_distance() - mean).abs() < 1e-5);

        let sample = Silhouette::sampled(&space, 3, &progress).unwrap();
        assert_eq!(sample.sampled, [0, 2, 4]);
        let expected = [0, 2, 4].map(one).iter().sum::<f64>() / 3.0;
        assert!((sample.of(&labels) - expected).abs() < 1e-5);
    }
}
