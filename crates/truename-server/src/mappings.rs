//! A file of mappings that people judge, and the SSSOM table of their judgements.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use truename::ErrorKind;
use truename_align::{FileMapping, MappingTable, mapping_order};
use truename_read::Dialect;
use utoipa::ToSchema;

use crate::line_file::LineFile;
use crate::{Error, MappingSource};

/// Columns of a table of judgements.
const COLUMNS: [&str; 9] = [
    "subject_id",
    "subject_label",
    "predicate_id",
    "predicate_modifier",
    "object_id",
    "object_label",
    "mapping_justification",
    "author_label",
    "mapping_date",
];
/// Columns of a file of mappings that are shown.
const SHOWN: [&str; 7] = [
    "subject_id",
    "subject_label",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "match_string",
];
/// Relation of mappings that state none.
const EXACT: &str = "skos:exactMatch";

/// A mapping to be judged.
pub(crate) struct MappingRow {
    /// Ids of both concepts as the file has them.
    pub ids: [String; 2],
    /// Names of both concepts in the file; empty where it has none.
    pub labels: [String; 2],
    pub predicate: String,
    pub justification: String,
    pub match_string: String,
    pub confidence: f64,
}

/// The judgement of a mapping.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct MappingJudgement {
    /// True if the mapping is right.
    pub accepted: bool,
    /// Who judged.
    pub user: String,
    /// Day of the judgement in UTC, such as `2026-11-28`.
    pub date: String,
}

/// A file of mappings in the order of their review, with the file of their judgements.
pub(crate) struct Mappings {
    /// Name of the file.
    pub name: String,
    pub rows: Vec<MappingRow>,
    /// The table without its rows, which has the prefixes of the ids.
    table: MappingTable<{ SHOWN.len() }>,
    /// Places of the mappings of each pair of ids in their compared form.
    places: HashMap<[String; 2], Vec<usize>>,
    judged: Mutex<Vec<Option<MappingJudgement>>>,
    file: LineFile,
}

