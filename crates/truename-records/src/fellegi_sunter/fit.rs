//! The fit of the parameters: expectation maximisation over candidate pairs and random pairs.

use rayon::prelude::*;
use truename_text::SplitMix64;

use super::column_type::ColumnType;
use super::column_types::ColumnTypes;
use super::column_weights::ColumnWeights;
use super::compared_column::Agreement;
use super::compared_columns::ComparedColumns;
use super::dependence::{Dependence, decided};
use super::household::{MOST_RELATIVES, RELATIVES_PER_MATCH, is_contradiction};
use super::likelihood::Likelihood;
use super::model::{FellegiSunterModel, MATCHES_PER_RECORD};
use super::table_columns::TableColumns;
use crate::date::Date;
use crate::distinct::Firsts;
use crate::{DistinctRecords, RecordPair, Tables};

/// Most candidate pairs that are looked at, and number of random pairs.
const CANDIDATES: usize = 200_000;
const RANDOM: usize = 200_000;
/// Seed of the draws: the same tables have the same model.
const SEED: u64 = 1;
/// Steps of expectation maximisation.
const STEPS: usize = 25;
/// Weight of the standard probabilities of levels, in pairs.
const PRIOR_MATCHES: f64 = 20.0;
const PRIOR_OTHERS: f64 = 50.0;
/// Greatest probability of a level.
const MOST_UNLIKELY: f64 = 0.999;
/// Weight of the standard share of matches, in matches.
const PRIOR_SHARE: f64 = 5.0;

/// Weight of the probabilities of levels without the other column, in pairs.
const PRIOR_DEPENDENCE: f64 = 20.0;
/// Standard errors by which equality must be more probable than without the other column.
const DEPENDENCE_ERRORS: f64 = 3.0;
/// Least share of the records whose value the other column decides.
const LEAST_DECIDED: f64 = 0.01;

impl FellegiSunterModel {
    /// Fits the parameters to candidate pairs of the tables, without labels.
    pub fn fit(tables: Tables<'_>, candidates: &[RecordPair], types: &ColumnTypes) -> Self {
        let firsts = DistinctRecords::of(tables).firsts();
        let columns = TableColumns::of(tables, &firsts, |name| types.get(name));
        Self::fit_columns(tables, &firsts, &columns, candidates)
    }

    /// Fits the parameters to candidate pairs by the columns of the tables.
    pub(super) fn fit_columns(
        tables: Tables<'_>,
        firsts: &Firsts,
        columns: &TableColumns<'_>,
        candidates: &[RecordPair],
    ) -> Self {
        Fit::new(columns, candidates, &random_pairs(tables, firsts)).run()
    }

    /// Returns true if the model is better than the lexical scorer for tables with such columns as a rule: they have names of persons or
    /// companies and another column, or addresses with phone numbers or e-mail addresses.
    pub fn suits(types: &ColumnTypes) -> bool {
        let has = |is_of: fn(ColumnType) -> bool| types.iter().any(|(_, kind)| is_of(kind));
        let has_contacts = has(|kind| kind == ColumnType::Address)
            && has(|kind| matches!(kind, ColumnType::Phone | ColumnType::Email));
        types.iter().len() > 1 && (has(ColumnType::is_name) || has_contacts)
    }
}

/// Agreements of sampled pairs.
struct Sample {
    agreements: Vec<Vec<Option<Agreement>>>,
    /// Number of pairs that each of the sample stands for.
    weight: f64,
}

/// A fit of the parameters to the pairs of tables.
struct Fit<'a> {
    columns: &'a TableColumns<'a>,
    candidates: Sample,
    random: Sample,
}

impl<'a> Fit<'a> {
    /// Compares some of the candidates, and random pairs.
    fn new(columns: &'a TableColumns<'a>, candidates: &[RecordPair], random: &[RecordPair]) -> Self {
        let sampled = candidates.len().min(CANDIDATES);
        let of_candidates: Vec<RecordPair> =
            (0..sampled).map(|at| candidates[at * candidates.len() / sampled]).collect();
        let weight = candidates.len() as f64 / sampled.max(1) as f64;
        let agreements = |pairs: &[RecordPair]| columns.map(pairs, ComparedColumns::agreements);
        Self {
            columns,
            candidates: Sample { agreements: agreements(&of_candidates), weight },
            random: Sample { agreements: agreements(random), weight: 1.0 },
        }
    }

    /// Returns the parameters.
    fn run(&self) -> FellegiSunterModel {
        let mut model = FellegiSunterModel::standard(self.columns.kinds().into_iter());
        for _ in 0..STEPS {
            model = self.step(&model);
        }
        model.rounded()
    }

