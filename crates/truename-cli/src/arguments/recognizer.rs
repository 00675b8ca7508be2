use clap::Args;

use super::KbArgument;

/// The recognizer to use.
#[derive(Args)]
pub struct RecognizerArguments {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Find mentions within mentions too
    #[arg(long)]
    pub nested: bool,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
}
