//! Names that one sign, number or letter tells apart, in names and in texts.

use truename::{
    Concept, ConceptId, DictionaryRecognizer, Document, KnowledgeBase, LinkOptions, Linker, Mention, Span,
    recognize_all,
};

/// A linker over concepts with the names as their ids have them, `N:0`, `N:1`, ….
fn linker(names: &[&str]) -> (Linker, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let concept = |(at, name): (usize, &&str)| Concept::new(format!("N:{at}").parse().unwrap(), *name);
    let concepts = names.iter().enumerate().map(concept).collect();
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    (Linker::new(kb).unwrap().with_options(LinkOptions::default()).unwrap(), folder)
}

/// Checks that each name is answered with the known name at the same place; empty for none.
#[track_caller]
fn assert_answers(known: &[&str], cases: &[(&str, &str)]) {
    let (linker, _folder) = linker(known);
    for (name, expected) in cases {
        let link = linker.link_name(name).unwrap();
        let answer = link.id().map_or("", |_| link.candidates[0].matched_name.as_str());
        assert_eq!(answer, *expected, "{name}: {:?}", link.candidates);
    }
}

/// Checks the mentions in each text, with the numbers of their concepts: `O2- 1; CO 0`.
#[track_caller]
fn assert_mentions(known: &[&str], cases: &[(&str, &str)]) {
    let (linker, _folder) = linker(known);
    for (text, expected) in cases {
        let linked = linker.link_document(Document::new("1", *text)).unwrap();
        let mentions = linked.mentions.iter().map(|mention| {
            let id = mention.link.id().map_or("NIL", ConceptId::as_str);
            format!("{} {}", mention.span.of(text).unwrap(), id.trim_start_matches("N:"))
        });
        assert_eq!(mentions.collect::<Vec<_>>().join("; "), *expected, "{text}");
    }
}

#[test]
fn names_of_different_things_in_the_bundled_vocabularies_are_none_of_each_other() {
    assert_answers(
        &["Australia", "Niger", "Hypokalemia", "prednisone", "West Virginia"],
        &[
            ("Austria", ""),
            ("Nigeria", ""),
            ("hypocalcemia", ""),
            ("prednisolone", ""),
            ("Virginia", ""),
            ("Autralia", "Australia"),
            ("hypokalemias", "Hypokalemia"),
        ],
    );
}

#[test]
fn parts_of_addresses_are_no_mentions() {
    assert_mentions(
        &["fever", "www.fever.org"],
        &[
            ("Mail fever@clinic.org of fever.", "fever 0"),
            ("See https://clinic.org/fever and www.fever.org.", "www.fever.org 1"),
        ],
    );
}

#[test]
fn a_number_is_no_other_one_of_the_same_digits() {
    assert_answers(
        &["heparin 15 mg", "SSL 30", "SSL 3", "lot 11.2"],
        &[
            ("heparin 1.5 mg", ""),
            ("heparin 1,5 mg", ""),
            ("Heparin 15mg", "heparin 15 mg"),
            ("SSL 3.0", "SSL 3"),
            ("SSL-30", "SSL 30"),
            ("lot 1.12", ""),
            ("lot 11/2", "lot 11.2"),
        ],
    );
    assert_mentions(
        &["heparin 15 mg", "ABX-12"],
        &[("Give heparin 1.5 mg, not heparin 15mg.", "heparin 15mg 0"), ("ABX-1/2 and ABX12", "ABX12 1")],
    );
}

#[test]
fn a_minus_behind_a_code_is_a_part_of_the_name() {
    assert_answers(
        &["QZ4-", "X2-", "oxyfoo", "NB3-"],
        &[("QZ4", ""), ("QZ4-", "QZ4-"), ("qz4(-)", "QZ4-"), ("X2", ""), ("NB3", ""), ("NB₃⁻", "NB3-")],
    );
    assert_mentions(
        &["X2-", "QZ4-", "QZ4+"],
        &[
            ("They breathe X2. X2- rose, and X2-like things.", "X2- 0"),
            ("QZ4 and QZ4- cells, QZ4+ cells", "QZ4- 1; QZ4+ 2"),
        ],
    );
}

