//! Mentions and ids in abstracts (NCBI Disease, BC5CDR), found by the dictionary alone or by a trained recognizer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use truename::{
    CompositeRecognizer, Concept, DictionaryRecognizer, Document, KnowledgeBase, LinkOptions, Linker, Progress,
    Recognizer, TrainedRecognizer, UnionRecognizer,
};
use truename_eval::linked::LinkEvaluation;

use crate::data::{chemical_ids, descriptors, documents, medic, supplementary};
use crate::{reference_sets, self_match};

/// A corpus and the knowledge base of its ids.
struct Case {
    name: &'static str,
    corpus: PathBuf,
    concepts: Vec<Concept>,
}

/// Runs every corpus; with `dump`, writes their names and documents for `benches/peers.py`.
pub fn run(options: &Options<'_>) -> anyhow::Result<()> {
    let Options { data, part, only, dump, errors, recognizer } = *options;
    let cases = abstracts(data, part)?.into_iter().chain(articles(data, part)?);
    for case in cases.filter(|case| only.is_none_or(|only| case.name.contains(only))) {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("kb");
        let start = Instant::now();
        let names: usize = case.concepts.iter().map(|concept| 1 + concept.synonyms.len()).sum();
        let kb = KnowledgeBase::create(case.concepts.clone(), &path)?;
        println!(
            "\n{}: {} concepts, {names} names, indexed in {:.1} s",
            case.name,
            case.concepts.len(),
            start.elapsed().as_secs_f64()
        );
        let documents = documents(&case.corpus)?;
        let mentions = documents.iter().flat_map(|document| &document.mentions);
        let composites = mentions.filter(|mention| mention.id.as_ref().is_some_and(|id| id.contains('|'))).count();
        println!("{} documents, {composites} composite mentions", documents.len());
        if let Some(folder) = dump {
            write(&case, &documents, &folder.join(case.name))?;
        }
        println!(
            "{:28} {:>6} {:>6} {:>6}   {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>6} {:>6}",
            "", "P", "R", "F1", "acc@1", "acc@5", "P", "R", "F1", "P", "R"
        );
        let dictionary = [
            ("dictionary, no abbreviations", Finding::Literal),
            ("dictionary", Finding::Dictionary),
            ("dictionary, composites", Finding::Composites),
        ];
        let trained = recognizer.into_iter().flat_map(|folder| {
            [("recognizer", Finding::Trained(folder)), ("recognizer and dictionary", Finding::Both(folder))]
        });
        for (row, finding) in dictionary.into_iter().chain(trained) {
            let mut evaluation = LinkEvaluation::new(&linker(&kb, 1, finding)?, Vec::new())?;
            evaluation.add(documents.clone(), &Progress::default())?;
            let scores = evaluation.scores()?;
            let (strict, linking, whole) = (scores.all.mentions.strict, scores.all.linking, scores.all.end_to_end);
            let percent = |share: f64| format!("{:6.2}", 100.0 * share);
            println!(
                "{row:28} {} {} {}   {} {}   {} {} {}   {} {}",
                percent(strict.precision),
                percent(strict.recall),
                percent(strict.f1),
                percent(linking.accuracy_1),
                percent(linking.accuracy_5),
                percent(whole.precision),
                percent(whole.recall),
                percent(whole.f1),
                percent(scores.composites.precision),
                percent(scores.composites.recall),
            );
            if finding != Finding::Literal {
                for error in evaluation.errors().iter().take(errors) {
                    println!(
                        "{:4} {:?} {:?} gold {:?} found {:?} ({})",
                        error.count, error.kind, error.text, error.gold, error.found, error.example.0
                    );
                }
            }
        }
        if recognizer.is_none() {
            speed(&kb, &documents)?;
        }
    }
    Ok(())
}

/// Options of [`run`].
pub struct Options<'a> {
    pub data: &'a Path,
    pub part: Part,
    /// Only cases with this in their name.
    pub only: Option<&'a str>,
    pub dump: Option<&'a Path>,
    pub errors: usize,
    /// Also finds mentions by this model, alone and before the dictionary.
    pub recognizer: Option<&'a Path>,
}

/// The recognizers of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding<'a> {
    /// The dictionary, without the abbreviations of documents.
    Literal,
    Dictionary,
    /// The dictionary, with the names of coordinations.
    Composites,
    Trained(&'a Path),
    /// The model, then the dictionary.
    Both(&'a Path),
}

impl Finding<'_> {
    fn recognizer(self, kb: &KnowledgeBase) -> anyhow::Result<Arc<dyn Recognizer>> {
        let dictionary = || DictionaryRecognizer::new(kb.clone());
        Ok(match self {
            Self::Literal | Self::Dictionary => Arc::new(dictionary()),
            Self::Composites => Arc::new(CompositeRecognizer::new(Arc::new(dictionary()), dictionary())),
            Self::Trained(folder) => Arc::new(TrainedRecognizer::open(folder)?),
            Self::Both(folder) => {
                let model = Box::new(TrainedRecognizer::open(folder)?);
                Arc::new(UnionRecognizer::new(vec![model, Box::new(dictionary())]))
            }
        })
    }
}

