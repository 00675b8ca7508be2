//! Triggers and their scopes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use truename_error::excerpt;

use super::tokens::Tokens;
use super::{Assertion, Assertions};
use crate::{Document, Span};

/// Triggers of English, one a line; the first lines tell the columns.
pub const ENGLISH_TRIGGERS: &str = include_str!("english.tsv");

static ENGLISH: LazyLock<Arc<AssertionRules>> =
    LazyLock::new(|| Arc::new(AssertionRules::parse(ENGLISH_TRIGGERS).expect("the built-in triggers are read")));

/// Words for numbers in a phrase, besides digits.
const NUMBERS: [&str; 15] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "several",
    "few", "many",
];

/// Words that continue a list.
const CONJUNCTIONS: [&str; 3] = ["and", "nor", "or"];

/// Triggers of a language, which tell what a text says of its mentions.
///
/// ```
/// use truename_text::{Assertion, AssertionRules, Span};
///
/// let (text, mention) = ("The patient denies chest pain but has nausea.", Span::new(19, 29));
/// let assertions = AssertionRules::english().of_passage(text, Span::new(0, text.len()), &[mention, Span::new(38, 44)]);
/// assert!(assertions[0].contains(Assertion::Negated) && assertions[1].is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct AssertionRules {
    /// Phrases by their first word.
    phrases: HashMap<String, Vec<Phrase>>,
}

#[derive(Clone, Debug)]
struct Phrase {
    /// Required context before the first word.
    before: Before,
    /// Words behind the first, and [`COMMA`] where a clause must end.
    rest: Vec<String>,
    effects: Vec<Effect>,
}

/// Required context before a phrase. Of two phrases of the same length, the one with the later variant is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Before {
    Anything,
    /// The border of a clause.
    Clause,
    /// A hyphen and the first part of the word.
    Hyphen,
}

/// Border of a clause in a phrase; matches no word.
const COMMA: &str = ",";
/// Hyphen before a phrase; matches no word.
const HYPHEN: &str = "-";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Gives(Assertion, Direction),
    /// Ends the scopes of an assertion before the phrase; backward, before the clause of the phrase.
    Ends(Assertion, Direction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// A phrase in a text, by its first token and the token behind it.
struct Trigger<'r> {
    start: usize,
    end: usize,
    effects: &'r [Effect],
}

impl AssertionRules {
    /// Returns the built-in triggers of English.
    pub fn english() -> Arc<Self> {
        Arc::clone(&ENGLISH)
    }

