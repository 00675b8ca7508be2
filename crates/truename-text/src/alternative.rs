//! Other ways to write a word: `β` for `ß`, digraphs of umlauts, other numerals, charges, and plurals.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::NormalizedName;
use crate::key::variant_of;
use crate::plural::{may_have_other_number, other_numbers};

/// Another way to write a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The word. A vowel that stands for an umlaut has its second vowel above it, as in old prints (`Loͤfgren` for `Loefgren`), so that
    /// [`has_umlauts_of`] can tell whether a name has the umlaut.
    pub written: String,
    /// Its normal form.
    pub form: String,
    /// Place in a name where the word may be written so.
    pub place: AlternativePlace,
}

/// Place in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlternativePlace {
    /// Any place.
    Any,
    /// Behind another word.
    Behind,
    /// At the end, behind another word.
    Last,
}

impl AlternativePlace {
    /// Returns whether a word may be written so that is or is not the first and the last one of a name.
    pub fn allows(self, is_first: bool, is_last: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Behind => !is_first,
            Self::Last => !is_first && is_last,
        }
    }
}

/// Characters that are Roman numerals.
const NUMERAL_CHARACTERS: std::ops::RangeInclusive<char> = '\u{2160}'..='\u{217F}';
/// Greek letters and those that stand for them at the end of acronyms.
const GREEK: [(char, char); 3] = [('a', 'α'), ('b', 'β'), ('g', 'γ')];
/// Fewest capitals of an acronym that may end in one of them.
const MIN_ACRONYM: usize = 2;
/// Latin small letter a above another letter.
const A_ABOVE: char = '\u{363}';
/// Latin small letter e above another letter.
const E_ABOVE: char = '\u{364}';

/// Roman numerals from 1.
pub(crate) const ROMAN: [&str; 20] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII",
    "XVIII", "XIX", "XX",
];
/// Ordinal numbers from 1.
pub(crate) const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];
/// Numbers in words from 1.
const NUMBER_WORDS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words that a number follows, in the singular.
const NUMBERED: [&str; 33] = [
    "bipolar",
    "book",
    "category",
    "chapter",
    "class",
    "collagen",
    "complex",
    "degree",
    "division",
    "factor",
    "form",
    "generation",
    "grade",
    "group",
    "isoform",
    "isozyme",
    "level",
    "mark",
    "nerve",
    "number",
    "part",
    "phase",
    "photosystem",
    "polymerase",
    "schedule",
    "section",
    "stage",
    "subclass",
    "subgroup",
    "subtype",
    "topoisomerase",
    "type",
    "volume",
];
/// Longest numeral in bytes, with a letter behind it (`XVIIIb`).
const LONGEST_NUMERAL: usize = 6;
/// Fewest letters of a word that is no numbered one before a numeral at the end of a name; shorter ones and the numeral may be an acronym
/// (`H-IV`).
const MIN_LETTERS_BEFORE: usize = 3;
/// Metals whose ions have charges that are written in pluses too (`Ca++`).
const METALS: [&str; 19] =
    ["Al", "Ba", "Be", "Ca", "Cd", "Co", "Cr", "Cu", "Fe", "Hg", "La", "Mg", "Mn", "Ni", "Pb", "Pt", "Sn", "Sr", "Zn"];
/// Most pluses of a charge.
const MAX_PLUSES: usize = 3;
/// Characters behind a numeral that a name of type, stage or grade has in Chinese and Japanese (`2型`).
const COUNTERS: [char; 9] = ['型', '期', '級', '级', '度', '類', '类', '相', '因'];
/// Chinese digits from 1.
pub(crate) const CHINESE_DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Returns the other ways to write a word, given the normal form of the word before it and the text behind it; empty where there is none.
pub(crate) fn alternatives(word: &str, before: &str, after: &str) -> Vec<Alternative> {
    let numeral: String;
    let word = match word.contains(|c| NUMERAL_CHARACTERS.contains(&c)) {
        true => {
            numeral = word.nfkc().collect();
            &numeral
        }
        false => word,
    };
    let may_have_digraph = |two: &[u8]| is_digraph(two[0].into(), two[1].into());
    let may_vary = || {
        word.as_bytes().windows(2).any(may_have_digraph)
            || has_dj(word)
            || may_be_numeral(word)
            || number_in_words(word).is_some()
            || other_ordinal(word).is_some()
            || other_charge(word, after).is_some()
            || may_have_other_number(word)
            || with_greek(word, before).is_some()
            || acronym_of_plural(word).is_some()
    };
    if word.is_ascii() && !may_vary() {
        return Vec::new();
    }
    let of = |written: String, place| {
        let form = NormalizedName::new(&written).squeezed();
        Alternative { written, form, place }
    };
    let any = with_beta(word).into_iter().chain(with_umlauts(word)).chain(with_digraphs(word)).chain(with_dje(word));
    let any = any.chain(with_greek(word, before)).chain(acronym_of_plural(word)).chain(other_ordinal(word));
    let any = any.chain(other_charge(word, after)).chain(other_count(word, after)).chain(other_numbers(word));
    let any = any.chain(counted(word, before, after));
    let mut found: Vec<Alternative> = any.map(|written| of(written, AlternativePlace::Any)).collect();
    let Some((numeral, place)) = other_numeral(word, before) else { return found };
    let number = number_in_words(word).or_else(|| word.parse().ok()).or_else(|| numeral.parse().ok());
    let roman = number_in_words(word).map(|number| ROMAN[number - 1]);
    let in_words = number.and_then(|number: usize| NUMBER_WORDS.get(number.checked_sub(1)?).copied());
    let in_words = in_words.filter(|_| number_in_words(word).is_none());
    let others = roman.into_iter().chain(in_words).map(str::to_owned);
    for written in std::iter::once(numeral).chain(others) {
        if !found.iter().any(|known| known.written == written) {
            found.push(of(written, place));
        }
    }
    found
}