    /// Returns the parameters that fit the probabilities of the pairs by the given ones.
    fn step(&self, model: &FellegiSunterModel) -> FellegiSunterModel {
        let (records, pairs) = self.columns.sizes();
        let likelihood = Likelihood::new(model, records, pairs);
        let probabilities = |sample: &Sample| -> (Vec<f64>, Vec<f64>) {
            sample.agreements.par_iter().map(|agreements| likelihood.probabilities(agreements)).unzip()
        };
        let ((candidates, relatives), (random, _)) = (probabilities(&self.candidates), probabilities(&self.random));
        let others: Vec<f64> = random.iter().map(|probability| 1.0 - probability).collect();
        let weights = |(at, column): (usize, &ColumnWeights)| {
            let standard = ColumnWeights::standard(&column.name, column.kind);
            let m = levels(&self.candidates, &candidates, at, &standard.m, PRIOR_MATCHES);
            let u = levels(&self.random, &others, at, &standard.u, PRIOR_OTHERS);
            let m = with_contradictions(column.kind, &standard.m, m);
            ColumnWeights { u: ascending(&m, neutral(column.kind, &m, u)), m, ..standard }
        };
        let mut columns: Vec<ColumnWeights> = model.columns.par_iter().enumerate().map(weights).collect();
        let given = |at| dependences(&columns, at, &self.random.agreements, &others);
        let given: Vec<Vec<Dependence>> = (0..columns.len()).into_par_iter().map(given).collect();
        columns.iter_mut().zip(given).for_each(|(column, given)| column.given = given);
        let sum = |probabilities: &[f64]| probabilities.iter().sum::<f64>() * self.candidates.weight;
        let (matches, relatives) = (sum(&candidates), sum(&relatives));
        let matches_per_record = (matches + PRIOR_SHARE) / (records + PRIOR_SHARE / MATCHES_PER_RECORD);
        let relatives = (relatives + PRIOR_MATCHES * RELATIVES_PER_MATCH) / (matches + PRIOR_MATCHES);
        let relatives_per_match = if model.relatives_per_match > 0.0 { relatives.min(MOST_RELATIVES) } else { 0.0 };
        FellegiSunterModel::new(matches_per_record, relatives_per_match, columns)
    }
}

/// Puts levels that tell relatives apart back to their standard probabilities among matches, and scales the others.
fn with_contradictions(kind: ColumnType, standard: &[f64], m: Vec<f64>) -> Vec<f64> {
    let is_kept = |level: &usize| is_contradiction(kind, *level);
    let kept: f64 = (0..m.len()).filter(is_kept).map(|level| standard[level]).sum();
    let others: f64 = (0..m.len()).filter(|level| !is_kept(level)).map(|level| m[level]).sum();
    let scaled = |(level, m): (usize, f64)| if is_kept(&level) { standard[level] } else { m * (1.0 - kept) / others };
    m.into_iter().enumerate().map(scaled).collect()
}

/// Returns the share of each level of a column among pairs with weights, with standard shares of so much weight.
fn levels(sample: &Sample, weights: &[f64], column: usize, standard: &[f64], prior: f64) -> Vec<f64> {
    let mut sums: Vec<f64> = standard.iter().map(|share| share * prior).collect();
    for (agreements, weight) in sample.agreements.iter().zip(weights) {
        if let Some(agreement) = agreements[column] {
            sums[usize::from(agreement.level)] += weight;
        }
    }
    let total: f64 = sums.iter().sum();
    sums.into_iter().map(|sum| sum / total).collect()
}

/// Raises the probabilities among other pairs so that a similar date does not speak for a match: two people have two birthdays, and one
/// digit often tells them apart.
fn neutral(kind: ColumnType, m: &[f64], mut u: Vec<f64>) -> Vec<f64> {
    if kind == ColumnType::Date {
        u[Date::SIMILAR] = u[Date::SIMILAR].max(m[Date::SIMILAR]);
    }
    u
}

/// Raises the probabilities among other pairs so that no level speaks more for a match than the one above.
fn ascending(m: &[f64], mut u: Vec<f64>) -> Vec<f64> {
    for level in (0..u.len().saturating_sub(1)).rev() {
        u[level] = u[level].max((m[level] * u[level + 1] / m[level + 1]).min(MOST_UNLIKELY));
    }
    u
}

/// Returns the dependences of a column on earlier ones, by pairs with the weight of each.
fn dependences(
    columns: &[ColumnWeights],
    column: usize,
    pairs: &[Vec<Option<Agreement>>],
    weights: &[f64],
) -> Vec<Dependence> {
    let on = |earlier: &ColumnWeights, place: usize| {
        let u = &columns[column].u;
        let mut sums = vec![0.0; u.len()];
        for (agreements, weight) in pairs.iter().zip(weights) {
            if let (Some(one), Some(other)) = (agreements[place], agreements[column])
                && one.is_equal(earlier.kind)
            {
                sums[usize::from(other.level)] += weight;
            }
        }
        let count: f64 = sums.iter().sum();
        let given: Vec<f64> =
            sums.iter().zip(u).map(|(sum, u)| (sum + PRIOR_DEPENDENCE * u) / (count + PRIOR_DEPENDENCE)).collect();
        let (equal, before) = (given[u.len() - 1], u[u.len() - 1]);
        let error = (equal / count.max(1.0)).sqrt();
        (decided(equal, before) >= LEAST_DECIDED && equal - before > DEPENDENCE_ERRORS * error)
            .then(|| Dependence { on: earlier.name.clone(), u: given })
    };
    (0..column).filter_map(|place| on(&columns[place], place)).collect()
}

/// Returns all pairs of the distinct records of small tables, and random ones of others.
fn random_pairs(tables: Tables<'_>, Firsts { left, right }: &Firsts) -> Vec<RecordPair> {
    let right = if right.is_empty() { left } else { right };
    if left.len() * right.len() <= RANDOM {
        let all = left.iter().flat_map(|left| right.iter().map(move |right| (*left, *right)));
        let is_once = |(left, right): &(u32, u32)| matches!(tables, Tables::Two(..)) || left < right;
        return all.filter(is_once).filter_map(|(left, right)| tables.pair(left, right)).collect();
    }
    let mut draw = SplitMix64::new(SEED);
    let mut row = |rows: &[u32]| rows[draw.below(rows.len() as u64) as usize];
    (0..RANDOM).filter_map(|_| tables.pair(row(left), row(right))).collect()
}
