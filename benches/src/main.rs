//! Benchmarks of Truename; `benches/README.md` explains each and lists the data sources.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use truename::AdapterChoice;

mod abbreviations;
mod accuracy;
mod align;
mod align_judged;
mod automata;
mod biosyn;
mod case;
mod contrastive_loss;
mod data;
mod encode;
mod esappmod;
mod fit_default;
mod fit_mentions;
mod inventory;
mod labelled;
mod link;
mod process;
mod products;
mod record_weights;
mod reference_sets;
mod rerank;
mod round_trip;
mod scale;
mod self_match;
mod train_step;
mod vectors;
mod windows;

#[derive(Parser)]
#[command(name = "truename-bench")]
struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    /// Accuracy on names of technologies, by 5-fold cross-validation
    Esappmod(Names),
    /// Accuracy on names of diseases and chemicals, whole and refined
    Biosyn {
        #[command(flatten)]
        options: Names,
        /// The refined sets alone
        #[arg(long)]
        refined: bool,
        /// This set alone
        #[arg(long, value_name = "NAME", value_parser = biosyn::SETS, conflicts_with = "refined")]
        only: Option<String>,
    },
    /// Accuracy on names of proteins and chemicals, whole and those that the reference set lacks
    ReferenceSets {
        #[command(flatten)]
        options: Names,
        /// This set alone
        #[arg(long, value_name = "NAME", value_parser = reference_sets::SETS)]
        only: Option<String>,
    },
    /// Accuracy on the names of the corpora that the standard rankers are fitted to
    Labelled {
        #[command(flatten)]
        options: Names,
        /// This corpus alone
        #[arg(long, value_name = "NAME", value_parser = labelled::CORPORA)]
        only: Option<String>,
    },
    /// Preferred names of vocabularies, each matched against its own vocabulary
    SelfMatch {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
        /// This vocabulary alone
        #[arg(long, value_name = "NAME", value_parser = self_match::VOCABULARIES)]
        only: Option<String>,
    },
    /// Mentions and ids in abstracts, by the dictionary or a trained recognizer
    Link {
        #[command(flatten)]
        data: Data,
        /// Which part of the corpora
        #[arg(long, value_enum, default_value = "reported")]
        part: link::Part,
        /// Only the cases with this in their name
        #[arg(long)]
        only: Option<String>,
        /// Folder of a recognizer, to find mentions alone and before the dictionary; leaves the timings out
        #[arg(long)]
        recognizer: Option<PathBuf>,
        /// Errors shown, the commonest first
        #[arg(long, default_value_t = 0)]
        errors: usize,
    },
    /// Real corpora through every format and unit of offsets
    RoundTrip {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
    },
    /// An fst against Aho–Corasick, at 700,000 names
    Automata {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
    },
    /// Definitions of abbreviations in abstracts (github.com/ncbi-nlp/Ab3P, MED1250_labeled), and their speed
    Abbreviations {
        /// The folder with the data sets, of them `abbreviations-med1250/MED1250_labeled.gz`
        #[arg(long)]
        data: PathBuf,
    },
    /// Speed, memory and recall at a million names
    Scale {
        /// A vocabulary that `kb import` reads; `scripts/million_kb.py` makes one
        file: PathBuf,
        /// Vectors too, by this encoder
        #[arg(long)]
        encoder: Option<PathBuf>,
        /// Where the knowledge base is made; one that is there is used as it is
        #[arg(long)]
        kb: Option<PathBuf>,
        /// Take the vectors that the knowledge base has, though names may lack some
        #[arg(long, requires = "kb")]
        as_embedded: bool,
    },
    /// Curves of the contrastive loss, as SVG (NSEEN, figure 2)
    ContrastiveLoss {
        /// Path of the SVG file
        out: PathBuf,
    },
    /// Texts a second through an encoder; `benches/encode_peers.py` runs it beside other engines
    Encode {
        /// A Hugging Face folder
        model: PathBuf,
        /// One text a line
        texts: PathBuf,
    },
    /// Products of matrices beside those of `rten-gemm`
    Products,
    /// Windows in which a recognizer reads texts: one JSON string a line from standard input
    Windows {
        /// The recognizer
        #[arg(long)]
        model: PathBuf,
    },
    /// Weights of the lexical scorer of records, fitted to public pairs, with F1 on the parts held out
    RecordWeights {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
    },
    /// Mappings of two vocabularies: the OAEI's anatomy track, and hidden cross-references
    Align {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
        /// This set alone
        #[arg(long, value_name = "NAME", value_parser = align::SETS)]
        only: Option<String>,
        /// Compare names by the vectors of this encoder too
        #[arg(long)]
        encoder: Option<PathBuf>,
        /// Fit the standard weights to hidden cross-references first, and print them as code
        #[arg(long)]
        fit: bool,
        /// Fit them to names alone, without the features of the concepts around
        #[arg(long, requires = "fit")]
        names_alone: bool,
        /// Leave this set out of the fit
        #[arg(long, value_name = "NAME", value_parser = align::SETS, requires = "fit")]
        left_out: Option<String>,
        /// Share of the right mappings that are known; the others are scored, without and with these
        #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
        labels: f64,
    },
    /// Probabilities of mappings that curators of Biomappings judged
    AlignJudged {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
        /// Half of the judged mappings
        #[arg(long, value_enum, default_value = "report")]
        half: align_judged::Half,
        /// Fit the standard weights first
        #[arg(long)]
        fit: bool,
        /// List the judged pairs with their probabilities
        #[arg(long, value_name = "FILE")]
        dump: Option<PathBuf>,
    },
    /// Mentions a second through a re-ranker, and its cost beside its matrix products; `benches/rerank_peers.py` runs the prompts in PyTorch
    Rerank {
        /// Folder of a re-ranker
        model: PathBuf,
        /// Knowledge base of the corpus's ids
        kb: PathBuf,
        /// Documents with mentions
        corpus: PathBuf,
        /// Number of documents, the first of the corpus
        #[arg(long, default_value_t = 100)]
        documents: usize,
        /// Write the prompts with their scores here, one JSON object a line
        #[arg(long, value_name = "FILE")]
        prompts: Option<PathBuf>,
    },
    /// Seconds of a training step; `benches/train_peers.py` runs it beside PyTorch
    TrainStep {
        /// A Hugging Face folder
        model: PathBuf,
        /// One text a line
        texts: PathBuf,
        /// Texts of a step
        #[arg(long, default_value_t = 160)]
        size: usize,
        /// Steps, each on other texts; the first does not count
        #[arg(long, default_value_t = 6)]
        steps: usize,
    },
    /// Nearest vectors: speed, recall and size on vectors drawn from clusters
    Vectors {
        #[arg(long, default_value_t = 200_000)]
        rows: usize,
        #[arg(long, default_value_t = 384)]
        dimensions: usize,
        /// Raw little-endian f32 vectors in place of drawn ones
        #[arg(long)]
        file: Option<PathBuf>,
        /// Queries, likewise
        #[arg(long, requires = "file")]
        queries: Option<PathBuf>,
    },
    /// Fits the decision of the dictionary to annotated abstracts and to plain English
    FitMentions {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
    },
    /// Names of MeSH that the dictionary finds in plain English, one a line
    EnglishMentions {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
        /// Words of sentences and of glosses, each
        #[arg(long, default_value_t = 20_000)]
        words: usize,
        /// Every form that is written as the name, whatever its probability
        #[arg(long)]
        by_rules: bool,
    },
    /// Fits the rankers that come with Truename to labelled corpora
    FitDefault {
        /// The folder with the data sets
        #[arg(long)]
        data: PathBuf,
        /// Vocabularies to hold names out of, each a file that `kb import` reads
        #[arg(long, value_name = "FILE", num_args = 0..)]
        vocabularies: Vec<PathBuf>,
        /// Fit the ranker with vectors too, by this encoder
        #[arg(long)]
        encoder: Option<PathBuf>,
        /// Keep the knowledge bases with their vectors here, and use those that are there
        #[arg(long)]
        kbs: PathBuf,
        /// These corpora alone; may be given several times
        #[arg(long = "corpus", value_name = "NAME", value_parser = labelled::CORPORA)]
        corpora: Vec<String>,
        /// Fit rankers without each corpus in place of the shipped ones, to files of its name in this folder
        #[arg(long, value_name = "DIR")]
        left_out: Option<PathBuf>,
        /// Leave out these corpora alone; may be given several times
        #[arg(long = "leave", value_name = "NAME", value_parser = labelled::CORPORA, requires = "left_out")]
        leave: Vec<String>,
    },
}

