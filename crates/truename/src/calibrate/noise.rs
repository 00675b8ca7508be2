//! Names as inventories, notes and captions write them.

use truename_text::{NameProfile, VersionedName};

/// Words that lists of names add: forms, remarks.
const WORDS: [&str; 14] = [
    "500 mg",
    "10mg/ml",
    "NOS",
    "unspecified",
    "(disorder)",
    "(suspected)",
    "- see note",
    "old",
    "type",
    "[prod]",
    "(internal)",
    "[shared, see owner]",
    "upgrade pending",
    "x2",
];
/// Editions and platforms that inventories add.
const ENDINGS: [&str; 16] = [
    "64 bit",
    "(64-bit)",
    "x86",
    "x64",
    "LTS",
    "enterprise",
    "Enterprise Edition",
    "standard",
    "Professional",
    "express",
    "server",
    "client",
    "SP1",
    "Service Pack 2",
    "Update 3",
    "for Windows",
];
/// Vendors that inventories write before or after a product.
const VENDORS: [&str; 10] =
    ["Microsoft", "IBM", "Oracle", "Apache", "SAP", "Adobe", "Red Hat", "VMware", "Cisco Systems", "Google Inc."];

/// Draws numbers from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

/// Returns the name with one character dropped, doubled, changed, or transposed with the next. Digits stay: another number is
/// another name.
pub(super) fn with_typo(name: &str, seed: u64) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let places: Vec<usize> = (0..letters.len()).filter(|at| !is_digit(*at) && !is_digit(at + 1)).collect();
    let Some(at) = places.get((seed >> 8) as usize % places.len().max(1)).copied() else { return name.to_owned() };
    match seed % 4 {
        0 if letters.len() > 3 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters[at] = char::from(b'a' + (seed >> 40) as u8 % 26),
    }
    letters.into_iter().collect()
}

/// Returns the name with words added that tell nothing about the concept.
pub(super) fn with_words(name: &str, seed: u64) -> String {
    format!("{name} {}", Draw(seed).of(&WORDS))
}

/// Returns the name with a version, edition, platform or vendor, or several of them.
pub(super) fn with_version(name: &str, seed: u64) -> String {
    let draw = &mut Draw(seed);
    let mut number = || {
        let numbers: Vec<String> =
            (0..1 + draw.below(4)).map(|place| draw.below(if place == 0 { 20 } else { 10 }).to_string()).collect();
        numbers.join(".")
    };
    let version = number();
    let year = 1998 + draw.below(27);
    match draw.below(12) {
        0 | 1 => format!("{name} {version}"),
        2 => format!("{name} v{version}"),
        3 => format!("{name} version {version}"),
        4 if name.ends_with(char::is_alphabetic) => format!("{name}{}.{}", draw.below(12), draw.below(30)),
        5 => format!("{name} {year}"),
        6 => format!("{name} {}", draw.of(&ENDINGS)),
        7 => format!("{name} {version} {}", draw.of(&ENDINGS)),
        8 => format!("{name} {} {version}", draw.of(&ENDINGS)),
        9 => format!("{} {name}", draw.of(&VENDORS)),
        10 => format!("{} {name} {version}", draw.of(&VENDORS)),
        _ => format!("{name} ({})", draw.of(&VENDORS)),
    }
}

/// Returns the name with another number, and the name without the number: `Net/7` or `Net 7.2`, and `Net/`, for `Net/2`. `None`
/// if it has no number but a version.
pub(super) fn with_other_number(name: &str, seed: u64) -> Option<(String, String)> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let (bytes, taken) = (name.as_bytes(), VersionedName::new(name).taken);
    let starts = |at: &usize| is_digit(bytes[*at]) && (*at == 0 || !is_digit(bytes[at - 1]));
    let starts: Vec<usize> = (0..bytes.len()).filter(starts).collect();
    let draw = &mut Draw(seed);
    let start = *starts.get(draw.below(starts.len().max(1) as u64) as usize)?;
    let end = start + bytes[start..].iter().take_while(|byte| is_digit(**byte)).count();
    let number = &name[start..end];
    if taken.iter().any(|part| part.contains(number)) {
        return None;
    }
    let other = number.parse::<u64>().ok()?.wrapping_add(1 + draw.below(8));
    let (before, behind) = (&name[..start], &name[end..]);
    let before = match before.strip_suffix(['-', '/', ' ']) {
        Some(word) if draw.below(2) == 0 => format!("{word} "),
        _ => before.to_owned(),
    };
    let part = match draw.below(6) {
        0 => format!(".{}", draw.below(10)),
        // The number of the name may be a part of a version.
        1 => format!(".{number}"),
        _ => String::new(),
    };
    Some((format!("{before}{other}{part}{behind}"), format!("{}{behind}", &name[..start])))
}

/// Returns the name as notes spell it: in lower case, an acronym in the plural, or Greek letters by their initials (`TGFB1` for
/// `TGF-beta 1`); the name itself if it allows none.
pub(super) fn respelt(name: &str, seed: u64) -> String {
    let profile = NameProfile::new(name);
    if let Some(initials) = profile.greek_initials() {
        return initials.into_iter().collect::<String>().to_uppercase();
    }
    if profile.looks_like_acronym() && seed.is_multiple_of(2) && !name.ends_with(['s', 'S']) {
        return format!("{name}s");
    }
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_versions_are_taken_for_versions() {
        let is_core = |seed| VersionedName::new(&with_version("Tomcat", seed)).core.as_str() == "tomcat";
        let found = (0..1000).filter(|seed| is_core(truename_text::stable_hash(&seed.to_string()))).count();
        assert!(
            (600..800).contains(&found),
            "{found}: a quarter have a vendor, some a word that may be the name's own"
        );
    }

    #[test]
    fn typos_spare_numbers() {
        let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
        for seed in 0..200 {
            let seed = truename_text::stable_hash(&seed.to_string());
            assert_eq!(digits(&with_typo("interleukin-17 receptor 2", seed)), "172");
        }
        assert_eq!(with_typo("17", 1), "17");
    }

    #[test]
    fn a_number_of_a_name_is_changed_and_a_version_is_not() {
        let drawn: Vec<_> = (0..40).filter_map(|seed| with_other_number("Net/2", seed)).collect();
        assert_eq!(drawn.len(), 40);
        for (name, without) in &drawn {
            assert!(name.starts_with("Net") && !name.ends_with("/2") && without == "Net/", "{name}, {without}");
        }
        assert!(drawn.iter().any(|(name, _)| name.contains('.')) && drawn.iter().any(|(name, _)| name == "Net 7"));
        assert_eq!(with_other_number("Tomcat 5.5", 1), None);
        assert_eq!(with_other_number("aspirin", 1), None);
    }

    #[test]
    fn notes_respell_names() {
        assert_eq!(respelt("TGF-beta 1", 0), "TGFB1");
        assert_eq!((respelt("NSAID", 0), respelt("NSAID", 1)), ("NSAIDs".to_owned(), "nsaid".to_owned()));
        assert_eq!(respelt("Chlorthalidone", 0), "chlorthalidone");
    }
}
