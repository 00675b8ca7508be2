//! One file a command.

pub mod calibrate;
pub mod evaluate;
pub mod kb;
pub mod manual;
pub mod match_names;

use std::path::PathBuf;

use truename::{KnowledgeBase, Linker};

/// The knowledge base named, or the bundled one.
fn open_linker(kb: Option<&PathBuf>) -> Result<Linker, truename::Error> {
    match kb {
        Some(path) => Linker::new(KnowledgeBase::open(path)?),
        None => Linker::bundled(),
    }
}
