use std::collections::HashMap;
use std::path::{Path, PathBuf};

use truename_text::{Span, Words};

use super::lines::for_each_line;
use crate::Error;

/// Number of occurrences of words, from a word list or counted in texts. Capitals do not count.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    counts: HashMap<String, u64>,
    total: u64,
}

impl Frequencies {
    /// Reads word lists and counts the words of texts.
    ///
    /// A file is a word list if its first line that is not empty is `word TAB count`; then all its lines are. Any other file is a text.
    /// A folder or a pattern stands for its files. The counts of several files are added.
    ///
    /// # Errors
    /// If a file cannot be read, is not UTF-8, has no word, or a line of a word list has no count.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut frequencies = Self::default();
        for path in paths {
            let before = frequencies.total;
            truename_read::files(path)?.iter().try_for_each(|file| frequencies.add_file(file))?;
            if frequencies.total == before {
                return Err(Error::word_list(path, 0, "no word with a count, and no text".to_owned()));
            }
        }
        Ok(frequencies)
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let mut is_list = None;
        for_each_line(path, |number, line| {
            let entry = entry(line);
            match (*is_list.get_or_insert(entry.is_some()), entry) {
                (true, Some((word, count))) => self.add(word, count),
                (true, None) => {
                    let message = format!("expected a word, a tab and its count, found \"{line}\"");
                    return Err(Error::word_list(path, number, message));
                }
                (false, _) => self.add_text(line),
            }
            Ok(())
        })
    }

    /// Counts the words of a text.
    pub fn add_text(&mut self, text: &str) {
        let words = Words::of(text, Span::new(0, text.len()));
        (0..words.len()).filter_map(|word| words.span(word).of(text)).for_each(|word| self.add(word, 1));
    }

    fn add(&mut self, word: &str, count: u64) {
        *self.counts.entry(word.to_lowercase()).or_default() += count;
        self.total += count;
    }

    /// Returns the number of occurrences of a word, or of the rarest word of several.
    pub fn count(&self, words: &str) -> u64 {
        let of_word = |word: &str| self.counts.get(&word.to_lowercase()).copied().unwrap_or(0);
        match of_word(words) {
            0 => words.split(' ').filter(|word| !word.is_empty()).map(of_word).min().unwrap_or(0),
            count => count,
        }
    }

    /// Returns the occurrences of a word in a million words.
    pub fn per_million(&self, word: &str) -> f64 {
        1e6 * self.count(word) as f64 / self.total.max(1) as f64
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Returns the word and the count of a line.
fn entry(line: &str) -> Option<(&str, u64)> {
    let (word, count) = line.split_once('\t')?;
    let word = word.trim();
    Some((word, count.trim().parse().ok()?)).filter(|_| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(files: &[(&str, &str)]) -> Result<Frequencies, Error> {
        let folder = tempfile::tempdir().unwrap();
        let write = |(name, text): &(&str, &str)| {
            let path = folder.path().join(name);
            let file = std::fs::File::create(&path).unwrap();
            if name.ends_with(".gz") {
                let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
                packed.write_all(text.as_bytes()).unwrap();
                packed.finish().unwrap();
            } else {
                std::fs::write(&path, text).unwrap();
            }
            path
        };
        let paths: Vec<PathBuf> = files.iter().map(write).collect();
        Frequencies::read(&paths)
    }

    #[test]
    fn lists_are_read_and_texts_are_counted() {
        let frequencies = read(&[
            ("list.tsv", "\nthe\t60\nuse\t30\nput\t5\n"),
            ("notes.txt", "The use, of use.\n\nUse the\tword 3"),
            ("more.gz", "out\t2\n"),
        ])
        .unwrap();
        assert_eq!(["the", "USE", "of", "none"].map(|word| frequencies.count(word)), [62, 33, 1, 0]);
        assert_eq!(frequencies.count("put out"), 2, "the rarest of several words");
        assert_eq!(frequencies.count("put none"), 0);
        assert!((frequencies.per_million("the") - 62.0 / 105.0 * 1e6).abs() < 1e-6);
        assert_eq!(Frequencies::default().per_million("the"), 0.0);
    }

    #[test]
    fn lists_of_a_folder_and_of_a_pattern_are_added() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.tsv", "the\t60\n"), ("b.tsv", "the\t2\nuse\t1\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        for path in [folder.path().to_owned(), folder.path().join("*.tsv")] {
            let frequencies = Frequencies::read(&[path]).unwrap();
            assert_eq!(["the", "use"].map(|word| frequencies.count(word)), [62, 1]);
        }
    }

    #[test]
    fn a_line_without_a_count_is_refused() {
        let error = read(&[("list.tsv", "the\t60\nuse\n")]).unwrap_err();
        assert!(
            error.to_string().ends_with("list.tsv:2: expected a word, a tab and its count, found \"use\""),
            "{error}"
        );
        let missing = Frequencies::read(&["none.tsv".into()]).unwrap_err();
        assert!(missing.is_not_found());
    }
}
