//! Arguments that decide when the answer is NIL.

use clap::Args;
use truename::LinkOptions;

use super::value::probability;

/// When the answer is NIL.
#[derive(Args)]
pub struct NilArguments {
    /// Answer NIL below this probability [default: as fitted]
    #[arg(long, value_name = "P", value_parser = probability)]
    pub min_probability: Option<f64>,
    /// Expected share of names without a concept, from which the fitted threshold follows
    #[arg(long, value_name = "SHARE", default_value_t = LinkOptions::NIL_SHARE, value_parser = probability)]
    pub nil_share: f64,
}

impl NilArguments {
    /// Sets the options of a linker.
    pub fn apply(&self, options: LinkOptions) -> LinkOptions {
        LinkOptions { min_probability: self.min_probability, nil_share: self.nil_share, ..options }
    }
}
