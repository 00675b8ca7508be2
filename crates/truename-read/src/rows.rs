//! Rows of several files as the rows of one table or list, each in the bytes of its file.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use truename_error::ErrorKind;

use crate::column::{folded, list};
use crate::encoding::Encoding;
use crate::error::Error;
use crate::files::is_stream;
use crate::json::Objects;
use crate::options::SourceOptions;
use crate::pipe::{IDLE, Patience};
use crate::record::{Dialect, Record, Records};
use crate::source::Source;
use crate::table::{Table, TableOptions};

/// Form of the rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Each line is a row of one cell.
    Lines,
    /// The rows of a table.
    Table,
    /// JSON objects, each a row of one cell; a string is the field `name` of an object.
    Objects,
}

/// The rows of several files as those of one list, table or sequence of objects, with the bytes that they have in the files.
///
/// The header of a table is that of the first file. A further file has the same columns, dialect and encoding, or is refused.
pub struct Rows<'a> {
    form: Form,
    format: RowFormat,
    options: TableOptions<'a>,
    further: FurtherFiles<'a>,
    head: Head,
    path: PathBuf,
    patience: Option<Patience>,
    next: Option<Record>,
    line_end: &'static [u8],
}

/// Files that are read after the first, each opened when the rows before it have been read.
pub struct FurtherFiles<'a> {
    paths: vec::IntoIter<PathBuf>,
    open: Open<'a>,
}

/// Opens a file.
type Open<'a> = Box<dyn Fn(&Path) -> Result<Source, Error> + 'a>;

impl<'a> FurtherFiles<'a> {
    /// Creates the files of some paths; `open` opens one.
    pub fn new(paths: Vec<PathBuf>, open: impl Fn(&Path) -> Result<Source, Error> + 'a) -> Self {
        Self { paths: paths.into_iter(), open: Box::new(open) }
    }

    /// Creates no files.
    pub fn none() -> Self {
        Self::new(Vec::new(), |path| Source::open_raw(path, &SourceOptions::default()))
    }

    fn are_left(&self) -> bool {
        self.paths.len() > 0
    }

    /// Returns whether the next file may have nothing for a while.
    fn begin_with_stream(&self) -> bool {
        self.paths.as_slice().first().is_some_and(|path| is_stream(path))
    }

    fn next(&mut self) -> Option<Result<Source, Error>> {
        self.paths.next().map(|path| (self.open)(&path))
    }
}

/// Facts about the first file, in which the others agree.
struct Head {
    path: PathBuf,
    columns: Vec<String>,
    dialect: Option<Dialect>,
    encoding: Encoding,
}

enum Form {
    Lines(Records),
    Table(Box<Table>),
    Objects(Objects),
}

impl Form {
    fn open(source: Source, format: RowFormat, options: &TableOptions<'_>) -> Result<Self, Error> {
        Ok(match format {
            RowFormat::Lines => Self::Lines(source.into_records(None)),
            RowFormat::Table => Self::Table(Box::new(Table::open(source, options)?)),
            RowFormat::Objects => Self::Objects(source.into_objects()),
        })
    }

    fn read(&mut self) -> Result<Option<Record>, Error> {
        match self {
            Self::Lines(records) => records.read(),
            Self::Table(table) => table.read(),
            Self::Objects(objects) => Ok(objects.read_blank_too()?.map(named)),
        }
    }
}

/// Returns a row that is a JSON string as an object whose field `name` it is, and any other row as it is.
fn named(record: Record) -> Record {
    match record.content().trim_ascii() {
        text @ [b'"', .., b'"'] => {
            let object = [b"{\"name\":", text, b"}"].concat();
            Record::of_bytes(object, record.line_end, record.line)
        }
        _ => record,
    }
}

impl Head {
    fn of(path: &Path, encoding: Encoding, form: &Form) -> Self {
        let (columns, dialect) = match form {
            Form::Table(table) => (table.columns.clone(), Some(table.dialect)),
            Form::Lines(_) | Form::Objects(_) => (Vec::new(), None),
        };
        Self { path: path.to_owned(), columns, dialect, encoding }
    }

    /// Refuses a further file that differs.
    fn check(&self, further: &Self) -> Result<(), Error> {
        let first = self.path.display();
        let refused = |message: String, hint: &str| {
            Err(Error::at(ErrorKind::Syntax, &further.path, None, message).with_hint(hint))
        };
        if self.encoding.name() != further.encoding.name() {
            let (own, other) = (further.encoding.name(), self.encoding.name());
            return refused(format!("the text is in {own}, that of {first} in {other}"), "convert both to UTF-8");
        }
        let is_same = |(one, other): (&String, &String)| folded(one) == folded(other);
        let are_same = self.columns.len() == further.columns.len();
        let hint = "give all files the same columns in the same order and way of writing, or read each by itself";
        if self.dialect.map(|dialect| dialect.delimiter) != further.dialect.map(|dialect| dialect.delimiter) {
            let shown = |head: &Self| head.dialect.map_or(' ', |dialect| char::from(dialect.delimiter)).escape_debug();
            let (own, other) = (shown(further), shown(self));
            return refused(format!("cells are separated by '{own}', those of {first} by '{other}'"), hint);
        }
        if !are_same || !self.columns.iter().zip(&further.columns).all(is_same) {
            let (own, other) = (list(&further.columns), list(&self.columns));
            return refused(format!("the columns are {own}, those of {first} {other}"), hint);
        }
        if self.dialect != further.dialect {
            return refused(format!("quotes are written otherwise than in {first}"), hint);
        }
        Ok(())
    }
}

