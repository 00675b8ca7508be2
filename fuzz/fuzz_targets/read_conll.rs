//! Any bytes are read as CoNLL without a panic, and every span slices its text.
#![no_main]

use truename_corpus::{Format, ReadOptions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for labels in [None, Some(1), Some(3)] {
        truename_fuzz::read_with(
            bytes,
            &ReadOptions { input_format: Some(Format::Conll), conll_labels: labels, ..ReadOptions::default() },
        );
    }
});
