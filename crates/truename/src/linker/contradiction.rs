//! Lowers the scores of candidates whose name differs from the query in a number, letter, sign or legal form.

use std::ops::RangeInclusive;

use truename_kb::Snapshot;
use truename_text::{
    Designators, KeyMatch, LegalName, NameProfile, NormalizedName, VersionedName, differ_in_charge, differ_in_ending,
    differ_in_final_signs, differ_in_formula, differ_in_minus, differ_in_variant, has_isotope_label, is_institution,
    is_isotope,
};

use crate::feature::CandidateFeatures;
use crate::known_names::KnownNames;
use crate::{Error, recognizer};

/// Largest score of a contradicting candidate: 1 in 20. Of 51 that were the likeliest for names of three corpora, 8 were right.
const MAX_SCORE: f64 = -3.0;
/// Largest score of a company with another legal form: 1 in 2, for people mistake forms, and companies change them.
const MAX_SCORE_OF_OTHER_FORM: f64 = 0.0;
/// Largest score of a name that a common word alone asks for (`attack`, of `heart attack`): 1 in 4.
const MAX_SCORE_OF_COMMON_WORD: f64 = -1.0;
/// Largest score of a company that has another word in the place of one asked for: 1 in 4, for words are translated.
const MAX_SCORE_OF_OTHER_WORD: f64 = -1.0;

/// Lowers the score of each candidate that contradicts the query to [`MAX_SCORE`], or [`MAX_SCORE_OF_OTHER_FORM`].
pub(super) fn weigh(
    query: &NameProfile,
    featured: &[CandidateFeatures],
    snapshot: &Snapshot<'_>,
    scores: &mut [f64],
) -> Result<(), Error> {
    let (designators, legal) = (Designators::of(&query.written), LegalName::new(&query.written));
    let (is_labelled, is_common) = (has_isotope_label(&query.written), is_common_word(query));
    // Where the vocabularies of the program have the query (`Austria`), a name that they have for other concepts is another (`Australia`).
    let known = KnownNames::bundled().map(|known| (known, known.concepts(&query.normalized)));
    let known = known.filter(|(_, concepts)| !concepts.is_empty());
    let is_known_as_other =
        |name: &str| known.is_some_and(|(known, own)| own.differ_from(known.concepts(&NormalizedName::new(name))));
    let mut of_candidates = Vec::with_capacity(featured.len());
    for candidate in featured {
        let name = snapshot.name(candidate.name)?.1;
        of_candidates.push((!designators.is_empty() || has_non(name)).then(|| Designators::of(name)));
    }
    for ((candidate, score), own) in featured.iter().zip(scores.iter_mut()).zip(&of_candidates) {
        if candidate.proposal.key == KeyMatch::Exact {
            continue;
        }
        let name = snapshot.name(candidate.name)?.1;
        let is_variant = candidate.proposal.key == KeyMatch::Variant;
        let is_other = is_variant && differ_in_minus(&query.written, name)
            || differ_in_final_signs(&query.written, name)
            || differ_in_charge(&query.written, name)
            || is_labelled && is_isotope(name)
            || differ_in_last_letter(&query.written, name)
            || differ_in_formula(&query.written, name)
            || differ_in_variant(&query.written, name)
            || differ_in_ending(&query.written, name)
            || candidate.proposal.key == KeyMatch::None && is_known_as_other(name)
            || own.as_ref().is_some_and(|own| designators.contradict(own)) && !is_general(query, candidate, snapshot)?;
        if is_other {
            *score = score.min(MAX_SCORE);
        }
        if is_common && candidate.proposal.key == KeyMatch::None && name.contains(char::is_whitespace) {
            *score = score.min(MAX_SCORE_OF_COMMON_WORD);
        }
        // Without a form in the query only another word counts, and only where no key agrees.
        let may_fall = match legal.form {
            Some(_) => *score > MAX_SCORE,
            None => *score > MAX_SCORE_OF_OTHER_WORD && candidate.proposal.key == KeyMatch::None,
        };
        if may_fall {
            *score = score.min(max_score_of_company(&legal, &LegalName::new(name), candidate.proposal.key));
        }
    }
    if !designators.is_empty() {
        prefer_version(&designators, &of_candidates, scores);
    }
    Ok(())
}

