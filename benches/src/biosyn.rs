//! Names of diseases, chemicals and genes as BioSyn preprocesses them (Sung et al. 2020), whole and refined (Tutubalina et al.
//! 2020). The refined sets hold the distinct pairs of name and id that do not occur in the training parts. A composite mention
//! (`breast cancer|ovarian cancer`) is asked for in parts; in the unsplit sets, as one name, of which any id is right.
//!
//! `ncbi`: the test part against the test dictionary; `ncbi-dev-refined`, the dev part against the dev dictionary, is the set to
//! choose recipes on. `bc5cdr-disease`: the dev part against the dev dictionary. `bc5cdr-chemical`: the dev part against MeSH's
//! chemicals, as BioSyn's own dictionary is not public. `bc2gn-refined`: the distinct names of the training part of BioCreative
//! II GN, as GNormPlus annotates it, against the human genes of NCBI Gene.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;
use truename::Concept;

use crate::case::{Case, Query};
use crate::data::{documents, unzipped};

/// Names of the sets, in the order in which they run.
pub const SETS: [&str; 11] = [
    "ncbi-dev-refined",
    "ncbi",
    "ncbi-refined",
    "ncbi-refined-unsplit",
    "bc5cdr-disease",
    "bc5cdr-disease-refined",
    "bc5cdr-disease-refined-unsplit",
    "bc5cdr-chemical",
    "bc5cdr-chemical-refined",
    "bc5cdr-chemical-refined-unsplit",
    "bc2gn-refined",
];

/// A name with the ids of one gold string.
type Pair = (String, String);

/// Parts of a set.
struct Source {
    dictionary: Vec<Pair>,
    asked: Vec<Pair>,
    /// Pairs of the training parts, left out of a refined set.
    known: BTreeSet<Pair>,
}

/// Reads one of [`SETS`].
pub fn case(data: &Path, set: &str) -> anyhow::Result<Case> {
    let (name, is_split) = set.strip_suffix("-unsplit").map_or((set, true), |name| (name, false));
    let (name, is_refined) = name.strip_suffix("-refined").map_or((name, false), |name| (name, true));
    let parts: Parts = if is_split { parts } else { whole };
    let (ncbi, disease) =
        ("biosyn-ncbi-disease/ncbi-disease.tar.gz", "biosyn-bc5cdr/bc5cdr-disease-without-test.tar.zst");
    let Source { dictionary, asked, known } = match name {
        "ncbi" => archived(&data.join(ncbi), "ncbi-disease", "test", &["train", "dev"], parts)?,
        "ncbi-dev" => archived(&data.join(ncbi), "ncbi-disease", "dev", &["train"], parts)?,
        "bc5cdr-disease" => archived(&data.join(disease), "bc5cdr-disease", "dev", &["train"], parts)?,
        "bc5cdr-chemical" => chemicals(data, parts)?,
        "bc2gn" => genes(data)?,
        _ => anyhow::bail!("there is no set {set}; the sets are {}", SETS.join(", ")),
    };
    let (concepts, id_of) = concepts(dictionary)?;
    let query = |(name, ids): Pair| {
        let gold = ids.split(['|', '+']).filter_map(|id| id_of.get(id).cloned()).collect();
        Query { name, gold }
    };
    let queries = if is_refined {
        let refined: BTreeSet<Pair> = asked.into_iter().filter(|pair| !known.contains(pair)).collect();
        refined.into_iter().map(query).collect()
    } else {
        asked.into_iter().map(query).collect()
    };
    Ok(Case { concepts, queries })
}

/// Reads a set from BioSyn's public archive; `inner` is its folder there.
fn archived(archive: &Path, inner: &str, part: &str, learnt: &[&str], parts: Parts) -> anyhow::Result<Source> {
    let folder = tempfile::tempdir()?;
    let status = Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status()?;
    anyhow::ensure!(status.success(), "tar could not unpack {}", archive.display());
    let inner = folder.path().join(inner);
    let path = inner.join(format!("{part}_dictionary.txt"));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut dictionary = Vec::new();
    for line in text.lines() {
        let (ids, name) = line.split_once("||").with_context(|| format!("no `||` in {line}"))?;
        dictionary.push((name.to_owned(), ids.to_owned()));
    }
    let asked = pairs(&inner.join(format!("processed_{part}")), parts)?;
    let mut known = BTreeSet::new();
    for part in learnt {
        known.extend(pairs(&inner.join(format!("processed_{part}")), parts)?);
    }
    Ok(Source { dictionary, asked, known })
}

/// Mentions of BC5CDR's chemicals, by part.
#[derive(Deserialize)]
struct Mentions {
    train: Vec<Pair>,
    dev: Vec<Pair>,
}

