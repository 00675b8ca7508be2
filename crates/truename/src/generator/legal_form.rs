//! Proposes names that differ in the legal form of a company alone, and those of companies with the initials asked for.

use truename_kb::initials_key;
use truename_text::{Key, KeyMatch, LegalForm, LegalName, NameKeys, NameProfile, NormalizedName, stable_hash};

use super::{Generation, names_under};
use crate::Error;

/// Maximum number of names under one lookup key; a commoner one proposes none.
const MAX_NAMES: usize = 48;
/// Fewest initials of a company that its legal form may be left out of.
const FEWEST_INITIALS: usize = 3;

/// Proposes the query without its legal form and with its other spellings.
pub(super) fn other_spelling(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    let LegalName { core, form: Some(form), .. } = LegalName::new(&query.written) else { return Ok(()) };
    if core.is_empty() {
        return Ok(());
    }
    let spelt = form.spellings().iter().flat_map(|form| [format!("{core} {form}"), format!("{form} {core}")]);
    for name in spelt.chain([core.clone()]) {
        let key = NameKeys::of(&NormalizedName::new(&name)).exact;
        for name in scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).take(MAX_NAMES) {
            proposals.entry(scope.snapshot.name(name)?.0, name);
        }
    }
    Ok(())
}

/// Proposes the names with a legal form that have the query, one word of capitals, for their initials without it.
pub(super) fn initials(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    let core = NameProfile::new(&LegalName::new(&query.written).core);
    if core.letters.len() < FEWEST_INITIALS || !core.looks_like_acronym() {
        return Ok(());
    }
    let (keys, letters) = (core.keys(), core.normalized.squeezed());
    for form in LegalForm::initials() {
        let key = initials_key(Key(stable_hash(&format!("{letters}{form}"))));
        for name in names_under(key, MAX_NAMES, scope, proposals)? {
            let (concept, text) = scope.snapshot.name(name)?;
            let known = LegalName::new(text);
            if known.form.is_some() && keys.meet(&NameKeys::of(&NormalizedName::new(&known.core))) == KeyMatch::Acronym
            {
                proposals.entry(concept, name);
            }
        }
    }
    Ok(())
}
