//! The kind `classify`: labels or values of texts and pairs of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_eval::{ClassScores, ValueScores};
use truename_infer::{
    AdapterChoice, AdapterFeatures, Batch, Checkpoint, Classifier, ClassifyConfig, ClassifyText, Manifest, Marking,
    Pooling, Tokenizer, ValueScale,
};
use truename_kb::Progress;
use truename_nn::{ClassifyTexts, LearnerOptions, Targets};

use super::kind::{Kind, run};
use crate::names::pooling_of;
use crate::recipe::{Keys, Part, Range, Schema};
use crate::texts::{Example, TextKeys, Texts, text_or_number};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "classify",
        summary: "a classifier of texts or pairs of texts, or a regression",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an encoder learns to classify texts or pairs of texts, or to predict a value for them.\n",
            "kind = \"classify\"\n\n",
            include_str!("../texts/data.toml"),
            include_str!("classify.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<TextKeys>(), Part::of::<ClassifyKeys>()],
    },
    begin: |recipe, out, start| run(Classify::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct ClassifyKeys {
    classes: ClassKeys,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ClassKeys {
    regression: bool,
    #[serde(deserialize_with = "text_or_number")]
    positive: String,
    score: String,
    window: usize,
    pooling: String,
    marking: Marking,
    batch: usize,
}

impl Default for ClassKeys {
    fn default() -> Self {
        let ([positive, score], pooling) = ([String::new(), String::new()], "mean".to_owned());
        Self { regression: false, positive, score, window: 128, pooling, marking: Marking::None, batch: 16 }
    }
}

impl Keys for ClassifyKeys {
    const RANGES: &'static [(&'static str, Range)] =
        &[("classes.window", Range::of(8.0, 100_000.0)), ("classes.batch", Range::of(1.0, 10_000.0))];

    fn check(&self) -> Result<(), Error> {
        self.classes.pooling()?;
        self.classes.score().map(drop)
    }
}

impl ClassKeys {
    /// The score that decides which weights are kept.
    fn score(&self) -> Result<&str, Error> {
        let (known, list): (&[&str], _) = match self.regression {
            true => (&["spearman", "pearson"], "pearson or spearman, for classes.regression is true"),
            false => (&["accuracy", "f1", "macro_f1", "matthews"], "accuracy, f1, macro_f1 or matthews"),
        };
        match self.score.as_str() {
            "" => Ok(known[0]),
            score if known.contains(&score) => Ok(score),
            other => Err(error::value("classes.score", other, list)),
        }
    }

    fn pooling(&self) -> Result<Pooling, Error> {
        let named = pooling_of("classes.pooling", &self.pooling)?;
        named.ok_or_else(|| error::value("classes.pooling", "\"\"", "cls, mean or max"))
    }
}

/// Classification of texts and pairs of texts, or regression.
pub struct Classify {
    data: ClassifyData,
    keys: TextKeys,
    classes: ClassKeys,
    seed: u64,
}

struct ClassifyData {
    texts: Texts,
    config: ClassifyConfig,
}

impl Classify {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let (keys, ClassifyKeys { classes }): (TextKeys, _) = (recipe.keys()?, recipe.keys()?);
        let texts = Texts::read(recipe)?;
        let labels = if classes.regression { Vec::new() } else { labels(&texts)? };
        let mut config = ClassifyConfig::new(labels, classes.window, classes.pooling()?);
        config.positive = positive(&classes, &config.labels)?;
        if classes.regression {
            config.scale = scale(&texts)?;
        }
        config.marking = classes.marking;
        config.is_pair = texts.is_pair();
        // Pairs without a second column are Ditto's.
        if keys.data.header && config.is_pair != keys.data.second.is_empty() {
            let columns = [&keys.data.first, &keys.data.second].into_iter().cloned();
            config.columns = columns.take(1 + usize::from(config.is_pair)).collect();
            config.label_column = Some(keys.data.label.clone());
        }
        Ok(Self { data: ClassifyData { texts, config }, keys, classes, seed: recipe.seed })
    }

    fn targets(&self, examples: &[&Example]) -> Targets {
        let config = &self.data.config;
        match config.is_regression() {
            true => {
                Targets::Values(examples.iter().map(|example| config.scale.output(value(example) as f32)).collect())
            }
            false => {
                let number = |example: &&Example| config.labels.binary_search(&example.text.label).unwrap_or_default();
                Targets::Labels(examples.iter().map(|example| number(example) as u32).collect())
            }
        }
    }
}

