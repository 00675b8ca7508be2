//! The normal form in which names are compared.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest piece between spaces, in bytes, whose words [`each_word`] builds in place.
const WORD_BYTES: usize = 64;

/// A name folded to the form in which names are compared.
///
/// Compatibility decomposition (Unicode NFKD), lower case, diacritics of Latin, Greek and Cyrillic
/// letters and vowel marks of Hebrew and Arabic ones dropped, digits of other scripts those of ASCII, Greek letters spelt out but in Greek
/// words, Cyrillic and Greek letters of Latin words the Latin ones that they look like, apostrophes dropped, any other punctuation a space, `&`
/// the word `and`, control and bidirectional characters dropped, spaces folded.
/// `+` and `#` stay, for they tell `C`, `C++` and `C#`, or `Ca` and `Ca2+`, apart.
/// Normalising twice changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NormalizedName(String);

impl NormalizedName {
    /// Folds `name`.
    pub fn new(name: &str) -> Self {
        if name.is_ascii() {
            return Self(fold_ascii(name));
        }
        // Before the decomposition, which makes a space and a mark of an acute accent by itself.
        let typed = name.chars().map(|c| if is_apostrophe(c) { '\'' } else { c });
        let mut decomposed: Vec<char> = typed.nfkd().filter(|&c| !is_dropped_mark(c)).collect();
        fold_look_alikes(&mut decomposed);
        let mut folded = String::with_capacity(name.len());
        for (at, &character) in decomposed.iter().enumerate() {
            match greek_letter(character) {
                Some(spelt) if stands_alone(&decomposed, at) => {
                    push_space(&mut folded);
                    folded.push_str(spelt);
                    push_space(&mut folded);
                }
                _ => push_folded(&mut folded, character),
            }
        }
        // A lower-case form can itself decompose (`İ`): compose what is left.
        let mut composed: String = folded.trim_end().nfkd().filter(|&c| !is_dropped_mark(c)).nfkc().collect();
        composed.truncate(composed.trim_end().len());
        Self(composed)
    }

    /// Returns the folded text: words between single spaces.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if the name had nothing but punctuation and control characters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the words.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split(' ').filter(|token| !token.is_empty())
    }

    /// Returns the words written together: `p70 s6k` and `p70s6k` are the same.
    pub fn squeezed(&self) -> String {
        self.0.replace(' ', "")
    }

    /// Returns the number of the name's fold, below `folds`. Names that differ in spacing alone share a fold.
    ///
    /// Training and evaluation of cross-validation must use the same folds.
    ///
    /// # Panics
    /// If there are no folds.
    pub fn fold(&self, folds: usize) -> usize {
        (crate::stable_hash(&format!("fold {}", self.squeezed())) % folds as u64) as usize
    }
}

impl fmt::Display for NormalizedName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns the name in the characters that vocabularies use: compatibility composition (Unicode NFKC), single Greek
/// letters spelt out, digits, dashes and primes of ASCII, Latin letters in the place of look-alikes. Letters keep their case and their marks.
pub fn spelt_out(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    let mut characters: Vec<char> = name.nfkc().collect();
    fold_look_alikes(&mut characters);
    let mut spelt = String::with_capacity(name.len());
    for (at, &character) in characters.iter().enumerate() {
        match character {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => spelt.push('-'),
            _ if !character.is_ascii() && is_apostrophe(character) => spelt.push('\''),
            _ => match greek_letter(character) {
                Some(letter) if stands_alone(&characters, at) => spelt.push_str(letter),
                _ => spelt.push(ascii_digit(character).unwrap_or(character)),
            },
        }
    }
    Cow::Owned(spelt)
}

/// Returns the letters and digits of a name in their case, the same for all spellings of an acronym: Greek letters are spelt out in lower
/// case, raised, lowered and other compatibility characters are plain ones, marks of Latin, Greek and Cyrillic letters are dropped.
pub fn cased_letters(name: &str) -> String {
    let spelt = spelt_out(name);
    let plain: Cow<'_, str> = match spelt.is_ascii() {
        true => spelt,
        false => spelt.nfkd().filter(|&c| !is_dropped_mark(c)).collect(),
    };
    let mut letters = String::with_capacity(plain.len());
    for piece in plain.split_inclusive(|c: char| !c.is_alphabetic()) {
        let run = piece.trim_end_matches(|c: char| !c.is_alphabetic());
        let is_acronym = run.len() <= LONGEST_GREEK_ACRONYM && !run.contains(char::is_lowercase);
        match run.to_lowercase() {
            lower if run.starts_with(char::is_uppercase) && !is_acronym && is_greek_letter(&lower) => {
                letters.push_str(&lower)
            }
            _ => letters.push_str(run),
        }
        letters.extend(piece[run.len()..].chars().filter(|c| c.is_alphanumeric()));
    }
    letters
}

