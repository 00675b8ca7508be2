//! Marked sentences to learn from and to evaluate on, split by concept.

use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;
use truename_infer::Encoder;
use truename_infer::kernels::dot;
use truename_kb::Progress;
use truename_text::{Span, stable_hash};
use xxhash_rust::xxh3::Xxh3;

use super::MarkedSentence;
use super::marked_sentence::{files_of, read_file};
use crate::{DataFile, Error, Scores, TaskData, error};

/// Sentences with a marked entity each, to learn from and to evaluate on.
pub(crate) struct SentenceSet {
    /// The sentences, those of a concept side by side.
    sentences: Vec<MarkedSentence>,
    /// Number of the concept of each sentence.
    concepts: Vec<u32>,
    train: Vec<Range<u32>>,
    dev: Vec<Range<u32>>,
    files: Vec<DataFile>,
}

/// The entities among which the nearest is looked for, all of other names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    All,
    OtherContexts,
}

impl SentenceSet {
    /// Reads folders or files of sentences, and holds a share of the concepts out. Concepts with one sentence are left out.
    pub fn read(paths: &[PathBuf], dev_share: f64) -> Result<Self, Error> {
        let (mut sentences, mut files) = (Vec::new(), Vec::new());
        for path in paths {
            for file in files_of(path)? {
                sentences.extend(read_file(&file)?);
                files.extend(DataFile::each(&file)?);
            }
        }
        let set = Self::new(sentences, dev_share, files);
        match set.train.len() {
            0 | 1 => Err(error::too_few(set.train.len())),
            _ => Ok(set),
        }
    }

    fn new(mut sentences: Vec<MarkedSentence>, dev_share: f64, files: Vec<DataFile>) -> Self {
        sentences.sort_by(|left, right| left.concept.cmp(&right.concept));
        let mut set = Self { concepts: Vec::new(), train: Vec::new(), dev: Vec::new(), sentences, files };
        let mut first = 0;
        for (number, concept) in set.sentences.chunk_by(|left, right| left.concept == right.concept).enumerate() {
            set.concepts.resize(first + concept.len(), number as u32);
            let range = first as u32..(first + concept.len()) as u32;
            first += concept.len();
            if concept.len() > 1 {
                let share = stable_hash(&format!("held out {}", concept[0].concept)) as f64 / u64::MAX as f64;
                if share < dev_share { &mut set.dev } else { &mut set.train }.push(range);
            }
        }
        set
    }

    /// Sentences of each concept to learn.
    pub fn train(&self) -> impl Iterator<Item = Range<u32>> {
        self.train.iter().cloned()
    }

    pub fn sentence(&self, number: u32) -> &MarkedSentence {
        &self.sentences[number as usize]
    }

    /// Returns the number of a sentence's concept.
    pub fn concept_of(&self, sentence: u32) -> u32 {
        self.concepts[sentence as usize]
    }

    /// Splits sentences of a concept into groups of two to `size` that differ in their names, without regard to case, and in their contexts.
    /// Sentences for which no such group is left are in none.
    pub fn distinct_groups(&self, sentences: &[u32], size: usize) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for sentence in sentences {
            let (name, context) = self.sentence(*sentence).name_and_context();
            let differs = |other: &u32| {
                let (other_name, other_context) = self.sentence(*other).name_and_context();
                other_name != name && other_context != context
            };
            match groups.iter_mut().find(|group| group.len() < size && group.iter().all(differs)) {
                Some(group) => group.push(*sentence),
                None => groups.push(vec![*sentence]),
            }
        }
        groups.retain(|group| group.len() > 1);
        groups
    }

    /// Describes the sentences in a line.
    pub fn describe(&self) -> String {
        let count = |ranges: &[Range<u32>]| ranges.iter().map(|range| range.len()).sum::<usize>();
        format!(
            "{} sentences of {} concepts to learn, {} of {} held out",
            count(&self.train),
            self.train.len(),
            count(&self.dev),
            self.dev.len()
        )
    }

    /// Returns the share of held-out entities whose nearest entity of another name is of the same concept: in their sentences, under `score`;
    /// in their sentences among those of other contexts; and by their names alone.
    pub fn scores(&self, encoder: &Encoder, score: &str, progress: &Progress) -> Result<Scores, Error> {
        /// Most sentences asked for.
        const MOST: usize = 2000;
        let mut asked: Vec<&Range<u32>> = self.dev.iter().collect();
        asked.sort_by_cached_key(|concept| stable_hash(&format!("asked {}", self.sentence(concept.start).concept)));
        let asked: Vec<u32> = asked.into_iter().cloned().flatten().take(MOST).collect();
        progress.check()?;
        let in_context: Vec<(&str, Span)> =
            asked.iter().map(|number| (self.sentence(*number).text.as_str(), self.sentence(*number).span)).collect();
        let in_context = encoder.encode_in_context(&in_context)?.into_vec();
        progress.check()?;
        let names: Vec<&str> = asked.iter().map(|number| self.sentence(*number).entity()).collect();
        let by_name = encoder.encode(&names)?.into_vec();
        let values = [
            (score.to_owned(), self.accuracy(&asked, &in_context, Among::All)),
            (format!("{score} in another context"), self.accuracy(&asked, &in_context, Among::OtherContexts)),
            (format!("{score} by name"), self.accuracy(&asked, &by_name, Among::All)),
        ];
        Ok(Scores { names: asked.len(), values: values.into() })
    }

    /// # Shapes
    /// `vectors: [asked, width]`
    fn accuracy(&self, asked: &[u32], vectors: &[f32], among: Among) -> f64 {
        let width = vectors.len() / asked.len().max(1);
        let (names, contexts): (Vec<String>, Vec<[&str; 2]>) =
            asked.iter().map(|number| self.sentence(*number).name_and_context()).unzip();
        let is_asked = |query: usize, other: usize| {
            names[other] != names[query] && (among == Among::All || contexts[other] != contexts[query])
        };
        let vector = |number: usize| &vectors[number * width..][..width];
        let cosine = |left: usize, right: usize| dot::<1>(vector(left), vector(right));
        let is_concept = |left: usize, right: usize| self.concept_of(asked[left]) == self.concept_of(asked[right]);
        let is_right = |query: usize| {
            let others = (0..names.len()).filter(|other| is_asked(query, *other));
            let has_synonym = others.clone().any(|other| is_concept(query, other));
            let nearest = others.max_by(|left, right| cosine(query, *left).total_cmp(&cosine(query, *right)));
            has_synonym.then(|| nearest.is_some_and(|nearest| is_concept(query, nearest)))
        };
        let judged: Vec<bool> = (0..names.len()).into_par_iter().filter_map(is_right).collect();
        judged.iter().filter(|is_right| **is_right).count() as f64 / judged.len().max(1) as f64
    }
}

