//! Any text through abbreviations, the dictionary recognizer and the linker: every span slices the text.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use truename::{Concept, Document, KnowledgeBase, Linker, Pipeline, PipelineOptions};

static PIPELINES: LazyLock<[Pipeline; 2]> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    let names = ["breast cancer", "Crohn's disease", "TNF-alpha", "Ca2+", "ALL", "肺癌", "type 2 diabetes mellitus"];
    let concept = |(at, name): (usize, &&str)| Concept::new(format!("T:{at}").parse().unwrap(), *name);
    let kb = KnowledgeBase::create(names.iter().enumerate().map(concept).collect(), &folder.join("kb")).unwrap();
    [false, true].map(|nested| {
        let options = PipelineOptions::default().nested(nested);
        Pipeline::new(Linker::new(kb.clone()).unwrap(), options)
    })
});

fuzz_target!(|text: &str| {
    for pipeline in PIPELINES.iter() {
        let linked = pipeline.link(Document::new("1", text)).unwrap();
        assert_eq!(linked.document.text, text);
        for mention in &linked.mentions {
            assert!(mention.span.of(text).is_some());
        }
    }
});
