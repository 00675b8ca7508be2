//! Forms of names in texts, as one automaton.
//!
//! `kb update` writes the forms that are new, and those that no name has any more, to two small automata beside the
//! first, which are merged with it when they have grown. Measured against an Aho–Corasick automaton by
//! `truename-bench automata`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fst::raw::{CompiledAddr, Fst};
use fst::set::OpBuilder;
use fst::{IntoStreamer, Set, SetBuilder, Streamer};
use rayon::prelude::*;
use truename_storage::{Table, Transaction, WriteTransaction};
use truename_text::{stable_hash, written_forms};

use crate::{Error, NameIndex, error};

/// The automaton of the last import or merge.
const BASE: &str = "base";
/// The forms that updates added to it.
const ADDED: &str = "added";
/// The forms of the base that no name has any more.
const REMOVED: &str = "removed";
/// The changes are merged into the base where they take more than this share of its bytes.
const MERGED_SHARE: usize = 8;

/// Automaton without a form.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| Set::default().into_fst().into_inner());

#[derive(Clone, Copy)]
pub(crate) struct FormTables {
    /// [`BASE`], [`ADDED`] and [`REMOVED`] to an automaton.
    pub(crate) automata: Table<str, [u8]>,
    /// The hash of a form that several names have to their number.
    pub(crate) shared: Table<u64, u32>,
}

/// Forms of a store's names in texts ([`written_forms`]), as minimal automata in the
/// store's memory map; nothing is loaded.
pub struct Forms<'txn> {
    /// [`BASE`], [`ADDED`] and [`REMOVED`].
    automata: [Fst<&'txn [u8]>; 3],
}

/// State of a walk along the forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormState {
    /// The node in each automaton, where there still is one.
    nodes: [Option<CompiledAddr>; 3],
}

impl<'txn> Forms<'txn> {
    /// Compares the automata with the checksums that they end with.
    ///
    /// # Errors
    /// If one differs.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        self.automata.iter().try_for_each(Fst::verify).map_err(error::automaton)
    }

    /// Returns the state before the first character of a form.
    pub fn start(&self) -> FormState {
        let root = |automaton: &Fst<_>| (!automaton.is_empty()).then(|| automaton.root().addr());
        FormState { nodes: self.automata.each_ref().map(root) }
    }

    /// Returns the state after some more text; none where no form continues so.
    pub fn step(&self, state: FormState, text: &str) -> Option<FormState> {
        self.step_bytes(state, text.as_bytes())
    }

    fn step_bytes(&self, state: FormState, text: &[u8]) -> Option<FormState> {
        let mut next = FormState { nodes: [None; 3] };
        for ((automaton, node), reached) in self.automata.iter().zip(state.nodes).zip(&mut next.nodes) {
            *reached = node.and_then(|node| follow(automaton, node, text));
        }
        next.nodes.iter().any(Option::is_some).then_some(next)
    }

    /// Returns those of some endings, sorted, with which a form ends that continues here.
    pub fn endings<'e>(&self, state: FormState, endings: &'e [String]) -> Vec<&'e str> {
        let mut found = Vec::new();
        self.add_endings(state, endings, 0, &mut found);
        found
    }

    /// Adds the endings, which share their first `depth` bytes, up to the state.
    fn add_endings<'e>(&self, state: FormState, endings: &'e [String], depth: usize, found: &mut Vec<&'e str>) {
        let mut left = endings;
        while let Some(first) = left.first() {
            let Some(byte) = first.as_bytes().get(depth) else {
                found.extend(self.is_form(state).then_some(first.as_str()));
                left = &left[1..];
                continue;
            };
            let (alike, others) = left.split_at(left.partition_point(|one| one.as_bytes()[depth] <= *byte));
            if let Some(next) = self.step_bytes(state, &[*byte]) {
                self.add_endings(next, alike, depth + 1, found);
            }
            left = others;
        }
    }

    /// Returns true if a form ends here.
    pub fn is_form(&self, state: FormState) -> bool {
        let ends =
            |at: usize| state.nodes[at].is_some_and(|node: CompiledAddr| self.automata[at].node(node).is_final());
        ends(0) && !ends(2) || ends(1)
    }

    /// Returns the first `most` forms that begin with `prefix`, sorted.
    pub fn with_prefix(&self, prefix: &str, most: usize) -> Vec<String> {
        let [base, added, removed] = &self.automata;
        let mut forms = Vec::new();
        for automaton in [base, added] {
            let mut stream = automaton.range().ge(prefix).into_stream();
            let mut found = 0;
            while let Some((form, _)) = stream.next() {
                if found == most || !form.starts_with(prefix.as_bytes()) {
                    break;
                }
                if std::ptr::eq(automaton, base) && removed.contains_key(form) {
                    continue;
                }
                forms.extend(std::str::from_utf8(form).map(str::to_owned));
                found += 1;
            }
        }
        forms.sort_unstable();
        forms.dedup();
        forms.truncate(most);
        forms
    }

    fn has(&self, form: &str) -> bool {
        self.step(self.start(), form).is_some_and(|state| self.is_form(state))
    }

    /// Returns the size of the automata in bytes.
    pub fn size(&self) -> usize {
        self.automata.iter().map(Fst::size).sum()
    }
}

