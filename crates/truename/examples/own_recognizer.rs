//! A recognizer of one's own in a linker: it finds gene symbols by their shape, and the linker gives each its id.
//!
//! Run it by `cargo run --example own_recognizer`.

use std::sync::Arc;

use truename::{Concept, Document, Error, KnowledgeBase, Linker, Reading, RecognizedMention, Recognizer, Span};

/// Finds words of capitals and digits with at least one of each.
struct GeneSymbols;

impl Recognizer for GeneSymbols {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        Ok(readings.iter().map(|reading| symbols(&reading.document().text)).collect())
    }
}

fn symbols(text: &str) -> Vec<RecognizedMention> {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let mut found = Vec::new();
    let mut start = 0;
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        let is_symbol = word.chars().all(is_part)
            && word.chars().any(|letter| letter.is_ascii_digit())
            && word.chars().any(|letter| letter.is_ascii_uppercase());
        if is_symbol {
            let span = Span::new(start, start + word.len());
            found.push(RecognizedMention {
                mention_type: "gene".into(),
                score: Some(1.0),
                ..RecognizedMention::new(span)
            });
        }
        // The delimiter takes one to four bytes.
        start += word.len() + text[start + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir().map_err(Error::other)?;
    let gene = |id: &str, names: [&str; 2]| -> Result<Concept, Error> {
        let mut concept = Concept::new(id.parse()?, names[0]);
        concept.synonyms = vec![names[1].to_owned()];
        Ok(concept)
    };
    let genes = vec![
        gene("HGNC:1100", ["BRCA1", "breast cancer 1"])?,
        gene("HGNC:11998", ["TP53", "tumor protein p53"])?,
        gene("HGNC:6407", ["KRAS", "KRAS2"])?,
    ];
    let kb = KnowledgeBase::create(genes, &folder.path().join("kb"))?;
    let linker = Linker::new(kb)?.with_recognizer(Arc::new(GeneSymbols));

    let text = "Loss of BRCA1 and TP53, but not of KRAS2 or ABC99.";
    let linked = linker.link_document(Document::new("note", text))?;
    let ids: Vec<String> = linked
        .mentions
        .iter()
        .map(|mention| {
            let id = mention.link.id().map_or("NIL".to_owned(), ToString::to_string);
            format!("{} = {id}", mention.text)
        })
        .collect();
    println!("{}", ids.join("\n"));
    assert_eq!(ids, ["BRCA1 = HGNC:1100", "TP53 = HGNC:11998", "KRAS2 = HGNC:6407", "ABC99 = NIL"]);
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
