//! IRIs of ontologies and their CURIEs.

use std::borrow::Cow;

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(super) const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
pub(super) const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
pub(super) const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";
pub(super) const OWL: &str = "http://www.w3.org/2002/07/owl#";
pub(super) const OBO_IN_OWL: &str = "http://www.geneontology.org/formats/oboInOwl#";
pub(super) const OBO: &str = "http://purl.obolibrary.org/obo/";

/// Namespaces of which classes are no concepts, with their usual prefixes.
pub(super) const VOCABULARIES: [(&str, &str); 5] =
    [(OWL, "owl"), (RDF, "rdf"), (RDFS, "rdfs"), (SKOS, "skos"), (OBO_IN_OWL, "oboInOwl")];

/// Returns the IRI of a CURIE whose prefix ontologies use without a declaration, or that of the OBO Foundry (`IAO:0000118`); an
/// IRI as it is.
pub(super) fn iri_of(property: &str) -> Cow<'_, str> {
    let Some((prefix, local)) = property.split_once(':').filter(|(_, local)| !local.starts_with("//")) else {
        return Cow::Borrowed(property);
    };
    match VOCABULARIES.iter().find(|(_, known)| *known == prefix) {
        Some((namespace, _)) => Cow::Owned(format!("{namespace}{local}")),
        None if !local.is_empty() && local.bytes().all(|byte| byte.is_ascii_digit()) => {
            Cow::Owned(format!("{OBO}{prefix}_{local}"))
        }
        None => Cow::Borrowed(property),
    }
}

/// Returns the CURIE of an OBO Foundry IRI (`…/obo/DOID_1612` is `DOID:1612`); any other IRI as it is.
pub(super) fn curie(iri: &str) -> String {
    let local = iri.strip_prefix(OBO).and_then(|local| local.split_once('_'));
    match local {
        Some((prefix, number)) if !prefix.contains(['/', '#']) => format!("{prefix}:{number}"),
        _ => iri.to_owned(),
    }
}
