//! Pairs that are known to match, as rows of the tables.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;
use truename_error::{Error, ErrorKind};
use truename_eval::pairs::{LabelledPair, read_matches};
use truename_read::quoted;
use truename_records::{RecordPair, RecordTable, Resolution, RowNames};

use super::input::Input;

/// Matching pairs, each once, in order.
pub struct Gold {
    matches: Vec<RecordPair>,
}

/// Number of known matches that were compared and found.
#[derive(Serialize)]
pub struct Coverage {
    pub gold: usize,
    pub compared: usize,
    pub found: usize,
    /// Share of the known matches that blocking proposes.
    pub blocking_recall: f64,
    /// Share of the known matches that are in one cluster.
    pub recall: f64,
}

impl Gold {
    /// Reads pairs of ids, of row numbers or of serialised records. Pairs with the label 0 are left out.
    pub fn read(path: &Path, input: &Input) -> anyhow::Result<Self> {
        let tables = &input.tables;
        let (left, right) = (RowNames::of(&tables.left), RowNames::of(tables.right()));
        let mut matches = Vec::new();
        for LabelledPair { left: one, right: other, is_same, file, line, .. } in read_matches(path)? {
            let refused =
                |reason: String, hint: &str| Error::at(ErrorKind::Syntax, &file, line, reason).with_hint(hint);
            let row = |names: &RowNames, table: &RecordTable, name: &str| {
                let hint = "name records by the ids of --id-column, by rows from 1, or serialised as COL … VAL …";
                let missing = || refused(format!("{} has no record {}", table.name, quoted(name)), hint);
                names.row(name).ok_or_else(missing)
            };
            let rows = (row(&left, &tables.left, &one)?, row(&right, tables.right(), &other)?);
            let hint = "name two records; equal ones by their ids or rows";
            let itself = || refused(format!("{} is paired with itself", quoted(&one)), hint);
            let pair = tables.tables().pair(rows.0, rows.1).ok_or_else(itself)?;
            matches.extend(is_same.then_some(pair));
        }
        matches.sort_unstable();
        matches.dedup();
        Ok(Self { matches })
    }

    pub fn coverage(&self, candidates: &[RecordPair], resolution: &Resolution) -> Coverage {
        let candidates: HashSet<&RecordPair> = candidates.iter().collect();
        let gold = self.matches.len();
        let is_compared = |pair: RecordPair| candidates.contains(&pair);
        let compared =
            self.matches.iter().filter(|pair| resolution.distinct.first(**pair).is_none_or(is_compared)).count();
        let found = self.matches.iter().filter(|pair| resolution.clusters.has(**pair)).count();
        let share = |part: usize| if gold == 0 { 0.0 } else { part as f64 / gold as f64 };
        Coverage { gold, compared, found, blocking_recall: share(compared), recall: share(found) }
    }
}
