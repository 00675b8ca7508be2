//! `truename evaluate substitutes`.

use std::io::Write;

use serde::Serialize;
use truename_eval::substitutes::{GoldWord, JudgedWord, SubstituteScores, read_gold};
use truename_read::SourceOptions;

use crate::arguments::EvaluateSubstitutes;
use crate::progress::watched;
use crate::{atomic_file, interrupt, output};

use super::simplify::simplifier;

pub fn run(arguments: &EvaluateSubstitutes, quiet: bool) -> anyhow::Result<()> {
    let options = SourceOptions { encoding: arguments.encoding.clone(), ..SourceOptions::default() };
    let gold = read_gold(&arguments.gold, &options)?;
    let simplifier = simplifier(&arguments.substitutes, |_| ())?;
    let judged = watched(quiet, || JudgedWord::simplified(&simplifier, &gold, &interrupt::progress()))?;
    let scores = SubstituteScores::of(&judged);
    let mut out = output::stdout();
    writeln!(out, "{scores}")?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &scores)?;
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
