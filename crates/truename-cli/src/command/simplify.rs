//! `truename simplify`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use truename::{Document, KnowledgeBase, OffsetUnit, Offsets};
use truename_corpus::ReadOptions;
use truename_substitutes::{SimplifiedWord, Simplifier, SimplifyOptions, SubstituteSources, replaced};

use crate::arguments::{Simplify, SimplifyFormat, SubstituteArguments};
use crate::documents::Documents;
use crate::exit_code::UsageError;
use crate::harmless::OneLine;
use crate::interrupt;
use crate::output::Output;

/// Number of words simplified between two checks for Ctrl-C.
const PIECE: usize = 64;

pub fn run(arguments: &Simplify, quiet: bool) -> anyhow::Result<()> {
    if arguments.words.is_empty() && arguments.substitutes.frequencies.is_empty() {
        let message = "name the words by --words, or give --frequencies, by which rare words are known";
        return Err(UsageError(message.into()).into());
    }
    let options = ReadOptions { mentions: false, ..arguments.documents.options()? };
    let inputs: Vec<Input> = arguments.inputs.iter().map(|input| Input::of(input)).collect::<Result<_, _>>()?;
    let simplifier = simplifier(&arguments.substitutes, |options| options.rare = arguments.rare)?;
    let mut sink = Sink { out: Output::open(arguments.out.as_deref())?, arguments, words: 0 };
    for input in inputs {
        match input {
            Input::Text(text) => sink.write(&simplifier, &Document::new("", text))?,
            Input::File(file) => {
                let mut documents = Documents::open(&[file], &options, quiet || arguments.out.is_none());
                for document in documents.documents() {
                    sink.write(&simplifier, &document)?;
                    sink.out.flush().context("cannot write the results")?;
                }
                documents.finish()?.report_all(quiet)?;
            }
        }
    }
    sink.finish(quiet)
}

/// Opens the sources of substitutes.
pub fn simplifier(
    arguments: &SubstituteArguments,
    change: impl FnOnce(&mut SimplifyOptions),
) -> anyhow::Result<Simplifier> {
    let mut options = SimplifyOptions {
        candidates: arguments.candidates.into(),
        top: arguments.top.into(),
        window: arguments.window.into(),
        original_masked: (!arguments.masked_alone).then_some(arguments.mask_original),
        ..SimplifyOptions::default()
    };
    change(&mut options);
    let sources = SubstituteSources {
        model: arguments.model.clone(),
        synonyms: arguments.synonyms.clone(),
        frequencies: arguments.frequencies.clone(),
        encoder: arguments.encoder.clone(),
        adapters: arguments.adapter.clone().unwrap_or_default(),
    };
    Ok(sources.open(options, |synonyms| match &arguments.kb {
        Some(kb) => KnowledgeBase::open(kb)?.for_each_concept(|concept| {
            synonyms.add_words(concept.names());
            Ok(())
        }),
        None => Ok(()),
    })?)
}

enum Input {
    Text(String),
    File(PathBuf),
}

impl Input {
    /// Returns a file or a pattern where there is one, else a text. One word that looks like a path is taken for a file that is missing.
    fn of(input: &str) -> Result<Self, UsageError> {
        let path = Path::new(input);
        let is_pattern = || truename_read::files(path).is_ok_and(|files| files.iter().any(|file| file != path));
        if input == "-" || path.exists() || is_pattern() {
            return Ok(Self::File(path.to_owned()));
        }
        let is_path = !input.contains(char::is_whitespace) && (input.contains('/') || path.extension().is_some());
        match is_path {
            true => Err(UsageError(format!("there is no file {input}; a text has several words"))),
            false => Ok(Self::Text(input.to_owned())),
        }
    }
}

struct Sink<'a> {
    out: Output,
    arguments: &'a Simplify,
    words: usize,
}

impl Sink<'_> {
    fn write(&mut self, simplifier: &Simplifier, document: &Document) -> anyhow::Result<()> {
        let text = &document.text;
        let places = simplifier.places(text, &self.arguments.words);
        let mut words = Vec::with_capacity(places.len());
        for places in places.chunks(PIECE) {
            interrupt::check()?;
            words.extend(simplifier.simplify(text, places)?);
        }
        self.words += words.len();
        self.write_words(document, &words).context("cannot write the results")
    }

    fn write_words(&mut self, document: &Document, words: &[SimplifiedWord]) -> std::io::Result<()> {
        if self.arguments.replace {
            let text = replaced(&document.text, words);
            write!(self.out, "{text}")?;
            return if text.ends_with('\n') { Ok(()) } else { writeln!(self.out) };
        }
        match self.arguments.format {
            SimplifyFormat::Jsonl => write_lines(&mut self.out, document, words, self.arguments.documents.offsets),
            SimplifyFormat::Terminal => words.iter().try_for_each(|word| write_word(&mut self.out, word)),
        }
    }

    fn finish(self, quiet: bool) -> anyhow::Result<()> {
        self.out.finish()?;
        if self.words == 0 && !quiet {
            match &self.arguments.words[..] {
                [] => crate::say!("hint: no word is rarer than --rare {}", self.arguments.rare),
                words => crate::say!("hint: no text has {}", words.join(", ")),
            }
        }
        Ok(())
    }
}

fn write_lines(
    out: &mut Output,
    document: &Document,
    words: &[SimplifiedWord],
    unit: OffsetUnit,
) -> std::io::Result<()> {
    let offsets = Offsets::new(&document.text, unit);
    for word in words {
        serde_json::to_writer(&mut *out, &word.to_json(&document.id, &offsets))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a word, its replacement and the other substitutes: `imminent → close  (coming, near)`.
fn write_word(out: &mut Output, word: &SimplifiedWord) -> std::io::Result<()> {
    let others = word.substitutes.iter().map(|one| one.word.as_str());
    let others: Vec<&str> = match &word.replacement {
        Some(replacement) => others.filter(|other| !other.eq_ignore_ascii_case(replacement)).collect(),
        None => others.collect(),
    };
    write!(out, "{} → {}", OneLine(&word.word), OneLine(word.replacement.as_deref().unwrap_or("(kept)")))?;
    match &others[..] {
        [] => writeln!(out),
        others => writeln!(out, "  ({})", OneLine(&others.join(", "))),
    }
}
