//! Any text through abbreviations, the dictionary recognizer and the linker: every span slices the text.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use truename::{Concept, Document, KnowledgeBase, LinkOptions, Linker};

static LINKERS: LazyLock<[Linker; 2]> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    let names = ["breast cancer", "ovarian cancer", "Crohn's disease", "TNF-alpha", "Ca2+", "ALL", "肺癌", "type 2 diabetes mellitus"];
    let concept = |(at, name): (usize, &&str)| Concept::new(format!("T:{at}").parse().unwrap(), *name);
    let kb = KnowledgeBase::create(names.iter().enumerate().map(concept).collect(), &folder.join("kb")).unwrap();
    [false, true].map(|nested| {
        let options = LinkOptions { nested, composites: true, ..LinkOptions::default() };
        Linker::new(kb.clone()).unwrap().with_options(options).unwrap()
    })
});

fuzz_target!(|text: &str| {
    for linker in LINKERS.iter() {
        let linked = linker.link_document(Document::new("1", text)).unwrap();
        assert_eq!(linked.document.text, text);
        for mention in &linked.mentions {
            assert!(mention.span.of(text).is_some());
        }
    }
});
