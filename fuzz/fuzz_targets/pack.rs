//! Any bytes are unpacked as the tar of a pack without a panic; a pack of another hash leaves nothing behind, in its folder or beside it.
#![no_main]

use std::fs;

use truename::KnowledgeBase;

libfuzzer_sys::fuzz_target!(|tar: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("kb-00000000000000000000000000000000.tar.zst");
    fs::write(&pack, zstd::encode_all(tar, 1).unwrap()).unwrap();
    let into = folder.path().join("into");
    assert!(KnowledgeBase::unpack(&pack, Some(&into)).is_err());
    let visible = |folder| fs::read_dir(folder).unwrap().filter(|entry| !is_hidden(entry.as_ref().unwrap())).count();
    assert_eq!((visible(folder.path()), visible(into.as_path())), (2, 0));
});

fn is_hidden(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}
