//! Fits the ranker, the probability and the NIL threshold to one knowledge base.
//!
//! The knowledge base itself is the teacher: each of its names is held out in turn, and the concept that
//! lost it is the right answer. Some queries are names with a typo or added words, which stay in the knowledge
//! base; for some the whole concept is hidden, so that NIL is right. Judgements of the user count beside them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;
use truename_index::{Hit, SearchScratch, VectorReader};
use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{NameKeys, NameProfile, NormalizedName, has_part, part_of, stable_hash};

use crate::feature::{self, Featured, WordWeights, featurize};
use crate::generator::{Dense, Scope, nearest, propose_exact, propose_near};
use crate::linker::{ENCODED_AT_ONCE, PIECE};
use crate::ranker::trees::{FitOptions, Groups};
use crate::ranker::{self, fit};
use crate::vectors::encode;
use crate::{Encoder, Error, KnowledgeBase, Partial, Progress, Ranker};

/// How to calibrate.
#[derive(Clone, Debug)]
pub struct CalibrateOptions {
    /// Names held out at most; enough for a ranker, and a bound on the time a large knowledge base takes.
    pub names: usize,
    /// Names held out are those of this part of so many alone ([`truename_text::NormalizedName::fold`]).
    pub part: Option<(usize, usize)>,
    /// How much one judgement of the user counts beside one held-out name.
    pub gold_weight: f32,
    /// Trees, leaves and so on.
    pub fit: FitOptions,
    /// The state of the work, for another thread to watch, and the switch to stop it.
    pub progress: Arc<Progress>,
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        Self { names: 8000, part: None, gold_weight: 4.0, fit: FitOptions::default(), progress: Arc::default() }
    }
}

/// A judgement: what a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldName {
    /// The name.
    pub name: String,
    /// The ids that are right; none where the answer is NIL.
    pub ids: Vec<String>,
}

/// What calibration gained; each pair is of the ranker that comes with Truename and of the one fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// Whether the new ranker is used: not where the one before has the lower log-loss.
    pub kept: bool,
    /// Names held out.
    pub held_out: usize,
    /// Judgements used; of some of them the exact name decides, whatever the ranker.
    pub gold: usize,
    /// Judgements whose ids the knowledge base does not have.
    pub unknown_gold: usize,
    /// Names asked for that are longer than the encoder's window.
    pub truncated: usize,
    /// Share of held-out names whose right candidate is ranked first, out of fold.
    pub accuracy: (f64, f64),
    /// The same for the judgements.
    pub gold_accuracy: Option<(f64, f64)>,
    /// Mean negative log-likelihood of the right answer, NIL among them.
    pub log_loss: (f64, f64),
    /// The NIL threshold.
    pub threshold: (f64, f64),
}

/// With as many judgements as this, they count half as much as all held-out names for probability and threshold.
const JUDGEMENTS_FOR_HALF: f64 = 20.0;
/// Fewer held-out names than this fit no ranker.
const FEWEST_NAMES: usize = 50;
/// Nearest candidates of a name that are learnt from, beside the right one.
const NEAREST_LEARNT: usize = 12;
/// Candidates farther away that are learnt from; they stand for all of them. Without them nothing would be known of what a
/// name has in common with most of its candidates.
const FARTHER_LEARNT: usize = 12;
/// The share of the names that is asked for in a way, where a name can be.
const SHARES: [(Kind, f64); 4] =
    [(Kind::HiddenConcept, 0.12), (Kind::Typo, 0.2), (Kind::AddedWords, 0.08), (Kind::Shortened, 0.15)];
