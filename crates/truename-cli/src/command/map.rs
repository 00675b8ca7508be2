//! `truename map`.

use std::collections::{BinaryHeap, HashSet};
use std::path::Path;
use std::sync::Arc;

use truename::{Concept, ConceptId, Encoder, KnowledgeBase};
use truename_plot::map::{ChosenConcept, DrawnNear, Picture, Point, Role, page, svg};
use truename_read::{Source, SourceOptions, files};
use truename_text::SplitMix64;

use crate::arguments::Map;
use crate::command::{embed, open_kb};
use crate::count::{counted, grouped};
use crate::problems::say_truncated;
use crate::tsne::Tsne;
use crate::{atomic_file, interrupt};

/// Largest number of names in a picture; the layout compares each with all others.
const MAX_POINTS: usize = 5000;
/// Concepts drawn for a query that is near none of those asked for, and the nearest names among which they are sought.
const NEAR_CONCEPTS: usize = 3;
const NEAR_NAMES: usize = 100;
/// Names listed as nearest to a query.
const LISTED_NAMES: usize = 3;

pub fn run(arguments: &Map, quiet: bool) -> anyhow::Result<()> {
    let kb = open_kb(&arguments.kb)?;
    let encoder = match &arguments.encoder {
        Some(folder) => Arc::new(arguments.adapter.open(folder)?),
        None => embed::own_encoder(&kb)?,
    };
    let kb = for_queries(kb, &encoder)?;
    let queries = queries(arguments)?;
    let concepts = chosen(&kb, &arguments.concepts, &queries, quiet)?;
    let sample = sample(&kb, &concepts, arguments)?;
    let names = Names::new(sample, &concepts, queries);
    names.check_count()?;
    let vectors = encoder.encode(&names.texts)?;
    if !quiet {
        say_truncated(vectors.truncated().len() as u64);
    }
    let vectors: Vec<&[f32]> = vectors.rows().collect();
    let tsne = Tsne { perplexity: arguments.perplexity, seed: arguments.seed };
    let Some(places) = tsne.lay_out(&vectors, interrupt::asked) else { return interrupt::check() };
    let summary = names.summary(concepts.len());
    let picture = Picture {
        title: title(arguments, &encoder),
        caption: caption(&tsne, names.texts.len()),
        points: names.points(&places, &vectors, &concepts),
        concepts: concepts.iter().map(in_legend).collect(),
    };
    write(&picture, &arguments.out)?;
    if !quiet {
        crate::say!("{summary}");
    }
    Ok(())
}

/// Returns the knowledge base with the encoder in use, if its vectors are by this encoder.
fn for_queries(kb: KnowledgeBase, encoder: &Arc<Encoder>) -> Result<KnowledgeBase, truename::Error> {
    match kb.check_encoder(encoder) {
        Ok(()) => kb.with_encoder(Arc::clone(encoder)),
        Err(error) if error.is_encoder_mismatch() => Ok(kb.without_encoder()),
        Err(error) => Err(error),
    }
}

/// Returns the names asked for, each once.
fn queries(arguments: &Map) -> anyhow::Result<Vec<String>> {
    let mut queries = arguments.name.clone();
    if let Some(path) = &arguments.names {
        for file in files(path)? {
            queries.extend(read_lines(&file)?);
        }
    }
    let mut seen = HashSet::new();
    let queries = queries.into_iter().map(|name| name.trim().to_owned());
    let queries: Vec<String> = queries.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect();
    anyhow::ensure!(!queries.is_empty() || !arguments.concepts.is_empty(), "there is no name to draw");
    Ok(queries)
}

fn read_lines(path: &Path) -> anyhow::Result<Vec<String>> {
    Ok(Source::open(path, &SourceOptions::default())?.into_string()?.lines().map(str::to_owned).collect())
}

/// Returns the concepts asked for, and those near to queries whose nearest concept is none of these.
fn chosen(kb: &KnowledgeBase, asked: &[ConceptId], queries: &[String], quiet: bool) -> anyhow::Result<Vec<Concept>> {
    let mut ids: Vec<ConceptId> = asked.to_vec();
    if !queries.is_empty() && kb.encoder()?.is_none() && !quiet {
        crate::say!("the knowledge base has no vectors by this encoder; the nearest concepts are found by letters");
        crate::say!("hint: `truename kb embed` makes the vectors");
    }
    for query in queries {
        let near = near_ids(kb, query)?;
        if near.first().is_none_or(|nearest| !asked.contains(nearest)) {
            ids.extend(near);
        }
    }
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(ids.iter().map(|id| kb.concept(id)).collect::<Result<_, _>>()?)
}

