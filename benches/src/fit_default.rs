//! Fits the standard rankers to labelled corpora and to names held out of vocabularies, and one pair for each corpus without it.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename::{
    CalibrateOptions, Concept, ConceptId, Encoder, FeatureSet, GoldName, ImportOptions, KnowledgeBase, TrainingSet,
};

use truename_text::{NormalizedName, stable_hash};

use crate::data::vocabulary;
use crate::labelled::{self, CORPORA, LabelledNames};

/// Folder of the rankers that come with Truename.
const SHIPPED: &str = "crates/truename/src/ranker";
/// Number of held-out names of each knowledge base.
const NAMES: usize = 1000;
/// Weight of a corpus, in held-out names.
const WEIGHT: f32 = 3000.0;
/// One name of another field is asked for to so many names of a corpus.
const ONE_FOREIGN_IN: usize = 3;
/// Cross-validation fold of the vocabularies.
const VOCABULARIES: usize = 4;

pub struct Options<'a> {
    pub data: &'a Path,
    /// Vocabularies, files that `kb import` reads.
    pub vocabularies: &'a [PathBuf],
    pub encoder: Option<&'a Path>,
    /// Folder of knowledge bases with their vectors; those that are there are used.
    pub kbs: &'a Path,
    /// The corpora; all where this is empty.
    pub corpora: &'a [String],
    /// Fits rankers without each corpus in place of the shipped ones, to files of its name here.
    pub left_out: Option<&'a Path>,
    /// The corpora that are left out; all where this is empty.
    pub leave: &'a [String],
}

/// A part of the training set: one knowledge base and its names.
struct Part {
    /// The corpus; `None` for a vocabulary.
    corpus: Option<&'static str>,
    /// Features by letters and, with an encoder, those with vectors.
    sets: Vec<(FeatureSet, TrainingSet)>,
}

pub fn run(options: &Options<'_>) -> anyhow::Result<()> {
    let encoder = options.encoder.map(Encoder::open).transpose()?.map(Arc::new);
    let is_asked = |corpus: &&str| options.corpora.is_empty() || options.corpora.iter().any(|asked| asked == corpus);
    let corpora: Vec<&'static str> = CORPORA.into_iter().filter(is_asked).collect();
    let mut labelled = Vec::new();
    for corpus in &corpora {
        labelled.push((*corpus, labelled::read(options.data, corpus)?));
    }
    let mut parts = Vec::new();
    for (corpus, all) in &labelled {
        let weight = WEIGHT / all.len() as f32;
        for LabelledNames { kb, concepts, names } in all {
            let foreign = foreign(&labelled, labelled::fold(corpus), concepts, names.len() / ONE_FOREIGN_IN);
            let names: Vec<GoldName> = names.iter().cloned().chain(foreign).collect();
            let kb = knowledge_base(&options.kbs.join(kb), concepts.clone(), encoder.as_ref())?;
            let asked = CalibrateOptions { names: NAMES, ..CalibrateOptions::default() };
            parts.push(Part { corpus: Some(corpus), sets: sets(&kb, &names, weight, labelled::fold(corpus), &asked)? });
            println!("{corpus}: {} names", names.len());
        }
    }
    for file in options.vocabularies {
        let name = file.file_stem().unwrap_or_default();
        let concepts = vocabulary(file.clone(), &ImportOptions::default())?;
        let kb = knowledge_base(&options.kbs.join(name), concepts, encoder.as_ref())?;
        let asked = CalibrateOptions { names: NAMES, ..CalibrateOptions::default() };
        parts.push(Part { corpus: None, sets: sets(&kb, &[], 0.0, VOCABULARIES, &asked)? });
        println!("{}", file.display());
    }
    let Some(folder) = options.left_out else { return fit(&parts, None, Path::new(SHIPPED), "default") };
    std::fs::create_dir_all(folder)?;
    let is_left = |corpus: &&str| options.leave.is_empty() || options.leave.iter().any(|left| left == corpus);
    for corpus in corpora.into_iter().filter(is_left) {
        fit(&parts, Some(corpus), folder, corpus)?;
    }
    Ok(())
}

