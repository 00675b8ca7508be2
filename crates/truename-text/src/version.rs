//! Versions, editions and platforms in names of products.

use crate::NormalizedName;

/// A name with its version, edition and platform apart: `Oracle WebLogic` and `12.2.1` of `Oracle WebLogic 12.2.1 (64-bit)`.
///
/// A number counts as a version if it has several parts (`12.2`), a mark before it (`v2`), is a year, or ends the name after
/// a word of three letters or more. A number that belongs to a word (`HIF-1`, `db2`) or follows `type`, `stage` and their like
/// stays with the name. A name that is all version keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VersionedName {
    /// The name without the parts in `taken`; the whole name if there are none.
    pub core: NormalizedName,
    /// The numbers of the first version, most significant first, as written without leading zeros.
    pub version: Vec<String>,
    /// True if the version cannot be a part of a name: it has several numbers, a mark, or is a year.
    pub is_certain: bool,
    /// The parts taken for a version, edition or platform, as written.
    pub taken: Vec<String>,
}

/// Marks before the number of a version, which may be glued to it.
const MARKS: [&str; 14] =
    ["version", "ver", "v", "release", "rel", "r", "build", "update", "u", "patch", "sp", "rc", "beta", "level"];
/// Words of a platform or of support.
const PLATFORMS: [&str; 20] = [
    "x86", "x64", "x86_64", "x86-64", "amd64", "arm64", "aarch64", "i386", "i686", "win32", "win64", "32bit", "64bit",
    "32-bit", "64-bit", "lts", "esr", "ga", "eol", "eap",
];
/// Words of an edition; only at the end of a name, for elsewhere they may be its own.
const EDITIONS: [&str; 17] = [
    "edition",
    "ed",
    "enterprise",
    "standard",
    "professional",
    "pro",
    "express",
    "community",
    "ultimate",
    "datacenter",
    "premium",
    "developer",
    "ee",
    "se",
    "ce",
    "runtime",
    "trial",
];
/// Words whose number belongs to the name.
const COUNTED: [&str; 14] = [
    "type",
    "stage",
    "grade",
    "class",
    "group",
    "phase",
    "level",
    "factor",
    "subunit",
    "member",
    "chain",
    "chromosome",
    "trisomy",
    "no",
];
/// Letters of a word before a number that ends the name.
const FEWEST_LETTERS: usize = 3;

/// Role of a piece of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Core,
    /// A part of the version; a certain one if true.
    Version(bool),
    Platform,
    Edition,
}

impl VersionedName {
    /// Takes `name` apart.
    pub fn new(name: &str) -> Self {
        if !may_have_version(name) {
            return Self { core: NormalizedName::new(name), ..Self::default() };
        }
        let pieces = split(name);
        let kinds = classify(&pieces);
        let is_core = |kind: &Kind| *kind == Kind::Core;
        let core: Vec<&str> =
            pieces.iter().zip(&kinds).filter(|(_, kind)| is_core(kind)).map(|(piece, _)| *piece).collect();
        if !core.iter().any(|piece| piece.chars().any(char::is_alphabetic)) || kinds.iter().all(is_core) {
            return Self { core: NormalizedName::new(name), ..Self::default() };
        }
        let others = || pieces.iter().zip(&kinds).filter(|(_, kind)| !is_core(kind));
        let versions = || others().filter(|(_, kind)| matches!(kind, Kind::Version(_)));
        let certain = versions().find(|(piece, kind)| **kind == Kind::Version(true) && has_digit(piece));
        let first = certain.or_else(|| versions().find(|(piece, _)| has_digit(piece)));
        Self {
            core: NormalizedName::new(&core.join(" ")),
            version: first.map_or_else(Vec::new, |(piece, _)| numbers(piece)),
            is_certain: certain.is_some(),
            taken: others().map(|(piece, _)| (*piece).to_owned()).collect(),
        }
    }

