//! Hashes of models: hexadecimal digits alone, so that a folder named by one lies nowhere else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// Hash of the weights, tokenizer and configuration of a model: hexadecimal digits. A store holds it, and it is part of the
/// name of the model's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ModelHash(String);

/// Number of digits in the name of a model's folder.
const FOLDER_DIGITS: usize = 12;

impl ModelHash {
    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the digits in the name of the model's folder.
    pub(super) fn short(&self) -> &str {
        &self.0[..self.0.len().min(FOLDER_DIGITS)]
    }
}

impl FromStr for ModelHash {
    type Err = Error;

    fn from_str(hash: &str) -> Result<Self, Error> {
        match !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Self(hash.to_owned())),
            false => Err(truename_kb::damaged("the hash of a model has letters that are no hexadecimal digits")),
        }
    }
}

impl TryFrom<String> for ModelHash {
    type Error = Error;

    fn try_from(hash: String) -> Result<Self, Error> {
        hash.parse()
    }
}

impl PartialEq<&str> for ModelHash {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for ModelHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_leads_nowhere() {
        let hash = |text: &str| serde_json::from_value::<ModelHash>(text.into());
        assert_eq!(hash("e42567221528b26053cda0fc7d3a1699").unwrap().short(), "e42567221528");
        assert_eq!(hash("ab").unwrap().short(), "ab");
        for refused in ["", "/../../../x", "0123456789aéb", "0123456789ab/..", "xyz"] {
            assert!(hash(refused).is_err(), "{refused}");
        }
    }
}
