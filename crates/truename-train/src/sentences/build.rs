//! Builds a corpus of contextual synonyms from documents and definitions; a stopped build goes on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use truename::{KnowledgeBase, Linker, WrittenIds};
use truename_corpus::{ReadOptions, read_path};
use truename_error::{ErrorKind, HintPart, hint};
use truename_kb::{Concept, Progress};
use truename_text::{Document, Mention, Problem, Span, stable_hash};

use super::compose::compose;
use super::definition::of_sentence;
use super::exclusion::Exclusion;
use super::report::CorpusReport;
use super::runs::FoundSentence;
use super::sentence_ends::sentences;
use super::setup::Setup;
use super::unfinished::BuildFolder;
use super::{CorpusOptions, LinkedDocuments, SENTENCES_FILE};
use crate::{DataFile, Error, Start};

/// Places of entities with the numbers of their concepts.
type Places = Vec<(Span, u32)>;

/// Largest number of documents that are linked together, and their bytes.
const BATCH_DOCUMENTS: usize = 128;
const BATCH_BYTES: usize = 2 << 20;
/// Bytes of sentences in memory before they are written.
const RUN_BYTES: usize = 32 << 20;
/// Time after which sentences are written however few they are, so that a killed build loses little.
const CHECKPOINT: Duration = Duration::from_secs(30);
/// Number of problems that are kept; all are counted.
const LISTED_PROBLEMS: usize = 10;

/// The texts of a corpus of contextual synonyms.
#[derive(Clone, Debug, Default)]
pub struct CorpusTexts {
    /// Files and folders of documents.
    pub texts: Vec<PathBuf>,
    /// Options for reading them.
    pub reading: ReadOptions,
    /// Files of ids or names, one a line, of concepts that are kept out.
    pub exclude: Vec<PathBuf>,
    /// Licences of the sources, for the data sheet.
    pub licences: Vec<String>,
    /// Description of the linker's recognizer and encoder, for the data sheet.
    pub linker: String,
    /// True if a document that cannot be read is an error.
    pub strict: bool,
}

