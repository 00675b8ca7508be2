//! Names of proteins and chemicals against reference sets, as in NSEEN (Fakhraei et al. 2019, section 4), whole and
//! unseen. The unseen sets hold the distinct names that are not in the reference set.
//!
//! `bio-id`: every mention in the training captions of Bio-ID (the paper's BioC1) with a human entry, against the human
//! entries of UniProt. `craft-chebi`: the mentions of CRAFT against ChEBI, as Bio-ID's chemicals were not found.
//!
//! Differences from the paper's data: UniProt is of another day, with 20,365 entries and 111,081 names (paper: 20,375
//! and 123,590). The paper counts 30,211 mentions, the number of Bio-ID's UniProt ids of all species, and does not say
//! which of them it queries. Here they are the 11,605 mentions with a human UniProt id; each mention is queried once,
//! and any of its ids is right. ChEBI has 78,212 concepts with 79,689 names (paper: 72,241 with 277,210), as its full
//! list of synonyms is not among the data. The 1,377 chemical mentions are of another corpus, in a copy without the
//! mentions whose id was not among its own candidates.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use truename::{Concept, ConceptId};

use crate::case::{Case, Query};
use crate::data::unzipped;

/// Names of the sets, in the order in which they run.
pub const SETS: [&str; 4] = ["bio-id", "bio-id-unseen", "craft-chebi", "craft-chebi-unseen"];

/// Reads one of [`SETS`].
pub fn case(data: &Path, set: &str) -> anyhow::Result<Case> {
    let (name, is_unseen) = set.strip_suffix("-unseen").map_or((set, false), |name| (name, true));
    let case = match name {
        "bio-id" => {
            let concepts = proteins(data)?;
            Case { queries: captions(&data.join("bio-id"), &concepts)?, concepts }
        }
        "craft-chebi" => {
            let concepts = chebi(data)?;
            Case { queries: articles(&data.join("craft-chebi/craft_chebi_kb_link.tar.zst"), &concepts)?, concepts }
        }
        _ => anyhow::bail!("there is no set {set}; the sets are {}", SETS.join(", ")),
    };
    Ok(if is_unseen { unseen(case) } else { case })
}

/// Returns the distinct queries that are no name of a concept, each with the ids of all its mentions.
fn unseen(Case { concepts, queries }: Case) -> Case {
    let known: HashSet<String> =
        concepts.iter().flat_map(|concept| concept.names().map(folded).collect::<Vec<_>>()).collect();
    let mut distinct: BTreeMap<String, Query> = BTreeMap::new();
    for Query { name, gold } in queries {
        let key = folded(&name);
        if !known.contains(&key) {
            distinct.entry(key).or_insert(Query { name, gold: BTreeSet::new() }).gold.extend(gold);
        }
    }
    Case { concepts, queries: distinct.into_values().collect() }
}

fn folded(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the human entries of UniProt: the names of the protein, then of its genes. Columns: accession, entry name,
/// status, names, genes separated by `;` with their names separated by blanks, species.
fn proteins(data: &Path) -> anyhow::Result<Vec<Concept>> {
    let families = families(&data.join("synonyms-famplex/relations.csv"))?;
    let mut concepts = Vec::new();
    for line in unzipped(&data.join("dict-uniprot-human/uniprot_human.tsv.gz"))?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [accession, _, _, names, genes, "Homo sapiens (Human)", ..] = columns[..] else { continue };
        let mut names = protein_names(names);
        let mut parents = BTreeSet::new();
        for gene in genes.split(';') {
            names.extend(gene.split_whitespace());
            let symbol = gene.split_whitespace().next();
            parents.extend(symbol.and_then(|symbol| families.get(symbol)).into_iter().flatten().cloned());
        }
        let mut concept = concept(accession, names.into_iter().map(str::to_owned))?;
        concept.parents = parents.into_iter().collect();
        concepts.push(concept);
    }
    Ok(concepts)
}

/// Reads the FamPlex families and complexes of each gene's protein, by gene symbol.
fn families(path: &Path) -> anyhow::Result<HashMap<String, BTreeSet<ConceptId>>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut families: HashMap<String, BTreeSet<ConceptId>> = HashMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if let ["HGNC", symbol, "isa" | "partof", "FPLX", family] = cells[..] {
            families.entry(symbol.to_owned()).or_default().insert(format!("FPLX:{family}").parse()?);
        }
    }
    Ok(families)
}

/// Returns the names of a protein in UniProt's tables: the recommended name, then the others, each in brackets. EC
/// numbers, the fragment mark and the names of parts (`[Cleaved into: …]`) are left out.
fn protein_names(cell: &str) -> Vec<&str> {
    let parts = [" [Cleaved into: ", " [Includes: "].into_iter().filter_map(|start| cell.find(start)).min();
    let mut rest = &cell[..parts.unwrap_or(cell.len())];
    let mut names = Vec::new();
    while let Some((before, name)) = last_in_brackets(rest) {
        names.push(name.strip_prefix("CD antigen ").unwrap_or(name));
        rest = before;
    }
    names.push(rest);
    names.reverse();
    names.retain(|name| !name.starts_with("EC ") && !["Fragment", "Fragments"].contains(name));
    names
}

