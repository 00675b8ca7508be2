//! Signs that alone tell chemical names apart: of optical rotation, and of a negative charge.

use crate::{NormalizedName, spelt_out};

/// Direction in which a compound turns light, as its name has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotation {
    /// `(+)-`
    Plus,
    /// `(-)-`
    Minus,
    /// `(±)-` or `(+/-)-`: both mirror images.
    Racemic,
}

/// Hyphens and minus signs, raised ones too.
pub const MINUS_SIGNS: [char; 6] = ['-', '\u{2010}', '\u{2011}', '\u{2013}', '\u{207B}', '\u{2212}'];

/// Returns whether a name ends with a minus, in brackets or without them (`Cl⁻`, `SO4(2-)`).
pub fn is_negative(name: &str) -> bool {
    name.trim_end_matches([')', ']']).ends_with(MINUS_SIGNS)
}

/// Letters and digits of the longest code that a charge or `-` for `negative` stands behind (`CD45RA-`, `HPO4(2-)`).
const LONGEST_CODE: usize = 7;

/// Returns true if one of two names ends with a minus behind a code, and the other without one: `O2-` and `O2`.
pub fn differ_in_minus(one: &str, other: &str) -> bool {
    let is_code = |name: &str| {
        let word = name.split_whitespace().next_back().unwrap_or_default();
        word.chars().filter(|c| c.is_alphanumeric()).count() <= LONGEST_CODE
            && word.contains(|c: char| c.is_uppercase() || c.is_numeric())
    };
    match (is_negative(one), is_negative(other)) {
        (true, false) => is_code(one),
        (false, true) => is_code(other),
        _ => false,
    }
}

/// Fewest letters of a word that a single plus is a part of (`Foogle+`); behind fewer it is a charge.
const MIN_LETTERS_BEFORE_PLUS: usize = 4;

/// Returns true if two names differ in the pluses or number signs that end them, and in nothing else: `C++`, `C#` and `C`. A charge or a
/// single `+` behind a code counts for nothing here.
pub fn differ_in_final_signs(one: &str, other: &str) -> bool {
    const SIGNS: [char; 2] = ['+', '#'];
    if !one.ends_with(SIGNS) && !other.ends_with(SIGNS) {
        return false;
    }
    let parted = |name| -> (NormalizedName, &str) {
        let stem = str::trim_end_matches(name, SIGNS);
        (NormalizedName::new(stem), &name[stem.len()..])
    };
    let ((stem, signs), (other_stem, other_signs)) = (parted(one), parted(other));
    let is_word = || stem.tokens().next_back().is_some_and(|word| word.len() >= MIN_LETTERS_BEFORE_PLUS);
    let is_part = |signs: &str| !signs.is_empty() && (signs != "+" || is_word());
    let ends_in_letter = stem.as_str().ends_with(char::is_alphabetic);
    stem == other_stem && ends_in_letter && signs != other_signs && (is_part(signs) || is_part(other_signs))
}

/// Elements of which an ion has a name of its own.
const METALS: [&str; 25] = [
    "Ag", "Al", "Ba", "Be", "Ca", "Cd", "Co", "Cr", "Cs", "Cu", "Fe", "H", "Hg", "K", "La", "Li", "Mg", "Mn", "Na",
    "Ni", "Pb", "Rb", "Sn", "Sr", "Zn",
];

/// Returns true if two names are the symbol of one metal with other charges: `Na+` and `Na`, `Fe2+` and `Fe3+`.
pub fn differ_in_charge(one: &str, other: &str) -> bool {
    let is_longer = |name: &&str| name.len() > LONGEST_ION;
    if [one, other].iter().any(is_longer) {
        return false;
    }
    let (one, other) = (spelt_out(one), spelt_out(other));
    ion(&one).zip(ion(&other)).is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1)
}

/// Longest name in bytes that is a symbol with its charge (`Ca²⁺`).
const LONGEST_ION: usize = 12;

/// Returns the symbol and the charge of a name that is an ion or a metal; `None` for other names.
fn ion(name: &str) -> Option<(&str, usize)> {
    let name = name.trim();
    let (symbol, charge) = name.split_at(name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len()));
    let charge = charge.trim().trim_start_matches(['(', '[', '^']).trim_end_matches([')', ']']);
    let digits = charge.trim_matches('+');
    let pluses = charge.len() - digits.len();
    let charge = match digits {
        "" => pluses,
        "I" | "II" | "III" | "IV" => ["I", "II", "III", "IV"].iter().position(|roman| *roman == digits)? + 1,
        _ => digits.parse().ok().filter(|_| pluses == 1)?,
    };
    METALS.contains(&symbol).then_some((symbol, charge))
}

