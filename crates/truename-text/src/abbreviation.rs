//! Abbreviations that a text itself defines: "thyroid peroxidase (TPO)".
//!
//! Half of a definition stands in brackets, the other half before them, in either order
//! (Schwartz and Hearst 2003). The letters of the short form are then found in the long form from its end
//! backwards. Sohn, Comeau, Kim and Wilbur (2008, "Abbreviation definition identification based on automatic precision
//! estimates") try seventeen ways of doing so, the most precise first. Here each letter has a cost by where it stands
//! (at the start of a word: none), the cheapest alignment is taken, and longer short forms may cost more.
//! The costs were chosen on the records of MED1250 with even index; `truename-bench abbreviations` shows what they give.

use std::collections::VecDeque;

use unicode_normalization::UnicodeNormalization;

use crate::Span;

/// A short form and the long form it stands for, as one text defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Abbreviation {
    /// The short form where it is defined.
    pub short: Span,
    /// The long form beside it; the two share no byte.
    pub long: Span,
}

/// Definitions in `text`, in the order in which they stand.
///
/// Time is linear in the length of the text, whatever is in it.
///
/// ```
/// let text = "Antibodies to thyroid peroxidase (TPO; see below) were measured.";
/// let found = truename_text::abbreviations(text);
/// assert_eq!(found.len(), 1);
/// assert_eq!(&text[found[0].short.range()], "TPO");
/// assert_eq!(&text[found[0].long.range()], "thyroid peroxidase");
/// ```
pub fn abbreviations(text: &str) -> Vec<Abbreviation> {
    let brackets = brackets(text);
    let labels = labels(text, &brackets);
    let unlabelled = brackets.iter().zip(labels).filter(|(_, is_label)| !is_label);
    let mut found: Vec<Abbreviation> = unlabelled.filter_map(|(bracket, _)| definition(text, *bracket)).collect();
    found.sort_unstable_by_key(|one| (one.short.start.min(one.long.start), one.short));
    found
}

/// A pair of round or square brackets and what stands in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bracket {
    open: usize,
    content: Span,
}

/// Brackets that hold more bytes are not read; definitions are far shorter.
const LONGEST_BRACKET: usize = 400;

/// The brackets that may hold half of a definition, in the order in which they open.
fn brackets(text: &str) -> Vec<Bracket> {
    let (mut round, mut square) = (VecDeque::new(), VecDeque::new());
    let mut found = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => push_open(&mut round, at),
            b'[' => push_open(&mut square, at),
            b')' => found.extend(round.pop_back().and_then(|open| bracket(text, open, at))),
            b']' => found.extend(square.pop_back().and_then(|open| bracket(text, open, at))),
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

/// Adds an open bracket to those that wait for their end, and forgets those that wait in vain.
fn push_open(waiting: &mut VecDeque<usize>, at: usize) {
    while waiting.front().is_some_and(|open| at - open > LONGEST_BRACKET) {
        waiting.pop_front();
    }
    waiting.push_back(at);
}

/// The bracket from `open` to `close`; none where it is part of a word, as in "Ca(2+)" or "(h)alpha".
fn bracket(text: &str, open: usize, close: usize) -> Option<Bracket> {
    if close - open > LONGEST_BRACKET || text[close + 1..].starts_with(char::is_alphanumeric) {
        return None;
    }
    let content = trimmed(text, Span::new(open + 1, close), char::is_whitespace);
    let before = text[..open].chars().next_back();
    let is_apart = before.is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '['));
    let is_attached = before.is_some_and(char::is_alphabetic) && is_acronym(&text[content.range()]);
    (content.start < content.end && (is_apart || is_attached)).then_some(Bracket { open, content })
}

/// Whether a bracket may define the word it touches: "ubiquitin(Ub)", but not "poly(A)" or "iron(II)".
fn is_acronym(content: &str) -> bool {
    content.len() >= 2 && content.starts_with(char::is_uppercase) && !content.bytes().all(|byte| b"IVX".contains(&byte))
}

/// The span without characters of one kind at its ends.
fn trimmed(text: &str, span: Span, is_left_out: impl Fn(char) -> bool) -> Span {
    let piece = text[span.range()].trim_end_matches(&is_left_out);
    let end = span.start + piece.len();
    Span::new(end - piece.trim_start_matches(&is_left_out).len(), end)
}

const FIRST_LABELS: [&str; 4] = ["a", "A", "i", "I"];
const ROMAN_LABELS: [&str; 8] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"];

