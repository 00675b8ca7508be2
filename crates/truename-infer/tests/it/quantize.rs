//! Models in 8 bits: near those in single precision, smaller, and refused where only single precision will do.

use std::fs;

use crate::models::{FAMILIES, copy, folder, quantized};
use truename_infer::{
    AdapterConfig, AdaptersConfig, CharacterCheckpoint, CharacterConfig, Checkpoint, Encoder, InitialWeights, Network,
    Precision, Tensor, Tensors,
};

const TEXTS: [&str; 4] = ["heart attack", "the patient had fièvre", "(IL-2)", "no"];

/// Least cosine of the vectors of both encoders.
fn least_cosine(left: &Encoder, right: &Encoder) -> f32 {
    let [left, right] = [left, right].map(|encoder| encoder.encode(&TEXTS).unwrap());
    let cosine = |(left, right): (&[f32], &[f32])| -> f32 { left.iter().zip(right).map(|(a, b)| a * b).sum() };
    left.rows().zip(right.rows()).map(cosine).fold(1.0, f32::min)
}

#[test]
fn vectors_are_near_those_in_single_precision() {
    for family in FAMILIES {
        let (single, int8) = (Encoder::open(&folder(family)).unwrap(), quantized(family));
        let (before, after) = [&folder(family), int8.path()]
            .map(|folder| fs::metadata(folder.join("model.safetensors")).unwrap().len())
            .into();
        assert!(after < before, "{family}: {after} bytes of {before}");
        let int8 = Encoder::open(int8.path()).unwrap();
        let cosine = least_cosine(&single, &int8);
        assert!(cosine > 0.98, "{family}: {cosine}");
        assert_eq!(int8.info().precision, Precision::Int8);
        assert_eq!(single.info().precision, Precision::Single);
        // Channels are padded to whole panels.
        assert!(int8.info().parameters >= single.info().parameters, "{family}");
        assert_ne!(int8.hash(), single.hash());
    }
}

#[test]
fn adapters_are_quantised_too() {
    let with_adapter = tempfile::tempdir().unwrap();
    let mut checkpoint = Checkpoint::open(&folder("bert")).unwrap();
    let adapter = AdapterConfig::new(2, 8, 2, 16);
    let tensors = adapter.untrained("general", checkpoint.hidden(), InitialWeights { deviation: 0.02, seed: 7 });
    let mut adapters = AdaptersConfig::default();
    adapters.adapters.insert("general".to_owned(), adapter);
    checkpoint.manifest_mut().set_head(AdaptersConfig::HEAD, &adapters).unwrap();
    checkpoint.save(with_adapter.path(), &tensors, None).unwrap();
    let single = Encoder::open(with_adapter.path()).unwrap();
    let out = tempfile::tempdir().unwrap();
    Checkpoint::open(with_adapter.path()).unwrap().quantize(out.path()).unwrap();
    let int8 = Encoder::open(out.path()).unwrap();
    assert_eq!(int8.info().adapters, ["general"]);
    assert!(least_cosine(&single, &int8) > 0.98);
    let is_float = |name: &&String| int8.backbone().tensors().tensor(name).is_ok();
    assert_eq!(tensors.keys().filter(|name| name.ends_with("down.weight")).filter(is_float).count(), 0);
}

#[test]
fn what_cannot_be_quantised_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let int8 = quantized("bert");
    let again = Checkpoint::open(int8.path()).unwrap().quantize(out.path()).unwrap_err();
    assert!(again.to_string().contains("holds I8; truename reads F32"), "{again}");
    let tensor =
        Checkpoint::open(int8.path()).unwrap().tensors().tensor("embeddings.word_embeddings.weight").unwrap_err();
    assert!(tensor.hint().is_some_and(|hint| hint.to_string().contains("quantised")), "{tensor}");
    let config = CharacterConfig::new(Network::Lstm, 8, 1);
    let tensors: Tensors = config.tensors().into_iter().map(|(name, shape)| (name, zeros(shape))).collect();
    let characters = Checkpoint::Characters(CharacterCheckpoint::new(config, &tensors));
    assert!(characters.quantize(out.path()).unwrap_err().to_string().contains("characters"));
    let broken = copy("bert");
    let name = "encoder.layer.0.attention.self.query.weight";
    let checkpoint = Checkpoint::open(broken.path()).unwrap();
    let tensor = checkpoint.tensors().tensor(name).unwrap();
    let mut values = tensor.values().to_vec();
    values[3] = f32::NAN;
    let tensors = Tensors::from([(name.to_owned(), Tensor::new(tensor.shape().to_vec(), values))]);
    let infinite = tempfile::tempdir().unwrap();
    checkpoint.save(infinite.path(), &tensors, None).unwrap();
    let refused = Checkpoint::open(infinite.path()).unwrap().quantize(out.path()).unwrap_err();
    assert!(refused.to_string().contains(name), "{refused}");
}

fn zeros(shape: Vec<usize>) -> Tensor {
    let count = shape.iter().product();
    Tensor::new(shape, vec![0.0; count])
}

#[test]
fn another_scheme_is_refused() {
    let int8 = quantized("bert");
    let path = int8.path().join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|window| window == b"int8-1").unwrap();
    bytes[at + 5] = b'9';
    fs::write(&path, bytes).unwrap();
    let error = Encoder::open(int8.path()).map(drop).unwrap_err();
    assert!(error.to_string().contains("int8-9"), "{error}");
}
