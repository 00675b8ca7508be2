//! Names in, links out, on a small knowledge base of invented things.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename::{
    CalibrateOptions, Concept, ConceptId, FitOptions, GoldName, ImportOptions, KnowledgeBase, Link, LinkOptions,
    Linker, Progress, SynonymScope,
};

const PARTS: [&str; 12] = [
    "lung", "heart", "kidney", "liver", "skin", "brain", "spleen", "stomach", "bladder", "thyroid", "retina", "larynx",
];
const ILLS: [&str; 8] =
    ["carcinoma", "infarction", "fibrosis", "abscess", "edema", "atrophy", "tuberculosis", "rupture"];

fn concept(id: &str, concept_type: &str, names: &[String]) -> Concept {
    let mut concept = Concept::new(id.parse().unwrap(), names[0].clone());
    concept.synonyms = names[1..].to_vec();
    concept.types = vec![concept_type.to_owned()];
    concept
}

/// Every ill of every part, each with three names.
fn concepts() -> Vec<Concept> {
    let mut made = Vec::new();
    for (part_at, part) in PARTS.iter().enumerate() {
        for (ill_at, ill) in ILLS.iter().enumerate() {
            let names = [format!("{part} {ill}"), format!("{ill} of the {part}"), format!("{part}-{ill} syndrome")];
            let concept_type = if ill_at % 2 == 0 { "growth" } else { "damage" };
            made.push(concept(&format!("ILL:{part_at:02}{ill_at}"), concept_type, &names));
        }
    }
    made
}

fn kb(folder: &tempfile::TempDir) -> KnowledgeBase {
    KnowledgeBase::create(concepts(), &folder.path().join("kb")).unwrap()
}

fn linker(options: LinkOptions) -> (Linker, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Linker::new(kb(&folder)).unwrap().with_options(options).unwrap(), folder)
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn id_of(link: &Link) -> &str {
    link.id().map_or("NIL", ConceptId::as_str)
}

#[test]
fn names_of_a_wrong_encoding_are_repaired_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let concepts = vec![
        concept("ILL:1", "growth", &names(&["Sjögren syndrome"])),
        concept("ILL:2", "growth", &names(&["Crohn’s disease"])),
        concept("ILL:3", "growth", &names(&["BehÃ§et disease"])),
        concept("ILL:4", "growth", &names(&["Behçet disease"])),
    ];
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let linker =
        Linker::new(kb).unwrap().with_options(LinkOptions { explain: true, ..LinkOptions::default() }).unwrap();
    for (name, id, read_as) in [
        ("SjÃ¶gren syndrome", "ILL:1", Some("Sjögren syndrome")),
        ("SjÃƒÂ¶gren syndrme", "ILL:1", Some("Sjögren syndrme")),
        ("Crohnâ€™s disease", "ILL:2", Some("Crohn’s disease")),
        ("Sjögren syndrome", "ILL:1", None),
        // A concept has the name as it stands.
        ("BehÃ§et disease", "ILL:3", None),
    ] {
        let link = linker.link_name(name).unwrap();
        assert_eq!((id_of(&link), link.name.as_str()), (id, name));
        let explanation = link.explanation.unwrap();
        let said = read_as.map(|name| format!("Read as “{name}”, whose UTF-8 was decoded as Windows-1252. ILL:"));
        assert_eq!(explanation.starts_with("Read as"), said.is_some(), "{explanation}");
        assert!(said.is_none_or(|said| explanation.starts_with(&said)), "{explanation}");
    }
}

#[test]
fn messy_names_find_their_concepts() {
    let (linker, _folder) = linker(LinkOptions::default());
    let cases = [
        ("Lung Carcinoma", "ILL:000"),
        ("LUNG-CARCINOMAS", "ILL:000"),
        ("carcinoma, lung", "ILL:000"),
        ("lung carcinmoa", "ILL:000"),
        ("oedema of the brain", "ILL:054"),
        ("the patient's cat", "NIL"),
        ("", "NIL"),
        ("---", "NIL"),
    ];
    for (name, id) in cases {
        assert_eq!(id_of(&linker.link_name(name).unwrap()), id, "{name}");
    }
    let endless = "n".repeat(100_000);
    assert!(linker.link_name(&endless).unwrap().is_nil);
}

