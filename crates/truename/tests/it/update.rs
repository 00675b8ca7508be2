//! An updated knowledge base answers as one that is imported anew from the same concepts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use truename::{
    CalibrateOptions, Concept, ConceptId, Document, Encoder, FitOptions, ImportOptions, KnowledgeBase, LinkOptions,
    Linker,
};

/// Names that share forms, letters and words, and so tie with one another.
const NAMES: [&str; 24] = [
    "Food Contamination, Radioactive",
    "Contamination, Radioactive Food",
    "Radioactive Food Contamination",
    "foodcontamination, radioactive",
    "Lung Cancer",
    "lung cancers",
    "Cancer, Lung",
    "cancer of the lung",
    "LC",
    "LC3",
    "LC4",
    "lc-3",
    "Tumour, Lung",
    "lung tumor",
    "tumors of lung",
    "cold",
    "Colds",
    "common cold",
    "cold, common",
    "C",
    "---",
    "жжж",
    "cold spell of the lung, type 2",
    "Type 2 cold spell of the lung",
];
/// Concepts that have one name in common, more than a search gives.
const SHARING: usize = 70;

/// The names of each concept, the preferred one first.
type Names = BTreeMap<String, Vec<String>>;

/// One concept that is given new names, or removed where there are none.
type Change = (String, Vec<String>);

fn first() -> Names {
    let mut first: Names = (0..SHARING).map(|at| (format!("S{at:03}"), vec!["a shared name".to_owned()])).collect();
    first.extend(NAMES.iter().enumerate().step_by(2).map(|(at, name)| (format!("N{at}"), vec![(*name).to_owned()])));
    first
}

fn changes() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let id = prop_oneof![
        (0..NAMES.len()).prop_map(|at| format!("N{at}")),
        (0..SHARING + 9).prop_map(|at| format!("S{at:03}")),
        Just("A".to_owned())
    ];
    let name = prop_oneof![4 => prop::sample::select(&NAMES[..]), 1 => Just("a shared name")].prop_map(str::to_owned);
    let names = prop::collection::vec(name, 0..4).prop_map(distinct);
    prop::collection::vec(prop::collection::vec((id, names), 1..8), 1..4)
}

fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn import(names: &Names, folder: &Path, out: &str) -> KnowledgeBase {
    let lines: String = names.iter().map(|(id, names)| line(id, names)).collect();
    let file = folder.join(format!("{out}.jsonl"));
    std::fs::write(&file, lines).unwrap();
    KnowledgeBase::import(&[file], &folder.join(out), &options(), false).unwrap().0
}

/// Keeps `---`, a name without letters that reads as a placeholder.
fn options() -> ImportOptions {
    ImportOptions { keep_placeholders: true, replace: true, ..ImportOptions::default() }
}

fn line(id: &str, names: &[String]) -> String {
    let mut concept = Concept::new(id.parse().unwrap(), names[0].clone());
    concept.synonyms = names[1..].to_vec();
    serde_json::to_string(&concept).unwrap() + "\n"
}

fn update(kb: &KnowledgeBase, names: &mut Names, changes: &[Change], folder: &Path) {
    let changes: BTreeMap<&String, &Vec<String>> = changes.iter().map(|(id, names)| (id, names)).collect();
    let (removed, changed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, names)| names.is_empty());
    let removed: Vec<ConceptId> = removed.into_iter().map(|(id, _)| id.parse().unwrap()).collect();
    removed.iter().for_each(|id| drop(names.remove(id.as_str())));
    names.extend(changed.iter().map(|(id, names)| ((*id).clone(), (*names).clone())));
    let file = folder.join("changed.jsonl");
    std::fs::write(&file, changed.iter().map(|(id, names)| line(id, names)).collect::<String>()).unwrap();
    let files = if changed.is_empty() { vec![] } else { vec![file] };
    kb.update(&files, &removed, &options()).unwrap();
}

/// Names as they are, with an edit, and in part.
fn queries() -> Vec<String> {
    let edited = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.remove(letters.len() / 2);
        letters.into_iter().collect::<String>()
    };
    let part = |name: &str| name.split(' ').next_back().unwrap_or_default().to_owned();
    let all = NAMES.iter().chain(&["a shared name", "shared"]);
    all.flat_map(|name| [(*name).to_owned(), edited(name), part(name), format!("old {name}s")]).collect()
}

