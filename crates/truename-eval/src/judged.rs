//! Gold judgements beside the system's answers, and the file that holds them.

use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, HintPart, hint};
use truename_read::Source;

use crate::Error;
use crate::table::FileKind;

const KIND: FileKind = FileKind {
    nothing: None,
    hint: || {
        let action = HintPart::action("evaluate names").with("predictions", "FILE");
        hint!["predictions are made by ", action, ", one JSON object a line"]
    },
};

/// A concept the system proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its id.
    pub id: String,
    /// Its probability according to the system.
    pub probability: f64,
}

/// A name with its gold judgement and the system's answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedName {
    /// The name.
    pub name: String,
    /// Accepted ids; empty where the right answer is NIL.
    pub gold: Vec<String>,
    /// The type of the name.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub name_type: Option<String>,
    /// The system's candidates, best first.
    pub answers: Vec<Answer>,
    /// True where the system answered NIL.
    pub nil: bool,
}

impl JudgedName {
    /// Creates a judged name without a type.
    pub fn new(name: &str, gold: &[&str], answers: Vec<Answer>, nil: bool) -> Self {
        let gold = gold.iter().map(|id| (*id).to_owned()).collect();
        Self { name: name.to_owned(), gold, name_type: None, answers, nil }
    }

    /// Returns the rank, from 0, of the first right candidate; `None` where the system answered NIL or found none.
    pub fn rank(&self) -> Option<usize> {
        let answers = if self.nil { &[][..] } else { &self.answers };
        answers.iter().position(|answer| self.gold.contains(&answer.id))
    }

    /// Returns true where the right answer is among the first `depth`: an accepted id, or NIL where NIL is right.
    pub fn is_right_at(&self, depth: usize) -> bool {
        if self.gold.is_empty() { self.nil } else { self.rank().is_some_and(|rank| rank < depth) }
    }

    /// Returns the probability of the best candidate, 0 where there is none.
    pub fn confidence(&self) -> f64 {
        self.answers.first().map_or(0.0, |answer| answer.probability)
    }
}

/// Writes one JSON object a name.
///
/// # Errors
/// If `out` fails.
pub fn write_judged(mut out: impl Write, judged: &[JudgedName]) -> std::io::Result<()> {
    for one in judged {
        serde_json::to_writer(&mut out, one)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads a file that [`write_judged`] wrote.
///
/// # Errors
/// If the file cannot be read or a line is malformed.
pub fn read_judged(path: &Path) -> Result<Vec<JudgedName>, Error> {
    KIND.read_utf8(path, of_source)
}

/// Reads judged names from a reader; errors name `path`.
///
/// # Errors
/// The errors of [`read_judged`].
pub fn read_judged_from(lines: impl Read + Send + 'static, path: &Path) -> Result<Vec<JudgedName>, Error> {
    KIND.read_from(path, lines, of_source)
}

/// Checks that predictions of two files are of the same names, with the same judgements.
///
/// # Errors
/// If they differ.
pub fn check_same_names(
    (first, left): (&[JudgedName], &Path),
    (second, right): (&[JudgedName], &Path),
) -> Result<(), Error> {
    let common = first.iter().zip(second).take_while(|(one, other)| one.name == other.name && one.gold == other.gold);
    let common = common.count();
    let Some(odd) = first.get(common).or(second.get(common)) else { return Ok(()) };
    let (left, right) = (left.display(), right.display());
    let message = format_args!("{left} and {right} differ in their names or judgements at \"{}\"", odd.name);
    let advice = hint!["make both with ", HintPart::setting("predictions"), " from the same gold file"];
    Err(Error::new(ErrorKind::Choice, message).with_hint(advice))
}

fn of_source(source: Source) -> Result<Vec<JudgedName>, Error> {
    KIND.lines(source, |_, text| serde_json::from_str(text).map(Some).map_err(|error| reason(&error)))
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
