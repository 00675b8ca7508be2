//! Sentences with one marked entity, as lines of `sentences.jsonl`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_read::{Source, SourceOptions, without_packing};
use truename_text::{Problem, Span};

use crate::{Error, error};

/// Name of the file of sentences in the folder of a corpus.
pub const SENTENCES_FILE: &str = "sentences.jsonl";

/// A sentence with one marked entity and the concept that the entity stands for.
///
/// As JSON it is one line of `sentences.jsonl`:
/// ```
/// let line = r#"{"concept":"Q99","text":"He moved to the Golden State.","start":12,"end":28,"source":"wiki.xml"}"#;
/// let sentence: truename_train::MarkedSentence = serde_json::from_str(line)?;
/// assert_eq!(sentence.entity(), "the Golden State");
/// assert_eq!(serde_json::to_string(&sentence)?, line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Line", into = "Line")]
pub struct MarkedSentence {
    /// Id of the concept.
    pub concept: String,
    /// The sentence.
    pub text: String,
    /// Place of the entity in the sentence; not empty and on the borders of characters.
    pub span: Span,
    /// Source of the sentence: the name of a file, or `definition`.
    pub source: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    concept: String,
    text: String,
    start: usize,
    end: usize,
    #[serde(default)]
    source: String,
}

impl MarkedSentence {
    /// Returns the marked entity as the sentence writes it.
    pub fn entity(&self) -> &str {
        self.span.of(&self.text).unwrap_or_default()
    }

    /// Returns the marked entity in lower case, and the text on both sides of it.
    pub fn name_and_context(&self) -> (String, [&str; 2]) {
        (self.entity().to_lowercase(), [&self.text[..self.span.start], &self.text[self.span.end..]])
    }
}

impl TryFrom<Line> for MarkedSentence {
    type Error = String;

    fn try_from(line: Line) -> Result<Self, String> {
        let Line { concept, text, start, end, source } = line;
        if concept.trim().is_empty() {
            return Err("`concept` is empty".into());
        }
        let span = Span::new(start, end);
        if start >= end {
            return Err(format!("the entity is empty: `start` is {start}, `end` is {end}"));
        }
        if end > text.len() {
            return Err(format!("the entity ends at byte {end}, and the text has {} bytes", text.len()));
        }
        match span.of(&text) {
            None => Err(format!("a border of the entity, {start} or {end}, lies within a character; both count bytes")),
            Some(entity) if entity.trim().is_empty() => Err("the entity is blank".into()),
            Some(_) => Ok(Self { concept, text, span, source }),
        }
    }
}

impl From<MarkedSentence> for Line {
    fn from(sentence: MarkedSentence) -> Self {
        let MarkedSentence { concept, text, span, source } = sentence;
        Self { concept, text, start: span.start, end: span.end, source }
    }
}

/// Reads the sentences of a corpus in their order: its folder, its file, or the files of a pattern.
///
/// # Errors
/// Where a file cannot be read or is empty, a line is no marked sentence, the lines of a concept do not stand together, or a
/// concept has no two entities that are written differently.
pub fn read_sentences(path: &Path) -> Result<Vec<MarkedSentence>, Error> {
    let sentences: Vec<_> = files_of(path)?.iter().map(|file| read_file(file)).collect::<Result<_, _>>()?;
    Ok(sentences.concat())
}

/// Returns the files of sentences that a path stands for. The folder of a corpus has one, beside its report.
pub(super) fn files_of(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = truename_read::files(path)?;
    let is_corpus = |file: &PathBuf| without_packing(file).ends_with(SENTENCES_FILE);
    let corpora: HashSet<PathBuf> =
        files.iter().filter(|file| is_corpus(file)).map(|file| file.with_file_name("")).collect();
    files.retain(|file| is_corpus(file) || !corpora.contains(&file.with_file_name("")));
    if files.is_empty() {
        files.push(path.join(SENTENCES_FILE));
    }
    Ok(files)
}

pub(super) fn read_file(path: &Path) -> Result<Vec<MarkedSentence>, Error> {
    let mut groups = Groups { path, seen: HashSet::new(), first: 0, begin: 1 };
    let mut sentences = Vec::new();
    let mut lines = Source::open(path, &SourceOptions::default())?.into_lines();
    while let Some(line) = lines.read_filled()? {
        let number = line.number;
        let text = line.text().map_err(|fault| fault.at(path, number))?;
        let sentence: MarkedSentence = serde_json::from_str(text).map_err(|error| {
            let reason = error.to_string().replace(" at line 1 column", " at column");
            error::sentence(Problem::new(path, number, format!("no marked sentence ({reason})")).with_value(text))
        })?;
        groups.admit(number, &sentence, &sentences)?;
        sentences.push(sentence);
    }
    if sentences.is_empty() {
        return Err(error::sentence(Problem::new(path, None, "the file has no sentence")));
    }
    groups.close(&sentences)?;
    Ok(sentences)
}

/// The concept whose sentences are being read, and all concepts before it.
struct Groups<'a> {
    path: &'a Path,
    seen: HashSet<String>,
    /// Number of the concept's first sentence.
    first: usize,
    /// Line of the concept's first sentence.
    begin: u64,
}

