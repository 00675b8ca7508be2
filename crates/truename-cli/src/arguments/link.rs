//! Arguments of `truename link`, and the options of linking that other commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use truename::{Ambiguous, Placeholders};

use super::value::MOST_CANDIDATES;
use super::{AnsweredDocuments, ConceptArguments, LinkerArguments, NilArguments, RecognizerChoices};

// In `--help`, `--input-format` stands before `--format`, and `--placeholders` after `--threads`.
#[derive(Args)]
#[command(
    mut_arg("input_format", |input_format| input_format.display_order(1)),
    mut_arg("placeholders", |placeholders| placeholders.display_order(13))
)]
pub struct Link {
    /// Documents: plain text, JSONL, PubTator, BioC XML or JSON, brat, CoNLL; files, folders or quoted patterns, - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Output format
    #[arg(long, value_enum, default_value_t = LinkFormat::Jsonl)]
    pub format: LinkFormat,
    /// Output file, or folder for brat [default: stdout]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Go on where a run of the same command was killed; the output is the same file (jsonl, csv, pubtator and conll)
    ///
    /// The unfinished output is OUT.partial, and OUT.resume beside it says how far it is. A run with another input, other options or
    /// another knowledge base is refused.
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Type of mentions whose recognizer and concept have none [default: Entity in pubtator, bioc, brat and conll]
    #[arg(long, value_name = "NAME", value_parser = super::value::filled)]
    pub type_name: Option<String>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them (CSV)
    #[arg(long)]
    pub csv_safe: bool,
    /// Link the mentions that the documents have, and look for no others
    #[arg(long, conflicts_with_all = ["nested", "composites", "recognizer", "no_models", "entity_types", "entity_type", "joint", "min_margin"])]
    pub mentions: bool,
    /// Candidates given for each mention [default: 1, and 5 in HTML]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
    pub top: Option<u32>,
    /// Explain each answer in words, in JSONL, CSV and HTML
    #[arg(long)]
    pub explain: bool,
    /// Leave out mentions that the text negates, only supposes or has of somebody else than the patient
    #[arg(long)]
    pub asserted: bool,
    /// Triggers that tell what a text says of its mentions, in place of those of English; `none` for no assertions
    ///
    /// FILE has the columns of crates/truename-text/src/assertion/english.tsv in the sources: phrase, effect, direction.
    #[arg(long, value_name = "FILE")]
    pub assertions: Option<PathBuf>,
    #[command(flatten)]
    pub linking: Linking,
    #[command(flatten)]
    pub documents: AnsweredDocuments,
}

/// Text that is no name.
#[derive(Args)]
pub struct PlaceholderArgument {
    /// Words that stand for no name, one a line, beside the built-in ones
    ///
    /// A name cell often holds what is no name: a number, a date, or a word such as `unknown`, `n/a`, `none` or `-`. It is
    /// answered NIL unless a concept has that very name. FILE adds words to the built-in list, which is
    /// crates/truename-text/src/placeholder/words.txt in the sources; a line `!other` takes the word "other" out of it, and a
    /// line that begins with "# " is a comment.
    #[arg(long, value_name = "FILE")]
    pub placeholders: Option<PathBuf>,
}

impl PlaceholderArgument {
    pub fn read(&self) -> Result<Option<Arc<Placeholders>>, truename::Error> {
        let placeholders =
            self.placeholders.as_deref().map_or_else(|| Ok(Placeholders::default()), Placeholders::read)?;
        Ok(Some(Arc::new(placeholders)))
    }
}

/// Options for finding and linking mentions.
#[derive(Args)]
pub struct Linking {
    #[command(flatten)]
    pub concepts: ConceptArguments,
    #[command(flatten)]
    pub nil: NilArguments,
    #[command(flatten)]
    pub recognizer: RecognizerChoices,
    /// Find mentions within mentions too
    #[arg(long)]
    pub nested: bool,
    /// Read `breast and ovarian cancer` as each of its names, where the knowledge base has them
    #[arg(long)]
    pub composites: bool,
    /// Link by names alone, without the models of the knowledge base that read the text
    #[arg(long)]
    pub no_context: bool,
    /// Encode each mention in its sentence, though the encoder did not learn it
    #[arg(long, conflicts_with = "no_context")]
    pub encode_in_context: bool,
    /// Give mentions of a document that are written alike one answer
    #[arg(long)]
    pub one_sense: bool,
    /// Add WEIGHT to the logit of a candidate that is the certain answer of a mention with another name in the document
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0, value_parser = super::value::weight)]
    pub neighbours: f64,
    /// Leave out candidates without the type that the recognizer or the document gave, where concepts have that type
    #[arg(long)]
    pub typed: bool,
    /// Answer to a name that several concepts share
    #[arg(long, value_enum, default_value_t = Shared::Best, value_name = "POLICY")]
    pub ambiguous: Shared,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
    /// Names that are never mentions, one a line
    #[arg(long, value_name = "FILE")]
    pub stop_names: Option<PathBuf>,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shared {
    /// The concept that the document also mentions by another name, else the likeliest
    Best,
    /// The same, with all of them among the candidates
    All,
    /// NIL
    Nil,
}

impl From<Shared> for Ambiguous {
    fn from(policy: Shared) -> Self {
        match policy {
            Shared::Best => Self::Best,
            Shared::All => Self::All,
            Shared::Nil => Self::Nil,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkFormat {
    /// One JSON object a document
    Jsonl,
    /// A row a mention
    Csv,
    Pubtator,
    BiocXml,
    BiocJson,
    /// A folder of .txt and .ann files
    Brat,
    /// A token with its tag (IOB2) a line; of overlapping mentions the first and longest
    Conll,
    /// One page to look at, all in one file
    Html,
    /// Coloured text
    Terminal,
}

impl LinkFormat {
    /// Type of mentions that have none, in the formats whose readers expect a type.
    const TYPE_NAME: &str = "Entity";

    /// Returns the type of mentions that have none: the given one, else the default of the format.
    pub fn type_name(self, given: Option<&str>) -> Option<String> {
        let is_exchanged = !matches!(self, Self::Jsonl | Self::Csv | Self::Html | Self::Terminal);
        given.or(is_exchanged.then_some(Self::TYPE_NAME)).map(str::to_owned)
    }

    /// Returns true if what is written is a whole output after each document.
    pub fn is_resumable(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Pubtator | Self::Conll)
    }
}
