//! Triggers of assertions from files.

use std::path::Path;
use std::sync::Arc;

use truename_error::ErrorKind;
use truename_read::{Source, SourceOptions};
use truename_text::AssertionRules;

use crate::Error;

/// Reads triggers in the columns of [`ENGLISH_TRIGGERS`](truename_text::ENGLISH_TRIGGERS). Without a file they are those of English; the
/// path `none` names no file and gives no triggers.
///
/// # Errors
/// If the file cannot be read, or a line is no trigger.
pub fn assertion_rules(path: Option<&Path>) -> Result<Option<Arc<AssertionRules>>, Error> {
    let Some(path) = path else { return Ok(Some(AssertionRules::english())) };
    if path == Path::new("none") {
        return Ok(None);
    }
    let text = Source::open(path, &SourceOptions::default())?.into_string()?;
    let rules =
        AssertionRules::parse(&text).map_err(|(line, fault)| Error::at(ErrorKind::Syntax, path, Some(line), fault))?;
    Ok(Some(Arc::new(rules)))
}