/// A name with fewer letters and digits is not asked for with a typo, which would make another name of it.
const SHORTEST_WITH_TYPO: usize = 5;
/// A part of a name says which concept is meant where one of its words is in no more names.
const MOST_WITH_WORD: u32 = 16;
/// Words that lists of names add: forms, versions, remarks.
const WORDS: [&str; 16] = [
    "500 mg",
    "10mg/ml",
    "NOS",
    "unspecified",
    "(disorder)",
    "v2",
    "12.1",
    "version 3.0.1",
    "64 bit",
    "enterprise",
    "(suspected)",
    "- see note",
    "old",
    "2019",
    "x86",
    "type",
];
/// Parts of a name that are tried.
const PARTS_DRAWN: u64 = 8;
/// Times a name is looked at for another kind of example.
const PASSES: u64 = 4;
/// Names with the exact name of another concept are rare in a sample; this much belief that such a name is
/// right stands beside what was counted.
const EXACT_PRIOR: (f64, f64) = (49.0, 50.0);

/// A query with its right answer.
struct Example {
    query: String,
    hidden: Vec<NameIndex>,
    answers: HashSet<ConceptIndex>,
    /// Whether it is a part of a name; whoever has as many names with that part is as right.
    is_part: bool,
    gold: bool,
    /// Names of one concept are in one fold, so that none is learnt from another.
    fold: usize,
}

/// An example with the features of its candidates.
struct Observed {
    rows: Vec<f32>,
    stands_for: Vec<f32>,
    answer: Option<usize>,
    /// Whether one other concept has the very name, so that the ranker is not asked; and whether it is right.
    settled: Option<bool>,
}

/// Groups of candidates made from knowledge bases, ready to fit a ranker.
pub struct TrainingSet {
    with_vectors: bool,
    truncated: usize,
    groups: Groups,
    folds: Vec<usize>,
    gold: Vec<bool>,
    settled: (f64, f64),
    /// Judgements that the exact name decides: rightly, and in all.
    settled_gold: (usize, usize),
}

impl TrainingSet {
    /// Nothing yet; with vectors, every knowledge base must have an encoder.
    pub fn new(with_vectors: bool) -> Self {
        let groups = Groups::new(feature::names(with_vectors).len());
        Self {
            with_vectors,
            truncated: 0,
            groups,
            folds: Vec::new(),
            gold: Vec::new(),
            settled: (0.0, 0.0),
            settled_gold: (0, 0),
        }
    }

    /// Adds the names of a knowledge base, held out in turn, and judgements. Returns how many judgements
    /// have ids that the knowledge base does not.
    ///
    /// # Errors
    /// Where the storage or the encoder fails.
    ///
    /// # Panics
    /// Where the knowledge base has an encoder and the others have not, or the other way round.
    pub fn add(&mut self, kb: &KnowledgeBase, gold: &[GoldName], options: &CalibrateOptions) -> Result<usize, Error> {
        assert_eq!(kb.encoder.is_some(), self.with_vectors, "with vectors or without, not both");
        let snapshot = kb.store.snapshot()?;
        let mut examples = held_out(&snapshot, options)?;
        let unknown = add_gold(&snapshot, gold, &mut examples)?;
        drop(snapshot);
        options.progress.begin("asking for names held out", examples.len() as u64);
        let mut observed = Vec::with_capacity(examples.len());
        for examples in examples.chunks(ENCODED_AT_ONCE) {
            let (more, truncated) = observe_all(examples, kb, &options.progress)?;
            observed.extend(more);
            self.truncated += truncated;
        }
        for (example, observed) in examples.iter().zip(observed) {
            let weight = if example.gold { options.gold_weight } else { 1.0 };
            match observed.settled {
                Some(right) => {
                    self.settled.0 += if right { f64::from(weight) } else { 0.0 };
                    self.settled.1 += f64::from(weight);
                    self.settled_gold.0 += usize::from(right && example.gold);
                    self.settled_gold.1 += usize::from(example.gold);
                }
                None => {
                    // A name of the knowledge base would have been found by itself, had it not been held out.
                    let found = if example.gold { 0.0 } else { f64::from(weight) };
                    self.settled.0 += found;
                    self.settled.1 += found;
                    self.groups.push(&observed.rows, &observed.stands_for, observed.answer, weight);
                    self.folds.push(example.fold);
                    self.gold.push(example.gold);
                }
            }
        }
        Ok(unknown)
    }

