//! Names of companies, whose legal forms say little.

use truename::{
    Concept, ConceptId, DictionaryRecognizer, Document, KnowledgeBase, Link, LinkOptions, Linker, recognize_all,
};

/// Names of companies, all made up.
const COMPANIES: [&str; 28] = [
    "Nordwerk AG",
    "Huber & Söhne GmbH & Co. KG",
    "Lumière du Nord S.A.",
    "Veldkamp Bouw B.V.",
    "Aoba Seiki K.K.",
    "株式会社みなと精機",
    "Padaria Aurora Ltda.",
    "Cerámica del Valle, S.A. de C.V.",
    "Officina Belli S.r.l.",
    "Vetreria Lombarda S.p.A.",
    "Zielony Dom Sp. z o.o.",
    "Fjordkraft Marin AS",
    "Skovgaard Møbler A/S",
    "Björkö Aktiebolag",
    "Järvinen Konepaja Oy",
    "Yıldız Makine A.Ş.",
    "Sundar Textiles Pvt. Ltd.",
    "ООО «Ромашка»",
    "United Mill Works Corporation",
    "Lukart Oil Company",
    "Orvelia Oyj",
    "Orvelia Ltd",
    "North Star Bank AG",
    "South Star Bank AG",
    "Royal Harbour Bank plc",
    "한빛기계(주)",
    "蓝湖科技股份有限公司",
    "Meridian Foods",
];

fn linker() -> (Linker, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let concepts =
        COMPANIES.iter().enumerate().map(|(at, name)| Concept::new(format!("C:{at}").parse().unwrap(), *name));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let options = LinkOptions { explain: true, top: 3, ..LinkOptions::default() };
    (Linker::new(kb).unwrap().with_options(options).unwrap(), folder)
}

/// Returns the mentions in a text with the preferred names of their concepts.
fn mentions(linker: &Linker, text: &str) -> Vec<String> {
    let linked = linker.link_document(Document::new("1", text)).unwrap();
    linked.mentions.iter().map(|mention| format!("{} = {}", mention.text, answer(&mention.link))).collect()
}

fn answer(link: &Link) -> &str {
    link.id().map_or("NIL", |_| &link.candidates[0].preferred_name)
}

#[test]
fn a_company_is_found_without_its_legal_form_and_with_another_spelling_of_it() {
    let (linker, _folder) = linker();
    for (name, expected) in [
        ("Nordwerk", "Nordwerk AG"),
        ("NORDWERK Aktiengesellschaft", "Nordwerk AG"),
        ("Huber & Söhne", "Huber & Söhne GmbH & Co. KG"),
        ("Huber & Söhne GmbH und Co KG", "Huber & Söhne GmbH & Co. KG"),
        ("Lumière du Nord, Société anonyme", "Lumière du Nord S.A."),
        ("Lumiere du Nord", "Lumière du Nord S.A."),
        ("Veldkamp Bouw BV", "Veldkamp Bouw B.V."),
        ("Veldkamp Bouw", "Veldkamp Bouw B.V."),
        ("Aoba Seiki", "Aoba Seiki K.K."),
        ("Aoba Seiki Kabushiki Kaisha", "Aoba Seiki K.K."),
        ("みなと精機", "株式会社みなと精機"),
        ("みなと精機(株)", "株式会社みなと精機"),
        ("Padaria Aurora", "Padaria Aurora Ltda."),
        ("Padaria Aurora Limitada", "Padaria Aurora Ltda."),
        ("Ceramica del Valle", "Cerámica del Valle, S.A. de C.V."),
        ("Officina Belli", "Officina Belli S.r.l."),
        ("Vetreria Lombarda Società per Azioni", "Vetreria Lombarda S.p.A."),
        ("Zielony Dom", "Zielony Dom Sp. z o.o."),
        ("Zielony Dom Spółka z ograniczoną odpowiedzialnością", "Zielony Dom Sp. z o.o."),
        ("Fjordkraft Marin", "Fjordkraft Marin AS"),
        ("Skovgaard Møbler", "Skovgaard Møbler A/S"),
        ("Björkö AB", "Björkö Aktiebolag"),
        ("Järvinen Konepaja", "Järvinen Konepaja Oy"),
        ("Yıldız Makine Anonim Şirketi", "Yıldız Makine A.Ş."),
        ("Sundar Textiles Private Limited", "Sundar Textiles Pvt. Ltd."),
        ("Ромашка", "ООО «Ромашка»"),
        ("Общество с ограниченной ответственностью Ромашка", "ООО «Ромашка»"),
        ("Lukart Oil", "Lukart Oil Company"),
        ("한빛기계", "한빛기계(주)"),
        ("蓝湖科技", "蓝湖科技股份有限公司"),
        ("Meridian Foods, Inc.", "Meridian Foods"),
    ] {
        let link = linker.link_name(name).unwrap();
        assert_eq!(answer(&link), expected, "{name}");
        assert!(link.candidates[0].probability > 0.7, "{name}: {}", link.candidates[0].probability);
        let said = link.explanation.unwrap();
        let is_exact = link.candidates[0].scores.exact == 1.0;
        assert!(is_exact || said.contains("the legal form"), "{name}: {said}");
    }
}

