//! Likelihoods of the agreements of a pair: among matches, among relatives and among other pairs.

use std::f64::consts::LN_2;

use super::column_type::ColumnType;
use super::column_weights::ColumnWeights;
use super::compared_column::Agreement;
use super::dependence::decided;
use super::household::of_relatives;
use super::model::FellegiSunterModel;

/// Greatest probability that two records match; with the relatives it is below 1.
const MOST_LIKELY: f64 = 0.3;

/// Least ratio of the likelihood ratio of equality to that of another level.
const DIFFERENCE: f64 = 2.0;

/// Weights against a match of values that tell two things apart, beside that of their level, in bits. A name has the designators of its
/// thing. A date of birth may be another one altogether: FEBRL's tables have such errors, which an equal number of the person makes good. So may
/// a given name, which is a middle name or a mistake.
const OTHER_DESIGNATOR: f64 = 12.0;
const OTHER_BIRTH: f64 = 4.0;
const OTHER_GIVEN_NAME: f64 = 2.0;

/// The parameters of a model for tables of one size.
pub(super) struct Likelihood<'a> {
    columns: &'a [ColumnWeights],
    /// For each column the places of the columns that it depends on, with the probabilities of its levels.
    given: Vec<Vec<(usize, &'a [f64])>>,
    /// For each column and level the evidence of values that are not equal, where nothing but the level tells its probability.
    usual: Vec<Vec<Evidence>>,
    /// Probability that two records match.
    pub(super) prior: f64,
    /// Probability that two records are of relatives.
    relatives: f64,
}

/// Logarithms (base 2) of likelihood ratios, each over that of other pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    pub(super) matches: f64,
    pub(super) relatives: f64,
}

impl<'a> Likelihood<'a> {
    /// Prepares the parameters for tables with so many records and so many pairs of them.
    pub(super) fn new(model: &'a FellegiSunterModel, records: f64, pairs: f64) -> Self {
        let prior = (model.matches_per_record * records / pairs.max(1.0)).min(MOST_LIKELY);
        let relatives = model.relatives_per_match * prior;
        let place = |name: &str| model.columns.iter().position(|column| column.name == name);
        let given = |column: &'a ColumnWeights| {
            column.given.iter().filter_map(|given| Some((place(&given.on)?, &given.u[..]))).collect()
        };
        let usual = |column: &ColumnWeights| {
            (0..column.m.len()).map(|level| Evidence::of(column, level, column.u[level])).collect()
        };
        let columns = model.columns.iter();
        Self {
            columns: &model.columns,
            given: columns.clone().map(given).collect(),
            usual: columns.map(usual).collect(),
            prior,
            relatives,
        }
    }

    /// Returns the probability that a pair matches.
    pub(super) fn probability(&self, agreements: &[Option<Agreement>]) -> f64 {
        self.posterior(self.total(agreements)).0
    }

    /// Returns the logit of the probability that a pair matches.
    pub(super) fn logit(&self, agreements: &[Option<Agreement>]) -> f64 {
        let total = self.total(agreements);
        self.prior.ln() + LN_2 * (total.matches - self.other(total))
    }

    /// Returns the probabilities that a pair matches, and that it is of relatives.
    pub(super) fn probabilities(&self, agreements: &[Option<Agreement>]) -> (f64, f64) {
        self.posterior(self.total(agreements))
    }

    fn total(&self, agreements: &[Option<Agreement>]) -> Evidence {
        let mut total = Evidence::default();
        (0..self.columns.len()).for_each(|column| total.add(self.evidence(column, agreements)));
        total
    }

    /// Returns the evidence of the agreement of a column; none of a missing value.
    pub(super) fn evidence(&self, column: usize, agreements: &[Option<Agreement>]) -> Evidence {
        let Some(agreement) = agreements[column] else { return Evidence::default() };
        let weights = &self.columns[column];
        let level = usize::from(agreement.level);
        let u = self.unlikely(column, agreement, agreements);
        let mut evidence =
            if u == weights.u[level] { self.usual[column][level] } else { Evidence::of(weights, level, u) };
        // Relatives with one phone number have one e-mail address too.
        let is_contact = |column: &ColumnWeights| matches!(column.kind, ColumnType::Phone | ColumnType::Email);
        let has_contact = || {
            let before = self.columns[..column].iter().zip(agreements);
            before
                .filter(|(column, _)| is_contact(column))
                .any(|(column, agreement)| agreement.is_some_and(|agreement| agreement.is_equal(column.kind)))
        };
        if is_contact(weights) && agreement.is_equal(weights.kind) && has_contact() {
            evidence.relatives = (weights.m[level] / u).log2();
        }
        if agreement.contradicts {
            evidence.matches -= match weights.kind {
                ColumnType::Date => OTHER_BIRTH,
                ColumnType::GivenName | ColumnType::PersonName => OTHER_GIVEN_NAME,
                _ => OTHER_DESIGNATOR,
            };
        }
        evidence
    }

    /// Returns the probability of an agreement among other pairs: of equal values their frequency, of others that of the level. Where
    /// the pair is equal in columns that this one depends on, the greatest of the probabilities that they give.
    fn unlikely(&self, column: usize, agreement: Agreement, agreements: &[Option<Agreement>]) -> f64 {
        let weights = &self.columns[column];
        let (level, frequency) = (usize::from(agreement.level), f64::from(agreement.frequency));
        let is_equal = agreement.is_equal(weights.kind);
        // A difference makes no match likelier than equality of the more frequent value.
        let least = DIFFERENCE * weights.m[level] * frequency / weights.m[weights.m.len() - 1];
        let alone = if is_equal { frequency } else { weights.u[level].max(least) };
        let is_given = |place: usize| agreements[place].is_some_and(|other| other.is_equal(self.columns[place].kind));
        let of_given = |(_, u): &(usize, &[f64])| match is_equal {
            true => {
                let decided = decided(u[level], weights.u[level]);
                decided + (1.0 - decided) * frequency
            }
            false => u[level].max(least),
        };
        self.given[column].iter().filter(|(place, _)| is_given(*place)).map(of_given).reduce(f64::max).unwrap_or(alone)
    }

    /// Returns the probabilities of a match and of relatives, given all evidence.
    fn posterior(&self, evidence: Evidence) -> (f64, f64) {
        let (matches, other) = (self.prior.ln() / LN_2 + evidence.matches, self.other(evidence));
        let relatives = self.relatives * (evidence.relatives - other).exp2();
        let odds = (matches - other).exp2();
        (1.0 / (1.0 + 1.0 / odds), relatives / (1.0 + odds))
    }

    /// Returns log₂ of the likelihood of all pairs that are no matches, with their prior.
    pub(super) fn other(&self, evidence: Evidence) -> f64 {
        let relatives = self.relatives * evidence.relatives.exp2();
        (1.0 - self.prior - self.relatives + relatives).log2()
    }
}

impl Evidence {
    /// Returns the evidence of a level with the probability `u` among other pairs.
    fn of(column: &ColumnWeights, level: usize, u: f64) -> Self {
        let m = column.m[level];
        let relatives = of_relatives(column.kind, level, m, u);
        Self { matches: (m / u).log2() + column.correction(level), relatives: (relatives / u).log2() }
    }

    pub(super) fn add(&mut self, further: Self) {
        self.matches += further.matches;
        self.relatives += further.relatives;
    }
}
