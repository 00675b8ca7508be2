//! The weights of the columns in the probability of one pair.

use std::fmt;

use serde::Serialize;

use super::column_weights::ColumnWeights;
use super::compared_column::Agreement;
use super::likelihood::{Evidence, Likelihood};
use super::model::FellegiSunterModel;

/// Width of the bars, and bits of a full one.
const BAR: usize = 20;
const BITS: f64 = 20.0;

/// The weights that add up to the probability of a pair, in bits: a weight of 1 doubles the odds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Log₂ of the odds of a match before anything is compared.
    pub prior: f64,
    /// The columns that both records have, in their order.
    pub columns: Vec<Contribution>,
    /// Weight against a match by relatives, who agree as well.
    pub relatives: f64,
    /// Sum of all weights.
    pub weight: f64,
    /// Probability of a match. Records that are equal in most columns have at least 99 %.
    pub probability: f64,
}

/// The weight of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contribution {
    /// Folded name of the column.
    pub column: String,
    /// Level of agreement; none where a value is missing.
    pub level: Option<&'static str>,
    /// Weight, in bits; 0 where a value is missing.
    pub weight: f64,
}

impl Explanation {
    pub(super) fn of(
        model: &FellegiSunterModel,
        likelihood: &Likelihood<'_>,
        agreements: &[Option<Agreement>],
        probability: f64,
    ) -> Self {
        let mut total = Evidence::default();
        let contribution = |(place, column): (usize, &ColumnWeights)| {
            let evidence = likelihood.evidence(place, agreements);
            total.add(evidence);
            let level = agreements[place].map(|agreement| column.kind.levels()[usize::from(agreement.level)].name);
            Contribution { column: column.name.clone(), level, weight: evidence.matches }
        };
        let columns = model.columns.iter().enumerate().map(contribution).collect();
        let prior = (likelihood.prior / (1.0 - likelihood.prior)).log2();
        let relatives = (1.0 - likelihood.prior).log2() - likelihood.other(total);
        Self { prior, columns, relatives, weight: prior + total.matches + relatives, probability }
    }
}

impl fmt::Display for Explanation {
    /// Writes a waterfall: one line a weight, with a bar from the sum before to the sum after.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns =
            self.columns.iter().map(|part| (part.column.as_str(), part.level.unwrap_or("missing"), part.weight));
        let rows: Vec<(&str, &str, f64)> = std::iter::once(("prior", "", self.prior))
            .chain(columns)
            .chain(std::iter::once(("relatives", "", self.relatives)).filter(|(.., weight)| *weight != 0.0))
            .collect();
        let width = |text: fn(&(&str, &str, f64)) -> usize| rows.iter().map(text).max().unwrap_or_default();
        let (names, levels) = (width(|row| row.0.chars().count()), width(|row| row.1.chars().count()));
        let mut sum = 0.0;
        for (name, level, weight) in rows {
            writeln!(f, "{name:<names$}  {level:<levels$}  {weight:+6.2}  {}", bar(sum, sum + weight))?;
            sum += weight;
        }
        let both = names + 2 + levels;
        write!(f, "{:<both$}  {:+6.2}  probability {:.4}", "sum", self.weight, self.probability)
    }
}

/// Returns a bar on a scale from −20 to 20 bits.
fn bar(before: f64, after: f64) -> String {
    let place = |bits: f64| ((bits / BITS).clamp(-1.0, 1.0) * BAR as f64).round() as isize + BAR as isize;
    let (from, to) = (place(before.min(after)), place(before.max(after)));
    let sign = if after >= before { '+' } else { '-' };
    let cell = |at: isize| match () {
        () if (from..to).contains(&at) => sign,
        () if at == BAR as isize => '|',
        () => ' ',
    };
    (0..=2 * BAR as isize).map(cell).collect::<String>().trim_end().to_owned()
}
