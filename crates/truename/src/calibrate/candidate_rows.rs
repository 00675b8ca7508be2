//! Candidates of examples, with their features.

use std::collections::HashSet;

use truename_kb::ConceptIndex;
use truename_text::{NameProfile, NormalizedName, has_part};

use super::held_out::Example;
use crate::call::Call;
use crate::feature::CandidateFeatures;
use crate::generator::{Dense, Scope};
use crate::retrieval::{Nearest, PIECE, Retriever};
use crate::{Error, KnowledgeBase, Progress};

/// Number of hard negatives a name: its nearest wrong candidates.
const HARD_NEGATIVES: usize = 12;
/// Number of farther candidates sampled as negatives; their sampling weights represent all of them. They show the
/// similarity that a name has to most of its candidates.
const SAMPLED_NEGATIVES: usize = 12;

/// Features of an example's candidates.
pub(super) struct CandidateRows {
    pub(super) rows: Vec<f32>,
    pub(super) sampling_weights: Vec<f32>,
    pub(super) answer: Option<usize>,
    /// True if the only concept with the exact name is right; `None` if the ranker decides.
    pub(super) resolved: Option<bool>,
}

/// Computes the features of all examples' candidates on all threads. Also returns the number of queries longer than the
/// encoder's window.
pub(super) fn observe_all(
    examples: &[Example],
    kb: &KnowledgeBase,
    call: &Call<'_>,
    progress: &Progress,
) -> Result<(Vec<CandidateRows>, usize), Error> {
    let queries: Vec<&str> = examples.iter().map(|example| example.query.as_str()).collect();
    let encoded = kb.encoder()?.map(|encoder| encoder.encode(&queries)).transpose()?;
    let observed = call.in_pieces(examples, PIECE, |snapshot, first, piece| {
        progress.check()?;
        progress.advance(piece.len() as u64);
        let nearest = match (kb.vectors(snapshot)?, &encoded) {
            (Some(reader), Some(encoded)) => {
                let vectors = (first..first + piece.len()).map(|at| encoded.row(at)).collect();
                let hidden = piece.iter().map(|example| example.hidden.len()).max().unwrap_or(0);
                Some(Nearest::search(reader, snapshot, vectors, None, hidden)?.complete())
            }
            _ => None,
        };
        let mut observer = Observer(Retriever::new(kb, snapshot));
        let observe = |(at, example): (usize, &Example)| {
            observer.observe(example, nearest.as_ref().and_then(|nearest| nearest.of(at)))
        };
        piece.iter().enumerate().map(observe).collect()
    })?;
    let truncated = encoded.map_or(0, |encoded| encoded.truncated().len());
    Ok((observed, truncated))
}

/// Observes examples one after another with the same snapshot and buffers.
struct Observer<'a>(Retriever<'a>);

