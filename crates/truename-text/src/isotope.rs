//! Symbols of isotopes, which label a compound: `[14C]choline` is no carbon-14.

use crate::NormalizedName;

/// Elements in lower case with the mass numbers of isotopes by which compounds are labelled.
const ISOTOPES: [(&str, &[u16]); 40] = [
    ("ac", &[225]),
    ("at", &[211]),
    ("au", &[198]),
    ("bi", &[213]),
    ("br", &[76, 77]),
    ("c", &[11, 13, 14]),
    ("ca", &[45]),
    ("cl", &[36]),
    ("co", &[57, 60]),
    ("cr", &[51]),
    ("cs", &[137]),
    ("cu", &[61, 62, 64, 67]),
    ("f", &[18, 19]),
    ("fe", &[55, 59]),
    ("ga", &[67, 68]),
    ("h", &[2, 3]),
    ("hg", &[203]),
    ("ho", &[166]),
    ("i", &[123, 124, 125, 131]),
    ("in", &[111]),
    ("k", &[40, 42]),
    ("kr", &[81]),
    ("lu", &[177]),
    ("n", &[13, 15]),
    ("na", &[22, 24]),
    ("o", &[15, 17, 18]),
    ("p", &[32, 33]),
    ("pb", &[203, 212]),
    ("ra", &[223, 226]),
    ("rb", &[82, 86]),
    ("re", &[186, 188]),
    ("s", &[35]),
    ("se", &[75]),
    ("sm", &[153]),
    ("sr", &[85, 89, 90]),
    ("tc", &[94, 99]),
    ("tl", &[201]),
    ("xe", &[133]),
    ("y", &[86, 90]),
    ("zr", &[89]),
];
/// Fewest letters of the name of a compound behind or before the label.
const MIN_COMPOUND_LETTERS: usize = 3;

/// Returns true for the symbol of an isotope that labels compounds, the mass number before or behind that of the element (`14C`, `¹⁴C`,
/// `99mTc`, `C-14`).
pub fn is_isotope(name: &str) -> bool {
    let form = NormalizedName::new(name).squeezed();
    let is_digit = |c: char| c.is_ascii_digit();
    let (mass, element) = match form.trim_end_matches(is_digit) {
        before if before.len() < form.len() => (&form[before.len()..], before),
        _ => {
            let element = form.trim_start_matches(is_digit);
            (&form[..form.len() - element.len()], element)
        }
    };
    let is_mass = |masses: &&(&str, &[u16])| mass.parse().is_ok_and(|mass: u16| masses.1.contains(&mass));
    let is_known = |element: &str| ISOTOPES.iter().find(|(known, _)| *known == element).filter(is_mass).is_some();
    is_known(element) || element.strip_prefix('m').is_some_and(is_known)
}

/// Returns true if the symbol of an isotope labels a compound in the same word of a name: `[14C]choline`, `14C-choline`, `(18F)FDG uptake`.
pub fn has_isotope_label(name: &str) -> bool {
    let letters = |part: &str| part.chars().filter(|c| c.is_alphabetic()).count();
    name.split_whitespace().filter(|word| word.contains(char::is_numeric)).any(|word| {
        let mut parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        let has_compound = parts.clone().any(|part| letters(part) >= MIN_COMPOUND_LETTERS);
        has_compound && parts.any(is_isotope)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_isotope_labels_a_compound_of_the_same_word() {
        for name in ["14C", "¹⁴C", "(14)C", "99mTc", "C-14", "[18F]", "3H", "I-131"] {
            assert!(is_isotope(name), "{name}");
        }
        for name in ["14", "C", "2A", "C3", "IL-2", "choline", "99mXy", "m", "carbon-14", ""] {
            assert!(!is_isotope(name), "{name}");
        }
        for name in ["[14C]choline", "14C-choline", "(18F)FDG uptake", "[methyl-3H]thymidine", "99mTc-sestamibi"] {
            assert!(has_isotope_label(name), "{name}");
        }
        for name in ["14C", "14C choline", "carbon-14", "2A-adrenergic", "C3-convertase", "[14C]", ""] {
            assert!(!has_isotope_label(name), "{name}");
        }
    }
}
