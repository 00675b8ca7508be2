//! Augmentation: names changed as people change them, so that an encoder learns more spellings.

use std::collections::HashMap;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_text::part_of;

use crate::{Error, NamedConcept, error};

/// Probabilities of the changes to a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Augmentation {
    pub misspelling: f64,
    pub adversarial: usize,
    pub acronym: f64,
    pub part: f64,
    pub spacing: f64,
    pub punctuation: f64,
    pub version: f64,
}

impl Default for Augmentation {
    /// No changes.
    fn default() -> Self {
        Self { misspelling: 0.0, adversarial: 1, acronym: 0.0, part: 0.0, spacing: 0.0, punctuation: 0.0, version: 0.0 }
    }
}

impl Augmentation {
    pub fn check(&self) -> Result<(), Error> {
        let Self { misspelling, adversarial, acronym, part, spacing, punctuation, version } = self;
        if *adversarial > 1 && *misspelling == 0.0 {
            return Err(error::value("augmentation.adversarial", adversarial, "1 where augmentation.misspelling is 0"));
        }
        let sum = misspelling + acronym + part + spacing + punctuation + version;
        if sum > 1.0 {
            return Err(error::value("the sum of augmentation", sum, "at most 1"));
        }
        Ok(())
    }
}

/// Letters beside each other on a keyboard (US layout), row after row.
const ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
/// Letters that look alike on paper.
const ALIKE: [(&str, &str); 12] = [
    ("0", "o"),
    ("o", "0"),
    ("1", "l"),
    ("l", "1"),
    ("i", "l"),
    ("rn", "m"),
    ("m", "rn"),
    ("5", "s"),
    ("s", "5"),
    ("8", "b"),
    ("cl", "d"),
    ("vv", "w"),
];
/// Editions that inventories add to the name of a product.
const EDITIONS: [&str; 22] = [
    "enterprise",
    "enterprise edition",
    "EE",
    "standard",
    "standard edition",
    "professional",
    "express",
    "server",
    "client",
    "64 bit",
    "64-bit",
    "32 bit",
    "(x64)",
    "x86",
    "on premise",
    "latest",
    "runtime",
    "LTS",
    "SP2",
    "R2",
    "community",
    "for Linux",
];

/// Changes names with the probabilities of a recipe.
pub(crate) struct Augmenter {
    keys: Augmentation,
    /// The concept of each name; a change into a name of another concept is not made.
    owners: HashMap<String, usize>,
    acronyms: Acronyms,
}

type Change<'a> = dyn Fn(&str, &mut Rng) -> Option<String> + 'a;

/// A name as an epoch has it.
pub(crate) struct Variant {
    pub text: String,
    /// Misspellings of the name to choose one from in place of `text`, which is among them; empty where there is no choice.
    pub misspellings: Vec<String>,
}

impl Augmenter {
    pub fn new(keys: &Augmentation, concepts: &[NamedConcept]) -> Self {
        let names =
            concepts.iter().enumerate().flat_map(|(place, concept)| concept.names.iter().map(move |n| (n, place)));
        let owners = names.map(|(name, place)| (folded(name), place)).collect();
        let acronyms = if keys.acronym > 0.0 { Acronyms::of(concepts) } else { Acronyms::default() };
        Self { keys: keys.clone(), owners, acronyms }
    }

    /// Returns a name of a concept with at most one random change.
    pub fn vary(&self, name: &str, concept: usize, random: &mut Rng) -> Variant {
        let Augmentation { misspelling, adversarial, acronym, part, spacing, punctuation, version } = self.keys;
        let reshort =
            |name: &str, random: &mut Rng| self.acronyms.exchange(name, random).or_else(|| shorten(name, random));
        let changes: [(f64, &Change); 6] = [
            (misspelling, &misspell),
            (acronym, &reshort),
            (part, &reduce),
            (spacing, &respace),
            (punctuation, &repunctuate),
            (version, &reversion),
        ];
        let mut dice = random.f64();
        for (place, (probability, change)) in changes.into_iter().enumerate() {
            if dice < probability {
                let draws = if place == 0 { adversarial } else { 1 };
                let mut changed: Vec<String> = (0..draws).filter_map(|_| change(name, random)).collect();
                changed.retain(|changed| !changed.trim().is_empty() && self.is_free(changed, concept));
                let text = changed.first().cloned().unwrap_or_else(|| name.to_owned());
                return Variant { text, misspellings: if changed.len() > 1 { changed } else { Vec::new() } };
            }
            dice -= probability;
        }
        Variant { text: name.to_owned(), misspellings: Vec::new() }
    }

