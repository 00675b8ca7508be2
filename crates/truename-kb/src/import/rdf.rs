//! SKOS (and SKOS-XL) and OWL in Turtle, N-Triples and RDF/XML: labels, synonyms, broader concepts, matches.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::{TurtleParseError, TurtleParser};
use truename_text::excerpt;

use super::collector::{Collector, Entry};
use super::format::Format;
use super::options::{ENCODING_HINT, SynonymScopes};
use crate::Error;
use truename_read::Source;
use truename_read::xml::{Pieces, Plain};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(super) const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
pub(super) const OWL: &str = "http://www.w3.org/2002/07/owl#";
const OBO_IN_OWL: &str = "http://www.geneontology.org/formats/oboInOwl#";
const OBO: &str = "http://purl.obolibrary.org/obo/";
pub(super) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
/// Relative references are resolved against this where the file names no base of its own.
pub(super) const BASE: &str = "file:///";

/// SKOS-XL, whose labels are resources with a literal form each.
const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";

/// The part that a property has in a concept.
enum Role {
    Preferred,
    /// A further name, if its scope is asked for.
    Synonym(bool),
    Label,
    Definition,
    Type,
    Xref,
    Deprecated,
    None,
}

impl Role {
    fn of(predicate: &str, scopes: SynonymScopes) -> Self {
        let namespaced = |namespace| predicate.strip_prefix(namespace);
        match (namespaced(SKOS).or(namespaced(SKOS_XL)), namespaced(OBO_IN_OWL), namespaced(OBO)) {
            (Some("prefLabel"), ..) => Self::Preferred,
            (Some("altLabel" | "hiddenLabel"), ..) => Self::Synonym(true),
            (Some("definition"), ..) => Self::Definition,
            (_, Some("hasExactSynonym"), _) => Self::Synonym(true),
            (_, Some("hasRelatedSynonym"), _) => Self::Synonym(scopes.related),
            (_, Some("hasNarrowSynonym"), _) => Self::Synonym(scopes.narrow),
            (_, Some("hasBroadSynonym"), _) => Self::Synonym(scopes.broad),
            (_, Some("hasDbXref"), _) => Self::Xref,
            (_, Some("hasOBONamespace"), _) => Self::Type,
            (.., Some("IAO_0000115")) => Self::Definition,
            (.., Some("IAO_0000118")) => Self::Synonym(true),
            _ if namespaced(RDFS) == Some("label") => Self::Label,
            _ if namespaced(OWL) == Some("deprecated") => Self::Deprecated,
            _ => Self::None,
        }
    }
}

/// Statements about a subject.
#[derive(Default)]
struct Described {
    entry: Entry,
    /// `rdfs:label`, used where there is no `skos:prefLabel`.
    label: String,
    deprecated: bool,
    /// True if it is declared a class or concept.
    declared: bool,
    /// True if it is a property, ontology or scheme rather than a concept.
    other: bool,
    /// The language of a name that was left out.
    other_language: Option<String>,
}

/// Subjects in the order of their IRIs.
#[derive(Default)]
pub(super) struct Graph {
    described: BTreeMap<String, Described>,
    /// Values and languages of SKOS-XL labels, by label.
    literal_forms: HashMap<String, Vec<(String, Option<String>)>>,
    /// Concept, property and label of each use of a SKOS-XL label.
    label_uses: Vec<(String, String, String)>,
    /// Concept and the narrower one.
    narrower: Vec<(String, String)>,
    /// A name of each blank node that has one.
    without_iri: BTreeMap<String, String>,
}

pub(super) fn read_turtle(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (path, text) = (source.path().to_owned(), source.into_text());
    let watch = text.watch();
    let mut graph = Graph::default();
    let parser = TurtleParser::new().with_base_iri(BASE).map_err(|error| Error::syntax(&path, None, error))?;
    for triple in parser.for_reader(text) {
        watch.begin_value();
        match triple {
            Ok(triple) => graph.add(triple, collector),
            Err(TurtleParseError::Io(error)) => return Err(watch.failure_or(|| Error::io("read", &path, error))),
            Err(TurtleParseError::Syntax(error)) => {
                let line = error.location().start.line + 1;
                let refused = Error::syntax(&path, Some(line), format!("not Turtle: {}", error.message()));
                let is_decoding = error.message().contains("UTF-8");
                return Err(if is_decoding { refused.with_hint(ENCODING_HINT) } else { refused });
            }
        }
    }
    graph.finish(collector)
}