/// Which of the brackets number the items of a list: "(a) … (b)", "(i) … (ii)".
fn labels(text: &str, brackets: &[Bracket]) -> Vec<bool> {
    let mut labels = vec![false; brackets.len()];
    for here in 1..brackets.len() {
        let [before, label] = [here - 1, here].map(|at| &text[brackets[at].content.range()]);
        if is_next_label(before, label) && (labels[here - 1] || FIRST_LABELS.contains(&before)) {
            labels[here - 1..=here].fill(true);
        }
    }
    labels
}

fn is_next_label(before: &str, label: &str) -> bool {
    if let ([before], [label]) = (before.as_bytes(), label.as_bytes()) {
        return before.is_ascii_alphabetic() && before + 1 == *label;
    }
    ROMAN_LABELS.windows(2).any(|pair| pair[0].eq_ignore_ascii_case(before) && pair[1].eq_ignore_ascii_case(label))
}

/// The likeliest definition of which a bracket holds one half, or both.
fn definition(text: &str, bracket: Bracket) -> Option<Abbreviation> {
    let before = Span::new(0, bracket.open);
    let first = first_part(text, bracket.content);
    let usual = aligned(text, first, before);
    let swapped = name_at_end(text, before).and_then(|short| aligned(text, short, first));
    let swapped = swapped.filter(|(_, found)| starts_with_long(text, first, found.long));
    let inside = last_part(text, bracket.content).and_then(|(long, short)| aligned(text, short, long));
    [usual, swapped, inside].into_iter().flatten().min_by_key(|(cost, _)| *cost).map(|(_, found)| found)
}

/// The content of a bracket up to a comma or semicolon: "(TPO; see text)", "(TPO, n = 3)".
fn first_part(text: &str, content: Span) -> Span {
    let piece = &text[content.range()];
    let mut ends = piece.match_indices([';', ',']).map(|(at, _)| at);
    let end = ends.find(|at| !piece[at + 1..].starts_with(|next: char| !next.is_whitespace())).unwrap_or(piece.len());
    trimmed(text, Span::new(content.start, content.start + end), char::is_whitespace)
}

/// The content before and after its last comma or semicolon: "(thyroid peroxidase, TPO)".
fn last_part(text: &str, content: Span) -> Option<(Span, Span)> {
    let at = content.start + text[content.range()].rfind([';', ','])?;
    let [long, short] = [Span::new(content.start, at), Span::new(at + 1, content.end)];
    Some((long, trimmed(text, short, char::is_whitespace)))
}

/// The last word of `before` where it looks like an abbreviation: more than one character, one of them a capital.
fn name_at_end(text: &str, before: Span) -> Option<Span> {
    let short = WordsBackwards::new(text, before).next()?.span;
    let piece = &text[short.range()];
    let is_name = piece.contains(char::is_uppercase) && piece.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some();
    is_name.then_some(short)
}

/// Whether only little words stand before the long form in its part of the bracket: "TPO (the thyroid peroxidase)".
fn starts_with_long(text: &str, part: Span, long: Span) -> bool {
    text[part.start..long.start].split_whitespace().all(is_little)
}

/// The definition of `short` by the end of `side`, after its cost.
fn aligned(text: &str, short: Span, side: Span) -> Option<(u32, Abbreviation)> {
    let form = ShortForm::new(&text[short.range()])?;
    let window = Window::new(text, side, form.longest_long_form())?;
    let (cost, start) = form.align(&window)?;
    let long = Span::new(start, window.end);
    let pieces = [long, short].map(|span| &text[span.range()]);
    let is_definition = pieces[0].len() > pieces[1].len() && is_balanced(pieces[0]) && !has_words(pieces[0], pieces[1]);
    is_definition.then_some((cost, Abbreviation { short, long }))
}

/// Whether each bracket has its other half.
fn is_balanced(piece: &str) -> bool {
    [['(', ')'], ['[', ']']].iter().all(|[open, close]| {
        let mut depth = 0;
        let never_negative = piece.chars().all(|letter| {
            depth += i32::from(letter == *open) - i32::from(letter == *close);
            depth >= 0
        });
        never_negative && depth == 0
    })
}

/// Whether the words of `short` stand in `long`, which then explains nothing.
fn has_words(long: &str, short: &str) -> bool {
    let [long, short] = [long, short].map(|form| {
        let words = form.split_whitespace().map(str::to_lowercase);
        words.fold(" ".to_owned(), |joined, word| joined + &word + " ")
    });
    long.contains(&short)
}

/// The letters and digits of a short form, folded.
struct ShortForm {
    letters: Vec<char>,
    /// Whether it ends in the s of a plural, as in "TPOs".
    is_plural: bool,
}

/// Letters of a short form at most; characters of any kind (Schwartz and Hearst 2003; Sohn et al. 2008).
const MOST_LETTERS: usize = 10;
const MOST_CHARACTERS: usize = 30;

/// Words of a short form at most (Schwartz and Hearst 2003).
const MOST_SHORT_WORDS: usize = 2;