    /// Reads triggers, in the columns of [`ENGLISH_TRIGGERS`]. A line that begins with `# ` is a comment, unless its columns are those of a
    /// trigger with a number (`# days ago`).
    ///
    /// # Errors
    /// The number and the fault of the first line that is no trigger.
    pub fn parse(text: &str) -> Result<Self, (u64, String)> {
        let mut rules = Self::default();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !is_comment(line)) {
            rules.add(line).map_err(|fault| (number, fault))?;
        }
        rules.keep_inner_ends();
        Ok(rules)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let mut columns = line.split('\t').map(str::trim);
        let mut column = || columns.next().unwrap_or_default();
        let (phrase, effect, direction) = (column(), column(), column());
        let effects = effects(effect, direction)?;
        let mut words = words(phrase);
        let before = match words.first().map(String::as_str) {
            Some(COMMA) => Before::Clause,
            Some(HYPHEN) => Before::Hyphen,
            _ => Before::Anything,
        };
        words.drain(..usize::from(before != Before::Anything));
        if words.is_empty() {
            return Err(format!("\"{}\" has no phrase", excerpt(line)));
        }
        let first = words.remove(0);
        let phrases = self.phrases.entry(first).or_default();
        match phrases.iter_mut().find(|phrase| phrase.before == before && phrase.rest == words) {
            Some(phrase) => phrase.effects.extend(effects),
            None => phrases.push(Phrase { before, rest: words, effects }),
        }
        Ok(())
    }

    /// Gives each trigger the ends of the shorter phrases within it, which the longest match hides.
    fn keep_inner_ends(&mut self) {
        let known = self.clone();
        for (first, phrases) in &mut self.phrases {
            for Phrase { before, rest, effects } in phrases.iter_mut().filter(|phrase| !phrase.effects.is_empty()) {
                let comma = (*before == Before::Clause).then(|| COMMA.to_owned());
                let words: Vec<String> = comma.into_iter().chain([first.clone()]).chain(rest.clone()).collect();
                let ends: Vec<Effect> = known.ends_within(&words).filter(|end| !effects.contains(end)).collect();
                effects.extend(ends);
            }
        }
    }

    fn ends_within(&self, words: &[String]) -> impl Iterator<Item = Effect> {
        let phrases_at = |at: usize| self.phrases.get(&words[at]).into_iter().flatten().map(move |phrase| (at, phrase));
        let within = (0..words.len()).flat_map(phrases_at).filter(|(at, phrase)| {
            let is_behind = match phrase.before {
                Before::Anything => true,
                Before::Clause => *at > 0 && words[at - 1] == COMMA,
                Before::Hyphen => false,
            };
            is_behind && words[at + 1..].starts_with(&phrase.rest)
        });
        within
            .flat_map(|(_, phrase)| phrase.effects.iter().copied())
            .filter(|effect| matches!(effect, Effect::Ends(..)))
    }

    /// Returns what a document says of each of some spans in it.
    pub fn of_document(&self, document: &Document, mentions: &[Span]) -> Vec<Assertions> {
        if document.passages.is_empty() {
            return self.of_passage(&document.text, Span::new(0, document.text.len()), mentions);
        }
        let sorted = SortedMentions::new(mentions);
        let mut found = vec![Assertions::default(); mentions.len()];
        for passage in document.passage_spans() {
            let inside: Vec<usize> = sorted.within(passage).collect();
            let spans: Vec<Span> = inside.iter().map(|at| mentions[*at]).collect();
            let assertions = self.of_passage(&document.text, passage, &spans);
            inside.into_iter().zip(assertions).for_each(|(at, assertions)| found[at] = assertions);
        }
        found
    }

    /// Returns what a passage of a text says of each of some spans in it.
    pub fn of_passage(&self, text: &str, passage: Span, mentions: &[Span]) -> Vec<Assertions> {
        if mentions.is_empty() {
            return Vec::new();
        }
        let tokens = Tokens::of(text, passage);
        let mentions = SortedMentions::new(mentions);
        let mut triggers = self.triggers(&tokens);
        triggers.retain(|trigger| !mentions.one_contains(trigger.span(&tokens)));
        let scopes = Scopes::new(&tokens, &triggers);
        let mut found = vec![Assertions::default(); mentions.spans.len()];
        for (assertion, scope) in scopes.of(Direction::Forward).chain(scopes.of(Direction::Backward)) {
            mentions.within(scope).for_each(|mention| found[mention].insert(assertion));
        }
        found
    }

    /// Returns the longest phrases of a text, from the left.
    fn triggers(&self, tokens: &Tokens) -> Vec<Trigger<'_>> {
        let (mut triggers, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            match self.longest(tokens, at) {
                Some(phrase) => {
                    let end = at + phrase.len();
                    triggers.push(Trigger { start: at, end, effects: &phrase.effects });
                    at = end;
                }
                None => at += 1,
            }
        }
        triggers
    }

    fn longest(&self, tokens: &Tokens, at: usize) -> Option<&Phrase> {
        let form = tokens.form(at);
        let by_number = number_patterns(form).filter_map(|pattern| self.phrases.get(pattern));
        let phrases = self.phrases.get(form).into_iter().chain(by_number).flatten();
        let is_here = |phrase: &&Phrase| {
            let is_behind = match phrase.before {
                Before::Anything => true,
                Before::Clause => tokens.begins_clause(at),
                Before::Hyphen => tokens.is_behind_hyphen(at),
            };
            is_behind && has_words(tokens, at + 1, &phrase.rest)
        };
        phrases.filter(is_here).max_by_key(|phrase| (phrase.len(), phrase.rest.len(), phrase.before))
    }
}

impl Phrase {
    /// Returns the number of words.
    fn len(&self) -> usize {
        1 + self.rest.iter().filter(|word| *word != COMMA).count()
    }
}

/// Returns true if these words follow in the same sentence, with the borders of clauses among them.
fn has_words(tokens: &Tokens, mut at: usize, words: &[String]) -> bool {
    let is_word = |form: &str, word: &str| form == word || number_patterns(form).any(|pattern| pattern == word);
    words.iter().all(|word| {
        if word == COMMA {
            return tokens.begins_clause(at);
        }
        let is_here = at < tokens.len() && !tokens.breaks_before(at) && is_word(tokens.form(at), word);
        at += 1;
        is_here
    })
}

