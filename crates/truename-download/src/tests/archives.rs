//! Archives that lead out of their folder, hold links, or unpack to more than they state.

use super::*;
use crate::archive::{Archive, UnpackedFile};
use crate::store::{Partial, Store};

/// Unpacks bytes into the temporary files of a cache.
fn unpack(bytes: &[u8], name: &str) -> (TempDir, Partial<'static>, Result<Vec<UnpackedFile>, Error>) {
    let (cache, archive) = (cache(), tempfile::NamedTempFile::new().unwrap());
    std::fs::write(archive.path(), bytes).unwrap();
    let partial = Store::new(cache.path(), &()).partial().unwrap();
    let unpacked = Archive { path: archive.path(), name }.unpack(&partial);
    (cache, partial, unpacked)
}

fn refusal(bytes: &[u8], name: &str) -> String {
    unpack(bytes, name).2.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn paths_that_lead_out_are_not_opened() {
    for path in ["../config.json", "a/../../config.json", "/etc/config.json", "C:/config.json", "x\0/config.json"] {
        // The zip writer may clean a name: insert it afterwards, in both places.
        let place_holder = "P".repeat(path.len());
        let mut zip = zip_of([(place_holder.as_str(), &b"x"[..])]);
        replace_all(&mut zip, place_holder.as_bytes(), path.as_bytes());
        for (bytes, name) in [(zip, "a.whl"), (tar_of(tar::EntryType::Regular, path, b"x"), "a.tar.gz")] {
            let (_cache, partial, unpacked) = unpack(&bytes, name);
            let files: Vec<_> = unpacked.unwrap().into_iter().map(|unpacked| unpacked.file).collect();
            assert!(files.iter().all(|file| *file == partial.scratch("0")), "{path:?} {files:?}");
        }
    }
}

fn replace_all(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    for start in 0..=bytes.len() - from.len() {
        if bytes[start..].starts_with(from) {
            bytes[start..start + from.len()].copy_from_slice(to);
        }
    }
}

#[test]
fn links_are_left_out() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_symlink("model.safetensors", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    assert!(unpack(&zip, "a.whl").2.unwrap().is_empty());
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Char] {
        assert!(unpack(&tar_of(kind, "config.json", b""), "a.tar.gz").2.unwrap().is_empty(), "{kind:?}");
    }
}

fn tar_of(kind: tar::EntryType, path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_link_name("/etc/passwd").unwrap();
    header.set_cksum();
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best()));
    tar.append(&header, bytes).unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 8 << 20];
    let zip = zip_of([("model.safetensors", zeros.as_slice())]);
    assert!(zip.len() < 1 << 16, "it is a bomb");
    assert!(refusal(&zip, "a.whl").contains("would unpack to 8388608 bytes"));
    assert!(!refusal(&tar_of(tar::EntryType::Regular, "README.md", &zeros), "a.tar.gz").is_empty());
    assert!(refusal(b"no zip", "a.whl").contains("cannot be unpacked"));
    assert!(refusal(b"no tar", "a.tar.gz").contains("cannot be unpacked"));
}

#[test]
fn an_entry_longer_than_it_states_is_refused() {
    let zeros = vec![0; 4096];
    let mut zip = zip_of([("README.md", zeros.as_slice())]);
    replace_all(&mut zip, &4096u32.to_le_bytes(), &16u32.to_le_bytes());
    let (_cache, partial, unpacked) = unpack(&zip, "a.whl");
    assert!(unpacked.is_err());
    assert!(std::fs::metadata(partial.scratch("0")).unwrap().len() <= 16);
}
