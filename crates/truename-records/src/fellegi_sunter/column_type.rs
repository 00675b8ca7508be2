//! Types of columns, found by their names and values.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_read::quoted;
use truename_text::{LegalName, NormalizedName};

use super::comparison::{
    Address, Code, Company, Comparison, Coordinates, Email, Level, NamePart, PersonName, Phone, Texts,
};
use super::person_column::are_persons;
use crate::Error;
use crate::date::Date;
use crate::header::header_words;
use crate::number::Number;

/// Least share of the values that have the form of a type, with a name of a column that says so and without.
const NAMED: f64 = 0.6;
const UNNAMED: f64 = 0.9;
/// Least share of names with a legal form in a column of companies.
const WITH_FORM: f64 = 0.25;
/// Numbers of digits of phone numbers.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Longest code.
const CODE_BYTES: usize = 24;
/// Most letters of a word without a digit in a code (`SW1A 1AA`), unless they are capitals (`MATH-204`).
const CODE_LETTERS: usize = 3;
/// Most words of a name of a person.
const NAME_WORDS: usize = 5;

/// A type of column: how two of its values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    /// Given names of persons.
    GivenName,
    /// Family names of persons.
    FamilyName,
    /// Whole names of persons.
    PersonName,
    /// Names of companies.
    Company,
    /// Streets and addresses.
    Address,
    /// Cities, states and other places.
    Place,
    /// Postcodes.
    Postcode,
    /// Phone numbers.
    Phone,
    /// E-mail addresses.
    Email,
    /// Dates.
    Date,
    /// Numbers.
    Number,
    /// Ids and other codes.
    Code,
    /// Geographic coordinates.
    Coordinates,
    /// Free text.
    Text,
}

/// Names of the types.
const NAMES: [(ColumnType, &str); 14] = [
    (ColumnType::GivenName, "given-name"),
    (ColumnType::FamilyName, "family-name"),
    (ColumnType::PersonName, "person-name"),
    (ColumnType::Company, "company"),
    (ColumnType::Address, "address"),
    (ColumnType::Place, "place"),
    (ColumnType::Postcode, "postcode"),
    (ColumnType::Phone, "phone"),
    (ColumnType::Email, "email"),
    (ColumnType::Date, "date"),
    (ColumnType::Number, "number"),
    (ColumnType::Code, "code"),
    (ColumnType::Coordinates, "coordinates"),
    (ColumnType::Text, "text"),
];

/// Words of the names of columns of a type, in English, German, French and Spanish.
const GIVEN: &[&str] =
    &["given", "first", "forename", "firstname", "givenname", "vorname", "prenom", "prénom", "nombre", "middle"];
const FAMILY: &[&str] = &[
    "surname",
    "family",
    "last",
    "lastname",
    "familyname",
    "nachname",
    "familienname",
    "apellido",
    "apellidos",
    "maiden",
];
const PERSON: &[&str] = &[
    "name", "person", "customer", "contact", "patient", "fullname", "client", "employee", "kunde", "nom", "member",
    "owner",
];
/// Words that name a column of any names.
const ANY_NAME: &[&str] = &["name", "nom", "the"];
const BESIDE_PERSON: &[&str] = &["full", "of", "the", "complete"];
const COMPANY: &[&str] = &[
    "company",
    "organisation",
    "organization",
    "firm",
    "firma",
    "employer",
    "business",
    "vendor",
    "supplier",
    "unternehmen",
    "société",
    "empresa",
];
const ADDRESS: &[&str] = &[
    "street",
    "address",
    "addr",
    "road",
    "strasse",
    "straße",
    "str",
    "anschrift",
    "adresse",
    "rue",
    "dirección",
    "calle",
    "hausnummer",
];
const PLACE: &[&str] = &[
    "city", "town", "suburb", "place", "state", "province", "region", "country", "county", "ort", "stadt", "land",
    "ville", "ciudad", "locality",
];
const POSTCODE: &[&str] = &["zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "pincode"];
const PHONE: &[&str] =
    &["phone", "telephone", "tel", "mobile", "fax", "cell", "telefon", "handy", "téléphone", "teléfono"];
const DATE: &[&str] = &[
    "date",
    "born",
    "birth",
    "dob",
    "birthday",
    "birthdate",
    "datum",
    "geboren",
    "geburtsdatum",
    "fecha",
    "naissance",
];
const CODE: &[&str] = &[
    "id", "no", "nr", "number", "code", "ssn", "isbn", "ean", "gtin", "sku", "vat", "iban", "key", "upc", "doi",
    "nummer",
];
/// Words of the names of columns of names of things.
const THING: &[&str] = &[
    "name",
    "title",
    "product",
    "item",
    "article",
    "model",
    "device",
    "label",
    "term",
    "bezeichnung",
    "titel",
    "produkt",
    "artikel",
    "modell",
    "gerät",
    "nom",
    "titre",
    "produit",
    "modèle",
    "nombre",
    "título",
    "producto",
    "modelo",
];
/// Words of the names of columns of the persons who made things.
const MAKERS: &[&str] = &[
    "author",
    "authors",
    "editor",
    "editors",
    "artist",
    "artists",
    "actor",
    "actors",
    "cast",
    "director",
    "directors",
    "writer",
    "writers",
    "creator",
    "creators",
    "autor",
    "autoren",
    "künstler",
    "auteur",
    "auteurs",
    "autores",
];
const COORDINATES: &[&str] = &["lat", "latitude", "lon", "lng", "longitude", "coordinates", "coords", "geo"];

/// Shares of the values that have the form of a type.
struct Shares<'a> {
    values: &'a [&'a str],
}