#[test]
fn signs_in_brackets_locants_and_numerals_tell_names_apart() {
    assert_answers(
        &["QZ8+", "HBR2-positive", "Grade III astrofoma", "(3R,5S)-foostatin", "1,2-dichlorofooane", "PX(18:0/20:4)"],
        &[
            ("QZ8(-)", ""),
            ("QZ8(+)", "QZ8+"),
            ("HBR2-", ""),
            ("grade IV astrofoma", ""),
            ("grade 3 astrofoma", "Grade III astrofoma"),
            ("(3R,5R)-foostatin", ""),
            ("(3R,5S)foostatin", "(3R,5S)-foostatin"),
            ("1,1-dichlorofooane", ""),
            ("PX(20:4/18:0)", ""),
        ],
    );
}

#[test]
fn charges_numbers_and_plurals_are_read_however_they_are_written() {
    assert_answers(
        &["Fe2+", "Na", "SO4(2-)", "5 mg foo", "third degree fooburn", "Foo War II", "2型foo病", "fooous virus", "14C"],
        &[
            ("Fe++", "Fe2+"),
            ("Fe+2", "Fe2+"),
            ("Na+", ""),
            ("SO₄²⁻", "SO4(2-)"),
            ("5.0 mg foo", "5 mg foo"),
            (".5 mg foo", ""),
            ("3rd-degree fooburn", "third degree fooburn"),
            ("Foo War Two", "Foo War II"),
            ("Ⅱ型foo病", "2型foo病"),
            ("fooous viruses", "fooous virus"),
            ("[14C]fooline", ""),
        ],
    );
    assert_mentions(
        &["Fe2+", "Fe3+", "SO4(2-)", "5 mg foo", "fooous virus", "COVQD-19", "14C"],
        &[
            ("Fe++ and Fe²⁺ but Fe+++; SO₄²⁻ fell.", "Fe++ 0; Fe²⁺ 0; Fe+++ 1; SO₄²⁻ 2"),
            ("Give 2.5 mg foo, .5 mg foo or 5 mg foo.", "5 mg foo 3"),
            ("The fooous viruses and Covqd-19.", "fooous viruses 4; Covqd-19 5"),
            ("[14C]fooline, 14C-fooline and 14C", "14C 6"),
        ],
    );
    assert_mentions(&["HBR2", "QD4", "Fe2"], &[("HBR2+ foo, QD4(+) cells and Fe2+.", "HBR2 0; QD4 1")]);
}

#[test]
fn letters_of_other_alphabets_are_those_of_vocabularies() {
    assert_answers(
        &["Đorđe Van", "Þórfoo", "Işıkfoo", "Δ9-FOO", "FOO-alpha/beta", "γδ F cell", "GZK3β"],
        &[
            ("Dorde Van", "Đorđe Van"),
            ("Djordje Van", "Đorđe Van"),
            ("Thorfoo", "Þórfoo"),
            ("Isikfoo", "Işıkfoo"),
            ("∆9-FOO", "Δ9-FOO"),
            ("FOOαβ", "FOO-alpha/beta"),
            ("gamma-delta F cell", "γδ F cell"),
            ("GZK3ẞ", "GZK3β"),
        ],
    );
    assert_mentions(
        &["Đorđe Van", "Δ9-FOO", "FOO-alpha/beta", "γδ F cell"],
        &[(
            "Dorde Van, ∆9-FOO; FOO αβ and FOOαβ, gammadelta F cells",
            "Dorde Van 0; ∆9-FOO 1; FOO αβ 2; FOOαβ 2; gammadelta F cells 3",
        )],
    );
}

#[test]
fn names_behind_elided_articles_and_before_endings_are_found() {
    assert_mentions(
        &["hyperfoonie", "asthfoo", "infarctus du foocarde", "Adlers", "İzfoo Hastanesi", "l'Oro", "Dell", "Ten"],
        &[
            (
                "L'hyperfoonie, une crise d'asthfoo, puis l’infarctus du foocarde. Dell'asthfoo.",
                "hyperfoonie 0; asthfoo 1; infarctus du foocarde 2; asthfoo 1",
            ),
            ("Adlers'ten, Adlers's and İzfoo Hastanesi'nde", "Adlers 3; Adlers 3; İzfoo Hastanesi 4"),
            ("Dell, Dell's and dell'asta, Adlers'ten", "Dell 6; Dell 6; Adlers 3"),
            ("L'Oro and l’oro", "L'Oro 5; l’oro 5"),
        ],
    );
}

