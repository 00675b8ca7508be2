//! WordNet data files, `data.noun` and the like (wndb(5WN)):
//! `offset lexfile type count word lexid … pointers symbol offset pos source/target … | gloss`.
//!
//! A synset is a concept: its id is `WN:OFFSET-POS`, its words are names, its gloss with the examples is the definition, and its
//! hypernyms are parents. The lines of the licence begin with two blanks.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    for_each_row(
        source,
        collector,
        |_| false,
        |number, line, collector| {
            if line.starts_with("  ") {
                return Ok(());
            }
            match synset(line) {
                Ok(entry) => collector.add(Some(number), entry),
                Err(reason) => collector.problem(Some(number), line, reason),
            }
        },
    )
}

/// Returns the entry of a line, or the reason for which it is none.
fn synset(line: &str) -> Result<Entry, &'static str> {
    let (fields, gloss) =
        line.split_once(" | ").ok_or("no ` | ` before a gloss; the files are data.noun and the like")?;
    let mut fields = fields.split(' ').filter(|field| !field.is_empty());
    let mut next = || fields.next().ok_or("a synset with too few fields");
    let (offset, _) = (next()?, next()?);
    let pos = part_of_speech(next()?).ok_or("a type of synset other than n, v, a, s and r")?;
    if !is_offset(offset) {
        return Err("an offset that has not 8 digits");
    }
    let words = usize::from_str_radix(next()?, 16).map_err(|_| "a number of words that is not hexadecimal")?;
    let mut names = Vec::new();
    for _ in 0..words {
        names.push(written(next()?));
        next()?;
    }
    let pointers: usize = next()?.parse().map_err(|_| "a number of pointers that is not decimal")?;
    let mut parents = Vec::new();
    for _ in 0..pointers {
        let (symbol, target, pos, _) = (next()?, next()?, next()?, next()?);
        let pos = part_of_speech(pos).filter(|_| is_offset(target)).ok_or("a pointer to no synset")?;
        if matches!(symbol, "@" | "@i") {
            parents.push(id(target, pos));
        }
    }
    let mut names = names.into_iter();
    Ok(Entry {
        id: id(offset, pos),
        name: names.next().unwrap_or_default(),
        synonyms: names.collect(),
        types: vec![pos.1.to_owned()],
        parents,
        definition: Some(gloss.trim().to_owned()).filter(|gloss| !gloss.is_empty()),
        ..Entry::default()
    })
}

fn is_offset(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn id(offset: &str, pos: (char, &str)) -> String {
    format!("WN:{offset}-{}", pos.0)
}

/// Returns the letter of a file with the word for it; satellite adjectives, `s`, stand in the file of adjectives.
fn part_of_speech(letter: &str) -> Option<(char, &'static str)> {
    Some(match letter {
        "n" => ('n', "noun"),
        "v" => ('v', "verb"),
        "a" | "s" => ('a', "adjective"),
        "r" => ('r', "adverb"),
        _ => return None,
    })
}

/// Returns a word as texts have it: with blanks, and without the syntactic marker of adjectives (`galore(ip)`).
fn written(word: &str) -> String {
    let markers = ["(a)", "(p)", "(ip)"];
    let word = markers.iter().find_map(|marker| word.strip_suffix(marker)).unwrap_or(word);
    word.replace('_', " ")
}
