//! The concepts of a vocabulary: of a knowledge base, or of files.

use std::path::Path;

use truename::KnowledgeBase;
use truename_kb::{Concept, Import, ImportOptions, import};

use crate::Error;

/// Reads the concepts of a knowledge base, or of a file, folder or pattern of files in any format that knowledge bases are imported from.
/// Reports of files are those of an import; a knowledge base has none.
///
/// # Errors
/// If a file cannot be read or has no concepts.
pub fn read_concepts(path: &Path, options: &ImportOptions) -> Result<Import, Error> {
    if KnowledgeBase::is_at(path) {
        let mut found = Import::default();
        found.concepts = concepts_of(&KnowledgeBase::open(path)?)?;
        return Ok(found);
    }
    let import = import::read_files(&[path.to_owned()], options)?;
    import.require_concepts()?;
    Ok(import)
}

/// Returns the concepts of an open knowledge base.
///
/// # Errors
/// If the store cannot be read.
pub fn concepts_of(kb: &KnowledgeBase) -> Result<Vec<Concept>, Error> {
    let mut concepts = Vec::new();
    kb.for_each_concept(|concept: Concept| {
        concepts.push(concept);
        Ok::<_, Error>(())
    })?;
    Ok(concepts)
}
