//! Compares the spelling of a piece of text with a name that has the same letters.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use truename_text::{
    BORDER_MARKS, Border, MINUS_SIGNS, NormalizedName, Rotation, Span, Words, cased_letters, differ_in_minus,
    has_umlauts_of, have_same_digit_groups, is_negative,
};

/// Common English words in lower case (levels 10 and 20 of SCOWL; the file holds the licence).
static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Maximum letters and digits of a code: a name that must occur exactly as written.
const MAX_CODE_LENGTH: usize = 3;
/// Maximum letters and digits of an acronym, a name mostly in capitals.
const MAX_ACRONYM_LENGTH: usize = 8;
/// Maximum letters of a word in capitals that is taken for an acronym of its own.
const MAX_CAPITALS_LENGTH: usize = 5;
/// Share of capitals above which a passage is in capitals.
const MIN_CAPITALS: f64 = 0.5;
/// Share of capitals above which a line is in capitals, though its passage is not.
const MIN_CAPITALS_OF_LINE: f64 = 0.9;

/// Returns whether the piece is a common English word.
pub(crate) fn is_common_word(piece: &str) -> bool {
    COMMON_WORDS.contains(piece.to_lowercase().as_str())
}

/// Returns whether the piece is a common English word with a capital at its beginning alone.
pub(super) fn is_capitalized_word(piece: &str) -> bool {
    let mut letters = piece.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    is_capital && !letters.as_str().is_empty() && letters.all(char::is_lowercase) && is_common_word(piece)
}

/// Brackets that a span has both of or none.
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
/// Maximum letters in brackets within a word (`D(3)`, `[18F]FDG`, `1,25-(OH)(2)`); more are an aside.
const MAX_BRACKETED_LETTERS: usize = 2;

/// Greek letters as MEDLINE writes them in brackets within a word (`IL-1(beta)`).
const GREEK_NAMES: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "kappa", "lambda", "zeta"];

/// Function words, none of which begins or ends a word that is written in two: `case in` is no `casein`, `his tone` no `histone`.
const APART: [&str; 34] = [
    "a", "am", "an", "and", "are", "as", "at", "be", "had", "has", "he", "her", "him", "his", "is", "it", "its", "me",
    "my", "of", "or", "our", "she", "that", "the", "their", "them", "they", "this", "to", "was", "we", "were", "your",
];
/// Further ones that begin such words, but end none: `in patient` and `on set`, but not `hero in`.
const APART_BEHIND: [&str; 8] = ["by", "for", "from", "in", "no", "on", "so", "us"];

/// Returns whether a piece, as it was read, can be a spelling of `name` at all: the name has the marks of sentences, the umlauts, the groups of
/// digits, the sign of rotation and the minus at the end that the piece has, and no minus behind a code that it lacks.
pub(super) fn is_spelling_of(piece: &str, name: &str) -> bool {
    !joins_by_chance(piece, name)
        && has_umlauts_of(piece, name)
        && has_border_marks_of(piece, name)
        && have_same_digit_groups(piece, name)
        && (!is_negative(piece) || is_negative(name))
        && !differ_in_minus(piece, name)
        && Rotation::of(piece).is_none_or(|rotation| Rotation::of(name) == Some(rotation))
}

/// Returns whether a function word of the piece and the word beside it are one word of the name.
fn joins_by_chance(piece: &str, name: &str) -> bool {
    if !piece.contains(' ') {
        return false;
    }
    let (piece, name) = (piece.to_lowercase(), name.to_lowercase());
    let is_mark = |c: char| !c.is_alphanumeric();
    let words: Vec<&str> = piece.split_whitespace().map(|word| word.trim_matches(is_mark)).collect();
    words.windows(2).filter(|pair| pair.iter().all(|word| !word.is_empty())).any(|pair| {
        let [one, other] = [pair[0], pair[1].trim_end_matches('s')];
        let is_apart = pair.iter().any(|word| APART.contains(word)) || APART_BEHIND.contains(&pair[1]);
        is_apart && name.split(is_mark).any(|word| word.contains(&[one, other].concat()))
    })
}

/// How a piece of text writes a name whose letters it has, from the least to the most alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spelling {
    /// With capitals that the name has not, or without those that it has.
    OtherCapitals,
    /// As the name, but it is a common word that mostly means just that word.
    Word,
    /// As the name.
    Name,
}

