//! Mentions as the rows of a CSV table.

use std::io::Write;

use truename::{LinkedDocument, LinkedMention, OffsetUnit, Offsets, Span};
use truename_read::Dialect;

use crate::names::added::{AddedColumns, cell};
use crate::output::Output;

/// Columns that place a mention.
const OWN: [&str; 5] = ["document", "start", "end", "text", "type"];

/// Columns behind those that place a mention.
pub enum MentionColumns {
    /// The answer, then the assertions.
    Linked(AddedColumns),
    /// The recognizer's score.
    Recognized,
}

/// A CSV table with a row for each mention.
pub struct MentionTable {
    out: Output,
    columns: MentionColumns,
    offsets: OffsetUnit,
    /// True if cells that a spreadsheet would run as formulas are written as text.
    is_safe: bool,
}

impl MentionTable {
    /// Writes the header.
    pub fn open(mut out: Output, columns: MentionColumns, offsets: OffsetUnit, is_safe: bool) -> anyhow::Result<Self> {
        let behind: Vec<&str> = match &columns {
            MentionColumns::Linked(added) => added.names.iter().map(String::as_str).chain(["assertions"]).collect(),
            MentionColumns::Recognized => vec!["score"],
        };
        let header: Vec<&str> = OWN.into_iter().chain(behind).collect();
        out.put(&line(header, is_safe))?;
        Ok(Self { out, columns, offsets, is_safe })
    }

    /// Writes the mentions of a document.
    pub fn write(&mut self, linked: &LinkedDocument) -> anyhow::Result<()> {
        let offsets = Offsets::new(&linked.document.text, self.offsets);
        linked.mentions.iter().try_for_each(|mention| {
            let mut row = place(&linked.document.id, mention, &offsets);
            match &self.columns {
                MentionColumns::Linked(added) => {
                    row.extend(added.values(&mention.link).iter().map(|value| cell(value).into_owned()));
                    row.push(mention.assertions.names().join("|"));
                }
                MentionColumns::Recognized => {
                    row.push(mention.score.map(|score| format!("{score:.4}")).unwrap_or_default());
                }
            }
            self.out.put(&line(row, self.is_safe))
        })
    }

    /// Flushes a pipe, so that its reader gets results at once.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }

    pub fn finish(self) -> anyhow::Result<()> {
        self.out.finish()
    }
}

fn line(cells: Vec<impl AsRef<str>>, is_safe: bool) -> Vec<u8> {
    (Dialect::of(b',').row(cells, is_safe) + "\n").into_bytes()
}

/// Returns the cells that place a mention; several types stand as one, between vertical bars.
fn place(document: &str, mention: &LinkedMention, offsets: &Offsets) -> Vec<String> {
    let Span { start, end } = mention.span;
    let [start, end] = [start, end].map(|byte| offsets.of_byte(byte).to_string());
    vec![document.to_owned(), start, end, mention.text.clone(), mention.types.join("|")]
}
