//! The accuracy of each stage on cases.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use rayon::prelude::*;
use truename::{
    CalibrateOptions, Candidate, Concept, Encoder, FeatureSet, FitOptions, KnowledgeBase, Link, LinkOptions, Linker,
    NearName, Ranker,
};
use truename_eval::{Answer, JudgedName, NameScores, write_judged};
use truename_train::{Change, Dataset, Event, Recipe, Run, Start, TrainedEncoders, train_on};

use crate::case::{Case, Query};
use crate::fit_default::{files, knowledge_base};
use crate::labelled::CORPORA;
use crate::scale::edited;
use crate::{Names, inventory};

const DEPTHS: [usize; 4] = [1, 3, 5, 10];
/// Names taken of each generator alone, of which the best of each concept counts.
const NEAREST: usize = 500;
/// More than any cosine.
const VOTE: f64 = 2.0;
/// Candidates of the linker.
const CANDIDATES: usize = 100;

/// Numbers of a row and case: how often the right concept is among the first of [`DEPTHS`], and the sum of its reciprocal ranks.
#[derive(Clone, Copy, Default)]
struct Counts {
    among: [usize; DEPTHS.len()],
    reciprocal: f64,
}

/// Accuracy by stage and case.
#[derive(Default)]
struct Table {
    rows: BTreeMap<(usize, &'static str), Vec<Counts>>,
    /// Names asked for in each case.
    asked: Vec<usize>,
}

impl Table {
    /// From now on answers are those of the next case.
    fn begin(&mut self, asked: usize) {
        self.asked.push(asked);
    }

