//! The model of pairs that the arguments name.

use truename_error::counted;
use truename_records::PairModel;

use crate::arguments::PairScorerArguments;

/// Opens the classifier, or fits the lexical scorer to the labelled pairs.
pub fn pair_model(arguments: &PairScorerArguments) -> Result<PairModel, truename::Error> {
    truename_eval::pair_model(arguments.model.as_deref(), arguments.labels.as_deref())
}

/// Reports the number of pairs that the window of a classifier cut.
pub fn say_truncated(pairs: u64) {
    if pairs > 0 {
        let pairs = counted(pairs, "pair");
        crate::say!("{pairs} longer than the classifier's window; only the beginnings of the records are read");
    }
}
