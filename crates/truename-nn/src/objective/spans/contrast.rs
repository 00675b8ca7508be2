//! Contrastive loss with thresholds, and its gradient in closed form (BINDER, equations 6 and 11 to 14).

use std::ops::Range;

use truename_infer::softplus;

/// The scores of one type in one window: a softmax over its negatives and the threshold.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub type_number: usize,
    /// Rows of the candidates.
    pub rows: Range<usize>,
    /// Row of the threshold.
    pub threshold: Option<usize>,
    /// Row of each mention; several mentions may have one.
    pub positives: Vec<usize>,
    /// Candidates that are neither positive nor negative.
    pub open: Vec<usize>,
}

/// Contrastive loss with thresholds (BINDER, equations 6 and 11 to 14), and its gradient.
///
/// With the scores `x` of a type in a window, its negatives `N` and its threshold `t`, the loss of a mention `p` is
/// `−log(exp(x_p) / (exp(x_p) + exp(t) + Σ_N exp(x_n)))`, that of the threshold `−log(exp(t) / (exp(t) + Σ_N exp(x_n)))`.
/// The result is `β` times the mean over the mentions plus `1 − β` times the mean over the groups; without thresholds, the
/// mean over the mentions. Equations 13 and 14 print different denominators; the threshold counts in all here, and mentions in
/// none but their own.
///
/// # Shapes
/// `scores: [rows, types]`, gradient: the same
pub(super) fn contrast(scores: &[f32], types: usize, groups: &[Group], beta: f64) -> (f64, Vec<f32>) {
    let mut gradient = vec![0.0f32; scores.len()];
    let mentions: usize = groups.iter().map(|group| group.positives.len()).sum();
    let thresholds = groups.iter().filter(|group| group.threshold.is_some()).count();
    let of_mention = if thresholds > 0 { beta } else { 1.0 } / mentions.max(1) as f64;
    let of_threshold = (1.0 - beta) / thresholds.max(1) as f64;
    let mut loss = 0.0;
    let mut is_negative = Vec::new();
    for group in groups {
        let score = |row: usize| f64::from(scores[row * types + group.type_number]);
        is_negative.clear();
        is_negative.resize(group.rows.len(), true);
        for row in group.positives.iter().chain(&group.open) {
            is_negative[row - group.rows.start] = false;
        }
        let negatives = || group.rows.clone().zip(&is_negative).filter(|(_, is)| **is).map(|(row, _)| row);
        let others = || negatives().chain(group.threshold);
        let highest = others().map(score).fold(f64::NEG_INFINITY, f64::max);
        if highest == f64::NEG_INFINITY {
            continue;
        }
        let sum: f64 = others().map(|row| (score(row) - highest).exp()).sum();
        let log_sum = highest + sum.ln();
        let mut of_log_sum = 0.0;
        for row in &group.positives {
            let above = log_sum - score(*row);
            loss += of_mention * softplus(above);
            let share = of_mention * sigmoid(above);
            gradient[row * types + group.type_number] -= share as f32;
            of_log_sum += share;
        }
        if let Some(row) = group.threshold {
            loss += of_threshold * (log_sum - score(row));
            gradient[row * types + group.type_number] -= of_threshold as f32;
            of_log_sum += of_threshold;
        }
        for row in others() {
            let share = (score(row) - log_sum).exp();
            gradient[row * types + group.type_number] += (of_log_sum * share) as f32;
        }
    }
    (loss, gradient)
}

fn sigmoid(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    if x >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: usize = 2;

    fn groups() -> Vec<Group> {
        vec![
            Group { type_number: 0, rows: 1..6, threshold: Some(0), positives: vec![2, 4, 4], open: vec![5] },
            Group { type_number: 1, rows: 1..6, threshold: Some(0), positives: vec![], open: vec![] },
            Group { type_number: 1, rows: 7..9, threshold: Some(6), positives: vec![7, 8], open: vec![] },
        ]
    }

    /// The formula as it stands, in double precision and without logarithms of sums.
    fn expected(scores: &[f64], groups: &[Group], beta: f64) -> f64 {
        let exp = |row: usize, type_number: usize| scores[row * TYPES + type_number].exp();
        let (mut mentions, mut thresholds) = (Vec::new(), Vec::new());
        for group in groups {
            let negatives =
                group.rows.clone().filter(|row| !group.positives.contains(row) && !group.open.contains(row));
            let sum: f64 = negatives.chain(group.threshold).map(|row| exp(row, group.type_number)).sum();
            for row in &group.positives {
                let own = exp(*row, group.type_number);
                mentions.push(-(own / (own + sum)).ln());
            }
            thresholds.extend(group.threshold.map(|row| -(exp(row, group.type_number) / sum).ln()));
        }
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len().max(1) as f64;
        if thresholds.is_empty() { mean(&mentions) } else { beta * mean(&mentions) + (1.0 - beta) * mean(&thresholds) }
    }

    fn check(scores: &[f64], groups: &[Group], beta: f64, tolerance: f64) {
        let single: Vec<f32> = scores.iter().map(|score| *score as f32).collect();
        let (loss, gradient) = contrast(&single, TYPES, groups, beta);
        assert!((loss - expected(scores, groups, beta)).abs() < tolerance, "{loss} {}", expected(scores, groups, beta));
        for at in 0..scores.len() {
            const STEP: f64 = 1e-5;
            let moved = |step: f64| {
                let mut scores = scores.to_vec();
                scores[at] += step;
                expected(&scores, groups, beta)
            };
            let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            assert!((f64::from(gradient[at]) - slope).abs() < tolerance, "{at}: {} {slope}", gradient[at]);
        }
    }

    #[test]
    fn the_loss_and_its_gradient_are_those_of_the_paper() {
        let scores: Vec<f64> = (0..9 * TYPES).map(|at| (at as f64 * 1.7).sin() * 3.0).collect();
        for beta in [0.5, 0.2, 1.0] {
            check(&scores, &groups(), beta, 1e-6);
        }
        let without: Vec<Group> = groups().into_iter().map(|group| Group { threshold: None, ..group }).collect();
        check(&scores, &without, 0.5, 1e-6);
    }

    #[test]
    fn scores_of_a_hundred_have_finite_losses() {
        for sign in [1.0, -1.0] {
            let scores: Vec<f64> =
                (0..9 * TYPES).map(|at| if at % 3 == 0 { sign * 100.0 } else { -sign * 100.0 }).collect();
            check(&scores, &groups(), 0.5, 1e-4);
        }
    }

    #[test]
    fn nothing_to_tell_apart_is_no_loss() {
        let group = Group { type_number: 0, rows: 0..1, threshold: None, positives: vec![0], open: vec![] };
        assert_eq!(contrast(&[3.0, 0.0], TYPES, &[group], 0.5), (0.0, vec![0.0, 0.0]));
        assert_eq!(contrast(&[], TYPES, &[], 0.5), (0.0, vec![]));
    }
}
