use std::cmp::Ordering;

/// A version of a Python package, ordered as PEP 440 orders them.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    epoch: u64,
    /// Without zeros at the end: 1.0 and 1 are the same release.
    release: Vec<u64>,
    stage: Stage,
    post: Option<u64>,
    development: Development,
    local: Vec<LocalPart>,
}

/// Where a version stands within its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// `1.0.dev1`: before every pre-release.
    DevelopmentOnly,
    Alpha(u64),
    Beta(u64),
    Candidate(u64),
    Final,
}

/// `.dev3` sorts before the same version without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Development {
    Number(u64),
    None,
}

/// A part of what follows `+`: words sort before numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LocalPart {
    Word(String),
    Number(u64),
}

impl Version {
    /// Reads any spelling that PEP 440 allows; none where it is no version.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (public, local) = text.split_once('+').map_or((&*text, None), |(public, local)| (public, Some(local)));
        let mut cursor = Cursor(public.strip_prefix('v').unwrap_or(public));
        let epoch = cursor.epoch();
        let release = cursor.release()?;
        let stage = cursor.stage();
        let post = cursor.post();
        let development = cursor.numbered(&["dev"]);
        let local = local.map_or(Some(Vec::new()), local_parts)?;
        cursor.0.is_empty().then(|| Self::new(epoch, release, stage, post, development, local))
    }

    fn new(
        epoch: u64,
        release: Vec<u64>,
        stage: Option<Stage>,
        post: Option<u64>,
        development: Option<u64>,
        local: Vec<LocalPart>,
    ) -> Self {
        let only = development.is_some() && post.is_none();
        let stage = stage.unwrap_or(if only { Stage::DevelopmentOnly } else { Stage::Final });
        let development = development.map_or(Development::None, Development::Number);
        Self { epoch, release, stage, post, development, local }
    }

    /// Whether it is an alpha, beta, candidate or development version.
    pub(crate) fn is_prerelease(&self) -> bool {
        self.stage != Stage::Final || self.development != Development::None
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |version: &Self| (version.stage, version.post, version.development);
        (self.epoch, &self.release)
            .cmp(&(other.epoch, &other.release))
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.local.cmp(&other.local))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

fn local_parts(local: &str) -> Option<Vec<LocalPart>> {
    let part = |word: &str| {
        let valid = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        valid.then(|| word.parse().map_or_else(|_| LocalPart::Word(word.to_owned()), LocalPart::Number))
    };
    local.split(['.', '-', '_']).map(part).collect()
}

/// What of a version is still to be read.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn number(&mut self) -> Option<u64> {
        let end = self.0.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.0.len());
        let number = self.0[..end].parse().ok()?;
        self.0 = &self.0[end..];
        Some(number)
    }

    /// Drops one `.`, `-` or `_`.
    fn separator(&mut self) {
        self.0 = self.0.strip_prefix(['.', '-', '_']).unwrap_or(self.0);
    }

    fn epoch(&mut self) -> u64 {
        let before = self.0;
        match self.number() {
            Some(epoch) if self.0.starts_with('!') => {
                self.0 = &self.0[1..];
                epoch
            }
            _ => {
                self.0 = before;
                0
            }
        }
    }

    fn release(&mut self) -> Option<Vec<u64>> {
        let mut release = vec![self.number()?];
        while self.0.strip_prefix('.').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit())) {
            self.separator();
            release.push(self.number()?);
        }
        while release.len() > 1 && release.last() == Some(&0) {
            release.pop();
        }
        Some(release)
    }

    fn stage(&mut self) -> Option<Stage> {
        let alpha = self.numbered(&["alpha", "a"]).map(Stage::Alpha);
        let beta = alpha.or_else(|| self.numbered(&["beta", "b"]).map(Stage::Beta));
        beta.or_else(|| self.numbered(&["candidate", "preview", "pre", "rc", "c"]).map(Stage::Candidate))
    }

    fn post(&mut self) -> Option<u64> {
        if let Some(number) = self.numbered(&["post", "rev", "r"]) {
            return Some(number);
        }
        let before = self.0;
        self.0 = self.0.strip_prefix('-')?;
        let number = self.number();
        if number.is_none() {
            self.0 = before;
        }
        number
    }

    /// One of `words` and the number behind it, 0 where there is none.
    fn numbered(&mut self, words: &[&str]) -> Option<u64> {
        let before = self.0;
        self.separator();
        let Some(rest) = words.iter().find_map(|word| self.0.strip_prefix(word)) else {
            self.0 = before;
            return None;
        };
        self.0 = rest;
        let after_word = self.0;
        self.separator();
        Some(self.number().unwrap_or_else(|| {
            self.0 = after_word;
            0
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of PEP 440's own examples.
    #[test]
    fn versions_sort_as_pep_440_says() {
        let sorted = [
            "1.dev0",
            "1.0.dev456",
            "1.0a1",
            "1.0a2.dev456",
            "1.0a12.dev456",
            "1.0a12",
            "1.0b1.dev456",
            "1.0b2",
            "1.0b2.post345.dev456",
            "1.0b2.post345",
            "1.0rc1.dev456",
            "1.0rc1",
            "1.0",
            "1.0+abc.5",
            "1.0+abc.7",
            "1.0+5",
            "1.0.post456.dev34",
            "1.0.post456",
            "1.0.15",
            "1.1.dev1",
            "1.10",
            "1!0.1",
        ];
        for pair in sorted.windows(2) {
            let [first, second] = [pair[0], pair[1]].map(|text| Version::parse(text).unwrap());
            assert!(first < second, "{} < {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn spellings_of_a_version_are_equal() {
        for (first, second) in [
            ("1.0", "1"),
            ("v1.0.0", "1"),
            ("1.0-ALPHA.1", "1.0a1"),
            ("1.0c1", "1.0rc1"),
            ("1.0-1", "1.0.post1"),
            ("1.0.post", "1.0.post0"),
            ("1.0_dev", "1.0.dev0"),
            ("1.0+a-1", "1.0+a.1"),
        ] {
            assert_eq!(Version::parse(first), Version::parse(second), "{first} {second}");
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "x", "1..2", "1.0/..", "..", "1.0+", "1.0 1", "99999999999999999999", "1.0-", "1.0a1x"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn prereleases_are_told() {
        let told = |text| Version::parse(text).unwrap().is_prerelease();
        assert!(told("1.0rc1") && told("1.0.dev1") && told("1.0.post1.dev1"));
        assert!(!told("1.0") && !told("1.0.post1") && !told("1.0+local"));
    }
}
