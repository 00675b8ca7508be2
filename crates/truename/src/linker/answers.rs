//! Answers to names, each name ranked once: in a call, and at a version of the store by linkers that share a memory.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::vectors::NameVectors;
use super::{LONGEST_NAME_BYTES, LinkCall, LinkOptions, Linker};
use crate::memo::Memo;
use crate::{Error, Link};

/// The ranked answer to a name.
pub(super) struct NameAnswer {
    pub(super) link: Arc<Link>,
    /// Types of the candidates, once a document asked for them.
    pub(super) types: OnceLock<Vec<Vec<String>>>,
}

/// Answers to some names.
pub(super) struct NameAnswers<'n> {
    pub(super) of: HashMap<&'n str, Arc<NameAnswer>>,
    /// Number of distinct names that were not remembered.
    pub(super) searched: usize,
}

/// Remembered answers to names, and vectors of names.
#[derive(Clone)]
pub(super) struct Answers {
    memo: Arc<Memo<Arc<NameAnswer>>>,
    pub(super) vectors: Arc<NameVectors>,
    /// Number of a linker that no other has: its options decide its answers.
    linker: u64,
    bounds: (usize, usize),
}

impl Answers {
    pub(super) fn new(options: &LinkOptions) -> Self {
        let bounds = (options.remembered_answers, options.remembered_bytes);
        let memo = Arc::new(Memo::with_bounds(bounds.0, bounds.1));
        let vectors = Arc::new(NameVectors::with_bounds(bounds.0, bounds.1));
        Self { memo, vectors, linker: next_linker(), bounds }
    }

    /// Returns the memory for another linker, shared if it has the same bounds.
    pub(super) fn for_options(&self, options: &LinkOptions) -> Self {
        match self.bounds == (options.remembered_answers, options.remembered_bytes) {
            true => Self { linker: next_linker(), ..self.clone() },
            false => Self::new(options),
        }
    }
}

fn next_linker() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Linker {
    /// Ranks the distinct ones of some names that are not remembered.
    pub(super) fn answers<'n>(
        &self,
        call: &LinkCall<'_>,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<NameAnswers<'n>, Error> {
        let (memo, version) = (&self.answers.memo, call.version());
        // Models that read contexts need more candidates of a name, and names in documents may have another threshold.
        let prefix = format!("{} {} {} ", self.answers.linker, call.depth(), call.threshold());
        let key_of = |name: &str| format!("{prefix}{name}");
        let (mut of, mut unknown, mut seen) = (HashMap::new(), Vec::new(), HashSet::new());
        for name in names {
            if !seen.insert(name) {
                continue;
            }
            match memo.known(version, &key_of(name)) {
                Some(answer) => drop(of.insert(name, answer)),
                None => unknown.push(name),
            }
        }
        let searched = unknown.len();
        let mut ranked = call.rank(&unknown)?;
        if self.options.composites {
            self.add_composites(call, &mut ranked)?;
        }
        for (name, mut link) in unknown.iter().zip(ranked) {
            // The ranker had room for many more.
            link.candidates.shrink_to_fit();
            let answer = Arc::new(NameAnswer { link: Arc::new(link), types: OnceLock::new() });
            // A text that is too long for a name is answered at once.
            if name.len() <= LONGEST_NAME_BYTES {
                memo.insert(version, &key_of(name), Arc::clone(&answer), answer.link.bytes());
            }
            of.insert(name, answer);
        }
        Ok(NameAnswers { of, searched })
    }
}
