//! Agreement of the names without their versions, and of the versions.

use truename_text::{NameProfile, VersionedName, stable_hash};

use super::Pair;

pub(super) const NAMES: &[&str] = &[
    "core-is-core",
    "core-words-of-query",
    "core-words-of-name",
    "version-agreement",
    "number-conflict",
    "greek-initials",
];

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    let (query, name) = (&pair.core.name, &VersionedName::new(&pair.name.written));
    let is_cut = !query.taken.is_empty() || !name.taken.is_empty();
    let has_same_core = is_cut && query.core.squeezed() == name.core.squeezed();
    let words: Vec<u64> = name.core.tokens().map(stable_hash).collect();
    let weight = |word: &u64| {
        let place = pair.name.tokens.iter().position(|token| token.hash == *word);
        // A word that its version was glued to is rare.
        place.map_or_else(|| pair.name_weights.iter().copied().fold(1.0, f64::max), |place| pair.name_weights[place])
    };
    let in_name = |(word, _): &(u64, f64)| words.contains(word);
    let in_query = |(word, _): &(u64, f64)| pair.core.words.iter().any(|(other, _)| other == word);
    values.extend([
        f32::from(u8::from(has_same_core)),
        share(pair.core.words.iter().copied(), in_name),
        share(words.iter().map(|word| (*word, weight(word))), in_query),
        query.agreement(name) as f32,
        // Negated, so that the best of several names has the largest value.
        -f32::from(u8::from(differs_in_numbers(&pair.query.letters, name))),
        f32::from(u8::from(has_greek_initials(pair.query, pair.name) || has_greek_initials(pair.name, pair.query))),
    ]);
}

/// Returns the share of the weight of words for which `is_found` holds.
fn share(words: impl Iterator<Item = (u64, f64)>, is_found: impl Fn(&(u64, f64)) -> bool) -> f32 {
    let (mut total, mut found) = (0.0, 0.0);
    for word in words {
        total += word.1;
        found += if is_found(&word) { word.1 } else { 0.0 };
    }
    if total > 0.0 { (found / total) as f32 } else { 0.0 }
}

/// Returns true if a query differs from a name in its numbers alone, and the name's number is no version: `net 7.2` and `Net/2`,
/// `HIF-1` and `HIF-2`.
pub(super) fn numbers_conflict(query: &[char], name: &NameProfile) -> bool {
    !name.numbers.is_empty() && differs_in_numbers(query, &VersionedName::new(&name.written))
}

/// The same of a name whose version is known.
fn differs_in_numbers(query: &[char], name: &VersionedName) -> bool {
    let name: Vec<char> = name.core.squeezed().chars().collect();
    let letters = |name: &[char]| name.iter().filter(|letter| !letter.is_ascii_digit()).copied().collect::<Vec<_>>();
    let has_digit = |name: &[char]| name.iter().any(char::is_ascii_digit);
    has_digit(query) && has_digit(&name) && query != name && {
        let (query, name) = (letters(query), letters(&name));
        !query.is_empty() && query == name
    }
}

/// Returns the name with the first number alone of each version of several: `net 7` of `net 7.2`; `None` if it has no such version.
pub(super) fn with_first_numbers(name: &str) -> Option<String> {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let (mut first, mut is_behind) = (String::with_capacity(name.len()), false);
    for (place, letter) in name.char_indices() {
        let has_point =
            letter == '.' && is_digit(name[..place].chars().next_back()) && is_digit(name[place + 1..].chars().next());
        is_behind = has_point || (is_behind && letter.is_ascii_digit());
        if !is_behind {
            first.push(letter);
        }
    }
    (first.len() < name.len()).then_some(first)
}

/// Returns true if `short` is `long` with Greek letters by their Latin initials: `TGFB1` and `TGF-beta 1`.
fn has_greek_initials(short: &NameProfile, long: &NameProfile) -> bool {
    short.letters.len() < long.letters.len() && long.greek_initials().is_some_and(|initials| initials == short.letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_differs_in_the_same_name_is_a_conflict() {
        let conflict =
            |left: &str, right: &str| numbers_conflict(&NameProfile::new(left).letters, &NameProfile::new(right));
        assert!(
            conflict("net 7.2", "Net/2") && conflict("HIF-1", "HIF2") && conflict("type 1 diabetes", "type 2 diabetes")
        );
        assert!(!conflict("net 7.2", ".NET Framework") && !conflict("net 7.2", "net") && !conflict("HIF-1", "hif1"));
        assert!(!conflict("tomcat 7.0", "Tomcat 5") && !conflict("Acrobat 9.5", "Acrobat 7"), "versions");
        assert!(!conflict("1", "2"));
    }

    #[test]
    fn first_numbers_stand_for_versions() {
        assert_eq!(with_first_numbers("net 7.2.10 (3.1)").as_deref(), Some("net 7 (3)"));
        assert_eq!(with_first_numbers("net 7. 2, v.3"), None);
    }

    #[test]
    fn greek_letters_stand_by_their_initials() {
        let fits = |short: &str, long: &str| has_greek_initials(&NameProfile::new(short), &NameProfile::new(long));
        assert!(fits("TGFB1", "TGF-beta 1") && fits("IFNG", "IFN-γ"));
        assert!(!fits("TGF", "TGF-beta 1") && !fits("alpha", "alpha") && !fits("TGFA1", "TGF-beta 1"));
    }
}