#[derive(clap::Args)]
struct Data {
    /// The folder with the data sets, as `benches/README.md` lists them
    #[arg(long)]
    data: PathBuf,
    /// Write what is asked of whom here, for `benches/peers.py`
    #[arg(long)]
    dump: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Names {
    #[command(flatten)]
    data: Data,
    /// Show the rows with vectors too, by this encoder
    #[arg(long)]
    encoder: Option<PathBuf>,
    /// Adapters of that folder to use: `general,biomedical`, `all` or `none`
    #[arg(long, requires = "encoder", conflicts_with = "recipe", default_value_t)]
    adapter: AdapterChoice,
    /// Also leave a fifth of the concepts out, to see how well NIL is told; twice the time
    #[arg(long)]
    nil: bool,
    /// Write the best candidate of each name with a fifth of the concepts left out here, a file of predictions a row;
    /// `truename evaluate names --compare` draws their ROC curves
    #[arg(long, value_name = "DIR", requires = "nil")]
    predictions: Option<PathBuf>,
    /// Rankers that `fit-default --left-out` wrote, in place of the standard ones: those without the corpus of the set
    #[arg(long, value_name = "DIR")]
    rankers: Option<PathBuf>,
    /// Keep the knowledge bases with the vectors of an untrained encoder here; one that is there lends the vectors of its names
    #[arg(long, value_name = "DIR", conflicts_with = "recipe")]
    kbs: Option<PathBuf>,
    /// Change so many letters of each name asked for
    #[arg(long, default_value_t = 0)]
    edits: usize,
    /// Write each name asked for as an inventory does: with a version, release, vendor, status or place
    #[arg(long)]
    inventory: bool,
    /// Share of the fitted trees in the score of a ranker that is fitted without labels [default: as `calibrate`]
    #[arg(long)]
    share: Option<f64>,
    /// Train the encoder on each case's knowledge base first, by this recipe
    #[arg(long)]
    recipe: Option<PathBuf>,
    /// Change a key of the recipe
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Keep the trained encoders here, and use those that are there
    #[arg(long)]
    trained: Option<PathBuf>,
    /// This fold alone, from 0
    #[arg(long)]
    fold: Option<usize>,
    /// Show the accuracy on the names asked for while the encoder learns
    #[arg(long)]
    watch: bool,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().benchmark {
        Benchmark::Esappmod(options) => accuracy::run("esappmod", esappmod::cases(&options.data.data)?, &options),
        Benchmark::Biosyn { options, refined, only } => {
            let is_asked = |set: &&str| only.as_deref().is_none_or(|only| only == *set);
            let sets = biosyn::SETS.into_iter().filter(is_asked);
            for set in sets.filter(|set| !refined || set.ends_with("-refined")) {
                accuracy::run(set, vec![biosyn::case(&options.data.data, set)?], &options)?;
            }
            Ok(())
        }
        Benchmark::ReferenceSets { options, only } => {
            let is_asked = |set: &&str| only.as_deref().is_none_or(|only| only == *set);
            for set in reference_sets::SETS.into_iter().filter(is_asked) {
                accuracy::run(set, vec![reference_sets::case(&options.data.data, set)?], &options)?;
            }
            Ok(())
        }
        Benchmark::Labelled { options, only } => {
            let is_asked = |corpus: &&str| only.as_deref().is_none_or(|only| only == *corpus);
            for corpus in labelled::CORPORA.into_iter().filter(is_asked) {
                let cases = labelled::read(&options.data.data, corpus)?.into_iter().map(case::Case::from).collect();
                accuracy::run(corpus.trim_start_matches("gnormplus-"), cases, &options)?;
            }
            Ok(())
        }
        Benchmark::SelfMatch { data, only } => {
            let is_asked = |vocabulary: &&str| only.as_deref().is_none_or(|only| only == *vocabulary);
            self_match::VOCABULARIES.into_iter().filter(is_asked).try_for_each(|one| self_match::run(&data, one))
        }
        Benchmark::Link { data: Data { data, dump }, part, only, errors, recognizer } => link::run(&link::Options {
            data: &data,
            part,
            only: only.as_deref(),
            dump: dump.as_deref(),
            errors,
            recognizer: recognizer.as_deref(),
        }),
        Benchmark::RoundTrip { data } => round_trip::run(&data),
        Benchmark::Automata { data } => automata::run(&data),
        Benchmark::Abbreviations { data } => abbreviations::run(&data),
        Benchmark::ContrastiveLoss { out } => contrastive_loss::run(&out),
        Benchmark::Encode { model, texts } => encode::run(&model, &texts),
        Benchmark::Products => {
            products::run();
            Ok(())
        }
        Benchmark::Windows { model } => windows::run(&model),
        Benchmark::Align { data, only, encoder, fit, names_alone, left_out, labels } => {
            let fitted = || align::fit(&data, left_out.as_deref(), encoder.as_deref(), names_alone);
            let weights = fit.then(fitted).transpose()?;
            align::run(&data, only.as_deref(), encoder.as_deref(), weights, labels)
        }
        Benchmark::AlignJudged { data, half, fit, dump } => {
            let weights = fit.then(|| align::fit(&data, None, None, false)).transpose()?;
            align_judged::run(&data, half, weights.as_ref(), dump.as_deref())
        }
        Benchmark::RecordWeights { data } => record_weights::run(&data),
        Benchmark::Rerank { model, kb, corpus, documents, prompts } => rerank::run(&rerank::Options {
            model: &model,
            kb: &kb,
            corpus: &corpus,
            documents,
            prompts: prompts.as_ref(),
        }),
        Benchmark::TrainStep { model, texts, size, steps } => train_step::run(&model, &texts, size, steps),
        Benchmark::Vectors { dimensions, file: Some(file), queries, .. } => {
            vectors::run_on(&file, dimensions, queries.as_deref())
        }
        Benchmark::Vectors { rows, dimensions, .. } => vectors::run(rows, dimensions),
        Benchmark::Scale { file, encoder, kb, as_embedded } => {
            scale::run(&file, encoder.as_deref(), kb.as_deref(), as_embedded)
        }
        Benchmark::FitMentions { data } => fit_mentions::run(&data),
        Benchmark::EnglishMentions { data, words, by_rules } => fit_mentions::english(&data, words, by_rules),
        Benchmark::FitDefault { data, vocabularies, encoder, kbs, corpora, left_out, leave } => {
            fit_default::run(&fit_default::Options {
                data: &data,
                vocabularies: &vocabularies,
                encoder: encoder.as_deref(),
                kbs: &kbs,
                corpora: &corpora,
                left_out: left_out.as_deref(),
                leave: &leave,
            })
        }
    }
}
