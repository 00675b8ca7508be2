//! `truename review`.

use std::path::Path;

use truename_error::{Error, ErrorKind, counted};
use truename_read::{Dialect, Source, SourceOptions, has_extension, json};
use truename_server::{Judgement, last_judgements, read_judgements};

use super::serve::{judgements_file, judgements_in, named};
use crate::arguments::{Export, Review};
use crate::output::Output;

pub fn run(command: Review, quiet: bool) -> anyhow::Result<()> {
    match command {
        Review::Export(arguments) => export(&arguments, quiet),
    }
}

fn export(arguments: &Export, quiet: bool) -> anyhow::Result<()> {
    let kb = arguments.kb.kb.as_deref();
    let (path, mut judgements) = match &arguments.judgements {
        // Unlike a file in a folder that is shared, it may be a link, a pipe or packed.
        Some(path) if !path.is_dir() => (path.clone(), read(path)?),
        folder => {
            let path = match folder {
                Some(folder) => judgements_in(folder, &named(kb)?.0),
                None => judgements_file(kb),
            };
            let judgements = read_judgements(&path)?;
            (path, judgements)
        }
    };
    if let Some(user) = &arguments.user {
        judgements.retain(|judgement| judgement.user == *user);
    }
    let judgements = last_judgements(judgements);
    if judgements.is_empty() {
        let of = arguments.user.as_ref().map_or_else(String::new, |user| format!(" of {user}"));
        let message = format!("{} has no judgement{of}", path.display());
        let hint = "people judge answers at the page of `truename serve`";
        return Err(Error::new(ErrorKind::TooFew, message).with_hint(hint).into());
    }
    let mut out = Output::open(arguments.out.as_deref())?;
    let has_tabs = |path: &Path| ["tsv", "tab"].iter().any(|extension| has_extension(path, extension));
    let dialect = Dialect::of(if arguments.out.as_deref().is_some_and(has_tabs) { b'\t' } else { b',' });
    out.put((dialect.row(["name", "id", "date", "chance"], false) + "\n").as_bytes())?;
    for judgement in &judgements {
        let truename::Judgement { name, verdict, date } = judgement.to_learn();
        let (date, chance) = (date.to_string(), judgement.chance.to_string());
        let row = dialect.row([name.as_str(), verdict.as_str(), &date, &chance], arguments.csv_safe);
        out.put((row + "\n").as_bytes())?;
    }
    out.finish()?;
    if !quiet {
        crate::say!("{}", counted(judgements.len() as u64, "judged name"));
    }
    Ok(())
}

/// Reads a file of judgements that the user names.
fn read(path: &Path) -> anyhow::Result<Vec<Judgement>> {
    let (mut judgements, mut lines) = (Vec::new(), Source::open(path, &SourceOptions::default())?.into_lines());
    while let Some(line) = lines.read_filled()? {
        let text = line.text().map_err(|fault| fault.at(path, line.number))?;
        let read = json::object(text).and_then(|object: serde_json::Map<String, serde_json::Value>| {
            serde_json::from_value(object.into()).map_err(|error| error.to_string())
        });
        let hint = "a judgement is a line such as {\"name\": \"MI\", \"id\": \"D009203\"}; remove a last line that was cut off";
        judgements
            .push(read.map_err(|reason| Error::at(ErrorKind::Syntax, path, line.number, reason).with_hint(hint))?);
    }
    Ok(judgements)
}
