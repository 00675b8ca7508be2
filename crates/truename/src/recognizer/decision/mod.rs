//! The decision of the dictionary: the probability that a form it finds is a mention of a concept with that name.

mod english;
mod examples;
mod features;

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use truename_text::stable_hash;

pub(super) use english::function_word_kind;
pub use examples::{FormExample, MentionExamples};
pub(super) use features::{FormFeatures, PlaceFeatures, beside, neighbour, of_form};

use crate::ranker::{LeafMasks, Trees};
use crate::{Error, error};

/// The decision whether a form that the dictionary finds is a mention: boosted trees over how it is written, where it stands and what else
/// its document has, with their score calibrated to a probability.
///
/// The trees are fitted to annotated abstracts, articles and plain English, each corpus as heavy as any other; slope, offset and thresholds come
/// from folds of whole corpora (`truename-bench fit-mentions`). Small knowledge bases are among the examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MentionModel {
    /// Hash of the names of the features.
    layout: u64,
    trees: Trees,
    /// The trees again, as they score.
    #[serde(skip)]
    masks: LeafMasks,
    /// Slope and offset of the calibration (Platt scaling).
    slope: f64,
    offset: f64,
    /// Probability below which a form is no mention, over small knowledge bases and over large ones.
    thresholds: [f64; 2],
    /// The usual value of each feature, which an explanation compares with.
    usual: Vec<f32>,
}

static STANDARD: LazyLock<Arc<MentionModel>> = LazyLock::new(|| {
    let read = MentionModel::from_bytes(include_bytes!("mentions.bin"));
    Arc::new(read.expect("the model of mentions is of this version; `truename-bench fit-mentions` makes it"))
});

impl MentionModel {
    /// Returns the model that comes with Truename.
    pub fn standard() -> Arc<Self> {
        Arc::clone(&STANDARD)
    }

    /// Reads the bytes written by [`MentionModel::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are damaged, or of a model for other features.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut model: Self = postcard::from_bytes(bytes).map_err(error::ranker)?;
        let numbers = [model.slope, model.offset, model.thresholds[0], model.thresholds[1]];
        let is_sound = model.trees.is_sound(width())
            && model.usual.len() == width()
            && numbers.iter().all(|number| number.is_finite());
        let damaged = || error::ranker(postcard::Error::SerdeDeCustom);
        if model.layout != layout() || !is_sound {
            return Err(damaged());
        }
        model.masks = LeafMasks::of(&model.trees, width()).ok_or_else(damaged)?;
        Ok(model)
    }

    /// Returns the bytes of the model.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("numbers can be written")
    }

    /// Returns the probability that a form with these features is a mention of one of its concepts.
    pub fn probability(&self, features: &[f32]) -> f64 {
        1.0 / (1.0 + (-self.score(features)).exp())
    }

    /// Returns the probability below which a form is no mention, over a knowledge base with so many names.
    ///
    /// Up to [`MentionModel::SMALL`] names, which a user chose, it is the lowest that costs little F1; from [`MentionModel::LARGE`] on, whole
    /// vocabularies, that of the best F1; between them it rises with the logarithm.
    pub fn threshold(&self, names: u32) -> f64 {
        let [small, large] = [Self::SMALL, Self::LARGE].map(|names| f64::from(names).ln());
        let share = ((f64::from(names.max(1)).ln() - small) / (large - small)).clamp(0.0, 1.0);
        self.thresholds[0] + share * (self.thresholds[1] - self.thresholds[0])
    }

    /// Most names of a small knowledge base.
    pub const SMALL: u32 = 5_000;
    /// Fewest names of a large one.
    pub const LARGE: u32 = 50_000;

    /// Returns in words what speaks most for a mention and against it: the features whose usual value would change the score most.
    pub(super) fn evidence(&self, features: &[f32]) -> String {
        /// Smallest change of the logit that is told.
        const LEAST: f64 = 0.2;
        const MOST: usize = 3;
        let score = self.score(features);
        let gain = |at: usize| {
            let mut usual = features.to_vec();
            usual[at] = self.usual[at];
            score - self.score(&usual)
        };
        let mut gains: Vec<(f64, &str)> = names().enumerate().map(|(at, name)| (gain(at), name)).collect();
        gains.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let told = |gains: &mut dyn Iterator<Item = &(f64, &'static str)>| {
            gains.take(MOST).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
        };
        let speaks_for = told(&mut gains.iter().filter(|(gain, _)| *gain > LEAST));
        let against = told(&mut gains.iter().rev().filter(|(gain, _)| *gain < -LEAST));
        [(" For it: ", speaks_for), (" Against it: ", against)]
            .into_iter()
            .filter(|(_, told)| !told.is_empty())
            .map(|(begin, told)| format!("{begin}{told}."))
            .collect()
    }

    fn score(&self, features: &[f32]) -> f64 {
        self.slope * f64::from(self.masks.score(features)) + self.offset
    }
}

/// Returns the features of a form in its place; those of its document stand behind them.
pub(super) fn joined(form: &FormFeatures, place: &PlaceFeatures) -> Vec<f32> {
    let mut features = Vec::with_capacity(width());
    features.extend(form.iter().chain(place));
    features
}

fn names() -> impl Iterator<Item = &'static str> {
    features::FORM.into_iter().chain(features::PLACE).chain(features::DOCUMENT)
}

fn width() -> usize {
    features::FORM.len() + features::PLACE.len() + features::DOCUMENT.len()
}

fn layout() -> u64 {
    stable_hash(&names().collect::<Vec<_>>().join("\n"))
}
