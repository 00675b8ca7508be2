//! States of chosen layers: alone and among others, with segments, positions and visibility.

use crate::models::{FAMILIES, folder};
use truename_infer::{Backbone, Encoder, Input, States, Visibility};

fn backbone(family: &str) -> Backbone {
    Backbone::open(&folder(family)).unwrap()
}

fn ids(backbone: &Backbone, text: &str) -> Vec<u32> {
    backbone.tokenizer().tokens(text).unwrap().ids
}

fn assert_near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{what}: {found} {expected}");
    }
}

#[test]
fn a_sequence_has_the_same_states_alone_and_among_others() {
    for family in FAMILIES {
        let backbone = backbone(family);
        let texts: Vec<String> = (0..60).map(|number| "the patient had fever ".repeat(number % 7 + 1)).collect();
        let inputs: Vec<Input> = texts.iter().map(|text| Input::new(ids(&backbone, text))).collect();
        let layers = [2, 0, 1];
        let all = backbone.states(&inputs, &layers).unwrap();
        for (input, states) in inputs.iter().zip(&all) {
            assert_eq!(&backbone.states(std::slice::from_ref(input), &layers).unwrap()[0], states, "{family}");
            assert_eq!((states.tokens(), states.width(0)), (input.len(), backbone.info().hidden));
            assert_eq!(states.row(1, input.len() - 1), &states.layer(1)[(input.len() - 1) * states.width(1)..]);
        }
        assert!(backbone.states(&[], &layers).unwrap().is_empty());
    }
}

#[test]
fn an_encoder_pools_the_last_states() {
    for family in FAMILIES {
        let encoder = Encoder::open(&folder(family)).unwrap();
        let backbone = encoder.backbone();
        let input = Input::new(ids(backbone, "heart attack"));
        let states = backbone.states(&[input], &[backbone.info().layers]).unwrap();
        let mut pooled = states[0].pooled(0, backbone.info().pooling.unwrap());
        assert_near(encoder.encode_unscaled(&["heart attack"]).unwrap().row(0), &pooled, family);
        truename_infer::scale_to_unit(&mut pooled);
        assert_near(encoder.encode(&["heart attack"]).unwrap().row(0), &pooled, family);
    }
}

/// Two texts side by side that do not see each other, each with positions from 0.
fn side_by_side(one: &[u32], other: &[u32]) -> Input {
    let positions = (0..one.len()).chain(0..other.len()).map(|position| position as u32);
    Input::new([one, other].concat())
        .with_positions(positions.collect())
        .with_visibility(Visibility::apart(&[one.len(), other.len()]))
}

#[test]
fn texts_that_do_not_see_each_other_have_the_states_of_each_alone() {
    for family in FAMILIES {
        let backbone = backbone(family);
        let texts = ["the patient had a heart attack", "no fever"].map(|text| ids(&backbone, text));
        let pair = backbone.states(&[side_by_side(&texts[0], &texts[1])], &[1, 2]).unwrap();
        let alone = backbone.states(&texts.clone().map(Input::new), &[1, 2]).unwrap();
        for layer in 0..2 {
            let expected: Vec<f32> = alone.iter().flat_map(|states| states.layer(layer)).copied().collect();
            assert_near(pair[0].layer(layer), &expected, family);
        }
        let seen = backbone.states(&[Input::new(texts.concat())], &[1]).unwrap();
        assert_ne!(seen[0].layer(0), pair[0].layer(0), "{family}");
    }
}

#[test]
fn an_entity_does_not_see_its_context() {
    for family in FAMILIES {
        let backbone = backbone(family);
        let ids = ids(&backbone, "the patient had the fever");
        let entity = ids.len() - 4..ids.len() - 1;
        let states = |second: u32| -> States {
            let mut ids = ids.clone();
            ids[1] = second;
            let visibility = Visibility::entities(ids.len(), std::slice::from_ref(&entity));
            backbone.states(&[Input::new(ids).with_visibility(visibility)], &[1]).unwrap().remove(0)
        };
        // After one layer the tokens of the entity know of nothing else, and the others of all.
        let (one, other) = (states(5), states(6));
        for token in 0..ids.len() {
            assert_eq!(one.row(0, token) == other.row(0, token), entity.contains(&token), "{family}");
        }
    }
}