    /// Counts one answer of a stage: concepts with a score, higher is better.
    fn count(&mut self, row: (usize, &'static str), scores: &BTreeMap<String, f64>, gold: &BTreeSet<String>) {
        let mut order: Vec<(f64, &String)> = scores.iter().map(|(id, score)| (*score, id)).collect();
        order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
        let rank = order.iter().position(|(_, id)| gold.contains(*id));
        let cases = self.rows.entry(row).or_default();
        cases.resize(self.asked.len(), Counts::default());
        let counts = &mut cases[self.asked.len() - 1];
        counts.reciprocal += rank.map_or(0.0, |rank| 1.0 / (1 + rank) as f64);
        for (count, depth) in counts.among.iter_mut().zip(DEPTHS) {
            *count += usize::from(rank.is_some_and(|rank| rank < depth));
        }
    }

    /// Accuracy in percent over all names, and the standard deviation of that of the cases where there are several.
    fn print(&self) {
        println!("                      acc@1  acc@3  acc@5 acc@10    MRR    standard deviations");
        let names: usize = self.asked.iter().sum();
        for ((_, row), cases) in &self.rows {
            let all: [usize; DEPTHS.len()] =
                std::array::from_fn(|depth| cases.iter().map(|counts| counts.among[depth]).sum());
            let share = all.map(|count| format!("{:6.2}", 100.0 * count as f64 / names as f64));
            let deviation: [String; DEPTHS.len()] = std::array::from_fn(|depth| {
                let shares =
                    cases.iter().zip(&self.asked).map(|(counts, asked)| counts.among[depth] as f64 / *asked as f64);
                format!("{:5.2}", 100.0 * deviation(&shares.collect::<Vec<_>>()))
            });
            let deviation = if cases.len() > 1 { deviation.join(" ") } else { String::new() };
            let mrr = cases.iter().map(|counts| counts.reciprocal).sum::<f64>() / names as f64;
            println!("{row:20} {} {mrr:6.4}    {deviation}", share.join(" "));
        }
    }
}

/// The standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (square / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

/// The best candidates by stage, with a fifth of the concepts left out.
type Judgements = BTreeMap<&'static str, Vec<JudgedName>>;

/// Runs cases that belong together and prints one table.
pub fn run(title: &str, cases: Vec<Case>, options: &Names) -> anyhow::Result<()> {
    let untrained = match (&options.encoder, &options.recipe) {
        (Some(folder), None) => {
            Some(TrainedEncoders::of(Arc::new(Encoder::open_with_adapters(folder, &options.adapter)?)))
        }
        _ => None,
    };
    let (mut table, mut judgements) = (Table::default(), Judgements::default());
    let is_wanted = |(number, _): &(usize, Case)| options.fold.is_none_or(|fold| fold == *number);
    for (number, mut case) in cases.into_iter().enumerate().filter(is_wanted) {
        for query in &mut case.queries {
            let seed = truename_text::stable_hash(&query.name);
            query.name = edited(&query.name, seed, options.edits);
            if options.inventory {
                query.name = inventory::written(&query.name, seed);
            }
        }
        if let Some(folder) = &options.data.dump {
            write(&case, &folder.join(format!("{title}-{number}")))?;
        }
        let encoders = |case: &Case, name: &str| match &options.recipe {
            Some(recipe) => trained(case, recipe, name, options),
            None => Ok(untrained.clone()),
        };
        table.begin(case.queries.len());
        let name = format!("{title}-{number}");
        let folder = tempfile::tempdir()?;
        let path = options.kbs.as_ref().map_or_else(|| folder.path().join(&name), |kbs| kbs.join(&name));
        let fitted = FittedBase::new(&case, encoders(&case, &name)?, options, title, &path)?;
        fitted.measure(&case, &mut table)?;
        if options.nil && options.recipe.is_none() {
            fitted.judge(&case, &mut judgements)?;
        } else if options.nil {
            // An encoder that learnt the concepts left out would know them.
            let encoders = encoders(&without_some(&case), &format!("{name}-nil"))?;
            let folder = tempfile::tempdir()?;
            let fitted = FittedBase::new(&case, encoders, options, title, &folder.path().join("kb"))?;
            fitted.judge(&case, &mut judgements)?;
        }
    }
    println!("{title}: {} names", table.asked.iter().sum::<usize>());
    table.print();
    for (row, judged) in &judgements {
        if let Some(folder) = &options.predictions {
            std::fs::create_dir_all(folder)?;
            let mut file =
                std::io::BufWriter::new(std::fs::File::create(folder.join(format!("{title}, {row}.jsonl")))?);
            write_judged(&mut file, judged)?;
            file.flush()?;
        }
        let scores = NameScores::of(judged);
        if let Some(area) = scores.nil_auc {
            let answered = |has_id| {
                let of_kind = judged.iter().filter(|judged| judged.gold.is_empty() != has_id);
                let (nil, all) = of_kind.fold((0, 0), |(nil, all), judged| (nil + usize::from(judged.nil), all + 1));
                100.0 * nil as f64 / f64::from(all)
            };
            println!(
                "NIL with a fifth of the concepts left out, {row}: AUC {area:.4}, ECE {:.4}; by the fitted threshold {:.1} % of \
                 names without a concept and {:.1} % of those with one",
                scores.ece,
                answered(false),
                answered(true)
            );
        }
    }
    Ok(())
}

/// Returns an encoder that learnt the names of a case's knowledge base, nothing of the queries; and those beside it.
fn trained(case: &Case, recipe: &Path, name: &str, options: &Names) -> anyhow::Result<Option<TrainedEncoders>> {
    let mut changes: Vec<Change> =
        options.set.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    changes.extend(options.encoder.iter().map(|encoder| Change::path("--encoder", "encoder.from", encoder)));
    let recipe = Recipe::read(recipe, &changes)?;
    let folder = tempfile::tempdir()?;
    let out = options.trained.as_ref().map_or_else(|| folder.path().join(name), |trained| trained.join(name));
    let concepts = case.concepts.iter().map(truename_train::NamedConcept::from).collect();
    let query =
        |query: &Query| truename_train::Query { name: query.name.clone(), ids: query.gold.iter().cloned().collect() };
    // Asked for only to show how a run goes: of several weights the last are taken, whatever they find.
    let queries = if options.watch { case.queries.iter().map(query).collect() } else { Vec::new() };
    let dataset = Dataset::new(concepts, Vec::new(), queries)?;
    let folders = train_on(&recipe, &dataset, &out, Start::Resumed, |_, run| train(run))?;
    Ok(TrainedEncoders::open(folders.iter().map(|folder| folder.join("checkpoint")))?)
}

fn train(run: &mut dyn Run) -> anyhow::Result<()> {
    while let Some(event) = run.advance()? {
        if let Event::Evaluation { epoch, scores: Some(scores), .. } = event {
            let [one, three, five] = ["acc@1", "acc@3", "acc@5"].map(|name| 100.0 * scores.get(name));
            eprintln!("epoch {epoch}: {one:.2} {three:.2} {five:.2}, {:.0} s", run.seconds());
        }
    }
    println!("{} steps in {:.0} s", run.step(), run.seconds());
    Ok(())
}

/// Type of the concepts that are not left out where NIL is judged.
const KEPT: &str = "kept";

/// A ranker's answers to the names of a case.
struct Answers {
    row: (usize, &'static str),
    all: Vec<Link>,
    /// The same with a fifth of the concepts left out, where NIL is judged.
    kept: Vec<Link>,
}

/// A knowledge base of a case, with the answers of the standard rankers and of those fitted to it.
struct FittedBase {
    kb: KnowledgeBase,
    answers: Vec<Answers>,
}

impl FittedBase {
    fn new(
        case: &Case,
        encoders: Option<TrainedEncoders>,
        options: &Names,
        title: &str,
        path: &Path,
    ) -> anyhow::Result<Self> {
        let mut concepts = case.concepts.clone();
        let kept = concepts.iter_mut().filter(|concept| is_kept(concept));
        kept.for_each(|concept| concept.types.push(KEPT.to_owned()));
        let kb = knowledge_base(path, concepts, encoders.as_ref().map(TrainedEncoders::encoder))?;
        let [lexical, dense] = match &options.rankers {
            Some(folder) => left_out(folder, title)?,
            None => [FeatureSet::Lexical, FeatureSet::Dense].map(Ranker::standard),
        };
        let fit = FitOptions { share: options.share, ..FitOptions::default() };
        let calibration = CalibrateOptions {
            priors: Some([Arc::clone(&lexical), Arc::clone(&dense)]),
            fit,
            ..CalibrateOptions::default()
        };
        let names: Vec<&str> = case.queries.iter().map(|query| query.name.as_str()).collect();
        let mut answers = Vec::new();
        let letters = KnowledgeBase::open(path)?;
        letters.put_ranker(&lexical, FeatureSet::Lexical, &calibration.progress)?;
        answers.push(asked((5, "default"), &letters, &names, options.nil)?);
        letters.calibrate(&[], &calibration)?;
        answers.push(asked((6, "ranked"), &letters, &names, options.nil)?);
        if let Some(encoders) = &encoders {
            kb.put_ranker(&dense, FeatureSet::Dense, &calibration.progress)?;
            answers.push(asked((7, "default with vectors"), &kb, &names, options.nil)?);
            encoders.calibrate(&kb, &[], &calibration)?;
            answers.push(asked((8, "ranked with vectors"), &kb, &names, options.nil)?);
        }
        Ok(Self { kb, answers })
    }