/// Places that are tried for the next letter, the nearest first; a letter is seldom so frequent in a long form.
const MOST_TAILS: usize = 24;

/// What an alignment may cost with a short form of one letter, two, three, four, and more.
///
/// The precision of a strategy rises with the length of the short form (Sohn et al. 2008).
const BUDGETS: [u32; 5] = [0, 5, 7, 8, 10];

/// What stands in brackets and only looks like a short form (such a list is in Sohn et al. 2008 too).
#[rustfmt::skip]
const NO_SHORT_FORMS: [&str; 23] = [
    "author's transl", "proceedings", "see", "and", "comment", "letter", "eg", "e.g.", "ie", "i.e.", "mean",
    "age", "std", "range", "young", "old", "male", "female", "men", "women", "or", "vs", "median",
];

impl ShortForm {
    /// The short form, where `form` is fit to be one.
    fn new(form: &str) -> Option<Self> {
        let is_fit = form.starts_with(char::is_alphanumeric)
            && form.chars().nth(MOST_CHARACTERS).is_none()
            && form.split_whitespace().count() <= MOST_SHORT_WORDS
            && (1..=MOST_LETTERS).contains(&form.chars().filter(|letter| letter.is_alphabetic()).count())
            && is_balanced(form)
            && !is_measure(form)
            && !NO_SHORT_FORMS.contains(&form);
        let is_plural = form.ends_with('s') && form.chars().filter(|letter| letter.is_uppercase()).count() >= 2;
        is_fit.then(|| Self { letters: form.chars().filter(|c| c.is_alphanumeric()).map(folded).collect(), is_plural })
    }

    /// Words of the long form at most (Schwartz and Hearst 2003).
    fn longest_long_form(&self) -> usize {
        (self.letters.len() + 5).min(self.letters.len() * 2)
    }

    /// The cost of the cheapest alignment with the end of the window, and where the long form starts.
    fn align(&self, window: &Window) -> Option<(u32, usize)> {
        let budget = BUDGETS[self.letters.len().min(BUDGETS.len()) - 1];
        let mut tails = vec![Tail { at: window.letters.len(), cost: 0 }];
        for (nth, wanted) in self.letters.iter().enumerate().rev() {
            let mut longer = self.longer_tails(*wanted, &tails, window);
            if nth > 0 && wanted.is_numeric() {
                longer.extend(tails.iter().map(|tail| Tail { cost: tail.cost + LEFT_OUT_DIGIT, ..*tail }));
            }
            longer.retain(|tail| tail.cost <= budget);
            longer.sort_unstable();
            longer.dedup_by_key(|tail| tail.at);
            tails = longer;
        }
        let starts = tails.iter().filter_map(|tail| Some((tail.cost + window.start_cost(tail.at)?, tail.at)));
        // Of two starts that cost the same, the shorter long form (Schwartz and Hearst 2003).
        let (cost, at) =
            starts.filter(|(cost, _)| *cost <= budget).min_by_key(|(cost, at)| (*cost, usize::MAX - at))?;
        Some((cost, window.long_form_start(at)))
    }

    /// The tails, which are sorted, with one more letter in front, each at its cheapest.
    fn longer_tails(&self, wanted: char, tails: &[Tail], window: &Window) -> Vec<Tail> {
        let cheapest = |at: usize| {
            let later = tails[tails.partition_point(|tail| tail.at <= at)..].iter().take(MOST_TAILS);
            later.map(|tail| tail.cost + window.step_cost(at, tail.at, self.is_plural)).min()
        };
        window.places(wanted).filter_map(|at| Some(Tail { at, cost: cheapest(at)? })).collect()
    }
}

/// The end of a short form, aligned: the letter of the window where it starts, and what it costs from there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tail {
    at: usize,
    cost: u32,
}

/// Whether the form compares or measures: "p<0.05", "10 mg".
fn is_measure(form: &str) -> bool {
    let (number, unit) = form.split_once(char::is_whitespace).unwrap_or_default();
    form.contains(['<', '>', '=', '≤', '≥', '%']) || (!unit.is_empty() && !number.contains(char::is_alphabetic))
}

/// The last words beside a short form, taken apart into letters.
struct Window {
    words: Vec<Word>,
    letters: Vec<Letter>,
    /// For each word, and for the end, the cost of leaving out all words before it.
    skip_costs: Vec<u32>,
    end: usize,
}

/// A letter or digit of a window.
struct Letter {
    start: usize,
    folded: char,
    /// The digit that the number word which starts here stands for.
    digit: Option<char>,
    word: usize,
    place: Place,
    is_last: bool,
}

