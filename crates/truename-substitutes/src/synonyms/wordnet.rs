//! WordNet's data files: the words of a synset are synonyms.
//!
//! `offset file type count(hex) word id word id … | gloss`: <https://wordnet.princeton.edu/documentation/wndb5wn>.

use truename_read::Source;

use crate::lines::for_each_line;
use crate::{Error, error};

/// Passes the words of each synset to `add`.
///
/// # Errors
/// If the file cannot be read or a line is no synset.
pub(super) fn read(source: Source, mut add: impl FnMut(Vec<String>)) -> Result<(), Error> {
    let path = source.path().to_owned();
    for_each_line(source, |number, line| {
        // The licence stands at the top, behind two spaces.
        if line.starts_with("  ") {
            return Ok(());
        }
        let words = words(line);
        let words = words
            .ok_or_else(|| error::word_list(&path, number, format!("no synset of WordNet: \"{}\"", shown(line))))?;
        add(words);
        Ok(())
    })
}

fn words(line: &str) -> Option<Vec<String>> {
    let fields: Vec<&str> = line.split('|').next().unwrap_or_default().split(' ').collect();
    let count = usize::from_str_radix(fields.get(3)?, 16).ok()?;
    let words = fields.get(4..4 + 2 * count)?;
    Some(words.iter().step_by(2).map(|word| without_position(word).replace('_', " ")).collect())
}

/// Returns an adjective without the mark of its position: "galore(ip)".
fn without_position(word: &str) -> &str {
    let is_position = |word: &&str| word.ends_with(')');
    Some(word).filter(is_position).and_then(|word| word.rsplit_once('(')).map_or(word, |(word, _)| word)
}

fn shown(line: &str) -> String {
    line.chars().take(80).collect()
}
