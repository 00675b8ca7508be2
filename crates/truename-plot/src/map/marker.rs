use std::fmt;

/// Colours on white and on black. They differ for all kinds of colour blindness (Machado et al. 2009) and have a
/// contrast of at least 3 to the background.
pub const COLOURS: [[&str; 2]; 6] = [
    ["#00539c", "#2f86d6"],
    ["#d95f02", "#ee6c1a"],
    ["#0a9d78", "#10b085"],
    ["#d0609f", "#e08cc0"],
    ["#6b4a00", "#f0e442"],
    ["#3b9ae4", "#8fd3f7"],
];

/// Disc, square, triangle, cross and lozenge. Their number and the number of colours have no common divisor.
const SHAPES: [&str; 5] = [
    "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0z",
    "M-4.1-4.1h8.2v8.2h-8.2z",
    "M0-5.4L5.2 3.8h-10.4z",
    "M-1.7-5.1h3.4v3.4h3.4v3.4h-3.4v3.4h-3.4v-3.4h-3.4v-3.4h3.4z",
    "M0-6.2L4.6 0L0 6.2L-4.6 0z",
];

/// A five-pointed star.
const STAR: &str = "M0-9L2.1-2.9L8.6-2.8L3.4 1.1L5.3 7.3L0 3.6L-5.3 7.3L-3.4 1.1L-8.6-2.8L-2.1-2.9z";

/// Distance from the centre of a star to its points, in pixels.
pub const STAR_RADIUS: f64 = 9.0;

/// Shape and colour of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A small grey dot.
    Dot,
    /// Colour and shape of a concept, by its position in the legend. Thirty concepts have distinct markers; any five in
    /// a row have distinct shapes.
    Concept(usize),
    /// The star of a query.
    Star,
}

impl fmt::Display for Marker {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Dot => write!(formatter, "<circle class=\"dot\" r=\"2.2\"/>"),
            Self::Concept(number) => {
                let (colour, shape) = (number % COLOURS.len(), SHAPES[number % SHAPES.len()]);
                write!(formatter, "<path class=\"mark colour-{colour}\" d=\"{shape}\"/>")
            }
            Self::Star => write!(formatter, "<path class=\"star\" d=\"{STAR}\"/>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn thirty_concepts_have_markers_of_their_own() {
        let markers: BTreeSet<String> = (0..30).map(|number| Marker::Concept(number).to_string()).collect();
        assert_eq!(markers.len(), 30);
    }
}
