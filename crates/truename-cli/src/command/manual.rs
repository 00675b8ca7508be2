//! Completion scripts and manual pages.

use std::io::Write;

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::exit_code::UsageError;

pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "truename", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

/// Source in the footer of a page.
const SOURCE: &str = concat!("truename ", env!("CARGO_PKG_VERSION"));

/// Prints the page of a command; without a command, one page of all commands.
pub fn man(path: &[String]) -> anyhow::Result<()> {
    let mut root = Arguments::command();
    root.build();
    let mut page = Vec::new();
    if path.is_empty() {
        clap_mangen::Man::new(root.clone()).source(SOURCE).render(&mut page)?;
        render_subcommands(&root, "truename", &mut page)?;
    } else {
        let title = ["truename"].into_iter().chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
        clap_mangen::Man::new(find(&root, path)?.clone()).title(title).source(SOURCE).render(&mut page)?;
    }
    Ok(std::io::stdout().write_all(&page)?)
}

/// Finds the command at a path such as `kb import`.
fn find<'a>(root: &'a Command, path: &[String]) -> anyhow::Result<&'a Command> {
    let (mut command, mut found) = (root, "truename".to_owned());
    for name in path {
        let Some(next) = subcommands(command).find(|subcommand| subcommand.get_name() == name) else {
            let known: Vec<&str> = subcommands(command).map(Command::get_name).collect();
            let known = match known[..] {
                [] => format!("`{found}` has no commands of its own"),
                _ => format!("`{found}` has {}", known.join(", ")),
            };
            return Err(UsageError(format!("there is no command `{found} {name}`; {known}")).into());
        };
        (command, found) = (next, format!("{found} {name}"));
    }
    Ok(command)
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help")
}

fn render_subcommands(command: &Command, path: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    for subcommand in subcommands(command) {
        let path = format!("{path} {}", subcommand.get_name());
        writeln!(page, ".SH {}", path.to_uppercase())?;
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_description_section(page)?;
        man.render_options_section(page)?;
        render_subcommands(subcommand, &path, page)?;
    }
    Ok(())
}
