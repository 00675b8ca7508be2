//! SKOS (and SKOS-XL), OWL and MeSH's vocabulary in Turtle, N-Triples, N-Quads, RDF/XML and JSON-LD.

use std::collections::HashSet;
use std::path::Path;

use oxjsonld::{JsonLdErrorCode, JsonLdParseError, JsonLdParser};
use oxrdf::{NamedNode, NamedOrBlankNode, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, TurtleParseError, TurtleParser, TurtleSyntaxError};
use truename_error::{HintPart, hint};
use truename_text::excerpt;

use super::collector::Collector;
use super::format::Format;
use super::graph::Graph;
use super::lines::for_each_row;
use super::markup::plain_value;
use crate::{Error, error};
use truename_read::json::JsonDocument;
use truename_read::xml::{Pieces, Plain};
use truename_read::{Source, encoding_hint, has_extension};

/// Relative references are resolved against this where the file names no base of its own.
pub(super) const BASE: &str = "file:///";

/// Reads Turtle, or N-Triples and N-Quads line by line.
pub(super) fn read_turtle(source: Source, collector: &mut Collector) -> Result<(), Error> {
    if has_lines_of_statements(&source) {
        return read_statements(source, collector);
    }
    let (path, text) = (source.path().to_owned(), source.into_text());
    let watch = text.watch();
    let mut graph = Graph::default();
    let parser = TurtleParser::new().with_base_iri(BASE).map_err(|error| error::syntax(&path, None, error))?;
    let not_turtle = |fault: &TurtleSyntaxError| {
        let line = fault.location().start.line + 1;
        let refused = error::syntax(&path, Some(line), format!("not Turtle: {}", fault.message()));
        if fault.message().contains("UTF-8") { refused.with_hint(encoding_hint()) } else { refused }
    };
    // The parser goes on behind the statement that it cannot read, so the file is refused only if it ends there.
    let (mut first, mut last, mut has_triples) = (None, None::<TurtleSyntaxError>, false);
    for triple in parser.for_reader(text) {
        watch.begin_value();
        if let Some(fault) = last.take() {
            list_statement(&fault, collector)?;
        }
        match triple {
            Ok(triple) => {
                has_triples = true;
                add(&mut graph, triple, collector);
            }
            Err(TurtleParseError::Io(error)) => return Err(watch.failure_or(|| error::io("read", &path, error))),
            Err(TurtleParseError::Syntax(fault)) if fault.message().contains("UTF-8") => {
                return Err(not_turtle(&fault));
            }
            Err(TurtleParseError::Syntax(fault)) => {
                first.get_or_insert_with(|| not_turtle(&fault));
                last = Some(fault);
            }
        }
    }
    match (first, last) {
        (Some(first), _) if !has_triples => return Err(first),
        (_, Some(fault)) if fault.location().end.offset >= watch.bytes() => return Err(not_turtle(&fault)),
        (_, Some(fault)) => list_statement(&fault, collector)?,
        _ => {}
    }
    graph.finish(collector)
}

/// Returns true for N-Triples and N-Quads, by the name of the file or a first statement with a graph, which Turtle does not have.
fn has_lines_of_statements(source: &Source) -> bool {
    if ["nt", "nq"].iter().any(|extension| has_extension(source.path(), extension)) {
        return true;
    }
    let beginning = source.beginning_text();
    let first = beginning.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let quad = first.and_then(|line| NQuadsParser::new().for_slice(line).next());
    quad.is_some_and(|quad| quad.is_ok_and(|quad| !quad.graph_name.is_default_graph()))
}

/// Reads a statement a line; a line that is none is listed, and the others are read.
fn read_statements(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let path = source.path().to_owned();
    let (mut graph, mut first, mut has_triples) = (Graph::default(), None, false);
    let is_whole = |line: &str| line.trim_end().ends_with('.') || line.trim_start().starts_with('#');
    for_each_row(source, collector, is_whole, |number, line, collector| {
        for quad in NQuadsParser::new().for_slice(line) {
            match quad {
                Ok(quad) => {
                    has_triples = true;
                    add(&mut graph, quad.into(), collector);
                }
                Err(fault) => {
                    let refused = || error::syntax(&path, Some(number), format!("not N-Triples: {}", fault.message()));
                    first.get_or_insert_with(refused);
                    let reason = "not N-Triples or N-Quads, so the line was left out";
                    return collector.problem(Some(number), fault.message(), reason);
                }
            }
        }
        Ok(())
    })?;
    match first {
        Some(first) if !has_triples => Err(first),
        _ => graph.finish(collector),
    }
}