    /// Counts the answers of every stage.
    fn measure(&self, case: &Case, table: &mut Table) -> anyhow::Result<()> {
        for Answers { row, all, .. } in &self.answers {
            for (query, link) in case.queries.iter().zip(all) {
                let exact = link.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0);
                if row.0 == 5 {
                    let exact = exact.map(|candidate| (candidate.id.to_string(), 1.0)).collect();
                    table.count((0, "exact"), &exact, &query.gold);
                }
                table.count(*row, &by_probability(link), &query.gold);
            }
        }
        let nearest = |query: &Query| -> Result<[Vec<NearName>; 2], truename::Error> {
            let name = &query.name;
            Ok([self.kb.nearest_by_ngrams(name, NEAREST)?, self.kb.nearest_by_vectors(name, NEAREST)?])
        };
        let near: Vec<[Vec<NearName>; 2]> = case.queries.par_iter().map(nearest).collect::<Result<_, _>>()?;
        for (query, [ngrams, vectors]) in case.queries.iter().zip(&near) {
            let mut sum = by_concept(ngrams);
            table.count((1, "n-gram"), &sum, &query.gold);
            if self.kb.encoder()?.is_some() {
                let by_vector = by_concept(vectors);
                table.count((2, "vectors"), &by_vector, &query.gold);
                table.count((3, "vectors, ten vote"), &by_vote(&vectors[..vectors.len().min(10)]), &query.gold);
                by_vector.into_iter().for_each(|(id, score)| *sum.entry(id).or_default() += score);
                table.count((4, "n-gram + vectors"), &sum, &query.gold);
            }
        }
        Ok(())
    }

