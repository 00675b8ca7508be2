//! OWL/XML (OWL 2 XML Serialization): declarations, annotations, and axioms of named classes.

use std::collections::HashMap;

use super::collector::Collector;
use super::graph::{Graph, RDF_TYPE, is_part_of};
use super::iri::{OWL, RDFS};
use super::rdf::BASE;
use crate::Error;
use truename_read::Source;
use truename_read::xml::{Piece, Pieces, attribute, local};

/// Prefixes that need no declaration (OWL 2 Structural Specification, table 2).
const PREFIXES: [(&str, &str); 4] = [
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", RDFS),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("owl", OWL),
];

/// An element right below `Ontology`.
#[derive(Default)]
struct Axiom {
    property: String,
    /// Kind and IRI of the entities right below it, in order.
    entities: Vec<(String, String)>,
    /// Those within a class expression below it.
    nested: Vec<(String, String)>,
    literal: Option<(String, Option<String>)>,
}

#[derive(Default)]
struct Iris {
    base: String,
    prefixes: HashMap<String, String>,
}

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let mut pieces = Pieces::new(source.into_text(), "OWL/XML");
    let unresolved = pieces.unresolved();
    let (mut iris, mut axiom, mut graph) = (Iris::default(), Axiom::default(), Graph::default());
    let (mut depth, mut text, mut language) = (0, String::new(), None);
    while let Some(piece) = pieces.read()? {
        collector.report_unresolved(&unresolved)?;
        match piece {
            Piece::Start { name, attributes } => {
                match depth {
                    0 => iris.begin(&attributes),
                    1 if local(&name) == "Prefix" => iris.declare(&attributes),
                    1 => axiom = Axiom::default(),
                    2 => {
                        axiom.take(local(&name), iris.named(&attributes));
                        language = attribute(&attributes, "xml:lang").map(str::to_owned);
                    }
                    3 => {
                        axiom.nested.push((local(&name).to_owned(), iris.named(&attributes).unwrap_or_default()));
                    }
                    _ => {}
                }
                depth += 1;
                text.clear();
            }
            Piece::Text(piece) => text = piece,
            Piece::End { name } => {
                depth -= 1;
                match (depth, local(&name)) {
                    (2, "IRI") => axiom.entities.push(("IRI".to_owned(), iris.absolute(text.trim()))),
                    (2, "AbbreviatedIRI") => axiom.entities.push(("IRI".to_owned(), iris.full(text.trim()))),
                    (2, "Literal") => axiom.literal = Some((std::mem::take(&mut text), language.take())),
                    (1, kind) => std::mem::take(&mut axiom).add_to(kind, &mut graph, collector),
                    _ => {}
                }
                text.clear();
            }
        }
    }
    graph.finish(collector)
}

impl Axiom {
    fn take(&mut self, kind: &str, iri: Option<String>) {
        match (kind, iri) {
            ("AnnotationProperty", Some(iri)) if self.property.is_empty() => self.property = iri,
            (kind, Some(iri)) => self.entities.push((kind.to_owned(), iri)),
            // A class expression keeps its place, so that it is not taken for the class that follows it.
            ("Annotation" | "IRI" | "AbbreviatedIRI" | "Literal", None) => {}
            (kind, None) => self.entities.push((kind.to_owned(), String::new())),
        }
    }

    fn add_to(self, kind: &str, graph: &mut Graph, collector: &mut Collector) {
        let Self { property, mut entities, nested, literal } = self;
        if kind == "Declaration" && entities.is_empty() && !property.is_empty() {
            entities.push(("AnnotationProperty".to_owned(), property.clone()));
        }
        if let ("SubClassOf", [(_, part), (some, _)], [(_, relation), (class, whole)]) =
            (kind, &entities[..], &nested[..])
            && some == "ObjectSomeValuesFrom"
            && class == "Class"
            && is_part_of(relation)
        {
            graph.add_whole(part, whole);
            return;
        }
        if kind == "DisjointClasses" {
            let classes = entities.into_iter().filter(|(kind, iri)| kind == "Class" && !iri.is_empty());
            graph.add_disjoint(&classes.map(|(_, iri)| iri).collect::<Vec<_>>());
            return;
        }
        let mut entities = entities.into_iter();
        let Some((first_kind, first)) = entities.next() else { return };
        let second = entities.next().filter(|(_, iri)| !iri.is_empty());
        let are_classes = first_kind == "Class" && second.as_ref().is_some_and(|(kind, _)| kind == "Class");
        match (kind, literal, second) {
            ("Declaration", ..) => graph.relate(&first, RDF_TYPE, format!("{OWL}{first_kind}"), collector),
            ("AnnotationAssertion", Some((value, language)), _) => {
                graph.say(&first, &property, &value, language.as_deref(), collector);
            }
            ("AnnotationAssertion", None, Some((_, second))) => graph.relate(&first, &property, second, collector),
            ("SubClassOf", _, Some((_, second))) if are_classes => {
                graph.relate(&first, &format!("{RDFS}subClassOf"), second, collector);
            }
            ("EquivalentClasses", _, Some((_, second))) if are_classes => {
                graph.relate(&first, &format!("{OWL}equivalentClass"), second, collector);
            }
            _ => {}
        }
    }
}

impl Iris {
    fn begin(&mut self, attributes: &[(String, String)]) {
        let base = attribute(attributes, "xml:base").or_else(|| attribute(attributes, "ontologyIRI"));
        self.base = base.unwrap_or(BASE).to_owned();
        self.prefixes = PREFIXES.map(|(name, iri)| (name.to_owned(), iri.to_owned())).into();
    }

    fn declare(&mut self, attributes: &[(String, String)]) {
        if let (Some(name), Some(iri)) = (attribute(attributes, "name"), attribute(attributes, "IRI")) {
            self.prefixes.insert(name.to_owned(), iri.to_owned());
        }
    }

    fn named(&self, attributes: &[(String, String)]) -> Option<String> {
        let iri = attribute(attributes, "IRI").map(|iri| self.absolute(iri));
        let abbreviated = || attribute(attributes, "abbreviatedIRI").map(|iri| self.full(iri));
        iri.or_else(abbreviated).or_else(|| attribute(attributes, "nodeID").map(str::to_owned))
    }

    fn absolute(&self, iri: &str) -> String {
        if iri.contains(':') { iri.to_owned() } else { format!("{}{iri}", self.base) }
    }

    fn full(&self, abbreviated: &str) -> String {
        let (prefix, name) = abbreviated.split_once(':').unwrap_or_default();
        match self.prefixes.get(prefix) {
            Some(iri) => format!("{iri}{name}"),
            None => abbreviated.to_owned(),
        }
    }
}