/// Where in its word a letter stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front, or with nothing in front that is spelt: "Trimethoprim", "2,4-Dinitrophenol".
    WordStart,
    /// After a slash: "and/Or".
    AfterSlash,
    /// After a hyphen or another sign: "blood-Brain".
    PartStart,
    /// After a combining form, a digit or a change of case: "hydroCortisone", "mRna".
    Boundary,
    Inner,
}

/// Leaving out a word such as "of", a bracket between words, any other word.
///
/// Costs are relative to a letter at the start of a word, which has none, and to [`BUDGETS`]. Their order is that of
/// the strategies of Sohn et al. (2008): first letters; with stop words left out; with a letter inside a
/// compound; with contiguous letters; with words left out; any letter.
const SKIPPED_LITTLE_WORD: u32 = 1;
const SKIPPED_ASIDE: u32 = 2;
const SKIPPED_WORD: u32 = 4;

/// The next letter of the short form follows at once in the same word, or later in it.
const STEP_CONTIGUOUS: u32 = 1;
const STEP_INNER: u32 = 2;

/// The next letter is the first that is found in its word, yet stands after a hyphen there, or anywhere.
const STEP_INTO_PART: u32 = 3;
const STEP_INTO_WORD: u32 = 5;

/// A digit of the short form is not found: "nitrous oxide (N2O)".
const LEFT_OUT_DIGIT: u32 = 4;

/// The long form starts after a slash, after a hyphen, or with a word such as "of".
const START_AFTER_SLASH: u32 = 2;
const START_AT_PART: u32 = 4;
const START_AT_LITTLE_WORD: u32 = 4;

/// Letters of a word that are looked at; only names of molecules have more.
const MOST_WORD_LETTERS: usize = 64;

impl Window {
    /// Of the last `most` words of `side`; none where there are none.
    fn new(text: &str, side: Span, most: usize) -> Option<Self> {
        let mut words: Vec<Word> = WordsBackwards::new(text, side).take(most).collect();
        words.reverse();
        let last = words.last_mut().filter(|last| !last.is_aside)?;
        last.span = trimmed(text, last.span, |letter| matches!(letter, ',' | ':' | ';') || is_quote(letter));
        let mut window = Self { end: last.span.end, words, letters: Vec::new(), skip_costs: vec![0] };
        for nth in 0..window.words.len() {
            window.read_word(text, nth);
        }
        Some(window)
    }

    fn read_word(&mut self, text: &str, nth: usize) {
        let Word { span, is_aside } = &mut self.words[nth];
        *span = trimmed(text, *span, is_quote);
        let word = &text[span.range()];
        let cost = match is_aside {
            true => SKIPPED_ASIDE,
            false if is_little(word) => SKIPPED_LITTLE_WORD,
            false => SKIPPED_WORD,
        };
        self.skip_costs.push(self.skip_costs[nth] + cost);
        if !*is_aside {
            self.read_letters(word, nth);
        }
    }

    fn read_letters(&mut self, word: &str, nth: usize) {
        let boundaries = boundaries(word);
        let mut before = None;
        let letters = word.char_indices().filter(|(_, letter)| letter.is_alphanumeric());
        for (at, letter) in letters.take(MOST_WORD_LETTERS) {
            let place = place(word, at, boundaries);
            let starts_part = !matches!(place, Place::Inner | Place::Boundary);
            let digit = if starts_part { number_word(&word[at..]) } else { None };
            let start = self.words[nth].span.start + at;
            before = Some(self.letters.len());
            self.letters.push(Letter { start, folded: folded(letter), digit, word: nth, place, is_last: false });
        }
        if let Some(last) = before {
            self.letters[last].is_last = true;
        }
    }

    /// The letters that may stand for one of a short form.
    fn places(&self, wanted: char) -> impl Iterator<Item = usize> {
        let letters = self.letters.iter().enumerate();
        letters.filter(move |(_, here)| here.folded == wanted || here.digit == Some(wanted)).map(|(at, _)| at)
    }

    /// The cost of leaving out the words from `start` up to `end`.
    fn skip_cost(&self, start: usize, end: usize) -> u32 {
        self.skip_costs[end] - self.skip_costs[start]
    }

    /// The cost of going from a letter of the short form to the next one, or to the end of the window.
    fn step_cost(&self, from: usize, to: usize, is_plural: bool) -> u32 {
        let from_word = self.letters[from].word;
        let Some(letter) = self.letters.get(to) else {
            return self.skip_cost(from_word + 1, self.words.len());
        };
        if from_word == letter.word {
            let is_plural_ending = is_plural && letter.is_last && letter.word + 1 == self.words.len();
            return match letter.place {
                Place::Inner if is_plural_ending => 0,
                Place::Inner if to == from + 1 => STEP_CONTIGUOUS,
                Place::Inner => STEP_INNER,
                _ => 0,
            };
        }
        let entry = match letter.place {
            Place::WordStart => 0,
            Place::PartStart | Place::AfterSlash => STEP_INTO_PART,
            Place::Boundary | Place::Inner => STEP_INTO_WORD,
        };
        self.skip_cost(from_word + 1, letter.word) + entry
    }

