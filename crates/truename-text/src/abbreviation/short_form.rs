//! Short forms, and their cheapest alignment with the end of the words beside them (Sohn et al. 2008).

use super::bracket::is_balanced;
use super::vocabulary::folded;
use super::window::{LEFT_OUT_DIGIT, Window};

/// The letters and digits of a short form, folded.
pub(super) struct ShortForm {
    letters: Vec<char>,
    /// True if it ends in the s of a plural, as in "TPOs".
    is_plural: bool,
}

/// Letters of a short form at most; characters of any kind (Schwartz and Hearst 2003; Sohn et al. 2008).
const MAX_LETTERS: usize = 10;
const MAX_CHARACTERS: usize = 30;

/// Words of a short form at most (Schwartz and Hearst 2003).
const MAX_SHORT_WORDS: usize = 2;

/// Places that are tried for the next letter, the nearest first; a letter is seldom so frequent in a long form.
const MAX_TAILS: usize = 24;

/// Largest cost of an alignment with a short form of one letter, two, three, four, and more.
///
/// The precision of a strategy rises with the length of the short form (Sohn et al. 2008).
const BUDGETS: [u32; 5] = [0, 5, 7, 8, 10];

/// Contents of brackets that only look like a short form (Sohn et al. 2008 have such a list too).
#[rustfmt::skip]
const NO_SHORT_FORMS: [&str; 25] = [
    "author's transl", "proceedings", "see", "and", "comment", "letter", "eg", "e.g.", "ie", "i.e.", "mean",
    "age", "std", "range", "young", "old", "male", "female", "men", "women", "or", "vs", "median",
    "II", "III",
];

impl ShortForm {
    /// Returns the short form, where `form` is fit to be one.
    pub(super) fn new(form: &str) -> Option<Self> {
        let is_fit = form.starts_with(char::is_alphanumeric)
            && form.chars().nth(MAX_CHARACTERS).is_none()
            && form.split_whitespace().count() <= MAX_SHORT_WORDS
            && (1..=MAX_LETTERS).contains(&form.chars().filter(|letter| letter.is_alphabetic()).count())
            && is_balanced(form)
            && !is_measure(form)
            && !NO_SHORT_FORMS.contains(&form);
        let is_plural = form.ends_with('s') && form.chars().filter(|letter| letter.is_uppercase()).count() >= 2;
        is_fit.then(|| Self { letters: form.chars().filter(|c| c.is_alphanumeric()).map(folded).collect(), is_plural })
    }

    /// Words of the long form at most (Schwartz and Hearst 2003).
    pub(super) fn longest_long_form(&self) -> usize {
        (self.letters.len() + 5).min(self.letters.len() * 2)
    }

    /// Returns the cost of the cheapest alignment with the end of the window, and where the long form starts.
    pub(super) fn align(&self, window: &Window) -> Option<(u32, usize)> {
        let budget = BUDGETS[self.letters.len().min(BUDGETS.len()) - 1];
        let mut tails = vec![Tail { at: window.len(), cost: 0 }];
        for (nth, wanted) in self.letters.iter().enumerate().rev() {
            let mut longer = self.longer_tails(*wanted, &tails, window);
            if nth > 0 && wanted.is_numeric() {
                longer.extend(tails.iter().map(|tail| Tail { cost: tail.cost + LEFT_OUT_DIGIT, ..*tail }));
            }
            longer.retain(|tail| tail.cost <= budget);
            longer.sort_unstable();
            longer.dedup_by_key(|tail| tail.at);
            tails = longer;
        }
        let starts = tails.iter().filter_map(|tail| Some((tail.cost + window.start_cost(tail.at)?, tail.at)));
        // Of two starts that cost the same, the shorter long form (Schwartz and Hearst 2003).
        let (cost, at) =
            starts.filter(|(cost, _)| *cost <= budget).min_by_key(|(cost, at)| (*cost, usize::MAX - at))?;
        Some((cost, window.long_form_start(at)))
    }

    /// Returns the tails, which are sorted, with one more letter in front, each at its cheapest.
    fn longer_tails(&self, wanted: char, tails: &[Tail], window: &Window) -> Vec<Tail> {
        let cheapest = |at: usize| {
            let later = tails[tails.partition_point(|tail| tail.at <= at)..].iter().take(MAX_TAILS);
            later.map(|tail| tail.cost + window.step_cost(at, tail.at, self.is_plural)).min()
        };
        window.places(wanted).filter_map(|at| Some(Tail { at, cost: cheapest(at)? })).collect()
    }
}

/// An aligned end of a short form: its first letter in the window, and its cost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tail {
    at: usize,
    cost: u32,
}

/// Returns true if the form compares or measures: "p<0.05", "10 mg".
fn is_measure(form: &str) -> bool {
    let (number, unit) = form.split_once(char::is_whitespace).unwrap_or_default();
    form.contains(['<', '>', '=', '≤', '≥', '%']) || (!unit.is_empty() && !number.contains(char::is_alphabetic))
}
