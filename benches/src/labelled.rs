//! Labelled corpora: names as people write them, with their ids in a knowledge base. The default rankers are fitted to them.
//!
//! Each distinct pair of a name and its ids counts once, so that a name which one article repeats does not outweigh the others. Names whose
//! ids the knowledge base lacks are left out, and composite mentions (`breast and ovarian cancer`), which are two names in one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use truename::{Concept, GoldName};

use crate::case::{Case, Query};
use crate::data::{descriptors, documents, medic};
use crate::{biosyn, esappmod, reference_sets};

/// Names of a corpus, all asked of one knowledge base. A corpus that is left out goes in all its forms.
pub struct LabelledNames {
    /// Name of the knowledge base; corpora with the same name share it.
    pub kb: String,
    pub concepts: Vec<Concept>,
    pub names: Vec<GoldName>,
}

impl From<LabelledNames> for Case {
    fn from(LabelledNames { concepts, names, .. }: LabelledNames) -> Self {
        let query = |GoldName { name, ids, .. }: GoldName| Query { name, gold: ids.into_iter().collect() };
        Self { concepts, queries: names.into_iter().map(query).collect() }
    }
}

/// The corpora, in the order in which they are read.
pub const CORPORA: [&str; 8] =
    ["esappmod", "ncbi-disease", "bc5cdr", "nlm-chem", "bio-id", "craft-chebi", "gnormplus-bc2gn", "nlm-gene"];

/// Returns the cross-validation fold of a corpus; corpora of a field share one.
pub fn fold(corpus: &str) -> usize {
    match corpus {
        "esappmod" => 0,
        "ncbi-disease" | "bc5cdr" => 1,
        "nlm-chem" | "craft-chebi" => 2,
        _ => 3,
    }
}

/// Reads one of [`CORPORA`]; ESAppMod gives one entry a fold.
pub fn read(data: &Path, corpus: &'static str) -> anyhow::Result<Vec<LabelledNames>> {
    let of_case = |kb: String, Case { concepts, queries }: Case| {
        let names = distinct(queries.into_iter().map(|Query { name, gold }| (name, gold)));
        LabelledNames { kb, concepts, names }
    };
    let of_documents = |kb: &str, concepts: Vec<Concept>, file: &str| {
        let names = mentions(&data.join(file), &concepts)?;
        anyhow::Ok(vec![LabelledNames { kb: kb.to_owned(), concepts, names }])
    };
    match corpus {
        "esappmod" => {
            let cases = esappmod::cases(data)?.into_iter().enumerate();
            Ok(cases.map(|(fold, case)| of_case(format!("esappmod-{fold}"), case)).collect())
        }
        "bio-id" => Ok(vec![of_case("uniprot".to_owned(), reference_sets::case(data, corpus)?)]),
        "craft-chebi" => Ok(vec![of_case("chebi".to_owned(), reference_sets::case(data, corpus)?)]),
        "ncbi-disease" => of_documents("medic", medic(data)?, "ncbi-disease/NCBItrainset_corpus.txt.gz"),
        "bc5cdr" => of_documents("mesh", descriptors(data)?, "bc5cdr/CDR_TrainingSet.PubTator.txt.gz"),
        "nlm-chem" => of_documents("mesh", descriptors(data)?, "nlm-chem/NLMchem_Test.PubTator.gz"),
        "gnormplus-bc2gn" => {
            of_documents("entrez", biosyn::human_genes(data)?, "gnormplus-bc2gn/GNormPlus_Train.PubTator")
        }
        "nlm-gene" => of_documents("entrez", biosyn::human_genes(data)?, "nlm-gene/NLMgene_Train.PubTator.gz"),
        _ => anyhow::bail!("there is no corpus {corpus}; the corpora are {}", CORPORA.join(", ")),
    }
}

/// Reads the mentions of a corpus with an id or cross-reference of one of the concepts.
fn mentions(corpus: &Path, concepts: &[Concept]) -> anyhow::Result<Vec<GoldName>> {
    let known = known_ids(concepts);
    let mut found = Vec::new();
    for document in documents(corpus)? {
        for mention in &document.mentions {
            let ids = mention.id.as_deref().unwrap_or_default();
            // `|` joins the ids of a composite mention; a comma, ids of which any is meant.
            if ids.contains('|') || ids.contains('+') {
                continue;
            }
            let ids = ids.split([',', ';']).map(str::trim).map(|id| id.strip_prefix("MESH:").unwrap_or(id));
            let ids: BTreeSet<String> = ids.filter_map(|id| known.get(id)).map(|id| (*id).to_owned()).collect();
            if !ids.is_empty() {
                found.push((mention.surface(&document.text).into_owned(), ids));
            }
        }
    }
    Ok(distinct(found))
}

/// Returns the id of the concept with each id and cross-reference.
pub fn known_ids(concepts: &[Concept]) -> HashMap<&str, &str> {
    let mut known: HashMap<&str, &str> = HashMap::new();
    for concept in concepts {
        known.extend(concept.xrefs.iter().map(|xref| (xref.as_str(), concept.id.as_str())));
    }
    known.extend(concepts.iter().map(|concept| (concept.id.as_str(), concept.id.as_str())));
    known
}

/// Each name with the ids of all its mentions, once.
fn distinct(mentions: impl IntoIterator<Item = (String, BTreeSet<String>)>) -> Vec<GoldName> {
    let mut names: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for (name, ids) in mentions {
        let key = name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        names.entry(key).or_insert((name, BTreeSet::new())).1.extend(ids);
    }
    let gold = |(name, ids): (String, BTreeSet<String>)| GoldName {
        name,
        ids: ids.into_iter().collect(),
        ..GoldName::default()
    };
    names.into_values().map(gold).collect()
}
