//! Documents through the dictionary recognizer and the linker.

use std::sync::Arc;

use truename::{
    Ambiguous, Candidate, Concept, ConceptId, DictionaryRecognizer, Document, Error, KnowledgeBase, LinkOptions,
    LinkedDocument, Linker, Mention, Passage, Query, Reading, RecognizedMention, Recognizer, Reranker, Shortlist, Span,
    StopNames,
};

fn kb(folder: &tempfile::TempDir) -> KnowledgeBase {
    let entries: [(&str, &[&str], &str); 14] = [
        ("D:1", &["Breast Neoplasms", "Tumors, Breast", "breast cancer"], "disease"),
        ("D:2", &["Diabetes Mellitus, Type 2", "type II diabetes"], "disease"),
        ("D:3", &["Duchenne muscular dystrophy", "DMD"], "disease"),
        ("D:4", &["Cystic Fibrosis", "CF"], "disease"),
        ("D:5", &["Acute Lymphoblastic Leukemia", "ALL"], "disease"),
        ("D:6", &["Seizures", "Fits"], "disease"),
        ("D:7", &["lymphoma"], "disease"),
        ("D:8", &["non-Hodgkin lymphoma"], "disease"),
        ("C:1", &["Aspirin", "Acetylsalicylic Acid"], "chemical"),
        ("C:2", &["Tumor Necrosis Factor alpha", "TNF-alpha"], "chemical"),
        ("C:3", &["Calcium", "Ca2+"], "chemical"),
        ("C:4", &["Lead"], "chemical"),
        ("D:9", &["muscular dystrophy"], "disease"),
        ("D:10", &["肺癌"], "disease"),
    ];
    let concepts = entries.into_iter().map(|(id, names, mention_type)| {
        let mut concept = Concept::new(id.parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept.types = vec![mention_type.to_owned()];
        concept
    });
    KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap()
}

fn link(document: Document, options: LinkOptions) -> LinkedDocument {
    let folder = tempfile::tempdir().unwrap();
    Linker::new(kb(&folder)).unwrap().with_options(options).unwrap().link_document(document).unwrap()
}

fn found(text: &str) -> Vec<(String, Option<String>)> {
    pairs(&link(Document::new("1", text), LinkOptions::default()))
}

fn pairs(linked: &LinkedDocument) -> Vec<(String, Option<String>)> {
    let pair = |mention: &truename::LinkedMention| {
        let text = mention.span.of(&linked.document.text).unwrap().to_owned();
        (text, mention.link.id().map(ToString::to_string))
    };
    linked.mentions.iter().map(pair).collect()
}

#[track_caller]
fn assert_found(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<(String, Option<String>)> =
        expected.iter().map(|(text, id)| ((*text).to_owned(), Some((*id).to_owned()))).collect();
    assert_eq!(found(text), expected, "{text}");
}

#[test]
fn names_are_found_as_texts_write_them() {
    assert_found("Aspirin in breast-cancer.", &[("Aspirin", "C:1"), ("breast-cancer", "D:1")]);
    assert_found(
        "Breast tumours and Type 2 diabetes mellitus",
        &[("Breast tumours", "D:1"), ("Type 2 diabetes mellitus", "D:2")],
    );
    assert_found("TNFα-induced/TNF-α", &[("TNFα", "C:2"), ("TNF-α", "C:2")]);
    assert_found("(acetylsalicylic\r\nacid)", &[("acetylsalicylic\r\nacid", "C:1")]);
    assert_found("aspirin's effect; aspirin’s", &[("aspirin", "C:1"), ("aspirin", "C:1")]);
    assert_found("Ca2+-dependent", &[("Ca2+", "C:3")]);
    assert_found("用于肺癌的治疗", &[("肺癌", "D:10")]);
}

#[test]
fn the_longest_name_counts_unless_all_are_asked_for() {
    assert_found("a non-Hodgkin lymphoma", &[("non-Hodgkin lymphoma", "D:8")]);
    let options = LinkOptions { nested: true, ..LinkOptions::default() };
    let all = pairs(&link(Document::new("1", "a non-Hodgkin lymphoma"), options));
    assert_eq!(all.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), ["non-Hodgkin lymphoma", "lymphoma"]);
}

