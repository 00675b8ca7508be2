//! Variants of sequences in the notation of HGVS: `p.Gly12Val` is no `p.Gly12Asp`.

/// Amino acids in three letters and in one.
#[rustfmt::skip]
const AMINO_ACIDS: [(&str, &str); 21] = [
    ("ala", "a"), ("arg", "r"), ("asn", "n"), ("asp", "d"), ("cys", "c"), ("gln", "q"), ("glu", "e"), ("gly", "g"), ("his", "h"),
    ("ile", "i"), ("leu", "l"), ("lys", "k"), ("met", "m"), ("phe", "f"), ("pro", "p"), ("ser", "s"), ("thr", "t"), ("trp", "w"),
    ("tyr", "y"), ("val", "v"), ("ter", "*"),
];

/// Returns true if two names have one variant of a sequence each, another one.
pub fn differ_in_variant(one: &str, other: &str) -> bool {
    let has_dot = |name: &str| name.as_bytes().windows(2).any(|two| two[1] == b'.' && b"cgmnpr".contains(&two[0]));
    has_dot(one) && has_dot(other) && variant(one).zip(variant(other)).is_some_and(|(one, other)| one != other)
}

/// Returns the only variant of a name, without brackets, in small letters, its amino acids in one letter.
fn variant(name: &str) -> Option<String> {
    let mut variants = name.split([' ', ',', ':', ';']).filter(|word| is_variant(word));
    let word = variants.next().filter(|_| variants.next().is_none())?.to_ascii_lowercase();
    let word = word.replace(['(', ')'], "");
    let short = |word: String, (long, short): &(&str, &str)| word.replace(long, short);
    Some(if word.starts_with("p.") { AMINO_ACIDS.iter().fold(word, short) } else { word })
}

/// Returns true for the letter of a sequence, a full stop and a place.
fn is_variant(word: &str) -> bool {
    let change = word.strip_prefix(['c', 'g', 'm', 'n', 'p', 'r']).and_then(|rest| rest.strip_prefix('.'));
    change.is_some_and(|change| change.is_ascii() && change.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_variants_differ() {
        for (one, other) in [
            ("p.Gly12Val", "KRAS p.Gly12Asp"),
            ("c.35G>C", "c.35G>A"),
            ("NM_004985.5:c.35-1G>A", "c.35+1G>A"),
            ("c.76_77delT", "c.76_77insT"),
        ] {
            assert!(differ_in_variant(one, other) && differ_in_variant(other, one), "{one} / {other}");
        }
        for (one, other) in
            [("p.Gly12Val", "p.(G12V)"), ("KRAS p.G12D", "p.Gly12Asp in KRAS"), ("p. 5", "p. 6"), ("c.35G>C", "KRAS")]
        {
            assert!(!differ_in_variant(one, other), "{one} / {other}");
        }
    }
}
