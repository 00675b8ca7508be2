//! Alignment of two vocabularies.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use truename::{Concept, Date, Encoder as Opened, Error, ImportOptions};
use truename_align::{
    AlignOptions, Alignment, Cardinality, FileMapping, JudgedPairs, MappingSet, Predicate, SetMetadata, concepts_of,
    read_concepts, read_mappings,
};
use truename_kb::Problem;

use crate::call::Call;
use crate::encoder::Encoder;
use crate::error::raised;
use crate::knowledge_base::{Kb, KnowledgeBase, ReadingKeywords, log_problems};
use crate::mappings::Mappings;
use crate::options::{keywords, probability};

/// A vocabulary: a knowledge base, a folder of one or a file, or several files.
#[derive(FromPyObject)]
pub enum VocabularyArgument<'py> {
    Open(PyRef<'py, KnowledgeBase>),
    Path(PathBuf),
    Files(Vec<PathBuf>),
}

/// A vocabulary that another thread reads.
enum Vocabulary {
    Open(Arc<Kb>),
    Paths(Vec<PathBuf>),
}

impl From<VocabularyArgument<'_>> for Vocabulary {
    fn from(argument: VocabularyArgument<'_>) -> Self {
        match argument {
            VocabularyArgument::Open(kb) => Self::Open(Arc::clone(&kb.0)),
            VocabularyArgument::Path(path) => Self::Paths(vec![path]),
            VocabularyArgument::Files(paths) => Self::Paths(paths),
        }
    }
}

/// Problems of files, and the number of all.
#[derive(Default)]
struct Problems {
    listed: Vec<Problem>,
    count: u64,
}

impl Vocabulary {
    fn read(&self, options: &ImportOptions, problems: &mut Problems) -> Result<Vec<Concept>, Error> {
        let paths = match self {
            Self::Open(kb) => return concepts_of(&*kb.get()?),
            Self::Paths(paths) => paths,
        };
        let mut concepts = Vec::new();
        for path in paths {
            let import = read_concepts(path, options)?;
            problems.listed.extend(import.problems);
            problems.count += import.problem_count;
            concepts.extend(import.concepts);
        }
        Ok(concepts)
    }
}

/// Judged mappings: a file, several, or pairs of ids.
#[derive(FromPyObject)]
pub enum JudgedArgument {
    Path(PathBuf),
    Files(Vec<PathBuf>),
    Pairs(Vec<(String, String)>),
}

impl JudgedArgument {
    fn read(&self) -> Result<Vec<FileMapping>, Error> {
        Ok(match self {
            Self::Path(path) => read_mappings(path)?,
            Self::Files(paths) => paths.iter().map(|path| read_mappings(path)).collect::<Result<Vec<_>, _>>()?.concat(),
            Self::Pairs(pairs) => pairs.iter().map(|(one, other)| FileMapping::exact(one, other, 1.0)).collect(),
        })
    }
}

/// An encoder, or its folder.
#[derive(FromPyObject)]
pub enum EncoderArgument<'py> {
    Open(PyRef<'py, Encoder>),
    Folder(PathBuf),
}

keywords! {
    /// Metadata of a set of mappings.
    MetadataKeywords {
        mapping_set_id: Option<String> = None,
        license: Option<String> = None,
        mapping_date: Option<String> = None,
        subject_source: Option<String> = None,
        subject_source_version: Option<String> = None,
        object_source: Option<String> = None,
        object_source_version: Option<String> = None,
        prefixes: BTreeMap<String, String> = BTreeMap::new(),
    }
}

impl MetadataKeywords {
    fn metadata(self) -> PyResult<SetMetadata> {
        let date = self.mapping_date.as_deref().map(str::parse::<Date>).transpose().map_err(raised)?;
        Ok(SetMetadata {
            mapping_set_id: self.mapping_set_id,
            license: self.license,
            mapping_date: date.map(|date| date.to_string()),
            sources: [self.subject_source, self.object_source],
            source_versions: [self.subject_source_version, self.object_source_version],
            prefixes: self.prefixes,
        })
    }
}

