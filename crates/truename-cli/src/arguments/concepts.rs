//! Arguments that narrow the concepts and names that may be answered.

use clap::Args;
use truename::LinkOptions;

/// Concepts and names that may be answered.
#[derive(Args)]
pub struct ConceptArguments {
    /// Only concepts of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Leave out the aliases of this file or folder (`kb import --aliases`), * for all; may be given several times
    #[arg(long, value_name = "SOURCE")]
    pub without_aliases: Vec<String>,
}

impl ConceptArguments {
    /// Sets the options of a linker.
    pub fn apply(&self, options: LinkOptions) -> LinkOptions {
        LinkOptions { types: self.types.clone(), without_aliases: self.without_aliases.clone(), ..options }
    }
}
