//! Chains: several runs of one recipe, each of which may start from the models of those before.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::recipe::{Condition, Keys, Range};
use crate::task::Kind;
use crate::{Error, Recipe, error};

/// Begins a path that names the model of an earlier run.
const RUN: &str = "run:";

/// The sections of a chain.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ChainKeys {
    chain: ChainSection,
    data: Table,
    encoder: Table,
    run: Table,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct ChainSection {
    runs: Vec<String>,
}

impl Keys for ChainKeys {
    const RANGES: &'static [(&'static str, Range)] = &[];
    const OPEN: &'static [&'static str] = &["data", "encoder", "run"];
    const CONDITIONS: &'static [Condition] = &[Condition {
        keys: &[
            "schedule.epochs",
            "schedule.max_steps",
            "schedule.max_minutes",
            "schedule.learning_rate",
            "schedule.head_rate",
            "schedule.warmup_ratio",
            "schedule.decay",
            "schedule.accumulate",
            "schedule.weight_decay",
            "schedule.max_grad_norm",
            "evaluation.every",
            "evaluation.steps",
            "evaluation.patience",
            "evaluation.keep",
        ],
        on: "task.kind",
        values: &[
            "groups",
            "in-context",
            "joint",
            "pairs",
            "pretrain",
            "recognize",
            "rerank",
            "retrieve",
            "synonyms",
            "tag",
        ],
    }];
}

/// Returns the runs of a chain with their names, in their order. `out` is the folder of the chain, with a folder for each run.
///
/// Each has the keys of its own section, and where it does not write them those of `data`, `encoder`, `seed` and `device` that its kind of
/// task has.
///
/// # Errors
/// Where a run has no section, its section is no recipe, or it starts from a run that is not before it.
pub(crate) fn runs(recipe: &Recipe, out: &Path) -> Result<Vec<(String, Recipe)>, Error> {
    let ChainKeys { chain, data, encoder, run } = recipe.keys()?;
    if chain.runs.is_empty() {
        return Err(error::value("chain.runs", "empty", "the names of the runs, in their order"));
    }
    let mut runs = Vec::new();
    for name in &chain.runs {
        let Some(Value::Table(own)) = run.get(name) else {
            return Err(error::value("chain.runs", name, format!("the name of a section [run.{name}]")));
        };
        let mut table = own.clone();
        let kind = own.get("task").and_then(|task| task.get("kind")).and_then(Value::as_str).unwrap_or_default();
        if kind == KIND {
            return Err(error::value("task.kind", KIND, "another kind: a chain has no chains"));
        }
        let known = Kind::find(kind).map(|kind| kind.schema.defaults()).unwrap_or_default();
        for (section, common) in [("data", &data), ("encoder", &encoder)] {
            let Some(Value::Table(keys)) = known.get(section) else { continue };
            let Value::Table(own) = table.entry(section).or_insert_with(|| Table::new().into()) else { continue };
            for (key, value) in common.iter().filter(|(key, _)| keys.contains_key(*key)) {
                own.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        table.entry("seed").or_insert((recipe.seed as i64).into());
        table.entry("device").or_insert(recipe.device.clone().into());
        let before: Vec<&str> = runs.iter().map(|(name, _): &(String, Recipe)| name.as_str()).collect();
        table.iter_mut().try_for_each(|(_, value)| resolve(value, &before, out))?;
        let text = toml::to_string(&table).map_err(error::unwritable)?;
        let recipe = Recipe::of_text(&format!("the section [run.{name}]"), &text, &[])?;
        runs.push((name.clone(), recipe));
    }
    Ok(runs)
}

/// Name of the kind.
pub(crate) const KIND: &str = "chain";

/// Puts the folders of earlier runs in place of their names.
fn resolve(value: &mut Value, before: &[&str], out: &Path) -> Result<(), Error> {
    match value {
        Value::Table(table) => table.iter_mut().try_for_each(|(_, value)| resolve(value, before, out)),
        Value::Array(values) => values.iter_mut().try_for_each(|value| resolve(value, before, out)),
        Value::String(text) => {
            if let Some(name) = text.strip_prefix(RUN) {
                if !before.contains(&name) {
                    return Err(error::value("chain.runs", &*text, "the name of an earlier run behind \"run:\""));
                }
                *text = out.join(name).to_string_lossy().into_owned();
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
