use std::sync::Arc;

use crate::Placeholders;

/// Options of a [`Linker`](crate::Linker).
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// True if the encoder reads a mention in its sentence, where the query has a document and the mention is written as the query's
    /// name; else it reads names alone, as it does the names of the knowledge base. An encoder of characters fails.
    pub encode_in_context: bool,
    /// Texts such as numbers, dates and `unknown` that stand for no name. Such a text is answered NIL, with no
    /// candidate, unless a concept has exactly this name. `None` links every text.
    pub placeholders: Option<Arc<Placeholders>>,
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
        }
    }
}

impl LinkOptions {
    /// Share of names without a concept that is expected by default.
    pub const NIL_SHARE: f64 = 0.1;

    /// Sets the number of candidates given for each name.
    #[must_use]
    pub fn top(self, top: usize) -> Self {
        Self { top, ..self }
    }

    /// Sets the probability below which the answer is NIL; `None` for the fitted threshold.
    #[must_use]
    pub fn min_probability(self, min_probability: Option<f64>) -> Self {
        Self { min_probability, ..self }
    }

    /// Sets the expected share of names without a concept, from which the fitted threshold follows.
    #[must_use]
    pub fn nil_share(self, nil_share: f64) -> Self {
        Self { nil_share, ..self }
    }

    /// Sets the types of the concepts that may be answered; empty for all.
    #[must_use]
    pub fn types(self, types: Vec<String>) -> Self {
        Self { types, ..self }
    }

    /// Sets the sources whose aliases are left out; `*` stands for all.
    #[must_use]
    pub fn without_aliases(self, without_aliases: Vec<String>) -> Self {
        Self { without_aliases, ..self }
    }

    /// Sets the number of nearest names that vote for their concepts.
    #[must_use]
    pub fn vote(self, vote: usize) -> Self {
        Self { vote, ..self }
    }

    /// Sets whether each answer is explained in words.
    #[must_use]
    pub fn explain(self, explain: bool) -> Self {
        Self { explain, ..self }
    }

    /// Sets whether the encoder reads mentions in their sentences.
    #[must_use]
    pub fn encode_in_context(self, encode_in_context: bool) -> Self {
        Self { encode_in_context, ..self }
    }

    /// Sets the texts that stand for no name; `None` links every text.
    #[must_use]
    pub fn placeholders(self, placeholders: Option<Arc<Placeholders>>) -> Self {
        Self { placeholders, ..self }
    }
}
