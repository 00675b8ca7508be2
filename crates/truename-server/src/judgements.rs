//! Judgements of answers: an append-only file a knowledge base.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use truename::{ConceptId, Date, ErrorKind, Problem, Verdict, last_of_each};
use truename_files::open_regular;
use utoipa::ToSchema;

use crate::line_file::LineFile;
use crate::{Error, error};

/// The concept of a name, as a person judged it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Name as it was asked for.
    pub name: String,
    /// Id of its concept; `null` if no concept has it (NIL).
    #[schema(value_type = Option<String>)]
    pub id: Option<ConceptId>,
    /// True if the name is never a mention of a document; `id` is then `null`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(nullable = false, value_type = Option<bool>)]
    pub stop_name: bool,
    /// True if the judgements of the name before this one no longer count, and this is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(nullable = false, value_type = Option<bool>)]
    pub withdrawn: bool,
    /// Chance with which the name was drawn to be judged, above 0 and at most 1, beside that of the others.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schema(value_type = Option<f64>, nullable = false, exclusive_minimum = 0, maximum = 1, default = 1.0)]
    pub chance: f64,
    /// Who judged.
    #[serde(default)]
    pub user: String,
    /// Time of the judgement, in seconds since 1970-01-01 UTC; the server sets it.
    #[serde(default)]
    pub at: u64,
}

/// Returns the chance of a name that was not drawn.
pub(crate) fn one() -> f64 {
    1.0
}

fn is_one(chance: &f64) -> bool {
    *chance == 1.0
}

impl Judgement {
    /// Returns the judgement as a knowledge base learns it.
    pub fn to_learn(&self) -> truename::Judgement {
        let verdict = match &self.id {
            Some(id) => Verdict::Concept(id.clone()),
            None if self.stop_name => Verdict::StopName,
            None => Verdict::Nil,
        };
        truename::Judgement { name: self.name.clone(), verdict, date: Date::of_seconds(self.at) }
    }
}

/// A file of judgements, one line of JSON each. What was appended stays, whatever happens to the process.
pub struct Judgements(LineFile);

impl Judgements {
    /// Opens a file. It is made by the first judgement. A last line without its end, of a process that was stopped while it wrote, was
    /// never acknowledged and is cut off by the next judgement.
    pub fn new(path: &Path) -> Self {
        Self(LineFile::new(path, String::new()))
    }

    /// Appends judgements, and returns once they are on the disk.
    ///
    /// # Errors
    /// If the file cannot be written, is a link, or has another name (hard link), under which the judgements would appear too.
    pub fn append(&self, judgements: &[Judgement]) -> Result<(), Error> {
        let mut lines = Vec::new();
        for judgement in judgements {
            let written = serde_json::to_writer(&mut lines, judgement);
            written.map_err(|source| error::io("write", self.0.path(), source.into()))?;
            lines.push(b'\n');
        }
        self.0.append(&lines)
    }

    /// Reads all judgements in the order in which they came.
    ///
    /// # Errors
    /// If the file cannot be read or a line is no judgement.
    pub fn read(&self) -> Result<Vec<Judgement>, Error> {
        read_judgements(self.0.path())
    }
}

/// Reads a file of judgements; none if there is no file.
///
/// # Errors
/// As [`Judgements::read`].
pub fn read_judgements(path: &Path) -> Result<Vec<Judgement>, Error> {
    let file = match open_regular(path, File::options().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error::io("read", path, error)),
    };
    let mut reader = BufReader::new(file);
    let (mut judgements, mut line, mut number) = (Vec::new(), Vec::new(), 0);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(|source| error::io("read", path, source))?;
        if !line.ends_with(b"\n") {
            return Ok(judgements);
        }
        number += 1;
        let judgement = serde_json::from_slice(&line)
            .map_err(|error| Error::of_problem(ErrorKind::Syntax, Problem::new(path, number, error.to_string())))?;
        judgements.push(judgement);
    }
}

/// Returns the last judgement of each name, in the order of their first ones, without names whose judgement was withdrawn.
pub fn last_judgements(judgements: Vec<Judgement>) -> Vec<Judgement> {
    let mut last = last_of_each(judgements, |judgement| judgement.name.clone());
    last.retain(|judgement| !judgement.withdrawn);
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(name: &str, id: Option<&str>) -> Judgement {
        Judgement {
            name: name.into(),
            id: id.map(|id| id.parse().unwrap()),
            stop_name: false,
            withdrawn: false,
            chance: 1.0,
            user: "ann".into(),
            at: 1,
        }
    }

    #[test]
    fn judgements_are_appended_and_the_last_of_a_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/judgements.jsonl");
        assert_eq!(read_judgements(&path).unwrap(), []);
        Judgements::new(&path).append(&[judgement("a", Some("X:1")), judgement("b", None)]).unwrap();
        Judgements::new(&path).append(&[judgement("a", None)]).unwrap();
        let read = read_judgements(&path).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!(last_judgements(read), [judgement("a", None), judgement("b", None)]);
    }

    #[test]
    fn a_judgement_is_withdrawn() {
        let withdrawn = Judgement { withdrawn: true, ..judgement("a", None) };
        let all = vec![judgement("a", Some("X:1")), judgement("b", None), withdrawn.clone()];
        assert_eq!(last_judgements(all), [judgement("b", None)]);
        assert_eq!(last_judgements(vec![withdrawn, judgement("a", None)]), [judgement("a", None)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("diary"), "dear\ndiary").unwrap();
        std::os::unix::fs::symlink("diary", at("link")).unwrap();
        std::os::unix::fs::symlink("new", at("dangling")).unwrap();
        std::fs::hard_link(at("diary"), at("other name")).unwrap();
        for name in ["link", "dangling", "other name"] {
            assert!(Judgements::new(&at(name)).append(&[judgement("a", None)]).is_err(), "{name}");
        }
        assert!(read_judgements(&at("link")).is_err() && read_judgements(Path::new("/dev/zero")).is_err());
        assert!(std::fs::read(at("diary")).unwrap() == b"dear\ndiary" && !at("new").exists());

        let judgements = Judgements::new(&at("own"));
        judgements.append(&[judgement("a", None)]).unwrap();
        std::fs::hard_link(at("own"), at("copy")).unwrap();
        assert!(judgements.append(&[judgement("b", None)]).is_err());
        std::fs::remove_file(at("copy")).unwrap();
        judgements.append(&[judgement("b", None)]).unwrap();
        assert_eq!(judgements.read().unwrap().len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_moved_away_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let judgements = Judgements::new(&path);
        judgements.append(&[judgement("a", None)]).unwrap();
        std::fs::rename(&path, folder.path().join("old.jsonl")).unwrap();
        judgements.append(&[judgement("b", None)]).unwrap();
        assert_eq!(judgements.read().unwrap(), [judgement("b", None)]);
    }

    #[test]
    fn a_line_cut_off_is_removed_by_the_next_judgement() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        Judgements::new(&path).append(&[judgement("a", None)]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&path, [&whole[..], &whole[..cut]].concat()).unwrap();
            assert_eq!(read_judgements(&path).unwrap(), [judgement("a", None)]);
            Judgements::new(&path).append(&[judgement("b", None)]).unwrap();
            assert_eq!(read_judgements(&path).unwrap(), [judgement("a", None), judgement("b", None)]);
        }
    }

    #[test]
    fn a_foreign_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        std::fs::write(&path, "{\"name\": \"a\", \"id\": null}\nno\n").unwrap();
        let error = read_judgements(&path).unwrap_err().to_string();
        assert!(error.contains("judgements.jsonl:2"), "{error}");
    }
}