/// Names of Greek letters of at most this many bytes are acronyms where they stand in capitals (`ETA`, `MU`).
const LONGEST_GREEK_ACRONYM: usize = 3;

/// Passes the words of a name's normal form to `visit`; for ASCII without building the form.
pub fn each_word(name: &str, mut visit: impl FnMut(&str)) {
    let is_long = name.split(' ').any(|part| part.len() > WORD_BYTES);
    if !name.is_ascii() || is_long {
        return NormalizedName::new(name).tokens().for_each(visit);
    }
    let (mut word, mut length) = ([0u8; WORD_BYTES], 0);
    for byte in name.bytes().chain([b' ']) {
        match byte {
            b'+' | b'#' | b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' => {
                word[length] = byte.to_ascii_lowercase();
                length += 1;
            }
            b'\'' | b'`' => {}
            _ if byte.is_ascii_control() && !char::from(byte).is_whitespace() => {}
            _ => {
                let text = std::str::from_utf8(&word[..length]).unwrap_or_default();
                if length > 0 {
                    visit(text);
                }
                if byte == b'&' {
                    visit("and");
                }
                length = 0;
            }
        }
    }
}

fn fold_ascii(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for byte in name.bytes() {
        push_folded(&mut folded, char::from(byte));
    }
    folded.truncate(folded.trim_end().len());
    folded
}

fn push_folded(folded: &mut String, character: char) {
    match character {
        '+' | '#' => folded.push(character),
        '♯' => folded.push('#'),
        '&' => {
            push_space(folded);
            folded.push_str("and");
            push_space(folded);
        }
        _ if is_apostrophe(character) => {}
        'ß' | 'ẞ' => folded.push_str("ss"),
        'æ' | 'Æ' => folded.push_str("ae"),
        'œ' | 'Œ' => folded.push_str("oe"),
        'ø' | 'Ø' => folded.push('o'),
        'ł' | 'Ł' => folded.push('l'),
        'đ' | 'Đ' | 'ð' | 'Ð' => folded.push('d'),
        'þ' | 'Þ' => folded.push_str("th"),
        'ħ' | 'Ħ' => folded.push('h'),
        'ŧ' | 'Ŧ' => folded.push('t'),
        'ı' => folded.push('i'),
        'ς' | '∆' | '∏' | '∑' => folded.push(small_greek(character)),
        _ if character.is_alphanumeric() => match ascii_digit(character) {
            Some(digit) => folded.push(digit),
            None => folded.extend(character.to_lowercase()),
        },
        _ if is_combining_mark(character) => folded.push(character),
        _ if is_dropped(character) => {}
        _ => push_space(folded),
    }
}

fn push_space(folded: &mut String) {
    if !folded.is_empty() && !folded.ends_with(' ') {
        folded.push(' ');
    }
}

/// Returns true for apostrophes, primes, and accents by themselves that are typed for them.
pub(crate) fn is_apostrophe(character: char) -> bool {
    matches!(
        character,
        '\'' | '`' | '\u{B4}' | '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{2032}' | '\u{02BC}' | '\u{FF07}'
    )
}

/// Returns true for combining diacritical marks, the marks of Hebrew and Arabic that most texts leave out, and selectors of a glyph; marks of
/// other scripts (vowel signs of Devanagari, say) are letters.
fn is_dropped_mark(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{6D6}'..='\u{6DC}' | '\u{6DF}'..='\u{6E4}' | '\u{6E7}' | '\u{6E8}' | '\u{6EA}'..='\u{6ED}'
        | '\u{FE00}'..='\u{FE0F}')
}

