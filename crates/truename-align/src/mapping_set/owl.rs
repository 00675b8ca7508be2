//! Mappings as axioms of OWL in RDF/XML.

use std::fmt::Write;

use super::{MappingSet, escaped};
use crate::Predicate;

pub(super) fn write(set: &MappingSet) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"\n\
         \x20        xmlns:owl=\"http://www.w3.org/2002/07/owl#\"\n\
         \x20        xmlns:rdfs=\"http://www.w3.org/2000/01/rdf-schema#\"\n\
         \x20        xmlns:skos=\"http://www.w3.org/2004/02/skos/core#\">\n\
         <owl:Ontology rdf:about=\"{}\"/>\n",
        escaped(&set.mapping_set_id)
    );
    for row in &set.mappings {
        let [subject, object] = [&row.subject_id, &row.object_id].map(|curie| escaped(&set.prefixes.iri(curie)));
        let (about, property, resource) = match row.predicate_id {
            Predicate::Exact => (subject, "owl:equivalentClass", object),
            Predicate::Broad => (subject, "rdfs:subClassOf", object),
            Predicate::Narrow => (object, "rdfs:subClassOf", subject),
            Predicate::Related => (subject, "skos:relatedMatch", object),
        };
        let _ = writeln!(out, "<owl:Class rdf:about=\"{about}\"><{property} rdf:resource=\"{resource}\"/></owl:Class>");
    }
    out.push_str("</rdf:RDF>\n");
    out
}