#[test]
fn a_line_that_begins_with_the_number_of_a_name_is_no_item() {
    assert_mentions(
        &["FOOVID-19", "vitafoo B12", "Hyperfoo"],
        &[
            ("Many people in the city had FOOVID-\n19. It was fast.", "FOOVID-\n19 0"),
            ("A long line of a text that somebody wrapped behind vitafoo B\n12. It was fast.", "vitafoo B\n12 1"),
            ("Hyper-\t\nfoo rose", "Hyper-\t\nfoo 2"),
        ],
    );
}

#[test]
fn markup_is_left_out_of_names_and_texts() {
    let known = ["FX", "FX2", "QZ4+", "QZ4-", "TNB-α", "R&D Fooware", "Sjöfoo’s syndrome", "heart foo"];
    assert_answers(
        &known,
        &[
            ("FX<sub>2</sub>", "FX2"),
            ("QZ4<sup>-</sup>", "QZ4-"),
            ("TNB-&#945;", "TNB-α"),
            ("R&amp;D Fooware", "R&D Fooware"),
            ("<i>Sj&ouml;foo&rsquo;s</i> syndrome", "Sjöfoo’s syndrome"),
        ],
    );
    assert_mentions(
        &known,
        &[
            ("FX<sub>2</sub> rose, FX fell.", "FX<sub>2</sub> 1; FX 0"),
            ("QZ4<sup>+</sup> and QZ4<sup>&minus;</sup>", "QZ4<sup>+</sup> 2; QZ4<sup>&minus;</sup> 3"),
            (
                "<p>R&amp;D Fooware, <b>heart</b> <i>foo</i>, heart&nbsp;foo, TNB-&alpha;</p>",
                "R&amp;D Fooware 5; <b>heart</b> <i>foo</i> 7; heart&nbsp;foo 7; TNB-&alpha; 4",
            ),
            ("<p>heart</p><p>foo</p> a < b", ""),
        ],
    );
}

#[test]
fn recognized_mentions_have_their_places_in_a_text_with_markup() {
    let folder = tempfile::tempdir().unwrap();
    let concepts = ["FX2", "heart foo"].map(|name| Concept::new(name.replace(' ', ":").parse().unwrap(), name));
    let kb = KnowledgeBase::create(concepts.to_vec(), &folder.path().join("kb")).unwrap();
    let documents =
        ["<b>FX<sub>2</sub></b> &amp; <i>heart</i>&nbsp;foo", "heart foo"].map(|text| Document::new("1", text));
    let found = recognize_all(&DictionaryRecognizer::new(kb), documents.to_vec(), true).unwrap();
    let texts = |at: usize| found[at].mentions.iter().map(|one| one.text.as_str()).collect::<Vec<_>>();
    assert_eq!(texts(0), ["FX<sub>2</sub>", "<i>heart</i>&nbsp;foo"]);
    assert_eq!(texts(1), ["heart foo"]);
    assert_eq!(found[0].document, documents[0]);
}

#[test]
fn given_mentions_of_a_text_with_markup_keep_their_places() {
    let (linker, _folder) = linker(&["FX2", "FX"]);
    let text = "Low <b>FX<sub>2</sub></b> &amp; FX";
    let mut document = Document::new("1", text);
    let span = |piece: &str| Span::new(text.find(piece).unwrap(), text.find(piece).unwrap() + piece.len());
    document.mentions = vec![Mention::new(span("<b>FX<sub>2</sub></b>"), "", None)];
    let linked = linker.link_mentions(vec![document.clone()]).unwrap().remove(0);
    assert_eq!(linked.document, document);
    let [mention] = &linked.mentions[..] else { panic!("{:?}", linked.mentions) };
    assert_eq!((mention.span, mention.text.as_str()), (span("<b>FX<sub>2</sub></b>"), "<b>FX<sub>2</sub></b>"));
    assert_eq!(mention.link.id().map(ConceptId::as_str), Some("N:0"));
}

#[test]
fn signs_that_end_a_word_are_a_part_of_it() {
    assert_answers(
        &["Visual Foo C", "Foopad", "Foogle", "Zoo++"],
        &[
            ("Visual Foo C#", ""),
            ("Visual Foo C++", ""),
            ("Visual Foo-C", "Visual Foo C"),
            ("Foopad++", ""),
            ("Foogle+", ""),
            ("Zoo", ""),
            ("zoo++", "Zoo++"),
        ],
    );
}

