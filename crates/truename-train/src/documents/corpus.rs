//! Corpora as passages with mentions of numbered types, each with the types that it annotates.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{ReadOptions, TypeNames, read_path};
use truename_error::ErrorKind;
use truename_text::{Document, Mention, Problem, Span};

use super::keys::{CorpusKey, TypesKey};
use crate::{DataFile, Error, error};

/// A passage of a document with its mentions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Passage {
    pub text: String,
    /// The mentions of the types of the recipe.
    pub mentions: Vec<MentionLabel>,
    /// What may be mentions or not.
    pub open: Vec<Span>,
    /// Corpus of the passage, among those of its part of the data.
    pub corpus: usize,
    /// Document of the passage, among those of its part of the data.
    pub document: usize,
    /// Where it begins in its document.
    pub start: usize,
}

/// A mention with the number of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MentionLabel {
    pub span: Span,
    pub type_number: u32,
    /// The mention is not its whole span: it has gaps.
    pub has_gaps: bool,
}

/// The passages of some corpora.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corpora {
    pub passages: Vec<Passage>,
    /// The types that each corpus annotates.
    pub types: Vec<Vec<u32>>,
    pub files: Vec<DataFile>,
    pub documents: usize,
    /// Number of mentions of each type.
    pub mentions: Vec<usize>,
    /// Mentions of types that the recipe does not have, by their type.
    pub others: BTreeMap<String, usize>,
    /// Mentions that are not within one passage.
    pub across: usize,
    /// Mentions with gaps.
    pub with_gaps: usize,
    /// The first problem of each file, and the number of all.
    pub problems: Vec<(Problem, usize)>,
}

/// Returns whether a thing, by its number from 1, is one of a share that is held out, spread over all.
pub(crate) fn is_held_out(number: usize, share: f64) -> bool {
    share > 0.0 && number.is_multiple_of((1.0 / share).round().max(2.0) as usize)
}

impl Corpora {
    /// Reads corpora with the mentions of types, given by their names.
    ///
    /// # Errors
    /// Where a file cannot be read or names a type that the recipe does not have; where no document can be read.
    pub fn read(keys: &[CorpusKey], types: &[&str], flag: &'static str) -> Result<Self, Error> {
        let mut all = Self { mentions: vec![0; types.len()], ..Self::default() };
        for key in keys {
            let (path, names) = match key {
                CorpusKey::Path(path) => (path, None),
                CorpusKey::Typed { path, types } => (path, Some(types)),
            };
            let numbers = Numbers::new(names, types, flag)?;
            all.types.push(numbers.annotated(types.len()));
            all.read_corpus(path, &numbers)?;
        }
        Ok(all)
    }

    fn read_corpus(&mut self, path: &Path, numbers: &Numbers) -> Result<(), Error> {
        let (options, mut files) = (ReadOptions::default(), Vec::new());
        let problem = read_corpus(path, &options, &mut files, &mut |document| self.add(&document, numbers))?;
        self.problems.extend(problem);
        self.files.append(&mut files);
        Ok(())
    }

    fn add(&mut self, document: &Document, numbers: &Numbers) {
        let first = self.passages.len();
        let (corpus, number) = (self.types.len() - 1, self.documents);
        let spans = document.passage_spans();
        self.passages.extend(spans.iter().map(|span| Passage {
            text: document.text[span.range()].to_owned(),
            corpus,
            document: number,
            start: span.start,
            ..Passage::default()
        }));
        self.documents += 1;
        for mention in &document.mentions {
            let Some(place) = spans.iter().position(|span| span.contains(mention.span)) else {
                self.across += 1;
                continue;
            };
            let start = spans[place].start;
            let span = Span::new(mention.span.start - start, mention.span.end - start);
            self.add_mention(first + place, span, mention, numbers);
        }
    }

    fn add_mention(&mut self, passage: usize, span: Span, mention: &Mention, numbers: &Numbers) {
        let passage = &mut self.passages[passage];
        let name = numbers.names.of(&mention.mention_type).unwrap_or(&mention.mention_type);
        if name == Mention::UNKNOWN {
            passage.open.push(span);
            return;
        }
        let Some(type_number) = numbers.of(&mention.mention_type) else {
            *self.others.entry(mention.mention_type.clone()).or_default() += 1;
            return;
        };
        let has_gaps = !mention.fragments.is_empty();
        let labelled = MentionLabel { span, type_number, has_gaps };
        if !passage.mentions.contains(&labelled) {
            passage.mentions.push(labelled);
            self.mentions[type_number as usize] += 1;
            self.with_gaps += usize::from(has_gaps);
        }
    }