#[test]
fn what_only_looks_like_a_name_is_left() {
    for text in [
        "all of it fits",
        "breast. Cancer",
        "breast, cancer",
        "breast\n\ncancer",
        "mycalcium",
        "cf. above",
        "phase 2 > diabetes",
        "",
        "\u{200B}'",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    // A word in capitals is an acronym where its neighbours are not in capitals too.
    assert_found("LEAD to ALL", &[("ALL", "D:5")]);
    assert_found("Lead", &[("Lead", "C:4")]);
}

/// Returns the mentions that a knowledge base of these names has in a text, each with its answer.
fn found_of(names: &[(&str, &str)], text: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let concepts = names.iter().map(|(id, name)| Concept::new(id.parse().unwrap(), *name)).collect();
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let linked = Linker::new(kb).unwrap().link_document(Document::new("1", text)).unwrap();
    pairs(&linked).into_iter().map(|(text, id)| (text, id.unwrap_or_default())).collect()
}

#[track_caller]
fn assert_found_of(names: &[(&str, &str)], text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(text, id)| ((*text).to_owned(), (*id).to_owned())).collect();
    assert_eq!(found_of(names, text), expected, "{text}");
}

#[test]
fn a_name_is_found_in_other_characters() {
    let names = [
        ("1", "Mg2+"),
        ("2", "H+/K+ pump"),
        ("3", "SO2"),
        ("4", "IFN-β"),
        ("5", "RARα"),
        ("6", "Börsen fever"),
        ("7", "Goethe ward"),
        ("8", "elastin type 4"),
        ("9", "tenascin IX"),
        ("10", "서울병원"),
        ("11", "Pot ward"),
    ];
    assert_found_of(
        &names,
        "Mg²⁺ and Mg(2+), H⁺/K⁺ pump, SO₂; Mg, SO₃.",
        &[("Mg²⁺", "1"), ("Mg(2+)", "1"), ("H⁺/K⁺ pump", "2"), ("SO₂", "3")],
    );
    assert_found_of(
        &names,
        "IFN-beta, IFN-ß, IFNbeta, IFN-Beta, RARalpha and ifn-β; IFN-alpha, RARβ.",
        &[("IFN-beta", "4"), ("IFN-ß", "4"), ("IFNbeta", "4"), ("IFN-Beta", "4"), ("RARalpha", "5"), ("ifn-β", "4")],
    );
    assert_found_of(
        &names,
        "Boersen fever at the Göthe ward, not a poet ward.",
        &[("Boersen fever", "6"), ("Göthe ward", "7")],
    );
    assert_found_of(
        &names,
        "Elastin type IV, tenascin 9 and tenascin-9 cells; elastin IV, type 9.",
        &[("Elastin type IV", "8"), ("tenascin 9", "9"), ("tenascin-9", "9")],
    );
    let decomposed = "\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}\u{1107}\u{1167}\u{11bc}\u{110b}\u{116f}\u{11ab}";
    assert_found_of(&names, &format!("{decomposed}\u{110b}\u{1166}"), &[(decomposed, "10")]);
}

#[test]
fn a_span_has_the_brackets_and_signs_of_its_name() {
    let names = [
        ("1", "CO3"),
        ("2", "NADX+"),
        ("3", "[18F]FLT"),
        ("4", "iron(II) oxide"),
        ("5", "[11C]choline"),
        ("6", "Br-"),
        ("7", "lung stroke"),
        ("8", "Br channel"),
    ];
    assert_found_of(
        &names,
        "CO(3), NADX(+) and [(18)F]FLT (18F-FLT); iron(II) oxide, (iron (II) oxide) and [11C]choline.",
        &[
            ("CO(3)", "1"),
            ("NADX(+)", "2"),
            ("[(18)F]FLT", "3"),
            ("18F-FLT", "3"),
            ("iron(II) oxide", "4"),
            ("iron (II) oxide", "4"),
            ("[11C]choline", "5"),
        ],
    );
    assert_found_of(
        &names,
        "Br(-), Br⁻ and Br- in a Br-channel.",
        &[("Br(-)", "6"), ("Br⁻", "6"), ("Br-", "6"), ("Br-channel", "8")],
    );
    let mirrored = [("1", "(−)-foosol"), ("2", "(+)-foosol"), ("3", "(±)-foosol")];
    assert_found_of(
        &mirrored,
        "(-)-foosol, (+)-foosol, (+/-)-foosol and (±)-Foosol",
        &[("(-)-foosol", "1"), ("(+)-foosol", "2"), ("(+/-)-foosol", "3"), ("(±)-Foosol", "3")],
    );
    assert_found_of(&names, "CO (3 weeks), NADX (+ food), lung (stroke), lung) stroke", &[]);
}

