//! `truename kb models`.

use std::io::Write;
use std::path::Path;

use truename::{AttachedModel, Encoder, KnowledgeBase, TrainedRecognizer, TrainedReranker, TrainedRetriever};

use crate::arguments::{KbArgument, Models, ModelsCommand};
use crate::command::{embed, open_kb};
use crate::count::counted;
use crate::output::stdout;

pub fn run(arguments: &Models, quiet: bool) -> anyhow::Result<()> {
    let kb = open_kb(&KbArgument { kb: arguments.kb.clone() })?;
    match &arguments.command {
        Some(ModelsCommand::Add { folders, retriever, reranker }) => {
            // Copied first, as vectors take long.
            reranker.iter().try_for_each(|folder| kb.attach_reranker(&TrainedReranker::open(folder)?))?;
            if let Some(folder) = retriever {
                embed::embed_concepts(&kb, &TrainedRetriever::open(folder)?, quiet)?;
            }
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
        Ok(kb.attach_reranker(&TrainedReranker::open(folder)?)?)
    } else if TrainedRetriever::is_in(folder)? {
        embed::embed_concepts(kb, &TrainedRetriever::open(folder)?, quiet)
    } else {
        embed::embed(kb, &Encoder::open(folder)?, quiet)
    }
}

/// Writes a model on one line: role, folder, hash, size and source.
pub fn write(out: &mut impl Write, model: &AttachedModel) -> std::io::Result<()> {
    let AttachedModel { role, hash, folder, source, bytes, is_in_use, .. } = model;
    let state = if *is_in_use { "" } else { ", not in use until all have a vector" };
    let (name, bytes) = (role.as_str(), counted(*bytes, "byte"));
    writeln!(out, "model {name}: {} ({hash}, {bytes}, copied from {source}{state})", folder.display())
}