/// Returns how `piece`, found in a text by its normal form, is written; `None` if it has punctuation that `name` lacks.
///
/// A code or acronym is written as the name if it has the same capitals (a plural `s` and longer codes with digits apart). A word in capitals
/// is not written as a short lower-case name, unless it is a line of its own. Where capitals tell nothing, the letters alone count, and a
/// common word is no acronym.
pub(super) fn of(piece: &str, name: &str, capitals: Capitals) -> Option<Spelling> {
    has_marks_of(piece, name).then(|| match has_capitals_of(piece, name, capitals) {
        true => Spelling::Name,
        false => Spelling::OtherCapitals,
    })
}

fn has_capitals_of(piece: &str, name: &str, capitals: Capitals) -> bool {
    let (written, known) = (cased_letters(piece), cased_letters(name));
    let (is_acronym, is_code) = (is_acronym(name), is_code(name));
    if capitals == Capitals::Meaningless && (is_acronym || is_code) {
        let (written, known) = (written.to_lowercase(), known.to_lowercase());
        let is_plural = is_acronym && written.strip_suffix('s') == Some(&known);
        return (written == known || is_plural) && !(is_acronym && is_common_word(piece));
    }
    if written == known {
        return true;
    }
    if is_acronym {
        return written.strip_suffix('s') == Some(&known) || is_code_in_other_capitals(piece, name);
    }
    if is_code {
        return capitalized(&written) == capitalized(&known) && !is_capitals(&written);
    }
    let length = written.chars().count();
    match capitals {
        Capitals::Meaningless => true,
        Capitals::WordAlone if length > MAX_CODE_LENGTH => true,
        _ => !(is_capitals(&written) && length <= MAX_CAPITALS_LENGTH) || has_digit_within(piece),
    }
}

/// Returns whether the piece is a code with digits and no space (`BCL2`), and so no word.
fn has_digit_within(piece: &str) -> bool {
    piece.contains(char::is_numeric) && !piece.contains(char::is_whitespace)
}

/// Fewest letters of a code with digits that may be capitalized (`Bcl-2` for `BCL2`).
const MIN_CAPITALIZED_LETTERS: usize = 3;
/// Fewest letters of a code in small letters, or one of several parts without digits (`covid-19`, `L-dopa`).
const MIN_SMALL_LETTERS: usize = 5;

/// Returns whether the piece is a code of several parts as the name, with other capitals: `Covid-19` for `COVID-19`.
fn is_code_in_other_capitals(piece: &str, name: &str) -> bool {
    let letters = piece.chars().filter(|c| c.is_alphabetic()).count();
    let is_long = letters >= MIN_SMALL_LETTERS && piece.contains(|c: char| !c.is_alphabetic());
    let is_capitalized = letters >= MIN_CAPITALIZED_LETTERS && piece.starts_with(char::is_uppercase);
    (is_long || is_capitalized && has_digit_within(piece))
        && !piece.contains(char::is_whitespace)
        && cased_letters(piece).to_lowercase() == cased_letters(name).to_lowercase()
}

/// Whether capitals distinguish names from words in a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capitals {
    /// Names in capitals stand in them.
    Meaningful,
    /// It is a line of one short word in capitals, an acronym or a heading.
    WordAlone,
    /// Everything around it is in capitals too.
    Meaningless,
}

/// The parts of a passage in capitals: all of it, or single lines.
pub(super) struct InCapitals {
    whole: Letters,
    lines: Vec<(Span, Capitals)>,
}

impl InCapitals {
    /// Finds the lines in capitals of a passage.
    pub(super) fn of(text: &str, passage: Span) -> Self {
        let (mut whole, mut lines, mut start) = (Letters::default(), Vec::new(), passage.start);
        for line in text[passage.range()].split_inclusive('\n') {
            let span = Span::new(start, start + line.len());
            let letters = Letters::of(line);
            let capitals = match letters.are_capitals(MIN_CAPITALS_OF_LINE) {
                true => Capitals::Meaningless,
                false if letters.small > 0 => Capitals::Meaningful,
                false => of_short_line(line),
            };
            lines.extend((capitals != Capitals::Meaningful).then_some((span, capitals)));
            whole.add(&letters);
            start = span.end;
        }
        Self { whole, lines }
    }

