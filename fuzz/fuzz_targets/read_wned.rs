//! Any XML and text are read as WNED without a panic, and every span slices its text.
#![no_main]

use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{OffsetUnit, ReadOptions, read_wned};

libfuzzer_sys::fuzz_target!(|both: &str| {
    // The first NUL ends the text of all documents and begins the XML.
    let (text, xml) = both.split_once('\0').unwrap_or(("", both));
    for offsets in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
        let options = ReadOptions::default().offsets(offsets);
        let text_of = |name: &str| (name != "none").then(|| text.to_owned());
        let _ = read_wned(Path::new("memory.xml"), xml.as_bytes(), &text_of, &options, &mut |read| {
            for document in read {
                assert!(document.mentions.iter().all(|mention| mention.span.of(text).is_some()));
            }
            ControlFlow::Continue(())
        });
    }
});
