//! Mappings in files: SSSOM tables, other tables of two ids, and the alignment format of the OAEI.

use std::collections::HashMap;
use std::path::Path;

use truename_error::{ErrorKind, excerpt};
use truename_kb::import::is_negated;
use truename_read::xml::{Piece, Pieces, attribute, local};
use truename_read::{Record, Source, SourceOptions, Table, TableOptions};

use crate::mapping_set::{curie_of, is_known_prefix};
use crate::{Error, Predicate};

/// Names of the columns of both ids.
const SUBJECT: &[&str] = &["subject_id", "SrcEntity", "source"];
const OBJECT: &[&str] = &["object_id", "TgtEntity", "target"];

/// A mapping of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileMapping {
    /// Id of the subject, as [`plain_id`] writes it.
    pub subject: String,
    /// Id of the object, likewise.
    pub object: String,
    /// The relation; none if it is no relation of SKOS, OWL or the OAEI.
    pub predicate: Option<Predicate>,
    /// True if the mapping says that the relation does not hold.
    pub is_negative: bool,
    /// Probability of the mapping; 1 where none is stated.
    pub confidence: f64,
    /// Likeness of the names, if it is stated.
    pub similarity: Option<f64>,
    /// Line of the file, from 1.
    pub line: u64,
}

impl FileMapping {
    /// Returns a mapping that says that two ids are of the same thing.
    pub fn exact(subject: &str, object: &str, confidence: f64) -> Self {
        let [subject, object] = [subject, object].map(plain_id);
        let predicate = Some(Predicate::Exact);
        Self { subject, object, predicate, is_negative: false, confidence, similarity: None, line: 0 }
    }
}

/// Returns the form in which ids of several files are compared: IRIs of the OBO Foundry and of other known vocabularies as CURIEs, and
/// the prefix of a CURIE in small letters.
pub fn plain_id(id: &str) -> String {
    let id = id.trim().trim_start_matches('<').trim_end_matches('>');
    let curie = curie_of(id).unwrap_or_else(|| id.to_owned());
    match curie.split_once(':') {
        Some((prefix, local)) if !local.starts_with("//") => {
            // `mesh:MESH:D001` and `DOID:DOID:4` have their prefix twice.
            let local = local.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(':')).unwrap_or(local);
            format!("{}:{local}", prefix.to_ascii_lowercase())
        }
        _ => curie,
    }
}

/// Reads mappings: an SSSOM table, a table with the columns `subject_id` and `object_id`, `SrcEntity` and `TgtEntity` (Bio-ML) or `source`
/// and `target`, or RDF/XML of the Alignment API.
///
/// # Errors
/// If the file cannot be read, is of neither form, or has a confidence that is none.
pub fn read_mappings(path: &Path) -> Result<Vec<FileMapping>, Error> {
    let source = Source::open_table(path, &SourceOptions::default())?;
    let mappings = match is_xml(&source) {
        true => read_alignment(source)?,
        false => MappingTable::of(source, [])?.rows.into_iter().map(|(mapping, [])| mapping).collect(),
    };
    if mappings.is_empty() {
        return Err(malformed(path, 1, "no mappings"));
    }
    Ok(mappings)
}

fn malformed(path: &Path, line: u64, message: impl std::fmt::Display) -> Error {
    let hint =
        "mappings are an SSSOM table, a table with the columns `subject_id` and `object_id`, or RDF/XML of the OAEI";
    Error::at(ErrorKind::Syntax, path, line, message).with_hint(hint)
}

/// A table of mappings with further cells of each row, such as the labels.
#[derive(Debug)]
#[non_exhaustive]
pub struct MappingTable<const N: usize> {
    /// The comments above the header, metadata of SSSOM among them.
    pub comments: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The mappings, each with the cells asked for; one of a column that the table lacks is empty.
    pub rows: Vec<(FileMapping, [String; N])>,
    prefixes: HashMap<String, String>,
}

impl<const N: usize> MappingTable<N> {
    /// Reads an SSSOM table, or another table of two ids, with the cells of some columns. The table may be without rows.
    ///
    /// # Errors
    /// If the file cannot be read, is no such table, or has a confidence that is none.
    pub fn read(path: &Path, cells: [&str; N]) -> Result<Self, Error> {
        let source = Source::open_table(path, &SourceOptions::default())?;
        match is_xml(&source) {
            true => Err(Error::at(ErrorKind::Syntax, path, 1, "an alignment in RDF/XML is no table of mappings")
                .with_hint("write the mappings as SSSOM")),
            false => Self::of(source, cells),
        }
    }