impl Shares<'_> {
    fn of(&self, has_form: impl Fn(&str) -> bool) -> f64 {
        let count = self.values.iter().filter(|value| has_form(value)).count();
        if self.values.is_empty() { 0.0 } else { count as f64 / self.values.len() as f64 }
    }
}

impl ColumnType {
    /// Finds the type of a column by its name and its values that are not missing. A column `name` beside those of persons, such as
    /// e-mail addresses, has names of persons rather.
    pub(super) fn of(name: &str, values: &[&str], is_beside_persons: bool) -> Self {
        let words = header_words(name);
        let is_named = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        // The name of a beer or of a song is none of a person.
        let is_person =
            words.iter().all(|word| PERSON.contains(&word.as_str()) || BESIDE_PERSON.contains(&word.as_str()));
        let shares = Shares { values };
        let are_persons =
            || !words.iter().all(|word| ANY_NAME.contains(&word.as_str())) || are_persons(values, is_beside_persons);
        let is = |known: &[&str], has_form: &dyn Fn(&str) -> bool| is_named(known) && shares.of(has_form) >= NAMED;
        let looks = |has_form: &dyn Fn(&str) -> bool| shares.of(has_form) >= UNNAMED;
        match () {
            () if shares.of(is_email) >= NAMED => Self::Email,
            () if is(COORDINATES, &is_coordinates) || looks(&is_coordinate_pair) => Self::Coordinates,
            () if is(DATE, &is_any_date) || looks(&Date::is_written) => Self::Date,
            () if is(PHONE, &is_phone) || looks(&is_marked_phone) => Self::Phone,
            () if is(POSTCODE, &is_code) => Self::Postcode,
            () if is_named(ADDRESS) => Self::Address,
            () if is_named(PLACE) => Self::Place,
            () if is_named(COMPANY) || shares.of(|value| LegalName::new(value).form.is_some()) >= WITH_FORM => {
                Self::Company
            }
            () if is(GIVEN, &is_name) => Self::GivenName,
            () if is(FAMILY, &is_name) => Self::FamilyName,
            () if is_person && is(PERSON, &is_full_name) && are_persons() => Self::PersonName,
            () if is(CODE, &is_code) => Self::Code,
            () if looks(&|value| Number::read(value).is_some()) => Self::Number,
            () if looks(&is_bare_code) && !is_named(THING) => Self::Code,
            () => Self::Text,
        }
    }

    /// Returns the levels of agreement, from `differs` to `equal`.
    pub(super) fn levels(self) -> &'static [Level] {
        match self {
            Self::GivenName | Self::FamilyName => NamePart::LEVELS,
            Self::PersonName => PersonName::LEVELS,
            Self::Company => Company::LEVELS,
            Self::Address => Address::LEVELS,
            Self::Place => Texts::PLACE_LEVELS,
            Self::Text => Texts::LEVELS,
            Self::Phone => Phone::LEVELS,
            Self::Email => Email::LEVELS,
            Self::Date => Date::LEVELS,
            Self::Number => Number::LEVELS,
            Self::Postcode | Self::Code => Code::LEVELS,
            Self::Coordinates => Coordinates::LEVELS,
        }
    }

    /// Returns the probability that two values of other things are equal before a table is seen.
    pub(super) fn standard_equal(self) -> f64 {
        self.levels().last().map_or(0.0, |level| level.u)
    }

    /// Returns true for a column of this type and name whose values name things, other than persons and places.
    pub(crate) fn names_things(self, name: &str) -> bool {
        let is_maker = || header_words(name).iter().any(|word| MAKERS.contains(&word.as_str()));
        matches!(self, Self::Company | Self::Text) && !is_maker()
    }

    /// Returns true for a column of this type and name that has the main name of things, by which they are called in few ways. A venue or
    /// a category is written in other words.
    pub(crate) fn is_main_name(self, name: &str, is_only_column: bool) -> bool {
        let is_named = || header_words(name).iter().any(|word| THING.contains(&word.as_str()));
        self == Self::Company || self == Self::Text && (is_only_column || is_named())
    }

    /// Returns true for names of persons and companies.
    pub(super) fn is_name(self) -> bool {
        matches!(self, Self::GivenName | Self::FamilyName | Self::PersonName | Self::Company)
    }
}

