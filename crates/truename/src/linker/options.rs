//! Options of a linker: how many candidates, which concepts, when NIL, what is remembered.

use std::sync::Arc;

use crate::memo::{MAX_ANSWERS, MAX_BYTES};
use crate::{AssertionRules, Placeholders, StopNames};

/// Options of a [`Linker`](crate::Linker).
///
/// ```
/// use truename::LinkOptions;
///
/// let options = LinkOptions { top: 3, explain: true, ..LinkOptions::default() };
/// # assert!(options.abbreviations);
/// ```
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// Number of candidates given for each name.
    pub top: usize,
    /// Probability below which the answer is NIL; `None` for the fitted threshold.
    pub min_probability: Option<f64>,
    /// Expected share of names without a concept, from which the fitted threshold follows.
    pub nil_share: f64,
    /// Types of the concepts that may be answered; empty for all.
    pub types: Vec<String>,
    /// Sources whose aliases are left out, `*` for all.
    pub without_aliases: Vec<String>,
    /// Number of nearest names by vectors that vote for their concepts: a candidate's probability is its share of their cosines, in
    /// place of that by the ranker, unless one concept alone has the very name. 0 lets the ranker decide, as do queries without
    /// vectors. More than 32 count as 32. The NIL threshold stays that of the ranker.
    pub vote: usize,
    /// True if each answer is explained in words.
    pub explain: bool,
    /// True if an encoder that did not learn it reads a mention in its sentence too, where the query has a document, with the query's name in
    /// the place of the mention; else it reads names alone, as it does the names of the knowledge base. An encoder of characters fails.
    pub encode_in_context: bool,
    /// Texts such as numbers, dates and `unknown` that stand for no name. Such a text is answered NIL, with no
    /// candidate, unless a concept has exactly this name. `None` links every text.
    pub placeholders: Option<Arc<Placeholders>>,
    /// Names that are never mentions of documents.
    pub stop_names: Arc<StopNames>,
    /// True if mentions within mentions of a document are kept.
    pub nested: bool,
    /// True if coordinations (`breast and ovarian cancer`) are read as each of their names that the knowledge base has: in documents each is
    /// a mention, and a name that consists of several is answered by the ids of all (`A|B`).
    pub composites: bool,
    /// True if abbreviations that a document defines are expanded.
    pub abbreviations: bool,
    /// Answer to a name of a document that several concepts share.
    pub ambiguous: Ambiguous,
    /// True if the mentions of a document that are written alike have one answer.
    pub one_sense: bool,
    /// Gain in the logit of a candidate that is the certain answer of a mention with another name in the document.
    pub neighbours: f64,
    /// True if a mention's candidates have the type that the recognizer or the document gave it, where concepts have that type.
    pub typed: bool,
    /// Type of mentions whose recognizer, document and concept have none; `None` leaves them without a type.
    pub type_name: Option<String>,
    /// Triggers that tell what a document says of its mentions ([`LinkedMention::assertions`](crate::LinkedMention::assertions));
    /// those of English by default. `None` tells nothing.
    pub assertions: Option<Arc<AssertionRules>>,
    /// True if mentions that the document does not affirm are left out ([`Assertions::is_affirmed`](crate::Assertions::is_affirmed)).
    pub asserted: bool,
    /// Memory for the answers to names, in bytes, so that a repeated name is ranked once, and as much for the vectors of names where there
    /// is an encoder. Linkers made of each other share both if they have the same bounds.
    pub remembered_bytes: usize,
    /// Number of answers to names that are remembered, and of vectors.
    pub remembered_answers: usize,
}

impl Default for LinkOptions {
    fn default() -> Self {
        let placeholders = Some(Arc::new(Placeholders::default()));
        let nil_share = Self::NIL_SHARE;
        Self {
            top: 5,
            min_probability: None,
            nil_share,
            types: Vec::new(),
            without_aliases: Vec::new(),
            vote: 0,
            explain: false,
            encode_in_context: false,
            placeholders,
            stop_names: Arc::default(),
            nested: false,
            composites: false,
            abbreviations: true,
            ambiguous: Ambiguous::default(),
            one_sense: false,
            neighbours: 0.0,
            typed: false,
            type_name: None,
            assertions: Some(AssertionRules::english()),
            asserted: false,
            remembered_bytes: Self::REMEMBERED_BYTES,
            remembered_answers: MAX_ANSWERS,
        }
    }
}

impl LinkOptions {
    /// Share of names without a concept that is expected by default.
    pub const NIL_SHARE: f64 = 0.1;
    /// The default of [`LinkOptions::remembered_bytes`]: 32 MiB.
    pub const REMEMBERED_BYTES: usize = MAX_BYTES;
}

/// Answer to a name that several concepts share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ambiguous {
    /// The concept that the document also mentions by another name, else the likeliest by the ranker.
    #[default]
    Best,
    /// As `Best`, but all concepts that share the name stay among the candidates, whatever number is asked for.
    All,
    /// Always NIL.
    Nil,
}
