//! Vocabularies of synonyms.

mod clusters;
mod table;
mod wordnet;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use truename_read::{Source, SourceOptions, has_extension};

use super::inflection::{Form, PartOfSpeech, has_form, inflected, readings};
use super::lines::plain_name;
use crate::{Error, error};

/// Words and phrases in groups of synonyms. Capitals do not count.
#[derive(Clone, Debug, Default)]
pub struct SynonymVocabulary {
    groups: Vec<Group>,
    /// Numbers of the groups with a word, in their order.
    by_word: HashMap<String, Vec<u32>>,
}

#[derive(Clone, Debug)]
struct Group {
    words: Vec<String>,
    part: Option<PartOfSpeech>,
}

/// A format of synonyms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    WordNet(PartOfSpeech),
    Clusters,
    Table,
}

impl SynonymVocabulary {
    /// Reads files of synonyms, and the files of patterns: WordNet's `data.noun`, `data.verb`, `data.adj` and `data.adv`, or the folder with them;
    /// tables of any delimiter, in which a row has synonyms; clusters, as those of PPDB: a line with the name of a cluster, its members behind
    /// a tab on the lines after it. Of a folder with files of WordNet the others are left out.
    ///
    /// # Errors
    /// If a file cannot be read, is not UTF-8, or has a line that is not of its format; if a folder has no file.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut vocabulary = Self::default();
        paths.iter().try_for_each(|path| vocabulary.add_path(path))?;
        Ok(vocabulary)
    }

    fn add_path(&mut self, path: &Path) -> Result<(), Error> {
        let mut files = truename_read::files(path)?;
        if path.is_dir() && files.iter().any(|file| part_of_speech(file).is_some()) {
            files.retain(|file| part_of_speech(file).is_some());
        }
        if files.is_empty() {
            let message = "no data.noun, data.verb, data.adj or data.adv, and no other file of synonyms in the folder";
            return Err(error::word_list(path, None, message));
        }
        files.iter().try_for_each(|file| self.add_file(file))
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let before = self.groups.len();
        let source = Source::open(path, &SourceOptions::default())?;
        match format(&source) {
            Format::WordNet(part) => wordnet::read(source, |words| self.add(words, Some(part)))?,
            Format::Clusters => clusters::read(source, |words| self.add(words, None))?,
            Format::Table => table::read(source, |words| self.add(words, None))?,
        }
        if self.groups.len() == before {
            return Err(error::word_list(path, 1, "no two synonyms in the file"));
        }
        Ok(())
    }

    /// Adds words that mean the same, such as the names of a concept.
    pub fn add_words<S: Into<String>>(&mut self, words: impl IntoIterator<Item = S>) {
        self.add(words.into_iter().map(Into::into).collect(), None);
    }

    /// Adds a group of words that mean the same; one without two different words is left out.
    fn add(&mut self, words: Vec<String>, part: Option<PartOfSpeech>) {
        let mut group = Group { words: Vec::with_capacity(words.len()), part };
        for word in words {
            // A quoted cell may go over several lines.
            let word = word.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            if !word.is_empty() && !group.words.contains(&word) {
                group.words.push(word);
            }
        }
        if group.words.len() < 2 {
            return;
        }
        let number = self.groups.len() as u32;
        group.words.iter().for_each(|word| self.by_word.entry(word.clone()).or_default().push(number));
        self.groups.push(group);
    }

    /// Returns whether there is no synonym.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the synonyms of a word in its form ("parts" for "pieces"), those of the word itself before those of its base.
    /// `is_participle` is true for a verb behind "be" or "have".
    pub fn of(&self, word: &str, is_participle: bool) -> Vec<String> {
        let word = word.to_lowercase();
        let mut found: Vec<String> = Vec::new();
        for reading in readings(&word) {
            let form = if reading.form == Form::Past && is_participle { Form::Participle } else { reading.form };
            for number in self.by_word.get(&reading.base).into_iter().flatten() {
                let group = &self.groups[*number as usize];
                if group.part.is_some_and(|part| !has_form(part, form)) {
                    continue;
                }
                for other in group.words.iter().filter(|other| **other != reading.base) {
                    let synonym = inflected(other, group.part, form);
                    if synonym != word && !found.contains(&synonym) {
                        found.push(synonym);
                    }
                }
            }
        }
        found
    }
}

/// Returns the format of a file by its name, else by its first lines.
fn format(source: &Source) -> Format {
    let path = source.path();
    if let Some(part) = part_of_speech(path) {
        return Format::WordNet(part);
    }
    let is_table = ["csv", "tsv", "tab"].iter().any(|extension| has_extension(path, extension));
    let has_member = || source.beginning_text().lines().any(|line| line.starts_with('\t'));
    if !is_table && has_member() { Format::Clusters } else { Format::Table }
}

