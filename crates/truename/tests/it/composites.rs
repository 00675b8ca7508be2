//! Coordinations whose names share words, through the recognizer and the linker.

use std::sync::Arc;

use truename::{
    CompositeRecognizer, Concept, DictionaryRecognizer, Document, Error, KnowledgeBase, LinkOptions, LinkedDocument,
    Linker, Reading, RecognizedMention, Recognizer, RecognizerOptions, Span, recognize_all,
};

/// Concepts by number, with their names.
const CONCEPTS: &[&[&str]] = &[
    &["type 1 diabetes"],
    &["type 2 diabetes"],
    &["breast cancer", "cancer of the breast"],
    &["ovarian cancer", "cancer of the ovary"],
    &["cancer"],
    &["T-cell lymphoma"],
    &["B-Cell Lymphoma"],
    &["hepatitis A"],
    &["hepatitis B"],
    &["hepatitis C"],
    &["renal failure"],
    &["hepatic failure"],
    &["Preoperative Pain"],
    &["postoperative pain"],
    &["head and neck cancer", "cancer of the head and neck"],
    &["neck cancer"],
    &["renal hypertension"],
    &["hypertension"],
    &["lung cancer"],
    &["cancer pain"],
    &["abdominal pain"],
    &["SCA1"],
    &["SCA2"],
    &["ventricular septal defect"],
    &["midline defect"],
];