    /// Returns the share of capitals among the letters of the passage.
    pub(super) fn share(&self) -> f32 {
        self.whole.capitals as f32 / self.whole.letters.max(1) as f32
    }

    /// Returns what capitals tell about a span.
    pub(super) fn of_span(&self, span: Span) -> Capitals {
        if self.whole.are_capitals(MIN_CAPITALS) {
            return Capitals::Meaningless;
        }
        let at = self.lines.partition_point(|(line, _)| line.end <= span.start);
        let line = self.lines.get(at).filter(|(line, _)| line.contains(span));
        line.map_or(Capitals::Meaningful, |(_, capitals)| *capitals)
    }
}

/// Words that join others to a heading; a short line with one is no list of acronyms.
const JOINING: [&str; 14] =
    ["AND", "ARE", "AT", "BY", "FOR", "FROM", "IN", "IS", "OF", "ON", "OR", "THE", "WAS", "WITH"];

/// Returns what the capitals of a short line without small letters tell: nothing if it has a word too long for an acronym, or one that joins others.
fn of_short_line(line: &str) -> Capitals {
    if !line.contains(char::is_uppercase) {
        return Capitals::Meaningful;
    }
    let words = || line.split(|c: char| !c.is_alphanumeric()).filter(|word| word.contains(char::is_alphabetic));
    let is_word = |word: &str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > MAX_CAPITALS_LENGTH || JOINING.contains(&word)
    };
    match words().count() {
        0 => Capitals::Meaningful,
        1 => Capitals::WordAlone,
        _ if words().any(is_word) => Capitals::Meaningless,
        _ => Capitals::Meaningful,
    }
}

/// Numbers of letters in a text.
#[derive(Default)]
struct Letters {
    letters: usize,
    capitals: usize,
    small: usize,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for c in text.chars() {
            counts.letters += usize::from(c.is_alphabetic());
            counts.capitals += usize::from(c.is_uppercase());
            counts.small += usize::from(c.is_lowercase());
        }
        counts
    }

    fn add(&mut self, other: &Self) {
        self.letters += other.letters;
        self.capitals += other.capitals;
        self.small += other.small;
    }

    /// Returns whether these are the letters of a longer text, and more than a share of them capitals.
    fn are_capitals(&self, share: f64) -> bool {
        self.letters > 2 * MAX_ACRONYM_LENGTH && self.capitals as f64 > share * self.letters as f64
    }
}

