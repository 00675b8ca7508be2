//! Commands, one file each.

pub mod align;
pub mod annotate;
pub mod batch;
pub mod calibrate;
pub mod classify;
pub mod cluster;
pub mod corpus;
pub mod cross_validate;
pub mod dedupe;
pub mod distil;
pub mod embed;
pub mod evaluate;
pub mod evaluate_assertions;
mod evaluate_classes;
pub mod evaluate_clusters;
pub mod evaluate_link;
pub mod evaluate_mappings;
pub mod evaluate_mentions;
pub mod evaluate_pairs;
pub mod evaluate_substitutes;
pub mod judge;
pub mod kb;
pub mod link;
pub mod manual;
pub mod map;
pub mod match_names;
pub mod model;
pub mod models;
pub mod recognize;
pub mod recognizer;
pub mod review;
pub mod serve;
pub mod shards;
pub mod simplify;
pub mod train;
pub mod tune;

use std::sync::Arc;

use truename::{KnowledgeBase, Linker};
use truename_error::counted;

use crate::arguments::{EncoderArgument, EncoderChoice, KbArgument, LinkerArguments};
use crate::exit_code::UsageError;

/// Opens the named knowledge base, or the bundled one.
fn open_kb(KbArgument { kb }: &KbArgument) -> Result<KnowledgeBase, truename::Error> {
    kb.as_ref().map_or_else(KnowledgeBase::bundled, KnowledgeBase::open)
}

/// Loads the named encoder, or the knowledge base's own, and reports the number of names without a vector.
fn with_encoder(kb: KnowledgeBase, argument: &EncoderArgument, quiet: bool) -> Result<KnowledgeBase, truename::Error> {
    let kb = match &argument.encoder {
        Some(EncoderChoice::None) => kb.without_encoder(),
        Some(EncoderChoice::Folder(folder)) => kb.with_encoder(Arc::new(argument.adapter.open(folder)?))?,
        None => kb,
    };
    if kb.encoder()?.is_none() {
        say_unused_vectors(&kb, argument, quiet)?;
        return Ok(kb);
    }
    let without = kb.names_without_vector()?;
    if without > 0 && !quiet {
        let have = if without == 1 { "has" } else { "have" };
        crate::say!(
            "{} {have} no vector; a query that may mean one of them is answered lexically",
            counted(without, "name")
        );
        crate::say!("hint: `truename kb embed` makes the missing vectors");
    }
    if !quiet && kb.needs_calibration()? {
        crate::say!("hint: the ranker was fitted with MiniLM-L6; `truename calibrate` fits it to this encoder");
    }
    Ok(kb)
}

/// Reports that vectors are unused because their encoder is not in the knowledge base's folder.
fn say_unused_vectors(kb: &KnowledgeBase, argument: &EncoderArgument, quiet: bool) -> Result<(), truename::Error> {
    if let (None, Some(record), false) = (&argument.encoder, kb.encoder_record()?, quiet) {
        crate::say!("the vectors are not used: their encoder is not in the knowledge base");
        crate::say!("hint: `truename kb models add {} --kb {}` copies it there", record.folder, kb.path().display());
    }
    Ok(())
}

/// Refuses an option that asks for vectors where there are none.
fn check_vectors(option: &str, is_asked: bool, has_encoder: bool) -> Result<(), UsageError> {
    if !is_asked || has_encoder {
        return Ok(());
    }
    Err(UsageError(format!("{option} needs an encoder: `truename kb embed` gives all names vectors")))
}

fn open_linker(LinkerArguments { kb, encoder }: &LinkerArguments, quiet: bool) -> Result<Linker, truename::Error> {
    Linker::new(with_encoder(open_kb(kb)?, encoder, quiet)?)
}
