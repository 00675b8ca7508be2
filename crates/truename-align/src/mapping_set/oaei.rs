//! The alignment format of the Ontology Alignment Evaluation Initiative (Alignment API, level 0).

use std::fmt::Write;

use super::{MappingSet, escaped};
use crate::Predicate;

pub(super) fn write(set: &MappingSet) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF xmlns=\"http://knowledgeweb.semanticweb.org/heterogeneity/alignment#\"\n\
         \x20        xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"\n\
         \x20        xmlns:xsd=\"http://www.w3.org/2001/XMLSchema#\">\n\
         <Alignment>\n  <xml>yes</xml>\n  <level>0</level>\n  <type>??</type>\n",
    );
    for row in &set.mappings {
        let relation = match row.predicate_id {
            Predicate::Exact => "=",
            Predicate::Broad => "&lt;",
            Predicate::Narrow => "&gt;",
            Predicate::Related => "~",
        };
        let [subject, object] = [&row.subject_id, &row.object_id].map(|curie| escaped(&set.prefixes.iri(curie)));
        let _ = writeln!(
            out,
            "  <map>\n    <Cell>\n      <entity1 rdf:resource=\"{subject}\"/>\n      <entity2 rdf:resource=\"{object}\"/>\n      \
             <measure rdf:datatype=\"http://www.w3.org/2001/XMLSchema#float\">{}</measure>\n      <relation>{relation}</relation>\n    \
             </Cell>\n  </map>",
            row.confidence
        );
    }
    out.push_str("</Alignment>\n</rdf:RDF>\n");
    out
}
