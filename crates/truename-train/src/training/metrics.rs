//! Metrics of a run: lines of `metrics.jsonl`, and their curves as SVG.

use serde::{Deserialize, Serialize};
use truename_plot::{Anchor, Frame, Svg};

use super::Scores;
use super::state::State;

/// A line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Metric {
    Step { step: u64, epoch: usize, loss: f64, gradient_norm: f64, learning_rate: f64, seconds: f64 },
    Evaluation { step: u64, epoch: usize, scores: Scores, score: String, is_best: bool, seconds: f64 },
}

impl Metric {
    pub fn step(&self) -> u64 {
        match self {
            Self::Step { step, .. } | Self::Evaluation { step, .. } => *step,
        }
    }

    /// Returns whether a run that goes on from `state` has it behind it.
    pub fn is_before<P>(&self, state: &State<P>) -> bool {
        match self {
            Self::Step { step, .. } => *step <= state.step,
            Self::Evaluation { step, .. } => *step <= state.evaluated,
        }
    }

    pub fn scores(&self) -> Option<&Scores> {
        match self {
            Self::Step { .. } => None,
            Self::Evaluation { scores, .. } => Some(scores),
        }
    }
}

/// Width and height of a panel and its margin, in pixels.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 56.0;
/// Lines of many steps, thinner than others.
const STYLE: &str = ".curve{stroke-width:1.5}";

/// Draws the loss and, where there are evaluations, the score over the steps, as SVG.
pub(crate) fn plot(metrics: &[Metric]) -> String {
    let losses: Vec<(f64, f64)> = metrics
        .iter()
        .filter_map(|metric| match metric {
            Metric::Step { step, loss, .. } => Some((*step as f64, *loss)),
            Metric::Evaluation { .. } => None,
        })
        .collect();
    let accuracies: Vec<(f64, f64)> = metrics
        .iter()
        .filter_map(|metric| match metric {
            Metric::Evaluation { step, scores, score, .. } => Some((*step as f64, 100.0 * scores.get(score))),
            Metric::Step { .. } => None,
        })
        .collect();
    let last = metrics.last().map_or(1, Metric::step).max(1) as f64;
    let panels = [("loss", losses), ("first right (%)", accuracies)];
    let panels: Vec<_> = panels.iter().filter(|(_, points)| !points.is_empty()).collect();
    let (width, height) = (WIDTH + 2.0 * MARGIN, panels.len() as f64 * (HEIGHT + MARGIN) + MARGIN);
    let mut svg = Svg::new(width, height, "Training: loss and accuracy by step", STYLE);
    for (number, (label, points)) in panels.into_iter().enumerate() {
        let top = MARGIN / 2.0 + number as f64 * (HEIGHT + MARGIN);
        panel(&mut svg, label, points, last, top);
    }
    svg.text(width / 2.0, height - 12.0, Anchor::Middle, "step");
    svg.finish()
}

fn panel(svg: &mut Svg, label: &str, points: &[(f64, f64)], last: f64, top: f64) {
    let most = points.iter().map(|point| point.1).fold(f64::MIN, f64::max);
    let least = points.iter().map(|point| point.1).fold(f64::MAX, f64::min).min(most - 1e-9);
    let frame = Frame { left: MARGIN, top, width: WIDTH, height: HEIGHT, x: (0.0, last), y: (least, most) };
    let bottom = top + HEIGHT;
    frame.outline(svg);
    svg.text(MARGIN - 6.0, top + 10.0, Anchor::End, &format!("{most:.3}"));
    svg.text(MARGIN - 6.0, bottom, Anchor::End, &format!("{least:.3}"));
    svg.text_upwards(14.0, top + HEIGHT / 2.0, label);
    svg.text(MARGIN, bottom + 14.0, Anchor::Start, "0");
    svg.text(MARGIN + WIDTH, bottom + 14.0, Anchor::End, &last.to_string());
    frame.line(svg, "curve", points);
}
