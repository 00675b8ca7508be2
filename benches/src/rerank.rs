//! Speed of a re-ranker and its cost beside its matrix products; `benches/rerank_peers.py` runs the same prompts in PyTorch.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use rayon::prelude::*;
use truename::{ConceptId, Document, KnowledgeBase, LinkOptions, LinkedDocument, Linker, TrainedReranker};
use truename_infer::kernels::{Matrix, Onto, PackedMatrix, multiply, multiply_packed};
use truename_infer::{ClozeConfig, ClozePrompt, ClozeQuery, ClozeScorer, ClozeTokens};
use truename_text::Span;

use crate::data::documents;
use crate::process::timed;

/// Tokens of a batch of the engine.
const BATCH_TOKENS: usize = 256;
/// Runs of the scores and of the matrix products; the fastest counts.
const ROUNDS: usize = 3;

/// Options of [`run`].
pub struct Options<'a> {
    /// Folder of the re-ranker.
    pub model: &'a Path,
    /// Knowledge base of the corpus's ids.
    pub kb: &'a Path,
    /// Documents with mentions.
    pub corpus: &'a Path,
    /// Number of documents, the first of the corpus.
    pub documents: usize,
    /// File for the prompts with their scores, one JSON object a line.
    pub prompts: Option<&'a PathBuf>,
}

/// Links the mentions of a corpus by names alone and with the re-ranker, then scores all their prompts and computes the matrix
/// products of the same numbers of tokens. Prints one line of JSON.
pub fn run(options: &Options<'_>) -> anyhow::Result<()> {
    let scorer =
        ClozeScorer::open(options.model).with_context(|| format!("cannot open {}", options.model.display()))?;
    let kb = KnowledgeBase::open(options.kb)?;
    let documents: Vec<Document> = documents(options.corpus)?.into_iter().take(options.documents).collect();
    let (linked, by_names) = link(&kb, &documents, None, scorer.config().candidates)?;
    let reranker = TrainedReranker::open(options.model)?;
    let (reranked, in_context) = link(&kb, &documents, Some(reranker), scorer.config().candidates)?;
    let mentions: usize = linked.iter().map(|document| document.mentions.len()).sum();
    let asked = reranked.iter().flat_map(|document| &document.mentions);
    let asked = asked.filter(|mention| mention.link.candidates.iter().any(|c| c.probability_by_name.is_some())).count();

    let names = names_of(&kb, &linked)?;
    let queries = queries(&linked, &names);
    ensure!(!queries.is_empty(), "{} has no mention with a candidate", options.corpus.display());
    let prompts = prompts(&scorer, &queries)?;
    let lengths: Vec<usize> = prompts.iter().map(|prompt| prompt.sequence.input.len()).collect();
    let scores = scorer.score(&queries)?;
    let score_s = fastest(|| scorer.score(&queries).map(|again| assert!(again == scores, "scores differ")))?;
    let products = Products::of(&scorer)?;
    let product_s = fastest(|| {
        products.run(&lengths);
        Ok::<(), anyhow::Error>(())
    })?;
    if let Some(path) = options.prompts {
        write(path, &prompts, &scores)?;
    }
    let report = serde_json::json!({
        "documents": documents.len(),
        "mentions": mentions,
        "mentions_reranked": asked,
        "names_mentions_per_s": mentions as f64 / by_names,
        "context_mentions_per_s": mentions as f64 / in_context,
        "prompts": prompts.len(),
        "prompt_tokens": lengths.iter().sum::<usize>(),
        "score_s": score_s,
        "matrix_products_s": product_s,
        "score_to_matrix_products": score_s / product_s,
    });
    println!("{report}");
    Ok(())
}

/// Links the given mentions; returns the seconds too.
fn link(
    kb: &KnowledgeBase,
    documents: &[Document],
    reranker: Option<TrainedReranker>,
    top: usize,
) -> anyhow::Result<(Vec<LinkedDocument>, f64)> {
    let linker =
        Linker::new(kb.clone())?.without_context().with_options(LinkOptions { top, ..LinkOptions::default() })?;
    let linker = match reranker {
        Some(reranker) => linker.with_reranker(Arc::new(reranker)),
        None => linker,
    };
    let (linked, duration) = timed(|| linker.link_mentions(documents.to_vec()));
    Ok((linked?, duration.as_secs_f64()))
}

/// Returns the names of the candidates of each mention.
fn names_of(kb: &KnowledgeBase, linked: &[LinkedDocument]) -> anyhow::Result<Vec<Vec<Vec<String>>>> {
    let names = |id: &ConceptId| {
        let concept = kb.concept(id)?;
        Ok(std::iter::once(concept.name).chain(concept.synonyms).collect())
    };
    let mentions = linked.iter().flat_map(|document| &document.mentions);
    mentions.map(|mention| mention.link.candidates.iter().map(|candidate| names(&candidate.id)).collect()).collect()
}

