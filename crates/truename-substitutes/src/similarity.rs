//! Cosines of substitutes with the word that they stand for, in its text where the model reads one.

use truename_infer::{Architecture, Encoder};
use truename_text::Span;

use crate::Error;

/// Returns the cosine of each candidate's vector with that of the word at a span: in the text, the candidate standing in the place of the
/// word; of an encoder of characters, alone.
///
/// # Errors
/// If the tokenizer fails or the window has no room.
pub(super) fn similarities(
    encoder: &Encoder,
    text: &str,
    span: Span,
    candidates: &[String],
) -> Result<Vec<Option<f64>>, Error> {
    let words: Vec<&str> = std::iter::once(&text[span.range()]).chain(candidates.iter().map(String::as_str)).collect();
    let vectors = match encoder.info().architecture {
        Architecture::Characters(_) => encoder.encode(&words)?,
        _ => {
            let put = |word: &&str| {
                let text = [&text[..span.start], word, &text[span.end..]].concat();
                (text, Span::new(span.start, span.start + word.len()))
            };
            let texts: Vec<(String, Span)> = words.iter().map(put).collect();
            let texts: Vec<(&str, Span)> = texts.iter().map(|(text, span)| (text.as_str(), *span)).collect();
            encoder.encode_in_context(&texts)?
        }
    };
    Ok(vectors.rows().skip(1).map(|vector| cosine(vectors.row(0), vector)).collect())
}

/// Returns the cosine of two vectors; none where one is zero.
fn cosine(left: &[f32], right: &[f32]) -> Option<f64> {
    let dot = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let length = (dot(left, left) * dot(right, right)).sqrt();
    (length > 0.0).then(|| dot(left, right) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_most_similar_to_itself() {
        for family in ["bert", "roberta", "mpnet"] {
            let folder = format!("../truename-infer/tests/models/{family}");
            let encoder = Encoder::open(folder.as_ref()).unwrap();
            let text = "the patient had fever again";
            let candidates = ["fever", "heart attack"].map(str::to_owned);
            let found = similarities(&encoder, text, Span::new(16, 21), &candidates).unwrap();
            assert!((found[0].unwrap() - 1.0).abs() < 1e-6, "{family}: {found:?}");
            assert!(found[1].unwrap() < 1.0 - 1e-6, "{family}: {found:?}");
            let elsewhere = similarities(&encoder, "heart fever", Span::new(6, 11), &candidates).unwrap();
            assert_ne!(found[1], elsewhere[1], "{family}: the context counts");
        }
    }

    #[test]
    fn cosines_of_vectors() {
        assert_eq!(cosine(&[3.0, 4.0], &[4.0, 3.0]), Some(24.0 / 25.0));
        assert_eq!(cosine(&[0.0], &[1.0]), None);
    }
}
