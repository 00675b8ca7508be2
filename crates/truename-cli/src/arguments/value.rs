//! Values of flags.

/// The largest `--top`.
pub const MOST_CANDIDATES: i64 = 10_000;

pub fn encoding(label: &str) -> Result<String, String> {
    let known = truename_read::Encoding::of_label(label).map(|_| label.to_owned());
    known.ok_or_else(|| "use a WHATWG label such as utf-8, windows-1252, utf-16le".into())
}

pub fn folds(value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(folds) if (2..=20).contains(&folds) => Ok(folds),
        _ => Err("cross-validation has 2 to 20 folds".into()),
    }
}

pub fn probability(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err("a probability lies between 0 and 1".into()),
    }
}

pub fn perplexity(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(perplexity) if (1.0..=5000.0).contains(&perplexity) => Ok(perplexity),
        _ => Err("a perplexity lies between 1 and 5000".into()),
    }
}

pub fn occurrences(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(occurrences) if (0.0..=1e6).contains(&occurrences) => Ok(occurrences),
        _ => Err("occurrences in a million words lie between 0 and 1000000".into()),
    }
}

pub fn weight(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(weight) if (0.0..=20.0).contains(&weight) => Ok(weight),
        _ => Err("a weight lies between 0 and 20".into()),
    }
}

pub fn share(value: &str) -> Result<f32, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a weight of words lies between 0 and 1".into()),
    }
}

pub fn distance(value: &str) -> Result<f32, String> {
    match value.parse() {
        Ok(distance) if (0.0..=2.0).contains(&distance) => Ok(distance),
        _ => Err("a distance lies between 0 and 2".into()),
    }
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