    /// Fits a ranker, whose score is the mean of the fitted one's and of that of the best of `priors`, where there are any.
    ///
    /// # Errors
    /// Where there are too few names.
    ///
    /// # Panics
    /// Where a prior needs vectors and the names have none.
    pub fn fit(&self, priors: &[&Ranker], options: &CalibrateOptions) -> Result<(Ranker, Gain), Error> {
        if self.groups.len() < FEWEST_NAMES {
            return Err(Error::too_few_names(self.groups.len(), FEWEST_NAMES));
        }
        // At least even, so that the very name stays the first candidate.
        let exact = ((self.settled.0 + EXACT_PRIOR.0) / (self.settled.1 + EXACT_PRIOR.1)).max(0.5);
        let weights = self.balanced();
        let (ranker, out_of_fold) = fit(&self.groups, self.with_vectors, &self.folds, &weights, exact, priors, options);
        options.progress.check()?;
        let gold = self.gold.iter().filter(|gold| **gold).count();
        let after = |of_gold| accuracy(&self.groups, &out_of_fold, |group| self.gold[group] == of_gold);
        let gain = Gain {
            kept: true,
            held_out: self.groups.len() - gold,
            gold: gold + self.settled_gold.1,
            unknown_gold: 0,
            truncated: self.truncated,
            accuracy: (0.0, after(false)),
            gold_accuracy: (gold + self.settled_gold.1 > 0).then(|| (0.0, self.with_settled(after(true)))),
            log_loss: (0.0, ranker::log_loss(&self.groups, &weights, &out_of_fold)),
            threshold: (0.0, ranker.threshold),
        };
        Ok((ranker, gain))
    }

    /// What the groups count for probability and threshold: how easy names are, and how often NIL is right, the judgements
    /// tell better than names of the knowledge base held out, though they are fewer.
    fn balanced(&self) -> Vec<f32> {
        let total = |of_gold: bool| -> f64 {
            let weights = self.groups.weights.iter().zip(&self.gold).filter(|(_, gold)| **gold == of_gold);
            weights.map(|(weight, _)| f64::from(*weight)).sum()
        };
        let judgements = self.gold.iter().filter(|gold| **gold).count() as f64;
        let share = judgements / (judgements + JUDGEMENTS_FOR_HALF);
        let factor = (share * total(false) / total(true)).max(1.0) as f32;
        let balanced = |(weight, gold): (&f32, &bool)| if *gold { factor * weight } else { *weight };
        self.groups.weights.iter().zip(&self.gold).map(balanced).collect()
    }

    /// The accuracy on judgements where that of the unsettled ones is `unsettled`.
    fn with_settled(&self, unsettled: f64) -> f64 {
        let is_asked = |group: &usize| self.gold[*group] && self.groups.answers[*group].is_some();
        let asked = (0..self.groups.len()).filter(is_asked).count();
        let right = unsettled * asked as f64 + self.settled_gold.0 as f64;
        right / (asked + self.settled_gold.1).max(1) as f64
    }

    /// Accuracy and log-loss of a ranker that was fitted on something else.
    fn measure(&self, ranker: &Ranker, gain: &mut Gain) {
        let score = |group| self.groups.range(group).map(|row| ranker.score(self.groups.row(row))).collect();
        let scores: Vec<Vec<f64>> = (0..self.groups.len()).into_par_iter().map(score).collect();
        gain.accuracy.0 = accuracy(&self.groups, &scores, |group| !self.gold[group]);
        if let Some((before, _)) = &mut gain.gold_accuracy {
            *before = self.with_settled(accuracy(&self.groups, &scores, |group| self.gold[group]));
        }
        gain.log_loss.0 = ranker::log_loss(&self.groups, &self.balanced(), &scores);
        gain.threshold.0 = ranker.threshold;
        gain.kept = gain.log_loss.1 <= gain.log_loss.0;
    }
}

