//! Arguments that choose recognizers and their types, shared by all commands that find mentions.

use std::path::PathBuf;

use clap::Args;

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
    /// Recognizer: a folder that `train` made, `dictionary` for the names of the knowledge base, or `both` for the knowledge
    /// base's own and then the dictionary; may be given several times, mentions of the first come first [default: the
    /// knowledge base's own, else the dictionary]
    #[arg(long, value_name = "DIR")]
    pub recognizer: Vec<PathBuf>,
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
}

impl RecognizerChoices {
    /// Returns whether nothing is chosen, so that the knowledge base's own recognizer is used, else its dictionary.
    pub fn are_default(&self) -> bool {
        let Self { recognizer, entity_types, entity_type, joint } = self;
        recognizer.is_empty() && entity_types.is_none() && entity_type.is_empty() && !joint
    }
}