/// Returns an ordinal number in words for one in digits, or the other way round (`third`, `3rd`).
fn other_ordinal(word: &str) -> Option<String> {
    let ending = |number| match number {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    if let Some(place) = ORDINALS.iter().position(|ordinal| ordinal.eq_ignore_ascii_case(word)) {
        return Some(format!("{}{}", place + 1, ending(place + 1)));
    }
    let digits = word.len().checked_sub(2).filter(|digits| word.is_ascii() && *digits > 0)?;
    let number: usize = word[..digits].parse().ok()?;
    let is_ordinal = word[digits..].eq_ignore_ascii_case(ending(number));
    is_ordinal.then(|| ORDINALS.get(number.checked_sub(1)?).map(|ordinal| (*ordinal).to_owned()))?
}

/// Returns a number before a word in words for one in digits, or the other way round (`2-photon`, `two-photon`).
fn other_count(word: &str, after: &str) -> Option<String> {
    let is_before_word = || after.strip_prefix(['-', ' ']).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let other = match number_in_words(word) {
        Some(number) => number.to_string(),
        None if word.starts_with(|c: char| c.is_ascii_digit()) => {
            (*NUMBER_WORDS.get(word.parse::<usize>().ok()?.checked_sub(1)?)?).to_owned()
        }
        None => return None,
    };
    is_before_word().then_some(other)
}

/// Returns the charge of an ion in digits for one in pluses (`2+` for the pluses of `Fe++`, and for the end of `Fe+2`), and the start of
/// one in pluses for the start of one in digits: `Fe+` for the `Fe2` of `Fe2+`.
fn other_charge(word: &str, after: &str) -> Option<String> {
    if word.starts_with(is_plus) {
        let charge = word.trim_start_matches(is_plus);
        let pluses = word.chars().filter(|c| is_plus(*c)).count();
        return match charge {
            "" => (pluses > 1).then(|| format!("{pluses}+")),
            _ => Some(format!("{charge}+")),
        };
    }
    let metal = word.strip_suffix(['2', '3']).filter(|metal| METALS.contains(metal))?;
    let is_charge = after.starts_with('+') && !after[1..].starts_with(|c: char| c == '+' || c.is_alphanumeric());
    is_charge.then(|| metal.to_owned() + if word.ends_with('2') { "+" } else { "++" })
}

fn is_plus(character: char) -> bool {
    matches!(character, '+' | '\u{207A}')
}

/// Returns the length in bytes of the charge of an ion that a text begins with: `++` behind `Fe`, and `+2`. `None` for a single plus, and
/// behind any other word.
pub(crate) fn charge(before: &str, text: &str) -> Option<usize> {
    if !text.starts_with(is_plus) {
        return None;
    }
    let symbol = before
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(before, |at| before[at..].trim_start_matches(|c: char| !c.is_alphanumeric()));
    let rest = text.trim_start_matches(is_plus);
    let pluses = text[..text.len() - rest.len()].chars().count();
    let rest = match pluses {
        1 => rest.strip_prefix(['2', '3'])?,
        2..=MAX_PLUSES => rest,
        _ => return None,
    };
    let is_end = !rest.starts_with(char::is_alphanumeric);
    (is_end && METALS.contains(&symbol)).then(|| text.len() - rest.len())
}

/// Returns the other ways to write a numeral before a Chinese or Japanese counter: `2` and `II` of `2型`, `Ⅱ型` and `二型`.
fn counted(word: &str, before: &str, after: &str) -> Vec<String> {
    let is_counted = after.starts_with(COUNTERS) && !before.ends_with('十');
    if !is_counted || word.len() > LONGEST_NUMERAL {
        return Vec::new();
    }
    let word: String = word.nfkc().collect();
    let of_chinese = || CHINESE_DIGITS.iter().position(|digit| word.chars().eq([*digit]));
    let place = ROMAN.iter().position(|roman| *roman == word).or_else(of_chinese);
    let Some(number) = place.map(|place| place + 1).or_else(|| word.parse().ok()).filter(|number| *number > 0) else {
        return Vec::new();
    };
    let roman = ROMAN.get(number - 1).map(|roman| (*roman).to_owned());
    let chinese = CHINESE_DIGITS.get(number - 1).map(char::to_string);
    [Some(number.to_string()), roman, chinese].into_iter().flatten().filter(|other| *other != word).collect()
}

/// Returns the number that a word stands for.
pub(crate) fn number_in_words(word: &str) -> Option<usize> {
    NUMBER_WORDS.iter().position(|number| number.eq_ignore_ascii_case(word)).map(|place| place + 1)
}

/// Returns the word with β in the place of ß or ẞ.
fn with_beta(word: &str) -> Option<String> {
    word.contains(['ß', 'ẞ']).then(|| word.replace(['ß', 'ẞ'], "β"))
}

/// Returns an acronym with the Greek letter that its small one stands for: `TNFα` for `TNFa`, `TGFβ1` for `TGFb1`, `NFκB` for `NFkB`.
fn with_greek(word: &str, before: &str) -> Option<String> {
    if let Some(start) = word.strip_suffix("kB") {
        return (start == "NF" || start.is_empty() && before == "nf").then(|| format!("{start}κB"));
    }
    let start = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let (letter, greek) = GREEK.iter().find(|(letter, _)| start.ends_with(*letter))?;
    let acronym = &start[..start.len() - letter.len_utf8()];
    let letters = acronym.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_acronym = letters.len() >= MIN_ACRONYM && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_acronym && !ROMAN.contains(&letters)).then(|| format!("{acronym}{greek}{}", &word[start.len()..]))
}

