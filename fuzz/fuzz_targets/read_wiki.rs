//! Any bytes are read as text with links of Wikipedia without a panic, and every span slices its text.
#![no_main]

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Format, ReadOptions, read_from};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for mentions in [true, false] {
        let options = ReadOptions::default().format(Some(Format::Wiki)).mentions(mentions);
        let _ = read_from(Path::new("memory"), Cursor::new(bytes.to_vec()), &options, &mut |read| {
            for document in read {
                let mut mentions = document.mentions.iter().map(|mention| mention.span);
                assert!(mentions.all(|span| span.of(&document.text).is_some()));
                assert!(document.passages.iter().all(|passage| passage.span.of(&document.text).is_some()));
            }
            ControlFlow::Continue(())
        });
    }
});
