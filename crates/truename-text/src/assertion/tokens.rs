//! Words of a text with the borders that no scope of a trigger crosses.

use crate::Span;
use crate::border::{Border, Borders, begins_item};

/// Words of a text: runs of letters and digits in lower case, `/`, `?` and `+`, and `no.` before a number.
#[derive(Default)]
pub(super) struct Tokens {
    tokens: Vec<Token>,
    /// The words in lower case, one behind the other.
    forms: String,
    /// Lists behind headings, by their first words and the words behind their last.
    lists: Vec<(usize, usize)>,
}

struct Token {
    span: Span,
    form_end: usize,
    breaks_before: bool,
    /// True after a comma or a break.
    begins_clause: bool,
    /// True for the second part of a word with a hyphen.
    is_behind_hyphen: bool,
}

/// Largest number of words of a heading.
const HEADING_WORDS: usize = 5;
/// Largest number of words of an item without a bullet in the list behind a heading.
const ITEM_WORDS: usize = 6;

impl Tokens {
    /// Splits a piece of a text.
    pub(super) fn of(text: &str, piece: Span) -> Self {
        let borders = Borders::of(text, piece);
        let (mut tokens, mut at) = (Self::default(), piece.start);
        while let Some(start) = text[at..piece.end].find(is_of_token).map(|found| at + found) {
            let end = end_of_token(&text[..piece.end], start);
            tokens.push(text, Span::new(start, end), &borders);
            at = end;
        }
        tokens.add_lists(text, piece);
        tokens
    }

    fn push(&mut self, text: &str, span: Span, borders: &Borders<'_>) {
        let between = self.tokens.last().map_or("", |last| &text[last.span.end..span.start]);
        let breaks_before = self.tokens.last().is_none_or(|last| {
            borders.between(last.span, span) != Border::None || ends_answer(text, last.span, between)
        });
        let begins_clause = breaks_before || between.contains([',', ';']);
        let word = &text[span.range()];
        if word.is_ascii() {
            let from = self.forms.len();
            self.forms.push_str(word);
            self.forms[from..].make_ascii_lowercase();
        } else {
            self.forms.extend(word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }));
        }
        let is_behind_hyphen = between == "-";
        self.tokens.push(Token { span, form_end: self.forms.len(), breaks_before, begins_clause, is_behind_hyphen });
        if text[span.end..].starts_with(':') {
            self.begin_heading(text);
        }
    }

    /// Sets a border before the words in capitals that end here, unless the whole passage is in capitals.
    fn begin_heading(&mut self, text: &str) {
        let is_capital = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let last = &self.tokens[self.tokens.len().saturating_sub(HEADING_WORDS + 1)..];
        let sentence = last.iter().rposition(|token| token.breaks_before).unwrap_or(0);
        let words = last[sentence..].iter().rev();
        let capitals = words.take_while(|token| is_capital(&text[token.span.range()])).count();
        if (1..=HEADING_WORDS).contains(&capitals) {
            let first = self.tokens.len() - capitals;
            self.tokens[first].breaks_before = true;
            self.tokens[first].begins_clause = true;
        }
    }

    /// Finds the lists that begin on the lines behind headings (`Patient denies:`).
    fn add_lists(&mut self, text: &str, piece: Span) {
        let is_behind_heading = |first: &usize| {
            let between = &text[self.tokens[first - 1].span.end..self.tokens[*first].span.start];
            between.strip_prefix(':').is_some_and(|rest| rest.trim_start_matches([' ', '\r']).starts_with('\n'))
        };
        let firsts: Vec<usize> = (1..self.tokens.len()).filter(is_behind_heading).collect();
        self.lists = firsts.into_iter().map(|first| (first, self.list_end(text, piece, first))).collect();
    }

    /// Returns the word behind the list that begins with a word: before an empty line, a line with a colon, or one of many words
    /// without a bullet.
    fn list_end(&self, text: &str, piece: Span, first: usize) -> usize {
        let continues = |token: &usize| {
            let (before, start) = (self.tokens[token - 1].span.end, self.tokens[*token].span.start);
            let Some(newline) = text[before..start].rfind('\n') else { return true };
            let line = text[before + newline + 1..piece.end].split('\n').next().unwrap_or_default().trim();
            text[before..before + newline].trim_end_matches([' ', '\t', '\r', ':', '.', ',', ';', ')']).is_empty()
                && !line.contains(':')
                && (begins_item(line) || line.split(' ').count() <= ITEM_WORDS)
        };
        (first..self.tokens.len()).find(|token| !continues(token)).unwrap_or(self.tokens.len())
    }

    /// Returns the word behind the list whose heading ends before a word.
    pub(super) fn list_behind(&self, token: usize) -> Option<usize> {
        let found = self.lists.binary_search_by_key(&token, |(first, _)| *first).ok()?;
        Some(self.lists[found].1)
    }

    /// Returns true for the second part of a word with a hyphen.
    pub(super) fn is_behind_hyphen(&self, token: usize) -> bool {
        self.tokens[token].is_behind_hyphen
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn span(&self, token: usize) -> Span {
        self.tokens[token].span
    }

    /// Returns a word in lower case.
    pub(super) fn form(&self, token: usize) -> &str {
        let start = token.checked_sub(1).map_or(0, |before| self.tokens[before].form_end);
        &self.forms[start..self.tokens[token].form_end]
    }

    /// Returns true if a sentence, heading or item of a list begins with a word.
    pub(super) fn breaks_before(&self, token: usize) -> bool {
        self.tokens[token].breaks_before
    }

    /// Returns true if a word follows a comma or [breaks](Self::breaks_before) the text; also behind the last word.
    pub(super) fn begins_clause(&self, token: usize) -> bool {
        self.tokens.get(token).is_none_or(|token| token.begins_clause)
    }
}

