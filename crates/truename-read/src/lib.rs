//! The way in: every byte that a user gives is opened, unpacked, decoded and bounded here.
//!
//! Read in this order:
//! a [`Source`] is a file, a pipe or stdin: gzip and zstd are told by their first bytes, encodings by a byte order mark, by
//! [`SourceOptions`], by an XML declaration or by NUL bytes;
//! it becomes [`Lines`], a [`Table`] of [`Record`]s whose [`Dialect`] its first rows tell, JSON [`Objects`], or a [`Text`] for a
//! parser, such as [`Pieces`] of XML;
//! [`files()`] are those that a path stands for, and [`Rows`] those of several files as one, which know when a pipe is idle;
//! an [`Error`] names the file and, where there are lines, the line. [`SourceOptions::max_line_bytes`] bounds lines, rows and
//! values here and nowhere else.
//!
//! ```
//! use std::path::Path;
//! use truename_read::{Source, SourceOptions, Table, TableOptions};
//!
//! let bytes = &b"sep=;\nid;name\n1;\"Cartridge; ink\"\n"[..];
//! let source = Source::of_reader(Path::new("parts.csv"), bytes, &SourceOptions::default())?;
//! let mut table = Table::open(source, &TableOptions::default())?;
//! let name = table.column("Name")?;
//! let row = table.read()?.expect("a row");
//! assert_eq!((row.line, row.cell(name)), (3, Some(&b"Cartridge; ink"[..])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod column;
mod dialect;
mod encoding;
mod error;
mod files;
mod header;
pub mod json;
mod kind;
mod lines;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod pipe;
mod reader;
mod record;
mod rows;
mod source;
mod table;
mod text;
pub mod xml;

pub use self::parquet::{ParquetColumn, ParquetWriter, row_groups};
pub use column::{ColumnError, column, folded, quoted};
pub use encoding::Encoding;
pub use error::{Error, encoding_hint};
pub use files::{files, is_stream};
pub use header::{HeaderNote, ID_COLUMNS, NAME_COLUMNS};
pub use json::Objects;
pub use lines::{Line, LineFault, Lines};
pub use options::SourceOptions;
pub use record::{Dialect, Quoting, Record, Records};
pub use rows::{FurtherFiles, RowFormat, Rows};
pub use source::{Source, has_extension, without_packing};
pub use table::{Table, TableOptions, columns_by_shape};
pub use text::{Text, Watch};
pub use truename_text::Problem;
pub use xml::Pieces;