impl TaskData for SentenceSet {
    fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for MarkedSentence { concept, text, span, .. } in &self.sentences {
            hasher.update(format!("{concept}\0{text}\0{} {}\0", span.start, span.end).as_bytes());
        }
        format!("{:032x}", hasher.digest128())
    }

    fn provenance(&self) -> serde_json::Value {
        serde_json::json!({
            "concepts": self.train.len() + self.dev.len(), "sentences": self.sentences.len(), "files": self.files,
        })
    }

    fn has_evaluation(&self) -> bool {
        !self.dev.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(concept: &str, name: &str) -> MarkedSentence {
        let text = format!("It is {name}.");
        MarkedSentence { concept: concept.into(), span: Span::new(6, 6 + name.len()), text, source: "test".into() }
    }

    #[test]
    fn sentences_of_a_concept_stand_together() {
        let sentences =
            [("b", "flu"), ("a", "heart attack"), ("b", "influenza"), ("c", "alone"), ("a", "myocardial infarction")];
        let sentences = sentences.map(|(concept, name)| sentence(concept, name)).to_vec();
        let set = SentenceSet::new(sentences, 0.0, Vec::new());
        assert_eq!(set.train().collect::<Vec<_>>(), [0..2, 2..4]);
        assert_eq!(set.sentence(1).entity(), "myocardial infarction");
        assert_eq!((set.concept_of(2), set.concept_of(3), set.has_evaluation()), (1, 1, false));
        let held_out = SentenceSet::new(set.sentences, 1.0, Vec::new());
        assert!(held_out.train.is_empty() && held_out.has_evaluation());
    }

    #[test]
    fn groups_differ_in_names_and_contexts() {
        let within = |concept: &str, before: &str, name: &str| MarkedSentence {
            concept: concept.into(),
            span: Span::new(before.len(), before.len() + name.len()),
            text: format!("{before}{name}"),
            source: "test".into(),
        };
        let sentences = [("It is ", "flu"), ("It is ", "grippe"), ("No ", "Flu"), ("No ", "influenza"), ("A ", "FLU")];
        let sentences = sentences.map(|(before, name)| within("a", before, name)).to_vec();
        let set = SentenceSet::new(sentences, 0.0, Vec::new());
        // "It is flu" and "It is grippe" share their context, "It is flu" and "No Flu" their name.
        assert_eq!(set.distinct_groups(&[0, 1, 2, 3, 4], 4), [vec![0, 3], vec![1, 2]]);
        assert_eq!(set.distinct_groups(&[0, 1], 4), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn the_nearest_entity_of_another_name_is_judged() {
        let sentences = [("a", "x"), ("a", "X"), ("a", "y"), ("b", "z"), ("b", "w")];
        let set = SentenceSet::new(sentences.map(|(id, name)| sentence(id, name)).to_vec(), 1.0, Vec::new());
        let angles = [0.0f32, 0.01, 0.1, 2.0, 0.12];
        let vectors: Vec<f32> = angles.iter().flat_map(|angle| [angle.cos(), angle.sin()]).collect();
        // Both spellings of x are nearest to y, and z to w; y and w are nearest to each other, which are of two concepts.
        assert_eq!(set.accuracy(&[0, 1, 2, 3, 4], &vectors, Among::All), 0.6);
        // All sentences have one context.
        assert_eq!(set.accuracy(&[0, 1, 2, 3, 4], &vectors, Among::OtherContexts), 0.0);
    }
}