    /// The cost of a long form whose first letter is this one; none where it cannot be.
    fn start_cost(&self, at: usize) -> Option<u32> {
        let Letter { word, place, .. } = self.letters[at];
        let is_little = self.skip_cost(word, word + 1) == SKIPPED_LITTLE_WORD;
        match place {
            Place::WordStart if is_little => Some(START_AT_LITTLE_WORD),
            Place::WordStart => Some(0),
            Place::AfterSlash => Some(START_AFTER_SLASH),
            Place::PartStart => Some(START_AT_PART),
            Place::Boundary | Place::Inner => None,
        }
    }

    /// The whole word belongs to the long form, except what stands before a slash.
    fn long_form_start(&self, at: usize) -> usize {
        let letter = &self.letters[at];
        if letter.place == Place::AfterSlash { letter.start } else { self.words[letter.word].span.start }
    }
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '“' | '”' | '‘' | '’')
}

/// Where the letter at `at` stands in its word.
fn place(word: &str, at: usize, boundaries: u64) -> Place {
    let letter = word[at..].chars().next().unwrap_or_default();
    match word[..at].chars().next_back() {
        Some(before) if before.is_alphanumeric() => {
            let is_new_kind = before.is_numeric() != letter.is_numeric();
            let is_new_case = before.is_lowercase() && letter.is_uppercase();
            let is_boundary = is_new_kind || is_new_case || at < COMPOUND_BYTES && boundaries & (1 << at) != 0;
            if is_boundary { Place::Boundary } else { Place::Inner }
        }
        _ if word[..at].split(|sign: char| !sign.is_alphanumeric()).all(is_locant) => Place::WordStart,
        Some('/') => Place::AfterSlash,
        _ => Place::PartStart,
    }
}

/// Words of the sentence in `side`, the last first, up to the bracket or paragraph that holds them.
struct WordsBackwards<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// The first letter of the word that was given last.
    following: Option<char>,
}

/// A word, or a bracket between words.
#[derive(Clone, Copy)]
struct Word {
    span: Span,
    is_aside: bool,
}

/// Long forms are sought in this many bytes.
const LONGEST_SIDE: usize = 500;

/// A bracket between words that has more bytes ends the search.
const LONGEST_ASIDE: usize = 200;

impl<'a> WordsBackwards<'a> {
    fn new(text: &'a str, side: Span) -> Self {
        let start = text.ceil_char_boundary(side.start.max(side.end.saturating_sub(LONGEST_SIDE)));
        Self { text, start, end: side.end, following: None }
    }

    /// The piece of text before the last one, up to white space or a dash; none at the start of a paragraph.
    fn token(&mut self) -> Option<Span> {
        let before = &self.text[self.start..self.end];
        let mut rest = before.trim_end();
        if before[rest.len()..].bytes().filter(|byte| *byte == b'\n').count() > 1 {
            return None;
        }
        while let Some(shorter) = rest.strip_suffix("--").or_else(|| rest.strip_suffix('—')) {
            rest = shorter.trim_end();
        }
        let token = rest.rsplit(|letter: char| letter.is_whitespace() || letter == '—').next()?;
        let token = token.rsplit("--").next().filter(|token| !token.is_empty())?;
        let end = self.start + rest.len();
        self.end = end - token.len();
        Some(Span::new(self.end, end))
    }
}

impl Iterator for WordsBackwards<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let mut span = self.token()?;
        if ends_sentence(&self.text[span.range()], self.following) {
            self.end = self.start;
            return None;
        }
        let mut outside = open_outside(&self.text[span.range()], 0);
        while let Outside::Before(depth) = outside {
            let token = self.token().filter(|token| span.end - token.start <= LONGEST_ASIDE)?;
            outside = open_outside(&self.text[token.range()], depth);
            span.start = token.start;
        }
        if let Outside::Enclosing(open) = outside {
            span.start += open + 1;
            (self.start, self.end) = (span.start, span.start);
        }
        let word = &self.text[span.range()];
        self.following = word.chars().next();
        (!word.is_empty()).then_some(Word { span, is_aside: is_bracketed(word) })
    }
}

/// Where the brackets that close in a piece of text are opened.
enum Outside {
    /// In the piece, all of them.
    Nothing,
    /// Before it, that many of them.
    Before(usize),
    /// In the piece, all of them; moreover one that opens here does not close in it.
    Enclosing(usize),
}

