//! `truename kb weigh` and `kb gather`.

use std::path::PathBuf;

use truename::{KnowledgeBase, LinkOptions, NameFrequencies};
use truename_error::counted;
use truename_read::{Source, SourceOptions};

use crate::arguments::Gather;
use crate::interrupt;
use crate::progress::watched;

pub fn weigh(shards: &[PathBuf], frequencies: &[PathBuf], quiet: bool) -> anyhow::Result<()> {
    let shards = shards.iter().map(KnowledgeBase::open).collect::<Result<Vec<_>, _>>()?;
    let frequencies = frequencies.iter().map(NameFrequencies::read).collect::<Result<Vec<_>, _>>()?;
    let names = truename::weigh(&shards, &frequencies)?;
    if !quiet {
        crate::say!(
            "{} weighed by the frequencies in {}",
            counted(shards.len() as u64, "shard"),
            counted(names.into(), "name")
        );
    }
    Ok(())
}

pub fn gather(arguments: &Gather, quiet: bool) -> anyhow::Result<()> {
    let Gather { shards, names, concepts, out } = arguments;
    let names = Source::open(names, &SourceOptions::default())?.into_string()?;
    let names: Vec<&str> = names.lines().collect();
    let shards = shards.iter().map(KnowledgeBase::open).collect::<Result<Vec<_>, _>>()?;
    let options = concepts.apply(LinkOptions::default());
    let kb = watched(quiet, || truename::gather(&shards, &names, &options, out, &interrupt::progress()))?;
    if !quiet {
        let info = kb.info()?;
        crate::say!(
            "{} with {} for {} of {} in {}",
            counted(info.concepts.into(), "concept"),
            counted(info.names.into(), "name"),
            counted(names.len() as u64, "name"),
            counted(shards.len() as u64, "shard"),
            out.display()
        );
    }
    Ok(())
}
