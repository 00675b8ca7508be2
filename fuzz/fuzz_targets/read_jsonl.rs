//! Any bytes are read as JSONL without a panic, and every span slices its text.
#![no_main]

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Format, OffsetUnit, ReadOptions, read_from};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for offsets in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
        let options = ReadOptions::default().format(Some(Format::Jsonl)).offsets(offsets);
        let _ = read_from(Path::new("memory"), Cursor::new(bytes.to_vec()), &options, &mut |read| {
            for document in read {
                let mentions =
                    document.mentions.iter().flat_map(|mention| mention.fragments.iter().chain([&mention.span]));
                let passages = document.passages.iter().map(|passage| &passage.span);
                assert!(mentions.chain(passages).all(|span| span.of(&document.text).is_some()));
            }
            ControlFlow::Continue(())
        });
    }
});
