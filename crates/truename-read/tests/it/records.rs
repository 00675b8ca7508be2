//! Rows and cells of tables.

use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;
use truename_read::{Dialect, Quoting, Record, Records, Source, SourceOptions, Table, TableOptions};

const CSV: Dialect = Dialect::of(b',');
const ESCAPED: Dialect = Dialect { delimiter: b',', quoting: Quoting::Escaped };

fn records(text: &str, dialect: Option<Dialect>) -> Vec<Record> {
    let mut records = Records::of_bytes(text.as_bytes(), dialect);
    std::iter::from_fn(|| records.read().unwrap()).collect()
}

fn cells(text: &str, dialect: Dialect) -> Vec<Vec<String>> {
    let text_of = |cell: &[u8]| String::from_utf8(cell.to_vec()).unwrap();
    records(text, Some(dialect)).iter().map(|row| row.cells().map(text_of).collect()).collect()
}

#[test]
fn rows_keep_their_bytes_line_ends_and_lines() {
    let rows = |text: &str, dialect| -> Vec<(String, &'static str, u64)> {
        let row = |row: Record| {
            let line_end = std::str::from_utf8(row.line_end).unwrap();
            (String::from_utf8(row.content().to_vec()).unwrap(), line_end, row.line)
        };
        records(text, dialect).into_iter().map(row).collect()
    };
    let row = |content: &str, end: &'static str, line| (content.to_owned(), end, line);
    assert_eq!(rows("a\r\nb\nc", Some(CSV)), [row("a", "\r\n", 1), row("b", "\n", 2), row("c", "", 3)]);
    assert_eq!(rows("\"a\nb\",c\nd\n", Some(CSV)), [row("\"a\nb\",c", "\n", 1), row("d", "\n", 3)]);
    assert_eq!(rows("5\" x\ny\n", None), [row("5\" x", "\n", 1), row("y", "\n", 2)]);
    assert_eq!(rows("\n\n", Some(CSV)), [row("", "\n", 1), row("", "\n", 2)]);
    assert_eq!(rows("a\rb\r\rc", None), [row("a", "\r", 1), row("b", "\r", 2), row("", "\r", 3), row("c", "", 4)]);
    assert_eq!(rows("\"a\r\nb\rc\",\r\nd", Some(CSV)), [row("\"a\r\nb\rc\",", "\r\n", 1), row("d", "", 4)]);
}

#[test]
fn cells_lose_the_quotes_around_them() {
    let cases: [(&str, Dialect, &[&str]); 16] = [
        ("a,\"b \"\"c\"\", d\",\"e\nf\",", CSV, &["a", "b \"c\", d", "e\nf", ""]),
        ("x", CSV, &["x"]),
        ("1, \"a, b\" ,c", CSV, &["1", "a, b", "c"]),
        ("5\" disk,1", CSV, &["5\" disk", "1"]),
        ("\"Screw 5\" steel\",x", CSV, &["Screw 5\" steel", "x"]),
        ("\"Herbal \"A\" tea\",x", CSV, &["Herbal \"A\" tea", "x"]),
        ("\"a\" and \"b\",x", CSV, &["\"a\" and \"b\"", "x"]),
        ("\"a\" tea,\"x\"", CSV, &["\"a\" tea", "x"]),
        ("\"\",\"\"\"\"", CSV, &["", "\""]),
        ("\"a\tb", Dialect::TSV, &["\"a", "b"]),
        ("\"a\tb\"", Dialect::TSV, &["\"a", "b\""]),
        ("\"a\nb\"\t\"c\"", Dialect::TSV, &["a\nb", "c"]),
        ("x\t\"never closed", Dialect::TSV, &["x", "\"never closed"]),
        ("\"5\\\", long\",\\N,a\\,b,\"\\\\\"", ESCAPED, &["5\", long", "\\N", "a,b", "\\"]),
        ("\"a\\\nb\",c", ESCAPED, &["a\nb", "c"]),
        ("\"a\",b", Dialect { quoting: Quoting::None, ..CSV }, &["\"a\"", "b"]),
    ];
    for (text, dialect, wanted) in cases {
        assert_eq!(
            cells(text, dialect),
            [wanted.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()],
            "{text:?}"
        );
    }
}

