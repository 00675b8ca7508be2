//! Values of flags.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// The largest `--top`.
pub const MOST_CANDIDATES: i64 = 10_000;

pub fn encoding(label: &str) -> Result<String, String> {
    let known = truename_read::Encoding::of_label(label).map(|_| label.to_owned());
    known.ok_or_else(|| "use a WHATWG label such as utf-8, windows-1252, utf-16le".into())
}

/// Reads a number of a range.
fn within<T: FromStr + PartialOrd>(value: &str, range: RangeInclusive<T>, message: &str) -> Result<T, String> {
    value.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| message.into())
}

pub fn folds(value: &str) -> Result<usize, String> {
    within(value, 2..=20, "cross-validation has 2 to 20 folds")
}

pub fn probability(value: &str) -> Result<f64, String> {
    within(value, 0.0..=1.0, "a probability lies between 0 and 1")
}

pub fn perplexity(value: &str) -> Result<f64, String> {
    within(value, 1.0..=5000.0, "a perplexity lies between 1 and 5000")
}

pub fn occurrences(value: &str) -> Result<f64, String> {
    within(value, 0.0..=1e6, "occurrences in a million words lie between 0 and 1000000")
}

pub fn weight(value: &str) -> Result<f64, String> {
    within(value, 0.0..=20.0, "a weight lies between 0 and 20")
}

pub fn share(value: &str) -> Result<f32, String> {
    within(value, 0.0..=1.0, "a weight of words lies between 0 and 1")
}

pub fn part(value: &str) -> Result<f64, String> {
    within(value, 0.0..=1.0, "a share lies between 0 and 1")
}

pub fn distance(value: &str) -> Result<f32, String> {
    within(value, 0.0..=2.0, "a distance lies between 0 and 2")
}

pub fn filled(text: &str) -> Result<String, String> {
    let filled = Some(text.trim()).filter(|text| !text.is_empty());
    filled.map(str::to_owned).ok_or_else(|| "it is empty".into())
}

/// Returns a type with its name: TYPE=NAME, or TYPE alone, which keeps it.
pub fn type_name(text: &str) -> Result<(String, String), String> {
    let (mention_type, name) = text.split_once('=').unwrap_or((text, text));
    Ok((filled(mention_type)?, filled(name)?))
}
