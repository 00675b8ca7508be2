//! Names of companies without their legal forms, which say little: `Siemens` and `Siemens AG`.

use truename_text::{KeyMatch, LegalName, NameKeys, NameProfile};

use crate::Error;
use crate::generator::Scope;
use crate::proposal::{Proposal, Proposals};

/// A query with its legal form apart.
pub(super) struct LegalQuery<'a> {
    written: &'a NameProfile,
    legal: LegalName,
    /// The query without its legal form; `None` if it has none, is one, or no name shows that what ends it is one.
    core: Option<NameProfile>,
}

impl<'a> LegalQuery<'a> {
    pub(super) fn new(written: &'a NameProfile) -> Self {
        let legal = LegalName::new(&written.written);
        let core = (legal.form.is_some() && !legal.core.is_empty()).then(|| NameProfile::new(&legal.core));
        Self { written, legal, core }
    }

    /// Takes the legal form for a part of the name (`JBoss AS`) unless a proposed name has a legal form too, or is the query without it.
    pub(super) fn among(self, proposals: &Proposals, scope: &Scope<'_>) -> Result<Self, Error> {
        let Some(core) = &self.core else { return Ok(self) };
        let keys = core.keys();
        for name in proposals.iter().flat_map(|(_, names)| names).map(|(name, _)| *name) {
            let name = LegalName::new(scope.snapshot.name(name)?.1);
            if name.form.is_some() || NameProfile::new(&name.core).keys().exact == keys.exact {
                return Ok(self);
            }
        }
        let legal = LegalName::default();
        Ok(Self { legal, core: None, ..self })
    }

    /// Returns the query without its legal form.
    pub(super) fn core(&self) -> &NameProfile {
        self.core.as_ref().unwrap_or(self.written)
    }

    /// Returns the profile of a name without its legal form, and the proposal with the lookup key that it shares with the query so.
    pub(super) fn compared(&self, name: &str, proposal: Proposal) -> (NameProfile, Proposal) {
        let legal = LegalName::new(name);
        if legal.form.is_none() && self.core.is_none() || legal.core.is_empty() || self.legal.is_form_alone() {
            return (NameProfile::new(name), proposal);
        }
        let profile = NameProfile::new(&legal.core);
        let key = self.key(&legal, &profile.keys());
        let ngram = if key >= KeyMatch::Reordered { 1.0 } else { proposal.ngram };
        (profile, Proposal { key: proposal.key.max(key), ngram, ..proposal })
    }

    /// Returns the lookup key that two names share without their legal forms, which must not contradict. One form in two spellings is
    /// a variant; a form that one name alone has is like a stop word.
    fn key(&self, name: &LegalName, keys: &NameKeys) -> KeyMatch {
        match (&self.legal.form, &name.form) {
            (Some(one), Some(other)) if one.contradicts(other) => KeyMatch::None,
            (Some(one), Some(other)) if one == other => self.core().keys().meet(keys).min(KeyMatch::Variant),
            _ => self.core().keys().meet(keys).min(KeyMatch::Reordered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(query: &str, name: &str) -> KeyMatch {
        let query = NameProfile::new(query);
        LegalQuery::new(&query).compared(name, Proposal::default()).1.key
    }

    #[test]
    fn names_share_keys_without_their_legal_forms() {
        for (query, name, expected) in [
            ("Nordwerk", "Nordwerk AG", KeyMatch::Reordered),
            ("Nordwerk AG", "Nordwerk", KeyMatch::Reordered),
            ("NORDWERK Aktiengesellschaft", "Nordwerk AG", KeyMatch::Variant),
            ("Nordwerk GmbH", "Nordwerk AG", KeyMatch::None),
            ("Nordwerk Co.", "Nordwerk AG", KeyMatch::Reordered),
            ("UMW", "United Mill Works Corporation", KeyMatch::Acronym),
            ("UMW Corp.", "United Mill Works Corporation", KeyMatch::Acronym),
            ("UMW Ltd", "United Mill Works Corporation", KeyMatch::None),
            ("AG", "Nordwerk AG", KeyMatch::None),
            ("Nordwerk", "Nordwerk", KeyMatch::None),
            ("Nordwerk", "AG", KeyMatch::None),
        ] {
            assert_eq!(key(query, name), expected, "{query} / {name}");
        }
    }
}
