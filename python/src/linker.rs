//! Linkers of documents.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use truename::{
    Ambiguous, Error, LinkOptions, OffsetUnit, Offsets, Placeholders, RecognizerOptions, StopNames, assertion_rules,
};

use crate::call::Call;
use crate::document::Document;
use crate::knowledge_base::{Kb, KnowledgeBase, check_vectors};
use crate::link::Link;
use crate::options::{keywords, probability};
use crate::pickle::{Pickled, WithOptions, pickled};
use crate::process::{PerProcess, locked};

keywords! {
    /// Options of linkers and matchers.
    LinkKeywords {
        types: Vec<String> = Vec::new(),
        without_aliases: Vec<String> = Vec::new(),
        top: usize = 1,
        explain: bool = false,
        min_probability: Option<f64> = None,
        nil_share: f64 = LinkOptions::NIL_SHARE,
        nested: bool = false,
        composites: bool = false,
        abbreviations: bool = true,
        ambiguous: String = "best".to_owned(),
        one_sense: bool = false,
        neighbours: f64 = 0.0,
        typed: bool = false,
        context: bool = true,
        encode_in_context: bool = false,
        placeholders: Option<PathBuf> = None,
        stop_names: Vec<String> = Vec::new(),
        vote: usize = 0,
        recognizer: Option<PathBuf> = None,
        min_margin: f64 = 0.0,
        assertions: Option<PathBuf> = None,
        asserted: bool = false,
        type_name: Option<String> = None,
        threads: usize = 0,
    }
}

impl LinkKeywords {
    fn check(&self) -> PyResult<()> {
        probability("nil_share", self.nil_share)?;
        self.min_probability.map_or(Ok(()), |least| probability("min_probability", least))?;
        if self.top == 0 {
            return Err(PyValueError::new_err("top is 0; an answer has one candidate at least"));
        }
        self.ambiguous().map(drop)
    }

    fn ambiguous(&self) -> PyResult<Ambiguous> {
        match self.ambiguous.as_str() {
            "best" => Ok(Ambiguous::Best),
            "all" => Ok(Ambiguous::All),
            "nil" => Ok(Ambiguous::Nil),
            other => Err(PyValueError::new_err(format!("ambiguous is \"{other}\"; use best, all or nil"))),
        }
    }

    fn open(&self, kb: &truename::KnowledgeBase) -> Result<truename::Linker, Error> {
        check_vectors("vote", self.vote > 0, kb)?;
        check_vectors("encode_in_context", self.encode_in_context, kb)?;
        let placeholders =
            self.placeholders.as_deref().map_or_else(|| Ok(Placeholders::default()), Placeholders::read)?;
        let stop_names = Arc::new(StopNames::new(&self.stop_names));
        let options = LinkOptions {
            stop_names: Arc::clone(&stop_names),
            top: self.top,
            min_probability: self.min_probability,
            nil_share: self.nil_share,
            types: self.types.clone(),
            without_aliases: self.without_aliases.clone(),
            vote: self.vote,
            explain: self.explain,
            encode_in_context: self.encode_in_context,
            placeholders: Some(Arc::new(placeholders)),
            nested: self.nested,
            composites: self.composites,
            abbreviations: self.abbreviations,
            ambiguous: self.ambiguous().unwrap_or_default(),
            one_sense: self.one_sense,
            neighbours: self.neighbours,
            typed: self.typed,
            asserted: self.asserted,
            type_name: self.type_name.clone(),
            assertions: assertion_rules(self.assertions.as_deref())?,
            ..LinkOptions::default()
        };
        let linker = truename::Linker::new(kb.clone())?.with_options(options)?;
        let linker = if self.context { linker } else { linker.without_context() };
        if self.recognizer.is_none() && self.min_margin == 0.0 {
            return Ok(linker);
        }
        let options = RecognizerOptions {
            nested: self.nested.then_some(true),
            composites: self.composites,
            types: self.types.clone(),
            without_aliases: self.without_aliases.clone(),
            stop_names,
            min_probability: self.min_probability,
            explained: self.explain,
            names: true,
            min_margin: self.min_margin,
            ..RecognizerOptions::default()
        };
        Ok(linker.with_recognizer(options.open(self.recognizer.as_slice(), || Ok(kb.clone()))?))
    }
}

/// A linker that each process opens for itself, shared by handles.
pub struct SharedLinker {
    kb: Arc<Kb>,
    keywords: LinkKeywords,
    open: PerProcess<Opened>,
}

/// An open linker, and those with another number of candidates or explanations that were asked for.
struct Opened {
    linker: Arc<truename::Linker>,
    others: Mutex<HashMap<(usize, bool), Arc<truename::Linker>>>,
}

