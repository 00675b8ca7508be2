//! The error of all crates of Truename.
//!
//! An [`Error`] has a message, written where it occurs; an [`ErrorKind`], by which callers tell errors apart; the [`Problem`] of a file
//! where there is one; and a [`Hint`]: advice whose settings and actions are data, which the command writes as flags and a library as the
//! names of its options. [`excerpt`] and [`counted`] write values, numbers and nouns of messages.
//!
//! ```
//! use truename_error::{Error, ErrorKind, hint, HintPart};
//!
//! let error = Error::new(ErrorKind::TooLong, "a.csv:3: the row is longer than 100 bytes")
//!     .with_hint(hint!["read longer rows by ", HintPart::setting("max_line_bytes")]);
//! assert!(error.kind() == ErrorKind::TooLong && !error.is_not_found());
//! assert_eq!(error.hint().unwrap().to_string(), "read longer rows by `max_line_bytes`");
//! ```

mod count;
mod error;
mod excerpt;
mod hint;
mod problem;

pub use count::{counted, grouped};
pub use error::{Error, ErrorKind};
pub use excerpt::excerpt;
pub use hint::{Hint, HintPart};
pub use problem::Problem;
