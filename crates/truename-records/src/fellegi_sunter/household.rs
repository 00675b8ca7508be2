//! Relatives: other persons of one household, whose records agree in all but the given name.

use super::column_type::ColumnType;
use super::comparison::{Company, NamePart, PersonName};

/// Pairs of relatives for each match before a table is seen, and the most.
pub(super) const RELATIVES_PER_MATCH: f64 = 0.25;
pub(super) const MOST_RELATIVES: f64 = 2.0;
/// Share of relatives that were born on one day: twins, and dates that were copied.
const SAME_BIRTH: f64 = 0.1;
/// Share of relatives with one phone number or one e-mail address.
const SAME_PHONE: f64 = 0.5;
const SAME_EMAIL: f64 = 0.1;
/// Share of relatives with equal given names: father and son.
const SAME_GIVEN: f64 = 0.02;
/// Share of relatives with equal given names whose suffixes differ or stand in one record alone.
const SUFFIX_DIFFERS: f64 = 0.5;

/// Returns the share of relatives whose values agree as those of one person do.
fn shared(kind: ColumnType) -> f64 {
    match kind {
        ColumnType::FamilyName
        | ColumnType::Address
        | ColumnType::Place
        | ColumnType::Postcode
        | ColumnType::Coordinates => 1.0,
        ColumnType::Phone => SAME_PHONE,
        ColumnType::Email => SAME_EMAIL,
        ColumnType::Date => SAME_BIRTH,
        ColumnType::GivenName => SAME_GIVEN,
        _ => 0.0,
    }
}

/// Returns the probability of a level of agreement among relatives, given those among matches and among other pairs.
pub(super) fn of_relatives(kind: ColumnType, level: usize, m: f64, u: f64) -> f64 {
    match (kind, level) {
        (ColumnType::PersonName, PersonName::FAMILY_ALONE) => 0.9,
        (ColumnType::PersonName, PersonName::SUFFIX_DIFFERS) | (ColumnType::GivenName, NamePart::SUFFIX_DIFFERS) => {
            SAME_GIVEN
        }
        (ColumnType::FamilyName, NamePart::SUFFIX_DIFFERS) => SUFFIX_DIFFERS,
        (ColumnType::PersonName, level) if level > PersonName::SUFFIX_DIFFERS => SAME_GIVEN * m,
        _ => {
            let shared = shared(kind);
            shared * m + (1.0 - shared) * u
        }
    }
}

/// Returns true for levels of names that tell relatives from one person, and companies from their sisters. Without labels nothing else does,
/// so that their probability among matches is not learnt.
pub(super) fn is_contradiction(kind: ColumnType, level: usize) -> bool {
    match kind {
        ColumnType::GivenName => level < NamePart::PART,
        ColumnType::FamilyName => level == NamePart::SUFFIX_DIFFERS,
        ColumnType::Company => level == Company::OTHER_FORM,
        ColumnType::PersonName => matches!(level, PersonName::FAMILY_ALONE | PersonName::SUFFIX_DIFFERS),
        _ => false,
    }
}

/// Returns true if a table has persons.
pub(super) fn has_persons(kinds: impl IntoIterator<Item = ColumnType>) -> bool {
    kinds.into_iter().any(|kind| matches!(kind, ColumnType::GivenName | ColumnType::PersonName))
}
