//! No other crate opens, unpacks or decodes what a user gives.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Calls that stand in this crate alone.
const OURS: [&str; 12] = [
    "GzDecoder",
    "zstd::",
    "encoding_rs",
    "csv::Reader",
    "csv_core",
    "quick_xml",
    "oxttl",
    "ZipArchive",
    "tar::Archive",
    "File::open(",
    "fs::read(",
    "fs::read_to_string(",
];

/// Files of other crates that have such calls, and what they read.
const FILES: [(&str, &str); 29] = [
    ("truename/src/knowledge_base/frequencies.rs", "frequencies of names, as another machine wrote them"),
    ("truename/src/knowledge_base/learnt_names.rs", "the folder of a knowledge base"),
    ("truename/src/known_names.rs", "its own file in the cache"),
    ("truename/src/knowledge_base/pack.rs", "packs, whose hash is known and whose size is bounded"),
    ("truename-cli/src/batch/folder.rs", "the folder of a batch"),
    ("truename-cli/src/resumable_file.rs", "the record of an unfinished output"),
    ("truename-download/src/archive.rs", "archives that were downloaded"),
    ("truename-download/src/client.rs", "files that were downloaded"),
    ("truename-download/src/package.rs", "archives that were downloaded"),
    ("truename-download/src/part.rs", "archives that were downloaded"),
    ("truename-download/src/settings.rs", "certificates"),
    ("truename-download/src/store.rs", "files that were downloaded"),
    ("truename-files/src/partial.rs", "files that are copied"),
    ("truename-infer/src/checkpoint.rs", "model folders"),
    ("truename-infer/src/config.rs", "model folders"),
    ("truename-infer/src/manifest.rs", "model folders"),
    ("truename-infer/src/tokenizer/file.rs", "model folders"),
    ("truename-infer/src/weights.rs", "model folders"),
    ("truename-kb/src/guard.rs", "the memory map of the process"),
    ("truename-kb/src/import/rdf.rs", "Turtle that was unpacked, decoded and bounded"),
    ("truename-server/src/line_file.rs", "its own file, and its folder to sync it"),
    ("truename-train/src/data_file.rs", "bytes of data, for their hash"),
    ("truename-train/src/recipe/mod.rs", "run folders"),
    ("truename-train/src/sentences/runs.rs", "an unfinished corpus"),
    ("truename-train/src/sentences/unfinished.rs", "an unfinished corpus"),
    ("truename-train/src/training/forecast.rs", "the memory of the machine"),
    ("truename-train/src/training/mod.rs", "the processor of the machine"),
    ("truename-train/src/training/run_folder.rs", "run folders"),
    ("truename-train/src/tuning.rs", "trials of a search"),
];

/// Crates that unpack, decode or take apart.
const READERS: [&str; 13] = [
    "arrow-array",
    "arrow-cast",
    "arrow-schema",
    "csv",
    "csv-core",
    "encoding_rs",
    "flate2",
    "oxttl",
    "parquet",
    "quick-xml",
    "tar",
    "zip",
    "zstd",
];

/// Crates that depend on them, and why.
const DEPENDENTS: [(&str, &[&str], &str); 5] = [
    ("truename", &["tar", "zstd"], "packs knowledge bases, and unpacks them"),
    ("truename-cli", &["flate2"], "writes gzip"),
    ("truename-cli", &["arrow-array", "parquet"], "writes Parquet tables"),
    ("truename-kb", &["oxttl"], "reads Turtle that was unpacked, decoded and bounded"),
    ("truename-download", &["flate2", "tar", "zip"], "unpacks archives that were downloaded"),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir()
            && path.file_name().is_some_and(|name| !["tests", "benches", "target"].map(OsStr::new).contains(&name))
        {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_other_crate_opens_what_a_user_gives() {
    let (crates, mut files, mut found) = (crates(), Vec::new(), BTreeSet::new());
    sources(&crates, &mut files);
    assert!(files.len() > 400);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        if lines.any(|line| OURS.iter().any(|call| line.contains(call))) {
            found.insert(file.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
    found.retain(|file| !file.starts_with("truename-read/"));
    let known = FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(found.difference(&known).collect::<Vec<_>>(), [""; 0], "read it by truename-read");
    assert_eq!(known.difference(&found).collect::<Vec<_>>(), [""; 0], "these read nothing any more");
}

#[test]
fn no_other_crate_depends_on_what_unpacks_and_decodes() {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("\n[").filter(|section| section.starts_with("dependencies]"));
        let names = dependencies.flat_map(str::lines).filter_map(|line| line.split([' ', '.', '=']).next());
        found.extend(names.filter(|reader| READERS.contains(reader)).map(|reader| (name.clone(), reader.to_owned())));
    }
    assert!(found.contains(&("truename-read".into(), "flate2".into())));
    found.retain(|(name, _)| name != "truename-read");
    let pairs = |(name, readers, _): &(&str, &[&str], &str)| {
        readers.iter().map(|reader| ((*name).to_owned(), (*reader).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(found, DEPENDENTS.iter().flat_map(pairs).collect());
}
