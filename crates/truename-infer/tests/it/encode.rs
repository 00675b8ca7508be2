//! What holds of every model: the same vector alone, in any batch, on any number of threads.

use std::sync::Arc;

use crate::models::{FAMILIES, folder, quantized};
use truename_infer::{Embeddings, Encoder};

/// Encoders of all families, in single precision and in 8 bits.
fn encoders() -> impl Iterator<Item = Encoder> {
    let single = FAMILIES.iter().map(|family| Encoder::open(&folder(family)).unwrap());
    single.chain(FAMILIES.iter().map(|family| Encoder::open(quantized(family).path()).unwrap()))
}

/// Texts of many lengths, some of them alike.
fn texts() -> Vec<String> {
    let words =
        ["the", "patient", "had", "fièvre", "37 °C", "心筋梗塞", "🙂", "(IL-2)", "no", "heart", "x", "é\u{301}"];
    let text =
        |length: usize| (0..length).map(|at| words[(at * 7 + length) % words.len()]).collect::<Vec<_>>().join(" ");
    (0..150).map(|number| text((number * 13) % 60)).collect()
}

fn on_threads(threads: usize, encoder: &Encoder, texts: &[String]) -> Embeddings {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| encoder.encode(texts)).unwrap()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let texts = texts();
    for encoder in encoders() {
        let expected = on_threads(1, &encoder, &texts);
        for threads in [2, 3, 8] {
            assert_eq!(on_threads(threads, &encoder, &texts), expected, "{threads} threads");
        }
        assert_eq!(encoder.encode(&texts).unwrap(), expected);
    }
}

#[test]
fn the_other_texts_change_no_bit() {
    let texts = texts();
    for encoder in encoders() {
        let together = encoder.encode(&texts).unwrap();
        for (text, row) in texts.iter().zip(together.rows()) {
            assert_eq!(encoder.encode(&[text]).unwrap().row(0), row, "{text:?}");
        }
        let (some, others) = texts.split_at(31);
        let apart = [some, others].map(|texts| encoder.encode(texts).unwrap().into_vec()).concat();
        assert_eq!(apart, together.into_vec());
    }
}

#[test]
fn vectors_have_unit_length_and_the_order_of_the_texts() {
    let texts = texts();
    for encoder in encoders() {
        let vectors = encoder.encode(&texts).unwrap();
        assert_eq!((vectors.len(), vectors.dimensions()), (texts.len(), encoder.dimensions()));
        for row in vectors.rows() {
            let length: f32 = row.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
        let backwards: Vec<&String> = texts.iter().rev().collect();
        let backwards = encoder.encode(&backwards).unwrap();
        assert!(backwards.rows().zip((0..texts.len()).rev()).all(|(row, index)| row == vectors.row(index)));
    }
}

#[test]
fn unscaled_vectors_have_the_same_directions() {
    let texts = texts();
    for encoder in encoders() {
        let mut unscaled = encoder.encode_unscaled(&texts).unwrap().into_vec();
        let mut rows = unscaled.chunks_exact_mut(encoder.dimensions());
        assert!(rows.any(|row| row.iter().map(|value| value * value).sum::<f32>() > 1.1));
        unscaled.chunks_exact_mut(encoder.dimensions()).for_each(truename_infer::scale_to_unit);
        let expected = encoder.encode(&texts).unwrap().into_vec();
        assert!(unscaled.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-5));
    }
}

#[test]
fn equal_texts_have_equal_vectors() {
    for encoder in encoders() {
        let vectors = encoder.encode(&["fever", "cough", "fever", " fever "]).unwrap();
        assert_eq!(vectors.row(0), vectors.row(2));
        assert_eq!(vectors.row(0), vectors.row(3), "space around a text does not count");
        assert_ne!(vectors.row(0), vectors.row(1));
    }
}

#[test]
fn a_text_past_the_window_is_cut_and_said() {
    for encoder in encoders() {
        let long = "fever ".repeat(1000);
        let texts = ["fever", &long, "cough", &long];
        let vectors = encoder.encode(&texts).unwrap();
        assert_eq!(vectors.truncated(), [1, 3]);
        assert_eq!(vectors.row(1), encoder.encode(&[&"fever ".repeat(2000)]).unwrap().row(0));
    }
}

#[test]
fn no_text_and_the_empty_text() {
    for encoder in encoders() {
        let none = encoder.encode::<&str>(&[]).unwrap();
        assert!(none.is_empty() && none.rows().len() == 0 && none.into_vec().is_empty());
        let empty = encoder.encode(&["", " \n"]).unwrap();
        assert_eq!(empty.row(0), empty.row(1));
        assert!(empty.row(0).iter().any(|value| *value != 0.0));
    }
}

#[test]
fn many_threads_share_an_encoder() {
    fn is_shareable<T: Send + Sync>() {}
    is_shareable::<Encoder>();
    let (encoder, texts) = (Arc::new(encoders().next().unwrap()), texts());
    let expected = encoder.encode(&texts).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(encoder.encode(&texts).unwrap(), expected));
        }
    });
}

#[test]
fn the_hash_is_of_all_files() {
    let hashes: Vec<String> = encoders().map(|encoder| encoder.hash().to_owned()).collect();
    let again: Vec<String> = encoders().map(|encoder| encoder.hash().to_owned()).collect();
    assert_eq!(hashes, again);
    assert!(hashes.iter().all(|hash| hash.len() == 32) && hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    for (file, from, to) in [
        ("tokenizer.json", "\"fever\"", "\"feber\""),
        ("config.json", "\"layer_norm_eps\": 1e-12", "\"layer_norm_eps\": 1e-11"),
        ("sentence_bert_config.json", "48", "47"),
        ("1_Pooling/config.json", "false", "false "),
        ("modules.json", "2_Normalize", "3_Normalize"),
    ] {
        let folder = crate::models::copy("bert");
        crate::models::replace(&folder.path().join(file), from, to);
        assert_ne!(Encoder::open(folder.path()).unwrap().hash(), hashes[0], "{file}");
    }
    let folder = crate::models::copy("bert");
    let weights = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_ne!(Encoder::open(folder.path()).unwrap().hash(), hashes[0]);
}
