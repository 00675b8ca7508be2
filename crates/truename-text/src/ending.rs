//! Endings and prefixes that tell words of one stem apart: `nephritis` is no `nephrosis`, `ethene` no `ethane`.

/// Endings of diseases and procedures.
const MEDICAL: [&str; 9] = ["itis", "osis", "oma", "opathy", "algia", "ectomy", "oscopy", "otomy", "plasty"];
/// Of these, the ones that a whole word may be the stem of: `thyroiditis` is no `thyroid`, but a `sarcoid` is `sarcoidosis`.
const BEHIND_WORDS: [&str; 4] = ["itis", "oma", "opathy", "ectomy"];
/// Stems of chains of carbon, and of benzene.
const CHAINS: [&str; 11] = ["meth", "eth", "prop", "but", "pent", "hex", "hept", "oct", "non", "dec", "benz"];
/// Endings of their compounds.
const COMPOUNDS: [&str; 9] = ["ane", "ene", "yne", "anol", "enol", "anal", "enal", "anone", "yl"];
const MULTIPLES: [&str; 6] = ["mono", "di", "tri", "tetra", "penta", "hexa"];
/// Groups that are counted.
#[rustfmt::skip]
const GROUPS: [&str; 12] = [
    "amino", "bromo", "butyl", "chloro", "ethyl", "fluoro", "hydroxy", "iodo", "methyl", "nitro", "phenyl", "propyl",
];
/// Fewest letters of a stem.
const MIN_STEM: usize = 4;

/// Returns true if two names differ in one word alone, whose ending or number of groups is another: `methanal` and `methanol`,
/// `insulinoma` and `insulin`, `dimethylamine` and `trimethylamine`.
pub fn differ_in_ending(one: &str, other: &str) -> bool {
    fn words(name: &str) -> impl Iterator<Item = &str> {
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
    }
    let (mut left, mut right, mut differing) = (words(one), words(other), None);
    loop {
        match (left.next(), right.next()) {
            (None, None) => break,
            (Some(one), Some(other)) if one.eq_ignore_ascii_case(other) => {}
            (Some(one), Some(other)) if differing.is_none() => differing = Some([one, other]),
            _ => return false,
        }
    }
    let Some(pair) = differing.filter(|pair| pair.iter().all(|word| word.is_ascii())) else { return false };
    let [one, other] = pair.map(|word| word.to_ascii_lowercase());
    one != other
        && (differ_in_medical(&one, &other) || differ_in_compound(&one, &other) || differ_in_groups(&one, &other))
}

fn differ_in_medical(one: &str, other: &str) -> bool {
    let parted = |word: &str| -> Option<(usize, &str)> {
        let ending = MEDICAL.iter().find(|ending| word.ends_with(**ending))?;
        Some((word.len() - ending.len(), *ending))
    };
    let is_stem = |word: &str, (length, ending): (usize, &str), whole: &str| {
        BEHIND_WORDS.contains(&ending) && length >= MIN_STEM - 1 && word[..length] == *whole
    };
    match (parted(one), parted(other)) {
        (Some((left, _)), Some((right, _))) => left >= MIN_STEM && one[..left] == other[..right],
        (Some(parts), None) => is_stem(one, parts, other),
        (None, Some(parts)) => is_stem(other, parts, one),
        (None, None) => false,
    }
}

fn differ_in_compound(one: &str, other: &str) -> bool {
    let is_compound =
        |word: &str| CHAINS.iter().any(|chain| word.strip_prefix(chain).is_some_and(|end| COMPOUNDS.contains(&end)));
    is_compound(one) && is_compound(other)
}

fn differ_in_groups(one: &str, other: &str) -> bool {
    let uncounted = |word: &str| -> String {
        let rest = MULTIPLES.iter().find_map(|multiple| word.strip_prefix(multiple));
        rest.filter(|rest| begins_with_group(rest)).unwrap_or(word).to_owned()
    };
    let (left, right) = (uncounted(one), uncounted(other));
    left == right && begins_with_group(&left)
}

fn begins_with_group(word: &str) -> bool {
    GROUPS.iter().any(|group| word.starts_with(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem_are_told_apart() {
        for (one, other) in [
            ("nephrosis", "Nephritis"),
            ("chronic arthrosis of the knee", "chronic arthritis of the knee"),
            ("insulinoma", "insulin"),
            ("lipoma", "lip"),
            ("thyroid", "thyroiditis"),
            ("methanal", "methanol"),
            ("methanol", "ethanol"),
            ("ethyl acetate", "methyl acetate"),
            ("heptane", "hexane"),
            ("dichloroethylene", "trichloroethylene"),
            ("methylamine", "dimethylamine"),
        ] {
            assert!(differ_in_ending(one, other) && differ_in_ending(other, one), "{one} / {other}");
        }
        for (one, other) in [
            ("nephritis", "nephritides"),
            ("nephritis", "nefritis"),
            ("arthritis", "arthritis of the knee"),
            ("sarcoid", "sarcoidosis"),
            ("Jane Roe", "June Roe"),
            ("ethylene", "ethene"),
            ("disease", "sease"),
            ("diabetes", "tribetes"),
            ("acute nephritis", "chronic nephrosis"),
            ("", "lip"),
        ] {
            assert!(!differ_in_ending(one, other) && !differ_in_ending(other, one), "{one} / {other}");
        }
    }
}
