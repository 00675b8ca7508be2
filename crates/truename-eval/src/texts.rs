//! Texts and pairs of texts with labels.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use truename_error::{HintPart, hint};
use truename_read::{Source, TableOptions, has_extension};

use crate::Error;
use crate::table::{FileKind, Rows};

const KIND: FileKind = FileKind {
    nothing: Some("no text"),
    hint: || {
        hint![
            "name the columns by ",
            HintPart::key("data.first"),
            ", ",
            HintPart::key("data.second"),
            " and ",
            HintPart::key("data.label"),
            " in a recipe, by ",
            HintPart::setting("first"),
            ", ",
            HintPart::setting("second"),
            " and ",
            HintPart::setting("label"),
            " elsewhere; a file has a header, or columns are numbers",
        ]
    },
};

/// Returns the error of a text whose label cannot be used.
pub fn malformed_text(path: &Path, line: u64, message: impl Display) -> Error {
    KIND.malformed(path, line, message)
}

/// Text or pair of texts with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelledText {
    /// The text, or the first of a pair.
    pub first: String,
    /// The second text of a pair.
    pub second: Option<String>,
    /// The label, or the value as it is written.
    pub label: String,
    /// The file.
    pub file: Arc<Path>,
    /// Line in the file, from 1.
    pub line: u64,
}

/// Layout of a file of texts with labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLayout {
    /// Column of the text, or of the first of a pair.
    pub first: String,
    /// Column of the second text of a pair.
    pub second: Option<String>,
    /// Column of the label.
    pub label: String,
    /// Format; told by the extension and the content where there is none.
    pub format: Option<TextFormat>,
    /// True where the first row of a table names the columns; else columns are numbers from 1.
    pub has_header: bool,
    /// True where cells of TSV may be quoted, as those of CSV are.
    pub is_quoted: bool,
    /// The byte between two cells; told by the first rows of CSV where there is none.
    pub delimiter: Option<u8>,
    /// Number of rows above the header.
    pub skip_rows: u64,
}

impl Default for TextLayout {
    /// The columns `text` and `label`, under a header.
    fn default() -> Self {
        let (first, label) = ("text".to_owned(), "label".to_owned());
        Self {
            first,
            second: None,
            label,
            format: None,
            has_header: true,
            is_quoted: false,
            delimiter: None,
            skip_rows: 0,
        }
    }
}

/// Format of a file of texts with labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextFormat {
    /// Cells may be quoted; delimited by a comma, semicolon, tab or `|`.
    Csv,
    /// Delimited by tabs.
    Tsv,
    /// One object a line.
    Jsonl,
    /// Records of Ditto (Li et al. 2020): `COL name VAL value …`, a tab, another record, a tab, and the label.
    Pairs,
}

impl FromStr for TextFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            "jsonl" => Ok(Self::Jsonl),
            "pairs" => Ok(Self::Pairs),
            _ => Err("csv, tsv, jsonl or pairs".into()),
        }
    }
}

impl TextFormat {
    /// Detects the format by the beginning of a file: that of Ditto's lines, else that of the extension, else JSONL or TSV.
    pub fn detect(path: &Path, text: &str) -> Self {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if is_ditto(first) {
            return Self::Pairs;
        }
        let has = |extensions: &[&str]| extensions.iter().any(|extension| has_extension(path, extension));
        match () {
            () if has(&["csv", "parquet", "pq"]) => Self::Csv,
            () if has(&["tsv", "tab"]) => Self::Tsv,
            () if has(&["jsonl", "ndjson"]) => Self::Jsonl,
            () if first.trim_start().starts_with('{') => Self::Jsonl,
            () => Self::Tsv,
        }
    }
}

/// Returns whether a line is a pair of records of Ditto.
fn is_ditto(line: &str) -> bool {
    let is_record = |cell: &str| cell.trim_start().starts_with("COL ") && cell.contains(" VAL");
    let mut cells = line.split('\t');
    cells.next().is_some_and(is_record) && cells.next().is_some_and(is_record)
}

