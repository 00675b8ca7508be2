//! Names in the form in which Truename compares them, and documents.
//!
//! Read in this order:
//! [`NormalizedName`] folds case, punctuation, spacing, diacritics and Greek letters; [`spelt_out`] keeps case and
//! writes a name in the characters of vocabularies;
//! [`NameKeys`] are the hashes under which a name is looked up exactly;
//! [`grams`] are the character n-grams under which it is looked up approximately;
//! [`NameProfile`] holds one name taken apart, and [`similarity`] compares two of them;
//! a [`Document`] has a text and [`Span`]s of it, which [`Offsets`] turn into other units;
//! [`Words`] are the words of a running text in the same normal form, with the [`Border`]s between them, and [`written_forms`] the forms of
//! a name there; [`alternative_names`] writes a name as others write it;
//! [`AssertionRules`] tell what a text says of a mention: that it is negated, historical and the like;
//! a [`VersionedName`] is a name with its version, edition and platform apart; [`Designators`] are the numbers, letters and signs that tell
//! names of one kind apart; a [`LegalName`] is a name of a company with its legal form apart;
//! [`is_missing_value`] detects words in place of a name;
//! [`part_of`] makes a part of a name by which people may ask for it, and [`has_part`] detects such parts;
//! a [`GoldName`] is a name with its right answer, [`sampling_weights`] weigh answers that were not drawn evenly, and a [`Problem`] a place in a file that was not read;
//! [`SplitMix64`] draws random numbers that last between versions.
//!
//! ```
//! use truename_text::{NameKeys, NormalizedName};
//!
//! let written = NormalizedName::new("TNF-α  receptor");
//! assert_eq!(written.as_str(), "tnf alpha receptor");
//! let known = NormalizedName::new("tnf alpha Receptors");
//! assert_ne!(NameKeys::of(&written).exact, NameKeys::of(&known).exact);
//! assert_eq!(NameKeys::of(&written).variant, NameKeys::of(&known).variant);
//! ```

mod abbreviation;
mod alternative;
mod assertion;
mod border;
mod designator;
mod digit_group;
mod document;
mod ending;
mod formula;
mod gold_name;
mod gram;
mod institution;
mod isotope;
mod key;
mod legal_form;
mod markup;
mod mojibake;
mod normalize;
mod offsets;
mod part;
mod placeholder;
mod plural;
mod profile;
mod rotation;
mod sampling;
mod segments;
mod sentences;
mod sequence_variant;
pub mod similarity;
mod span;
mod split_mix;
mod stable_hash;
mod version;
mod words;

pub use abbreviation::{Abbreviation, abbreviations};
pub use alternative::{Alternative, AlternativePlace, has_umlauts_of};
pub use assertion::{Assertion, AssertionRules, Assertions, ENGLISH_TRIGGERS};
pub use border::{BORDER_MARKS, Border, is_pictograph};
pub use designator::Designators;
pub use digit_group::{digit_groups, have_same_digit_groups};
pub use document::{Document, Mention, Passage};
pub use ending::differ_in_ending;
pub use formula::differ_in_formula;
pub use gold_name::GoldName;
pub use gram::{Gram, grams};
pub use institution::is_institution;
pub use isotope::{has_isotope_label, is_isotope};
pub use key::{Key, KeyMatch, NameKeys, content_words};
pub use legal_form::{LegalForm, LegalName};
pub use markup::{PlainText, without_markup};
pub use mojibake::repaired;
pub use normalize::{NormalizedName, cased_letters, each_word, spelt_out};
pub use offsets::{OffsetUnit, Offsets};
pub use part::{has_part, part_of};
pub use placeholder::{PLACEHOLDER_WORDS, is_missing_value};
pub use profile::{NameProfile, Token};
pub use rotation::{MINUS_SIGNS, Rotation, differ_in_charge, differ_in_final_signs, differ_in_minus, is_negative};
pub use sampling::sampling_weights;
pub use segments::segments;
pub use sentences::Sentences;
pub use sequence_variant::differ_in_variant;
pub use span::Span;
pub use split_mix::SplitMix64;
pub use stable_hash::{document_hash, stable_hash};
pub use truename_error::{Problem, excerpt};
pub use version::VersionedName;
pub use words::{Words, alternative_names, is_unspaced, natural_order, written_forms};