pub(super) fn read_xml(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let path = source.path().to_owned();
    refuse_other_syntaxes(&source)?;
    let text = source.into_text();
    let watch = text.watch();
    let mut graph = Graph::default();
    let parser = RdfXmlParser::new().with_base_iri(BASE).map_err(|error| Error::syntax(&path, None, error))?;
    let pieces = Pieces::new(text, "RDF/XML");
    let unresolved = pieces.unresolved();
    for triple in parser.for_reader(Plain::new(pieces)) {
        match triple {
            Ok(triple) => graph.add(triple, collector),
            Err(error) => return Err(watch.failure_or(|| watch.error(format_args!("not RDF/XML: {error}"))).into()),
        }
        collector.report_unresolved(&unresolved)?;
    }
    collector.report_unresolved(&unresolved)?;
    graph.finish(collector)
}

/// Returns the syntax of an OWL ontology that is not XML.
fn refuse_other_syntaxes(source: &Source) -> Result<(), Error> {
    let beginning = source.beginning_text();
    let refused = |message: String| Error::syntax(source.path(), Some(1), message);
    let first = beginning.trim_start().lines().next().unwrap_or_default();
    if Format::detect(Path::new(""), &beginning) == Some(Format::OwlXml) {
        return Err(refused("this is OWL/XML, not RDF/XML".into()).with_hint("name it with --format owlxml"));
    }
    if first.is_empty() || first.starts_with('<') {
        return Ok(());
    }
    let name = source.path().file_stem().unwrap_or_default().to_string_lossy();
    let syntax = match first.split(['(', ':']).next().unwrap_or_default() {
        "Prefix" | "Ontology" if first.contains('(') => "OWL in functional syntax",
        "Prefix" | "Ontology" => "OWL in Manchester syntax",
        _ => return Err(refused(format!("not XML: it begins with \"{}\"", excerpt(first)))),
    };
    Err(refused(format!("this is {syntax}, which truename does not read"))
        .with_hint(format!("convert it: `robot convert --input {} --output {name}.obo`", source.path().display())))
}

impl Graph {
    fn add(&mut self, triple: Triple, collector: &Collector<'_>) {
        let predicate = triple.predicate.as_str();
        let subject = match triple.subject {
            NamedOrBlankNode::NamedNode(subject) => subject.into_string(),
            NamedOrBlankNode::BlankNode(label) => {
                match (triple.object, Role::of(predicate, collector.options.scopes)) {
                    (Term::Literal(literal), _) if predicate.strip_prefix(SKOS_XL) == Some("literalForm") => {
                        self.add_literal_form(label.to_string(), literal);
                    }
                    (Term::Literal(literal), Role::Preferred | Role::Label) => {
                        self.without_iri.entry(label.to_string()).or_insert_with(|| literal.value().to_owned());
                    }
                    _ => {}
                }
                return;
            }
        };
        match triple.object {
            Term::Literal(literal) if predicate.strip_prefix(SKOS_XL) == Some("literalForm") => {
                self.add_literal_form(subject, literal);
            }
            Term::Literal(literal) => {
                self.say(&subject, predicate, literal.value(), literal.language(), collector);
            }
            Term::NamedNode(object) => self.relate(subject, predicate, object.into_string()),
            Term::BlankNode(label) => self.relate(subject, predicate, label.to_string()),
        }
    }

    fn add_literal_form(&mut self, label: String, literal: Literal) {
        let language = literal.language().map(str::to_owned);
        self.literal_forms.entry(label).or_default().push((literal.value().to_owned(), language));
    }

