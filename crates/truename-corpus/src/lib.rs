//! Documents with entity annotations, from and to the formats in which corpora are exchanged.
//!
//! Read in this order:
//! [`Format`] names the formats and tells which one a file has;
//! [`read_path`] hands over the [`Document`]s of a file one by one, or the [`Problem`] of one that is malformed;
//! [`ReadOptions`] say how, above all what the offsets in the file count;
//! [`Writer`] writes documents, and [`BratWriter`] those of the one format that is no stream.
//!
//! In memory every span counts bytes. A file of gigabytes is read a document at a time.
//!
//! # Files that are cut off
//! A file that ends too early is a [`Problem`] or an [`Error`]. What tells it:
//!
//! | format | the file is whole with |
//! | --- | --- |
//! | BioC | the last tag or bracket of its collection, or of the last document where documents stand one after another |
//! | JSONL | the last bracket of its last line |
//! | PubTator | the line end of its last line |
//! | brat | the text or the line end of its last row; a `.ann` for each `.txt` of a folder that has some |
//! | text | its last character |
//! | gzip | its length and checksum |
//!
//! Whole documents of JSONL, whole lines of PubTator, whole rows of brat and the end of a text can be missing without a
//! trace, unless the file is compressed.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! use truename_corpus::{Format, OffsetUnit, ReadOptions, Writer, read_from};
//!
//! let corpus = "1|t|Naïve mice\n1|a|They had a fever.\n1\t22\t27\tfever\tDisease\tMESH:D005334\n";
//! let mut writer = Writer::new(Format::Jsonl, OffsetUnit::Bytes, Vec::new())?;
//! read_from(Path::new("corpus.pubtator"), corpus.as_bytes(), &ReadOptions::default(), &mut |read| {
//!     let document = read.expect("no problem here");
//!     assert_eq!(document.mentions[0].span.of(&document.text), Some("fever"));
//!     writer.write(&document).expect("memory is never full");
//!     ControlFlow::Continue(())
//! })?;
//! let written = String::from_utf8(writer.finish()?)?;
//! // The letter ï has two bytes.
//! assert!(written.contains(r#""start":23,"end":28,"text":"fever""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotation;
mod bioc;
mod brat;
mod error;
mod fields;
mod format;
mod jsonl;
mod output;
mod pubtator;
mod source;
mod text;
mod writer;
mod wrong;

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

pub use brat::{BratWriter, read_standoff};
pub use error::Error;
pub use format::Format;
use output::Output;
use source::Source;
pub use truename_text::Problem;
pub use truename_text::{Document, Mention, OffsetUnit, Passage, Span};
pub use writer::Writer;

/// Options for reading a file.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; told by extension and content where this is `None`.
    pub format: Option<Format>,
    /// The unit of the offsets in the file.
    pub offsets: OffsetUnit,
    /// The encoding of a file that is not UTF-8 and has no byte order mark, by its WHATWG label.
    pub encoding: Option<String>,
    /// Read annotations. If false, they are not looked at, and a bad one is no problem.
    pub mentions: bool,
    /// Longest line of JSONL, and longest document of the other formats, in bytes of UTF-8 with all markup. A longer
    /// one is a problem; it bounds the memory that a compressed file can take.
    pub max_line_bytes: usize,
}

impl ReadOptions {
    /// The default of [`max_line_bytes`](Self::max_line_bytes): 64 MiB.
    pub const MAX_LINE_BYTES: usize = 64 << 20;
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            offsets: OffsetUnit::Chars,
            encoding: None,
            mentions: true,
            max_line_bytes: Self::MAX_LINE_BYTES,
        }
    }
}

/// Counts of a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The format of the file.
    pub format: Format,
    /// Annotations that a [`Document`] has no place for: relations, events, attributes, notes, and those
    /// without a place in the text.
    pub left_out: u64,
}

/// Reads a file, and hands each document, or what is wrong with it, to `visit`, which may end the reading.
///
/// A malformed document is one problem, and the next ones are read. Where the syntax of a BioC file is
/// broken, that is the last problem, and nothing after it is read. For brat the path is a `.txt` or `.ann`
/// file, or a folder of them, which is read in the order of names.
///
/// # Errors
/// If the file cannot be opened or read, or is not of its format at all.
pub fn read_path(
    path: &Path,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let mut output = Output::new(path, options, visit);
    if path.is_dir() || options.format == Some(Format::Brat) {
        brat::read(path, &mut output)?;
        return Ok(Summary { format: Format::Brat, left_out: output.left_out });
    }
    let source = Source::open(path, options)?;
    let format = match options.format {
        Some(format) => format,
        None => Format::detect(path, source.beginning(), brat::has_annotations(path) && options.mentions),
    };
    match format {
        Format::Brat => brat::read(path, &mut output)?,
        _ => read_one(format, source, &mut output)?,
    }
    Ok(Summary { format, left_out: output.left_out })
}

/// Reads a file from a reader, as [`read_path`] does; `name` stands for the file in messages and tells its format.
///
/// # Errors
/// The errors of [`read_path`], and for brat, which needs files.
pub fn read_from(
    name: &Path,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let source = Source::of_reader(name, reader, options)?;
    let format = match options.format {
        Some(format) => format,
        None => Format::detect(name, source.beginning(), false),
    };
    let mut output = Output::new(name, options, visit);
    read_one(format, source, &mut output)?;
    Ok(Summary { format, left_out: output.left_out })
}

/// Reads all documents of a file.
///
/// # Errors
/// The errors of [`read_path`]; the first problem is an error too.
pub fn read_all(path: &Path, options: &ReadOptions) -> Result<Vec<Document>, Error> {
    let (mut documents, mut first) = (Vec::new(), None);
    read_path(path, options, &mut |read| match read {
        Ok(document) => {
            documents.push(document);
            ControlFlow::Continue(())
        }
        Err(problem) => {
            first = Some(problem);
            ControlFlow::Break(())
        }
    })?;
    first.map_or(Ok(documents), |problem| Err(problem.into()))
}

fn read_one(format: Format, source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    output.encoding = source.encoding;
    match format {
        Format::Text => text::read(source, output),
        Format::Jsonl => jsonl::read(source, output),
        Format::Pubtator => pubtator::read(source, output),
        Format::BiocXml => bioc::xml::read(source, output),
        Format::BiocJson => bioc::json::read(source, output),
        Format::Brat => Err(brat::needs_files(&source.path)),
    }
}
