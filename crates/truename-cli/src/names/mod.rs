//! Lists and tables of names: read, answered, written.

pub mod delimited;
mod encoding;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
pub mod parquet;
mod record;
pub mod tally;

use serde::Serialize;
use truename::{Candidate, Link};

/// The columns added to a table.
const ADDED: [&str; 4] = ["id", "matched_name", "preferred_name", "probability"];

/// Names of the added columns: each with `truename_` before it where one of them is there already.
fn added_columns(present: &[String], top: usize, explain: bool) -> Vec<String> {
    let mut added: Vec<String> = ADDED.map(str::to_owned).to_vec();
    if top > 1 {
        added.push("candidates".into());
    }
    if explain {
        added.push("explanation".into());
    }
    if added.iter().any(|name| present.contains(name)) {
        added.iter_mut().for_each(|name| name.insert_str(0, "truename_"));
    }
    added
}

/// What a table row gets, in the order of [`added_columns`].
fn added_cells(link: &Link, top: usize) -> Vec<String> {
    let answer = link.answer();
    let text = |of: fn(&Candidate) -> &str| answer.map_or(String::new(), |candidate| of(candidate).to_owned());
    let mut cells = vec![
        text(|candidate| &candidate.id),
        text(|candidate| &candidate.matched_name),
        text(|candidate| &candidate.preferred_name),
        format!("{:.4}", probability(link)),
    ];
    if top > 1 {
        cells.push(link.candidates.iter().map(|candidate| candidate.id.as_str()).collect::<Vec<_>>().join("|"));
    }
    cells.extend(link.explanation.clone());
    cells
}

/// The probability of the best candidate, whether or not it is answered.
fn probability(link: &Link) -> f64 {
    link.candidates.first().map_or(0.0, |candidate| candidate.probability)
}

/// One line of JSONL.
#[derive(Serialize)]
struct JsonLine<'a> {
    name: &'a str,
    id: Option<&'a str>,
    preferred_name: Option<&'a str>,
    matched_name: Option<&'a str>,
    probability: f64,
    candidates: &'a [Candidate],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a str>,
    /// Whether the vector is of the name's beginning alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

fn json_line(link: &Link) -> serde_json::Result<Vec<u8>> {
    let answer = link.answer();
    let mut line = serde_json::to_vec(&JsonLine {
        name: &link.name,
        id: link.id(),
        preferred_name: answer.map(|candidate| candidate.preferred_name.as_str()),
        matched_name: answer.map(|candidate| candidate.matched_name.as_str()),
        probability: probability(link),
        candidates: &link.candidates,
        explanation: link.explanation.as_deref(),
        is_truncated: link.is_truncated,
    })?;
    line.push(b'\n');
    Ok(line)
}