/// Replaces the Cyrillic and Greek letters of Latin words by the Latin ones that they look like (`Аspirin` typed with a Cyrillic `А`). A word
/// with a Cyrillic letter that looks like none stays, and so does a Greek capital but before a small Latin letter (`TCRΑ`).
fn fold_look_alikes(characters: &mut [char]) {
    if characters.iter().all(|&c| latin_look_alike(c).is_none()) {
        return;
    }
    // Characters that the normal form drops end no word, and the scripts behind Cyrillic have none of these letters.
    let is_within = |c: char| c.is_alphabetic() && small(c) < '\u{530}' || is_dropped(c);
    let is_greek = |c: char| greek_letter(c).is_some();
    let is_latin = |word: &[char]| {
        word.iter().any(|&c| c.is_alphabetic() && small(c) < '\u{250}')
            && word.iter().all(|&c| !is_cyrillic(c) || latin_look_alike(c).is_some())
    };
    for word in characters.chunk_by_mut(|one, other| is_within(*one) && is_within(*other)) {
        if !is_latin(word) {
            continue;
        }
        for at in 0..word.len() {
            let (before, next) = (at.checked_sub(1).map(|before| word[before]), word.get(at + 1).copied());
            let is_single = !before.is_some_and(is_greek) && !next.is_some_and(is_greek);
            let may_fold = is_single && (!word[at].is_uppercase() || next.is_some_and(|c| c.is_ascii_lowercase()));
            if let Some(latin) = latin_look_alike(word[at]).filter(|_| may_fold && is_greek(word[at])) {
                word[at] = latin;
            }
        }
    }
    // A Greek letter, which may be spelt out, parts a word with Cyrillic ones.
    for word in characters.chunk_by_mut(|&one, &other| [one, other].iter().all(|&c| is_within(c) && !is_greek(c))) {
        if is_latin(word) {
            word.iter_mut().filter(|c| is_cyrillic(**c)).for_each(|c| *c = latin_look_alike(*c).unwrap_or(*c));
        }
    }
}

/// Returns true for apostrophes and for control and bidirectional characters.
fn is_dropped(character: char) -> bool {
    is_apostrophe(character)
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{AD}')
        || character.is_control() && !character.is_whitespace()
}

fn is_cyrillic(character: char) -> bool {
    matches!(character, '\u{400}'..='\u{52F}')
}

/// Returns the Latin letter of the shape of a Cyrillic or Greek one; small Greek letters but omicron are symbols of their own.
fn latin_look_alike(character: char) -> Option<char> {
    if !matches!(character, '\u{370}'..='\u{52F}') {
        return None;
    }
    Some(match character {
        'а' => 'a',
        'е' => 'e',
        'о' | 'ο' => 'o',
        'р' => 'p',
        'с' => 'c',
        'у' => 'y',
        'х' => 'x',
        'і' => 'i',
        'ј' => 'j',
        'ѕ' => 's',
        'һ' => 'h',
        'ԁ' => 'd',
        'ԛ' => 'q',
        'ԝ' => 'w',
        'ӏ' => 'l',
        'к' => 'k',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'Е' | 'Ε' => 'E',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Н' | 'Η' => 'H',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'С' => 'C',
        'Т' | 'Τ' => 'T',
        'У' | 'Υ' => 'Y',
        'Х' | 'Χ' => 'X',
        'І' | 'Ι' | 'Ӏ' => 'I',
        'Ј' => 'J',
        'Ѕ' => 'S',
        'Һ' => 'H',
        'Ԁ' => 'D',
        'Ԛ' => 'Q',
        'Ԝ' => 'W',
        'Ζ' => 'Z',
        'Ν' => 'N',
        _ => return None,
    })
}

/// Zeros of the decimal digits of other scripts; one to nine follow each (Unicode, general category Nd).
const ZEROS: [char; 16] = [
    '\u{660}', '\u{6F0}', '\u{7C0}', '\u{966}', '\u{9E6}', '\u{A66}', '\u{AE6}', '\u{B66}', '\u{BE6}', '\u{C66}',
    '\u{CE6}', '\u{D66}', '\u{E50}', '\u{ED0}', '\u{1040}', '\u{17E0}',
];

/// Returns the ASCII digit of a decimal digit of another script.
fn ascii_digit(character: char) -> Option<char> {
    let zero = ZEROS.partition_point(|zero| *zero <= character).checked_sub(1)?;
    char::from_digit(character as u32 - ZEROS[zero] as u32, 10)
}