#[test]
fn a_mark_of_the_name_ends_no_sentence() {
    let names = [
        ("1", "Foo Bros. Pictures"),
        ("2", "Wow! Foods"),
        ("3", "Bar Inc. Chile"),
        ("4", "Bar Inc."),
        ("5", "lung stroke"),
    ];
    let text = "Foo Bros. Pictures and Wow! Foods sued Bar Inc.\nChile. It was Bar Inc. She lost a lung. Stroke followed! Wow? Foods.";
    assert_found_of(
        &names,
        text,
        &[("Foo Bros. Pictures", "1"), ("Wow! Foods", "2"), ("Bar Inc.\nChile", "3"), ("Bar Inc", "4")],
    );
}

#[test]
fn nothing_is_found_across_cells_items_and_headings() {
    let names = [("1", "bone graft"), ("2", "graft")];
    for text in [
        "Bone ; Graft",
        "Bone | Graft",
        "Bone\tGraft",
        "Bone / Graft",
        "- bone\n- graft",
        "Bone:\ngraft",
        "Bone\nGraft",
    ] {
        assert_eq!(found_of(&names, text).iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["2"], "{text}");
    }
    for text in ["bone\ngraft", "bone/graft", "bone  graft", "Bone\n\tgraft"] {
        assert_found_of(&names, text, &[(text, "1")]);
    }
}

#[test]
fn in_capitals_the_letters_count_alone() {
    let names = [("1", "ALL"), ("2", "RARα"), ("3", "Heart")];
    let text = "Notes of the ward, in plain letters as everybody writes them elsewhere in this house.\nALL OF THE HEART WITH RARALPHA AND RAR-ALPHA\nHEART, ALL";
    assert_found_of(&names, text, &[("HEART", "3"), ("RARALPHA", "2"), ("RAR-ALPHA", "2"), ("ALL", "1")]);
}

#[test]
fn a_short_form_means_what_its_nearest_definition_says() {
    let names = [("1", "multiple sclerosis"), ("2", "mitral stenosis")];
    assert_found_of(
        &names,
        "Multiple sclerosis (MS). MS rose. In mitral stenosis (MS), MS fell.",
        &[("Multiple sclerosis", "1"), ("MS", "1"), ("MS", "1"), ("mitral stenosis", "2"), ("MS", "2"), ("MS", "2")],
    );
}

#[test]
fn a_definition_is_two_mentions() {
    let names = [("1", "end-stage renal disease"), ("2", "end-stage renal disease (ESRD)"), ("3", "vitamin B(12)")];
    let found = [("End-stage renal disease", "1"), ("ESRD", "1")];
    assert_found_of(&names, "End-stage renal disease (ESRD) after transplantation.", &found);
    assert_found_of(&names, "Vitamin B(12) was low.", &[("Vitamin B(12)", "3")]);
}

#[test]
fn passages_are_read_apart() {
    let text = "On breast\ncancer";
    let passage = |kind: &str, span: Span| Passage { kind: kind.into(), span };
    let passages = vec![passage("title", Span::new(0, 9)), passage("abstract", Span::new(10, 16))];
    let document = Document { passages, ..Document::new("1", text) };
    assert!(link(document, LinkOptions::default()).mentions.is_empty());
}

#[test]
fn what_a_text_says_of_its_mentions_is_told() {
    let text = "No seizures.\nHis father had breast cancer. Aspirin, history of lymphoma";
    let passage = |start, end| Passage { kind: String::new(), span: Span::new(start, end) };
    let passages = vec![passage(0, 12), passage(13, text.len())];
    let document = Document { passages, ..Document::new("1", text) };
    let said = |options: LinkOptions| -> Vec<String> {
        link(document.clone(), options).mentions.iter().map(|mention| mention.assertions.to_string()).collect()
    };
    assert_eq!(said(LinkOptions::default()), ["negated", "family", "", "historical"]);
    assert_eq!(said(LinkOptions { asserted: true, ..LinkOptions::default() }), ["", "historical"]);
    assert_eq!(said(LinkOptions { assertions: None, ..LinkOptions::default() }), [""; 4]);
}

