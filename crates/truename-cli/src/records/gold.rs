//! Pairs that are known to match, as rows of the tables.

use std::path::Path;

use serde::Serialize;
use truename_error::{Error, ErrorKind, counted};
use truename_eval::pairs::{LabelledPair, read_matches};
use truename_read::quoted;
use truename_records::{BlockRule, RecordPair, RecordTable, Resolution, RowNames, Tables};

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

/// A rule of blocking and what it does.
#[derive(Serialize)]
pub struct RuleReport {
    rule: String,
    /// Records of keys that too many share, which the rule does not compare.
    left_out: usize,
    /// Share of the known matches that the rule alone proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
}

impl RuleReport {
    pub fn of(rule: &BlockRule, left_out: usize) -> Self {
        Self { rule: rule.to_string(), left_out, recall: None }
    }

    /// Reports the recall of the rule, and the records that it leaves out.
    pub fn say(&self) {
        let rule = quoted(&self.rule);
        if let Some(recall) = self.recall {
            crate::say!("rule {rule} proposes {:.2} % of the known matches", 100.0 * recall);
        }
        if self.left_out > 0 {
            let records = counted(self.left_out as u64, "record");
            crate::say!("rule {rule} leaves out {records}: more than a thousand have one key");
        }
    }
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
            let row = |names: &RowNames<'_>, table: &RecordTable, name: &str| {
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

    /// Returns the share of the matches that a rule of blocking proposes; none without matches.
    pub fn recall_of(&self, rule: &BlockRule, tables: Tables<'_>) -> Option<f64> {
        let is_joined = |pair: &&RecordPair| {
            let (left, right) = tables.records(**pair);
            rule.joins(left, right)
        };
        let joined = self.matches.iter().filter(is_joined).count();
        (!self.matches.is_empty()).then(|| joined as f64 / self.matches.len() as f64)
    }

    /// Counts the matches that are among candidates, which are in order, and those that are found.
    pub fn coverage(&self, candidates: &[RecordPair], resolution: &Resolution) -> Coverage {
        let gold = self.matches.len();
        let is_compared = |pair: RecordPair| candidates.binary_search(&pair).is_ok();
        let compared =
            self.matches.iter().filter(|pair| resolution.distinct.first(**pair).is_none_or(is_compared)).count();
        let found = self.matches.iter().filter(|pair| resolution.clusters.has(**pair)).count();
        let share = |part: usize| if gold == 0 { 0.0 } else { part as f64 / gold as f64 };
        Coverage { gold, compared, found, blocking_recall: share(compared), recall: share(found) }
    }
}