/// Returns the letters with the first one capitalized, as at the beginning of a sentence.
fn capitalized(letters: &str) -> String {
    let mut rest = letters.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

fn is_capitals(letters: &str) -> bool {
    letters.chars().filter(|c| c.is_uppercase()).count() > 1 && !letters.chars().any(char::is_lowercase)
}

/// Returns whether a name is a code: so short that it occurs exactly as written.
pub(super) fn is_code(name: &str) -> bool {
    NormalizedName::new(name).squeezed().chars().count() <= MAX_CODE_LENGTH
}

/// Returns whether a name is an acronym: few letters and digits without space, most letters capitals; a Greek letter counts as one.
pub(super) fn is_acronym(name: &str) -> bool {
    let count = |is_counted: fn(char) -> bool| name.chars().filter(|c| is_counted(*c)).count();
    let capitals = count(char::is_uppercase);
    capitals > 1
        && 2 * capitals >= count(char::is_alphabetic)
        && !name.trim().contains(char::is_whitespace)
        && count(char::is_alphanumeric) <= MAX_ACRONYM_LENGTH
}

/// Returns whether commas, brackets and similar marks of the piece occur in the name too; otherwise the piece is a list
/// or an aside. Brackets within a word do not count.
fn has_marks_of(piece: &str, name: &str) -> bool {
    const MARKS: [char; 13] = [',', ';', ':', '(', ')', '[', ']', '"', '<', '>', '=', '*', '%'];
    if !piece.contains(MARKS) && !piece.contains(['“', '”']) {
        return true;
    }
    let is_mark = |c: char, mark: char| c == mark || mark == '"' && matches!(c, '“' | '”');
    let count = |text: &str, mark: char| text.chars().filter(|c| is_mark(*c, mark)).count();
    let has_all = |piece: &str, name: &str| {
        let has_mark =
            |mark: char| count(piece, mark) <= count(name, mark) || mark == '"' && is_quotation_within(piece);
        MARKS.into_iter().all(has_mark)
    };
    let before_bracket = |text: &str| text.find(['(', '[']).map(|at| cased_letters(&text[..at]).to_lowercase());
    has_all(&without_inner_brackets(piece), &without_inner_brackets(name))
        || has_all(piece, name) && before_bracket(piece) == before_bracket(name)
}

/// Returns whether the quotation marks of a piece are one pair around words within it (`Toys “R” Us`).
fn is_quotation_within(piece: &str) -> bool {
    let mut parts = piece.split(['"', '“', '”']);
    let (Some(before), Some(quoted), Some(after), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let is_apart = |c: char| !c.is_alphanumeric();
    before.ends_with(is_apart)
        && after.starts_with(is_apart)
        && !quoted.starts_with(is_apart)
        && !quoted.ends_with(is_apart)
}

/// Returns a text without the brackets within words around digits, signs and few letters, as MEDLINE writes raised and lowered characters
/// (`Ca(2+)`, `[(18)F]FDG`).
pub(super) fn without_inner_brackets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    while let Some((open, close)) = inner_brackets(&text) {
        text = Cow::Owned([&text[..open], &text[open + 1..close], &text[close + 1..]].concat());
    }
    text
}

/// Returns the places of the first pair of brackets within a word.
fn inner_brackets(text: &str) -> Option<(usize, usize)> {
    let is_within = |(open, close): &(usize, usize)| {
        let (before, content, after) = (&text[..*open], &text[open + 1..*close], &text[close + 1..]);
        let letters = content.chars().filter(|c| c.is_alphabetic()).count();
        let is_roman = content.chars().all(|c| "IVX".contains(c)) || GREEK_NAMES.contains(&content);
        // A minus stands before letters in a word, `(5-HT)2A`.
        let is_word = letters > 0 && content.trim_matches(MINUS_SIGNS).contains(MINUS_SIGNS);
        let is_sign = |c: char| c.is_alphanumeric() || "+,/±'".contains(c) || MINUS_SIGNS.contains(&c);
        let is_script = is_roman || letters <= MAX_BRACKETED_LETTERS && !is_word && content.chars().all(is_sign);
        let begins_word = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '['));
        let joins = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']'))
            || begins_word(after.strip_prefix(MINUS_SIGNS).unwrap_or(after));
        is_script && joins
    };
    let mut pairs = text.char_indices().filter_map(|(open, c)| {
        let (_, closing) = BRACKETS.into_iter().find(|(opening, _)| *opening == c)?;
        Some((open, open + text[open..].find(closing)?))
    });
    pairs.find(is_within)
}

/// Returns the span with the brackets around its ends whose partners it has; `None` if a bracket is left without partner.
pub(super) fn with_brackets(text: &str, span: Span) -> Option<Span> {
    let piece = &text[span.range()];
    if !piece.contains(['(', ')', '[', ']', '{', '}']) {
        return Some(span);
    }
    let (mut open, mut start, mut end) = (Vec::new(), span.start, span.end);
    for c in piece.chars() {
        if let Some((_, closing)) = BRACKETS.into_iter().find(|(opening, _)| *opening == c) {
            open.push(closing);
        } else if let Some((opening, closing)) = BRACKETS.into_iter().find(|(_, closing)| *closing == c) {
            match open.pop() {
                Some(expected) if expected == closing => {}
                Some(_) => return None,
                None => start = text[..start].strip_suffix(opening)?.len(),
            }
        }
    }
    for closing in open.into_iter().rev() {
        let rest = text[end..].trim_start_matches(MINUS_SIGNS).strip_prefix(closing)?;
        end = text.len() - rest.len();
    }
    Some(Span::new(start, end))
}

/// Returns the span with the minus behind it, in brackets or without them; `None` if there is none.
pub(super) fn with_minus(text: &str, span: Span) -> Option<Span> {
    let rest = &text[span.end..];
    let after = match rest.strip_prefix(['(', '[']) {
        Some(inner) => inner.strip_prefix(MINUS_SIGNS)?.strip_prefix([')', ']'])?,
        None => rest.strip_prefix(MINUS_SIGNS)?,
    };
    let is_end = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '['));
    is_end.then(|| Span::new(span.start, text.len() - after.len()))
}

