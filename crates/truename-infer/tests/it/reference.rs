//! Vectors of small random models of each family, as PyTorch has them; `reference.py` made models and vectors.

use crate::models::{FAMILIES, folder, json};
use truename_infer::{Architecture, Encoder, Pooling};

/// The greatest difference in any dimension that two sound implementations may have.
const TOLERANCE: f64 = 1e-4;

#[test]
fn vectors_are_those_of_pytorch() {
    for family in FAMILIES {
        let expected = json(&folder(family).join("expected.json"));
        let texts: Vec<&str> =
            expected["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let encoder = Encoder::open(&folder(family)).unwrap();
        let found = encoder.encode(&texts).unwrap();
        assert_eq!(found.len(), texts.len());
        for ((text, found), expected) in texts.iter().zip(found.rows()).zip(expected["vectors"].as_array().unwrap()) {
            let expected = expected.as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
            assert_eq!(expected.len(), found.len());
            let difference = found.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
            assert!(difference < TOLERANCE, "{family}: {text:?} differs by {difference}");
        }
        let truncated: Vec<usize> = serde_json::from_value(expected["truncated"].clone()).unwrap();
        assert_eq!(found.truncated(), truncated, "{family}");
    }
}

#[test]
fn models_say_what_they_are() {
    let expected = [
        (Architecture::Bert, 48, Pooling::Mean, 16, 160),
        (Architecture::Roberta, 80, Pooling::Cls, 20, 320),
        (Architecture::MpNet, 200, Pooling::Max, 16, 160),
    ];
    for (family, (architecture, window, pooling, hidden, vocabulary)) in FAMILIES.iter().zip(expected) {
        let encoder = Encoder::open(&folder(family)).unwrap();
        let info = encoder.info();
        assert_eq!((info.architecture, info.window, info.pooling), (architecture, window, Some(pooling)));
        assert_eq!((info.hidden, encoder.dimensions(), info.vocabulary, info.layers), (hidden, hidden, vocabulary, 2));
        assert!(info.parameters > 5000, "{}", info.parameters);
    }
}
