use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_infer::Encoder;
use truename_text::stable_hash;

use crate::{Dataset, Error, Named};

/// How often the right concept is among the first, by the nearest of its names (CoSiNES, section 3.5); of concepts that are
/// as near the one whose id is lower comes first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Names asked for.
    pub names: usize,
    /// The share with the right concept first.
    #[serde(rename = "acc@1")]
    pub at_1: f64,
    /// The same among the first three.
    #[serde(rename = "acc@3")]
    pub at_3: f64,
    /// The same among the first five.
    #[serde(rename = "acc@5")]
    pub at_5: f64,
}

impl Accuracy {
    /// Asks an encoder for the names of a data set, searching at most `most_names` names; nothing where it asks for none.
    ///
    /// # Errors
    /// Where the encoder fails.
    pub fn of(encoder: &Encoder, dataset: &Dataset, most_names: usize) -> Result<Option<Self>, Error> {
        if dataset.queries().is_empty() {
            return Ok(None);
        }
        let concepts = searched(dataset, most_names);
        let (mut names, mut owners) = (Vec::new(), Vec::new());
        for (number, concept) in concepts.iter().enumerate() {
            names.extend(concept.names.iter().map(String::as_str));
            owners.resize(names.len(), number);
        }
        let number_of: HashMap<&str, usize> =
            concepts.iter().enumerate().map(|(number, concept)| (concept.id.as_str(), number)).collect();
        let vectors = encoder.encode(&names)?;
        let asked: Vec<&str> = dataset.queries().iter().map(|query| query.name.as_str()).collect();
        let asked_vectors = encoder.encode(&asked)?;
        let rank = |query: usize| {
            let mut best = vec![f32::MIN; concepts.len()];
            let vector = asked_vectors.row(query);
            for (name, owner) in owners.iter().enumerate() {
                let cosine = dot(vector, vectors.row(name));
                best[*owner] = best[*owner].max(cosine);
            }
            let before = |left: usize, right: usize| {
                let tie = || concepts[left].id.cmp(&concepts[right].id);
                best[right].total_cmp(&best[left]).then_with(tie).is_lt()
            };
            let gold = dataset.queries()[query].ids.iter().filter_map(|id| number_of.get(id.as_str()));
            let right = gold.copied().reduce(|one, other| if before(other, one) { other } else { one });
            let rank = |right| (0..concepts.len()).filter(|other| before(*other, right)).count();
            right.map_or(usize::MAX, rank)
        };
        let ranks: Vec<usize> = (0..asked.len()).into_par_iter().map(rank).collect();
        let share = |depth| ranks.iter().filter(|rank| **rank < depth).count() as f64 / ranks.len() as f64;
        Ok(Some(Self { names: asked.len(), at_1: share(1), at_3: share(3), at_5: share(5) }))
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The concepts of the knowledge base; where they have too many names, those asked for and a sample of the others.
fn searched(dataset: &Dataset, most_names: usize) -> Vec<&Named> {
    let gold: BTreeSet<&str> = dataset.queries().iter().flat_map(|query| &query.ids).map(String::as_str).collect();
    let mut concepts: Vec<&Named> = dataset.searched().iter().collect();
    if concepts.iter().map(|concept| concept.names.len()).sum::<usize>() <= most_names {
        return concepts;
    }
    concepts.sort_by_key(|concept| (!gold.contains(concept.id.as_str()), stable_hash(&concept.id)));
    let mut names = 0;
    let is_taken = |concept: &&&Named| {
        names += concept.names.len();
        gold.contains(concept.id.as_str()) || names <= most_names
    };
    concepts.iter().filter(is_taken).copied().collect()
}
