//! Vectors of small random models of each family, as PyTorch has them; `reference.py` made models and vectors.

use crate::models::{self, FAMILIES, copy, folder};
use serde_json::{Value, json};
use truename_infer::{Architecture, Encoder, Pooling};

/// The greatest difference in any dimension that two sound implementations may have.
const TOLERANCE: f64 = 1e-4;

#[test]
fn vectors_are_those_of_pytorch() {
    for family in FAMILIES {
        let expected = models::json(&folder(family).join("expected.json"));
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
fn settings_of_older_files_mean_the_same() {
    let older = [
        ("modernbert", json!({"layer_types": null, "rope_parameters": null, "layer_norm_eps": 0.5})),
        ("modernbert", json!({"rope_parameters": null, "global_rope_theta": 160_000, "local_rope_theta": 10_000})),
        (
            "nomic",
            json!({
                "hidden_size": null, "n_embd": 16, "num_hidden_layers": null, "n_layer": 2, "num_attention_heads": null,
                "n_head": 2, "intermediate_size": null, "n_inner": 24, "max_position_embeddings": null, "n_positions": 120,
                "hidden_act": null, "activation_function": "swiglu", "layer_norm_eps": null, "layer_norm_epsilon": 1e-12,
                "rope_parameters": null, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
            }),
        ),
        ("deberta", json!({"pos_att_type": "p2c|c2p", "max_relative_positions": 120})),
    ];
    let texts = ["heart attack", &"no fever, no cough ".repeat(30)];
    for (family, settings) in older {
        let model = copy(family);
        let path = model.path().join("config.json");
        let mut config = models::json(&path);
        for (key, value) in settings.as_object().unwrap() {
            match value {
                Value::Null => drop(config.as_object_mut().unwrap().remove(key)),
                _ => config[key] = value.clone(),
            }
        }
        std::fs::write(&path, config.to_string()).unwrap();
        let [found, expected] =
            [model.path(), &folder(family)].map(|folder| Encoder::open(folder).unwrap().encode(&texts).unwrap());
        assert_eq!(found, expected, "{family}: {settings}");
    }
}

#[test]
fn models_say_what_they_are() {
    let expected = [
        (Architecture::Bert, 48, Pooling::Mean, 16, 160, 2),
        (Architecture::Roberta, 80, Pooling::Cls, 20, 320, 2),
        (Architecture::MpNet, 200, Pooling::Max, 16, 160, 2),
        (Architecture::Roberta, 128, Pooling::Mean, 16, 95, 2),
        (Architecture::DistilBert, 64, Pooling::Mean, 16, 160, 2),
        (Architecture::Electra, 64, Pooling::Cls, 16, 160, 2),
        (Architecture::ModernBert, 120, Pooling::Mean, 16, 160, 3),
        (Architecture::NomicBert, 120, Pooling::Mean, 16, 160, 2),
        (Architecture::DebertaV2, 120, Pooling::Mean, 16, 160, 2),
    ];
    for (family, (architecture, window, pooling, hidden, vocabulary, layers)) in FAMILIES.iter().zip(expected) {
        let encoder = Encoder::open(&folder(family)).unwrap();
        let info = encoder.info();
        assert_eq!((info.architecture, info.window, info.pooling), (architecture, window, Some(pooling)));
        assert_eq!((info.hidden, encoder.dimensions(), info.layers), (hidden, hidden, layers));
        assert_eq!(info.vocabulary, vocabulary, "{family}");
        assert!(info.parameters > 5000, "{}", info.parameters);
    }
}
