//! Accuracy of an encoder or of n-grams on names that a data set asks for (CoSiNES, section 3.5).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use truename::KnowledgeBase;
use truename_infer::Encoder;
use truename_infer::kernels::dot;
use truename_kb::Progress;
use truename_text::stable_hash;

use crate::{Dataset, Error, NamedConcept, Query, Scores};

/// Share of names whose right concept is among the first (CoSiNES, section 3.5).
///
/// Concepts are ranked by their nearest name; ties break by id.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Accuracy {
    /// Number of names asked for.
    pub names: usize,
    /// Share with the right concept first.
    pub at_1: f64,
    /// Share with the right concept among the first three.
    pub at_3: f64,
    /// Share with the right concept among the first five.
    pub at_5: f64,
}

/// The search that [`Accuracy::of`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccuracySearch {
    /// Largest number of names that are searched; those of concepts that are not asked for are left out first.
    pub max_names: usize,
    /// Number of nearest names that vote for their concepts, which are ranked by their votes first (NSEEN, section 5); 0 lets none
    /// vote.
    pub vote: usize,
    /// True if only the first name of each concept is searched, the preferred one unless it is held out (CoSiNES).
    pub preferred: bool,
}

impl Default for AccuracySearch {
    /// All names, and no vote.
    fn default() -> Self {
        Self { max_names: usize::MAX, vote: 0, preferred: false }
    }
}

impl Accuracy {
    /// Name of the share with the right concept first.
    pub const AT_1: &'static str = "acc@1";

    /// The shares by name.
    pub fn scores(self) -> Scores {
        let values = [(Self::AT_1, self.at_1), ("acc@3", self.at_3), ("acc@5", self.at_5)];
        Scores { names: self.names, values: values.map(|(name, value)| (name.to_owned(), value)).into() }
    }

    /// Measures an encoder on the names that a data set asks for; `None` where it asks for none.
    ///
    /// # Errors
    /// Where the encoder fails, or the work is stopped.
    pub fn of(
        encoder: &Encoder,
        dataset: &Dataset,
        search: &AccuracySearch,
        progress: &Progress,
    ) -> Result<Option<Self>, Error> {
        if dataset.queries().is_empty() {
            return Ok(None);
        }
        let AccuracySearch { max_names, vote, preferred } = *search;
        let of_concept = if preferred { 1 } else { usize::MAX };
        let concepts = searched(dataset, max_names, of_concept);
        let (mut names, mut owners) = (Vec::new(), Vec::new());
        for (number, concept) in concepts.iter().enumerate() {
            names.extend(concept.names.iter().map(String::as_str).take(of_concept));
            owners.resize(names.len(), number);
        }
        let number_of: HashMap<&str, usize> =
            concepts.iter().enumerate().map(|(number, concept)| (concept.id.as_str(), number)).collect();
        let vectors = encoded(encoder, &names, progress)?;
        // Mentions in texts repeat.
        let mut times: BTreeMap<&Query, usize> = BTreeMap::new();
        dataset.queries().iter().for_each(|query| *times.entry(query).or_default() += 1);
        let asked: Vec<(&Query, usize)> = times.into_iter().collect();
        let asked_names: Vec<&str> = asked.iter().map(|(query, _)| query.name.as_str()).collect();
        let asked_vectors = encoded(encoder, &asked_names, progress)?;
        let width = encoder.dimensions();
        let rank = |query: usize| {
            progress.check()?;
            let vector = &asked_vectors[query * width..][..width];
            let cosines: Vec<f32> = vectors.chunks_exact(width).map(|name| dot::<1>(vector, name)).collect();
            let mut best = vec![f32::MIN; concepts.len()];
            cosines.iter().zip(&owners).for_each(|(cosine, owner)| best[*owner] = best[*owner].max(*cosine));
            let votes = votes(&cosines, &owners, vote);
            let before = |left: usize, right: usize| {
                let of = |concept: usize| votes.get(&concept).copied().unwrap_or(0);
                let tie = || concepts[left].id.cmp(&concepts[right].id);
                of(right).cmp(&of(left)).then(best[right].total_cmp(&best[left])).then_with(tie).is_lt()
            };
            let gold = asked[query].0.ids.iter().filter_map(|id| number_of.get(id.as_str()));
            let right = gold.copied().reduce(|one, other| if before(other, one) { other } else { one });
            let rank = |right| (0..concepts.len()).filter(|other| before(*other, right)).count();
            Ok(right.map_or(usize::MAX, rank))
        };
        let ranks: Vec<usize> = (0..asked.len()).into_par_iter().map(rank).collect::<Result<_, Error>>()?;
        let repeated = asked.iter().zip(&ranks).flat_map(|((_, times), rank)| std::iter::repeat_n(*rank, *times));
        Ok(Some(Self::of_ranks(&repeated.collect::<Vec<_>>())))
    }

