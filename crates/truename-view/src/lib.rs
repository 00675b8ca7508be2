//! Links as people and programs read them.
//!
//! An [`HtmlWriter`] writes documents with their mentions in colour, as a page on which they can be judged or as a fragment of one;
//! [`ASSETS`] are its styles and scripts. A [`NameLine`] is the answer to a name, a [`DocumentLine`] a document with its linked mentions; both
//! serialize to the lines that `truename` and its server write, and have the schema of them. [`read_document`] reads such a line back.
//!
//! ```
//! use truename_view::NameLine;
//!
//! # fn main() -> Result<(), serde_json::Error> {
//! let link = truename::Link::new("asthma", Vec::new(), true);
//! let line = serde_json::to_string(&NameLine::new(&link))?;
//! assert!(line.starts_with(r#"{"name":"asthma","id":null"#));
//! # Ok(())
//! # }
//! ```

mod asset;
mod candidate;
mod document_line;
mod html;
mod layout;
mod name_line;

pub use asset::{ASSETS, Asset, STYLE};
pub use candidate::CandidateAnswer;
pub use document_line::{DocumentLine, read_document};
pub use html::{Head, HtmlWriter};
pub use layout::{COLOURS, Legend, Piece, Step, label, pieces, steps};
pub use name_line::{NameLine, probability, suggestion};
