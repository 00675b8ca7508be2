//! A knowledge base with names whose concepts are known, and the accuracy of each stage on it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use truename::{CalibrateOptions, Candidate, Concept, KnowledgeBase, LinkOptions, Linker};
use truename_eval::{Answer, Judged, NameScores};

/// Names asked for, and what may be known while answering them.
pub struct Case {
    pub concepts: Vec<Concept>,
    pub queries: Vec<Query>,
}

pub struct Query {
    pub name: String,
    /// Ids any of which is right.
    pub gold: BTreeSet<String>,
}

/// What a stage sorts the candidates by; 0 is no answer.
type Score = fn(&Candidate) -> f64;
const ROWS: [(&str, Score); 3] = [
    ("exact", |candidate| if candidate.scores.exact == 1.0 { 1.0 } else { 0.0 }),
    ("n-gram", |candidate| candidate.scores.ngram.unwrap_or(1.0)),
    ("ranked", |candidate| candidate.probability),
];
const DEPTHS: [usize; 3] = [1, 3, 5];

/// Runs cases that belong together and prints one table.
pub fn run(title: &str, cases: Vec<Case>, dump: Option<&Path>) -> anyhow::Result<()> {
    let mut hits = [[0usize; 3]; ROWS.len()];
    let (mut asked, mut fitting, mut linking) = (0, 0.0, 0.0);
    let mut judged: [Vec<Judged>; 2] = Default::default();
    for (number, case) in cases.into_iter().enumerate() {
        if let Some(folder) = dump {
            write(&case, &folder.join(format!("{title}-{number}")))?;
        }
        asked += case.queries.len();
        let without = judge_without_some(&case)?;
        judged.iter_mut().zip(without).for_each(|(all, more)| all.extend(more));
        let (linker, _folder, seconds) = fitted(case.concepts)?;
        fitting += seconds;
        let names: Vec<&str> = case.queries.iter().map(|query| query.name.as_str()).collect();
        let start = Instant::now();
        let links = linker.link_names(&names)?;
        linking += start.elapsed().as_secs_f64();
        for (query, link) in case.queries.iter().zip(&links) {
            for (hits, (_, score)) in hits.iter_mut().zip(ROWS) {
                let rank = rank(&link.candidates, &query.gold, score);
                for (count, depth) in hits.iter_mut().zip(DEPTHS) {
                    *count += usize::from(rank.is_some_and(|rank| rank < depth));
                }
            }
        }
    }
    println!("{title}: {asked} names; {fitting:.1} s to calibrate, {linking:.1} s to link");
    println!("            acc@1  acc@3  acc@5");
    for ((row, _), counts) in ROWS.iter().zip(hits) {
        let share = counts.map(|count| format!("{:6.2}", 100.0 * count as f64 / asked as f64));
        println!("{row:10} {}", share.join(" "));
    }
    for (row, judged) in ["n-gram", "ranked"].iter().zip(judged) {
        if let Some(area) = NameScores::of(&judged).nil_auc {
            println!("NIL AUC with a fifth of the concepts left out, {row}: {area:.4}");
        }
    }
    Ok(())
}

/// Where a stage puts the right concept among its candidates.
fn rank(candidates: &[Candidate], gold: &BTreeSet<String>, score: Score) -> Option<usize> {
    let mut order: Vec<(f64, &str)> = candidates
        .iter()
        .map(|candidate| (score(candidate), candidate.id.as_str()))
        .filter(|(s, _)| *s > 0.0)
        .collect();
    order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    order.iter().position(|(_, id)| gold.contains(*id))
}

fn fitted(concepts: Vec<Concept>) -> anyhow::Result<(Linker, tempfile::TempDir, f64)> {
    let folder = tempfile::tempdir()?;
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb"))?;
    let start = Instant::now();
    kb.calibrate(&[], &CalibrateOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let options = LinkOptions { top: 100, min_probability: Some(0.0), ..LinkOptions::default() };
    Ok((Linker::new(kb)?.with_options(options)?, folder, seconds))
}

/// Links with a fifth of the concepts left out, so that NIL is right for their names; by n-gram cosine and ranked.
fn judge_without_some(case: &Case) -> anyhow::Result<[Vec<Judged>; 2]> {
    let kept: Vec<Concept> = case
        .concepts
        .iter()
        .filter(|c| !truename_text::stable_hash(c.id.as_str()).is_multiple_of(5))
        .cloned()
        .collect();
    let ids: BTreeSet<&str> = kept.iter().map(|concept| concept.id.as_str()).collect();
    let golds: Vec<Vec<&str>> = case
        .queries
        .iter()
        .map(|query| query.gold.iter().map(String::as_str).filter(|id| ids.contains(id)).collect())
        .collect();
    let (linker, _folder, _) = fitted(kept.clone())?;
    let names: Vec<&str> = case.queries.iter().map(|query| query.name.as_str()).collect();
    let mut judged: [Vec<Judged>; 2] = Default::default();
    for (link, gold) in linker.link_names(&names)?.iter().zip(&golds) {
        let best = |score: fn(&Candidate) -> f64| {
            let top = link.candidates.iter().map(|c| (score(c), &c.id)).max_by(|a, b| a.0.total_cmp(&b.0));
            top.map(|(probability, id)| Answer { id: id.clone(), probability }).into_iter().collect()
        };
        judged[0].push(Judged::new(&link.name, gold, best(ROWS[1].1), false));
        judged[1].push(Judged::new(&link.name, gold, best(ROWS[2].1), false));
    }
    Ok(judged)
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