    /// Adds the best candidate of each name, by n-gram cosine, by vector and by probability.
    fn judge(&self, case: &Case, judgements: &mut Judgements) -> anyhow::Result<()> {
        let case = without_some(case);
        let ngram: fn(&Candidate) -> f64 = |candidate| candidate.scores.ngram.unwrap_or(1.0);
        let probability: fn(&Candidate) -> f64 = |candidate| candidate.probability;
        let rows = self.answers.iter().map(|answers| (answers.row.1, &answers.kept, probability));
        let first = self.answers.first().map(|answers| ("n-gram", &answers.kept, ngram));
        for (row, links, score) in first.into_iter().chain(rows) {
            for (link, query) in links.iter().zip(&case.queries) {
                let top = link.candidates.iter().map(|c| (score(c), &c.id)).max_by(|a, b| a.0.total_cmp(&b.0));
                let best = top.map(|(probability, id)| Answer { id: id.to_string(), probability });
                judgements.entry(row).or_default().push(judged(query, best, link.is_nil && row != "n-gram"));
            }
        }
        if self.kb.encoder()?.is_some() {
            let kept: BTreeSet<&str> = case.concepts.iter().map(|concept| concept.id.as_str()).collect();
            for query in &case.queries {
                let mut near = self.kb.nearest_by_vectors(&query.name, NEAREST)?.into_iter();
                let best = near.find(|near| kept.contains(near.id.as_str()));
                let best = best.map(|near| Answer { id: near.id.to_string(), probability: near.score.into() });
                judgements.entry("vectors").or_default().push(judged(query, best, false));
            }
        }
        Ok(())
    }
}

/// Returns the rankers that were fitted without the corpus of a set.
fn left_out(folder: &Path, title: &str) -> anyhow::Result<[Arc<Ranker>; 2]> {
    let is_of = |corpus: &&&str| {
        let beginning =
            if **corpus == "gnormplus-bc2gn" { "bc2gn" } else { corpus.split("-disease").next().unwrap_or(corpus) };
        title.starts_with(beginning)
    };
    let corpus = CORPORA.iter().find(is_of).with_context(|| format!("no corpus has {title}"))?;
    let [lexical, dense] = files(corpus);
    let read = |file: String, features| -> anyhow::Result<Arc<Ranker>> {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        Ok(Arc::new(Ranker::from_bytes(&bytes, features)?))
    };
    let lexical = read(lexical, FeatureSet::Lexical)?;
    // Without an encoder none is asked.
    let dense = if folder.join(&dense).exists() { read(dense, FeatureSet::Dense)? } else { Arc::clone(&lexical) };
    Ok([lexical, dense])
}

fn asked(row: (usize, &'static str), kb: &KnowledgeBase, names: &[&str], nil: bool) -> anyhow::Result<Answers> {
    let linked = |types: Vec<String>| -> anyhow::Result<Vec<Link>> {
        let options = LinkOptions { top: CANDIDATES, types, ..LinkOptions::default() };
        Ok(Linker::new(kb.clone())?.with_options(options)?.link_names(names)?)
    };
    Ok(Answers { row, all: linked(Vec::new())?, kept: if nil { linked(vec![KEPT.to_owned()])? } else { Vec::new() } })
}

fn by_probability(link: &Link) -> BTreeMap<String, f64> {
    link.candidates.iter().map(|candidate| (candidate.id.to_string(), candidate.probability)).collect()
}

/// The score of each concept's nearest name.
fn by_concept(names: &[NearName]) -> BTreeMap<String, f64> {
    let mut best = BTreeMap::new();
    for NearName { id, score, .. } in names {
        let known = best.entry(id.to_string()).or_insert(f64::NEG_INFINITY);
        *known = f64::max(*known, f64::from(*score));
    }
    best
}

/// How many of these names each concept has; of as many, the concept with the nearest name first.
fn by_vote(nearest: &[NearName]) -> BTreeMap<String, f64> {
    let mut votes = by_concept(nearest);
    nearest.iter().for_each(|name| *votes.entry(name.id.to_string()).or_default() += VOTE);
    votes
}

/// Returns whether a concept is among the four fifths that are kept where NIL is judged.
fn is_kept(concept: &Concept) -> bool {
    !truename_text::stable_hash(concept.id.as_str()).is_multiple_of(5)
}

/// The case with a fifth of the concepts left out, so that NIL is right for their names.
fn without_some(case: &Case) -> Case {
    let concepts: Vec<Concept> = case.concepts.iter().filter(|concept| is_kept(concept)).cloned().collect();
    let ids: BTreeSet<&str> = concepts.iter().map(|concept| concept.id.as_str()).collect();
    let kept = |query: &Query| Query {
        name: query.name.clone(),
        gold: query.gold.iter().filter(|id| ids.contains(id.as_str())).cloned().collect(),
    };
    let queries = case.queries.iter().map(kept).collect();
    Case { concepts, queries }
}

fn judged(query: &Query, best: Option<Answer>, nil: bool) -> JudgedName {
    let gold: Vec<&str> = query.gold.iter().map(String::as_str).collect();
    JudgedName::new(&query.name, &gold, best.into_iter().collect(), nil)
}

/// Writes a case for other programs: `kb.tsv` (id, name) and `gold.tsv` (name, ids joined by `|`).
fn write(case: &Case, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut kb = std::io::BufWriter::new(std::fs::File::create(folder.join("kb.tsv"))?);
    for concept in &case.concepts {
        for name in concept.names() {
            writeln!(kb, "{}\t{name}", concept.id)?;
        }
    }
    let mut gold = std::io::BufWriter::new(std::fs::File::create(folder.join("gold.tsv"))?);
    for query in &case.queries {
        writeln!(gold, "{}\t{}", query.name, query.gold.iter().cloned().collect::<Vec<_>>().join("|"))?;
    }
    Ok(())
}
