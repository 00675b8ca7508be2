//! The recognizer of the arguments.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use truename::{DictionaryRecognizer, EntityType, KnowledgeBase, Recognizer, TrainedRecognizer, UnionRecognizer};

use crate::arguments::{RecognizerChoice, RecognizerChoices};
use crate::exit_code::{Advised, ExitCode, UsageError};

/// Options of the recognizers.
#[derive(Default)]
pub struct Options {
    /// Whether mentions within mentions are found; `None` as each recognizer does by default.
    pub nested: Option<bool>,
    /// Types of the concepts that the dictionary looks for; empty for all.
    pub types: Vec<String>,
    /// Whether mentions of the dictionary have the types of its concepts.
    pub typed: bool,
    /// Smallest difference of score and threshold.
    pub min_margin: f64,
}

/// Creates the recognizer: the named ones, else the knowledge base's own, else the dictionary of the knowledge base.
pub fn recognizer(
    choices: &RecognizerChoices,
    kb: &dyn Fn() -> anyhow::Result<KnowledgeBase>,
    options: &Options,
) -> anyhow::Result<Box<dyn Recognizer>> {
    let types = entity_types(choices)?;
    let dictionary = || -> anyhow::Result<Box<dyn Recognizer>> {
        let dictionary = DictionaryRecognizer::new(kb()?).nested(options.nested.unwrap_or(false));
        Ok(Box::new(dictionary.of_types(options.types.clone()).typed(options.typed)))
    };
    let mut recognizers: Vec<Box<dyn Recognizer>> = Vec::new();
    let mut is_trained = false;
    let mut add = |recognizers: &mut Vec<Box<dyn Recognizer>>, model: TrainedRecognizer| -> anyhow::Result<()> {
        is_trained = true;
        recognizers.push(Box::new(configured(model, &types, options)?.joint(choices.joint)));
        Ok(())
    };
    for choice in &choices.recognizer {
        match choice {
            RecognizerChoice::Dictionary => recognizers.push(dictionary()?),
            RecognizerChoice::Folder(folder) => add(&mut recognizers, open(folder)?)?,
            RecognizerChoice::Both => {
                let kb = kb()?;
                let own = kb.attached_recognizer()?.ok_or_else(|| no_recognizer(&kb))?;
                add(&mut recognizers, own)?;
                recognizers.push(dictionary()?);
            }
        }
    }
    if choices.recognizer.is_empty() {
        match kb()?.attached_recognizer()? {
            Some(own) => add(&mut recognizers, own)?,
            None => recognizers.push(dictionary()?),
        }
    }
    if !is_trained && (choices.joint || !types.is_empty()) {
        let message = "--entity-type, --entity-types and --joint need a recognizer that `train` made; name it with --recognizer DIR";
        return Err(UsageError(message.into()).into());
    }
    Ok(match recognizers.len() {
        1 => recognizers.remove(0),
        _ => Box::new(UnionRecognizer::new(recognizers).nested(options.nested.unwrap_or(false))),
    })
}

fn open(folder: &Path) -> anyhow::Result<TrainedRecognizer> {
    if !folder.is_dir() {
        let message = format!("there is no folder {} with a recognizer", folder.display());
        let hint =
            "`truename train` makes one; `--recognizer dictionary` goes by the names of the knowledge base".into();
        return Err(Advised { message, hint, code: ExitCode::Failure }.into());
    }
    Ok(TrainedRecognizer::open(folder)?)
}

fn no_recognizer(kb: &KnowledgeBase) -> Advised {
    let message = format!("{} has no recognizer of its own", kb.path().display());
    let hint = format!("`truename kb models add DIR --kb {}` copies one there", kb.path().display());
    Advised { message, hint, code: ExitCode::Failure }
}

fn configured(model: TrainedRecognizer, types: &[EntityType], options: &Options) -> anyhow::Result<TrainedRecognizer> {
    let model = if types.is_empty() { model } else { model.with_types(types.to_vec())? };
    let model = model.min_margin(options.min_margin);
    Ok(match options.nested {
        Some(nested) => model.flat(!nested),
        None => model,
    })
}

/// Reads the types of `--entity-types` and `--entity-type`.
fn entity_types(choices: &RecognizerChoices) -> anyhow::Result<Vec<EntityType>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Descriptions {
        One(String),
        Many(Vec<String>),
    }
    let mut types = Vec::new();
    if let Some(path) = &choices.entity_types {
        let cannot = || format!("cannot read {} as types with descriptions, such as `vaccine = \"…\"`", path.display());
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let table: BTreeMap<String, Descriptions> = toml::from_str(&text).with_context(cannot)?;
        types.extend(table.into_iter().map(|(name, descriptions)| match descriptions {
            Descriptions::One(description) => EntityType::new(name, description),
            Descriptions::Many(descriptions) => EntityType { name, descriptions },
        }));
    }
    for text in &choices.entity_type {
        let parts = text.split_once(':').map(|(name, description)| (name.trim(), description.trim()));
        let (name, description) =
            parts.filter(|(name, description)| !name.is_empty() && !description.is_empty()).ok_or_else(|| {
                UsageError(format!(
                    "--entity-type \"{text}\" has no description; write it as \"vaccine: names of vaccines\""
                ))
            })?;
        types.push(EntityType::new(name, description));
    }
    Ok(types)
}
