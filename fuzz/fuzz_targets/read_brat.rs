//! Any text and annotations are read as brat without a panic, and every span slices its text.
#![no_main]

use std::path::Path;

use truename_corpus::{ReadOptions, read_standoff};

libfuzzer_sys::fuzz_target!(|both: &str| {
    // The first NUL ends the text and begins the annotations.
    let (text, annotations) = both.split_once('\0').unwrap_or((both, ""));
    for offsets in truename_fuzz::UNITS {
        let options = ReadOptions { offsets, ..ReadOptions::default() };
        if let Ok((document, _)) = read_standoff(Path::new("memory.txt"), text, annotations, &options) {
            truename_fuzz::check(&document);
        }
    }
});
