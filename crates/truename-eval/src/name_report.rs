//! The evaluation of a linker by judged names: answers, scores and errors in one report.

use std::collections::BTreeMap;

use serde::Serialize;
use truename::{ConceptId, KnowledgeBase, Linker, Progress};
use truename_text::GoldName;

use crate::{Answer, Error, JudgedName, NameError, NameErrorKind, NameErrors, NameScores, NilTradeOff};

/// Number of names linked between two looks at the progress.
const PIECE: usize = 1024;

/// Scores and errors of judged names.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NameReport {
    /// The scores.
    #[serde(flatten)]
    pub scores: NameScores,
    /// Decisions at other NIL thresholds.
    pub nil_trade_off: Vec<NilTradeOff>,
    /// Number of errors by kind.
    pub error_kinds: BTreeMap<NameErrorKind, usize>,
    /// The commonest errors of each kind.
    pub errors: Vec<NameError>,
}

impl NameReport {
    /// Scores names. `names` returns the names of a concept, the preferred one first; `nil_share` is the expected share of names without a
    /// concept; `errors` the largest number of errors of each kind.
    ///
    /// # Errors
    /// The errors of `names`.
    pub fn of<E>(
        judged: &[JudgedName],
        names: impl Fn(&str) -> Result<Vec<String>, E>,
        nil_share: f64,
        errors: usize,
    ) -> Result<Self, E> {
        let NameErrors { kinds: error_kinds, errors: mut kept, .. } = NameErrors::of(judged, names)?;
        let mut counts: BTreeMap<NameErrorKind, usize> = BTreeMap::new();
        kept.retain(|error| {
            let count = counts.entry(error.kind).or_default();
            *count += 1;
            *count <= errors
        });
        let nil_trade_off = NilTradeOff::of(judged, nil_share);
        Ok(Self { scores: NameScores::of(judged), nil_trade_off, error_kinds, errors: kept })
    }
}

/// Gold names with the answers of a linker.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LinkedGold {
    /// The names, with the ids in use in the place of retired ones.
    pub judged: Vec<JudgedName>,
    /// Number of names that are longer than the window of a model.
    pub truncated: u64,
    /// Retired ids of the gold names, with the id that replaces each.
    pub retired: Vec<(ConceptId, Option<ConceptId>)>,
}

impl LinkedGold {
    /// Number of candidates that a linker gives each name, as the ranks need.
    pub const DEPTH: usize = 50;

    /// Links gold names.
    ///
    /// # Errors
    /// If the knowledge base or a model fails, or the work is stopped.
    pub fn new(linker: &Linker, mut gold: Vec<GoldName>, progress: &Progress) -> Result<Self, Error> {
        let mut linked = Self::default();
        for id in gold.iter_mut().flat_map(|gold| &mut gold.ids) {
            linked.replace_retired(id, linker.knowledge_base())?;
        }
        progress.begin("linking", gold.len() as u64);
        for piece in gold.chunks_mut(PIECE) {
            progress.check()?;
            let names: Vec<&str> = piece.iter().map(|gold| gold.name.as_str()).collect();
            let links = linker.link_names(&names)?;
            for (gold, link) in piece.iter_mut().zip(links) {
                linked.truncated += u64::from(link.is_truncated);
                let answers =
                    link.candidates.into_iter().map(|c| Answer { id: c.id.into(), probability: c.probability });
                let GoldName { name, ids: gold, name_type, .. } = std::mem::take(gold);
                linked.judged.push(JudgedName { name, gold, name_type, answers: answers.collect(), nil: link.is_nil });
            }
            progress.advance(piece.len() as u64);
        }
        Ok(linked)
    }

    /// Puts the id in use in the place of a retired one.
    fn replace_retired(&mut self, id: &mut String, kb: &KnowledgeBase) -> Result<(), Error> {
        let Ok(written) = id.parse::<ConceptId>() else { return Ok(()) };
        match kb.current_id(&written)? {
            Some(current) if current == written => {}
            Some(current) => {
                *id = current.to_string();
                self.retired.push((written, Some(current)));
            }
            None if kb.retired(&written)?.is_some() => self.retired.push((written, None)),
            None => {}
        }
        Ok(())
    }

    /// Reports the scores, as [`NameReport::of`] does, with the names of a knowledge base.
    ///
    /// # Errors
    /// If the knowledge base fails.
    pub fn report(&self, kb: &KnowledgeBase, nil_share: f64, errors: usize) -> Result<NameReport, Error> {
        // Judgements may name ids that the knowledge base does not have.
        let names = |id: &str| {
            let Ok(id) = id.parse::<ConceptId>() else { return Ok(Vec::new()) };
            match kb.concept(&id) {
                Ok(concept) => Ok(concept.names().map(str::to_owned).collect()),
                Err(error) if error.is_not_found() => Ok(Vec::new()),
                Err(error) => Err(error),
            }
        };
        NameReport::of(&self.judged, names, nil_share, errors)
    }
}