#[test]
fn a_name_is_the_same_with_other_letters_and_numerals() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["IFN-β2", "elastin type 4", "Börsen fever", "Poet ward", "Pot ward", "Grosse ward"];
    let concepts = names.iter().enumerate().map(|(at, name)| concept(&format!("N:{at}"), "", &[(*name).to_owned()]));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap();
    for (name, id, known) in [
        ("IFN-ß2", "N:0", "IFN-β2"),
        ("elastin type IV", "N:1", "elastin type 4"),
        ("Boersen fever", "N:2", "Börsen fever"),
        ("poet ward", "N:3", "Poet ward"),
        ("pot ward", "N:4", "Pot ward"),
        ("Große ward", "N:5", "Grosse ward"),
    ] {
        let (link, known) = (linker.link_name(name).unwrap(), linker.link_name(known).unwrap());
        assert_eq!((id_of(&link), link.name.as_str()), (id, name));
        assert_eq!(link.candidates[0].probability, known.candidates[0].probability, "{name}");
    }
}

/// A name that concept `A:1` has as its preferred name, and three others as a synonym, `A:4` with another preferred name much like it.
fn shared_preferred() -> Vec<Concept> {
    let names = [
        ("A:1", vec!["metachromatic fever"]),
        (
            "A:2",
            vec!["juvenile metachromatic fever", "metachromatic fever", "metachromatic fevers", "fever, metachromatic"],
        ),
        ("A:3", vec!["late fever", "metachromatic fever", "MF"]),
        ("A:4", vec!["metachromatic fever 1", "metachromatic fever", "metachromatic fever 1A"]),
        ("A:5", vec!["ARB"]),
        ("A:6", vec!["AR-B"]),
    ];
    let concept_of = |(id, names): (&str, Vec<&str>)| {
        concept(id, "", &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    names.map(concept_of).into()
}

#[test]
fn a_sole_preferred_name_wins_over_synonyms() {
    let folder = tempfile::tempdir().unwrap();
    let kb = KnowledgeBase::create(shared_preferred(), &folder.path().join("kb")).unwrap();
    for options in [LinkOptions::default(), LinkOptions { top: 5, explain: true, ..LinkOptions::default() }] {
        let linker = Linker::new(kb.clone()).unwrap().with_options(options).unwrap();
        for (name, id) in [
            ("metachromatic fever", "A:1"),
            ("Metachromatic-Fever", "A:1"),
            ("ARB", "A:5"),
            ("AR-B", "A:6"),
            ("metachromatic fever 1", "A:4"),
        ] {
            let link = linker.link_name(name).unwrap();
            assert_eq!(id_of(&link), id, "{name}");
            assert!(link.candidates.is_sorted_by(|left, right| left.probability >= right.probability), "{name}");
        }
        let explanation = linker.link_name("metachromatic fever").unwrap().explanation;
        let reason = "Of the 4 concepts with that name it alone has it as its preferred name.";
        assert_eq!(explanation.map(|said| said.contains(reason)), linker.options().explain.then_some(true));
    }
}

#[test]
fn names_are_told_apart_by_their_signs() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["(−)-foosol", "(+)-foosol", "(±)-foosol", "foosol", "XO2-", "XO2"];
    let concepts = names.iter().enumerate().map(|(at, name)| concept(&format!("N:{at}"), "", &[(*name).to_owned()]));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap();
    for (name, id) in [
        ("(-)-foosol", "N:0"),
        ("(–)-Foosol", "N:0"),
        ("(+)-foosol", "N:1"),
        ("(+/-)-foosol", "N:2"),
        ("(±)-foosol", "N:2"),
        ("foosol", "N:3"),
        ("XO₂⁻", "N:4"),
        ("XO(2)(-)", "N:4"),
        ("XO₂", "N:5"),
    ] {
        let link = linker.link_name(name).unwrap();
        assert_eq!(id_of(&link), id, "{name}");
        assert_eq!(link.candidates[0].scores.exact, 1.0, "{name}");
    }
}

#[test]
fn an_exact_synonym_wins_over_a_related_one() {
    let folder = tempfile::tempdir().unwrap();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut concepts = vec![
        concept("N:1", "", &names(&["foo fever", "bar ague"])),
        concept("N:2", "", &names(&["baz fever", "Bar Ague"])),
        concept("N:3", "", &names(&["qux fever", "bar ague", "old shivers"])),
        concept("N:4", "", &names(&["old shivers"])),
    ];
    let linker = |concepts: &[Concept], place: &str| {
        let kb = KnowledgeBase::create(concepts.to_vec(), &folder.path().join(place)).unwrap();
        Linker::new(kb).unwrap()
    };
    assert!(linker(&concepts, "exact").link_name("bar ague").unwrap().candidates[0].probability < 0.6);
    concepts[0].scopes.insert("bar ague".into(), SynonymScope::Related);
    concepts[2].scopes.insert("bar ague".into(), SynonymScope::Broad);
    let linker = linker(&concepts, "scoped");
    let link = linker.link_name("bar ague").unwrap();
    assert!(id_of(&link) == "N:2" && link.candidates[0].probability > 0.9, "{link:?}");
    assert_eq!(id_of(&linker.link_name("old shivers").unwrap()), "N:4", "a preferred name");
}

/// Names of a knowledge base, one a concept, and names that differ from one of them in a number, letter or sign.
const TWINS: [(&[&str], &[&str]); 10] = [
    (&["hepatitis A", "hepatitis B", "hepatitis C"], &["hepatitis 100", "hepatitis 5", "hepatitis F"]),
    (&["CD4+ T cell", "CD8+ T cell", "B cell"], &["CD4- T cell", "CD8- T cells"]),
    (&["(+)-catechin", "(R)-limonene", "L-carnitine"], &["(−)-catechin", "(S)-limonene", "D-carnitine"]),
    (&["vitamin D3", "vitamin B12", "vitamin K1"], &["vitamin D2", "vitamin B1", "vitamin K2"]),
    (
        &["type 2 diabetes mellitus", "mucopolysaccharidosis type IIIA"],
        &["diabetes mellitus type I", "mucopolysaccharidosis type IIIB"],
    ),
    (&["aspirin 100 mg tablet", "ibuprofen 200 mg tablet"], &["aspirin 10 mg tablet", "ibuprofen 400 mg tablets"]),
    (&["IPv4", "HTTP/2", "USB 3.0"], &["IPv6", "HTTP/1.1", "USB 2.0"]),
    (
        &["Microsoft Office 2016", "Windows Server 2012"],
        &["Microsoft Office 2019", "Office 2019", "Windows Server 2019"],
    ),
    (&["trisomy 21", "factor VIII deficiency"], &["trisomy 18", "factor IX deficiency"]),
    (&["Ca2+", "Fe3+", "Cl-"], &["Fe2+", "Cl+"]),
];

#[test]
fn a_name_that_differs_in_a_number_letter_or_sign_is_no_likely_answer() {
    for (names, asked) in TWINS {
        let folder = tempfile::tempdir().unwrap();
        let concepts =
            names.iter().enumerate().map(|(at, name)| concept(&format!("N:{at}"), "", &[(*name).to_owned()]));
        let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
        let linker = Linker::new(kb).unwrap();
        for name in asked {
            let link = linker.link_name(name).unwrap();
            let best = link.candidates.first().map_or(0.0, |best| best.probability);
            assert!(best < 0.1, "{name}: {} {best}", id_of(&link));
        }
        for name in names {
            assert_eq!(linker.link_name(name).unwrap().candidates[0].preferred_name, *name);
        }
    }
}

#[test]
fn a_number_of_a_synonym_contradicts_no_other_number_of_a_general_name() {
    let folder = tempfile::tempdir().unwrap();
    let concepts = [["Acme Catalog", "catalog 5", "catalog 6.0"], ["ACOL", "ACOL 1960", "ACOL 1974"]];
    let concepts =
        concepts.iter().enumerate().map(|(at, names)| concept(&format!("N:{at}"), "", &names.map(str::to_owned)));
    let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap();
    for (name, id) in [("catalog 7.2", "N:0"), ("ACOL 1968", "N:1")] {
        let link = linker.link_name(name).unwrap();
        assert!(id_of(&link) == id && link.candidates[0].probability > 0.2, "{link:?}");
    }
}

#[test]
fn neither_threads_nor_company_change_an_answer() {
    let (linker, _folder) = linker(LinkOptions { explain: true, ..LinkOptions::default() });
    let names: Vec<String> =
        (0..300).map(|n| format!("{} {}x", &PARTS[n % 12][1..], &ILLS[n % 8][..3 + n % 3])).collect();
    let linked = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| linker.link_names(&names).unwrap())
    };
    let together = linked(1);
    assert_eq!(together, linked(3));
    let alone: Vec<Link> = names.iter().map(|name| linker.link_name(name).unwrap()).collect();
    assert_eq!(together, alone);
}