/// Puts a candidate whose version is that of the query, in less detail, before one without a version: `PostgreSQL 13` before `PostgreSQL` for
/// `PostgreSQL 13.4`.
fn prefer_version(query: &Designators, candidates: &[Option<Designators>], scores: &mut [f64]) {
    // The first of several with the highest score.
    let best = |fits: &dyn Fn(&Designators) -> bool| {
        let places = (0..candidates.len()).rev().filter(|at| candidates[*at].as_ref().is_some_and(fits));
        places.max_by(|one, other| scores[*one].total_cmp(&scores[*other]))
    };
    if let (Some(version), Some(general)) = (best(&|name| query.details(name)), best(&|name| query.extends(name)))
        && scores[version] < scores[general]
    {
        scores.swap(version, general);
    }
}

/// Returns true if the query is one common English word in small letters; in capitals it may be the name of a product (`Word`).
fn is_common_word(query: &NameProfile) -> bool {
    query.tokens.len() == 1
        && !query.written.contains(char::is_uppercase)
        && recognizer::is_common_word(query.normalized.as_str())
}

/// Fewest letters and digits of a code whose last letter tells it from others (`PPARA`, `PPARG`), and most.
const CODE_LENGTHS: RangeInclusive<usize> = 4..=7;

/// Returns true if two names differ in the last letter of a code in capitals alone (`PPARA agonist`, `PPARG agonist`), or in a further one
/// (`NAD+`, `NADH`), but for hyphens.
fn differ_in_last_letter(one: &str, other: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let has_code = |name: &str| name.as_bytes().windows(2).any(|two| two.iter().all(|byte| is_plain(*byte)));
    if !has_code(one) || !has_code(other) {
        return false;
    }
    let [one, other] = [one, other].map(|name| name.replace('-', ""));
    let [one, other] = [&one, &other].map(|name| name.split_whitespace().collect::<Vec<_>>());
    let mut pairs = one.iter().zip(&other).filter(|(one, other)| one != other);
    let Some((left, right)) = pairs.next().filter(|_| pairs.next().is_none() && one.len() == other.len()) else {
        return false;
    };
    let [left, right] = [left, right].map(|code| code.trim_end_matches('+'));
    let is_code = |name: &str| CODE_LENGTHS.contains(&name.len()) && name.bytes().all(is_plain);
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    if long.len() == short.len() + 1 {
        // `MRIS` is a plural, and longer ones are words of a table in capitals.
        let is_further = long.strip_prefix(short).is_some_and(|letter| letter != "S");
        return is_further && long.len() == *CODE_LENGTHS.start() && long.bytes().all(|byte| byte.is_ascii_uppercase());
    }
    let stem = |name: &str| -> Option<usize> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.ends_with(|c: char| c.is_ascii_uppercase()).then(|| stem.len() - 1)
    };
    let is_alike = left.len() == right.len() && is_code(left) && is_code(right);
    is_alike && stem(left).is_some_and(|at| left[..at] == right[..at] && left[at + 1..] == right[at + 1..])
}

/// Returns true if a word begins with `non`, which the query may lack.
fn has_non(name: &str) -> bool {
    let begins = |word: &str| word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("non"));
    name.split(|c: char| !c.is_alphanumeric()).any(begins)
}

/// Returns the largest score that a query and a name of a company allow: a form alone is no name of a company that has it.
fn max_score_of_company(query: &LegalName, name: &LegalName, key: KeyMatch) -> f64 {
    match (&query.form, &name.form) {
        (None, None) if !is_institution(&query.core) || !is_institution(&name.core) => f64::INFINITY,
        (Some(_), Some(_)) if query.is_form_alone() && key == KeyMatch::None => MAX_SCORE,
        _ if key == KeyMatch::None && query.differs_in_words(name) => MAX_SCORE_OF_OTHER_WORD,
        (Some(one), Some(other)) if one.contradicts(other) => MAX_SCORE_OF_OTHER_FORM,
        _ => f64::INFINITY,
    }
}

/// Returns whether a candidate stands for all numbers, so that none contradicts it: its preferred name has none and is in the query (`COBOL` of
/// `COBOL 1960`), or has no version where a synonym has one.
fn is_general(query: &NameProfile, candidate: &CandidateFeatures, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
    let name = snapshot.name(candidate.name)?.1;
    let preferred = snapshot.name(snapshot.concept_names(candidate.concept)?.1[0])?.1;
    let has_version = |name: &str| !VersionedName::new(name).version.is_empty();
    let is_in_query = |word: &str| query.normalized.tokens().any(|other| other == word);
    let has_no_number =
        Designators::of(preferred).is_empty() && NormalizedName::new(preferred).tokens().all(is_in_query);
    Ok(has_no_number || !has_version(preferred) && has_version(name))
}
