//! Plots of scores as SVG.

use truename_plot::{Anchor, Frame, Svg};

use crate::counted::counted;
use crate::{Bin, NameScores, RocPoint};

/// Side of the plotted square, and the room around it, in pixels.
const SIDE: f64 = 320.0;
const MARGIN: f64 = 56.0;
const FRAME: Frame = Frame { left: MARGIN, top: MARGIN, width: SIDE, height: SIDE, x: (0.0, 1.0), y: (0.0, 1.0) };
const DIAGONAL: [(f64, f64); 2] = [(0.0, 0.0), (1.0, 1.0)];

/// Returns the receiver operating characteristic of NIL answers.
pub fn nil_roc(scores: &NameScores) -> String {
    let area =
        scores.nil_auc.map_or_else(|| "no curve: names of one kind alone".into(), |area| format!("AUC {area:.4}"));
    let mut svg =
        square(&format!("NIL detection, {area}"), "names with an id answered NIL", "names without answered NIL");
    FRAME.line(&mut svg, "chance", &DIAGONAL);
    let point = |point: &RocPoint| (point.false_nil, point.true_nil);
    FRAME.line(&mut svg, "curve", &scores.nil_roc.iter().map(point).collect::<Vec<_>>());
    svg.finish()
}

/// Returns the reliability diagram: the share of right answers by the probability given.
pub fn reliability(scores: &NameScores) -> String {
    let title = format!("Reliability, expected calibration error {:.4}", scores.ece);
    let mut svg = square(&title, "probability given", "share right");
    FRAME.line(&mut svg, "chance", &DIAGONAL);
    let most = scores.reliability.iter().map(|bin| bin.count).max().unwrap_or_default().max(1);
    for Bin { count, probability, right } in scores.reliability.iter().filter(|bin| bin.count > 0) {
        let radius = 3.0 + 7.0 * (*count as f64 / most as f64).sqrt();
        let tooltip = format!("{}, {probability:.3} given, {right:.3} right", counted(*count, "name"));
        FRAME.dot(&mut svg, (*probability, *right), radius, &tooltip);
    }
    svg.finish()
}

/// Begins a plot of two shares.
fn square(title: &str, across: &str, up: &str) -> Svg {
    let size = SIDE + 2.0 * MARGIN;
    let mut svg = Svg::new(size, size, title, "");
    svg.heading(size / 2.0, 28.0, title);
    FRAME.outline(&mut svg);
    svg.text(size / 2.0, size - 14.0, Anchor::Middle, across);
    svg.text_upwards(16.0, size / 2.0, up);
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (x, y) = FRAME.place((tick, tick));
        svg.text(x, size - MARGIN + 18.0, Anchor::Middle, &tick.to_string());
        svg.text(MARGIN - 6.0, y + 4.0, Anchor::End, &tick.to_string());
    }
    svg
}
