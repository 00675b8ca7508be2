//! Alignment of vocabularies: the OAEI's anatomy track, and cross-references that are hidden and asked for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde::Deserialize;
use truename::{Concept, ConceptId, Encoder};
use truename_align::{
    AlignOptions, AlignWeights, Alignment, ComparedPairs, Feature, ImportOptions, JudgedPair, Sample, read_concepts,
    read_mappings,
};
use truename_text::{NormalizedName, SplitMix64};

use crate::data::unzipped;

/// Sets of two vocabularies.
pub const SETS: [&str; 6] = ["anatomy", "mondo-doid", "doid-mesh", "mondo-mesh", "efo-mondo", "hp-mesh"];
/// Sets that the standard weights are fitted to.
const FITTED: [&str; 4] = ["mondo-doid", "doid-mesh", "mondo-mesh", "efo-mondo"];
/// Sets of these that names and concepts are held out of: vocabularies with few synonyms, of which a part has no counterpart.
const HELD_OUT: [&str; 2] = ["mondo-doid", "mondo-mesh"];
/// Share of the synonyms of the source that stay, and of the mapped concepts of the target that are left out or lose their equal names.
const SYNONYMS_KEPT: f64 = 0.25;
const CONCEPTS_LEFT_OUT: f64 = 0.3;
const NAMES_LEFT_OUT: f64 = 0.45;
/// Sets whose gold has all right mappings.
const COMPLETE: [&str; 2] = ["anatomy", "mondo-doid"];
/// Features of names that are equal in some form.
const EQUAL: [Feature; 7] = [
    Feature::EqualLabels,
    Feature::LabelEqualsSynonym,
    Feature::EqualSynonyms,
    Feature::FurtherEqualNames,
    Feature::EqualButForInflection,
    Feature::EqualButForWordOrder,
    Feature::EqualBySynonymRules,
];
/// Features of the concepts around a pair.
const STRUCTURE: [Feature; 16] = [
    Feature::RivalOfSource,
    Feature::RivalOfTarget,
    Feature::AncestorsAgree,
    Feature::AncestorsDiffer,
    Feature::ChildrenAgree,
    Feature::ChildrenDiffer,
    Feature::SiblingsAgree,
    Feature::SiblingsDiffer,
    Feature::DifferenceAgrees,
    Feature::DifferenceDiffers,
    Feature::UnequalAncestorsAgree,
    Feature::UnequalAncestorsDiffer,
    Feature::UnequalChildrenAgree,
    Feature::UnequalSiblingsAgree,
    Feature::UnequalRivalOfSource,
    Feature::UnequalRivalOfTarget,
];
/// Weight in pairs of the matches of a set.
const MATCHES: f64 = 3000.0;
/// Rounds of fitting: the features of structure depend on the weights.
const ROUNDS: usize = 4;

/// Two vocabularies with their right mappings.
pub struct Set {
    name: String,
    source: Vec<Concept>,
    target: Vec<Concept>,
    gold: HashSet<(String, String)>,
}

/// Aligns sets and prints precision, recall and F1 beside those of equal normal forms. `labels` is a share of the right mappings that are
/// known; then the mappings of all other concepts are scored, with these labels and without.
pub fn run(
    data: &Path,
    only: Option<&str>,
    encoder: Option<&Path>,
    weights: Option<AlignWeights>,
    labels: f64,
) -> anyhow::Result<()> {
    let encoder = encoder.map(Encoder::open).transpose()?;
    println!("set\tP\tR\tF1\tmappings\tseconds\tequal forms: P\tR\tF1");
    for name in SETS.into_iter().filter(|name| only.is_none_or(|only| only == *name)) {
        let mut set = Set::read(data, name)?;
        let judged = set.take_known(labels);
        let (sources, targets): (HashSet<usize>, HashSet<usize>) =
            judged.iter().map(|pair| (pair.source, pair.target)).unzip();
        for judged in [&[], &judged[..]].iter().skip(usize::from(judged.is_empty())) {
            let weights = weights.clone();
            let options = AlignOptions { encoder: encoder.as_ref(), weights, judged, ..AlignOptions::default() };
            let start = Instant::now();
            let alignment = Alignment::new(&set.source, &set.target, &options)?;
            let seconds = start.elapsed().as_secs_f64();
            let others = |pairs: Vec<(usize, usize)>| -> Vec<(usize, usize)> {
                pairs.into_iter().filter(|pair| !sources.contains(&pair.0) && !targets.contains(&pair.1)).collect()
            };
            let found = others(alignment.mappings.iter().map(|mapping| (mapping.source, mapping.target)).collect());
            let (own, equal) = (set.scores(&found), set.scores(&others(set.equal_forms())));
            println!("{name}, {} labels\t{own}\t{}\t{seconds:.1}\t{equal}", judged.len(), found.len());
        }
    }
    Ok(())
}

