//! Fits ranker, calibration and NIL threshold to one knowledge base.
//!
//! The knowledge base itself is the teacher: each of its names is held out in turn, and the concept it was held out of
//! is the right answer. Some queries are names with a typo or added words and are not held out. For some queries the
//! whole concept is hidden, so that NIL is right. Gold names of the user count beside them, and alone choose how much of
//! the standard ranker stays.
//!
//! Held-out names are asked for as people ask: some with a typo, a version or added words, some as notes spell
//! them, some by a part that ends them, where whoever has most names that end so is right (`LC3` of `MAP1A/MAP1B
//! LC3 A`). Of the candidates the nearest are learnt from, and a sample of the others that counts for all of them
//! in the likelihood: trees grown on near ones alone rank a far candidate at random. With an encoder half of the
//! trees do not see its vectors, because it brings held-out names nearer than the names that people write.
//!
//! The score is a weighted mean of the fitted trees' and a standard ranker's, because the names of one knowledge
//! base are not asked for in all the ways in which people ask; one with a single name a concept has nothing but
//! typos and parts. Gold names alone choose slope, offset, thresholds and the weight of the standard ranker, each
//! by one over the chance with which it was drawn, beside cells that name nothing, so that these stay NIL;
//! without gold names the standard ranker has most of the weight, and its thresholds stay. What is fitted is kept
//! only if gold names that it was not fitted to are answered as well as before. With an encoder it is the standard ranker with
//! vectors, which MiniLM-L6 taught, or the one without, whichever gives the names the higher likelihood.

mod candidate_rows;
mod context;
mod gold_answers;
mod held_out;
mod junk;
mod noise;
mod training_set;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use truename_error::{ErrorKind, HintPart, hint};
use truename_files::Partial;
use truename_text::{GoldName, NormalizedName};

pub use context::ContextGain;
pub use gold_answers::GoldAnswers;
pub use training_set::TrainingSet;

use crate::{Encoder, Error, FeatureSet, FitOptions, KnowledgeBase, LearntNames, Progress, Ranker, error};

/// Options of calibration.
#[derive(Clone, Debug)]
pub struct CalibrateOptions {
    /// Maximum number of held-out names: enough for a ranker, and a bound on the time a large knowledge base takes.
    pub names: usize,
    /// Restricts held-out names to part `.0` of `.1` parts ([`truename_text::NormalizedName::fold`]).
    pub part: Option<(usize, usize)>,
    /// Weight of a gold name; a held-out name has weight 1.
    pub gold_weight: f32,
    /// Options of gradient boosting.
    pub fit: FitOptions,
    /// Rankers in place of the standard ones, without vectors and with them.
    pub priors: Option<[Arc<Ranker>; 2]>,
    /// Progress of the work, for another thread to watch or stop.
    pub progress: Arc<Progress>,
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        Self {
            names: 8000,
            part: None,
            gold_weight: 4.0,
            fit: FitOptions::default(),
            priors: None,
            progress: Arc::default(),
        }
    }
}

/// Gains of calibration. Each pair is the standard ranker's value, and that of rankers fitted to four fifths of the names on the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gain {
    /// True if the new ranker is kept; it is not if the standard one answers more gold names as judged or has the lower log-loss.
    pub kept: bool,
    /// Number of held-out names.
    pub held_out: usize,
    /// Number of gold names used; some are decided by the exact name, whatever the ranker.
    pub gold: usize,
    /// Number of cells that name nothing, which are asked beside gold names.
    pub junk: usize,
    /// Number of gold names whose ids are not in the knowledge base.
    pub unknown_gold: usize,
    /// Number of queries longer than the encoder's window.
    pub truncated: usize,
    /// Share of held-out names whose right candidate is ranked first.
    pub accuracy: (f64, f64),
    /// Share of gold names whose right candidate is ranked first; `None` without gold names.
    pub gold_accuracy: Option<(f64, f64)>,
    /// Answers to gold names at the NIL threshold; `None` without gold names that a ranker decides.
    pub answers: Option<(GoldAnswers, GoldAnswers)>,
    /// Mean negative log-likelihood of the right answer, NIL included.
    pub log_loss: (f64, f64),
    /// NIL threshold; the second is that of the ranker fitted to all names.
    pub threshold: (f64, f64),
}