#[test]
fn the_answer_does_not_depend_on_how_many_candidates_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    for name in ["lung carcinoma", "Kidney  Edema", "kidny edema", "rupture spleen"] {
        let link = |top| {
            let options = LinkOptions { top, ..LinkOptions::default() };
            Linker::new(kb.clone()).unwrap().with_options(options).unwrap().link_name(name).unwrap()
        };
        let (one, many) = (link(1), link(10));
        assert_eq!(one.candidates[..], many.candidates[..1], "{name}");
        assert_eq!(one.is_nil, many.is_nil);
        let total: f64 = many.candidates.iter().map(|candidate| candidate.probability).sum();
        assert!(total <= 1.0 + 1e-9, "{name}: {total}");
    }
}

#[test]
fn types_narrow_the_answers() {
    let growth = LinkOptions { types: vec!["growth".into()], min_probability: Some(0.0), ..LinkOptions::default() };
    let (linker, folder) = linker(growth);
    let link = linker.link_name("lung infarction").unwrap();
    assert!(
        !link.candidates.is_empty()
            && link.candidates.iter().all(|c| ["0", "2", "4", "6"].contains(&&c.id.as_str()[6..]))
    );
    let unknown = LinkOptions { types: vec!["colour".into()], ..LinkOptions::default() };
    let error = Linker::open(folder.path().join("kb")).unwrap().with_options(unknown).err().unwrap();
    assert!(error.to_string().contains("\"colour\"") && error.hint().unwrap().to_string().contains("damage, growth"));
}

