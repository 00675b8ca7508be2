//! Arguments of `truename evaluate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::value::folds;
use super::{
    Clustering, ConceptArguments, DocumentArguments, EvaluateMappings, LinkerArguments, Linking, NilArguments,
    PairScorerArguments, PlaceholderArgument, RecognizerArguments, SubstituteArguments, TextArguments,
};

#[derive(Subcommand)]
pub enum Evaluate {
    /// Score linked names against judgements
    Names(EvaluateNames),
    /// Score linked documents against an annotated corpus
    ///
    /// Mentions are compared strictly (both bounds), by start, by end and loosely (any overlap), and must have the gold
    /// type where the knowledge base has one of that name. One part of a composite id (D001943|D010051) is enough, except
    /// in the scores of concepts. Mentions found within the mention of such an id, one of them discontinuous, are compared with it as one.
    /// Ids also match through cross-references, and with or without a prefix (MESH:D001249).
    Link(EvaluateLink),
    /// Score recognized mentions against an annotated corpus
    ///
    /// Without --recognizer it is the one that `link` uses. Mentions are compared strictly (both bounds), by start, by end
    /// and loosely (any overlap), and must have the gold type, ignoring case; where recognizer or corpus has no types, spans
    /// alone are compared. Gold mentions of the type `unknown` and found ones at their place do not count.
    Mentions(EvaluateMentions),
    /// Score a classifier, or a regression, on texts with labels
    ///
    /// Accuracy, precision, recall and F1 of the positive label (of several labels the mean) and Matthews' correlation; of values
    /// Pearson's and Spearman's correlation.
    Classes(EvaluateClasses),
    /// Score simpler words against those that people gave
    ///
    /// Precision, recall and F1 are those of the candidates of all words together; accuracy is the share of words that are replaced by
    /// a substitute that people gave (LSBert). Words are compared without regard to capitals.
    Substitutes(EvaluateSubstitutes),
    /// Score what texts say of mentions: negated, historical and the like
    Assertions(EvaluateAssertions),
    /// Score decisions about pairs of records against labels
    Pairs(EvaluatePairs),
    /// Score clusters of names against gold clusters, as CESI does
    ///
    /// The names of gold are clustered, unless --found names clusters. Macro: clusters that one cluster of the other side
    /// contains; micro: purity; pairwise: pairs within a cluster. Names that gold lacks are left out. In gold each name counts
    /// once; where all its names are written name|number, each of these mentions counts.
    Clusters(EvaluateClusters),
    /// Score the mappings of two vocabularies
    ///
    /// Mappings that say that two concepts are the same are compared by their ids, as CURIEs or IRIs. Where gold has wrong mappings too, the
    /// area under the ROC curve and the calibration error are those of all judged pairs.
    Mappings(EvaluateMappings),
}