#[test]
fn a_visibility_of_all_changes_no_bit() {
    for family in FAMILIES {
        let backbone = backbone(family);
        let ids = ids(&backbone, "the patient had a heart attack");
        let all = Visibility::new(vec![0; ids.len()], |_, _| true);
        let inputs = [
            Input::new(ids.clone()),
            Input::new(ids.clone()).with_visibility(all),
            Input::new(ids.clone()).with_positions((0..ids.len() as u32).collect()).with_segments(vec![0; ids.len()]),
        ];
        let states = backbone.states(&inputs, &[2]).unwrap();
        assert!(states[0] == states[1] && states[0] == states[2], "{family}");
    }
}

/// The embedding of a token by the formula: the norm of the sum of three rows.
fn embedding(backbone: &Backbone, token: usize, position: usize, segment: usize) -> Vec<f32> {
    let embeddings = backbone.tensors().at("embeddings");
    let row = |table: &str, row: usize| {
        let table = embeddings.at(table).tensor("weight").unwrap();
        table.values()[row * 16..][..16].to_vec()
    };
    let rows =
        [row("word_embeddings", token), row("position_embeddings", position), row("token_type_embeddings", segment)];
    let sums: Vec<f64> = (0..16).map(|at| rows.iter().map(|row| f64::from(row[at])).sum()).collect();
    let mean = sums.iter().sum::<f64>() / 16.0;
    let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / 16.0).sqrt();
    let [scale, shift] = ["gamma", "beta"].map(|name| embeddings.at("LayerNorm").values(name, &[16]).unwrap());
    let normed = |at: usize| (sums[at] - mean) / deviation * f64::from(scale[at]) + f64::from(shift[at]);
    (0..16).map(|at| normed(at) as f32).collect()
}

#[test]
fn segments_count_where_a_model_has_them() {
    let pair = |segments: Vec<u32>| Input::new(vec![0, 137, 138, 2, 93, 2]).with_segments(segments);
    let inputs = [pair(vec![0; 6]), pair(vec![0, 0, 0, 0, 1, 1])];
    let bert = backbone("bert");
    let states = bert.states(&inputs, &[0]).unwrap();
    assert_near(states[0].row(0, 4), &embedding(&bert, 93, 4, 0), "segment 0");
    assert_near(states[1].row(0, 4), &embedding(&bert, 93, 4, 1), "segment 1");
    assert_eq!(states[0].layer(0)[..4 * 16], states[1].layer(0)[..4 * 16]);
    let mpnet = backbone("mpnet").states(&inputs, &[2]).unwrap();
    assert_eq!(mpnet[0], mpnet[1]);
    let error = backbone("roberta").states(&inputs[1..], &[0]).unwrap_err();
    assert!(error.to_string().contains("segment 1; the model has 1"), "{error}");
}

#[test]
fn inputs_that_a_model_does_not_take_are_refused() {
    let backbone = backbone("bert");
    let input = Input::new(vec![0, 2]);
    let error = backbone.states(std::slice::from_ref(&input), &[3]).unwrap_err();
    assert!(error.to_string().contains("no layer 3; the model has 2"), "{error}");
    let error = backbone.states(&[input.clone().with_positions(vec![0, 64])], &[0]).unwrap_err();
    assert!(error.to_string().contains("the model reads 64"), "{error}");
    let error = backbone.states(&[Input::new(vec![160])], &[0]).unwrap_err();
    assert!(error.to_string().contains("token 160"), "{error}");
    assert!(backbone.states(&[Input::new(vec![0; 65])], &[0]).is_err());
}
