//! `truename cluster`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use truename::{Encoder, KnowledgeBase, Progress};
use truename_clusters::{
    ChosenThreshold, ClusterOptions, Dendrogram, NameSpace, canonical_names, choose_by, choose_by_silhouette,
};
use truename_eval::clusters::{ClusterScores, Clusters};

use crate::arguments::{Cluster, ClusterFormat, Clustering, EncoderChoice};
use crate::count::{counted, grouped};
use crate::exit_code::UsageError;
use crate::interrupt;
use crate::names::phrases::{self, Phrases};
use crate::output::Output;
use crate::problems::say_truncated;
use crate::progress::watched;
use truename_read::Dialect;

pub fn run(arguments: &Cluster, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let format = format(arguments)?;
    let encoder = encoder(&arguments.clustering, quiet)?;
    let phrases = phrases::read(arguments, quiet)?;
    if phrases.empty > 0 && !quiet {
        crate::say!("{} without a name left out", counted(phrases.empty, "cell"));
    }
    let clustered = NameClusters::new(&phrases.names, encoder.as_deref(), &arguments.clustering, quiet)?;
    write(arguments, format, &phrases, &clustered.labels)?;
    if !quiet {
        let triples =
            if phrases.triples > 0 { format!(" of {}", counted(phrases.triples, "triple")) } else { String::new() };
        let seconds = start.elapsed().as_secs_f64();
        crate::say!(
            "{}{triples} in {} ({seconds:.1} s)",
            counted(phrases.names.len() as u64, "name"),
            clustered.summary()
        );
    }
    Ok(())
}

fn format(arguments: &Cluster) -> Result<ClusterFormat, UsageError> {
    let name =
        arguments.out.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().to_ascii_lowercase());
    let extension =
        name.as_deref().map(|name| name.strip_suffix(".gz").unwrap_or(name)).and_then(|name| name.rsplit_once('.'));
    let told = match extension {
        Some((_, "csv")) => Some(ClusterFormat::Csv),
        Some((_, "jsonl" | "ndjson")) => Some(ClusterFormat::Jsonl),
        Some((_, "tsv" | "tab" | "parquet" | "pq")) => {
            return Err(UsageError("clusters are written as CSV or JSONL; call the output .csv or .jsonl".into()));
        }
        _ => None,
    };
    match (arguments.format, told) {
        (Some(asked), Some(told)) if asked != told => {
            Err(UsageError("--format and the extension of --out differ; leave one out".into()))
        }
        (asked, told) => Ok(asked.or(told).unwrap_or(ClusterFormat::Csv)),
    }
}

/// Opens the named encoder, or that of the named knowledge base.
pub fn encoder(arguments: &Clustering, quiet: bool) -> anyhow::Result<Option<Arc<Encoder>>> {
    match (&arguments.encoder.encoder, &arguments.kb) {
        (Some(EncoderChoice::None), _) => Ok(None),
        (Some(EncoderChoice::Folder(folder)), _) => Ok(Some(Arc::new(arguments.encoder.adapter.open(folder)?))),
        (None, Some(kb)) => {
            let encoder = KnowledgeBase::open(kb)?.attached_encoder()?;
            if encoder.is_none() && !quiet {
                crate::say!("{} has no encoder; the names are clustered by letters", kb.display());
                crate::say!("hint: name one by --encoder DIR");
            }
            Ok(encoder)
        }
        (None, None) => Ok(None),
    }
}

/// Names in clusters.
pub struct NameClusters {
    /// Cluster of each name.
    pub labels: Vec<usize>,
    pub threshold: f32,
    /// Choice of the threshold, in words.
    chosen: String,
    /// Neighbours of each name, where a graph was clustered.
    neighbours: Option<usize>,
}

