//! The `truename` binary.

fn main() -> std::process::ExitCode {
    let program = std::env::current_exe().unwrap_or_else(|_| "truename".into());
    truename_cli::main(&[program.into()], std::env::args_os()).into()
}
