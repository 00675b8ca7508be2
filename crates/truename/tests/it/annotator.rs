//! Labels made by a dictionary.

use truename::{
    Annotator, Concept, DictionaryRecognizer, Document, KnowledgeBase, Mention, Reading, RecognizedMention, Recognizer,
    Span,
};

fn kb(folder: &tempfile::TempDir) -> KnowledgeBase {
    let entries: [(&str, &[&str], &[&str]); 12] = [
        ("C:1", &["aspirin", "acetylsalicylic acid"], &["Chemical"]),
        ("D:1", &["cold"], &["Disease"]),
        ("F:1", &["cold"], &["Finding"]),
        ("D:2", &["Seizures", "Fits"], &["Disease"]),
        ("D:3", &["pain"], &["Disease"]),
        ("U:1", &["pains"], &["unknown"]),
        ("D:4", &["Cystic Fibrosis", "CF"], &["Disease"]),
        ("D:5", &["non-Hodgkin lymphoma"], &["Disease", "Neoplasm"]),
        ("D:6", &["lymphoma"], &["Disease"]),
        ("D:7", &["hodgkin lymphoma of skin"], &[]),
        ("C:2", &["H"], &["Chemical"]),
        ("D:8", &["lymphoma"], &["Disease"]),
    ];
    let concepts = entries.into_iter().map(|(id, names, types)| {
        let mut concept = Concept::new(id.parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept.types = types.iter().map(|concept_type| (*concept_type).to_owned()).collect();
        concept
    });
    KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap()
}

fn labels_by(annotator: impl FnOnce(Annotator) -> Annotator, text: &str) -> Vec<(String, String, Option<String>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut document = Document::new("1", text);
    document.mentions.push(Mention::new(Span::new(0, 1), "Gold", None));
    let labelled = annotator(Annotator::new(kb(&folder))).annotate(vec![document]).unwrap().remove(0);
    assert_eq!(labelled.text, text);
    let label =
        |label: &Mention| (label.span.of(text).unwrap().to_owned(), label.mention_type.clone(), label.id.clone());
    labelled.mentions.iter().map(label).collect()
}

#[track_caller]
fn assert_labels(text: &str, expected: &[(&str, &str)]) {
    let labels = labels_by(|annotator| annotator, text);
    let pairs: Vec<(&str, &str)> =
        labels.iter().map(|(text, mention_type, _)| (text.as_str(), mention_type.as_str())).collect();
    assert_eq!(pairs, expected, "{text}");
    assert!(labels.iter().all(|(.., id)| id.is_none()), "{labels:?}");
}

#[test]
fn names_get_the_type_of_their_concepts() {
    assert_labels("Aspirin, acetylsalicylic acid", &[("Aspirin", "Chemical"), ("acetylsalicylic acid", "Chemical")]);
    // Two concepts of one type, and one of two types.
    assert_labels("lymphoma", &[("lymphoma", "Disease")]);
    let two = [("non-Hodgkin lymphoma", "Disease"), ("non-Hodgkin lymphoma", "Neoplasm")];
    assert_labels("non-Hodgkin lymphoma", &two);
    assert_labels("nothing here", &[]);
}

#[test]
fn what_the_dictionary_does_not_decide_is_unknown() {
    assert_labels("a cold", &[("cold", "unknown")]);
    assert_labels("it fits", &[("fits", "unknown")]);
    assert_labels("Fits", &[("Fits", "Disease")]);
    assert_labels("Fits the ward", &[("Fits", "unknown")]);
    assert_labels("Hodgkin lymphoma of skin", &[("Hodgkin lymphoma of skin", "unknown")]);
    assert_labels("6 h, H", &[("h", "unknown"), ("H", "Chemical")]);
    assert_labels("control fibroblasts (CF) and CF", &[("CF", "unknown"), ("CF", "unknown")]);
    assert_labels("cystic fibrosis (CF)", &[("cystic fibrosis", "Disease"), ("CF", "Disease")]);
}

#[test]
fn the_very_name_settles_its_type() {
    assert_labels("pain and pains", &[("pain", "Disease"), ("pains", "unknown")]);
}

#[test]
fn one_type_may_be_given_for_all() {
    let labels = labels_by(|annotator| annotator.of_type("Entity"), "aspirin, cold, pains, fits");
    let types: Vec<&str> = labels.iter().map(|(_, mention_type, _)| mention_type.as_str()).collect();
    assert_eq!(types, ["Entity", "Entity", "unknown", "unknown"]);
}

#[test]
fn ids_are_those_of_single_concepts() {
    let labels = labels_by(|annotator| annotator.with_ids(true), "aspirin, lymphoma, pains, fits");
    let ids: Vec<Option<&str>> = labels.iter().map(|(.., id)| id.as_deref()).collect();
    assert_eq!(ids, [Some("C:1"), None, Some("U:1"), None]);
}

#[test]
fn nested_names_and_abbreviations_are_options() {
    let labels = labels_by(|annotator| annotator.nested(true), "non-Hodgkin lymphoma");
    assert_eq!(labels.len(), 3, "{labels:?}");
    assert_eq!((labels[2].0.as_str(), labels[2].1.as_str()), ("lymphoma", "Disease"));
    let labels = labels_by(|annotator| annotator.abbreviations(false), "control fibroblasts (CF)");
    assert_eq!(labels[0].1, "Disease");
}

#[test]
fn a_typed_recognizer_finds_a_mention_once_for_each_type() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let document = Document::new("1", "aspirin for a cold fits Hodgkin lymphoma of skin");
    let recognized = |recognizer: DictionaryRecognizer| -> Vec<RecognizedMention> {
        recognizer.recognize(&mut [Reading::new(&document)]).unwrap().remove(0)
    };
    let types =
        |recognized: Vec<RecognizedMention>| recognized.into_iter().map(|one| one.mention_type).collect::<Vec<_>>();
    let typed = recognized(DictionaryRecognizer::new(kb.clone()).typed(true));
    assert_eq!(types(typed), ["Chemical", "Disease", "Finding", ""]);
    assert_eq!(types(recognized(DictionaryRecognizer::new(kb))), ["", "", ""]);
}