/// Returns the patterns that stand for a number.
fn number_patterns(form: &str) -> impl Iterator<Item = &'static str> {
    let is_digits = form.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = is_digits && form.len() == 4;
    let is_number = is_digits || NUMBERS.contains(&form);
    is_year.then_some("####").into_iter().chain(is_number.then_some("#"))
}

impl Trigger<'_> {
    fn span(&self, tokens: &Tokens) -> Span {
        Span::new(tokens.span(self.start).start, tokens.span(self.end - 1).end)
    }
}

/// The spans of mentions, found by their places.
struct SortedMentions<'m> {
    spans: &'m [Span],
    /// Numbers of the mentions by their starts.
    by_start: Vec<usize>,
    longest: usize,
}

impl<'m> SortedMentions<'m> {
    fn new(spans: &'m [Span]) -> Self {
        let mut by_start: Vec<usize> = (0..spans.len()).collect();
        by_start.sort_by_key(|mention| spans[*mention].start);
        let longest = spans.iter().map(|span| span.end - span.start).max().unwrap_or(0);
        Self { spans, by_start, longest }
    }

    /// Returns the numbers of the mentions within a piece of the text.
    fn within(&self, piece: Span) -> impl Iterator<Item = usize> {
        let first = self.by_start.partition_point(|mention| self.spans[*mention].start < piece.start);
        let begun =
            self.by_start[first..].iter().copied().take_while(move |mention| self.spans[*mention].start < piece.end);
        begun.filter(move |mention| piece.contains(self.spans[*mention]))
    }

    /// Returns true if a mention contains a span, as "no-reflow phenomenon" does a trigger.
    fn one_contains(&self, span: Span) -> bool {
        let next = self.by_start.partition_point(|mention| self.spans[*mention].start <= span.start);
        let reaches = |mention: &&usize| self.spans[**mention].start + self.longest >= span.end;
        self.by_start[..next].iter().rev().take_while(reaches).any(|mention| self.spans[*mention].contains(span))
    }
}

/// The pieces of a text that triggers act on. Each is found by binary search, for a text may be one long sentence.
struct Scopes<'t> {
    tokens: &'t Tokens,
    triggers: &'t [Trigger<'t>],
    /// Tokens with which sentences begin.
    sentences: Vec<usize>,
    /// Tokens with which clauses begin, and conjunctions.
    clauses: Vec<usize>,
    /// Numbers of the triggers that end the scopes of each assertion.
    ends: [Vec<usize>; Assertion::ALL.len()],
}