#[test]
fn short_forms_are_linked_as_their_long_forms() {
    let text = "Type 2 diabetes mellitus (T2DM) is common. T2DM and T2DM patients; 't2dm' is not.";
    let linked = link(Document::new("1", text), LinkOptions::default());
    let texts: Vec<(String, Option<String>)> = pairs(&linked);
    let expected = [("Type 2 diabetes mellitus", "D:2"), ("T2DM", "D:2"), ("T2DM", "D:2"), ("T2DM", "D:2")];
    assert_eq!(texts, expected.map(|(text, id)| (text.to_owned(), Some(id.to_owned()))));
    assert_eq!(linked.mentions[0].long_form, None);
    assert_eq!(linked.mentions[1].long_form.as_deref(), Some("Type 2 diabetes mellitus"));

    let without = LinkOptions { abbreviations: false, ..LinkOptions::default() };
    assert_eq!(link(Document::new("1", text), without).mentions.len(), 1);
}

#[test]
fn short_forms_are_defined_by_signs_and_written_otherwise() {
    let names = [("1", "green tea pot"), ("2", "heat pot 70"), ("3", "ironlike-6")];
    assert_found_of(&names, "GTP = green tea pot. GTP.", &[("GTP", "1"), ("green tea pot", "1"), ("GTP", "1")]);
    assert_found_of(&names, "Abbreviations: GTP, green tea pot.", &[("GTP", "1"), ("green tea pot", "1")]);
    assert_found_of(
        &names,
        "heat pot 70 (HP70), Hp70; ironlike-6 (IL-6), IL6, il6.",
        &[("heat pot 70", "2"), ("HP70", "2"), ("Hp70", "2"), ("ironlike-6", "3"), ("IL-6", "3"), ("IL6", "3")],
    );
}

#[test]
fn a_short_form_does_not_mean_what_it_means_elsewhere() {
    assert_found("CF cells", &[("CF", "D:4")]);
    assert_found("control fibroblasts (CF) and CF cells", &[]);
    assert_found("cystic fibrosis (CF)", &[("cystic fibrosis", "D:4"), ("CF", "D:4")]);
}

#[test]
fn a_short_form_behind_a_mention_may_have_its_initials_in_another_order() {
    assert_found("Type II diabetes (DT); DT was", &[("Type II diabetes", "D:2"), ("DT", "D:2"), ("DT", "D:2")]);
    assert_found("Type II diabetes (DX); DX was", &[("Type II diabetes", "D:2")]);
}

#[test]
fn a_short_form_is_read_in_full_within_a_longer_name() {
    assert_found(
        "muscular dystrophy (MD) of Duchenne MD type",
        &[("muscular dystrophy", "D:9"), ("MD", "D:9"), ("Duchenne MD", "D:3")],
    );
}

#[test]
fn given_mentions_are_linked_and_kept() {
    let mention = |start, end, mention_type: &str| Mention::new(Span::new(start, end), mention_type, None);
    let discontinuous = Mention { fragments: vec![Span::new(0, 6), Span::new(14, 20)], ..mention(0, 20, "Disease") };
    let document = Document {
        mentions: vec![mention(14, 20, "Disease"), discontinuous, mention(7, 10, "Thing")],
        ..Document::new("1", "breast and/or cancer")
    };
    let folder = tempfile::tempdir().unwrap();
    let linked = Linker::new(kb(&folder)).unwrap().link_mentions(vec![document.clone()]).unwrap().remove(0);
    assert_eq!(linked.document, document);
    assert_eq!(linked.mentions.len(), 3);
    assert_eq!(
        (linked.mentions[0].link.name.as_str(), linked.mentions[0].link.id().map(ConceptId::as_str)),
        ("breast cancer", Some("D:1"))
    );
    assert_eq!((linked.mentions[1].types[0].as_str(), linked.mentions[1].link.id()), ("Thing", None));
}

