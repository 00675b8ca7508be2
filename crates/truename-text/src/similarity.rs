//! Similarity of two names: every measure lies between 0 and 1, and higher is closer.

use rapidfuzz::distance::{indel, jaro_winkler as jaro, lcs_seq, osa};

use crate::profile::{NameProfile, Token};

/// Lowest Jaro–Winkler similarity of two spellings of one word.
const SAME_WORD: f64 = 0.88;

/// Returns the Jaro–Winkler similarity of the normal forms (Winkler 1990; prefix weight 0.1).
pub fn jaro_winkler(left: &NameProfile, right: &NameProfile) -> f64 {
    jaro::normalized_similarity(left.letters.iter().copied(), right.letters.iter().copied())
}

/// Returns the number of edits (letters added, dropped, changed or swapped) that turn one name into the other.
pub fn edits(left: &NameProfile, right: &NameProfile) -> usize {
    osa::distance(left.letters.iter().copied(), right.letters.iter().copied())
}

/// Returns the number of letters of the longest common subsequence of two texts.
pub fn common_letters(left: &str, right: &str) -> usize {
    lcs_seq::similarity(left.chars(), right.chars())
}

/// Returns twice the length of the longest common subsequence, divided by the lengths of both; 1 for two empty ones.
pub fn sequence_ratio(left: &[u32], right: &[u32]) -> f64 {
    indel::normalized_similarity(left.iter().copied(), right.iter().copied())
}

/// Returns the Jaro–Winkler similarity of two texts as they are written.
pub fn spelling_similarity(left: &str, right: &str) -> f64 {
    jaro::normalized_similarity(left.chars(), right.chars())
}

/// Returns the number of edits (letters added, dropped, changed or swapped) that turn one text into the other.
pub fn spelling_edits(left: &str, right: &str) -> usize {
    osa::distance(left.chars(), right.chars())
}

/// Returns true if two words are spellings of one.
pub fn is_misspelt(left: &Token, right: &Token) -> bool {
    left.hash != right.hash && word_similarity(left, right) > 0.0
}

/// Returns the indel ratio of the words in sorted order: word order does not count.
pub fn token_sort_ratio(left: &NameProfile, right: &NameProfile) -> f64 {
    indel::normalized_similarity(left.sorted.iter().copied(), right.sorted.iter().copied())
}

/// Returns the indel ratio of the shared words and the words of each name: 1 where one set contains the other.
pub fn token_set_ratio(left: &NameProfile, right: &NameProfile) -> f64 {
    let (shared, left_only, right_only) = split_words(left, right);
    if !shared.is_empty() && (left_only.is_empty() || right_only.is_empty()) {
        return 1.0;
    }
    if shared.is_empty() {
        return indel::normalized_similarity(left_only.iter().copied(), right_only.iter().copied());
    }
    let joined = |rest: &[char]| [&shared[..], rest].join(&' ');
    let (all_left, all_right) = (joined(&left_only), joined(&right_only));
    let whole = indel::normalized_similarity(all_left.iter().copied(), all_right.iter().copied());
    let prefix_ratio = |all: &[char]| 2.0 * shared.len() as f64 / (shared.len() + all.len()) as f64;
    whole.max(prefix_ratio(&all_left)).max(prefix_ratio(&all_right))
}

/// Returns the shared words, those of the left alone and those of the right alone, each sorted and joined by spaces.
fn split_words(left: &NameProfile, right: &NameProfile) -> (Vec<char>, Vec<char>, Vec<char>) {
    let has = |profile: &NameProfile, token: &Token| profile.tokens.iter().any(|other| other.hash == token.hash);
    let gather = |from: &NameProfile, keep: &dyn Fn(&Token) -> bool| -> Vec<char> {
        let mut words: Vec<&[char]> =
            from.tokens.iter().filter(|token| keep(token)).map(|token| &token.letters[..]).collect();
        words.sort_unstable();
        words.dedup();
        words.join(&' ')
    };
    (
        gather(left, &|token| has(right, token)),
        gather(left, &|token| !has(right, token)),
        gather(right, &|token| !has(left, token)),
    )
}