/// Of a piece of text and of `depth` brackets that close after it.
fn open_outside(piece: &str, depth: usize) -> Outside {
    let depth = piece.bytes().enumerate().rev().try_fold(depth, |depth, (at, byte)| match byte {
        b')' | b']' => Ok(depth + 1),
        b'(' | b'[' => depth.checked_sub(1).ok_or(at),
        _ => Ok(depth),
    });
    match depth {
        Ok(0) => Outside::Nothing,
        Ok(depth) => Outside::Before(depth),
        Err(open) => Outside::Enclosing(open),
    }
}

fn is_bracketed(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    word.starts_with(['(', '[']) && word.ends_with([')', ']']) && is_balanced(word)
}

/// Whether a sentence or clause ends with `word`; an initial or "U.S." is no end, nor is "spp." before a small letter.
fn ends_sentence(word: &str, following: Option<char>) -> bool {
    let word = word.trim_end_matches(|letter: char| is_quote(letter) || matches!(letter, ')' | ']'));
    let Some(stem) = word.strip_suffix('.') else { return word.ends_with([';', ':', '?', '!']) };
    let last_part = stem.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_initial = last_part.chars().nth(1).is_none() && last_part.contains(char::is_alphabetic);
    !is_initial && following.is_some_and(|next| !next.is_lowercase())
}

/// The letter without case and accent; a Greek one as its name begins in English.
fn folded(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    let base = std::iter::once(lower).nfkd().next().unwrap_or(lower);
    GREEK_LETTERS.iter().find(|(greek, _)| *greek == base).map_or(base, |(_, name)| name.as_bytes()[0].into())
}

/// Letters that stand in names of substances and genes, with their names.
#[rustfmt::skip]
const GREEK_LETTERS: [(char, &str); 14] = [
    ('α', "alpha"), ('β', "beta"), ('γ', "gamma"), ('δ', "delta"), ('ε', "epsilon"), ('ζ', "zeta"),
    ('η', "eta"), ('θ', "theta"), ('κ', "kappa"), ('λ', "lambda"), ('μ', "mu"), ('π', "pi"), ('σ', "sigma"),
    ('ω', "omega"),
];

/// Number words with the digit that stands for them in "2D" or "3D".
#[rustfmt::skip]
const NUMBER_WORDS: [(&str, char); 17] = [
    ("one", '1'), ("first", '1'), ("mono", '1'), ("two", '2'), ("second", '2'), ("three", '3'), ("third", '3'),
    ("tri", '3'), ("four", '4'), ("tetra", '4'), ("five", '5'), ("penta", '5'), ("six", '6'), ("hexa", '6'),
    ("seven", '7'), ("eight", '8'), ("nine", '9'),
];

/// The digit for the number word that `piece` starts with.
fn number_word(piece: &str) -> Option<char> {
    let starts = |word: &str| piece.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    NUMBER_WORDS.iter().find(|(word, _)| starts(word)).map(|(_, digit)| *digit)
}

/// Words of which an abbreviation often has no letter.
const LITTLE_WORDS: [&str; 25] = [
    "a", "an", "and", "as", "at", "by", "de", "during", "et", "for", "from", "in", "into", "is", "of", "on", "or",
    "per", "plus", "than", "that", "the", "to", "via", "with",
];

fn is_little(word: &str) -> bool {
    LITTLE_WORDS.iter().any(|little| little.eq_ignore_ascii_case(word))
}

/// What says how the parts of a molecule are placed.
const LOCANTS: [&str; 6] = ["cis", "trans", "ortho", "meta", "para", "tert"];

/// Whether a part of a chemical name is left out of its abbreviation: a number, a letter, "beta", "trans".
fn is_locant(part: &str) -> bool {
    let is_short = part.starts_with(char::is_numeric) || part.chars().nth(1).is_none();
    let greek = GREEK_LETTERS.iter().map(|(_, name)| name);
    is_short || LOCANTS.iter().chain(greek).any(|locant| locant.eq_ignore_ascii_case(part))
}

