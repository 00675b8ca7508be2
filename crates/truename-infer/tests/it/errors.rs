//! Folders that are no encoder: each error names the file, what is wrong in it and a way out.

use std::path::Path;

use crate::models::{copy, replace};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use truename_infer::{Checkpoint, Encoder, Error, Tensors};

/// The error and its causes in one line, as the command line shows them.
fn message(error: &Error) -> String {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        message += &format!(": {error}");
        cause = error.source();
    }
    message
}

/// Opens a damaged copy and checks what is said of it.
fn check(family: &str, damage: impl FnOnce(&Path), said: &[&str]) -> Error {
    let folder = copy(family);
    damage(folder.path());
    let Err(error) = Encoder::open(folder.path()) else { panic!("opened in spite of {said:?}") };
    let message = message(&error);
    assert!(said.iter().all(|said| message.contains(said)), "{said:?} in {message}");
    assert!(error.hint().is_some(), "a way out of {message}");
    error
}

fn rewrite_tensors(folder: &Path, change: impl Fn(&str, TensorView<'_>) -> Option<(Dtype, Vec<usize>)>) {
    let path = folder.join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let zeros = vec![0; bytes.len()];
    let changed = tensors.tensors().into_iter().filter_map(|(name, tensor)| {
        let (dtype, shape) = change(&name, tensor)?;
        let size = shape.iter().product::<usize>() * dtype.bitsize() / 8;
        Some((name, TensorView::new(dtype, shape, &zeros[..size]).unwrap()))
    });
    std::fs::write(&path, safetensors::serialize(changed.collect::<Vec<_>>(), None).unwrap()).unwrap();
}

#[test]
fn missing_files() {
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let error = check("bert", |folder| std::fs::remove_file(folder.join(file)).unwrap(), &[file]);
        assert!(error.is_not_found());
    }
    let Err(error) = Encoder::open(Path::new("/nowhere")) else { panic!() };
    assert!(error.is_not_found() && error.to_string().contains("/nowhere/config.json"));
}