/// Returns true for capitals and digits, two or more.
pub(crate) fn is_acronym(text: &str) -> bool {
    text.chars().count() >= 2 && text.chars().all(|c| c.is_uppercase() || c.is_ascii_digit())
}

/// Returns the acronym of a plural (`MRI` for `MRIs`).
fn acronym_of_plural(word: &str) -> Option<String> {
    word.strip_suffix('s').filter(|acronym| is_acronym(acronym)).map(str::to_owned)
}

/// Returns true for a name with `dj`, which may stand for `đ` (`Djoko`).
fn has_dj(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.as_bytes().windows(2).any(|two| two.eq_ignore_ascii_case(b"dj"))
}

/// Returns a name with `đ` in the place of `dj`.
fn with_dje(word: &str) -> Option<String> {
    let replaced = || word.replace("dj", "đ").replace("Dj", "Đ").replace("DJ", "Đ");
    has_dj(word).then(replaced)
}

/// Returns the word with umlauts in the place of its digraphs: of one, of two each or both, of more all.
fn with_umlauts(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let (mut digraphs, mut at) = (Vec::new(), 0);
    while at + 1 < letters.len() {
        if is_umlaut(&letters, at) {
            digraphs.push(at);
            at += 1;
        }
        at += 1;
    }
    let sets = match digraphs[..] {
        [] => Vec::new(),
        [first, second] => vec![vec![first], vec![second], digraphs],
        _ => vec![digraphs],
    };
    let with = |set: Vec<usize>| {
        let above = |at: usize| at.checked_sub(1).is_some_and(|before| set.binary_search(&before).is_ok());
        let vowel = |letter: char| if letter.eq_ignore_ascii_case(&'a') { A_ABOVE } else { E_ABOVE };
        letters.iter().enumerate().map(|(at, letter)| if above(at) { vowel(*letter) } else { *letter }).collect()
    };
    sets.into_iter().map(with).collect()
}

fn is_digraph(first: char, second: char) -> bool {
    let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
    second == 'e' && matches!(first, 'a' | 'o' | 'u') || second == 'a' && first == 'a'
}