    fn of(source: Source, cells: [&str; N]) -> Result<Self, Error> {
        let path = source.path().to_owned();
        let options = TableOptions { wanted: &[SUBJECT, OBJECT], ..TableOptions::default() };
        let mut table = Table::open_below(|line| line.starts_with(b"#"), source, &options)?;
        let comments = String::from_utf8_lossy(&table.leading).into_owned();
        let prefixes = curie_map(&comments);
        let line = table.header.as_ref().map_or(1, |header| header.line);
        let place = |names: &[&str]| names.iter().find_map(|name| table.column(name).ok());
        let needed = |names: &[&str]| {
            place(names).ok_or_else(|| malformed(&path, line, format_args!("no column \"{}\"", names[0])))
        };
        let columns = Columns {
            subject: needed(SUBJECT)?,
            object: needed(OBJECT)?,
            predicate: place(&["predicate_id", "relation"]),
            modifier: place(&["predicate_modifier"]),
            confidence: place(&["confidence", "Score", "measure"]),
            similarity: place(&["similarity_score", "semantic_similarity_score"]),
        };
        let cells = cells.map(|name| place(&[name]));
        let mut rows = Vec::new();
        while let Some(record) = table.read_filled()? {
            if record.content().starts_with(b"#") {
                continue;
            }
            let line = record.line;
            let mapping = columns.read(&record, &prefixes).map_err(|message| malformed(&path, line, message))?;
            let text =
                |at: Option<usize>| String::from_utf8_lossy(at.and_then(|at| record.cell(at)).unwrap_or_default());
            rows.push((mapping, cells.map(|at| text(at).trim().to_owned())));
        }
        Ok(Self { comments, columns: table.columns, rows, prefixes })
    }

    /// Returns the form in which an id of the table is compared with those of other files ([`plain_id`]).
    pub fn plain_id(&self, id: &str) -> String {
        plain_id(&expanded(id, &self.prefixes))
    }

    /// Returns the ids that the concept of an id of the table may have in a vocabulary: the id, its IRI, the CURIE of the IRI, and the id
    /// without its prefix.
    pub fn spellings(&self, id: &str) -> Vec<String> {
        let iri = expanded(id, &self.prefixes);
        let curie = curie_of(&iri);
        let local = id.split_once(':').map(|(_, local)| local.replace("%20", " "));
        [Some(id.to_owned()), Some(iri), curie, local].into_iter().flatten().collect()
    }
}

fn is_xml(source: &Source) -> bool {
    source.beginning_text().trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Places of the columns of a table.
struct Columns {
    subject: usize,
    object: usize,
    predicate: Option<usize>,
    modifier: Option<usize>,
    confidence: Option<usize>,
    similarity: Option<usize>,
}

impl Columns {
    fn read(&self, record: &Record, prefixes: &HashMap<String, String>) -> Result<FileMapping, String> {
        let cell = |at: Option<usize>| -> Result<&str, String> {
            let bytes = at.and_then(|at| record.cell(at)).unwrap_or_default();
            std::str::from_utf8(bytes).map(str::trim).map_err(|_| "the row is not UTF-8".to_owned())
        };
        let id = |at: usize| -> Result<String, String> {
            match cell(Some(at))? {
                "" => Err("a mapping without an id".to_owned()),
                id => Ok(plain_id(&expanded(id, prefixes))),
            }
        };
        Ok(FileMapping {
            subject: id(self.subject)?,
            object: id(self.object)?,
            predicate: Predicate::of(cell(self.predicate)?),
            is_negative: is_negated(cell(self.modifier)?),
            confidence: share("confidence", cell(self.confidence)?)?.unwrap_or(1.0),
            similarity: share("similarity", cell(self.similarity)?)?,
            line: record.line,
        })
    }
}

/// Returns the IRI of a CURIE whose prefix the file explains, else the id. A known prefix needs no explanation: files have pages of the web for
/// it (`https://meshb.nlm.nih.gov/record/ui?ui=`).
fn expanded(id: &str, prefixes: &HashMap<String, String>) -> String {
    let explained = id.split_once(':').filter(|(prefix, _)| !is_known_prefix(prefix));
    let iri = explained.and_then(|(prefix, local)| Some(format!("{}{local}", prefixes.get(prefix)?)));
    iri.unwrap_or_else(|| id.to_owned())
}

/// Reads a number from 0 to 1; none of an empty cell.
fn share(name: &str, text: &str) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.map(Some).ok_or_else(|| format!("the {name} \"{}\" is no number from 0 to 1", excerpt(text)))
}

/// Reads the prefixes of the comments above an SSSOM table.
fn curie_map(comments: &str) -> HashMap<String, String> {
    let lines = comments.lines().filter_map(|line| line.strip_prefix('#'));
    let entries = lines.skip_while(|line| !line.trim_start().starts_with("curie_map:")).skip(1);
    let entry = |line: &str| {
        let (prefix, iri) = line.trim().split_once(": ")?;
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        Some((plain(prefix), plain(iri)))
    };
    entries.take_while(|line| line.starts_with([' ', '\t'])).filter_map(entry).collect()
}

