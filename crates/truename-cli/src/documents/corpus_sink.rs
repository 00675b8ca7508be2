//! Output of documents in a format that corpora are exchanged in.

use std::path::Path;

use anyhow::Context;
use truename::{Document, OffsetUnit};
use truename_corpus::{BratWriter, Format, Losses, Writer};
use truename_error::counted;

use crate::exit_code::UsageError;
use crate::interrupt;
use crate::output::Output;

pub enum CorpusSink {
    Stream(Box<Writer<Output>>),
    Brat(BratWriter),
}

impl CorpusSink {
    /// Opens the output of a format, to a file, a folder or stdout.
    pub fn open(format: Format, out: Option<&Path>, offsets: OffsetUnit) -> anyhow::Result<Self> {
        if format == Format::Brat {
            Self::brat(out, offsets)
        } else {
            Self::stream(format, Output::open(out)?, offsets)
        }
    }

    /// Opens the output of a format that keeps documents in one file.
    pub fn stream(format: Format, out: Output, offsets: OffsetUnit) -> anyhow::Result<Self> {
        Ok(Self::Stream(Box::new(Writer::new(format, offsets, out)?)))
    }

    /// Opens a folder of brat.
    pub fn brat(out: Option<&Path>, offsets: OffsetUnit) -> anyhow::Result<Self> {
        let folder = out.ok_or_else(|| UsageError("brat is a folder of files: name it with --out DIR".into()))?;
        Ok(Self::Brat(BratWriter::new(folder, offsets)?))
    }

    pub fn write(&mut self, document: &Document) -> anyhow::Result<()> {
        match self {
            Self::Stream(writer) => writer.write(document).context("cannot write the results"),
            Self::Brat(writer) => Ok(writer.write(document)?),
        }
    }

    /// Flushes a pipe, so that its reader gets results at once.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Stream(writer) => writer.flush().context("cannot write the results"),
            Self::Brat(_) => Ok(()),
        }
    }

    /// Returns the counts of what the format cannot hold.
    pub fn losses(&self) -> Losses {
        if let Self::Stream(writer) = self { writer.losses() } else { Losses::default() }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stream(writer) => writer.finish().context("cannot write the results")?.finish(),
            Self::Brat(writer) => {
                let _committing = interrupt::commit()?;
                Ok(writer.finish()?)
            }
        }
    }
}

/// Reports what a format cannot hold.
pub fn say_losses(losses: Losses) {
    if losses.replaced > 0 {
        let characters = counted(losses.replaced, "character");
        crate::say!(
            "{characters} replaced that XML cannot hold: control characters by spaces, U+FFFE and U+FFFF by U+FFFD"
        );
    }
    if losses.left_out > 0 {
        let mentions = counted(losses.left_out, "mention");
        crate::say!(
            "{mentions} left out, which others overlap: CoNLL gives a token one tag (the first and longest is written)"
        );
    }
}
