//! Any bytes are read as the order file of ICD-10-CM without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = truename_kb::import::read_bytes(bytes, truename_kb::Format::Icd10Cm, &Default::default());
});
