//! The recognizer that is part of the program, over knowledge bases that carry none.

use truename::{
    Assertion, Concept, Document, KnowledgeBase, LinkOptions, Linker, Precision, RecognizerOptions, TrainedRecognizer,
};

const DISEASES: &str = "asthma, hypertension, migraine, pneumonia, tuberculosis, psoriasis, glaucoma, schizophrenia, epilepsy, anemia, hepatitis B, \
    malaria, measles, breast cancer, lung cancer, prostate cancer, multiple sclerosis, Parkinson disease, Alzheimer disease, diabetes mellitus, \
    rheumatoid arthritis, heart failure, renal failure, cystic fibrosis, obesity, depression, gout, sepsis, meningitis, cholera, leprosy, \
    osteoporosis, lupus nephritis, thyroid carcinoma, colorectal cancer, acute myeloid leukemia, muscular dystrophy, sickle cell disease, \
    celiac disease, hepatocellular carcinoma";
const PRODUCTS: &str = "Quill Database, Quill Studio, Orlan Server, Orlan Desktop, Northwind Mail, Tessel Analytics, Borg Backup, Marsh Gateway, \
    Hale Monitor, Venn Sheets, Lemale Writer, Tarn Router, Quay Proxy, Mill Scheduler, Birch Cache, Cedar Queue, Delta Search, Elm Storage, \
    Fir Console, Gorse Terminal, Heron Browser, Iris Player, Jay Messenger, Kite Editor, Lark Compiler, Moss Debugger, Newt Installer, \
    Otter Updater, Pike Firewall, Quail Printer, Rook Viewer, Swift Archiver, Teal Planner, Urchin Ledger, Vole Tracker, Wren Notes";
const TEXT: &str = "A patient with osteoarthritis and asthma used the Quill Database for notes.";

fn concepts(names: &str, prefix: &str, concept_type: Option<&str>) -> Vec<Concept> {
    let concept = |(number, name): (usize, &str)| Concept {
        types: concept_type.map(str::to_owned).into_iter().collect(),
        ..Concept::new(format!("{prefix}:{number}").parse().unwrap(), name.trim())
    };
    names.split(',').enumerate().map(concept).collect()
}

/// Returns the mentions of the text, each with its types and whether it is NIL.
fn mentions(concepts: Vec<Concept>, options: LinkOptions) -> Vec<(String, Vec<String>, bool)> {
    let folder = tempfile::tempdir().unwrap();
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap().with_options(options).unwrap();
    let linked = linker.link_document(Document::new("1", TEXT)).unwrap();
    let shown =
        |one: &truename::LinkedMention| (one.span.of(TEXT).unwrap().to_owned(), one.types.clone(), one.link.is_nil);
    linked.mentions.iter().map(shown).collect()
}

fn found(text: &str, concept_type: &str, is_nil: bool) -> (String, Vec<String>, bool) {
    (text.to_owned(), vec![concept_type.to_owned()], is_nil)
}

#[test]
fn names_of_diseases_are_found_by_the_model_with_those_that_are_no_names() {
    let found_untyped = mentions(concepts(DISEASES, "D", None), LinkOptions::default());
    assert_eq!(found_untyped, [found("osteoarthritis", "disease", true), found("asthma", "disease", false)]);
}

#[test]
fn names_of_products_are_found_by_the_dictionary_alone() {
    let found = mentions(concepts(PRODUCTS, "P", None), LinkOptions::default());
    assert_eq!(found, [("Quill Database".to_owned(), Vec::new(), false)]);
}

#[test]
fn each_type_has_the_recognizer_that_knows_its_names() {
    let mixed = || [concepts(DISEASES, "D", Some("Disorder")), concepts(PRODUCTS, "P", Some("Product"))].concat();
    let all = mentions(mixed(), LinkOptions::default());
    assert_eq!(
        all,
        [
            found("osteoarthritis", "disease", true),
            found("asthma", "disease", false),
            found("Quill Database", "Product", false)
        ]
    );
    let inner = [concepts(DISEASES, "D", Some("Disorder")), concepts("Database", "P", Some("Product"))].concat();
    let quill = concepts("Quill Database", "D9", Some("Disorder"));
    let all = mentions([inner, quill].concat(), LinkOptions::default());
    assert_eq!(all, [found("osteoarthritis", "disease", true), found("asthma", "disease", false)], "a name in a name");
    let products = mentions(mixed(), LinkOptions { types: vec!["Product".to_owned()], ..LinkOptions::default() });
    assert_eq!(products, [found("Quill Database", "Product", false)]);
}

