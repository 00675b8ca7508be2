//! Any bytes are cut into the rows and cells of `match` without a panic, and no byte of a row is lost.
#![no_main]

#[allow(dead_code)]
#[path = "../../crates/truename-cli/src/names/record.rs"]
mod record;
#[allow(dead_code)]
#[path = "../../crates/truename-cli/src/record_error.rs"]
mod record_error;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for dialect in [record::Dialect::quoted(b','), record::Dialect::TSV] {
        let mut records = record::Records::new(bytes, Some(dialect), 1 << 16);
        let (mut cells, mut joined) = (record::Cells::new(dialect), Vec::new());
        while let Ok(Some(row)) = records.next() {
            let _ = cells.of(&row.content);
            joined.extend([row.content, row.line_end].concat());
        }
        assert!(bytes.starts_with(&joined));
    }
});
