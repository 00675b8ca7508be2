//! The store: what goes in comes out, updates stay in place, damage is refused.

use std::path::Path;

use proptest::prelude::*;
use truename_kb::{Alias, Concept, ConceptIndex, Store, SynonymScope};
use truename_text::{NameKeys, NormalizedName};

fn concept(id: &str, names: &[&str]) -> Concept {
    let mut concept = Concept::new(id.parse().unwrap(), names[0]);
    concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
    concept
}

fn filled(path: &Path, concepts: Vec<Concept>) -> Store {
    let store = Store::create(path).unwrap();
    let mut write = store.write().unwrap();
    store.fill(&mut write, concepts).unwrap();
    store.commit(write).unwrap();
    store
}

fn all(store: &Store) -> Vec<Concept> {
    let mut concepts: Vec<Concept> = store.snapshot().unwrap().concepts().unwrap().map(Result::unwrap).collect();
    concepts.sort_by(|left, right| left.id.cmp(&right.id));
    concepts
}

#[test]
fn a_store_gives_back_what_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let mut diabetes = concept("X:2", &["diabetes", "Zuckerkrankheit", "diabetes"]);
    diabetes.synonyms.truncate(1);
    diabetes.types = vec!["disease".into()];
    diabetes.parents = vec!["X:1".parse().unwrap()];
    diabetes.xrefs = vec!["DOID:9351".into()];
    diabetes.definition = Some("sweet".into());
    diabetes.scopes.insert("Zuckerkrankheit".into(), SynonymScope::Related);
    let mut islet = concept("X:3", &["islet", "insula"]);
    islet.aliases = vec![Alias { name: "islands".into(), source: "other".into() }];
    islet.part_of = vec!["X:1".parse().unwrap(), "Y:1".parse().unwrap()];
    let mut cell = concept("X:4", &["beta cell"]);
    cell.part_of = vec!["X:3".parse().unwrap()];
    diabetes.part_of = cell.part_of.clone();
    cell.disjoint_from = vec!["X:2".parse().unwrap(), "X:1".parse().unwrap()];
    let mut disease = concept("X:1", &["disease"]);
    disease.disjoint_from = vec!["X:4".parse().unwrap()];
    let given = vec![disease, diabetes, islet, cell];
    let store = filled(&folder.path().join("kb"), given.clone());
    assert_eq!(all(&store), given);
    drop(store);
    let store = Store::open(&folder.path().join("kb")).unwrap();
    assert_eq!(all(&store), given);
    let snapshot = store.snapshot().unwrap();
    let scoped = snapshot.scopes(ConceptIndex(1)).unwrap();
    assert_eq!(scoped.iter().map(|(name, _)| snapshot.name(*name).unwrap().1).collect::<Vec<_>>(), ["Zuckerkrankheit"]);
    assert!(snapshot.scopes(ConceptIndex(0)).unwrap().is_empty());
    let under = |name: &str| {
        let keys = NameKeys::of(&NormalizedName::new(name));
        snapshot.names_under(keys.exact).unwrap().map(|name| snapshot.name(name).unwrap().1).collect::<Vec<_>>()
    };
    assert_eq!(under("ZUCKER-krankheit"), ["Zuckerkrankheit"]);
    assert!(under("nothing").is_empty());
    assert_eq!(snapshot.names_with_word(truename_text::stable_hash("diabetes")).unwrap(), 1);
}

/// True if a name of the store may stand in a text like this, read in pieces.
fn is_form(store: &Store, pieces: &[&str]) -> bool {
    let snapshot = store.snapshot().unwrap();
    let forms = snapshot.forms().unwrap();
    let read = pieces.iter().try_fold(forms.start(), |state, piece| forms.step(state, piece));
    read.is_some_and(|state| forms.is_form(state))
}

#[test]
fn forms_of_names_follow_updates() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..500).map(|number| format!("illness number {number}")).collect();
    let concepts = names.iter().enumerate().map(|(at, name)| concept(&at.to_string(), &[name])).collect();
    let store = filled(&folder.path().join("kb"), concepts);
    assert!(is_form(&store, &["illness", "number", "77"]) && is_form(&store, &["illne", "ssnumber77"]));
    for pieces in [&["illness", "number"][..], &["illness", "number", "770"], &["ailment"], &[]] {
        assert!(!is_form(&store, pieces), "{pieces:?}");
    }
    // One name stays beside the automaton, many are merged into it.
    for (first, count) in [(0, 1), (1, 400), (401, 3)] {
        let mut write = store.write().unwrap();
        let more =
            (first..first + count).map(|n| concept(&format!("N{n}"), &[&format!("Ailments, new {n}")])).collect();
        store.apply(&mut write, more, &[]).unwrap();
        store.commit(write).unwrap();
        let added: Vec<String> = (0..first + count).map(|n| format!("new{n}ailment")).collect();
        assert!(added.iter().all(|form| is_form(&store, &[form])) && is_form(&store, &["illnessnumber3"]), "{first}");
        assert!(!is_form(&store, &[&format!("new{}ailment", first + count)]));
    }
}

