//! Each character of a name as a token.

use super::tokens::Tokens;

/// Code points below this have a vector of their own: Latin, Greek, Cyrillic, Armenian and Hebrew.
const OWN: u32 = 0x600;
/// Vectors that all others share by a hash.
const SHARED: u32 = 512;
/// Mark the start and the end of a name; Unicode's own control characters for that.
pub const ENDS: [u32; 2] = [0x02, 0x03];
/// Number of characters that have a vector.
pub const VOCABULARY: usize = (OWN + SHARED) as usize;

/// The numbers of the characters of a name, spelt out, between those that mark its ends.
pub fn tokens(window: usize, name: &str) -> Tokens {
    let name = truename_text::spelt_out(name.trim());
    let mut characters = name.chars();
    let read = characters.by_ref().take(window - ENDS.len()).map(number);
    let ids = std::iter::once(ENDS[0]).chain(read).chain([ENDS[1]]).collect();
    Tokens { ids, is_truncated: characters.next().is_some() }
}

/// The row of a character in the table.
fn number(character: char) -> u32 {
    let point = u32::from(character);
    // Fibonacci hashing: neighbours in a script fall far apart.
    if point < OWN { point } else { OWN + (point.wrapping_mul(0x9E37_79B9) >> 16) % SHARED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_a_row() {
        let read = tokens(8, " Cγ漢字 etc ");
        assert_eq!(read.ids, [2, 67, 103, 97, 109, 109, 97, 3]);
        let read = tokens(8, " PLCж2漢字 etc ");
        assert_eq!(read.ids[..7], [2, 80, 76, 67, 0x436, 50, number('漢')]);
        assert!(read.is_truncated && read.ids.len() == 8);
        assert!(!tokens(256, "漢字").is_truncated);
        let all = (0..=0x10_FFFF).filter_map(char::from_u32);
        assert!(all.map(number).all(|number| (number as usize) < VOCABULARY));
    }
}
