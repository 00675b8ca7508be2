//! Options of a source.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A function that is called where a pipe is idle.
pub(crate) type OnIdle = Arc<dyn Fn() + Send + Sync>;

/// Options of a [`Source`](crate::Source).
#[derive(Clone)]
pub struct SourceOptions {
    /// Encoding of a text without a byte order mark, by its WHATWG label; told by the content where this is `None`.
    pub encoding: Option<String>,
    /// Longest line, row or value in bytes. It bounds the memory that a small compressed file can take.
    pub max_line_bytes: u64,
    /// Rows of a Parquet table that are read, counted from 0; all where this is `None`. Another table is refused with it.
    pub row_range: Option<Range<u64>>,
    /// Called with the number of bytes each time that some of the file are read, before they are unpacked.
    pub on_read: Option<Arc<dyn Fn(u64) + Send + Sync>>,
    /// Called where all that came by a pipe is read and nothing follows at once, before the reader waits for more. The beginning of the text, by
    /// which its format is told, is read before.
    pub on_idle: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl SourceOptions {
    /// The default of [`SourceOptions::max_line_bytes`]: 64 MiB.
    pub const MAX_LINE_BYTES: u64 = 64 << 20;
}

impl Default for SourceOptions {
    fn default() -> Self {
        Self { encoding: None, max_line_bytes: Self::MAX_LINE_BYTES, row_range: None, on_read: None, on_idle: None }
    }
}

impl fmt::Debug for SourceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { encoding, max_line_bytes, row_range, .. } = self;
        let mut fields = f.debug_struct("SourceOptions");
        fields
            .field("encoding", encoding)
            .field("max_line_bytes", max_line_bytes)
            .field("row_range", row_range)
            .finish()
    }
}
