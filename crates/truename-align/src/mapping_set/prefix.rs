//! CURIEs of the ids of both sides, and the IRIs that they stand for.

use std::collections::{BTreeMap, BTreeSet};

use truename_kb::Concept;

/// Prefixes whose IRIs are not those of the OBO Foundry.
const KNOWN: [(&str, &str); 14] = [
    ("EFO", "http://www.ebi.ac.uk/efo/EFO_"),
    ("HGNC", "http://identifiers.org/hgnc/"),
    ("MESH", "http://id.nlm.nih.gov/mesh/"),
    ("OMIM", "https://omim.org/entry/"),
    ("ORPHA", "http://www.orpha.net/ORDO/Orphanet_"),
    ("Orphanet", "http://www.orpha.net/ORDO/Orphanet_"),
    ("SCTID", "http://snomed.info/id/"),
    ("SNOMEDCT", "http://snomed.info/id/"),
    ("UMLS", "http://linkedlifedata.com/resource/umls/id/"),
    ("dbpedia", "http://dbpedia.org/resource/"),
    ("mesh", "http://id.nlm.nih.gov/mesh/"),
    ("reactome", "https://reactome.org/content/detail/"),
    ("uniprot", "http://purl.uniprot.org/uniprot/"),
    ("wikidata", "http://www.wikidata.org/entity/"),
];
/// Prefixes of what sets have beside ids.
const VOCABULARIES: [(&str, &str); 6] = [
    (OBO_IN_OWL, "http://www.geneontology.org/formats/oboInOwl#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("semapv", "https://w3id.org/semapv/vocab/"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("sssom", "https://w3id.org/sssom/"),
];
/// Prefix of the fields of synonyms with a scope, which not every set has.
const OBO_IN_OWL: &str = "oboInOwl";
const OBO: &str = "http://purl.obolibrary.org/obo/";
const BIOREGISTRY: &str = "https://bioregistry.io/";
/// Prefixes of the ids of each side that have none.
const SIDES: [&str; 2] = ["source", "target"];

/// Prefixes with their IRIs.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixMap {
    iris: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl PrefixMap {
    /// Chooses the IRI of each prefix of the ids: that which is given, a known one, of the OBO Foundry for numbers, else of the
    /// Bioregistry.
    pub(super) fn new(sides: [&[Concept]; 2], given: &BTreeMap<String, String>) -> Self {
        let mut iris = given.clone();
        let mut are_numbers: BTreeMap<&str, bool> = BTreeMap::new();
        for (prefix, local) in sides.into_iter().flatten().filter_map(|concept| curie_parts(concept.id.as_str())) {
            *are_numbers.entry(prefix).or_insert(true) &= local.bytes().all(|byte| byte.is_ascii_digit());
        }
        for (prefix, are_numbers) in are_numbers {
            let known = KNOWN.iter().find(|(known, _)| *known == prefix).map(|(_, iri)| (*iri).to_owned());
            let is_obo = are_numbers && prefix.chars().next().is_some_and(char::is_uppercase);
            let other = || match is_obo {
                true => format!("{OBO}{prefix}_"),
                false => format!("{BIOREGISTRY}{prefix}:"),
            };
            iris.entry(prefix.to_owned()).or_insert_with(|| known.unwrap_or_else(other));
        }
        let used = VOCABULARIES.iter().map(|(prefix, _)| (*prefix).to_owned()).filter(|prefix| prefix != OBO_IN_OWL);
        Self { iris, used: used.collect() }
    }

    /// Adds the prefix of a CURIE to those that are used.
    pub(super) fn mark_used(&mut self, curie: &str) {
        let prefix = curie_parts(curie).map(|(prefix, _)| prefix);
        if let Some(prefix) = prefix.filter(|prefix| !self.used.contains(*prefix)) {
            self.used.insert(prefix.to_owned());
        }
    }

    /// Returns the CURIE of an id of a side: the id itself, or the last part of an IRI behind a prefix for what is before it.
    pub(super) fn curie(&mut self, id: &str, side: usize) -> String {
        if curie_parts(id).is_some() {
            self.mark_used(id);
            return id.to_owned();
        }
        let cut = if id.contains("://") { id.rfind(['#', '/']).map_or(0, |place| place + 1) } else { 0 };
        let (namespace, local) = id.split_at(cut);
        let namespace = if namespace.is_empty() { format!("urn:{}:", SIDES[side]) } else { namespace.to_owned() };
        let prefix = self.prefix_of(&namespace, side);
        self.used.insert(prefix.clone());
        format!("{prefix}:{}", local.replace(' ', "%20"))
    }

    /// Returns the prefix of a namespace, a new one if there is none.
    fn prefix_of(&mut self, namespace: &str, side: usize) -> String {
        if let Some((prefix, _)) = self.iris.iter().find(|(_, iri)| *iri == namespace) {
            return prefix.clone();
        }
        let names =
            std::iter::once(SIDES[side].to_owned()).chain((2..).map(|number| format!("{}{number}", SIDES[side])));
        let mut free = names.filter(|name| !self.iris.contains_key(name));
        let prefix = free.next().expect("numbers without end");
        self.iris.insert(prefix.clone(), namespace.to_owned());
        prefix
    }

    /// Returns the IRI of a CURIE.
    pub(super) fn iri(&self, curie: &str) -> String {
        let parts = curie.split_once(':');
        let known = parts.and_then(|(prefix, local)| Some(format!("{}{local}", self.iris.get(prefix)?)));
        known.unwrap_or_else(|| curie.to_owned())
    }

    /// Returns the prefixes that are used, with their IRIs.
    pub(super) fn curie_map(&self) -> BTreeMap<String, String> {
        let own = VOCABULARIES.iter().map(|(prefix, iri)| ((*prefix).to_owned(), (*iri).to_owned()));
        let known = self.iris.iter().map(|(prefix, iri)| (prefix.clone(), iri.clone()));
        known.chain(own).filter(|(prefix, _)| self.used.contains(prefix)).collect()
    }
}

/// Returns the CURIE of an IRI of the OBO Foundry, the Bioregistry or a known vocabulary.
pub(crate) fn curie_of(iri: &str) -> Option<String> {
    let known = KNOWN.iter().find_map(|(prefix, namespace)| Some(format!("{prefix}:{}", iri.strip_prefix(namespace)?)));
    known.or_else(|| {
        let (prefix, local) = match iri.strip_prefix(OBO) {
            Some(rest) => rest.split_once('_')?,
            None => iri.strip_prefix(BIOREGISTRY)?.split_once(':')?,
        };
        Some(format!("{prefix}:{local}"))
    })
}

/// Returns true if the IRI of a prefix, in any case, is known.
pub(crate) fn is_known_prefix(prefix: &str) -> bool {
    KNOWN.iter().any(|(known, _)| known.eq_ignore_ascii_case(prefix))
}

/// Returns the two parts of a CURIE; none of an IRI or of an id that cannot be one.
fn curie_parts(id: &str) -> Option<(&str, &str)> {
    let (prefix, local) = id.split_once(':')?;
    let is_name = |prefix: &str| prefix.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    let is_curie = !prefix.is_empty() && is_name(prefix) && !local.is_empty() && !local.starts_with("//");
    (is_curie && !local.contains(char::is_whitespace)).then_some((prefix, local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_curies_with_iris() {
        let concept = |id: &str| Concept::new(id.parse().unwrap(), "name");
        let source = [concept("MONDO:0000001"), concept("http://mouse.owl#MA_1"), concept("heart attack")];
        let target = [concept("MESH:D001"), concept("umls.cui:C01"), concept("http://human.owl#MA_1"), concept("Q42")];
        let given = BTreeMap::from([("human".to_owned(), "http://human.owl#".to_owned())]);
        let mut prefixes = PrefixMap::new([&source, &target], &given);
        let mut curies = |side: usize, concepts: &[Concept]| -> Vec<String> {
            concepts.iter().map(|concept| prefixes.curie(concept.id.as_str(), side)).collect()
        };
        assert_eq!(curies(0, &source), ["MONDO:0000001", "source:MA_1", "source2:heart%20attack"]);
        let of_target = curies(1, &target);
        assert_eq!(of_target, ["MESH:D001", "umls.cui:C01", "human:MA_1", "target:Q42"]);
        let iris: Vec<String> = of_target.iter().map(|curie| prefixes.iri(curie)).collect();
        let expected = [
            "http://id.nlm.nih.gov/mesh/D001",
            "https://bioregistry.io/umls.cui:C01",
            "http://human.owl#MA_1",
            "urn:target:Q42",
        ];
        assert_eq!(iris, expected);
        assert_eq!(prefixes.iri("MONDO:0000001"), "http://purl.obolibrary.org/obo/MONDO_0000001");
        assert!(prefixes.curie_map().contains_key("skos"));
    }
}