impl Observer<'_> {
    fn observe(&mut self, example: &Example, dense: Option<Dense<'_>>) -> Result<CandidateRows, Error> {
        let query = NameProfile::new(&example.query);
        let scope = Scope { hidden: &example.hidden, dense, ..self.0.scope() };
        let found = self.0.retrieve(&query, scope, true, &[])?;
        let Some((_, mut featured)) = found.featured else {
            let resolved = found.sole.map(|sole| example.answers.contains(&sole));
            return Ok(CandidateRows { rows: Vec::new(), sampling_weights: Vec::new(), answer: None, resolved });
        };
        let answers = match &example.part {
            Some(part) => &self.with_most_names(part, &featured)?,
            None => &example.answers,
        };
        let is_right = |concept: ConceptIndex| answers.contains(&concept);
        featured.sort_by(|left, right| {
            let order = |candidate: &CandidateFeatures| (is_right(candidate.concept), candidate.proposal.key);
            let nearness =
                |candidate: &CandidateFeatures| candidate.proposal.ngram + candidate.dense.unwrap_or_default();
            let by_nearness = nearness(right).total_cmp(&nearness(left));
            order(right).cmp(&order(left)).then(by_nearness)
        });
        // Of several right candidates, only the nearest is kept; the others are not used as negatives.
        let right = featured.iter().take_while(|candidate| is_right(candidate.concept)).count();
        featured.drain(1.min(right)..right);
        let (sampled, sampling_weights) = sampled(featured.len());
        let rows = sampled.into_iter().flat_map(|place| featured[place].row.iter().copied()).collect();
        Ok(CandidateRows { rows, sampling_weights, answer: (right > 0).then_some(0), resolved: None })
    }

    /// Returns the candidates with most names that contain this part: the likeliest origins of the part.
    fn with_most_names(&self, part: &str, candidates: &[CandidateFeatures]) -> Result<HashSet<ConceptIndex>, Error> {
        let part = NormalizedName::new(part);
        let (mut most, mut found) = (1, HashSet::new());
        for candidate in candidates {
            let mut count = 0;
            for name in self.0.snapshot.concept_names(candidate.concept)?.1 {
                count += usize::from(has_part(&NormalizedName::new(self.0.snapshot.name(name)?.1), &part));
            }
            if count > most {
                (most, found) = (count, HashSet::new());
            }
            if count == most {
                found.insert(candidate.concept);
            }
        }
        Ok(found)
    }
}

/// Samples candidates to learn from. Returns their places in the order of nearness, and their sampling weights.
fn sampled(candidates: usize) -> (Vec<usize>, Vec<f32>) {
    let near = candidates.min(HARD_NEGATIVES + 1);
    let farther = candidates - near;
    let drawn = farther.min(SAMPLED_NEGATIVES);
    let places = (0..near).chain((0..drawn).map(|number| near + number * farther / drawn)).collect();
    let sampling_weights =
        std::iter::repeat_n(1.0, near).chain(std::iter::repeat_n(farther as f32 / drawn as f32, drawn));
    (places, sampling_weights.collect())
}

#[cfg(test)]
mod tests {
    use truename_kb::NameIndex;

    use super::*;
    use crate::Concept;

    #[test]
    fn sampled_candidates_represent_all() {
        for candidates in [0, 1, 13, 20, 25, 26, 100] {
            let (places, sampling_weights) = sampled(candidates);
            assert!(places.is_sorted_by(|left, right| left < right) && places.len() <= 25, "{places:?}");
            assert!(
                (sampling_weights.iter().sum::<f32>() - candidates as f32).abs() < 1e-3
                    && places.len() == sampling_weights.len()
            );
        }
        assert_eq!(sampled(37).0[13..], [13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35]);
    }

    #[test]
    fn whoever_has_most_names_with_a_part_is_right() {
        let folder = tempfile::tempdir().unwrap();
        let names = [["MAP1 LC3 A", "protein LC3 A"], ["MAP1 LC3 B", "protein LC3 B"], ["LC3 synthase", "small LC3"]];
        let concepts = names.iter().enumerate().map(|(number, [name, synonym])| {
            let mut concept = Concept::new(format!("P:{number}").parse().unwrap(), *name);
            concept.synonyms = vec![(*synonym).to_owned()];
            concept
        });
        let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
        let snapshot = kb.store.snapshot().unwrap();
        let observer = Observer(Retriever::new(&kb, &snapshot));
        let candidate = |number| CandidateFeatures {
            concept: ConceptIndex(number),
            name: NameIndex(0),
            proposal: Default::default(),
            dense: None,
            row: Vec::new(),
        };
        let found = observer.with_most_names("LC3", &[2, 0, 1].map(candidate)).unwrap();
        assert_eq!(found, HashSet::from([ConceptIndex(0), ConceptIndex(1)]));
        assert!(observer.with_most_names("sma", &[0, 1, 2].map(candidate)).unwrap().is_empty());
    }
}
