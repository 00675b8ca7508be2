//! Words at masked places, against the head's formula in double precision.

use std::path::Path;

use truename_infer::{Activation, Backbone, Checkpoint, Input, MaskedLanguageModel, MaskedPlace, Tensor, Tensors};
use truename_text::Span;

const TEXT: &str = "the patient had fever again";
const FEVER: Span = Span { start: 16, end: 21 };

/// A model of a family with a masked-language head of arbitrary numbers.
fn with_head(family: &str) -> tempfile::TempDir {
    let checkpoint = Checkpoint::open(&crate::models::folder(family)).unwrap();
    let Checkpoint::Transformer(transformer) = &checkpoint else { panic!("a transformer") };
    let (hidden, width) = (transformer.config().hidden_size, transformer.embedding_width());
    let (rows, names) = (transformer.config().vocab_size, transformer.names());
    let numbers = |count: usize, seed: f32| (0..count).map(|at| 0.3 * (seed + at as f32 * 0.37).sin()).collect();
    let tensor = |shape: &[usize], seed: f32| Tensor::new(shape.to_vec(), numbers(shape.iter().product(), seed));
    let tensors = Tensors::from([
        (format!("{}.weight", names.masked_map), tensor(&[width, hidden], 1.0)),
        (format!("{}.bias", names.masked_map), tensor(&[width], 2.0)),
        (format!("{}.weight", names.masked_norm), tensor(&[width], 3.0)),
        (format!("{}.bias", names.masked_norm), tensor(&[width], 4.0)),
        (format!("{}.bias", names.masked_bias), tensor(&[rows], 5.0)),
    ]);
    let folder = tempfile::tempdir().unwrap();
    checkpoint.save(folder.path(), &tensors, None).unwrap();
    folder
}

/// Log-probabilities of all tokens at a place of a sequence: `softmax(norm(f(W h + b)) Eᵀ + c)`.
fn expected(folder: &Path, input: &Input, place: usize) -> Vec<f64> {
    let checkpoint = Checkpoint::open(folder).unwrap();
    let Checkpoint::Transformer(transformer) = &checkpoint else { panic!("a transformer") };
    let names = transformer.names();
    let of = |part: &str, tensor: &str| -> Vec<f64> {
        let values = checkpoint.tensors().at(part).tensor(tensor).unwrap().into_values();
        values.into_iter().map(f64::from).collect()
    };
    let backbone = Backbone::open(folder).unwrap();
    let states = backbone.states(std::slice::from_ref(input), &[backbone.info().layers]).unwrap();
    let state: Vec<f64> = states[0].row(0, place).iter().map(|value| f64::from(*value)).collect();
    let dot = |row: &[f64], column: &[f64]| row.iter().zip(column).map(|(left, right)| left * right).sum::<f64>();
    let mapped: Vec<f64> = of(names.masked_map, "weight")
        .chunks(state.len())
        .zip(of(names.masked_map, "bias"))
        .map(|(row, bias)| dot(row, &state) + bias)
        .map(|x| match transformer.activation().unwrap() {
            Activation::Relu => x.max(0.0),
            Activation::Silu => x / (1.0 + (-x).exp()),
            _ => 0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2)),
        })
        .collect();
    let mean = mapped.iter().sum::<f64>() / mapped.len() as f64;
    let variance = mapped.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / mapped.len() as f64;
    let epsilon = transformer.config().layer_norm_eps as f64;
    let normed: Vec<f64> = mapped
        .iter()
        .zip(of(names.masked_norm, "weight").iter().zip(of(names.masked_norm, "bias")))
        .map(|(value, (scale, shift))| (value - mean) / (variance + epsilon).sqrt() * scale + shift)
        .collect();
    let words: Vec<f64> = transformer
        .encoder()
        .at(names.words)
        .tensor("weight")
        .unwrap()
        .into_values()
        .into_iter()
        .map(f64::from)
        .collect();
    let scores: Vec<f64> = words
        .chunks(normed.len())
        .zip(of(names.masked_bias, "bias"))
        .map(|(row, bias)| dot(row, &normed) + bias)
        .collect();
    let sum = scores.iter().map(|score| score.exp()).sum::<f64>().ln();
    scores.into_iter().map(|score| score - sum).collect()
}

