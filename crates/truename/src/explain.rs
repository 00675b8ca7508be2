//! Explanations of answers, in words a curator reads.

use truename_kb::{ConceptId, Date, judged_on};
use truename_text::similarity::is_misspelt;
use truename_text::{
    KeyMatch, LegalName, NameKeys, NameProfile, NormalizedName, Token, VersionedName, repaired, without_markup,
};

use crate::preferred_name::sole_preferred;
use crate::{Candidate, Link};

/// The ranker that gave the probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The ranker that comes with Truename.
    Standard,
    /// The ranker that was fitted to the knowledge base.
    Fitted,
    /// The nearest names by vector, which vote.
    Vote,
}

/// Explains the evidence for the best candidate, the evidence against the next one, and the verdict.
pub(crate) fn explain(name: &str, candidates: &[Candidate], threshold: f64, basis: Basis) -> String {
    let Some(best) = candidates.first() else {
        return format!("No name of the knowledge base resembles “{name}”.");
    };
    // A concept may have the name as it was spoilt.
    let repaired = repaired(name).filter(|_| best.matched_name != name);
    let unmarked = without_markup(name).filter(|_| repaired.is_none() && best.matched_name != name);
    let query = NameProfile::new(repaired.as_deref().or(unmarked.as_deref()).unwrap_or(name));
    let matched = NameProfile::new(&best.matched_name);
    let mut said = Vec::new();
    if let Some(repaired) = &repaired {
        said.push(format!("Read as “{repaired}”, whose UTF-8 was decoded as Windows-1252."));
    }
    if let Some(unmarked) = &unmarked {
        said.push(format!("Read as “{}”, without its markup.", unmarked.trim()));
    }
    said.push(format!("{} ({}): {}.", best.id, best.preferred_name, likeness(&query, &matched, best)));
    if let Some(source) = &best.alias_source {
        said.push(match judged_on(source) {
            Some(date) => format!("You judged this on {date}."),
            None => format!("That name is an alias from {source}."),
        });
    }
    let sharers = candidates.iter().filter(|candidate| candidate.scores.exact == 1.0).count();
    if sharers > 1 && sole_preferred(&query, candidates) == Some(0) {
        said.push(format!("Of the {sharers} concepts with that name it alone has it as its preferred name."));
    }
    if let Some(next) = candidates.get(1) {
        let other = NameProfile::new(&next.matched_name);
        let lacking = likeness_without_forms(&query, &other).unwrap_or_else(|| differences(&query, &other));
        let lacking = if lacking.is_empty() { likeness(&query, &other, next) } else { lacking };
        said.push(format!("Next is {} ({}), {}: {lacking}.", next.id, next.preferred_name, percent(next.probability)));
    }
    let (probability, grounds) = (percent(best.probability), grounds(best, basis));
    said.push(if best.probability < threshold {
        format!("{probability}, {grounds}, is below the threshold of {}, so the answer is NIL.", percent(threshold))
    } else {
        format!("Probability {probability}, {grounds}.")
    });
    said.join(" ")
}

/// Explains the answer to an id that was given in place of a name.
pub(crate) fn explain_id(id: &ConceptId, candidates: &[Candidate]) -> String {
    match candidates.first() {
        Some(best) if best.id == *id => format!("“{id}” is the id of {}.", best.preferred_name),
        Some(best) => format!("“{id}” is a retired id; {} ({}) replaces it.", best.id, best.preferred_name),
        None => format!("“{id}” is a retired id, and no single concept replaces it."),
    }
}

/// Returns what the probability of the best candidate rests on.
fn grounds(best: &Candidate, basis: Basis) -> String {
    let Some(_) = best.scores.ranker else { return "as often as one concept's exact name is right".into() };
    if best.scores.reranker.is_some() {
        return "from the text around it, by the re-ranker".into();
    }
    if best.probability_by_name.is_some() {
        return "from the text around it, by the encoder".into();
    }
    let ranker = match basis {
        Basis::Standard => "by the ranker that comes with Truename",
        Basis::Fitted => "by the ranker fitted to this knowledge base",
        Basis::Vote => return "the share of the nearest names by vector".into(),
    };
    let evidence = if best.scores.dense.is_some() { "letters, words and vectors" } else { "letters and words" };
    format!("from {evidence} {ranker}")
}

/// Explains what the context changed, behind [`explain`]. `attended`: the words of the context that the re-ranker attended to most.
pub(crate) fn explain_context(candidates: &[Candidate], attended: &[&str]) -> String {
    let Some(best) = candidates.first() else { return String::new() };
    let before = best
        .probability_by_name
        .map_or_else(String::new, |before| format!(" Before the context was read it had {}.", percent(before)));
    if attended.is_empty() {
        return before;
    }
    let words: Vec<String> = attended.iter().map(|word| format!("“{word}”")).collect();
    format!("{before} A hint, no proof: of the context the re-ranker attended most to {}.", words.join(", "))
}