impl KnowledgeBase {
    /// Fits a ranker to this knowledge base and to gold names, and keeps it in the store. With an encoder it is the
    /// ranker for the encoder's vectors, else the lexical one.
    ///
    /// # Errors
    /// If there are too few names, a name lacks a vector of the encoder, the encoder learnt gold names
    /// ([`LearntNames`]), or the store cannot be written.
    pub fn calibrate(&self, gold: &[GoldName], options: &CalibrateOptions) -> Result<Gain, Error> {
        self.check_writable()?;
        if let Some(encoder) = self.encoder()? {
            let learnt = LearntNames::read(encoder.folder())?.map_or(0, |record| record.count(gold));
            if learnt > 0 {
                let (folder, gold) = (encoder.folder().display(), gold.len());
                let advice = hint![
                    "give names that it did not learn, or train it with ",
                    HintPart::key("ranker.folds").value(2),
                    ": then each name is judged by an encoder that did not learn it",
                ];
                let message = format!("the encoder {folder} learnt {learnt} of {gold} judgements");
                return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
            }
        }
        let features = FeatureSet::of_encoder(self.encoder()?.is_some());
        if features == FeatureSet::Dense {
            let without = self.names_without_vector()?;
            if without > 0 {
                let kb = self.path().display();
                let embed = HintPart::action("kb embed").with("kb", &kb).with("encoder", "DIR");
                let message = format!("{without} names of {kb} have no vector");
                return Err(Error::new(ErrorKind::Other, message).with_hint(hint!["make them: ", embed]));
            }
        }
        let mut training = TrainingSet::new(features);
        let unknown_gold = training.add(self, gold, options)?;
        self.keep(training, unknown_gold, options)
    }

    /// Calibrates as [`KnowledgeBase::calibrate`] does, for an encoder that was trained on the names of this knowledge
    /// base.
    ///
    /// Such an encoder has already placed each held-out name beside its synonyms, so a ranker fitted to its vectors
    /// would trust them too much. Encoder `i` of `others` was trained likewise without the names of part `i`
    /// ([`truename_text::NormalizedName::fold`]); its vectors serve the held-out names of that part.
    ///
    /// # Errors
    /// As [`KnowledgeBase::calibrate`].
    ///
    /// # Panics
    /// If the knowledge base has no encoder, or `others` is empty.
    pub fn calibrate_out_of_fold(
        &self,
        others: &[Arc<Encoder>],
        gold: &[GoldName],
        options: &CalibrateOptions,
    ) -> Result<Gain, Error> {
        self.check_writable()?;
        assert!(self.encoder()?.is_some() && !others.is_empty(), "an encoder that learnt names, and others beside it");
        let folder = tempfile::tempdir().map_err(|source| error::io("make a temporary folder", self.path(), source))?;
        // Removed even if the process ends early.
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

    /// Fits a ranker and keeps it in the store if it is better than the standard one.
    fn keep(&self, training: TrainingSet, unknown_gold: usize, options: &CalibrateOptions) -> Result<Gain, Error> {
        let priors = || FeatureSet::ALL.map(Ranker::standard);
        let [lexical, dense] = options.priors.clone().unwrap_or_else(priors);
        let priors: &[&Ranker] = match training.features {
            FeatureSet::Lexical => &[&lexical],
            FeatureSet::Dense => &[&dense, &lexical],
        };
        let (ranker, mut gain) = training.fit(priors, options)?;
        training.measure(priors[0], &mut gain);
        options.progress.check()?;
        gain.unknown_gold = unknown_gold;
        if !gain.kept {
            return Ok(gain);
        }
        self.put_ranker(&ranker, training.features, &options.progress)?;
        Ok(gain)
    }

    /// Keeps a ranker in the store, in place of the standard one.
    ///
    /// # Errors
    /// If the encoder's vectors were replaced meanwhile, or the store cannot be written.
    pub fn put_ranker(&self, ranker: &Ranker, features: FeatureSet, progress: &Progress) -> Result<(), Error> {
        let mut write = self.write()?;
        if let Some(encoder) = self.encoder()? {
            // Another process may have replaced the vectors meanwhile.
            self.check_encoder(encoder)?;
        }
        self.store.put_meta(&mut write, features.meta_key(), &ranker.to_bytes())?;
        let _committing = progress.commit()?;
        self.store.commit(write)
    }
}