/// Fits the standard weights to the sets but one, and prints them as code; `names_alone` leaves out the features of the concepts around.
pub fn fit(
    data: &Path,
    left_out: Option<&str>,
    encoder: Option<&Path>,
    names_alone: bool,
) -> anyhow::Result<AlignWeights> {
    let encoder = encoder.map(Encoder::open).transpose()?;
    let options = AlignOptions { encoder: encoder.as_ref(), ..AlignOptions::default() };
    let names = FITTED.into_iter().filter(|name| left_out != Some(name));
    let mut sets = names.map(|name| Set::read(data, name)).collect::<anyhow::Result<Vec<_>>>()?;
    sets.iter_mut().filter(|set| HELD_OUT.contains(&set.name.as_str())).for_each(Set::hold_out);
    let pairs = sets.iter().map(|set| ComparedPairs::new(&set.source, &set.target, &options));
    let mut pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    let mut weights = AlignWeights::zero();
    for round in 0..ROUNDS {
        let mut samples = Vec::new();
        for (set, pairs) in sets.iter().zip(&mut pairs) {
            if round == 0 {
                pairs.add_structure();
            } else {
                pairs.propagate(&weights, &options)?;
            }
            samples.extend(set.samples(pairs));
        }
        if names_alone {
            let features = samples.iter_mut().map(|sample| &mut sample.features);
            features.for_each(|features| STRUCTURE.iter().for_each(|feature| features[*feature] = 0.0));
        }
        let sum = |matches_alone: bool| -> f64 {
            samples.iter().filter(|sample| sample.is_match || !matches_alone).map(|sample| sample.weight).sum()
        };
        let match_share = sum(true) / sum(false);
        weights = AlignWeights::zero().fit(&samples, AlignWeights::PENALTY).with_match_share(match_share);
    }
    println!("    share of matches {:.4}", weights.match_share());
    weights.weights().for_each(|(name, weight)| println!("    {weight:.3}, // {name}"));
    Ok(weights)
}

impl Set {
    fn read(data: &Path, name: &str) -> anyhow::Result<Self> {
        if name == "anatomy" {
            let read = |side: &str| {
                read_concepts(&data.join(format!("oaei-anatomy/{side}.xml.gz")), &ImportOptions::default())
            };
            let gold = read_mappings(&data.join("oaei-anatomy/reference.xml.gz"))?;
            let gold = gold.into_iter().map(|mapping| (mapping.subject, mapping.object)).collect();
            return Ok(Self {
                name: name.into(),
                source: read("source")?.concepts,
                target: read("target")?.concepts,
                gold,
            });
        }
        let (source, target) = name.split_once('-').context("two vocabularies")?;
        let (source, target) = (vocabulary(data, source)?, vocabulary(data, target)?);
        let gold = cross_references(&source, &target);
        let hidden = |concepts: Vec<Concept>| {
            concepts.into_iter().map(|concept| Concept { xrefs: Vec::new(), ..concept }).collect()
        };
        Ok(Self { name: name.into(), source: hidden(source), target: hidden(target), gold })
    }

    /// Holds out most synonyms of the source, some mapped concepts of the target, and the names of others that the source has too.
    fn hold_out(&mut self) {
        let mut random = SplitMix64::new(5);
        let mut chance = move || random.below(1 << 20) as f64 / f64::from(1 << 20);
        self.source.iter_mut().for_each(|concept| concept.synonyms.retain(|_| chance() < SYNONYMS_KEPT));
        let form = |name: &str| NormalizedName::new(name).squeezed();
        let sources: HashMap<&str, &Concept> =
            self.source.iter().map(|concept| (concept.id.as_str(), concept)).collect();
        let mut forms: HashMap<String, HashSet<String>> = HashMap::new();
        for (source, target) in &self.gold {
            let names = sources.get(source.as_str()).into_iter().flat_map(|concept| concept.names());
            forms.entry(target.clone()).or_default().extend(names.map(form));
        }
        let mut gone = HashSet::new();
        for concept in &mut self.target {
            let Some(forms) = forms.get(concept.id.as_str()) else { continue };
            let drawn = chance();
            if drawn < CONCEPTS_LEFT_OUT {
                gone.insert(concept.id.to_string());
            } else if drawn < CONCEPTS_LEFT_OUT + NAMES_LEFT_OUT {
                let mut kept = concept.names().filter(|name| !forms.contains(&form(name))).map(str::to_owned);
                let Some(name) = kept.next() else { continue };
                let synonyms = kept.collect();
                (concept.name, concept.synonyms) = (name, synonyms);
            }
        }
        self.target.retain(|concept| !gone.contains(concept.id.as_str()));
        self.gold.retain(|(_, target)| !gone.contains(target));
    }

