//! Fits the default ranker on several vocabularies, each giving as many held-out names.

use std::path::{Path, PathBuf};

use truename::{CalibrateOptions, ImportOptions, KnowledgeBase, TrainingSet};

/// Names held out of each vocabulary.
const NAMES: usize = 4000;

pub fn run(files: &[PathBuf], out: &Path) -> anyhow::Result<()> {
    let options = CalibrateOptions { names: NAMES, ..CalibrateOptions::default() };
    let mut training = TrainingSet::new();
    for file in files {
        let folder = tempfile::tempdir()?;
        let (kb, report) = KnowledgeBase::import(
            std::slice::from_ref(file),
            &folder.path().join("kb"),
            &ImportOptions::default(),
            false,
        )?;
        training.add(&kb, &[], &options)?;
        println!("{}: {} concepts, {} names", file.display(), report.concepts, report.names);
    }
    let (ranker, gain) = training.fit(&options)?;
    let bytes = ranker.to_bytes();
    std::fs::write(out, &bytes)?;
    println!("{gain:?}");
    println!("{} bytes written to {}", bytes.len(), out.display());
    Ok(())
}