    /// Measures the character n-grams of a knowledge base (TF-IDF) on the names that a data set asks for.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn of_ngrams(kb: &KnowledgeBase, dataset: &Dataset) -> Result<Self, Error> {
        /// Names looked at, of which several may be of one concept.
        const NEAR: usize = 500;
        let rank = |query: &Query| -> Result<usize, Error> {
            let mut seen = Vec::new();
            for near in kb.nearest_by_ngrams(&query.name, NEAR)? {
                if query.ids.iter().any(|id| near.id == *id.as_str()) {
                    return Ok(seen.len());
                }
                if !seen.contains(&near.id) {
                    seen.push(near.id);
                }
            }
            Ok(usize::MAX)
        };
        let ranks: Vec<usize> = dataset.queries().par_iter().map(rank).collect::<Result<_, _>>()?;
        Ok(Self::of_ranks(&ranks))
    }

    fn of_ranks(ranks: &[usize]) -> Self {
        let names = ranks.len();
        let share = |depth| ranks.iter().filter(|rank| **rank < depth).count() as f64 / names as f64;
        Self { names, at_1: share(1), at_3: share(3), at_5: share(5) }
    }
}

/// Returns the vectors of names, one after the other.
fn encoded(encoder: &Encoder, names: &[&str], progress: &Progress) -> Result<Vec<f32>, Error> {
    /// Names encoded between two checks of the switch.
    const TOGETHER: usize = 1024;
    let mut vectors = Vec::with_capacity(names.len() * encoder.dimensions());
    for names in names.chunks(TOGETHER) {
        progress.check()?;
        vectors.extend(encoder.encode(names)?.into_vec());
    }
    Ok(vectors)
}

/// Returns how many of the nearest names each owner has.
fn votes(cosines: &[f32], owners: &[usize], nearest: usize) -> HashMap<usize, usize> {
    if nearest == 0 {
        return HashMap::new();
    }
    let mut order: Vec<usize> = (0..cosines.len()).collect();
    let nearer = |left: &usize, right: &usize| cosines[*right].total_cmp(&cosines[*left]).then(left.cmp(right));
    if nearest < order.len() {
        order.select_nth_unstable_by(nearest, nearer);
        order.truncate(nearest);
    }
    let mut votes = HashMap::new();
    order.iter().for_each(|name| *votes.entry(owners[*name]).or_default() += 1);
    votes
}

/// Returns the concepts of the knowledge base; where they have too many names, those asked for and a sample of the others.
fn searched(dataset: &Dataset, max_names: usize, of_concept: usize) -> Vec<&NamedConcept> {
    let count = |concept: &NamedConcept| concept.names.len().min(of_concept);
    let gold: BTreeSet<&str> = dataset.queries().iter().flat_map(|query| &query.ids).map(String::as_str).collect();
    let mut concepts: Vec<&NamedConcept> = dataset.searched().iter().collect();
    if concepts.iter().map(|concept| count(concept)).sum::<usize>() <= max_names {
        return concepts;
    }
    concepts.sort_by_key(|concept| (!gold.contains(concept.id.as_str()), stable_hash(&concept.id)));
    let mut names = 0;
    let is_taken = |concept: &&&NamedConcept| {
        names += count(concept);
        gold.contains(concept.id.as_str()) || names <= max_names
    };
    concepts.iter().filter(is_taken).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_vote() {
        let (cosines, owners) = ([0.9, 0.2, 0.8, 0.7, 0.1], [0, 0, 1, 1, 2]);
        assert_eq!(votes(&cosines, &owners, 3), HashMap::from([(0, 1), (1, 2)]));
        assert_eq!(votes(&cosines, &owners, 9), HashMap::from([(0, 2), (1, 2), (2, 1)]));
        assert!(votes(&cosines, &owners, 0).is_empty());
    }
}
