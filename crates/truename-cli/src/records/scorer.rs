//! The model of pairs that the arguments name.

use truename_error::counted;
use truename_eval::pairs::read_pairs;
use truename_records::{PairClassifier, PairModel};

use crate::arguments::PairScorerArguments;

/// Opens the classifier, or fits the lexical scorer to the labelled pairs.
pub fn pair_model(arguments: &PairScorerArguments) -> Result<PairModel, truename::Error> {
    Ok(match (&arguments.model, &arguments.labels) {
        (Some(folder), _) => PairModel::Classifier(Box::new(PairClassifier::open(folder)?)),
        (None, Some(labels)) => {
            let labelled = read_pairs(labels)?;
            PairModel::fitted(labelled.iter().map(|pair| (pair.left.as_str(), pair.right.as_str(), pair.is_same)))
        }
        (None, None) => PairModel::default(),
    })
}

/// Reports the number of pairs that the window of a classifier cut.
pub fn say_truncated(pairs: u64) {
    if pairs > 0 {
        let pairs = counted(pairs, "pair");
        crate::say!("{pairs} longer than the classifier's window; only the beginnings of the records are read");
    }
}