/// Returns whether two letters may stand for an umlaut: no `ue` behind `q` or another vowel (`sequence`) or at the end (`value`).
fn is_umlaut(letters: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| letters[before].to_ascii_lowercase());
    let is_vowel = !letters[at].eq_ignore_ascii_case(&'u')
        || !matches!(before, Some('q' | 'a' | 'e' | 'o')) && at + 2 < letters.len();
    is_digraph(letters[at], letters[at + 1]) && is_vowel
}

/// Returns the word with digraphs in the place of umlauts (`Goethe` for `Göthe`).
fn with_digraphs(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let letters: Vec<char> = word.nfc().collect();
    let mut written = String::with_capacity(word.len() + 2);
    for (at, letter) in letters.iter().enumerate() {
        let Some((vowel, second)) = digraph_of(*letter) else {
            written.push(*letter);
            continue;
        };
        written.push(vowel);
        let is_upper = vowel.is_uppercase() && letters.get(at + 1).is_some_and(|next| next.is_uppercase());
        written.push(if is_upper { second.to_ascii_uppercase() } else { second });
    }
    letters.iter().any(|letter| digraph_of(*letter).is_some()).then_some(written)
}

fn digraph_of(letter: char) -> Option<(char, char)> {
    Some(match letter {
        'ä' => ('a', 'e'),
        'Ä' => ('A', 'e'),
        'ö' | 'ø' | 'ő' => ('o', 'e'),
        'Ö' | 'Ø' | 'Ő' => ('O', 'e'),
        'ü' | 'ű' => ('u', 'e'),
        'Ü' | 'Ű' => ('U', 'e'),
        'å' => ('a', 'a'),
        'Å' => ('A', 'a'),
        'đ' => ('d', 'j'),
        'Đ' => ('D', 'j'),
        _ => return None,
    })
}