    /// Returns whether no other concept has a name.
    fn is_free(&self, name: &str, concept: usize) -> bool {
        self.owners.get(&folded(name)).is_none_or(|owner| *owner == concept)
    }
}

/// Returns a name as edit distances compare it: in lower case, its words between single blanks.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes one typing error.
fn misspell(name: &str, random: &mut Rng) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    // Of a shorter name it makes another name.
    if letters.len() < 5 {
        return None;
    }
    let at = random.usize(..letters.len());
    let mut changed = letters.clone();
    match random.u8(..5) {
        0 => changed[at] = neighbour(letters[at], random)?,
        1 if at + 1 < letters.len() => changed.swap(at, at + 1),
        2 => drop(changed.remove(at)),
        3 => changed.insert(at, letters[at]),
        _ => return look_alike(name, random),
    }
    Some(changed.into_iter().collect())
}

/// Returns a key beside that of a letter.
fn neighbour(letter: char, random: &mut Rng) -> Option<char> {
    let lower = letter.to_ascii_lowercase();
    let (row, at) = ROWS.iter().find_map(|row| row.chars().position(|key| key == lower).map(|at| (row, at)))?;
    let at = if at == 0 || random.bool() { at + 1 } else { at - 1 };
    let key = row.chars().nth(at).or_else(|| row.chars().nth(row.len() - 2))?;
    Some(if letter.is_uppercase() { key.to_ascii_uppercase() } else { key })
}

/// Misreads one place.
fn look_alike(name: &str, random: &mut Rng) -> Option<String> {
    let known: Vec<&(&str, &str)> = ALIKE.iter().filter(|(from, _)| name.contains(from)).collect();
    let (from, to) = random.choice(known)?;
    let places: Vec<usize> = name.match_indices(from).map(|(place, _)| place).collect();
    let place = random.choice(places)?;
    Some(format!("{}{to}{}", &name[..place], &name[place + from.len()..]))
}

/// Acronyms with their long forms, as the names of a concept give them away: one name is the initials of another, or stands in
/// brackets after it.
#[derive(Debug, Default)]
struct Acronyms {
    /// Long forms of an acronym of one concept alone.
    long: HashMap<String, Vec<String>>,
    /// Acronym of a long form.
    short: HashMap<String, String>,
}

impl Acronyms {
    fn of(concepts: &[NamedConcept]) -> Self {
        let mut pairs: HashMap<String, Vec<(usize, String, String)>> = HashMap::new();
        for (place, concept) in concepts.iter().enumerate() {
            let bare =
                concept.names.iter().flat_map(|name| match name.strip_suffix(')').and_then(|n| n.split_once(" (")) {
                    Some((long, short)) => vec![long, short],
                    None => vec![name.as_str()],
                });
            let (shorts, longs): (Vec<&str>, Vec<&str>) = bare.partition(|name| !name.contains(' '));
            for short in shorts.into_iter().filter(|short| (2..=8).contains(&short.chars().count())) {
                let stands_for = |long: &&&str| initials(long).eq_ignore_ascii_case(short);
                let long = longs.iter().filter(stands_for).map(|long| (place, short.to_owned(), (*long).to_owned()));
                pairs.entry(short.to_lowercase()).or_default().extend(long);
            }
        }
        let mut acronyms = Self::default();
        for (key, found) in pairs {
            if let Some((place, short, _)) = found.first()
                && found.iter().all(|(other, _, _)| other == place)
            {
                acronyms.short.extend(found.iter().map(|(_, _, long)| (long.to_lowercase(), short.clone())));
                acronyms.long.insert(key, found.iter().map(|(_, _, long)| long.clone()).collect());
            }
        }
        acronyms
    }

