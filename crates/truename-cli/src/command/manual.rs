//! Completion scripts and the manual page.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;

pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "truename", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

/// One page: the command, then each subcommand.
pub fn man() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut command = Arguments::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    render_subcommands(&command, "truename", &mut page)?;
    Ok(std::io::stdout().write_all(&page)?)
}

fn render_subcommands(command: &clap::Command, path: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let path = format!("{path} {}", subcommand.get_name());
        writeln!(page, ".SH {}", path.to_uppercase())?;
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_description_section(page)?;
        man.render_options_section(page)?;
        render_subcommands(subcommand, &path, page)?;
    }
    Ok(())
}
