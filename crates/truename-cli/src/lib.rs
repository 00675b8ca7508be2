//! The `truename` command: parses arguments, reads and writes; the `truename` crate does the work.
//!
//! [`main`] runs it, for programs that carry the command.

/// Prints a line on stderr, with control characters replaced.
macro_rules! say {
    ($($words:tt)*) => { $crate::harmless::say(format_args!($($words)*)) };
}
pub(crate) use say;

mod arguments;
mod atomic_file;
mod bars;
mod batch;
mod command;
mod documents;
mod exit_code;
mod harmless;
mod interrupt;
mod lock;
mod mapping_page;
mod names;
mod output;
mod problems;
mod progress;
mod progress_lines;
mod records;
mod resumable_file;
mod run_identity;
mod spread;
mod tsne;

use std::ffi::OsString;

use clap::Parser;
use truename_storage::SpillAllocator;

use arguments::{Arguments, Command, ProgressForm};
pub use exit_code::ExitCode;

#[global_allocator]
static ALLOCATOR: SpillAllocator = SpillAllocator;

/// Runs the command with its arguments, the first of which is its own name. `program` is the program with its first arguments that runs the
/// command in another process. Ends the process itself where the arguments cannot be read, where they ask for help, and after an
/// interruption.
pub fn main(program: &[OsString], arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::listen();
    let arguments = Arguments::parse_from(arguments);
    set_up(&arguments);
    let quiet = arguments.quiet;
    let outcome = match arguments.command {
        Command::Kb(command) => command::kb::run(command, quiet),
        Command::Link(options) => command::link::run(&options, quiet),
        Command::Annotate(options) => command::annotate::run(&options, quiet),
        Command::Recognize(options) => command::recognize::run(&options, quiet),
        Command::Simplify(options) => command::simplify::run(&options, quiet),
        Command::Match(options) => command::match_names::run(&options, quiet),
        Command::Batch(command) => command::batch::run(&command, program, arguments.threads, quiet),
        Command::Classify(options) => command::classify::run(&options, quiet),
        Command::Dedupe(options) => command::dedupe::run(&options, quiet),
        Command::Cluster(options) => command::cluster::run(&options, quiet),
        Command::Align(options) => command::align::run(&options, quiet),
        Command::Evaluate(command) => command::evaluate::run(command, quiet),
        Command::Map(options) => command::map::run(&options, quiet),
        Command::Calibrate(options) => command::calibrate::run(&options, quiet),
        Command::Corpus(command) => command::corpus::run(command, quiet),
        Command::Train(options) => command::train::run(&options, quiet),
        Command::Distil(options) => command::distil::run(&options, quiet),
        Command::Tune(options) => command::tune::run(&options, quiet),
        Command::Recipe(command) => command::train::recipe(&command),
        Command::Serve(options) => command::serve::run(&options, quiet),
        Command::Review(command) => command::review::run(command, quiet),
        Command::Model(command) => command::model::run(command, quiet),
        Command::Completions { shell } => command::manual::completions(shell),
        Command::Man { command } => command::manual::man(&command),
    };
    ExitCode::report(outcome)
}

fn set_up(arguments: &Arguments) {
    if arguments.progress == ProgressForm::None {
        bars::hide();
    }
    if arguments.verbose {
        use tracing_subscriber::fmt::format::FmtSpan;
        // Log lines would mix with them.
        bars::hide();
        tracing_subscriber::fmt().with_writer(harmless::log).with_span_events(FmtSpan::CLOSE).init();
    } else if matches!(arguments.command, Command::Serve(_)) {
        // Clients are told that the log says why.
        tracing_subscriber::fmt()
            .with_writer(harmless::log)
            .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
            .init();
    }
    if let Some(threads) = arguments.threads {
        // Fails only if a pool exists already, and none does.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    truename::guard::install();
}