    /// Adds the passages of a document, without its mentions.
    pub fn add_unlabelled(&mut self, document: &Document) {
        let number = self.documents;
        let text = |span: &Span| document.text[span.range()].to_owned();
        let passage = |span| Passage { text: text(&span), document: number, ..Passage::default() };
        self.passages.extend(document.passage_spans().into_iter().map(passage));
        self.documents += 1;
    }

    /// Returns the passages with other mentions of all types, a list for each.
    pub fn with_mentions(&self, found: &[Vec<(Span, u32)>], types: usize) -> Self {
        let passage = |(passage, found): (&Passage, &Vec<(Span, u32)>)| Passage {
            text: passage.text.clone(),
            mentions: found
                .iter()
                .map(|(span, type_number)| MentionLabel { span: *span, type_number: *type_number, has_gaps: false })
                .collect(),
            document: passage.document,
            ..Passage::default()
        };
        let passages = self.passages.iter().zip(found).map(passage).collect();
        let mut corpora = Self { passages, types: vec![(0..types as u32).collect()], ..Self::default() };
        corpora.count(types);
        corpora
    }

    /// Moves the passages of a share of the documents, spread over all, into another part of the data.
    pub fn split_off(&mut self, share: f64, types: usize) -> Self {
        let is_of_other = |passage: &Passage| is_held_out(passage.document + 1, share);
        let (held_out, kept) = std::mem::take(&mut self.passages).into_iter().partition(is_of_other);
        self.passages = kept;
        let mut other = Self { passages: held_out, types: self.types.clone(), ..Self::default() };
        for part in [self, &mut other] {
            part.count(types);
        }
        other
    }

    fn count(&mut self, types: usize) {
        self.mentions = vec![0; types];
        for mention in self.passages.iter().flat_map(|passage| &passage.mentions) {
            self.mentions[mention.type_number as usize] += 1;
        }
        let mut documents: Vec<usize> = self.passages.iter().map(|passage| passage.document).collect();
        documents.dedup();
        self.documents = documents.len();
    }

    /// The types that the corpus of a passage annotates.
    pub fn types_of(&self, passage: &Passage) -> &[u32] {
        &self.types[passage.corpus]
    }
}

/// The types of a corpus, with their numbers in the recipe.
struct Numbers {
    names: TypeNames,
    numbers: BTreeMap<String, u32>,
}

impl Numbers {
    fn new(names: Option<&TypesKey>, types: &[&str], flag: &'static str) -> Result<Self, Error> {
        let names: TypeNames = match names {
            None => types.iter().map(|name| (*name, *name)).collect(),
            Some(TypesKey::Names(names)) => names.iter().map(|name| (name, name)).collect(),
            Some(TypesKey::Renamed(names)) => names.iter().collect(),
        };
        let numbers: BTreeMap<String, u32> = types.iter().map(|name| (*name).to_owned()).zip(0..).collect();
        let is_known = |name: &str| name == Mention::UNKNOWN || numbers.contains_key(name);
        if let Some(other) = names.names().find(|name| !is_known(name)) {
            return Err(error::value(flag, other, one_of(types)));
        }
        Ok(Self { names, numbers })
    }

    fn of(&self, mention_type: &str) -> Option<u32> {
        self.numbers.get(self.names.of(mention_type)?).copied()
    }

    fn annotated(&self, types: usize) -> Vec<u32> {
        let annotated: Vec<u32> = self.names.names().filter_map(|name| self.numbers.get(name).copied()).collect();
        (0..types as u32).filter(|type_number| annotated.contains(type_number)).collect()
    }
}

fn one_of(types: &[&str]) -> String {
    format!("a type of the section types ({}), or unknown", types.join(", "))
}

/// Reads the documents of a corpus: a file, a folder, or the files of a pattern, which are added to `files`. Returns the first
/// problem with the number of all.
pub(crate) fn read_corpus(
    path: &Path,
    options: &ReadOptions,
    files: &mut Vec<DataFile>,
    visit: &mut dyn FnMut(Document),
) -> Result<Option<(Problem, usize)>, Error> {
    files.extend(DataFile::each(path)?);
    let parts = if path.is_dir() { vec![path.to_owned()] } else { truename_read::files(path)? };
    let (mut first, mut problems, mut documents) = (None, 0, 0);
    for part in parts {
        read_path(&part, options, &mut |document| {
            match document {
                Ok(document) => {
                    documents += 1;
                    visit(document);
                }
                Err(problem) => {
                    problems += 1;
                    first.get_or_insert(problem);
                }
            }
            ControlFlow::Continue(())
        })?;
    }
    if documents > 0 {
        return Ok(first.map(|first| (first, problems)));
    }
    let found = first.map(|problem| format!(" that can be read: {problem}")).unwrap_or_default();
    Err(Error::new(ErrorKind::TooFew, format!("{} has no document{found}", path.display()))
        .with_hint("see docs/formats.md for the formats of corpora"))
}
