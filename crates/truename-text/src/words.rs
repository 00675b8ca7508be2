//! The words of a running text, in the normal form of names.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::alternative::{Alternative, alternatives, charge, is_acronym};
use crate::border::{Border, Borders};
use crate::designator::is_unit;
use crate::key::{may_vary, variant_of};
use crate::normalize::is_apostrophe;
use crate::{NormalizedName, Span};

/// The words of a piece of text: maximal runs of letters and digits.
///
/// The forms of neighbouring words written together are the squeezed normal form of the text they cover, so
/// that a name is found however it is spaced and hyphenated. Hyphens, slashes and brackets end a word; an
/// apostrophe within one does not, unless it stands for a vowel (`l'asthme`) or before a Turkish ending (`Adler'den`); `+`, `#` and `&` are words of their own, raised ones too, and so are
/// the charge of an ion (`++` in `Fe++`) and each character of a script that has no spaces.
#[derive(Clone, Debug, Default)]
pub struct Words {
    words: Vec<Word>,
    /// The forms, one behind the other.
    forms: String,
    /// Other ways to write words, with the number of the word.
    alternatives: Vec<(usize, Alternative)>,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    span: Span,
    /// End of the form in `forms`; it begins at the end of the variant before it.
    form_end: usize,
    /// End of the variant, which is empty where it equals the form.
    variant_end: usize,
    border_before: Border,
    part: Part,
}

/// Part of a word with an apostrophe that parts words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Name,
    /// The article before a name.
    Article,
    /// The ending behind a name.
    Ending,
}

impl Words {
    /// Splits `text` within `span` into words.
    pub fn of(text: &str, span: Span) -> Self {
        let mut words = Self::default();
        let (borders, mut at) = (Borders::of(text, span), span.start);
        loop {
            at = words.push_plain(&borders, text, at, span.end);
            let Some(start) = text[at..span.end].find(|c: char| class(c) != Class::Between).map(|found| at + found)
            else {
                return words;
            };
            let charge = charge(&text[span.start..start], &text[start..span.end]);
            let end = charge.map_or_else(|| word_end(text, start, span.end), |length| start + length);
            for (word, part) in trimmed(text, start, end).into_iter().flat_map(|word| elided(text, word)) {
                words.push(&borders, text, word, part);
            }
            at = end;
        }
    }

