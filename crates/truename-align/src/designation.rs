//! Names whose number stands behind the initial of a word: `T8 vertebra` for `thoracic vertebra 8`.

/// Strength of such a form, as that of a synonym rule.
pub(crate) const STRENGTH: f32 = 0.7;
/// Letters of the shortest word that an initial stands for, and digits of the longest number.
const SHORTEST_WORD: usize = 3;
const LONGEST_NUMBER: usize = 3;

/// Returns the forms of a normal form with one number, in which the number stands behind the initial of a word.
pub(crate) fn designations(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split(' ').collect();
    let is_number = |word: &str| word.len() <= LONGEST_NUMBER && word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<usize> = (0..words.len()).filter(|at| is_number(words[*at])).collect();
    let [number] = numbers[..] else { return Vec::new() };
    let form = |at: usize| -> Option<String> {
        let initial = words[at].chars().next().filter(|_| words[at].chars().count() >= SHORTEST_WORD)?;
        let others: Vec<&str> =
            (0..words.len()).filter(|other| ![at, number].contains(other)).map(|other| words[other]).collect();
        (initial.is_alphabetic() && !others.is_empty())
            .then(|| format!("{initial}{} {}", words[number], others.join(" ")))
    };
    (0..words.len()).filter_map(form).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_behind_the_initial_of_a_word() {
        assert_eq!(designations("thoracic vertebra 8"), ["t8 vertebra", "v8 thoracic"]);
        for name in ["vertebra 8", "thoracic vertebra", "type 1 rule 2", "no 3"] {
            assert!(designations(name).is_empty(), "{name}");
        }
    }
}
