//! Any bytes are read as jsonl without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| truename_fuzz::import(bytes, truename_kb::Format::Jsonl));
