//! Disease names as BioSyn preprocesses them (Sung et al. 2020), whole and refined (Tutubalina et al. 2020):
//! refined are the distinct pairs of name and id that do not occur in the parts learnt from.
//!
//! `ncbi`: the test part against the test dictionary. `bc5cdr-disease`: the dev part against the dev dictionary.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use truename::Concept;

use crate::case::{Case, Query};

/// A name with the ids of one gold string.
type Pair = (String, String);

pub fn cases(data: &Path) -> anyhow::Result<Vec<(String, Case)>> {
    let folder = tempfile::tempdir()?;
    let sets = [
        ("ncbi", "biosyn-ncbi-disease/ncbi-disease.tar.gz", "ncbi-disease", "test", &["train", "dev"][..]),
        (
            "bc5cdr-disease",
            "biosyn-bc5cdr/bc5cdr-disease-without-test.tar.zst",
            "bc5cdr-disease",
            "dev",
            &["train"][..],
        ),
    ];
    let mut cases = Vec::new();
    for (name, archive, inner, part, learnt) in sets {
        let status = Command::new("tar").arg("-xf").arg(data.join(archive)).arg("-C").arg(folder.path()).status()?;
        anyhow::ensure!(status.success(), "tar could not unpack {archive}");
        let inner = folder.path().join(inner);
        let (concepts, id_of) = dictionary(&inner.join(format!("{part}_dictionary.txt")))?;
        let asked = pairs(&inner.join(format!("processed_{part}")))?;
        let mut known: BTreeSet<Pair> = BTreeSet::new();
        for part in learnt {
            known.extend(pairs(&inner.join(format!("processed_{part}")))?);
        }
        let refined: BTreeSet<Pair> = asked.iter().filter(|pair| !known.contains(pair)).cloned().collect();
        let query = |(name, ids): Pair| {
            let gold = ids.split(['|', '+']).filter_map(|id| id_of.get(id).cloned()).collect();
            Query { name, gold }
        };
        cases.push((
            name.to_owned(),
            Case { concepts: concepts.clone(), queries: asked.into_iter().map(query).collect() },
        ));
        let queries = refined.into_iter().map(query).collect();
        cases.push((format!("{name}-refined"), Case { concepts, queries }));
    }
    Ok(cases)
}

/// The concepts, and for each id and alternative id the id of its concept.
fn dictionary(path: &Path) -> anyhow::Result<(Vec<Concept>, HashMap<String, String>)> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut concepts: BTreeMap<String, Concept> = BTreeMap::new();
    let mut id_of = HashMap::new();
    for line in text.lines() {
        let (ids, name) = line.split_once("||").with_context(|| format!("no `||` in {line}"))?;
        let first = ids.split('|').next().unwrap_or(ids);
        for id in ids.split('|') {
            id_of.entry(id.to_owned()).or_insert_with(|| first.to_owned());
        }
        let id = id_of[first].clone();
        match concepts.get_mut(&id) {
            Some(concept) => concept.synonyms.push(name.to_owned()),
            None => drop(concepts.insert(id.clone(), Concept::new(id.parse()?, name))),
        }
    }
    for concept in concepts.values_mut() {
        let names: BTreeSet<String> = concept.synonyms.drain(..).filter(|name| *name != concept.name).collect();
        concept.synonyms = names.into_iter().collect();
    }
    Ok((concepts.into_values().collect(), id_of))
}

/// Every name with its ids; a composite mention gives its parts.
fn pairs(folder: &Path) -> anyhow::Result<Vec<Pair>> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let mut pairs = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            let cells: Vec<&str> = line.split("||").collect();
            let [.., name, ids] = cells[..] else { continue };
            let (names, each): (Vec<&str>, Vec<&str>) = (name.split('|').collect(), ids.split('|').collect());
            if names.len() > 1 && names.len() == each.len() {
                pairs.extend(names.iter().zip(each).map(|(name, id)| ((*name).to_owned(), id.to_owned())));
            } else {
                pairs.push((name.to_owned(), ids.to_owned()));
            }
        }
    }
    Ok(pairs)
}
