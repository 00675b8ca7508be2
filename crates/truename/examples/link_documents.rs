//! Notes of a clinic, a pharmacy and a school linked to the bundled knowledge base: each mention with its concept.
//!
//! Run it by `cargo run --example link_documents`.

use truename::{Document, Linker};

const NOTES: [(&str, &str); 3] = [
    ("clinic", include_str!("../../../examples/notes/clinic.txt")),
    ("pharmacy", include_str!("../../../examples/notes/pharmacy.txt")),
    ("school", include_str!("../../../examples/notes/school.txt")),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let linker = Linker::bundled()?;
    let mut ids = Vec::new();
    // A stream holds a batch of documents in memory, however many there are.
    for linked in linker.link_stream(NOTES.map(|(id, text)| Document::new(id, text))) {
        let linked = linked?;
        for mention in &linked.mentions {
            let Some(concept) = mention.link.answer() else { continue };
            let (document, span, text) = (&linked.document.id, mention.span, &mention.text);
            println!("{document} {}..{}: {text} is {}, {}", span.start, span.end, concept.id, concept.preferred_name);
            ids.push(concept.id.clone());
        }
    }
    assert!(ids.iter().any(|id| id == "D008687"), "metformin is found");
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