/// Reads the dev part of BC5CDR's chemicals. The dictionary holds MeSH's descriptors with a tree number in D,
/// supplementary concepts mapped to one of them, and the train part, as in BioSyn's dev dictionaries.
fn chemicals(data: &Path, parts: Parts) -> anyhow::Result<Source> {
    let path = data.join("biosyn-bc5cdr/bc5cdr-chemical.data-without-test.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let Mentions { train, dev } = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    let apart = |pairs: Vec<Pair>| -> Vec<Pair> { pairs.iter().flat_map(|(name, ids)| parts(name, ids)).collect() };
    // The dictionary has the parts of composite mentions in any case.
    let named: Vec<Pair> = train.iter().flat_map(|(name, ids)| self::parts(name, ids)).collect();
    let (asked, learnt) = (apart(dev), apart(train));
    let mesh = data.join("dict-mesh");
    let mut dictionary = mesh_names(&mesh.join("mesh_id_label_mappings.tsv.gz"), |tree| tree.starts_with('D'))?;
    let descriptors: BTreeSet<String> = dictionary.iter().map(|(_, id)| id.clone()).collect();
    let supplement = mesh.join("mesh_supp_id_label_mappings.tsv.gz");
    dictionary.extend(mesh_names(&supplement, |descriptor| descriptors.contains(descriptor))?);
    dictionary.extend(named);
    Ok(Source { dictionary, asked, known: learnt.into_iter().collect() })
}

/// Documents of BioCreative II GN at the beginning of GNormPlus's training part.
const BC2GN_DOCUMENTS: usize = 281;

/// Reads the names of NCBI's human genes as they are written.
pub fn human_genes(data: &Path) -> anyhow::Result<Vec<Concept>> {
    Ok(concepts(gene_names(data)?)?.0)
}

fn gene_names(data: &Path) -> anyhow::Result<Vec<Pair>> {
    let path = data.join("dict-entrez-gene-human/Homo_sapiens.gene_info.gz");
    let text = unzipped(&path)?;
    let mut pairs = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, id, symbol, _, synonyms, _, _, _, description, _, other_symbol, full_name, _, designations, ..] =
            columns[..]
        else {
            anyhow::bail!("{}: too few columns in {line}", path.display());
        };
        let names = [symbol, other_symbol, full_name, description].into_iter();
        let names = names.chain(synonyms.split('|')).chain(designations.split('|'));
        pairs.extend(names.filter(|name| *name != "-").map(|name| (name.to_owned(), id.to_owned())));
    }
    Ok(pairs)
}

/// Reads the gene mentions of BioCreative II GN's training part and NCBI's human genes, in lower case without punctuation.
fn genes(data: &Path) -> anyhow::Result<Source> {
    let mut dictionary = gene_names(data)?;
    dictionary.iter_mut().for_each(|(name, _)| *name = processed(name));
    dictionary.retain(|(name, _)| !name.is_empty());
    let mut asked = Vec::new();
    let corpus = data.join("gnormplus-bc2gn/GNormPlus_Train.PubTator");
    for document in documents(&corpus)?.iter().take(BC2GN_DOCUMENTS) {
        for mention in document.mentions.iter().filter(|mention| mention.mention_type == "Gene") {
            let ids = mention.id.as_deref().unwrap_or_default().replace([',', ';'], "|");
            asked.push((processed(&mention.surface(&document.text)), ids));
        }
    }
    let known: BTreeSet<String> = dictionary.iter().map(|(_, id)| id.clone()).collect();
    asked.retain(|(_, ids)| ids.split('|').any(|id| known.contains(id)));
    Ok(Source { dictionary, asked, known: BTreeSet::new() })
}

/// Reads the processed names of MeSH's concepts with a chosen place. Columns: id, name, synonyms joined by `|`, and the
/// places: tree numbers joined by `|`, or the descriptors that a supplementary concept is mapped to, joined by `,`.
fn mesh_names(path: &Path, is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for line in unzipped(path)?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, name, synonyms, places, ..] = columns[..] else { continue };
        if places.split(['|', ',']).any(&is_chosen) {
            let names = std::iter::once(name).chain(synonyms.split('|')).map(processed);
            pairs.extend(names.filter(|name| !name.is_empty()).map(|name| (name, id.to_owned())));
        }
    }
    Ok(pairs)
}

/// Processes a name as BioSyn's `TextPreprocess`: lower case, each run of ASCII punctuation and spaces becomes a space.
fn processed(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| letter.is_whitespace() || letter.is_ascii_punctuation());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the concepts of a dictionary, and the concept's id for each of its ids and alternative ids.
fn concepts(dictionary: Vec<Pair>) -> anyhow::Result<(Vec<Concept>, HashMap<String, String>)> {
    let mut concepts: BTreeMap<String, Concept> = BTreeMap::new();
    let mut id_of = HashMap::new();
    for (name, ids) in dictionary {
        let first = ids.split('|').next().unwrap_or(&ids);
        for id in ids.split('|') {
            id_of.entry(id.to_owned()).or_insert_with(|| first.to_owned());
        }
        let id = id_of[first].clone();
        match concepts.get_mut(&id) {
            Some(concept) => concept.synonyms.push(name),
            None => drop(concepts.insert(id.clone(), Concept::new(id.parse()?, name))),
        }
    }
    for concept in concepts.values_mut() {
        let names: BTreeSet<String> = concept.synonyms.drain(..).filter(|name| *name != concept.name).collect();
        concept.synonyms = names.into_iter().collect();
    }
    Ok((concepts.into_values().collect(), id_of))
}

/// Returns the names of a mention, given its text and its ids.
type Parts = fn(&str, &str) -> Vec<Pair>;

/// Reads every name with its ids.
fn pairs(folder: &Path, parts: Parts) -> anyhow::Result<Vec<Pair>> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let mut pairs = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            let cells: Vec<&str> = line.split("||").collect();
            let [.., name, ids] = cells[..] else { continue };
            pairs.extend(parts(name, ids));
        }
    }
    Ok(pairs)
}

/// Splits a composite mention into parts with their ids; any other mention is its only part.
fn parts(name: &str, ids: &str) -> Vec<Pair> {
    let (names, each): (Vec<&str>, Vec<&str>) = (name.split('|').collect(), ids.split('|').collect());
    if names.len() > 1 && names.len() == each.len() {
        names.into_iter().zip(each).map(|(name, id)| (name.to_owned(), id.to_owned())).collect()
    } else {
        vec![(name.to_owned(), ids.to_owned())]
    }
}

/// Returns a mention as one name.
fn whole(name: &str, ids: &str) -> Vec<Pair> {
    vec![(name.replace('|', " "), ids.to_owned())]
}