/// Everything that a knowledge base answers, in writing.
fn answers(kb: &KnowledgeBase) -> Vec<String> {
    let linker = |top, explain| {
        let options = LinkOptions { top, explain, min_probability: Some(0.01), ..LinkOptions::default() };
        Linker::new(kb.clone()).unwrap().with_options(options).unwrap()
    };
    let queries = queries();
    let mut answers = Vec::new();
    for linker in [linker(1, false), linker(8, true)] {
        answers.extend(linker.link_names(&queries).unwrap().iter().map(|link| serde_json::to_string(link).unwrap()));
    }
    for nested in [false, true] {
        let text = queries.iter().map(|name| format!("There was {}.\n\n", name.to_lowercase())).collect::<String>();
        let linker = linker(3, true);
        let options = LinkOptions { nested, ..linker.options().clone() };
        let linker = linker.with_options(options).unwrap();
        let linked = linker.link_document(Document::new("1", text)).unwrap();
        answers.extend(linked.mentions.iter().map(|mention| format!("{mention:?}")));
    }
    for name in &queries {
        answers.push(format!("{name}: {:?}", kb.nearest_by_ngrams(name, 10).unwrap()));
        answers.push(format!("{name}: {:?}", kb.nearest_by_vectors(name, 10).unwrap()));
    }
    kb.for_each_concept(|concept| -> Result<(), truename::Error> {
        answers.push(serde_json::to_string(&concept).unwrap());
        Ok(())
    })
    .unwrap();
    let mut info = kb.info().unwrap();
    info.provenance.clear();
    info.fingerprint = None;
    // An update leaves bytes unused until `kb compact`.
    (info.bytes, info.unused_bytes) = (0, 0);
    answers.push(serde_json::to_string(&info).unwrap());
    answers
}

fn assert_same(updated: &KnowledgeBase, fresh: &KnowledgeBase) {
    let (updated, fresh) = (answers(updated), answers(fresh));
    for (updated, fresh) in updated.iter().zip(&fresh) {
        assert_eq!(updated, fresh);
    }
    assert_eq!(updated.len(), fresh.len());
}

fn bert() -> Arc<Encoder> {
    Arc::new(Encoder::open(Path::new("../truename-infer/tests/models/bert")).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn an_updated_knowledge_base_answers_as_a_fresh_one(updates in changes(), with_vectors: bool) {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let mut names = first();
        let encoder = bert();
        let embedded = |kb: KnowledgeBase| {
            kb.embed(&encoder, |_, _| ControlFlow::Continue(())).unwrap();
            kb.with_encoder(Arc::clone(&encoder)).unwrap()
        };
        let mut updated = import(&names, folder, "updated");
        if with_vectors {
            updated = embedded(updated);
        }
        for changes in &updates {
            update(&updated, &mut names, changes, folder);
        }
        let mut fresh = import(&names, folder, "fresh");
        if with_vectors {
            (updated, fresh) = (embedded(updated), embedded(fresh));
        }
        assert_same(&updated, &fresh);
    }
}

#[test]
fn a_synonym_that_an_update_took_away_is_not_found() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let mut names = Names::from([("1".to_owned(), NAMES[..2].iter().map(|name| (*name).to_owned()).collect())]);
    let kb = import(&names, folder, "kb");
    let text = "Fish had contamination, radioactive food was sold.";
    let mentions = || {
        let linker = Linker::new(kb.clone()).unwrap();
        linker.link_document(Document::new("1", text)).unwrap().mentions.len()
    };
    assert_eq!(mentions(), 1);
    update(&kb, &mut names, &[("1".to_owned(), vec![NAMES[0].to_owned()])], folder);
    assert_eq!(mentions(), 0);
    update(&kb, &mut names, &[("2".to_owned(), vec![NAMES[1].to_owned()])], folder);
    assert_eq!(mentions(), 1);
}

#[test]
fn calibration_after_an_update_is_that_of_a_fresh_import() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let mut names: Names = (0..60)
        .map(|at| (format!("D{at:02}"), vec![format!("fever on day {at}"), format!("pyrexia, {at}th day")]))
        .collect();
    let updated = import(&names, folder, "updated");
    let changes: Vec<Change> = (0..60)
        .step_by(3)
        .map(|at| (format!("D{at:02}"), vec![format!("{at} days of fever"), "fever".to_owned()]))
        .chain([("B0".to_owned(), vec!["fever".to_owned()]), ("D01".to_owned(), Vec::new())])
        .collect();
    update(&updated, &mut names, &changes, folder);
    let fresh = import(&names, folder, "fresh");
    let options =
        CalibrateOptions { fit: FitOptions { rounds: 10, ..FitOptions::default() }, ..CalibrateOptions::default() };
    let [of_updated, of_fresh] = [&updated, &fresh].map(|kb| kb.calibrate(&[], &options).unwrap());
    assert_eq!(of_updated, of_fresh);
    assert_same(&updated, &fresh);
}