impl KnowledgeBase {
    /// Fits the ranker to this knowledge base and to judgements, and keeps it in the store: the one for its vectors where
    /// it has an encoder, else the one for letters alone.
    ///
    /// # Errors
    /// Where there are too few names, names without a vector beside an encoder, or the store cannot be written.
    pub fn calibrate(&self, gold: &[GoldName], options: &CalibrateOptions) -> Result<Gain, Error> {
        let with_vectors = self.encoder.is_some();
        if with_vectors {
            let without = self.names_without_vector()?;
            if without > 0 {
                return Err(Error::incomplete_vectors(self.path(), without));
            }
        }
        let mut training = TrainingSet::new(with_vectors);
        let unknown_gold = training.add(self, gold, options)?;
        self.keep(training, unknown_gold, options)
    }

    /// [`KnowledgeBase::calibrate`] for an encoder that learnt the names of this knowledge base.
    ///
    /// Such an encoder has put each name it is asked for beside its synonyms already, so that a ranker fitted to its vectors
    /// would trust them too much. `others` learnt likewise, number `i` without the names of part `i`
    /// ([`truename_text::NormalizedName::fold`]); each gives the vectors by which the names of its part are judged.
    ///
    /// # Errors
    /// As [`KnowledgeBase::calibrate`].
    ///
    /// # Panics
    /// Where it has no encoder, or there are no others.
    pub fn calibrate_out_of_fold(
        &self,
        others: &[Arc<Encoder>],
        gold: &[GoldName],
        options: &CalibrateOptions,
    ) -> Result<Gain, Error> {
        assert!(self.encoder.is_some() && !others.is_empty(), "an encoder that learnt names, and others beside it");
        let folder = tempfile::tempdir().map_err(|source| Error::io("make a temporary folder", self.path(), source))?;
        // Also removed where the process ends before.
        let _partial = Partial::new(folder.path().to_owned());
        let mut concepts = Vec::new();
        self.for_each_concept(|concept| -> Result<(), Error> {
            concepts.push(concept);
            Ok(())
        })?;
        let copy = Self::create(concepts, &folder.path().join("kb"))?;
        let mut training = TrainingSet::new(true);
        let mut unknown_gold = 0;
        for (part, encoder) in others.iter().enumerate() {
            options.progress.begin("encoding names", 0);
            copy.embed(encoder, |_, _| match options.progress.is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })?;
            options.progress.check()?;
            let is_of_part = |gold: &&GoldName| NormalizedName::new(&gold.name).fold(others.len()) == part;
            let gold: Vec<GoldName> = gold.iter().filter(is_of_part).cloned().collect();
            let part = Some((part, others.len()));
            let options = CalibrateOptions { names: options.names / others.len(), part, ..options.clone() };
            unknown_gold += training.add(&copy.clone().with_encoder(Arc::clone(encoder))?, &gold, &options)?;
        }
        self.keep(training, unknown_gold, options)
    }

    /// Fits a ranker and keeps it in the store, where it is better than the one that comes with Truename.
    fn keep(&self, training: TrainingSet, unknown_gold: usize, options: &CalibrateOptions) -> Result<Gain, Error> {
        let with_vectors = training.with_vectors;
        let (standard, letters) = (Ranker::standard(with_vectors), Ranker::standard(false));
        let priors: &[&Ranker] = if with_vectors { &[&standard, &letters] } else { &[&letters] };
        let (ranker, mut gain) = training.fit(priors, options)?;
        training.measure(&standard, &mut gain);
        options.progress.check()?;
        gain.unknown_gold = unknown_gold;
        if !gain.kept {
            return Ok(gain);
        }
        let mut write = self.store.write()?;
        if let Some(encoder) = &self.encoder {
            // Another process may have replaced the vectors in the meantime.
            self.check_encoder(encoder)?;
        }
        self.store.put_meta(&mut write, ranker::fact(with_vectors), &ranker.to_bytes())?;
        let _committing = options.progress.commit()?;
        self.store.commit(write)?;
        Ok(gain)
    }

    pub(crate) fn close(self) {
        self.store.close();
    }
}