#[test]
fn assertions_of_given_mentions_stay() {
    let negated = Mention { assertions: "negated".parse().unwrap(), ..Mention::new(Span::new(0, 7), "", None) };
    let mentions = vec![negated, Mention::new(Span::new(27, 40), "", None)];
    let document = Document { mentions, ..Document::new("1", "Aspirin, and no history of breast cancer") };
    let said = |options: LinkOptions| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let linker = Linker::new(kb(&folder)).unwrap().with_options(options).unwrap();
        let linked = linker.link_mentions(vec![document.clone()]).unwrap().remove(0);
        linked.mentions.iter().map(|mention| mention.assertions.to_string()).collect()
    };
    assert_eq!(said(LinkOptions::default()), ["negated", "negated"]);
    assert_eq!(said(LinkOptions { assertions: None, ..LinkOptions::default() }), ["negated", ""]);
    assert_eq!(said(LinkOptions { asserted: true, ..LinkOptions::default() }), [""; 0]);
}

#[test]
fn only_names_of_the_types_asked_for_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let options = LinkOptions { types: vec!["chemical".into()], ..LinkOptions::default() };
    let linker = Linker::new(kb(&folder)).unwrap().with_options(options).unwrap();
    let linker = linker;
    let linked = linker.link_document(Document::new("1", "aspirin against breast cancer")).unwrap();
    assert_eq!(pairs(&linked), [("aspirin".to_owned(), Some("C:1".to_owned()))]);
}

#[test]
fn an_updated_knowledge_base_is_found_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let file = folder.path().join("more.tsv");
    std::fs::write(&file, "id\tname\nC:9\tzolpidem tartrate\nC:1\tASA 500\n").unwrap();
    let gone: ConceptId = "D:7".parse().unwrap();
    let options = truename::ImportOptions { replace: true, ..Default::default() };
    kb.update(&[file], &[gone], &options).unwrap();
    let linker = Linker::new(kb).unwrap();
    let linked = linker
        .link_document(Document::new("1", "Zolpidem tartrate, ASA 500, aspirin, lymphoma, breast cancer"))
        .unwrap();
    let texts: Vec<String> = pairs(&linked).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["Zolpidem tartrate", "ASA 500", "breast cancer"]);
}

#[test]
fn shared_names_follow_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let concept = |id: &str, names: &[&str]| {
        let mut concept = Concept::new(id.parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept
    };
    let concepts = vec![
        concept("A", &["cold temperature", "cold spell", "colds"]),
        concept("B", &["common cold", "coryza", "colds"]),
        concept("Z", &["other thing"]),
    ];
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let linked = |text: &str, ambiguous| {
        let options = LinkOptions { ambiguous, ..LinkOptions::default() };
        let linker = Linker::new(kb.clone()).unwrap().with_options(options).unwrap();
        linker.link_document(Document::new("1", text)).unwrap()
    };
    let answer =
        |text: &str, ambiguous| linked(text, ambiguous).mentions.last().unwrap().link.id().map(ToString::to_string);
    // The document says elsewhere which one it speaks of.
    assert_eq!(answer("Coryza: many colds", Ambiguous::Best).as_deref(), Some("B"));
    assert_eq!(answer("A cold spell: many colds", Ambiguous::Best).as_deref(), Some("A"));
    assert_eq!(answer("Coryza: many colds", Ambiguous::Nil), None);
    let all = linked("many colds", Ambiguous::All);
    let mut ids: Vec<&str> = all.mentions[0].link.candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["A", "B"]);
}

/// Every capital letter is a mention of the type `Letter`.
struct Capitals;

impl Recognizer for Capitals {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let mention = |(at, c): (usize, char)| RecognizedMention {
            mention_type: "Letter".into(),
            score: Some(0.5),
            ..RecognizedMention::new(Span::new(at, at + c.len_utf8()))
        };
        let capitals = |reading: &Reading<'_>| {
            let letters = reading.document().text.char_indices();
            letters.filter(|(_, c)| c.is_uppercase()).map(mention).collect()
        };
        Ok(readings.iter().map(capitals).collect())
    }
}