/// Combining forms after which a compound word goes on with another word, sorted.
#[rustfmt::skip]
const COMBINING_FORMS: &[&str] = &[
    "acetyl", "acyl", "adeno", "adren", "adreno", "alkyl", "allo", "allyl", "amido", "amino", "angio", "anti",
    "arterio", "aryl", "atrio", "audio", "auto", "aza", "azo", "bacterio", "benzo", "benzyl", "bi", "bio", "bis",
    "bromo", "broncho", "butyl", "carb", "carbo", "carboxy", "cardio", "cerebro", "chemo", "chloro", "chole",
    "cholecysto", "chondro", "co", "colo", "contra", "counter", "cranio", "crypto", "cyano", "cyclo", "cyto",
    "deca", "dehydro", "deoxy", "dermato", "desoxy", "di", "duodeno", "echo", "ecto", "electro", "encephalo",
    "endo", "enol", "entero", "epi", "ergo", "erythro", "esophago", "ethoxy", "ethyl", "ethylene", "exo", "extra",
    "fibro", "fluoro", "formyl", "galacto", "gastro", "geo", "glomerulo", "gluco", "glutamyl", "glycero", "glyco",
    "granulo", "haemo", "hemi", "hemo", "hepato", "hepta", "hetero", "hexa", "hexyl", "histidyl", "histo", "homo",
    "hydro", "hydroxy", "hyper", "hypo", "hystero", "imido", "immuno", "infra", "inter", "intra", "iodo", "iso",
    "kerato", "keto", "laryngo", "leuco", "leucyl", "leuko", "lipo", "lympho", "macro", "malonyl", "mammo", "mega",
    "meningo", "mercapto", "meta", "methoxy", "methyl", "methylene", "metro", "micro", "mono", "muco", "multi",
    "musculo", "myco", "myo", "nano", "naso", "neo", "nephro", "neuro", "nitro", "nitroso", "non", "nor", "nucleo",
    "octa", "oculo", "oesophago", "oligo", "organo", "oro", "ortho", "osteo", "oto", "ovario", "over", "oxo", "oxy",
    "pan", "pancreatico", "pancreato", "para", "patho", "penta", "pentyl", "peri", "pharmaco", "pharyngo", "pheno",
    "phenyl", "phosphatidyl", "phospho", "phosphoryl", "photo", "physio", "phyto", "plasmo", "pluri", "pneumo",
    "poly", "post", "pre", "pro", "propyl", "propylene", "proteo", "pseudo", "psycho", "pyro", "quadri", "rachi",
    "radio", "recto", "retino", "retro", "rhino", "ribo", "salpingo", "schizo", "scinti", "sclero", "semi", "sero",
    "seryl", "sialo", "socio", "somato", "sono", "spectro", "sperma", "spermato", "spino", "spleno", "steato",
    "stereo", "stomato", "sub", "succinyl", "sulf", "sulfo", "sulpho", "super", "supra", "tele", "tetra", "thermo",
    "thio", "thoraco", "thrombo", "thyro", "thyroid", "tomo", "toxo", "tracheo", "trans", "tri", "tris", "tropo",
    "tuberculo", "turbo", "typo", "tyrosyl", "ultra", "under", "uni", "urethro", "uro", "utero", "vagino", "vaso",
    "veno", "ventriculo", "vertebro", "vestibulo", "video", "vinyl", "viscero", "vitro", "xeno", "zymo",
];

/// Letters of the shortest and longest combining form.
const COMBINING_LETTERS: std::ops::RangeInclusive<usize> = 2..=12;

/// Compounds are taken apart in this many bytes.
const COMPOUND_BYTES: usize = 64;

