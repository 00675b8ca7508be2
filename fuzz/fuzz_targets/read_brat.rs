//! Any text and annotations are read as brat without a panic, and every span slices its text.
#![no_main]

use std::path::Path;

use truename_corpus::{OffsetUnit, ReadOptions, read_standoff};

libfuzzer_sys::fuzz_target!(|both: &str| {
    // The first NUL ends the text and begins the annotations.
    let (text, annotations) = both.split_once('\0').unwrap_or((both, ""));
    for offsets in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
        let options = ReadOptions::default().offsets(offsets);
        for (document, _) in read_standoff(Path::new("memory.txt"), text, annotations, &options) {
            let mut spans =
                document.mentions.iter().flat_map(|mention| mention.fragments.iter().chain([&mention.span]));
            assert!(spans.all(|span| span.of(text).is_some()));
        }
    }
});