impl Mappings {
    /// Reads a file of mappings, those said to be wrong left out, and the judgements that it has. `others` are open already.
    ///
    /// # Errors
    /// If a file cannot be read or is malformed, has no mapping, or has the name of another one or its judgements.
    pub fn open(MappingSource { mappings: path, judgements }: &MappingSource, others: &[Self]) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if others.iter().any(|other| other.name == name || other.file.path() == judgements) {
            let message = format!("two files of mappings are called \"{name}\", or have their judgements in one file");
            return Err(Error::new(ErrorKind::Choice, message).with_hint("give each a name of its own"));
        }
        let mut table = MappingTable::read(path, SHOWN)?;
        let (rows, places) = in_order(std::mem::take(&mut table.rows));
        if rows.is_empty() {
            return Err(Error::at(ErrorKind::Syntax, path, None, "no mappings that could be judged"));
        }
        let comments: String =
            table.comments.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        let file = LineFile::new(judgements, comments + &COLUMNS.join("\t") + "\n");
        let judged = Mutex::new(rows.iter().map(|_| None).collect());
        let mappings = Self { name, rows, table, places, judged, file };
        mappings.read_judgements()?;
        Ok(mappings)
    }

    /// Takes over the judgements of an earlier server.
    fn read_judgements(&self) -> Result<(), Error> {
        if !self.file.is_there()? {
            return Ok(());
        }
        let mut judged = self.judged();
        let cells = ["subject_id", "predicate_id", "object_id", "author_label", "mapping_date"];
        let written = MappingTable::read(self.file.path(), cells)?;
        let foreign = |message: String| {
            let hint = "move the file away, or keep the judgements of these mappings in another folder";
            Error::at(ErrorKind::Syntax, self.file.path(), None, message).with_hint(hint)
        };
        if written.columns != COLUMNS {
            return Err(foreign(format!("the columns are not those of judgements: {}", COLUMNS.join(", "))));
        }
        let mut ids = self.rows.iter().flat_map(|row| &row.ids);
        if let Some(id) = ids.find(|id| written.plain_id(id) != self.table.plain_id(id)) {
            return Err(foreign(format!("the prefix of \"{id}\" stands for another IRI than in {}", self.name)));
        }
        for (mapping, [subject, predicate, object, user, date]) in written.rows {
            let judgement = MappingJudgement { accepted: !mapping.is_negative, user, date };
            for place in self.places([&subject, &object], Some(&predicate)) {
                judged[place] = Some(judgement.clone());
            }
        }
        Ok(())
    }

    /// Returns the judgements as an SSSOM table, those of mappings that the file no longer has too.
    ///
    /// # Errors
    /// If their file cannot be read.
    pub fn sssom(&self) -> Result<String, Error> {
        let _judged = self.judged();
        self.file.text()
    }

    /// Returns the places of the mappings of two ids, of one relation if it is given.
    pub fn places(&self, ids: [&str; 2], predicate: Option<&str>) -> Vec<usize> {
        let of_pair = self.places.get(&ids.map(|id| self.table.plain_id(id))).into_iter().flatten().copied();
        of_pair.filter(|place| predicate.is_none_or(|predicate| self.rows[*place].predicate == predicate)).collect()
    }

    /// Returns the ids that the concept of an id may have in a knowledge base.
    pub fn spellings(&self, id: &str) -> Vec<String> {
        self.table.spellings(id)
    }

    /// Keeps the judgement of a mapping, or takes it back, and returns once that is on the disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn judge(&self, place: usize, judgement: Option<MappingJudgement>) -> Result<(), Error> {
        let (row, mut judged) = (&self.rows[place], self.judged());
        let line = judgement.as_ref().map_or_else(String::new, |judgement| row.line(judgement));
        match (&judged[place], &judgement) {
            (None, None) => {}
            (None, Some(_)) => self.file.append(line.as_bytes())?,
            (Some(_), _) => self.file.replace(|line| self.is_of(line, row), &line)?,
        }
        judged[place] = judgement;
        Ok(())
    }

    /// Returns whether a line of the table of judgements is of a mapping.
    fn is_of(&self, line: &str, row: &MappingRow) -> bool {
        let cells: Vec<&str> = line.split('\t').collect();
        let same = |cell: &str, id: &str| self.table.plain_id(cell) == self.table.plain_id(id);
        matches!(&cells[..], [subject, _, predicate, _, object, ..]
            if *predicate == row.predicate && same(subject, &row.ids[0]) && same(object, &row.ids[1]))
    }

    /// Returns the judgement of each mapping; none is saved while the guard is held.
    pub fn judged(&self) -> MutexGuard<'_, Vec<Option<MappingJudgement>>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the mappings that are not said to be wrong in the order of their review, and their places by pairs of ids.
fn in_order(read: Vec<(FileMapping, [String; SHOWN.len()])>) -> (Vec<MappingRow>, HashMap<[String; 2], Vec<usize>>) {
    let (mut rows, mut places): (Vec<MappingRow>, HashMap<_, Vec<usize>>) = Default::default();
    let order = mapping_order(read.iter().map(|(mapping, _)| mapping.confidence));
    let mut read: Vec<Option<_>> = read.into_iter().map(Some).collect();
    for (mapping, cells) in order.into_iter().filter_map(|place| read[place].take()) {
        if mapping.is_negative {
            continue;
        }
        let [subject, subject_label, predicate, object, object_label, justification, match_string] = cells;
        let or = |cell: String, other: &str| if cell.is_empty() { other.to_owned() } else { cell };
        let row = MappingRow {
            ids: [or(subject, &mapping.subject), or(object, &mapping.object)],
            labels: [subject_label, object_label],
            predicate: or(predicate, EXACT),
            justification,
            match_string,
            confidence: mapping.confidence,
        };
        let of_pair = places.entry([mapping.subject, mapping.object]).or_default();
        // A pair with the same relation is judged once.
        if of_pair.iter().all(|place| rows[*place].predicate != row.predicate) {
            of_pair.push(rows.len());
            rows.push(row);
        }
    }
    (rows, places)
}

impl MappingRow {
    fn line(&self, MappingJudgement { accepted, user, date }: &MappingJudgement) -> String {
        let ([subject, object], [subject_label, object_label]) = (&self.ids, &self.labels);
        let modifier = if *accepted { "" } else { "Not" };
        let cells: [&str; COLUMNS.len()] = [
            subject,
            subject_label,
            &self.predicate,
            modifier,
            object,
            object_label,
            "semapv:ManualMappingCuration",
            user,
            date,
        ];
        Dialect::TSV.row(cells, false) + "\n"
    }
}
