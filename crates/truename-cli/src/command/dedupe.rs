//! `truename dedupe`.

use std::time::Instant;

use serde::Serialize;
use truename_error::{counted, grouped};
use truename_eval::{ComparedPairs, FittedPairModel};
use truename_read::quoted;
use truename_records::{
    Blocking, CandidatePairs, ClusterIds, ComparedTables, FellegiSunterModel, RecordTables, Resolution, Resolver,
    StandingClusters, SuitedBlocking,
};

use crate::arguments::Dedupe;
use crate::exit_code::UsageError;
use crate::records::{
    Answers, Coverage, Explained, Explanations, Gold, Input, LabelReport, RuleReport, ask, block_rules, check,
    pair_model, say_gain, say_truncated, say_weights, write,
};
use crate::{atomic_file, bars, interrupt, progress};

pub fn run(arguments: &Dedupe, quiet: bool) -> anyhow::Result<()> {
    check(arguments)?;
    let tables = [Some(&arguments.file), arguments.right.as_ref(), arguments.against.as_ref()];
    match tables.into_iter().flatten().chain(&arguments.further).filter(|path| path.as_os_str() == "-").count() {
        0 => (),
        1 if arguments.label.is_none() => (),
        1 => return Err(UsageError("--label reads the answers from stdin, which cannot be a table too".into()).into()),
        _ => return Err(UsageError("stdin can be one of the tables alone".into()).into()),
    }
    let start = Instant::now();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let asked = arguments.label.as_deref();
    let labels = asked.filter(|path| path.exists()).or(arguments.scorer.labels.as_deref());
    let source = pair_model(&arguments.scorer, labels)?;
    let encoder = arguments.encoder.as_deref().map(|folder| arguments.adapter.open(folder)).transpose()?;
    let rules = block_rules(&arguments.block)?;
    let input = Input::read(arguments, quiet)?;
    let gold = arguments.gold.as_deref().map(|path| Gold::read(path, &input)).transpose()?;
    let explanations = Explanations::read(&arguments.explain, &input.tables)?;
    let mut summary = Summary { reading: start.elapsed().as_secs_f64(), ..Summary::default() };

    let tables = input.tables.tables();
    let began = Instant::now();
    let has_rules = !rules.is_empty();
    let neighbours = arguments.neighbours.map(usize::from);
    let SuitedBlocking { neighbours, rules } =
        progress::watched(no_bar, || SuitedBlocking::new(&input.tables, neighbours, rules, encoder.is_some()));
    let blocking = Blocking {
        neighbours,
        rules: &rules,
        first_new: input.standing.as_ref().map_or(0, StandingClusters::rows),
        sources: input.tables.left.sources(),
        encoder: encoder.as_ref(),
        progress: interrupt::progress(),
    };
    let blocked = progress::watched(no_bar, || blocking.pairs(tables))?;
    summary.blocking = began.elapsed().as_secs_f64();

    let began = Instant::now();
    let compared = ComparedTables { tables: &input.tables, pairs: &blocked.pairs };
    let threshold = arguments.scorer.threshold;
    let FittedPairModel { model, gain } = match asked {
        Some(path) => ask(path, source, compared, threshold)?,
        None => progress::watched(no_bar, || source.fit(ComparedPairs::Tables(compared), threshold))?,
    };
    let json = |path| model.fellegi_sunter().map(|model| (path, model.to_json()));
    let saved = arguments.save_model.as_deref().map(json).transpose()?;
    summary.explanations = explanations.of(&model, &input.tables)?;
    let (scorer, resolution) = progress::watched(no_bar, || {
        let scorer = model.scorer(tables)?;
        let resolver = Resolver {
            threshold,
            one_to_one: arguments.one_to_one,
            standing: input.standing.as_ref(),
            sources: input.tables.left.sources(),
            progress: interrupt::progress(),
            scorer: &*scorer,
        };
        let resolution = resolver.resolve(tables, &blocked.pairs);
        resolution.map(|resolution| (scorer, resolution))
    })?;
    summary.comparing = began.elapsed().as_secs_f64();

    let standing = input.standing.as_ref();
    let mut ids = standing.map_or_else(ClusterIds::default, |standing| standing.ids(&resolution.clusters));
    summary.joined = std::mem::take(&mut ids.joined);
    summary.count(&input.tables, &blocked, &resolution);
    summary.model = model.fellegi_sunter().ok().cloned();
    summary.labels = gain.as_ref().map(LabelReport::of);
    summary.rules =
        rules.iter().zip(&blocked.left_out).map(|(rule, left_out)| RuleReport::of(rule, *left_out)).collect();
    if let Some(gold) = &gold {
        summary.rules.iter_mut().zip(&rules).for_each(|(report, rule)| report.recall = gold.recall_of(rule, tables));
    }
    summary.gold = gold.map(|gold| gold.coverage(&blocked.pairs, &resolution));
    let committing = interrupt::commit()?;
    if arguments.out.is_some() || arguments.explain.is_empty() && asked.is_none() {
        write(arguments, &Answers { input: &input, resolution: &resolution, ids: &ids })?;
    } else {
        Explained::write(&summary.explanations)?;
    }
    if let Some((path, model)) = saved {
        atomic_file::write(path, &model)?;
    }
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
        if !has_rules && !rules.is_empty() {
            let rules = rules.iter().map(|rule| quoted(&rule.to_string())).collect::<Vec<_>>().join(", ");
            crate::say!("in place of neighbours, records with equal keys are compared: {rules}");
            crate::say!("hint: --neighbours 10 searches neighbours, which takes longer");
        }
        say_weights(&model);
        gain.iter().for_each(say_gain);
        summary.rules.iter().for_each(RuleReport::say);
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
    /// Ids of clusters that stood and are a part of another one now, each with the id of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joined: Vec<(String, String)>,
    /// Gain of the fit to labelled pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<Coverage>,
    /// The rules of blocking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleReport>,
    /// Parameters of the Fellegi–Sunter model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<FellegiSunterModel>,
    /// Weights of the pairs asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanations: Vec<Explained>,
    /// Seconds in all, and those of the stages.
    seconds: f64,
    reading: f64,
    blocking: f64,
    comparing: f64,
}

impl Summary {
    fn count(&mut self, tables: &RecordTables, blocked: &CandidatePairs, resolution: &Resolution) {
        let Resolution { pairs, equal, clusters, distinct, .. } = resolution;
        self.records = tables.each().map(|table| table.rows()).sum();
        self.distinct = distinct.count();
        self.identifiers.clone_from(&tables.identifiers);
        self.candidates = blocked.pairs.len();
        self.compared = pairs.len();
        self.matches = equal.len() + pairs.iter().filter(|scored| clusters.has(scored.pair)).count();
        self.clusters = clusters.count();
        self.clusters_of_several = clusters.count_of_several();
    }

    fn say(&self) {
        for (gone, kept) in &self.joined {
            crate::say!("cluster {} is a part of cluster {} now", quoted(gone), quoted(kept));
        }
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
