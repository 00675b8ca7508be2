//! Fits the ranker, the probability and the NIL threshold to one knowledge base.
//!
//! The knowledge base itself is the teacher: each of its names is held out in turn, and the concept that
//! lost it is the right answer. Some queries are names with a typo or added words, which stay in the knowledge
//! base; for some the whole concept is hidden, so that NIL is right. Judgements of the user count beside them.

mod held_out;
mod observed;
mod training_set;

use std::ops::ControlFlow;
use std::sync::Arc;

use truename_text::{GoldName, NormalizedName};

pub use training_set::TrainingSet;

use crate::{Encoder, Error, FeatureSet, FitOptions, KnowledgeBase, Partial, Progress, Ranker};

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

impl KnowledgeBase {
    /// Fits the ranker to this knowledge base and to judgements, and keeps it in the store: the one for its vectors where
    /// it has an encoder, else the one for letters alone.
    ///
    /// # Errors
    /// Where there are too few names, names without a vector beside an encoder, or the store cannot be written.
    pub fn calibrate(&self, gold: &[GoldName], options: &CalibrateOptions) -> Result<Gain, Error> {
        let features = FeatureSet::of_encoder(self.encoder.is_some());
        if features == FeatureSet::Dense {
            let without = self.names_without_vector()?;
            if without > 0 {
                return Err(Error::incomplete_vectors(self.path(), without));
            }
        }
        let mut training = TrainingSet::new(features);
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
        let mut training = TrainingSet::new(FeatureSet::Dense);
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
        let (standard, lexical) = (Ranker::standard(training.features), Ranker::standard(FeatureSet::Lexical));
        let priors: &[&Ranker] = match training.features {
            FeatureSet::Lexical => &[&lexical],
            FeatureSet::Dense => &[&standard, &lexical],
        };
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
        self.store.put_meta(&mut write, training.features.meta_key(), &ranker.to_bytes())?;
        let _committing = options.progress.commit()?;
        self.store.commit(write)?;
        Ok(gain)
    }
}
