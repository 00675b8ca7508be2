//! Any bytes are read as judgements and as predictions without a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = std::io::Cursor::new(bytes.to_vec());
    let _ = truename_eval::read_gold_from(bytes.clone(), "memory".as_ref());
    let _ = truename_eval::read_judged_from(bytes, "memory".as_ref());
});
