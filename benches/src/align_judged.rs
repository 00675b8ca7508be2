//! Probabilities of mappings that curators of Biomappings judged right or wrong: area under the ROC curve and calibration error.
//!
//! Sources with an id of an even number are for development; those of odd number are reported.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use truename::Concept;
use truename_align::{
    AlignOptions, AlignWeights, Alignment, Cardinality, FileMapping, MappingSet, SetMetadata, read_mappings,
};
use truename_eval::{MappingScores, MappingScoring};

use crate::align::vocabulary;

/// Vocabularies with judged mappings.
const SETS: [&str; 6] = ["mesh-doid", "mesh-efo", "mesh-go", "mesh-hp", "mesh-mondo", "doid-efo"];

/// Half of the judged mappings.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    /// Sources of even number
    Develop,
    /// Sources of odd number
    Report,
}

/// Aligns vocabularies without cross-references and prints scores of the judged pairs; `dump` lists these with their probabilities.
pub fn run(data: &Path, half: Half, weights: Option<&AlignWeights>, dump: Option<&Path>) -> anyhow::Result<()> {
    let read = |kind: &str| read_mappings(&data.join(format!("biomappings/{kind}.sssom.tsv.gz")));
    let mut judged = read("positive")?;
    judged.extend(read("negative")?.into_iter().map(|mut mapping| {
        mapping.is_negative = true;
        mapping
    }));
    judged.extend(judged.clone().into_iter().map(turned));
    let (mut all_found, mut all_gold) = (Vec::new(), Vec::new());
    println!("set\tright\twrong\tnot found\tAUC\tcalibration error");
    for name in SETS {
        let (source, target) = name.split_once('-').context("two vocabularies")?;
        let [source, target] =
            [source, target].map(|name| vocabulary(data, if name == "mesh" { "mesh-all" } else { name }));
        let [source, target] = [source?, target?].map(hidden);
        let options = AlignOptions {
            cardinality: Cardinality::Many,
            threshold: 0.0,
            weights: weights.cloned(),
            ..AlignOptions::default()
        };
        let alignment = Alignment::new(&source, &target, &options)?;
        let found = MappingSet::new(&source, &target, &alignment.mappings, &SetMetadata::default()).to_file_mappings();
        let [sources, targets] = [&source, &target].map(|side| ids(side));
        let is_gold = |mapping: &&FileMapping| {
            let is_known = sources.contains(&mapping.subject) && targets.contains(&mapping.object);
            is_known && is_of_half(&mapping.subject, half)
        };
        let gold: Vec<FileMapping> = judged.iter().filter(is_gold).cloned().collect();
        print(name, &found, &gold);
        all_found.extend(found);
        all_gold.extend(gold);
    }
    print("all", &all_found, &all_gold);
    dump.map_or(Ok(()), |path| write(path, &all_found, &all_gold))
}

fn hidden(concepts: Vec<Concept>) -> Vec<Concept> {
    concepts.into_iter().map(|concept| Concept { xrefs: Vec::new(), ..concept }).collect()
}

fn turned(mut mapping: FileMapping) -> FileMapping {
    std::mem::swap(&mut mapping.subject, &mut mapping.object);
    mapping
}

fn ids(concepts: &[Concept]) -> HashSet<String> {
    concepts.iter().map(|concept| truename_align::plain_id(concept.id.as_str())).collect()
}

fn is_of_half(id: &str, half: Half) -> bool {
    let last = id.bytes().rev().find(u8::is_ascii_digit).unwrap_or(b'0');
    (last % 2 == 0) == (half == Half::Develop)
}

fn print(name: &str, found: &[FileMapping], gold: &[FileMapping]) {
    let scoring = MappingScoring { threshold: 0.5, gold_is_partial: true };
    let Some(scores) = MappingScores::of(found, gold, scoring).judged else {
        return println!("{name}\tone kind alone");
    };
    let (auc, error) = (scores.auc, scores.calibration_error);
    println!("{name}\t{}\t{}\t{}\t{auc:.4}\t{error:.4}", scores.positives, scores.negatives, scores.absent);
}

fn write(path: &Path, found: &[FileMapping], gold: &[FileMapping]) -> anyhow::Result<()> {
    let probabilities: std::collections::HashMap<(&str, &str), f64> =
        found.iter().map(|mapping| ((mapping.subject.as_str(), mapping.object.as_str()), mapping.confidence)).collect();
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for mapping in gold {
        let probability = probabilities.get(&(mapping.subject.as_str(), mapping.object.as_str()));
        let probability = probability.map_or_else(|| "-".to_owned(), |probability| probability.to_string());
        writeln!(out, "{}\t{}\t{}\t{probability}", mapping.subject, mapping.object, !mapping.is_negative)?;
    }
    Ok(out.flush()?)
}
