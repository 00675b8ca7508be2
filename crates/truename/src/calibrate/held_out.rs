//! Queries with their right answers: held-out names of a knowledge base, and gold names.

use std::collections::HashSet;

use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{GoldName, NameKeys, NormalizedName, has_part, part_of, stable_hash};

use super::CalibrateOptions;
use super::noise::{respelt, with_other_number, with_typo, with_version, with_words};
use crate::{Error, ranker};

/// Shares of the kinds of queries, among the names that allow them.
const SHARES: [(Kind, f64); 7] = [
    (Kind::HiddenConcept, 0.12),
    (Kind::Typo, 0.12),
    (Kind::AddedWords, 0.05),
    (Kind::Shortened, 0.15),
    (Kind::Versioned, 0.1),
    (Kind::Respelt, 0.08),
    (Kind::OtherNumber, 0.08),
];
/// One in so many parts of names, and of names that are held out, has a version added.
const ONE_VERSION_IN: u64 = 5;
/// Minimum letters and digits of a name for a typo; in a shorter name it would make another name.
const MIN_TYPO_LENGTH: usize = 5;
/// Maximum number of names with a word for the word to identify a concept in a part of a name.
const MAX_NAMES_WITH_WORD: u32 = 16;
/// Number of parts of a name that are tried.
const PARTS_DRAWN: u64 = 8;
/// Number of passes over the names, for examples of different kinds.
const PASSES: u64 = 4;

/// A query with its right answers.
pub(super) struct Example {
    pub(super) query: String,
    pub(super) hidden: Vec<NameIndex>,
    pub(super) answers: HashSet<ConceptIndex>,
    /// Part of a name in the query, if there is one; then the concepts with most names that contain the part are all right.
    pub(super) part: Option<String>,
    pub(super) origin: Origin,
    /// Chance with which the name was drawn to be judged, beside that of the others.
    pub(super) chance: f64,
    /// Cross-validation fold. All names of a concept share a fold, so that none is learnt from another.
    pub(super) fold: usize,
}

/// Where a query comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A name of the knowledge base.
    HeldOut,
    /// A name judged to have a concept.
    Judged,
    /// A name judged to have none.
    JudgedNil,
    /// A cell that names nothing.
    Junk,
}

impl Origin {
    /// Returns whether a person judged the name.
    pub(super) fn is_judged(self) -> bool {
        matches!(self, Self::Judged | Self::JudgedNil)
    }
}

/// Kinds of queries made from a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The name as it is, with its whole concept hidden: NIL is right.
    HiddenConcept,
    Typo,
    /// The name with words added that tell nothing about the concept.
    AddedWords,
    /// A part of the name.
    Shortened,
    /// The name with a version, edition or vendor.
    Versioned,
    /// The name in lower case, in the plural, or with Greek letters by their initials.
    Respelt,
    /// The name with another number, which no concept has: NIL is right.
    OtherNumber,
    /// The name as it is, shared by several concepts.
    Shared,
    HeldOut,
}

/// Returns examples made from the names of a knowledge base. The hashes of the names decide which names and which
/// kinds.
pub(super) fn held_out(snapshot: &Snapshot<'_>, options: &CalibrateOptions) -> Result<Vec<Example>, Error> {
    let order = snapshot.name_order()?;
    let rank = |name: NameIndex| order.map_or(name.0, |order| order.rank(name));
    let mut chosen: Vec<(u64, u32, NameIndex)> = Vec::new();
    for entry in snapshot.names()? {
        let (number, _, name) = entry?;
        if options.part.is_none_or(|(part, parts)| NormalizedName::new(name).fold(parts) == part) {
            chosen.push((stable_hash(name), rank(number), number));
        }
    }
    chosen.sort_unstable();
    // A small knowledge base gives several examples a name, of different kinds.
    let mut examples = Vec::new();
    let mut given: HashSet<(NameIndex, Kind)> = HashSet::new();
    for pass in 0..PASSES {
        for (hash, _, number) in &chosen {
            if examples.len() == options.names {
                return Ok(examples);
            }
            if let Some((kind, example)) = example(snapshot, hash ^ pass, *number)?
                && given.insert((*number, kind))
            {
                examples.push(example);
            }
        }
    }
    Ok(examples)
}