fn kb(folder: &tempfile::TempDir) -> KnowledgeBase {
    let concept = |(number, names): (usize, &&[&str])| {
        let mut concept = Concept::new(format!("C:{number}").parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept.types = vec!["disease".to_owned()];
        concept
    };
    KnowledgeBase::create(CONCEPTS.iter().enumerate().map(concept).collect(), &folder.path().join("kb")).unwrap()
}

fn options() -> LinkOptions {
    LinkOptions { composites: true, ..LinkOptions::default() }
}

fn linker(folder: &tempfile::TempDir, options: LinkOptions) -> Linker {
    Linker::new(kb(folder)).unwrap().with_options(options).unwrap()
}

/// Returns the texts of mentions, `…` between their pieces, with the first name of the concept of each.
fn read(linked: &LinkedDocument) -> Vec<(String, &'static str)> {
    let text = &linked.document.text;
    let mention = |mention: &truename::LinkedMention| {
        let number: usize = mention.link.id().unwrap().as_str()[2..].parse().unwrap();
        let pieces: Vec<&str> = match &mention.fragments[..] {
            [] => vec![mention.span.of(text).unwrap()],
            pieces => pieces.iter().map(|piece| piece.of(text).unwrap()).collect(),
        };
        if let [first, .., last] = &mention.fragments[..] {
            assert_eq!(mention.span, Span::new(first.start, last.end));
        }
        assert_eq!(mention.text, pieces.join(" "));
        (pieces.join(" … "), CONCEPTS[number][0])
    };
    linked.mentions.iter().map(mention).collect()
}

#[track_caller]
fn assert_read(linker: &Linker, text: &str, expected: &[(&str, &'static str)]) {
    let found = read(&linker.link_document(Document::new("1", text)).unwrap());
    let mut expected: Vec<(String, &str)> = expected.iter().map(|(text, name)| ((*text).to_owned(), *name)).collect();
    let mut sorted = found.clone();
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected, "{text}");
}

#[test]
fn coordinated_names_are_read_each() {
    let folder = tempfile::tempdir().unwrap();
    let linker = linker(&folder, options());
    let read = |text: &str, expected: &[(&str, &'static str)]| assert_read(&linker, text, expected);
    read(
        "type 1 and 2 diabetes",
        &[("type 1 … diabetes", "type 1 diabetes"), ("type … 2 diabetes", "type 2 diabetes")],
    );
    read(
        "types 1 & type 2 diabetes",
        &[("types 1 … diabetes", "type 1 diabetes"), ("type 2 diabetes", "type 2 diabetes")],
    );
    read(
        "sporadic breast and ovarian cancer.",
        &[("breast … cancer", "breast cancer"), ("ovarian cancer", "ovarian cancer")],
    );
    read("Breast/ovarian cancers", &[("Breast … cancers", "breast cancer"), ("ovarian cancers", "ovarian cancer")]);
    read(
        "(breast and/or the ovarian cancer)",
        &[("breast … cancer", "breast cancer"), ("ovarian cancer", "ovarian cancer")],
    );
    read("T- and B-cell lymphoma", &[("T … cell lymphoma", "T-cell lymphoma"), ("B-cell lymphoma", "B-Cell Lymphoma")]);
    read(
        "hepatitis A, B and C",
        &[("hepatitis A", "hepatitis A"), ("hepatitis … B", "hepatitis B"), ("hepatitis … C", "hepatitis C")],
    );
    read("hepatitis A to C", &[("hepatitis A", "hepatitis A"), ("hepatitis … C", "hepatitis C")]);
    read("renal or hepatic failure", &[("renal … failure", "renal failure"), ("hepatic failure", "hepatic failure")]);
    read(
        "pre- and postoperative pain",
        &[("pre … operative pain", "Preoperative Pain"), ("postoperative pain", "postoperative pain")],
    );
    read(
        "cancer of the breast and ovaries",
        &[("cancer of the breast", "breast cancer"), ("cancer of the … ovaries", "ovarian cancer")],
    );
    read("SCA1, 2", &[("SCA1", "SCA1")]);
    read("SCA1 or 2", &[("SCA1", "SCA1"), ("SCA … 2", "SCA2")]);
    read(
        "ventricular septal (VSD) and midline (MD) defects",
        &[("ventricular septal … defects", "ventricular septal defect"), ("midline … defects", "midline defect")],
    );
    read(
        "breast, ovarian and head and neck cancers",
        &[
            ("breast … cancers", "breast cancer"),
            ("ovarian … cancers", "ovarian cancer"),
            ("head and neck cancers", "head and neck cancer"),
        ],
    );
    // What the last conjunct is, nobody knows; it is a cancer.
    read("breast and other cancers", &[("breast … cancers", "breast cancer"), ("cancers", "cancer")]);
}

#[test]
fn what_names_do_not_share_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let linker = linker(&folder, options());
    let read = |text: &str, expected: &[(&str, &'static str)]| assert_read(&linker, text, expected);
    read("head and neck cancer", &[("head and neck cancer", "head and neck cancer")]);
    read("breast. And ovarian cancer", &[("ovarian cancer", "ovarian cancer")]);
    read("breast; and ovarian cancer", &[("ovarian cancer", "ovarian cancer")]);
    read("breast and a long way from ovarian cancer", &[("ovarian cancer", "ovarian cancer")]);
    read("breast, ovarian cancer", &[("ovarian cancer", "ovarian cancer")]);
    // Neither the hypertension is renal nor is the pain that of the cancer.
    read("renal failure and hypertension", &[("renal failure", "renal failure"), ("hypertension", "hypertension")]);
    read("lung cancer and abdominal pain", &[("lung cancer", "lung cancer"), ("abdominal pain", "abdominal pain")]);
    read("abdominal or a pain of breast cancer", &[("breast cancer", "breast cancer")]);
    read("hepatic and yellow failure", &[]);
    read("hepatitis A, yellow fever and B", &[("hepatitis A", "hepatitis A")]);
    read("failure and pain and, (", &[]);
}

#[test]
fn abbreviations_are_read_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let linker = linker(&folder, options());
    let text = "Ventricular septal (VS) anomaly. VS and midline defects.";
    let expected = [("VS … defects", "ventricular septal defect"), ("midline defects", "midline defect")];
    assert_read(&linker, text, &expected);
}

#[test]
fn coordinations_are_read_where_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = "breast and ovarian cancer";
    let only = linker(&folder, LinkOptions::default());
    assert_read(&only, text, &[("ovarian cancer", "ovarian cancer")]);
    let nested = only.with_options(LinkOptions { nested: true, ..options() }).unwrap();
    let expected = [("breast … cancer", "breast cancer"), ("ovarian cancer", "ovarian cancer"), ("cancer", "cancer")];
    assert_read(&nested, text, &expected);
    let without = only.with_options(LinkOptions { composites: false, ..options() }).unwrap();
    assert_read(&without, text, &[("ovarian cancer", "ovarian cancer")]);
}

#[test]
fn names_of_coordinations_have_the_types_of_their_concepts() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let options = RecognizerOptions { composites: true, typed: true, ..RecognizerOptions::default() };
    let recognizer = options.open(&["dictionary".into()], || Ok(kb.clone())).unwrap();
    let found = recognize_all(&*recognizer, vec![Document::new("1", "breast and ovarian cancer")], true).unwrap();
    let types: Vec<&[String]> = found[0].mentions.iter().map(|mention| &mention.types[..]).collect();
    assert_eq!(types, [["disease"], ["disease"]]);
    let chemicals = RecognizerOptions { types: vec!["chemical".to_owned()], ..options };
    let recognizer = chemicals.open(&[], || Ok(kb)).unwrap();
    let found = recognize_all(&*recognizer, vec![Document::new("1", "breast and ovarian cancer")], true).unwrap();
    assert_eq!(found[0].mentions, []);
}

/// Finds runs of text between full stops.
struct Phrases;

impl Recognizer for Phrases {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let phrases = |text: &str| {
            let ends = text.match_indices('.').map(|(end, _)| end);
            let starts = std::iter::once(0).chain(text.match_indices(". ").map(|(end, _)| end + 2));
            starts.zip(ends).map(|(start, end)| RecognizedMention::new(Span::new(start, end))).collect()
        };
        Ok(readings.iter().map(|reading| phrases(&reading.document().text)).collect())
    }
}

#[test]
fn the_mentions_of_any_recognizer_are_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let recognizer = CompositeRecognizer::new(Arc::new(Phrases), DictionaryRecognizer::new(kb.clone()));
    let text = "hereditary breast and ovarian cancer. head and neck cancer. yellow and black fever.";
    let found = recognizer.recognize(&mut [Reading::new(&Document::new("1", text))]).unwrap().remove(0);
    let mut texts: Vec<&str> = found.iter().map(|mention| mention.span.of(text).unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(
        texts,
        ["breast and ovarian cancer", "head and neck cancer", "ovarian cancer", "yellow and black fever"]
    );
}

#[test]
fn a_document_alone_has_the_mentions_that_it_has_in_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let dictionary = || DictionaryRecognizer::new(kb.clone());
    let recognizer = CompositeRecognizer::new(Arc::new(dictionary()), dictionary());
    let hostile = "breast, ".repeat(20_000) + "and ovarian cancer";
    let brackets = "(breast and [ovarian ".repeat(5_000) + "cancer";
    let texts = [
        "",
        ", and",
        "and/or",
        "a- and é\u{301}b-c",
        "pre- and \u{301}\u{301}\u{301}pain",
        "肺 and 癌癌癌 or 5",
        &hostile,
        &brackets,
    ];
    let documents: Vec<Document> = texts.iter().map(|text| Document::new("d", *text)).collect();
    let mut batch: Vec<Reading<'_>> = documents.iter().map(Reading::new).collect();
    let together = recognizer.recognize(&mut batch).unwrap();
    for (document, found) in documents.iter().zip(&together) {
        assert_eq!(&recognizer.recognize(&mut [Reading::new(document)]).unwrap()[0], found);
        let mut spans = found.iter().flat_map(|one| std::iter::once(&one.span).chain(&one.fragments));
        assert!(spans.all(|span| span.of(&document.text).is_some()));
    }
    assert!(together[6].iter().any(|mention| mention.fragments.len() == 2));
}

