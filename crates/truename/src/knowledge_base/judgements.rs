//! Judgements that a knowledge base learns: names of concepts, names without a concept, and stop names.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::ops::ControlFlow;

use truename_error::{ErrorKind, excerpt};
use truename_kb::{
    Alias, Concept, ConceptId, JudgedForm, Judgement, Progress, Snapshot, Store, Verdict, WriteTransaction,
};
use truename_text::{Key, NameKeys, NormalizedName};

use super::KnowledgeBase;
use crate::{Error, LONGEST_NAME_BYTES};

/// Report of [`KnowledgeBase::learn`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearnReport {
    /// Number of judgements that are new, or differ from those known.
    pub learnt: u32,
    /// Number of judgements that were known.
    pub unchanged: u32,
    /// Number of names whose judgement was forgotten.
    pub forgotten: u32,
    /// Names to forget that had no judgement.
    pub missing: Vec<String>,
    /// Judgements that were left out because no concept has their id.
    pub unknown: Vec<Judgement>,
}

impl KnowledgeBase {
    /// Learns judgements and forgets those of other names, in one transaction. Names and concepts that have vectors get new ones.
    ///
    /// A judged name is an alias of its concept, with the day as its source, and is answered with it at the probability of an exact
    /// name, whatever other concepts have the name. A name judged NIL is answered NIL, and a stop name is no mention of a text. The
    /// last judgement of a name counts, in all its spellings. A retired id stands for the one that replaces it. An update keeps
    /// judgements; a new import does not.
    ///
    /// # Errors
    /// If a name is empty or too long, or the store or a model fails; the store then stays as it was. Where a model fails at the new
    /// names, they are learnt without vectors.
    pub fn learn(
        &self,
        judgements: &[Judgement],
        forgotten: &[String],
        progress: &Progress,
    ) -> Result<LearnReport, Error> {
        judgements.iter().try_for_each(|judgement| check_name(&judgement.name))?;
        self.check_writable()?;
        // What cannot be encoded is not learnt.
        self.encoder()?;
        let retriever = self.attached_retriever()?;
        let mut write = self.write()?;
        let snapshot = self.store.snapshot()?;
        let mut learning = Learning::new(&snapshot);
        let judged: HashSet<JudgedForm> = judgements.iter().map(|judgement| JudgedForm::of(&judgement.name)).collect();
        let others = forgotten.iter().filter(|name| !judged.contains(&JudgedForm::of(name)));
        for name in others {
            learning.forget(name)?;
        }
        for judgement in last_of_each(judgements.iter(), |judgement| JudgedForm::of(&judgement.name)) {
            progress.check()?;
            learning.learn(judgement)?;
        }
        let Learning { concepts, without_concept, report, .. } = learning;
        if concepts.is_empty() && without_concept.is_empty() {
            return Ok(report);
        }
        for (key, judgements) in &without_concept {
            self.store.put_judged(&mut write, *key, judgements)?;
        }
        self.apply(&mut write, &snapshot, concepts.into_values().collect(), &[])?;
        drop(snapshot);
        let committing = progress.commit()?;
        self.store.commit(write)?;
        drop(committing);
        let go_on = |_, _| if progress.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        if let Some(encoder) = self.encoder()? {
            self.embed(encoder, go_on)?;
        }
        if let Some(retriever) = &retriever {
            self.embed_concepts(retriever.model(), go_on)?;
        }
        Ok(report)
    }

    /// Returns the judgements learnt, by name.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn judgements(&self) -> Result<Vec<Judgement>, Error> {
        self.store.snapshot()?.judgements()
    }
}

/// Judgements on their way into a store.
struct Learning<'a> {
    snapshot: &'a Snapshot<'a>,
    /// Concepts that change.
    concepts: BTreeMap<ConceptId, Concept>,
    /// Judgements without a concept under the lookup keys that change.
    without_concept: BTreeMap<Key, Vec<Judgement>>,
    report: LearnReport,
}

impl<'a> Learning<'a> {
    fn new(snapshot: &'a Snapshot<'a>) -> Self {
        Self { snapshot, concepts: BTreeMap::new(), without_concept: BTreeMap::new(), report: LearnReport::default() }
    }