/// Returns the labels to learn, in their order.
///
/// # Errors
/// If there is one label alone, if a label looks like a value, or if a text to evaluate on has another label.
fn labels(texts: &Texts) -> Result<Vec<String>, Error> {
    let labels: BTreeSet<&String> = texts.train.iter().map(|example| &example.text.label).collect();
    let is_value = |example: &&Example| example.text.label.parse::<f64>().is_ok_and(|value| value.fract() != 0.0);
    if let Some(example) = texts.train.iter().find(is_value) {
        let message = format!("the label {} is a value; set classes.regression to learn values", example.text.label);
        return Err(texts.malformed(example, message));
    }
    if let (1, Some(example)) = (labels.len(), texts.train.first()) {
        return Err(texts.malformed(example, format!("all texts have the label \"{}\"", example.text.label)));
    }
    if let Some(example) = texts.dev.iter().find(|example| !labels.contains(&example.text.label)) {
        let message = format!("no text to learn from has the label \"{}\"", example.text.label);
        return Err(texts.malformed(example, message));
    }
    Ok(labels.into_iter().cloned().collect())
}

/// Returns the label that F1 is of.
fn positive(keys: &ClassKeys, labels: &[String]) -> Result<Option<String>, Error> {
    match (keys.positive.as_str(), labels) {
        ("", [_, last]) => Ok(Some(last.clone())),
        ("", _) => Ok(None),
        (named, labels) if labels.iter().any(|label| label == named) => Ok(Some(named.to_owned())),
        (named, []) => Err(error::value("classes.positive", named, "left out where classes.regression is true")),
        (named, labels) => Err(error::value("classes.positive", named, labels.join(", "))),
    }
}

/// Returns the value of an example, 0 where it is none: those of all examples are checked before.
fn value(example: &Example) -> f64 {
    example.text.label.parse().unwrap_or_default()
}

/// Returns the mean and the standard deviation of the values to learn.
fn scale(texts: &Texts) -> Result<ValueScale, Error> {
    let is_value = |example: &Example| example.text.label.parse::<f64>().is_ok_and(f64::is_finite);
    if let Some(example) = texts.train.iter().chain(&texts.dev).find(|example| !is_value(example)) {
        return Err(texts.malformed(example, format!("the value \"{}\" is not a number", example.text.label)));
    }
    let count = texts.train.len().max(1) as f64;
    let mean = texts.train.iter().map(value).sum::<f64>() / count;
    let deviation = (texts.train.iter().map(|example| (value(example) - mean).powi(2)).sum::<f64>() / count).sqrt();
    Ok(ValueScale { mean: mean as f32, deviation: if deviation > 0.0 { deviation as f32 } else { 1.0 } })
}

impl Task for Classify {
    type Objective = truename_nn::Classify;
    /// The texts of each batch.
    type Plan = Vec<Vec<u32>>;

    const SCORE: &'static str = "accuracy";

    fn score(&self) -> &str {
        self.classes.score().unwrap_or(Self::SCORE)
    }