/// Greek letters of the longest run that is no word (`αβγ`).
const LONGEST_GREEK_RUN: usize = 3;

/// Returns true if a Greek letter is a symbol and not part of a Greek word: one without others beside it, or up to three that touch a Latin
/// letter or a digit (`TCRαβ`) or follow each other in the alphabet (`γδ`).
fn stands_alone(characters: &[char], at: usize) -> bool {
    let is_greek = |c: &&char| greek_letter(**c).is_some();
    let start = at - characters[..at].iter().rev().take_while(is_greek).count();
    let end = at + characters[at..].iter().take_while(is_greek).count();
    if end - start == 1 {
        return true;
    }
    if end - start > LONGEST_GREEK_RUN {
        return false;
    }
    // What the normal form drops or folds must not matter, or normalising twice would change it.
    let touches = |other: Option<&char>| other.is_some_and(|&c| is_plain(c));
    let is_touched = touches(characters[..start].iter().rev().find(|c| !is_dropped(**c)))
        || touches(characters[end..].iter().find(|c| !is_dropped(**c)));
    let run: Vec<char> = characters[start..end].iter().map(|c| small_greek(*c)).collect();
    let is_sequence = run.windows(2).all(|two| matches!((two[1] as u32).wrapping_sub(two[0] as u32), 0 | 1));
    is_touched || is_sequence && run != ['δ', 'ε']
}

/// Returns true for digits and for letters whose normal form is Latin.
fn is_plain(character: char) -> bool {
    character.is_alphanumeric() && small(character) < '\u{250}' || ascii_digit(character).is_some()
}

/// Returns the small form of a Greek letter, of a sigma within a word, and of the operators that look like capitals.
fn small_greek(character: char) -> char {
    match character {
        '∆' => 'δ',
        '∏' => 'π',
        '∑' | 'ς' => 'σ',
        _ => small(character),
    }
}