impl<'a> Rows<'a> {
    /// Opens the first of some files.
    ///
    /// # Errors
    /// If the beginning of the first file cannot be read.
    pub fn open(
        first: Source,
        further: FurtherFiles<'a>,
        format: RowFormat,
        options: TableOptions<'a>,
    ) -> Result<Self, Error> {
        let (path, encoding, patience) = (first.path().to_owned(), first.encoding(), first.patience().cloned());
        let mut form = Form::open(first, format, &options)?;
        let mut line_end = &b"\n"[..];
        if let Form::Table(table) = &mut form
            && let Some(header) = &mut table.header
        {
            if header.line_end.is_empty() && further.are_left() {
                header.line_end = line_end;
            }
            line_end = header.line_end;
        }
        let head = Head::of(&path, encoding, &form);
        Ok(Self { form, format, options, further, head, path, patience, next: None, line_end })
    }

    /// Refuses a further file with other columns, another dialect or encoding than the first, before it is its turn.
    ///
    /// # Errors
    /// As said, or if its beginning cannot be read.
    pub fn check(&self, further: Source) -> Result<(), Error> {
        self.further(further).map(drop)
    }

    fn further(&self, source: Source) -> Result<Form, Error> {
        let (path, encoding) = (source.path().to_owned(), source.encoding());
        let form = Form::open(source, self.format, &self.options)?;
        self.head.check(&Head::of(&path, encoding, &form))?;
        Ok(form)
    }

    /// Reads the next row, which may be empty. A row that the end of a file ends gets a line end where a file follows.
    ///
    /// # Errors
    /// If the row is too long, or a file cannot be read or differs from the first.
    pub fn read(&mut self) -> Result<Option<Record>, Error> {
        if let Some(record) = self.next.take() {
            return Ok(Some(record));
        }
        loop {
            if let Some(record) = self.read_here()? {
                return Ok(Some(record));
            }
            let Some(source) = self.further.next() else { return Ok(None) };
            let source = source?;
            let (path, patience) = (source.path().to_owned(), source.patience().cloned());
            self.form = self.further(source)?;
            (self.path, self.patience) = (path, patience);
        }
    }

    /// Reads the next row of the file that is being read.
    fn read_here(&mut self) -> Result<Option<Record>, Error> {
        let read = self.form.read()?;
        Ok(read.map(|mut record| {
            match record.line_end {
                b"" if self.further.are_left() => record.line_end = self.line_end,
                b"" => {}
                line_end => self.line_end = line_end,
            }
            record
        }))
    }

    /// Returns true if a pipe has no whole row for the moment, or is still to be opened: [`Rows::read`] may wait.
    ///
    /// # Errors
    /// As [`Rows::read`].
    pub fn is_idle(&mut self) -> Result<bool, Error> {
        let stream_follows = self.further.begin_with_stream();
        if self.next.is_some() || (self.patience.is_none() && !stream_follows) {
            return Ok(false);
        }
        let read = match self.patience.clone() {
            Some(patience) => patience.within(IDLE, || self.read_here()),
            None => self.read_here(),
        };
        match read {
            Err(error) if would_wait(&error) => Ok(true),
            read => {
                self.next = read?;
                Ok(self.next.is_none() && stream_follows)
            }
        }
    }

    /// Returns the row that is read next.
    ///
    /// # Errors
    /// As [`Rows::read`].
    pub fn peek(&mut self) -> Result<Option<&Record>, Error> {
        self.next = self.read()?;
        Ok(self.next.as_ref())
    }

    /// The table that is being read.
    pub fn table(&self) -> Option<&Table> {
        if let Form::Table(table) = &self.form { Some(table) } else { None }
    }

    /// The table that is being read, to take its header.
    pub fn table_mut(&mut self) -> Option<&mut Table> {
        if let Form::Table(table) = &mut self.form { Some(table) } else { None }
    }

    /// The form of the rows.
    pub fn format(&self) -> RowFormat {
        self.format
    }

    /// The dialect of a table.
    pub fn dialect(&self) -> Option<Dialect> {
        self.head.dialect
    }

    /// The encoding of cells; rows of UTF-16 are handed over as UTF-8.
    pub fn encoding(&self) -> Encoding {
        self.head.encoding
    }

    /// Path of the file that the last row is of.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn would_wait(error: &Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}
