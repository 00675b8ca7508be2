//! Arguments of a command with the options as they were given.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches};

/// Arguments of a command, with the options as they were given.
pub struct Given<T> {
    pub arguments: T,
    /// Name of each option given, in the order of the help, with its values; none of a flag. `--out` and `--resume` are left out, which
    /// say where answers go.
    pub options: Vec<(String, Vec<OsString>)>,
}

impl<T: Args> Args for Given<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        T::augment_args_for_update(command)
    }
}

impl<T: Args> FromArgMatches for Given<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let command = T::augment_args(clap::Command::new("given"));
        let is_given = |id: &str| matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue);
        let options = command.get_arguments().filter_map(|argument| {
            let (name, id) = (argument.get_long()?, argument.get_id().as_str());
            let values = argument.get_action().takes_values().then(|| matches.get_raw(id)).flatten();
            let is_option = is_given(id) && !["out", "resume"].contains(&id);
            is_option.then(|| (name.to_owned(), values.into_iter().flatten().map(Into::into).collect()))
        });
        Ok(Self { options: options.collect(), arguments: T::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
