//! Any bytes are read as lines of text without a panic, and every span slices its text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| truename_fuzz::read(bytes, truename_corpus::Format::Lines));