impl Groups<'_> {
    fn admit(&mut self, line: u64, next: &MarkedSentence, before: &[MarkedSentence]) -> Result<(), Error> {
        if before.last().is_some_and(|last| last.concept == next.concept) {
            return Ok(());
        }
        self.close(before)?;
        (self.first, self.begin) = (before.len(), line);
        if self.seen.insert(next.concept.clone()) {
            return Ok(());
        }
        let reason = "the sentences of a concept do not stand together";
        Err(error::sentence(Problem::new(self.path, line, reason).with_value(&next.concept)))
    }

    fn close(&self, sentences: &[MarkedSentence]) -> Result<(), Error> {
        let group = &sentences[self.first..];
        let Some(first) = group.first() else { return Ok(()) };
        if group.iter().any(|sentence| sentence.entity() != first.entity()) {
            return Ok(());
        }
        let reason = "the concept has no two entities that are written differently";
        Err(error::sentence(Problem::new(self.path, self.begin, reason).with_value(&first.concept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [&str; 4] = [
        r#"{"concept":"X:1","text":"a heart attack","start":2,"end":14,"source":"definition"}"#,
        r#"{"concept":"X:1","text":"an infarct","start":3,"end":10,"source":"a.txt"}"#,
        r#"{"concept":"X:2","text":"naïve flu","start":7,"end":10}"#,
        r#"{"concept":"X:2","text":"influenza","start":0,"end":9}"#,
    ];

    fn read(lines: &[&str]) -> Result<Vec<MarkedSentence>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SENTENCES_FILE);
        std::fs::write(&path, lines.join("\n")).unwrap();
        let name = format!("{}/", folder.path().display());
        assert_eq!(read_sentences(&path).is_ok(), read_sentences(folder.path()).is_ok());
        read_sentences(&path).map_err(|error| {
            assert!(error.hint().is_some());
            error.to_string().replace(&name, "")
        })
    }

    #[test]
    fn a_folder_and_a_pattern_stand_for_their_corpora() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("one/sentences.jsonl", GOOD[..2].join("\n")),
            ("one/README.md", "# Corpus".into()),
            ("two/a.jsonl", GOOD[2..].join("\r\n")),
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), text).unwrap();
        }
        let all = read(&GOOD).unwrap();
        let both = [read_sentences(&at("one")).unwrap(), read_sentences(&at("two")).unwrap()].concat();
        assert_eq!(both, all);
        assert_eq!(read_sentences(&at("o*")).unwrap(), all[..2]);
        assert_eq!(read_sentences(&at("*/*.jsonl")).unwrap(), all);
    }

    #[test]
    fn sentences_are_read_in_order_and_written_as_they_were() {
        let sentences = read(&GOOD).unwrap();
        let entities: Vec<_> = sentences.iter().map(MarkedSentence::entity).collect();
        assert_eq!(entities, ["heart attack", "infarct", "flu", "influenza"]);
        assert_eq!(serde_json::to_string(&sentences[0]).unwrap(), GOOD[0]);
    }

    #[test]
    fn a_bad_line_is_refused_with_its_place_and_value() {
        for (bad, reason) in [
            ("no json", "expected ident"),
            (r#"{"concept":"X:2","text":"flu","start":0}"#, "missing field `end`"),
            (r#"{"concept":" ","text":"flu","start":0,"end":3}"#, "`concept` is empty"),
            (r#"{"concept":"X:2","text":"flu","start":2,"end":2}"#, "the entity is empty: `start` is 2, `end` is 2"),
            (r#"{"concept":"X:2","text":"flu","start":0,"end":4}"#, "ends at byte 4, and the text has 3 bytes"),
            (r#"{"concept":"X:2","text":"ïflu","start":1,"end":4}"#, "lies within a character; both count bytes"),
            (r#"{"concept":"X:2","text":"a flu","start":1,"end":2}"#, "the entity is blank"),
            (r#"{"concept":"X:2","text":"flu","start":0,"end":3,"span":1}"#, "unknown field `span`"),
        ] {
            let error = read(&[GOOD[0], GOOD[1], bad]).unwrap_err();
            assert!(error.starts_with("sentences.jsonl:3: no marked sentence (") && error.contains(reason), "{error}");
            assert!(error.contains(&bad[..5].replace('"', "\\\"")), "{error}");
        }
    }

    #[test]
    fn concepts_stand_together_and_have_two_entities() {
        let apart = read(&[GOOD[0], GOOD[1], GOOD[2], GOOD[3], GOOD[0]]).unwrap_err();
        assert_eq!(apart, "sentences.jsonl:5: the sentences of a concept do not stand together: \"X:1\"");
        for lines in [&[GOOD[2], GOOD[0], GOOD[1]][..], &[GOOD[2], GOOD[2]]] {
            let single = read(lines).unwrap_err();
            assert_eq!(
                single,
                "sentences.jsonl:1: the concept has no two entities that are written differently: \"X:2\""
            );
        }
        assert_eq!(read(&["", " "]).unwrap_err(), "sentences.jsonl: the file has no sentence");
    }
}
