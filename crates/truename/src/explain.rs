//! Explanations of answers, in words a curator reads.

use truename_text::similarity::is_misspelt;
use truename_text::{KeyMatch, NameProfile, Token};

use crate::{Candidate, Link};

/// Explains the evidence for the best candidate, the evidence against the next one, and the verdict.
pub(crate) fn explain(name: &str, candidates: &[Candidate], threshold: f64) -> String {
    let Some(best) = candidates.first() else {
        return format!("No name of the knowledge base resembles “{name}”.");
    };
    let query = NameProfile::new(name);
    let matched = NameProfile::new(&best.matched_name);
    let mut said = vec![format!("{} ({}): {}.", best.id, best.preferred_name, likeness(&query, &matched, best))];
    if let Some(next) = candidates.get(1) {
        let other = NameProfile::new(&next.matched_name);
        let lacking = differences(&query, &other);
        let lacking = if lacking.is_empty() { likeness(&query, &other, next) } else { lacking };
        said.push(format!("Next is {} ({}), {}: {lacking}.", next.id, next.preferred_name, percent(next.probability)));
    }
    said.push(if best.probability < threshold {
        format!("{} is below the threshold of {}, so the answer is NIL.", percent(best.probability), percent(threshold))
    } else {
        format!("Probability {}.", percent(best.probability))
    });
    said.join(" ")
}

/// Explains which of the `count` concepts with this name is answered; `is_meant` if the document also mentions that
/// concept by another name.
pub(crate) fn explain_shared(link: &Link, count: usize, is_meant: bool) -> String {
    let ids: Vec<&str> = link.candidates[..count].iter().map(|candidate| candidate.id.as_str()).collect();
    let best = &link.candidates[0];
    let why = if is_meant { "the document names it otherwise too" } else { "it is the likeliest" };
    let verdict = if link.is_nil { "the answer is NIL".into() } else { format!("it is {}, for {why}", best.id) };
    format!(
        "{count} concepts have this very name, {}: {verdict}. Probability {}.",
        ids.join(", "),
        percent(best.probability)
    )
}

/// Explains that the text is no name.
pub(crate) fn explain_placeholder(text: &str) -> String {
    format!("“{text}” is a placeholder and no name, so the answer is NIL.")
}

fn likeness(query: &NameProfile, matched: &NameProfile, candidate: &Candidate) -> String {
    let name = &candidate.matched_name;
    match query.keys.meet(&matched.keys) {
        KeyMatch::Exact if query.written == matched.written => "it has this very name".into(),
        KeyMatch::Exact => format!("it has this name, written “{name}”"),
        KeyMatch::Variant => format!("its name “{name}” differs in plural or spelling alone"),
        KeyMatch::Reordered => format!("its name “{name}” has the same words in another order"),
        KeyMatch::Acronym if query.letters.len() < matched.letters.len() => {
            format!("“{}” is the acronym of its name “{name}”", query.written)
        }
        KeyMatch::Acronym => format!("its name “{name}” is the acronym of “{}”", query.written),
        KeyMatch::None => {
            let alike = percent(candidate.scores.ngram.unwrap_or_default());
            let differing = differences(query, matched);
            let meaning = candidate.scores.dense.map_or_else(String::new, |cosine| {
                format!(", and the nearest of its names by vector has a cosine of {cosine:.2}")
            });
            let differing = if differing.is_empty() { String::new() } else { format!("; {differing}") };
            format!("its name “{name}” shares {alike} of the weighted letter sequences{meaning}{differing}")
        }
    }
}

/// Returns the differences between two names in words.
fn differences(query: &NameProfile, name: &NameProfile) -> String {
    let words = |has: &NameProfile, lacks: &NameProfile| -> Vec<String> {
        let is_there =
            |token: &Token| lacks.tokens.iter().any(|other| other.hash == token.hash || is_misspelt(token, other));
        has.tokens.iter().filter(|token| !is_there(token)).map(shown).collect()
    };
    let (missing, extra) = (words(query, name), words(name, query));
    let mut said = Vec::new();
    for token in query.tokens.iter().filter(|token| !name.tokens.iter().any(|other| other.hash == token.hash)) {
        if let Some(meant) = name.tokens.iter().find(|other| is_misspelt(token, other)) {
            said.push(format!("{} stands for {}", shown(token), shown(meant)));
        }
    }
    if !missing.is_empty() {
        said.push(format!("“{}” lacks {}", name.written, missing.join(", ")));
    }
    if !extra.is_empty() {
        said.push(format!("it has {} beyond the name asked for", extra.join(", ")));
    }
    if query.numbers != name.numbers && !query.numbers.is_empty() && !name.numbers.is_empty() {
        said.push(format!("its numbers are {} and not {}", name.numbers.join(", "), query.numbers.join(", ")));
    }
    said.join("; ")
}

fn shown(token: &Token) -> String {
    format!("“{}”", token.letters.iter().collect::<String>())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
