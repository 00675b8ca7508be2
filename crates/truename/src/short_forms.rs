//! Abbreviations of a document, and the expansion of mentions with them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use truename_text::{Abbreviation, Span, Words, written_forms};

/// Short forms that a text defines, with their long forms.
pub(crate) struct ShortForms<'a> {
    /// In the order in which the text defines them.
    forms: Vec<ShortForm<'a>>,
    /// Short forms by their first word.
    by_word: HashMap<&'a str, Vec<usize>>,
    /// Short forms with letters and digits (`IL-6`) by their first letters in lower case.
    codes: HashMap<String, Vec<usize>>,
}

/// A definition of a short form.
pub(crate) struct ShortForm<'a> {
    short: &'a str,
    long: &'a str,
    /// Place of the long form in the definition.
    pub(crate) defined: Span,
    /// Start of the definition.
    start: usize,
    /// Spellings under which the long form may be a name.
    pub(crate) written_forms: Vec<String>,
}

impl<'a> ShortForms<'a> {
    /// Collects the short forms that `abbreviations` define in `text`. Of two definitions with the same short form at the same place, the first
    /// counts. Capitals alone redefine nothing: `CP (CLP)` are two short forms.
    pub(crate) fn of(text: &'a str, abbreviations: &[Abbreviation]) -> Self {
        let mut these = Self { forms: Vec::new(), by_word: HashMap::new(), codes: HashMap::new() };
        let mut known = HashSet::new();
        let mut abbreviations: Vec<&Abbreviation> =
            abbreviations.iter().filter(|one| known.insert(one.short)).collect();
        abbreviations.sort_by_key(|one| one.short.start.min(one.long.start));
        let mut defined_before = HashSet::new();
        for Abbreviation { short: place, long: defined } in abbreviations {
            if let (Some(short), Some(long)) = (place.of(text).map(in_singular), defined.of(text))
                && let Some(word) = first_word(short)
                && (defined_before.insert(short) || long.contains(char::is_lowercase))
            {
                these.by_word.entry(word).or_default().push(these.forms.len());
                if short.contains(|c: char| c.is_ascii_digit()) && short.contains(char::is_uppercase) {
                    these.codes.entry(first_letters(word)).or_default().push(these.forms.len());
                }
                let (defined, start) = (*defined, place.start.min(defined.start));
                these.forms.push(ShortForm { short, long, defined, start, written_forms: written_forms(long) });
            }
        }
        these
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Returns the short form that begins at a word of a text, by its nearest definition above `place` in the document, or the first one below;
    /// and its number of words. One with digits may have other capitals and hyphens (`Hsp70` of `HSP-70`).
    pub(crate) fn at(&self, text: &str, words: &Words, word: usize, place: usize) -> Option<(usize, &ShortForm<'a>)> {
        let span = words.span(word);
        let written = &text[span.range()];
        let singular = written.strip_suffix('s').unwrap_or_default();
        let begun = [written, singular].into_iter().filter_map(|word| self.by_word.get(word)).flatten();
        let codes = if self.codes.is_empty() { None } else { self.codes.get(&first_letters(written)) };
        let begun = begun.map(|at| (at, false)).chain(codes.into_iter().flatten().map(|at| (at, true)));
        let found = begun.filter_map(|(at, is_code)| {
            let (form, rest) = (&self.forms[*at], &text[span.start..]);
            let length = if is_code { code_length(rest, form.short) } else { matched_length(rest, form.short) };
            let end = span.start + length?;
            let last = (word..words.len()).find(|at| words.span(*at).end >= end)?;
            (words.span(last).end == end).then_some((last + 1 - word, is_code, form))
        });
        // The longest, as it was defined; of several definitions the last one above, else the first one below.
        let nearest = found.min_by_key(|(length, is_code, form)| {
            let (above, below) = (Some(form.start).filter(|start| *start <= place), form.start);
            (Reverse(*length), *is_code, Reverse(above), below)
        });
        nearest.map(|(length, _, form)| (length, form))
    }

    /// Returns a mention that begins at `place` of the document with its short forms expanded; `None` if it has none.
    pub(crate) fn expand(&self, mention: &str, place: usize) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let words = Words::of(mention, Span::new(0, mention.len()));
        let (mut expanded, mut copied, mut word) = (String::new(), 0, 0);
        while word < words.len() {
            match self.at(mention, &words, word, place) {
                // The mention already spells out the long form beside the short form.
                Some((_, form)) if mention.contains(form.long) => return None,
                Some((length, form)) => {
                    expanded.push_str(&mention[copied..words.span(word).start]);
                    expanded.push_str(form.long);
                    copied = words.span(word + length - 1).end;
                    word += length;
                }
                None => word += 1,
            }
        }
        (copied > 0).then(|| expanded + &mention[copied..])
    }
}

/// Returns the short forms in brackets behind mentions with the same initials in any order (`myotonic dystrophy (DM)`).
/// [`abbreviations`](truename_text::abbreviations) requires the order of the initials; here being a mention is evidence
/// enough.
pub(crate) fn defined_behind(
    text: &str,
    mentions: impl Iterator<Item = Span>,
    known: &[Abbreviation],
) -> Vec<Abbreviation> {
    let behind = |long: Span| {
        let rest = &text[long.end..];
        let bracket = rest.trim_start_matches([' ', '\n', '\r']).strip_prefix('(')?;
        let length =
            bracket.char_indices().take(MAX_SHORT_FORM_LETTERS + 1).find(|(_, c)| matches!(c, ')' | ',' | ';'))?.0;
        let short = &bracket[..length];
        let start = text.len() - bracket.len();
        has_initials(short, long.of(text)?).then(|| Abbreviation { short: Span::new(start, start + short.len()), long })
    };
    // A known definition at the same place whose long form is only a part of the mention gives way to the mention.
    let longs: HashMap<Span, Span> = known.iter().map(|one| (one.short, one.long)).collect();
    let is_new = |found: &Abbreviation| {
        longs.get(&found.short).is_none_or(|long| found.long.contains(*long) && found.long != *long)
    };
    mentions.filter_map(behind).filter(is_new).collect()
}