fn is_email(value: &str) -> bool {
    value
        .split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.') && !value.contains(' '))
}

fn is_coordinates(value: &str) -> bool {
    Coordinates::parse(value).is_some()
}

fn is_coordinate_pair(value: &str) -> bool {
    value.contains('.') && Coordinates::parse(value).is_some_and(|place| place.is_pair())
}

fn is_any_date(value: &str) -> bool {
    Date::is_written(value) || Date::is_compact(value)
}

fn is_phone(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_digit).count() > 2
        && value.chars().filter(|letter| letter.is_alphabetic()).count() <= 4
}

/// Returns whether a value is a phone number with signs: `+49 30 1234`, `(030) 12 34`.
fn is_marked_phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let signs = |letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '(' | ')' | '-' | '/' | '.' | ' ');
    PHONE_DIGITS.contains(&digits)
        && value.starts_with(['+', '(', '0'])
        && value.contains(['+', '(', '-', '/', ' '])
        && value.chars().all(signs)
}

fn is_code(value: &str) -> bool {
    value.len() <= CODE_BYTES
        && value.contains(|letter: char| letter.is_ascii_digit())
        && value.split_whitespace().count() <= 2
}

/// Returns true for a code in a column whose name does not say so: `iPhone 12` is none.
fn is_bare_code(value: &str) -> bool {
    let is_short = |word: &str| {
        word.contains(|letter: char| letter.is_ascii_digit())
            || word.len() <= CODE_LETTERS
            || word.chars().all(char::is_uppercase)
    };
    is_code(value) && value.split(|letter: char| !letter.is_alphanumeric()).all(is_short)
}

fn is_name(value: &str) -> bool {
    !value.contains(|letter: char| letter.is_ascii_digit()) && value.split_whitespace().count() <= NAME_WORDS
}

fn is_full_name(value: &str) -> bool {
    let words = NormalizedName::new(value).tokens().count();
    let is_written_together = words == 1 && !value.is_ascii();
    is_name(value) && ((2..=NAME_WORDS).contains(&words) || is_written_together)
}

impl FromStr for ColumnType {
    type Err = Error;

    /// Reads the name of a type, such as `person-name`.
    fn from_str(name: &str) -> Result<Self, Error> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind).ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(_, known)| *known).collect();
            Error::new(ErrorKind::Choice, format!("no type of column {} among {}", quoted(name), known.join(", ")))
        })
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, values: &[&str]) -> ColumnType {
        ColumnType::of(name, values, false)
    }

    #[test]
    fn types_are_found_by_names_and_values() {
        use ColumnType as T;
        let cases: [(&str, &[&str], T); 27] = [
            ("contact", &["a@b.org", "c.d@e.com"], T::Email),
            ("x", &["+49 30 1234567", "(030) 99 88 77"], T::Phone),
            ("Tel.", &["030 111", "0511 7"], T::Phone),
            ("born", &["1931-02-03", "2012-05-06"], T::Date),
            ("date_of_birth", &["19151111", "19161214"], T::Date),
            ("x", &["3. Mai 1999", "4.5.2001"], T::Date),
            ("year", &["1999", "2001"], T::Number),
            ("price", &["1.299,00 €", "3,5"], T::Number),
            ("PLZ", &["04511", "10115"], T::Postcode),
            ("soc_sec_id", &["6988048", "7364009"], T::Code),
            ("x", &["04511", "00115"], T::Code),
            ("x", &["MATH-204", "ab 1204"], T::Code),
            ("x", &["iPhone 12", "Galaxy S21"], T::Text),
            ("model", &["EOS 600D", "RTX 3080"], T::Text),
            ("street_number", &["6", "69"], T::Address),
            ("address_1", &["tullaroop street"], T::Address),
            ("suburb", &["st james"], T::Place),
            ("given_name", &["lachlan"], T::GivenName),
            ("lastName", &["berry"], T::FamilyName),
            ("name", &["John Sample", "Mary Example"], T::PersonName),
            ("customer_full_name", &["John Sample", "Mary Example"], T::PersonName),
            ("song_name", &["Yellow River", "Green Hills"], T::Text),
            ("name", &["Adler AG", "Bison Tools Ltd"], T::Company),
            ("name", &["aspirin", "heart attack", "flu"], T::Text),
            ("lat", &["51.05", "48.1"], T::Coordinates),
            ("x", &["51.05, 13.7", "48.1, 11.6"], T::Coordinates),
            ("title", &["Mining association rules", "The R*-tree"], T::Text),
        ];
        for (name, values, expected) in cases {
            assert_eq!(of(name, values), expected, "{name} {values:?}");
        }
        assert_eq!(of("x", &[]), T::Text);
    }
}
