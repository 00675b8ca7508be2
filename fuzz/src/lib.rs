//! Checks that targets share.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Format, OffsetUnit, ReadOptions, read_from};
use truename_text::{Document, Span};

/// The units that the offsets of annotations may count.
pub const UNITS: [OffsetUnit; 3] = [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16];

/// Reads bytes as a file of a knowledge base.
pub fn import(bytes: &[u8], format: truename_kb::Format) {
    let _ = truename_kb::import::read_bytes(bytes, format, &Default::default());
}

/// Reads bytes as a file of documents, whatever its offsets count.
pub fn read(bytes: &[u8], format: Format) {
    UNITS.iter().for_each(|unit| {
        read_with(bytes, &ReadOptions { input_format: Some(format), offsets: *unit, ..ReadOptions::default() })
    });
}

/// Reads bytes as a file of documents.
pub fn read_with(bytes: &[u8], options: &ReadOptions) {
    let _ = read_from(Path::new("memory"), Cursor::new(bytes.to_vec()), options, &mut |read| {
        if let Ok(document) = read {
            check(&document);
        }
        ControlFlow::Continue(())
    });
}

/// Asserts that every span of a document slices its text.
pub fn check(document: &Document) {
    let mentions = document.mentions.iter().flat_map(|mention| mention.fragments.iter().chain([&mention.span]));
    let passages = document.passages.iter().map(|passage| &passage.span);
    assert!(mentions.chain(passages).all(|span: &Span| span.of(&document.text).is_some()));
}