impl NameClusters {
    /// Clusters distinct names.
    pub fn new(
        names: &[String],
        encoder: Option<&Encoder>,
        arguments: &Clustering,
        quiet: bool,
    ) -> anyhow::Result<Self> {
        let labelled = arguments.labelled.as_deref().map(Clusters::read).transpose()?;
        let clusterer = Clusterer { encoder, options: arguments.options(), progress: interrupt::progress() };
        let (space, dendrogram, (threshold, chosen)) = watched(quiet, || -> anyhow::Result<_> {
            let (space, dendrogram) = clusterer.cluster(names)?;
            let chosen = match (arguments.threshold, &labelled) {
                (Some(threshold), _) => (threshold, String::new()),
                (None, Some(gold)) => clusterer.by_labels(gold, names, &dendrogram)?,
                (None, None) => {
                    let ChosenThreshold { threshold, score } =
                        choose_by_silhouette(&space, &dendrogram, &clusterer.progress)?;
                    (threshold, format!(", chosen by a silhouette of {score:.3}"))
                }
            };
            Ok((space, dendrogram, chosen))
        })?;
        if !quiet {
            say_truncated(space.truncated() as u64);
        }
        let neighbours = (!dendrogram.is_exact()).then_some(clusterer.options.neighbours);
        Ok(Self { labels: dendrogram.cut(threshold), threshold, chosen, neighbours })
    }

    pub fn summary(&self) -> String {
        let mut sizes = vec![0_u32; self.labels.iter().max().map_or(0, |last| last + 1)];
        self.labels.iter().for_each(|label| sizes[*label] += 1);
        let several = sizes.iter().filter(|size| **size > 1).count();
        let graph = self.neighbours.map(|count| format!(", on the graph of the {count} nearest")).unwrap_or_default();
        format!(
            "{}, {} of several names; threshold {}{}{graph}",
            counted(sizes.len() as u64, "cluster"),
            grouped(several as u64),
            self.threshold,
            self.chosen
        )
    }
}

/// Encoder and options of a run.
struct Clusterer<'a> {
    encoder: Option<&'a Encoder>,
    options: ClusterOptions,
    progress: Arc<Progress>,
}

impl Clusterer<'_> {
    fn cluster(&self, names: &[String]) -> Result<(NameSpace, Dendrogram), truename::Error> {
        let space = NameSpace::new(names, self.encoder, &self.options, &self.progress)?;
        let dendrogram = Dendrogram::new(&space, &self.options, &self.progress)?;
        Ok((space, dendrogram))
    }

    /// Chooses the threshold with the highest mean F1 of labelled names: in the clusters of the input if it has them all, else
    /// in clusters of their own.
    fn by_labels(&self, gold: &Clusters, names: &[String], dendrogram: &Dendrogram) -> anyhow::Result<(f32, String)> {
        let numbers: HashMap<&String, usize> = names.iter().zip(0..).collect();
        let places: Option<Vec<usize>> = gold.names().iter().map(|name| numbers.get(name).copied()).collect();
        let count = counted(gold.names().len() as u64, "labelled name");
        let (ChosenThreshold { threshold, score }, place) = match places {
            Some(places) => {
                let score = |labels: &[usize]| score(gold, places.iter().map(|place| labels[*place]));
                (choose_by(dendrogram, &self.progress, score)?, "of the input")
            }
            None => {
                let (_, own) = self.cluster(gold.names())?;
                let score = |labels: &[usize]| score(gold, labels.iter().copied());
                (choose_by(&own, &self.progress, score)?, "clustered by themselves")
            }
        };
        Ok((threshold, format!(", chosen by {count} {place}: mean F1 {:.1} %", 100.0 * score)))
    }
}

fn score(gold: &Clusters, labels: impl Iterator<Item = usize>) -> f64 {
    ClusterScores::of(gold, &labels.map(Some).collect::<Vec<_>>()).mean_f1
}

/// A name in a cluster, as it is written.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    cluster: usize,
    canonical: &'a str,
    count: u64,
}

/// Writes the clusters, numbered from 1, in the order of the names.
fn write(arguments: &Cluster, format: ClusterFormat, phrases: &Phrases, labels: &[usize]) -> anyhow::Result<()> {
    let Phrases { names, counts, .. } = phrases;
    let canonical = canonical_names(names, counts, labels);
    let mut out = Output::open(arguments.out.as_deref())?;
    if format == ClusterFormat::Csv {
        out.put(b"name,cluster,canonical\n")?;
    }
    for ((name, label), count) in names.iter().zip(labels).zip(counts) {
        interrupt::check()?;
        let line = Line { name, cluster: label + 1, canonical: &names[canonical[*label]], count: *count };
        match format {
            ClusterFormat::Csv => {
                let cells = [line.name, &line.cluster.to_string(), line.canonical];
                out.put((Dialect::of(b',').row(cells, arguments.csv_safe) + "\n").as_bytes())?;
            }
            ClusterFormat::Jsonl => out.put(&[serde_json::to_vec(&line)?, b"\n".to_vec()].concat())?,
        }
    }
    out.finish()
}