#[test]
fn files_that_may_be_missing() {
    let folder = copy("bert");
    for file in ["modules.json", "sentence_bert_config.json", "1_Pooling/config.json"] {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
    let encoder = Encoder::open(folder.path()).unwrap();
    assert_eq!((encoder.info().window, encoder.info().pooling), (64, Some(truename_infer::Pooling::Mean)));
}

#[test]
fn malformed_files() {
    for (file, said) in [
        ("config.json", "config.json cannot be read"),
        ("modules.json", "modules.json cannot be read"),
        ("sentence_bert_config.json", "sentence_bert_config.json cannot be read"),
        ("1_Pooling/config.json", "config.json cannot be read"),
        ("tokenizer.json", "tokenizer.json is not a tokenizer"),
        ("model.safetensors", "model.safetensors is not a safetensors file"),
    ] {
        let error = check("bert", |folder| std::fs::write(folder.join(file), "{ not so").unwrap(), &[said]);
        assert!(!error.is_not_found());
        check("bert", |folder| std::fs::write(folder.join(file), "").unwrap(), &[]);
    }
}

#[test]
fn weights_cut_short() {
    let cut = |folder: &Path| {
        let path = folder.join("model.safetensors");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
    };
    check("bert", cut, &["model.safetensors is not a safetensors file"]);
}

#[test]
fn settings_that_are_not_known() {
    let cases = [
        ("config.json", "\"bert\"", "\"bertha\"", ["model_type is bertha", "bert, roberta"]),
        ("config.json", "\"gelu\"", "\"mish\"", ["hidden_act is mish", "gelu_new"]),
        (
            "config.json",
            "\"num_attention_heads\": 2",
            "\"num_attention_heads\": 3",
            ["hidden_size (16) must be a multiple of num_attention_heads (3)", "config.json"],
        ),
        (
            "config.json",
            "\"num_attention_heads\": 2",
            "\"num_attention_heads\": 0",
            ["num_attention_heads is 0", "1 and more"],
        ),
        ("config.json", "\"hidden_size\": 16", "\"hidden_size\": 0", ["hidden_size is 0", "config.json"]),
        (
            "config.json",
            "\"is_decoder\"",
            "\"position_embedding_type\": \"relative_key\", \"x\"",
            ["relative_key", "absolute"],
        ),
        ("config.json", "\"hidden_size\": 16", "\"hidden_size\": -1", ["config.json", "-1"]),
        ("config.json", "\"hidden_size\": 16", "\"hidden_sizes\": 16", ["config.json", "missing field `hidden_size`"]),
        (
            "config.json",
            "\"max_position_embeddings\": 64",
            "\"max_position_embeddings\": 2",
            ["config.json: max_position_embeddings is 2", "3 and more"],
        ),
        ("config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 0", ["num_hidden_layers is 0", "1 and"]),
        ("modules.json", "models.Normalize", "models.CNN", ["type is sentence_transformers.models.CNN", "Pooling"]),
        ("modules.json", "models.Normalize", "models.Dense", ["path is 2_Normalize", "2_Dense and 3_Dense"]),
        ("modules.json", "models.Transformer", "models.Normalize", ["models.Pooling", "in this order"]),
        (
            "1_Pooling/config.json",
            "\"pooling_mode_mean_tokens\":true",
            "\"pooling_mode_lasttoken\":true",
            ["lasttoken", "mean"],
        ),
        (
            "1_Pooling/config.json",
            "\"pooling_mode_cls_token\":false",
            "\"pooling_mode_cls_token\":true",
            ["cls+mean", "one of"],
        ),
        ("sentence_bert_config.json", "48", "2", ["max_seq_length is 2", "3 and more"]),
        ("sentence_bert_config.json", "48", "0", ["max_seq_length is 0", "3 and more"]),
    ];
    for (file, from, to, said) in cases {
        check("bert", |folder| replace(&folder.join(file), from, to), &said);
    }
    let of_families = [
        ("modernbert", "\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"", ["rope_type is yarn", "default"]),
        ("modernbert", "\"sliding_attention\"", "\"linear_attention\"", ["config.json", "linear_attention"]),
        ("nomic", "\"hidden_act\"", "\"prenorm\": true, \"hidden_act\"", ["prenorm is true", "false"]),
        (
            "nomic",
            "\"hidden_act\"",
            "\"rotary_emb_fraction\": 0.5, \"hidden_act\"",
            ["rotary_emb_fraction is 0.5", "1"],
        ),
        ("deberta", "\"hidden_act\"", "\"conv_kernel_size\": 3, \"hidden_act\"", ["conv_kernel_size is 3", "0"]),
        ("deberta", "\"hidden_act\"", "\"embedding_size\": 8, \"hidden_act\"", ["embedding_size is 8", "16"]),
        ("nomic", "\"max_position_embeddings\": 1", "\"max_position_embeddings\": 99991", ["65536 and less", "config"]),
        ("modernbert", "\"intermediate_size\": 24", "\"intermediate_size\": 4611686018427387904", ["mlp.Wi", "shape"]),
        ("distilbert", "\"dim\"", "\"dimensions\"", ["config.json", "missing field `hidden_size`"]),
    ];
    for (family, from, to, said) in of_families {
        check(family, |folder| replace(&folder.join("config.json"), from, to), &said);
    }
    let buckets = |count: usize| format!("\"relative_attention_num_buckets\": {count}");
    let few = |folder: &Path| replace(&folder.join("config.json"), &buckets(32), &buckets(1));
    check("mpnet", few, &["relative_attention_num_buckets is 1", "4 and more"]);
}

#[test]
fn tensors_that_are_missing_or_of_another_model() {
    let names = [
        ("bert", "embeddings.word_embeddings.weight"),
        ("bert", "embeddings.LayerNorm.gamma"),
        ("bert", "encoder.layer.1.attention.self.key.bias"),
        ("roberta", "roberta.encoder.layer.0.output.dense.weight"),
        ("mpnet", "encoder.relative_attention_bias.weight"),
        ("mpnet", "encoder.layer.0.attention.attn.o.weight"),
    ];
    for (family, missing) in names {
        let without = |name: &str, tensor: TensorView| (name != missing).then(|| (Dtype::F32, tensor.shape().to_vec()));
        // A norm without gamma is looked for under its newer name.
        let said = missing.replace("gamma", "weight");
        check(family, |folder| rewrite_tensors(folder, without), &["model.safetensors has no tensor", &said]);
        let wider = |name: &str, tensor: TensorView| {
            let wider = usize::from(name == missing);
            Some((Dtype::F32, tensor.shape().iter().map(|size| size + wider).collect()))
        };
        check(family, |folder| rewrite_tensors(folder, wider), &[missing, "has shape", "config.json asks for"]);
        let half = |name: &str, tensor: TensorView| {
            Some((if name == missing { Dtype::F16 } else { Dtype::F32 }, tensor.shape().to_vec()))
        };
        check(family, |folder| rewrite_tensors(folder, half), &[missing, "holds F16", "F32"]);
    }
    check(
        "bert",
        |folder| replace(&folder.join("config.json"), "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3"),
        &["no tensor encoder.layer.2"],
    );
}

#[test]
fn a_tokenizer_of_another_model() {
    let folder = copy("bert");
    std::fs::copy(crate::models::folder("roberta").join("tokenizer.json"), folder.path().join("tokenizer.json"))
        .unwrap();
    let error = Encoder::open(folder.path()).unwrap().encode(&["heart attack"]).unwrap_err();
    assert!(error.to_string().contains("vocabulary has 160"), "{error}");
    assert!(error.hint().unwrap().to_string().contains("tokenizer.json"));
}

#[test]
fn weights_that_the_file_does_not_align() {
    let folder = copy("bert");
    let path = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut shifted = (header as u64 + 3).to_le_bytes().to_vec();
    shifted.extend_from_slice(&bytes[8..8 + header]);
    shifted.extend_from_slice(b"   ");
    shifted.extend_from_slice(&bytes[8 + header..]);
    std::fs::write(&path, shifted).unwrap();
    let [shifted, plain] = [folder.path(), &crate::models::folder("bert")].map(|folder| Encoder::open(folder).unwrap());
    assert_eq!(shifted.encode(&["heart attack"]).unwrap(), plain.encode(&["heart attack"]).unwrap());
}

#[test]
fn weights_that_cannot_be_written() {
    let folder = copy("bert");
    let out = folder.path().join("out");
    std::fs::create_dir_all(out.join("model.safetensors.new")).unwrap();
    let error = Checkpoint::open(folder.path()).unwrap().save(&out, &Tensors::default(), None).unwrap_err();
    assert!(message(&error).starts_with("cannot write ") && error.hint().is_none(), "{}", message(&error));
}
