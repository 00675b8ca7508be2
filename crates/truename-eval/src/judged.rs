//! A gold judgement beside the system's answers, and the file that holds many.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A concept the system proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its id.
    pub id: String,
    /// How probable the system finds it.
    pub probability: f64,
}

/// One name with what is right and what the system said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The name.
    pub name: String,
    /// The ids that are right; none where the answer is NIL.
    pub gold: Vec<String>,
    /// The type of the name.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub kind: Option<String>,
    /// The system's candidates, best first.
    pub answers: Vec<Answer>,
    /// Whether the system answered NIL.
    pub nil: bool,
}

impl Judged {
    /// A judged name without a type.
    pub fn new(name: &str, gold: &[&str], answers: Vec<Answer>, nil: bool) -> Self {
        let gold = gold.iter().map(|id| (*id).to_owned()).collect();
        Self { name: name.to_owned(), gold, kind: None, answers, nil }
    }

    /// The place, from 0, of the first right candidate; nothing where the system answered NIL.
    pub fn rank(&self) -> Option<usize> {
        let answers = if self.nil { &[][..] } else { &self.answers };
        answers.iter().position(|answer| self.gold.contains(&answer.id))
    }

    /// Whether the right answer is among the first `depth`: a right id, or NIL where NIL is right.
    pub fn is_right_at(&self, depth: usize) -> bool {
        if self.gold.is_empty() { self.nil } else { self.rank().is_some_and(|rank| rank < depth) }
    }

    /// The probability of the best candidate.
    pub fn confidence(&self) -> f64 {
        self.answers.first().map_or(0.0, |answer| answer.probability)
    }
}

/// Writes one JSON object a name.
///
/// # Errors
/// Where it cannot be written.
pub fn write_judged(mut out: impl Write, judged: &[Judged]) -> std::io::Result<()> {
    for one in judged {
        serde_json::to_writer(&mut out, one)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads what [`write_judged`] wrote.
///
/// # Errors
/// Where the file cannot be read or a line is malformed.
pub fn read_judged(path: &Path) -> Result<Vec<Judged>, Error> {
    let file = std::fs::File::open(path).map_err(|source| Error::io("open", path, source))?;
    read_judged_from(BufReader::new(file), path)
}

/// Reads such lines from anywhere; errors name `path`.
///
/// # Errors
/// As [`read_judged`].
pub fn read_judged_from(lines: impl BufRead, path: &Path) -> Result<Vec<Judged>, Error> {
    let failed = |source| Error::io("read", path, source);
    let mut judged = Vec::new();
    for (line, number) in lines.lines().zip(1u64..) {
        let line = line.map_err(failed)?;
        let malformed = |error| Error::malformed_prediction(path, number, reason(&error));
        judged.push(serde_json::from_str(&line).map_err(malformed)?);
    }
    Ok(judged)
}

/// Returns the message without the line number, which counts from the beginning of the parsed text.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(&*message, |(reason, _)| reason);
    match error.is_data() {
        true => format!("no prediction: {message}"),
        false => format!("not JSON: {message} at column {}", error.column()),
    }
}