/// Draws the example of a name by its hash; `None` if the name allows none.
fn example(snapshot: &Snapshot<'_>, hash: u64, number: NameIndex) -> Result<Option<(Kind, Example)>, Error> {
    let (concept, text) = snapshot.name(number)?;
    let form = NormalizedName::new(text).squeezed();
    if form.is_empty() {
        return Ok(None);
    }
    let (id, all) = snapshot.concept_names(concept)?;
    let mut same = Vec::new();
    for name in &all {
        if NormalizedName::new(snapshot.name(*name)?.1).squeezed() == form {
            same.push(*name);
        }
    }
    let dice = stable_hash(&format!("kind {hash}")) as f64 / u64::MAX as f64;
    let alone = same.len() == all.len();
    // A shared name is mostly queried as it is, so that the choice between its concepts is learnt too.
    let shared = is_shared(snapshot, concept, text)? && !(hash >> 32).is_multiple_of(3);
    let mut end = 0.0;
    let drawn = SHARES.into_iter().find(|(_, share)| {
        end += share;
        dice < end
    });
    let as_drawn = match drawn.map(|(kind, _)| kind) {
        Some(Kind::HiddenConcept) => Some((Kind::HiddenConcept, text.to_owned())),
        Some(Kind::Typo) if form.chars().count() >= MIN_TYPO_LENGTH => Some((Kind::Typo, with_typo(text, hash))),
        Some(Kind::AddedWords) => Some((Kind::AddedWords, with_words(text, hash))),
        Some(Kind::Shortened) => shortened(snapshot, text, hash >> 16)?.map(|part| (Kind::Shortened, part)),
        Some(Kind::Versioned) => Some((Kind::Versioned, with_version(text, hash))),
        Some(Kind::Respelt) => Some((Kind::Respelt, respelt(text, hash))),
        Some(Kind::OtherNumber) => renumbered(snapshot, text, &all, hash)?.map(|name| (Kind::OtherNumber, name)),
        _ => None,
    };
    let (kind, query) = match as_drawn {
        Some(drawn) => drawn,
        None if shared => (Kind::Shared, text.to_owned()),
        None if alone => return Ok(None),
        None => (Kind::HeldOut, text.to_owned()),
    };
    let may_gain_version = matches!(kind, Kind::Shortened | Kind::HeldOut) && !shared;
    let part = (kind == Kind::Shortened).then(|| query.clone());
    let query = match stable_hash(&format!("version {hash}")) {
        seed if may_gain_version && seed.is_multiple_of(ONE_VERSION_IN) => with_version(&query, seed),
        _ => query,
    };
    let hidden = match kind {
        Kind::HiddenConcept => all,
        Kind::HeldOut => same,
        Kind::Typo
        | Kind::AddedWords
        | Kind::Shortened
        | Kind::Versioned
        | Kind::Respelt
        | Kind::OtherNumber
        | Kind::Shared => Vec::new(),
    };
    let answered = !matches!(kind, Kind::HiddenConcept | Kind::OtherNumber);
    let answers = answered.then_some(concept).into_iter().collect();
    let fold = stable_hash(id) as usize % ranker::FOLDS;
    Ok(Some((kind, Example { query, hidden, answers, part, origin: Origin::HeldOut, chance: 1.0, fold })))
}

/// Draws a part by which people may refer to the name; `None` if the parts drawn are names themselves or too common.
fn shortened(snapshot: &Snapshot<'_>, name: &str, seed: u64) -> Result<Option<String>, Error> {
    let normalized = NormalizedName::new(name);
    for seed in (0..PARTS_DRAWN).map(|draw| stable_hash(&format!("part {draw} {seed}"))) {
        let Some(text) = part_of(name, (seed >> 8) as usize, (seed >> 32) as usize) else { continue };
        let part = NormalizedName::new(&text);
        if !has_part(&normalized, &part) || snapshot.names_under(NameKeys::of(&part).exact)?.next().is_some() {
            continue;
        }
        for word in part.tokens() {
            if snapshot.names_with_word(stable_hash(word))? <= MAX_NAMES_WITH_WORD {
                return Ok(Some(text));
            }
        }
    }
    Ok(None)
}

