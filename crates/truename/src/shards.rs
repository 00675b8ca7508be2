//! Shards: knowledge bases of some of the concepts each, which together answer as one knowledge base of all would.
//!
//! Shards are first given the frequencies of all names ([`weigh`]), so that a name has the same scores in its shard as in the whole.
//! For a batch of names each shard then says which of its concepts the answers depend on, and these become a knowledge base of their
//! own ([`gather`]), which answers the batch as the whole would, to the byte. Gathering can be repeated: the parts that hosts gathered from
//! their shards are shards themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use truename_error::{ErrorKind, HintPart, hint};

use crate::knowledge_base::Contents;
use crate::linker::id_of;
use crate::name_filter::NameFilter;
use crate::{
    ConceptId, Error, FeatureSet, ImportOptions, KnowledgeBase, LinkOptions, Linker, NameFrequencies, Progress,
    RetiredId,
};

/// Weighs the names of shards by the frequencies of all, which are those of `frequencies`, or of the shards themselves where this is empty.
/// Returns the number of names of the whole.
///
/// # Errors
/// If a shard is named twice, the frequencies lack names of a shard, or the storage fails.
pub fn weigh(shards: &[KnowledgeBase], frequencies: &[NameFrequencies]) -> Result<u32, Error> {
    let mut folders = BTreeSet::new();
    for path in shards.iter().map(KnowledgeBase::path) {
        if !folders.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned())) {
            let message = format!("{} is named twice", path.display());
            return Err(Error::new(ErrorKind::Choice, message).with_hint("name each shard once"));
        }
    }
    let mut whole = NameFrequencies::default();
    for part in frequencies {
        whole = whole.with(part)?;
    }
    if frequencies.is_empty() {
        for shard in shards {
            whole = whole.with(&shard.frequencies()?)?;
        }
    }
    shards.iter().try_for_each(|shard| shard.weigh(&whole))?;
    Ok(whole.names())
}

/// Makes a knowledge base at `out` of all concepts of the shards that the answers to `names` depend on. It answers these names as one
/// knowledge base of all shards would, to the byte; with an encoder, once its names have vectors, nearly so. `options` are those of the
/// linker to come: types and aliases count.
///
/// It also has the retired ids among the names, the names judged NIL and the ranker of the shards. It has no models.
///
/// # Errors
/// If there is no shard, the shards are weighed by different names or have different rankers, two have different concepts of one id, none
/// has a type of the options, `out` exists, or the storage fails.
pub fn gather<S: AsRef<str>>(
    shards: &[KnowledgeBase],
    names: &[S],
    options: &LinkOptions,
    out: &Path,
    progress: &Arc<Progress>,
) -> Result<KnowledgeBase, Error> {
    let [first, ..] = shards else {
        return Err(Error::new(ErrorKind::Choice, "there is no shard").with_hint("name one at least"));
    };
    check_filter(shards, options)?;
    if KnowledgeBase::is_at(out) {
        let message = format!("{} exists already", out.display());
        return Err(Error::new(ErrorKind::Exists, message).with_hint("name a new folder"));
    }
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let whole = first.weighed_by()?;
    let mut contents = Contents { retired: retired(shards, &names)?, ..Contents::default() };
    let replacing = contents.retired.iter().flat_map(|retired| retired.replaced_by.iter().cloned());
    let ids: BTreeSet<ConceptId> = names.iter().filter_map(|name| id_of(name)).chain(replacing).collect();
    let mut concepts = BTreeMap::new();
    progress.begin("gathering", shards.len() as u64);
    for kb in shards {
        progress.check()?;
        if kb.weighed_by()? != whole {
            return Err(weighed_apart(first, kb));
        }
        let shard = Linker::new(kb.clone())?.with_options_of_whole(options.clone())?;
        let call = shard.begin(false, 0.0)?;
        let snapshot = call.snapshot();
        let mut reached = call.reach(&names)?;
        for id in &ids {
            reached.extend(snapshot.index_of(id)?);
        }
        for concept in reached {
            let concept = snapshot.concept(concept)?;
            match concepts.get(&concept.id) {
                Some(known) if *known != concept => return Err(differ(kb, &format!("concepts {}", concept.id))),
                _ => concepts.insert(concept.id.clone(), concept),
            };
        }
        for features in FeatureSet::ALL {
            let Some(ranker) = snapshot.meta(features.meta_key())? else { continue };
            match contents.facts.iter().find(|(key, _)| *key == features.meta_key()) {
                Some((_, known)) if known != ranker => return Err(differ(kb, "rankers")),
                Some(_) => {}
                None => contents.facts.push((features.meta_key(), ranker.to_vec())),
            }
        }
        contents.judgements.extend(snapshot.judged_without_concept()?);
        progress.advance(1);
    }
    contents.concepts = concepts.into_values().collect();
    let options = ImportOptions { progress: Arc::clone(progress), ..ImportOptions::default() };
    KnowledgeBase::create_with(Contents { whole: Some(whole), ..contents }, out, &options)
}

/// Refuses types that no concept of the shards has, and sources that no alias has.
fn check_filter(
    shards: &[KnowledgeBase],
    LinkOptions { types, without_aliases, .. }: &LinkOptions,
) -> Result<(), Error> {
    let only = |types: &[String], without_aliases: &[String]| LinkOptions {
        types: types.to_vec(),
        without_aliases: without_aliases.to_vec(),
        ..LinkOptions::default()
    };
    let types = types.chunks(1).map(|one| only(one, &[]));
    for options in types.chain(without_aliases.chunks(1).map(|one| only(&[], one))) {
        let mut refused = None;
        for shard in shards {
            refused = NameFilter::new(&options).check(&shard.store.snapshot()?).err();
            if refused.is_none() {
                break;
            }
        }
        refused.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Returns what became of the retired ids among names, and of the retired ids that replace them.
fn retired(shards: &[KnowledgeBase], names: &[&str]) -> Result<Vec<RetiredId>, Error> {
    let (mut known, mut open) = (BTreeMap::new(), names.iter().filter_map(|name| id_of(name)).collect::<Vec<_>>());
    while let Some(id) = open.pop() {
        for shard in shards {
            if !known.contains_key(&id)
                && let Some(retired) = shard.retired(&id)?
            {
                open.extend(retired.replaced_by.iter().cloned());
                known.insert(id.clone(), retired);
            }
        }
    }
    Ok(known.into_values().collect())
}

fn differ(kb: &KnowledgeBase, what: &str) -> Error {
    let message = format!("{} and another shard have different {what}", kb.path().display());
    Error::new(ErrorKind::Other, message).with_hint("put each concept into one shard, and calibrate one shard alone")
}

fn weighed_apart(one: &KnowledgeBase, other: &KnowledgeBase) -> Error {
    let [one, other] = [one, other].map(|kb| kb.path().display().to_string());
    let message = format!("{one} and {other} are not weighed by the names of the same shards");
    let weigh = HintPart::action("kb weigh").value(one).value(other);
    Error::new(ErrorKind::Other, message).with_hint(hint!["weigh all shards: ", weigh])
}
