//! Documents with entity annotations, from and to the formats in which corpora are exchanged.
//!
//! WNED and links of Wikipedia are read only.
//!
//! Read in this order:
//! [`Format`] names the formats and detects the one of a file;
//! [`read_path`] hands over the [`Document`]s of a file one by one, and a [`Problem`] for each malformed one;
//! [`ReadOptions`] set the unit of the offsets in the file, the encoding and the limits;
//! [`Writer`] writes documents to a stream, and [`BratWriter`] writes the one format that needs a folder.
//!
//! In memory every span counts bytes. A file of gigabytes is read a document at a time.
//!
//! # Files that are cut off
//! A file that ends too early is a [`Problem`] or an [`Error`]:
//!
//! | format | the file is whole with |
//! | --- | --- |
//! | BioC | the last tag or bracket of its collection, or of the last document where documents stand one after another |
//! | JSONL | the last bracket of its last line, or of its array |
//! | PubTator | the line end of its last line |
//! | CoNLL | the line end of its last line |
//! | WNED | the last tag of its root; a file of `RawText` for each document |
//! | brat | the text or the line end of its last row; a `.ann` for each `.txt` of a folder that has some |
//! | text, links of Wikipedia | its last character |
//! | gzip | its length and checksum |
//!
//! Whole documents of JSONL, whole lines of PubTator and CoNLL, whole rows of brat and the end of a text can be missing without a
//! trace, unless the file is compressed.
//!
//! # CoNLL
//! The format has tokens and no text: they are joined by spaces, sentences by line feeds, and each sentence is a passage.
//! Documents begin at `-DOCSTART-`, `# newdoc id = X`, `# id X` or `###X`; in a file without such lines each sentence is
//! one. The schemes IOB1, IOB2, IOE1, IOE2, BIOES, BILOU and BMEWO and AutoNER's "tie or break" are told by the first
//! 16 KiB; in IOB2 and BIOES a tag out of order is a problem. All columns after the token are labels where each has tags,
//! as in corpora of nested mentions; otherwise the last one is ([`ReadOptions::conll_labels`]).
//! Written is IOB2, a sentence after the other, with `# newdoc id = X` before each document.
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
mod conll;
mod detect;
mod elements;
mod fields;
mod format;
mod jsonl;
mod options;
mod output;
mod pubtator;
mod read;
mod source;
mod spans;
mod text;
mod type_names;
mod wiki;
mod wned;
mod writer;
mod wrong;

pub use brat::{BratWriter, read_standoff};
pub use format::Format;
pub use options::ReadOptions;
pub use read::{Summary, read_all, read_from, read_path};
pub use truename_error::Error;
pub use truename_read::SourceOptions;
pub use truename_text::{Assertion, Assertions, Document, Mention, OffsetUnit, Passage, Problem, Span};
pub use type_names::TypeNames;
pub use wned::read_wned;
pub use writer::{Losses, Writer};
