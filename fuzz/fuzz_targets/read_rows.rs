//! Any bytes are cut into the rows and cells of a table without a panic, and no byte of a row is lost.
#![no_main]

use truename_read::{Dialect, Quoting, Records};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let escaped = Dialect { delimiter: b',', quoting: Quoting::Escaped };
    for dialect in [Dialect::of(b','), Dialect::TSV, escaped] {
        let (mut records, mut joined) = (Records::of_bytes(bytes, Some(dialect)), Vec::new());
        while let Ok(Some(row)) = records.read() {
            joined.extend([row.content(), row.line_end].concat());
        }
        assert!(bytes.starts_with(&joined));
    }
});
