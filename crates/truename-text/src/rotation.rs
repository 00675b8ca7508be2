//! Signs of optical rotation, which alone tell mirror images apart in chemical names.

/// Direction in which a compound turns light, as its name has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// `(+)-`
    Plus,
    /// `(-)-`
    Minus,
    /// `(±)-` or `(+/-)-`: both mirror images.
    Racemic,
}

/// Hyphens and minus signs.
const MINUS: [char; 5] = ['-', '\u{2010}', '\u{2011}', '\u{2013}', '\u{2212}'];

impl Rotation {
    /// Returns the sign in brackets before a hyphen, anywhere in a name (`(+)-catechin`, `Catechin, (+)-`); `None` if there is none.
    pub fn of(name: &str) -> Option<Self> {
        name.match_indices('(').find_map(|(open, _)| {
            let (content, rest) = name[open + 1..].split_once(')')?;
            Self::of_sign(content).filter(|_| rest.starts_with(MINUS))
        })
    }

    /// Returns the rotation of the sign in the brackets.
    fn of_sign(sign: &str) -> Option<Self> {
        let (plus, rest) = sign.strip_prefix('+').map_or((false, sign), |rest| (true, rest));
        match rest.strip_prefix('/').unwrap_or(rest) {
            "±" => Some(Self::Racemic),
            "" => plus.then_some(Self::Plus),
            rest if rest.strip_prefix(MINUS) == Some("") => Some(if plus { Self::Racemic } else { Self::Minus }),
            _ => None,
        }
    }

    /// Returns the start of the sign in brackets before a byte of a text; `None` if there is none.
    pub fn before(text: &str, end: usize) -> Option<usize> {
        let open = text[..end].strip_suffix(MINUS)?.strip_suffix(')')?.rfind('(')?;
        (end - open <= MAX_BYTES && Self::of(&text[open..end]).is_some()).then_some(open)
    }
}

/// Maximum bytes of a sign in brackets with the hyphen behind it.
const MAX_BYTES: usize = 10;

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
        assert_eq!(Rotation::before("of (±)-foosol", 8), Some(3));
        assert_eq!(Rotation::before("of (R)-foosol", 7), None);
    }
}
