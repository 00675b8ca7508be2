//! The `truename` binary.

fn main() -> std::process::ExitCode {
    truename_cli::main(std::env::args_os()).into()
}
