//! The recognizer of the arguments.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use truename::{
    Descriptions, DictionaryRecognizer, EntityType, KnowledgeBase, Recognizer, SpanOptions, SpanStrategy,
    TrainedRecognizer, UnionRecognizer,
};
use truename_read::SourceOptions;

use crate::arguments::{RecognizerChoice, RecognizerChoices};
use crate::exit_code::{AdvisedError, ExitCode, UsageError};

/// Options of the recognizers.
#[derive(Default)]
pub struct Options {
    /// Finds mentions within mentions too; `None` leaves it to each recognizer.
    pub nested: Option<bool>,
    /// Types of the concepts that the dictionary looks for; empty for all.
    pub types: Vec<String>,
    /// Sources whose aliases the dictionary leaves out.
    pub without_aliases: Vec<String>,
    /// True if mentions of the dictionary have the types of its concepts.
    pub typed: bool,
    /// Smallest difference of score and threshold.
    pub min_margin: f64,
}

/// Creates the recognizer: the named ones, else the knowledge base's own, else the dictionary of the knowledge base.
pub fn recognizer(
    choices: &RecognizerChoices,
    kb: impl FnOnce() -> anyhow::Result<KnowledgeBase>,
    options: &Options,
) -> anyhow::Result<Box<dyn Recognizer>> {
    let types = entity_types(choices)?;
    let sources = sources(&choices.recognizer, kb)?;
    let is_trained = sources.iter().any(|source| matches!(source, Source::Trained(_)));
    if !is_trained && (choices.joint || !types.is_empty()) {
        let message = "--entity-type, --entity-types and --joint need a recognizer that `train` made; name it with --recognizer DIR";
        return Err(UsageError(message.into()).into());
    }
    let nested = options.nested.unwrap_or(false);
    let made = |source| -> anyhow::Result<Box<dyn Recognizer>> {
        Ok(match source {
            Source::Trained(model) => Box::new(configured(*model, choices, &types, options)?),
            Source::Dictionary(kb) => {
                let dictionary = DictionaryRecognizer::new(*kb).nested(nested).typed(options.typed);
                Box::new(dictionary.of_types(options.types.clone()).without_aliases(options.without_aliases.clone()))
            }
        })
    };
    let mut recognizers: Vec<_> = sources.into_iter().map(made).collect::<Result<_, _>>()?;
    Ok(match recognizers.len() {
        1 => recognizers.remove(0),
        _ => Box::new(UnionRecognizer::new(recognizers).nested(nested)),
    })
}

/// A recognizer before its options are set.
enum Source {
    Trained(Box<TrainedRecognizer>),
    Dictionary(Box<KnowledgeBase>),
}

/// Opens the recognizers of some choices, and the knowledge base once where one of them needs it.
fn sources(
    choices: &[RecognizerChoice],
    kb: impl FnOnce() -> anyhow::Result<KnowledgeBase>,
) -> anyhow::Result<Vec<Source>> {
    let is_folder = |choice: &RecognizerChoice| matches!(choice, RecognizerChoice::Folder(_));
    let needs_kb = choices.is_empty() || !choices.iter().all(is_folder);
    let kb = if needs_kb { Some(kb()?) } else { None };
    let kb = || kb.clone().expect("the knowledge base is open where a choice needs it");
    let own = || Ok::<_, truename::Error>(kb().attached_recognizer()?.map(|own| Source::Trained(Box::new(own))));
    if choices.is_empty() {
        return Ok(vec![own()?.unwrap_or_else(|| Source::Dictionary(Box::new(kb())))]);
    }
    let mut sources = Vec::new();
    for choice in choices {
        match choice {
            RecognizerChoice::Dictionary => sources.push(Source::Dictionary(Box::new(kb()))),
            RecognizerChoice::Folder(folder) => sources.push(Source::Trained(Box::new(open(folder)?))),
            RecognizerChoice::Both => {
                sources.extend([own()?.ok_or_else(|| no_recognizer(&kb()))?, Source::Dictionary(Box::new(kb()))]);
            }
        }
    }
    Ok(sources)
}

fn open(folder: &Path) -> anyhow::Result<TrainedRecognizer> {
    if !folder.is_dir() {
        let message = format!("there is no folder {} with a recognizer", folder.display());
        let hint =
            "`truename train` makes one; `--recognizer dictionary` goes by the names of the knowledge base".into();
        return Err(AdvisedError { message, hint, code: ExitCode::Failure }.into());
    }
    Ok(TrainedRecognizer::open(folder)?)
}

fn no_recognizer(kb: &KnowledgeBase) -> AdvisedError {
    let message = format!("{} has no recognizer of its own", kb.path().display());
    let hint = format!("`truename kb models add DIR --kb {}` copies one there", kb.path().display());
    AdvisedError { message, hint, code: ExitCode::Failure }
}

fn configured(
    model: TrainedRecognizer,
    choices: &RecognizerChoices,
    types: &[EntityType],
    options: &Options,
) -> anyhow::Result<TrainedRecognizer> {
    let model = if types.is_empty() { model } else { model.with_types(types.to_vec())? };
    Ok(model.with_options(SpanOptions {
        strategy: if choices.joint { SpanStrategy::Joint } else { SpanStrategy::Span },
        is_flat: options.nested.map(|nested| !nested),
        min_margin: options.min_margin as f32,
    }))
}

/// Reads the types of `--entity-types` and `--entity-type`.
fn entity_types(choices: &RecognizerChoices) -> anyhow::Result<Vec<EntityType>> {
    let mut types = Vec::new();
    if let Some(path) = &choices.entity_types {
        let cannot = || format!("cannot read {} as types with descriptions, such as `vaccine = \"…\"`", path.display());
        let text = truename_read::Source::open(path, &SourceOptions::default())?.into_string()?;
        let table: BTreeMap<String, Descriptions> = toml::from_str(&text).with_context(cannot)?;
        types.extend(
            table.into_iter().map(|(name, descriptions)| EntityType { name, descriptions: descriptions.into() }),
        );
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