#[derive(Args)]
pub struct EvaluateClasses {
    /// Texts with labels: CSV, TSV or JSONL, or records of Ditto, plain or gzipped
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    #[command(flatten)]
    pub texts: TextArguments,
    /// Column or field of the label or value [default: that of the data it learnt from]
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Label that precision, recall and F1 are of [default: that of the model]
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluateSubstitutes {
    /// Judgements, as LexMTurk has them (a header, then sentence, word and substitutes, separated by tabs) or BenchLS (sentence, word,
    /// position, rank:substitute)
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    /// Encoding of a file that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub encoding: Option<String>,
    #[command(flatten)]
    pub substitutes: SubstituteArguments,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write each word with its candidates and judgements as JSONL
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluateAssertions {
    /// Judgements: a table with the columns sentence and concept, and negation, temporality and experiencer, as NegEx's corpus has them, or
    /// assertions
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    /// Triggers in place of those of English
    #[arg(long, value_name = "FILE")]
    pub assertions: Option<PathBuf>,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluatePairs {
    /// Labelled pairs: a table with the columns left, right and label (1 or 0), or lines of Ditto (COL … VAL …), plain or
    /// gzipped
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    #[command(flatten)]
    pub scorer: PairScorerArguments,
    /// Number of errors shown and written, the most certain first
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub errors: u32,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluateClusters {
    /// Gold: a table with the columns name and cluster, or lines of cluster, size and names, separated by tabs (CUVA)
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    /// Clusters to score, in either form, as `truename cluster` writes them; without it the names of gold are clustered
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["kb", "encoder", "linkage", "words", "threshold", "labelled", "max_exact", "neighbours"])]
    pub found: Option<PathBuf>,
    #[command(flatten)]
    pub clustering: Clustering,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluateMentions {
    /// Annotated corpora: JSONL, PubTator, BioC XML or JSON, brat, CoNLL; files, folders or quoted patterns; may be given several times
    #[arg(long, required = true, value_name = "CORPUS")]
    pub gold: Vec<PathBuf>,
    #[command(flatten)]
    pub recognizer: RecognizerArguments,
    /// The same documents with the mentions of another tool, to score these; may be given several times
    #[arg(long, value_name = "CORPUS", conflicts_with_all = ["nested", "no_abbreviations"])]
    pub found: Vec<PathBuf>,
    /// Only mentions of this type, gold and found; may be given several times
    #[arg(long = "gold-type", value_name = "TYPE")]
    pub gold_types: Vec<String>,
    /// Training corpora, for the frequency of the texts of errors; may be given several times
    #[arg(long, value_name = "CORPUS")]
    pub train: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: DocumentArguments,
    /// Number of errors shown and written, the commonest first
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub errors: u32,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw precision, recall and F1 by threshold as SVG; needs a recognizer with scores
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    mut_arg("input_format", |format| format.help("Format of the corpus: jsonl, pubtator, bioc-xml, bioc-json, brat or conll [default: told by content and extension]")),
    mut_arg("offsets", |offsets| offsets.help("Unit of offsets in the corpus: bytes, chars or utf16")),
    mut_arg("encoding", |encoding| encoding.help("Encoding of a corpus that is not UTF-8 (a WHATWG label such as windows-1252)"))
)]
pub struct EvaluateLink {
    /// Annotated corpora: JSONL, PubTator, BioC XML or JSON, brat, CoNLL; files, folders or quoted patterns; may be given several times
    #[arg(long, required = true, value_name = "CORPUS")]
    pub gold: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Only gold mentions of this type; may be given several times
    #[arg(long = "gold-type", value_name = "TYPE")]
    pub gold_types: Vec<String>,
    /// Types of the corpus that count, parted by commas, with their names in the knowledge base where these are others
    /// (SpecificDisease=Disease,Chemical); mentions of other types are left out [default: all, as they are]
    #[arg(long = "types", value_name = "TYPE[=NAME]", value_delimiter = ',', value_parser = super::value::type_name)]
    pub type_names: Vec<(String, String)>,
    #[command(flatten)]
    pub linking: Linking,
    #[command(flatten)]
    pub documents: DocumentArguments,
    /// Number of kinds of error shown, the commonest first
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub errors: u32,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct EvaluateNames {
    /// Judgements: a table with the columns name and id (several accepted ids joined by |, empty = NIL)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["compare", "folds"])]
    pub gold: Option<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Cross-validate: hold out each of K parts of the knowledge base's names in turn, fit everything to the rest, and ask for
    /// the part
    #[arg(long, value_name = "K", value_parser = folds, conflicts_with_all = ["gold", "compare", "types"])]
    pub folds: Option<usize>,
    /// Train the encoder by this recipe, on the rest of each fold
    #[arg(long, value_name = "RECIPE", requires = "folds")]
    pub recipe: Option<PathBuf>,
    /// Change a key of the recipe, as schedule.epochs=4
    #[arg(long, value_name = "KEY=VALUE", requires = "recipe")]
    pub set: Vec<String>,
    /// Folder in which trained encoders are kept, and found by the next run
    #[arg(long, value_name = "DIR", requires = "recipe")]
    pub runs: Option<PathBuf>,
    #[command(flatten)]
    pub nil: NilArguments,
    /// Answer with the concepts of the K names with the nearest vectors, by their share of the cosines; 0 asks the ranker
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=32))]
    pub vote: u32,
    #[command(flatten)]
    pub concepts: ConceptArguments,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the plots nil-roc.svg and, of one system, nil-trade-off.svg and reliability.svg into this folder
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Number of errors of each kind shown and written, the commonest first
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub errors: u32,
    /// Write each name with its judgement and answers as JSONL
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Compare files of predictions with the first by a paired bootstrap; --plots draws their ROC curves in one picture
    #[arg(long, num_args = 2..=6, value_name = "FILE", conflicts_with_all = ["gold", "predictions"])]
    pub compare: Option<Vec<PathBuf>>,
}