impl SharedLinker {
    pub fn new(py: Python<'_>, kb: &Arc<Kb>, keywords: LinkKeywords) -> PyResult<Arc<Self>> {
        keywords.check()?;
        let shared = Arc::new(Self { kb: Arc::clone(kb), keywords, open: PerProcess::new() });
        let opened = Arc::clone(&shared);
        shared.call().run(py, move || opened.get(None, None).map(drop))?;
        Ok(shared)
    }

    /// Returns a call on the threads of the linker.
    pub fn call(&self) -> Call {
        Call::on(self.keywords.threads)
    }

    /// Returns the fingerprint of the linker.
    pub fn fingerprint(self: &Arc<Self>, py: Python<'_>) -> PyResult<String> {
        let shared = Arc::clone(self);
        self.call().run(py, move || shared.get(None, None)?.fingerprint())
    }

    pub fn threads(&self) -> usize {
        self.keywords.threads
    }

    pub fn kb(&self) -> &Arc<Kb> {
        &self.kb
    }

    pub fn top(&self) -> usize {
        self.keywords.top
    }

    /// Returns the open linker, with another number of candidates or with explanations where they are asked for.
    pub fn get(&self, top: Option<usize>, explain: Option<bool>) -> Result<Arc<truename::Linker>, Error> {
        // Also where the linker is open: the file may have been damaged since.
        let kb = self.kb.get()?;
        let opened = self.open.get(|| {
            let linker = Arc::new(self.keywords.open(&kb)?);
            Ok(Opened { linker, others: Mutex::default() })
        })?;
        let own = (self.keywords.top, self.keywords.explain);
        let asked = (top.unwrap_or(own.0).max(1), explain.unwrap_or(own.1));
        if asked == own {
            return Ok(Arc::clone(&opened.linker));
        }
        if let Some(other) = locked(&opened.others).get(&asked) {
            return Ok(Arc::clone(other));
        }
        let options = LinkOptions { top: asked.0, explain: asked.1, ..opened.linker.options().clone() };
        let other = Arc::new(opened.linker.with_options(options)?);
        Ok(Arc::clone(locked(&opened.others).entry(asked).or_insert(other)))
    }
}

/// Links the mentions of texts to the concepts of a knowledge base.
///
/// It can be pickled, by its knowledge base and its options, and used in a child of a fork.
#[pyclass(frozen, module = "truename")]
pub struct Linker {
    shared: Arc<SharedLinker>,
    options: Option<Py<PyDict>>,
}

impl Linker {
    pub fn new(py: Python<'_>, kb: &Arc<Kb>, keywords: LinkKeywords, options: Option<Py<PyDict>>) -> PyResult<Self> {
        Ok(Self { shared: SharedLinker::new(py, kb, keywords)?, options })
    }

    /// Returns the linker, shared by handles.
    pub fn shared(&self) -> Arc<SharedLinker> {
        Arc::clone(&self.shared)
    }
}

#[pymethods]
impl Linker {
    /// The knowledge base.
    #[getter]
    fn kb(&self) -> KnowledgeBase {
        KnowledgeBase(Arc::clone(self.shared.kb()))
    }

    /// 16 hexadecimal digits of what answers depend on beside the options: the version of Truename, the knowledge base, and the encoder and recognizer
    /// opened with it.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.fingerprint(py)
    }

    /// Finds the mentions of a text and links each to a concept.
    #[pyo3(signature = (text, *, id="", top=None, explain=None))]
    fn link(
        &self,
        py: Python<'_>,
        text: &str,
        id: &str,
        top: Option<usize>,
        explain: Option<bool>,
    ) -> PyResult<Document> {
        let (shared, document) = (Arc::clone(&self.shared), truename::Document::new(id, text));
        let linked = self.shared.call().run(py, move || shared.get(top, explain)?.link_document(document))?;
        Ok(linked.into())
    }

    /// Links texts, or pairs of an id and a text, one after another. Returns an iterator in their order that holds no more than a batch.
    #[pyo3(signature = (texts, *, batch=256, top=None, explain=None))]
    fn link_many(
        &self,
        texts: &Bound<'_, PyAny>,
        batch: usize,
        top: Option<usize>,
        explain: Option<bool>,
    ) -> PyResult<LinkedDocuments> {
        if batch == 0 {
            return Err(PyValueError::new_err("batch is 0; a batch has one text at least"));
        }
        let texts = texts.try_iter()?.unbind();
        Ok(LinkedDocuments {
            shared: Arc::clone(&self.shared),
            state: Mutex::new(Reading { texts: Some(texts), ready: VecDeque::new() }),
            batch,
            top,
            explain,
        })
    }

    /// Links mentions that are known: pairs of start and end in characters, or triples with a type.
    #[pyo3(signature = (text, mentions, *, id="", top=None, explain=None))]
    fn link_mentions(
        &self,
        py: Python<'_>,
        text: &str,
        mentions: Vec<Bound<'_, PyAny>>,
        id: &str,
        top: Option<usize>,
        explain: Option<bool>,
    ) -> PyResult<Document> {
        let mut document = truename::Document::new(id, text);
        let offsets = Offsets::new(text, OffsetUnit::Chars);
        document.mentions = mentions.iter().map(|given| mention(given, text, &offsets)).collect::<PyResult<_>>()?;
        let shared = Arc::clone(&self.shared);
        let linked = self
            .shared
            .call()
            .run(py, move || Ok(shared.get(top, explain)?.link_mentions(vec![document])?.remove(0)))?;
        Ok(linked.into())
    }

    /// Links a name without context.
    #[pyo3(signature = (name, *, top=None, explain=None))]
    fn link_name(&self, py: Python<'_>, name: String, top: Option<usize>, explain: Option<bool>) -> PyResult<Link> {
        let shared = Arc::clone(&self.shared);
        let link = self.shared.call().run(py, move || shared.get(top, explain)?.link_name(&name))?;
        Ok(Link(Arc::new(link)))
    }

    /// Links a name, and returns its candidates in the shape of Gilda: scored matches, best first. `namespace`: that of ids without one.
    #[pyo3(signature = (text, *, top=10, namespace=None))]
    fn ground<'py>(
        &self,
        py: Python<'py>,
        text: String,
        top: usize,
        namespace: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let link = self.link_name(py, text, Some(top), None)?;
        py.import("truename.gilda")?.call_method1("scored_matches", (link, namespace))
    }

    fn __repr__(&self) -> String {
        "<Linker>".to_owned()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py, WithOptions<'py>>> {
        let options = self.options.as_ref().map(|options| options.bind(py).clone());
        pickled(py, "linker", (self.kb(), options))
    }
}

