//! Arguments for reading documents, shared by all commands that read some.

use clap::Args;
use truename::OffsetUnit;
use truename_corpus::{Format, ReadOptions, SourceOptions};

use crate::exit_code::UsageError;

/// Options for reading documents.
#[derive(Args)]
pub struct DocumentArguments {
    /// Format of the input: text, lines, jsonl, pubtator, bioc-xml, bioc-json, brat, conll or wned [default: told by content and extension]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<Format>)]
    pub input_format: Option<Format>,
    /// Unit of offsets in input and output: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = str::parse::<OffsetUnit>)]
    pub offsets: OffsetUnit,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Names of the tags that JSON with tokens has as numbers, from 0, parted by commas: O,B-Disease,I-Disease
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tag_names: Vec<String>,
    /// Longest line of JSONL, and longest document of other formats, in bytes; a longer one is not read
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
}

/// Options for reading documents that are answered.
#[derive(Args)]
pub struct AnsweredDocuments {
    #[command(flatten)]
    pub reading: DocumentArguments,
    /// Read each line of text as a document; its id is the number of the line
    #[arg(long, conflicts_with = "input_format")]
    pub lines: bool,
    /// Stop at the first document that is malformed
    #[arg(long)]
    pub strict: bool,
}

impl AnsweredDocuments {
    /// Returns the options for reading documents with their mentions.
    ///
    /// # Errors
    /// If the encoding is unknown.
    pub fn options(&self) -> Result<ReadOptions, UsageError> {
        let options = self.reading.options()?;
        let input_format = self.lines.then_some(Format::Lines).or(options.input_format);
        Ok(ReadOptions { input_format, ..options })
    }
}

impl DocumentArguments {
    /// Returns the options for reading documents with their mentions.
    ///
    /// # Errors
    /// If the encoding is unknown.
    pub fn options(&self) -> Result<ReadOptions, UsageError> {
        self.check_encoding()?;
        let (encoding, max_line_bytes) = (self.encoding.clone(), self.max_line_bytes);
        Ok(ReadOptions {
            input_format: self.input_format,
            offsets: self.offsets,
            tag_names: self.tag_names.clone(),
            source: SourceOptions { encoding, max_line_bytes, ..SourceOptions::default() },
            ..ReadOptions::default()
        })
    }

    fn check_encoding(&self) -> Result<(), UsageError> {
        match &self.encoding {
            Some(label) if truename_read::Encoding::of_label(label).is_none() => {
                let advice = "use a WHATWG label such as utf-8, windows-1252, utf-16le";
                Err(UsageError(format!("unknown encoding \"{label}\"; {advice}")))
            }
            _ => Ok(()),
        }
    }
}
