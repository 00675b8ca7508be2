//! `truename evaluate clusters`.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use truename_eval::clusters::{ClusterScores, Clusters};

use crate::arguments::EvaluateClusters;
use crate::command::cluster::{NameClusters, encoder};
use crate::count::counted;
use crate::exit_code::{AdvisedError, ExitCode};
use crate::{atomic_file, interrupt, output};

/// The scores, as `--json` has them.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scores: ClusterScores,
    /// Threshold of the clusters; none where they were read.
    threshold: Option<f32>,
}

pub fn run(arguments: &EvaluateClusters, quiet: bool) -> anyhow::Result<()> {
    let gold = Clusters::read(&arguments.gold)?;
    let (labels, threshold) = match &arguments.found {
        Some(path) => (read_labels(path, &gold)?, None),
        None => {
            let (labels, threshold) = cluster(&gold, arguments, quiet)?;
            (labels, Some(threshold))
        }
    };
    let report = Report { scores: ClusterScores::of(&gold, &labels), threshold };
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    writeln!(out, "{}", report.scores)?;
    out.finish()?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    Ok(())
}

fn read_labels(path: &Path, gold: &Clusters) -> anyhow::Result<Vec<Option<usize>>> {
    let labels = Clusters::read(path)?.labels(gold).map_err(|name| {
        let message = format!("{}: \"{name}\" is in several clusters", path.display());
        let hint = "clusters to score have each name once, as `truename cluster` writes them".into();
        AdvisedError { message, hint, code: ExitCode::Failure }
    })?;
    if let (Some(first), true) = (gold.names().first(), labels.iter().all(Option::is_none)) {
        let message = format!("{} has no name of the gold clusters, such as \"{first}\"", path.display());
        let hint = "cluster the names that gold has, written alike".into();
        return Err(AdvisedError { message, hint, code: ExitCode::Failure }.into());
    }
    Ok(labels)
}

/// Clusters the names of gold.
fn cluster(gold: &Clusters, arguments: &EvaluateClusters, quiet: bool) -> anyhow::Result<(Vec<Option<usize>>, f32)> {
    let encoder = encoder(&arguments.clustering, quiet)?;
    let clustered = NameClusters::new(gold.names(), encoder.as_deref(), &arguments.clustering, quiet)?;
    if !quiet {
        crate::say!("{} in {}", counted(gold.names().len() as u64, "name"), clustered.summary());
    }
    Ok((clustered.labels.into_iter().map(Some).collect(), clustered.threshold))
}