    /// Takes words of ASCII letters and digits alone, which most are, as long as there are such; returns the byte
    /// after them.
    fn push_plain(&mut self, borders: &Borders<'_>, text: &str, start: usize, end: usize) -> usize {
        let bytes = &text.as_bytes()[..end];
        let mut at = start;
        loop {
            let first = at + bytes[at..].iter().take_while(|byte| is_plain_gap(**byte)).count();
            let after = first + bytes[first..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let is_whole = bytes.get(after).is_none_or(|byte| is_plain_gap(*byte));
            if first == after || !is_whole {
                return first;
            }
            self.push(borders, text, Span::new(first, after), Part::Name);
            at = after;
        }
    }

    fn push(&mut self, borders: &Borders<'_>, text: &str, span: Span, part: Part) {
        let written = &text[span.range()];
        let from = self.forms.len();
        if written.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            self.forms.extend(written.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            let normal = NormalizedName::new(written);
            self.forms.extend(normal.as_str().chars().filter(|c| *c != ' '));
        }
        let form_end = self.forms.len();
        if form_end == from {
            return;
        }
        if may_vary(&self.forms[from..]) {
            let variant = variant_of(&self.forms[from..]);
            if variant != self.forms[from..] {
                self.forms.push_str(&variant);
            }
        }
        let word = self.words.len();
        let border_before = self.words.last().map_or(Border::Segment, |before| borders.between(before.span, span));
        self.words.push(Word { span, form_end, variant_end: self.forms.len(), border_before, part });
        let before = word.checked_sub(1).map_or("", |before| self.form(before));
        for alternative in alternatives(written, before, &text[span.end..]) {
            self.alternatives.push((word, alternative));
        }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the place of a word in the text.
    pub fn span(&self, word: usize) -> Span {
        self.words[word].span
    }

    /// Returns the first word that begins at a byte of the text or behind it; [`Words::len`] if there is none.
    pub fn first_from(&self, byte: usize) -> usize {
        self.words.partition_point(|word| word.span.start < byte)
    }

    /// Returns the normal form of a word.
    pub fn form(&self, word: usize) -> &str {
        let start = word.checked_sub(1).map_or(0, |before| self.words[before].variant_end);
        &self.forms[start..self.words[word].form_end]
    }

    /// Returns the form of a word in the singular and in American spelling, where it differs.
    pub fn variant(&self, word: usize) -> Option<&str> {
        let Word { form_end, variant_end, .. } = self.words[word];
        (form_end < variant_end).then(|| &self.forms[form_end..variant_end])
    }

    /// Returns the other ways to write a word: `β1` for `ß1`, `Löfgren` for `Loefgren`, `4` for `IV`.
    pub fn alternatives(&self, word: usize) -> impl Iterator<Item = &Alternative> {
        let first = self.alternatives.partition_point(|(other, _)| *other < word);
        self.alternatives[first..]
            .iter()
            .take_while(move |(other, _)| *other == word)
            .map(|(_, alternative)| alternative)
    }

    /// Returns the border before a word; that of a segment before the first one.
    pub fn border_before(&self, word: usize) -> Border {
        self.words[word].border_before
    }

    /// Returns true if a name may begin with a word: it is no ending behind an apostrophe (`den` in `Adler'den`).
    pub fn may_begin_name(&self, word: usize) -> bool {
        self.words[word].part != Part::Ending
    }

    /// Returns true if a name may end with a word: it is no article before an apostrophe (`dell` in `dell'asma`).
    pub fn may_end_name(&self, word: usize) -> bool {
        self.words[word].part != Part::Article
    }

    /// Returns true if a sentence, paragraph, item of a list or cell of a table ends before a word.
    pub fn breaks_before(&self, word: usize) -> bool {
        self.border_before(word) != Border::None
    }
}

/// Returns the other ways to write a name: each of its words as it is or in another way ([`Words::alternatives`]), `(±)-` for `(+/-)-`.
pub fn alternative_names(name: &str) -> Vec<String> {
    let words = Words::of(name, Span::new(0, name.len()));
    let mut names = vec![name.to_owned()];
    // From the last word on, so that the spans of the others stay.
    for word in (0..words.len()).rev() {
        let is_free = |one: &&Alternative| one.place.allows(word == 0, word + 1 == words.len());
        let known = names.len().min(MAX_ALTERNATIVE_NAMES);
        for alternative in words.alternatives(word).filter(is_free) {
            for at in 0..known {
                let mut other = names[at].clone();
                other.replace_range(words.span(word).range(), &alternative.written);
                names.push(other);
            }
        }
    }
    names.extend(other_decimal(name));
    if let Some(plain) = without_class(name) {
        let others = alternative_names(&plain);
        names.push(plain);
        names.extend(others);
    }
    if name.contains("(+/-)") {
        let racemic: Vec<String> = names.iter().map(|name| name.replace("(+/-)", "(±)")).collect();
        names.extend(racemic);
    }
    names.remove(0);
    names.truncate(MAX_ALTERNATIVE_NAMES);
    names
}

/// Returns a name without the word `type` before its number or letter (`topoisomerase 2` for `topoisomerase type 2`); `None` where it has none,
/// or begins with it.
fn without_class(name: &str) -> Option<String> {
    let at = name.to_ascii_lowercase().find(CLASS)?;
    let (before, after) = (&name[..at], &name[at + CLASS.len()..]);
    let designator = after.split([' ', ',']).next().unwrap_or_default();
    let is_numeral = !designator.is_empty() && designator.chars().all(|c| c.is_ascii_digit() || "IVX".contains(c));
    let is_letter = designator.len() == 1 && designator.starts_with(char::is_alphabetic);
    (!before.is_empty() && (is_numeral || is_letter)).then(|| format!("{before} {after}"))
}

/// The word that a number or letter stands behind, in a name.
const CLASS: &str = " type ";

/// Returns a name with its first number before a unit written without the zeros that end its fraction (`5 mg` for `5.0 mg`), with a zero before its
/// point (`0.5 mg` for `.5 mg`) or, for a whole number, with a fraction of zero (`5.0 mg`); `None` where there is no such number.
fn other_decimal(name: &str) -> Option<String> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let start = name.char_indices().find_map(|(at, c)| {
        let is_first = name[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == '(');
        (is_first && is_number(c)).then_some(at)
    })?;
    let rest = name[start..].trim_start_matches(is_number);
    if !is_before_unit(rest) {
        return None;
    }
    let number = &name[start..name.len() - rest.len()];
    let number = match number.split_once('.') {
        Some(("", fraction)) if !fraction.is_empty() => format!("0.{fraction}"),
        Some((_, fraction)) if fraction.contains('.') || !fraction.ends_with('0') => return None,
        Some(_) => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => format!("{number}.0"),
    };
    Some(format!("{}{number}{rest}", &name[..start]))
}

/// Returns true if a text begins with a space or hyphen, or none, and a unit.
fn is_before_unit(text: &str) -> bool {
    let text = text.strip_prefix([' ', '-']).unwrap_or(text);
    let unit = &text[..text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len())];
    text.starts_with('%') || is_unit(unit)
}

