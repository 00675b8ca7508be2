//! Exact t-SNE: places points near each other in the plane if their vectors are near (van der Maaten and Hinton 2008,
//! <https://jmlr.org/papers/v9/vandermaaten08a.html>).
//!
//! Every sum has a fixed order, so the points do not depend on the number of threads.
//!
//! `bhtsne` adds in parallel, so that its picture depends on the number of threads, and panics at a perplexity that
//! is too large for few points.

use rayon::prelude::*;

use truename_text::SplitMix64;

/// Number of steps (scikit-learn's default).
const STEPS: usize = 1000;
/// Number of early steps, with exaggerated attraction and low momentum, in which groups form.
const EARLY_STEPS: usize = 250;
/// Early exaggeration of attraction (Belkina et al. 2019; scikit-learn's default).
const EXAGGERATION: f32 = 12.0;
/// Minimum learning rate (scikit-learn's default for few points).
const MIN_LEARNING_RATE: f32 = 50.0;
/// Maximum distance of a step, as in openTSNE; keeps few points from flying apart.
const MAX_STEP: f32 = 5.0;
/// Standard deviation of the initial points along the first principal component (Kobak and Berens 2019).
const START_SPREAD: f64 = 1e-4;
/// Initial distance between points of equal vectors.
const START_JITTER: f64 = 1e-6;
/// Iterations of the power method for a principal component; the picture needs no exact one.
const POWER_ITERATIONS: usize = 30;
/// Bisections in the search for the width of a neighbourhood.
const BISECTIONS: usize = 60;
/// Pairs summed side by side in SIMD lanes.
const LANES: usize = 8;
/// Coordinate of lane padding: so far away that its nearness is negligible.
const FAR_AWAY: f32 = 1e15;
/// Minimum total nearness; less is rounding error.
const MIN_NEARNESS: f64 = 1e-6;

/// Options of t-SNE.
#[derive(Clone, Copy, Debug)]
pub struct Tsne {
    /// Effective number of neighbours of a point.
    pub perplexity: f64,
    /// Seed of the initial points.
    pub seed: u64,
}

impl Tsne {
    /// Returns the perplexity for a number of points: at most a third of the other points.
    pub fn perplexity_among(&self, points: usize) -> f64 {
        self.perplexity.min(points.saturating_sub(1) as f64 / 3.0).max(1.0)
    }

    /// Returns a point for each vector, all vectors of one length; `None` once `is_stopped` returns true.
    pub fn lay_out(&self, vectors: &[&[f32]], is_stopped: impl Fn() -> bool) -> Option<Vec<[f32; 2]>> {
        let affinities = affinities(vectors, self.perplexity_among(vectors.len()));
        let mut descent = Descent::from_points(&start(vectors, self.seed));
        for step in 0..STEPS {
            if is_stopped() {
                return None;
            }
            descent.step(&affinities, &Phase::at(step));
        }
        Some(descent.points())
    }
}

/// Returns the joint affinities `p(i, j)` row by row; they sum to 1.
fn affinities(vectors: &[&[f32]], perplexity: f64) -> Vec<f32> {
    let points = vectors.len();
    let conditional: Vec<f32> =
        (0..points).into_par_iter().flat_map_iter(|at| conditional(vectors, at, perplexity)).collect();
    let joint = |row: usize, column: usize| {
        (conditional[row * points + column] + conditional[column * points + row]) / (2 * points) as f32
    };
    (0..points).into_par_iter().flat_map_iter(|row| (0..points).map(move |column| joint(row, column))).collect()
}

/// Returns `p(j | i)` for all `j`: a Gaussian around the vector at `at` with the given perplexity.
fn conditional(vectors: &[&[f32]], at: usize, perplexity: f64) -> Vec<f32> {
    let distances: Vec<f64> = vectors.iter().map(|other| squared_distance(vectors[at], other)).collect();
    let nearest =
        distances.iter().enumerate().filter(|(other, _)| *other != at).fold(f64::INFINITY, |low, (_, d)| low.min(*d));
    let weights = |precision: f64| -> Vec<f64> {
        let weight = |(other, distance): (usize, &f64)| {
            if other == at { 0.0 } else { (-precision * (distance - nearest)).exp() }
        };
        distances.iter().enumerate().map(weight).collect()
    };
    let weights = weights(precision(weights, perplexity));
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| (weight / total.max(f64::MIN_POSITIVE)) as f32).collect()
}

