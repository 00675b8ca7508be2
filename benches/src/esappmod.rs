//! Names of technologies (ESAppMod, CoSiNES section 4), by cross-validation on the training file.
//!
//! Five folds over the distinct names (lower-cased, spacing folded). The knowledge base of a fold holds the names of
//! the other four folds and the own names of all 698 concepts. A held-out name counts if its concept keeps a name and
//! no concept keeps the held-out name. The ranker is fitted only on the knowledge base of the fold.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde::Deserialize;
use truename::Concept;

use crate::case::{Case, Query};

const FOLDS: usize = 5;

#[derive(Deserialize)]
struct File<T> {
    data: BTreeMap<String, T>,
}

#[derive(Deserialize)]
struct Mentions {
    mentions: Vec<String>,
    entity_id: u64,
}

#[derive(Deserialize)]
struct Entity {
    entity_id: u64,
    entity_name: String,
}

pub fn cases(data: &Path) -> anyhow::Result<Vec<Case>> {
    let read = |name: &str| std::fs::read_to_string(data.join("esappmod").join(name));
    let mentions: File<Mentions> = serde_json::from_str(&read("train.json")?)?;
    let entities: File<Entity> = serde_json::from_str(&read("tca_entities.json")?)?;
    let own: BTreeMap<u64, String> = entities.data.into_values().map(|e| (e.entity_id, e.entity_name)).collect();
    // Each distinct name of a concept, with one of its spellings.
    let mut names: BTreeMap<(String, u64), String> = BTreeMap::new();
    for entry in mentions.data.into_values() {
        for name in entry.mentions {
            names.entry((folded(&name), entry.entity_id)).or_insert(name);
        }
    }
    let mut order: Vec<&String> = names.keys().map(|(name, _)| name).collect::<BTreeSet<_>>().into_iter().collect();
    order.sort_by_key(|name| truename_text::stable_hash(name));
    let fold_of: HashMap<&String, usize> = order.iter().enumerate().map(|(at, name)| (*name, at % FOLDS)).collect();
    (0..FOLDS).map(|fold| case(&own, &names, |name| fold_of[name] == fold)).collect()
}

fn case(
    own: &BTreeMap<u64, String>,
    names: &BTreeMap<(String, u64), String>,
    is_held_out: impl Fn(&String) -> bool,
) -> anyhow::Result<Case> {
    let mut concepts: BTreeMap<u64, Vec<String>> = own.iter().map(|(id, name)| (*id, vec![name.clone()])).collect();
    let mut queries: BTreeMap<&String, Query> = BTreeMap::new();
    for ((name, id), written) in names {
        if is_held_out(name) {
            let query = queries.entry(name).or_insert(Query { name: written.clone(), gold: BTreeSet::new() });
            query.gold.insert(id.to_string());
        } else {
            concepts.entry(*id).or_default().push(written.clone());
        }
    }
    let left: BTreeSet<String> = concepts.values().flatten().map(|name| folded(name)).collect();
    let ids: BTreeSet<String> = concepts.keys().map(u64::to_string).collect();
    queries.retain(|name, query| !left.contains(*name) && query.gold.iter().any(|id| ids.contains(id)));
    let concepts = concepts.into_iter().map(concept).collect::<Result<_, _>>()?;
    Ok(Case { concepts, queries: queries.into_values().collect() })
}

fn folded(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn concept((id, names): (u64, Vec<String>)) -> anyhow::Result<Concept> {
    let mut names = names.into_iter();
    let mut concept = Concept::new(id.to_string().parse()?, names.next().unwrap_or_default());
    concept.synonyms = names.collect();
    Ok(concept)
}
