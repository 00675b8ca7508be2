//! `truename evaluate substitutes`.

use std::io::Write;

use serde::Serialize;
use truename_eval::substitutes::{GoldWord, JudgedWord, SubstituteScores, read_gold};
use truename_read::SourceOptions;
use truename_substitutes::{SimplifiedWord, Simplifier};

use crate::arguments::EvaluateSubstitutes;
use crate::bars;
use crate::{atomic_file, interrupt, output};

use super::simplify::simplifier;

pub fn run(arguments: &EvaluateSubstitutes, quiet: bool) -> anyhow::Result<()> {
    let options = SourceOptions { encoding: arguments.encoding.clone(), ..SourceOptions::default() };
    let gold = read_gold(&arguments.gold, &options)?;
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
