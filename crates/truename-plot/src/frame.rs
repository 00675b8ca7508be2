//! Frames: data in coordinates of their own, drawn as lines and dots on a picture.

use crate::Svg;

/// A rectangle of a picture that shows a range of data. The second coordinate of data grows upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left edge, in pixels.
    pub left: f64,
    /// Upper edge, in pixels.
    pub top: f64,
    /// Width, in pixels.
    pub width: f64,
    /// Height, in pixels.
    pub height: f64,
    /// Data values at the left and the right edge.
    pub x: (f64, f64),
    /// Data values at the lower and the upper edge.
    pub y: (f64, f64),
}

impl Frame {
    /// Returns the position of a data point in the picture, in pixels.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let share = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (self.left + self.width * share(x, self.x), self.top + self.height * (1.0 - share(y, self.y)))
    }

    /// Draws the edges.
    pub fn outline(&self, svg: &mut Svg) {
        svg.rectangle("axis", [self.left, self.top, self.width, self.height]);
    }

    /// Draws a line through data points.
    pub fn line(&self, svg: &mut Svg, class: &str, points: &[(f64, f64)]) {
        svg.polyline(class, points.iter().map(|point| self.place(*point)));
    }

    /// Draws a data point as a disc with a tooltip.
    pub fn dot(&self, svg: &mut Svg, point: (f64, f64), radius: f64, tooltip: &str) {
        svg.disc("dot", self.place(point), radius, tooltip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_within_the_frame_and_texts_are_no_markup() {
        let frame = Frame { left: 10.0, top: 20.0, width: 100.0, height: 50.0, x: (0.0, 4.0), y: (-1.0, 1.0) };
        assert_eq!(
            [(0.0, -1.0), (4.0, 1.0), (1.0, 0.0)].map(|point| frame.place(point)),
            [(10.0, 70.0), (110.0, 20.0), (35.0, 45.0)]
        );
        let mut svg = Svg::new(120.0, 90.0, "a < b", "");
        frame.dot(&mut svg, (4.0, 1.0), 2.5, "<script>");
        let drawn = svg.finish();
        assert!(drawn.contains("<title>a &lt; b</title>") && drawn.contains("cx=\"110.0\" cy=\"20.0\" r=\"2.5\""));
        assert!(!drawn.contains("<script"));
    }
}
