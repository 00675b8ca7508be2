//! The abbreviations of a document, and what they make of its mentions.

use std::collections::{HashMap, HashSet};

use truename_text::{Abbreviation, Span, Words, written_forms};

/// The short forms that a text defines and the long forms they stand for.
pub(crate) struct ShortForms<'a> {
    forms: Vec<ShortForm<'a>>,
    /// The forms that begin with a word.
    by_word: HashMap<&'a str, Vec<usize>>,
}

/// A short form and what it stands for.
pub(crate) struct ShortForm<'a> {
    short: &'a str,
    long: &'a str,
    /// The forms in which the long form may be a name.
    pub(crate) written_forms: Vec<String>,
}

impl<'a> ShortForms<'a> {
    /// Those that `abbreviations` define in `text`; of several definitions of one short form the first counts.
    pub(crate) fn of(text: &'a str, abbreviations: &[Abbreviation]) -> Self {
        let mut these = Self { forms: Vec::new(), by_word: HashMap::new() };
        let mut known = HashSet::new();
        for Abbreviation { short, long } in abbreviations {
            if let (Some(short), Some(long)) = (short.of(text), long.of(text))
                && let Some(word) = first_word(short)
                && known.insert(short)
            {
                these.by_word.entry(word).or_default().push(these.forms.len());
                these.forms.push(ShortForm { short, long, written_forms: written_forms(long) });
            }
        }
        these
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The short form that begins with a word, and the number of words it has.
    pub(crate) fn at(&self, text: &str, words: &Words, word: usize) -> Option<(usize, &ShortForm<'a>)> {
        let span = words.span(word);
        let written = &text[span.range()];
        let singular = written.strip_suffix('s').unwrap_or_default();
        let begun = [written, singular].into_iter().filter_map(|word| self.by_word.get(word)).flatten();
        let mut found = begun.map(|at| &self.forms[*at]).filter_map(|form| {
            let end = span.start + matched_length(&text[span.start..], form.short)?;
            let last = (word..words.len()).find(|at| words.span(*at).end >= end)?;
            (words.span(last).end == end).then_some((last + 1 - word, form))
        });
        found.next()
    }

    /// A mention with the short forms in it spelt out, or nothing where there is none.
    pub(crate) fn expand(&self, mention: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let words = Words::of(mention, Span::new(0, mention.len()));
        let (mut expanded, mut copied, mut word) = (String::new(), 0, 0);
        while word < words.len() {
            match self.at(mention, &words, word) {
                // A mention that spells it out already has the short form beside.
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

/// Short forms in brackets behind a mention whose initials they have in any order (`myotonic dystrophy (DM)`): that
/// it is a mention makes up for the order, which [`abbreviations`](truename_text::abbreviations) goes by.
pub(crate) fn defined_behind(
    text: &str,
    mentions: impl Iterator<Item = Span>,
    known: &[Abbreviation],
) -> Vec<Abbreviation> {
    let behind = |long: Span| {
        let rest = &text[long.end..];
        let bracket = rest.trim_start_matches([' ', '\n', '\r']).strip_prefix('(')?;
        let length = bracket.char_indices().take(LONGEST_SHORT_FORM + 1).find(|(_, c)| matches!(c, ')' | ',' | ';'))?.0;
        let short = &bracket[..length];
        let start = text.len() - bracket.len();
        has_initials(short, long.of(text)?).then(|| Abbreviation { short: Span::new(start, start + short.len()), long })
    };
    let mut longs: HashMap<Option<&str>, Vec<Span>> = HashMap::new();
    for one in known {
        longs.entry(one.short.of(text)).or_default().push(one.long);
    }
    // A definition that has the end of a mention alone for its long form is worth less than the mention.
    let is_new = |found: &Abbreviation| {
        let same = longs.get(&found.short.of(text));
        same.is_none_or(|longs| longs.iter().all(|long| found.long.contains(*long) && found.long != *long))
    };
    mentions.filter_map(behind).filter(is_new).collect()
}

/// Whether `short` is made of capitals, each the first letter of another word of `long`.
fn has_initials(short: &str, long: &str) -> bool {
    let words = Words::of(long, Span::new(0, long.len()));
    let mut initials: Vec<char> = (0..words.len()).filter_map(|word| words.form(word).chars().next()).collect();
    let mut take = |letter: char| {
        let at = initials.iter().position(|initial| letter.to_lowercase().eq(initial.to_lowercase()));
        at.map(|at| initials.swap_remove(at)).is_some()
    };
    short.chars().count() > 1 && short.chars().all(|letter| letter.is_uppercase() && take(letter))
}

/// Short forms in any order have at most this many letters, each of another word.
const LONGEST_SHORT_FORM: usize = 10;

fn first_word(text: &str) -> Option<&str> {
    let words = Words::of(text, Span::new(0, text.len()));
    if words.is_empty() { None } else { words.span(0).of(text) }
}

/// How much of the beginning of `text` is `short`, which may have a plural `s` of its own.
fn matched_length(text: &str, short: &str) -> Option<usize> {
    let rest = text.strip_prefix(short)?;
    let plural = rest.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    Some(short.len() + usize::from(plural))
}
