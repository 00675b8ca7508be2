//! OBO Graphs JSON (`{"graphs": [{"nodes", "edges"}]}`).
//!
//! Only the keys that make a concept are read. `fastobo-graphs`, which models the whole format, refuses
//! documents with a node type or a synonym property it does not know and adds fifty dependencies.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;
use truename_read::json::JsonDocument;
use truename_read::{Source, Watch, encoding_hint};

use super::collector::{Collector, Entry};
use super::graph::{is_part_of, is_synonym};
use super::iri::curie;
use crate::{Error, SynonymScope, error};

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
    node_type: Option<String>,
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
    #[serde(rename = "basicPropertyValues")]
    properties: Vec<Property>,
}

/// A value of a property other than those above.
#[derive(Deserialize)]
struct Property {
    pred: String,
    val: String,
}

/// Properties of concepts in use that are read beside those of synonyms.
const READ_PROPERTIES: [&str; 3] = ["hasAlternativeId", "IAO_0100001", "consider"];

impl Meta {
    fn ids(&self, property: &str) -> Vec<String> {
        let values = self.properties.iter().filter(|value| value.pred.ends_with(property));
        values.map(|value| curie(&value.val)).collect()
    }
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

impl Synonym {
    /// Returns its scope; `None` if it means exactly the concept.
    fn scope(&self) -> Option<SynonymScope> {
        match self.pred.as_deref() {
            Some("hasExactSynonym") => None,
            Some("hasBroadSynonym") => Some(SynonymScope::Broad),
            Some("hasNarrowSynonym") => Some(SynonymScope::Narrow),
            _ => Some(SynonymScope::Related),
        }
    }
}

#[derive(Deserialize)]
struct Edge {
    sub: String,
    pred: String,
    obj: String,
}

/// Parents and wholes of each node.
#[derive(Default)]
struct Relations {
    parents: HashMap<String, Vec<String>>,
    part_of: HashMap<String, Vec<String>>,
}

impl Relations {
    fn add(&mut self, edge: Edge) {
        let related = match edge.pred.as_str() {
            pred if pred == "is_a" || pred.ends_with("#subClassOf") => &mut self.parents,
            pred if is_part_of(pred) => &mut self.part_of,
            _ => return,
        };
        related.entry(edge.sub).or_default().push(curie(&edge.obj));
    }
}

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let (path, text) = (source.path().to_owned(), source.into_text());
    let watch = text.watch();
    let document: Document = serde_json::from_reader(BufReader::new(JsonDocument::new(text)))
        .map_err(|error| watch.failure_or(|| malformed(&path, &watch, &error)))?;
    for graph in document.graphs {
        let mut relations = Relations::default();
        graph.edges.into_iter().for_each(|edge| relations.add(edge));
        for node in graph.nodes.into_iter().filter(|node| node.node_type.as_deref() != Some("PROPERTY")) {
            add_node(node, &mut relations, collector)?;
        }
    }
    Ok(())
}

fn malformed(path: &Path, watch: &Watch, error: &serde_json::Error) -> Error {
    if error.is_eof() {
        return watch.ends_early("not OBO Graphs JSON: the file ends before its last bracket");
    }
    let refused = error::syntax(path, Some(error.line() as u64), format!("not OBO Graphs JSON: {error}"));
    if error.to_string().contains("unicode") { refused.with_hint(encoding_hint()) } else { refused }
}

fn add_node(node: Node, relations: &mut Relations, collector: &mut Collector) -> Result<(), Error> {
    let id = curie(&node.id);
    let meta = node.meta.unwrap_or_default();
    let (replaced_by, consider) = (meta.ids("IAO_0100001"), meta.ids("consider"));
    let replaces = meta.ids("hasAlternativeId");
    let (properties, further): (Vec<_>, Vec<_>) =
        meta.properties.into_iter().partition(|property| is_synonym(&property.pred, collector));
    let is_read = |property: &&Property| READ_PROPERTIES.iter().any(|read| property.pred.ends_with(read));
    further.iter().filter(|property| !is_read(property)).for_each(|property| collector.add_unread(&property.pred));
    let scopes = collector.options.scopes;
    let (kept, left_out): (Vec<_>, Vec<_>) = meta.synonyms.into_iter().partition(|one| scopes.keeps(one.scope()));
    left_out.iter().filter_map(|synonym| synonym.pred.as_deref()).for_each(|property| collector.add_unread(property));
    let mut entry = Entry {
        id,
        is_removed: meta.deprecated,
        replaced_by,
        consider,
        replaces,
        name: node.lbl.unwrap_or_default(),
        parents: relations.parents.remove(&node.id).unwrap_or_default(),
        part_of: relations.part_of.remove(&node.id).unwrap_or_default(),
        xrefs: meta.xrefs.into_iter().map(|xref| xref.val).collect(),
        definition: meta.definition.map(|definition| definition.val),
        ..Entry::default()
    };
    for synonym in kept {
        let scope = synonym.scope();
        synonym.val.into_iter().for_each(|name| entry.add_synonym(name, scope));
    }
    properties.into_iter().for_each(|property| entry.add_synonym(property.val, None));
    if collector.settle(None, &mut entry)? {
        return Ok(());
    }
    if !entry.name.is_empty() || !entry.synonyms.is_empty() {
        return collector.add(None, entry);
    }
    // Nodes without a type and a label are ends of edges into other ontologies.
    if node.node_type.as_deref() == Some("CLASS") {
        collector.add_unlabelled(&node.id, entry);
    }
    Ok(())
}
