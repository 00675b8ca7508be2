//! Plots of scores as SVG.

use truename_plot::{Anchor, Frame, Svg};

use crate::mentions::{ThresholdCurve, ThresholdPoint};
use crate::{Bin, NameScores, NilTradeOff, RocPoint};
use truename_error::counted;

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

/// Styles of the curves of [`nil_rocs`], in order.
const CURVES: [&str; 6] = [
    "",
    "stroke-dasharray:9 3",
    "stroke-dasharray:2 3",
    "stroke-dasharray:9 3 2 3",
    "stroke-width:1",
    "stroke-width:4",
];

/// Returns the receiver operating characteristics of NIL answers of up to six systems in one picture, each with its name
/// (CoSiNES, figure 6).
pub fn nil_rocs(systems: &[(String, NameScores)]) -> String {
    const LINE: f64 = 16.0;
    let style: String = (0..).zip(CURVES).map(|(number, style)| format!(".c{number}{{{style}}}")).collect();
    let mut svg = begin("NIL detection", &style);
    axes(&mut svg, &FRAME, "names with an id answered NIL", "names without answered NIL");
    FRAME.line(&mut svg, "chance", &DIAGONAL);
    for (number, (name, scores)) in systems.iter().take(CURVES.len()).enumerate() {
        let class = format!("curve c{number}");
        let point = |point: &RocPoint| (point.false_nil, point.true_nil);
        FRAME.line(&mut svg, &class, &scores.nil_roc.iter().map(point).collect::<Vec<_>>());
        let y = MARGIN + SIDE - 12.0 - LINE * number as f64;
        let (left, right) = (MARGIN + SIDE - 250.0, MARGIN + SIDE - 215.0);
        svg.polyline(&class, [(left, y - 4.0), (right, y - 4.0)].into_iter());
        let area = scores.nil_auc.map_or_else(|| "no curve".into(), |area| format!("AUC {area:.4}"));
        svg.text(right + 6.0, y, Anchor::Start, &format!("{name}, {area}"));
    }
    svg.finish()
}

/// Returns the shares of right answers, of right NILs (dashed) and of right decisions (dotted) by threshold.
pub fn nil_trade_off(points: &[NilTradeOff]) -> String {
    let mut svg = begin("NIL threshold", ".nil{stroke-dasharray:9 3}.all{stroke-dasharray:2 3}");
    axes(
        &mut svg,
        &FRAME,
        "probability below which the answer is NIL",
        "right answers, right NILs (dashed), decisions (dotted)",
    );
    let curve = |value: fn(&NilTradeOff) -> Option<f64>| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((point.threshold, value(point)?))).collect()
    };
    FRAME.line(&mut svg, "curve", &curve(|point| Some(point.right)));
    FRAME.line(&mut svg, "curve nil", &curve(|point| point.nil));
    FRAME.line(&mut svg, "curve all", &curve(|point| point.decisions));
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
        let tooltip = format!("{}, {probability:.3} given, {right:.3} right", counted(*count as u64, "name"));
        FRAME.dot(&mut svg, (*probability, *right), radius, &tooltip);
    }
    svg.finish()
}

/// Styles of the lines of [`thresholds`]: F1 as other curves, precision dashed, recall dotted.
const THRESHOLD_STYLE: &str = ".precision{stroke-dasharray:7 3}.recall{stroke-dasharray:2 3}";

/// Returns precision, recall and F1 by the margin above which a mention counts; a point marks the own threshold.
pub fn thresholds(curve: &ThresholdCurve) -> String {
    let ThresholdPoint { margin, scores, .. } = curve.best;
    let title = format!("F1 {:.4}; at best {:.4}, margin {margin:.3}", curve.own.scores.f1, scores.f1);
    let margins = || curve.points.iter().map(|point| point.margin);
    let (low, high) = (margins().fold(0.0, f64::min), margins().fold(0.0, f64::max));
    let frame = Frame { x: if low < high { (low, high) } else { (low - 1.0, high + 1.0) }, ..FRAME };
    let mut svg = begin(&title, THRESHOLD_STYLE);
    axes(&mut svg, &frame, "score minus threshold", "F1, precision (dashed), recall (dotted)");
    frame.line(&mut svg, "chance", &[(0.0, 0.0), (0.0, 1.0)]);
    for (class, score) in ["curve precision", "curve recall", "curve"].into_iter().zip(0..) {
        let shares = |point: &ThresholdPoint| [point.scores.precision, point.scores.recall, point.scores.f1];
        let points = curve.points.iter().map(|point| (point.margin, shares(point)[score]));
        frame.line(&mut svg, class, &points.collect::<Vec<_>>());
    }
    let own = curve.own.scores;
    let tooltip = format!("precision {:.3}, recall {:.3}, F1 {:.3}", own.precision, own.recall, own.f1);
    frame.dot(&mut svg, (0.0, own.f1), 4.0, &tooltip);
    svg.finish()
}

/// Begins a plot of two shares.
fn square(title: &str, across: &str, up: &str) -> Svg {
    let mut svg = begin(title, "");
    axes(&mut svg, &FRAME, across, up);
    svg
}

/// Begins a square picture with a heading.
fn begin(title: &str, style: &str) -> Svg {
    let size = SIDE + 2.0 * MARGIN;
    let mut svg = Svg::new(size, size, title, style);
    svg.heading(size / 2.0, 28.0, title);
    svg
}

/// Draws the edges of a frame with their names and five ticks each.
fn axes(svg: &mut Svg, frame: &Frame, across: &str, up: &str) {
    let size = SIDE + 2.0 * MARGIN;
    frame.outline(svg);
    svg.text(size / 2.0, size - 14.0, Anchor::Middle, across);
    svg.text_upwards(16.0, size / 2.0, up);
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let [right, above] = [frame.x, frame.y].map(|(low, high)| low + share * (high - low));
        let (x, y) = frame.place((right, above));
        let shown = |value: f64| ((value * 1000.0).round() / 1000.0).to_string();
        svg.text(x, size - MARGIN + 18.0, Anchor::Middle, &shown(right));
        svg.text(MARGIN - 6.0, y + 4.0, Anchor::End, &shown(above));
    }
}