fn list_statement(fault: &TurtleSyntaxError, collector: &mut Collector) -> Result<(), Error> {
    let line = fault.location().start.line + 1;
    collector.problem(Some(line), fault.message(), "not Turtle, so the rest of the statement was left out")
}

pub(super) fn read_xml(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let path = source.path().to_owned();
    refuse_other_syntaxes(&source)?;
    let text = source.into_text();
    let watch = text.watch();
    let (mut graph, mut refused) = (Graph::default(), HashSet::new());
    let parser =
        RdfXmlParser::new().lenient().with_base_iri(BASE).map_err(|error| error::syntax(&path, None, error))?;
    let pieces = Pieces::new(text, "RDF/XML");
    let unresolved = pieces.unresolved();
    for triple in parser.for_reader(Plain::new(pieces)) {
        match triple {
            Ok(triple) => add_checked(&mut graph, triple, Some(watch.line()), &mut refused, collector)?,
            Err(error) => return Err(watch.failure_or(|| watch.error(format_args!("not RDF/XML: {error}")))),
        }
        collector.report_unresolved(&unresolved)?;
    }
    collector.report_unresolved(&unresolved)?;
    graph.finish(collector)
}

/// Returns the syntax of an OWL ontology that is not XML.
fn refuse_other_syntaxes(source: &Source) -> Result<(), Error> {
    let beginning = source.beginning_text();
    let refused = |message: String| error::syntax(source.path(), Some(1), message);
    let first = beginning.trim_start().lines().next().unwrap_or_default();
    if Format::detect(Path::new(""), &beginning) == Some(Format::OwlXml) {
        return Err(refused("this is OWL/XML, not RDF/XML".into())
            .with_hint(hint!["name it with ", HintPart::setting("format").value("owlxml")]));
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

/// Reads JSON-LD. A context that lies elsewhere is never fetched.
pub(super) fn read_json_ld(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let (path, text) = (source.path().to_owned(), source.into_text());
    let watch = text.watch();
    let (mut graph, mut refused) = (Graph::default(), HashSet::new());
    let parser =
        JsonLdParser::new().lenient().with_base_iri(BASE).map_err(|error| error::syntax(&path, None, error))?;
    for quad in parser.for_reader(JsonDocument::new(text)) {
        let quad = quad.map_err(|error| watch.failure_or(|| not_json_ld(&path, &error)))?;
        add_checked(&mut graph, quad.into(), None, &mut refused, collector)?;
    }
    graph.finish(collector)
}

fn not_json_ld(path: &Path, error: &JsonLdParseError) -> Error {
    let JsonLdParseError::Syntax(error) = error else { return error::syntax(path, None, error) };
    let line = error.location().map(|place| place.start.line + 1);
    let refused = error::syntax(path, line, format!("not JSON-LD: {error}"));
    match error.code() {
        Some(JsonLdErrorCode::LoadingRemoteContextFailed | JsonLdErrorCode::LoadingDocumentFailed) => refused
            .with_hint("its context lies elsewhere and is not fetched: put it into the file in place of its address"),
        _ => refused,
    }
}

/// Takes a statement of a parser that checks no IRIs. One with an IRI that is not valid is left out, and the IRI listed once.
fn add_checked(
    graph: &mut Graph,
    triple: Triple,
    line: Option<u64>,
    refused: &mut HashSet<String>,
    collector: &mut Collector,
) -> Result<(), Error> {
    let is_valid = |node: &NamedNode| NamedNode::new(node.as_str()).is_ok();
    let subject = if let NamedOrBlankNode::NamedNode(node) = &triple.subject { Some(node) } else { None };
    let object = if let Term::NamedNode(node) = &triple.object { Some(node) } else { None };
    match subject.into_iter().chain(object).find(|node| !is_valid(node)) {
        Some(node) if refused.insert(node.as_str().to_owned()) => {
            collector.problem(line, node.as_str(), "not an IRI, so its statements were left out")
        }
        Some(_) => Ok(()),
        None => {
            if is_valid(&triple.predicate) {
                add(graph, triple, collector);
            }
            Ok(())
        }
    }
}

fn add(graph: &mut Graph, triple: Triple, collector: &mut Collector) {
    let subject = match triple.subject {
        NamedOrBlankNode::NamedNode(subject) => subject.into_string(),
        NamedOrBlankNode::BlankNode(label) => label.to_string(),
    };
    let predicate = triple.predicate.as_str();
    match triple.object {
        Term::Literal(literal) => {
            graph.say(&subject, predicate, &plain_value(literal.as_ref()), literal.language(), collector);
        }
        Term::NamedNode(object) => graph.relate(&subject, predicate, object.into_string(), collector),
        Term::BlankNode(label) => graph.relate(&subject, predicate, label.to_string(), collector),
    }
}
