//! Any compressed bytes are read in every format without a panic, whatever they unpack to.
#![no_main]

use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Format, ReadOptions, SourceOptions, read_from};

/// The header of a gzip file without a name (RFC 1952); the fuzzer makes what is compressed.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let options = ReadOptions {
            input_format: Some(format),
            source: SourceOptions { max_line_bytes: 1 << 16, ..SourceOptions::default() },
            ..ReadOptions::default()
        };
        let file = Cursor::new(HEADER).chain(Cursor::new(bytes.to_vec()));
        let _ = read_from(Path::new("memory.gz"), file, &options, &mut |_| ControlFlow::Continue(()));
    }
});