#[test]
fn another_recognizer_takes_the_place_of_the_dictionary() {
    let folder = tempfile::tempdir().unwrap();
    let linker = Linker::new(kb(&folder)).unwrap().with_recognizer(Arc::new(Capitals));
    let linked = linker.link_document(Document::new("1", "aspirin É B")).unwrap();
    let spans: Vec<Span> = linked.mentions.iter().map(|mention| mention.span).collect();
    assert_eq!(spans, [Span::new(8, 10), Span::new(11, 12)]);
    assert!(linked.mentions.iter().all(|mention| mention.types == ["Letter"] && mention.score == Some(0.5)));
}

#[test]
fn the_batch_and_the_threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let texts = ["Aspirin (ASA) and ASA", "no name", "DMD, CF and ALL", "breast cancers in all"];
    let documents: Vec<Document> = (0..40).map(|n| Document::new(n.to_string(), texts[n % texts.len()])).collect();
    let linker = || Linker::new(kb.clone()).unwrap();
    let one: Vec<LinkedDocument> =
        documents.iter().map(|document| linker().link_document(document.clone()).unwrap()).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| linker().link_documents(documents.clone())).unwrap(), one);
    }
}

/// Finds mentions that lie outside the text, or in too few documents.
struct Broken(bool);

impl Recognizer for Broken {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let outside = vec![RecognizedMention::new(Span::new(3, 300))];
        Ok(if self.0 { vec![outside; readings.len()] } else { Vec::new() })
    }
}

/// Fails as a model whose file is gone.
struct Failing;

impl Recognizer for Failing {
    fn recognize(&self, _: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        Err(Error::other(std::io::Error::new(std::io::ErrorKind::NotFound, "weights are gone")))
    }
}

#[test]
fn mistakes_of_a_recognizer_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let fails = |recognizer: Arc<dyn Recognizer>| {
        let linker = Linker::new(kb.clone()).unwrap();
        linker.with_recognizer(recognizer).link_document(Document::new("note", "no aspirin")).unwrap_err().to_string()
    };
    assert_eq!(
        fails(Arc::new(Broken(true))),
        "the recognizer gave the span 3..300 in document \"note\", which has 10 bytes"
    );
    assert_eq!(fails(Arc::new(Broken(false))), "the recognizer gave 1 documents, 0 lists of mentions");
    assert_eq!(fails(Arc::new(Failing)), "weights are gone");
}

