//! Fits the standard ranker on several vocabularies, with equally many held-out names of each.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename::{CalibrateOptions, Encoder, FeatureSet, ImportOptions, KnowledgeBase, TrainingSet};

/// Output files of the lexical ranker and of the ranker with vectors.
const LEXICAL: &str = "crates/truename/src/ranker/default.bin";
const DENSE: &str = "crates/truename/src/ranker/default-dense.bin";
/// Number of held-out names of each vocabulary.
const NAMES: usize = 4000;

pub fn run(files: &[PathBuf], encoder: Option<&Path>, out: Option<&Path>) -> anyhow::Result<()> {
    let options = CalibrateOptions::default().names(NAMES);
    let encoder = encoder.map(Encoder::open).transpose()?.map(Arc::new);
    let mut training = TrainingSet::new(if encoder.is_some() { FeatureSet::Dense } else { FeatureSet::Lexical });
    for file in files {
        let folder = tempfile::tempdir()?;
        let (kb, report) = KnowledgeBase::import(
            std::slice::from_ref(file),
            &folder.path().join("kb"),
            &ImportOptions::default(),
            false,
        )?;
        let kb = match &encoder {
            Some(encoder) => {
                kb.embed(encoder, |_, _| ControlFlow::Continue(()))?;
                kb.with_encoder(Arc::clone(encoder))?
            }
            None => kb,
        };
        training.add(&kb, &[], &options)?;
        println!("{}: {} concepts, {} names", file.display(), report.concepts, report.names);
    }
    let (ranker, gain) = training.fit(&[], &options)?;
    let bytes = ranker.to_bytes();
    let out = out.unwrap_or(Path::new(if encoder.is_some() { DENSE } else { LEXICAL }));
    std::fs::write(out, &bytes)?;
    println!("{gain:?}");
    println!("{} bytes written to {}", bytes.len(), out.display());
    Ok(())
}
