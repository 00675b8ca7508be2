//! Maps of names: points in the plane that lie near each other where their vectors do.

mod label;
mod marker;
mod page;
mod picture;
mod svg;

pub use self::page::page;
pub use self::picture::{ChosenConcept, DrawnNear, Picture, Point, Role};
pub use self::svg::svg;
