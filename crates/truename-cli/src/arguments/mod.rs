//! Everything the command line takes.

mod align;
mod annotate;
mod batch;
mod classify;
mod cluster;
mod concepts;
mod corpus;
mod dedupe;
mod distil;
mod documents;
mod encoder;
mod evaluate;
mod given;
mod kb;
mod link;
mod map;
mod match_names;
mod model;
mod nil;
mod reading;
mod recognize;
mod recognizer;
mod serve;
mod simplify;
mod table;
mod train;
mod value;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use align::{Align, EvaluateMappings, MappingFormat, MetadataArguments, Relation};
pub use annotate::Annotate;
pub use batch::{Batch, BatchMatch};
pub use classify::{Classify, TextArguments};
pub use cluster::{Cluster, ClusterFormat, Clustering};
pub use concepts::ConceptArguments;
pub use corpus::{Corpus, CorpusBuild};
pub use dedupe::{Dedupe, PairScorerArguments, RecordFormat, ScorerName};
pub use distil::Distil;
pub use documents::{AnsweredDocuments, DocumentArguments};
pub use encoder::{AdapterArgument, EncoderArgument, EncoderChoice, KbArgument, LinkerArguments};
pub use evaluate::{
    Evaluate, EvaluateAssertions, EvaluateClasses, EvaluateClusters, EvaluateLink, EvaluateMentions, EvaluateNames,
    EvaluatePairs, EvaluateSubstitutes,
};
pub use given::Given;
pub use kb::{Embed, Gather, Import, Kb, Learn, Models, ModelsCommand, Update};
pub use link::{Link, LinkFormat, Linking, PlaceholderArgument};
pub use map::Map;
pub use match_names::{InputFormat, Match, OutputFormat};
pub use model::Model;
pub use nil::NilArguments;
pub use recognize::Recognize;
pub use recognizer::{RecognizerArguments, RecognizerChoices};
pub use serve::{Export, Review, Serve};
pub use simplify::{Simplify, SimplifyFormat, SubstituteArguments};
pub use table::TableArguments;
pub use train::{RecipeChanges, RecipeCommand, Train, Tune};

/// Finds the entities that texts mention, or that messy names stand for, and gives each its identifier in your
/// knowledge base.
#[derive(Parser)]
#[command(name = "truename", version, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Number of threads [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print only errors on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Progress on stderr
    #[arg(long, global = true, value_enum, value_name = "FORM", default_value_t = ProgressForm::Auto)]
    pub progress: ProgressForm,
    /// Log each stage and its duration on stderr
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// Form of progress.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    /// A bar on a terminal, else a line each 10 s
    Auto,
    None,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make, inspect and change knowledge bases
    #[command(subcommand)]
    Kb(Kb),
    /// Find the entities that documents mention and give each its identifier
    Link(Given<Link>),
    /// Label documents with the names of a knowledge base, to train a recognizer without annotators
    ///
    /// Each name found becomes a mention of the type of its concepts, or of the type `unknown` where the dictionary does not
    /// decide: concepts of different types share the name, or it is a common word. Mentions that the documents have are
    /// replaced.
    Annotate(Annotate),
    /// Find the mentions of types of entities in documents, without a knowledge base
    Recognize(Recognize),
    /// Give each name of a list or column its identifier
    Match(Given<Match>),
    /// Match big tables by several processes
    #[command(subcommand)]
    Batch(Batch),
    /// Give each text, or pair of texts, of a table its label and probability, or its value
    ///
    /// Rows pass through and gain the columns `label` and `probability`, or `value` by a regression.
    Classify(Classify),
    /// Find simpler words for the rare words of texts
    ///
    /// Substitutes come from a masked-language model (--model), from synonyms (--synonyms, --kb) or from both. Their ranks by fit in
    /// context, similarity (--encoder) and frequency (--frequencies) count alike. A word is kept where its best substitute is neither
    /// commoner nor fits the text around it better.
    Simplify(Simplify),
    /// Find the records of a table, or of two, that stand for the same thing
    ///
    /// Each record is compared with its nearest others. Pairs with at least the threshold join two records; within what is
    /// joined, clusters are formed by average linkage.
    Dedupe(Box<Dedupe>),
    /// Cluster names that stand for one thing, and give each cluster a canonical name
    ///
    /// The names of a list or table, or the subjects and objects of triples, are clustered bottom-up by the vectors of an
    /// encoder and by shared words, or by letters without an encoder. Names are compared as they are written, each once.
    Cluster(Cluster),
    /// Map the concepts of one vocabulary onto those of another
    ///
    /// Concepts are compared by all their names, by the concepts around them in both hierarchies, and by shared cross-references, types and
    /// definitions. Each mapping has a probability and its evidence, in the fields of SSSOM. No labels are needed; --known and --exclude take
    /// some.
    Align(Box<Align>),
    /// Score answers against judgements
    #[command(subcommand)]
    Evaluate(Evaluate),
    /// Draw the vectors of names by t-SNE, as SVG and CSV
    ///
    /// The names of concepts are drawn in colour, queried names with their text, and a sample of the other names in grey.
    /// A queried name whose nearest concept is not asked for brings its three nearest concepts with it.
    Map(Map),
    /// Fit ranker, probability and NIL threshold to a knowledge base
    Calibrate(Calibrate),
    /// Build sentences that an encoder learns synonyms in context from
    #[command(subcommand)]
    Corpus(Corpus),
    /// Teach an encoder the names of a knowledge base
    Train(Train),
    /// Teach a smaller model the answers of a larger one, on texts and names without labels
    Distil(Distil),
    /// Look for a better recipe by cross-validation
    ///
    /// The names are cut into parts. Each setting is trained on all parts but one and asked for that one, for each part in turn.
    /// Prints the mean accuracy of each setting with its standard deviation over the parts, the best first.
    Tune(Tune),
    /// Explain the keys of a recipe
    #[command(subcommand)]
    Recipe(RecipeCommand),
    /// Serve knowledge bases: a page, an API, and reconciliation for OpenRefine
    Serve(Serve),
    /// Write what people judged at the server's page
    #[command(subcommand)]
    Review(Review),
    /// Fetch, list and inspect pretrained encoders
    #[command(subcommand)]
    Model(Model),
    /// Print a completion script for a shell
    Completions { shell: Shell },
    /// Print the manual page of truename, or of one of its commands
    Man {
        /// The command, as in `truename man kb import` [default: the page of all commands]
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
}

#[derive(Args)]
pub struct Calibrate {
    /// Knowledge base to calibrate
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: PathBuf,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    /// Judgements: a table with the columns name and id (several accepted ids joined by |, empty = NIL), or annotated documents
    ///
    /// Documents (PubTator, BioC, brat or JSONL) also fit the re-ranker in the knowledge base: half of them the ranker, the other
    /// half the re-ranker's probabilities. Neither may have learnt them.
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Largest number of names that are held out in turn
    #[arg(long, default_value_t = 8000, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=1_000_000))]
    pub names: u32,
    /// Print the gains as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        super::Arguments::command().debug_assert();
    }
}
