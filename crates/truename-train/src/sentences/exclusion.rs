//! Concepts that are kept out of a corpus, so that an evaluation can ask for them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use truename::WrittenIds;
use truename_kb::Concept;
use truename_read::{Source, SourceOptions};
use truename_text::NormalizedName;

use crate::Error;

/// Concepts that are kept out of a corpus, by their ids, cross-references or names.
#[derive(Default)]
pub(super) struct Exclusion {
    /// Numbers of concepts that a line names by id.
    numbers: HashSet<u32>,
    /// Normal forms of all lines, with their places among the lines.
    names: HashMap<String, Vec<usize>>,
    lines: Vec<Line>,
}

/// A line, and whether a concept has its id or name.
struct Line {
    written: String,
    is_known: bool,
}

impl Exclusion {
    /// Reads files with an id or a name a line; lines that begin with `# ` are comments.
    pub fn read(paths: &[PathBuf], ids: &WrittenIds) -> Result<Self, Error> {
        let mut exclusion = Self::default();
        let files: Vec<Vec<PathBuf>> = paths.iter().map(|path| truename_read::files(path)).collect::<Result<_, _>>()?;
        for file in files.concat() {
            let text = Source::open(&file, &SourceOptions::default())?.into_string()?;
            let lines = text.lines().map(str::trim);
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
                let number = ids.find(line);
                exclusion.numbers.extend(number);
                exclusion.names.entry(normal(line)).or_default().push(exclusion.lines.len());
                exclusion.lines.push(Line { written: line.to_owned(), is_known: number.is_some() });
            }
        }
        exclusion.names.remove("");
        Ok(exclusion)
    }

    /// Returns whether a concept is kept out; `number` is that of the ids it was read with.
    pub fn has(&mut self, number: u32, concept: &Concept) -> bool {
        let mut is_in = self.numbers.contains(&number);
        if !self.names.is_empty() {
            for places in concept.names().filter_map(|name| self.names.get(&normal(name))) {
                is_in = true;
                places.iter().for_each(|place| self.lines[*place].is_known = true);
            }
        }
        is_in
    }

    /// Returns the lines that name no concept, once all concepts were asked for.
    pub fn unknown(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| !line.is_known).map(|line| line.written.as_str()).collect()
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
            let mut exclusion = Exclusion::read(std::slice::from_ref(&path), &WrittenIds::of(&concepts)).unwrap();
            let is_in = |number: &u32| exclusion.has(*number, &concepts[*number as usize]);
            let numbers: Vec<u32> = (0..4).filter(is_in).collect();
            (numbers, exclusion.unknown().into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        let all_known = |numbers: &[u32]| (numbers.to_vec(), Vec::new());
        assert_eq!(excluded("D1\n\n"), all_known(&[0]));
        assert_eq!(excluded("\u{FEFF}OMIM:7\r\nheart attack\r\n"), all_known(&[1, 2]));
        assert_eq!(excluded("# D1\nBlack Death"), all_known(&[3]));
        assert_eq!(excluded("--\nmumps\nD1\n"), (vec![0], vec!["--".into(), "mumps".into()]));
        let error = Exclusion::read(&[folder.path().join("none")], &WrittenIds::of(&[])).err().unwrap();
        assert!(error.to_string().starts_with("cannot open "));
    }
}
