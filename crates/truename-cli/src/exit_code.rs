//! Exit codes and the last message of the process.

use std::io;

use truename_error::{Error, ErrorKind, Hint, HintPart};

use crate::interrupt;

/// Exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// The command did what it was asked to do.
    Success = 0,
    /// The command failed.
    Failure = 1,
    /// The arguments or the recipe make no sense.
    Usage = 2,
}

/// A request that parses but makes no sense.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

impl ExitCode {
    /// Prints an error with its causes and advice; a closed pipe is no error.
    pub(crate) fn report(outcome: anyhow::Result<()>) -> Self {
        let Err(mut error) = outcome else { return Self::Success };
        if let (true, Err(interrupted)) = (error.downcast_ref().is_some_and(Error::is_interrupted), interrupt::check())
        {
            error = interrupted;
        }
        if error.chain().any(is_broken_pipe) {
            return Self::Success;
        }
        interrupt::report(|| {
            crate::say!("error: {error:#}");
            if let Some(hint) = error.chain().find_map(|cause| cause.downcast_ref::<Error>()?.hint()) {
                crate::say!("hint: {}", worded(hint));
            }
        });
        let kind = error.downcast_ref::<Error>().map(Error::kind);
        let is_usage = error.is::<UsageError>() || matches!(kind, Some(ErrorKind::Recipe | ErrorKind::NoColumn));
        if is_usage { Self::Usage } else { Self::Failure }
    }
}

/// Returns whether a reader closed its pipe. An error of serde_json hides its cause.
fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    let of_json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind).or(of_json);
    kind == Some(io::ErrorKind::BrokenPipe)
}

/// Returns advice with settings as flags, keys with a value as `--set` writes them, and actions as commands.
pub fn worded(hint: &Hint) -> String {
    hint.worded(word)
}

fn word(part: &HintPart) -> String {
    match part {
        HintPart::Setting { name, value } => flag(name, value.as_deref().unwrap_or_default()),
        HintPart::Key { name, value: Some(value) } => match value.contains(['"', ' ']) {
            true => format!("`--set '{name}={value}'`"),
            false => format!("`--set {name}={value}`"),
        },
        HintPart::Key { name, value: None } => name.clone(),
        HintPart::Action { name, arguments } => {
            let argument = |(name, value): &(&str, String)| match name.is_empty() {
                true => format!(" {value}"),
                false => format!(" {}", flag(name, value)),
            };
            format!("`truename {name}{}`", arguments.iter().map(argument).collect::<String>())
        }
        other => other.to_string(),
    }
}

fn flag(name: &str, value: &str) -> String {
    let flag = format!("--{}", name.replace('_', "-"));
    match value {
        "" => flag,
        value if value.contains(char::is_whitespace) => format!("{flag} \"{value}\""),
        value => format!("{flag} {value}"),
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
