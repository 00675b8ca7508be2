//! Forms of one word, which are no substitutes of each other.

use super::inflection::readings;

/// Returns whether two words are forms of one: equal stems, as "diverted" and "diverting", or a common base, as "took" and "taken".
pub(super) fn is_variant(word: &str, other: &str) -> bool {
    let [word, other] = [word, other].map(|word| word.to_lowercase().replace('-', ""));
    let bases = |word: &str| -> Vec<String> { readings(word).into_iter().map(|reading| reading.base).collect() };
    stem(&word) == stem(&other) || {
        let of_word = bases(&word);
        bases(&other).iter().any(|base| of_word.contains(base))
    }
}

/// Endings that are cut off, the longest first, again and again.
const ENDINGS: [&str; 50] = [
    "ations", "itions", "nesses", "ances", "ating", "ation", "ators", "ences", "fully", "ingly", "ities", "ition",
    "ively", "ments", "able", "ally", "ance", "ated", "ates", "ator", "ence", "ible", "ical", "ings", "ions", "less",
    "ment", "ness", "ant", "ate", "ent", "ers", "ful", "ied", "ies", "ing", "ion", "ity", "ive", "ors", "al", "ed",
    "er", "es", "ic", "ly", "or", "e", "s", "y",
];
/// Fewest letters of a stem.
const SHORTEST_STEM: usize = 4;

/// Returns a word without its endings; as rough as its use allows, which is to leave out forms of the word asked for.
fn stem(word: &str) -> &str {
    let mut stem = word;
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending).filter(|left| is_stem(left))) {
        stem = shorter;
    }
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(last), Some(before)) if last == before && is_stem(&stem[..stem.len() - last.len_utf8()]) => {
            &stem[..stem.len() - last.len_utf8()]
        }
        _ => stem,
    }
}

fn is_stem(word: &str) -> bool {
    word.chars().count() >= SHORTEST_STEM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_variants() {
        let pairs = [
            ("diverted", "diverting"),
            ("Possessor", "possession"),
            ("pieces", "piece"),
            ("imminent", "imminently"),
            ("took", "taken"),
            ("cities", "city"),
            ("developed", "development"),
            ("life", "lives"),
            ("co-operate", "cooperation"),
            ("stopped", "stop"),
        ];
        for (one, other) in pairs {
            assert!(is_variant(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn other_words_are_none() {
        let pairs = [
            ("pieces", "parts"),
            ("component", "compare"),
            ("art", "arts movement"),
            ("contain", "content"),
            ("led", "let"),
        ];
        for (one, other) in pairs {
            assert!(!is_variant(one, other), "{one} and {other}");
        }
    }
}
