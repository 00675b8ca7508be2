//! Maps of names: points are near each other if their vectors are.

mod label;
mod marker;
mod page;
mod picture;
mod svg;

pub use self::page::page;
pub use self::picture::{ChosenConcept, DrawnNear, Picture, Point, Role};
pub use self::svg::svg;
