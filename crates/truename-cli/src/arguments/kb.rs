//! Arguments of `truename kb`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::concepts::ConceptArguments;
use super::reading::Reading;
use super::value::MOST_CANDIDATES;
use super::{AdapterArgument, EncoderArgument, KbArgument, LinkerArguments};

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
    /// Write a knowledge base to one file, to copy it to other machines
    ///
    /// The file is called NAME-HASH.tar.zst, by the folder and by the hash of its own bytes. It holds the last committed state with the
    /// models attached; updates may go on meanwhile. Every command that reads a knowledge base takes it for --kb, and unpacks it into
    /// the cache the first time. Prints its path.
    Pack {
        /// Knowledge base to pack
        #[arg(value_name = "DIR")]
        kb: PathBuf,
        /// Folder of the file [default: the current folder]
        #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
        out: PathBuf,
    },
    /// Unpack the file that `kb pack` wrote
    ///
    /// Compares the file with the hash in its name. Prints the folder, at once where it is there already; one process unpacks at a time,
    /// and the others wait for it.
    Unpack {
        /// File to unpack
        #[arg(value_name = "FILE")]
        pack: PathBuf,
        /// Folder in which the folder NAME-HASH is made [default: `packs` in the cache]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// List the concepts whose names come closest to some words
    Search {
        /// The words
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        #[command(flatten)]
        kb: LinkerArguments,
        /// Number of concepts or names listed
        #[arg(long, default_value_t = 10, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
        top: u32,
        /// Only concepts of this type
        #[arg(long = "type", value_name = "TYPE")]
        types: Vec<String>,
        /// List names instead of concepts, by nearest vectors, or without an encoder by shared n-grams
        #[arg(long, conflicts_with = "types")]
        names: bool,
    },
    /// Print a concept as JSON
    Show {
        /// Its id
        id: String,
        #[command(flatten)]
        kb: KbArgument,
    },
    /// Add, change and remove concepts in place
    ///
    /// A concept replaces the one with its id. Nothing is written where one would lose its preferred name, have fewer names, or lose all
    /// its types, parents, cross-references or its definition, unless --replace is given. Learnt names stay.
    Update(Update),
    /// Learn what people judged, so that a name is answered so from then on
    ///
    /// A judged name joins its concept and is answered with it as surely as by an exact name, whatever other concepts have the name; a
    /// name judged NIL is answered NIL; a name judged `never a mention` is a stop name of documents. --explain says the day of the
    /// judgement. The last judgement of a name counts. `truename review export` writes those of a server.
    Learn(Learn),
    /// Give all names vectors, so that names which share no letters can match
    ///
    /// Copies the encoder into the knowledge base, so that `match`, `link`, `calibrate` and the others use it with no flag.
    /// Stores its work every few seconds: stopped, the same command goes on. Vectors of another encoder stay
    /// in use until every name has a new one.
    Embed(Embed),
    /// List, add and remove the models in a knowledge base
    #[command(args_conflicts_with_subcommands = false)]
    Models(Models),
    /// Count the names that have each n-gram and word, for shards on several machines to be weighed by
    Frequencies {
        /// Shard
        #[arg(value_name = "DIR")]
        kb: PathBuf,
        /// Output file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Weigh the names of shards by the frequencies of all of them
    ///
    /// A name then has the scores in its shard that it has in one knowledge base of all names. Needed once, before `kb gather`, and again
    /// where much has changed.
    Weigh {
        /// Shards of one knowledge base
        #[arg(required = true, value_name = "DIR")]
        shards: Vec<PathBuf>,
        /// Files by `kb frequencies` of all shards [default: the frequencies of the shards given]
        #[arg(long, value_name = "FILE", num_args = 1..)]
        frequencies: Vec<PathBuf>,
    },
    /// Gather from shards what the answers to some names depend on, as a knowledge base that answers them as one of all shards would
    ///
    /// Shards on several machines: gather from each there, and again from what was gathered.
    Gather(Gather),
    /// Write all concepts as JSONL
    Export {
        #[command(flatten)]
        kb: KbArgument,
        /// Output file [default: stdout]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
pub struct Gather {
    /// Shards, weighed by `kb weigh`
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// Names that are to be asked for, one a line; - for stdin
    #[arg(long, value_name = "FILE")]
    pub names: PathBuf,
    #[command(flatten)]
    pub concepts: ConceptArguments,
    /// Folder of the new knowledge base
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one) [default: the knowledge base's own]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
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
    /// Copy models into the knowledge base: a recognizer, retriever or re-ranker that `train` made, or an encoder
    ///
    /// With an encoder, all names are given vectors, as `kb embed` does; with a retriever, all concepts. Interrupted, the same command
    /// goes on.
    Add {
        /// Folders of models
        #[arg(value_name = "DIR", required_unless_present_any = ["retriever", "reranker"])]
        folders: Vec<PathBuf>,
        /// Folder of a retriever
        #[arg(long, value_name = "DIR")]
        retriever: Option<PathBuf>,
        /// Folder of a re-ranker
        #[arg(long, value_name = "DIR")]
        reranker: Option<PathBuf>,
    },
    /// Remove a model, and the vectors that it made
    Remove {
        /// Role of the model: encoder, recognizer, retriever or reranker
        #[arg(value_name = "ROLE", value_parser = str::parse::<truename::ModelRole>)]
        role: truename::ModelRole,
    },
}

#[derive(Args)]
pub struct Import {
    /// Files, folders, patterns such as 'mesh/*.xml', or - for stdin; all of them make one knowledge base
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Vocabulary whose names are added to the concepts it means: a file, a folder or pattern of files, or the folder of a knowledge base
    ///
    /// An entry means the concept with its id; else the one that a cross-reference or an SSSOM mapping ties it to; else the one
    /// with a name in common, if that is the preferred name of either. An entry that fits several concepts is left out, and so
    /// is a name that another concept has. Names keep the name of the file or folder as their source: `--explain` says it, and
    /// `--without-aliases SOURCE` leaves them out. May be given several times.
    #[arg(long, value_name = "PATH")]
    pub aliases: Vec<PathBuf>,
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
    /// Files, folders, patterns, or - for stdin, of concepts to add; a concept replaces the one with its id
    #[arg(value_name = "FILE", required_unless_present = "remove")]
    pub files: Vec<PathBuf>,
    /// Knowledge base to change
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: PathBuf,
    /// Id of a concept to remove; may be given several times
    #[arg(long, value_name = "ID")]
    pub remove: Vec<String>,
    /// Take away the names and the rest that replaced concepts have and the files lack
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Args)]
pub struct Learn {
    /// Judgements: a table with the columns name and id (empty = NIL, `never a mention` = a stop name) and perhaps date, or the output of
    /// `kb export` [default: stdin]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Knowledge base that learns
    #[arg(long, value_name = "DIR", env = "TRUENAME_KB")]
    pub kb: PathBuf,
    /// Name whose judgement is forgotten; may be given several times
    #[arg(long, value_name = "NAME")]
    pub forget: Vec<String>,
    /// Write the judgements that are learnt, as such a table
    #[arg(long, conflicts_with_all = ["file", "forget"])]
    pub list: bool,
}