    fn data(&self) -> &dyn TaskData {
        &self.data
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let checkpoint = self.keys.encoder.open()?;
        let known: Option<ClassifyConfig> = checkpoint.manifest().head(ClassifyConfig::HEAD)?;
        let outputs = self.data.config.outputs();
        if let Some(known) = known.filter(|known| known.outputs() != outputs) {
            let value = format!("a classifier with {} outputs", known.outputs());
            return Err(error::value("encoder.from", value, format!("an encoder, or a classifier with {outputs}")));
        }
        let Checkpoint::Transformer(mut transformer) = checkpoint else { return Err(error::no_transformer()) };
        transformer.set_window(self.classes.window.max(transformer.window()))?;
        if !transformer.adapters().adapters.is_empty() {
            // A map that is learnt on them tells the states of the backbone and of each adapter apart (PICSO, section 3.3).
            transformer.keep_adapters(&AdapterChoice::All, AdapterFeatures::Joined)?;
        }
        Ok(vec![Checkpoint::Transformer(transformer)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<truename_nn::Classify, Error> {
        let config = &self.data.config;
        Ok(truename_nn::Classify::new(networks[0].hidden(), config.outputs(), config.pooling, self.seed))
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(ClassifyConfig::HEAD, &self.data.config)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let texts = self.data.texts.train.len();
        EpochSize { batches: texts.div_ceil(self.classes.batch), texts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Self::Objective>) -> Result<(), Error> {
        let mut order: Vec<u32> = (0..self.data.texts.train.len() as u32).collect();
        epoch.random().shuffle(&mut order);
        *plan = order.chunks(self.classes.batch).map(<[u32]>::to_vec).collect();
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let examples: Vec<&Example> = plan[number].iter().map(|text| &self.data.texts.train[*text as usize]).collect();
        let mut texts = Batch::default();
        for example in &examples {
            texts.push_input(&self.data.config.tokens(example.asked(), &tokenizers[0])?.input);
        }
        Ok((ClassifyTexts { texts, targets: self.targets(&examples) }, examples.len()))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let read = |example: &Example| {
            let tokens = self.data.config.tokens(example.asked(), &tokenizers[0])?;
            Ok((tokens.input.len() as u32, !tokens.truncated.is_empty()))
        };
        let read: Vec<(u32, bool)> = self.data.texts.train.par_iter().map(read).collect::<Result<_, Error>>()?;
        let noun = if self.data.texts.is_pair() { "pairs" } else { "texts" };
        let (train, dev) = (self.data.texts.train.len(), self.data.texts.dev.len());
        let mut lines = vec![format!("{train} {noun} to learn, {dev} to evaluate on")];
        let counts: Vec<String> =
            self.data.counts().into_iter().map(|(label, count)| format!("{count} {label}")).collect();
        match self.data.config.is_regression() {
            true => {
                let ValueScale { mean, deviation } = self.data.config.scale;
                lines.push(format!("values: mean {mean:.3}, standard deviation {deviation:.3}"));
            }
            false => lines.push(format!("labels: {}", counts.join(", "))),
        }
        let cut = read.iter().filter(|(_, is_cut)| *is_cut).count();
        if cut > 0 {
            lines.push(format!(
                "{cut} {noun} to learn are longer than the {} tokens of classes.window and cut",
                self.data.config.window
            ));
        }
        Ok(Description { lines, lengths: read.into_iter().map(|(length, _)| length).collect() })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        /// Texts between two looks at the switch that stops the work.
        const TOGETHER: usize = 256;
        let classifier = Classifier::open(folder)?;
        let mut found = Vec::with_capacity(self.data.texts.dev.len());
        for examples in self.data.texts.dev.chunks(TOGETHER) {
            progress.check()?;
            let texts: Vec<ClassifyText<'_>> = examples.iter().map(Example::asked).collect();
            found.extend(classifier.scores(&texts)?);
        }
        Ok(Scores { names: found.len(), values: self.data.scores(&found) })
    }
}

impl TaskData for ClassifyData {
    fn hash(&self) -> String {
        self.texts.hash()
    }

    fn provenance(&self) -> serde_json::Value {
        let labels = if self.config.is_regression() { None } else { Some(self.counts()) };
        serde_json::json!({
            "train": self.texts.train.len(), "dev": self.texts.dev.len(), "labels": labels, "files": self.texts.files,
        })
    }

    fn has_evaluation(&self) -> bool {
        !self.texts.dev.is_empty()
    }
}

impl ClassifyData {
    /// Number of texts to learn with each label.
    fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for example in &self.texts.train {
            *counts.entry(example.text.label.as_str()).or_default() += 1;
        }
        counts
    }

    fn scores(&self, found: &[Vec<f32>]) -> BTreeMap<String, f64> {
        if self.config.is_regression() {
            let gold: Vec<f64> = self.texts.dev.iter().map(value).collect();
            let found: Vec<f64> = found.iter().map(|value| f64::from(value[0])).collect();
            let ValueScores { pearson, spearman, .. } = ValueScores::of(&gold, &found);
            return [("pearson", pearson), ("spearman", spearman)].map(|(name, value)| (name.to_owned(), value)).into();
        }
        let gold: Vec<&str> = self.texts.dev.iter().map(|example| example.text.label.as_str()).collect();
        let found: Vec<&str> = found.iter().map(|scores| self.config.best(scores).0).collect();
        let ClassScores { accuracy, f1, macro_f1, matthews, .. } =
            ClassScores::of(&gold, &found, self.config.positive.as_deref());
        let values = [("accuracy", accuracy), ("f1", f1), ("macro_f1", macro_f1), ("matthews", matthews)];
        values.map(|(name, value)| (name.to_owned(), value)).into()
    }
}
