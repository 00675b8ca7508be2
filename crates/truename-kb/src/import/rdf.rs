//! SKOS and OWL in Turtle, N-Triples and RDF/XML: labels, synonyms, broader concepts, matches.

use std::collections::BTreeMap;

use oxrdf::{NamedOrBlankNode, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::{TurtleParseError, TurtleParser};

use super::{Collector, Entry, Source};
use crate::Error;

const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
const OBO_IN_OWL: &str = "http://www.geneontology.org/formats/oboInOwl#";
const OBO: &str = "http://purl.obolibrary.org/obo/";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
/// Relative references are resolved against this where the file names no base of its own.
const BASE: &str = "file:///";

/// What was said of one subject.
#[derive(Default)]
struct Described {
    entry: Entry,
    /// `rdfs:label`, used where there is no `skos:prefLabel`.
    label: String,
    deprecated: bool,
    /// Whether it is a property, ontology or scheme rather than a concept.
    other: bool,
}

/// Subjects in the order of their IRIs.
#[derive(Default)]
struct Graph(BTreeMap<String, Described>);

pub(super) fn read_turtle(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let path = source.path.clone();
    let mut graph = Graph::default();
    let parser = TurtleParser::new().with_base_iri(BASE).map_err(|error| Error::syntax(&path, None, error))?;
    for triple in parser.for_reader(source.reader()) {
        match triple {
            Ok(triple) => graph.add(triple, collector)?,
            Err(TurtleParseError::Io(error)) => return Err(Error::io("read", &path, error)),
            Err(TurtleParseError::Syntax(error)) => {
                let line = error.location().start.line + 1;
                return Err(Error::syntax(&path, Some(line), format!("not Turtle: {}", error.message())));
            }
        }
    }
    graph.finish(collector)
}

pub(super) fn read_xml(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let path = source.path.clone();
    let mut graph = Graph::default();
    let parser = RdfXmlParser::new().with_base_iri(BASE).map_err(|error| Error::syntax(&path, None, error))?;
    let mut triples = parser.for_reader(source.reader());
    while let Some(triple) = triples.next() {
        match triple {
            Ok(triple) => graph.add(triple, collector)?,
            Err(error) => {
                let message = format!("not RDF/XML, at byte {}: {error}", triples.buffer_position());
                return Err(Error::syntax(&path, None, message));
            }
        }
    }
    graph.finish(collector)
}

impl Graph {
    fn add(&mut self, triple: Triple, collector: &Collector<'_>) -> Result<(), Error> {
        let NamedOrBlankNode::NamedNode(subject) = triple.subject else { return Ok(()) };
        let subject = self.0.entry(subject.into_string()).or_default();
        match triple.object {
            Term::Literal(literal) if spoken(literal.language(), collector) => {
                subject.say(triple.predicate.as_str(), literal.value(), collector);
            }
            Term::NamedNode(object) => subject.relate(triple.predicate.as_str(), object.as_str()),
            _ => {}
        }
        Ok(())
    }

    fn finish(self, collector: &mut Collector<'_>) -> Result<(), Error> {
        for (iri, mut described) in self.0 {
            if described.entry.name.is_empty() {
                described.entry.name = described.label;
            } else if !described.label.is_empty() {
                described.entry.synonyms.push(described.label);
            }
            let named = !described.entry.name.is_empty() || !described.entry.synonyms.is_empty();
            if described.deprecated {
                collector.remove(None, &curie(&iri))?;
            } else if named && !described.other {
                described.entry.id = curie(&iri);
                collector.add(None, described.entry)?;
            }
        }
        Ok(())
    }
}

impl Described {
    fn say(&mut self, predicate: &str, value: &str, collector: &Collector<'_>) {
        let scopes = collector.options.scopes;
        let entry = &mut self.entry;
        let synonym = |entry: &mut Entry, kept: bool| {
            if kept {
                entry.synonyms.push(value.to_owned());
            }
        };
        if let Some(name) = predicate.strip_prefix(SKOS) {
            match name {
                "prefLabel" if entry.name.is_empty() => entry.name = value.to_owned(),
                "prefLabel" | "altLabel" | "hiddenLabel" => synonym(entry, true),
                "definition" => entry.definition = Some(value.to_owned()),
                _ => {}
            }
        } else if let Some(name) = predicate.strip_prefix(OBO_IN_OWL) {
            match name {
                "hasExactSynonym" => synonym(entry, true),
                "hasRelatedSynonym" => synonym(entry, scopes.related),
                "hasNarrowSynonym" => synonym(entry, scopes.narrow),
                "hasBroadSynonym" => synonym(entry, scopes.broad),
                "hasDbXref" => entry.xrefs.push(value.to_owned()),
                "hasOBONamespace" => entry.types.push(value.to_owned()),
                _ => {}
            }
        } else if predicate.strip_prefix(RDFS) == Some("label") {
            if self.label.is_empty() { self.label = value.to_owned() } else { synonym(entry, true) }
        } else if predicate.strip_prefix(OBO) == Some("IAO_0000115") {
            entry.definition = Some(value.to_owned());
        } else if predicate.strip_prefix(OBO) == Some("IAO_0000118") {
            synonym(entry, true);
        } else if predicate.strip_prefix(OWL) == Some("deprecated") {
            self.deprecated = value == "true" || value == "1";
        }
    }

    fn relate(&mut self, predicate: &str, object: &str) {
        if predicate == RDF_TYPE {
            self.other |= [OWL, SKOS, RDFS, "http://www.w3.org/1999/02/22-rdf-syntax-ns#"]
                .iter()
                .filter_map(|namespace| object.strip_prefix(namespace))
                .any(|kind| {
                    kind.ends_with("Property")
                        || matches!(kind, "Ontology" | "ConceptScheme" | "Collection" | "Datatype")
                });
        } else if predicate.strip_prefix(SKOS) == Some("broader") || predicate.strip_prefix(RDFS) == Some("subClassOf")
        {
            self.entry.parents.push(curie(object));
        } else if matches!(predicate.strip_prefix(SKOS), Some("exactMatch" | "closeMatch"))
            || matches!(predicate.strip_prefix(OWL), Some("equivalentClass" | "sameAs"))
            || predicate.strip_prefix(OBO_IN_OWL) == Some("hasDbXref")
        {
            self.entry.xrefs.push(curie(object));
        }
    }
}

fn spoken(language: Option<&str>, collector: &Collector<'_>) -> bool {
    let kept = &collector.options.languages;
    let Some(language) = language else { return true };
    let main = language.split('-').next().unwrap_or(language);
    if kept.is_empty() {
        main.eq_ignore_ascii_case("en")
    } else {
        kept.iter().any(|kept| kept == "*" || kept.eq_ignore_ascii_case(main) || kept.eq_ignore_ascii_case(language))
    }
}

/// The CURIE of an OBO Foundry IRI (`…/obo/DOID_1612` is `DOID:1612`); any other IRI as it is.
pub(super) fn curie(iri: &str) -> String {
    let local = iri.strip_prefix(OBO).and_then(|local| local.split_once('_'));
    match local {
        Some((prefix, number)) if !prefix.contains(['/', '#']) => format!("{prefix}:{number}"),
        _ => iri.to_owned(),
    }
}
