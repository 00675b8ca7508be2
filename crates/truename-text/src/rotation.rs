//! Signs that alone tell chemical names apart: of optical rotation, and of a negative charge.

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

impl Rotation {
    /// Returns the sign in brackets before a hyphen, anywhere in a name (`(+)-catechin`, `Catechin, (+)-`); `None` if there is none.
    pub fn of(name: &str) -> Option<Self> {
        name.match_indices('(').find_map(|(open, _)| {
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
        Self::of_sign(&inner[open + 1..]).map(|_| open)
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
            ("()-foosol", None),
            ("", None),
        ] {
            assert_eq!(Rotation::of(name), expected, "{name}");
        }
        assert!(is_negative("Cl(−)") && is_negative("O2-") && !is_negative("O2") && !is_negative("(-)-x"));
        assert_eq!(Rotation::before("of (±)-foosol", 8), Some(3));
        assert_eq!(Rotation::before("of (R)-foosol", 7), None);
    }
}
