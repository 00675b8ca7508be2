//! The abbreviations of a document, and what they make of its mentions.

use truename_text::{Abbreviation, Span, Words};

/// The short forms that a text defines and the long forms they stand for.
pub(crate) struct ShortForms<'a> {
    forms: Vec<(&'a str, &'a str)>,
}

impl<'a> ShortForms<'a> {
    /// Those that `abbreviations` define in `text`; of several definitions of one short form the first counts.
    pub(crate) fn of(text: &'a str, abbreviations: &[Abbreviation]) -> Self {
        let mut forms: Vec<(&str, &str)> = Vec::with_capacity(abbreviations.len());
        for Abbreviation { short, long } in abbreviations {
            if let (Some(short), Some(long)) = (short.of(text), long.of(text))
                && !forms.iter().any(|(known, _)| *known == short)
            {
                forms.push((short, long));
            }
        }
        Self { forms }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The short form that begins with a word: the number of words it has, and its long form.
    pub(crate) fn at(&self, text: &str, words: &Words, word: usize) -> Option<(usize, &'a str)> {
        let start = words.span(word).start;
        let mut found = self.forms.iter().filter_map(|(short, long)| {
            let end = start + matched_length(&text[start..], short)?;
            let last = (word..words.len()).find(|at| words.span(*at).end >= end)?;
            (words.span(last).end == end).then_some((last + 1 - word, *long))
        });
        found.next()
    }

    /// A mention with the short forms in it spelt out, or nothing where there is none.
    pub(crate) fn expand(&self, mention: &str) -> Option<String> {
        if self.is_empty() || self.forms.iter().any(|(_, long)| mention.contains(long)) {
            return None;
        }
        let words = Words::of(mention, Span::new(0, mention.len()));
        let (mut expanded, mut copied, mut word) = (String::new(), 0, 0);
        while word < words.len() {
            match self.at(mention, &words, word) {
                Some((length, long)) => {
                    expanded.push_str(&mention[copied..words.span(word).start]);
                    expanded.push_str(long);
                    copied = words.span(word + length - 1).end;
                    word += length;
                }
                None => word += 1,
            }
        }
        (copied > 0).then(|| expanded + &mention[copied..])
    }
}

/// How much of the beginning of `text` is `short`, which may have a plural `s` of its own.
fn matched_length(text: &str, short: &str) -> Option<usize> {
    let rest = text.strip_prefix(short)?;
    let plural = rest.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    Some(short.len() + usize::from(plural))
}
