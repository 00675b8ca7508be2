//! Plurals that lookup keys do not fold: `viruses`, `halves`, `potatoes`, and Latin and Greek ones.

/// Endings of a singular, each with that of its plural. The keys fold `s`, `ies` and `ses` of `sis` already.
///
/// The endings are tried one by one: a word may have several singulars (`axes`), and only one that is a name counts.
const ENDINGS: [(&str, &str); 30] = [
    ("us", "uses"),
    ("us", "i"),
    ("gas", "gases"),
    ("ias", "iases"),
    ("las", "lases"),
    ("lens", "lenses"),
    ("itis", "itides"),
    ("dymis", "dymides"),
    ("xis", "xes"),
    ("um", "a"),
    ("a", "ae"),
    ("ma", "mata"),
    ("ix", "ices"),
    ("ex", "ices"),
    ("nx", "nges"),
    ("men", "mina"),
    ("rion", "ria"),
    ("glion", "glia"),
    ("drion", "dria"),
    ("menon", "mena"),
    ("zoon", "zoa"),
    ("lf", "lves"),
    ("af", "aves"),
    ("ife", "ives"),
    ("ato", "atoes"),
    ("ado", "adoes"),
    ("ero", "eroes"),
    ("ito", "itoes"),
    ("ango", "angoes"),
    ("cho", "choes"),
];
/// Singulars with plurals of another vowel.
const IRREGULAR: [(&str, &str); 9] = [
    ("foot", "feet"),
    ("tooth", "teeth"),
    ("goose", "geese"),
    ("mouse", "mice"),
    ("louse", "lice"),
    ("ox", "oxen"),
    ("child", "children"),
    ("man", "men"),
    ("woman", "women"),
];
/// Fewest letters of a singular; of shorter ones, only [`SHORT`] have such plurals.
const MIN_LETTERS: usize = 4;
/// Words in capitals of at most this many letters are acronyms.
const LONGEST_ACRONYM: usize = 5;
const SHORT: [&str; 3] = ["bus", "gas", "pus"];
/// Elements in `um`, without this ending, and ammonium: they have no plural, and `india`, `california` and oxides such as `zirconia` are none.
#[rustfmt::skip]
const ELEMENTS: [&str; 82] = [
    "actini", "alumin", "alumini", "americi", "ammoni", "bari", "berkeli", "berylli", "bohri", "cadmi", "caesi",
    "calci", "californi", "ceri", "cesi", "chromi", "columbi", "curi", "dubni", "erbi", "europi", "fermi", "flerovi",
    "franci", "gadolini", "galli", "germani", "hafni", "hassi", "heli", "holmi", "indi", "iridi", "lanthan",
    "lawrenci", "lithi", "livermori", "luteti", "magnesi", "meitneri", "mendelevi", "molybden", "moscovi", "neodymi",
    "neptuni", "nihoni", "niobi", "nobeli", "osmi", "palladi", "platin", "plutoni", "poloni", "potassi", "praseodymi",
    "promethi", "protactini", "radi", "rheni", "rhodi", "roentgeni", "rubidi", "rutheni", "samari", "scandi",
    "seaborgi", "seleni", "sodi", "stronti", "tantal", "techneti", "telluri", "terbi", "thalli", "thori", "thuli",
    "titani", "urani", "vanadi", "ytterbi", "yttri", "zirconi",
];
/// Words that only look like plurals: names of species after a disease or an organ (`Haemophilus influenzae`), and words of their own. So do those
/// in `iae` (`Klebsiella pneumoniae`), `aceae` (families of plants) and `oices` (`choices`).
const NO_PLURALS: [&str; 17] = [
    "ala",
    "aura",
    "cholerae",
    "gonorrhoeae",
    "ilei",
    "influenzae",
    "leprae",
    "pylori",
    "rubellae",
    "seba",
    "silica",
    "tetani",
    "typhi",
    "vaccinia",
    "vaginae",
    "varicellae",
    "vela",
];

/// Returns the singulars of a word and its plurals that the keys do not fold, in its case; none for an acronym and words
/// beyond ASCII.
pub(crate) fn other_numbers(word: &str) -> impl Iterator<Item = String> {
    let rest = word.as_bytes().get(1..).unwrap_or_default();
    let is_even = rest.iter().all(u8::is_ascii_lowercase)
        || word.len() > LONGEST_ACRONYM && rest.iter().all(u8::is_ascii_uppercase);
    let is_word = may_have_other_number(word) && word.starts_with(|c: char| c.is_ascii_alphabetic()) && is_even;
    let pairs = if is_word { &ENDINGS[..] } else { &[] };
    let irregular = IRREGULAR.iter().filter(move |_| is_word).flat_map(move |(singular, plural)| {
        let is_whole = |from: &&str| word.eq_ignore_ascii_case(from);
        let pairs = [(singular, plural), (plural, singular)];
        pairs
            .into_iter()
            .filter(move |(from, _)| is_whole(from))
            .filter_map(|(from, to)| with_ending(word, &from[1..], &to[1..]))
    });
    pairs
        .iter()
        .flat_map(move |(singular, plural)| {
            let of_plural = with_ending(word, plural, singular).filter(|singular| is_long(singular));
            let of_singular =
                with_ending(word, singular, plural).filter(|plural| is_long(word) && !only_looks_plural(plural));
            [of_plural, of_singular]
        })
        .flatten()
        .chain(irregular)
}

