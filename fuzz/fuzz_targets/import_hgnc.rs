//! Any bytes are read as HGNC's genes without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| truename_fuzz::import(bytes, truename_kb::Format::Hgnc));