#[test]
fn every_recognizer_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let dictionary = || DictionaryRecognizer::new(kb.clone());
    let recognizers: [(&str, Box<dyn Recognizer>); 4] = [
        ("dictionary", Box::new(dictionary())),
        ("nested", Box::new(dictionary().nested(true))),
        ("of a type", Box::new(dictionary().of_types(vec!["disease".to_owned()]))),
        ("capitals", Box::new(Capitals)),
    ];
    let texts = [
        "",
        " \n\t",
        "Duchenne muscular dystrophy (DMD) and DMD.",
        "Löwe: Ca2+-dependent, 肺癌 und É",
        "myotonic muscular dystrophy (MMD); MMD, a non-Hodgkin lymphoma",
        "FITS fits Fits (ALL) all",
    ];
    let documents: Vec<Document> = texts.iter().map(|text| Document::new("d", *text)).collect();
    for (name, recognizer) in &recognizers {
        let mut batch: Vec<Reading<'_>> = documents.iter().map(Reading::new).collect();
        let together = recognizer.recognize(&mut batch).unwrap();
        assert_eq!(together.len(), documents.len(), "{name}");
        for (document, found) in documents.iter().zip(&together) {
            let alone = recognizer.recognize(&mut [Reading::new(document)]).unwrap();
            assert_eq!(&alone[0], found, "{name}: {}", document.text);
            assert!(found.iter().all(|one| one.span.of(&document.text).is_some_and(|text| !text.is_empty())), "{name}");
        }
        assert!(together[0].is_empty() && together[1].is_empty(), "{name}");
        assert!(recognizer.recognize(&mut []).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn a_linker_that_outlives_an_update_answers_by_the_new_names() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let only_diseases = LinkOptions { types: vec!["disease".to_owned()], ..LinkOptions::default() };
    let all = Linker::new(kb.clone()).unwrap();
    let diseases = Linker::new(kb.clone()).unwrap().with_options(only_diseases).unwrap();
    let diseases = diseases;
    let link = |linker: &Linker, text: &str| pairs(&linker.link_document(Document::new("1", text)).unwrap());
    let text = "lymphoma, aspirin and narcolepsy";
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(link(&all, text), [("lymphoma".to_owned(), id("D:7")), ("aspirin".to_owned(), id("C:1"))]);
    assert_eq!(link(&diseases, text), [("lymphoma".to_owned(), id("D:7"))]);
    let file = folder.path().join("more.tsv");
    std::fs::write(
        &file,
        "id\tname\ttypes\nX:1\tlymphoma\tdisease\nX:2\taspirin\tdisease\nX:3\tnarcolepsy\tchemical\n",
    )
    .unwrap();
    let removed: [ConceptId; 2] = ["D:7".parse().unwrap(), "C:1".parse().unwrap()];
    kb.update(&[file], &removed, &truename::ImportOptions::default()).unwrap();
    let [lymphoma, aspirin] = [("lymphoma".to_owned(), id("X:1")), ("aspirin".to_owned(), id("X:2"))];
    assert_eq!(link(&all, text), [lymphoma.clone(), aspirin.clone(), ("narcolepsy".to_owned(), id("X:3"))]);
    assert_eq!(link(&diseases, text), [lymphoma, aspirin]);
}

/// Prefers candidates whose names share a word with the rest of the document.
struct Context;

impl Reranker for Context {
    fn depth(&self) -> usize {
        3
    }

    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        let scores = |shortlist: &Shortlist<'_>| {
            let Some(context) = shortlist.query.context else { return vec![-1.0; shortlist.candidates.len()] };
            let rest = &context.document.text[context.span.end..];
            let is_near = |candidate: &Candidate| candidate.preferred_name.split(' ').any(|word| rest.contains(word));
            shortlist.candidates.iter().map(|candidate| if is_near(candidate) { 3.0 } else { -3.0 }).collect()
        };
        Ok(shortlists.iter().map(scores).collect())
    }
}

#[test]
fn a_reranker_reorders_the_best_candidates_by_context() {
    let folder = tempfile::tempdir().unwrap();
    let concepts = [("G:1", "insulin receptor"), ("G:2", "insulin kinase"), ("G:3", "insulin light chain")];
    let concepts = concepts.map(|(id, name)| {
        let mut concept = Concept::new(id.parse().unwrap(), name);
        concept.synonyms = vec!["INX".to_owned()];
        concept
    });
    let kb = KnowledgeBase::create(concepts.into(), &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap().with_reranker(Arc::new(Context));
    for (text, id) in [("INX is a kinase", "G:2"), ("INX, the light one", "G:3"), ("INX binds the receptor", "G:1")] {
        let linked = linker.link_document(Document::new("1", text)).unwrap();
        let link = &linked.mentions[0].link;
        assert_eq!(link.id().map(ConceptId::as_str), Some(id), "{text}");
        assert_eq!(link.candidates[0].scores.reranker, Some(3.0));
        assert!(link.candidates.iter().map(|candidate| candidate.probability).sum::<f64>() < 1.0);
    }
    let unread = linker.link_document(Document::new("1", "INX alone")).unwrap();
    assert!(unread.mentions[0].link.candidates[0].probability < 0.05, "none of them");
    let link = linker.link_name("insulin recepter").unwrap();
    assert_eq!(link.candidates[0].scores.reranker, None, "a name without context");
    let (document, outside) = (Document::new("1", "INX is a kinase"), Span::new(9, 99));
    let error = linker.link_queries(&[Query::new("INX").in_context(&document, outside)]).unwrap_err();
    assert_eq!(error.to_string(), "the span 9..99 of \"INX\" is no part of its document, which has 15 bytes");
    let exact = linker.link_name("insulin kinase").unwrap();
    assert_eq!((exact.id().map(ConceptId::as_str), exact.candidates[0].scores.reranker), (Some("G:2"), None));
}

#[test]
fn a_stop_name_is_no_mention_and_leaves_room_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let concept = |id: &str, name: &str| Concept::new(id.parse().unwrap(), name);
    let concepts = vec![concept("D:1", "lung carcinoma"), concept("D:2", "carcinoma")];
    let linker = Linker::new(KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap()).unwrap();
    let without = |names: &[&str]| {
        let options = LinkOptions { stop_names: Arc::new(StopNames::new(names)), ..LinkOptions::default() };
        let document = Document::new("1", "Lung carcinoma is not the only carcinoma.");
        let linked = linker.with_options(options).unwrap().link_document(document).unwrap();
        linked.mentions.into_iter().map(|mention| mention.text).collect::<Vec<_>>()
    };
    assert_eq!(without(&[]), ["Lung carcinoma", "carcinoma"]);
    assert_eq!(without(&["LUNG-CARCINOMA"]), ["carcinoma", "carcinoma"]);
    assert_eq!(without(&["carcinoma"]), ["Lung carcinoma"]);
}