/// Maximum number of other ways to write a name that are tried.
const MAX_ALTERNATIVE_NAMES: usize = 16;

/// Returns the forms in which a name may stand in a text, sorted: as it is, in the singular and in American
/// spelling, and both of an inverted name in natural order (`Diabetes Mellitus, Type 2`).
pub fn written_forms(name: &str) -> Vec<String> {
    let mut forms = Vec::with_capacity(2);
    let mut add = |name: &str| {
        let normal = NormalizedName::new(name);
        forms.push(normal.squeezed());
        forms.push(normal.tokens().map(variant_of).collect());
    };
    add(name);
    if let Some(natural) = natural_order(name) {
        add(&natural);
    }
    forms.retain(|form| !form.is_empty());
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Returns an inverted name (`Diabetes Mellitus, Type 2`) in natural order; `None` for other names.
pub fn natural_order(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split(", ").collect();
    (2..=MAX_INVERSIONS).contains(&parts.len()).then(|| parts.into_iter().rev().collect::<Vec<_>>().join(" "))
}

/// Largest number of parts between commas of an inverted name; more are a list.
const MAX_INVERSIONS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Within,
    /// Part of a word that it neither begins nor ends with.
    Inside,
    /// A word of its own.
    Alone,
    Between,
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Within,
        '+' | '#' | '&' | '♯' => Class::Alone,
        '\u{AD}' | '\u{FE00}'..='\u{FE0F}' => Class::Inside,
        _ if is_apostrophe(character) => Class::Inside,
        _ if character.is_ascii() => Class::Between,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' => Class::Inside,
        '∆' | '∏' | '∑' => Class::Within,
        _ if joins(character) => Class::Within,
        _ if is_unspaced(character) => Class::Alone,
        _ if character.is_alphanumeric() => Class::Within,
        _ => match std::iter::once(character).nfkd().find(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '&')) {
            Some('+' | '#' | '&') => Class::Alone,
            Some(_) => Class::Within,
            None => Class::Between,
        },
    }
}

/// Returns true if a byte is a character that belongs to no word; not so all of those beyond ASCII.
fn is_plain_gap(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'#' | b'&' | b'\'' | b'`')
}

/// Returns true for letters of scripts that are written without spaces, or with endings joined to the words: Thai, Lao,
/// Myanmar, Khmer, Kana, Han, Hangul, of which the first letter of a decomposed syllable.
pub fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{115F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9D}' | '\u{20000}'..='\u{323AF}')
}

