//! Names of the bundled vocabularies, which tell that two like names are those of different things.

use std::path::Path;
use std::sync::OnceLock;

use truename_kb::Concept;
use truename_text::{NormalizedName, stable_hash};

use crate::cache::open_or_make;
use crate::knowledge_base::bundled;
use crate::{Error, error};

/// The concepts of each name, by its normal form.
pub(crate) struct KnownNames(Vec<(u64, u32)>);

/// Bytes of a row of the file: hash of a name, number of a concept.
const ROW: usize = 12;

impl KnownNames {
    /// Returns the names of the bundled vocabularies; `None` where no folder can be written to. They are read from the user's cache, and
    /// written there on first use.
    pub fn bundled() -> Option<&'static Self> {
        static KNOWN: OnceLock<Option<KnownNames>> = OnceLock::new();
        let open = || {
            let make = |path: &Path| Self::of(bundled::concepts()?.iter()).write(path);
            open_or_make(&format!("names-{:016x}", bundled::version()), Self::read, make).ok()
        };
        KNOWN.get_or_init(open).as_ref()
    }

    fn of<'c>(concepts: impl Iterator<Item = &'c Concept>) -> Self {
        let of_concept = |(number, concept): (u32, &'c Concept)| {
            let names = std::iter::once(&concept.name).chain(&concept.synonyms);
            names.map(move |name| (stable_hash(NormalizedName::new(name).as_str()), number))
        };
        let mut rows: Vec<(u64, u32)> = (0..).zip(concepts).flat_map(of_concept).collect();
        rows.sort_unstable();
        rows.dedup();
        Self(rows)
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|source| error::io("read", path, source))?;
        let (rows, rest) = bytes.as_chunks::<ROW>();
        if rows.is_empty() || !rest.is_empty() {
            return Err(error::io("read", path, std::io::ErrorKind::UnexpectedEof.into()));
        }
        let row = |row: &[u8; ROW]| {
            let (hash, concept) = row.split_at(8);
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            (number(hash), number(concept) as u32)
        };
        Ok(Self(rows.iter().map(row).collect()))
    }

    fn write(&self, path: &Path) -> Result<(), Error> {
        let row = |(hash, concept): &(u64, u32)| [&hash.to_le_bytes()[..], &concept.to_le_bytes()].concat();
        let bytes: Vec<u8> = self.0.iter().flat_map(row).collect();
        std::fs::write(path, bytes).map_err(|source| error::io("write", path, source))
    }

    /// Returns the concepts of a name.
    pub fn concepts(&self, name: &NormalizedName) -> ConceptsOfName<'_> {
        let hash = stable_hash(name.as_str());
        let from = self.0.partition_point(|(other, _)| *other < hash);
        let count = self.0[from..].partition_point(|(other, _)| *other == hash);
        ConceptsOfName(&self.0[from..from + count])
    }
}

/// The concepts of one name.
#[derive(Clone, Copy)]
pub(crate) struct ConceptsOfName<'k>(&'k [(u64, u32)]);

impl ConceptsOfName<'_> {
    /// Returns whether the name is not known.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether both names are known, and no concept has both.
    pub fn differ_from(self, other: ConceptsOfName<'_>) -> bool {
        let is_shared = |(_, concept): &(u64, u32)| other.0.iter().any(|(_, known)| known == concept);
        !self.is_empty() && !other.is_empty() && !self.0.iter().any(is_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_different_concepts_are_told_apart() {
        let concepts =
            [("1", "Austria", "Oesterreich"), ("2", "Australia", "Down Under"), ("3", "Down under", "South")];
        let concepts = concepts.map(|(id, name, synonym)| Concept {
            synonyms: vec![synonym.into()],
            ..Concept::new(id.parse().unwrap(), name)
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        KnownNames::of(concepts.iter()).write(&path).unwrap();
        let known = KnownNames::read(&path).unwrap();
        let concepts = |name: &str| known.concepts(&NormalizedName::new(name));
        let apart = |one: &str, other: &str| concepts(one).differ_from(concepts(other));
        assert!(apart("Austria", "australia") && apart("Oesterreich", "Australia") && apart("Australia", "South"));
        assert!(!apart("Austria", "Oesterreich") && !apart("Austria", "Australian") && !apart("South", "down under"));
    }
}
