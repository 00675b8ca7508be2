//! OBO Graphs JSON (`{"graphs": [{"nodes", "edges"}]}`).
//!
//! Only the keys that make a concept are read. `fastobo-graphs`, which models the whole format, refuses
//! documents with a node type or a synonym property it does not know and adds fifty dependencies.

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use serde::Deserialize;

use super::collector::{Collector, Entry};
use super::options::ENCODING_HINT;
use super::rdf::curie;
use super::source::Source;
use super::watch::Watch;
use crate::Error;

#[derive(Deserialize)]
struct Document {
    graphs: Vec<Graph>,
}

#[derive(Deserialize)]
struct Graph {
    #[serde(default)]
    nodes: Vec<Node>,
    #[serde(default)]
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    lbl: Option<String>,
    meta: Option<Meta>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    definition: Option<Value>,
    synonyms: Vec<Synonym>,
    xrefs: Vec<Value>,
    deprecated: bool,
}

#[derive(Deserialize)]
struct Value {
    val: String,
}

#[derive(Deserialize)]
struct Synonym {
    pred: Option<String>,
    val: Option<String>,
}

#[derive(Deserialize)]
struct Edge {
    sub: String,
    pred: String,
    obj: String,
}

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (path, watch) = (source.path.clone(), source.watch());
    let bounded = BoundedStrings { watch: source.watch(), inner: source.reader(), within: false, escaped: false };
    let document: Document = serde_json::from_reader(BufReader::new(bounded))
        .map_err(|error| watch.failure_or(|| malformed(&path, &watch, &error)))?;
    for graph in document.graphs {
        let mut parents: HashMap<String, Vec<String>> = HashMap::new();
        for edge in graph.edges.into_iter().filter(|edge| edge.pred == "is_a" || edge.pred.ends_with("#subClassOf")) {
            parents.entry(edge.sub).or_default().push(curie(&edge.obj));
        }
        for node in graph.nodes.into_iter().filter(|node| node.kind.as_deref() != Some("PROPERTY")) {
            add_node(node, &mut parents, collector)?;
        }
    }
    Ok(())
}

fn malformed(path: &Path, watch: &Watch, error: &serde_json::Error) -> Error {
    if error.is_eof() {
        return watch.ends_early("not OBO Graphs JSON: the file ends before its last bracket");
    }
    let refused = Error::syntax(path, Some(error.line() as u64), format!("not OBO Graphs JSON: {error}"));
    if error.to_string().contains("unicode") { refused.with_hint(ENCODING_HINT) } else { refused }
}

/// Marks the beginnings of strings of a JSON document, whose lengths are limited.
struct BoundedStrings<R> {
    watch: Rc<Watch>,
    inner: R,
    within: bool,
    escaped: bool,
}

impl<R: Read> Read for BoundedStrings<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let amount = self.inner.read(buffer)?;
        let mut new_value = !self.within;
        for byte in &buffer[..amount] {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.within,
                b'"' => {
                    self.within = !self.within;
                    new_value = true;
                }
                _ => {}
            }
        }
        if new_value {
            self.watch.begin_value();
        }
        Ok(amount)
    }
}

fn add_node(
    node: Node,
    parents: &mut HashMap<String, Vec<String>>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let id = curie(&node.id);
    let meta = node.meta.unwrap_or_default();
    if meta.deprecated {
        return collector.remove(None, &id);
    }
    let scopes = collector.options.scopes;
    let kept = |synonym: &Synonym| match synonym.pred.as_deref() {
        Some("hasExactSynonym") => true,
        Some("hasBroadSynonym") => scopes.broad,
        Some("hasNarrowSynonym") => scopes.narrow,
        _ => scopes.related,
    };
    let entry = Entry {
        id,
        name: node.lbl.unwrap_or_default(),
        synonyms: meta.synonyms.into_iter().filter(kept).filter_map(|synonym| synonym.val).collect(),
        parents: parents.remove(&node.id).unwrap_or_default(),
        xrefs: meta.xrefs.into_iter().map(|xref| xref.val).collect(),
        definition: meta.definition.map(|definition| definition.val),
        ..Entry::default()
    };
    if !entry.name.is_empty() || !entry.synonyms.is_empty() {
        collector.add(None, entry)
    } else if node.kind.as_deref() == Some("CLASS") {
        collector.add_unlabelled(&node.id, entry);
        Ok(())
    } else {
        // Nodes without a type and a label are ends of edges into other ontologies.
        Ok(())
    }
}
