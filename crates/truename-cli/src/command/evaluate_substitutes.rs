//! `truename evaluate substitutes`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use truename::substitutes::{SimplifiedWord, Simplifier};
use truename_eval::substitutes::{GoldWord, JudgedWord, SubstituteScores, read_gold};

use crate::arguments::EvaluateSubstitutes;
use crate::bars;
use crate::exit_code::UsageError;
use crate::{atomic_file, interrupt, output};

use super::simplify::simplifier;

pub fn run(arguments: &EvaluateSubstitutes, quiet: bool) -> anyhow::Result<()> {
    let gold = read_gold(&text(&arguments.gold, arguments.encoding.as_deref())?, &arguments.gold)?;
    let simplifier = simplifier(&arguments.substitutes, |_| ())?;
    let judged = judge(&simplifier, &gold, quiet)?;
    let scores = SubstituteScores::of(&judged);
    let mut out = output::stdout();
    writeln!(out, "{scores}")?;
    out.finish()?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&scores)? + "\n"))?;
    }
    if let Some(path) = &arguments.predictions {
        let line = |(gold, judged): (&GoldWord, &JudgedWord)| {
            let JudgedWord { word, gold: right, candidates, answer } = judged;
            serde_json::to_string(&Prediction { sentence: &gold.sentence, word, answer, candidates, gold: right })
        };
        let lines: Vec<String> = gold.iter().zip(&judged).map(line).collect::<Result<_, _>>()?;
        atomic_file::write(path, &(lines.join("\n") + "\n"))?;
    }
    Ok(())
}

/// A judged word as JSON.
#[derive(Serialize)]
struct Prediction<'a> {
    sentence: &'a str,
    word: &'a str,
    answer: &'a str,
    candidates: &'a [String],
    gold: &'a [String],
}

/// Reads the text of a file in UTF-8 or another encoding.
fn text(path: &Path, encoding: Option<&str>) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot open {}", path.display()))?;
    if let Some(label) = encoding {
        let advice = "use a WHATWG label such as utf-8, windows-1252, utf-16le";
        let known = encoding_rs::Encoding::for_label(label.as_bytes());
        let known = known.ok_or_else(|| UsageError(format!("unknown encoding \"{label}\"; {advice}")))?;
        return Ok(known.decode(&bytes).0.into_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        anyhow::anyhow!("{}:{line}: not UTF-8 (say --encoding, as in --encoding windows-1252)", path.display())
    })
}

fn judge(simplifier: &Simplifier, gold: &[GoldWord], quiet: bool) -> anyhow::Result<Vec<JudgedWord>> {
    let bar = bars::bar(gold.len() as u64, bars::STEPS, quiet);
    bar.set_message("words");
    let mut judged = Vec::with_capacity(gold.len());
    for one in gold {
        interrupt::check()?;
        let found = simplifier.simplify(&one.sentence, &[one.span])?;
        judged.extend(found.into_iter().map(|found| judged_word(one, found)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(judged)
}

fn judged_word(gold: &GoldWord, found: SimplifiedWord) -> JudgedWord {
    JudgedWord {
        word: gold.word().to_owned(),
        gold: gold.substitutes.clone(),
        candidates: found.substitutes.into_iter().map(|one| one.word).collect(),
        answer: found.replacement.unwrap_or(found.word),
    }
}
