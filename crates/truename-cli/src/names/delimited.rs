//! Text of one name a line, and comma- or tab-separated tables. Rows pass through byte for byte.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use truename::{LONGEST_NAME_BYTES, Linker};

use super::encoding::Codec;
use super::record::{Cells, Record, Records, written};
use super::tally::Tally;
use super::{added_cells, added_columns, json_line};
use crate::arguments::{Match, OutputFormat};
use crate::exit_code::UsageError;
use crate::interrupt;
use crate::output::Output;
use crate::progress::{bytes_bar, grouped};

/// Rows linked at a time.
const PIECE: usize = 4096;

pub fn run(
    arguments: &Match,
    delimiter: Option<u8>,
    linker: &Linker,
    tally: &mut Tally,
    quiet: bool,
) -> anyhow::Result<()> {
    let (raw, total) = open(&arguments.file)?;
    let bar = bytes_bar(total, quiet);
    let mut raw = BufReader::with_capacity(1 << 16, bar.wrap_read(raw));
    let codec = Codec::of(arguments.encoding.as_deref(), raw.fill_buf().context("cannot read the names")?)?;
    let mut records = Records::new(codec.reader(raw), delimiter.filter(|delimiter| *delimiter == b','));
    let failed = || format!("cannot read {}", arguments.file.display());
    let layout = match delimiter {
        None => Layout::of_text(),
        Some(delimiter) => {
            let header = records.next().with_context(failed)?;
            let header = header.ok_or_else(|| anyhow::anyhow!("{} is empty: no header", arguments.file.display()))?;
            Layout::of_table(header, delimiter, arguments, codec)?
        }
    };
    let mut table = Table::begin(arguments, delimiter, codec, layout, linker)?;
    loop {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let mut piece = Vec::with_capacity(PIECE);
        while piece.len() < PIECE {
            match records.next().with_context(failed)? {
                Some(record) => piece.push(record),
                None => break,
            }
        }
        if piece.is_empty() {
            break;
        }
        table.answer(piece, tally)?;
        bar.set_message(format!("{} names", grouped(table.rows)));
    }
    bar.finish_and_clear();
    table.output.finish()
}

fn open(path: &Path) -> anyhow::Result<(Box<dyn Read>, Option<u64>)> {
    if path == Path::new("-") {
        return Ok((Box::new(std::io::stdin()), None));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let metadata = file.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(!metadata.is_dir(), "cannot read {}: it is a folder", path.display());
    Ok((Box::new(file), Some(metadata.len())))
}

/// Where the names are in a row.
struct Layout {
    /// The header as it was written; of text, one of our own.
    header: Record,
    present: Vec<String>,
    column: usize,
}

impl Layout {
    fn of_text() -> Self {
        let header = Record { content: b"name".to_vec(), line_end: b"\n".to_vec(), line: 0 };
        Self { header, present: vec!["name".into()], column: 0 }
    }

    fn of_table(header: Record, delimiter: u8, arguments: &Match, codec: Codec) -> anyhow::Result<Self> {
        let mut cells = Cells::new(delimiter);
        let content = header.content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&header.content);
        let present: Vec<String> =
            cells.of(content).into_iter().map(|cell| codec.decode(cell).unwrap_or_default()).collect();
        let column = name_column(&present, arguments.column.as_deref())?;
        Ok(Self { header, present, column })
    }
}

/// The column with the names: the one asked for, the one called `name`, or the only one.
pub fn name_column(present: &[String], asked: Option<&str>) -> anyhow::Result<usize> {
    let wanted = asked.unwrap_or("name");
    if let Some(at) = present.iter().position(|column| column == wanted) {
        return Ok(at);
    }
    if asked.is_none() && present.len() == 1 {
        return Ok(0);
    }
    let columns = present.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
    Err(UsageError(format!("no column \"{wanted}\" among {columns}; name one with --column")).into())
}

struct Table<'a> {
    arguments: &'a Match,
    linker: &'a Linker,
    delimiter: u8,
    cells: Option<Cells>,
    codec: Codec,
    /// Cells of the header, and which of them is the name.
    width: usize,
    column: usize,
    top: usize,
    output: Output,
    rows: u64,
}

impl<'a> Table<'a> {
    /// Opens the output and writes the header.
    fn begin(
        arguments: &'a Match,
        delimiter: Option<u8>,
        codec: Codec,
        layout: Layout,
        linker: &'a Linker,
    ) -> anyhow::Result<Self> {
        let mut table = Self {
            arguments,
            linker,
            delimiter: delimiter.unwrap_or(b'\t'),
            cells: delimiter.map(Cells::new),
            codec,
            width: layout.present.len(),
            column: layout.column,
            top: arguments.top.unwrap_or(1) as usize,
            output: Output::open(arguments.out.as_deref())?,
            rows: 0,
        };
        if arguments.format == OutputFormat::Table {
            let added = added_columns(&layout.present, table.top, arguments.explain);
            let header = table.row(layout.header, &added)?;
            table.output.put(codec.mark())?;
            table.output.put(&header)?;
        }
        Ok(table)
    }

    /// Answers a piece of the table in the order of its rows.
    fn answer(&mut self, piece: Vec<Record>, tally: &mut Tally) -> anyhow::Result<()> {
        let names: Vec<String> = piece.iter().map(|record| self.name(record, tally)).collect::<Result<_, _>>()?;
        let links = tally.link(self.linker, &names)?;
        self.rows += links.len() as u64;
        for (record, link) in piece.into_iter().zip(links) {
            let line = match self.arguments.format {
                OutputFormat::Jsonl => json_line(&link)?,
                OutputFormat::Table => self.row(record, &added_cells(&link, self.top))?,
            };
            self.output.put(&line)?;
        }
        Ok(std::io::Write::flush(&mut self.output)?)
    }

    /// The name in a row; empty, and so NIL, where there is none that can be read.
    fn name(&mut self, record: &Record, tally: &mut Tally) -> anyhow::Result<String> {
        let file = &self.arguments.file;
        let cell = match &mut self.cells {
            None => record.content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&record.content),
            Some(_) if record.content.is_empty() => b"",
            Some(cells) => {
                let cells = cells.of(&record.content);
                if cells.len() != self.width {
                    let message = format!("a row of {} cells; the header has {}", cells.len(), self.width);
                    tally.problem(file, record.line, &message)?;
                }
                cells.get(self.column).copied().unwrap_or_default()
            }
        };
        let Some(name) = self.codec.decode(cell) else {
            let shown: String = String::from_utf8_lossy(cell).chars().take(60).flat_map(char::escape_debug).collect();
            let message =
                format!("not in the expected encoding (say --encoding, as in --encoding windows-1252): \"{shown}\"");
            tally.problem(file, record.line, &message)?;
            return Ok(String::new());
        };
        if name.len() > LONGEST_NAME_BYTES {
            tally.problem(
                file,
                record.line,
                &format!("a name of {} bytes (at most {LONGEST_NAME_BYTES})", name.len()),
            )?;
        }
        Ok(name)
    }

    fn row(&self, record: Record, added: &[String]) -> anyhow::Result<Vec<u8>> {
        let mut row = record.content;
        if self.cells.is_none() {
            // Text becomes a table, in which a tab would be a new cell.
            row.iter_mut().filter(|byte| **byte == b'\t').for_each(|byte| *byte = b' ');
        }
        for cell in added {
            row.push(self.delimiter);
            row.extend(self.codec.encode(&written(cell, self.delimiter))?);
        }
        row.extend(record.line_end);
        self.codec.finish(row)
    }
}
