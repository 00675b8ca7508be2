//! Frequencies of words, from word lists or counted in texts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use truename_read::{Source, SourceOptions, Table, TableOptions, has_extension};
use truename_text::{Span, Words};

use super::lines::for_each_line;
use crate::{Error, error};

/// Number of occurrences of words, from a word list or counted in texts. Capitals do not count.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    counts: HashMap<String, u64>,
    total: u64,
}

impl Frequencies {
    /// Reads word lists and counts the words of texts.
    ///
    /// A file is a word list if its first line, or the line below its header, is a word and a count with a tab between them, or any delimiter
    /// in a `.csv` or `.tsv`; then all its rows are. Any other file is a text.
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
                return Err(error::word_list(path, None, "no word with a count, and no text"));
            }
        }
        Ok(frequencies)
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let source = Source::open(path, &SourceOptions::default())?;
        match delimiter(&source) {
            Some(delimiter) => self.add_list(source, delimiter),
            None => for_each_line(source, |_, line| {
                self.add_text(line);
                Ok(())
            }),
        }
    }

    fn add_list(&mut self, source: Source, delimiter: u8) -> Result<(), Error> {
        let path = source.path().to_owned();
        // A quote is a word of some lists.
        let is_quoted = delimiter != b'\t';
        let options =
            TableOptions { delimiter: Some(delimiter), has_header: false, is_quoted, ..TableOptions::default() };
        let mut table = Table::open(source, &options)?;
        let (mut places, mut is_first) = ((0, 1), true);
        while let Some(record) = table.read_filled()? {
            let row: Option<Vec<String>> = record.cells().map(|cell| table.encoding().decode(cell)).collect();
            let row = row.ok_or_else(|| error::word_list(&path, record.line, "not UTF-8"))?;
            if row.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            if std::mem::take(&mut is_first) && row.get(1).is_none_or(|cell| count(cell).is_none()) {
                places = columns(&row).unwrap_or(places);
                continue;
            }
            let cell = |at: usize| row.get(at).map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
            match (cell(places.0), cell(places.1).and_then(count)) {
                (Some(word), Some(count)) => self.add(word, count),
                _ => {
                    let between = if delimiter == b'\t' { "a tab" } else { "a delimiter" };
                    let found = String::from_utf8_lossy(record.content());
                    let message = format!("expected a word, {between} and its count, found \"{found}\"");
                    return Err(error::word_list(&path, record.line, message));
                }
            }
        }
        Ok(())
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

/// Names of columns of words, and of counts, by which a header is known.
const WORDS: [&str; 5] = ["word", "words", "term", "token", "name"];
const COUNTS: [&str; 7] = ["count", "counts", "frequency", "freq", "freqcount", "occurrences", "n"];
/// Rows below a header of other names by which a word list is known.
const ROWS: usize = 5;

/// Returns the places of the word and its count, if a row is a header.
fn columns(row: &[String]) -> Option<(usize, usize)> {
    let place = |names: &[&str]| row.iter().position(|cell| names.contains(&cell.trim().to_lowercase().as_str()));
    Some((place(&WORDS)?, place(&COUNTS)?))
}

/// Returns the delimiter of a word list; none of a text.
fn delimiter(source: &Source) -> Option<u8> {
    let path = source.path();
    let is_table = ["csv", "tsv", "tab"].iter().any(|extension| has_extension(path, extension));
    let delimiters = if is_table { &['\t', ',', ';', '|'][..] } else { &['\t'] };
    let beginning = source.beginning_text();
    let is_row = |line: &&str| !line.trim().is_empty() && !line.trim_matches('"').to_lowercase().starts_with("sep=");
    let mut rows = beginning.lines().filter(is_row);
    let first = rows.next()?;
    // The last line of the beginning may be cut off.
    let below: Vec<&str> = rows.take(ROWS + 1).collect();
    let below = &below[..below.len() - usize::from(below.len() > 1)];
    let is_list = |delimiter: &&char| {
        let cells: Vec<String> = first.split(**delimiter).map(|cell| cell.trim_matches('"').to_owned()).collect();
        let is_entry = |line: &&str| entry(line, **delimiter).is_some_and(|word| !word.contains(' '));
        let is_below_header = || cells.len() == 2 && !below.is_empty() && below.iter().all(&is_entry);
        entry(first, **delimiter).is_some() || columns(&cells).is_some() || is_below_header()
    };
    delimiters.iter().find(is_list).map(|delimiter| *delimiter as u8)
}

/// Returns the word of a line with a word and a count.
fn entry(line: &str, delimiter: char) -> Option<&str> {
    let (word, number) = line.split_once(delimiter)?;
    count(number).map(|_| word.trim()).filter(|word| !word.is_empty())
}

/// Parses a count, which may have quotes around it and commas between its thousands.
fn count(text: &str) -> Option<u64> {
    let text = text.trim().trim_matches('"');
    let is_grouped = || text.split(',').skip(1).all(|group| group.len() == 3) && !text.starts_with(',');
    text.parse().ok().or_else(|| text.replace(',', "").parse().ok().filter(|_| is_grouped()))
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
    fn lists_are_read_whatever_their_dialect() {
        let lists = [
            ("list.txt", "word\tcount\nthe\t1000000\nphysician\t2\n"),
            ("list.txt", "Wort\tZahl\nthe\t1000000\nphysician\t2\n"),
            ("list.tsv", "Rank\tWord\tFreq\n1\tthe\t1000000\n2\tphysician\t2\n"),
            ("list.csv", "sep=;\nword;count\nthe;1000000\nphysician;2\n"),
            ("list.csv", "word,count\nthe,\"1,000,000\"\nphysician,2\n"),
            ("list.csv", "\"the\",1000000\n\"physician\",2\n"),
        ];
        for list in lists {
            let frequencies = read(&[list]).unwrap();
            assert_eq!(["the", "physician"].map(|word| frequencies.count(word)), [1_000_000, 2], "{list:?}");
            assert_eq!(frequencies.counts.len(), 2, "{list:?}");
        }
        let header = read(&[("list.tsv", "word\tcount\n")]).unwrap_err();
        assert!(header.to_string().contains("no word with a count"), "{header}");
        let quotes = read(&[("list.tsv", "\"\t500\nthe\t60\n")]).unwrap();
        assert_eq!(["\"", "the"].map(|word| quotes.count(word)), [500, 60]);
        let texts =
            read(&[("a.txt", "In June, 1999\nIn May\n"), ("b.csv", "text,label\na long text,1\nin June,0\n")]).unwrap();
        assert_eq!(texts.count("in"), 3);
    }

    #[test]
    fn a_line_without_a_count_is_refused() {
        let error = read(&[("list.csv", "word,count\nthe,60\nuse,many\n")]).unwrap_err();
        assert!(
            error.to_string().ends_with("list.csv:3: expected a word, a delimiter and its count, found \"use,many\""),
            "{error}"
        );
        let error = read(&[("list.tsv", "the\t60\nuse\n")]).unwrap_err();
        assert!(
            error.to_string().ends_with("list.tsv:2: expected a word, a tab and its count, found \"use\""),
            "{error}"
        );
        let missing = Frequencies::read(&["none.tsv".into()]).unwrap_err();
        assert!(missing.is_not_found());
    }
}
