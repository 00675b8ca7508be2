//! Curves of the contrastive loss over the distance of a pair, a label each (NSEEN, figure 2).

use std::path::Path;

use anyhow::Context;
use truename_plot::{Anchor, Frame, Svg};

const LABELS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const MARGIN: f64 = 1.0;
const FRAME: Frame = Frame { left: 56.0, top: 30.0, width: 420.0, height: 300.0, x: (0.0, 1.2), y: (0.0, 0.75) };

/// Draws the curves as SVG, with a dot at the least loss of each.
pub fn run(out: &Path) -> anyhow::Result<()> {
    let mut svg = Svg::new(540.0, 390.0, "Contrastive loss by distance and label", "");
    FRAME.outline(&mut svg);
    svg.text(FRAME.left + FRAME.width / 2.0, 372.0, Anchor::Middle, "distance, 1 - cosine");
    svg.text_upwards(16.0, FRAME.top + FRAME.height / 2.0, "loss");
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (x, y) = FRAME.place((tick, tick));
        svg.text(x, FRAME.top + FRAME.height + 16.0, Anchor::Middle, &tick.to_string());
        if tick <= FRAME.y.1 {
            svg.text(FRAME.left - 6.0, y + 4.0, Anchor::End, &tick.to_string());
        }
    }
    for label in LABELS {
        let points: Vec<(f64, f64)> =
            (0..=120).map(|step| f64::from(step) / 100.0).map(|x| (x, loss(label, x))).collect();
        FRAME.line(&mut svg, "curve", &points);
        let least = points.iter().min_by(|left, right| left.1.total_cmp(&right.1)).context("a curve has points")?;
        FRAME.dot(&mut svg, *least, 4.0, &format!("label {label}: least at {}", least.0));
        let (x, y) = FRAME.place(points[points.len() - 1]);
        svg.text(x + 4.0, y.max(FRAME.top) + 4.0, Anchor::Start, &format!("y = {label}"));
    }
    std::fs::write(out, svg.finish()).with_context(|| out.display().to_string())
}

/// `½ y δ² + ½ (1 − y) max(0, m − δ)²` (NSEEN, equation 1).
fn loss(label: f64, distance: f64) -> f64 {
    0.5 * label * distance.powi(2) + 0.5 * (1.0 - label) * (MARGIN - distance).max(0.0).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_loss_is_at_one_minus_the_label() {
        for label in LABELS {
            let distance = 1.0 - label;
            assert!([-0.01, 0.01].iter().all(|step| loss(label, distance + step) >= loss(label, distance)), "{label}");
        }
    }
}
