//! The knowledge base and the recognizer of general English that are part of the program.

use std::path::Path;

use truename::{KnowledgeBase, Linker, TrainedRecognizer};
use truename_text::Document;

#[test]
fn persons_places_and_organizations_are_found_and_linked() {
    let linker = Linker::open("general").unwrap();
    let text = "Albert Einstein was born in Ulm and worked in Berlin. Marta Quivers of Google flew to New York City.";
    let linked = linker.link_document(Document::new("1", text)).unwrap();
    let found: Vec<(&str, &str)> =
        linked.mentions.iter().map(|one| (one.text.as_str(), one.types.first().map_or("", String::as_str))).collect();
    for mention in [
        ("Albert Einstein", "person"),
        ("Ulm", "location"),
        ("Berlin", "location"),
        ("Marta Quivers", "person"),
        ("Google", "organization"),
        ("New York City", "location"),
    ] {
        assert!(found.contains(&mention), "{mention:?} of {found:?}");
    }
    let id = |name: &str| {
        let mention = linked.mentions.iter().find(|one| one.text == name).unwrap();
        mention.link.candidates.first().filter(|_| !mention.link.is_nil).map(|best| best.id.to_string())
    };
    assert_eq!(id("Albert Einstein").as_deref(), Some("Q937"));
    assert_eq!(id("Berlin").as_deref(), Some("Q64"));
    assert_eq!(id("New York City").as_deref(), Some("Q60"));
    assert_eq!(id("Marta Quivers"), None);
}

#[test]
fn it_is_opened_by_name_and_not_written_to() {
    assert!(KnowledgeBase::is_bundled("general") && !KnowledgeBase::is_bundled("specific"));
    let kb = KnowledgeBase::open("general").unwrap();
    let recognizer = TrainedRecognizer::named(Path::new("general")).unwrap();
    let error = kb.attach_recognizer(&recognizer).unwrap_err();
    assert!(error.to_string().contains("part of the program"), "{error}");
    let types = recognizer.types();
    assert!(types.iter().any(|known| known.name == "person"), "{types:?}");
}