/// Returns the concepts nearest to a name, best first.
fn near_ids(kb: &KnowledgeBase, name: &str) -> Result<Vec<ConceptId>, truename::Error> {
    let near = match kb.encoder()? {
        Some(_) => kb.nearest_by_vectors(name, NEAR_NAMES)?,
        None => kb.nearest_by_ngrams(name, NEAR_NAMES)?,
    };
    let mut seen = HashSet::new();
    let ids = near.into_iter().map(|near| near.id).filter(|id| seen.insert(id.clone())).take(NEAR_CONCEPTS);
    Ok(ids.collect())
}

/// A name of the knowledge base with its concept; in the order in which it was drawn by lot.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sampled {
    lot: u64,
    name: String,
    id: String,
    preferred_name: String,
}

/// Samples names of the other concepts: those with the lowest lots.
fn sample(kb: &KnowledgeBase, chosen: &[Concept], arguments: &Map) -> Result<Vec<Sampled>, truename::Error> {
    let chosen: HashSet<&ConceptId> = chosen.iter().map(|concept| &concept.id).collect();
    let (mut lowest, mut number, most) = (BinaryHeap::<Sampled>::new(), 0_u64, usize::from(arguments.sample));
    kb.for_each_concept(|concept| -> Result<(), truename::Error> {
        for name in concept.names() {
            let lot = SplitMix64::at(arguments.seed, number);
            number += 1;
            let is_low = lowest.len() < most || lowest.peek().is_some_and(|highest| lot < highest.lot);
            if !is_low || chosen.contains(&concept.id) {
                continue;
            }
            let (id, preferred_name) = (concept.id.to_string(), concept.name.clone());
            lowest.push(Sampled { lot, name: name.to_owned(), id, preferred_name });
            if lowest.len() > most {
                lowest.pop();
            }
        }
        Ok(())
    })?;
    Ok(lowest.into_sorted_vec())
}

/// Names to draw: the sample first, then those of the concepts, then the queries above all others.
struct Names {
    texts: Vec<String>,
    sample: Vec<ChosenConcept>,
    /// Positions of the concepts of the names after the sample.
    chosen: Vec<usize>,
}

impl Names {
    fn new(sample: Vec<Sampled>, concepts: &[Concept], queries: Vec<String>) -> Self {
        let mut names = Self { texts: Vec::new(), sample: Vec::new(), chosen: Vec::new() };
        for Sampled { name, id, preferred_name, .. } in sample {
            names.texts.push(name);
            names.sample.push(ChosenConcept { id, preferred_name });
        }
        for (number, concept) in concepts.iter().enumerate() {
            names.texts.extend(concept.names().map(str::to_owned));
            names.chosen.resize(names.texts.len() - names.sample.len(), number);
        }
        names.texts.extend(queries);
        names
    }

    fn check_count(&self) -> anyhow::Result<()> {
        let (count, most) = (grouped(self.texts.len() as u64), grouped(MAX_POINTS as u64));
        anyhow::ensure!(self.texts.len() <= MAX_POINTS, "{count} names are too many for a picture: at most {most}");
        Ok(())
    }

    /// Names of the knowledge base; the queries come after them.
    fn known(&self) -> usize {
        self.sample.len() + self.chosen.len()
    }

    fn summary(&self, concepts: usize) -> String {
        format!(
            "{} drawn: {} of {}, {} and {} of the others",
            counted(self.texts.len() as u64, "name"),
            grouped(self.chosen.len() as u64),
            counted(concepts as u64, "concept"),
            counted((self.texts.len() - self.known()) as u64, "queried name"),
            grouped(self.sample.len() as u64)
        )
    }