#[test]
fn concepts_without_types_are_found_by_the_dictionary_where_the_model_knows_no_such_names() {
    let products = concepts(PRODUCTS, "P", None).into_iter().take(10);
    let all = mentions(concepts(DISEASES, "D", None).into_iter().chain(products).collect(), LinkOptions::default());
    let product = ("Quill Database".to_owned(), Vec::new(), false);
    assert_eq!(all, [found("osteoarthritis", "disease", true), found("asthma", "disease", false), product]);
}

#[test]
fn too_few_names_tell_nothing() {
    let few = concepts(DISEASES, "D", None).into_iter().take(10).collect();
    assert_eq!(mentions(few, LinkOptions::default()), [("asthma".to_owned(), Vec::new(), false)]);
}

#[test]
fn items_cells_and_parted_words_are_mentions_of_their_own() {
    let linker = Linker::bundled().unwrap();
    for (text, expected) in [
        ("Diagnoses:\nAsthma\nType 2 diabetes\nHypertension\n", vec!["Asthma", "Type 2 diabetes", "Hypertension"]),
        ("Problems\n1. Asthma\n2. Heart attack\n", vec!["Asthma", "Heart attack"]),
        ("Asthma\tFever\theart attack", vec!["Asthma", "Fever", "heart attack"]),
        ("Fever\n\n  heart attack", vec!["Fever", "heart attack"]),
        ("Asthma 😀 fever", vec!["Asthma", "fever"]),
        ("He had 🤒fever, ★asthma❤️heart attack.", vec!["fever", "asthma", "heart attack"]),
        ("He has lead poisoning.", vec!["lead poisoning"]),
        ("Dr. Burns saw a patient with asthma.", vec!["asthma"]),
        ("This test aids in the diagnosis of asthma.", vec!["asthma"]),
        ("He had a myo-\ncardial infarction.", vec!["myo-\ncardial infarction"]),
    ] {
        let linked = linker.link_document(Document::new("1", text)).unwrap();
        let known = linked.mentions.iter().filter(|one| !one.link.is_nil);
        assert_eq!(known.map(|one| one.text.as_str()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn an_answer_is_no_mention() {
    let linked = Linker::bundled().unwrap().link_document(Document::new("1", "Pneumonia: no. Fever: yes")).unwrap();
    let shown = |one: &truename::LinkedMention| (one.text.clone(), one.assertions.contains(Assertion::Negated));
    let found: Vec<_> = linked.mentions.iter().map(shown).collect();
    assert_eq!(found, [("Pneumonia".to_owned(), true), ("Fever".to_owned(), false)]);
}

#[test]
fn the_recognizer_of_the_program_is_opened_by_its_name() {
    let types: Vec<String> =
        TrainedRecognizer::named("bundled".as_ref()).unwrap().types().into_iter().map(|known| known.name).collect();
    assert!(types.iter().any(|name| name == "chemical") && types.iter().any(|name| name == "disease"), "{types:?}");
}

#[test]
fn calls_on_one_pool_open_the_recognizer_at_once() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (told, ends) = std::sync::mpsc::channel();
    for _ in 0..64 {
        let told = told.clone();
        pool.spawn(move || told.send(TrainedRecognizer::named("bundled".as_ref()).is_ok()).unwrap());
    }
    for _ in 0..64 {
        assert!(ends.recv_timeout(std::time::Duration::from_secs(120)).expect("a thread waits for a lock of its own"));
    }
}

#[test]
fn a_quantised_recognizer_is_opened_in_its_own_precision_alone() {
    let open = |precision| {
        let options = RecognizerOptions { precision: Some(precision), ..RecognizerOptions::default() };
        options.open(&["bundled".into()], || unreachable!("no name needs a knowledge base"))
    };
    assert!(open(Precision::Int8).is_ok());
    assert!(open(Precision::Single).err().unwrap().to_string().contains("is quantised"));
}