fn read_alignment(source: Source) -> Result<Vec<FileMapping>, Error> {
    let path = source.path().to_owned();
    let mut pieces = Pieces::new(source.into_text(), "an alignment in RDF/XML");
    let (mut mappings, mut cell, mut text) = (Vec::new(), Cell::default(), String::new());
    while let Some(piece) = pieces.read()? {
        match piece {
            Piece::Start { name, attributes } => {
                let resource = || attribute(&attributes, "rdf:resource").map(plain_id);
                match local(&name) {
                    "Cell" => cell = Cell { line: pieces.line(), ..Cell::default() },
                    "entity1" => cell.subject = resource(),
                    "entity2" => cell.object = resource(),
                    _ => {}
                }
                text.clear();
            }
            Piece::Text(piece) => text = piece,
            Piece::End { name } => match local(&name) {
                "measure" => cell.measure = text.trim().to_owned(),
                "relation" => cell.relation = text.trim().to_owned(),
                "Cell" => {
                    let (line, cell) = (cell.line, std::mem::take(&mut cell));
                    mappings.push(cell.mapping().map_err(|message| malformed(&path, line, message))?);
                }
                _ => {}
            },
        }
    }
    Ok(mappings)
}

/// A cell of an alignment.
#[derive(Default)]
struct Cell {
    subject: Option<String>,
    object: Option<String>,
    measure: String,
    relation: String,
    line: u64,
}

impl Cell {
    fn mapping(self) -> Result<FileMapping, String> {
        let (Some(subject), Some(object)) = (self.subject, self.object) else {
            return Err("a cell without entity1 or entity2".to_owned());
        };
        let confidence = share("confidence", &self.measure)?.unwrap_or(1.0);
        let predicate = Predicate::of(&self.relation);
        Ok(FileMapping { predicate, line: self.line, ..FileMapping::exact(&subject, &object, confidence) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<FileMapping>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_mappings(&path)
    }

    #[test]
    fn tables_and_alignments_are_read() {
        let sssom = "#curie_map:\n#  m: http://mouse.owl#\n#  DOID: \"http://purl.obolibrary.org/obo/DOID_\"\n#license: x\nsubject_id\t\
                     predicate_id\tpredicate_modifier\tobject_id\tconfidence\nm:MA_1\tskos:exactMatch\t\tDOID:4\t0.9\nm:MA_2\t\
                     skos:broadMatch\tNot\tmesh:D001\t\n";
        let mappings = read("a.sssom.tsv", sssom).unwrap();
        assert_eq!((mappings[0].subject.as_str(), mappings[0].object.as_str()), ("http://mouse.owl#MA_1", "doid:4"));
        assert_eq!((mappings[0].predicate, mappings[0].confidence), (Some(Predicate::Exact), 0.9));
        assert!(mappings[1].is_negative && mappings[1].predicate == Some(Predicate::Broad));
        let rdf = "<rdf:RDF xmlns:rdf=\"r\"><map><Cell><entity1 rdf:resource=\"http://mouse.owl#MA_1\"/><entity2 \
                   rdf:resource=\"http://purl.obolibrary.org/obo/DOID_4\"/><measure>0.9</measure><relation>=</relation></Cell></map></rdf:RDF>";
        let aligned = read("a.rdf", rdf).unwrap();
        assert_eq!((&aligned[0].subject, &aligned[0].object), (&mappings[0].subject, &mappings[0].object));
        let plain = read("a.tsv", "SrcEntity\tTgtEntity\tScore\nA:1\tB:2\t0.5\n").unwrap();
        assert_eq!((plain[0].subject.as_str(), plain[0].confidence), ("a:1", 0.5));
    }

    #[test]
    fn a_modifier_negates_however_it_is_written() {
        let negative = |modifier: &str| {
            let table = format!("subject_id\tpredicate_modifier\tobject_id\nA:1\t{modifier}\tB:1\n");
            read("a.tsv", &table).unwrap()[0].is_negative
        };
        for modifier in ["Not", "NOT", " not ", "sssom:Not", "https://w3id.org/sssom/NegatedPredicate"] {
            assert!(negative(modifier), "{modifier}");
        }
        assert!(["", " ", "nan"].iter().all(|modifier| !negative(modifier)));
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let message = |text: &str| read("a.tsv", text).unwrap_err().to_string();
        assert!(message("subject_id\tname\nA:1\tx\n").contains("a.tsv:1: no column \"object_id\""));
        let confidence = message("subject_id\tobject_id\tconfidence\nA:1\tB:1\t0.5\nA:1\tB:1\thigh\n");
        assert!(confidence.contains("a.tsv:3: the confidence \"high\" is no number from 0 to 1"), "{confidence}");
        assert!(message("subject_id\tobject_id\n").contains("no mappings"));
    }
}
