//! Names of companies that a text writes with another legal form than the knowledge base, or without one.

use truename_kb::{Concept, FormState, Forms, Snapshot};
use truename_text::{Border, LegalForm, LegalName, Span, Words, is_unspaced, stable_hash};

use crate::Error;

/// One in this many names of a knowledge base of companies has a legal form; in others, names in spaced scripts are not looked for.
const COMPANIES_ONE_IN: usize = 200;
/// Concepts whose names tell whether a knowledge base is one of companies.
const SAMPLE: usize = 1000;
/// Bytes of the shortest form that tells itself from the beginnings of other words.
const SHORTEST_APART: usize = 6;
/// Fewest characters of a form of Chinese, Japanese or Korean that stands beside a name without brackets (`(株)`).
const FEWEST_GLUED: usize = 4;

/// Finds names of companies without their legal forms in one passage.
pub(super) struct Companies<'f, 'txn> {
    pub(super) forms: &'f Forms<'txn>,
    pub(super) known: &'f KnownCompanies,
}

/// Whether a knowledge base is one of companies, and how their names begin.
pub(super) struct KnownCompanies {
    /// Legal forms with which names begin, and the states after them; the first is none, and the state at the start.
    beginnings: Vec<(&'static str, FormState)>,
    /// True if names in spaced scripts are looked for.
    spaced: bool,
}

/// A piece of text that is a name but for its legal form.
pub(super) struct Company {
    /// The word after the last one.
    pub(super) end: usize,
    /// The form of the name in the knowledge base.
    pub(super) form: String,
}

/// The words of a passage.
#[derive(Clone, Copy)]
pub(super) struct Line<'w> {
    pub(super) text: &'w str,
    pub(super) words: &'w Words,
}

impl KnownCompanies {
    pub(super) fn of(snapshot: &Snapshot<'_>) -> Result<Self, Error> {
        let forms = snapshot.forms()?;
        let mut beginnings = vec![("", forms.start())];
        for form in LegalForm::beginnings() {
            let Some(state) = forms.step(forms.start(), form) else { continue };
            // Other words begin with a short form too (`SA`, `salt`).
            let is_short = form.len() < SHORTEST_APART && !form.starts_with(is_unspaced);
            if !is_short || snapshot.names_with_word(stable_hash(form))? > 0 {
                beginnings.push((form, state));
            }
        }
        Ok(Self { beginnings, spaced: has_companies(snapshot)? })
    }
}

impl Companies<'_, '_> {
    /// Returns the companies whose names begin at a word, without their legal form or with one.
    pub(super) fn at(&self, line: Line<'_>, start: usize) -> Vec<Company> {
        let mut found = Vec::new();
        if self.may_begin(line.word(start)) {
            if let Some(core) = line.form_end(start, LegalForm::beginnings()) {
                self.add(line, core, true, &mut found);
            }
            self.add(line, start, false, &mut found);
        }
        found
    }

    /// Returns true if a name of a company may begin with a word: it has a capital, or letters without case.
    fn may_begin(&self, word: &str) -> bool {
        word.starts_with(is_unspaced)
            || self.known.spaced && (word.contains(char::is_uppercase) || !word.contains(char::is_lowercase))
    }

    /// Adds the companies whose names without legal form begin at word `core`, behind a legal form or not.
    fn add(&self, line: Line<'_>, core: usize, is_behind_form: bool, found: &mut Vec<Company>) {
        for (beginning, mut state) in self.known.beginnings.iter().copied() {
            let mut form = beginning.to_owned();
            for word in core..line.words.len() {
                if word > core && line.words.border_before(word) >= Border::Pictograph {
                    break;
                }
                // The last word may be a genitive (`Siemens's`).
                if let Some(variant) = line.words.variant(word)
                    && let Some(next) = self.forms.step(state, variant)
                {
                    self.add_names(line, word, &format!("{form}{variant}"), next, (beginning, is_behind_form), found);
                }
                let Some(next) = self.forms.step(state, line.words.form(word)) else { break };
                state = next;
                form.push_str(line.words.form(word));
                self.add_names(line, word, &form, state, (beginning, is_behind_form), found);
            }
        }
    }

    /// Adds the companies whose names are `form`, up to a word, and a legal form. `before`: the legal form before it in the name, and whether
    /// there is one in the text.
    fn add_names(
        &self,
        line: Line<'_>,
        word: usize,
        form: &str,
        state: FormState,
        before: (&str, bool),
        found: &mut Vec<Company>,
    ) {
        let (beginning, is_behind_form) = before;
        let endings = self.forms.endings(state, if beginning.is_empty() { LegalForm::endings() } else { &[] });
        let is_name = self.forms.is_form(state);
        if endings.is_empty() && !is_name || !line.words.may_end_name(word) {
            return;
        }
        let is_open = !is_behind_form && line.goes_on(word + 1);
        let form_end = if is_open { line.form_end(word + 1, LegalForm::endings()) } else { None };
        let end = form_end.unwrap_or(word + 1);
        // A name without legal form stands as it is in the text, whatever legal form is beside it.
        found.extend((is_name && !beginning.is_empty()).then(|| Company { end, form: form.to_owned() }));
        found.extend(endings.into_iter().map(|ending| Company { end, form: format!("{form}{ending}") }));
    }
}

impl<'w> Line<'w> {
    fn word(self, word: usize) -> &'w str {
        &self.text[self.words.span(word).range()]
    }

    /// Returns true if a word continues the sentence of the one before it.
    fn goes_on(self, word: usize) -> bool {
        word < self.words.len() && self.words.border_before(word) == Border::None
    }

    /// Returns the word after the longest of some legal forms that begins at a word.
    fn form_end(self, start: usize, forms: &[String]) -> Option<usize> {
        let (mut key, mut end) = (String::new(), None);
        for word in start..self.words.len() {
            if word > start && !self.goes_on(word) {
                break;
            }
            key.push_str(self.words.form(word));
            let place = forms.partition_point(|form| *form < key);
            if forms.get(place).is_none_or(|form| !form.starts_with(&key)) {
                break;
            }
            let is_whole =
                forms[place] == key && self.is_form(Span::new(self.words.span(start).start, self.words.span(word).end));
            end = if is_whole { Some(word + 1) } else { end };
        }
        end
    }

    /// Returns true if a piece with the letters of a legal form is written as one: not a word in lower case (`as`), nor a single character
    /// without brackets (`株`).
    fn is_form(self, span: Span) -> bool {
        let piece = &self.text[span.range()];
        let is_bracketed = || self.text[..span.start].ends_with(['(', '（']);
        let is_word =
            piece.starts_with(char::is_lowercase) && !piece.contains(|c: char| c.is_uppercase() || "./".contains(c));
        let is_short = piece.chars().all(is_unspaced) && piece.chars().count() < FEWEST_GLUED;
        !is_word && (!is_short || is_bracketed())
    }
}

/// Returns true if enough names of a knowledge base have a legal form.
fn has_companies(snapshot: &Snapshot<'_>) -> Result<bool, Error> {
    let sample = snapshot.sample(SAMPLE)?;
    let names = || sample.iter().flat_map(Concept::names);
    let companies = names().filter(|name| LegalName::new(name).form.is_some()).count();
    Ok(companies > 0 && companies >= names().count() / COMPANIES_ONE_IN)
}
