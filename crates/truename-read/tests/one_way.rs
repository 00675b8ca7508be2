//! No other crate opens, unpacks or decodes what a user gives.

use std::fs;
use std::path::{Path, PathBuf};

/// Calls that stand in this crate alone.
const OURS: [&str; 7] =
    ["GzDecoder", "zstd::", "encoding_rs", "csv::Reader", "csv_core", "File::open(", "fs::read_to_string("];

/// Files of other crates that do it, and what they read.
const OTHERS: [(&str, &str); 16] = [
    ("benches/", "public data of the benchmarks"),
    ("truename-cli/src/names/parquet.rs", "Parquet tables, which are read from their end"),
    ("truename-cli/src/documents/source.rs", "whether a file can be opened, before any is read"),
    ("truename-corpus/src/brat/", "folders"),
    ("truename-download/", "archives that were downloaded"),
    ("truename-files/", "files of our own"),
    ("truename-infer/", "model folders"),
    ("truename-kb/src/checksums.rs", "the store"),
    ("truename-kb/src/pages.rs", "the store"),
    ("truename-nn/", "model folders"),
    ("truename-server/", "files of our own"),
    ("truename-storage/", "the store"),
    ("truename-train/src/", "recipes, checkpoints and run folders"),
    ("truename/src/knowledge_base/", "the folder of a knowledge base"),
    ("truename/src/placeholder.rs", "words of placeholders"),
    ("truename-plot/", "nothing"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests" && name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_other_crate_opens_what_a_user_gives() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(crates, &mut files);
    assert!(files.len() > 400);
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
        if name.starts_with("truename-read/") || OTHERS.iter().any(|(known, _)| name.starts_with(known)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        wrong.extend(OURS.iter().filter(|ours| code.contains(**ours)).map(|ours| format!("{name}: {ours}")));
    }
    assert_eq!(wrong, [""; 0], "read it by truename-read");
}
