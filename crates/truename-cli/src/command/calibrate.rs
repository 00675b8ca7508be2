//! `truename calibrate`.

use std::time::Instant;

use truename::{CalibrateOptions, GoldName, KnowledgeBase};

use crate::arguments::Calibrate;

pub fn run(arguments: &Calibrate, quiet: bool) -> anyhow::Result<()> {
    let kb = KnowledgeBase::open(&arguments.kb)?;
    let gold: Vec<GoldName> = match &arguments.gold {
        Some(path) => {
            let read = truename_eval::read_gold(path)?;
            read.into_iter().map(|gold| GoldName { name: gold.name, ids: gold.ids }).collect()
        }
        None => Vec::new(),
    };
    let start = Instant::now();
    let gain = kb.calibrate(&gold, &CalibrateOptions { names: arguments.names, ..CalibrateOptions::default() })?;
    if gain.unknown_gold > 0 && !quiet {
        eprintln!(
            "warning: {} judgements have ids that the knowledge base does not; they were not used",
            gain.unknown_gold
        );
    }
    println!(
        "{} names held out in turn, {} judgements, {:.1} s",
        gain.held_out,
        gain.gold,
        start.elapsed().as_secs_f64()
    );
    println!("                          before    after   (by 5-fold cross-validation)");
    let percent = |label: &str, (before, after): (f64, f64)| {
        println!("{label:<24} {:>7.2}  {:>7.2}", 100.0 * before, 100.0 * after);
    };
    percent("names: first right (%)", gain.accuracy);
    if let Some(accuracy) = gain.gold_accuracy {
        percent("judgements: first (%)", accuracy);
    }
    println!("{:<24} {:>7.4}  {:>7.4}", "log-loss", gain.log_loss.0, gain.log_loss.1);
    println!("{:<24} {:>7.2}  {:>7.2}", "NIL below", gain.threshold.0, gain.threshold.1);
    Ok(())
}