/// The error function, by its series.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        term *= -x * x / n as f64;
        sum += term / (2 * n + 1) as f64;
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// The prompt in the form of the family, from the tokens of the text.
fn prompt(folder: &Path, with_original: bool) -> (Input, usize) {
    let backbone = Backbone::open(folder).unwrap();
    let tokenizer = backbone.tokenizer();
    let window = |text: &str| tokenizer.windows(text, 0).unwrap().remove(0);
    let id = |names: [&str; 2]| names.iter().find_map(|name| tokenizer.id(name)).unwrap();
    let (mask, last) = (id(["[MASK]", "<mask>"]), id(["[SEP]", "</s>"]));
    let whole = window(TEXT);
    let is_fever =
        |token: &usize| whole.span(*token).is_some_and(|span| span.start >= FEVER.start && span.end <= FEVER.end);
    let fever: Vec<usize> = (0..whole.input.len()).filter(is_fever).collect();
    let mut masked = whole.input.ids().to_vec();
    masked.splice(fever[0]..=fever[fever.len() - 1], [mask]);
    if !with_original {
        return (Input::new(masked), fever[0]);
    }
    // The second text of a pair has a space before it.
    masked[1] = tokenizer.id("\u{120}the").unwrap_or(masked[1]);
    let is_bert = tokenizer.id("[CLS]").is_some();
    let mut ids = window(TEXT).input.ids().to_vec();
    ids.extend((!is_bert).then_some(last));
    let first = ids.len();
    ids.extend(&masked[1..]);
    let segments = (0..ids.len()).map(|token| u32::from(is_bert && token >= first)).collect();
    (Input::new(ids).with_segments(segments), first + fever[0] - 1)
}

#[test]
fn words_have_the_log_probabilities_of_the_formula() {
    for family in crate::models::FAMILIES {
        let folder = with_head(family);
        let model = MaskedLanguageModel::open(folder.path()).unwrap();
        for with_original in [false, true] {
            let place = MaskedPlace { text: TEXT, span: FEVER, original_masked: with_original.then_some(0.0) };
            let found = model.words(&[place], 1000).unwrap().remove(0);
            assert!(found.len() > 5, "{family}: {found:?}");
            assert!(found.is_sorted_by(|left, right| left.log_probability >= right.log_probability), "{family}");
            let (input, mask) = prompt(folder.path(), with_original);
            let expected = expected(folder.path(), &input, mask);
            let tokenizer = model.backbone().tokenizer();
            for word in &found {
                let starts = ["", "\u{120}", "\u{2581}"].map(|start| format!("{start}{}", word.word));
                let token = starts.iter().rev().find_map(|name| tokenizer.id(name)).unwrap();
                let expected = expected[token as usize];
                assert!((f64::from(word.log_probability) - expected).abs() < 2e-4, "{family} {word:?}, not {expected}");
            }
            let fit = model.fit(&place, &[&found[0].word, ""]).unwrap();
            assert!((fit[0].unwrap() - found[0].log_probability).abs() < 1e-5, "{family}: one word at one mask");
            assert_eq!(fit[1], None);
        }
    }
}

#[test]
fn parts_of_words_numbers_and_signs_are_no_words() {
    let folder = with_head("bert");
    let model = MaskedLanguageModel::open(folder.path()).unwrap();
    let place = MaskedPlace { text: TEXT, span: FEVER, original_masked: Some(0.0) };
    let words = model.words(&[place, place], 1000).unwrap();
    assert_eq!(words[0], words[1]);
    let words: Vec<&str> = words[0].iter().map(|word| word.word.as_str()).collect();
    assert!(words.contains(&"heart") && words.contains(&"the"));
    assert!(
        !words.iter().any(|word| word.contains(|letter: char| !letter.is_alphabetic()) || word.len() < 2),
        "{words:?}"
    );
    assert_eq!(model.words(&[place], 3).unwrap()[0].len(), 3);
}

