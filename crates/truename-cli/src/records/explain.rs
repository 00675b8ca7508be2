//! Pairs whose probabilities are explained.

use std::io::Write;

use serde::Serialize;
use truename_read::quoted;
use truename_records::{Explanation, PairModel, RecordPair, RecordTable, RecordTables, RowNames};

use crate::exit_code::UsageError;
use crate::output;

/// Pairs to explain, by rows.
pub struct Explanations {
    pairs: Vec<(String, String, RecordPair)>,
}

/// The weights of a pair, as `--json` has them.
#[derive(Serialize)]
pub struct Explained {
    left: String,
    right: String,
    #[serde(flatten)]
    explanation: Explanation,
}

impl Explanations {
    /// Finds the rows of pairs of ids or rows.
    pub fn read(names: &[String], tables: &RecordTables) -> anyhow::Result<Self> {
        if names.is_empty() {
            return Ok(Self { pairs: Vec::new() });
        }
        let (left, right) = (RowNames::of(&tables.left), RowNames::of(tables.right()));
        let row = |names: &RowNames<'_>, table: &RecordTable, name: &str| {
            let missing = || UsageError(format!("--explain: {} has no record {}", table.name, quoted(name)));
            names.row(name).ok_or_else(missing)
        };
        let pair = |names: &[String]| {
            let (one, other) = (&names[0], &names[1]);
            let rows = (row(&left, &tables.left, one)?, row(&right, tables.right(), other)?);
            let itself = || UsageError(format!("--explain: {} is paired with itself", quoted(one)));
            Ok((one.clone(), other.clone(), tables.tables().pair(rows.0, rows.1).ok_or_else(itself)?))
        };
        Ok(Self { pairs: names.chunks_exact(2).map(pair).collect::<Result<_, UsageError>>()? })
    }

    /// Returns the weights of the pairs.
    pub fn of(self, model: &PairModel, tables: &RecordTables) -> anyhow::Result<Vec<Explained>> {
        if self.pairs.is_empty() {
            return Ok(Vec::new());
        }
        let scorer = model.fellegi_sunter()?.scorer(tables.tables())?;
        let explained = |(left, right, pair)| Explained { left, right, explanation: scorer.explain(pair) };
        Ok(self.pairs.into_iter().map(explained).collect())
    }
}

impl Explained {
    /// Writes waterfalls to stdout.
    pub fn write(explained: &[Self]) -> anyhow::Result<()> {
        let mut out = output::stdout();
        for (at, Self { left, right, explanation }) in explained.iter().enumerate() {
            let gap = if at > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{left} and {right}\n{explanation}")?;
        }
        out.finish()
    }
}