/// Returns false for words that have no ending of another number, by their last letter.
pub(crate) fn may_have_other_number(word: &str) -> bool {
    let last = word.as_bytes().last().map_or(0, u8::to_ascii_lowercase);
    let is_irregular =
        || IRREGULAR.iter().any(|(one, many)| [one, many].iter().any(|form| form.eq_ignore_ascii_case(word)));
    word.len() > 1 && (word.len() > 2 && b"aefimnosx".contains(&last) && ends_so(word) || is_irregular())
}

/// Returns true if a word has one of the endings, and is not among the words that only look like plurals.
fn ends_so(word: &str) -> bool {
    let last = word.as_bytes().last().map(u8::to_ascii_lowercase);
    let has = |ending: &str| ending.as_bytes().last().copied() == last && stem(word, ending).is_some();
    !has("ous") && ENDINGS.iter().any(|(singular, plural)| has(singular) || has(plural)) && !only_looks_plural(word)
}

fn only_looks_plural(word: &str) -> bool {
    ["iae", "aceae", "oices"].iter().any(|ending| stem(word, ending).is_some())
        || NO_PLURALS.iter().any(|other| other.eq_ignore_ascii_case(word))
        || stem(word, "a").is_some_and(|stem| ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(stem)))
}

fn is_long(singular: &str) -> bool {
    singular.len() >= MIN_LETTERS || SHORT.iter().any(|short| short.eq_ignore_ascii_case(singular))
}

/// Returns the part of a word before an ending in any case.
fn stem<'w>(word: &'w str, ending: &str) -> Option<&'w str> {
    let (stem, last) = word.split_at_checked(word.len().checked_sub(ending.len())?)?;
    last.eq_ignore_ascii_case(ending).then_some(stem)
}

/// Returns a word with an ending in the place of its own, in capitals if its own is.
fn with_ending(word: &str, from: &str, to: &str) -> Option<String> {
    let stem = stem(word, from)?;
    let is_upper = word.ends_with(|c: char| c.is_ascii_uppercase());
    Some(if is_upper { stem.to_owned() + &to.to_ascii_uppercase() } else { stem.to_owned() + to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_has_its_singular_and_the_other_way_round() {
        for (singular, plural) in [
            ("virus", "viruses"),
            ("Foot", "Feet"),
            ("mouse", "mice"),
            ("child", "children"),
            ("Women", "Woman"),
            ("tooth", "teeth"),
            ("fetus", "fetuses"),
            ("sinus", "sinuses"),
            ("gas", "gases"),
            ("bus", "buses"),
            ("lens", "lenses"),
            ("potato", "potatoes"),
            ("hero", "heroes"),
            ("mosquito", "mosquitoes"),
            ("half", "halves"),
            ("calf", "calves"),
            ("leaf", "leaves"),
            ("knife", "knives"),
            ("Vertebra", "Vertebrae"),
            ("alga", "algae"),
            ("STIMULUS", "STIMULI"),
            ("nucleus", "nuclei"),
            ("bacterium", "bacteria"),
            ("ovum", "ova"),
            ("appendix", "appendices"),
            ("cortex", "cortices"),
            ("phalanx", "phalanges"),
            ("axis", "axes"),
            ("carcinoma", "carcinomata"),
            ("stoma", "stomata"),
            ("criterion", "criteria"),
            ("ganglion", "ganglia"),
            ("mitochondrion", "mitochondria"),
            ("phenomenon", "phenomena"),
            ("foramen", "foramina"),
            ("epididymis", "epididymides"),
        ] {
            assert!(other_numbers(plural).any(|word| word == singular), "{plural}");
            assert!(other_numbers(singular).any(|word| word == plural), "{singular}");
        }
    }

    #[test]
    fn other_words_have_none() {
        for word in [
            "ammonia",
            "Zirconia",
            "MAPK",
            "as",
            "us",
            "doses",
            "receptor",
            "lesions",
            "serous",
            "MRIs",
            "mRNa",
            "IL2a",
            "Köln",
            "cell",
            "cells",
            "India",
            "California",
            "choices",
            "",
        ] {
            assert_eq!(other_numbers(word).collect::<Vec<_>>(), Vec::<String>::new(), "{word}");
        }
        for (word, other) in [("ammonium", "ammonia"), ("titanium", "titania"), ("tetanus", "tetani")] {
            assert!(!other_numbers(word).any(|found| found == other), "{word}");
        }
    }
}