/// Share of the groups with a right candidate where it has the highest score.
fn accuracy(groups: &Groups, scores: &[Vec<f64>], keep: impl Fn(usize) -> bool) -> f64 {
    let asked: Vec<usize> =
        (0..groups.len()).filter(|group| groups.answers[*group].is_some() && keep(*group)).collect();
    let is_right = |group: &&usize| {
        let scores = &scores[**group];
        let top =
            (0..scores.len()).max_by(|left, right| scores[*left].total_cmp(&scores[*right]).then(right.cmp(left)));
        top == groups.answers[**group]
    };
    asked.iter().filter(is_right).count() as f64 / asked.len().max(1) as f64
}

/// Examples from the names of a knowledge base; which, and of which kind, follows from their hashes alone.
fn held_out(snapshot: &Snapshot<'_>, options: &CalibrateOptions) -> Result<Vec<Example>, Error> {
    let order = snapshot.name_order()?;
    let rank = |name: NameIndex| order.map_or(name.0, |order| order.rank(name));
    let mut chosen: Vec<(u64, u32, NameIndex)> = Vec::new();
    for entry in snapshot.names()? {
        let (number, _, name) = entry?;
        if options.part.is_none_or(|(part, parts)| NormalizedName::new(name).fold(parts) == part) {
            chosen.push((stable_hash(name), rank(number), number));
        }
    }
    chosen.sort_unstable();
    // A small knowledge base gives several examples a name, of different kinds.
    let mut examples = Vec::new();
    let mut given: HashSet<(NameIndex, Kind)> = HashSet::new();
    for pass in 0..PASSES {
        for (hash, _, number) in &chosen {
            if examples.len() == options.names {
                return Ok(examples);
            }
            if let Some((kind, example)) = example(snapshot, hash ^ pass, *number)?
                && given.insert((*number, kind))
            {
                examples.push(example);
            }
        }
    }
    Ok(examples)
}

/// How a name is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// Its whole concept is hidden, so that NIL is right.
    HiddenConcept,
    Typo,
    /// With words that say nothing of the concept.
    AddedWords,
    /// By a part of it.
    Shortened,
    /// As it is, which other concepts have too.
    Shared,
    HeldOut,
}

/// The example that the dice give a name.
fn example(snapshot: &Snapshot<'_>, hash: u64, number: NameIndex) -> Result<Option<(Kind, Example)>, Error> {
    let (concept, text) = snapshot.name(number)?;
    let form = NormalizedName::new(text).squeezed();
    if form.is_empty() {
        return Ok(None);
    }
    let (id, all) = snapshot.concept_names(concept)?;
    let mut same = Vec::new();
    for name in &all {
        if NormalizedName::new(snapshot.name(*name)?.1).squeezed() == form {
            same.push(*name);
        }
    }
    let dice = stable_hash(&format!("kind {hash}")) as f64 / u64::MAX as f64;
    let alone = same.len() == all.len();
    // A name that several concepts have is mostly asked for as it is: which of them is meant must be learnt too.
    let shared = is_shared(snapshot, concept, text)? && !(hash >> 32).is_multiple_of(3);
    let mut end = 0.0;
    let drawn = SHARES.into_iter().find(|(_, share)| {
        end += share;
        dice < end
    });
    let as_drawn = match drawn.map(|(kind, _)| kind) {
        Some(Kind::HiddenConcept) => Some((Kind::HiddenConcept, text.to_owned())),
        Some(Kind::Typo) if form.chars().count() >= SHORTEST_WITH_TYPO => Some((Kind::Typo, with_typo(text, hash))),
        Some(Kind::AddedWords) => {
            Some((Kind::AddedWords, format!("{text} {}", WORDS[(hash >> 20) as usize % WORDS.len()])))
        }
        Some(Kind::Shortened) => shortened(snapshot, text, hash >> 16)?.map(|part| (Kind::Shortened, part)),
        _ => None,
    };
    let (kind, query) = match as_drawn {
        Some(drawn) => drawn,
        None if shared => (Kind::Shared, text.to_owned()),
        None if alone => return Ok(None),
        None => (Kind::HeldOut, text.to_owned()),
    };
    let hidden = match kind {
        Kind::HiddenConcept => all,
        Kind::HeldOut => same,
        Kind::Typo | Kind::AddedWords | Kind::Shortened | Kind::Shared => Vec::new(),
    };
    let answered = kind != Kind::HiddenConcept;
    let answers = answered.then_some(concept).into_iter().collect();
    let fold = stable_hash(id) as usize % ranker::FOLDS;
    Ok(Some((kind, Example { query, hidden, answers, is_part: kind == Kind::Shortened, gold: false, fold })))
}