/// Where in its first bytes a part of a compound word begins, as a set of bits.
fn boundaries(word: &str) -> u64 {
    let lower = word.to_ascii_lowercase();
    let mut found = 0u64;
    for start in 0..lower.len().min(COMPOUND_BYTES) {
        let follows_letter = start > 0 && lower.as_bytes()[start - 1].is_ascii_alphanumeric();
        if follows_letter && found & (1 << start) == 0 {
            continue;
        }
        for end in COMBINING_LETTERS.map(|length| start + length).take_while(|end| *end < COMPOUND_BYTES) {
            let is_form = lower.get(start..end).is_some_and(|piece| COMBINING_FORMS.binary_search(&piece).is_ok());
            found |= u64::from(is_form) << end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    /// The definitions as "short = long", joined by "; ".
    fn found(text: &str) -> String {
        let pairs = abbreviations(text).into_iter();
        let lines = pairs.map(|pair| format!("{} = {}", &text[pair.short.range()], &text[pair.long.range()]));
        lines.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn each_rule_has_a_case_for_it_and_one_against_it() {
        let cases = [
            // Either order, round and square brackets, both halves inside.
            ("A green tea pot (GTP) broke.", "GTP = green tea pot"),
            ("A green tea pot (XQZ) broke.", ""),
            ("The GTP (green tea pot) broke.", "GTP = green tea pot"),
            ("The gtp (green tea pot) broke.", ""),
            ("The GTP (a small and green tea pot) broke.", ""),
            ("A green tea pot [GTP] broke.", "GTP = green tea pot"),
            ("It broke (green tea pot, GTP).", "GTP = green tea pot"),
            ("It broke (red coffee cup, GTP).", ""),
            // What may follow a short form.
            ("A green tea pot (GTP; see below) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP, n = 3) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP-like) broke.", ""),
            ("A green tea pot (GTP)-shaped cup.", "GTP = green tea pot"),
            ("A green tea pot (GTP)ase.", ""),
            // Brackets in brackets, and around.
            ("All broke (also the green tea pot (GTP)).", "GTP = green tea pot"),
            ("All broke (also the green) tea pot (GTP).", ""),
            ("The green tea pot (GTP) lid (GTPL) broke.", "GTP = green tea pot; GTPL = green tea pot (GTP) lid"),
            ("A benzo[a]fluorene(BaF) spot.", "BaF = benzo[a]fluorene"),
            ("A polyadenyl(A) spot.", ""),
            // Words left out, and the cheapest alignment.
            ("The ministry of home affairs (MHA) met.", "MHA = ministry of home affairs"),
            ("The ministry seldom saw home affairs (MHA).", ""),
            ("A bad boat in the broad bay (BB) sank.", "BB = broad bay"),
            ("The lid of tin on the old tea pot (OTP).", "OTP = old tea pot"),
            // Letters inside words: hyphens, slashes, combining forms, plurals, contiguous letters.
            ("A salt-water boat (SWB) sank.", "SWB = salt-water boat"),
            ("A salted boat (SLTDB) sank.", "SLTDB = salted boat"),
            ("Two salt water boats (SWBs) sank.", "SWBs = salt water boats"),
            ("Some cup/tea pot (TP) broke.", "TP = tea pot"),
            ("Some hydrocolourant (HC) was spilt.", "HC = hydrocolourant"),
            ("Some colourhydrant (LH) was spilt.", ""),
            ("The tinned soup (NS) was eaten.", ""),
            // Locants, digits, number words, Greek letters, accents.
            ("Some 2,6-dichlorofoobar (DCF) was spilt.", "DCF = 2,6-dichlorofoobar"),
            ("Some nitrous oxide (N2O) was spilt.", "N2O = nitrous oxide"),
            ("Some carbon oxide (22O) was spilt.", ""),
            ("A three-dimensional (3D) pot.", "3D = three-dimensional"),
            ("A two-dimensional (3D) pot.", ""),
            ("The foo bar protein alpha (FBPα) rose.", "FBPα = foo bar protein alpha"),
            ("The foo bar protein β (FBP-b) rose.", "FBP-b = foo bar protein β"),
            ("The étude comparée (EC) ended.", "EC = étude comparée"),
            // What is no short form.
            ("The green tea pot (G T P) broke.", ""),
            ("The green tea pot (+GTP) broke.", ""),
            ("The many women (men) came.", ""),
            ("The pressure (p<5) fell.", ""),
            ("After 5 miles (5 m) it broke.", ""),
            ("It has (a) an armchair and (b) a bed.", ""),
            ("It has an armchair (A) and a tall bed (X).", "A = armchair"),
            ("The abcdefghijkl mno (ABCDEFGHIJKL) rose.", ""),
            ("The lid of the GTP pot (GTP) broke.", ""),
            // Ends of sentences and paragraphs, initials, dashes, quotes.
            ("He saw green. Tea pots (GTP) broke.", ""),
            ("He saw green: tea pots (GTP) broke.", ""),
            ("The U.S. Tea Office (USTO) met.", "USTO = U.S. Tea Office"),
            ("Green\n\ntea pot (GTP)", ""),
            ("A green\r\ntea\npot\r\n(GTP) broke.", "GTP = green\r\ntea\npot"),
            ("Odd things--tea pots (TP) broke.", "TP = tea pots"),
            ("A \u{201c}green tea pot\u{201d} (GTP) broke.", "GTP = green tea pot"),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn lists_of_words_are_sorted() {
        assert!(COMBINING_FORMS.is_sorted());
        assert!(COMBINING_FORMS.iter().all(|form| COMBINING_LETTERS.contains(&form.len())));
    }

    #[test]
    fn brackets_without_end_take_no_time() {
        let start = Instant::now();
        for piece in [
            "(",
            "(a",
            "(a) ",
            "a (A) ",
            "[(",
            ") (aa",
            "a-a aa (aaaaaaaaaa) aaa ",
            "((((((a))))))",
            "(\u{3b1}\u{3000}",
        ] {
            let text = piece.repeat((1 << 20) / piece.len());
            abbreviations(&text);
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn spans_slice_the_text_and_do_not_overlap(
            text in prop_oneof![".{0,80}", "([abA2α’é. -]{0,8}[(\\[][abA2α,; -]{0,8}[)\\]]){0,6}", "[abA() \n\u{300}ß-]{0,80}"]
        ) {
            for pair in abbreviations(&text) {
                prop_assert!(pair.short.of(&text).is_some() && pair.long.of(&text).is_some());
                prop_assert!(!pair.short.overlaps(pair.long));
            }
        }
    }
}