#[test]
fn a_share_of_the_original_is_masked_but_not_its_word() {
    let folder = with_head("bert");
    let model = MaskedLanguageModel::open(folder.path()).unwrap();
    let scores = |share| {
        let place = MaskedPlace { text: TEXT, span: FEVER, original_masked: Some(share) };
        model.words(&[place], 1000).unwrap().remove(0)
    };
    let (input, mask) = prompt(folder.path(), true);
    let tokenizer = model.backbone().tokenizer();
    let mask_id = tokenizer.id("[MASK]").unwrap();
    let whole = tokenizer.windows(TEXT, 0).unwrap().remove(0);
    let mut ids = input.ids().to_vec();
    let is_beside = |span: Span| span.end <= FEVER.start || span.start >= FEVER.end;
    (0..whole.input.len())
        .filter(|token| whole.span(*token).is_some_and(is_beside))
        .for_each(|token| ids[token] = mask_id);
    let segments: Vec<u32> = (0..ids.len()).map(|token| u32::from(token >= whole.input.len())).collect();
    let expected = expected(folder.path(), &Input::new(ids).with_segments(segments), mask);
    for word in scores(1.0) {
        let expected = expected[tokenizer.id(&word.word).unwrap() as usize];
        assert!((f64::from(word.log_probability) - expected).abs() < 2e-4, "{word:?}, not {expected}");
    }
    assert_eq!(scores(0.5), scores(0.5));
    assert!(scores(0.5) != scores(0.0) && scores(0.5) != scores(1.0));
}

#[test]
fn a_text_of_several_tokens_is_masked_whole() {
    let folder = with_head("bert");
    let model = MaskedLanguageModel::open(folder.path()).unwrap();
    let place = MaskedPlace { text: TEXT, span: FEVER, original_masked: None };
    let tokenizer = model.backbone().tokenizer();
    let ids = tokenizer.tokens("heart attack").unwrap().ids;
    assert_eq!(ids.len(), 4, "two words");
    let (input, mask) = prompt(folder.path(), false);
    let mut masked = input.ids().to_vec();
    masked.insert(mask, tokenizer.id("[MASK]").unwrap());
    let input = Input::new(masked);
    let sum: f64 = (0..2).map(|at| expected(folder.path(), &input, mask + at)[ids[1 + at] as usize]).sum();
    let fit = model.fit(&place, &["heart attack"]).unwrap()[0].unwrap();
    assert!((f64::from(fit) - sum / 2.0).abs() < 2e-4, "{fit}, not {}", sum / 2.0);
}

#[test]
fn a_cross_entropy_is_the_mean_over_tokens_masked_in_turn() {
    let folder = with_head("bert");
    let model = MaskedLanguageModel::open(folder.path()).unwrap();
    let tokenizer = model.backbone().tokenizer();
    let ids = tokenizer.tokens("the patient had fever").unwrap().ids;
    let mask = tokenizer.id("[MASK]").unwrap();
    let loss = |at: usize| {
        let mut masked = ids.clone();
        masked[at] = mask;
        -expected(folder.path(), &Input::new(masked), at)[ids[at] as usize]
    };
    let mean = (1..ids.len() - 1).map(loss).sum::<f64>() / (ids.len() - 2) as f64;
    let found = model.cross_entropies(&["the patient had fever", "", "fever"]).unwrap();
    assert!((f64::from(found[0]) - mean).abs() < 2e-4, "{} is not {mean}", found[0]);
    assert_eq!(found[1], 0.0);
    assert_eq!(found[2], model.cross_entropies(&["fever"]).unwrap()[0], "alone and among others");
}

#[test]
fn a_folder_without_a_head_says_how_to_train_one() {
    let error = MaskedLanguageModel::open(&crate::models::folder("bert")).err().unwrap();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), "the model in tests/models/bert has no masked-language head");
    assert!(error.hint().unwrap().to_string().contains("masked-language.toml"));
}
