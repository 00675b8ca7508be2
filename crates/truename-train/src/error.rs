//! Errors that several modules report.

use std::error::Error as Cause;
use std::fmt::Display;
use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, Hint, HintPart, counted, hint};
use truename_text::Problem;

/// Error of a key of the recipe.
pub(crate) fn key(message: impl Display, advice: impl Into<Hint>) -> Error {
    Error::new(ErrorKind::Recipe, message).with_hint(advice)
}

/// Advice on the keys of a kind of task.
pub(crate) fn explain(kind: &str) -> Hint {
    hint![HintPart::action("recipe explain").value(kind), " prints every key with its default"]
}

/// Error of a file that is no recipe.
pub(crate) fn recipe(path: &Path, source: toml::de::Error) -> Error {
    key(format_args!("{} is not a recipe", path.display()), explain("KIND")).with_source(source)
}

/// Error of a value of another type.
pub(crate) fn types(source: toml::de::Error) -> Error {
    key("a key of the recipe has a value of another type", explain("KIND")).with_source(source)
}

/// Error of a recipe that is not written.
pub(crate) fn unwritable(source: toml::ser::Error) -> Error {
    Error::new(ErrorKind::Other, "the recipe cannot be written as TOML").with_source(source)
}

/// Error of a value that a key cannot have; `known` are those that it can have.
pub(crate) fn value(name: &str, value: impl Display, known: impl Display) -> Error {
    key(format_args!("{name} is {value}; it must be {known}"), explain("KIND"))
}

/// Error of a network of characters where the task learns a transformer.
pub(crate) fn no_transformer() -> Error {
    value("encoder.from", "a network of characters", "a transformer")
}

/// Error of a key that is missing; `setting` sets it too.
pub(crate) fn missing(name: &'static str, setting: HintPart) -> Error {
    let advice = hint![format!("set {name} in the recipe, or give "), setting];
    key(format_args!("the recipe does not set {name}"), advice)
}

/// Error of a missing list of files.
pub(crate) fn no_files(name: &'static str) -> Error {
    missing(name, HintPart::key(name).value("[\"FILE\"]"))
}

/// Error of data with fewer than two concepts.
pub(crate) fn too_few(concepts: usize) -> Error {
    let message = format!("the data has {} with a name; training needs 2", counted(concepts as u64, "concept"));
    Error::new(ErrorKind::TooFew, message)
        .with_hint("an encoder learns to tell concepts apart: name more concepts in data.kb or data.names")
}

/// Error of a run that asks for names during training, and has none.
pub(crate) fn nothing_asked() -> Error {
    Error::new(ErrorKind::TooFew, "evaluation.patience needs names to ask for, and there are none")
        .with_hint("set evaluation.share, or evaluation.names to names whose ids the knowledge base has")
}

/// Error of a run that evaluates during training, and has no data for that.
pub(crate) fn nothing_to_evaluate() -> Error {
    let message = "the recipe evaluates during the run, and there is nothing to evaluate on";
    Error::new(ErrorKind::TooFew, message).with_hint("name corpora in data.dev, or set data.dev_share")
}

/// Error of a line of marked sentences.
pub(crate) fn sentence(problem: Problem) -> Error {
    let build = HintPart::action("corpus build");
    Error::of_problem(ErrorKind::Syntax, problem)
        .with_hint(hint![build, " writes such files; docs/corpus.md describes their lines"])
}

/// Error of a folder in the place of a corpus.
pub(crate) fn corpus_exists(path: &Path) -> Error {
    let advice = hint!["name another folder with ", HintPart::setting("out"), ", or remove this one"];
    Error::new(ErrorKind::Choice, format_args!("{} is there already", path.display())).with_hint(advice)
}

/// Error of a concept that the knowledge base has no more.
pub(crate) fn lost_concept(id: &str) -> Error {
    let message = format!("a sentence stands for {id}, which the knowledge base does not have any more");
    Error::new(ErrorKind::Other, message)
        .with_hint("the knowledge base was changed during the build; remove the unfinished folder and begin anew")
}

/// Error of a file of a run that is not written or read.
pub(crate) fn state(path: &Path, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Other, format_args!("{} cannot be read as the state of a run", path.display()))
        .with_source(source)
        .with_hint(hint!["begin anew with another ", HintPart::setting("out")])
}

/// Error of a run that was begun with another recipe or other data.
pub(crate) fn other_run(path: &Path, what: &str) -> Error {
    let out = HintPart::setting("out");
    let advice = hint!["resume with the recipe and data of that run, or begin a new one with another ", out];
    Error::new(ErrorKind::Choice, format_args!("the run in {} was begun with {what}", path.display())).with_hint(advice)
}

/// Adds to advice on settings of an import that a run has none.
pub(crate) fn import_first(error: Error) -> Error {
    match error.hint().map(Hint::parts) {
        Some(parts) if parts.iter().any(|part| matches!(part, HintPart::Setting { .. })) => {
            let import = HintPart::action("kb import").value("FILE").with("out", "DIR");
            let first = [HintPart::from("import the file first, "), import, ", and there ".into()];
            let advice = first.into_iter().chain(parts.iter().cloned()).collect::<Hint>();
            error.with_hint(advice)
        }
        _ => error,
    }
}
