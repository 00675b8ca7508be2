//! Input of a command: files that are one list of names, one table or one sequence of objects, with a progress bar.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::Context;
use indicatif::ProgressBar;
use truename_error::{ErrorKind, excerpt};
use truename_read::{
    Encoding, Error, FurtherFiles, Record, RowFormat, Rows, Source, SourceOptions, TableOptions, columns_by_shape,
    files, folded, has_extension, is_stream, quoted,
};

use super::cells::Cells;
use crate::arguments::{InputFormat, TableArguments};
use crate::bars::bytes_bar;
use crate::exit_code::{UsageError, worded};
use crate::interrupt;

/// Options by which an input is opened.
#[derive(Clone, Copy)]
pub struct InputOptions<'a> {
    pub encoding: Option<&'a str>,
    pub max_line_bytes: u64,
    /// Rows of a Parquet table that are read; all where this is `None`.
    pub row_range: Option<&'a Range<u64>>,
    pub quiet: bool,
}

/// Tells the format of a file; that of the first file where nothing tells it.
type FormatRule<'a> = Rc<dyn Fn(&Source, Option<InputFormat>) -> InputFormat + 'a>;

/// Files, folders, patterns or stdin, read as one.
pub struct Input<'a> {
    pub rows: Rows<'a>,
    pub format: InputFormat,
    pub bar: ProgressBar,
    /// The files that the paths stand for.
    pub files: Vec<PathBuf>,
    /// Columns of the first file, where it has the shape of a table and its name does not say what it is.
    columns_by_shape: Option<Vec<String>>,
    options: SourceOptions,
    table: TableOptions<'a>,
}

impl<'a> Input<'a> {
    /// Opens the first file, of which `layout` tells how its rows are read, and compares the beginnings of the others with it.
    ///
    /// # Errors
    /// If a file cannot be read, is no text, or differs from the first, or the encoding is unknown.
    pub fn open(
        paths: &[PathBuf],
        options: InputOptions<'_>,
        told: impl Fn(&Source, Option<InputFormat>) -> InputFormat + 'a,
        layout: impl FnOnce(InputFormat) -> anyhow::Result<(RowFormat, TableOptions<'a>)>,
    ) -> anyhow::Result<Self> {
        let files = all_files(paths)?;
        let bar = bytes_bar(total_bytes(&files), options.quiet);
        let counted = bar.clone();
        let InputOptions { encoding, max_line_bytes, row_range, .. } = options;
        let (encoding, row_range) = (encoding.map(str::to_owned), row_range.cloned());
        let options = SourceOptions { encoding, max_line_bytes, row_range, ..SourceOptions::default() };
        let watched = SourceOptions { on_read: Some(Arc::new(move |bytes| counted.inc(bytes))), ..options.clone() };
        let told: FormatRule<'a> = Rc::new(told);
        let first = Source::open_raw(&files[0], &watched)?;
        let format = format(&first, None, &told)?;
        first.check_table()?;
        let columns_by_shape = by_extension(first.path()).is_none().then(|| columns_by_shape(&first)).flatten();
        let (form, table) = layout(format)?;
        let open = opener(watched, format, told.clone());
        let further = FurtherFiles::new(files[1..].to_vec(), open);
        let rows = Rows::open(first, further, form, table.clone())?;
        let input = Self { rows, format, bar, files, columns_by_shape, options, table };
        let open = opener(input.options.clone(), format, told);
        input.files[1..].iter().filter(|path| !is_stream(path)).try_for_each(|path| input.rows.check(open(path)?))?;
        Ok(input)
    }

    /// Hands each row of the files that can be read twice to `visit`, before any is read for good.
    ///
    /// # Errors
    /// If a file cannot be read to its end.
    pub fn survey(&self, mut visit: impl FnMut(&Record)) -> anyhow::Result<()> {
        let mut files: Vec<PathBuf> = self.files.iter().filter(|path| !is_stream(path)).cloned().collect();
        if files.is_empty() {
            return Ok(());
        }
        let open = |path: &Path| Source::open_raw(path, &self.options);
        let first = open(&files.remove(0))?;
        let mut rows = Rows::open(first, FurtherFiles::new(files, open), self.rows.format(), self.table.clone())?;
        while let Some(record) = rows.read()? {
            interrupt::check()?;
            visit(&record);
        }
        Ok(())
    }

    /// Says how a text is read that has the shape of a table, where its name does not say what it is.
    pub fn say_shape(&self) {
        let (Some(columns), first) = (&self.columns_by_shape, self.files[0].display()) else { return };
        let columns = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
        match self.format {
            InputFormat::Csv => {
                crate::say!("{first} is read as a table with the columns {columns} (--input-format text reads names)");
            }
            InputFormat::Text => crate::say!(
                "hint: {first} looks like a table with the columns {columns}, and each line is read as a name; --column COLUMN reads the table"
            ),
            _ => {}
        }
    }

    /// Returns a note that the first row is read as the header, where it may be none; `asked` are the columns that the user names. Once the
    /// header is taken from the table there is no note.
    pub fn header_note(&self, asked: &[&str]) -> Option<String> {
        let note = self.rows.table()?.header_note(asked)?;
        Some(format!("{}: {} ({})", self.files[0].display(), note.message, worded(&note.hint)))
    }

    /// Returns the rows of a Parquet table that are read; `None` for all.
    pub fn row_range(&self) -> Option<&Range<u64>> {
        self.options.row_range.as_ref()
    }

    /// Returns an error of a row.
    pub fn refused(&self, line: u64, message: &str, hint: &str) -> anyhow::Error {
        refused(self.rows.path(), line, message, hint)
    }
}

/// Returns an error of a row, with a way out.
pub fn refused(path: &Path, line: u64, message: &str, hint: &str) -> anyhow::Error {
    Error::at(ErrorKind::Syntax, path, line, message).with_hint(hint).into()
}

/// Advice on rows of JSONL that are no objects.
pub const NO_OBJECT: &str = "JSONL has one object a line; `jq -c .` writes it so";

/// Returns the names of the fields of the first object, or the reason why it is none.
pub fn first_fields(record: &Record, encoding: Encoding) -> Result<Vec<String>, String> {
    let cells = Cells::of(record, RowFormat::Objects, encoding)?;
    Ok(cells.fields().into_iter().flat_map(|fields| fields.keys().cloned()).collect())
}

/// Returns the files that paths stand for.
pub fn all_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let found: Vec<PathBuf> = paths.iter().map(|path| files(path)).collect::<Result<Vec<_>, _>>()?.concat();
    match &found[..] {
        [] => Err(UsageError(format!("{} has no files", paths[0].display())).into()),
        several if several.iter().filter(|path| *path == Path::new("-")).count() > 1 => {
            Err(UsageError("stdin can be given once".into()).into())
        }
        _ => Ok(found),
    }
}