/// A part by which people ask for a name; nothing where those drawn are names of their own, or say too little.
fn shortened(snapshot: &Snapshot<'_>, name: &str, seed: u64) -> Result<Option<String>, Error> {
    let normalized = NormalizedName::new(name);
    for seed in (0..PARTS_DRAWN).map(|draw| stable_hash(&format!("part {draw} {seed}"))) {
        let Some(text) = part_of(name, (seed >> 8) as usize, (seed >> 32) as usize) else { continue };
        let part = NormalizedName::new(&text);
        if !has_part(&normalized, &part) || snapshot.names_under(NameKeys::of(&part).exact)?.next().is_some() {
            continue;
        }
        for word in part.tokens() {
            if snapshot.names_with_word(stable_hash(word))? <= MOST_WITH_WORD {
                return Ok(Some(text));
            }
        }
    }
    Ok(None)
}

/// Whether another concept has a name with the same normal form.
fn is_shared(snapshot: &Snapshot<'_>, concept: ConceptIndex, name: &str) -> Result<bool, Error> {
    let exact = NameKeys::of(&NormalizedName::new(name)).exact;
    for other in snapshot.names_under(exact)? {
        let (owner, text) = snapshot.name(other)?;
        if owner != concept && NameKeys::of(&NormalizedName::new(text)).exact == exact {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One character dropped, doubled, changed, or changed over with the next.
fn with_typo(name: &str, seed: u64) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = (seed >> 8) as usize % letters.len();
    match seed % 4 {
        0 if letters.len() > 3 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters[at] = char::from(b'a' + (seed >> 40) as u8 % 26),
    }
    letters.into_iter().collect()
}

/// Adds judgements; returns how many have ids that are not in the knowledge base.
fn add_gold(snapshot: &Snapshot<'_>, gold: &[GoldName], examples: &mut Vec<Example>) -> Result<usize, Error> {
    let mut unknown = 0;
    for GoldName { name, ids } in gold {
        let mut answers = HashSet::new();
        for id in ids {
            if let Ok(id) = id.parse() {
                answers.extend(snapshot.index_of(&id)?);
            }
        }
        if answers.is_empty() && !ids.is_empty() {
            unknown += 1;
            continue;
        }
        let first = ids.first().unwrap_or(name);
        let fold = stable_hash(first) as usize % ranker::FOLDS;
        examples.push(Example { query: name.clone(), hidden: Vec::new(), answers, is_part: false, gold: true, fold });
    }
    Ok(unknown)
}

/// Observes examples on all threads, each piece with a snapshot of its own; also says how many are longer than the
/// encoder's window.
fn observe_all(examples: &[Example], kb: &KnowledgeBase, progress: &Progress) -> Result<(Vec<Observed>, usize), Error> {
    let queries: Vec<&str> = examples.iter().map(|example| example.query.as_str()).collect();
    let encoded = kb.encoder().map(|encoder| encode(encoder, &queries)).transpose()?;
    let observed: Vec<Vec<Observed>> = examples
        .par_chunks(PIECE)
        .enumerate()
        .map(|(number, piece)| {
            progress.check()?;
            progress.advance(piece.len() as u64);
            let snapshot = kb.store.snapshot()?;
            let reader = kb.vectors(&snapshot)?;
            let rows = number * PIECE..number * PIECE + piece.len();
            let vectors: Vec<&[f32]> =
                encoded.iter().flat_map(|encoded| rows.clone().map(|at| encoded.row(at))).collect();
            let hits =
                reader.as_ref().map(|reader| nearest_unhidden(reader, &snapshot, &vectors, piece)).transpose()?;
            let mut observer =
                Observer { kb, snapshot: &snapshot, scratch: Default::default(), weights: Default::default() };
            let observe = |(at, example): (usize, &Example)| {
                let dense = reader.as_ref().zip(hits.as_ref()).map(|(reader, hits)| Dense {
                    reader,
                    vector: vectors[at],
                    hits: &hits[at],
                });
                observer.observe(example, dense)
            };
            piece.iter().enumerate().map(observe).collect()
        })
        .collect::<Result<_, Error>>()?;
    let truncated = encoded.map_or(0, |encoded| encoded.truncated().len());
    Ok((observed.into_iter().flatten().collect(), truncated))
}

/// The nearest names, as many more as examples hide.
fn nearest_unhidden(
    reader: &VectorReader<'_>,
    snapshot: &Snapshot<'_>,
    vectors: &[&[f32]],
    examples: &[Example],
) -> Result<Vec<Vec<Hit>>, Error> {
    let hidden = examples.iter().map(|example| example.hidden.len()).max().unwrap_or(0);
    nearest(reader, snapshot, vectors, None, hidden)
}

/// Observes one after another with the same snapshot and buffers.
struct Observer<'a> {
    kb: &'a KnowledgeBase,
    snapshot: &'a Snapshot<'a>,
    scratch: SearchScratch,
    weights: WordWeights,
}

impl Observer<'_> {
    fn observe(&mut self, example: &Example, dense: Option<Dense<'_>>) -> Result<Observed, Error> {
        let query = NameProfile::new(&example.query);
        let (snapshot, indexes) = (self.snapshot, &self.kb.indexes);
        let scope = Scope { snapshot, indexes, hidden: &example.hidden, allowed: None, dense };
        let mut proposals = propose_exact(&query, &scope)?;
        if let Some(sole) = proposals.sole_exact() {
            let right = example.answers.contains(&sole);
            return Ok(Observed { rows: Vec::new(), stands_for: Vec::new(), answer: None, settled: Some(right) });
        }
        propose_near(&query, &scope, &mut self.scratch, &mut proposals)?;
        let mut featured = featurize(&query, &proposals, &scope, &mut self.weights)?;
        let answers = match example.is_part {
            true => &self.with_most_names(&example.query, &featured)?,
            false => &example.answers,
        };
        let is_right = |concept: ConceptIndex| answers.contains(&concept);
        featured.sort_by(|left, right| {
            let order = |candidate: &Featured| (is_right(candidate.concept), candidate.proposal.key);
            let nearness = |candidate: &Featured| candidate.proposal.ngram + candidate.dense.unwrap_or_default();
            let by_nearness = nearness(right).total_cmp(&nearness(left));
            order(right).cmp(&order(left)).then(by_nearness)
        });
        // Of several that are right the nearest is learnt, and the others are not wrong.
        let right = featured.iter().take_while(|candidate| is_right(candidate.concept)).count();
        featured.drain(1.min(right)..right);
        let (learnt, stands_for) = learnt(featured.len());
        let rows = learnt.into_iter().flat_map(|place| featured[place].row.iter().copied()).collect();
        Ok(Observed { rows, stands_for, answer: (right > 0).then_some(0), settled: None })
    }

    /// The candidates of whose names most have this part: those from which it was most likely taken.
    fn with_most_names(&self, part: &str, candidates: &[Featured]) -> Result<HashSet<ConceptIndex>, Error> {
        let part = NormalizedName::new(part);
        let (mut most, mut found) = (1, HashSet::new());
        for candidate in candidates {
            let mut count = 0;
            for name in self.snapshot.concept_names(candidate.concept)?.1 {
                count += usize::from(has_part(&NormalizedName::new(self.snapshot.name(name)?.1), &part));
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

/// The places of the candidates that are learnt from, out of so many in the order of their nearness, and how many each stands
/// for.
fn learnt(candidates: usize) -> (Vec<usize>, Vec<f32>) {
    let near = candidates.min(NEAREST_LEARNT + 1);
    let farther = candidates - near;
    let drawn = farther.min(FARTHER_LEARNT);
    let places = (0..near).chain((0..drawn).map(|number| near + number * farther / drawn)).collect();
    let stands_for = std::iter::repeat_n(1.0, near).chain(std::iter::repeat_n(farther as f32 / drawn as f32, drawn));
    (places, stands_for.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Concept;

    #[test]
    fn candidates_learnt_stand_for_all() {
        for candidates in [0, 1, 13, 20, 25, 26, 100] {
            let (places, stands_for) = learnt(candidates);
            assert!(places.is_sorted_by(|left, right| left < right) && places.len() <= 25, "{places:?}");
            assert!(
                (stands_for.iter().sum::<f32>() - candidates as f32).abs() < 1e-3 && places.len() == stands_for.len()
            );
        }
        assert_eq!(learnt(37).0[13..], [13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35]);
    }

    #[test]
    fn judgements_count_about_as_much_as_held_out_names() {
        let mut training = TrainingSet::new(false);
        let row = vec![0.0; feature::names(false).len()];
        for number in 0..120 {
            let is_gold = number < 20;
            training.groups.push(&row, &[1.0], Some(0), if is_gold { 4.0 } else { 1.0 });
            training.gold.push(is_gold);
        }
        let weights = training.balanced();
        let (gold, names) = (weights[..20].iter().sum::<f32>(), weights[20..].iter().sum::<f32>());
        assert_eq!((gold, names), (80.0, 100.0), "never less than they count elsewhere");
        training.groups.weights[..20].fill(1.0);
        assert_eq!(training.balanced()[..20].iter().sum::<f32>(), 50.0);
        training.gold.fill(false);
        assert_eq!(training.balanced(), training.groups.weights);
    }

    #[test]
    fn a_name_is_asked_for_by_a_part_that_says_something() {
        let folder = tempfile::tempdir().unwrap();
        let concepts = (0..17).map(|number| {
            let mut concept = Concept::new(format!("P:{number}").parse().unwrap(), format!("kinase LC3 {number}"));
            concept.synonyms = vec![format!("AKT{number}"), format!("MYC {number}"), "MYC".to_owned()];
            concept
        });
        let concepts = concepts.enumerate().map(|(number, mut concept)| {
            concept.synonyms.extend((number < 16).then(|| format!("rare light chain {number}")));
            concept
        });
        let kb = KnowledgeBase::create(concepts.collect(), &folder.path().join("kb")).unwrap();
        let snapshot = kb.store.snapshot().unwrap();
        let parts = |name: &str| -> BTreeSet<String> {
            (0..40).filter_map(|seed| shortened(&snapshot, name, seed).unwrap()).collect()
        };
        assert_eq!(Vec::from_iter(parts("AKT1")), ["AKT"]);
        let endings = ["chain", "chain 1", "light chain", "light chain 1", "rare light chain"];
        assert_eq!(Vec::from_iter(parts("rare light chain 1")), endings);
        assert_eq!(Vec::from_iter(parts("kinase LC3 1")), ["LC3 1"], "seventeen names have the words before");
        assert!(parts("MYC 1").is_empty(), "a name of its own");
        assert!(parts("p62").is_empty(), "one letter");
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
        let observer =
            Observer { kb: &kb, snapshot: &snapshot, scratch: Default::default(), weights: Default::default() };
        let candidate = |number| Featured {
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
