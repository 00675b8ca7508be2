use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use truename::WrittenIds;
use truename_kb::Concept;
use truename_text::NormalizedName;

use crate::Error;

/// Concepts that are kept out of a corpus, by their ids, cross-references or names.
#[derive(Default)]
pub(super) struct Exclusion {
    /// Numbers of concepts that a line names by id.
    numbers: HashSet<u32>,
    /// Normal forms of all lines.
    names: BTreeSet<String>,
}

impl Exclusion {
    /// Reads files with an id or a name a line; lines that begin with `# ` are comments.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(paths: &[PathBuf], ids: &WrittenIds) -> Result<Self, Error> {
        let mut exclusion = Self::default();
        for path in paths {
            let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
            let lines = text.lines().map(|line| line.trim_start_matches('\u{FEFF}').trim());
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
                exclusion.numbers.extend(ids.find(line));
                exclusion.names.insert(normal(line));
            }
        }
        exclusion.names.remove("");
        Ok(exclusion)
    }

    /// Returns whether a concept is kept out; `number` is that of the ids it was read with.
    pub fn has(&self, number: u32, concept: &Concept) -> bool {
        self.numbers.contains(&number)
            || !self.names.is_empty() && concept.names().any(|name| self.names.contains(&normal(name)))
    }
}

fn normal(name: &str) -> String {
    NormalizedName::new(name).squeezed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_cross_references_and_names_exclude() {
        let concept = |id: &str, name: &str| Concept::new(id.parse().unwrap(), name);
        let mut concepts: Vec<Concept> =
            [("MESH:D1", "cold"), ("X:2", "flu"), ("X:3", "Heart-attack"), ("X:4", "plague")]
                .map(|(id, name)| concept(id, name))
                .into();
        concepts[1].xrefs.push("OMIM:7".into());
        concepts[3].synonyms.push("black death".into());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exclude.txt");
        let excluded = |lines: &str| {
            std::fs::write(&path, lines).unwrap();
            let exclusion = Exclusion::read(std::slice::from_ref(&path), &WrittenIds::of(&concepts)).unwrap();
            (0..4).filter(|number| exclusion.has(*number, &concepts[*number as usize])).collect::<Vec<_>>()
        };
        assert_eq!(excluded("D1\n\n"), [0]);
        assert_eq!(excluded("\u{FEFF}OMIM:7\r\nheart attack\r\n"), [1, 2]);
        assert_eq!(excluded("# D1\nBlack Death"), [3]);
        assert_eq!(excluded("--\n"), Vec::<u32>::new());
        let error = Exclusion::read(&[folder.path().join("none")], &WrittenIds::of(&[])).err().unwrap();
        assert!(error.to_string().starts_with("cannot read "));
    }
}
