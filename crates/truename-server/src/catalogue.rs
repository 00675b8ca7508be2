//! Types and cross-references of a knowledge base, for queries that the store has no index for.

use std::collections::{BTreeMap, HashMap};

use truename::{ConceptId, Error, KnowledgeBase};

/// Types and cross-references of one version of a knowledge base.
pub(crate) struct Catalogue {
    version: u64,
    concepts: usize,
    names: usize,
    /// Number of concepts by type.
    types: BTreeMap<String, usize>,
    /// Ids by cross-reference, in lower case.
    xrefs: HashMap<String, Vec<ConceptId>>,
    children: HashMap<ConceptId, Vec<ConceptId>>,
}

impl Catalogue {
    /// Reads all concepts.
    pub fn read(kb: &KnowledgeBase, version: u64) -> Result<Self, Error> {
        let mut catalogue = Self {
            version,
            concepts: 0,
            names: 0,
            types: BTreeMap::new(),
            xrefs: HashMap::new(),
            children: HashMap::new(),
        };
        kb.for_each_concept(|concept| {
            catalogue.concepts += 1;
            catalogue.names += concept.name_count();
            for concept_type in concept.types {
                *catalogue.types.entry(concept_type).or_default() += 1;
            }
            for xref in concept.xrefs {
                catalogue.xrefs.entry(xref.to_lowercase()).or_default().push(concept.id.clone());
            }
            for parent in concept.parents {
                catalogue.children.entry(parent).or_default().push(concept.id.clone());
            }
            Ok::<_, Error>(())
        })?;
        Ok(catalogue)
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn concepts(&self) -> usize {
        self.concepts
    }

    pub fn names(&self) -> usize {
        self.names
    }

    /// Returns types with their numbers of concepts, by name.
    pub fn types(&self) -> impl Iterator<Item = (&str, usize)> {
        self.types.iter().map(|(concept_type, concepts)| (concept_type.as_str(), *concepts))
    }

    /// Returns the names of the types.
    pub fn type_names(&self) -> Vec<String> {
        self.types.keys().cloned().collect()
    }

    /// Returns the concepts with a cross-reference.
    pub fn with_xref(&self, xref: &str) -> &[ConceptId] {
        self.xrefs.get(&xref.trim().to_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// Returns the concepts that have `id` as parent.
    pub fn children(&self, id: &ConceptId) -> &[ConceptId] {
        self.children.get(id).map_or(&[], Vec::as_slice)
    }
}
