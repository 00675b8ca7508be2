//! A compressed file of any format is read without a panic, and never as whole where it is cut off.
#![no_main]

use std::io::Write;

use truename_kb::Format;
use truename_kb::import::read_bytes;

libfuzzer_sys::fuzz_target!(|input: (u8, u16, Vec<u8>)| {
    let (format, cut, bytes) = input;
    let format = Format::all().nth(usize::from(format) % Format::all().count()).unwrap();
    // As it is, for damaged streams, and packed, for whole ones.
    let _ = read_bytes(&[&[0x1f, 0x8b, 8][..], &bytes[..]].concat(), format, &Default::default());
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&bytes).unwrap();
    let packed = packer.finish().unwrap();
    let _ = read_bytes(&packed, format, &Default::default());
    let cut = 2 + usize::from(cut) % (packed.len() - 2);
    assert!(read_bytes(&packed[..cut], format, &Default::default()).is_err(), "read as whole: {format:?}");
});