    /// Returns a share of the right mappings as judged pairs, and takes all mappings of their concepts out of gold: one-to-one, a concept
    /// of a known mapping has no other.
    fn take_known(&mut self, share: f64) -> Vec<JudgedPair> {
        let mut gold: Vec<&(String, String)> = self.gold.iter().collect();
        gold.sort_unstable();
        let mut random = SplitMix64::new(6);
        gold.retain(|_| (random.below(1 << 20) as f64) < share * f64::from(1 << 20));
        let known: HashSet<(String, String)> = gold.into_iter().cloned().collect();
        let places = |side: &[Concept]| -> HashMap<String, usize> {
            side.iter().enumerate().map(|(place, concept)| (concept.id.to_string(), place)).collect()
        };
        let (sources, targets) = (places(&self.source), places(&self.target));
        let (known_sources, known_targets): (HashSet<String>, HashSet<String>) = known.iter().cloned().unzip();
        self.gold.retain(|(source, target)| !known_sources.contains(source) && !known_targets.contains(target));
        let pair = |(source, target): &(String, String)| {
            Some(JudgedPair { source: *sources.get(source)?, target: *targets.get(target)?, is_match: true })
        };
        let mut judged: Vec<JudgedPair> = known.iter().filter_map(pair).collect();
        judged.sort_unstable_by_key(|pair| (pair.source, pair.target));
        judged
    }

    /// Returns the pairs whose label is known. Of gold that is not complete, equal names of concepts that it lacks are left out.
    fn samples(&self, pairs: &ComparedPairs<'_>) -> Vec<Sample> {
        let is_complete = COMPLETE.contains(&self.name.as_str());
        let (sources, targets): (HashSet<&str>, HashSet<&str>) =
            self.gold.iter().map(|(source, target)| (source.as_str(), target.as_str())).unzip();
        let is_gold = |source: &str, target: &str| self.gold.contains(&(source.to_owned(), target.to_owned()));
        let mut samples = pairs.samples(|source, target| Some(is_gold(source, target)));
        let known = pairs.samples(|source, target| Some(sources.contains(source) || targets.contains(target)));
        let mut known = known.into_iter().map(|sample| sample.is_match);
        samples.retain(|sample| {
            let is_unequal = EQUAL.iter().all(|feature| sample.features[*feature] == 0.0);
            known.next() == Some(true) || is_complete || is_unequal
        });
        let matches = samples.iter().filter(|sample| sample.is_match).count();
        samples.iter_mut().for_each(|sample| sample.weight = MATCHES / matches.max(1) as f64);
        samples
    }

    /// Returns precision, recall and F1 in percent. Of gold that is not complete, mappings of concepts that it lacks do not count.
    fn scores(&self, found: &[(usize, usize)]) -> String {
        let is_complete = COMPLETE.contains(&self.name.as_str());
        let (sources, targets): (HashSet<&str>, HashSet<&str>) =
            self.gold.iter().map(|(source, target)| (source.as_str(), target.as_str())).unzip();
        let ids =
            found.iter().map(|(source, target)| (self.source[*source].id.as_str(), self.target[*target].id.as_str()));
        let counted: Vec<(&str, &str)> =
            ids.filter(|ids| is_complete || sources.contains(ids.0) || targets.contains(ids.1)).collect();
        let right =
            counted.iter().filter(|ids| self.gold.contains(&(ids.0.to_owned(), ids.1.to_owned()))).count() as f64;
        let (precision, recall) = (right / counted.len() as f64, right / self.gold.len() as f64);
        let f1 = 2.0 * right / (counted.len() + self.gold.len()) as f64;
        [precision, recall, f1].map(|share| format!("{:.2}", 100.0 * share)).join("\t")
    }

    /// Returns the pairs of concepts that have a name with the same normal form.
    fn equal_forms(&self) -> Vec<(usize, usize)> {
        let form = |name: &str| NormalizedName::new(name).squeezed();
        let mut targets: HashMap<String, Vec<usize>> = HashMap::new();
        for (target, concept) in self.target.iter().enumerate() {
            concept.names().for_each(|name| targets.entry(form(name)).or_default().push(target));
        }
        let of_source = |(source, concept): (usize, &Concept)| {
            let forms = concept.names().map(form).collect::<Vec<_>>();
            let found = forms.iter().filter_map(|form| targets.get(form)).flatten().map(|target| (source, *target));
            found.collect::<BTreeSet<_>>()
        };
        self.source.iter().enumerate().flat_map(of_source).collect()
    }
}

/// A term of an ontology, as `synonyms-ontologies` has it.
#[derive(Deserialize)]
struct Term {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    synonyms: Vec<String>,
    #[serde(default)]
    relations: HashMap<String, Vec<String>>,
    #[serde(default)]
    xrefs: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    namespace: String,
    id: String,
}

