//! Output of linked documents in the format asked for.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use truename::{Document, LinkedDocument, LinkedMention, Mention, OffsetUnit};
use truename_corpus::{Format, Losses};
use truename_view::{DocumentLine, HtmlWriter};

use super::mention_table::{MentionColumns, MentionTable};
use super::{CorpusSink, terminal};
use crate::arguments::LinkFormat;
use crate::output::Output;
use crate::resumable_file::ResumableFile;

/// Options of the output of documents.
pub struct SinkOptions<'a> {
    pub format: LinkFormat,
    /// File or folder; stdout where this is `None`.
    pub out: Option<&'a Path>,
    pub offsets: OffsetUnit,
    /// Columns of a table of mentions.
    pub columns: MentionColumns,
    /// True if cells that a spreadsheet would run as formulas are written as text.
    pub csv_safe: bool,
    /// Output that a later run can go on with, in place of `out`.
    pub resumable: Option<&'a ResumableFile>,
}

pub enum Sink {
    Jsonl { out: Output, offsets: OffsetUnit },
    Table(MentionTable),
    Corpus(CorpusSink),
    Html(Box<HtmlWriter<Output>>),
    Terminal { out: Output, colour: bool },
}

impl Sink {
    pub fn open(options: SinkOptions<'_>) -> anyhow::Result<Self> {
        let SinkOptions { format, out, offsets, columns, csv_safe, resumable } = options;
        let open = || Output::open_or(resumable, out);
        let corpus = |format| Ok(Self::Corpus(CorpusSink::stream(format, open()?, offsets)?));
        match format {
            LinkFormat::Jsonl => Ok(Self::Jsonl { out: open()?, offsets }),
            LinkFormat::Csv => Ok(Self::Table(MentionTable::open(open()?, columns, offsets, csv_safe)?)),
            LinkFormat::Pubtator => corpus(Format::Pubtator),
            LinkFormat::BiocXml => corpus(Format::BiocXml),
            LinkFormat::BiocJson => corpus(Format::BiocJson),
            LinkFormat::Brat => Ok(Self::Corpus(CorpusSink::brat(out, offsets)?)),
            LinkFormat::Conll => corpus(Format::Conll),
            LinkFormat::Html => Ok(Self::Html(Box::new(HtmlWriter::new(open()?, "Linked documents")?))),
            LinkFormat::Terminal if out.is_none() => Ok(Self::Terminal { out: Output::styled(), colour: has_colour() }),
            LinkFormat::Terminal => Ok(Self::Terminal { out: open()?, colour: false }),
        }
    }

    pub fn write(&mut self, linked: &LinkedDocument) -> anyhow::Result<()> {
        let failed = "cannot write the results";
        match self {
            Self::Jsonl { out, offsets } => {
                serde_json::to_writer(&mut *out, &DocumentLine::new(linked, *offsets)).context(failed)?;
                out.write_all(b"\n").context(failed)
            }
            Self::Table(table) => table.write(linked),
            Self::Corpus(corpus) => corpus.write(&exchanged(linked)),
            Self::Html(page) => page.write(linked).context(failed),
            Self::Terminal { out, colour } => terminal::write(out, linked, *colour).context(failed),
        }
    }

    /// Flushes a pipe, so that its reader gets results at once.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl { out, .. } | Self::Terminal { out, .. } => out.flush().context("cannot write the results"),
            Self::Table(table) => table.flush().context("cannot write the results"),
            Self::Corpus(corpus) => corpus.flush(),
            // A page is shown when it is whole.
            Self::Html(_) => Ok(()),
        }
    }

    /// Returns the counts of what the format cannot hold.
    pub fn losses(&self) -> Losses {
        if let Self::Corpus(corpus) = self { corpus.losses() } else { Losses::default() }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl { out, .. } | Self::Terminal { out, .. } => out.finish(),
            Self::Table(table) => table.finish(),
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
