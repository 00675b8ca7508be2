//! Output of documents in a format that corpora are exchanged in.

use std::path::Path;

use anyhow::Context;
use truename::{Document, OffsetUnit};
use truename_corpus::{BratWriter, Format, Writer};

use crate::exit_code::UsageError;
use crate::interrupt;
use crate::output::Output;

pub enum CorpusSink {
    Stream(Box<Writer<Output>>),
    Brat(BratWriter),
}

impl CorpusSink {
    pub fn open(format: Format, out: Option<&Path>, offsets: OffsetUnit) -> anyhow::Result<Self> {
        if format != Format::Brat {
            return Ok(Self::Stream(Box::new(Writer::new(format, offsets, Output::open(out)?)?)));
        }
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