impl<'t> Scopes<'t> {
    fn new(tokens: &'t Tokens, triggers: &'t [Trigger<'t>]) -> Self {
        let sentences = (0..tokens.len()).filter(|at| tokens.breaks_before(*at)).collect();
        let ends = Assertion::ALL.map(|assertion| {
            let is_end = |effect: &Effect| matches!(effect, Effect::Ends(ended, _) if *ended == assertion);
            (0..triggers.len()).filter(|number| triggers[*number].effects.iter().any(is_end)).collect()
        });
        let is_clause = |at: &usize| tokens.begins_clause(*at) || CONJUNCTIONS.contains(&tokens.form(*at));
        let clauses = (0..tokens.len()).filter(is_clause).collect();
        Self { tokens, triggers, sentences, clauses, ends }
    }

    /// Returns the scopes in a direction, but for those within another of the same assertion.
    fn of(&self, direction: Direction) -> impl Iterator<Item = (Assertion, Span)> {
        let count = self.triggers.len();
        let mut widest = [Span::default(); Assertion::ALL.len()];
        let numbers = (0..count).map(move |number| match direction {
            Direction::Forward => number,
            Direction::Backward => count - 1 - number,
        });
        let given = numbers.flat_map(move |number| {
            let effects = self.triggers[number].effects.iter();
            effects.filter_map(move |effect| match effect {
                Effect::Gives(assertion, given) if *given == direction => Some((number, *assertion)),
                _ => None,
            })
        });
        given.filter_map(move |(number, assertion)| {
            let scope = self.scope(number, assertion, direction);
            let known = &mut widest[assertion as usize];
            (!known.contains(scope)).then(|| {
                *known = scope;
                (assertion, scope)
            })
        })
    }

    /// Returns the piece of the text that a trigger acts on: to the border of its sentence, or to a phrase that ends its scope.
    fn scope(&self, number: usize, assertion: Assertion, direction: Direction) -> Span {
        let Self { tokens, triggers, sentences, ends, .. } = self;
        let (trigger, ends) = (&triggers[number], &ends[assertion as usize]);
        match direction {
            Direction::Forward => {
                let start = tokens.span(trigger.end - 1).end;
                let sentence = sentences.partition_point(|first| *first < trigger.end);
                let sentence = sentences.get(sentence).copied().unwrap_or(tokens.len());
                let sentence = tokens.list_behind(trigger.end).unwrap_or(sentence);
                let next = ends.get(ends.partition_point(|end| *end <= number));
                let end = next.map_or(sentence, |end| self.end(trigger, &triggers[*end], assertion).min(sentence));
                Span::new(start, tokens.span(end - 1).end.max(start))
            }
            Direction::Backward => {
                let end = tokens.span(trigger.start).start;
                let sentence = sentences[..sentences.partition_point(|first| *first <= trigger.start)].last();
                let sentence = sentence.copied().unwrap_or(0);
                let before = ends[..ends.partition_point(|end| *end < number)].last();
                let start = before.map_or(sentence, |end| triggers[*end].end.max(sentence));
                Span::new(tokens.span(start).start.min(end), end)
            }
        }
    }

    /// Returns the token before which a later trigger ends a scope. A clause with a conjunction continues a list ("no nodes, mass or
    /// effusion is present"), so its scope ends at the ending phrase.
    fn end(&self, trigger: &Trigger<'_>, ending: &Trigger<'_>, assertion: Assertion) -> usize {
        let last = self.clauses[..self.clauses.partition_point(|first| *first <= ending.start)].last();
        let is_clause = |first: &&usize| **first >= trigger.end && !CONJUNCTIONS.contains(&self.tokens.form(**first));
        let clause =
            last.filter(is_clause).filter(|_| ending.effects.contains(&Effect::Ends(assertion, Direction::Backward)));
        clause.copied().unwrap_or(ending.start)
    }
}

fn is_comment(line: &str) -> bool {
    let mut columns = line.split('\t').map(str::trim).skip(1);
    let mut column = || columns.next().unwrap_or_default();
    line.starts_with("# ") && effects(column(), column()).is_err()
}

fn effects(effect: &str, direction: &str) -> Result<Vec<Effect>, String> {
    let (verb, names) = effect.split_once(' ').unwrap_or((effect, ""));
    match verb {
        "none" => Ok(Vec::new()),
        "end" => {
            let direction = if direction.is_empty() { Direction::Forward } else { direction_of(direction)? };
            let ended: Assertions = if names.is_empty() {
                Assertion::ALL.into_iter().collect()
            } else {
                names.replace(' ', ",").parse()?
            };
            Ok(ended.iter().map(|assertion| Effect::Ends(assertion, direction)).collect())
        }
        name => Ok(vec![Effect::Gives(
            name.parse::<Assertion>().map_err(|fault| format!("{fault}, or none and end"))?,
            direction_of(direction)?,
        )]),
    }
}

fn direction_of(name: &str) -> Result<Direction, String> {
    match name {
        "forward" => Ok(Direction::Forward),
        "backward" => Ok(Direction::Backward),
        other => Err(format!("\"{}\" is no direction; they are forward and backward", excerpt(other))),
    }
}

fn words(phrase: &str) -> Vec<String> {
    phrase
        .split_whitespace()
        .flat_map(|piece| match piece == COMMA || piece == HYPHEN || piece.bytes().all(|byte| byte == b'#') {
            true => vec![piece.to_owned()],
            false => {
                let tokens = Tokens::of(piece, Span::new(0, piece.len()));
                (0..tokens.len()).map(|at| tokens.form(at).to_owned()).collect()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the assertions on the mentions of a text, which stand in brackets.
    fn asserted(marked: &str) -> Vec<String> {
        let (mut text, mut spans) = (String::new(), Vec::new());
        for piece in marked.split_inclusive(']') {
            let (before, mention) = piece.split_once('[').unwrap_or((piece, ""));
            text += before;
            if let Some(mention) = mention.strip_suffix(']') {
                spans.push(Span::new(text.len(), text.len() + mention.len()));
                text += mention;
            }
        }
        let found = AssertionRules::english().of_passage(&text, Span::new(0, text.len()), &spans);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn triggers_give_their_effects_within_their_scopes() {
        for (text, expected) in [
            ("No [fever], no [cough].", &["negated", "negated"][..]),
            ("He denies [chest pain] but has [nausea].", &["negated", ""]),
            ("No [fever], takes [aspirin], which may be taken for [pain]", &["negated", "", ""]),
            ("[Pneumonia] was ruled out. [Cough] persists.", &["negated", ""]),
            ("Gram negative [sepsis], no increase in [cough].", &["", ""]),
            ("His father died of a [heart attack], his mother had [lung cancer].", &["family", "family"]),
            ("History of [asthma] who presents with [dyspnea].", &["historical", ""]),
            ("a two-day history of [cough]", &[""]),
            ("[Stroke] three years ago.", &["historical"]),
            ("[Stroke] in 1998, [TIA] in 20 minutes", &["historical", ""]),
            ("Call us if [fever] develops.", &["hypothetical"]),
            ("Possible [pneumonia], r/o [embolism], ?[gout]", &["uncertain", "uncertain", "uncertain"]),
            ("[No-reflow phenomenon] and [fever]", &["", ""]),
            ("no [fever]\n- [cough]\n", &["negated", ""]),
            ("family history of [diabetes]", &["family"]),
            ("No PE. Has [anemia].", &[""]),
            ("HER2-negative [breast cancer], triple negative [tumor]", &["", ""]),
            ("[HIV] negative, no [fever]", &["negated", "negated"]),
            (
                "FAMILY HISTORY:\n- [Diabetes]\n- [Breast cancer] (mother)\n\n[Cough]",
                &["historical,family", "historical,family", ""],
            ),
            (
                "Patient denies:\n- [fever]\n2. [cough] and [rash]\nPlan: [asthma]",
                &["negated", "negated", "negated", ""],
            ),
            ("Negative for:\n[fever]\nHe came with a very bad [cough] today", &["negated", ""]),
            ("Suspected [asthma], unlikely [pneumonia].", &["uncertain", "negated,uncertain"]),
            ("[Asthma], unlikely. [Gout] unlikely", &["negated", "negated"]),
            ("Fever without [rash], with [cough]", &["negated", ""]),
            ("r/o [MI], h/o [asthma], s/p [stroke], +[cough]", &["uncertain", "historical", "historical", ""]),
            ("A father of three has [asthma], without a doubt [sepsis].", &["", ""]),
            ("[Breast cancer] in her maternal grandmother.", &["family"]),
        ] {
            assert_eq!(asserted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_sentence_is_read_as_a_short_one() {
        let times = 50_000;
        assert_eq!(asserted(&"no [fever] ".repeat(times)), vec!["negated"; times]);
        assert_eq!(asserted(&"[fever] unlikely ".repeat(times)), vec!["negated"; times]);
        assert_eq!(asserted(&"no [fever] but [cough] ".repeat(times)), ["negated", ""].repeat(times));
    }

    #[test]
    fn a_number_may_begin_a_trigger_and_a_comment_may_have_tabs() {
        let table = "# Columns:\tphrase\teffect\n# a note\n#\tnone\n# days ago\thistorical\tbackward\n# no more\tend\n";
        let rules = AssertionRules::parse(table).unwrap();
        let text = "stroke three days ago";
        let found = rules.of_passage(text, Span::new(0, text.len()), &[Span::new(0, 6)]);
        assert!(found[0].contains(Assertion::Historical));
        assert_eq!(rules.phrases["#"].len(), 3);
    }

    #[test]
    fn a_line_that_is_no_trigger_is_told() {
        for (text, line, fault) in [
            (
                "# a\nno\tnegated\tforward\nno\tdenied\tforward",
                3,
                "\"denied\" is no assertion; they are negated, hypothetical, historical, family, uncertain, or none and end",
            ),
            ("no\tnegated", 1, "\"\" is no direction; they are forward and backward"),
            ("\tnone", 1, "\"\\tnone\" has no phrase"),
            (",\tnone", 1, "\",\\tnone\" has no phrase"),
            ("but\tend\tback", 1, "\"back\" is no direction; they are forward and backward"),
        ] {
            assert_eq!(AssertionRules::parse(text).unwrap_err(), (line, fault.to_owned()));
        }
    }
}
