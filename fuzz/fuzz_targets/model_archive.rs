//! Any bytes are unpacked as a wheel or a source archive without a panic, and never to more than their size allows.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    for name in ["a.whl", "a.tar.gz"] {
        let mut archive = bytes.to_vec();
        if name.ends_with("gz") {
            archive = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff][..], bytes].concat();
        }
        std::fs::write(&path, archive).unwrap();
        let _ = truename_download::unpack_all(&path, name, folder.path());
    }
});
