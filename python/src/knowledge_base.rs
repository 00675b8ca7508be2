//! Knowledge bases.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use truename::{
    AdapterChoice, Columns, ConceptId, Encoder, Format, ImportOptions, Judgement, LinkOptions, NameFrequencies,
    Problem, Progress, Report, SynonymScopes,
};
use truename_error::{Error, ErrorKind, HintPart, hint};

use crate::calibration::{self, Gold};
use crate::call::Call;
use crate::candidate::Candidate;
use crate::column::Column;
use crate::error::raised;
use crate::json;
use crate::judgements::Judgements;
use crate::linker::{LinkKeywords, Linker};
use crate::log;
use crate::matcher::Matcher;
use crate::options::keywords;
use crate::pickle::{Pickled, pickled};
use crate::process::PerProcess;
use crate::vectors;

/// A knowledge base: concepts with ids and names.
///
/// It can be pickled, by its folder and its encoder, and used in a child of a fork, where it is opened anew.
#[pyclass(frozen, module = "truename")]
pub struct KnowledgeBase(pub Arc<Kb>);

/// A knowledge base that each process opens for itself.
pub struct Kb {
    place: Place,
    encoder: EncoderChoice,
    open: PerProcess<truename::KnowledgeBase>,
}

#[derive(Clone)]
enum Place {
    Bundled,
    Folder(PathBuf),
}

/// The encoder to link with.
#[derive(Clone)]
enum EncoderChoice {
    /// The encoder of the knowledge base, if it has one.
    Own,
    Without,
    Folder(PathBuf),
}

impl Kb {
    fn new(place: Place, encoder: EncoderChoice) -> Self {
        // A fault in the map of a file is an exception, and not the end of the interpreter.
        truename_kb::guard::survive();
        log::install();
        Self { place, encoder, open: PerProcess::new() }
    }

    /// Returns the open knowledge base.
    pub fn get(&self) -> Result<Arc<truename::KnowledgeBase>, Error> {
        let kb = self.open.get(|| {
            let kb = match &self.place {
                Place::Bundled => truename::KnowledgeBase::bundled(),
                Place::Folder(folder) => truename::KnowledgeBase::open(folder),
            }?;
            match &self.encoder {
                EncoderChoice::Own => Ok(kb),
                EncoderChoice::Without => Ok(kb.without_encoder()),
                EncoderChoice::Folder(folder) => kb.with_encoder(Arc::new(Encoder::open(folder)?)),
            }
        })?;
        match kb.has_faulted() {
            true => Err(Error::new(ErrorKind::Damaged, format!("a part of {} could not be read", kb.path().display()))),
            false => Ok(kb),
        }
    }

    /// Runs work on the open knowledge base.
    fn run<T: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        work: impl FnOnce(&truename::KnowledgeBase) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let kb = Arc::clone(self);
        Call::default().run(py, move || work(&*kb.get()?))
    }
}

keywords! {
    /// Options of reading files of concepts.
    ReadingKeywords {
        format: Option<String> = None,
        encoding: Option<String> = None,
        strict: bool = false,
        id_column: Option<String> = None,
        name_column: Option<String> = None,
        synonyms_columns: Vec<String> = Vec::new(),
        type_column: Option<String> = None,
        separator: Option<String> = None,
        delimiter: Option<char> = None,
        skip_rows: u64 = 0,
        no_header: bool = false,
        keep_placeholders: bool = false,
        max_line_bytes: Option<u64> = None,
        label_from_iri: bool = false,
        synonym_properties: Vec<String> = Vec::new(),
        languages: Vec<String> = Vec::new(),
        sources: Vec<String> = Vec::new(),
        scopes: Vec<String> = vec!["related".to_owned()],
    }
}

