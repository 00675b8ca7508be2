use std::ops::Range;

use truename_infer::{Encoder, Input, Part, Sequence, Slot, Template};
use truename_text::Span;

use crate::Error;

/// Returns the cosine of each candidate's vector with that of the word at a span. A vector is the mean of the states of its tokens in the
/// text, the candidate standing in the place of the word; of an encoder of characters it is the vector of the word alone.
///
/// # Errors
/// If the tokenizer fails or the window has no room.
pub(super) fn similarities(
    encoder: &Encoder,
    text: &str,
    span: Span,
    candidates: &[String],
) -> Result<Vec<Option<f64>>, Error> {
    let word = &text[span.range()];
    let words: Vec<&str> = std::iter::once(word).chain(candidates.iter().map(String::as_str)).collect();
    let vectors = match template(encoder) {
        Some(template) => in_context(encoder, &template, text, span, &words)?,
        None => {
            let vectors = encoder.encode(&words)?;
            (0..words.len()).map(|row| vectors.row(row).to_vec()).collect()
        }
    };
    Ok(vectors[1..].iter().map(|vector| cosine(&vectors[0], vector)).collect())
}

/// The text before a word, the word and the text behind it; none where the network reads characters.
fn template(encoder: &Encoder) -> Option<Template> {
    let tokenizer = encoder.backbone().tokenizer();
    let [first, last] = if tokenizer.id("[CLS]").is_some() { ["[CLS]", "[SEP]"] } else { ["<s>", "</s>"] };
    let parts = [Part::Special(first), Part::Slot, Part::Slot, Part::Slot, Part::Special(last)];
    tokenizer.template(&parts).ok()
}

fn in_context(
    encoder: &Encoder,
    template: &Template,
    text: &str,
    span: Span,
    words: &[&str],
) -> Result<Vec<Vec<f32>>, Error> {
    /// Number of the part of the template with the word.
    const WORD: usize = 2;
    let backbone = encoder.backbone();
    let fill = |word: &&str| {
        let slots = [Slot::rest_ending(&text[..span.start]), Slot::rest(word), Slot::rest(&text[span.end..])];
        backbone.tokenizer().fill(template, &slots)
    };
    let sequences: Vec<Sequence> = words.iter().map(fill).collect::<Result<_, _>>()?;
    let inputs: Vec<Input> = sequences.iter().map(|sequence| sequence.input.clone()).collect();
    let states = backbone.states(&inputs, &[backbone.info().layers])?;
    let mean = |tokens: Range<usize>, states: &truename_infer::States| {
        let mut sum = vec![0.0; states.width(0)];
        for token in tokens {
            sum.iter_mut().zip(states.row(0, token)).for_each(|(sum, value)| *sum += value);
        }
        sum
    };
    Ok(sequences.iter().zip(&states).map(|(sequence, states)| mean(sequence.parts[WORD].clone(), states)).collect())
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
