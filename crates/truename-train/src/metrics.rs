use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::Scores;
use crate::run_folder::State;

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

    /// Whether a run that goes on from `state` has it behind it.
    pub fn is_before<P>(&self, state: &State<P>) -> bool {
        match self {
            Self::Step { step, .. } => *step <= state.step,
            Self::Evaluation { epoch, .. } => *epoch <= state.evaluated,
        }
    }

    pub fn scores(&self) -> Option<&Scores> {
        match self {
            Self::Step { .. } => None,
            Self::Evaluation { scores, .. } => Some(scores),
        }
    }
}

/// Width and height of a panel, and the room around it, in pixels.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 56.0;

/// Loss and, where names were asked for, accuracy over the steps, as SVG.
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
    let panels: Vec<(&str, Vec<(f64, f64)>)> = [("loss", losses), ("first right (%)", accuracies)]
        .into_iter()
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let (width, height) = (WIDTH + 2.0 * MARGIN, panels.len() as f64 * (HEIGHT + MARGIN) + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Training: loss and accuracy by step</title>\n\
         <style>svg{{background:#fff;color:#222}}text{{fill:currentColor}}.axis{{stroke:currentColor;fill:none}}\
         .curve{{stroke:#1f6fb2;stroke-width:1.5;fill:none}}\
         @media(prefers-color-scheme:dark){{svg{{background:#181818;color:#ddd}}.curve{{stroke:#6cb4ee}}}}</style>\n"
    );
    for (number, (label, points)) in panels.iter().enumerate() {
        let top = MARGIN / 2.0 + number as f64 * (HEIGHT + MARGIN);
        panel(&mut svg, label, points, last, top);
    }
    let _ =
        writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">step</text>\n</svg>", width / 2.0, height - 12.0);
    svg
}

fn panel(svg: &mut String, label: &str, points: &[(f64, f64)], last: f64, top: f64) {
    let most = points.iter().map(|point| point.1).fold(f64::MIN, f64::max);
    let least = points.iter().map(|point| point.1).fold(f64::MAX, f64::min).min(most - 1e-9);
    let x = |step: f64| MARGIN + WIDTH * step / last;
    let y = |value: f64| top + HEIGHT * (1.0 - (value - least) / (most - least));
    let line: Vec<String> = points.iter().map(|(step, value)| format!("{:.1},{:.1}", x(*step), y(*value))).collect();
    let (bottom, middle) = (top + HEIGHT, top + HEIGHT / 2.0);
    let _ = write!(
        svg,
        "<rect class=\"axis\" x=\"{MARGIN}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{most:.3}</text>\n<text x=\"{0}\" y=\"{bottom}\" text-anchor=\"end\">{least:.3}</text>\n\
         <text transform=\"translate(14 {middle}) rotate(-90)\" text-anchor=\"middle\">{label}</text>\n\
         <text x=\"{MARGIN}\" y=\"{2}\">0</text>\n<text x=\"{3}\" y=\"{2}\" text-anchor=\"end\">{last}</text>\n\
         <polyline class=\"curve\" points=\"{4}\"/>\n",
        MARGIN - 6.0,
        top + 10.0,
        bottom + 14.0,
        MARGIN + WIDTH,
        line.join(" ")
    );
}
