//! The bundled knowledge base and the names that people type first.

use std::path::{Path, PathBuf};

use truename::{ConceptId, Document, LinkOptions, Linker};

fn example(name: &str) -> PathBuf {
    // Cargo runs tests in the folder of their crate, which may be elsewhere than it was built.
    Path::new("../../examples").join(name)
}

#[test]
fn everyday_names_are_answered_and_others_are_nil() {
    let table = std::fs::read_to_string(example("everyday.tsv")).unwrap();
    let rows: Vec<(&str, &str)> = table.lines().skip(1).map(|line| line.split_once('\t').unwrap()).collect();
    // A list where half of the names may have no concept.
    let linker =
        Linker::bundled().unwrap().with_options(LinkOptions { nil_share: 0.5, ..LinkOptions::default() }).unwrap();
    let links = linker.link_names(&rows.iter().map(|(name, _)| *name).collect::<Vec<_>>()).unwrap();
    let (mut known, mut missed, mut linked) = (0, Vec::new(), Vec::new());
    for ((name, ids), link) in rows.iter().zip(&links) {
        if ids.is_empty() {
            linked.extend(link.id().map(|id| format!("{name}: {id}")));
            continue;
        }
        known += 1;
        if !link.id().is_some_and(|found| ids.split('|').any(|id| *found == *id)) {
            missed.push(format!("{name}: {:?}", link.id()));
        }
    }
    assert_eq!((rows.len(), known), (150, 120));
    assert!(linked.len() <= 1, "{linked:#?}");
    assert!(20 * missed.len() <= known, "{} of {known} are wrong: {missed:#?}", missed.len());
}

#[test]
fn short_names_stand_for_what_most_people_mean() {
    let linker = Linker::bundled().unwrap();
    let expected = [
        ("cancer", "D009369"),
        ("lung cancer", "D008175"),
        ("breast cancer", "D001943"),
        ("flu", "D007251"),
        ("TB", "D014376"),
        ("kidney failure", "D051437"),
        ("Tylenol", "D000082"),
        ("HIV", "D015658"),
        ("Oedema", "D004487"),
    ];
    for (name, id) in expected {
        assert_eq!(linker.link_name(name).unwrap().id().map(ConceptId::as_str), Some(id), "{name}");
    }
    for name in ["0", "3.14", "unknown", "n/a", "Monday", "12/03/2021"] {
        assert_eq!(linker.link_name(name).unwrap().id(), None, "{name}");
    }
}

#[test]
fn notes_are_linked() {
    let linker = Linker::bundled().unwrap();
    let mut found = String::new();
    for note in ["clinic", "pharmacy", "school"] {
        let text = std::fs::read_to_string(example(&format!("notes/{note}.txt"))).unwrap();
        for mention in linker.link_document(Document::new(note, text.as_str())).unwrap().mentions {
            let written = &text[mention.span.start..mention.span.end];
            found += &format!("{note} {written}: {}\n", mention.link.id().map_or("NIL", ConceptId::as_str));
        }
    }
    let expected = "\
clinic shortness of breath: D004417
clinic chest pain: D002637
clinic high blood pressure: D006973
clinic type 2 diabetes: D003924
clinic Lipitor: D000069059
clinic metformin: D008687
clinic aspirin: D001241
clinic heart attack: D009203
clinic lung cancer: D008175
clinic fever: D005334
clinic cough: D003371
clinic heart failure: D006333
clinic pain: D010146
pharmacy Tylenol: D000082
pharmacy Advil: D007052
pharmacy headache: D006261
pharmacy sore throat: D010612
pharmacy Prozac: D005473
pharmacy depression: D003866
pharmacy stomach ulcer: D013276
pharmacy Advil: D007052
pharmacy Aleve: D009288
pharmacy penicillin: D010406
pharmacy hives: D014581
pharmacy paracetamol: D000082
pharmacy Hay fever: D006255
pharmacy loratadine: D017336
school whooping cough: D014917
school flu: D007251
school asthma: D001249
school peanut allergy: D021183
school chickenpox: D002644
school pink eye: D003231
school ADHD: D001289
school Ritalin: D008774
school TB: D014376
";
    assert_eq!(found, expected);
}
