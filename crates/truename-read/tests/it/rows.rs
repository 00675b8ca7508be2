//! The rows of several sources as those of one.

use std::path::{Path, PathBuf};

use truename_read::{Error, FurtherFiles, RowFormat, Rows, Source, SourceOptions, TableOptions};

fn source(name: &str, text: &str) -> Result<Source, Error> {
    Source::of_reader(Path::new(name), std::io::Cursor::new(text.as_bytes().to_vec()), &SourceOptions::default())
}

/// The rows with their files, lines and line ends, or the error that ends them.
fn rows(files: &[(&'static str, &'static str)], format: RowFormat) -> Result<Vec<(String, u64, String)>, String> {
    let further: Vec<(&str, &str)> = files[1..].to_vec();
    let paths = further.iter().map(|(name, _)| PathBuf::from(name)).collect();
    let further = FurtherFiles::new(paths, move |path| {
        let (name, text) = further.iter().find(|(name, _)| Path::new(name) == path).unwrap();
        source(name, text)
    });
    let first = source(files[0].0, files[0].1).unwrap();
    let mut rows = Rows::open(first, further, format, TableOptions::default()).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    while let Some(record) = rows.read().map_err(|error| error.to_string())? {
        let text = String::from_utf8([record.content(), record.line_end].concat()).unwrap();
        found.push((rows.path().display().to_string(), record.line, text));
    }
    Ok(found)
}

#[test]
fn files_follow_each_other() {
    let one = |file: &str, line, text: &str| (file.to_owned(), line, text.to_owned());
    let found = rows(&[("a", "x,y\r\n1,2"), ("b", "X , y\n"), ("c", "x,y\n3,4")], RowFormat::Table);
    assert_eq!(found.unwrap(), [one("a", 2, "1,2\r\n"), one("c", 2, "3,4")]);
    let found = rows(&[("a", "x"), ("b", ""), ("c", "y")], RowFormat::Lines);
    assert_eq!(found.unwrap(), [one("a", 1, "x\n"), one("c", 1, "y")]);
    let found = rows(&[("a", "{\"x\":1}"), ("b", "[{\"x\":2},\n{\"x\":3}]")], RowFormat::Objects);
    assert_eq!(found.unwrap(), [one("a", 1, "{\"x\":1}\n"), one("b", 1, "{\"x\":2}\n"), one("b", 2, "{\"x\":3}\n")]);
}

#[test]
fn a_string_of_json_is_a_name() {
    let one = |file: &str, line, text: &str| (file.to_owned(), line, text.to_owned());
    let found = rows(&[("a", "\"x \\\" y\"\r\n\"z\" 1\n"), ("b", "[\"x\",\n \"y\"]")], RowFormat::Objects).unwrap();
    let names = [r#"{"name":"x \" y"}"#, r#"{"name":"x"}"#, r#"{"name":"y"}"#];
    let expected = [one("a", 1, &format!("{}\r\n", names[0])), one("a", 2, "\"z\" 1\n")];
    assert_eq!(found[..2], expected);
    assert_eq!(found[2..], [one("b", 1, &format!("{}\n", names[1])), one("b", 2, &format!("{}\n", names[2]))]);
}

#[test]
fn a_file_that_differs_is_refused() {
    let cases = [
        ("x\n", "b: the columns are \"x\", those of a \"x\", \"y\""),
        ("y,x\n", "b: the columns are \"y\", \"x\", those of a \"x\", \"y\""),
        ("x;y\n1;2\n", "b: cells are separated by ';', those of a by ','"),
        ("", "b: the file is empty: no header"),
    ];
    for (text, message) in cases {
        assert_eq!(rows(&[("a", "x,y\n1,2\n"), ("b", text)], RowFormat::Table), Err(message.into()), "{text}");
        let first = source("a", "x,y\n").unwrap();
        let all = Rows::open(first, FurtherFiles::none(), RowFormat::Table, TableOptions::default()).unwrap();
        assert_eq!(all.check(source("b", text).unwrap()).unwrap_err().to_string(), message);
    }
}