/// Returns the part of speech of a data file of WordNet, which its name tells.
fn part_of_speech(path: &Path) -> Option<PartOfSpeech> {
    match plain_name(path).as_str() {
        "data.noun" => Some(PartOfSpeech::Noun),
        "data.verb" => Some(PartOfSpeech::Verb),
        "data.adj" => Some(PartOfSpeech::Adjective),
        "data.adv" => Some(PartOfSpeech::Adverb),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOUN: &str = "  1 This software and database is being provided\n\
        00045638 04 n 03 piece 0 part 0 fuel_tank 1 003 @ 00004475 n 0000 | a portion; \"a piece of it\"  \n\
        00045639 04 n 01 alone 0 000 | has no synonym  \n";
    const VERB: &str = "00045640 30 v 02 divert 0 draw 1 000 01 + 08 00 | turn aside  \n";
    const ADJECTIVE: &str = "00045641 00 a 02 arid(p) 0 dry 0 000 | lacking water  \n";

    fn read(files: &[(&str, &str)]) -> Result<SynonymVocabulary, Error> {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        paths.iter().zip(files).for_each(|(path, (_, text))| std::fs::write(path, text).unwrap());
        SynonymVocabulary::read(&paths)
    }

    #[test]
    fn synonyms_agree_in_form() {
        let vocabulary = read(&[("data.noun", NOUN), ("data.verb", VERB), ("data.adj", ADJECTIVE)]).unwrap();
        assert_eq!(vocabulary.of("Pieces", false), ["parts", "fuel tanks"]);
        assert_eq!(vocabulary.of("piece", false), ["part", "fuel tank"]);
        assert_eq!(vocabulary.of("diverted", false), ["drew"]);
        assert_eq!(vocabulary.of("diverted", true), ["drawn"]);
        assert_eq!(vocabulary.of("diverting", false), ["drawing"]);
        assert_eq!(vocabulary.of("arid", false), ["dry"], "without the position of the adjective");
        assert_eq!(vocabulary.of("pieced", false), [""; 0], "a noun has no past");
        assert_eq!(vocabulary.of("alone", false), [""; 0]);
    }

    #[test]
    fn a_folder_of_wordnet_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("data.noun"), NOUN).unwrap();
        std::fs::write(folder.path().join("index.noun"), "not read").unwrap();
        let vocabulary = SynonymVocabulary::read(&[folder.path().to_owned()]).unwrap();
        assert_eq!(vocabulary.of("piece", false), ["part", "fuel tank"]);
        let pattern = SynonymVocabulary::read(&[folder.path().join("data.*")]).unwrap();
        assert_eq!(pattern.of("piece", false), ["part", "fuel tank"]);
        let empty = tempfile::tempdir().unwrap();
        let error = SynonymVocabulary::read(&[empty.path().to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no data.noun"), "{error}");
    }

    #[test]
    fn clusters_and_tables_are_read() {
        let clusters = "goal reached\n\tgoal reached\n\ttarget met\nsouth road\n\tsouth road\n\tnam road\n";
        let vocabulary = read(&[
            ("clusters.txt", clusters),
            ("words.csv", "word,synonyms\nimminent,\"coming, soon\",near\nbig,large|great\n"),
            ("more.tsv", "use\tapply\nalone\n"),
        ])
        .unwrap();
        assert_eq!(vocabulary.of("goal reached", false), ["target met"]);
        assert_eq!(vocabulary.of("imminent", false), ["coming, soon", "near"]);
        assert_eq!(vocabulary.of("big", false), ["large", "great"]);
        assert_eq!(vocabulary.of("used", false), ["applied"]);
        assert_eq!(vocabulary.of("word", false), [""; 0], "the header is none");
    }

    #[test]
    fn tables_are_read_whatever_their_dialect() {
        let tables = [
            ("words.csv", "physician;doctor\nphysician;medic, general practitioner\n"),
            ("words.csv", "physician;medic, general practitioner\nphysician;doctor\n"),
            ("words.csv", "sep=;\nWord;Synonym\n\"physician\";\"doctor\"\nphysician;\"medic, general practitioner\"\n"),
            ("words.csv", "physician\tdoctor\nphysician\tmedic, general practitioner\n"),
            ("words.txt", "word|synonym\nphysician|doctor|medic, general practitioner\n"),
            ("words", "physician,\"doctor\"\nphysician,\"medic,\r\ngeneral practitioner\"\n"),
        ];
        for table in tables {
            let found = read(&[table]).unwrap().of("physician", false);
            let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
            found.sort_unstable();
            assert_eq!(found, ["doctor", "medic, general practitioner"], "{table:?}");
        }
        let joined = read(&[("words.csv", "big,large|great\nsmall,tiny|little,wee\n")]).unwrap();
        assert_eq!(joined.of("small", false), ["tiny", "little", "wee"]);
    }

    #[test]
    fn a_folder_without_wordnet_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv"), "big,large\n").unwrap();
        std::fs::write(folder.path().join("b.txt"), "arid\n\tdry\n").unwrap();
        let vocabulary = SynonymVocabulary::read(&[folder.path().to_owned()]).unwrap();
        assert_eq!(
            (vocabulary.of("big", false), vocabulary.of("arid", false)),
            (vec!["large".into()], vec!["dry".into()])
        );
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let cases = [
            (
                "data.noun",
                "00045638 04 n zz piece 0\n",
                "data.noun:1: no synset of WordNet: \"00045638 04 n zz piece 0\"",
            ),
            ("data.noun", "00045638 04 n 03 piece 0 part 0\n", "data.noun:1: no synset of WordNet"),
            ("clusters.txt", "\tgoal\n", "clusters.txt:1: a member before the name of its cluster"),
            ("words.csv", "word,synonyms\n", "words.csv:1: no two synonyms in the file"),
        ];
        for (name, text, message) in cases {
            let error = read(&[(name, text)]).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert!(error.hint().is_some());
        }
    }
}
