//! Plots as SVG: plain text, readable without colour, light and dark.

use std::fmt::Write;

use crate::{Bin, NameScores, RocPoint, counted};

/// Side of the plotted square, and the room around it, in pixels.
const SIDE: f64 = 320.0;
const MARGIN: f64 = 56.0;

/// The receiver operating curve of NIL answers.
pub fn nil_roc(scores: &NameScores) -> String {
    let area =
        scores.nil_auc.map_or_else(|| "no curve: names of one kind alone".into(), |area| format!("AUC {area:.4}"));
    let mut plot =
        Plot::new(&format!("NIL detection, {area}"), "names with an id answered NIL", "names without answered NIL");
    plot.line(&[(0.0, 0.0), (1.0, 1.0)], "chance");
    let points: Vec<(f64, f64)> =
        scores.nil_roc.iter().map(|RocPoint { false_nil, true_nil, .. }| (*false_nil, *true_nil)).collect();
    plot.line(&points, "curve");
    plot.finish()
}

/// The reliability diagram: how often an answer of a given probability is right.
pub fn reliability(scores: &NameScores) -> String {
    let title = format!("Reliability, expected calibration error {:.4}", scores.ece);
    let mut plot = Plot::new(&title, "probability given", "share right");
    plot.line(&[(0.0, 0.0), (1.0, 1.0)], "chance");
    let most = scores.reliability.iter().map(|bin| bin.count).max().unwrap_or_default().max(1);
    for Bin { count, probability, right } in scores.reliability.iter().filter(|bin| bin.count > 0) {
        let radius = 3.0 + 7.0 * (*count as f64 / most as f64).sqrt();
        plot.dot(
            *probability,
            *right,
            radius,
            &format!("{}, {probability:.3} given, {right:.3} right", counted(*count, "name")),
        );
    }
    plot.finish()
}

struct Plot(String);

impl Plot {
    fn new(title: &str, across: &str, up: &str) -> Self {
        let size = SIDE + 2.0 * MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <title>{title}</title>\n\
             <style>svg{{background:#fff;color:#222}}text{{fill:currentColor}}.axis{{stroke:currentColor;fill:none}}.chance{{stroke:#888;stroke-dasharray:4;fill:none}}\
             .curve{{stroke:#1f6fb2;stroke-width:2;fill:none}}.dot{{fill:#1f6fb2;fill-opacity:.8}}\
             @media(prefers-color-scheme:dark){{svg{{background:#181818;color:#ddd}}.curve{{stroke:#6cb4ee}}.dot{{fill:#6cb4ee}}}}</style>\n"
        );
        let (middle, bottom) = (size / 2.0, size - MARGIN);
        let _ = write!(
            svg,
            "<text x=\"{middle}\" y=\"28\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n\
             <rect class=\"axis\" x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{SIDE}\" height=\"{SIDE}\"/>\n\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>\n\
             <text transform=\"translate(16 {middle}) rotate(-90)\" text-anchor=\"middle\">{up}</text>\n",
            size - 14.0
        );
        for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let (x, y) = place(tick, tick);
            let _ = write!(
                svg,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{tick}</text>\n",
                bottom + 18.0,
                MARGIN - 6.0,
                y + 4.0
            );
        }
        Self(svg)
    }

    fn line(&mut self, points: &[(f64, f64)], class: &str) {
        let path: Vec<String> =
            points.iter().map(|(x, y)| place(*x, *y)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.0, "<polyline class=\"{class}\" points=\"{}\"/>", path.join(" "));
    }

    fn dot(&mut self, x: f64, y: f64, radius: f64, label: &str) {
        let (x, y) = place(x, y);
        let _ = writeln!(
            self.0,
            "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{label}</title></circle>"
        );
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

fn place(x: f64, y: f64) -> (f64, f64) {
    (MARGIN + SIDE * x, MARGIN + SIDE * (1.0 - y))
}
