//! Readers of the data that several benchmarks share.

use std::collections::BTreeSet;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use truename::{Concept, Document, Format, ImportOptions, KnowledgeBase};

/// Reads the documents of a corpus; says which are left out.
pub fn documents(corpus: &Path) -> anyhow::Result<Vec<Document>> {
    let mut documents = Vec::new();
    truename_corpus::read_path(corpus, &truename_corpus::ReadOptions::default(), &mut |read| {
        match read {
            Ok(document) => documents.push(document),
            Err(problem) => println!("left out: {problem}"),
        }
        ControlFlow::Continue(())
    })?;
    Ok(documents)
}

/// Reads MEDIC, the vocabulary of diseases.
pub fn medic(data: &Path) -> anyhow::Result<Vec<Concept>> {
    let options = ImportOptions { format: Some(Format::Dictionary), ..ImportOptions::default() };
    vocabulary(data.join("dict-medic/medic_06Jul2012.txt.gz"), &options)
}

/// Reads a vocabulary that `kb import` reads.
pub fn vocabulary(file: PathBuf, options: &ImportOptions) -> anyhow::Result<Vec<Concept>> {
    let folder = tempfile::tempdir()?;
    let (kb, _) = KnowledgeBase::import(&[file], &folder.path().join("kb"), options, false)?;
    let mut concepts = Vec::new();
    kb.for_each_concept(|concept| {
        concepts.push(concept);
        Ok::<_, truename::Error>(())
    })?;
    Ok(concepts)
}

/// Reads MeSH's descriptors of diseases and chemicals: `id, name, synonyms, tree numbers`.
pub fn descriptors(data: &Path) -> anyhow::Result<Vec<Concept>> {
    let kinds = |trees: &str| -> Vec<String> {
        let has = |letters: &[&str]| trees.split('|').any(|tree| letters.iter().any(|letter| tree.starts_with(letter)));
        let kinds = [("disease", has(&["C", "F03"])), ("chemical", has(&["D"]))];
        kinds.into_iter().filter(|(_, has)| *has).map(|(kind, _)| kind.to_owned()).collect()
    };
    rows(&data.join("dict-mesh/mesh_id_label_mappings.tsv.gz"), |columns| {
        let types = kinds(columns.get(3).copied().unwrap_or_default());
        (!types.is_empty()).then_some(types)
    })
}

/// Returns the ids of the concepts of chemicals.
pub fn chemical_ids(concepts: &[Concept]) -> BTreeSet<String> {
    let is_chemical = |concept: &&Concept| concept.types.iter().any(|one| one == "chemical");
    concepts.iter().filter(is_chemical).map(|concept| concept.id.to_string()).collect()
}

/// Reads MeSH supplementary records that are mapped to a chemical descriptor.
pub fn supplementary(data: &Path, chemicals: &BTreeSet<String>) -> anyhow::Result<Vec<Concept>> {
    rows(&data.join("dict-mesh/mesh_supp_id_label_mappings.tsv.gz"), |columns| {
        let mapped = columns
            .get(3)
            .is_some_and(|ids| ids.split(['|', ',']).any(|id| chemicals.contains(id.trim_start_matches('*'))));
        mapped.then(|| vec!["chemical".to_owned()])
    })
}

/// Reads the rows that have types: id, name, synonyms joined by `|`.
pub fn rows(path: &Path, types: impl Fn(&[&str]) -> Option<Vec<String>>) -> anyhow::Result<Vec<Concept>> {
    let mut concepts = Vec::new();
    for line in unzipped(path)?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if let (Some(types), [id, name, rest @ ..]) = (types(&columns), columns.as_slice()) {
            let synonyms = rest.first().unwrap_or(&"").split('|').filter(|name| !name.is_empty()).map(str::to_owned);
            let mut concept = Concept::new(id.parse()?, (*name).to_owned());
            concept.synonyms = synonyms.collect();
            concept.types = types;
            concepts.push(concept);
        }
    }
    Ok(concepts)
}

/// Reads a gzipped file.
pub fn unzipped(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).with_context(|| path.display().to_string())?;
    Ok(text)
}
