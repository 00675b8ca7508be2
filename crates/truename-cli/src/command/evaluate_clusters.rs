//! `truename evaluate clusters`.

use std::io::Write;

use truename_error::counted;
use truename_eval::clusters::{ClusterReport, Clusters};

use crate::arguments::EvaluateClusters;
use crate::command::cluster::{cluster, encoder, summary};
use crate::{atomic_file, interrupt, output};

pub fn run(arguments: &EvaluateClusters, quiet: bool) -> anyhow::Result<()> {
    let gold = Clusters::read(&arguments.gold)?;
    let report = match &arguments.found {
        Some(path) => ClusterReport::of_file(&gold, path)?,
        None => {
            let encoder = encoder(&arguments.clustering, quiet)?;
            let clustered = cluster(gold.names(), encoder.as_deref(), &arguments.clustering, quiet)?;
            if !quiet {
                let names = counted(gold.names().len() as u64, "name");
                crate::say!("{names} in {}", summary(&clustered, &arguments.clustering));
            }
            ClusterReport::of(&gold, &clustered.labels, clustered.threshold)
        }
    };
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    writeln!(out, "{}", report.scores)?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &report)
}