/// Returns whether the name has the marks at the borders of sentences and cells that the piece reaches across, each behind the same word.
fn has_border_marks_of(piece: &str, name: &str) -> bool {
    let is_spaced = |(at, mark): (usize, &str)| piece[at + mark.len()..].starts_with(char::is_whitespace);
    if !piece.match_indices(BORDER_MARKS).any(is_spaced) {
        return true;
    }
    let (words, known) = (Words::of(piece, Span::new(0, piece.len())), Words::of(name, Span::new(0, name.len())));
    (1..words.len()).filter(|word| words.border_before(*word) == Border::Mark).all(|word| {
        let marks = |words: &Words, text: &str, word: usize| -> Vec<char> {
            let end = if word + 1 < words.len() { words.span(word + 1).start } else { text.len() };
            text[words.span(word).end..end].chars().filter(|c| BORDER_MARKS.contains(c)).collect()
        };
        let (before, wanted) = (words.form(word - 1), marks(&words, piece, word - 1));
        (0..known.len()).any(|word| known.form(word) == before && marks(&known, name, word).starts_with(&wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_name(piece: &str, name: &str, capitals: Capitals) -> bool {
        of(piece, name, capitals) == Some(Spelling::Name)
    }

    #[test]
    fn a_name_is_written_as_it_would_be() {
        let cases = [
            ("aspirin", "Aspirin", true),
            ("ASPIRIN", "Aspirin", true),
            ("all", "ALL", false),
            ("ALL", "ALL", true),
            ("EEGs", "EEG", true),
            ("eegs", "EEG", false),
            ("CAT", "Cat", false),
            ("Cat", "cat", true),
            ("MAP", "Map", false),
            ("HEART", "Heart", false),
            ("tin", "Tin", true),
            ("Tin", "tin", true),
            ("liver, kidney", "liver kidney", false),
            ("tumors", "Tumor", true),
            ("il-2", "IL-2", false),
            ("anemia (sideroblastic)", "Anemia (Sideroblastic)", true),
            ("Covid-19", "COVID-19", true),
            ("covid-19", "COVID-19", true),
            ("L-dopa", "L-DOPA", true),
            ("l-dopa", "L-DOPA", true),
            ("sars-cov-2", "SARS-CoV-2", true),
            ("BCL2", "Bcl-2", true),
            ("Bcl-2", "BCL2", true),
            ("Her2", "HER2", true),
            ("her2", "HER2", false),
            ("Her 2", "HER2", false),
            ("bcl2", "BCL-2", false),
            ("Il-2", "IL-2", false),
            ("gaba", "GABA", false),
            ("T-all", "T-ALL", false),
            ("Toys “R” Us", "Toys \"R\" Us", true),
            ("Toys \"R\" Us", "Toys R Us", true),
            ("heart\" \"attack", "heart attack", false),
            ("heart \"attack", "heart attack", false),
        ];
        for (piece, name, expected) in cases {
            assert_eq!(is_name(piece, name, Capitals::Meaningful), expected, "{piece} / {name}");
        }
        for (piece, name) in [("HEART", "Heart"), ("TIN", "tin"), ("IFN-GAMMA", "IFN-γ"), ("COPDS", "COPD")] {
            assert!(is_name(piece, name, Capitals::Meaningless), "{piece} / {name}");
        }
        assert!(!is_name("ALL", "ALL", Capitals::Meaningless));
        for (piece, name, expected) in
            [("FEVER", "fever", true), ("RASH", "Rash", true), ("MAP", "Map", false), ("ALL", "ALL", true)]
        {
            assert_eq!(is_name(piece, name, Capitals::WordAlone), expected, "{piece} / {name}");
        }
    }

    #[test]
    fn acronyms_are_the_same_in_all_characters() {
        for (piece, name, expected) in [
            ("IFN-gamma", "IFN-γ", true),
            ("PPARα", "PPAR-alpha", true),
            ("ifn-γ", "IFN-γ", false),
            ("CO₂", "CO2", true),
            ("CO(2)", "CO2", true),
            ("Mg²⁺", "Mg2+", true),
            ("copper(II)", "Copper II", true),
            ("copper (II)", "Copper(II)", true),
            ("[(18)F]FLT", "18F-FLT", true),
            ("(S)-warfarin", "S-warfarin", true),
            ("IL-1(beta)", "IL-1β", true),
            ("IL-1 (beta)", "IL-1β", false),
            ("CO (2)", "CO2", false),
            ("(GABA(A)) ward", "GABA(A) ward", false),
            ("(5-HT)2A ward", "5-HT(2A) ward", false),
            ("heart (left)", "heart left", false),
        ] {
            assert_eq!(is_name(piece, name, Capitals::Meaningful), expected, "{piece} / {name}");
        }
    }

    #[test]
    fn brackets_of_a_span_are_balanced() {
        for (text, piece, expected) in [
            ("low D(3).", "D(3", Some("D(3)")),
            ("[(18)F]FLT", "18)F]FLT", Some("[(18)F]FLT")),
            ("SO4(2-) and", "SO4(2", Some("SO4(2-)")),
            ("CO (2 weeks)", "CO (2", None),
            ("a] b", "a] b", None),
            ("(heart)", "heart", Some("heart")),
            ("CO_{2} fell", "CO_{2", Some("CO_{2}")),
        ] {
            let start = text.find(piece).unwrap();
            let found = with_brackets(text, Span::new(start, start + piece.len()));
            assert_eq!(found.and_then(|span| span.of(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_minus_belongs_to_a_span_that_ends_a_word() {
        for (text, expected) in [
            ("Cl- fell", Some("Cl-")),
            ("Cl⁻", Some("Cl⁻")),
            ("Cl(-)", Some("Cl(-)")),
            ("Cl-channel", None),
            ("Cl fell", None),
        ] {
            assert_eq!(with_minus(text, Span::new(0, 2)).and_then(|span| span.of(text)), expected, "{text}");
        }
        assert!(is_spelling_of("Cl(-)", "Cl−") && !is_spelling_of("Cl-", "Cl"));
        for (piece, name) in [
            ("case in", "Casein"),
            ("His tones", "Histone"),
            ("a typical ward", "Atypical ward"),
            ("hero in", "Heroin"),
            ("pen is", "Penis"),
        ] {
            assert!(!is_spelling_of(piece, name), "{piece} / {name}");
        }
        for (piece, name) in [
            ("heart burn", "Heartburn"),
            ("in patient", "Inpatient"),
            ("by pass", "Bypass"),
            ("cancer of the lung", "Lung cancer"),
            ("as it is", "As it is"),
            ("over dose", "Overdose"),
        ] {
            assert!(is_spelling_of(piece, name), "{piece} / {name}");
        }
    }

    #[test]
    fn a_name_has_the_marks_of_sentences_of_its_piece() {
        for (piece, name, expected) in [
            ("Acme Inc. France", "ACME INC. FRANCE", true),
            ("Acme Inc. France", "Acme Inc France", false),
            ("Wow! Foods", "Wow! Foods", true),
            ("Wow. Foods", "Wow! Foods", false),
            ("Left / Right", "left/right", true),
            ("Left / Right", "left right", false),
            ("St. Foo", "St Foo", true),
        ] {
            assert_eq!(is_spelling_of(piece, name), expected, "{piece} / {name}");
        }
    }

    #[test]
    fn a_line_in_capitals_is_told_by_its_letters() {
        let text = "One line of this text is not in capitals.\nBUT A SECOND LINE OF IT, 1234\nis; ABC DEF GHI";
        let capitals = InCapitals::of(text, Span::new(0, text.len()));
        let of = |text: &str, capitals: &InCapitals, word: &str| {
            let start = text.find(word).unwrap();
            capitals.of_span(Span::new(start, start + word.len()))
        };
        let is_in = |word: &str| of(text, &capitals, word) == Capitals::Meaningless;
        assert!(is_in("SECOND") && !is_in("One") && !is_in("GHI"));
        for (text, word, expected) in [
            ("FEVER", "FEVER", Capitals::WordAlone),
            ("It was so.\nFEVER:\nNone", "FEVER", Capitals::WordAlone),
            ("COUGH WAS MILD", "WAS", Capitals::Meaningless),
            ("RASH AND ITCH", "RASH", Capitals::Meaningless),
            ("ALL, AML", "ALL", Capitals::Meaningful),
            ("a FEVER", "FEVER", Capitals::Meaningful),
        ] {
            assert_eq!(of(text, &InCapitals::of(text, Span::new(0, text.len())), word), expected, "{text}");
        }
    }

    #[test]
    fn common_words_are_there() {
        assert!(is_common_word("The") && is_common_word("lead") && !is_common_word("aspirin"));
    }
}