/// Returns the precision at which the weights have the perplexity, found by bisection.
fn precision(weights: impl Fn(f64) -> Vec<f64>, perplexity: f64) -> f64 {
    let (mut low, mut high, mut precision) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..BISECTIONS {
        if entropy(&weights(precision)) > perplexity.ln() {
            low = precision;
        } else {
            high = precision;
        }
        precision = if high.is_finite() { f64::midpoint(low, high) } else { 2.0 * low };
    }
    precision
}

/// Returns the entropy in nats of weights that need not sum to 1.
fn entropy(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let shares = weights.iter().map(|weight| weight / total).filter(|share| *share > 0.0);
    -shares.map(|share| share * share.ln()).sum::<f64>()
}

fn squared_distance(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(left, right)| f64::from(left - right).powi(2)).sum()
}

/// Returns the initial points: the first two principal components of the vectors, scaled down.
fn start(vectors: &[&[f32]], seed: u64) -> Vec<[f32; 2]> {
    let mut rows = centred(vectors);
    let scores = [0, 1].map(|component| take_component(&mut rows, seed, component));
    let variance = scores[0].iter().map(|score| score * score).sum::<f64>() / vectors.len().max(1) as f64;
    let scale = if variance > 0.0 { START_SPREAD / variance.sqrt() } else { 0.0 };
    let jitter = |number: usize| START_JITTER * around_zero(seed, number as u64);
    let point = |at: usize| [0, 1].map(|axis: usize| (scale * scores[axis][at] + jitter(2 * at + axis)) as f32);
    (0..vectors.len()).map(point).collect()
}

fn centred(vectors: &[&[f32]]) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> =
        vectors.iter().map(|row| row.iter().map(|value| f64::from(*value)).collect()).collect();
    for column in 0..vectors.first().map_or(0, |row| row.len()) {
        let mean = rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
        rows.iter_mut().for_each(|row| row[column] -= mean);
    }
    rows
}

/// Returns the rows' coordinates along their first principal component, and subtracts that component from the rows.
fn take_component(rows: &mut [Vec<f64>], seed: u64, component: u64) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    // Random numbers independent of the jitter's.
    let random = |at: usize| around_zero(!seed, component * width as u64 + at as u64);
    let mut direction: Vec<f64> = unit((0..width).map(random).collect());
    for _ in 0..POWER_ITERATIONS {
        let mut next = vec![0.0; width];
        for row in rows.iter() {
            add(&mut next, row, dot(row, &direction));
        }
        direction = unit(next);
    }
    let scores: Vec<f64> = rows.iter().map(|row| dot(row, &direction)).collect();
    rows.iter_mut().zip(&scores).for_each(|(row, score)| add(row, &direction, -score));
    scores
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vector
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add(sum: &mut [f64], vector: &[f64], times: f64) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += times * value);
}

