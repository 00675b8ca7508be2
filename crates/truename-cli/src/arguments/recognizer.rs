//! Arguments that choose recognizers and their types, shared by all commands that find mentions.

use std::path::PathBuf;

use clap::Args;
use truename::Precision;

use super::KbArgument;

/// The recognizer to use, with a knowledge base.
#[derive(Args)]
pub struct RecognizerArguments {
    #[command(flatten)]
    pub kb: KbArgument,
    #[command(flatten)]
    pub choice: RecognizerChoices,
    /// Find mentions within mentions too
    #[arg(long)]
    pub nested: bool,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
}

/// The recognizers to use, and the types that they look for.
#[derive(Args)]
pub struct RecognizerChoices {
    /// Recognizer: a folder that `train` made, `bundled` for the one for biomedical texts that is part of the program, `general` for
    /// the one for general English, `dictionary` for the names of the knowledge base, or `both` for the knowledge base's own and then the dictionary; may
    /// be given several times, mentions of the first come first [default: the knowledge base's own, else `bundled` for the types
    /// whose names it knows and the dictionary for the others]
    #[arg(long, value_name = "DIR")]
    pub recognizer: Vec<PathBuf>,
    /// Weights of the recognizers named: `f32`, or `int8` for copies in 8 bits, which are made in the cache on first use [default: those
    /// of their folders]
    #[arg(long, value_name = "PRECISION", requires = "recognizer")]
    pub recognizer_precision: Option<Precision>,
    /// Use no recognizer of the knowledge base or of the program, as `--recognizer dictionary`
    #[arg(long, conflicts_with_all = ["recognizer", "entity_types", "entity_type", "joint", "min_margin"])]
    pub no_models: bool,
    /// Types to look for in place of those of the recognizer: a TOML file of names and descriptions, as `vaccine = "…"`
    #[arg(long, value_name = "FILE")]
    pub entity_types: Option<PathBuf>,
    /// A type to look for, as "vaccine: names of vaccines"; may be given several times
    #[arg(long, value_name = "NAME: DESCRIPTION")]
    pub entity_type: Vec<String>,
    /// Find only mentions whose first and last word are likely to begin and end one (BINDER's joint position-span inference):
    /// fewer mentions, more of them right
    #[arg(long)]
    pub joint: bool,
    /// Smallest margin of a trained recognizer's mentions: the difference of score and threshold. Above 0 fewer mentions are found and
    /// more of them are right; below 0 more are found
    #[arg(long, value_name = "MARGIN", allow_negative_numbers = true)]
    pub min_margin: Option<f64>,
}

impl RecognizerChoices {
    /// Returns whether nothing is chosen, so that the recognizer of the knowledge base is used.
    pub fn are_default(&self) -> bool {
        let Self { recognizer, no_models, entity_types, entity_type, joint, min_margin, recognizer_precision: _ } =
            self;
        let looks_for_own = entity_types.is_none() && entity_type.is_empty();
        recognizer.is_empty() && !no_models && looks_for_own && !joint && min_margin.is_none()
    }

    /// Returns the recognizers in their order; none for that of the knowledge base.
    pub fn names(&self) -> Vec<PathBuf> {
        if self.no_models { vec![PathBuf::from("dictionary")] } else { self.recognizer.clone() }
    }
}
