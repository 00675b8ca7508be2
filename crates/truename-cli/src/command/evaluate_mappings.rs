//! `truename evaluate mappings`.

use std::io::Write;

use truename_align::{read_candidates, read_mappings};
use truename_eval::{MappingReport, MappingScoring};

use crate::arguments::EvaluateMappings;
use crate::{atomic_file, interrupt, output};

pub fn run(arguments: &EvaluateMappings) -> anyhow::Result<()> {
    let gold = arguments.gold.iter().map(|path| read_mappings(path)).collect::<Result<Vec<_>, _>>()?.concat();
    let found = read_mappings(&arguments.found)?;
    let scoring = MappingScoring { threshold: arguments.threshold, gold_is_partial: arguments.partial };
    let lists = arguments.candidates.as_deref().map(read_candidates).transpose()?.unwrap_or_default();
    let report = MappingReport::of(&found, &gold, &lists, scoring);
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    writeln!(out, "{report}")?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &report)
}