/// Splits a text that ends in brackets, possibly nested, into the text before and inside them.
fn last_in_brackets(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(')')?;
    let mut depth = 0;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((text[..at].strip_suffix(' ')?, &inside[at + 1..]));
        }
    }
    None
}

/// Reads the mentions in Bio-ID's captions with a UniProt id of a concept.
///
/// Line `n` of the ids belongs to caption `n` and lists the ids of its mentions from last to first. With this order,
/// all 14,230 ids that are a text (`protein:GFP`) have the type of their mention, and all but 11 its exact text.
fn captions(folder: &Path, concepts: &[Concept]) -> anyhow::Result<Vec<Query>> {
    let known: HashSet<&str> = concepts.iter().map(|concept| concept.id.as_str()).collect();
    let (captions, lines) =
        (unzipped(&folder.join("train.final.txt.gz"))?, unzipped(&folder.join("train_goldenID.txt.gz"))?);
    let mut queries = Vec::new();
    for (caption, line) in captions.split_terminator("\n\n").zip(lines.lines()) {
        let names = mentions(caption);
        let golds: Vec<&str> = line.split('\t').filter(|ids| !ids.is_empty()).rev().collect();
        anyhow::ensure!(names.len() == golds.len(), "{} mentions have {} ids", names.len(), golds.len());
        for (name, ids) in names.into_iter().zip(golds) {
            let accessions = ids.split('|').filter_map(|id| id.strip_prefix("Uniprot:"));
            let gold: BTreeSet<String> = accessions.filter(|id| known.contains(id)).map(str::to_owned).collect();
            if !gold.is_empty() {
                queries.push(Query { name, gold });
            }
        }
    }
    Ok(queries)
}

/// Returns the mentions in a caption of one token a line; the first column is its text, the last its label.
fn mentions(caption: &str) -> Vec<String> {
    let mut mentions: Vec<Vec<&str>> = Vec::new();
    for line in caption.lines() {
        let (token, label) = line.split_once('\t').unwrap_or_default();
        match label.rsplit('\t').next().and_then(|label| label.get(..2)) {
            Some("B-") => mentions.push(vec![token]),
            Some("I-") => mentions.last_mut().into_iter().for_each(|mention| mention.push(token)),
            _ => {}
        }
    }
    mentions.iter().map(|tokens| joined(tokens)).collect()
}

/// Joins tokens as they stood in the text: a blank between two words, none beside punctuation. This is right for all
/// but one of the 2,049 mentions of several tokens that could be compared with the captions in AIONER's copy.
fn joined(tokens: &[&str]) -> String {
    let is_word = |token: &str| token.chars().any(char::is_alphanumeric);
    let mut text = String::new();
    let mut follows_word = false;
    for &token in tokens {
        if follows_word && is_word(token) {
            text.push(' ');
        }
        text.push_str(token);
        follows_word = is_word(token);
    }
    text
}

/// Reads ChEBI from two lists of names: one preferred name each (Reach), and names used in BEL, with `\` before braces.
pub fn chebi(data: &Path) -> anyhow::Result<Vec<Concept>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in ["chebi.tsv.gz", "bel_chebi_map.tsv.gz"] {
        for line in unzipped(&data.join("dict-chebi").join(file))?.lines() {
            let (name, id) = line.split_once('\t').with_context(|| format!("no tab in {line}"))?;
            names.entry(id.to_owned()).or_default().push(name.replace('\\', ""));
        }
    }
    names.into_iter().map(|(id, names)| concept(&id, names)).collect()
}

/// Reads the mentions of CRAFT with an id of a concept, as in the article (`origText`; `text` is the same in all).
fn articles(archive: &Path, concepts: &[Concept]) -> anyhow::Result<Vec<Query>> {
    let folder = tempfile::tempdir()?;
    let status = Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status()?;
    anyhow::ensure!(status.success(), "tar could not unpack {}", archive.display());
    let entries = std::fs::read_dir(folder.path().join("kb_link"))?;
    let mut files: Vec<_> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let known: HashSet<&str> = concepts.iter().map(|concept| concept.id.as_str()).collect();
    let mut queries = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for line in text.lines().filter_map(|line| line.strip_prefix("ENTITY\t")) {
            let fields: HashMap<&str, &str> = line.split('\t').filter_map(|field| field.split_once(':')).collect();
            if let (Some(&name), Some(&id)) = (fields.get("origText"), fields.get("url"))
                && known.contains(id)
            {
                queries.push(Query { name: name.to_owned(), gold: BTreeSet::from([id.to_owned()]) });
            }
        }
    }
    Ok(queries)
}

/// Creates a concept with distinct names, the first one preferred.
fn concept(id: &str, names: impl IntoIterator<Item = String>) -> anyhow::Result<Concept> {
    let mut seen = HashSet::new();
    let mut names = names.into_iter().filter(|name| seen.insert(name.clone()));
    let mut concept = Concept::new(id.parse()?, names.next().unwrap_or_default());
    concept.synonyms = names.collect();
    Ok(concept)
}