    /// Returns how far two versions agree: 1 if one continues the other (`12.2` and `12.2.1`), 0.75 if they differ after the
    /// first number, 0 if they differ in it, 0.5 if either name has none.
    pub fn agreement(&self, other: &Self) -> f64 {
        let (left, right) = (&self.version, &other.version);
        let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
        match left.len().min(right.len()) {
            0 => 0.5,
            shorter if shorter == same => 1.0,
            _ if same > 0 => 0.75,
            _ => 0.0,
        }
    }
}

/// Returns false for most names that have neither, without an allocation.
fn may_have_version(name: &str) -> bool {
    let last = name.rsplit(is_bound).find(|piece| !piece.is_empty()).unwrap_or_default();
    has_digit(name) || is_any(last, &EDITIONS) || name.split(is_bound).any(|piece| is_any(piece, &PLATFORMS))
}

fn is_any(piece: &str, words: &[&str]) -> bool {
    words.iter().any(|word| piece.eq_ignore_ascii_case(word))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_bound(letter: char) -> bool {
    letter.is_whitespace() || "()[]{},;:\"".contains(letter)
}

/// Splits a name at blanks and brackets, and before a version that is glued to a word.
fn split(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for piece in
        name.split(is_bound).map(|piece| piece.trim_matches(['-', '.', '_', '/'])).filter(|piece| !piece.is_empty())
    {
        let letters = piece.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = piece.split_at(letters);
        let rest = rest.trim_start_matches(['-', '_', '/']);
        let is_glued = letters >= FEWEST_LETTERS && !is_any(word, &MARKS) && (parts(rest) >= 2 || is_year(rest));
        if is_glued {
            pieces.extend([word, rest]);
        } else {
            pieces.push(piece);
        }
    }
    pieces
}

fn classify(pieces: &[&str]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = pieces
        .iter()
        .map(|piece| match piece {
            piece if is_any(piece, &PLATFORMS) => Kind::Platform,
            piece if parts(piece) >= 2 || is_year(piece) || is_marked(piece) => Kind::Version(true),
            _ => Kind::Core,
        })
        .collect();
    for at in 0..pieces.len() {
        let next = pieces.get(at + 1).copied().unwrap_or_default();
        // `64 bit`, `version 3`, `service pack 2`.
        if ["32", "64"].contains(&pieces[at]) && next.eq_ignore_ascii_case("bit") {
            (kinds[at], kinds[at + 1]) = (Kind::Platform, Kind::Platform);
        } else if at > 0 && is_any(pieces[at], &MARKS) && parts(next) >= 1 {
            (kinds[at], kinds[at + 1]) = (Kind::Version(true), Kind::Version(true));
        } else if at > 0 && pieces[at].eq_ignore_ascii_case("service") && next.eq_ignore_ascii_case("pack") {
            let end =
                (at + 2 + usize::from(pieces.get(at + 2).is_some_and(|piece| parts(piece) >= 1))).min(pieces.len());
            kinds[at..end].fill(Kind::Version(true));
        }
    }
    take_endings(pieces, &mut kinds);
    kinds
}

/// Takes editions and plain numbers from the end of what is left of the name.
fn take_endings(pieces: &[&str], kinds: &mut [Kind]) {
    let core = |kinds: &[Kind]| -> Vec<usize> { (0..kinds.len()).filter(|at| kinds[*at] == Kind::Core).collect() };
    while let [.., before, last] = core(kinds)[..] {
        let is_counted = is_any(pieces[before], &COUNTED);
        let is_word = pieces[before].chars().filter(|letter| letter.is_alphabetic()).count() >= FEWEST_LETTERS;
        if is_any(pieces[last], &EDITIONS) {
            kinds[last] = Kind::Edition;
        } else if parts(pieces[last]) == 1 && pieces[last].len() <= 3 && is_word && !is_counted {
            kinds[last] = Kind::Version(false);
        } else {
            break;
        }
    }
}

/// Returns the number of parts of a version number (`12.2.1b`, `1.8.0_202`, `10.x`): runs of digits between single dots,
/// underscores or hyphens, the last of which may be or end with a few letters; 0 for any other text.
fn parts(text: &str) -> usize {
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return 0;
    }
    let mut count = 0;
    let mut runs = text.split(['.', '_', '-']).peekable();
    while let Some(run) = runs.next() {
        let digits = run.bytes().take_while(u8::is_ascii_digit).count();
        let letters = &run[digits..];
        let is_ending =
            runs.peek().is_none() && letters.len() <= 5 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match (digits, letters.is_empty()) {
            (0, _) if is_ending && count > 0 && !letters.is_empty() => {}
            (1.., true) => count += 1,
            // `2nd` and `5alpha` are words.
            (1.., false) if is_ending && count > 0 => count += 1,
            _ => return 0,
        }
    }
    // `12-13` may be a range, or positions; dots tell a version.
    if count > 1 && !text.contains('.') { 0 } else { count }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) && ("1990".."2040").contains(&text)
}

