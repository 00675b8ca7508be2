//! Scores of recognized mentions: bounds and types, without ids.
//!
//! Read in this order: a [`JudgedDocument`] has the mentions of its annotators and those of a recognizer;
//! [`RecognitionScores`] are precision, recall and F1, of all and by type; [`MentionErrors`] tell what went wrong;
//! a [`ThresholdCurve`] shows the scores at other thresholds; a [`MentionReport`] has all of them. [`JudgedMargins`] calibrate a recognizer.

mod calibration;
mod comparison;
mod document;
mod mention_error;
mod report;
mod scores;
mod threshold;

pub use self::calibration::JudgedMargins;
pub use self::document::{FoundMention, JudgedDocument};
pub use self::mention_error::{ErrorText, MentionError, MentionErrorKind, MentionErrors, TrainingTexts};
pub use self::report::{FoundDocuments, MentionReport};
pub use self::scores::{RecognitionScores, TypeScores};
pub use self::threshold::{Margins, ThresholdCurve, ThresholdPoint};