#[test]
fn a_composite_name_is_answered_by_the_ids_of_all_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let linker = linker(&folder, options());
    let ids = |name: &str| linker.link_name(name).unwrap().id().map(ToString::to_string);
    for (name, expected) in [
        ("hepatitis B and C", Some("C:8|C:9")),
        ("Breast or Ovarian Cancer", Some("C:2|C:3")),
        ("hypertension, lung cancer", Some("C:17|C:18")),
        ("type 1 and type 2 diabetes", Some("C:0|C:1")),
        // Names themselves, and names with other words beside.
        ("head and neck cancer", Some("C:14")),
        ("cancer of the head and neck", Some("C:14")),
        ("hypertension and hypertension", Some("C:17")),
    ] {
        assert_eq!(ids(name).as_deref(), expected, "{name}");
    }
    for name in ["hepatitis B and ovarian pride", "hypertension and nonsense"] {
        assert!(!ids(name).unwrap_or_default().contains('|'), "{name}");
    }
    let link = linker.link_name("hepatitis B and C").unwrap();
    let best = link.answer().unwrap();
    assert_eq!(
        (best.preferred_name.as_str(), best.matched_name.as_str()),
        ("hepatitis B|hepatitis C", "hepatitis B|hepatitis C")
    );
    let concepts = linker.knowledge_base().concepts_of(&best.id).unwrap();
    assert_eq!(
        concepts.iter().map(|concept| concept.name.as_str()).collect::<Vec<_>>(),
        ["hepatitis B", "hepatitis C"]
    );
    assert!(best.probability > 0.5 && best.probability < 1.0, "{}", best.probability);
    let explained = linker.with_options(LinkOptions { explain: true, ..options() }).unwrap();
    let explanation = explained.link_name("hepatitis B and C").unwrap().explanation.unwrap();
    assert_eq!(explanation, "It names several concepts: \"hepatitis B\" (C:8), \"hepatitis C\" (C:9).");
    let plain = linker.with_options(LinkOptions::default()).unwrap();
    assert!(!plain.link_name("hepatitis B and C").unwrap().candidates[0].id.as_str().contains('|'));
}