    /// Replaces an acronym in a name by its long form, or words of the name by their acronym.
    fn exchange(&self, name: &str, random: &mut Rng) -> Option<String> {
        let words: Vec<&str> = name.split_whitespace().collect();
        let runs = (0..words.len()).flat_map(|from| (from + 1..=words.len()).map(move |to| from..to));
        let mut exchanges = Vec::new();
        for run in runs {
            let key = words[run.clone()].join(" ").to_lowercase();
            let others = self.long.get(&key).into_iter().flatten().chain(self.short.get(&key));
            exchanges.extend(others.map(|other| (run.clone(), other)));
        }
        let (run, other) = random.choice(exchanges)?;
        let kept = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Some([kept(&words[..run.start]), vec![other.clone()], kept(&words[run.end..])].concat().join(" "))
    }
}

/// Returns the first letter or digit of each word.
fn initials(name: &str) -> String {
    name.split_whitespace().filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric())).collect()
}

/// Returns the initials of all words or of those before the last, or the name without one of its words.
fn shorten(name: &str, random: &mut Rng) -> Option<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.len() < 2 {
        return None;
    }
    match random.u8(..3) {
        0 if words.len() > 2 => Some(initials(name).to_uppercase()),
        1 if words.len() > 2 => {
            let (last, before) = words.split_last()?;
            Some(format!("{} {last}", initials(&before.join(" ")).to_uppercase()))
        }
        _ => {
            let left_out = random.usize(..words.len());
            let kept = words.iter().enumerate().filter(|(place, _)| *place != left_out).map(|(_, word)| *word);
            Some(kept.collect::<Vec<_>>().join(" "))
        }
    }
}

fn reduce(name: &str, random: &mut Rng) -> Option<String> {
    part_of(name, random.usize(..), random.usize(..))
}

/// Joins words, or parts them where letters meet digits.
fn respace(name: &str, random: &mut Rng) -> Option<String> {
    let spaces: Vec<usize> = name.match_indices([' ', '-']).map(|(place, _)| place).collect();
    match random.choice(spaces) {
        Some(place) => {
            let between = if random.bool() {
                ""
            } else if name[place..].starts_with(' ') {
                "-"
            } else {
                " "
            };
            Some(format!("{}{between}{}", &name[..place], &name[place + 1..]))
        }
        None => {
            let letters: Vec<(usize, char)> = name.char_indices().collect();
            let meets = |pair: &[(usize, char)]| pair[0].1.is_alphabetic() && pair[1].1.is_numeric();
            let place = letters.windows(2).find(|pair| meets(pair))?[1].0;
            Some(format!("{} {}", &name[..place], &name[place..]))
        }
    }
}

/// Changes punctuation or capitals.
fn repunctuate(name: &str, random: &mut Rng) -> Option<String> {
    match random.u8(..5) {
        0 => Some(name.to_lowercase()),
        1 => Some(name.to_uppercase()),
        2 => Some(name.replace(['/', '-', '_', '.'], " ")),
        3 => Some(name.replace(['(', ')', '[', ']', ',', '\'', '"'], "")),
        _ => Some(format!("{}.", name.trim_end_matches('.'))),
    }
}