/// Builds a corpus of contextual synonyms (PICSO, section 3.5) into the folder `out`: `sentences.jsonl`, which
/// [`read_sentences`](crate::read_sentences) reads, `corpus.json`, the [`CorpusReport`], and `README.md`, its data sheet.
///
/// Sentences come from texts, by their annotations or by the links of `linker`, whose options set the smallest probability, and from
/// the definitions of its knowledge base. They are sorted on disk beside `out`, in `OUT.unfinished`: memory holds the ids and
/// cross-references of the knowledge base, 32 MiB of sentences and a batch of documents. With [`Start::Resumed`] a build that was ended
/// goes on after the documents already read. The files depend on texts, knowledge base and options alone.
///
/// # Errors
/// If `out` is there, a file cannot be read or written, `progress` is stopped, or no concept has two names that differ enough.
pub fn build_corpus(
    linker: &Linker,
    texts: &CorpusTexts,
    options: &CorpusOptions,
    out: &Path,
    start: Start,
    progress: &Progress,
) -> Result<CorpusReport, Error> {
    let kb = linker.knowledge_base();
    let unfinished = BuildFolder::open(out, setup(kb, texts, options)?, start)?;
    let concepts = stubs(kb)?;
    let ids = WrittenIds::of(&concepts);
    let mut exclusion = Exclusion::read(&texts.exclude, &ids)?;
    let mut reading =
        Reading { linker, texts, options, progress, ids, concepts, unfinished, found: PendingSentences::default() };
    progress.begin("reading documents", 0);
    let read = reading.read_all();
    // What was read is kept, also where the work was stopped.
    reading.checkpoint()?;
    read?;
    let Reading { unfinished, concepts, .. } = reading;
    drop(concepts);
    let state = &unfinished.state;
    let mut report = CorpusReport::new(state.setup.clone(), state.counts.clone(), &texts.licences);
    let folder = unfinished.finished()?;
    write_sentences(kb, &unfinished, &mut exclusion, &folder, &mut report, progress)?;
    write(&folder.join("corpus.json"), &(serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"))?;
    write(&folder.join("README.md"), &report.data_sheet())?;
    let _committing = progress.commit()?;
    unfinished.place(out)?;
    Ok(report)
}

fn setup(kb: &KnowledgeBase, texts: &CorpusTexts, options: &CorpusOptions) -> Result<Setup, Error> {
    let CorpusTexts { texts, reading, exclude, linker, .. } = texts;
    let all = |paths: &[PathBuf]| paths.iter().map(|path| DataFile::of(path)).collect::<Result<Vec<_>, _>>();
    let format = reading.input_format.map_or("told by content and extension".to_owned(), |format| format.to_string());
    let unit = format!("{:?}", reading.offsets).to_lowercase();
    let encoding = reading.source.encoding.as_deref().unwrap_or("UTF-8 unless the file says another");
    Ok(Setup {
        kb: DataFile::of(kb.path())?,
        texts: all(texts)?,
        exclude: all(exclude)?,
        reading: format!("format {format}, offsets in {unit}, encoding {encoding}"),
        linker: linker.clone(),
        options: options.clone(),
    })
}

/// Returns the concepts of a knowledge base with their ids and cross-references alone.
fn stubs(kb: &KnowledgeBase) -> Result<Vec<Concept>, Error> {
    let mut stubs = Vec::new();
    kb.for_each_concept(|concept| {
        let mut stub = Concept::new(concept.id, "");
        stub.xrefs = concept.xrefs;
        stubs.push(stub);
        Ok::<_, Error>(())
    })?;
    Ok(stubs)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |source| Error::io("write", path, source);
    let mut file = File::create(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn write_sentences(
    kb: &KnowledgeBase,
    unfinished: &BuildFolder,
    exclusion: &mut Exclusion,
    folder: &Path,
    report: &mut CorpusReport,
    progress: &Progress,
) -> Result<(), Error> {
    let path = folder.join(SENTENCES_FILE);
    let failed = |source| Error::io("write", &path, source);
    let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
    compose(kb, unfinished.sentences()?, exclusion, report, progress, &mut |sentence| {
        serde_json::to_writer(&mut file, sentence).map_err(|error| failed(error.into()))?;
        file.write_all(b"\n").map_err(failed)
    })?;
    let unknown = exclusion.unknown();
    report.left_out.unknown_exclusions = unknown.len() as u64;
    report.left_out.first_unknown_exclusions = unknown.into_iter().take(LISTED_PROBLEMS).map(str::to_owned).collect();
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    if report.written.concepts > 0 {
        return Ok(());
    }
    let distance = report.options.min_edit_distance;
    let message = format!("no concept has two sentences whose names are {distance} edits or more apart");
    Err(Error::new(ErrorKind::TooFew, message).with_hint(hint![
        "lower ",
        HintPart::setting("min_edit_distance"),
        ", or name texts that mention concepts with several names; ",
        HintPart::setting("parents"),
        " makes sentences for concepts without a definition",
    ]))
}

/// The documents that are being read, and the sentences found in them.
struct Reading<'a> {
    linker: &'a Linker,
    texts: &'a CorpusTexts,
    options: &'a CorpusOptions,
    progress: &'a Progress,
    ids: WrittenIds,
    concepts: Vec<Concept>,
    unfinished: BuildFolder,
    found: PendingSentences,
}

/// Sentences that are not written yet.
struct PendingSentences {
    sentences: Vec<FoundSentence>,
    bytes: usize,
    since: Instant,
}

impl Default for PendingSentences {
    fn default() -> Self {
        Self { sentences: Vec::new(), bytes: 0, since: Instant::now() }
    }
}

/// Documents that are linked together, and the problems between them.
#[derive(Default)]
struct Batch {
    documents: Vec<Document>,
    problems: Vec<Problem>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, read: Result<Document, Problem>) {
        match read {
            Ok(document) => {
                self.bytes += document.text.len();
                self.documents.push(document);
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    fn is_full(&self) -> bool {
        self.documents.len() + self.problems.len() >= BATCH_DOCUMENTS || self.bytes >= BATCH_BYTES
    }
}

impl Reading<'_> {
    fn read_all(&mut self) -> Result<(), Error> {
        let texts = self.texts;
        for source in &texts.texts[self.unfinished.state.sources..] {
            self.read(source)?;
            self.unfinished.state.sources += 1;
            self.unfinished.state.documents = 0;
        }
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<(), Error> {
        let (texts, before) = (self.texts, self.unfinished.state.documents);
        let (mut seen, mut batch, mut failed) = (0, Batch::default(), None);
        read_path(path, &texts.reading, &mut |read| {
            seen += 1;
            if seen <= before {
                return ControlFlow::Continue(());
            }
            batch.add(read);
            if batch.is_full() {
                failed = self.take(path, std::mem::take(&mut batch)).err();
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        failed.map_or(Ok(()), Err)?;
        self.take(path, batch)
    }

    /// Finds the sentences of a batch.
    fn take(&mut self, path: &Path, batch: Batch) -> Result<(), Error> {
        self.progress.check()?;
        let count = (batch.documents.len() + batch.problems.len()) as u64;
        for problem in batch.problems {
            self.add_problem(problem)?;
        }
        let source =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        for (document, places) in self.places(batch.documents)? {
            self.add(&document, places, &source);
        }
        self.unfinished.state.documents += count;
        self.progress.advance(count);
        if self.found.bytes >= RUN_BYTES || self.found.since.elapsed() >= CHECKPOINT {
            self.checkpoint()
        } else {
            Ok(())
        }
    }

    fn add_problem(&mut self, problem: Problem) -> Result<(), Error> {
        if self.texts.strict {
            return Err(Error::of_problem(ErrorKind::Syntax, problem));
        }
        let counts = &mut self.unfinished.state.counts;
        counts.problems += 1;
        if counts.first_problems.len() < LISTED_PROBLEMS {
            counts.first_problems.push(problem.to_string());
        }
        Ok(())
    }

    /// Returns the places of each document with the numbers of their concepts, annotated ones first.
    fn places(&mut self, documents: Vec<Document>) -> Result<Vec<(Document, Places)>, Error> {
        let is_linked = |document: &Document| match self.options.link {
            LinkedDocuments::Missing => document.mentions.is_empty(),
            LinkedDocuments::Always => true,
            LinkedDocuments::Never => false,
        };
        let to_link: Vec<Document> = documents.iter().filter(|document| is_linked(document)).cloned().collect();
        let mut linked = self.linker.link_documents(to_link)?.into_iter();
        let mut all = Vec::with_capacity(documents.len());
        for document in documents {
            let mut places = self.annotated(&document);
            self.unfinished.state.counts.documents += 1;
            if is_linked(&document)
                && let Some(linked) = linked.next()
            {
                let counts = &mut self.unfinished.state.counts;
                counts.linked_documents += 1;
                for mention in linked.mentions {
                    let Some(id) = mention.link.id() else { continue };
                    let is_free = document.mentions.iter().all(|known| !known.span.overlaps(mention.span));
                    match (mention.fragments.is_empty(), self.ids.find(id.as_str())) {
                        (true, Some(concept)) if is_free => {
                            counts.links += 1;
                            places.push((mention.span, concept));
                        }
                        (false, _) => counts.in_pieces += 1,
                        _ => {}
                    }
                }
            }
            all.push((document, places));
        }
        Ok(all)
    }

    /// Returns the places of the annotations with a concept.
    fn annotated(&mut self, document: &Document) -> Places {
        let counts = &mut self.unfinished.state.counts;
        let mut places = Vec::new();
        for mention in &document.mentions {
            let Some(written) = &mention.id else {
                counts.without_id += 1;
                continue;
            };
            match (concept_of(written, mention, &self.ids), mention.fragments.is_empty()) {
                (None, _) => counts.unknown_id += 1,
                (_, false) => counts.in_pieces += 1,
                (Some(concept), true) => {
                    counts.annotations += 1;
                    places.push((mention.span, concept));
                }
            }
        }
        places
    }

    /// Adds the sentences around the places of a document.
    fn add(&mut self, document: &Document, places: Places, source: &str) {
        if places.is_empty() {
            return;
        }
        let ends: Vec<Span> =
            document.passage_spans().into_iter().flat_map(|passage| sentences(&document.text, passage)).collect();
        for (span, concept) in places {
            let id = self.concepts[concept as usize].id.as_str();
            let sentence = around(&ends, span);
            let marked = of_sentence(id, &document.text, sentence, span, source, self.options.max_length);
            let Some(marked) = marked.filter(|marked| !marked.entity().trim().is_empty()) else {
                self.unfinished.state.counts.too_long += 1;
                continue;
            };
            let Span { start, end } = marked.span;
            let order = stable_hash(&format!("{}\0{}\0{start}", self.options.seed, marked.text));
            self.found.bytes += marked.text.len() + id.len() + std::mem::size_of::<FoundSentence>();
            let (concept, text, source) = (marked.concept, marked.text, marked.source);
            self.found.sentences.push(FoundSentence { concept, order, text, start, end, source });
        }
    }

    /// Writes what was found since the last time.
    fn checkpoint(&mut self) -> Result<(), Error> {
        let found = std::mem::take(&mut self.found);
        self.unfinished.add(found.sentences)
    }
}

/// Returns the number of the concept that a written id means: the whole of it, or its only part.
fn concept_of(written: &str, mention: &Mention, ids: &WrittenIds) -> Option<u32> {
    let mut parts = mention.ids();
    let only = parts.next().filter(|_| parts.next().is_none());
    ids.find(written.trim()).or_else(|| ids.find(only?))
}

/// Returns the sentence of a span; where it reaches across several, all of them.
fn around(sentences: &[Span], span: Span) -> Span {
    let touched = sentences.iter().filter(|sentence| sentence.overlaps(span));
    touched.fold(span, |all, sentence| Span::new(all.start.min(sentence.start), all.end.max(sentence.end)))
}