#[test]
fn explanations_say_what_speaks_for_and_against() {
    let (linker, _folder) = linker(LinkOptions { explain: true, ..LinkOptions::default() });
    let said = |name| linker.link_name(name).unwrap().explanation.unwrap();
    assert!(said("Lung carcinoma").contains("it has this name, written “lung carcinoma”"));
    assert!(said("lung carcinmoa").contains("“carcinmoa” stands for “carcinoma”"), "{}", said("lung carcinmoa"));
    assert!(said("zzzz qqqq").contains("No name of the knowledge base resembles"));
}

#[test]
fn explanations_have_every_kind_of_reason() {
    let folder = tempfile::tempdir().unwrap();
    let concept = |id: &str, names: &[&str]| {
        let mut concept = Concept::new(id.parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept
    };
    let concepts = [
        concept("P:1", &["Oracle WebLogic Server", "BEA WebLogic", "WebLogic 11.1"]),
        concept("P:2", &["tumor necrosis factor", "TNF"]),
        concept("P:3", &["Net/2"]),
        concept("P:4", &["lung carcinomas"]),
    ];
    let kb = KnowledgeBase::create(concepts.to_vec(), &folder.path().join("kb")).unwrap();
    let options = LinkOptions { explain: true, min_probability: Some(0.0), ..LinkOptions::default() };
    let linker = Linker::new(kb).unwrap().with_options(options).unwrap();
    for (name, reasons) in [
        (
            "oracle weblogic server",
            &["it has this name, written “Oracle WebLogic Server”", "one concept's exact name"][..],
        ),
        ("lung carcinoma", &["differs in plural or spelling alone", "from letters and words by the ranker that comes"]),
        ("factor tumor necrosis", &["the same words in another order"]),
        ("BW", &["is the acronym of its name"]),
        ("weblogic server", &["it has “oracle” beyond the name asked for"]),
        ("oracle weblogic server linux", &["lacks “linux”"]),
        ("orcale weblogic server", &["“orcale” stands for “oracle”"]),
        (
            "Oracle WebLogic Server 12.2.1",
            &["“12.2.1” was taken for a version, which neither speaks for nor against “Oracle WebLogic Server”"],
        ),
        ("BEA WebLogic Enterprise Edition", &["“Enterprise Edition” was taken for an edition or platform"]),
        ("net 7.2", &["its numbers are 2 and not 2, 7"]),
    ] {
        let said = linker.link_name(name).unwrap().explanation.unwrap();
        for reason in reasons {
            assert!(said.contains(reason), "{name}: {said}");
        }
    }
    let said = linker.link_name("weblogic v11.1.3").unwrap().explanation.unwrap();
    assert!(said.contains("“v11.1.3” was taken for a version, and so has “WebLogic 11.1”"), "{said}");
}

#[test]
fn a_version_is_no_part_of_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let named = |id: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        concept(id, "Product", &names)
    };
    let concepts = vec![
        named("P:1", &[".NET Framework", "dot net", "Microsoft .NET"]),
        named("P:2", &["Net/2"]),
        named("P:3", &["Oracle WebLogic Server", "BEA WebLogic"]),
    ];
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let linker = Linker::new(kb).unwrap().with_options(LinkOptions { top: 3, ..LinkOptions::default() }).unwrap();
    let probability = |name: &str, id: &str| {
        let link = linker.link_name(name).unwrap();
        link.candidates.iter().find(|candidate| candidate.id == *id).map_or(0.0, |candidate| candidate.probability)
    };
    for name in ["net 7.2", "NET 3.2", "net 7"] {
        assert!(probability(name, "P:2") < 0.3, "{name}: {}", probability(name, "P:2"));
    }
    assert!(probability("net/2", "P:2") > 0.9 && probability("Net 2", "P:2") > 0.9);
    let weblogic = linker.link_name("weblogic 12.2.1.2").unwrap();
    assert_eq!(weblogic.id().map(|id| id.as_str()), Some("P:3"), "{weblogic:?}");
}