fn follow(automaton: &Fst<&[u8]>, from: CompiledAddr, text: &[u8]) -> Option<CompiledAddr> {
    let mut node = automaton.node(from);
    for byte in text {
        let transition = node.find_input(*byte)?;
        node = automaton.node(node.transition_addr(transition));
    }
    Some(node.addr())
}

impl FormTables {
    /// Returns the automata that a transaction sees.
    pub(crate) fn read<'txn>(&self, read: &'txn impl Transaction) -> Result<Forms<'txn>, Error> {
        let automaton = |part| Fst::new(self.automata.get(read, part)?.unwrap_or(&EMPTY)).map_err(error::automaton);
        Ok(Forms { automata: [automaton(BASE)?, automaton(ADDED)?, automaton(REMOVED)?] })
    }

    /// Stores the forms of all names, in place of earlier ones.
    pub(crate) fn build(&self, write: &mut WriteTransaction<'_>, names: &[String]) -> Result<(), Error> {
        self.clear(write)?;
        let mut forms: Vec<String> = names.par_iter().flat_map_iter(|name| written_forms(name)).collect();
        forms.par_sort_unstable();
        let shared = forms.chunk_by(|left, right| left == right).filter(|names| names.len() > 1);
        let mut shared: Vec<(u64, u32)> = shared.map(|names| (stable_hash(&names[0]), names.len() as u32)).collect();
        shared.sort_unstable();
        shared.dedup_by_key(|(hash, _)| *hash);
        for (form, names) in shared {
            self.shared.append(write, &form, &names)?;
        }
        forms.dedup();
        self.automata.put(write, BASE, &automaton(forms).map_err(error::automaton)?)
    }

    /// Removes the forms of old names and adds the forms of new ones.
    ///
    /// A form stays as long as a name has it. The automaton of an import is not written again for a few changes, which
    /// go into two small ones beside it.
    pub(crate) fn update(
        &self,
        write: &mut WriteTransaction<'_>,
        gone: &[(NameIndex, String)],
        new: &[(NameIndex, String)],
    ) -> Result<(), Error> {
        let mut changes: BTreeMap<String, i32> = BTreeMap::new();
        for (names, change) in [(gone, -1), (new, 1)] {
            for form in names.iter().flat_map(|(_, name)| written_forms(name)) {
                *changes.entry(form).or_default() += change;
            }
        }
        changes.retain(|_, change| *change != 0);
        if changes.is_empty() {
            return Ok(());
        }
        let forms = self.read(write)?;
        let (mut counts, mut added, mut removed) = (Vec::new(), Changes::default(), Changes::default());
        for (form, change) in changes {
            let hash = stable_hash(&form);
            let shared = self.shared.get(write, &hash)?;
            let before = shared.unwrap_or_else(|| u32::from(forms.has(&form)));
            let after = before.saturating_add_signed(change);
            if before.max(after) > 1 {
                counts.push((hash, after));
            }
            let in_base = forms.automata[0].contains_key(&form);
            match (before, after) {
                (0, 1..) if in_base => removed.minus.push(form),
                (0, 1..) => added.plus.push(form),
                (1.., 0) if in_base => removed.plus.push(form),
                (1.., 0) => added.minus.push(form),
                _ => {}
            }
        }
        let [base, old_added, old_removed] = forms.automata.map(|automaton| *automaton.as_inner());
        let [added, removed] =
            [added.apply(old_added), removed.apply(old_removed)].map(|set| set.map_err(error::automaton));
        let (added, removed) = (added?, removed?);
        let merged = (added.len() + removed.len() > base.len() / MERGED_SHARE).then(|| changed(base, &added, &removed));
        for (hash, names) in counts {
            if names > 1 {
                self.shared.put(write, &hash, &names)?;
            } else {
                self.shared.delete(write, &hash)?;
            }
        }
        if let Some(merged) = merged.transpose().map_err(error::automaton)? {
            self.automata.clear(write)?;
            return self.automata.put(write, BASE, &merged);
        }
        self.automata.put(write, ADDED, &added)?;
        self.automata.put(write, REMOVED, &removed)
    }

    /// Removes all forms.
    pub(crate) fn clear(&self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        self.automata.clear(write)?;
        self.shared.clear(write)
    }
}

/// Forms to add to a set and to take out of it, in order.
#[derive(Default)]
struct Changes {
    plus: Vec<String>,
    minus: Vec<String>,
}

impl Changes {
    fn apply(self, set: &[u8]) -> Result<Vec<u8>, fst::Error> {
        changed(set, &automaton(self.plus)?, &automaton(self.minus)?)
    }
}

fn automaton(forms: Vec<String>) -> Result<Vec<u8>, fst::Error> {
    Ok(Set::from_iter(forms)?.into_fst().into_inner())
}

/// Returns the automaton of a set with the forms of `plus` and without the forms of `minus`.
fn changed(set: &[u8], plus: &[u8], minus: &[u8]) -> Result<Vec<u8>, fst::Error> {
    let (set, plus, minus) = (Set::new(set)?, Set::new(plus)?, Set::new(minus)?);
    let mut forms = OpBuilder::new().add(set.op().add(&plus).union()).add(&minus).difference();
    let mut builder = SetBuilder::memory();
    while let Some(form) = forms.next() {
        builder.insert(form)?;
    }
    builder.into_inner()
}