    /// Takes a literal in.
    pub(super) fn say(
        &mut self,
        subject: &str,
        predicate: &str,
        value: &str,
        language: Option<&str>,
        collector: &Collector<'_>,
    ) {
        let role = Role::of(predicate, collector.options.scopes);
        let described = match self.described.get_mut(subject) {
            Some(described) => described,
            None => self.described.entry(subject.to_owned()).or_default(),
        };
        match language {
            Some(language) if !spoken(language, collector) => {
                if matches!(role, Role::Preferred | Role::Synonym(true) | Role::Label) {
                    described.other_language.get_or_insert_with(|| language.to_owned());
                }
            }
            _ => described.say(role, value),
        }
    }

    /// Takes a relation between two nodes in.
    pub(super) fn relate(&mut self, subject: String, predicate: &str, object: String) {
        if matches!(predicate.strip_prefix(SKOS_XL), Some("prefLabel" | "altLabel" | "hiddenLabel")) {
            self.label_uses.push((subject, predicate.to_owned(), object));
        } else if predicate.strip_prefix(SKOS) == Some("narrower") {
            self.narrower.push((subject, object));
        } else if !object.starts_with("_:") {
            self.described.entry(subject).or_default().relate(predicate, &object);
        }
    }

    /// Hands over all concepts.
    pub(super) fn finish(mut self, collector: &mut Collector<'_>) -> Result<(), Error> {
        if let Some(first) = self.without_iri.values().next() {
            let count = self.without_iri.len();
            collector.problem(
                None,
                first,
                format!("named nodes without an IRI (`rdf:about`) were left out ({count})"),
            )?;
        }
        for (subject, predicate, label) in std::mem::take(&mut self.label_uses) {
            for (value, language) in self.literal_forms.get(&label).cloned().unwrap_or_default() {
                self.say(&subject, &predicate, &value, language.as_deref(), collector);
            }
        }
        for (parent, child) in std::mem::take(&mut self.narrower) {
            if let Some(described) = self.described.get_mut(&child) {
                described.entry.parents.push(curie(&parent));
            }
        }
        for (iri, mut described) in self.described {
            if described.entry.name.is_empty() {
                described.entry.name = described.label;
            } else if !described.label.is_empty() {
                described.entry.synonyms.push(described.label);
            }
            let named = !described.entry.name.is_empty() || !described.entry.synonyms.is_empty();
            let entry = Entry { id: curie(&iri), ..described.entry };
            if described.deprecated {
                collector.remove(None, &entry.id)?;
            } else if described.other {
                continue;
            } else if named {
                collector.add(None, entry)?;
            } else if let Some(language) = &described.other_language {
                collector.add_other_language(&entry.id, language);
            } else if described.declared && ![OWL, RDF, RDFS, SKOS].iter().any(|known| iri.starts_with(known)) {
                collector.add_unlabelled(&iri, entry);
            }
        }
        Ok(())
    }
}

impl Described {
    fn say(&mut self, role: Role, value: &str) {
        let (entry, value) = (&mut self.entry, value.to_owned());
        match role {
            Role::Preferred if entry.name.is_empty() => entry.name = value,
            Role::Label if self.label.is_empty() => self.label = value,
            Role::Preferred | Role::Label | Role::Synonym(true) => entry.synonyms.push(value),
            Role::Definition => entry.definition = Some(value),
            Role::Type => entry.types.push(value),
            Role::Xref => entry.xrefs.push(value),
            Role::Deprecated => self.deprecated = value == "true" || value == "1",
            Role::Synonym(false) | Role::None => {}
        }
    }

    fn relate(&mut self, predicate: &str, object: &str) {
        if predicate == RDF_TYPE {
            let kind = [OWL, SKOS, SKOS_XL, RDFS, RDF].iter().find_map(|namespace| object.strip_prefix(namespace));
            let kind = kind.unwrap_or_default();
            self.declared |= matches!(kind, "Class" | "Concept");
            self.other |= kind.ends_with("Property")
                || matches!(kind, "Ontology" | "ConceptScheme" | "Collection" | "Datatype" | "Label");
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

fn spoken(language: &str, collector: &Collector<'_>) -> bool {
    let kept = &collector.options.languages;
    let main = language.split('-').next().unwrap_or(language);
    if kept.is_empty() {
        main.eq_ignore_ascii_case("en")
    } else {
        kept.iter().any(|kept| kept == "*" || kept.eq_ignore_ascii_case(main) || kept.eq_ignore_ascii_case(language))
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
