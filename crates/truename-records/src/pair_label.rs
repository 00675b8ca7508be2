//! Labelled pairs of records.

use truename_error::ErrorKind;

use crate::Error;

/// A labelled pair of records, by their ids or rows in the tables, or serialised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLabel<'a> {
    /// The first record.
    pub left: &'a str,
    /// The second record.
    pub right: &'a str,
    /// True if both stand for the same thing.
    pub is_same: bool,
    /// Chance with which the pair was drawn to be judged, beside that of the others.
    pub chance: f64,
}

/// Labelled pairs of a file.
#[derive(Clone, Copy)]
pub struct PairLabels<'a> {
    /// Name of the file in messages.
    pub name: &'a str,
    /// The pairs.
    pub pairs: &'a [PairLabel<'a>],
    /// Lowest probability of a match, at which decisions are compared.
    pub threshold: f64,
}

impl PairLabels<'_> {
    /// Refuses labels that are all alike.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let matches = self.pairs.iter().filter(|label| label.is_same).count();
        let (found, verb, missing) = match self.pairs.len() - matches {
            0 => ("all", "are", "the label 0: pairs of different things that look alike"),
            _ if matches == 0 => ("none", "is", "the label 1: pairs of the same thing"),
            _ => return Ok(()),
        };
        let message = format!("{}: {found} of {} labelled pairs {verb} of the same thing", self.name, self.pairs.len());
        Err(Error::new(ErrorKind::TooFew, message).with_hint(format!("add pairs with {missing}")))
    }
}