/// Returns whether `short` consists of capitals, each the initial of a different word of `long`.
fn has_initials(short: &str, long: &str) -> bool {
    let words = Words::of(long, Span::new(0, long.len()));
    let mut initials: Vec<char> = (0..words.len()).filter_map(|word| words.form(word).chars().next()).collect();
    let mut take = |letter: char| {
        let at = initials.iter().position(|initial| letter.to_lowercase().eq(initial.to_lowercase()));
        at.map(|at| initials.swap_remove(at)).is_some()
    };
    short.chars().count() > 1 && short.chars().all(|letter| letter.is_uppercase() && take(letter))
}

/// Hyphens and dashes that stand for one another in short forms.
const HYPHENS: [char; 6] = ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2212}'];

/// Maximum letters of a short form in any order, each the initial of a different word.
const MAX_SHORT_FORM_LETTERS: usize = 10;

fn first_word(text: &str) -> Option<&str> {
    let words = Words::of(text, Span::new(0, text.len()));
    if words.is_empty() { None } else { words.span(0).of(text) }
}

/// Returns the letters at the beginning of a text in lower case.
fn first_letters(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// Returns the length of `short`, in other capitals and with other hyphens, at the beginning of `text`; `None` if `text` begins otherwise or has
/// no capital there.
fn code_length(text: &str, short: &str) -> Option<usize> {
    let mut wanted = short.chars().filter(|c| !HYPHENS.contains(c)).peekable();
    for (at, letter) in text.char_indices() {
        match wanted.peek() {
            None => return text[..at].contains(char::is_uppercase).then_some(at),
            Some(_) if HYPHENS.contains(&letter) && at > 0 => {}
            Some(next) if letter.to_lowercase().eq(next.to_lowercase()) => _ = wanted.next(),
            Some(_) => return None,
        }
    }
    (wanted.peek().is_none() && text.contains(char::is_uppercase)).then_some(text.len())
}

/// Returns a short form without the `s` of a plural behind capitals (`COPD` of `COPDs`).
fn in_singular(short: &str) -> &str {
    let capitals = short.strip_suffix('s').filter(|rest| rest.len() > 1 && rest.chars().all(char::is_uppercase));
    capitals.unwrap_or(short)
}

/// Returns the length of `short` at the beginning of `text`, with a plural `s` if there is one; `None` if `text` begins
/// otherwise.
fn matched_length(text: &str, short: &str) -> Option<usize> {
    let are_same = |one: char, other: char| one == other || HYPHENS.contains(&one) && HYPHENS.contains(&other);
    let mut letters = text.chars();
    if !short.chars().all(|letter| letters.next().is_some_and(|other| are_same(letter, other))) {
        return None;
    }
    let rest = letters.as_str();
    let plural = rest.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    Some(text.len() - rest.len() + usize::from(plural))
}

#[cfg(test)]
mod tests {
    use truename_text::abbreviations;

    use super::*;

    #[test]
    fn a_short_form_means_what_the_nearest_definition_above_says() {
        let text = "GP. Green pots (GP), GP. Grey pans (GP), GPs.";
        let forms = ShortForms::of(text, &abbreviations(text));
        let expanded: Vec<Option<String>> =
            text.match_indices("GP").map(|(at, short)| forms.expand(short, at)).collect();
        let expected = ["Green pots", "Green pots", "Green pots", "Grey pans", "Grey pans"];
        assert_eq!(expanded, expected.map(|long| Some(long.to_owned())));

        let text = "Green tea pots (GTPs)";
        let forms = ShortForms::of(text, &abbreviations(text));
        assert!(["GTP", "GTPs"].iter().all(|short| forms.expand(short, 99).as_deref() == Some("Green tea pots")));

        let text = "Heat pots 70 (HP70) and ironlike-6 (IL-6).";
        let forms = ShortForms::of(text, &abbreviations(text));
        for (mention, expected) in [
            ("Hp70", Some("Heat pots 70")),
            ("HP-70", Some("Heat pots 70")),
            ("IL6 level", Some("ironlike-6 level")),
            ("IL-6", Some("ironlike-6")),
            ("hp70", None),
            ("IL-61", None),
            ("IL60", None),
            ("HP", None),
        ] {
            assert_eq!(forms.expand(mention, text.len()).as_deref(), expected, "{mention}");
        }

        let text = "Amber pots (A-P) and ironlike-6 (IL-6).";
        let forms = ShortForms::of(text, &abbreviations(text));
        for mention in ["A-P", "A\u{2011}P", "A\u{2013}P"] {
            assert_eq!(forms.expand(mention, text.len()).as_deref(), Some("Amber pots"), "{mention}");
        }
        assert_eq!(forms.expand("IL\u{2010}6", text.len()).as_deref(), Some("ironlike-6"));

        let text = "Green pots (GP) with or without GP (GLP); GP.";
        let forms = ShortForms::of(text, &abbreviations(text));
        assert_eq!(forms.expand("GP", text.len()).as_deref(), Some("Green pots"));
    }
}