#[test]
fn companies_of_one_name_with_several_legal_forms_share_the_probability() {
    let (linker, _folder) = linker();
    let link = linker.link_name("Orvelia").unwrap();
    let best: Vec<(&str, f64)> =
        link.candidates[..2].iter().map(|one| (one.preferred_name.as_str(), one.probability)).collect();
    assert!(best.iter().all(|(name, _)| name.starts_with("Orvelia")), "{best:?}");
    assert!((best[0].1 - best[1].1).abs() < 0.1 && best[0].1 + best[1].1 > 0.7, "{best:?}");
    assert_eq!(answer(&linker.link_name("Orvelia Limited").unwrap()), "Orvelia Ltd");
    let other = linker.link_name("Orvelia Inc.").unwrap();
    assert!(other.candidates[0].probability <= 0.5, "{other:?}");
    assert!(other.explanation.unwrap().contains("with the legal form"));
}

#[test]
fn a_form_that_no_name_of_the_knowledge_base_has_is_a_part_of_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let concepts = ["Quarkbase Enterprise Server", "Quarkbase ASA 9", "Lumenix AS/400"].into_iter().enumerate();
    let concepts = concepts.map(|(at, name)| Concept::new(format!("P:{at}").parse().unwrap(), name));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let link = Linker::new(kb).unwrap().link_name("Quarkbase ASA").unwrap();
    assert_eq!(answer(&link), "Quarkbase ASA 9");
}

#[test]
fn a_company_is_found_by_its_initials() {
    let (linker, _folder) = linker();
    for name in ["UMW", "UMW Corp."] {
        let link = linker.link_name(name).unwrap();
        assert_eq!(answer(&link), "United Mill Works Corporation", "{name}: {link:?}");
        assert!(link.explanation.unwrap().contains("is the acronym of its name"), "{name}");
    }
}

#[test]
fn a_legal_form_alone_and_other_companies_are_not_answered() {
    let (linker, _folder) = linker();
    for name in [
        "AG",
        "GmbH & Co. KG",
        "Ltd",
        "株式会社",
        "West Star Bank AG",
        "Zenith Motor AG",
        "株式会社さくら商事",
        "ООО «Василёк»",
    ] {
        let link = linker.link_name(name).unwrap();
        let best = link.candidates.first().map_or(0.0, |best| best.probability);
        assert!(link.id().is_none() || best < 0.5, "{name}: {} {best}", answer(&link));
    }
    assert_eq!(linker.link_name("AG").unwrap().id().map(ConceptId::as_str), None);
    assert_eq!(answer(&linker.link_name("North Star Bank").unwrap()), "North Star Bank AG");
}

#[test]
fn texts_name_companies_with_another_legal_form_or_none() {
    let (linker, _folder) = linker();
    for (text, expected) in [
        ("Yesterday Nordwerk rose; Nordwerk's shares.", &["Nordwerk = Nordwerk AG", "Nordwerk = Nordwerk AG"][..]),
        ("Die Nordwerk Aktiengesellschaft wuchs.", &["Nordwerk Aktiengesellschaft = Nordwerk AG"]),
        ("Nordwerk AG, Meridian Foods, Inc.", &["Nordwerk AG = Nordwerk AG", "Meridian Foods = Meridian Foods"]),
        (
            "Huber & Söhne, Padaria Aurora",
            &["Huber & Söhne = Huber & Söhne GmbH & Co. KG", "Padaria Aurora = Padaria Aurora Ltda."],
        ),
        ("Ceramica del Valle sold it", &["Ceramica del Valle = Cerámica del Valle, S.A. de C.V."]),
        ("Компания Ромашка и Ромашка ООО", &["Ромашка = ООО «Ромашка»", "Ромашка ООО = ООО «Ромашка»"]),
        (
            "昨日みなと精機は、みなと精機(株)と",
            &["みなと精機 = 株式会社みなと精機", "みなと精機(株) = 株式会社みなと精機"],
        ),
        ("한빛기계는 (주)한빛기계", &["한빛기계 = 한빛기계(주)", "(주)한빛기계 = 한빛기계(주)"]),
        ("蓝湖科技与蓝湖科技有限公司", &["蓝湖科技 = 蓝湖科技股份有限公司"]),
        ("nordwerk, Nordwerk GmbH and Nordwerkers; Meridian Foods as such", &["Meridian Foods = Meridian Foods"]),
        ("Meridian Foods. Limited means", &["Meridian Foods = Meridian Foods"]),
    ] {
        assert_eq!(mentions(&linker, text), expected, "{text}");
    }
}

#[test]
fn a_common_word_is_a_company_where_it_has_a_capital_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let concepts = ["Target Corporation", "SAP SE"].into_iter().enumerate();
    let concepts = concepts.map(|(at, name)| Concept::new(format!("C:{at}").parse().unwrap(), name));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let text = "Target values of target cells. They sold Target the sap of a tree. SAP paid; Target Corp.\nTARGET VALUES OF THE CELLS";
    let found = |nested| {
        let recognizer = DictionaryRecognizer::new(kb.clone()).nested(nested);
        let found = recognize_all(&recognizer, vec![Document::new("1", text)], true).unwrap().remove(0);
        found.mentions.into_iter().map(|mention| mention.text).collect::<Vec<_>>()
    };
    assert_eq!(found(false), ["Target", "SAP", "Target Corp"]);
    assert_eq!(found(true), found(false));
}
