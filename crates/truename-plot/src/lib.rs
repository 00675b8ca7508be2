//! Charts as SVG, light and dark, with tooltips.
//!
//! An [`Svg`] is a picture being drawn; a [`Frame`] draws data on it, as lines and dots. [`EscapedText`] text cannot become
//! markup.
//!
//! ```
//! use truename_plot::{Frame, Svg};
//!
//! let mut svg = Svg::new(300.0, 200.0, "Loss by step", "");
//! let frame = Frame { left: 40.0, top: 20.0, width: 240.0, height: 140.0, x: (0.0, 2.0), y: (0.0, 0.9) };
//! frame.outline(&mut svg);
//! frame.line(&mut svg, "curve", &[(0.0, 0.9), (1.0, 0.4), (2.0, 0.3)]);
//! assert!(svg.finish().ends_with("</svg>\n"));
//! ```
//!
//! `plotters` writes whole pixels and fixed colours, without classes and titles: pictures would lose their dark
//! scheme, their tooltips and their labels for screen readers.

mod escaped;
mod frame;
mod svg;

pub use escaped::{EscapedText, Escaper};
pub use frame::Frame;
pub use svg::{Anchor, Svg};
