//! Answers to names that were asked for before.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use truename::{Error, LONGEST_NAME_BYTES, Link, Linker, Query};

/// Bounds of the remembered answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cache {
    /// Most answers.
    pub answers: usize,
    /// Most bytes of all of them.
    pub bytes: usize,
}

/// Remembered answers of some linkers, all of one version of the knowledge base.
pub(crate) struct Answers(Mutex<AnswerCache>);

struct AnswerCache {
    version: u64,
    /// By the number of the linker and the name.
    links: LruCache<(u64, String), Remembrance>,
    /// Bytes of all answers.
    bytes: usize,
    most_bytes: usize,
}

struct Remembrance {
    link: Arc<Link>,
    bytes: usize,
}

/// Answers to a batch of names.
pub(crate) struct NameAnswers {
    pub links: Vec<Arc<Link>>,
    /// Number of names that were remembered.
    pub remembered: usize,
}

impl Answers {
    pub fn new(Cache { answers, bytes: most_bytes }: Cache) -> Self {
        let links = LruCache::new(NonZeroUsize::new(answers).unwrap_or(NonZeroUsize::MIN));
        Self(Mutex::new(AnswerCache { version: 0, links, bytes: 0, most_bytes }))
    }

    /// Links names by a linker with a number, all to one version of the knowledge base.
    ///
    /// # Errors
    /// As [`Linker::link`].
    pub fn link(&self, number: u64, linker: &Linker, names: &[&str]) -> Result<NameAnswers, Error> {
        let version = linker.knowledge_base().version()?;
        let mut known = self.known(version, number, names);
        let mut remembered = known.iter().flatten().count();
        if remembered == names.len() {
            return Ok(NameAnswers { remembered, links: known.into_iter().flatten().collect() });
        }
        let (mut of, mut links) = search(linker, names, &known)?;
        if of != version && remembered > 0 {
            // The knowledge base changed between the two: what was remembered is of another version.
            (known, remembered) = (vec![None; names.len()], 0);
            (of, links) = search(linker, names, &known)?;
        }
        self.remember(of, number, &links);
        let mut links = links.into_iter();
        let links = known.into_iter().filter_map(|link| link.or_else(|| links.next())).collect();
        Ok(NameAnswers { links, remembered })
    }

    fn known(&self, version: u64, number: u64, names: &[&str]) -> Vec<Option<Arc<Link>>> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.version != version {
            return vec![None; names.len()];
        }
        let mut known = |name: &str| Some(Arc::clone(&remembered.links.get(&(number, name.to_owned()))?.link));
        names.iter().map(|name| known(name)).collect()
    }

    fn remember(&self, version: u64, number: u64, links: &[Arc<Link>]) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if version > remembered.version {
            remembered.links.clear();
            remembered.bytes = 0;
            remembered.version = version;
        }
        if version == remembered.version {
            links.iter().for_each(|link| remembered.put(number, link));
        }
    }
}

impl AnswerCache {
    /// Remembers an answer, and forgets those that were asked for least lately where there is no room.
    fn put(&mut self, number: u64, link: &Arc<Link>) {
        // The name is also the key.
        let bytes = link.bytes() + link.name.len();
        if bytes > self.most_bytes || link.name.len() > LONGEST_NAME_BYTES {
            return;
        }
        let remembrance = Remembrance { link: Arc::clone(link), bytes };
        self.bytes += bytes;
        if let Some((_, old)) = self.links.push((number, link.name.clone()), remembrance) {
            self.bytes -= old.bytes;
        }
        while self.bytes > self.most_bytes {
            let Some((_, oldest)) = self.links.pop_lru() else { return };
            self.bytes -= oldest.bytes;
        }
    }
}

/// Links the names that are not known; returns the version of the knowledge base too.
fn search(linker: &Linker, names: &[&str], known: &[Option<Arc<Link>>]) -> Result<(u64, Vec<Arc<Link>>), Error> {
    let unknown = names.iter().zip(known).filter(|(_, known)| known.is_none());
    let queries: Vec<Query<'_>> = unknown.map(|(name, _)| Query::new(name)).collect();
    let (version, links) = linker.link_versioned(&queries)?;
    Ok((version, links.into_iter().map(Arc::new).collect()))
}