/// Returns whether a mark is glued to a number: `v2`, `sp1`, `r12.1`.
fn is_marked(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    // `U2` and `R2` alone name other things.
    letters > 0
        && is_any(&text[..letters], &MARKS)
        && (letters > 1 || text.starts_with(['v', 'V']))
        && parts(&text[letters..]) >= 1
}

/// Returns the runs of digits of a text, without zeros before them.
pub(crate) fn numbers(text: &str) -> Vec<String> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.trim_start_matches('0').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_editions_and_platforms_are_taken_apart() {
        let cases = [
            ("Oracle WebLogic Server 12.2.1.2", "oracle weblogic server", "12 2 1 2"),
            ("python3.11", "python", "3 11"),
            ("Ubuntu20.04 LTS 64-bit", "ubuntu", "20 4"),
            ("Acrobat Reader DC 2021", "acrobat reader dc", "2021"),
            ("Office2016 (x86)", "office", "2016"),
            ("SQL Server Enterprise Edition", "sql server", ""),
            ("Windows Server 2012 R2 Datacenter", "windows server r2", "2012"),
            ("Red Hat Enterprise Linux 7.9", "red hat enterprise linux", "7 9"),
            ("jdk 1.8.0_202", "jdk", "1 8 0 202"),
            ("tomcat v9", "tomcat", "9"),
            ("WebSphere version 8 service pack 2", "websphere", "8"),
            ("net 7.2", "net", "7 2"),
            ("Solaris 11", "solaris", "11"),
        ];
        for (name, core, version) in cases {
            let found = VersionedName::new(name);
            let version_found = found.version.iter().map(|n| if n.is_empty() { "0" } else { n }).collect::<Vec<_>>();
            assert_eq!((found.core.as_str(), version_found.join(" ").as_str()), (core, version), "{name}: {found:?}");
        }
    }

    #[test]
    fn numbers_of_a_name_stay_with_it() {
        for name in [
            "HIF-1",
            "db2",
            "Net/2",
            "TGFB1",
            "diabetes mellitus type 2",
            "p53",
            "1,25-dihydroxyvitamin D3",
            "5-alpha reductase",
            "IL-2",
            "U2",
            "2021",
            "12.1",
            "Enterprise",
            "interferon",
            "17-beta-estradiol",
            "2-chloroethanol",
            "CA 19-9",
        ] {
            let found = VersionedName::new(name);
            assert!(found.taken.is_empty() && found.core == NormalizedName::new(name), "{name}: {found:?}");
        }
    }

    #[test]
    fn versions_agree_as_far_as_they_go() {
        let agreement = |left, right| VersionedName::new(left).agreement(&VersionedName::new(right));
        let cases = [
            ("db 12.2.1", "db 12.2", 1.0),
            ("db 12.2", "db 12.3", 0.75),
            ("db 11.1", "db 12.1", 0.0),
            ("db 11.1", "db", 0.5),
        ];
        for (left, right, expected) in cases {
            assert_eq!(agreement(left, right), expected, "{left} / {right}");
            assert_eq!(agreement(right, left), expected, "{right} / {left}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_lost(name in "[A-Za-z0-9 .()-]{0,30}|\\PC{0,20}") {
            let found = VersionedName::new(&name);
            let count = |text: &str| NormalizedName::new(text).squeezed().chars().count();
            let taken: usize = found.taken.iter().map(|part| count(part)).sum();
            proptest::prop_assert_eq!(count(found.core.as_str()) + taken, count(&name));
        }
    }
}
