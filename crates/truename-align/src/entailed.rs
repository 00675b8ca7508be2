//! Broader and narrower concepts that follow from mappings and one hierarchy.

use std::collections::HashMap;

use crate::hierarchy::Hierarchy;
use crate::{Mapping, Predicate};

/// Returns the relations of the concepts of a side that no mapping has to what their nearest mapped ancestor is mapped onto: broader
/// concepts of those of the source, or narrower ones of the source for those of the target.
pub(crate) fn entailed(mappings: &[Mapping], hierarchy: &Hierarchy, size: usize, predicate: Predicate) -> Vec<Mapping> {
    let is_broad = predicate == Predicate::Broad;
    let own = |mapping: &Mapping| if is_broad { mapping.source } else { mapping.target };
    let mapped: HashMap<usize, &Mapping> = mappings.iter().map(|mapping| (own(mapping), mapping)).collect();
    let relation = |concept: usize| {
        let above = hierarchy.ancestors(concept as u32).iter().find_map(|above| mapped.get(&(*above as usize)))?;
        let (source, target) = if is_broad { (concept, above.target) } else { (above.source, concept) };
        Some(Mapping { source, target, predicate, names: None, is_judged: false, ..(*above).clone() })
    };
    (0..size).filter(|concept| !mapped.contains_key(concept)).filter_map(relation).collect()
}
