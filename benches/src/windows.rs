//! Windows in which a recognizer reads texts, for the programs that are compared with it.

use std::path::Path;

use truename_infer::{SpanScorer, SpanWindow, WindowOptions};

/// Reads texts, a JSON string a line, and prints the start and end of the windows of each, in characters.
pub fn run(model: &Path) -> anyhow::Result<()> {
    let scorer = SpanScorer::open(model)?;
    let config = scorer.config();
    let options = WindowOptions { tokens: config.window, overlap: config.max_span, capitals: config.capitals };
    for line in std::io::stdin().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let characters = |byte: usize| text[..byte].chars().count();
        let windows = SpanWindow::of(&text, scorer.backbone().tokenizer(), options)?;
        let covered = windows.iter().filter_map(SpanWindow::covered);
        let places: Vec<_> = covered.map(|place| [characters(place.start), characters(place.end)]).collect();
        println!("{}", serde_json::json!(places));
    }
    Ok(())
}