    fn points(&self, places: &[[f32; 2]], vectors: &[&[f32]], concepts: &[Concept]) -> Vec<Point> {
        let point = |(at, place): (usize, &[f32; 2])| {
            let role = match at.checked_sub(self.sample.len()) {
                None => Role::Sample(self.sample[at].clone()),
                Some(after) => match self.chosen.get(after) {
                    Some(concept) => Role::Chosen(*concept),
                    None => Role::Query(self.nearest(vectors[at], vectors, concepts)),
                },
            };
            Point { place: *place, name: self.texts[at].clone(), role }
        };
        places.iter().enumerate().map(point).collect()
    }

    /// Returns the drawn names of the knowledge base that are nearest to a query, best first.
    fn nearest(&self, query: &[f32], vectors: &[&[f32]], concepts: &[Concept]) -> Vec<DrawnNear> {
        let cosine = |vector: &[f32]| query.iter().zip(vector).map(|(left, right)| left * right).sum::<f32>();
        let known = vectors[..self.known()].iter().enumerate();
        let mut nearest: Vec<(f32, usize)> = known.map(|(at, vector)| (cosine(vector), at)).collect();
        nearest.sort_by(|left, right| {
            right.0.total_cmp(&left.0).then_with(|| self.texts[left.1].cmp(&self.texts[right.1]))
        });
        let named = |(cosine, at): (f32, usize)| DrawnNear {
            name: self.texts[at].clone(),
            id: match at.checked_sub(self.sample.len()) {
                None => self.sample[at].id.clone(),
                Some(after) => concepts[self.chosen[after]].id.to_string(),
            },
            cosine,
        };
        nearest.into_iter().take(LISTED_NAMES).map(named).collect()
    }
}

fn in_legend(concept: &Concept) -> ChosenConcept {
    ChosenConcept { id: concept.id.to_string(), preferred_name: concept.name.clone() }
}

fn title(arguments: &Map, encoder: &Encoder) -> String {
    let last = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let kb = arguments.kb.kb.as_deref().map_or("the bundled knowledge base".into(), last);
    format!("Names of {kb} as {} sees them", last(arguments.encoder.as_deref().unwrap_or(encoder.folder())))
}

fn caption(tsne: &Tsne, names: usize) -> String {
    let perplexity = (tsne.perplexity_among(names) * 10.0).round() / 10.0;
    format!(
        "t-SNE of {} (perplexity {perplexity}, seed {}). Names close together have similar vectors; \
         how far apart groups lie means little.",
        counted(names as u64, "name"),
        tsne.seed
    )
}

/// Writes the page, and the picture alone beside it.
fn write(picture: &Picture, out: &Path) -> anyhow::Result<()> {
    let _committing = interrupt::commit()?;
    atomic_file::write(&out.with_extension("svg"), &svg(picture))?;
    atomic_file::write(&out.with_extension("html"), &page(picture))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> (Names, Vec<Concept>) {
        let sampled = Sampled { lot: 1, name: "cough".into(), id: "X:9".into(), preferred_name: "Cough".into() };
        let mut concept = Concept::new("X:1".parse().unwrap(), "heart attack");
        concept.synonyms.push("infarct".into());
        (Names::new(vec![sampled], std::slice::from_ref(&concept), vec!["hart".into()]), vec![concept])
    }

    #[test]
    fn points_have_the_roles_of_their_names() {
        let (names, concepts) = names();
        let vectors: [&[f32]; 4] = [&[0.0, 1.0], &[1.0, 0.0], &[0.6, 0.8], &[1.0, 0.0]];
        let points = names.points(&[[0.0; 2]; 4], &vectors, &concepts);
        let cough = ChosenConcept { id: "X:9".into(), preferred_name: "Cough".into() };
        let near = |name: &str, id: &str, cosine| DrawnNear { name: name.into(), id: id.into(), cosine };
        let nearest = vec![near("heart attack", "X:1", 1.0), near("infarct", "X:1", 0.6), near("cough", "X:9", 0.0)];
        let expected = [
            ("cough", Role::Sample(cough)),
            ("heart attack", Role::Chosen(0)),
            ("infarct", Role::Chosen(0)),
            ("hart", Role::Query(nearest)),
        ];
        for (point, (name, role)) in points.into_iter().zip(expected) {
            assert_eq!((point.name.as_str(), point.role), (name, role));
        }
    }

    #[test]
    fn the_summary_counts() {
        assert_eq!(names().0.summary(1), "4 names drawn: 2 of 1 concept, 1 queried name and 1 of the others");
    }
}
