//! Model folders that are read, changed, written and read again.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use truename_infer::{Backbone, Checkpoint, Encoder, Input, SpecialToken, Tensor, Tensors, TransformerCheckpoint};

fn transformer(folder: &Path) -> TransformerCheckpoint {
    match Checkpoint::open(folder).unwrap() {
        Checkpoint::Transformer(checkpoint) => checkpoint,
        _ => panic!("{} is no transformer", folder.display()),
    }
}

/// All tensors of a folder: shape and bytes by name.
fn tensors(folder: &Path) -> BTreeMap<String, (Vec<usize>, Vec<u8>)> {
    let bytes = std::fs::read(folder.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let tensors = file.tensors().into_iter();
    tensors.map(|(name, tensor)| (name, (tensor.shape().to_vec(), tensor.data().to_vec()))).collect()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = ["config.json", "model.safetensors", "tokenizer.json", "truename.json"];
    let read = |name: &str| Some((name.to_owned(), std::fs::read(folder.join(name)).ok()?));
    names.into_iter().filter_map(read).collect()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Spans {
    width: usize,
    types: Vec<String>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Saved and opened again, a folder has every tensor, those that were added too; saved once more, it has the same bytes.
    #[test]
    fn every_tensor_comes_back(
        family in prop::sample::select(vec!["bert", "roberta", "mpnet"]),
        shapes in prop::collection::vec((1usize..5, 1usize..5), 0..4),
        added in 0usize..4,
        seed in any::<u64>(),
    ) {
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut checkpoint = transformer(&crate::models::folder(family));
        let names: Vec<String> = (0..added).map(|number| format!("[E{number}]")).collect();
        let special: Vec<SpecialToken> = names.iter().cloned().map(SpecialToken::new).collect();
        let ids = checkpoint.add_special_tokens(&special, seed).unwrap();
        let mut checkpoint = Checkpoint::Transformer(checkpoint);
        let new: Tensors = shapes.iter().enumerate().map(|(number, (rows, columns))| {
            let values = (0..rows * columns).map(|at| (at as f32 + seed as f32).sin()).collect();
            (format!("spans.{number}.weight"), Tensor::new(vec![*rows, *columns], values))
        }).collect();
        let spans = Spans { width: 7, types: vec!["disease".into()] };
        checkpoint.manifest_mut().set_head("spans", &spans).unwrap();
        checkpoint.save(first.path(), &new, None).unwrap();

        let (before, after) = (tensors(&crate::models::folder(family)), tensors(first.path()));
        prop_assert_eq!(after.len(), before.len() + new.len());
        for (name, (shape, bytes)) in &before {
            let (found, values) = &after[name];
            prop_assert_eq!(&values[..bytes.len()], bytes.as_slice(), "{}", name);
            prop_assert_eq!(&found[1..], &shape[1..]);
            prop_assert!(found[0] == shape[0] || found[0] == shape[0] + added && shape[0] >= 160, "{}", name);
        }
        let opened = Checkpoint::open(first.path()).unwrap();
        for (name, tensor) in &new {
            prop_assert_eq!(&opened.tensors().tensor(name).unwrap(), tensor);
        }
        prop_assert_eq!(opened.manifest().head::<Spans>("spans").unwrap(), Some(spans));
        opened.save(second.path(), &Tensors::new(), None).unwrap();
        prop_assert_eq!(files(second.path()), files(first.path()));

        // The folder opens, with its rows for the new tokens.
        let backbone = Backbone::open(first.path()).unwrap();
        let rows = crate::models::json(&crate::models::folder(family).join("config.json"))["vocab_size"].as_u64().unwrap() as usize;
        prop_assert_eq!(backbone.info().vocabulary, rows + added);
        for (name, id) in names.iter().zip(&ids) {
            prop_assert_eq!(backbone.tokenizer().id(name), Some(*id));
            // The model that lower-cases texts never meets the token in one.
            prop_assert!(family == "bert" || backbone.tokenizer().tokens(name).unwrap().ids[1] == *id);
        }
        prop_assert!(backbone.states(&[Input::new(ids)], &[2]).is_ok());
    }
}

#[test]
fn a_folder_that_nothing_was_added_to_has_the_same_files() {
    for family in crate::models::FAMILIES {
        let (folder, source) = (tempfile::tempdir().unwrap(), crate::models::folder(family));
        Checkpoint::open(&source).unwrap().save(folder.path(), &Tensors::new(), None).unwrap();
        assert_eq!(files(folder.path()), files(&source), "{family}");
        assert_eq!(Encoder::open(folder.path()).unwrap().hash(), Encoder::open(&source).unwrap().hash());
    }
}

#[test]
fn heads_over_the_vocabulary_grow_with_it() {
    let source = crate::models::folder("roberta");
    let mut checkpoint = transformer(&source);
    assert_eq!(
        checkpoint.add_special_tokens(&["<mask>", "[START]", "[END]"].map(SpecialToken::new), 3).unwrap(),
        [4, 320, 321]
    );
    let folder = tempfile::tempdir().unwrap();
    Checkpoint::Transformer(checkpoint).save(folder.path(), &Tensors::new(), None).unwrap();
    let (before, after) = (tensors(&source), tensors(folder.path()));
    let grown: Vec<&str> =
        before.iter().filter(|(name, (shape, _))| after[*name].0 != *shape).map(|(name, _)| name.as_str()).collect();
    assert_eq!(grown, ["lm_head.bias", "roberta.embeddings.word_embeddings.weight"]);
    assert_eq!(crate::models::json(&folder.path().join("config.json"))["vocab_size"], 322);
    // Texts without the new tokens have the same vectors.
    let [one, other] = [&source, folder.path()].map(|folder| Encoder::open(folder).unwrap());
    assert_eq!(one.encode(&["heart attack"]).unwrap(), other.encode(&["heart attack"]).unwrap());
    assert_ne!(one.hash(), other.hash());
}

#[test]
fn a_token_begins_as_its_word_unless_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let table = |checkpoint: TransformerCheckpoint| {
        Checkpoint::Transformer(checkpoint).save(folder.path(), &Tensors::new(), None).unwrap();
        Checkpoint::open(folder.path()).unwrap().tensors().tensor("embeddings.word_embeddings.weight").unwrap()
    };
    let mut checkpoint = transformer(&crate::models::folder("bert"));
    let heart = checkpoint.special_token("heart").unwrap() as usize;
    let tokens = ["heart", "no word"].map(|word| SpecialToken::new(format!("[{word}]")).like(word));
    assert_eq!(checkpoint.add_special_tokens(&tokens, 1).unwrap(), [160, 161]);
    let grown = table(checkpoint);
    let row = |row: usize| &grown.values()[row * grown.shape()[1]..][..grown.shape()[1]];
    assert_eq!(row(160), row(heart));
    assert!((0..161).all(|other| row(other) != row(161)), "drawn");
    let mut checkpoint = transformer(folder.path());
    assert_eq!(checkpoint.add_special_tokens(&[SpecialToken::new("[heart]").like("fever")], 1).unwrap(), [160]);
    assert_eq!(table(checkpoint), grown);
}

#[test]
fn a_table_of_another_size_changes_the_configuration() {
    let (source, folder) = (crate::models::folder("bert"), tempfile::tempdir().unwrap());
    let checkpoint = Checkpoint::open(&source).unwrap();
    let table = checkpoint.tensors().tensor("embeddings.position_embeddings.weight").unwrap();
    let columns = table.shape()[1];
    let more = Tensor::new(vec![70, columns], table.values().iter().copied().cycle().take(70 * columns).collect());
    let tensors = Tensors::from([("embeddings.position_embeddings.weight".to_owned(), more)]);
    checkpoint.save(folder.path(), &tensors, None).unwrap();
    assert_eq!(crate::models::json(&folder.path().join("config.json"))["max_position_embeddings"], 70);
    let backbone = Backbone::open(folder.path()).unwrap();
    assert!(backbone.states(&[Input::new(vec![0; 70])], &[2]).is_ok());
}

#[test]
fn a_manifest_of_another_format_is_refused() {
    let folder = crate::models::copy("bert");
    std::fs::write(folder.path().join("truename.json"), r#"{"format": 2, "heads": {}}"#).unwrap();
    let Err(error) = Checkpoint::open(folder.path()) else { panic!() };
    assert!(error.to_string().contains("truename.json has format 2; this version of Truename reads 1"), "{error}");
    assert!(error.hint().is_some());
    std::fs::write(folder.path().join("truename.json"), r#"{"format": 1, "heads": {"spans": {"width": "wide"}}}"#)
        .unwrap();
    let checkpoint = Checkpoint::open(folder.path()).unwrap();
    assert_eq!(checkpoint.manifest().heads().collect::<Vec<_>>(), ["spans"]);
    assert!(checkpoint.manifest().head::<Spans>("spans").is_err());
    assert_eq!(checkpoint.manifest().head::<Spans>("cloze").unwrap(), None);
}

#[cfg(unix)]
#[test]
fn weights_have_the_permissions_of_a_new_file() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode();
    std::fs::write(folder.path().join("new"), "").unwrap();
    Checkpoint::open(&crate::models::folder("bert")).unwrap().save(folder.path(), &Tensors::new(), None).unwrap();
    for file in ["model.safetensors", "config.json", "tokenizer.json"] {
        assert_eq!(mode(file), mode("new"), "{file}");
    }
}
