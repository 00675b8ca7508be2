//! A model of random weights with the sizes of MiniLM-L6, for times alone.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize_to_file};
use truename_text::SplitMix64;

const HIDDEN: usize = 384;
const INNER: usize = 1536;
const LAYERS: usize = 6;
const POSITIONS: usize = 128;
/// As many as the tokenizer of the tests has.
const TOKENS: usize = 160;

/// Writes the folder of the model.
pub fn write(folder: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../truename-infer/tests/models/bert");
    fs::create_dir(folder.join("1_Pooling")).unwrap();
    for file in ["modules.json", "1_Pooling/config.json"] {
        fs::copy(tests.join(file), folder.join(file)).unwrap();
    }
    let tokenizer = fs::read_to_string(tests.join("tokenizer.json")).unwrap();
    // The tests cut texts after seven tokens.
    fs::write(folder.join("tokenizer.json"), tokenizer.replace("\"max_length\":7,", "\"max_length\":128,")).unwrap();
    fs::write(folder.join("sentence_bert_config.json"), r#"{"max_seq_length": 128}"#).unwrap();
    let mut config: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(tests.join("config.json")).unwrap()).unwrap();
    for (key, value) in [
        ("hidden_size", HIDDEN),
        ("intermediate_size", INNER),
        ("num_hidden_layers", LAYERS),
        ("num_attention_heads", 12),
        ("max_position_embeddings", POSITIONS),
    ] {
        config[key] = value.into();
    }
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    write_weights(&folder.join("model.safetensors"));
}

fn write_weights(path: &Path) {
    let shapes = shapes();
    let mut random = SplitMix64::new(1);
    let mut weight = || (random.draw() >> 40) as f32 / (1 << 24) as f32 * 0.08 - 0.04;
    let tensors: HashMap<&str, (&[usize], Vec<u8>)> = shapes
        .iter()
        .map(|(name, shape)| {
            let values = (0..shape.iter().product()).flat_map(|_| weight().to_le_bytes()).collect();
            (name.as_str(), (&shape[..], values))
        })
        .collect();
    let views = tensors
        .iter()
        .map(|(name, (shape, bytes))| (*name, TensorView::new(Dtype::F32, shape.to_vec(), bytes).unwrap()));
    serialize_to_file(views, None, path).unwrap();
}

/// Names and shapes of the tensors.
fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![TOKENS, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
    ];
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        for (name, output, input) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ] {
            shapes.push((format!("{layer}.{name}.weight"), vec![output, input]));
            shapes.push((format!("{layer}.{name}.bias"), vec![output]));
        }
        norms.extend([format!("{layer}.attention.output.LayerNorm"), format!("{layer}.output.LayerNorm")]);
    }
    shapes.extend(
        norms.into_iter().flat_map(|norm| ["weight", "bias"].map(|part| (format!("{norm}.{part}"), vec![HIDDEN]))),
    );
    shapes
}
