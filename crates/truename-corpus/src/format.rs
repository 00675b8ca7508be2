//! Formats of documents, by the names of the command line.

use std::fmt;
use std::str::FromStr;

/// A format of documents with annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The whole file is one document without annotations.
    Text,
    /// Each line is a document without annotations.
    Lines,
    /// Truename's own: one JSON object a line.
    Jsonl,
    /// PubTator.
    Pubtator,
    /// BioC as XML.
    BiocXml,
    /// BioC as JSON: a collection, or documents one after another.
    BiocJson,
    /// brat standoff: `.txt` beside `.ann`.
    Brat,
    /// CoNLL: a token with its tags a line; also AutoNER's "tie or break".
    Conll,
    /// WNED: an XML file of links to Wikipedia beside a folder of texts.
    Wned,
    /// The whole file is one document with links as Wikipedia writes them: `[[Title|words]]`.
    Wiki,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Text,
        Self::Lines,
        Self::Jsonl,
        Self::Pubtator,
        Self::BiocXml,
        Self::BiocJson,
        Self::Brat,
        Self::Conll,
        Self::Wned,
        Self::Wiki,
    ];

    /// Returns the name used on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Lines => "lines",
            Self::Jsonl => "jsonl",
            Self::Pubtator => "pubtator",
            Self::BiocXml => "bioc-xml",
            Self::BiocJson => "bioc-json",
            Self::Brat => "brat",
            Self::Conll => "conll",
            Self::Wned => "wned",
            Self::Wiki => "wiki",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::as_str).join(", ");
        let found = Self::ALL.into_iter().find(|format| format.as_str() == name);
        found.ok_or_else(|| format!("\"{name}\" is no format; known are {}", known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_formats_and_back() {
        assert!(Format::ALL.iter().all(|format| format.as_str().parse() == Ok(*format)));
        let error = "bioc".parse::<Format>().unwrap_err();
        assert_eq!(
            error,
            "\"bioc\" is no format; known are text, lines, jsonl, pubtator, bioc-xml, bioc-json, brat, conll, wned, wiki"
        );
    }
}
