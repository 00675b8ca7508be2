//! Preferred names of vocabularies, each matched against its own vocabulary.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use truename::{Concept, KnowledgeBase, LinkOptions, Linker};
use truename_text::NormalizedName;

use crate::data::{rows, unzipped};

/// Names of the vocabularies, in the order in which they run.
pub const VOCABULARIES: [&str; 6] = ["mondo", "doid", "hp", "efo", "hgnc", "mesh"];

/// Prints the share of preferred names that are answered with their own concept, and each of the others.
pub fn run(data: &Path, vocabulary: &str) -> anyhow::Result<()> {
    let concepts = concepts(data, vocabulary)?;
    let key = |name: &str| NormalizedName::new(name).squeezed();
    let mut named: HashMap<String, BTreeSet<String>> = HashMap::new();
    for concept in &concepts {
        named.entry(key(&concept.name)).or_default().insert(concept.id.to_string());
    }
    let folder = tempfile::tempdir()?;
    let kb = KnowledgeBase::create(concepts.clone(), &folder.path().join("kb"))?;
    let linker = Linker::new(kb)?.with_options(LinkOptions { top: 1, ..LinkOptions::default() })?;
    let names: Vec<&str> = concepts.iter().map(|concept| concept.name.as_str()).collect();
    let (mut right, mut ambiguous, mut wrong) = (0, Vec::new(), Vec::new());
    for (concept, link) in concepts.iter().zip(linker.link_names(&names)?) {
        let answer = link.id().map_or("NIL", |id| id.as_str());
        let error = || format!("    {} ({}) → {answer}", concept.name, concept.id);
        match &named[&key(&concept.name)] {
            _ if answer == concept.id.as_str() => right += 1,
            ids if ids.len() > 1 => ambiguous.push(error()),
            _ => wrong.push(error()),
        }
    }
    let share = 100.0 * f64::from(right) / concepts.len() as f64;
    println!("{vocabulary}: {} preferred names, {share:.3} % right", concepts.len());
    for (kind, errors) in [("two concepts prefer the name", ambiguous), ("wrong", wrong)] {
        println!("  {kind}: {}", errors.len());
        errors.iter().for_each(|error| println!("{error}"));
    }
    Ok(())
}

/// Reads the concepts of one of [`VOCABULARIES`].
pub fn concepts(data: &Path, vocabulary: &str) -> anyhow::Result<Vec<Concept>> {
    match vocabulary {
        "hgnc" => genes(data),
        "mesh" => {
            let file = |name: &str| data.join("dict-mesh").join(name);
            let mut concepts = rows(&file("mesh_id_label_mappings.tsv.gz"), |_| Some(Vec::new()))?;
            concepts.extend(rows(&file("mesh_supp_id_label_mappings.tsv.gz"), |_| Some(Vec::new()))?);
            Ok(concepts)
        }
        ontology => terms(data, ontology),
    }
}

/// A term of an ontology, as `synonyms-ontologies` has it.
#[derive(Deserialize)]
struct Term {
    id: String,
    name: String,
    #[serde(default)]
    synonyms: Vec<String>,
}

fn terms(data: &Path, ontology: &str) -> anyhow::Result<Vec<Concept>> {
    let text = unzipped(&data.join(format!("synonyms-ontologies/{ontology}.json.gz")))?;
    let terms: Vec<Term> = serde_json::from_str(&text).with_context(|| ontology.to_owned())?;
    terms
        .into_iter()
        .map(|Term { id, name, synonyms }| Ok(Concept { synonyms, ..Concept::new(id.parse()?, name) }))
        .collect()
}

/// Reads the approved symbols of HGNC with their names, aliases and previous symbols.
fn genes(data: &Path) -> anyhow::Result<Vec<Concept>> {
    let text = unzipped(&data.join("dict-entrez-gene-human/hgnc_entries.tsv.gz"))?;
    let mut concepts = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, symbol, name, "Approved", aliases, .., previous, _, _, _] = columns[..] else { continue };
        let former = aliases.split(',').chain(previous.split(',')).map(str::trim).filter(|one| !one.is_empty());
        let synonyms = std::iter::once(name).chain(former).map(str::to_owned).collect();
        concepts.push(Concept { synonyms, ..Concept::new(id.parse()?, symbol) });
    }
    Ok(concepts)
}