#[test]
fn an_updated_knowledge_base_answers_as_a_fresh_one() {
    let folder = tempfile::tempdir().unwrap();
    let all = concepts();
    let (kept, later) = all.split_at(60);
    let updated = KnowledgeBase::create(kept.to_vec(), &folder.path().join("updated")).unwrap();
    let lines: String = later.iter().map(|concept| serde_json::to_string(concept).unwrap() + "\n").collect();
    let gone = "{\"id\": \"ILL:000\", \"removed\": true}\n";
    let file = write(folder.path(), "later.jsonl", &(lines + gone));
    let report = updated.update(&[file], &["NOT:there".parse().unwrap()], &ImportOptions::default()).unwrap();
    assert_eq!((report.added, report.changed, report.removed, report.concepts), (36, 0, 1, 95));
    assert_eq!(report.missing[0].as_str(), "NOT:there");
    let fresh = KnowledgeBase::create(all[1..].to_vec(), &folder.path().join("fresh")).unwrap();
    let (updated, fresh) = (Linker::new(updated).unwrap(), Linker::new(fresh).unwrap());
    for name in ["lung carcinoma", "larynx rupt", "brain atrofy", "retina-edema", "carcinoma lungs"] {
        assert_eq!(updated.link_name(name).unwrap(), fresh.link_name(name).unwrap(), "{name}");
    }
}

#[test]
fn mappings_update_cross_references_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let table = "subject_id\tpredicate_id\tobject_id\nILL:000\tskos:exactMatch\tX:1\nY:1\tskos:exactMatch\tY:2\n";
    let report = kb.update(&[write(folder.path(), "map.tsv", table)], &[], &ImportOptions::default()).unwrap();
    assert_eq!((report.changed, report.unused_mappings), (1, 1));
    assert_eq!(kb.concept(&"ILL:000".parse().unwrap()).unwrap().xrefs, ["X:1"]);
}

#[test]
fn a_failed_import_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("kb");
    let options = ImportOptions { strict: true, ..ImportOptions::default() };
    let good = write(folder.path(), "good.csv", "id,name\n1,one\n");
    KnowledgeBase::import(std::slice::from_ref(&good), &out, &options, false).unwrap();
    let refused = KnowledgeBase::import(&[good], &out, &options, false).err().unwrap();
    assert!(refused.hint().unwrap().to_string().contains("force"), "{refused}");
    let bad = write(folder.path(), "bad.csv", "id,name\n1,\n");
    assert!(KnowledgeBase::import(std::slice::from_ref(&bad), &out, &options, true).is_err());
    let kb = KnowledgeBase::open(&out).unwrap();
    assert!(kb.update(&[bad], &[], &options).is_err());
    assert_eq!(kb.info().unwrap().concepts, 1);
    let better = write(folder.path(), "better.csv", "id,name\n1,one\n2,two\n");
    KnowledgeBase::import(&[better], &out, &options, true).unwrap();
    drop(kb);
    assert_eq!(KnowledgeBase::open(&out).unwrap().info().unwrap().concepts, 2);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
}