/// Returns the size of all files; none if it is not known.
fn total_bytes(files: &[PathBuf]) -> Option<u64> {
    let bytes = |path: &PathBuf| std::fs::metadata(path).ok().filter(|_| !is_stream(path)).map(|file| file.len());
    files.iter().map(bytes).sum()
}

/// Opens files of one format.
fn opener<'a>(
    options: SourceOptions,
    wanted: InputFormat,
    told: FormatRule<'a>,
) -> impl Fn(&Path) -> Result<Source, Error> + 'a {
    move |path| {
        let source = Source::open_raw(path, &options)?;
        source.check_table()?;
        let found = format(&source, Some(wanted), &told)?;
        if found == wanted {
            return Ok(source);
        }
        let message = format!("this is {}, and the first file is {}", shown(found), shown(wanted));
        Err(refused_file(&source, message, "read each by itself, or convert one to the format of the other"))
    }
}

fn shown(format: InputFormat) -> &'static str {
    match format {
        InputFormat::Text => "a list",
        InputFormat::Csv => "CSV",
        InputFormat::Tsv => "TSV",
        InputFormat::Jsonl => "JSONL",
        InputFormat::Parquet => "a Parquet table",
    }
}

fn refused_file(source: &Source, message: impl std::fmt::Display, hint: &str) -> Error {
    Error::at(ErrorKind::NotText, source.path(), None, message).with_hint(hint)
}

/// Returns the format that is told, if it agrees with the content.
fn format(source: &Source, first: Option<InputFormat>, told: &FormatRule<'_>) -> Result<InputFormat, Error> {
    match (told(source, first), source.is_parquet()) {
        (InputFormat::Parquet, false) => {
            Err(refused_file(source, "this is no Parquet table", "say the format, or name the file by its extension"))
        }
        (InputFormat::Parquet, true) => Ok(InputFormat::Parquet),
        (_, true) => Err(refused_file(source, "this is a Parquet table", "leave the format out, or say parquet")),
        (format, false) => Ok(format),
    }
}