impl ReadingKeywords {
    pub fn options(self, progress: &Arc<Progress>) -> PyResult<ImportOptions> {
        if let Some(scope) =
            self.scopes.iter().find(|scope| !["broad", "narrow", "related", "exact"].contains(&scope.as_str()))
        {
            let message = format!("\"{scope}\" is no scope; use broad, narrow, related or exact");
            return Err(PyValueError::new_err(message));
        }
        let has = |scope: &str| self.scopes.iter().any(|known| known == scope);
        let format = self.format.as_deref().map(str::parse::<Format>).transpose().map_err(PyValueError::new_err)?;
        let delimiter = self.delimiter.map(u8::try_from).transpose();
        let columns = Columns {
            id: self.id_column,
            name: self.name_column,
            synonyms: self.synonyms_columns,
            types: self.type_column,
            separator: self.separator,
            delimiter: delimiter.map_err(|_| PyValueError::new_err("a delimiter is one byte long"))?,
            skip_rows: self.skip_rows,
            no_header: self.no_header,
        };
        Ok(ImportOptions {
            format,
            encoding: self.encoding,
            strict: self.strict,
            columns,
            languages: self.languages,
            sources: self.sources,
            scopes: SynonymScopes { broad: has("broad"), narrow: has("narrow"), related: has("related") },
            synonym_properties: self.synonym_properties,
            label_from_iri: self.label_from_iri,
            max_line_bytes: self.max_line_bytes,
            keep_placeholders: self.keep_placeholders,
            progress: Arc::clone(progress),
            ..ImportOptions::default()
        })
    }
}

/// Logs what was skipped, repaired or guessed.
fn log_report(py: Python<'_>, report: &Report) -> PyResult<()> {
    log_problems(py, &report.problems, report.problem_count)?;
    let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
    for note in &report.notes {
        logger.call_method1("info", ("%s", note.to_string()))?;
    }
    Ok(())
}

/// Logs problems, and the number of those that are not listed.
pub fn log_problems(py: Python<'_>, problems: &[Problem], count: u64) -> PyResult<()> {
    let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
    for problem in problems {
        logger.call_method1("warning", ("%s", problem.to_string()))?;
    }
    let more = count.saturating_sub(problems.len() as u64);
    if more > 0 {
        logger.call_method1("warning", ("%s more entries or names were skipped or repaired", more))?;
    }
    Ok(())
}

/// Opens the knowledge base that comes with Truename: diseases and chemicals of MeSH.
#[pyfunction]
#[pyo3(signature = (*, encoder=None))]
pub fn bundled(py: Python<'_>, encoder: Option<Bound<'_, PyAny>>) -> PyResult<KnowledgeBase> {
    KnowledgeBase::opened(py, Kb::new(Place::Bundled, encoder_choice(encoder)?))
}

/// Returns the folder that the bundled knowledge base, packs and models are unpacked in.
#[pyfunction]
#[pyo3(name = "_cache_folder")]
pub fn cache_folder() -> PathBuf {
    truename::cache_folder()
}

fn opened(shards: &[Arc<Kb>]) -> Result<Vec<truename::KnowledgeBase>, Error> {
    shards.iter().map(|shard| Ok(truename::KnowledgeBase::clone(&*shard.get()?))).collect()
}

fn encoder_choice(encoder: Option<Bound<'_, PyAny>>) -> PyResult<EncoderChoice> {
    Ok(match encoder {
        None => EncoderChoice::Own,
        Some(said) if said.extract::<bool>().is_ok_and(|is_used| !is_used) => EncoderChoice::Without,
        Some(folder) => EncoderChoice::Folder(absolute(folder.extract()?)?),
    })
}

/// Returns a path that means the same in another process.
pub fn absolute(path: PathBuf) -> PyResult<PathBuf> {
    Ok(std::path::absolute(path)?)
}

impl KnowledgeBase {
    fn opened(py: Python<'_>, kb: Kb) -> PyResult<Self> {
        let kb = Arc::new(kb);
        kb.run(py, |_| Ok(()))?;
        Ok(Self(kb))
    }