/// Returns whether a name has an umlaut for each vowel of `written` that stands for one ([`Alternative::written`]).
pub fn has_umlauts_of(written: &str, name: &str) -> bool {
    if !written.contains([A_ABOVE, E_ABOVE]) {
        return true;
    }
    let mut umlauts: HashMap<(char, char), usize> = HashMap::new();
    for (vowel, second) in name.nfc().filter_map(digraph_of) {
        *umlauts.entry((vowel.to_ascii_lowercase(), second)).or_default() += 1;
    }
    let mut is_there = |vowel: char, above: char| {
        let second = if above == A_ABOVE { 'a' } else { 'e' };
        let left = umlauts.get_mut(&(vowel.to_ascii_lowercase(), second)).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    let letters = written.chars().zip(written.chars().skip(1));
    letters.filter(|(_, above)| matches!(*above, A_ABOVE | E_ABOVE)).all(|(vowel, above)| is_there(vowel, above))
}

/// Returns true for digits, or letters of Roman numerals, with a letter behind them or without one.
fn may_be_numeral(word: &str) -> bool {
    let Some((last, first)) = word.as_bytes().split_last() else { return false };
    let is_roman = |byte: &u8| b"IVXivx".contains(byte);
    let is_digit = u8::is_ascii_digit;
    let is_last = is_digit(last) || is_roman(last) || b"abcABC".contains(last) && !first.is_empty();
    word.len() <= LONGEST_NUMERAL && is_last && (first.iter().all(is_digit) || first.iter().all(is_roman))
}

/// Returns true for a word that the letter X stands behind, and no numeral: `chromosome X`.
pub(crate) fn is_before_letter(before: &str) -> bool {
    ["chromosome", "fragile", "generation", "malcolm"].iter().any(|word| word.eq_ignore_ascii_case(before))
}

/// Returns a numeral with Roman letters in the place of digits or the other way round, and its place: behind words such as `type`, where a
/// letter may follow (`IIIb`), or at the end of a name. A number in words has digits.
pub(crate) fn other_numeral(word: &str, before: &str) -> Option<(String, AlternativePlace)> {
    static NUMBERS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| ROMAN.into_iter().zip(1..).collect());
    if before.is_empty() || !word.is_ascii() || is_before_letter(before) {
        return None;
    }
    let is_numbered = NUMBERED.contains(&variant_of(before).as_str());
    let other = |numeral: &str| match numeral.parse::<usize>() {
        Ok(number) if !numeral.starts_with('0') => ROMAN.get(number.checked_sub(1)?).map(|roman| (*roman).to_owned()),
        Ok(_) => None,
        Err(_) if is_numbered && numeral.len() > 1 => {
            let is_even =
                numeral.bytes().all(|byte| byte.is_ascii_lowercase()) || numeral == numeral.to_ascii_uppercase();
            NUMBERS.get(numeral.to_ascii_uppercase().as_str()).filter(|_| is_even).map(usize::to_string)
        }
        Err(_) => NUMBERS.get(numeral).map(usize::to_string),
    };
    if is_numbered {
        let (numeral, letter) = word.split_at(word.len() - 1);
        let with_letter = || {
            let is_letter = matches!(letter, "a" | "b" | "c" | "A" | "B" | "C");
            is_letter.then(|| other(numeral)).flatten().map(|numeral| numeral + letter)
        };
        let in_digits = || number_in_words(word).map(|number| number.to_string());
        return Some((other(word).or_else(in_digits).or_else(with_letter)?, AlternativePlace::Behind));
    }
    let letters = before.chars().filter(|c| c.is_alphabetic()).count();
    let is_name = letters >= MIN_LETTERS_BEFORE && letters == before.chars().count();
    let in_digits = || number_in_words(word).map(|number| number.to_string());
    Some((other(word).or_else(in_digits).filter(|_| is_name)?, AlternativePlace::Last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alternative_names;

    #[test]
    fn a_name_has_the_ways_in_which_others_write_it() {
        let cases: [(&str, &[&str]); 47] = [
            ("MRIs As", &["MRI As"]),
            ("type Two ward", &["type 2 ward", "type II ward"]),
            ("World War Two", &["World War 2", "World War II"]),
            ("Fe++", &["Fe2+"]),
            ("Al+++ Fe+2", &["Al+++ Fe2+", "Al3+ Fe+2", "Al3+ Fe2+"]),
            ("Fe2+", &["Fe++"]),
            ("Fe2 Na+ C++ Fe+2a", &[]),
            ("3rd-degree burn", &["third-degree burn"]),
            ("third burn 2rd", &["3rd burn 2rd"]),
            ("2-photon", &["two-photon"]),
            ("two photon", &["2 photon"]),
            ("Ⅱ型", &["2型", "二型"]),
            ("2型", &["II型", "二型"]),
            ("二型", &["2型", "II型"]),
            ("X線 十二型", &[]),
            ("RNA viruses", &["RNA virus"]),
            ("the two wards", &["the 2 wards"]),
            ("type \u{2161}", &["type 2", "type two"]),
            ("XYZa", &["XYZα"]),
            ("XYZ1b2", &["XYZ1β2"]),
            ("NF-kB", &["NF-κB"]),
            ("NFkB", &["NFκB"]),
            ("XkB", &[]),
            ("Xa XYzb", &[]),
            ("XYZ-ß1", &["XYZ-β1"]),
            ("XYZ3ẞ", &["XYZ3β"]),
            ("Đoše", &["Djoše"]),
            ("Djomadjo", &["Đomađo"]),
            ("Boersen ward", &["Bo\u{364}rsen ward"]),
            ("Maelmoe", &["Ma\u{364}lmoe", "Maelmo\u{364}", "Ma\u{364}lmo\u{364}"]),
            ("Aarhus", &["A\u{363}rhus", "Aarhuses", "Aarhi"]),
            ("Börsen ÜNE", &["Bo\u{308}rsen UENE", "Boersen ÜNE", "Boersen UENE"]),
            ("sequence value", &[]),
            ("elastin type IV", &["elastin type 4", "elastin type four", "elastin IV", "elastin 4", "elastin four"]),
            ("elastin type ward", &[]),
            ("type 2 ward", &["type two ward", "type II ward"]),
            ("stage IIIb", &["stage 3b"]),
            ("grade iv", &["grade 4", "grade four"]),
            ("tenascin IV", &["tenascin 4", "tenascin four"]),
            ("tenascin 1", &["tenascin I", "tenascin one"]),
            ("tenascin iv", &[]),
            ("tenascin IV ward", &[]),
            ("H-4", &[]),
            ("IV", &[]),
            ("type 100", &[]),
            ("type C", &[]),
            ("", &[]),
        ];
        for (name, expected) in cases {
            let found: Vec<String> = alternative_names(name);
            let expected: Vec<String> = expected.iter().map(|one| one.nfc().collect()).collect();
            assert_eq!(found.iter().map(|one| one.nfc().collect()).collect::<Vec<String>>(), expected, "{name}");
        }
    }

    #[test]
    fn an_umlaut_must_be_one_in_the_name() {
        for (written, name, expected) in [
            ("Bo\u{364}rsen", "Børsen", true),
            ("BO\u{364}RSEN", "Bo\u{308}rsen", true),
            ("Bo\u{364}rsen", "Borsen", false),
            ("A\u{363}lmo\u{364}", "Ålmö", true),
            ("A\u{363}lmo\u{364}", "Almö", false),
            ("Borsen", "Borsen", true),
        ] {
            assert_eq!(has_umlauts_of(written, name), expected, "{written} / {name}");
        }
    }
}