#[test]
fn a_quote_that_is_never_closed_ends_with_its_line() {
    for (text, widths, open) in [
        ("a,\"b,c\n1,2,3\n4,\"5\",6\n", &[3, 3, 3][..], 0),
        ("x\ny,\"b\n1,2\n3,\"4, 5\"\n", &[1, 2, 2, 2], 1),
        ("\"a\nb\",\"c\nd,\"e\"\n", &[2, 2], 0),
        ("1,\"a,b \"c\" d\n2,e\n", &[3, 2], 0),
    ] {
        let rows = records(text, Some(CSV));
        assert_eq!(rows.iter().map(Record::width).collect::<Vec<_>>(), widths, "{text:?}");
        assert_eq!(rows.iter().position(|row| row.has_open_quote), Some(open), "{text:?}");
        let joined: Vec<u8> = rows.iter().flat_map(|row| [row.content(), row.line_end].concat()).collect();
        assert_eq!(joined, text.as_bytes());
        let last = rows.last().unwrap();
        assert_eq!(last.line + 1, 1 + text.matches('\n').count() as u64);
    }
    let mut records = Records::of_bytes(b"x\n\"a\nb", Some(CSV));
    records.read().unwrap();
    let error = records.read().unwrap_err();
    assert_eq!(error.to_string(), "memory:2: a quote that is never closed");
}

#[test]
fn a_quote_that_would_join_rows_is_a_character() {
    let rows = |text: &str| -> Vec<(Vec<String>, u64, bool)> {
        let source = Source::of_reader(Path::new("t"), Cursor::new(text.to_owned()), &SourceOptions::default());
        let mut table = Table::open(source.unwrap(), &TableOptions::default()).unwrap();
        let text_of = |cell: &[u8]| String::from_utf8(cell.to_vec()).unwrap();
        let row = |row: Record| (row.cells().map(text_of).collect(), row.line, row.quote_fault().is_some());
        std::iter::from_fn(|| table.read_filled().unwrap()).map(row).collect()
    };
    let row = |cells: &[&str], line, is_open| (cells.iter().map(|cell| (*cell).to_owned()).collect(), line, is_open);
    for end in ["\n", "\r\n", "\r"] {
        let text = |text: &str| text.replace('\n', end);
        // An inch mark opens a cell, and that of another column closes it.
        assert_eq!(
            rows(&text("id,size,name\n1,\"3.5 inch,disk\n2,4,box\n3,8,reel 5\"\n4,\"a, b\",c\n")),
            [
                row(&["1", "\"3.5 inch", "disk"], 2, true),
                row(&["2", "4", "box"], 3, false),
                row(&["3", "8", "reel 5\""], 4, false),
                row(&["4", "a, b", "c"], 5, false)
            ]
        );
        assert_eq!(
            rows(&text("id\tname\n1\t\"3.5 inch\n5\"\tdisk\n")),
            [row(&["1", "\"3.5 inch"], 2, true), row(&["5\"", "disk"], 3, false)]
        );
        // Each of the lines is a row of its own, though one alone would open a quote.
        assert_eq!(rows(&text("id,name\n,\"\n\",\n")), [row(&["", "\""], 2, true), row(&["\"", ""], 3, true)]);
        // A row that is too wide keeps its line end where its lines are no rows; so does one as wide as the header, which is told.
        assert_eq!(rows(&text("id,name\n1,\"a\nb\",c,d\n")), [row(&["1", &text("a\nb"), "c", "d"], 2, false)]);
        assert_eq!(rows(&text("id,name\n1,\"a\nb,c\"\n")), [row(&["1", &text("a\nb,c")], 2, true)]);
        assert_eq!(rows(&text("id,name\n1,\"a\nb\"\n")), [row(&["1", &text("a\nb")], 2, false)]);
    }
}

#[test]
fn comments_above_the_header_are_passed_over() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "#map: \"a,b;c\n\n# x\nid;name\n#1;a\n".replace('\n', end);
        let source = Source::of_reader(Path::new("t"), Cursor::new(text), &SourceOptions::default()).unwrap();
        let is_comment = |line: &[u8]| line.starts_with(b"#");
        let mut table = Table::open_below(is_comment, source, &TableOptions::default()).unwrap();
        assert_eq!(table.columns, ["id", "name"]);
        assert_eq!(table.read().unwrap().unwrap().cell(0), Some(&b"#1"[..]), "below the header it is a row");
    }
}