    fn all(shards: &[Bound<'_, Self>]) -> Vec<Arc<Kb>> {
        shards.iter().map(|shard| Arc::clone(&shard.get().0)).collect()
    }

    fn concept_id(id: &str) -> PyResult<ConceptId> {
        id.parse().map_err(|error: truename_kb::Error| raised(error))
    }
}

#[pymethods]
impl KnowledgeBase {
    /// Opens the knowledge base in a folder, or in a pack, which is unpacked into the user's cache the first time and cannot be written to.
    ///
    /// `encoder`: folder of an encoder to link with in place of the knowledge base's own; False links by letters alone.
    #[staticmethod]
    #[pyo3(signature = (path, *, encoder=None))]
    fn open(py: Python<'_>, path: PathBuf, encoder: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let path = if truename::KnowledgeBase::is_bundled(&path) { path } else { absolute(path)? };
        Self::opened(py, Kb::new(Place::Folder(path), encoder_choice(encoder)?))
    }

    /// Imports files into a new knowledge base in the folder `out`, and opens it.
    ///
    /// `aliases`: vocabularies whose names are added to the concepts that they mean. `force`: True replaces a knowledge
    /// base that is there. `progress`: a function of phase, steps done and steps in all, or True for a bar. The other options say how
    /// the files are read.
    #[staticmethod]
    #[pyo3(signature = (files, out, *, aliases=Vec::new(), force=false, progress=None, **reading))]
    fn build(
        py: Python<'_>,
        files: Vec<PathBuf>,
        out: PathBuf,
        aliases: Vec<PathBuf>,
        force: bool,
        progress: Option<Bound<'_, PyAny>>,
        reading: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let kb = Kb::new(Place::Folder(absolute(out.clone())?), EncoderChoice::Own);
        let call = Call::watched(progress.as_ref())?;
        let options = ReadingKeywords::read("build", reading.as_ref())?.options(&call.progress)?;
        let report = call.run(py, move || {
            let imported = truename::KnowledgeBase::import_with_aliases(&files, &aliases, &out, &options, force);
            imported.map(|(_, report)| report)
        })?;
        log_report(py, &report)?;
        Self::opened(py, kb)
    }

    /// Adds the concepts of files, replaces those with the same id, and removes those in `remove`, in one transaction. Returns the numbers
    /// of concepts added, changed and removed.
    ///
    /// Raises ValueError where a concept would lose its preferred name, have fewer names, or lose all its types, parents, cross-references
    /// or its definition, unless `replace` is True. Learnt names stay.
    #[pyo3(signature = (files=Vec::new(), *, remove=Vec::new(), replace=false, progress=None, **reading))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        files: Vec<PathBuf>,
        remove: Vec<String>,
        replace: bool,
        progress: Option<Bound<'_, PyAny>>,
        reading: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let call = Call::watched(progress.as_ref())?;
        let options = ReadingKeywords::read("update", reading.as_ref())?.options(&call.progress)?;
        let options = ImportOptions { replace, ..options };
        let removed = remove.iter().map(|id| Self::concept_id(id)).collect::<PyResult<Vec<_>>>()?;
        let kb = Arc::clone(&self.0);
        let report = call.run(py, move || kb.get()?.update(&files, &removed, &options))?;
        log_report(py, &report)?;
        let counts = PyDict::new(py);
        counts.set_item("added", report.added)?;
        counts.set_item("changed", report.changed)?;
        counts.set_item("removed", report.removed)?;
        Ok(counts)
    }

