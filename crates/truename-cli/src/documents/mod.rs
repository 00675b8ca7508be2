//! Documents: read, linked, written.

mod html;
mod jsonl;
mod sink;
mod source;
mod terminal;

pub use sink::Sink;
pub use source::read;
