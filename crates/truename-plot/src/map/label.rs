use super::marker::STAR_RADIUS;

/// Mean width of a character and height of a line, at 12 pixels.
const CHARACTER_WIDTH: f64 = 6.4;
const LINE_HEIGHT: f64 = 15.0;
/// Gap between a star and its label, in pixels.
const GAP: f64 = 3.0;

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug)]
struct Area([f64; 4]);

impl Area {
    fn overlaps(&self, Self([left, top, right, bottom]): &Self) -> bool {
        self.0[0] < *right && *left < self.0[2] && self.0[1] < *bottom && *top < self.0[3]
    }

    fn is_within(&self, side: f64) -> bool {
        self.0[0] >= 0.0 && self.0[1] >= 0.0 && self.0[2] <= side && self.0[3] <= side
    }

    fn around([across, down]: [f64; 2], radius: f64) -> Self {
        Self([across - radius, down - radius, across + radius, down + radius])
    }
}

/// Position of a label relative to its star.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// Offset from the star to the anchor of the text, rightwards.
    pub across: f64,
    /// Offset from the star to the base line, downwards.
    pub down: f64,
    /// Value of SVG's `text-anchor`.
    pub anchor: &'static str,
}

/// Placed labels, so that few overlap.
pub struct Labels {
    side: f64,
    taken: Vec<Area>,
}

impl Labels {
    /// Creates a placement without labels, in a square with this side and these stars.
    pub fn among(stars: &[[f64; 2]], side: f64) -> Self {
        Self { side, taken: stars.iter().map(|star| Area::around(*star, STAR_RADIUS)).collect() }
    }

    /// Places a text beside a star: right, left, above or below; the first free spot, else the first one within the
    /// square.
    pub fn place(&mut self, star: [f64; 2], text: &str) -> Spot {
        let width = text.chars().count() as f64 * CHARACTER_WIDTH;
        let beside = STAR_RADIUS + GAP;
        let spots = [
            (Spot { across: beside, down: 4.0, anchor: "start" }, beside),
            (Spot { across: -beside, down: 4.0, anchor: "end" }, -beside - width),
            (Spot { across: 0.0, down: -beside, anchor: "middle" }, -width / 2.0),
            (Spot { across: 0.0, down: beside + 9.0, anchor: "middle" }, -width / 2.0),
        ];
        let area = |(spot, left): &(Spot, f64)| {
            let (left, bottom) = (star[0] + left, star[1] + spot.down + 3.0);
            Area([left, bottom - LINE_HEIGHT, left + width, bottom])
        };
        let is_within = |spot: &&(Spot, f64)| area(spot).is_within(self.side);
        let is_free = |spot: &&(Spot, f64)| !self.taken.iter().any(|taken| taken.overlaps(&area(spot)));
        let free = spots.iter().filter(is_within).find(is_free);
        let chosen = *free.or_else(|| spots.iter().find(is_within)).unwrap_or(&spots[0]);
        self.taken.push(area(&chosen));
        chosen.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_give_way_to_each_other_and_the_frame() {
        let stars = [[50.0, 50.0], [50.0, 50.0], [190.0, 100.0]];
        let mut labels = Labels::among(&stars[2..], 200.0);
        assert_eq!(labels.place(stars[0], "abc").anchor, "start");
        assert_eq!(labels.place(stars[1], "abc").anchor, "end");
        assert_eq!(labels.place(stars[2], "abcdef").anchor, "end");
        assert_eq!(labels.place([100.0, 100.0], &"wide ".repeat(40)).anchor, "start");
    }
}
