//! Tokenizers with fewer word pieces.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};
use truename_error::ErrorKind;

use super::TokenizerFile;
use super::file::parse;
use crate::{Error, error};

impl TokenizerFile {
    /// Returns a tokenizer with the special tokens, the pieces of one character and those given by their numbers, and the number here of each
    /// of its tokens. Words of other pieces are split further.
    ///
    /// # Errors
    /// Where the tokenizer has no word pieces.
    pub fn pruned(&self, kept: &BTreeSet<u32>) -> Result<(Self, Vec<u32>), Error> {
        let mut json: Value = serde_json::from_slice(&self.bytes).map_err(|source| error::json(&self.path, source))?;
        let model = &json["model"];
        let kind = model["type"].as_str().unwrap_or("WordPiece");
        let (Some(vocabulary), "WordPiece") = (model["vocab"].as_object(), kind) else {
            let message = format!("{} has {kind} tokens, which cannot be made fewer", self.path.display());
            let hint =
                "keep the whole vocabulary (`student.vocabulary = \"all\"`), or learn from a model with word pieces";
            return Err(Error::new(ErrorKind::Choice, message).with_hint(hint));
        };
        let id = |value: &Value| value.as_u64().map(|id| id as u32);
        let unknown = model["unk_token"].as_str().unwrap_or("[UNK]");
        let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("##");
        let is_character = |piece: &str| piece.strip_prefix(prefix).unwrap_or(piece).chars().nth(1).is_none();
        let special = json["added_tokens"].as_array().into_iter().flatten().filter_map(|token| id(&token["id"]));
        let mut old: BTreeSet<u32> = special.collect();
        let pieces = vocabulary.iter().filter_map(|(piece, value)| Some((piece, id(value)?)));
        old.extend(
            pieces
                .filter(|(piece, id)| *piece == unknown || kept.contains(id) || is_character(piece))
                .map(|(_, id)| id),
        );
        let new: HashMap<u32, u32> = old.iter().copied().zip(0..).collect();
        let pieces = vocabulary.iter().filter_map(|(piece, value)| Some((*new.get(&id(value)?)?, piece.clone())));
        let pieces: BTreeMap<u32, String> = pieces.collect();
        json["model"]["vocab"] =
            Value::Object(pieces.into_iter().map(|(id, piece)| (piece, Value::from(id))).collect::<Map<_, _>>());
        for token in json["added_tokens"].as_array_mut().into_iter().flatten() {
            renumber(&mut token["id"], &new);
        }
        if let Some(pad) = json["padding"].get_mut("pad_id") {
            renumber(pad, &new);
        }
        renumber_all(&mut json["post_processor"], &new);
        let bytes = json.to_string().into_bytes();
        let inner = parse(&bytes).map_err(|source| error::tokenizer(&self.path, source))?;
        Ok((Self { path: self.path.clone(), bytes, inner, is_pruned: true }, old.into_iter().collect()))
    }
}

fn renumber(value: &mut Value, new: &HashMap<u32, u32>) {
    if let Some(new) = value.as_u64().and_then(|id| new.get(&(id as u32))) {
        *value = Value::from(*new);
    }
}

/// Renumbers the tokens of a post-processor: `"ids": […]` of a template, `["[CLS]", 101]` of BERT's.
fn renumber_all(value: &mut Value, new: &HashMap<u32, u32>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::Array(ids) if key == "ids" => ids.iter_mut().for_each(|id| renumber(id, new)),
                    _ => renumber_all(value, new),
                }
            }
        }
        Value::Array(pair) if matches!(&pair[..], [Value::String(_), Value::Number(_)]) => renumber(&mut pair[1], new),
        Value::Array(values) => values.iter_mut().for_each(|value| renumber_all(value, new)),
        _ => {}
    }
}