/// Returns the format asked for, else that of a Parquet table, of the extension or of the content; `other` where none of them
/// tells it, which is a table and no list of names where it has the shape of one and a column `name`.
pub fn told(source: &Source, asked: Option<InputFormat>, other: InputFormat) -> InputFormat {
    let is_object = |rest: &[u8]| matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]);
    let are_objects = match source.beginning().trim_ascii_start() {
        [b'{', rest @ ..] => is_object(rest),
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [b'{', rest @ ..] => is_object(rest),
            rest => rest.starts_with(b"\""),
        },
        _ => false,
    };
    let parquet = source.is_parquet().then_some(InputFormat::Parquet);
    let by_content = || are_objects.then_some(InputFormat::Jsonl);
    let has_name = |columns: Vec<String>| columns.iter().any(|column| folded(column) == "name");
    let by_shape = || match other {
        InputFormat::Text if columns_by_shape(source).is_some_and(has_name) => InputFormat::Csv,
        other => other,
    };
    asked.or(parquet).or_else(|| by_extension(source.path())).or_else(by_content).unwrap_or_else(by_shape)
}

/// Returns the form of the rows of a format, and the options of a table in which a column is expected.
///
/// # Errors
/// If options of tables are given for another input.
pub fn layout<'a>(
    format: InputFormat,
    arguments: &TableArguments,
    wanted: &'a [&'a [&'a str]],
) -> Result<(RowFormat, TableOptions<'a>), UsageError> {
    check_table_options(arguments, format)?;
    let form = match format {
        InputFormat::Text => RowFormat::Lines,
        InputFormat::Jsonl => RowFormat::Objects,
        InputFormat::Csv | InputFormat::Tsv | InputFormat::Parquet => RowFormat::Table,
    };
    let said = arguments.delimiter.map(|said| said.0).or((format == InputFormat::Tsv).then_some(b'\t'));
    let TableArguments { skip_rows, no_header, .. } = *arguments;
    Ok((form, TableOptions { delimiter: said, skip_rows, has_header: !no_header, wanted, ..TableOptions::default() }))
}

/// Refuses options of tables of text for other inputs.
fn check_table_options(arguments: &TableArguments, format: InputFormat) -> Result<(), UsageError> {
    let given = [
        ("--delimiter", arguments.delimiter.is_some()),
        ("--skip-rows", arguments.skip_rows > 0),
        ("--no-header", arguments.no_header),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) if !matches!(format, InputFormat::Csv | InputFormat::Tsv) => {
            Err(UsageError(format!("{flag} is for tables; say --input-format csv")))
        }
        _ => Ok(()),
    }
}

/// Returns text in the encoding of a row.
///
/// # Errors
/// If the encoding lacks a character.
pub fn encode(encoding: Encoding, text: String) -> anyhow::Result<Vec<u8>> {
    if encoding.is_utf8() {
        return Ok(text.into_bytes());
    }
    encoding.encode(&text).ok_or_else(|| {
        let message = format!("\"{}\" cannot be written in {}", excerpt(text.trim_end()), encoding.name());
        Error::new(ErrorKind::Undecodable, message).with_hint("--output-encoding utf-8 writes all characters").into()
    })
}

/// Returns the bytes of a whole row for the output.
///
/// # Errors
/// If a row of UTF-16 is not text.
pub fn finish(encoding: Encoding, row: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    encoding.finish(row).context("a row is not UTF-16")
}

/// Returns the format of a file's extension; that of a compressor is ignored.
pub fn by_extension(path: &Path) -> Option<InputFormat> {
    let known = [
        ("csv", InputFormat::Csv),
        ("tsv", InputFormat::Tsv),
        ("tab", InputFormat::Tsv),
        ("jsonl", InputFormat::Jsonl),
        ("ndjson", InputFormat::Jsonl),
        ("parquet", InputFormat::Parquet),
        ("pq", InputFormat::Parquet),
    ];
    known.into_iter().find(|(extension, _)| has_extension(path, extension)).map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_extension() {
        let told = |path: &str| by_extension(Path::new(path));
        assert_eq!(told("a.b/X.CSV"), Some(InputFormat::Csv));
        assert_eq!(told("x.tsv.gz"), Some(InputFormat::Tsv));
        assert_eq!(told("x.ndjson.zst"), Some(InputFormat::Jsonl));
        assert_eq!((told("x.txt"), told("csv"), told("-"), told("x.gz")), (None, None, None, None));
    }
}