/// Explains the probability of a mention, behind [`explain`]; `candidates` have it as a factor. `evidence` is said behind it.
pub(crate) fn explain_mention(probability: f64, evidence: &str, candidates: &[Candidate]) -> String {
    let together =
        candidates.first().map_or_else(String::new, |best| format!(", {} together", percent(best.probability)));
    format!(" By the text it is a mention with probability {}{together}.{evidence}", percent(probability))
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

/// Explains that the name was judged to mean no concept.
pub(crate) fn explain_judged_nil(date: Date) -> String {
    format!("You judged on {date} that no concept is meant, so the answer is NIL.")
}

/// Explains that the text is no name.
pub(crate) fn explain_placeholder(text: &str) -> String {
    format!("“{text}” is a placeholder and no name, so the answer is NIL.")
}

fn likeness(query: &NameProfile, matched: &NameProfile, candidate: &Candidate) -> String {
    let name = &candidate.matched_name;
    match query.keys().meet(&matched.keys()) {
        KeyMatch::Exact if query.written == matched.written => "it has this very name".into(),
        KeyMatch::Exact => format!("it has this name, written “{name}”"),
        KeyMatch::Variant => format!("its name “{name}” differs in plural or spelling alone"),
        KeyMatch::Reordered => format!("its name “{name}” has the same words in another order"),
        KeyMatch::Acronym if query.letters.len() < matched.letters.len() => {
            format!("“{}” is the acronym of its name “{name}”", query.written)
        }
        KeyMatch::Acronym => format!("its name “{name}” is the acronym of “{}”", query.written),
        KeyMatch::None if let Some(likeness) = likeness_without_forms(query, matched) => likeness,
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

/// Returns how two names compare without their legal forms; `None` if no legal form takes part.
fn likeness_without_forms(query: &NameProfile, matched: &NameProfile) -> Option<String> {
    let (asked, known) = (LegalName::new(&query.written), LegalName::new(&matched.written));
    let name = &matched.written;
    if asked.is_form_alone() {
        return Some(format!("“{}” is a legal form, and “{name}” more than that", query.written));
    }
    let keys = |name: &LegalName| NameKeys::of(&NormalizedName::new(&name.core));
    let relation = match keys(&asked).meet(&keys(&known)) {
        KeyMatch::None => return None,
        KeyMatch::Acronym => "is the acronym of",
        _ => "is",
    };
    let forms = match (&asked.form, &known.form) {
        (Some(asked), Some(known)) if asked == known => "with the legal form written otherwise".to_owned(),
        (Some(asked), Some(known)) if asked.contradicts(known) => {
            format!("with the legal form “{}” and not “{}”", known.written, asked.written)
        }
        (Some(_), Some(_)) => "but for the legal form".to_owned(),
        (Some(asked), None) => format!("but for the legal form “{}”", asked.written),
        (None, Some(known)) => format!("but for the legal form “{}”", known.written),
        (None, None) => return None,
    };
    Some(format!("“{}” {relation} its name “{name}” {forms}", query.written))
}

/// Returns how the version or edition in the name asked for compares.
fn versions(asked: &VersionedName, name: &NameProfile) -> String {
    let known = VersionedName::new(&name.written);
    let compared = match (asked.version.is_empty() || known.version.is_empty(), asked.agreement(&known)) {
        (true, _) => format!("which neither speaks for nor against “{}”", name.written),
        (_, 1.0) => format!("and so has “{}”", name.written),
        _ => format!("and “{}” has another", name.written),
    };
    let kind = if asked.version.is_empty() { "an edition or platform" } else { "a version" };
    format!("“{}” was taken for {kind}, {compared}", asked.taken.join(" "))
}

/// Returns the differences between two names in words. What was taken for a version is compared as such.
fn differences(query: &NameProfile, name: &NameProfile) -> String {
    let asked = VersionedName::new(&query.written);
    let taken = NameProfile::new(&asked.taken.join(" "));
    let words = |has: &NameProfile, lacks: &NameProfile| -> Vec<String> {
        let is_there =
            |token: &Token| lacks.tokens.iter().any(|other| other.hash == token.hash || is_misspelt(token, other));
        has.tokens.iter().filter(|token| !is_there(token)).map(shown).collect()
    };
    let (mut missing, extra) = (words(query, name), words(name, query));
    missing.retain(|word| !taken.tokens.iter().any(|token| shown(token) == *word));
    let mut said = Vec::new();
    if !asked.taken.is_empty() {
        said.push(versions(&asked, name));
    }
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
