//! Any bytes are read as GeoNames without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = truename_kb::import::read_bytes(bytes, truename_kb::Format::GeoNames, &Default::default());
});