/// Returns true for a character that is written with the one before it: a combining mark, the vowel or last consonant
/// of a decomposed syllable of Hangul, the voice mark of a half-width Kana.
fn joins(character: char) -> bool {
    is_combining_mark(character)
        || matches!(character,
            '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FF}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Returns the end of the word, or run of characters that belong to none, that begins at `start`.
fn word_end(text: &str, start: usize, end: usize) -> usize {
    let mut characters = text[start..end].char_indices();
    let first = characters.next().map_or(Class::Between, |(_, character)| class(character));
    let is_end = |(at, character): &(usize, char)| match class(*character) {
        Class::Within if is_raised_digit(*character) && is_cited_behind(&text[start..start + at]) => true,
        Class::Within => first == Class::Alone && !joins(*character),
        Class::Inside => first == Class::Alone,
        Class::Alone | Class::Between => true,
    };
    characters.find(is_end).map_or(end, |(length, _)| start + length)
}

/// Fewest small letters of a word behind which raised numbers cite (`asthma¹²`, `asthma<sup>1,2</sup>`).
const MIN_LETTERS_BEFORE_CITATION: usize = 4;

/// Returns true if a raised number behind a text is that of a reference and no part of its last word.
pub(crate) fn is_cited_behind(text: &str) -> bool {
    text.chars().rev().take_while(|c| c.is_lowercase()).nth(MIN_LETTERS_BEFORE_CITATION - 1).is_some()
}

fn is_raised_digit(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '\u{2070}' | '\u{2074}'..='\u{2079}')
}

/// Returns the word without apostrophes and marks around it; none where no letter is left.
fn trimmed(text: &str, start: usize, end: usize) -> Option<Span> {
    let piece = &text[start..end];
    let is_inside = |c: char| class(c) == Class::Inside;
    let kept = piece.trim_start_matches(is_inside);
    let start = end - kept.len();
    let kept = kept.trim_end_matches(is_inside);
    (!kept.is_empty()).then(|| Span::new(start, start + kept.len()))
}

/// Words of French and Italian before an apostrophe that stands for their vowel.
const ELIDED: [&str; 28] = [
    "c", "d", "j", "l", "m", "n", "s", "t", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "all", "bell", "coll",
    "dall", "degl", "dell", "gl", "nell", "quell", "quest", "sant", "sull", "tutt", "un",
];
/// Turkish endings that an apostrophe parts from a name, without their marks.
const TURKISH_ENDINGS: [&str; 48] = [
    "a", "e", "i", "u", "ya", "ye", "yi", "yu", "na", "ne", "ni", "nu", "da", "de", "ta", "te", "nda", "nde", "dan",
    "den", "tan", "ten", "ndan", "nden", "in", "un", "nin", "nun", "la", "le", "yla", "yle", "lar", "ler", "li", "lu",
    "lari", "leri", "larin", "lerin", "daki", "deki", "taki", "teki", "ndaki", "ndeki", "ki", "dir",
];
/// Fewest letters of a name behind or before an apostrophe that parts words.
const MIN_PARTED_LETTERS: usize = 3;

/// Returns the words of one with an apostrophe: the article and the name of `l'asthme`, the name and the ending of `Adler'den`, `Adlers's` and
/// `HP's`.
fn elided(text: &str, word: Span) -> impl Iterator<Item = (Span, Part)> {
    let written = &text[word.range()];
    let is_mark = |c: char| matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{02BC}');
    let is_long = |part: &str| part.chars().filter(|c| c.is_alphabetic()).count() >= MIN_PARTED_LETTERS;
    let before = written
        .split_once(is_mark)
        .filter(|(before, name)| is_long(name) && ELIDED.iter().any(|elided| elided.eq_ignore_ascii_case(before)));
    let name = before.map_or(word.start, |(before, _)| word.start + before.len());
    let ending = text[name..word.end]
        .rsplit_once(is_mark)
        .filter(|(name, ending)| is_long(name) && is_ending(name, ending) || *ending == "s" && is_acronym(name));
    let end = ending.map_or(word.end, |(stem, _)| name + stem.len());
    let parts = [(word.start, name, Part::Article), (name, end, Part::Name), (end, word.end, Part::Ending)];
    parts.into_iter().filter_map(|(start, end, part)| Some((trimmed(text, start, end)?, part)))
}

/// Returns true for a Turkish ending behind a name, and for the `s` of a genitive behind another one.
fn is_ending(name: &str, ending: &str) -> bool {
    let is_name = || name.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase);
    let is_plain = || !ending.contains(char::is_uppercase);
    ending == "s" && name.ends_with('s')
        || is_name() && is_plain() && TURKISH_ENDINGS.contains(&NormalizedName::new(ending).as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let words = Words::of(text, Span::new(0, text.len()));
        (0..words.len()).map(|word| words.span(word).of(text).unwrap()).collect()
    }

    #[test]
    fn words_end_where_names_may() {
        let cases: [(&str, &[&str]); 16] = [
            ("asthma¹,² cm² IL²", &["asthma", "¹", "²", "cm²", "IL²"]),
            ("TNF-α-induced, (IL2)/x", &["TNF", "α", "induced", "IL2", "x"]),
            ("'aspirin' in Crohn's", &["aspirin", "in", "Crohn's"]),
            (
                "L'asthme, dell’asma; Adler'den Adlers's",
                &["L", "asthme", "dell", "asma", "Adler", "den", "Adlers", "s"],
            ),
            ("d'Adler'in İz'de O'Brien's don't", &["d", "Adler", "in", "İz'de", "O'Brien's", "don't"]),
            ("HP's 3M’s BMI's A's", &["HP", "s", "3M", "s", "BMI", "s", "A's"]),
            ("C++ and Ca2+", &["C", "+", "+", "and", "Ca2", "+"]),
            ("R&D ∆9-THC", &["R", "&", "D", "∆9", "THC"]),
            ("Mg\u{b2}\u{207a}", &["Mg\u{b2}", "\u{207a}"]),
            ("肺癌", &["肺", "癌"]),
            (
                "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
                &["\u{1112}\u{1161}\u{11ab}", "\u{1100}\u{1173}\u{11af}"],
            ),
            ("フ\u{309a}ロ\u{ff8c}\u{ff9f}", &["フ\u{309a}", "ロ", "\u{ff8c}\u{ff9f}"]),
            ("Sjo\u{308}gren", &["Sjo\u{308}gren"]),
            ("5\u{2032}-AMP", &["5", "AMP"]),
            ("— …", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_name_has_the_forms_in_which_texts_have_it() {
        assert_eq!(written_forms("Tumours, Breast"), ["breasttumor", "breasttumours", "tumorbreast", "tumoursbreast"]);
        assert_eq!(written_forms("aspirin"), ["aspirin"]);
        assert!(written_forms("--").is_empty());
        for (name, expected) in [
            ("foo 5.0 mg", Some("foo 5 mg")),
            ("foo 5.50mg", Some("foo 5.5mg")),
            ("foo (.5 mg)", Some("foo (0.5 mg)")),
            ("foo 10%", Some("foo 10.0%")),
            ("foo 5.05 mg", None),
            ("foo 1.2.0 mg", None),
            ("foo 5.0", None),
            ("type2 mg", None),
        ] {
            assert_eq!(other_decimal(name).as_deref(), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn forms_are_those_of_names(text in "[ a-zA-Zα-ωÀ-ÿ0-9+#&'’\u{200B}\u{301}().,/½™肺癌-]{0,24}") {
            let words = Words::of(&text, Span::new(0, text.len()));
            let mut form = String::new();
            for word in 0..words.len() {
                prop_assert!(words.span(word).of(&text).is_some());
                form.push_str(words.form(word));
            }
            // Greek letters that stand side by side but for a mark between them are spelt by the whole alone.
            if !text.chars().any(|c| "\u{301}\u{200B}'’".contains(c)) {
                prop_assert_eq!(form, NormalizedName::new(&text).squeezed());
            }
        }

        #[test]
        fn no_text_is_refused(text in prop_oneof![any::<String>(), "(type |[aoußöIV1-9 \\n|/.;ABc-]){0,24}"]) {
            let words = Words::of(&text, Span::new(0, text.len()));
            for word in 0..words.len() {
                prop_assert!(words.span(word).of(&text).is_some() && !words.form(word).is_empty());
            }
            alternative_names(&text);
        }
    }
}
