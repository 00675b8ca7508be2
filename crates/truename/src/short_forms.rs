//! The abbreviations of a document, and what they make of its mentions.

use truename_text::{Abbreviation, Span, Words, written_forms};

/// The short forms that a text defines and the long forms they stand for.
pub(crate) struct ShortForms<'a> {
    forms: Vec<ShortForm<'a>>,
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
        let mut forms: Vec<ShortForm<'_>> = Vec::with_capacity(abbreviations.len());
        for Abbreviation { short, long } in abbreviations {
            if let (Some(short), Some(long)) = (short.of(text), long.of(text))
                && !forms.iter().any(|known| known.short == short)
            {
                forms.push(ShortForm { short, long, written_forms: written_forms(long) });
            }
        }
        Self { forms }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The short form that begins with a word, and the number of words it has.
    pub(crate) fn at(&self, text: &str, words: &Words, word: usize) -> Option<(usize, &ShortForm<'a>)> {
        let start = words.span(word).start;
        let first = text.as_bytes()[start];
        let mut found = self.forms.iter().filter(|form| form.short.as_bytes()[0] == first).filter_map(|form| {
            let end = start + matched_length(&text[start..], form.short)?;
            let last = (word..words.len()).find(|at| words.span(*at).end >= end)?;
            (words.span(last).end == end).then_some((last + 1 - word, form))
        });
        found.next()
    }

    /// A mention with the short forms in it spelt out, or nothing where there is none.
    pub(crate) fn expand(&self, mention: &str) -> Option<String> {
        if self.is_empty() || self.forms.iter().any(|form| mention.contains(form.long)) {
            return None;
        }
        let words = Words::of(mention, Span::new(0, mention.len()));
        let (mut expanded, mut copied, mut word) = (String::new(), 0, 0);
        while word < words.len() {
            match self.at(mention, &words, word) {
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
        let short = &bracket[..bracket.find([')', ',', ';'])?];
        let start = text.len() - bracket.len();
        has_initials(short, long.of(text)?).then(|| Abbreviation { short: Span::new(start, start + short.len()), long })
    };
    // A definition that has the end of a mention alone for its long form is worth less than the mention.
    let is_new = |found: &Abbreviation| {
        let mut same = known.iter().filter(|one| one.short.of(text) == found.short.of(text));
        same.all(|one| found.long.contains(one.long) && found.long != one.long)
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

/// How much of the beginning of `text` is `short`, which may have a plural `s` of its own.
fn matched_length(text: &str, short: &str) -> Option<usize> {
    let rest = text.strip_prefix(short)?;
    let plural = rest.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    Some(short.len() + usize::from(plural))
}
