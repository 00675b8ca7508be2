//! `truename cluster`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use truename::{Encoder, KnowledgeBase};
use truename_clusters::{NameClusters, Threshold, canonical_names};
use truename_error::{counted, grouped};
use truename_eval::clusters::Clusters;

use crate::arguments::{Cluster, ClusterFormat, Clustering, EncoderChoice, InputFormat};
use crate::exit_code::UsageError;
use crate::interrupt;
use crate::names::added::free_names;
use crate::names::input::by_extension;
use crate::names::phrases::{self, PhraseTable, Phrases};
use crate::output::Output;
use crate::problems::{self, say_truncated};
use crate::progress::watched;
use truename_read::Dialect;

pub fn run(arguments: &Cluster, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let format = format(arguments)?;
    let encoder = encoder(&arguments.clustering, quiet)?;
    let phrases = phrases::read(arguments, quiet)?;
    if !quiet {
        problems::show(&phrases.faults, phrases.fault_count);
    }
    if phrases.empty > 0 && !quiet {
        crate::say!("{} without a name left out", counted(phrases.empty, "cell"));
    }
    let (labels, summary) = match arguments.key {
        Some(method) => {
            let labels = method.clusters(&phrases.names);
            let summary = sizes(&labels);
            (labels, summary)
        }
        None => {
            let clustered = cluster(&phrases.names, encoder.as_deref(), &arguments.clustering, quiet)?;
            let summary = summary(&clustered, &arguments.clustering);
            (clustered.labels, summary)
        }
    };
    let canonical = canonical_names(&phrases.names, &phrases.counts, &labels);
    let clusters = Canonical { labels, canonical };
    match &phrases.table {
        Some(table) => write_rows(arguments, table, &phrases, &clusters)?,
        None => write(arguments, format, &phrases, &clusters)?,
    }
    if !quiet {
        let triples =
            if phrases.triples > 0 { format!(" of {}", counted(phrases.triples, "triple")) } else { String::new() };
        let seconds = start.elapsed().as_secs_f64();
        crate::say!("{}{triples} in {summary} ({seconds:.1} s)", counted(phrases.names.len() as u64, "name"));
    }
    Ok(())
}

/// The cluster of each name, and the name that stands for each cluster.
struct Canonical {
    labels: Vec<usize>,
    canonical: Vec<usize>,
}

fn format(arguments: &Cluster) -> Result<ClusterFormat, UsageError> {
    let name =
        arguments.out.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().to_ascii_lowercase());
    let extension =
        name.as_deref().map(|name| name.strip_suffix(".gz").unwrap_or(name)).and_then(|name| name.rsplit_once('.'));
    let told = match extension {
        Some((_, "csv" | "tsv" | "tab")) if arguments.format == Some(ClusterFormat::Table) => None,
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

/// Clusters distinct names.
pub fn cluster(
    names: &[String],
    encoder: Option<&Encoder>,
    arguments: &Clustering,
    quiet: bool,
) -> anyhow::Result<NameClusters> {
    let labelled = arguments.labelled.as_deref().map(Clusters::read).transpose()?;
    let threshold = match (arguments.threshold, &labelled) {
        (Some(threshold), _) => Threshold::Given(threshold),
        (None, Some(labelled)) => labelled.best_threshold(),
        (None, None) => Threshold::Silhouette,
    };
    let cluster = || NameClusters::new(names, encoder, &arguments.options(), &threshold, &interrupt::progress());
    let clustered = watched(quiet, cluster)?;
    if !quiet {
        say_truncated(clustered.truncated as u64);
    }
    Ok(clustered)
}

/// Describes clusters and their threshold.
pub fn summary(clustered: &NameClusters, arguments: &Clustering) -> String {
    let chosen = match (clustered.score, clustered.labelled) {
        (None, _) => String::new(),
        (Some(score), None) => format!(", chosen by a silhouette of {score:.3}"),
        (Some(score), Some(labelled)) => {
            let names = counted(labelled.names as u64, "labelled name");
            let place = if labelled.are_among { "of the input" } else { "clustered by themselves" };
            format!(", chosen by {names} {place}: mean F1 {:.1} %", 100.0 * score)
        }
    };
    let graph = match clustered.is_exact {
        true => String::new(),
        false => format!(", on the graph of the {} nearest", arguments.neighbours),
    };
    format!("{}; threshold {}{chosen}{graph}", sizes(&clustered.labels), clustered.threshold)
}

/// Describes the number of clusters, and of those of several names.
fn sizes(labels: &[usize]) -> String {
    let mut sizes = vec![0_u32; labels.iter().max().map_or(0, |last| last + 1)];
    labels.iter().for_each(|label| sizes[*label] += 1);
    let several = sizes.iter().filter(|size| **size > 1).count();
    format!("{}, {} of several names", counted(sizes.len() as u64, "cluster"), grouped(several as u64))
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
fn write(arguments: &Cluster, format: ClusterFormat, phrases: &Phrases, clusters: &Canonical) -> anyhow::Result<()> {
    let Phrases { names, counts, .. } = phrases;
    let mut out = Output::open(arguments.out.as_deref())?;
    if format == ClusterFormat::Csv {
        out.put(b"name,cluster,canonical,count\n")?;
    }
    for ((name, label), count) in names.iter().zip(&clusters.labels).zip(counts) {
        interrupt::check()?;
        let line = Line { name, cluster: label + 1, canonical: &names[clusters.canonical[*label]], count: *count };
        if format == ClusterFormat::Jsonl {
            out.put(&[serde_json::to_vec(&line)?, b"\n".to_vec()].concat())?;
        } else {
            let cells = [line.name, &line.cluster.to_string(), line.canonical, &line.count.to_string()];
            out.put((Dialect::of(b',').row(cells, arguments.csv_safe) + "\n").as_bytes())?;
        }
    }
    out.finish()
}

/// Writes the rows of a table with the canonical name, the number and the number of rows of their clusters; empty without a name.
fn write_rows(arguments: &Cluster, table: &PhraseTable, phrases: &Phrases, clusters: &Canonical) -> anyhow::Result<()> {
    let mut rows = vec![0; clusters.canonical.len()];
    clusters.labels.iter().zip(&phrases.counts).for_each(|(label, count)| rows[*label] += count);
    let dialect = match arguments.out.as_deref().and_then(by_extension) {
        Some(InputFormat::Tsv) => Dialect::TSV,
        _ => Dialect::of(b','),
    };
    let mut out = Output::open(arguments.out.as_deref())?;
    let mut put = |cells: &[String], added: &[String]| {
        let cells = cells.iter().chain(added).map(String::as_str);
        out.put((dialect.row(cells, arguments.csv_safe) + "\n").as_bytes())
    };
    put(&table.columns, &free_names(&table.columns, &["canonical", "cluster", "count"]))?;
    for (cells, name) in &table.rows {
        interrupt::check()?;
        let added = |name: &usize| {
            let label = clusters.labels[*name];
            [phrases.names[clusters.canonical[label]].clone(), (label + 1).to_string(), rows[label].to_string()]
        };
        put(cells, &name.as_ref().map(added).unwrap_or_default())?;
    }
    out.finish()
}