/// Returns about `count` names of corpora of other fields, which a knowledge base does not have: NIL is right.
fn foreign(labelled: &[(&str, Vec<LabelledNames>)], field: usize, concepts: &[Concept], count: usize) -> Vec<GoldName> {
    let squeezed = |name: &str| NormalizedName::new(name).squeezed();
    let known: HashSet<String> = concepts.iter().flat_map(|concept| concept.names().map(squeezed)).collect();
    let others = labelled.iter().filter(|(corpus, _)| labelled::fold(corpus) != field);
    let mut names: Vec<&str> = others
        .flat_map(|(_, all)| all.iter().flat_map(|one| one.names.iter().map(|gold| gold.name.as_str())))
        .collect();
    names.sort_unstable_by_key(|name| stable_hash(name));
    names.dedup();
    let unknown = names.into_iter().filter(|name| !known.contains(&squeezed(name)));
    unknown.take(count).map(|name| GoldName { name: name.to_owned(), ..GoldName::default() }).collect()
}

/// Names of the files of the rankers for lexical features and with vectors.
pub fn files(name: &str) -> [String; 2] {
    [format!("{name}.bin"), format!("{name}-dense.bin")]
}

/// Returns the training sets of a part.
fn sets(
    kb: &KnowledgeBase,
    names: &[GoldName],
    weight: f32,
    fold: usize,
    options: &CalibrateOptions,
) -> anyhow::Result<Vec<(FeatureSet, TrainingSet)>> {
    let mut sets = Vec::new();
    let lexical = KnowledgeBase::open(kb.path())?;
    for (features, kb) in [(FeatureSet::Lexical, &lexical), (FeatureSet::Dense, kb)] {
        if features == FeatureSet::Lexical || kb.encoder()?.is_some() {
            let mut set = TrainingSet::new(features);
            set.add_corpus(kb, names, weight, fold, options)?;
            sets.push((features, set));
        }
    }
    Ok(sets)
}

/// Makes a knowledge base with the vectors of its names, or changes the one that is there to these concepts; names that it has
/// keep their vectors.
pub fn knowledge_base(
    path: &Path,
    concepts: Vec<Concept>,
    encoder: Option<&Arc<Encoder>>,
) -> anyhow::Result<KnowledgeBase> {
    let kb = match path.exists() {
        true => changed(KnowledgeBase::open(path)?, concepts)?,
        false => KnowledgeBase::create(concepts, path)?,
    };
    let Some(encoder) = encoder else { return Ok(kb) };
    if kb.clone().with_encoder(Arc::clone(encoder)).is_err() {
        kb.embed(encoder, |_, _| ControlFlow::Continue(()))?;
    }
    Ok(kb.with_encoder(Arc::clone(encoder))?)
}

/// Replaces the concepts of a knowledge base.
fn changed(kb: KnowledgeBase, concepts: Vec<Concept>) -> anyhow::Result<KnowledgeBase> {
    let mut gone = Vec::new();
    let kept: HashSet<&ConceptId> = concepts.iter().map(|concept| &concept.id).collect();
    kb.for_each_concept(|Concept { id, .. }| {
        gone.extend(Some(id).filter(|id| !kept.contains(id)));
        Ok::<_, truename::Error>(())
    })?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("concepts.jsonl");
    let lines: Vec<String> = concepts.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    std::fs::write(&file, lines.join("\n") + "\n")?;
    kb.update(&[file], &gone, &ImportOptions { replace: true, ..ImportOptions::default() })?;
    Ok(kb)
}

/// Fits the rankers to all parts but those of a corpus.
fn fit(parts: &[Part], without: Option<&str>, folder: &Path, name: &str) -> anyhow::Result<()> {
    for (features, file) in [FeatureSet::Lexical, FeatureSet::Dense].into_iter().zip(files(name)) {
        let mut training = TrainingSet::new(features);
        let used = parts.iter().filter(|part| part.corpus.is_none() || part.corpus != without);
        let sets = used.flat_map(|part| &part.sets).filter(|(own, _)| *own == features);
        sets.for_each(|(_, set)| training.extend(set));
        if training.is_empty() {
            continue;
        }
        let (ranker, gain) = training.fit(&[], &CalibrateOptions::default())?;
        std::fs::write(folder.join(&file), ranker.to_bytes())?;
        let accuracy = 100.0 * gain.gold_accuracy.map_or(0.0, |(_, after)| after);
        println!(
            "{file}: accuracy {accuracy:.2} out of fold, log-loss {:.4}, threshold {:.2}",
            gain.log_loss.1, gain.threshold.1
        );
    }
    Ok(())
}