fn queries<'a>(linked: &'a [LinkedDocument], names: &'a [Vec<Vec<String>>]) -> Vec<ClozeQuery<'a>> {
    let mentions = linked.iter().flat_map(|document| {
        document.mentions.iter().map(move |mention| (document.document.text.as_str(), mention.span))
    });
    let query = |((text, span), names): ((&'a str, Span), &'a Vec<Vec<String>>)| ClozeQuery {
        text,
        span,
        candidates: names.iter().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>().into()).collect(),
    };
    mentions.zip(names).filter(|(_, names)| !names.is_empty()).map(query).collect()
}

fn prompts(scorer: &ClozeScorer, queries: &[ClozeQuery<'_>]) -> anyhow::Result<Vec<ClozeTokens>> {
    let tokenizer = scorer.backbone().tokenizer();
    let config: ClozeConfig = scorer.config().clone();
    let shown = config.shown();
    let prompt = ClozePrompt::new(config, tokenizer)?;
    let asked: Vec<ClozeQuery<'_>> = queries.iter().flat_map(|query| query.split(shown)).collect();
    Ok(asked.iter().map(|query| prompt.tokens(query, tokenizer)).collect::<Result<_, _>>()?)
}

fn write(path: &Path, prompts: &[ClozeTokens], scores: &[Vec<f32>]) -> anyhow::Result<()> {
    let mut scores = scores.iter().flatten();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for prompt in prompts {
        let scores: Vec<f32> = scores.by_ref().take(prompt.options.len()).copied().collect();
        let line = serde_json::json!({
            "ids": prompt.sequence.input.ids(), "positions": prompt.sequence.input.positions(), "mask": prompt.mask,
            "options": prompt.options, "mention": prompt.mention, "names": prompt.names, "scores": scores,
        });
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

/// Returns the seconds of the fastest of some runs.
fn fastest<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let (done, duration) = timed(&mut work);
        done?;
        best = best.min(duration.as_secs_f64());
    }
    Ok(best)
}

/// The matrix products of a transformer: the maps of its layers, and scores and sums of attention.
struct Products {
    layers: usize,
    heads: usize,
    hidden: usize,
    /// Right factors of the maps of a layer.
    maps: Vec<(PackedMatrix, usize)>,
}

impl Products {
    fn of(scorer: &ClozeScorer) -> anyhow::Result<Self> {
        let info = scorer.backbone().info();
        let (hidden, inner) = (info.hidden, 4 * info.hidden);
        let sizes = [(hidden, 3 * hidden), (hidden, hidden), (hidden, inner), (inner, hidden)];
        let map = |(depth, columns): (usize, usize)| {
            let values = numbers(depth * columns);
            (Matrix::new(&values, columns).packed(), columns)
        };
        let heads = info.heads.context("a re-ranker is a transformer")?;
        Ok(Self { layers: info.layers, heads, hidden, maps: sizes.map(map).into() })
    }

    /// Computes the products of sequences of these lengths, batch by batch on all threads.
    fn run(&self, lengths: &[usize]) {
        let mut batches: Vec<Vec<usize>> = vec![Vec::new()];
        for length in lengths {
            if batches.last().is_some_and(|batch| batch.iter().sum::<usize>() + length > BATCH_TOKENS) {
                batches.push(Vec::new());
            }
            batches.last_mut().expect("there is a first batch").push(*length);
        }
        batches.into_par_iter().for_each(|batch| self.run_batch(&batch));
    }

    fn run_batch(&self, lengths: &[usize]) {
        let tokens: usize = lengths.iter().sum();
        let widest = self.maps.iter().map(|(map, columns)| map.rows().max(*columns)).max().unwrap_or_default();
        let (left, mut out) = (numbers(tokens * widest), vec![0.0; tokens * widest]);
        let width = self.hidden / self.heads;
        for _ in 0..self.layers {
            for (map, columns) in &self.maps {
                let rows = Matrix::new(&left[..tokens * map.rows()], map.rows());
                multiply_packed(rows, map, &mut out[..tokens * columns], Onto::Nothing);
            }
            for length in lengths {
                let values = Matrix::new(&left[..length * width], width);
                let (mut weights, mut sums) = (vec![0.0; length * length], vec![0.0; length * width]);
                for _ in 0..self.heads {
                    multiply(values, values.transposed(), &mut weights, Onto::Nothing);
                    multiply(Matrix::new(&weights, *length), values, &mut sums, Onto::Nothing);
                }
            }
        }
        std::hint::black_box(&out);
    }
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at % 17) as f32 * 0.1).collect()
}
