//! Any XML and text are read as WNED without a panic, and every span slices its text.
#![no_main]

use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{ReadOptions, read_wned};

libfuzzer_sys::fuzz_target!(|both: &str| {
    // The first NUL ends the text of all documents and begins the XML.
    let (text, xml) = both.split_once('\0').unwrap_or(("", both));
    for offsets in truename_fuzz::UNITS {
        let options = ReadOptions { offsets, ..ReadOptions::default() };
        let text_of = |name: &str| (name != "none").then(|| text.to_owned());
        let _ = read_wned(Path::new("memory.xml"), xml.as_bytes(), &text_of, &options, &mut |read| {
            if let Ok(document) = read {
                truename_fuzz::check(&document);
            }
            ControlFlow::Continue(())
        });
    }
});