/// Returns a number from -1 to 1 drawn by the seed, uniform over all places.
fn around_zero(seed: u64, place: u64) -> f64 {
    (SplitMix64::at(seed, place) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Settings of a phase of the descent.
struct Phase {
    exaggeration: f32,
    momentum: f32,
}

impl Phase {
    fn at(step: usize) -> Self {
        if step < EARLY_STEPS {
            Self { exaggeration: EXAGGERATION, momentum: 0.5 }
        } else {
            Self { exaggeration: 1.0, momentum: 0.8 }
        }
    }
}

/// Gradient descent on the Kullback-Leibler divergence between nearness of the vectors and nearness in the plane.
struct Descent {
    across: Vec<f32>,
    up: Vec<f32>,
    velocities: Vec<[f32; 2]>,
    /// Learning rate gain of each coordinate (Jacobs 1988).
    gains: Vec<[f32; 2]>,
    rate: f32,
}

/// Forces of all other points on a point.
struct Forces {
    attraction: [f32; 2],
    repulsion: [f32; 2],
    /// `1 / (1 + distance²)`, summed over the other points.
    nearness: f64,
}

impl Descent {
    fn from_points(points: &[[f32; 2]]) -> Self {
        Self {
            across: points.iter().map(|point| point[0]).collect(),
            up: points.iter().map(|point| point[1]).collect(),
            velocities: vec![[0.0; 2]; points.len()],
            gains: vec![[1.0; 2]; points.len()],
            rate: (points.len() as f32 / EXAGGERATION / 4.0).max(MIN_LEARNING_RATE),
        }
    }

    fn points(&self) -> Vec<[f32; 2]> {
        self.across.iter().zip(&self.up).map(|(across, up)| [*across, *up]).collect()
    }

    fn step(&mut self, affinities: &[f32], phase: &Phase) {
        let points = self.across.len();
        let forces: Vec<Forces> = (0..points)
            .into_par_iter()
            .map(|at| self.forces_on(at, &affinities[at * points..(at + 1) * points]))
            .collect();
        let total: f64 = forces.iter().map(|forces| forces.nearness).sum();
        for (at, forces) in forces.iter().enumerate() {
            self.move_point(at, forces, total.max(MIN_NEARNESS) as f32, phase);
        }
        for coordinates in [&mut self.across, &mut self.up] {
            let mean = coordinates.iter().map(|value| f64::from(*value)).sum::<f64>() / points.max(1) as f64;
            coordinates.iter_mut().for_each(|value| *value -= mean as f32);
        }
    }

    fn forces_on(&self, at: usize, affinities: &[f32]) -> Forces {
        let (across, up) = (self.across[at], self.up[at]);
        let mut sums = PairSums::default();
        let (others_across, last_across) = self.across.as_chunks();
        let (others_up, last_up) = self.up.as_chunks();
        let (near, last_near) = affinities.as_chunks();
        for ((others_across, others_up), near) in others_across.iter().zip(others_up).zip(near) {
            sums.add(&others_across.map(|other| across - other), &others_up.map(|other| up - other), near);
        }
        // Padding of the last lanes attracts nothing and is too far away to repel.
        let filled = |last: &[f32], fill: f32| std::array::from_fn(|lane| last.get(lane).copied().unwrap_or(fill));
        let differences = |last: &[f32], own: f32| filled(last, FAR_AWAY).map(|other| own - other);
        sums.add(&differences(last_across, across), &differences(last_up, up), &filled(last_near, 0.0));
        sums.forces()
    }

    fn move_point(&mut self, at: usize, forces: &Forces, total: f32, phase: &Phase) {
        let velocity = &mut self.velocities[at];
        for (axis, (speed, gain)) in velocity.iter_mut().zip(&mut self.gains[at]).enumerate() {
            let gradient = 4.0 * (phase.exaggeration * forces.attraction[axis] - forces.repulsion[axis] / total);
            let goes_on = (gradient > 0.0) != (*speed > 0.0);
            *gain = if goes_on { *gain + 0.2 } else { (*gain * 0.8).max(0.01) };
            *speed = phase.momentum * *speed - self.rate * *gain * gradient;
        }
        let length = velocity[0].hypot(velocity[1]);
        if length > MAX_STEP {
            velocity.iter_mut().for_each(|value| *value *= MAX_STEP / length);
        }
        self.across[at] += velocity[0];
        self.up[at] += velocity[1];
    }
}

/// Sums over pairs, in lanes.
#[derive(Default)]
struct PairSums {
    nearness: [f32; LANES],
    attraction: [[f32; LANES]; 2],
    repulsion: [[f32; LANES]; 2],
}

impl PairSums {
    #[inline(always)]
    fn add(&mut self, across: &[f32; LANES], up: &[f32; LANES], affinities: &[f32; LANES]) {
        for (lane, ((across, up), affinity)) in across.iter().zip(up).zip(affinities).enumerate() {
            let nearness = 1.0 / (1.0 + across * across + up * up);
            let (attraction, repulsion) = (affinity * nearness, nearness * nearness);
            self.nearness[lane] += nearness;
            self.attraction[0][lane] += attraction * across;
            self.attraction[1][lane] += attraction * up;
            self.repulsion[0][lane] += repulsion * across;
            self.repulsion[1][lane] += repulsion * up;
        }
    }

    fn forces(&self) -> Forces {
        let sums = |lanes: &[[f32; LANES]; 2]| [lanes[0].iter().sum(), lanes[1].iter().sum()];
        Forces {
            attraction: sums(&self.attraction),
            repulsion: sums(&self.repulsion),
            // Leaves out the point itself, whose nearness is 1.
            nearness: self.nearness.iter().map(|lane| f64::from(*lane)).sum::<f64>() - 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TSNE: Tsne = Tsne { perplexity: 30.0, seed: 1 };

    fn lay_out(vectors: &[Vec<f32>]) -> Vec<[f32; 2]> {
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        TSNE.lay_out(&vectors, || false).unwrap()
    }

    /// Returns `count` vectors around the end of an axis.
    fn cluster(axis: usize, count: usize) -> Vec<Vec<f32>> {
        let noise = |number: usize| 0.2 * around_zero(axis as u64, number as u64) as f32;
        let value = |at: usize, dimension: usize| f32::from(dimension == axis) + noise(10 * at + dimension);
        (0..count).map(|at| (0..10).map(|dimension| value(at, dimension)).collect()).collect()
    }

    fn distance(left: &[f32; 2], right: &[f32; 2]) -> f32 {
        (left[0] - right[0]).hypot(left[1] - right[1])
    }

    #[test]
    fn clusters_stay_apart() {
        for count in [10, 43] {
            let points = lay_out(&[cluster(0, count), cluster(1, count), cluster(2, count)].concat());
            for (at, point) in points.iter().enumerate() {
                let others = points.iter().enumerate().filter(|(other, _)| *other != at);
                let nearest = others.min_by(|left, right| distance(left.1, point).total_cmp(&distance(right.1, point)));
                assert_eq!(nearest.unwrap().0 / count, at / count);
            }
        }
    }

    #[test]
    fn points_are_finite_however_few_or_equal() {
        for count in 0..20 {
            for vectors in [cluster(0, count), vec![vec![0.5; 4]; count], vec![vec![0.0; 4]; count]] {
                let points = lay_out(&vectors);
                assert_eq!(points.len(), count);
                assert!(points.iter().flatten().all(|value| value.is_finite()), "{points:?}");
            }
        }
    }

    #[test]
    fn equal_vectors_lie_together() {
        let points = lay_out(&[cluster(0, 30), cluster(0, 30), cluster(1, 30)].concat());
        for at in 0..30 {
            assert!(distance(&points[at], &points[at + 30]) < 0.2 * distance(&points[at], &points[at + 60]));
        }
    }

    #[test]
    fn a_row_has_the_perplexity_and_all_make_one() {
        let vectors = [cluster(0, 40), cluster(1, 20)].concat();
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        for at in 0..vectors.len() {
            let row: Vec<f64> = conditional(&vectors, at, 12.0).into_iter().map(f64::from).collect();
            assert!((entropy(&row).exp() - 12.0).abs() < 1e-3);
            assert_eq!(row[at], 0.0);
        }
        let total: f32 = affinities(&vectors, 12.0).iter().sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
    }

    #[test]
    fn the_gradient_is_that_of_the_divergence() {
        let vectors = cluster(0, 12);
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let affinities = affinities(&vectors, 3.0);
        let points: Vec<[f32; 2]> = (0..12).map(|at| [0, 1].map(|axis| around_zero(3, 2 * at + axis) as f32)).collect();
        let divergence = |moved: f64| {
            let place =
                |at: usize| [f64::from(points[at][0]) + if at == 5 { moved } else { 0.0 }, points[at][1].into()];
            let nearness = |i: usize, j: usize| {
                let (left, right) = (place(i), place(j));
                1.0 / (1.0 + (left[0] - right[0]).powi(2) + (left[1] - right[1]).powi(2))
            };
            let pairs: Vec<(usize, usize)> =
                (0..12).flat_map(|i| (0..12).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
            let total: f64 = pairs.iter().map(|(i, j)| nearness(*i, *j)).sum();
            let affinity = |i: usize, j: usize| f64::from(affinities[12 * i + j]);
            let part = |(i, j): &(usize, usize)| affinity(*i, *j) * (affinity(*i, *j) * total / nearness(*i, *j)).ln();
            pairs.iter().map(part).sum::<f64>()
        };
        let descent = Descent::from_points(&points);
        let forces: Vec<Forces> = (0..12).map(|at| descent.forces_on(at, &affinities[12 * at..][..12])).collect();
        let total: f64 = forces.iter().map(|forces| forces.nearness).sum();
        let gradient = 4.0 * (f64::from(forces[5].attraction[0]) - f64::from(forces[5].repulsion[0]) / total);
        let measured = (divergence(1e-4) - divergence(-1e-4)) / 2e-4;
        assert!((gradient - measured).abs() < 1e-5, "{gradient}, {measured}");
    }

    #[test]
    fn numbers_lie_around_zero() {
        let numbers: Vec<f64> = (0..1000).map(|place| around_zero(7, place)).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number)));
        assert!(numbers.iter().sum::<f64>().abs() < 50.0);
    }

    #[test]
    fn the_seed_decides_and_a_stop_is_heeded() {
        let vectors = cluster(0, 25);
        assert_eq!(lay_out(&vectors), lay_out(&vectors));
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        assert_ne!(Tsne { seed: 2, ..TSNE }.lay_out(&vectors, || false), TSNE.lay_out(&vectors, || false));
        assert_eq!(TSNE.lay_out(&vectors, || true), None);
    }
}
