//! The forms in which names stand in texts, as one automaton.

use fst::raw::{CompiledAddr, Fst};
use fst::{IntoStreamer, Set, SetBuilder, Streamer};
use heed::types::{Bytes, Str};
use heed::{Database, RoTxn, RwTxn};
use rayon::prelude::*;
use truename_text::written_forms;

use crate::Error;

/// The automaton of the last import or merge.
const BASE: &str = "base";
/// The forms that updates added to it.
const ADDED: &str = "added";
/// The added forms are merged into the base where they take more than this share of its bytes.
const MERGED_SHARE: usize = 8;

/// The forms in which the names of a store stand in texts ([`written_forms`]), as minimal automata in the
/// store's memory map; nothing is loaded.
///
/// Forms of names that an update removed stay until the next import: that a name still has a form is for
/// the lookup keys to tell.
pub struct Forms<'txn> {
    automata: Vec<Fst<&'txn [u8]>>,
}

/// How far a text has been read along the forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormState {
    /// The node in each automaton, where there still is one.
    nodes: [Option<CompiledAddr>; 2],
}

impl<'txn> Forms<'txn> {
    pub(crate) fn read(table: &Database<Str, Bytes>, read: &'txn RoTxn<'_>) -> Result<Self, Error> {
        let mut automata = Vec::with_capacity(2);
        for part in [BASE, ADDED] {
            automata.extend(table.get(read, part)?.map(Fst::new).transpose()?);
        }
        Ok(Self { automata })
    }

    /// Where every form begins.
    pub fn start(&self) -> FormState {
        let root = |at: usize| self.automata.get(at).map(|automaton| automaton.root().addr());
        FormState { nodes: [root(0), root(1)] }
    }

    /// Reads on, or nothing where no form goes on so.
    pub fn step(&self, state: FormState, text: &str) -> Option<FormState> {
        let mut next = FormState { nodes: [None; 2] };
        for ((automaton, node), reached) in self.automata.iter().zip(state.nodes).zip(&mut next.nodes) {
            *reached = node.and_then(|node| follow(automaton, node, text.as_bytes()));
        }
        next.nodes.iter().any(Option::is_some).then_some(next)
    }

    /// Whether a form ends here.
    pub fn is_form(&self, state: FormState) -> bool {
        let mut reached =
            self.automata.iter().zip(state.nodes).filter_map(|(automaton, node)| Some((automaton, node?)));
        reached.any(|(automaton, node)| automaton.node(node).is_final())
    }

    /// The size of the automata in bytes.
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

/// Stores the forms of all names in place of what was there.
pub(crate) fn build(table: &Database<Str, Bytes>, write: &mut RwTxn<'_>, names: &[String]) -> Result<(), Error> {
    table.clear(write)?;
    let mut forms: Vec<String> = names.par_iter().flat_map_iter(|name| written_forms(name)).collect();
    forms.par_sort_unstable();
    forms.dedup();
    Ok(table.put(write, BASE, &automaton(forms.iter().map(String::as_str))?)?)
}

/// Adds the forms of further names.
pub(crate) fn add<'a>(
    table: &Database<Str, Bytes>,
    write: &mut RwTxn<'_>,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    let base = match table.get(write, BASE)? {
        Some(bytes) => Set::new(bytes.to_vec())?,
        None => Set::default(),
    };
    let mut forms: Vec<String> = names.flat_map(written_forms).filter(|form| !base.contains(form)).collect();
    if forms.is_empty() {
        return Ok(());
    }
    forms.sort_unstable();
    forms.dedup();
    let new = Set::new(automaton(forms.iter().map(String::as_str))?)?;
    let added = match table.get(write, ADDED)? {
        Some(bytes) => merged(&Set::new(bytes)?, &new)?,
        None => new.into_fst().into_inner(),
    };
    if added.len() > base.as_fst().size() / MERGED_SHARE {
        table.put(write, BASE, &merged(&base, &Set::new(added)?)?)?;
        table.delete(write, ADDED)?;
    } else {
        table.put(write, ADDED, &added)?;
    }
    Ok(())
}

fn automaton<'a>(forms: impl Iterator<Item = &'a str>) -> Result<Vec<u8>, fst::Error> {
    let mut builder = SetBuilder::memory();
    builder.extend_iter(forms)?;
    builder.into_inner()
}

fn merged<A: AsRef<[u8]>, B: AsRef<[u8]>>(left: &Set<A>, right: &Set<B>) -> Result<Vec<u8>, fst::Error> {
    let mut union = left.op().add(right.into_stream()).union();
    let mut builder = SetBuilder::memory();
    while let Some(form) = union.next() {
        builder.insert(form)?;
    }
    builder.into_inner()
}
