//! Tags of single tokens: `O`, or a letter with the type of a mention.

use std::fmt;

/// A tag of one token: `O`, or a letter with the type of a mention, as `B-Disease`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) place: Place,
    /// The letter as written; schemes have several for one place.
    letter: char,
    /// The type of the mention; empty in a file of mentions without types.
    pub(super) mention_type: String,
}

/// The place of a token in a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `O`: in no mention.
    Outside,
    /// `B`.
    Begin,
    /// `I`, or `M` of BMEWO.
    Inside,
    /// `E`, or `L` of BILOU.
    End,
    /// `S`, `U` of BILOU or `W` of BMEWO.
    Single,
}

impl Tag {
    pub(super) const OUTSIDE: Self = Self { place: Place::Outside, letter: 'O', mention_type: String::new() };

    /// Returns the tag of a mention.
    pub(super) fn new(letter: char, mention_type: &str) -> Option<Self> {
        let place = match letter {
            'B' => Place::Begin,
            'I' | 'M' => Place::Inside,
            'E' | 'L' => Place::End,
            'S' | 'U' | 'W' => Place::Single,
            _ => return None,
        };
        Some(Self { place, letter, mention_type: mention_type.to_owned() })
    }

    /// Parses a label; none where it is no tag.
    pub(super) fn parse(label: &str) -> Option<Self> {
        if label == "O" {
            return Some(Self::OUTSIDE);
        }
        let mut characters = label.chars();
        let letter = characters.next()?;
        match (letter, characters.as_str()) {
            (_, "") => Self::new(letter, ""),
            (_, rest) => rest
                .strip_prefix('-')
                .filter(|mention_type| !mention_type.is_empty())
                .and_then(|mention_type| Self::new(letter, mention_type)),
        }
    }

    pub(super) fn is_outside(&self) -> bool {
        self.place == Place::Outside
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.mention_type {
            "" => write!(f, "{}", self.letter),
            mention_type => write!(f, "{}-{mention_type}", self.letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_are_no_tags_are_told() {
        for (label, place, mention_type) in [
            ("O", Place::Outside, ""),
            ("B-Disease", Place::Begin, "Disease"),
            ("I-cell-line", Place::Inside, "cell-line"),
            ("M-X", Place::Inside, "X"),
            ("E-X", Place::End, "X"),
            ("L-X", Place::End, "X"),
            ("S-X", Place::Single, "X"),
            ("U-X", Place::Single, "X"),
            ("W-Größe", Place::Single, "Größe"),
            ("B", Place::Begin, ""),
        ] {
            let tag = Tag::parse(label).unwrap();
            assert_eq!((tag.place, &*tag.mention_type, tag.to_string()), (place, mention_type, label.to_owned()));
        }
        for label in ["", "o", "B-", "-X", "X-Y", "BX", "O-X", "_", "None", "ß-X", "b-X"] {
            assert_eq!(Tag::parse(label), None, "{label}");
        }
    }
}
