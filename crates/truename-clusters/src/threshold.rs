//! Thresholds of clusters, chosen by the silhouette or by a score of the caller.

use truename_kb::Progress;

use super::dendrogram::Dendrogram;
use super::silhouette::Silhouette;
use super::space::NameSpace;
use crate::Error;

/// Thresholds tried, evenly spaced.
const STEPS: u16 = 200;
/// Share of the best silhouette that the lowest threshold taken must reach. The silhouette hardly changes while names that are
/// merely related are merged, so its maximum lies too high: on the valid part of CanonicNELL (MiniLM-L6) it gives a mean F1 of
/// 73.5, and this rule 80.0; the highest of any threshold is 80.6.
const NEARLY_BEST: f64 = 0.95;
/// Largest threshold tried with the silhouette, as a share of the mean distance of two names. The best threshold there is 0.41 of
/// it, among the labelled names and among all names; among all, the silhouette alone would go to 0.65 of it. By n-grams, whose names are told
/// apart by words, the mean F1 there is 78.7 with 0.65 and 74.9 with 0.45.
const MAX_SHARE_WITH_VECTORS: f32 = 0.45;
const MAX_SHARE_WITH_NGRAMS: f32 = 0.65;

/// Lowest threshold tried: names of one normal form are no farther apart, and always one.
const EQUAL: f32 = 1e-5;

/// A threshold that was chosen, with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenThreshold {
    /// Largest distance of clusters that are merged.
    pub threshold: f32,
    /// Score of the clusters; higher is better.
    pub score: f64,
}

/// Chooses the threshold with the highest score of its clusters; of equally good ones the middle of the first run.
///
/// # Errors
/// If the work is stopped.
pub fn choose_by(
    dendrogram: &Dendrogram,
    progress: &Progress,
    score: impl FnMut(&[usize]) -> f64,
) -> Result<ChosenThreshold, Error> {
    let tried = tried(dendrogram, dendrogram.largest_distance(), progress, score)?;
    let best = tried.iter().map(|tried| tried.score).fold(f64::NEG_INFINITY, f64::max);
    let run: Vec<&ChosenThreshold> =
        tried.iter().skip_while(|tried| tried.score < best).take_while(|tried| tried.score == best).collect();
    Ok(*run[run.len() / 2])
}

/// Chooses the lowest threshold whose silhouette is nearly the best one, among those below 0.45 of the mean distance of two
/// names, or 0.65 without an encoder.
///
/// The silhouette is that of all names, or of an evenly spaced sample of more than 4,472 among all names.
///
/// # Errors
/// If the work is stopped.
pub fn choose_by_silhouette(
    space: &NameSpace,
    dendrogram: &Dendrogram,
    progress: &Progress,
) -> Result<ChosenThreshold, Error> {
    let silhouette = Silhouette::new(space, progress)?;
    let share = if space.has_vectors() { MAX_SHARE_WITH_VECTORS } else { MAX_SHARE_WITH_NGRAMS };
    let limit = dendrogram.largest_distance().min(share * silhouette.mean_distance());
    let tried = tried(dendrogram, limit, progress, |labels| silhouette.of(labels))?;
    let best = tried.iter().map(|tried| tried.score).fold(0.0, f64::max);
    let nearly = tried.iter().find(|tried| tried.score >= NEARLY_BEST * best);
    Ok(*nearly.unwrap_or(&tried[0]))
}

/// Scores the clusters at each threshold up to `limit`, ascending; equal clusters once.
fn tried(
    dendrogram: &Dendrogram,
    limit: f32,
    progress: &Progress,
    mut score: impl FnMut(&[usize]) -> f64,
) -> Result<Vec<ChosenThreshold>, Error> {
    progress.begin("choosing the threshold", u64::from(STEPS));
    let (mut tried, mut last): (Vec<ChosenThreshold>, Vec<usize>) = (Vec::new(), Vec::new());
    for step in 0..=STEPS {
        progress.check()?;
        // Short in writing, so that --threshold can repeat it.
        let threshold = ((limit * f32::from(step) / f32::from(STEPS) * 1e5).round() / 1e5).max(EQUAL);
        let labels = dendrogram.cut(threshold);
        let score = match tried.last() {
            Some(before) if last == labels => before.score,
            _ => score(&labels),
        };
        tried.push(ChosenThreshold { threshold, score });
        last = labels;
        progress.advance(1);
    }
    Ok(tried)
}
