//! Cross-validation: each part of the names is asked for with all else fitted to the other parts.

use std::path::Path;
use std::sync::Arc;

use truename::{CalibrateOptions, Concept, Encoder, KnowledgeBase};

use truename_error::ErrorKind;

use crate::{Dataset, Error, Member, NamedConcept, Recipe, Run, Start, TrainedEncoders, train_on};

/// Cross-validation over the names of a knowledge base: each part of them is asked for with all else fitted to the other parts.
pub struct CrossValidation<'a> {
    /// All names.
    pub dataset: &'a Dataset,
    /// Number of parts.
    pub folds: usize,
    /// The encoder of each fold.
    pub encoder: FoldEncoder<'a>,
    /// Options of the fit of each ranker.
    pub calibration: CalibrateOptions,
}

/// The encoder of a fold.
#[derive(Clone, Copy)]
pub enum FoldEncoder<'a> {
    /// None: names are found and ranked by their letters.
    None,
    /// One encoder for all folds.
    Ready(&'a Arc<Encoder>),
    /// An encoder trained on the other parts.
    Trained {
        /// The recipe, of a task that learns from names.
        recipe: &'a Recipe,
        /// Folder of the runs; those that are there go on, or are finished already.
        runs: &'a Path,
    },
}

/// A fold of a cross-validation, ready to be asked.
#[non_exhaustive]
pub struct FittedFold {
    /// The names to ask for are its queries.
    pub dataset: Dataset,
    /// The encoder, where there is one.
    pub encoder: Option<Arc<Encoder>>,
    /// A knowledge base of the other names, with vectors and a fitted ranker.
    pub kb: KnowledgeBase,
    /// The reason why the ranker is the default one: there are too few names to fit one.
    pub unfitted: Option<Error>,
}

impl CrossValidation<'_> {
    /// Returns the names of a fold, from 0: its part to ask for, the others to learn from.
    pub fn part(&self, fold: usize) -> Dataset {
        self.dataset.fold(fold, self.folds)
    }

    /// Trains the encoder of a fold where it is to be trained, and fits a knowledge base in the folder `out`. `make` is given
    /// each run to finish.
    ///
    /// # Errors
    /// Where a run, the encoder or the storage fails, and the errors of `make`.
    pub fn fit<E: From<Error>>(
        &self,
        fold: usize,
        out: &Path,
        make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
    ) -> Result<FittedFold, E> {
        let dataset = self.part(fold);
        let trained = self.encoders(fold, &dataset, make)?;
        let (kb, unfitted) = self.knowledge_base(&dataset, trained.as_ref(), out)?;
        Ok(FittedFold { dataset, encoder: trained.map(|trained| Arc::clone(trained.encoder())), kb, unfitted })
    }

    fn encoders<E: From<Error>>(
        &self,
        fold: usize,
        part: &Dataset,
        make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
    ) -> Result<Option<TrainedEncoders>, E> {
        match self.encoder {
            FoldEncoder::None => Ok(None),
            FoldEncoder::Ready(encoder) => Ok(Some(TrainedEncoders::of(Arc::clone(encoder)))),
            FoldEncoder::Trained { recipe, runs } => {
                // Without the names that are asked for, or the weights that suit them best would be taken.
                let learnt = part.clone().without_queries();
                let run = runs.join(format!("fold-{fold}-of-{}", self.folds));
                Ok(TrainedEncoders::open(train_on(recipe, &learnt, &run, Start::Resumed, make)?)?)
            }
        }
    }

    fn knowledge_base(
        &self,
        part: &Dataset,
        trained: Option<&TrainedEncoders>,
        out: &Path,
    ) -> Result<(KnowledgeBase, Option<Error>), Error> {
        let named = part.searched().iter().filter(|concept| !concept.names.is_empty());
        let mut kb = KnowledgeBase::create(named.map(concept).collect::<Result<_, Error>>()?, out)?;
        let fitted = match trained {
            None => kb.calibrate(&[], &self.calibration),
            Some(trained) => {
                kb = trained.embed(&kb, &self.calibration.progress)?;
                trained.calibrate(&kb, &[], &self.calibration)
            }
        };
        match fitted {
            Ok(_) => Ok((kb, None)),
            Err(error) if error.kind() == ErrorKind::TooFew => Ok((kb, Some(error))),
            Err(error) => Err(error),
        }
    }
}

/// A concept of names alone.
fn concept(named: &NamedConcept) -> Result<Concept, Error> {
    let id = named.id.parse()?;
    let mut concept = Concept::new(id, named.names[0].clone());
    concept.synonyms = named.names[1..].to_vec();
    Ok(concept)
}
