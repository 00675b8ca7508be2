//! Any bytes are read as the order file of ICD-10-CM without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| truename_fuzz::import(bytes, truename_kb::Format::Icd10Cm));