/// Part of the corpora.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The part of the README's figures: NCBI Disease test, BC5CDR dev, and CRAFT's test part.
    Reported,
    /// The part that the rules were developed on: NCBI Disease train, BC5CDR train.
    Train,
}

fn abstracts(data: &Path, part: Part) -> anyhow::Result<Vec<Case>> {
    let descriptors = descriptors(data)?;
    let mut all = descriptors.clone();
    all.extend(supplementary(data, &chemical_ids(&descriptors))?);
    let (ncbi, cdr) = match part {
        Part::Reported => ("ncbi-disease/NCBItestset_corpus.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt.gz"),
        Part::Train => ("ncbi-disease/NCBItrainset_corpus.txt.gz", "bc5cdr/CDR_TrainingSet.PubTator.txt.gz"),
    };
    Ok(vec![
        Case { name: "ncbi-disease, MEDIC", corpus: data.join(ncbi), concepts: medic(data)? },
        Case { name: "bc5cdr, MeSH descriptors", corpus: data.join(cdr), concepts: descriptors },
        Case { name: "bc5cdr, with supplementary chemicals", corpus: data.join(cdr), concepts: all },
    ])
}

/// Returns the test part of CRAFT, which `scripts/craft.py` writes; none where it is not there.
fn articles(data: &Path, part: Part) -> anyhow::Result<Vec<Case>> {
    let folder = data.join("craft");
    if part != Part::Reported || !folder.exists() {
        return Ok(Vec::new());
    }
    let (chebi, mondo) = (reference_sets::chebi(data)?, self_match::concepts(data, "mondo")?);
    Ok(vec![
        Case { name: "craft, ChEBI", corpus: folder.join("chebi-test.jsonl"), concepts: chebi },
        Case { name: "craft, MONDO", corpus: folder.join("mondo-test.jsonl"), concepts: mondo },
    ])
}

/// Reads all of MeSH's diseases and chemicals, and the documents of BC5CDR dev.
pub fn vocabulary(data: &Path) -> anyhow::Result<(Vec<Concept>, Vec<Document>)> {
    let case = abstracts(data, Part::Reported)?.pop().context("there is no case")?;
    Ok((case.concepts, documents(&case.corpus)?))
}

fn linker(kb: &KnowledgeBase, top: usize, finding: Finding<'_>) -> anyhow::Result<Linker> {
    let options = LinkOptions { top, abbreviations: finding != Finding::Literal, ..LinkOptions::default() };
    let linker = Linker::new(kb.clone())?.without_context().with_options(options)?;
    Ok(linker.with_recognizer(finding.recognizer(kb)?))
}

/// Measures documents a second, first without and then with cached names; medians of five runs.
fn speed(kb: &KnowledgeBase, documents: &[Document]) -> anyhow::Result<()> {
    let path = kb.path().to_owned();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (mut opening, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..5 {
            let (linker, seconds) = timed(|| linker(&KnowledgeBase::open(&path)?, 1, Finding::Dictionary))?;
            opening.push(seconds);
            for seconds in [&mut first, &mut again] {
                let batch = documents.to_vec();
                seconds.push(timed(|| Ok(pool.install(|| linker.link_documents(batch))?))?.1);
            }
        }
        let rate = |seconds: &mut Vec<f64>| documents.len() as f64 / median(seconds);
        println!(
            "{threads} thread(s): opened in {:.1} ms, {:.0} abstracts/s, {:.0} again",
            1e3 * median(&mut opening),
            rate(&mut first),
            rate(&mut again)
        );
    }
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, f64)> {
    let start = Instant::now();
    Ok((run()?, start.elapsed().as_secs_f64()))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Writes the queries and the names of the knowledge base for other programs.
fn write(case: &Case, documents: &[Document], folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut names = std::io::BufWriter::new(std::fs::File::create(folder.join("names.tsv"))?);
    let mut xrefs = std::io::BufWriter::new(std::fs::File::create(folder.join("xrefs.tsv"))?);
    for concept in &case.concepts {
        for (place, name) in concept.names().enumerate() {
            writeln!(names, "{}\t{name}\t{}", concept.id, u8::from(place == 0))?;
        }
        for xref in &concept.xrefs {
            writeln!(xrefs, "{}\t{xref}", concept.id)?;
        }
    }
    let out = std::io::BufWriter::new(std::fs::File::create(folder.join("documents.jsonl"))?);
    let mut writer = truename_corpus::Writer::new(truename_corpus::Format::Jsonl, truename::OffsetUnit::Chars, out)?;
    for document in documents {
        writer.write(document)?;
    }
    writer.finish()?.flush()?;
    Ok(())
}
