//! Judgements that a knowledge base learns.

use std::path::PathBuf;

use pyo3::FromPyObject;
use truename::{Date, Judgement, Verdict};
use truename_error::Error;
use truename_eval::read_judgement_table;

/// Judgements to learn.
#[derive(FromPyObject)]
pub enum Judgements {
    /// A table.
    File(PathBuf),
    /// Names with their ids.
    Pairs(Vec<(String, Option<String>)>),
}

impl Judgements {
    /// Returns the judgements; pairs are of today.
    pub fn read(self) -> Result<Vec<Judgement>, Error> {
        let date = Date::today();
        let of = |(name, id): (String, Option<String>)| {
            let verdict = id.as_deref().map_or(Ok(Verdict::Nil), str::parse)?;
            Ok(Judgement { name, verdict, date })
        };
        match self {
            Self::File(path) => read_judgement_table(&path),
            Self::Pairs(pairs) => pairs.into_iter().map(of).collect(),
        }
    }
}
