//! One file a command.

pub mod calibrate;
pub mod evaluate;
pub mod evaluate_link;
pub mod kb;
pub mod link;
pub mod manual;
pub mod match_names;
pub mod model;

use std::path::PathBuf;

use truename::{KnowledgeBase, Linker};

/// The knowledge base named, or the bundled one.
fn open_kb(kb: Option<&PathBuf>) -> Result<KnowledgeBase, truename::Error> {
    kb.map_or_else(KnowledgeBase::bundled, |path| KnowledgeBase::open(path))
}

fn open_linker(kb: Option<&PathBuf>) -> Result<Linker, truename::Error> {
    Linker::new(open_kb(kb)?)
}