/// Returns the longest common subsequence of the letters, as a share of the left and of the right name.
pub fn common_subsequence(left: &NameProfile, right: &NameProfile) -> (f64, f64) {
    let common = lcs_seq::similarity(left.letters.iter().copied(), right.letters.iter().copied()) as f64;
    (share(common, left.letters.len()), share(common, right.letters.len()))
}

/// Returns the share of `whole` that `part` covers as one piece; 0 where it does not stand in it.
pub fn containment(part: &NameProfile, whole: &NameProfile) -> f64 {
    let (part, whole) = (&part.letters[..], &whole.letters[..]);
    let inside = !part.is_empty() && part.len() <= whole.len() && whole.windows(part.len()).any(|piece| piece == part);
    if inside { share(part.len() as f64, whole.len()) } else { 0.0 }
}

/// Returns the length of the common prefix, as a share of the shorter name.
pub fn common_prefix(left: &NameProfile, right: &NameProfile) -> f64 {
    let common = left.letters.iter().zip(&right.letters).take_while(|(a, b)| a == b).count();
    share(common as f64, left.letters.len().min(right.letters.len()))
}

/// Returns the fit of `short` as an acronym of `long`: 1 where its letters are the initials, less where
/// each of its letters is found in order, a word's first letter before any other, and 0 otherwise.
pub fn acronym_fit(short: &NameProfile, long: &NameProfile) -> f64 {
    let letters = &short.letters[..];
    if letters.len() < 2 || letters.len() > 10 || long.tokens.len() < 2 || letters.len() >= long.letters.len() {
        return 0.0;
    }
    if long.initials == letters {
        return 1.0;
    }
    let (mut matched, mut at_start) = (0, 0);
    for token in &long.tokens {
        for (position, letter) in token.letters.iter().enumerate() {
            if letters.get(matched) == Some(letter) {
                matched += 1;
                at_start += usize::from(position == 0);
            } else if position == 0 {
                break;
            }
        }
    }
    if matched < letters.len() { 0.0 } else { 0.9 * at_start as f64 / letters.len().max(long.tokens.len()) as f64 }
}

/// Agreement of the numbers in two names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NumberAgreement {
    /// Shared numbers as a share of all numbers; 1 where neither name has one.
    pub shared: f64,
    /// Numbers that only the left name has.
    pub only_left: f64,
    /// Numbers that only the right name has.
    pub only_right: f64,
}

/// Compares the numbers (versions, positions, types) in two names.
pub fn number_agreement(left: &NameProfile, right: &NameProfile) -> NumberAgreement {
    let shared = left.numbers.iter().filter(|number| right.numbers.contains(number)).count();
    let all = left.numbers.len() + right.numbers.len() - shared;
    NumberAgreement {
        shared: if all == 0 { 1.0 } else { share(shared as f64, all) },
        only_left: (left.numbers.len() - shared) as f64,
        only_right: (right.numbers.len() - shared) as f64,
    }
}

/// Shares of the weight of each name's words that the other name has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TokenOverlap {
    /// Weight of the left words that are also right words, as a share of all left weight.
    pub left: f64,
    /// The same from the right.
    pub right: f64,
    /// As `left`, where a misspelt word counts by its similarity.
    pub soft_left: f64,
    /// As `right`, where a misspelt word counts by its similarity.
    pub soft_right: f64,
}

/// Compares the words of two names, each weighted by its rarity.
///
/// `left_weights` and `right_weights` go with the tokens of the names, one weight a token.
pub fn token_overlap(
    left: &NameProfile,
    right: &NameProfile,
    left_weights: &[f64],
    right_weights: &[f64],
) -> TokenOverlap {
    let columns = right.tokens.len();
    let (mut best_left, mut best_right) = (vec![0.0f64; left.tokens.len()], vec![0.0f64; columns]);
    for (row, left_token) in left.tokens.iter().enumerate() {
        for (column, right_token) in right.tokens.iter().enumerate() {
            let alike = word_similarity(left_token, right_token);
            best_left[row] = best_left[row].max(alike);
            best_right[column] = best_right[column].max(alike);
        }
    }
    let (left_exact, left_soft) = weigh(&best_left, left_weights);
    let (right_exact, right_soft) = weigh(&best_right, right_weights);
    TokenOverlap { left: left_exact, right: right_exact, soft_left: left_soft, soft_right: right_soft }
}

