//! Concepts by the ids that annotators write, with a prefix or without, and by cross-references.

use std::collections::HashMap;

use truename_kb::Concept;

/// Concepts by the ids that annotators write: their own and those of cross-references, with a prefix or without.
pub struct WrittenIds(HashMap<String, u32>);

impl WrittenIds {
    /// Numbers concepts from 0 in their order.
    pub fn of(concepts: &[Concept]) -> Self {
        let numbered = || concepts.iter().zip(0..);
        let mut ids: HashMap<String, u32> = numbered()
            .flat_map(|(concept, number)| concept.xrefs.iter().map(move |xref| (xref.clone(), number)))
            .collect();
        ids.extend(numbered().map(|(concept, number)| (concept.id.to_string(), number)));
        Self(ids)
    }

    /// Returns the number of the concept that an id means (`MESH:D001249`, `D001249`).
    pub fn find(&self, id: &str) -> Option<u32> {
        let bare = id.split_once(':').map(|(_, bare)| bare);
        let of = |id: &str| self.0.get(id).copied();
        of(id).or_else(|| of(bare?)).or_else(|| of(&format!("MESH:{id}"))).or_else(|| of(&format!("OMIM:{id}")))
    }
}
