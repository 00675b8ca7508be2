//! Geographic coordinates: `51.05, 13.74`, or a latitude or longitude alone.

use super::{Comparison, Level, level};

/// Kilometres of a degree of latitude.
const DEGREE: f64 = 111.2;
/// Distances of places that are one, that are near and that are in one town, in kilometres.
const DISTANCES: [f64; 3] = [0.05, 1.0, 10.0];

/// A place in degrees.
pub(in crate::fellegi_sunter) struct Coordinates {
    latitude: f64,
    longitude: Option<f64>,
}

impl Coordinates {
    /// Returns true if the value has a latitude and a longitude.
    pub(in crate::fellegi_sunter) fn is_pair(&self) -> bool {
        self.longitude.is_some()
    }

    /// Returns the distance in kilometres, for places nearer than some hundred kilometres.
    fn distance(&self, other: &Self) -> f64 {
        let north = (self.latitude - other.latitude) * DEGREE;
        let (Some(left), Some(right)) = (self.longitude, other.longitude) else { return north.abs() };
        let east = (left - right) * DEGREE * ((self.latitude + other.latitude) / 2.0).to_radians().cos();
        north.hypot(east)
    }
}

impl Comparison for Coordinates {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.05, 0.94),
        level("within 10 km", 0.05, 0.05),
        level("within 1 km", 0.2, 0.008),
        level("within 50 m", 0.7, 0.002),
    ];

    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> =
            text.trim_matches(['(', ')', ' ']).split([',', ';', ' ']).filter(|part| !part.is_empty()).collect();
        let degrees =
            |part: &str| part.trim_end_matches('°').parse::<f64>().ok().filter(|degrees| degrees.abs() <= 180.0);
        match parts[..] {
            [latitude] => Some(Self { latitude: degrees(latitude)?, longitude: None }),
            [latitude, longitude] => Some(Self { latitude: degrees(latitude)?, longitude: Some(degrees(longitude)?) }),
            _ => None,
        }
    }

    fn key(&self) -> String {
        format!("{} {:?}", self.latitude, self.longitude)
    }

    fn level(&self, other: &Self) -> usize {
        let distance = self.distance(other);
        DISTANCES.iter().filter(|limit| distance <= **limit).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_agree_by_distance() {
        let of = |left: &str, right: &str| {
            Coordinates::LEVELS[Coordinates::parse(left).unwrap().level(&Coordinates::parse(right).unwrap())].name
        };
        assert_eq!(of("51.0504, 13.7373", "51.0505,13.7374"), "within 50 m");
        assert_eq!(of("(51.0504 13.7373)", "51.0504, 13.7473"), "within 1 km");
        assert_eq!(of("51.0504", "51.10"), "within 10 km");
        assert_eq!(of("51.05, 13.7", "48.1, 11.6"), "differs");
        assert!(Coordinates::parse("1, 2, 3").is_none() && Coordinates::parse("200").is_none());
    }
}
