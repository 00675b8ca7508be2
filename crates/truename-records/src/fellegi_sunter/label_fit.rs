//! The fit of a model to labelled pairs: corrections of the weights that it has without labels.

use std::f64::consts::LN_2;

use truename_infer::logistic;

use super::column_weights::{ColumnWeights, rounded};
use super::model::FellegiSunterModel;
use crate::label_fit::{LabelFit, LabelledWeights};
use crate::{ComparedTables, Error, LabelGain, PairLabels, Sample, Tables};

/// Rounds over all levels, and the largest step of one, in nats.
const ROUNDS: usize = 40;
const LARGEST_STEP: f64 = 1.0;

impl FellegiSunterModel {
    /// Corrects the weights of the levels of agreement by labelled pairs, and keeps the corrections if they are better on labels that they
    /// were not fitted to. The corrections maximise the likelihood of the labels (logistic regression), with a penalty for their squares.
    ///
    /// # Errors
    /// If all labels are alike, or labelled records lack a column of the model.
    pub fn fit_labels(
        &self,
        labels: PairLabels<'_>,
        compared: Option<ComparedTables<'_>>,
    ) -> Result<(Self, LabelGain), Error> {
        let prior = CorrectedColumns(self.columns.clone());
        let fit = LabelFit::new(prior, labels, compared, |tables: Tables<'_>| {
            let scorer = self.scorer(tables)?;
            // The scorer has the columns in the order of the tables.
            let place = |column: &ColumnWeights| scorer.model().columns.iter().position(|own| own.name == column.name);
            let places: Vec<usize> = self.columns.iter().filter_map(place).collect();
            Ok(Box::new(move |pair| {
                let (logit, levels) = scorer.observe(pair);
                Observation { logit, levels: places.iter().map(|place| levels[*place]).collect() }
            }))
        })?;
        let (CorrectedColumns(columns), gain) = fit.run();
        let mut model = self.clone();
        model.columns = columns;
        Ok((model, gain))
    }
}

/// The logit of a pair without corrections, and its levels of agreement.
#[derive(Clone, Debug)]
struct Observation {
    logit: f64,
    levels: Vec<Option<u8>>,
}

/// Columns with corrections of their weights.
#[derive(Clone)]
struct CorrectedColumns(Vec<ColumnWeights>);

impl LabelledWeights for CorrectedColumns {
    type Features = Observation;

    /// Maximises the likelihood by Newton steps for one level after the other.
    fn fit(&self, samples: &[Sample<Observation>], penalty: f64) -> Self {
        let mut fitted = self.clone();
        fitted.0.iter_mut().for_each(|column| column.correction = vec![0.0; column.m.len()]);
        let mut logits: Vec<f64> = samples.iter().map(|sample| sample.features.logit).collect();
        for _ in 0..ROUNDS {
            for (place, column) in fitted.0.iter_mut().enumerate() {
                for (level, correction) in column.correction.iter_mut().enumerate() {
                    let has = |sample: &Sample<Observation>| sample.features.levels[place] == Some(level as u8);
                    let nats = *correction * LN_2;
                    let (mut gradient, mut curvature) = (-penalty * nats, penalty);
                    for (sample, logit) in samples.iter().zip(&logits).filter(|(sample, _)| has(sample)) {
                        let probability = logistic(*logit);
                        gradient += sample.weight * (f64::from(u8::from(sample.is_same)) - probability);
                        curvature += sample.weight * probability * (1.0 - probability);
                    }
                    let step = (gradient / curvature).clamp(-LARGEST_STEP, LARGEST_STEP);
                    *correction += step / LN_2;
                    samples
                        .iter()
                        .zip(&mut logits)
                        .filter(|(sample, _)| has(sample))
                        .for_each(|(_, logit)| *logit += step);
                }
            }
        }
        fitted.0.iter_mut().flat_map(|column| &mut column.correction).for_each(|bits| *bits = rounded(*bits));
        fitted
    }

    fn logit(&self, Observation { logit, levels }: &Observation) -> f64 {
        let corrections =
            self.0.iter().zip(levels).filter_map(|(column, level)| Some(column.correction(usize::from((*level)?))));
        logit + LN_2 * corrections.sum::<f64>()
    }

    fn changes(&self, after: &Self) -> Vec<(String, f64, f64)> {
        let of = |(before, after): (&ColumnWeights, &ColumnWeights)| {
            let named = |(level, _): (&str, f64)| format!("{}: {level}", before.name);
            let names: Vec<String> = before.weights().map(named).collect();
            let (before, after) = (before.weights().map(|(_, bits)| bits), after.weights().map(|(_, bits)| bits));
            names
                .into_iter()
                .zip(before.zip(after))
                .map(|(name, (before, after))| (name, before, after))
                .collect::<Vec<_>>()
        };
        self.0.iter().zip(&after.0).flat_map(of).collect()
    }
}
