//! What targets share.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{ReadOptions, read_from};

/// Reads bytes as a file of documents, and asserts that every span slices its text.
pub fn read(bytes: &[u8], options: &ReadOptions) {
    let _ = read_from(Path::new("memory"), Cursor::new(bytes.to_vec()), options, &mut |read| {
        for document in read {
            let mentions = document.mentions.iter().flat_map(|mention| mention.fragments.iter().chain([&mention.span]));
            let passages = document.passages.iter().map(|passage| &passage.span);
            assert!(mentions.chain(passages).all(|span| span.of(&document.text).is_some()));
        }
        ControlFlow::Continue(())
    });
}