/// Returns the name with another number; `None` if it has none, a concept has that name, or one of the concept's names in `all`
/// goes without the number, which may then be a version.
fn renumbered(snapshot: &Snapshot<'_>, name: &str, all: &[NameIndex], seed: u64) -> Result<Option<String>, Error> {
    let Some((renumbered, without)) = with_other_number(name, seed) else { return Ok(None) };
    let exact = |name: &str| NameKeys::of(&NormalizedName::new(name)).exact;
    if snapshot.names_under(exact(&renumbered))?.next().is_some() {
        return Ok(None);
    }
    let mut unnumbered = snapshot.names_under(exact(&without))?;
    Ok(if unnumbered.any(|name| all.contains(&name)) { None } else { Some(renumbered) })
}

/// Returns whether another concept has a name with the same normal form.
fn is_shared(snapshot: &Snapshot<'_>, concept: ConceptIndex, name: &str) -> Result<bool, Error> {
    let exact = NameKeys::of(&NormalizedName::new(name)).exact;
    for other in snapshot.names_under(exact)? {
        let (owner, text) = snapshot.name(other)?;
        if owner != concept && NameKeys::of(&NormalizedName::new(text)).exact == exact {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns gold names as examples, and the number of those whose ids are not in the knowledge base. Of every `hidden` names
/// one has its concepts hidden, so that NIL is right; 0 hides none.
pub(super) fn of_gold(snapshot: &Snapshot<'_>, gold: &[GoldName], hidden: u64) -> Result<(Vec<Example>, usize), Error> {
    let (mut examples, mut unknown) = (Vec::new(), 0);
    for GoldName { name, ids, chance, .. } in gold {
        let mut answers = HashSet::new();
        for id in ids {
            if let Ok(id) = id.parse() {
                let current = snapshot.current(&id)?;
                answers.extend(current.map(|id| snapshot.index_of(&id)).transpose()?.flatten());
            }
        }
        if answers.is_empty() && !ids.is_empty() {
            unknown += 1;
            continue;
        }
        let first = ids.first().unwrap_or(name);
        let fold = stable_hash(first) as usize % ranker::FOLDS;
        let is_hidden = hidden > 0 && stable_hash(&format!("hidden {name}")).is_multiple_of(hidden);
        let mut names = Vec::new();
        if is_hidden {
            for concept in answers.drain() {
                names.extend(snapshot.concept_names(concept)?.1);
            }
        }
        let origin = if answers.is_empty() { Origin::JudgedNil } else { Origin::Judged };
        let query = name.clone();
        examples.push(Example { query, hidden: names, answers, part: None, origin, chance: *chance, fold });
    }
    Ok((examples, unknown))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Concept, KnowledgeBase};

    #[test]
    fn a_name_is_asked_for_by_a_part_that_says_something() {
        let folder = tempfile::tempdir().unwrap();
        let concepts = (0..17).map(|number| {
            let mut concept = Concept::new(format!("P:{number}").parse().unwrap(), format!("kinase LC3 {number}"));
            concept.synonyms = vec![format!("AKT{number}"), format!("MYC {number}"), "MYC".to_owned()];
            concept
        });
        let concepts = concepts.enumerate().map(|(number, mut concept)| {
            concept.synonyms.extend((number < 16).then(|| format!("rare light chain {number}")));
            concept
        });
        let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
        let snapshot = kb.store.snapshot().unwrap();
        let parts = |name: &str| -> BTreeSet<String> {
            (0..40).filter_map(|seed| shortened(&snapshot, name, seed).unwrap()).collect()
        };
        assert_eq!(Vec::from_iter(parts("AKT1")), ["AKT"]);
        let endings = ["chain", "chain 1", "light chain", "light chain 1", "rare light chain"];
        assert_eq!(Vec::from_iter(parts("rare light chain 1")), endings);
        assert_eq!(Vec::from_iter(parts("kinase LC3 1")), ["LC3 1"], "seventeen names have the words before");
        assert!(parts("MYC 1").is_empty(), "a name of its own");
        assert!(parts("p62").is_empty(), "one letter");
    }
}
