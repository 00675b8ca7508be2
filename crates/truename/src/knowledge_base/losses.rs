//! Parts of concepts that an update would take away.

use std::collections::HashSet;

use truename_error::{ErrorKind, HintPart, counted, grouped, hint};
use truename_kb::Concept;

use crate::Error;

/// Numbers of concepts that an update would take parts from.
#[derive(Default)]
pub(super) struct Losses {
    /// Concepts that are replaced.
    replaced: u64,
    /// Concepts that lose something.
    losing: u64,
    /// Concepts whose preferred name is no name of theirs afterwards.
    preferred_name: u64,
    /// Names that concepts with fewer names afterwards lose.
    names: u64,
    types: u64,
    parents: u64,
    part_of: u64,
    disjoint_from: u64,
    xrefs: u64,
    definition: u64,
}

impl Losses {
    /// Adds what a concept loses where another takes its place. Judged names do not count: they stay.
    pub(super) fn add(&mut self, known: &Concept, new: &Concept) {
        let kept = |concept: &Concept| {
            let judged = concept.aliases.iter().filter(|alias| alias.judged_on().is_some()).count();
            concept.name_count() - judged
        };
        let names: HashSet<&str> = new.names().collect();
        let has_lost = |known: bool, new: bool| known && !new;
        let lost = [
            has_lost(true, names.contains(known.name.as_str())),
            has_lost(!known.types.is_empty(), !new.types.is_empty()),
            has_lost(!known.parents.is_empty(), !new.parents.is_empty()),
            has_lost(!known.part_of.is_empty(), !new.part_of.is_empty()),
            has_lost(!known.disjoint_from.is_empty(), !new.disjoint_from.is_empty()),
            has_lost(!known.xrefs.is_empty(), !new.xrefs.is_empty()),
            has_lost(known.definition.is_some(), new.definition.is_some()),
        ];
        let fewer = kept(known).saturating_sub(kept(new));
        let Self { preferred_name, types, parents, part_of, disjoint_from, xrefs, definition, .. } = self;
        let counts = [preferred_name, types, parents, part_of, disjoint_from, xrefs, definition];
        counts.into_iter().zip(lost).for_each(|(count, is_lost)| *count += u64::from(is_lost));
        self.names += fewer as u64;
        self.replaced += 1;
        self.losing += u64::from(fewer > 0 || lost.contains(&true));
    }

    /// Refuses losses.
    ///
    /// # Errors
    /// If there are some.
    pub(super) fn refuse(&self) -> Result<(), Error> {
        if self.losing == 0 {
            return Ok(());
        }
        let of = |count: u64, what: &str| (count > 0).then(|| format!("{what} of {}", counted(count, "concept")));
        let lost: Vec<String> = [
            of(self.preferred_name, "the preferred name"),
            (self.names > 0).then(|| counted(self.names, "name")),
            of(self.types, "the types"),
            of(self.parents, "the parents"),
            of(self.part_of, "the wholes"),
            of(self.disjoint_from, "what is disjoint"),
            of(self.xrefs, "the cross-references"),
            of(self.definition, "the definition"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let message = format!(
            "the update would take from {} of {} what the files lack: {}",
            grouped(self.losing),
            counted(self.replaced, "replaced concept"),
            lost.join(", ")
        );
        Err(Error::new(ErrorKind::Choice, message).with_hint(hint![
            "a concept replaces the one with its id: give it whole, teach names alone by ",
            HintPart::action("kb learn"),
            ", or take these away by ",
            HintPart::setting("replace"),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(line: &str) -> Concept {
        serde_json::from_str(line).unwrap()
    }

    fn refusal(known: &str, new: &str) -> Option<String> {
        let mut losses = Losses::default();
        losses.add(&concept(known), &concept(new));
        losses.refuse().err().map(|error| error.to_string())
    }

    #[test]
    fn what_a_concept_loses_is_counted() {
        let known = r#"{"id": "A", "name": "a", "synonyms": ["b"], "types": ["t"], "parents": ["P"], "xrefs": ["X:1"],
            "definition": "d"}"#;
        assert_eq!(
            refusal(known, r#"{"id": "A", "name": "c"}"#).unwrap(),
            "the update would take from 1 of 1 replaced concept what the files lack: the preferred name of 1 concept, \
             1 name, the types of 1 concept, the parents of 1 concept, the cross-references of 1 concept, \
             the definition of 1 concept"
        );
        let renamed = refusal(r#"{"id": "A", "name": "a"}"#, r#"{"id": "A", "name": "b"}"#).unwrap();
        assert!(renamed.ends_with("what the files lack: the preferred name of 1 concept"), "{renamed}");
    }

    #[test]
    fn other_names_and_parts_in_the_place_of_some_are_no_loss() {
        let known = r#"{"id": "A", "name": "a", "synonyms": ["b"], "types": ["t"],
            "aliases": [{"name": "j", "source": "judged 2026-11-26"}]}"#;
        assert_eq!(refusal(known, r#"{"id": "A", "name": "c", "synonyms": ["a"], "types": ["u"]}"#), None);
    }
}
