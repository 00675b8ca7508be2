//! Any bytes are unpacked as a wheel or a source archive without a panic, and never to more than their size allows.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a-1-py3-none-any.whl", "a-1.tar.gz"] {
        let mut archive = bytes.to_vec();
        if name.ends_with("gz") {
            archive = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff][..], bytes].concat();
        }
        let path = folder.path().join(name);
        std::fs::write(&path, archive).unwrap();
        let source = path.to_str().unwrap().parse().unwrap();
        let _ = truename_download::pull(&source, folder.path(), &());
    }
});
