//! Errors of the library as exceptions of Python, with their advice in `__notes__`.

use std::error::Error as Cause;
use std::io;

use pyo3::exceptions::{
    PyConnectionError, PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyLookupError, PyMemoryError,
    PyOSError, PyRuntimeError, PyUnicodeError, PyValueError,
};
use pyo3::prelude::*;
use truename_error::{Error, ErrorKind, Hint, HintPart};

/// Number of the system for "no such file".
const ENOENT: i32 = 2;
/// Number of the system for "file exists".
const EEXIST: i32 = 17;
/// Number of the system for "no space left".
const ENOSPC: i32 = 28;

/// Returns the exception of an error of the library.
pub fn raised(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let message = chain(&error);
    let system = system_error(&error);
    let raised = match error.kind() {
        _ if system.is_some_and(|cause| cause.kind() == io::ErrorKind::OutOfMemory) => PyMemoryError::new_err(message),
        ErrorKind::NotFound => PyFileNotFoundError::new_err((ENOENT, message)),
        ErrorKind::Exists => PyFileExistsError::new_err((EEXIST, message)),
        ErrorKind::Full => PyOSError::new_err((ENOSPC, message)),
        ErrorKind::Io => match system.and_then(io::Error::raw_os_error) {
            Some(number) => PyOSError::new_err((number, message)),
            None => PyOSError::new_err(message),
        },
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(message),
        ErrorKind::UnknownEncoding => PyLookupError::new_err(message),
        ErrorKind::Undecodable | ErrorKind::NotText => PyUnicodeError::new_err(message),
        ErrorKind::Unreachable => PyConnectionError::new_err(message),
        ErrorKind::TooLong
        | ErrorKind::Syntax
        | ErrorKind::Choice
        | ErrorKind::NoColumn
        | ErrorKind::Recipe
        | ErrorKind::TooFew
        | ErrorKind::EncoderMismatch
        | ErrorKind::NotFinite => PyValueError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    };
    match error.hint() {
        Some(hint) => advised(raised, &worded(hint)),
        None => raised,
    }
}

/// Adds advice to an exception.
pub fn advised(raised: PyErr, hint: &str) -> PyErr {
    Python::attach(|py| {
        // `add_note` came with Python 3.11; 3.10 keeps the notes and does not print them.
        let noted = raised.value(py).setattr("__notes__", [format!("hint: {hint}")]);
        debug_assert!(noted.is_ok());
    });
    raised
}

/// Returns a message with its causes.
fn chain(error: &Error) -> String {
    let (mut message, mut cause) = (error.to_string(), error.source());
    while let Some(next) = cause {
        message = format!("{message}: {next}");
        cause = next.source();
    }
    message
}

fn system_error(error: &Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(next) = cause {
        if let Some(system) = next.downcast_ref() {
            return Some(system);
        }
        cause = next.source();
    }
    None
}

/// Methods of Python for actions of the library.
const METHODS: [(&str, &str); 10] = [
    ("kb import", "KnowledgeBase.build"),
    ("kb update", "kb.update"),
    ("kb learn", "kb.learn"),
    ("kb embed", "kb.embed"),
    ("kb check", "KnowledgeBase.check"),
    ("kb frequencies", "kb.frequencies"),
    ("kb weigh", "KnowledgeBase.weigh"),
    ("kb compact", "KnowledgeBase.compact"),
    ("calibrate", "kb.calibrate"),
    ("train", "truename.train"),
];

/// Returns advice with settings as keyword arguments and actions as calls; other actions are commands.
fn worded(hint: &Hint) -> String {
    hint.worded(|part| match part {
        HintPart::Setting { name, value } => match value {
            Some(value) => format!("`{name}={}`", literal(value)),
            None => format!("`{name}`"),
        },
        HintPart::Key { name, value: Some(value) } => format!("`set={{\"{name}\": {}}}`", literal(value)),
        HintPart::Key { name, value: None } => name.clone(),
        HintPart::Action { name, arguments } => match METHODS.iter().find(|(action, _)| action == name) {
            Some((_, method)) => call(method, arguments),
            None => command(name, arguments),
        },
        other => other.to_string(),
    })
}

fn call(method: &str, arguments: &[(&str, String)]) -> String {
    let is_said = |(setting, _): &&(&str, String)| !(method.starts_with("kb.") && *setting == "kb");
    let argument = |(setting, value): &(&str, String)| match setting.is_empty() {
        true => literal(value),
        false => format!("{setting}={}", literal(value)),
    };
    let arguments: Vec<String> = arguments.iter().filter(is_said).map(argument).collect();
    format!("`{method}({})`", arguments.join(", "))
}

fn command(name: &str, arguments: &[(&str, String)]) -> String {
    let argument = |(setting, value): &(&str, String)| match setting.is_empty() {
        true => format!(" {value}"),
        false => format!(" --{} {value}", setting.replace('_', "-")),
    };
    format!("`truename {name}{}` on the command line", arguments.iter().map(argument).collect::<String>())
}

/// Returns a value as Python writes it.
fn literal(value: &str) -> String {
    match value {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        number if number.parse::<f64>().is_ok_and(f64::is_finite) => number.to_owned(),
        text => format!("{text:?}"),
    }
}
