//! Features of a pair of records. All lie between 0 and 1.

use super::profile::{Field, Profile, Profiles};
use super::vocabulary::{SharedWeights, ratio, weight};

/// Names of the features, in order.
pub const FEATURES: [&str; 30] = [
    "constant",
    "words",
    "words²",
    "n-grams",
    "n-grams²",
    "containment",
    "codes shared",
    "codes differ",
    "no code",
    "rarest word shared",
    "rarest word differs",
    "columns",
    "columns²",
    "least column",
    "main column",
    "main column²",
    "main column equal",
    "columns equal",
    "numbers equal",
    "numbers differ",
    "missing on one side",
    "n-grams × codes differ",
    "n-grams × numbers differ",
    "n-grams × rarest word differs",
    "several columns",
    "n-grams × several columns",
    "containment × several columns",
    "rarest word shared × several columns",
    "designators differ",
    "distinguishing words differ",
];

/// The features of a pair, as [`FEATURES`] names them.
pub type Features = [f64; FEATURES.len()];

/// Features of the columns that both records have.
#[derive(Default)]
struct Columns {
    /// Mean cosine of the n-grams, by the weight of the columns.
    mean: f64,
    /// Lowest cosine of a column that holds text.
    least: f64,
    /// Cosine of the column with the greatest weight, and whether its values are equal.
    main: f64,
    main_equal: f64,
    /// Share of the columns with equal values.
    equal: f64,
    /// Shares of the columns of numbers in which they are equal and in which they differ; both 0 without such columns.
    numbers_equal: f64,
    numbers_differ: f64,
    /// Share of the columns with a value in one record alone.
    missing: f64,
    /// 1 if the names in a column differ in a designator, and in a distinguishing word.
    designators: f64,
    distinguishing: f64,
}

pub(super) fn features(profiles: &Profiles, left: &Profile, right: &Profile) -> Features {
    let words = profiles.words.shared(&left.words, &right.words);
    let codes = profiles.words.shared(&left.codes, &right.codes);
    let grams = profiles.grams.shared(left.grams(), right.grams());
    let columns = Columns::of(profiles, left, right);
    // Weights of a word that these two records alone have, and of one that a single record has.
    let [rarest_shared, rarest] = [2, 1].map(|records| f64::from(weight(profiles.records, records)));
    let rare_shared = ratio(words.heaviest_both, rarest_shared).min(1.0);
    let rare_differs = ratio(words.heaviest_left.min(words.heaviest_right), rarest).min(1.0);
    // A title alone is written in more ways than a record of several columns.
    let several = f64::from(u8::from(profiles.column_weights.len() > 1));
    let (words_cosine, grams_cosine) = (words.cosine(), grams.cosine());
    [
        1.0,
        words_cosine,
        words_cosine * words_cosine,
        grams_cosine,
        grams_cosine * grams_cosine,
        words.containment(),
        codes.jaccard(),
        codes.conflict(),
        if codes.total() > 0.0 { 0.0 } else { 1.0 },
        rare_shared,
        rare_differs,
        columns.mean,
        columns.mean * columns.mean,
        columns.least,
        columns.main,
        columns.main * columns.main,
        columns.main_equal,
        columns.equal,
        columns.numbers_equal,
        columns.numbers_differ,
        columns.missing,
        grams_cosine * codes.conflict(),
        grams_cosine * columns.numbers_differ,
        grams_cosine * rare_differs,
        several,
        grams_cosine * several,
        words.containment() * several,
        rare_shared * several,
        columns.designators,
        columns.distinguishing,
    ]
}

impl Columns {
    fn of(profiles: &Profiles, left: &Profile, right: &Profile) -> Self {
        let mut found = Self { least: 1.0, ..Self::default() };
        let (mut weights, mut heaviest) = (0.0, 0.0);
        let (mut both, mut one, mut numbers, mut texts) = (0.0, 0.0, 0.0, 0);
        each_column(&left.fields, &right.fields, |left, right| {
            let (Some(left), Some(right)) = (left, right) else {
                one += 1.0;
                return;
            };
            both += 1.0;
            let is_equal = f64::from(u8::from(left.hash == right.hash));
            found.equal += is_equal;
            if let (Some(left), Some(right)) = (left.number, right.number) {
                numbers += 1.0;
                *(if left == right { &mut found.numbers_equal } else { &mut found.numbers_differ }) += 1.0;
                return;
            }
            texts += 1;
            if let (Some(names), Some(left), Some(right)) =
                (&profiles.names[left.column as usize], left.name, right.name)
                && left != right
            {
                found.designators =
                    f64::from(u8::from(names.differ_in_designators(left, right))).max(found.designators);
                found.distinguishing =
                    f64::from(u8::from(names.differ_in_words(left, right))).max(found.distinguishing);
            }
            let weight = profiles.column_weights[left.column as usize];
            let shared: SharedWeights = profiles.grams.shared(&left.grams, &right.grams);
            let cosine = if is_equal > 0.0 { 1.0 } else { shared.cosine() };
            found.mean += weight * cosine;
            weights += weight;
            found.least = found.least.min(cosine);
            if weight > heaviest {
                (heaviest, found.main, found.main_equal) = (weight, cosine, is_equal);
            }
        });
        found.mean = ratio(found.mean, weights);
        found.least = if texts == 0 { 0.0 } else { found.least };
        found.equal = ratio(found.equal, both);
        found.numbers_equal = ratio(found.numbers_equal, numbers);
        found.numbers_differ = ratio(found.numbers_differ, numbers);
        found.missing = ratio(one, both + one);
        found
    }
}

/// Visits the columns of which either record has a value, in order.
fn each_column<'a>(left: &'a [Field], right: &'a [Field], mut visit: impl FnMut(Option<&'a Field>, Option<&'a Field>)) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(first), Some(second)) if first.column == second.column => visit(left.next(), right.next()),
            (Some(first), Some(second)) if second.column < first.column => visit(None, right.next()),
            (Some(_), _) => visit(left.next(), None),
            (None, Some(_)) => visit(None, right.next()),
        }
    }
}