/// Maps the concepts of one vocabulary onto those of another, as `truename align` does.
///
/// `source`, `target`: a `KnowledgeBase`, its folder, or files that `KnowledgeBase.build` reads; `background`: further ones whose synonyms
/// teach which words stand for each other. `threshold`: lowest probability of a mapping. `many`: False for the best assignment one-to-one.
/// `predicates`: relations, "exact", "broad", "narrow" and "related". `known`, `exclude`: files of right and of wrong mappings, or pairs of ids.
/// `encoder`: an encoder whose vectors propose and compare names too. `neighbours`: nearest names that each name proposes. `metadata`: fields
/// of the set, such as `mapping_date`, and `prefixes`, the IRIs of prefixes. The other options say how the files are read.
#[pyfunction]
#[pyo3(signature = (
    source, target, *, threshold=0.5, many=false, predicates=vec!["exact".to_owned()], known=None, exclude=None,
    background=Vec::new(), encoder=None, neighbours=10, metadata=None, progress=None, **reading
))]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
pub fn align(
    py: Python<'_>,
    source: VocabularyArgument<'_>,
    target: VocabularyArgument<'_>,
    threshold: f64,
    many: bool,
    predicates: Vec<String>,
    known: Option<JudgedArgument>,
    exclude: Option<JudgedArgument>,
    background: Vec<VocabularyArgument<'_>>,
    encoder: Option<EncoderArgument<'_>>,
    neighbours: usize,
    metadata: Option<Bound<'_, PyDict>>,
    progress: Option<Bound<'_, PyAny>>,
    reading: Option<Bound<'_, PyDict>>,
) -> PyResult<Mappings> {
    probability("threshold", threshold)?;
    if !(1..=1000).contains(&neighbours) {
        return Err(PyValueError::new_err(format!("neighbours is {neighbours}; it is a number from 1 to 1000")));
    }
    let predicates = predicates.iter().map(|name| predicate(name)).collect::<PyResult<Vec<_>>>()?;
    let metadata = MetadataKeywords::read("align", metadata.as_ref())?.metadata()?;
    let call = Call::watched(progress.as_ref())?;
    let reading = ReadingKeywords::read("align", reading.as_ref())?.options(&call.progress)?;
    let (source, target) = (Vocabulary::from(source), Vocabulary::from(target));
    let background: Vec<Vocabulary> = background.into_iter().map(Vocabulary::from).collect();
    let (shared, folder) = match encoder {
        Some(EncoderArgument::Open(encoder)) => (Some(encoder.shared()), None),
        Some(EncoderArgument::Folder(folder)) => (None, Some(folder)),
        None => (None, None),
    };
    let progress = Arc::clone(&call.progress);
    let (mappings, problems, unknown) = call.run(py, move || {
        let mut problems = Problems::default();
        let mut read = |vocabulary: &Vocabulary| vocabulary.read(&reading, &mut problems);
        let (source, target) = (read(&source)?, read(&target)?);
        let background = background.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat();
        let read = |judged: Option<JudgedArgument>| judged.map_or(Ok(Vec::new()), |judged| judged.read());
        let judged = JudgedPairs::of_files([&source, &target], &read(known)?, &read(exclude)?);
        let encoder = match folder {
            Some(folder) => Some(Arc::new(Opened::open(&folder)?)),
            None => shared,
        };
        let options = AlignOptions {
            encoder: encoder.as_deref(),
            background: &background,
            judged: &judged.pairs,
            cardinality: if many { Cardinality::Many } else { Cardinality::OneToOne },
            predicates: &predicates,
            threshold,
            neighbours,
            progress,
            ..AlignOptions::default()
        };
        let alignment = Alignment::new(&source, &target, &options)?;
        let removed: Vec<_> = alignment.removed.iter().map(|removed| removed.mapping.clone()).collect();
        let [set, removed] =
            [&alignment.mappings, &removed].map(|mappings| MappingSet::new(&source, &target, mappings, &metadata));
        Ok((Mappings { set, removed: removed.mappings, compared: alignment.compared }, problems, judged.unknown))
    })?;
    log_problems(py, &problems.listed, problems.count)?;
    let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
    for FileMapping { subject, object, .. } in unknown {
        let message = "left out the judged mapping of %s onto %s: not both vocabularies have their concept";
        logger.call_method1("warning", (message, subject, object))?;
    }
    Ok(mappings)
}

fn predicate(name: &str) -> PyResult<Predicate> {
    match name {
        "exact" => Ok(Predicate::Exact),
        "broad" => Ok(Predicate::Broad),
        "narrow" => Ok(Predicate::Narrow),
        "related" => Ok(Predicate::Related),
        other => Err(PyValueError::new_err(format!("\"{other}\" is no relation; use exact, broad, narrow or related"))),
    }
}
