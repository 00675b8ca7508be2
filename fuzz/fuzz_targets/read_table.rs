//! Any bytes are read as a table, its dialect told or given, without a panic: its lines rise, and no byte of UTF-8 is lost.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use truename_read::{Source, SourceOptions, Table, TableOptions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for delimiter in [None, Some(b','), Some(b';'), Some(b'\t'), Some(b'|')] {
        let told = TableOptions { delimiter, wanted: &[&["name"]], ..TableOptions::default() };
        read(bytes, &TableOptions { is_quoted: false, skip_rows: 1, ..told.clone() });
        read(bytes, &TableOptions { has_header: false, ..told.clone() });
        read(bytes, &told);
    }
});

fn read(bytes: &[u8], options: &TableOptions<'_>) {
    let source = Source::of_reader(Path::new("memory"), Cursor::new(bytes.to_vec()), &SourceOptions::default());
    let Ok(source) = source else { return };
    let is_packed = [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd]].iter().any(|magic| bytes.starts_with(magic));
    let is_kept = source.encoding().is_utf8() && !is_packed;
    let Ok(mut table) = Table::open(source, options) else { return };
    let _ = (table.first_rows(), table.title_rows("name"), table.column("name"));
    let (mut joined, mut line) = (table.leading.clone(), 0);
    joined.extend(table.header.iter().flat_map(|header| [header.content(), header.line_end].concat()));
    while let Ok(Some(row)) = table.read() {
        assert!(row.line > line && row.width() > 0);
        line = row.line;
        joined.extend([row.content(), row.line_end].concat());
    }
    assert!(!is_kept || bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).starts_with(&joined));
}
