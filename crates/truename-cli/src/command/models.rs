//! `truename kb models`.

use std::io::Write;
use std::path::Path;

use truename::{
    AttachedModel, Concept, Encoder, Error, KnowledgeBase, TrainedRecognizer, TrainedReranker, TrainedRetriever,
};
use truename_error::counted;

use crate::arguments::{KbArgument, Models, ModelsCommand};
use crate::command::{embed, open_kb};
use crate::harmless::OneLine;
use crate::output::stdout;
use crate::problems::MAX_SHOWN;

pub fn run(arguments: &Models, quiet: bool) -> anyhow::Result<()> {
    let kb = open_kb(&KbArgument { kb: arguments.kb.clone() })?;
    match &arguments.command {
        Some(ModelsCommand::Add { folders, retriever, reranker }) => {
            // Copied first, as vectors take long.
            reranker.iter().try_for_each(|folder| add_reranker(&kb, folder, quiet))?;
            retriever.iter().try_for_each(|folder| add_retriever(&kb, folder, quiet))?;
            folders.iter().try_for_each(|folder| add(&kb, folder, quiet))
        }
        Some(ModelsCommand::Remove { role }) => Ok(kb.detach(*role)?),
        Some(ModelsCommand::List) | None => {
            let mut out = stdout();
            kb.models()?.iter().try_for_each(|model| write(&mut out, model))?;
            out.finish()
        }
    }
}

/// Copies a model of any role.
fn add(kb: &KnowledgeBase, folder: &Path, quiet: bool) -> anyhow::Result<()> {
    if TrainedRecognizer::is_in(folder)? {
        Ok(kb.attach_recognizer(&TrainedRecognizer::open(folder)?)?)
    } else if TrainedReranker::is_in(folder)? {
        add_reranker(kb, folder, quiet)
    } else if TrainedRetriever::is_in(folder)? {
        add_retriever(kb, folder, quiet)
    } else {
        embed::embed(kb, &Encoder::open(folder)?, quiet)
    }
}

fn add_reranker(kb: &KnowledgeBase, folder: &Path, quiet: bool) -> anyhow::Result<()> {
    let reranker = TrainedReranker::open(folder)?;
    kb.attach_reranker(&reranker)?;
    list_unread(kb, "re-ranker", quiet, |concept| reranker.holds_name(concept))
}

fn add_retriever(kb: &KnowledgeBase, folder: &Path, quiet: bool) -> anyhow::Result<()> {
    let retriever = TrainedRetriever::open(folder)?;
    list_unread(kb, "retriever", quiet, |concept| retriever.holds_name(concept))?;
    embed::embed_concepts(kb, &retriever, quiet)
}

/// Lists the concepts without a name that a model reads whole.
fn list_unread(
    kb: &KnowledgeBase,
    model: &str,
    quiet: bool,
    holds_name: impl Fn(&Concept) -> Result<bool, Error>,
) -> anyhow::Result<()> {
    if quiet {
        return Ok(());
    }
    let (mut count, mut first) = (0, Vec::new());
    kb.for_each_concept(|concept| {
        if !holds_name(&concept)? {
            count += 1;
            if first.len() < MAX_SHOWN {
                first.push(format!("{} ({}…)", concept.id, concept.name.chars().take(80).collect::<String>()));
            }
        }
        Ok::<_, Error>(())
    })?;
    if count > 0 {
        let concepts = counted(count, "concept");
        crate::say!("warning: no name of {concepts} is short enough for the {model}, which reads their beginning:");
        first.iter().for_each(|concept| crate::say!("  {concept}"));
    }
    Ok(())
}

/// Writes a model on one line: role, folder, hash, size and source.
pub fn write(out: &mut impl Write, model: &AttachedModel) -> std::io::Result<()> {
    let AttachedModel { role, hash, folder, source, bytes, is_in_use, .. } = model;
    let state = if *is_in_use { "" } else { ", not in use until all have a vector" };
    let (name, bytes, source) = (role.as_str(), counted(*bytes, "byte"), OneLine(source));
    writeln!(out, "model {name}: {} ({hash}, {bytes}, copied from {source}{state})", folder.display())
}
