use std::fmt;
use std::path::{Path, PathBuf};

use truename_files::{IRREGULAR_HINT, is_irregular};
use truename_text::Span;

/// Maximum number of characters of a name in a message.
const MAX_SHOWN_CHARACTERS: usize = 80;

/// Failure of linking or of a knowledge base.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    KnowledgeBase(truename_kb::Error),
    Read(truename_read::Error),
    Index(truename_index::Error),
    Io {
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    Ranker(postcard::Error),
    Encoder(truename_infer::Error),
    DamagedEncoder {
        name: String,
        old_vectors_kept: bool,
    },
    EncoderMismatch {
        path: PathBuf,
        made_by: Option<String>,
        given: PathBuf,
    },
    VectorsReplaced(PathBuf),
    IncompleteVectors {
        path: PathBuf,
        without: u64,
    },
    UnknownType {
        name: String,
        known: Vec<String>,
    },
    UnknownAliasSource {
        name: String,
        known: Vec<String>,
    },
    TooFewNames {
        found: usize,
        needed: usize,
    },
    TooFewMentions {
        found: usize,
        needed: usize,
    },
    ModelMissing {
        kb: PathBuf,
        folder: PathBuf,
        source: String,
    },
    ModelChanged {
        kb: PathBuf,
        folder: PathBuf,
        source: String,
    },
    /// `damaged` is the folder of an encoder that cannot be finished, but trained again.
    UnfinishedFolds {
        encoder: PathBuf,
        reason: String,
        damaged: Option<PathBuf>,
    },
    LearntGold {
        learnt: usize,
        gold: usize,
        encoder: PathBuf,
    },
    SpanOutside {
        name: String,
        span: Span,
        bytes: usize,
    },
    LearntDocuments {
        learnt: usize,
        documents: usize,
    },
    NoModel {
        kb: PathBuf,
        role: &'static str,
    },
    UnknownRole(String),
    WordList {
        path: PathBuf,
        line: u64,
        message: String,
    },
    NoSubstitutes,
    FixedTypes,
    TooManyVectorSets,
    Recognizer(String),
    Reranker(String),
    NoPairClassifier {
        folder: PathBuf,
        reason: String,
    },
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Wraps the error of a recognizer, re-ranker or other part outside Truename.
    pub fn other(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(Kind::Other(cause.into()))
    }

    /// Returns advice, if there is any.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.hint(),
            Kind::Io { source, .. } if is_irregular(source) => Some(IRREGULAR_HINT.into()),
            Kind::Read(source) => source.hint().map(str::to_owned),
            Kind::Index(source) if source.is_missing() => Some("import the sources again".into()),
            Kind::Ranker(_) => {
                Some("fit the ranker anew: `truename calibrate --kb DIR`, with --encoder DIR where one is used".into())
            }
            Kind::Encoder(source) => source.hint().map(ToString::to_string),
            Kind::IncompleteVectors { path, .. } => {
                Some(format!("make them: `truename kb embed --kb {} --encoder DIR`", path.display()))
            }
            Kind::EncoderMismatch { path, made_by, given } => {
                let embed = format!("`truename kb embed --kb {} --encoder {}`", path.display(), given.display());
                Some(match made_by {
                    Some(folder) => format!("give that of {folder}, or replace the vectors: {embed}"),
                    None => format!("make them: {embed}"),
                })
            }
            Kind::ModelMissing { kb, source, .. } | Kind::ModelChanged { kb, source, .. } => Some(format!(
                "copy it there again: `truename kb models add {source} --kb {}`; or do without it: without an encoder by \
                 `--encoder none`, without a retriever or re-ranker by `--no-context`",
                kb.display()
            )),
            Kind::UnfinishedFolds { damaged: None, .. } => {
                Some("finish them: `truename train` with the same recipe and --resume".into())
            }
            Kind::UnfinishedFolds { damaged: Some(folder), .. } => Some(format!(
                "train it again: delete {}, then `truename train` with the same recipe and --resume",
                folder.display()
            )),
            Kind::LearntGold { .. } => Some(
                "give names that it did not learn, or train it with `--set ranker.folds=2`: then each name is judged by an \
                 encoder that did not learn it"
                    .into(),
            ),
            Kind::SpanOutside { .. } => Some("spans count the bytes of the text, from 0, and end between two characters".into()),
            Kind::LearntDocuments { .. } => Some("give documents that neither learnt".into()),
            Kind::NoModel { kb, .. } => Some(format!("`truename kb models --kb {}` lists them", kb.display())),
            Kind::UnknownRole(_) => Some("the roles are: encoder, recognizer, retriever, reranker".into()),
            Kind::WordList { .. } => Some(
                "word lists are `word TAB count`; synonyms are WordNet's data files, PPDB's clusters, or CSV and TSV with the \
                 synonyms of a row; other encodings are converted by `iconv -t utf-8`"
                    .into(),
            ),
            Kind::NoSubstitutes => Some("give a masked-language model, synonyms or a knowledge base".into()),
            Kind::NoPairClassifier { .. } => {
                Some("train one on labelled pairs: `truename train recipes/record-pairs.toml`".into())
            }
            Kind::FixedTypes => Some("train a recognizer by `task.kind = \"recognize\"`".into()),
            Kind::VectorsReplaced(_) => Some("let one process at a time embed a knowledge base".into()),
            Kind::UnknownType { known, .. } if !known.is_empty() => Some(format!("its types are {}", known.join(", "))),
            Kind::UnknownAliasSource { known, .. } => Some(format!("its sources are {}", known.join(", "))),
            Kind::TooFewMentions { .. } => Some("give more documents; the re-ranker keeps its probabilities".into()),
            Kind::TooFewNames { .. } => Some("without calibration the ranker that comes with truename is used".into()),
            _ => None,
        }
    }

    /// Returns whether the file, folder or concept asked for is not there.
    pub fn is_not_found(&self) -> bool {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.is_not_found(),
            Kind::Read(source) => source.is_not_found(),
            Kind::Encoder(source) => source.is_not_found(),
            Kind::ModelMissing { .. } | Kind::NoModel { .. } => true,
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Returns whether a knowledge base is damaged: changed or truncated from outside.
    pub fn is_damaged(&self) -> bool {
        matches!(&self.0, Kind::KnowledgeBase(source) if source.is_damaged())
    }

    /// Returns whether the work was stopped on request.
    pub fn is_interrupted(&self) -> bool {
        matches!(&self.0, Kind::KnowledgeBase(source) if source.is_interrupted())
    }

    /// Returns true if options name a type or source that the knowledge base lacks, or a span lies outside its document.
    pub fn is_bad_choice(&self) -> bool {
        matches!(
            self.0,
            Kind::UnknownType { .. } | Kind::UnknownAliasSource { .. } | Kind::SpanOutside { .. } | Kind::FixedTypes
        )
    }

    /// Returns whether a knowledge base has too few names to fit a ranker to.
    pub fn is_too_few_names(&self) -> bool {
        matches!(self.0, Kind::TooFewNames { .. })
    }

    /// Returns whether a model in the folder of a knowledge base is missing or was changed.
    pub fn is_model_changed(&self) -> bool {
        matches!(self.0, Kind::ModelMissing { .. } | Kind::ModelChanged { .. })
    }

    /// Returns whether the knowledge base has no vectors, or another encoder made them.
    pub fn is_encoder_mismatch(&self) -> bool {
        matches!(self.0, Kind::EncoderMismatch { .. })
    }

    /// Returns whether an encoder returned a number that is not finite.
    pub(crate) fn is_damaged_encoder(&self) -> bool {
        matches!(self.0, Kind::DamagedEncoder { .. })
    }

    pub(crate) fn damaged_encoder(name: &str) -> Self {
        let name = name.chars().take(MAX_SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
        Self(Kind::DamagedEncoder { name, old_vectors_kept: false })
    }

    /// Adds that the earlier vectors are kept.
    pub(crate) fn with_old_vectors_kept(mut self) -> Self {
        if let Kind::DamagedEncoder { old_vectors_kept, .. } = &mut self.0 {
            *old_vectors_kept = true;
        }
        self
    }

    pub(crate) fn encoder_mismatch(path: &Path, made_by: Option<String>, given: &Path) -> Self {
        Self(Kind::EncoderMismatch { path: path.to_owned(), made_by, given: given.to_owned() })
    }

    pub(crate) fn incomplete_vectors(path: &Path, without: u64) -> Self {
        Self(Kind::IncompleteVectors { path: path.to_owned(), without })
    }

    pub(crate) fn vectors_replaced(path: &Path) -> Self {
        Self(Kind::VectorsReplaced(path.to_owned()))
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self(Kind::Io { action, path: path.to_owned(), source })
    }

    pub(crate) fn damaged(what: &'static str) -> Self {
        truename_kb::Error::damaged_record(what).into()
    }

    pub(crate) fn unknown_type(name: &str, known: Vec<String>) -> Self {
        Self(Kind::UnknownType { name: name.to_owned(), known })
    }

    pub(crate) fn unknown_alias_source(name: &str, known: Vec<String>) -> Self {
        Self(Kind::UnknownAliasSource { name: name.to_owned(), known })
    }

    pub(crate) fn model_missing(kb: &Path, folder: &Path, source: &str) -> Self {
        Self(Kind::ModelMissing { kb: kb.to_owned(), folder: folder.to_owned(), source: source.to_owned() })
    }

    pub(crate) fn model_changed(kb: &Path, folder: &Path, source: &str) -> Self {
        Self(Kind::ModelChanged { kb: kb.to_owned(), folder: folder.to_owned(), source: source.to_owned() })
    }

    pub(crate) fn unfinished_folds(encoder: &Path, reason: String) -> Self {
        Self(Kind::UnfinishedFolds { encoder: encoder.to_owned(), reason, damaged: None })
    }

    /// Creates the error of an encoder among those of `ranker.folds` that is missing or was changed.
    pub(crate) fn damaged_fold(encoder: &Path, folder: &Path, reason: &str) -> Self {
        let reason = format!("{} {reason}", folder.display());
        Self(Kind::UnfinishedFolds { encoder: encoder.to_owned(), reason, damaged: Some(folder.to_owned()) })
    }

    pub(crate) fn learnt_gold(learnt: usize, gold: usize, encoder: &Path) -> Self {
        Self(Kind::LearntGold { learnt, gold, encoder: encoder.to_owned() })
    }

    pub(crate) fn span_outside(name: &str, span: Span, bytes: usize) -> Self {
        Self(Kind::SpanOutside { name: name.to_owned(), span, bytes })
    }

    pub(crate) fn learnt_documents(learnt: usize, documents: usize) -> Self {
        Self(Kind::LearntDocuments { learnt, documents })
    }

    pub(crate) fn no_model(kb: &Path, role: &'static str) -> Self {
        Self(Kind::NoModel { kb: kb.to_owned(), role })
    }

    /// Reports a line of a word list or synonym vocabulary; line 0 is the whole.
    pub(crate) fn word_list(path: &Path, line: u64, message: String) -> Self {
        Self(Kind::WordList { path: path.to_owned(), line, message })
    }

    /// Reports that there is nothing to take substitutes from.
    pub(crate) fn no_substitutes() -> Self {
        Self(Kind::NoSubstitutes)
    }

    pub(crate) fn fixed_types() -> Self {
        Self(Kind::FixedTypes)
    }

    pub(crate) fn unknown_role(name: &str) -> Self {
        Self(Kind::UnknownRole(name.to_owned()))
    }

    pub(crate) fn no_pair_classifier(folder: &Path, reason: String) -> Self {
        Self(Kind::NoPairClassifier { folder: folder.to_owned(), reason })
    }

    pub(crate) fn too_many_vector_sets() -> Self {
        Self(Kind::TooManyVectorSets)
    }

    /// Creates the error of a recognizer that broke its contract.
    pub(crate) fn recognizer(found: String) -> Self {
        Self(Kind::Recognizer(found))
    }

    /// Creates the error of a re-ranker that broke its contract.
    pub(crate) fn reranker(found: String) -> Self {
        Self(Kind::Reranker(found))
    }

    /// Creates the error of a stored ranker that cannot be read.
    pub(crate) fn ranker(source: postcard::Error) -> Self {
        Self(Kind::Ranker(source))
    }

    pub(crate) fn too_few_mentions(found: usize, needed: usize) -> Self {
        Self(Kind::TooFewMentions { found, needed })
    }

    pub(crate) fn too_few_names(found: usize, needed: usize) -> Self {
        Self(Kind::TooFewNames { found, needed })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.fmt(f),
            Kind::Read(source) => source.fmt(f),
            Kind::Index(source) => source.fmt(f),
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Ranker(_) => f.write_str("the ranker of this knowledge base cannot be read"),
            Kind::Encoder(source) => source.fmt(f),
            Kind::DamagedEncoder { name, old_vectors_kept } => {
                let kept = if *old_vectors_kept { " The old vectors are kept." } else { "" };
                write!(f, "The encoder returned NaN for \"{name}\"; its weights are damaged.{kept}")
            }
            Kind::EncoderMismatch { path, made_by: None, .. } => {
                write!(f, "the names of {} have no vectors", path.display())
            }
            Kind::EncoderMismatch { path, made_by: Some(_), given } => {
                write!(f, "the vectors of {} are by another encoder than {}", path.display(), given.display())
            }
            Kind::IncompleteVectors { path, without } => {
                write!(f, "{without} names of {} have no vector", path.display())
            }
            Kind::VectorsReplaced(path) => {
                write!(f, "another process began to replace the vectors of {}", path.display())
            }
            Kind::ModelMissing { folder, .. } => write!(f, "the model {} is missing", folder.display()),
            Kind::ModelChanged { folder, .. } => {
                write!(
                    f,
                    "the model {} was changed: it no longer has the hash that the vectors were made with",
                    folder.display()
                )
            }
            Kind::UnfinishedFolds { encoder, reason, .. } => {
                write!(f, "the encoders of ranker.folds in {} are not whole: {reason}", encoder.display())
            }
            Kind::LearntGold { learnt, gold, encoder } => {
                write!(f, "the encoder {} learnt {learnt} of {gold} judgements", encoder.display())
            }
            Kind::SpanOutside { name, span: Span { start, end }, bytes } => {
                write!(f, "the span {start}..{end} of \"{name}\" is no part of its document, which has {bytes} bytes")
            }
            Kind::LearntDocuments { learnt, documents } => {
                write!(f, "the retriever or the re-ranker learnt {learnt} of {documents} documents")
            }
            Kind::NoModel { kb, role } => write!(f, "{} has no {role}", kb.display()),
            Kind::UnknownRole(name) => write!(f, "no model has the role \"{name}\""),
            Kind::WordList { path, line: 0, message } => write!(f, "{}: {message}", path.display()),
            Kind::WordList { path, line, message } => write!(f, "{}:{line}: {message}", path.display()),
            Kind::NoSubstitutes => f.write_str("there is no source of substitutes"),
            Kind::NoPairClassifier { folder, reason } => {
                write!(f, "{} is no classifier of pairs: it {reason}", folder.display())
            }
            Kind::FixedTypes => f.write_str("a tagger finds the types that it was trained on, and no others"),
            Kind::TooManyVectorSets => f.write_str("the knowledge base has no room for another set of vectors"),
            Kind::Recognizer(found) => write!(f, "the recognizer gave {found}"),
            Kind::Reranker(found) => write!(f, "the re-ranker gave {found}"),
            Kind::Other(source) => source.fmt(f),
            Kind::UnknownType { name, .. } => write!(f, "no concept has the type \"{name}\""),
            Kind::UnknownAliasSource { name, .. } => write!(f, "no alias comes from \"{name}\""),
            Kind::TooFewMentions { found, needed } => write!(
                f,
                "the probabilities of a re-ranker need at least {needed} mentions that it is asked for; half of the documents have {found}"
            ),
            Kind::TooFewNames { found, needed } => {
                write!(f, "a ranker needs at least {needed} names that can be held out; the knowledge base has {found}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            // The message above is the source's own; the chain continues with its cause.
            Kind::KnowledgeBase(source) => source.source(),
            Kind::Read(source) => source.source(),
            Kind::Index(source) => source.source(),
            Kind::Encoder(source) => source.source(),
            Kind::Io { source, .. } => Some(source),
            Kind::Ranker(source) => Some(source),
            // The message above is the source's own; the chain continues with its cause.
            Kind::Other(source) => source.source(),
            Kind::DamagedEncoder { .. }
            | Kind::EncoderMismatch { .. }
            | Kind::VectorsReplaced(_)
            | Kind::IncompleteVectors { .. }
            | Kind::ModelMissing { .. }
            | Kind::ModelChanged { .. }
            | Kind::UnfinishedFolds { .. }
            | Kind::LearntGold { .. }
            | Kind::SpanOutside { .. }
            | Kind::LearntDocuments { .. }
            | Kind::NoModel { .. }
            | Kind::UnknownRole(_)
            | Kind::NoPairClassifier { .. }
            | Kind::FixedTypes
            | Kind::WordList { .. }
            | Kind::NoSubstitutes
            | Kind::TooManyVectorSets
            | Kind::Recognizer(_)
            | Kind::Reranker(_)
            | Kind::UnknownType { .. }
            | Kind::UnknownAliasSource { .. }
            | Kind::TooFewMentions { .. }
            | Kind::TooFewNames { .. } => None,
        }
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Self(Kind::Read(source))
    }
}

impl From<truename_kb::Error> for Error {
    fn from(source: truename_kb::Error) -> Self {
        Self(Kind::KnowledgeBase(source))
    }
}

impl From<truename_index::Error> for Error {
    fn from(source: truename_index::Error) -> Self {
        match source.into_storage() {
            Ok(source) => truename_kb::Error::from(source).into(),
            Err(other) if other.is_damaged() => truename_kb::Error::damaged_record(other.to_string()).into(),
            Err(other) => Self(Kind::Index(other)),
        }
    }
}

impl From<truename_infer::Error> for Error {
    fn from(source: truename_infer::Error) -> Self {
        Self(Kind::Encoder(source))
    }
}