/// Adds a version or edition, or leaves out the one that there is.
fn reversion(name: &str, random: &mut Rng) -> Option<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_version = |word: &&str| {
        let number = word.trim_start_matches(['v', 'V']);
        number.starts_with(|letter: char| letter.is_ascii_digit())
            && number.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == 'x')
    };
    if words.len() > 1 && words.iter().any(is_version) {
        let kept: Vec<&str> = words.into_iter().filter(|word| !is_version(word)).collect();
        return (!kept.is_empty()).then(|| kept.join(" "));
    }
    let version = match random.u8(..6) {
        0 => format!("{}", random.u8(1..20)),
        1 => format!("{}.{}", random.u8(1..20), random.u8(..10)),
        2 => format!("{}.{}.{}", random.u8(1..20), random.u8(..10), random.u8(..10)),
        3 => format!("v{}", random.u8(1..20)),
        4 => format!("{}.x", random.u8(1..20)),
        _ => String::new(),
    };
    let edition = if version.is_empty() || random.u8(..3) == 0 { random.choice(EDITIONS)? } else { "" };
    Some(format!("{name} {version} {edition}").split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(change: &Change, name: &str) -> std::collections::BTreeSet<String> {
        let mut random = Rng::with_seed(1);
        (0..400).filter_map(|_| change(name, &mut random)).collect()
    }

    #[test]
    fn every_kind_of_change_is_made() {
        let misspelt = all(&misspell, "Oracle");
        for expected in ["Oracl", "Orracle", "Oarcle", "Orac1e", "Orade"] {
            assert!(misspelt.contains(expected), "{expected} {misspelt:?}");
        }
        let short = all(&shorten, "internet information server");
        assert!(["IIS", "II server", "information server"].iter().all(|name| short.contains(*name)), "{short:?}");
        assert!(all(&reduce, "light chain LC3 B").contains("LC3") && all(&reduce, "AKT1").contains("AKT"));
        assert!(all(&reduce, "p62").is_empty(), "one letter says nothing");
        assert!(all(&respace, "web sphere").contains("websphere") && all(&respace, "DB2").contains("DB 2"));
        assert!(all(&repunctuate, "PL/SQL").contains("PL SQL") && all(&repunctuate, "Db2").contains("DB2"));
        assert!(all(&reversion, "Windows 10").contains("Windows"));
        assert!(all(&reversion, "tomcat").iter().any(|name| name.ends_with(".x") || name.contains("64 bit")));
        assert!(all(&misspell, "AIX").is_empty() && all(&shorten, "AIX").is_empty());
    }

    #[test]
    fn acronyms_are_exchanged_both_ways() {
        let named = |id: &str, names: &[&str]| NamedConcept {
            id: id.into(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..NamedConcept::default()
        };
        let concepts = [
            named("iis", &["Internet Information Server", "IIS", "IIS 6"]),
            named("asp", &["Active Server Pages (ASP)"]),
            named("x", &["Online Service Provider", "OSP"]),
            named("y", &["Open Scalable Platform", "OSP"]),
        ];
        let acronyms = Acronyms::of(&concepts);
        let exchanged = |name: &str| acronyms.exchange(name, &mut Rng::with_seed(1));
        assert_eq!(exchanged("IIS 6").as_deref(), Some("Internet Information Server 6"));
        assert_eq!(exchanged("microsoft internet information server").as_deref(), Some("microsoft IIS"));
        assert_eq!(exchanged("ASP 3").as_deref(), Some("Active Server Pages 3"));
        assert_eq!(exchanged("OSP"), None, "it stands for names of two concepts");
        assert_eq!(exchanged("tomcat"), None);
    }

    #[test]
    fn a_name_never_becomes_that_of_another_concept() {
        let named =
            |id: &str, name: &str| NamedConcept { id: id.into(), names: vec![name.into()], ..NamedConcept::default() };
        let concepts = [named("a", "Windows 10"), named("b", "windows")];
        let keys = Augmentation { version: 1.0, ..Augmentation::default() };
        let augmenter = Augmenter::new(&keys, &concepts);
        let mut random = Rng::with_seed(5);
        assert!((0..50).all(|_| augmenter.vary("Windows 10", 0, &mut random).text == "Windows 10"));
        assert!((0..50).any(|_| augmenter.vary("windows", 1, &mut random).text != "windows"));
    }

    #[test]
    fn several_misspellings_are_drawn_to_choose_from() {
        let concepts = [NamedConcept::new("a", ["Oracle"]), NamedConcept::new("b", ["MySQL"])];
        let vary = |adversarial| {
            let keys = Augmentation { misspelling: 1.0, adversarial, ..Augmentation::default() };
            Augmenter::new(&keys, &concepts).vary("Oracle", 0, &mut Rng::with_seed(3))
        };
        assert!(vary(1).misspellings.is_empty());
        let several = vary(6);
        assert!(several.misspellings.len() > 3 && several.misspellings.contains(&several.text));
        assert!(several.misspellings.iter().all(|text| text != "Oracle"), "{:?}", several.misspellings);
    }
}