    fn forget(&mut self, name: &str) -> Result<(), Error> {
        match self.snapshot.judgement(name)? {
            Some(known) => {
                self.report.forgotten += 1;
                self.remove(&known)
            }
            None => {
                self.report.missing.push(name.to_owned());
                Ok(())
            }
        }
    }

    fn learn(&mut self, judgement: &Judgement) -> Result<(), Error> {
        let verdict = match &judgement.verdict {
            Verdict::Concept(id) => match self.snapshot.current(id)? {
                Some(current) => Verdict::Concept(current),
                None => {
                    self.report.unknown.push(judgement.clone());
                    return Ok(());
                }
            },
            other => other.clone(),
        };
        if let Some(known) = self.snapshot.judgement(&judgement.name)? {
            if known.verdict == verdict {
                self.report.unchanged += 1;
                return Ok(());
            }
            self.remove(&known)?;
        }
        self.report.learnt += 1;
        let name = judgement.name.trim();
        match &verdict {
            Verdict::Concept(id) => self.concept(id)?.aliases.push(Alias::judged(name, judgement.date)),
            _ => self.under(name)?.push(Judgement { name: name.to_owned(), verdict, date: judgement.date }),
        }
        Ok(())
    }

    /// Removes a stored judgement.
    fn remove(&mut self, known: &Judgement) -> Result<(), Error> {
        let form = JudgedForm::of(&known.name);
        match &known.verdict {
            Verdict::Concept(id) => self
                .concept(id)?
                .aliases
                .retain(|alias| alias.judged_on().is_none() || JudgedForm::of(&alias.name) != form),
            _ => self.under(&known.name)?.retain(|judgement| JudgedForm::of(&judgement.name) != form),
        }
        Ok(())
    }

    fn concept(&mut self, id: &ConceptId) -> Result<&mut Concept, Error> {
        if !self.concepts.contains_key(id) {
            self.concepts.insert(id.clone(), self.snapshot.concept_by_id(id)?);
        }
        Ok(self.concepts.get_mut(id).expect("it was put there"))
    }

    /// Returns the judgements without a concept of the names with the letters of one.
    fn under(&mut self, name: &str) -> Result<&mut Vec<Judgement>, Error> {
        let key = key_of(name);
        if !self.without_concept.contains_key(&key) {
            self.without_concept.insert(key, self.snapshot.judged_under(key)?);
        }
        Ok(self.without_concept.get_mut(&key).expect("it was put there"))
    }
}

/// Returns the last item of each key, in the order of the keys' first ones.
pub fn last_of_each<T, K: Eq + Hash>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let (mut places, mut last) = (HashMap::new(), Vec::new());
    for item in items {
        match places.entry(key(&item)) {
            Entry::Occupied(place) => last[*place.get()] = item,
            Entry::Vacant(place) => {
                place.insert(last.len());
                last.push(item);
            }
        }
    }
    last
}

/// Stores judgements without a concept in place of those of the same names, beside those that `known` returns under each lookup key.
pub(super) fn put_without_concept(
    store: &Store,
    write: &mut WriteTransaction<'_>,
    judgements: Vec<Judgement>,
    known: impl Fn(Key) -> Result<Vec<Judgement>, Error>,
) -> Result<(), Error> {
    let mut by_key: BTreeMap<Key, Vec<Judgement>> = BTreeMap::new();
    for judgement in judgements {
        by_key.entry(key_of(&judgement.name)).or_default().push(judgement);
    }
    for (key, new) in by_key {
        let all = known(key)?.into_iter().chain(new);
        let last = last_of_each(all, |judgement| JudgedForm::of(&judgement.name));
        store.put_judged(write, key, &last)?;
    }
    Ok(())
}

/// Returns the lookup key under which the judgement of a name without a concept lies.
fn key_of(name: &str) -> Key {
    NameKeys::of(&NormalizedName::new(name)).exact
}

fn check_name(name: &str) -> Result<(), Error> {
    if name.trim().is_empty() {
        return Err(Error::new(ErrorKind::Choice, "a judgement has an empty name").with_hint("give each its name"));
    }
    if name.len() > LONGEST_NAME_BYTES {
        let message = format!(
            "the judged name \"{}\" has {} bytes; the most are {LONGEST_NAME_BYTES}",
            excerpt(name),
            name.len()
        );
        return Err(Error::new(ErrorKind::Choice, message).with_hint("leave it out; longer names are answered NIL"));
    }
    Ok(())
}