#[test]
fn work_that_is_stopped_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let progress = Arc::new(Progress::default());
    let options = CalibrateOptions { progress: Arc::clone(&progress), ..CalibrateOptions::default() };
    let stop = Arc::clone(&progress);
    // While trees are grown.
    let stopper = std::thread::spawn(move || {
        while stop.phase().is_none_or(|phase| phase.name != "fitting" || phase.done == 0) {
            std::thread::yield_now();
        }
        stop.stop();
    });
    assert!(kb.calibrate(&[], &options).unwrap_err().is_interrupted());
    stopper.join().unwrap();
    let phase = progress.phase().unwrap();
    assert!(phase.done < phase.total && !kb.info().unwrap().calibrated, "{phase:?}");

    let file = write(folder.path(), "one.csv", "id,name\nILL:1,one\n");
    let options = ImportOptions { progress, ..ImportOptions::default() };
    let out = folder.path().join("out");
    let imported = KnowledgeBase::import(std::slice::from_ref(&file), &out, &options, false);
    assert!(imported.err().unwrap().is_interrupted() && !out.exists());
    assert!(kb.update(&[], &["ILL:000".parse().unwrap()], &options).unwrap_err().is_interrupted());
    assert!(kb.concept(&"ILL:000".parse().unwrap()).is_ok());
}

fn gold_name(name: &str, ids: &[&str]) -> GoldName {
    GoldName { name: name.into(), ids: ids.iter().map(|id| (*id).into()).collect(), ..GoldName::default() }
}

#[test]
fn calibration_is_kept_in_the_store_and_learns_from_judgements() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let options =
        CalibrateOptions { fit: FitOptions { rounds: 30, ..FitOptions::default() }, ..CalibrateOptions::default() };
    // Users of this list call every carcinoma a "crab".
    let crabs = |part_at: usize| gold_name(&format!("{} crab", PARTS[part_at]), &[&format!("ILL:{part_at:02}0")]);
    let mut gold: Vec<GoldName> = (0..10).map(crabs).collect();
    gold.push(gold_name("nothing of the kind", &[]));
    gold.push(gold_name("unheard of", &["ILL:999"]));
    let gain = kb.calibrate(&gold, &options).unwrap();
    assert_eq!((gain.gold, gain.unknown_gold), (11, 1));
    assert!(gain.accuracy.1 > 0.7 && gain.log_loss.1 < gain.log_loss.0, "{gain:?}");
    let (before, after) = gain.answers.unwrap();
    assert!(after.as_judged >= before.as_judged && gain.junk > 80, "{gain:?}");
    assert!(kb.info().unwrap().calibrated);
    let again = Linker::open(folder.path().join("kb")).unwrap().link_name("lung carcinoma").unwrap();
    assert_eq!(id_of(&again), "ILL:000");
    let same = kb.calibrate(&gold, &options).unwrap();
    assert_eq!(gain.accuracy.1, same.accuracy.1);
    let tiny = KnowledgeBase::create(concepts()[..2].to_vec(), &folder.path().join("tiny")).unwrap();
    assert!(tiny.calibrate(&[], &options).err().unwrap().to_string().contains("at least 50 names"));
}

#[test]
fn the_bundled_knowledge_base_opens_and_links() {
    let linker = Linker::bundled().unwrap();
    let ids: Vec<String> = linker
        .link_names(&["heart atack", "NIDDM", "Paracetamol", "β-carotene", "kawasaki syndrom"])
        .unwrap()
        .iter()
        .map(|link| id_of(link).to_owned())
        .collect();
    assert_eq!(ids, ["D009203", "D003924", "D000082", "D019207", "D009080"]);
}

