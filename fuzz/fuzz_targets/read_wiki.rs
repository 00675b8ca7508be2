//! Any bytes are read as text with links of Wikipedia without a panic, and every span slices its text.
#![no_main]

use truename_corpus::{Format, ReadOptions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for mentions in [true, false] {
        truename_fuzz::read_with(
            bytes,
            &ReadOptions { input_format: Some(Format::Wiki), mentions, ..ReadOptions::default() },
        );
    }
});