#[test]
fn a_class_word_before_a_number_may_be_left_out() {
    assert_answers(
        &["foo storage disease II", "foo storage disease V", "Foomerase I", "Foomerase II", "Barburg syndrome II"],
        &[
            ("foo storage disease type 2", "foo storage disease II"),
            ("foomerase type 2", "Foomerase II"),
            ("Foomerase type I", "Foomerase I"),
            ("Barburg syndrome type III", ""),
            ("foo storge disease III", ""),
        ],
    );
}

#[test]
fn a_version_in_less_detail_is_nearer_than_none() {
    assert_answers(
        &["FuzzSQL 13", "FuzzSQL 12", "FuzzSQL"],
        &[("FuzzSQL 13.4", "FuzzSQL 13"), ("FuzzSQL v12", "FuzzSQL 12"), ("FuzzSQL 9", "FuzzSQL")],
    );
}

#[test]
fn greek_letters_hands_and_last_letters_tell_codes_apart() {
    assert_answers(
        &["PQARγ", "(R)-foonene", "D-foonine", "XNFIG", "GQBAα receptor"],
        &[
            ("PQARα", ""),
            ("PQARγ", "PQARγ"),
            ("(±)-foonene", ""),
            ("rac-foonene", ""),
            ("DL-foonine", ""),
            ("XNFIA", ""),
            ("GQBAβ receptor", ""),
        ],
    );
}

#[test]
fn codes_within_names_and_formulas_are_told_apart() {
    assert_answers(
        &["XNFIG inhibitor", "Fooclin D1", "Foo storage disease Ia", "CO2", "NQD+", "Foolar II disorder", "FEVER"],
        &[
            ("XNFIA inhibitor", ""),
            ("XNFIG inhibitors", "XNFIG inhibitor"),
            ("Fooclin E1", ""),
            ("Foo storage disease Ib", ""),
            ("foo storage disease type 1a", "Foo storage disease Ia"),
            ("CO", ""),
            ("NQDH", ""),
            ("NQDP+", ""),
            ("FEVE", "FEVER"),
        ],
    );
}

#[test]
fn institutions_with_another_word_are_others() {
    let (linker, _folder) = linker(&["Hospital Fuzzio Barcelona", "大阪市立大学", "lung fuzzioma"]);
    for name in ["Hospital Fuzzio Madrid", "大阪府立大学"] {
        assert!(linker.link_name(name).unwrap().candidates[0].probability < 0.3, "{name}");
    }
    assert_eq!(linker.link_name("Hospital Fuzio Barcelona").unwrap().id().map(ConceptId::as_str), Some("N:0"));
}

#[test]
fn marks_and_function_words_are_parts_of_names_in_texts() {
    assert_mentions(
        &["Lock, Stock, and Barrel", "GQBAA receptor", "Casein", "H+-ATPase", "p53"],
        &[
            ("We saw Lock, Stock, and Barrel here.", "Lock, Stock, and Barrel 0"),
            ("The GQBA(A) receptor opens.", "GQBA(A) receptor 1"),
            ("the case in court", ""),
            ("H(+)-ATPase rose", "H(+)-ATPase 3"),
            ("p53+/- mice, p53+ cells", "p53 4"),
        ],
    );
}

#[test]
fn a_word_that_begins_a_sentence_is_no_symbol() {
    let folder = tempfile::tempdir().unwrap();
    let symbol = |id: &str, name: &str, symbol: &str| Concept {
        synonyms: vec![symbol.to_owned()],
        ..Concept::new(id.parse().unwrap(), name)
    };
    let concepts = vec![symbol("E:1", "Helium", "He"), symbol("E:2", "Indium", "In"), symbol("E:3", "Iodine", "I")];
    let linker = Linker::new(KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap()).unwrap();
    let text = "He went home. In summary, I slept near He and In.";
    let linked = linker.link_document(Document::new("1", text)).unwrap();
    let starts: Vec<usize> = linked.mentions.iter().map(|mention| mention.span.start).collect();
    assert_eq!(starts, [text.find("He and").unwrap(), text.find("In.").unwrap()]);
}

#[test]
fn wide_square_brackets_define_short_forms() {
    for text in ["In mitral stenosis［MS］ it narrows; MS is mended.", "mitral stenosis【MS】, MS"] {
        assert_mentions(&["multiple sclerosis", "mitral stenosis"], &[(text, "mitral stenosis 1; MS 1; MS 1")]);
    }
}
