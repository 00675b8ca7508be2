//! Cells that name nothing.

use std::collections::HashSet;

use truename_kb::Snapshot;
use truename_text::{NameKeys, NormalizedName, stable_hash};

use super::CalibrateOptions;
use super::held_out::{Example, Origin};
use crate::{Error, ranker};

/// Made-up cells, one a line.
const CELLS: &str = include_str!("junk.txt");

/// Returns cells that name nothing, as examples whose right answer is NIL; those that a concept has for a name are left out.
pub(super) fn junk(snapshot: &Snapshot<'_>, options: &CalibrateOptions) -> Result<Vec<Example>, Error> {
    let mut examples = Vec::new();
    for cell in CELLS.lines().filter(|line| !line.starts_with('#')) {
        let normalized = NormalizedName::new(cell);
        let is_asked = options.part.is_none_or(|(part, parts)| normalized.fold(parts) == part);
        if !is_asked || snapshot.names_under(NameKeys::of(&normalized).exact)?.next().is_some() {
            continue;
        }
        examples.push(Example {
            query: cell.to_owned(),
            hidden: Vec::new(),
            answers: HashSet::new(),
            part: None,
            origin: Origin::Junk,
            chance: 1.0,
            fold: stable_hash(cell) as usize % ranker::FOLDS,
        });
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Concept, KnowledgeBase};

    #[test]
    fn junk_is_what_no_concept_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let kb = |names: [&str; 2], name: &str| {
            let concepts = names.map(|name| Concept::new(format!("P:{}", name.len()).parse().unwrap(), name));
            KnowledgeBase::create(concepts.to_vec(), &folder.path().join(name)).unwrap()
        };
        let cells = |kb: &KnowledgeBase, part| -> Vec<String> {
            let snapshot = kb.store.snapshot().unwrap();
            let options = CalibrateOptions { part, ..CalibrateOptions::default() };
            junk(&snapshot, &options).unwrap().into_iter().map(|example| example.query).collect()
        };
        let (without, with) = (kb(["aspirin", "heart failure"], "without"), kb(["aspirin", "Please Verify"], "with"));
        let all = cells(&without, None);
        assert!(all.len() > 80 && all.contains(&"please verify".to_owned()), "{all:?}");
        let placeholders = crate::Placeholders::default();
        assert!(all.iter().all(|cell| !placeholders.has(cell)), "answered NIL without a ranker");
        let named: Vec<String> = all.iter().filter(|cell| *cell != "please verify").cloned().collect();
        assert_eq!(cells(&with, None), named);
        let [first, second] = [0, 1].map(|part| cells(&without, Some((part, 2))));
        assert!(first.len() + second.len() == all.len() && first.iter().all(|cell| !second.contains(cell)));
    }
}