fn word_similarity(left: &Token, right: &Token) -> f64 {
    if left.hash == right.hash {
        return 1.0;
    }
    let (shorter, longer) = (left.letters.len().min(right.letters.len()), left.letters.len().max(right.letters.len()));
    if shorter < 3 || 2 * shorter < longer {
        return 0.0;
    }
    let alike = jaro::normalized_similarity(left.letters.iter().copied(), right.letters.iter().copied());
    // Below 1, so that a misspelt word never counts as the word itself.
    if alike < SAME_WORD { 0.0 } else { alike.min(0.99) }
}

fn weigh(best: &[f64], weights: &[f64]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return (0.0, 0.0);
    }
    let (mut exact, mut soft) = (0.0, 0.0);
    for (&alike, &weight) in best.iter().zip(weights) {
        soft += alike * weight;
        exact += if alike == 1.0 { weight } else { 0.0 };
    }
    (exact / total, soft / total)
}

fn share(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn profile(name: &str) -> NameProfile {
        NameProfile::new(name)
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    // python: rapidfuzz 3.14, JaroWinkler.similarity, fuzz.token_sort_ratio / 100, fuzz.token_set_ratio / 100
    #[test]
    fn measures_agree_with_their_reference() {
        near(jaro_winkler(&profile("martha"), &profile("marhta")), 0.9611111111);
        near(token_sort_ratio(&profile("lung cancer"), &profile("cancer lung")), 1.0);
        near(token_set_ratio(&profile("lung cancer stage 2"), &profile("cancer lung")), 1.0);
        near(token_set_ratio(&profile("apache tomcat"), &profile("apache derby")), 2.0 / 3.0);
        near(token_set_ratio(&profile(""), &profile("derby")), 0.0);
    }

    #[test]
    fn edits_count_letters_changed_over_once() {
        assert_eq!(edits(&profile("p53"), &profile("P35")), 1);
        assert_eq!(edits(&profile("abc def"), &profile("abdef")), 1);
        assert!(is_misspelt(&profile("atack").tokens[0], &profile("attack").tokens[0]));
        assert!(!is_misspelt(&profile("attack").tokens[0], &profile("attack").tokens[0]));
    }

    #[test]
    fn acronyms_fit_both_plain_and_loose() {
        near(acronym_fit(&profile("JES"), &profile("job entry subsystem")), 1.0);
        near(acronym_fit(&profile("PGSQL"), &profile("postgres query language")), 0.54);
        assert!(acronym_fit(&profile("MSSQL"), &profile("MicroSoft SQL server")) > 0.3);
        near(acronym_fit(&profile("XYZ"), &profile("job entry subsystem")), 0.0);
    }

    #[test]
    fn numbers_tell_versions_apart() {
        let agreement = number_agreement(&profile("db2 v10.05"), &profile("db2 v9.5"));
        assert_eq!(agreement, NumberAgreement { shared: 0.5, only_left: 1.0, only_right: 1.0 });
        near(number_agreement(&profile("a"), &profile("b")).shared, 1.0);
    }

    #[test]
    fn overlap_weighs_rare_words_and_forgives_typos() {
        let (left, right) = (profile("apache tomkat"), profile("apache tomcat server"));
        let overlap = token_overlap(&left, &right, &[1.0, 9.0], &[1.0, 8.0, 1.0]);
        near(overlap.left, 0.1);
        near(overlap.right, 0.1);
        assert!(overlap.soft_left > 0.9 && overlap.soft_left < 1.0);
    }

    proptest! {
        #[test]
        fn every_measure_lies_between_0_and_1(left in "\\PC{0,20}", right in "\\PC{0,20}") {
            let (left, right) = (profile(&left), profile(&right));
            let weights = |p: &NameProfile| vec![1.0; p.tokens.len()];
            let overlap = token_overlap(&left, &right, &weights(&left), &weights(&right));
            let (part, whole) = common_subsequence(&left, &right);
            let all = [
                jaro_winkler(&left, &right), token_sort_ratio(&left, &right), token_set_ratio(&left, &right),
                part, whole, containment(&left, &right), common_prefix(&left, &right),
                acronym_fit(&left, &right), number_agreement(&left, &right).shared,
                overlap.left, overlap.right, overlap.soft_left, overlap.soft_right,
            ];
            for value in all {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&value), "{:?}", all);
            }
        }
    }
}
