//! Any bytes are read as PubTator without a panic, and every span slices its text.
#![no_main]

use truename_corpus::{Format, OffsetUnit, ReadOptions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for offsets in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
        truename_fuzz::read(bytes, &ReadOptions::default().format(Some(Format::Pubtator)).offsets(offsets));
    }
});
