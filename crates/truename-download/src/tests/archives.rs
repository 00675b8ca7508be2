use super::*;
use crate::archive::Archive;

fn open(bytes: &[u8], name: &str) -> Result<Archive, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    std::fs::write(&path, bytes).unwrap();
    Archive::open(&path, name)
}

fn refusal(bytes: &[u8], name: &str) -> String {
    open(bytes, name).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn paths_that_lead_out_are_refused() {
    for path in ["../x", "a/../../x", "/etc/x", "..\\x", "C:/x", "a/..", "x\0y"] {
        // The zip writer may clean a name: insert it afterwards, in both places.
        let place_holder = "P".repeat(path.len());
        let mut zip = zip_of([(place_holder.as_str(), &b"x"[..])]);
        replace_all(&mut zip, place_holder.as_bytes(), path.as_bytes());
        assert!(refusal(&zip, "a.whl").contains("leaves its folder"), "{path:?}: {}", refusal(&zip, "a.whl"));
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
fn links_are_refused() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_symlink("model.safetensors", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    assert!(refusal(&zip, "a.whl").contains("holds a link"));
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Char] {
        assert!(refusal(&tar_of(kind, "x", b""), "a.tar.gz").contains("holds a link"), "{kind:?}");
    }
    assert!(refusal(&tar_of(tar::EntryType::Regular, "../x", b"x"), "a.tar.gz").contains("leaves its folder"));
    assert_eq!(refusal(&tar_of(tar::EntryType::Regular, "./x", b"x"), "a.tar.gz"), "");
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
    assert!(!refusal(&tar_of(tar::EntryType::Regular, "x", &zeros), "a.tar.gz").is_empty());
    assert!(refusal(b"no zip", "a.whl").contains("cannot be unpacked"));
    assert!(refusal(b"no tar", "a.tar.gz").contains("cannot be unpacked"));
}

#[test]
fn an_entry_longer_than_it_states_is_refused() {
    let (folder, zeros) = (tempfile::tempdir().unwrap(), vec![0; 4096]);
    let path = folder.path().join("a.whl");
    let mut zip = zip_of([("x", zeros.as_slice())]);
    replace_all(&mut zip, &4096u32.to_le_bytes(), &16u32.to_le_bytes());
    std::fs::write(&path, zip).unwrap();
    let archive = Archive::open(&path, "a.whl").unwrap();
    assert_eq!(archive.entries[0].bytes, 16);
    let unpacked = folder.path().join("x");
    assert!(archive.unpack(&[("x".into(), unpacked.clone())], &()).is_err());
    assert!(std::fs::metadata(&unpacked).unwrap().len() <= 16);
}