/// Returns the small form of a letter; the first of its letters where it has several.
pub(crate) fn small(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

/// Returns true if a word is a Greek letter, spelt out.
pub(crate) fn is_greek_letter(word: &str) -> bool {
    ('α'..='ω').filter_map(greek_letter).any(|spelt| spelt == word)
}

fn greek_letter(character: char) -> Option<&'static str> {
    Some(match character {
        'α' | 'Α' => "alpha",
        'β' | 'Β' => "beta",
        'γ' | 'Γ' => "gamma",
        'δ' | 'Δ' | '∆' => "delta",
        'ε' | 'Ε' => "epsilon",
        'ζ' | 'Ζ' => "zeta",
        'η' | 'Η' => "eta",
        'θ' | 'Θ' => "theta",
        'ι' | 'Ι' => "iota",
        'κ' | 'Κ' => "kappa",
        'λ' | 'Λ' => "lambda",
        'μ' | 'Μ' => "mu",
        'ν' | 'Ν' => "nu",
        'ξ' | 'Ξ' => "xi",
        'ο' | 'Ο' => "omicron",
        'π' | 'Π' | '∏' => "pi",
        'ρ' | 'Ρ' => "rho",
        'σ' | 'ς' | 'Σ' | '∑' => "sigma",
        'τ' | 'Τ' => "tau",
        'υ' | 'Υ' => "upsilon",
        'φ' | 'Φ' => "phi",
        'χ' | 'Χ' => "chi",
        'ψ' | 'Ψ' => "psi",
        'ω' | 'Ω' => "omega",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn folds_what_curators_write_in_many_ways() {
        let cases = [
            ("TNF-α", "tnf alpha"),
            ("  Crohn’s   disease ", "crohns disease"),
            ("Crohn's disease", "crohns disease"),
            ("Sjögren", "sjogren"),
            ("C++", "c++"),
            ("C#", "c#"),
            ("Ca2+", "ca2+"),
            ("AT&T", "at and t"),
            ("ﬁbrosis", "fibrosis"),
            ("Ⅳ", "iv"),
            ("Đorđe ðal", "dorde dal"),
            ("Þór ŧak ħal", "thor tak hal"),
            ("Işık IĞDIR", "isik igdir"),
            ("∆9-THC", "delta 9 thc"),
            ("∑F", "sigma f"),
            ("\u{202E}evil\u{202C}\u{0}", "evil"),
            ("αβγ", "alpha beta gamma"),
            ("TCRαβ, γδ T", "tcr alpha beta gamma delta t"),
            ("ΔΨm", "delta psi m"),
            ("το δε και ΑΓΕ αβγδ ΟΜΝ", "το δε και αγε αβγδ ομν"),
            ("ΑΒΓ ΌὈ ∆∆ ∆Ψ σς ł'αγ", "alpha beta gamma omicron omicron delta delta δψ sigma sigma l alpha gamma"),
            ("µ-opioid", "mu opioid"),
            ("Аspirin рatient aspirіn СD4", "aspirin patient aspirin cd4"),
            ("Αspirin glucοse", "aspirin glucose"),
            ("TCRΑ Β-cell κB", "tcr alpha beta cell kappa b"),
            ("Москва кот USBкабель T-клетка", "москва кот usbкабель t клетка"),
            ("日本 語", "日本 語"),
            ("مُحَمَّد", "محمد"),
            ("שָׁלוֹם", "שלום"),
            ("हिन्दी", "हिन्दी"),
            ("type ٣, type ३, type 3", "type 3 type 3 type 3"),
            ("Alzheimer\u{B4}s Alzheimer\u{FF07}s Alzheimer\u{201B}s", "alzheimers alzheimers alzheimers"),
            ("❤\u{FE0F}fever\u{FE0F}", "fever"),
            ("---", ""),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(NormalizedName::new(name).as_str(), expected, "{name:?}");
        }
    }

    #[test]
    fn names_are_spelt_in_the_characters_of_vocabularies() {
        let cases = [
            ("PLCγ2", "PLCgamma2"),
            ("β\u{2010}catenin", "beta-catenin"),
            ("5′-ﬂuoro", "5'-fluoro"),
            ("Σωκράτης", "Σωκράτης"),
            ("Sjögren 漢字", "Sjögren 漢字"),
            ("Аspirin Москва", "Aspirin Москва"),
            ("AKT1", "AKT1"),
        ];
        for (name, expected) in cases {
            assert_eq!(spelt_out(name), expected);
        }
    }

    #[test]
    fn an_acronym_has_the_same_letters_however_it_is_written() {
        for (one, other) in [
            ("IFN-γ", "IFN-Gamma"),
            ("PPARα", "PPARalpha"),
            ("PPAR-ALPHA", "PPARα"),
            ("CO\u{2082}", "CO2"),
            ("Mg\u{b2}\u{207a}", "Mg(2+)"),
            ("ＡＢＣ１", "ABC1"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("ÖBB", "OBB"),
        ] {
            assert_eq!(cased_letters(one), cased_letters(other), "{one} / {other}");
        }
        for (one, other) in
            [("ETA", "Eta"), ("ETA", "η"), ("IFN-γ", "ifn-γ"), ("Mg2+", "Mg3+"), ("ALPHABET", "alphabet")]
        {
            assert_ne!(cased_letters(one), cased_letters(other), "{one} / {other}");
        }
    }

    proptest! {
        #[test]
        fn each_word_is_one_of_the_normal_form(
            name in prop_oneof![any::<String>(), "[ -~\t\n\x00-\x08\x7f]{0,90}", "[a-z+#'`&]{0,150}"],
        ) {
            let mut words = Vec::new();
            each_word(&name, |word| words.push(word.to_owned()));
            prop_assert_eq!(words, NormalizedName::new(&name).tokens().map(str::to_owned).collect::<Vec<_>>());
        }

        #[test]
        fn normalising_twice_changes_nothing(
            name in prop_oneof!["\\PC{0,40}", "[α-ωΑ-Ω∆∏∑ὈΌῒa-dA-D łŁßÆ3٣+#'’\u{200b}\u{301}а-яА-Я.-]{0,9}"],
        ) {
            let once = NormalizedName::new(&name);
            prop_assert_eq!(&NormalizedName::new(once.as_str()), &once);
        }

        #[test]
        fn words_are_separated_by_single_spaces(name in any::<String>()) {
            let folded = NormalizedName::new(&name);
            prop_assert!(!folded.as_str().contains("  "));
            prop_assert_eq!(folded.as_str().trim(), folded.as_str());
        }
    }
}