/// Finds the whole text, and expects most of its mentions to have no concept.
struct Doubting;

impl Recognizer for Doubting {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let whole = |reading: &Reading<'_>| vec![RecognizedMention::new(Span::new(0, reading.document().text.len()))];
        Ok(readings.iter().map(whole).collect())
    }

    fn nil_share(&self) -> f64 {
        0.9
    }
}

#[test]
fn a_recognizer_says_how_many_mentions_have_no_concept() {
    let folder = tempfile::tempdir().unwrap();
    let linker = Linker::new(kb(&folder)).unwrap().with_recognizer(Arc::new(Doubting));
    let names = [
        "breast",
        "breast cancer",
        "lymphomatosis",
        "brest canser",
        "duchenne distrophy",
        "acetyl salicyl",
        "fibrosis of the lung",
        "muscular",
        "tumors of the lung",
        "acute leukemia",
        "necrosis factor",
        "diabetes type",
        "mellitus",
    ];
    let answers = |name: &str| {
        let linked = linker.link_document(Document::new("1", name)).unwrap();
        let by_name = linker.link_name(name).unwrap();
        let best = |candidates: &[Candidate]| candidates.first().map(|best| best.id.clone());
        assert_eq!(best(&linked.mentions[0].link.candidates), best(&by_name.candidates), "{name}");
        (by_name.is_nil, linked.mentions[0].link.is_nil)
    };
    let all: Vec<(bool, bool)> = names.iter().map(|name| answers(name)).collect();
    assert!(all.contains(&(false, true)) && !all.contains(&(true, false)), "{all:?}");
    assert_eq!(answers("breast cancer"), (false, false));
    // What is remembered of a document is no answer to a name.
    assert_eq!(names.iter().map(|name| answers(name)).collect::<Vec<_>>(), all);
    let options = LinkOptions { min_probability: Some(0.0), ..LinkOptions::default() };
    let always = linker.with_options(options).unwrap();
    assert!(!always.link_document(Document::new("1", names[0])).unwrap().mentions[0].link.is_nil);
}

/// Finds words as chemicals or genes, as a model does.
struct Typing;

impl Recognizer for Typing {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let mention = |(word, mention_type): (&str, &str), text: &str| {
            let start = text.find(word).unwrap();
            RecognizedMention {
                mention_type: mention_type.to_owned(),
                score: Some(1.0),
                ..RecognizedMention::new(Span::new(start, start + word.len()))
            }
        };
        let words = [("Aspirin", "Disease"), ("lymphoma", "Gene"), ("xyzzy", "Disease"), ("Seizures", "DISEASE")];
        Ok(readings.iter().map(|reading| words.map(|word| mention(word, &reading.document().text)).to_vec()).collect())
    }
}

#[test]
fn a_linked_mention_has_the_type_of_its_concept_where_the_model_says_another() {
    let folder = tempfile::tempdir().unwrap();
    let linker = Linker::new(kb(&folder)).unwrap().with_recognizer(Arc::new(Typing));
    let linked = linker.link_document(Document::new("1", "Aspirin, lymphoma, xyzzy, Seizures")).unwrap();
    let types: Vec<&str> = linked.mentions.iter().map(|mention| mention.types[0].as_str()).collect();
    // No concept is a gene, and NIL has no type of its own.
    assert_eq!(types, ["chemical", "Gene", "Disease", "DISEASE"]);
}