#[test]
fn a_reader_keeps_its_state_while_a_writer_commits() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&folder.path().join("kb"), vec![concept("1", &["a"])]);
    let before = store.snapshot().unwrap();
    let again = Store::open(&folder.path().join("kb")).unwrap();
    let mut write = again.write().unwrap();
    again.apply(&mut write, vec![concept("2", &["b"])], &[]).unwrap();
    again.commit(write).unwrap();
    assert_eq!(before.counts().concepts, 1);
    assert_eq!(store.snapshot().unwrap().counts().concepts, 2);
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kb");
    let missing = Store::open(&path).err().unwrap();
    assert!(missing.is_not_found() && missing.hint().unwrap().to_string().contains("kb import"));
    filled(&path, (0..2000).map(|n| concept(&format!("{n:04}"), &["some name or other"])).collect()).close();
    assert_eq!(Store::create(&path).err().unwrap().kind(), truename_error::ErrorKind::Exists);
    let data = path.join("data.mdb");
    let whole = std::fs::read(&data).unwrap();
    for kept in [0, 100, 4096, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&data, &whole[..kept]).unwrap();
        let error = Store::open(&path).err().unwrap_or_else(|| panic!("{kept} bytes were taken for a store"));
        let is_refused = error.is_damaged() || error.to_string().contains("not a knowledge base");
        assert!(is_refused, "{kept}: {error}");
    }
    std::fs::write(&data, vec![7; 20_000]).unwrap();
    assert!(Store::open(&path).is_err());
    std::fs::write(&data, &whole).unwrap();
    assert_eq!(Store::open(&path).unwrap().snapshot().unwrap().counts().concepts, 2000);
}

#[test]
#[cfg(unix)]
fn a_file_that_was_replaced_is_read_on_and_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), vec![concept("A:1", &["a name"])]);
    let (data, copy) = (folder.path().join("data.mdb"), folder.path().join("copy"));
    std::fs::copy(&data, &copy).unwrap();
    std::fs::rename(&copy, &data).unwrap();
    assert_eq!(all(&store).len(), 1);
    let refused = store.write().err().unwrap();
    assert!(refused.to_string().contains("was replaced since it was opened"), "{refused}");
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), vec![concept("1", &["a"])]);
    let mut write = store.write().unwrap();
    store.put_meta(&mut write, "format", &99u32.to_le_bytes()).unwrap();
    store.commit(write).unwrap();
    store.close();
    let error = Store::open(folder.path()).err().unwrap();
    assert!(
        error.kind() == truename_error::ErrorKind::OtherVersion && error.to_string().contains("format 99"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn an_updated_store_holds_what_a_fresh_one_would(
        before in prop::collection::btree_map(0u8..20, prop::collection::hash_set("[a-c]{1,3}(,? [a-c]{1,2})?s?", 1..4), 1..12),
        after in prop::collection::btree_map(0u8..20, prop::collection::hash_set("[a-c]{1,3}(,? [a-c]{1,2})?s?", 1..4), 1..12),
    ) {
        let concepts = |map: &std::collections::BTreeMap<u8, std::collections::HashSet<String>>| -> Vec<Concept> {
            map.iter().map(|(id, names)| {
                let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
                names.sort_unstable();
                concept(&format!("{id:02}"), &names)
            }).collect()
        };
        let folder = tempfile::tempdir().unwrap();
        let updated = filled(&folder.path().join("updated"), concepts(&before));
        let gone: Vec<_> = before.keys().filter(|id| !after.contains_key(id)).map(|id| format!("{id:02}").parse().unwrap()).collect();
        let mut write = updated.write().unwrap();
        let applied = updated.apply(&mut write, concepts(&after), &gone).unwrap();
        updated.commit(write).unwrap();
        prop_assert_eq!(applied.removed as usize, gone.len());
        let fresh = filled(&folder.path().join("fresh"), concepts(&after));
        prop_assert_eq!(all(&updated), all(&fresh));
        for name in before.values().chain(after.values()).flatten() {
            for form in truename_text::written_forms(name) {
                prop_assert_eq!(is_form(&updated, &[&form]), is_form(&fresh, &[&form]), "{}", form);
            }
        }
        let (updated, fresh) = (updated.snapshot().unwrap(), fresh.snapshot().unwrap());
        prop_assert_eq!(updated.counts().names, fresh.counts().names);
        let ordered = |snapshot: &truename_kb::Snapshot<'_>| {
            let order = snapshot.name_order().unwrap();
            let mut names: Vec<(u32, String)> = snapshot.names().unwrap().map(Result::unwrap)
                .map(|(number, _, name)| (order.map_or(number.0, |order| order.rank(number)), name.to_owned())).collect();
            names.sort();
            names
        };
        prop_assert_eq!(ordered(&updated), ordered(&fresh));
        for name in after.values().flatten() {
            let normalized = NormalizedName::new(name);
            for key in NameKeys::of(&normalized).filed() {
                let names = |snapshot: &truename_kb::Snapshot<'_>| -> Vec<(String, String)> {
                    let named = |(concept, name): (_, &str)| (snapshot.concept_names(concept).unwrap().0.to_owned(), name.to_owned());
                    snapshot.names_under(key).unwrap().map(|n| named(snapshot.name(n).unwrap())).collect()
                };
                prop_assert_eq!(names(&updated), names(&fresh));
            }
            for word in normalized.tokens().map(truename_text::stable_hash) {
                prop_assert_eq!(updated.names_with_word(word).unwrap(), fresh.names_with_word(word).unwrap());
            }
        }
    }
}
