use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use truename_text::Problem;

/// An error of a recipe, its data or a run.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Recipe { path: PathBuf, source: toml::de::Error },
    Types { source: toml::de::Error },
    Unwritable { source: toml::ser::Error },
    NoTask { path: PathBuf, kind: &'static str },
    OldRun { path: PathBuf },
    NoNames { kind: String },
    UnknownKey { place: String, key: String, kind: &'static str, others: Vec<&'static str> },
    Renamed { place: String, key: String, new: &'static str },
    IdleKey { place: String, key: &'static str, on: &'static str, values: &'static [&'static str], value: String },
    Value { key: &'static str, value: String, known: String },
    Section { key: String, example: String },
    NotASection { key: String, part: String },
    Device { name: String, reason: String },
    Missing { key: &'static str, flag: &'static str },
    UnknownId { path: PathBuf, name: String, id: String },
    TooFew { concepts: usize },
    NothingAsked,
    NothingToEvaluate,
    NoTypes,
    PartlyAnnotated,
    NoDescription { kind: String },
    LongDescription { kind: String, tokens: usize },
    NoMention { corpus: String, others: BTreeMap<String, usize> },
    NoLinkedMention { corpus: PathBuf },
    NothingToLearn { held_out: bool },
    LearntDev { learnt: usize, documents: usize, by: String },
    NoDocument { path: PathBuf, problem: Option<Problem> },
    Sentence { problem: Problem },
    CorpusExists { path: PathBuf },
    UnfinishedCorpus { path: PathBuf },
    OtherCorpus { path: PathBuf, what: &'static str },
    NoPairs { distance: usize },
    LostConcept { id: String },
    State { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
    OtherRun { path: PathBuf, what: String },
    Occupied { path: PathBuf, has_checkpoint: bool },
    NotFinite { step: u64, loss: f64 },
    Kb(truename_kb::Error),
    Corpus(truename_corpus::Error),
    Read(truename_read::Error),
    Index(truename_index::Error),
    Eval(truename_eval::Error),
    Infer(truename_infer::Error),
    Linker(truename::Error),
}

impl Error {
    /// Returns whether a key of the recipe is missing, is unknown, has no effect or has a value that it cannot have.
    pub fn is_recipe(&self) -> bool {
        matches!(
            &*self.0,
            Kind::Recipe { .. }
                | Kind::Types { .. }
                | Kind::NoTask { .. }
                | Kind::NoNames { .. }
                | Kind::UnknownKey { .. }
                | Kind::Renamed { .. }
                | Kind::IdleKey { .. }
                | Kind::Value { .. }
                | Kind::Section { .. }
                | Kind::NotASection { .. }
                | Kind::Device { .. }
                | Kind::Missing { .. }
                | Kind::NoTypes
                | Kind::NoDescription { .. }
                | Kind::LongDescription { .. }
        )
    }

    /// Returns whether the work was stopped on request.
    pub fn is_interrupted(&self) -> bool {
        match &*self.0 {
            Kind::Kb(source) => source.is_interrupted(),
            Kind::Linker(source) => source.is_interrupted(),
            _ => false,
        }
    }

    /// Returns advice on what to do, where there is some.
    pub fn hint(&self) -> Option<String> {
        match &*self.0 {
            Kind::Section { example, .. } => Some(format!("set a key in it, e.g. `--set {example}`")),
            Kind::Device { name, .. } if matches!(name.as_str(), "cuda" | "vulkan") => {
                Some(format!("use `device = \"cpu\"`, or rebuild with `--features {name}`"))
            }
            Kind::Device { .. } => Some("use cpu, or vulkan or cuda in a build with that feature".into()),
            Kind::Recipe { .. } | Kind::Types { .. } | Kind::Value { .. } | Kind::NotASection { .. } => {
                Some("`truename recipe explain KIND` prints every key with its default".into())
            }
            Kind::NoTask { kind, .. } => Some(format!(
                "add the lines `[task]` and `kind = \"{kind}\"`; `truename recipe explain` lists the kinds"
            )),
            Kind::OldRun { .. } => {
                Some("go on with the version that began the run, or begin a new one with another `--out`".into())
            }
            Kind::NoNames { .. } => Some("`truename recipe explain` lists the kinds of tasks".into()),
            Kind::UnknownKey { kind, .. } => {
                Some(format!("`truename recipe explain {kind}` prints every key with its default"))
            }
            Kind::Renamed { new, .. } => Some(format!("write {new} in its place")),
            Kind::IdleKey { key, on, values, .. } => {
                Some(format!("leave {key} out (`--set {key}=`), or set {on} to \"{}\"", values.join("\" or \"")))
            }
            Kind::Missing { key, flag } => Some(format!("set {key} in the recipe, or give {flag}")),
            Kind::UnknownId { .. } => {
                Some("leave the row out, or add the concept to the knowledge base with `truename kb update`".into())
            }
            Kind::TooFew { .. } => {
                Some("an encoder learns to tell concepts apart: name more concepts in data.kb or data.names".into())
            }
            Kind::NothingAsked => {
                Some("set evaluation.share, or evaluation.names to names whose ids the knowledge base has".into())
            }
            Kind::NothingToEvaluate => Some("name corpora in data.dev, or set data.dev_share".into()),
            Kind::PartlyAnnotated => {
                Some("train it by `task.kind = \"recognize\"`, or on corpora that annotate all types".into())
            }
            Kind::NoTypes => {
                Some("name each type with a description: `[types]` and `Disease = \"names of diseases\"`".into())
            }
            Kind::NoDescription { .. } => Some("describe in a sentence what mentions of the type stand for".into()),
            Kind::LongDescription { .. } => Some("shorten it, or split it into several descriptions".into()),
            Kind::NoMention { others, .. } if others.is_empty() => {
                Some("name a corpus with annotations; `truename annotate` makes some by a knowledge base".into())
            }
            Kind::NoMention { others, .. } => {
                let others: Vec<&str> = others.keys().map(String::as_str).collect();
                Some(format!(
                    "the corpus has mentions of {}: name these types, or map them, `{{path = \"…\", types = {{{} = \"TYPE\"}}}}`",
                    others.join(", "),
                    others[0]
                ))
            }
            Kind::NoLinkedMention { .. } => {
                Some("name a corpus whose mentions have ids or cross-references of the knowledge base".into())
            }
            Kind::NothingToLearn { held_out: true } => Some("name more documents in data.train, or lower data.dev_share".into()),
            Kind::NothingToLearn { held_out: false } => {
                Some("name a corpus whose mentions have several candidates in the knowledge base".into())
            }
            Kind::LearntDev { .. } => Some(
                "probabilities are fitted to data.dev: name documents there that are not learnt, or leave it out to hold out a share".into(),
            ),
            Kind::Sentence { .. } => {
                Some("`truename corpus build` writes such files; docs/corpus.md describes their lines".into())
            }
            Kind::CorpusExists { .. } => Some("name another folder with `--out`, or remove this one".into()),
            Kind::UnfinishedCorpus { .. } => {
                Some("`--resume` goes on with it; remove the folder to begin anew".into())
            }
            Kind::OtherCorpus { .. } => {
                Some("resume with what it was begun with, or remove the folder to begin anew".into())
            }
            Kind::LostConcept { .. } => {
                Some("the knowledge base was changed during the build; remove the unfinished folder and begin anew".into())
            }
            Kind::NoPairs { .. } => Some(
                "lower `--min-edit-distance`, or name texts that mention concepts with several names; `--parents` makes \
                 sentences for concepts without a definition"
                    .into(),
            ),
            Kind::NoDocument { .. } => Some("see docs/formats.md for the formats of corpora".into()),
            Kind::OtherRun { .. } => {
                Some("resume with the recipe and data of that run, or begin a new one with another `--out`".into())
            }
            Kind::Occupied { has_checkpoint: true, .. } => {
                Some("`--resume` goes on with it; another `--out` begins anew".into())
            }
            Kind::Occupied { has_checkpoint: false, .. } => Some("name another folder with `--out`".into()),
            Kind::NotFinite { .. } => Some("lower schedule.learning_rate, or set schedule.max_grad_norm".into()),
            Kind::State { .. } => Some("begin anew with another `--out`".into()),
            Kind::Io { .. } | Kind::Index(_) | Kind::Unwritable { .. } => None,
            // A run has no options for how its files are read.
            Kind::Kb(source) => {
                source.hint().map(|hint| match hint.contains("--id-column") || hint.contains("--format") {
                    true => format!("import the file first, `truename kb import FILE --out DIR`, and there {hint}"),
                    false => hint,
                })
            }
            Kind::Corpus(source) => source.hint(),
            Kind::Read(source) => source.hint().map(str::to_owned),
            Kind::Eval(source) => source.hint(),
            Kind::Infer(source) => source.hint(),
            Kind::Linker(source) => source.hint(),
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Kind::Io { action, path: path.to_owned(), source }.into()
    }

    pub(crate) fn recipe(path: &Path, source: toml::de::Error) -> Self {
        Kind::Recipe { path: path.to_owned(), source }.into()
    }

    pub(crate) fn types(source: toml::de::Error) -> Self {
        Kind::Types { source }.into()
    }

    pub(crate) fn unwritable(source: toml::ser::Error) -> Self {
        Kind::Unwritable { source }.into()
    }

    pub(crate) fn no_task(path: &Path, kind: &'static str) -> Self {
        Kind::NoTask { path: path.to_owned(), kind }.into()
    }

    pub(crate) fn old_run(path: &Path) -> Self {
        Kind::OldRun { path: path.to_owned() }.into()
    }

    pub(crate) fn no_names(kind: &str) -> Self {
        Kind::NoNames { kind: kind.to_owned() }.into()
    }

    pub(crate) fn unknown_key(place: String, key: &str, kind: &'static str, others: &[&'static str]) -> Self {
        Kind::UnknownKey { place, key: key.to_owned(), kind, others: others.to_vec() }.into()
    }

    pub(crate) fn renamed(place: String, key: &str, new: &'static str) -> Self {
        Kind::Renamed { place, key: key.to_owned(), new }.into()
    }

    /// `key` counts only where the key `on` has one of `values`; it has `value`.
    pub(crate) fn idle_key(
        place: String,
        key: &'static str,
        on: &'static str,
        values: &'static [&'static str],
        value: String,
    ) -> Self {
        Kind::IdleKey { place, key, on, values, value }.into()
    }

    pub(crate) fn value(key: &'static str, value: impl fmt::Display, known: impl fmt::Display) -> Self {
        Kind::Value { key, value: value.to_string(), known: known.to_string() }.into()
    }

    pub(crate) fn section(key: &str, example: &str) -> Self {
        Kind::Section { key: key.to_owned(), example: example.to_owned() }.into()
    }

    pub(crate) fn not_a_section(key: &str, part: &str) -> Self {
        Kind::NotASection { key: key.to_owned(), part: part.to_owned() }.into()
    }

    pub(crate) fn device(name: &str, reason: String) -> Self {
        Kind::Device { name: name.to_owned(), reason }.into()
    }

    pub(crate) fn missing(key: &'static str, flag: &'static str) -> Self {
        Kind::Missing { key, flag }.into()
    }

    pub(crate) fn unknown_id(path: &Path, name: &str, id: &str) -> Self {
        Kind::UnknownId { path: path.to_owned(), name: name.to_owned(), id: id.to_owned() }.into()
    }

    pub(crate) fn too_few(concepts: usize) -> Self {
        Kind::TooFew { concepts }.into()
    }

    pub(crate) fn nothing_asked() -> Self {
        Kind::NothingAsked.into()
    }

    pub(crate) fn nothing_to_evaluate() -> Self {
        Kind::NothingToEvaluate.into()
    }

    pub(crate) fn partly_annotated() -> Self {
        Kind::PartlyAnnotated.into()
    }

    pub(crate) fn no_types() -> Self {
        Kind::NoTypes.into()
    }

    pub(crate) fn no_description(kind: &str) -> Self {
        Kind::NoDescription { kind: kind.to_owned() }.into()
    }

    pub(crate) fn long_description(kind: &str, tokens: usize) -> Self {
        Kind::LongDescription { kind: kind.to_owned(), tokens }.into()
    }

    pub(crate) fn no_mention(corpus: &str, others: &BTreeMap<String, usize>) -> Self {
        Kind::NoMention { corpus: corpus.to_owned(), others: others.clone() }.into()
    }

    pub(crate) fn no_linked_mention(corpus: &Path) -> Self {
        Kind::NoLinkedMention { corpus: corpus.to_owned() }.into()
    }

    /// Reports that nothing is left to learn: all is `held_out`, or no mention has a choice.
    pub(crate) fn nothing_to_learn(held_out: bool) -> Self {
        Kind::NothingToLearn { held_out }.into()
    }

    /// Reports documents to evaluate on that were learnt.
    pub(crate) fn learnt_dev(learnt: usize, documents: usize, by: impl Into<String>) -> Self {
        Kind::LearntDev { learnt, documents, by: by.into() }.into()
    }

    pub(crate) fn no_document(path: &Path, problem: Option<Problem>) -> Self {
        Kind::NoDocument { path: path.to_owned(), problem }.into()
    }

    pub(crate) fn sentence(problem: Problem) -> Self {
        Kind::Sentence { problem }.into()
    }

    pub(crate) fn corpus_exists(path: &Path) -> Self {
        Kind::CorpusExists { path: path.to_owned() }.into()
    }

    pub(crate) fn unfinished_corpus(path: &Path) -> Self {
        Kind::UnfinishedCorpus { path: path.to_owned() }.into()
    }

    pub(crate) fn other_corpus(path: &Path, what: &'static str) -> Self {
        Kind::OtherCorpus { path: path.to_owned(), what }.into()
    }

    pub(crate) fn no_pairs(distance: usize) -> Self {
        Kind::NoPairs { distance }.into()
    }

    pub(crate) fn lost_concept(id: &str) -> Self {
        Kind::LostConcept { id: id.to_owned() }.into()
    }

    pub(crate) fn state(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Kind::State { path: path.to_owned(), source: source.into() }.into()
    }

    pub(crate) fn other_run(path: &Path, what: impl Into<String>) -> Self {
        Kind::OtherRun { path: path.to_owned(), what: what.into() }.into()
    }

    pub(crate) fn occupied(path: &Path, has_checkpoint: bool) -> Self {
        Kind::Occupied { path: path.to_owned(), has_checkpoint }.into()
    }

    pub(crate) fn index(source: truename_index::Error) -> Self {
        Kind::Index(source).into()
    }

    pub(crate) fn not_finite(step: u64, loss: f64) -> Self {
        Kind::NotFinite { step, loss }.into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Recipe { path, .. } => write!(f, "{} is not a recipe", path.display()),
            Kind::Types { .. } => f.write_str("a key of the recipe has a value of another type"),
            Kind::Unwritable { .. } => f.write_str("the recipe cannot be written as TOML"),
            Kind::NoTask { path, .. } => write!(f, "{} names no kind of task", path.display()),
            Kind::OldRun { path } => {
                write!(f, "{} was written by an earlier version: it names no kind of task", path.display())
            }
            Kind::NoNames { kind } => write!(f, "a task of the kind {kind} does not learn from names"),
            Kind::UnknownKey { place, key, kind, others } if others.is_empty() => {
                write!(f, "{place}: {kind} has no key {key}")
            }
            Kind::UnknownKey { place, key, kind, others } => {
                write!(f, "{place}: {key} is a key of {}, not of {kind}", others.join(" and "))
            }
            Kind::Renamed { place, key, new } => write!(f, "{place}: {key} is now {new}"),
            Kind::IdleKey { place, key, on, values, value } => {
                write!(f, "{place}: {key} counts only where {on} is \"{}\"; it is {value}", values.join("\" or \""))
            }
            Kind::Value { key, value, known } => write!(f, "{key} is {value}; it must be {known}"),
            Kind::Section { key, .. } => write!(f, "`{key}` is a section, not a key"),
            Kind::NotASection { key, part } => write!(f, "--set {key}: `{part}` is a key, not a section"),
            Kind::Device { reason, .. } => f.write_str(reason),
            Kind::Missing { key, .. } => write!(f, "the recipe does not set {key}"),
            Kind::UnknownId { path, name, id } => {
                write!(f, "{}: \"{name}\" has the id {id}, which the knowledge base does not have", path.display())
            }
            Kind::TooFew { concepts } => write!(
                f,
                "the data has {concepts} concept{} with a name; training needs 2",
                if *concepts == 1 { "" } else { "s" }
            ),
            Kind::NothingAsked => f.write_str("evaluation.patience needs names to ask for, and there are none"),
            Kind::NothingToEvaluate => {
                f.write_str("the recipe evaluates during the run, and there is nothing to evaluate on")
            }
            Kind::PartlyAnnotated => {
                f.write_str("a corpus does not annotate all types, and a tagger takes every other word for no mention")
            }
            Kind::NoTypes => f.write_str("the recipe names no type of mentions"),
            Kind::NoDescription { kind } => write!(f, "types.{kind} is no description"),
            Kind::LongDescription { kind, tokens } => {
                write!(f, "types.{kind} is longer than the {tokens} tokens that the encoder reads")
            }
            Kind::NoMention { corpus, .. } => write!(f, "{corpus} has no mention of a type of the recipe"),
            Kind::NoLinkedMention { corpus } => {
                write!(f, "no mention of {} has an id of the knowledge base", corpus.display())
            }
            Kind::NothingToLearn { held_out: true } => {
                f.write_str("all documents with a mention to learn are held out")
            }
            Kind::NothingToLearn { held_out: false } => {
                f.write_str("no mention to learn has a candidate beside the right one")
            }
            Kind::LearntDev { learnt, documents, by } => {
                write!(f, "{by} has learnt {learnt} of the {documents} documents with mentions to evaluate on")
            }
            Kind::NoDocument { path, problem: None } => write!(f, "{} has no document", path.display()),
            Kind::NoDocument { path, problem: Some(problem) } => {
                write!(f, "{} has no document that can be read: {problem}", path.display())
            }
            Kind::Sentence { problem } => problem.fmt(f),
            Kind::CorpusExists { path } => write!(f, "{} is there already", path.display()),
            Kind::UnfinishedCorpus { path } => write!(f, "{} holds an unfinished corpus", path.display()),
            Kind::OtherCorpus { path, what } => write!(f, "the corpus in {} was begun with {what}", path.display()),
            Kind::NoPairs { distance } => {
                write!(f, "no concept has two sentences whose names are {distance} edits or more apart")
            }
            Kind::LostConcept { id } => {
                write!(f, "a sentence stands for {id}, which the knowledge base does not have any more")
            }
            Kind::State { path, .. } => write!(f, "{} cannot be read as the state of a run", path.display()),
            Kind::OtherRun { path, what } => write!(f, "the run in {} was begun with {what}", path.display()),
            Kind::Occupied { path, has_checkpoint: true } => write!(f, "{} holds a run already", path.display()),
            Kind::Occupied { path, has_checkpoint: false } => {
                write!(f, "{} holds a model and no checkpoint of a run", path.display())
            }
            Kind::NotFinite { step, loss } => {
                write!(f, "the gradient of step {step} is not finite; the loss is {loss}")
            }
            Kind::Kb(source) => source.fmt(f),
            Kind::Index(source) => source.fmt(f),
            Kind::Corpus(source) => source.fmt(f),
            Kind::Read(source) => source.fmt(f),
            Kind::Eval(source) => source.fmt(f),
            Kind::Infer(source) => source.fmt(f),
            Kind::Linker(source) => source.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            Kind::Recipe { source, .. } | Kind::Types { source } => Some(source),
            Kind::Unwritable { source } => Some(source),
            Kind::State { source, .. } => Some(&**source),
            Kind::Kb(source) => source.source(),
            Kind::Index(source) => source.source(),
            Kind::Corpus(source) => source.source(),
            Kind::Read(source) => source.source(),
            Kind::Eval(source) => source.source(),
            Kind::Infer(source) => source.source(),
            Kind::Linker(source) => source.source(),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<truename_kb::Error> for Error {
    fn from(source: truename_kb::Error) -> Self {
        Kind::Kb(source).into()
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Kind::Read(source).into()
    }
}

impl From<truename_corpus::Error> for Error {
    fn from(source: truename_corpus::Error) -> Self {
        Kind::Corpus(source).into()
    }
}

impl From<truename_eval::Error> for Error {
    fn from(source: truename_eval::Error) -> Self {
        Kind::Eval(source).into()
    }
}

impl From<truename_infer::Error> for Error {
    fn from(source: truename_infer::Error) -> Self {
        Kind::Infer(source).into()
    }
}

impl From<truename::Error> for Error {
    fn from(source: truename::Error) -> Self {
        Kind::Linker(source).into()
    }
}
