//! `truename dedupe`.

use std::time::Instant;

use serde::Serialize;
use truename_error::{counted, grouped};
use truename_eval::FittedPairModel;
use truename_read::quoted;
use truename_records::{Blocking, CandidatePairs, ComparedTables, RecordTables, Resolution, Resolver};

use crate::arguments::Dedupe;
use crate::exit_code::UsageError;
use crate::records::{Coverage, Gold, Input, LabelReport, check, pair_model, say_gain, say_truncated, write};
use crate::{atomic_file, bars, interrupt, progress};

pub fn run(arguments: &Dedupe, quiet: bool) -> anyhow::Result<()> {
    check(arguments)?;
    if arguments.file == std::path::Path::new("-") && arguments.right.as_deref() == Some(arguments.file.as_path()) {
        return Err(UsageError("stdin can be one of the tables alone".into()).into());
    }
    let start = Instant::now();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let source = pair_model(&arguments.scorer)?;
    let encoder = arguments.encoder.as_deref().map(|folder| arguments.adapter.open(folder)).transpose()?;
    let input = Input::read(arguments, no_bar)?;
    let gold = arguments.gold.as_deref().map(|path| Gold::read(path, &input)).transpose()?;
    let mut summary = Summary { reading: start.elapsed().as_secs_f64(), ..Summary::default() };

    let tables = input.tables.tables();
    let blocking = Blocking {
        neighbours: arguments.neighbours.into(),
        encoder: encoder.as_ref(),
        progress: interrupt::progress(),
    };
    let began = Instant::now();
    let blocked = progress::watched(no_bar, || blocking.pairs(tables))?;
    summary.blocking = began.elapsed().as_secs_f64();

    let began = Instant::now();
    let compared = ComparedTables { tables: &input.tables, pairs: &blocked.pairs };
    let FittedPairModel { model, gain } =
        progress::watched(no_bar, || source.fit(Some(compared), arguments.scorer.threshold))?;
    let (scorer, resolution) = progress::watched(no_bar, || {
        let scorer = model.scorer(tables);
        let resolver = Resolver {
            threshold: arguments.scorer.threshold,
            one_to_one: arguments.one_to_one,
            progress: interrupt::progress(),
            scorer: &*scorer,
        };
        let resolution = resolver.resolve(tables, &blocked.pairs);
        resolution.map(|resolution| (scorer, resolution))
    })?;
    summary.comparing = began.elapsed().as_secs_f64();

    summary.count(&input.tables, &blocked, &resolution);
    summary.labels = gain.as_ref().map(LabelReport::of);
    summary.gold = gold.map(|gold| gold.coverage(&blocked.pairs, &resolution));
    let committing = interrupt::commit()?;
    write(arguments, &input, &resolution)?;
    summary.seconds = start.elapsed().as_secs_f64();
    atomic_file::write_json(arguments.json.as_deref(), &summary)?;
    drop(committing);
    if !quiet {
        let outcome = "malformed rows were compared as far as they could be read";
        input.malformed.iter().for_each(|malformed| malformed.list(outcome));
        for name in &input.tables.identifiers {
            crate::say!("column {} identifies the rows and is not compared", quoted(name));
            crate::say!("hint: --compare {} compares it too", quoted(name));
        }
        gain.iter().for_each(say_gain);
        say_truncated(scorer.truncated());
        if blocked.truncated > 0 {
            let records = counted(blocked.truncated, "record");
            crate::say!("{records} longer than the encoder's window; their vectors are of the beginning");
        }
        summary.say();
    }
    Ok(())
}

/// Counts and times of a run, as `--json` has them.
#[derive(Default, Serialize)]
struct Summary {
    records: usize,
    /// Number of records that differ.
    distinct: usize,
    /// Columns that identify rows and were not compared.
    identifiers: Vec<String>,
    candidates: usize,
    compared: usize,
    /// Pairs within a cluster, one for each further row of equal ones.
    matches: usize,
    clusters: usize,
    clusters_of_several: usize,
    /// Gain of the fit to labelled pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<Coverage>,
    /// Seconds in all, and those of the stages.
    seconds: f64,
    reading: f64,
    blocking: f64,
    comparing: f64,
}

impl Summary {
    fn count(&mut self, tables: &RecordTables, blocked: &CandidatePairs, resolution: &Resolution) {
        let Resolution { pairs, equal, clusters, distinct, .. } = resolution;
        self.records = tables.each().map(|table| table.rows.len()).sum();
        self.distinct = distinct.count();
        self.identifiers.clone_from(&tables.identifiers);
        self.candidates = blocked.pairs.len();
        self.compared = pairs.len();
        self.matches = equal.len() + pairs.iter().filter(|scored| clusters.has(scored.pair)).count();
        self.clusters = clusters.count();
        self.clusters_of_several = clusters.count_of_several();
    }

    fn say(&self) {
        if let Some(Coverage { gold, compared, found, blocking_recall, recall }) = &self.gold {
            let [blocking, found_share] = [blocking_recall, recall].map(|share| 100.0 * share);
            let (compared, found) = (grouped(*compared as u64), grouped(*found as u64));
            crate::say!(
                "{} of known matches: blocking proposes {compared} ({blocking:.2} %), {found} are found ({found_share:.2} %)",
                counted(*gold as u64, "pair")
            );
        }
        let rate = grouped((self.records as f64 / self.seconds.max(1e-6)) as u64);
        let distinct = match self.distinct {
            all if all == self.records => String::new(),
            some => format!(", {} distinct", grouped(some as u64)),
        };
        crate::say!(
            "{}{distinct}: {} compared, {} within {} of several records ({:.1} s, {rate} records/s)",
            counted(self.records as u64, "record"),
            counted(self.compared as u64, "pair"),
            grouped(self.matches as u64),
            counted(self.clusters_of_several as u64, "cluster"),
            self.seconds
        );
    }
}