#[test]
fn values_become_cells_that_are_read_back() {
    for dialect in [CSV, ESCAPED, Dialect::of(b';')] {
        for value in ["a b", "a, \"b\";", "a\nb", "back\\slash\"", ""] {
            assert_eq!(
                cells(&dialect.cell(value), dialect).concat(),
                if value.is_empty() { vec![] } else { vec![value.to_owned()] }
            );
        }
    }
    assert_eq!(Dialect::TSV.cell("a,\t\"b\"\n"), "a, \"b\" ");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Checks that joined rows are the text, and that the `csv` crate finds the same cells where all quotes are in their places.
    #[test]
    fn rows_and_cells_are_those_of_the_csv_crate(text in "[ab\",\n\r]{0,40}") {
        let mut records = Records::of_bytes(text.as_bytes(), Some(CSV));
        let (mut joined, mut ours, mut is_sound) = (Vec::new(), Vec::new(), true);
        while let Ok(Some(record)) = records.read() {
            if !record.content().is_empty() {
                ours.push(record.cells().map(<[u8]>::to_vec).collect::<Vec<_>>());
            }
            let quotes = |cell: &Vec<u8>| cell.contains(&b'"');
            is_sound &= !record.has_open_quote && !ours.last().is_some_and(|row| row.iter().any(quotes));
            joined.extend([record.content(), record.line_end].concat());
        }
        prop_assert!(text.as_bytes().starts_with(&joined));
        if is_sound && joined == text.as_bytes() {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let theirs: Vec<Vec<Vec<u8>>> =
                reader.byte_records().map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect()).collect();
            prop_assert_eq!(ours, theirs);
        }
    }

    /// Checks that tables written by the `csv` crate are read as they were.
    #[test]
    fn written_tables_are_read_back(rows in proptest::collection::vec(proptest::collection::vec("[ab\" ,;\\\\\n\r]{0,8}", 3), 1..9)) {
        let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        prop_assert_eq!(cells(&text, CSV), rows);
    }

    /// Checks that no cell of a row without formulas is one, whatever its quotes, and that the row is left alone the second time.
    #[test]
    fn a_row_without_formulas_has_none(text in "[=@a\" ,;\\\\\n\r\t]{0,40}") {
        for dialect in [CSV, Dialect::TSV, Dialect { quoting: Quoting::None, ..CSV }] {
            let mut records = Records::of_bytes(text.as_bytes(), Some(dialect));
            while let Ok(Some(record)) = records.read() {
                let safe = record.without_formulas(dialect).unwrap_or_else(|| record.content().to_vec());
                let mut again = Records::of_bytes(&safe, Some(dialect));
                while let Ok(Some(again)) = again.read() {
                    prop_assert!(again.cells().all(|cell| !cell.starts_with(b"=") && !cell.starts_with(b"@")), "{:?}", safe);
                }
            }
        }
    }
}

#[test]
fn cells_that_a_spreadsheet_would_run_get_an_apostrophe() {
    let safe = |row: &str, dialect| {
        let safe = records(row, Some(dialect))[0].without_formulas(dialect);
        safe.map(|row| String::from_utf8(row).unwrap())
    };
    for (row, expected) in [
        ("=1+1,a=b,@x", "'=1+1,a=b,'@x"),
        ("\"=HYPERLINK(\"\"x\"\",1)\",\"a,=b\",\"\n=1\"", "\"'=HYPERLINK(\"\"x\"\",1)\",\"a,=b\",\"'\n=1\""),
        ("-3.5,+1,\"-1,000.5\",-12 %,-,+49 30 1", "-3.5,+1,\"-1,000.5\",'-12 %,-,'+49 30 1"),
        ("-2+3+cmd|' /C calc'!A0,\t=1,'=1,,", "'-2+3+cmd|' /C calc'!A0,'\t=1,'=1,,"),
        ("=é,β", "'=é,β"),
        ("@,\"\r=\"\t\" \",", "'@,\"'\r=\"\t\" \","),
    ] {
        assert_eq!(safe(row, CSV).as_deref(), Some(expected));
        assert_eq!(safe(expected, CSV), None, "done twice, nothing changes");
    }
    assert_eq!(safe("a,b,-3.5,\"c\"", CSV), None);
    assert_eq!(safe("=1\ta", Dialect::TSV).as_deref(), Some("'=1\ta"));
    assert_eq!(safe("\"=1+1\"\t\"b\"", Dialect::TSV).as_deref(), Some("\"'=1+1\"\t\"b\""));
    // What needs no apostrophe keeps its bytes.
    assert_eq!(safe("=A(\"x\"),\"b\", \"c, d\" ,e", CSV).as_deref(), Some("'=A(\"x\"),\"b\", \"c, d\" ,e"));
    assert_eq!(safe("a,\"\"", CSV), None);
    assert_eq!(safe("\"a \\\", b\",=1", ESCAPED).as_deref(), Some("\"a \\\", b\",'=1"));
    assert_eq!(CSV.row(["=1", "a,b", "c"], true), "'=1,\"a,b\",c");
    assert_eq!(CSV.row(["=1"], false), "=1");
}
