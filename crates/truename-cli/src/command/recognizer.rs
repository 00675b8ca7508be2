//! The recognizer of the arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use truename::{Descriptions, EntityType, KnowledgeBase, Recognizer, RecognizerOptions, SpanStrategy};
use truename_read::SourceOptions;

use crate::arguments::RecognizerChoices;
use crate::exit_code::UsageError;

/// Opens the named recognizers, else that of the knowledge base.
pub fn recognizer(
    choices: &RecognizerChoices,
    kb: impl FnOnce() -> Result<KnowledgeBase, truename::Error>,
    options: RecognizerOptions,
) -> anyhow::Result<Arc<dyn Recognizer>> {
    let strategy = if choices.joint { SpanStrategy::Joint } else { SpanStrategy::Span };
    // A report by margin has a margin of its own.
    let min_margin = choices.min_margin.unwrap_or(options.min_margin);
    let (entity_types, precision) = (entity_types(choices)?, choices.recognizer_precision);
    let options = RecognizerOptions { entity_types, strategy, min_margin, precision, ..options };
    Ok(options.open(&choices.names(), kb)?)
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
