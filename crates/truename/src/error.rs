//! Errors that several modules report.

use std::io;
use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, HintPart, hint};
use truename_files::{IRREGULAR_HINT, is_irregular};

/// Error of a system call.
pub(crate) fn io(action: &str, path: &Path, source: io::Error) -> Error {
    let is_irregular = is_irregular(&source);
    let error = Error::io(action, path, source);
    if is_irregular { error.with_hint(IRREGULAR_HINT) } else { error }
}

/// Error of a stored ranker that cannot be read.
pub(crate) fn ranker(source: postcard::Error) -> Error {
    let calibrate = HintPart::action("calibrate").with("kb", "DIR");
    let encoder = HintPart::setting("encoder").value("DIR");
    Error::new(ErrorKind::Other, "the ranker of this knowledge base cannot be read")
        .with_source(source)
        .with_hint(hint!["fit the ranker anew: ", calibrate, ", with ", encoder, " where one is used"])
}

/// Error of a model in the folder of a knowledge base that is `missing` or `was changed…`; `source` is the folder it was copied from.
pub(crate) fn model_changed(kb: &Path, folder: &Path, source: &str, state: &str) -> Error {
    let advice = hint![
        "copy it there again: ",
        HintPart::action("kb models add").value(source).with("kb", kb.display()),
        "; or do without it: without an encoder by ",
        HintPart::setting("encoder").value("none"),
        ", without a retriever or re-ranker by ",
        HintPart::setting("no_context"),
    ];
    Error::new(ErrorKind::ModelChanged, format!("the model {} {state}", folder.display())).with_hint(advice)
}

/// Error of a knowledge base without a model of a role.
pub(crate) fn no_model(kb: &Path, role: &'static str) -> Error {
    let list = HintPart::action("kb models").with("kb", kb.display());
    Error::new(ErrorKind::NotFound, format!("{} has no {role}", kb.display())).with_hint(hint![list, " lists them"])
}
