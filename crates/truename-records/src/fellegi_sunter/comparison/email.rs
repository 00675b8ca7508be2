//! E-mail addresses.

use super::words::are_spellings;
use super::{Comparison, Level, level};

/// An e-mail address.
pub(in crate::fellegi_sunter) struct Email {
    local: String,
    domain: String,
}

impl Comparison for Email {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.2, 0.989),
        level("same domain", 0.03, 0.01),
        level("similar", 0.04, 0.0003),
        level("same mailbox", 0.08, 0.0004),
        level("equal", 0.65, 0.0003),
    ];

    fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().trim_start_matches("mailto:").to_lowercase();
        let (local, domain) = lower.rsplit_once('@')?;
        // A tag behind a plus sign is of the same mailbox.
        let local = local.split('+').next().unwrap_or(local);
        (!local.is_empty()).then(|| Self { local: local.to_owned(), domain: domain.to_owned() })
    }

    fn key(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    fn level(&self, other: &Self) -> usize {
        let is_domain = self.domain == other.domain;
        match () {
            () if self.local == other.local => 3,
            () if is_domain && are_spellings(&self.local, &other.local) => 2,
            () if is_domain => 1,
            () => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::agreement;
    use super::*;

    #[test]
    fn addresses_agree_by_levels() {
        let of = agreement::<Email>;
        assert_eq!(of("Anna@Example.org", "mailto:anna+news@example.org"), "equal");
        assert_eq!(of("anna.woods@example.org", "anna.woods@sample.com"), "same mailbox");
        assert_eq!(of("anna.woods@example.org", "anna.wods@example.org"), "similar");
        assert_eq!(of("anna@example.org", "zoe@example.org"), "same domain");
        assert_eq!(of("anna@example.org", "zoe@sample.com"), "differs");
        assert!(Email::parse("none").is_none());
    }
}