impl Rotation {
    /// Returns the sign in brackets before a hyphen, anywhere in a name (`(+)-catechin`, `Catechin, (+)-`); `None` if there is none. Directly
    /// behind a letter or digit it is a charge (`H(+)-ATPase`).
    pub fn of(name: &str) -> Option<Self> {
        let mut signs = name.match_indices('(').filter(|(open, _)| !name[..*open].ends_with(char::is_alphanumeric));
        signs.find_map(|(open, _)| {
            let (content, rest) = name[open + 1..].split_once(')')?;
            Self::of_sign(content).filter(|_| rest.starts_with(MINUS_SIGNS))
        })
    }

    /// Returns the rotation of the sign in the brackets.
    fn of_sign(sign: &str) -> Option<Self> {
        let (plus, rest) = sign.strip_prefix('+').map_or((false, sign), |rest| (true, rest));
        match rest.strip_prefix('/').unwrap_or(rest) {
            "±" => Some(Self::Racemic),
            "" => plus.then_some(Self::Plus),
            rest if rest.strip_prefix(MINUS_SIGNS) == Some("") => Some(if plus { Self::Racemic } else { Self::Minus }),
            _ => None,
        }
    }

    /// Returns the start of the sign in brackets before a byte of a text; `None` if there is none.
    pub fn before(text: &str, end: usize) -> Option<usize> {
        let inner = text[..end].strip_suffix(MINUS_SIGNS)?.strip_suffix(')')?;
        let (open, _) = inner.char_indices().rev().take(MAX_SIGN + 1).find(|(_, c)| *c == '(')?;
        let is_charge = text[..open].ends_with(char::is_alphanumeric);
        Self::of_sign(&inner[open + 1..]).filter(|_| !is_charge).map(|_| open)
    }
}

/// Maximum characters of a sign in brackets (`+/-`).
const MAX_SIGN: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_is_a_sign_in_brackets_before_a_hyphen() {
        for (name, expected) in [
            ("(+)-foosol", Some(Rotation::Plus)),
            ("(-)-foosol", Some(Rotation::Minus)),
            ("(\u{2212})-foosol", Some(Rotation::Minus)),
            ("(\u{2013})\u{2010}foosol", Some(Rotation::Minus)),
            ("(±)-foosol", Some(Rotation::Racemic)),
            ("(+/-)-foosol", Some(Rotation::Racemic)),
            ("Foosol, (+)-", Some(Rotation::Plus)),
            ("(R)-(+)-foosol", Some(Rotation::Plus)),
            ("(R)-foosol", None),
            ("calcium(2+)", None),
            ("NAD(+)", None),
            ("H(+)-ATPase", None),
            ("Na(+)/K(+)-ATPase", None),
            ("()-foosol", None),
            ("", None),
        ] {
            assert_eq!(Rotation::of(name), expected, "{name}");
        }
        assert!(is_negative("Cl(−)") && is_negative("O2-") && !is_negative("O2") && !is_negative("(-)-x"));
        assert!(differ_in_minus("O2", "O2-") && differ_in_minus("CD4(-)", "CD4") && differ_in_minus("Rh-", "Rh"));
        assert!(!differ_in_minus("O2-", "O2(-)") && !differ_in_minus("pre-", "pre") && !differ_in_minus("a", "b"));
        for (one, other) in
            [("Foo C", "Foo C#"), ("Foo C++", "foo C"), ("C#", "C++"), ("Foopad", "Foopad++"), ("Foogle+", "Foogle")]
        {
            assert!(differ_in_final_signs(one, other) && differ_in_final_signs(other, one), "{one} / {other}");
        }
        for (one, other) in [("Na", "Na+"), ("CD4", "CD4+"), ("Ca2+", "Ca"), ("C", "D#"), ("c#", "C#"), ("C", "c")] {
            assert!(!differ_in_final_signs(one, other), "{one} / {other}");
        }
        for (one, other) in
            [("Na", "Na+"), ("Fe2+", "Fe3+"), ("Ca(2+)", "Ca"), ("Ca²⁺", "Ca+"), ("Fe++", "Fe3+"), ("Fe(II)", "Fe")]
        {
            assert!(differ_in_charge(one, other) && differ_in_charge(other, one), "{one} / {other}");
        }
        for (one, other) in [
            ("Ca²⁺", "Ca++"),
            ("Fe+2", "Fe(2+)"),
            ("Na", "K+"),
            ("CD4", "CD4+"),
            ("Na+ channel", "Na channel"),
            ("", ""),
        ] {
            assert!(!differ_in_charge(one, other), "{one} / {other}");
        }
        assert_eq!(Rotation::before("of (±)-foosol", 8), Some(3));
        assert_eq!(Rotation::before("of (R)-foosol", 7), None);
    }
}