/// Reads texts with labels.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, has no such column or no row; if a row has no label, too few cells or too many.
pub fn read_texts(path: &Path, layout: &TextLayout) -> Result<Vec<LabelledText>, Error> {
    KIND.read_utf8(path, |source| {
        let file: Arc<Path> = source.path().into();
        let text = |line, first: String, second, label: &str| match label.trim() {
            "" => Err("a row without a label".to_owned()),
            label => Ok(LabelledText { first, second, label: label.to_owned(), file: Arc::clone(&file), line }),
        };
        match layout.format.unwrap_or_else(|| TextFormat::detect(&file, &source.beginning_text())) {
            TextFormat::Csv => table(source, layout, true, &text),
            TextFormat::Tsv | TextFormat::Jsonl => table(source, layout, false, &text),
            TextFormat::Pairs => KIND.pairs(source, |line, [first, second, label]| {
                text(line, first.to_owned(), Some(second.to_owned()), label)
            }),
        }
    })
}

/// Creates a text from its line, its parts and its label.
type Create<'a> = &'a dyn Fn(u64, String, Option<String>, &str) -> Result<LabelledText, String>;

fn table(source: Source, layout: &TextLayout, is_csv: bool, text: Create<'_>) -> Result<Vec<LabelledText>, Error> {
    let wanted = [&[&*layout.first][..], &[&*layout.label]];
    let options = TableOptions {
        delimiter: layout.delimiter.or((!is_csv).then_some(b'\t')),
        skip_rows: layout.skip_rows,
        has_header: layout.has_header,
        is_quoted: is_csv || layout.is_quoted,
        wanted: &wanted,
    };
    let rows = Rows::open(source, &options, &KIND)?;
    let (first, label) = (rows.column(&layout.first)?, rows.column(&layout.label)?);
    let second = layout.second.as_deref().map(|name| rows.column(name)).transpose()?;
    rows.read(|row| {
        let cell = |place: usize| {
            let missing = || format!("row has {} cells; column {} is missing", row.width(), place + 1);
            row.get(place).map(str::to_owned).ok_or_else(missing)
        };
        text(row.line, cell(first)?, second.map(cell).transpose()?, &cell(label)?)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    type Row = (String, Option<String>, String, u64);

    fn read(name: &str, bytes: &[u8], layout: &TextLayout) -> Result<Vec<Row>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let shown = |error: Error| error.to_string().replace(&folder.path().display().to_string(), "");
        let texts = read_texts(&path, layout).map_err(shown)?;
        Ok(texts.into_iter().map(|text| (text.first, text.second, text.label, text.line)).collect())
    }

    fn row(first: &str, second: Option<&str>, label: &str, line: u64) -> Row {
        (first.to_owned(), second.map(str::to_owned), label.to_owned(), line)
    }

    fn pair() -> TextLayout {
        TextLayout { first: "left".into(), second: Some("Right".into()), ..TextLayout::default() }
    }

    #[test]
    fn a_pair_is_read_in_every_format() {
        let expected = [row("a \"b", Some("c, d"), "1", 2), row("e", Some("f"), "0", 3)];
        let tsv = b"left\tright\tlabel\na \"b\tc, d\t1\ne\tf\t0\n".as_slice();
        let csv = b"label;left;right\n1;\"a \"\"b\";c, d\n0;e;f\n".as_slice();
        let comma = b"left,label,right\n\"a \"\"b\",1,\"c, d\"\r\ne,0,f\r\n".as_slice();
        let marked = [b"\xEF\xBB\xBF", tsv].concat();
        let quoted = b"left\tright\tlabel\n\"a \"\"b\"\tc, d\t1\ne\tf\t0\n".as_slice();
        for (name, bytes) in [("a.tsv", tsv), ("a.txt", tsv), ("a.csv", csv), ("a.csv", comma), ("a.tsv", &marked)] {
            assert_eq!(read(name, bytes, &pair()).unwrap(), expected, "{name}");
        }
        assert_eq!(read("a.tsv", quoted, &TextLayout { is_quoted: true, ..pair() }).unwrap(), expected);
        let jsonl = b"\n{\"left\": \"a \\\"b\", \"Right\": \"c, d\", \"label\": 1}\n{\"left\": \"e\", \"Right\": \"f\", \"label\": \"0\"}\n";
        assert_eq!(read("a", jsonl, &pair()).unwrap(), expected);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(csv).unwrap();
        assert_eq!(read("a.csv.gz", &packed.finish().unwrap(), &pair()).unwrap(), expected);
    }

    #[test]
    fn records_of_ditto_need_no_columns() {
        let lines = b"COL title VAL \"x\" COL year VAL 1998 \tCOL title VAL y COL year VAL\t0\n\nCOL title VAL z\tCOL title VAL z\t1\n";
        let expected = [
            row("COL title VAL \"x\" COL year VAL 1998", Some("COL title VAL y COL year VAL"), "0", 1),
            row("COL title VAL z", Some("COL title VAL z"), "1", 3),
        ];
        for name in ["pairs.txt", "pairs.tsv"] {
            assert_eq!(read(name, lines, &TextLayout::default()).unwrap(), expected);
        }
        let error = read("pairs.txt", b"COL a VAL b\tCOL a VAL c\n", &TextLayout::default()).unwrap_err();
        assert!(error.contains("/pairs.txt:1: a pair is") && error.contains("2 parts"), "{error}");
    }

    #[test]
    fn columns_of_a_file_without_a_header_are_numbers() {
        let layout = TextLayout { first: "4".into(), label: "2".into(), has_header: false, ..TextLayout::default() };
        let read = |text: &str| read("a.tsv", text.as_bytes(), &layout);
        let expected = [row("One \"more.", None, "1", 1), row("Two.", None, "0", 2)];
        assert_eq!(read("x\t1\t*\tOne \"more.\nx\t0\t\tTwo.\n").unwrap(), expected);
        assert_eq!(read("x\t1\n").unwrap_err(), "/a.tsv:1: no column \"4\" among \"1\", \"2\"");
        let named = TextLayout { has_header: false, ..TextLayout::default() };
        let error = super::tests::read("a.tsv", b"x\t1\n", &named).unwrap_err();
        assert_eq!(error, "/a.tsv:1: no column \"text\" among \"1\", \"2\"");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let cases: [(&str, &[u8], &str); 8] = [
            ("a.tsv", b"Text\tlabel\na\t1\nb\t\n", "/a.tsv:3: a row without a label"),
            ("a.tsv", b"text\tlabel\na\n", "/a.tsv:2: row has 1 cells; column 2 is missing"),
            ("a.tsv", b"text\tlabel\na\t1\t2\n", "/a.tsv:2: row has 3 cells, the header has 2"),
            ("a.csv", b"name,label\na,1\n", "/a.csv:1: no column \"text\" among \"name\", \"label\""),
            ("a.tsv", b"text\tlabel\n", "/a.tsv:1: no text"),
            ("a.tsv", b"text\tlabel\na\xFF\t1\n", "/a.tsv:2: byte 2 of the line is not UTF-8"),
            ("a.jsonl", b"{\"text\": \"a\"}\n", "/a.jsonl:1: no column \"label\" among \"text\""),
            ("a.jsonl", b"{\"text\": {}, \"label\": 1}\n", "/a.jsonl:1: field \"text\" holds no text"),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(read(name, bytes, &TextLayout::default()).unwrap_err(), expected);
        }
        let error = read_texts(Path::new("none.tsv"), &TextLayout::default()).unwrap_err();
        assert!(error.is_not_found());
    }
}