fn is_of_token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '?' | '+')
}

fn end_of_token(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    if rest.starts_with(['/', '?', '+']) {
        return start + 1;
    }
    let is_within = |at: usize, c: char| {
        let is_apostrophe = matches!(c, '\'' | '’') && rest[at + c.len_utf8()..].starts_with(char::is_alphabetic);
        c.is_alphanumeric() || is_apostrophe
    };
    let length = rest.char_indices().find(|(at, c)| !is_within(*at, *c)).map_or(rest.len(), |(at, _)| at);
    let is_numbering = is_no(&rest[..length]) && begins_number(&rest[length..]) && !follows_colon(text, start);
    start + length + usize::from(is_numbering)
}

/// Returns true if a sentence or line ends with the word `no`, which [`Borders`] take for an abbreviation.
fn ends_answer(text: &str, word: Span, between: &str) -> bool {
    is_no(&text[word.range()])
        && (between.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_whitespace))
            || between.starts_with('\n') && follows_colon(text, word.start))
}

fn follows_colon(text: &str, start: usize) -> bool {
    text[..start].trim_end().ends_with(':')
}

fn is_no(word: &str) -> bool {
    word.eq_ignore_ascii_case("no")
}

/// Returns true for the text behind `No` in `No. 5`, `No. A5` and `No. of cases`.
fn begins_number(rest: &str) -> bool {
    let next = rest.strip_prefix('.').map(|rest| rest.trim_start_matches([' ', '#']));
    let word = next.and_then(|next| next.split(|c: char| !c.is_alphanumeric()).next()).unwrap_or_default();
    word.bytes().any(|byte| byte.is_ascii_digit()) || word == "of"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text between borders.
    fn parts(text: &str) -> Vec<String> {
        let tokens = Tokens::of(text, Span::new(0, text.len()));
        let mut parts: Vec<String> = Vec::new();
        for token in 0..tokens.len() {
            match parts.last_mut().filter(|_| !tokens.breaks_before(token)) {
                Some(part) => *part += &format!(" {}", tokens.form(token)),
                None => parts.push(tokens.form(token).to_owned()),
            }
        }
        parts
    }

    #[test]
    fn scopes_end_with_sentences_items_and_headings() {
        for (text, expected) in [
            ("No fever. Chest pain p.o. daily; h/o MI", &["no fever", "chest pain p o daily", "h / o mi"][..]),
            ("no fever\n- cough\n- rash", &["no fever", "cough", "rash"]),
            ("No fever\nCough since Monday", &["no fever", "cough since monday"]),
            ("without any sign of a fever or\nof a cough", &["without any sign of a fever or of a cough"]),
            ("CT WITHOUT CONTRAST CLINICAL HISTORY: cough", &["ct without contrast clinical history cough"]),
            ("CT without contrast CLINICAL HISTORY: cough", &["ct without contrast", "clinical history cough"]),
            ("Nothing in OAB. CONCLUSIONS: none", &["nothing in oab", "conclusions none"]),
            ("PATIENT DENIES FEVER OR COUGH OR PAIN: STABLE", &["patient denies fever or cough or pain stable"]),
            ("INR is 2.0. He didn’t", &["inr is 2 0", "he didn't"]),
            ("Fever: no. Cough: NO. 3 days: no\nrash", &["fever no", "cough no", "3 days no", "rash"]),
            ("Bed No. 5, no.6, No. B7, no. of beds", &["bed no. 5 no. 6 no. b7 no. of beds"]),
            ("", &[]),
        ] {
            assert_eq!(parts(text), expected, "{text:?}");
        }
    }
}
