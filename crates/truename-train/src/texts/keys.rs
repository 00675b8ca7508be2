//! Keys of recipes whose task learns from texts with labels.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use truename_eval::{TextFormat, TextLayout};

use crate::documents::EncoderKeys;
use crate::recipe::{Keys, Range, one_or_many};
use crate::{Error, error};

/// The sections of a task that learns from texts with labels.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TextKeys {
    pub data: DataKeys,
    pub encoder: EncoderKeys,
}

/// Tables to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    pub train: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub dev: Vec<PathBuf>,
    pub dev_share: f64,
    #[serde(deserialize_with = "text_or_number")]
    pub first: String,
    #[serde(deserialize_with = "text_or_number")]
    pub second: String,
    #[serde(deserialize_with = "text_or_number")]
    pub label: String,
    pub format: String,
    pub header: bool,
    pub quoted: bool,
}

impl Default for DataKeys {
    fn default() -> Self {
        let TextLayout { first, label, has_header, is_quoted, .. } = TextLayout::default();
        Self {
            train: Vec::new(),
            dev: Vec::new(),
            dev_share: 0.1,
            first,
            second: String::new(),
            label,
            format: String::new(),
            header: has_header,
            quoted: is_quoted,
        }
    }
}

impl Keys for TextKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("data.dev_share", Range::PART),
        ("encoder.dropout", Range::PART),
        ("encoder.freeze_layers", Range::of(0.0, 1000.0)),
        ("encoder.layers", Range::of(0.0, 1000.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.train", "data.dev", "encoder.from"];

    fn check(&self) -> Result<(), Error> {
        self.data.layout().map(drop)
    }
}

impl DataKeys {
    /// The layout of the tables.
    pub fn layout(&self) -> Result<TextLayout, Error> {
        let format = |name: &str| {
            name.parse::<TextFormat>()
                .map_err(|known| error::value("data.format", name, format!("{known}, or nothing")))
        };
        Ok(TextLayout {
            first: self.first.clone(),
            second: (!self.second.is_empty()).then(|| self.second.clone()),
            label: self.label.clone(),
            format: (!self.format.is_empty()).then(|| format(&self.format)).transpose()?,
            has_header: self.header,
            is_quoted: self.quoted,
            ..TextLayout::default()
        })
    }
}

/// Reads a text, or a number or truth value as it is written: a column by its number, a label such as 1.
pub(crate) fn text_or_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Number(i64),
        Truth(bool),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Text(text) => text,
        Written::Number(number) => number.to_string(),
        Written::Truth(truth) => truth.to_string(),
    })
}
