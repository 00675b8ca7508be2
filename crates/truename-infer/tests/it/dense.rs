//! Dense layers behind the pooling: the vectors of the formula, copied with the folder, refused where they do not fit.

use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use truename_infer::{Checkpoint, Encoder};

use crate::models::{copy, folder, replace};

const TEXTS: [&str; 3] = ["heart attack", "the patient had no fever", ""];
const INPUTS: usize = 16;
const OUTPUTS: usize = 5;

type Function = fn(f32) -> f32;

/// Arbitrary numbers.
fn numbers(count: usize, seed: f32) -> Vec<f32> {
    (0..count).map(|at| (seed + at as f32 * 0.37).sin()).collect()
}

/// A model with a dense layer of arbitrary weights.
fn with_dense(activation: &str) -> tempfile::TempDir {
    let model = copy("bert");
    let dense = model.path().join("2_Dense");
    std::fs::create_dir(&dense).unwrap();
    let kind = format!("\"activation_function\": \"torch.nn.modules.{activation}\"");
    let config = format!("{{\"in_features\": {INPUTS}, \"out_features\": {OUTPUTS}, \"bias\": true, {kind}}}");
    std::fs::write(dense.join("config.json"), config).unwrap();
    let (weight, bias) = (numbers(INPUTS * OUTPUTS, 1.0), numbers(OUTPUTS, 2.0));
    let view = |shape, values| TensorView::new(Dtype::F32, shape, bytemuck::cast_slice(values)).unwrap();
    let tensors =
        [("linear.weight", view(vec![OUTPUTS, INPUTS], &weight)), ("linear.bias", view(vec![OUTPUTS], &bias))];
    safetensors::serialize_to_file(tensors, None, &dense.join("model.safetensors")).unwrap();
    replace(
        &model.path().join("modules.json"),
        r#"{"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}"#,
        r#"{"idx":2,"name":"2","path":"2_Dense","type":"sentence_transformers.models.Dense"}"#,
    );
    model
}

/// The layer's vectors of pooled states.
fn expected(pooled: &[f32], activation: Function) -> Vec<f32> {
    let (weight, bias) = (numbers(INPUTS * OUTPUTS, 1.0), numbers(OUTPUTS, 2.0));
    let row = |(row, bias): (&[f32], &f32)| {
        activation(row.iter().zip(pooled).map(|(weight, value)| weight * value).sum::<f32>() + bias)
    };
    weight.chunks(INPUTS).zip(&bias).map(row).collect()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {expected:?}");
}

#[test]
fn vectors_are_those_of_the_formula() {
    let pooled = Encoder::open(&folder("bert")).unwrap().encode_unscaled(&TEXTS).unwrap();
    let cases: [(&str, Function); 3] = [
        ("linear.Identity", |value| value),
        ("activation.Tanh", f32::tanh),
        ("activation.ReLU", |value| value.max(0.0)),
    ];
    for (activation, function) in cases {
        let model = with_dense(activation);
        let encoder = Encoder::open(model.path()).unwrap();
        let (unscaled, unit) = (encoder.encode_unscaled(&TEXTS).unwrap(), encoder.encode(&TEXTS).unwrap());
        assert_eq!((encoder.dimensions(), encoder.info().hidden, unit.dimensions()), (OUTPUTS, INPUTS, OUTPUTS));
        for ((pooled, unscaled), unit) in pooled.rows().zip(unscaled.rows()).zip(unit.rows()) {
            let mut expected = expected(pooled, function);
            assert_near(unscaled, &expected);
            truename_infer::scale_to_unit(&mut expected);
            assert_near(unit, &expected);
        }
    }
}

#[test]
fn a_quantised_folder_has_the_layer_too() {
    let (model, int8) = (with_dense("activation.Tanh"), tempfile::tempdir().unwrap());
    Checkpoint::open(model.path()).unwrap().quantize(int8.path()).unwrap();
    let [single, int8] = [model.path(), int8.path()].map(|folder| Encoder::open(folder).unwrap());
    let (single_vectors, vectors) = (single.encode(&TEXTS).unwrap(), int8.encode(&TEXTS).unwrap());
    for (single, int8) in single_vectors.rows().zip(vectors.rows()) {
        let cosine: f32 = single.iter().zip(int8).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.98, "{cosine}");
    }
}

#[test]
fn the_hash_is_of_the_layer_too() {
    let (one, other) = (with_dense("activation.Tanh"), with_dense("activation.Tanh"));
    let hash = |folder: &Path| Encoder::open(folder).unwrap().hash().to_owned();
    assert_eq!(hash(one.path()), hash(other.path()));
    let weights = other.path().join("2_Dense/model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_ne!(hash(one.path()), hash(other.path()));
}

#[test]
fn what_does_not_fit_is_refused() {
    let open = |model: &tempfile::TempDir| Encoder::open(model.path()).map(drop).unwrap_err().to_string();
    let unknown = open(&with_dense("activation.Hardtanh"));
    assert!(unknown.contains("activation_function is Hardtanh") && unknown.contains("2_Dense"), "{unknown}");
    let other = with_dense("linear.Identity");
    replace(&other.path().join("2_Dense/config.json"), "\"in_features\": 16", "\"in_features\": 17");
    assert!(open(&other).contains("in_features is 17; truename reads 16"));
    let missing = with_dense("linear.Identity");
    std::fs::remove_file(missing.path().join("2_Dense/model.safetensors")).unwrap();
    assert!(open(&missing).contains("2_Dense/model.safetensors"));
    let Checkpoint::Transformer(checkpoint) = Checkpoint::open(with_dense("linear.Identity").path()).unwrap() else {
        panic!("a transformer")
    };
    assert!(checkpoint.check_trainable().unwrap_err().to_string().contains("dense layer"));
}
