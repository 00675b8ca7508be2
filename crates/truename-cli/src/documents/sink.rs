//! Output of linked documents in the format asked for.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use truename::{Document, LinkedDocument, LinkedMention, Mention, OffsetUnit};
use truename_corpus::Format;
use truename_view::{DocumentLine, HtmlWriter};

use super::{CorpusSink, terminal};
use crate::arguments::LinkFormat;
use crate::output::Output;

pub enum Sink {
    Jsonl { out: Output, offsets: OffsetUnit },
    Corpus(CorpusSink),
    Html(Box<HtmlWriter<Output>>),
    Terminal { out: Output, colour: bool },
}

impl Sink {
    pub fn open(format: LinkFormat, out: Option<&Path>, offsets: OffsetUnit) -> anyhow::Result<Self> {
        let corpus = |format| Ok::<_, anyhow::Error>(Self::Corpus(CorpusSink::open(format, out, offsets)?));
        Ok(match format {
            LinkFormat::Jsonl => Self::Jsonl { out: Output::open(out)?, offsets },
            LinkFormat::Pubtator => corpus(Format::Pubtator)?,
            LinkFormat::BiocXml => corpus(Format::BiocXml)?,
            LinkFormat::BiocJson => corpus(Format::BiocJson)?,
            LinkFormat::Brat => corpus(Format::Brat)?,
            LinkFormat::Html => Self::Html(Box::new(HtmlWriter::new(Output::open(out)?, "Linked documents")?)),
            LinkFormat::Terminal => Self::Terminal {
                out: out.map_or_else(|| Ok(Output::styled()), |path| Output::open(Some(path)))?,
                colour: out.is_none() && has_colour(),
            },
        })
    }

    pub fn write(&mut self, linked: &LinkedDocument) -> anyhow::Result<()> {
        let failed = "cannot write the results";
        match self {
            Self::Jsonl { out, offsets } => {
                serde_json::to_writer(&mut *out, &DocumentLine::new(linked, *offsets)).context(failed)?;
                out.write_all(b"\n").context(failed)
            }
            Self::Corpus(corpus) => corpus.write(&exchanged(linked)),
            Self::Html(page) => page.write(linked).context(failed),
            Self::Terminal { out, colour } => terminal::write(out, linked, *colour).context(failed),
        }
    }

    /// Flushes a pipe, so that its reader gets results at once.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl { out, .. } | Self::Terminal { out, .. } => out.flush().context("cannot write the results"),
            Self::Corpus(corpus) => corpus.flush(),
            // A page is shown when it is whole.
            Self::Html(_) => Ok(()),
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl { out, .. } | Self::Terminal { out, .. } => out.finish(),
            Self::Corpus(corpus) => corpus.finish(),
            Self::Html(page) => page.finish().context("cannot write the results")?.finish(),
        }
    }
}

/// Returns whether output is coloured: on a terminal, unless `NO_COLOR` is set (no-color.org).
fn has_colour() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (std::io::stdout().is_terminal() || is_set("CLICOLOR_FORCE")) && !is_set("NO_COLOR")
}

/// Returns the document with the linked mentions in place of its own.
fn exchanged(linked: &LinkedDocument) -> Document {
    let mention = |mention: &LinkedMention| Mention {
        span: mention.span,
        fragments: mention.fragments.clone(),
        mention_type: mention.types.first().cloned().unwrap_or_default(),
        id: mention.link.id().map(ToString::to_string),
        probability: mention.link.answer().map(|answer| answer.probability),
        assertions: mention.assertions,
    };
    Document { mentions: linked.mentions.iter().map(mention).collect(), ..linked.document.clone() }
}
