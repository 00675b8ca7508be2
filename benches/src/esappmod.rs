//! Names of technologies (ESAppMod, CoSiNES section 4), by cross-validation on the training file.
//!
//! Five folds over the distinct names (lower-cased, spacing folded); the knowledge base of a fold is the
//! names of the other four with the concepts' own names. A held-out name counts if its concept keeps a name
//! and the name itself is not left. The ranker is fitted on the knowledge base of the fold alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use truename::{CalibrateOptions, Concept, KnowledgeBase, LinkOptions, Linker};

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

/// Right answers at 1, 3, 5.
#[derive(Clone, Copy, Default)]
struct Hits([usize; 3]);

impl Hits {
    fn count(&mut self, rank: Option<usize>) {
        for (hits, depth) in self.0.iter_mut().zip([1, 3, 5]) {
            *hits += usize::from(rank.is_some_and(|rank| rank < depth));
        }
    }
}

pub fn run(data: &Path) -> anyhow::Result<()> {
    let read = |name: &str| std::fs::read_to_string(data.join("esappmod").join(name));
    let mentions: File<Mentions> = serde_json::from_str(&read("train.json")?)?;
    let entities: File<Entity> = serde_json::from_str(&read("tca_entities.json")?)?;
    let folded = |name: &str| name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let own: BTreeMap<u64, String> = entities.data.into_values().map(|e| (e.entity_id, e.entity_name)).collect();
    // Each distinct name with its first spelling, in a fixed shuffled order.
    let mut names: BTreeMap<(String, u64), String> = BTreeMap::new();
    for entry in mentions.data.into_values() {
        for name in entry.mentions {
            names.entry((folded(&name), entry.entity_id)).or_insert(name);
        }
    }
    let mut order: Vec<&String> = names.keys().map(|(name, _)| name).collect::<BTreeSet<_>>().into_iter().collect();
    order.sort_by_key(|name| truename_text::stable_hash(name));
    let fold_of: HashMap<&String, usize> = order.iter().enumerate().map(|(at, name)| (*name, at % FOLDS)).collect();

    let rows = ["exact", "n-gram", "ranked"];
    let mut hits = [Hits::default(); 3];
    let (mut asked, mut seconds, mut fitting) = (0, 0.0, 0.0);
    for fold in 0..FOLDS {
        let mut concepts: BTreeMap<u64, Vec<String>> = own.iter().map(|(id, name)| (*id, vec![name.clone()])).collect();
        let mut queries: Vec<(String, String, u64)> = Vec::new();
        for ((name, id), written) in &names {
            if fold_of[name] == fold {
                queries.push((name.clone(), written.clone(), *id));
            } else {
                concepts.entry(*id).or_default().push(written.clone());
            }
        }
        let left: BTreeSet<String> = concepts.values().flatten().map(|name| folded(name)).collect();
        queries.retain(|(name, _, id)| concepts.contains_key(id) && !left.contains(name));
        let folder = tempfile::tempdir()?;
        let kb = KnowledgeBase::create(
            concepts.into_iter().map(concept).collect::<Result<_, _>>()?,
            &folder.path().join("kb"),
        )?;
        let start = Instant::now();
        kb.calibrate(&[], &CalibrateOptions::default())?;
        fitting += start.elapsed().as_secs_f64();
        let options = LinkOptions { top: 100, min_probability: Some(0.0), ..LinkOptions::default() };
        let linker = Linker::new(kb)?.with_options(options)?;
        let texts: Vec<&str> = queries.iter().map(|(_, written, _)| written.as_str()).collect();
        let start = Instant::now();
        let links = linker.link_names(&texts)?;
        seconds += start.elapsed().as_secs_f64();
        asked += queries.len();
        for ((_, _, id), link) in queries.iter().zip(links) {
            let id = id.to_string();
            let rank = |score: &dyn Fn(&truename::Candidate) -> f64| {
                let mut order: Vec<(f64, &str)> =
                    link.candidates.iter().map(|c| (score(c), c.id.as_str())).filter(|(s, _)| *s > 0.0).collect();
                order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
                order.iter().position(|(_, candidate)| *candidate == id)
            };
            hits[0].count(rank(&|c| if c.scores.exact == 1.0 { 1.0 } else { 0.0 }));
            hits[1].count(rank(&|c| c.scores.ngram.unwrap_or(1.0)));
            hits[2].count(rank(&|c| c.probability));
            if std::env::var_os("ERRORS").is_some() && link.candidates.first().is_none_or(|c| c.id != id) {
                let at = link.candidates.iter().position(|c| c.id == id);
                let gold = at.map(|at| &link.candidates[at]);
                println!(
                    "ERR\t{}\tgold {}={:?}\t got {:?}\t rank {at:?} {:?}",
                    link.name,
                    id,
                    own.get(&id.parse()?),
                    link.candidates.first().map(|c| (&c.preferred_name, &c.matched_name, c.probability)),
                    gold.map(|c| (&c.matched_name, c.probability))
                );
            }
        }
    }
    println!("esappmod, {FOLDS} folds, {asked} names; {fitting:.1} s to fit, {seconds:.1} s to link");
    for (name, Hits(counts)) in rows.iter().zip(hits) {
        let share = counts.map(|count| format!("{:6.2}", 100.0 * count as f64 / asked as f64));
        println!("{name:10} {}", share.join(" "));
    }
    Ok(())
}

fn concept((id, names): (u64, Vec<String>)) -> anyhow::Result<Concept> {
    let mut names = names.into_iter();
    let mut concept = Concept::new(id.to_string().parse()?, names.next().unwrap_or_default());
    concept.synonyms = names.collect();
    Ok(concept)
}
