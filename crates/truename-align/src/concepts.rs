//! The concepts of a vocabulary that a path stands for.

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
    if !KnowledgeBase::is_at(path) {
        let import = import::read_files(&[path.to_owned()], options)?;
        import.require_concepts()?;
        return Ok(import);
    }
    let mut found = Import::default();
    KnowledgeBase::open(path)?.for_each_concept(|concept: Concept| {
        found.concepts.push(concept);
        Ok::<_, Error>(())
    })?;
    Ok(found)
}