fn mention(given: &Bound<'_, PyAny>, text: &str, offsets: &Offsets) -> PyResult<truename::Mention> {
    let read = given.extract::<(usize, usize, String)>();
    let read = read.or_else(|_| given.extract().map(|(start, end): (usize, usize)| (start, end, String::new())));
    let (start, end, mention_type) = read.map_err(|_| {
        PyTypeError::new_err(format!(
            "{given} is no mention; give a start and an end in characters, and a type if you like"
        ))
    })?;
    let span = offsets.to_byte(start).zip(offsets.to_byte(end)).map(|(start, end)| truename::Span::new(start, end));
    let span = span.filter(|span| span.of(text).is_some()).ok_or_else(|| {
        let length = offsets.length();
        PyValueError::new_err(format!(
            "the mention {start}..{end} is no piece of the text, which has {length} characters"
        ))
    })?;
    Ok(truename::Mention::new(span, mention_type, None))
}

/// Documents that are linked as they are asked for.
#[pyclass(frozen, module = "truename")]
pub struct LinkedDocuments {
    shared: Arc<SharedLinker>,
    state: Mutex<Reading>,
    batch: usize,
    top: Option<usize>,
    explain: Option<bool>,
}

struct Reading {
    texts: Option<Py<PyIterator>>,
    ready: VecDeque<Document>,
}

impl LinkedDocuments {
    /// Reads the texts of the next batch; fewer where they end.
    fn read(&self, py: Python<'_>) -> PyResult<Vec<truename::Document>> {
        let mut documents = Vec::new();
        let Some(texts) = locked(&self.state).texts.as_ref().map(|texts| texts.clone_ref(py)) else {
            return Ok(documents);
        };
        let mut texts = texts.into_bound(py);
        while documents.len() < self.batch {
            let Some(given) = texts.next() else {
                locked(&self.state).texts = None;
                break;
            };
            documents.push(document(&given?)?);
        }
        Ok(documents)
    }
}

fn document(given: &Bound<'_, PyAny>) -> PyResult<truename::Document> {
    if let Ok(text) = given.extract::<String>() {
        return Ok(truename::Document::new("", text));
    }
    match given.extract::<(String, String)>() {
        Ok((id, text)) => Ok(truename::Document::new(id, text)),
        Err(_) => {
            let kind = given.get_type().name()?;
            Err(PyTypeError::new_err(format!("a text is a str, or an id and a str, and not {kind}")))
        }
    }
}

#[pymethods]
impl LinkedDocuments {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Document>> {
        if let Some(document) = locked(&self.state).ready.pop_front() {
            return Ok(Some(document));
        }
        let documents = self.read(py)?;
        if documents.is_empty() {
            return Ok(None);
        }
        let (shared, top, explain) = (Arc::clone(&self.shared), self.top, self.explain);
        let linked = self.shared.call().run(py, move || shared.get(top, explain)?.link_documents(documents))?;
        let mut linked = linked.into_iter().map(Document::from);
        let first = linked.next();
        locked(&self.state).ready.extend(linked);
        Ok(first)
    }
}