    /// Learns judgements, so that the names are answered so from then on, whatever other concepts have them.
    ///
    /// `judgements`: a table with the columns `name` and `id` and perhaps `date`, or pairs of a name and an id, None for NIL and "never a
    /// mention" for a stop name of documents. Returns the numbers of judgements `learnt`, `unchanged`, and `unknown`, left out because
    /// no concept has their id.
    #[pyo3(signature = (judgements, *, progress=None))]
    fn learn<'py>(
        &self,
        py: Python<'py>,
        judgements: Judgements,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (call, kb) = (Call::watched(progress.as_ref())?, Arc::clone(&self.0));
        let progress = Arc::clone(&call.progress);
        let report = call.run(py, move || kb.get()?.learn(&judgements.read()?, &[], &progress))?;
        let counts = PyDict::new(py);
        counts.set_item("learnt", report.learnt)?;
        counts.set_item("unchanged", report.unchanged)?;
        counts.set_item("unknown", report.unknown.len())?;
        Ok(counts)
    }

    /// Forgets the judgements of names. Returns the number of names that had one.
    fn forget(&self, py: Python<'_>, names: Vec<String>) -> PyResult<u32> {
        let (call, kb) = (Call::default(), Arc::clone(&self.0));
        let progress = Arc::clone(&call.progress);
        Ok(call.run(py, move || kb.get()?.learn(&[], &names, &progress))?.forgotten)
    }

    /// Returns the judgements learnt: name, id ("" for NIL, "never a mention" for a stop name) and date.
    fn judgements(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        let judgements = self.0.run(py, truename::KnowledgeBase::judgements)?;
        let row =
            |judgement: Judgement| (judgement.name, judgement.verdict.as_str().to_owned(), judgement.date.to_string());
        Ok(judgements.into_iter().map(row).collect())
    }

    /// Folder of the knowledge base.
    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<PathBuf> {
        self.0.run(py, |kb| Ok(kb.path().to_owned()))
    }

    /// 16 hexadecimal digits that tell the last committed state, the attached models included, from any other. Copies of a folder have the
    /// same, and so has what is unpacked from a pack.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        self.0.run(py, truename::KnowledgeBase::fingerprint)
    }

    /// Writes the last committed state with its models to one file in the folder `out`, a pack: `NAME-HASH.tar.zst`. Returns its path. `open`
    /// takes the file in the place of a folder.
    fn pack(&self, py: Python<'_>, out: PathBuf) -> PyResult<String> {
        self.0.run(py, move |kb| Ok(kb.pack(out)?.display().to_string()))
    }

    /// Unpacks a pack into a folder in `into`, by default in the user's cache. Returns the folder, at once where it is there already. One
    /// process of a host unpacks at a time, and the others wait for it.
    #[staticmethod]
    #[pyo3(signature = (file, into=None))]
    fn unpack(py: Python<'_>, file: PathBuf, into: Option<PathBuf>) -> PyResult<String> {
        Call::default()
            .run(py, move || Ok(truename::KnowledgeBase::unpack(file, into.as_deref())?.display().to_string()))
    }

    /// Writes the numbers of names that have each n-gram and word to the file `out`, for shards on several machines to be weighed by.
    fn frequencies(&self, py: Python<'_>, out: PathBuf) -> PyResult<()> {
        self.0.run(py, move |kb| kb.frequencies()?.write(out))
    }

    /// Weighs the names of shards by the frequencies of all of them, those in the files `frequencies`, by default those of the shards given. A
    /// name then has the scores in its shard that it has in one knowledge base of all names. Returns the number of names.
    #[staticmethod]
    #[pyo3(signature = (shards, *, frequencies=Vec::new()))]
    fn weigh(py: Python<'_>, shards: Vec<Bound<'_, Self>>, frequencies: Vec<PathBuf>) -> PyResult<u32> {
        let shards = Self::all(&shards);
        Call::default().run(py, move || {
            let frequencies = frequencies.iter().map(NameFrequencies::read).collect::<Result<Vec<_>, _>>()?;
            truename::weigh(&opened(&shards)?, &frequencies)
        })
    }

    /// Makes a knowledge base in the folder `out` of all concepts of weighed shards that the answers to names depend on, and opens it. It
    /// answers these names as one knowledge base of all shards would, to the byte; with an encoder, once its names have vectors, nearly so.
    ///
    /// `column`: as `Matcher.match` takes it. `types`, `without_aliases`: those of the matcher to come. Shards on several machines: gather from
    /// each there, and again from what was gathered.
    #[staticmethod]
    #[pyo3(signature = (shards, column, out, *, types=Vec::new(), without_aliases=Vec::new(), progress=None))]
    fn gather(
        py: Python<'_>,
        shards: Vec<Bound<'_, Self>>,
        column: &Bound<'_, PyAny>,
        out: PathBuf,
        types: Vec<String>,
        without_aliases: Vec<String>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (shards, Column { names, .. }) = (Self::all(&shards), Column::read(column)?);
        let kb = Kb::new(Place::Folder(absolute(out.clone())?), EncoderChoice::Own);
        let call = Call::watched(progress.as_ref())?;
        let progress = Arc::clone(&call.progress);
        let options = LinkOptions { types, without_aliases, ..LinkOptions::default() };
        call.run(py, move || truename::gather(&opened(&shards)?, &names, &options, &out, &progress).map(drop))?;
        Self::opened(py, kb)
    }

    /// Returns statistics, as `truename kb info --json` prints them.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.0.run(py, truename::KnowledgeBase::info)?)
    }

    /// Returns the concept with an id, as `truename kb show` prints it; `default` if there is none.
    #[pyo3(signature = (id, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        id: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let id = Self::concept_id(id)?;
        let concept = self.0.run(py, move |kb| match kb.concept(&id) {
            Err(error) if error.is_not_found() => Ok(None),
            found => found.map(Some),
        })?;
        concept.map_or(Ok(default), |concept| json::object(py, &concept).map(Some))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, id, None)?.ok_or_else(|| PyKeyError::new_err(id.to_owned()))
    }

    fn __contains__(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        Ok(self.get(py, id, None)?.is_some())
    }

    /// Returns the id that replaces a retired one, the id itself if it is in use, None if neither is known.
    fn current_id(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let id = Self::concept_id(id)?;
        Ok(self.0.run(py, move |kb| kb.current_id(&id))?.map(String::from))
    }

    /// Returns the concepts whose names come closest to some words, best first, as `truename kb search` lists them.
    #[pyo3(signature = (words, top=10, *, types=Vec::new()))]
    fn search(&self, py: Python<'_>, words: String, top: usize, types: Vec<String>) -> PyResult<Vec<Candidate>> {
        let link = self.0.run(py, move |kb| {
            // At least two, so that a single exact name does not end the search.
            let options = LinkOptions { top: top.max(2), types, placeholders: None, ..LinkOptions::default() };
            truename::Linker::new(kb.clone())?.with_options(options)?.link_name(&words)
        })?;
        let mut candidates = Candidate::all(&Arc::new(link));
        candidates.truncate(top);
        Ok(candidates)
    }

    /// Returns all types of the concepts.
    fn types(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.0.run(py, truename::KnowledgeBase::types)?.into_iter().collect())
    }

    /// Returns a linker of documents and names.
    ///
    /// Options: `types`, `without_aliases`, `top`, `explain`, `min_probability`, `nil_share`, `nested`, `composites`, `abbreviations`,
    /// `ambiguous` ("best", "all" or "nil"), `one_sense`, `neighbours`, `typed`, `context`, `encode_in_context`, `placeholders`,
    /// `stop_names` (a list of names), `vote`, `recognizer` (a folder, "bundled" or "dictionary"), `assertions` (a file of triggers or "none"),
    /// `asserted`, `type_name` and `threads`, as those of `truename link`.
    #[pyo3(signature = (**options))]
    fn linker(&self, py: Python<'_>, options: Option<Bound<'_, PyDict>>) -> PyResult<Linker> {
        let keywords = LinkKeywords::read("linker", options.as_ref())?;
        Linker::new(py, &self.0, keywords, options.map(Bound::unbind))
    }

    /// Returns a matcher of names and columns.
    ///
    /// Options: `types`, `without_aliases`, `top`, `explain`, `min_probability`, `nil_share`, `placeholders`, `vote` and `threads`, as
    /// those of `truename match`.
    #[pyo3(signature = (**options))]
    fn matcher(&self, py: Python<'_>, options: Option<Bound<'_, PyDict>>) -> PyResult<Matcher> {
        Matcher::new(py, &self.0, options)
    }

    /// Copies an encoder into the knowledge base, or takes its own, and gives all names vectors, so that names which share no letters can
    /// match. An interrupted call goes on where it is called again. Returns the numbers of names `encoded`, of those `truncated` and of
    /// vectors `replaced`.
    ///
    /// Linkers and matchers that are opened afterwards use the vectors.
    #[pyo3(signature = (encoder=None, *, adapters=None, progress=None))]
    fn embed<'py>(
        &self,
        py: Python<'py>,
        encoder: Option<PathBuf>,
        adapters: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (call, kb, choice) = (Call::watched(progress.as_ref())?, Arc::clone(&self.0), adapter_choice(adapters)?);
        let progress = Arc::clone(&call.progress);
        let report = call.run(py, move || {
            let opened = kb.get()?;
            let encoder = match encoder {
                Some(folder) => Arc::new(Encoder::open_with_adapters(&folder, &choice)?),
                None => vectors::own_encoder(&opened)?,
            };
            let report = vectors::embed(&opened, &encoder, &progress);
            // The next use opens the encoder that it has now.
            kb.open.close();
            report
        })?;
        let counts = PyDict::new(py);
        counts.set_item("encoded", report.names)?;
        counts.set_item("truncated", report.truncated)?;
        counts.set_item("replaced", report.replaced)?;
        Ok(counts)
    }

    /// Fits the ranker, its probabilities and the NIL threshold to the knowledge base.
    ///
    /// `gold`: right answers, as a table with the columns `name` and `id`, or as pairs of a name and an id, None for NIL. `documents`:
    /// annotated documents, as `truename link` reads them. `names`: the largest number of names held out. Returns the gains.
    #[pyo3(signature = (*, gold=None, documents=None, names=None, progress=None))]
    fn calibrate<'py>(
        &self,
        py: Python<'py>,
        gold: Option<Gold>,
        documents: Option<PathBuf>,
        names: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (call, kb) = (Call::watched(progress.as_ref())?, Arc::clone(&self.0));
        let progress = Arc::clone(&call.progress);
        let gains = call.run(py, move || calibration::calibrate(&*kb.get()?, gold, documents, names, progress))?;
        json::object(py, &gains)
    }

    /// Compares the bytes of a knowledge base with its checksums, and with `deep` reads every record. Raises RuntimeError where it is
    /// damaged.
    #[staticmethod]
    #[pyo3(signature = (path, *, deep=false))]
    fn check(py: Python<'_>, path: PathBuf, deep: bool) -> PyResult<()> {
        Call::default().run(py, move || truename::KnowledgeBase::check(&path, deep).map(drop))
    }

    /// Frees the space that updates left unused. Returns the bytes before and after. No other process may have the knowledge base open.
    #[staticmethod]
    fn compact(py: Python<'_>, path: PathBuf) -> PyResult<(u64, u64)> {
        Call::default().run(py, move || truename::KnowledgeBase::compact(&path))
    }

    fn __repr__(&self) -> String {
        match &self.0.place {
            Place::Bundled => "truename.bundled()".to_owned(),
            Place::Folder(folder) => format!("KnowledgeBase.open({:?})", folder.display().to_string()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py, Bound<'py, PyTuple>>> {
        let place = match &self.0.place {
            Place::Bundled => None,
            Place::Folder(folder) => Some(folder),
        };
        let encoder = match &self.0.encoder {
            EncoderChoice::Own => py.None().into_bound(py),
            EncoderChoice::Without => false.into_pyobject(py)?.to_owned().into_any(),
            EncoderChoice::Folder(folder) => folder.into_pyobject(py)?.into_any(),
        };
        pickled(py, "knowledge_base", (place, encoder).into_pyobject(py)?)
    }
}

/// Refuses an option that asks for vectors where there are none.
pub fn check_vectors(option: &'static str, is_asked: bool, kb: &truename::KnowledgeBase) -> Result<(), Error> {
    if !is_asked || kb.encoder()?.is_some() {
        return Ok(());
    }
    let message = format!("{option} needs vectors, and {} has no encoder", kb.path().display());
    Err(Error::new(ErrorKind::Choice, message)
        .with_hint(hint!["give all names vectors by ", HintPart::action("kb embed").value("DIR")]))
}

/// Returns the adapters with names between commas; `all` where none are named.
pub fn adapter_choice(names: Option<&str>) -> PyResult<AdapterChoice> {
    names.map_or(Ok(AdapterChoice::All), |names| names.parse().map_err(|error: Error| raised(error)))
}
