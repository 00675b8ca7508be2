//! `truename review`.

use truename_read::Dialect;
use truename_server::{last_judgements, read_judgements};

use super::serve::judgements_file;
use crate::arguments::{Export, Review};
use crate::count::counted;
use crate::exit_code::{Advised, ExitCode};
use crate::output::Output;

pub fn run(command: Review, quiet: bool) -> anyhow::Result<()> {
    match command {
        Review::Export(arguments) => export(&arguments, quiet),
    }
}

fn export(arguments: &Export, quiet: bool) -> anyhow::Result<()> {
    let own = || judgements_file(arguments.kb.kb.as_deref());
    // Unlike a folder that is shared, the user may name a link.
    let named = arguments.judgements.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let path = named.unwrap_or_else(own);
    let mut judgements = read_judgements(&path)?;
    if let Some(user) = &arguments.user {
        judgements.retain(|judgement| judgement.user == *user);
    }
    let judgements = last_judgements(judgements);
    if judgements.is_empty() {
        let of = arguments.user.as_ref().map_or_else(String::new, |user| format!(" of {user}"));
        let message = format!("{} has no judgement{of}", path.display());
        let hint = "people judge answers at the page of `truename serve`".into();
        return Err(Advised { message, hint, code: ExitCode::Failure }.into());
    }
    let mut out = Output::open(arguments.out.as_deref())?;
    out.put(b"name,id\n")?;
    for judgement in &judgements {
        let id = judgement.id.as_ref().map_or("", |id| id.as_str());
        let row = Dialect::of(b',').row([judgement.name.as_str(), id], arguments.csv_safe);
        out.put((row + "\n").as_bytes())?;
    }
    out.finish()?;
    if !quiet {
        crate::say!("{}", counted(judgements.len() as u64, "judged name"));
    }
    Ok(())
}