#[test]
fn info_counts_what_is_shared_and_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let table = "id\tname\ttype\n1\tcold\tillness\n1\tCOLD\tillness\n2\tcold\tweather\n3\tflu\tillness\n";
    let file = write(folder.path(), "kb.tsv", table);
    let (kb, _) = KnowledgeBase::import(&[file], &folder.path().join("kb"), &ImportOptions::default(), false).unwrap();
    let info = kb.info().unwrap();
    assert_eq!((info.concepts, info.names, info.duplicate_names, info.ambiguous_names), (3, 4, 1, 1));
    assert_eq!(info.ambiguous_examples[0].1, ["1", "2"]);
    assert_eq!((info.single_name_concepts, info.types["illness"]), (2, 2));
    assert_eq!((info.name_counts[&1], info.name_counts.values().sum::<u32>()), (2, info.concepts));
    assert_eq!((info.provenance[0].format.as_str(), info.provenance[0].entries), ("tsv", 4));
    let near = kb.nearest_by_ngrams("colt", 5).unwrap();
    assert_eq!(near[0].id, "1");
}

#[test]
fn placeholders_are_nil_unless_a_concept_has_that_very_name() {
    let folder = tempfile::tempdir().unwrap();
    let table = "id\tname\n1\t7\n2\tSEPT9\n3\t314\n4\tunknown primary\n5\t14-3-3 protein\n6\tNa\n7\ttype 0 saline\n8\tAstronaut 7\n";
    let file = write(folder.path(), "kb.tsv", table);
    let (kb, _) = KnowledgeBase::import(&[file], &folder.path().join("kb"), &ImportOptions::default(), false).unwrap();
    for (top, explain) in [(1, false), (5, true)] {
        let options = LinkOptions { top, explain, min_probability: Some(0.0), ..LinkOptions::default() };
        let linker = Linker::new(kb.clone()).unwrap().with_options(options.clone()).unwrap();
        let names = ["0", "3.14", "unknown", "n/a", "12/03/2021", "-", "7.0"];
        for link in linker.link_names(&names).unwrap() {
            assert!(link.is_nil && link.candidates.is_empty(), "{link:?}");
            let is_told = link
                .explanation
                .as_ref()
                .is_some_and(|text| text.ends_with("is a placeholder and no name, so the answer is NIL."));
            assert_eq!(is_told, explain, "{link:?}");
        }
        for (name, id) in [("7", "1"), ("Sept 9", "2"), ("314", "3"), ("NA", "6")] {
            assert_eq!(id_of(&linker.link_name(name).unwrap()), id, "{name}");
        }
        let all = Linker::new(kb.clone()).unwrap().with_options(LinkOptions { placeholders: None, ..options }).unwrap();
        assert_eq!(id_of(&all.link_name("unknown").unwrap()), "4");
    }
}

#[test]
fn a_repeated_name_is_ranked_once_at_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(&folder);
    let linker = Linker::new(kb.clone()).unwrap();
    let names = ["lung carcinma", "lung carcinma", "liver abces"];
    let searched = |linker: &Linker| linker.link_shared(&names).unwrap().searched;
    let first = linker.link_shared(&names).unwrap();
    assert!(first.searched == 2 && Arc::ptr_eq(&first.links[0], &first.links[1]));
    assert_eq!(searched(&linker), 0);
    let links: Vec<Link> = first.links.iter().map(|link| Link::clone(link)).collect();
    assert_eq!(linker.link_names(&names).unwrap(), links);
    // Linkers with other options share the memory and no answers.
    let other = linker.with_options(LinkOptions { top: 1, explain: true, ..LinkOptions::default() }).unwrap();
    assert_eq!([searched(&other), searched(&linker), searched(&other)], [2, 0, 0]);
    assert!(other.link_shared(&names).unwrap().links.iter().all(|link| link.candidates.len() == 1));
    // Another version of the knowledge base has other answers.
    let verdict = truename::Verdict::Concept("ILL:117".parse().unwrap());
    let judgement = truename::Judgement { name: names[0].into(), verdict, date: "2026-11-26".parse().unwrap() };
    kb.learn(&[judgement], &[], &Progress::default()).unwrap();
    let learnt = linker.link_shared(&names).unwrap();
    assert_eq!((learnt.searched, learnt.links[0].id().unwrap().as_str()), (2, "ILL:117"));
    let forgetful = linker.with_options(LinkOptions { remembered_bytes: 0, ..LinkOptions::default() }).unwrap();
    assert_eq!([searched(&forgetful), searched(&forgetful)], [2, 2]);
}