/// Reads a vocabulary; "mesh" is its diseases, "mesh-all" all its descriptors and those diseases.
pub fn vocabulary(data: &Path, name: &str) -> anyhow::Result<Vec<Concept>> {
    if name.starts_with("mesh") {
        return mesh(data, name == "mesh-all");
    }
    let text = unzipped(&data.join(format!("synonyms-ontologies/{name}.json.gz")))?;
    let terms: Vec<Term> = serde_json::from_str(&text).with_context(|| name.to_owned())?;
    let id = |local: &str| -> anyhow::Result<ConceptId> {
        let is_whole = local.contains(':');
        Ok(if is_whole { local.parse()? } else { format!("{}:{local}", name.to_uppercase()).parse()? })
    };
    let concept = |term: Term| -> anyhow::Result<Concept> {
        let parents = term.relations.get("is_a").into_iter().flatten();
        Ok(Concept {
            synonyms: term.synonyms,
            parents: parents.map(|parent| id(parent)).collect::<anyhow::Result<_>>()?,
            xrefs: term.xrefs.iter().map(|xref| format!("{}:{}", xref.namespace, xref.id)).collect(),
            ..Concept::new(id(&term.id)?, term.name)
        })
    };
    terms.into_iter().filter(|term| !term.name.is_empty()).map(concept).collect()
}

/// Reads the diseases of MeSH: descriptors of the trees C and F03, and supplementary records that are mapped to them; or these with all
/// other descriptors.
fn mesh(data: &Path, has_all: bool) -> anyhow::Result<Vec<Concept>> {
    let file = |name: &str| unzipped(&data.join("dict-mesh").join(name));
    let (descriptors, supplementary) =
        (file("mesh_id_label_mappings.tsv.gz")?, file("mesh_supp_id_label_mappings.tsv.gz")?);
    let rows = |text: &'_ str| {
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let list = |row: &[String], at: usize| -> Vec<String> {
        row.get(at).map_or_else(Vec::new, |cell| {
            cell.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect()
        })
    };
    let descriptors = rows(&descriptors);
    let trees: HashMap<String, &String> =
        descriptors.iter().flat_map(|row| list(row, 3).into_iter().map(move |tree| (tree, &row[0]))).collect();
    let is_disease =
        |row: &Vec<String>| list(row, 3).iter().any(|tree| tree.starts_with('C') || tree.starts_with("F03"));
    let known: HashSet<&String> = descriptors.iter().filter(|row| is_disease(row)).map(|row| &row[0]).collect();
    let concept = |row: &[String], parents: BTreeSet<&str>| -> anyhow::Result<Concept> {
        let parents =
            parents.into_iter().filter(|parent| *parent != row[0]).map(|parent| format!("MESH:{parent}").parse());
        Ok(Concept {
            synonyms: list(row, 2),
            parents: parents.collect::<Result<_, _>>()?,
            ..Concept::new(format!("MESH:{}", row[0]).parse()?, row[1].clone())
        })
    };
    let mut concepts = Vec::new();
    for row in descriptors.iter().filter(|row| has_all || is_disease(row)) {
        let trees_of_row = list(row, 3);
        let above = trees_of_row.iter().filter_map(|tree| trees.get(tree.rsplit_once('.')?.0));
        concepts.push(concept(row, above.map(|parent| parent.as_str()).collect())?);
    }
    for row in rows(&supplementary) {
        let mapped = list(&row, 3);
        let parents: BTreeSet<&str> = mapped.iter().filter(|id| known.contains(id)).map(String::as_str).collect();
        if !parents.is_empty() {
            concepts.push(concept(&row, parents)?);
        }
    }
    Ok(concepts)
}

/// Returns the pairs of which one concept has the other as a cross-reference.
fn cross_references(source: &[Concept], target: &[Concept]) -> HashSet<(String, String)> {
    let plain = |xref: &str| match xref.split_once(':') {
        Some((prefix, id)) if ["MSH", "MESH"].contains(&prefix.to_uppercase().as_str()) => format!("MESH:{id}"),
        Some((prefix, id)) => format!("{}:{id}", prefix.to_uppercase()),
        None => xref.to_owned(),
    };
    let found = |from: &[Concept], to: &[Concept]| -> Vec<(String, String)> {
        let ids: HashSet<&str> = to.iter().map(|concept| concept.id.as_str()).collect();
        let of_concept = |concept: &Concept| {
            let xrefs = concept.xrefs.iter().map(|xref| plain(xref)).filter(|xref| ids.contains(xref.as_str()));
            xrefs.map(|xref| (concept.id.to_string(), xref)).collect::<Vec<_>>()
        };
        from.iter().flat_map(of_concept).collect()
    };
    let back = found(target, source).into_iter().map(|(target, source)| (source, target));
    found(source, target).into_iter().chain(back).collect()
}
