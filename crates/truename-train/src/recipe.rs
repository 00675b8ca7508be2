use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_infer::{CharacterConfig, Checkpoint, Network, Pooling};
use truename_nn::{AdamWOptions, Device, Distance, Learner, LearnerOptions, Mining, MultiSimilarity, Objective};

use crate::Error;

/// Every key with its default and what it means; the file that `truename recipe explain` prints.
pub const EXPLAINED: &str = include_str!("explained.toml");

/// One training run.
///
/// What each key means stands in [`EXPLAINED`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct Recipe {
    pub seed: u64,
    pub device: String,
    pub data: Data,
    pub encoder: EncoderKeys,
    pub objective: ObjectiveKeys,
    pub sampler: SamplerKeys,
    pub pairs: PairKeys,
    pub augmentation: Augmentation,
    pub schedule: Schedule,
    pub evaluation: Evaluation,
    pub ranker: RankerKeys,
}

/// What is learnt from.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct Data {
    #[serde(deserialize_with = "one_or_many")]
    pub kb: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub names: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub extra: Vec<PathBuf>,
}

/// What learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct EncoderKeys {
    pub from: PathBuf,
    pub characters: String,
    pub hidden: usize,
    pub layers: usize,
    pub pooling: String,
    pub dropout: f64,
    pub freeze_embeddings: bool,
    pub freeze_layers: usize,
}

/// What is made small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct ObjectiveKeys {
    pub loss: LossKind,
    pub mining: MiningKind,
    pub distance: DistanceKind,
    pub margin: f64,
    pub temperature: f64,
    pub alpha: f64,
    pub beta: f64,
    pub base: f64,
    pub epsilon: f64,
}

/// The losses by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum LossKind {
    Triplet,
    SupervisedContrastive,
    MultiSimilarity,
    Contrastive,
}

/// How triplets are mined, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum MiningKind {
    BatchAll,
    BatchHard,
    Hybrid,
}

/// The distances by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum DistanceKind {
    Cosine,
    Euclidean,
    SquaredEuclidean,
}

/// How batches are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct SamplerKeys {
    pub group: usize,
    pub groups: usize,
    pub hard: f64,
}

/// Which pairs of names are learnt from, by the contrastive loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct PairKeys {
    pub batch: usize,
    pub most: usize,
    pub negatives: f64,
    pub variants: bool,
    pub related: f64,
    pub round: usize,
    pub nearest: usize,
    pub keep: bool,
}

/// How names are changed before they are learnt.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct Augmentation {
    pub misspelling: f64,
    pub acronym: f64,
    pub part: f64,
    pub spacing: f64,
    pub punctuation: f64,
    pub version: f64,
}

/// How long, and how fast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct Schedule {
    pub epochs: usize,
    pub most_steps: u64,
    pub learning_rate: f64,
    pub warm_up: f64,
    pub decay: Decay,
    pub accumulate: usize,
    pub weight_decay: f64,
    pub most_norm: f64,
}

/// How the learning rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Decay {
    Linear,
    Cosine,
    Constant,
}

/// What is asked during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct Evaluation {
    #[serde(deserialize_with = "one_or_many")]
    pub names: Vec<PathBuf>,
    pub share: f64,
    pub every: usize,
    pub patience: usize,
    pub most_names: usize,
    pub vote: usize,
}

/// What the ranker is fitted by.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct RankerKeys {
    pub folds: usize,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 0,
            device: "cpu".into(),
            data: Data::default(),
            encoder: EncoderKeys::default(),
            objective: ObjectiveKeys::default(),
            sampler: SamplerKeys::default(),
            pairs: PairKeys::default(),
            augmentation: Augmentation::default(),
            schedule: Schedule::default(),
            evaluation: Evaluation::default(),
            ranker: RankerKeys::default(),
        }
    }
}

impl Default for EncoderKeys {
    fn default() -> Self {
        Self {
            from: PathBuf::new(),
            characters: String::new(),
            hidden: 128,
            layers: 2,
            pooling: String::new(),
            dropout: 0.1,
            freeze_embeddings: false,
            freeze_layers: 0,
        }
    }
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        let MultiSimilarity { alpha, beta, base, epsilon } = MultiSimilarity::default();
        Self {
            loss: LossKind::SupervisedContrastive,
            mining: MiningKind::Hybrid,
            distance: DistanceKind::Cosine,
            margin: 0.3,
            temperature: 0.05,
            alpha,
            beta,
            base,
            epsilon,
        }
    }
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { group: 10, groups: 16, hard: 0.0 }
    }
}

impl Default for PairKeys {
    fn default() -> Self {
        Self { batch: 1024, most: 0, negatives: 1.0, variants: true, related: 0.5, round: 1, nearest: 5, keep: true }
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            epochs: 8,
            most_steps: 0,
            learning_rate: 5e-5,
            warm_up: 0.1,
            decay: Decay::Linear,
            accumulate: 1,
            weight_decay: 0.01,
            most_norm: 1.0,
        }
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        Self { names: Vec::new(), share: 0.0, every: 1, patience: 0, most_names: 50_000, vote: 0 }
    }
}

/// A path, or a list of them.
fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(PathBuf),
        Many(Vec<PathBuf>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(path) => vec![path],
        OneOrMany::Many(paths) => paths,
    })
}

impl Recipe {
    /// Reads a file, then changes keys as `section.key=value` says; a value that is no TOML is taken as a string. Paths in
    /// the file count from the folder that the file is in.
    ///
    /// # Errors
    /// Where the file cannot be read, or a key or value is not one of [`EXPLAINED`].
    pub fn read(path: &Path, changes: &[String]) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        // Once as it stands, so that an error names the line.
        let written: Self = toml::from_str(&text).map_err(|source| Error::recipe(path, source))?;
        if changes.is_empty() {
            return written.under(path).checked();
        }
        let mut table: toml::Table = toml::from_str(&text).map_err(|source| Error::recipe(path, source))?;
        for change in changes {
            set(&mut table, change)?;
        }
        let changed: Self = table.try_into().map_err(|source| Error::change(&changes.join(" "), source))?;
        changed.under(path).checked()
    }

    /// Whether a run begun by one can go on by the other: paths aside, for the data is compared by what it holds and the
    /// weights are those of the checkpoint.
    pub(crate) fn is_same_run(&self, other: &Self) -> bool {
        let without_weights = |recipe: &Self| {
            let mut recipe = recipe.without_data();
            recipe.encoder.from = PathBuf::new();
            recipe
        };
        without_weights(self) == without_weights(other)
    }

    /// The same without the paths of its data.
    pub(crate) fn without_data(&self) -> Self {
        let mut recipe = self.clone();
        recipe.data = Data::default();
        recipe.evaluation.names = Vec::new();
        recipe
    }

    /// Takes paths that are not absolute as lying beside the recipe.
    fn under(mut self, path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        let Self { data, encoder, evaluation, .. } = &mut self;
        let lists = [&mut data.kb, &mut data.names, &mut data.extra, &mut evaluation.names];
        for path in lists.into_iter().flatten().chain([&mut encoder.from]) {
            if !path.as_os_str().is_empty() && !path.exists() {
                *path = folder.join(&path);
            }
        }
        self
    }

    /// The recipe, if its numbers make sense.
    ///
    /// # Errors
    /// Where they do not; the key is named.
    pub fn checked(self) -> Result<Self, Error> {
        const BELOW_1: f64 = 1.0 - f64::EPSILON;
        const ABOVE_0: f64 = f64::MIN_POSITIVE;
        let Self { encoder, objective, sampler, pairs, augmentation, schedule, evaluation, ranker, .. } = &self;
        let Augmentation { misspelling, acronym, part, spacing, punctuation, version } = *augmentation;
        let changes = misspelling + acronym + part + spacing + punctuation + version;
        let ranges: [(&'static str, f64, RangeInclusive<f64>, &'static str); 25] = [
            ("encoder.hidden", encoder.hidden as f64, 1.0..=f64::MAX, "1 and more"),
            ("encoder.layers", encoder.layers as f64, 1.0..=f64::MAX, "1 and more"),
            ("encoder.dropout", encoder.dropout, 0.0..=BELOW_1, "0 to 1, without 1"),
            ("objective.temperature", objective.temperature, ABOVE_0..=f64::MAX, "more than 0"),
            ("sampler.group", sampler.group as f64, 2.0..=f64::MAX, "2 and more"),
            ("sampler.groups", sampler.groups as f64, 2.0..=f64::MAX, "2 and more"),
            ("sampler.hard", sampler.hard, 0.0..=1.0, "0 to 1"),
            ("pairs.batch", pairs.batch as f64, 1.0..=f64::MAX, "1 and more"),
            ("pairs.negatives", pairs.negatives, 0.0..=f64::MAX, "0 and more"),
            ("pairs.related", pairs.related, 0.0..=f64::MAX, "0 and more"),
            ("pairs.round", pairs.round as f64, 1.0..=f64::MAX, "1 and more"),
            ("augmentation.misspelling", misspelling, 0.0..=1.0, "0 to 1"),
            ("augmentation.acronym", acronym, 0.0..=1.0, "0 to 1"),
            ("augmentation.part", part, 0.0..=1.0, "0 to 1"),
            ("augmentation.spacing", spacing, 0.0..=1.0, "0 to 1"),
            ("augmentation.punctuation", punctuation, 0.0..=1.0, "0 to 1"),
            ("augmentation.version", version, 0.0..=1.0, "0 to 1"),
            ("augmentation", changes, 0.0..=1.0, "at most 1 in all"),
            ("schedule.epochs", schedule.epochs as f64, 1.0..=f64::MAX, "1 and more"),
            ("schedule.accumulate", schedule.accumulate as f64, 1.0..=f64::MAX, "1 and more"),
            ("schedule.learning_rate", schedule.learning_rate, ABOVE_0..=f64::MAX, "more than 0"),
            ("schedule.warm_up", schedule.warm_up, 0.0..=1.0, "0 to 1"),
            ("schedule.weight_decay", schedule.weight_decay, 0.0..=f64::MAX, "0 and more"),
            ("schedule.most_norm", schedule.most_norm, 0.0..=f64::MAX, "0 and more"),
            ("evaluation.share", evaluation.share, 0.0..=BELOW_1, "0 to 1, without 1"),
        ];
        if let Some((key, value, _, known)) = ranges.iter().find(|(_, value, range, _)| !range.contains(value)) {
            return Err(Error::value(key, value, known));
        }
        if evaluation.every == 0 {
            return Err(Error::value("evaluation.every", 0, "1 and more"));
        }
        if ranker.folds == 1 {
            return Err(Error::value("ranker.folds", 1, "0, or 2 and more"));
        }
        self.device.parse::<Device>().map_err(|reason| Error::value("device", &self.device, reason))?;
        self.pooling()?;
        self.characters()?;
        Ok(self)
    }

    /// The encoder of characters that is begun, where the recipe says so.
    fn characters(&self) -> Result<Option<CharacterConfig>, Error> {
        let network = match self.encoder.characters.as_str() {
            "" => return Ok(None),
            "graph" => Network::Graph,
            "convolution" => Network::Convolution,
            "lstm" => Network::Lstm,
            other => return Err(Error::value("encoder.characters", other, "lstm, convolution, graph or nothing")),
        };
        if network == Network::Lstm && !self.encoder.hidden.is_multiple_of(2) {
            return Err(Error::value("encoder.hidden", self.encoder.hidden, "even, half for each direction"));
        }
        Ok(Some(CharacterConfig::new(network, self.encoder.hidden, self.encoder.layers)))
    }

    /// What a run starts from: an encoder of characters, or the one that is named.
    ///
    /// # Errors
    /// Where neither is named, or its folder cannot be read.
    pub(crate) fn start(&self) -> Result<Checkpoint, Error> {
        match self.characters()? {
            Some(config) => Ok(Learner::characters(config, self.seed)),
            None if self.encoder.from.as_os_str().is_empty() => Err(Error::missing("encoder.from", "--encoder")),
            None => Ok(Checkpoint::open(&self.encoder.from)?),
        }
    }

    /// How the vectors of a name's tokens become one, where the recipe says so.
    pub(crate) fn pooling(&self) -> Result<Option<Pooling>, Error> {
        match self.encoder.pooling.as_str() {
            "" => Ok(None),
            "mean" => Ok(Some(Pooling::Mean)),
            "cls" => Ok(Some(Pooling::Cls)),
            "max" => Ok(Some(Pooling::Max)),
            other => Err(Error::value("encoder.pooling", other, "mean, cls, max or nothing")),
        }
    }

    /// How the encoder is made ready.
    pub(crate) fn learner(&self) -> Result<LearnerOptions, Error> {
        let schedule = &self.schedule;
        Ok(LearnerOptions {
            device: self.device.parse().map_err(|reason| Error::value("device", &self.device, reason))?,
            pooling: self.pooling()?,
            freeze_embeddings: self.encoder.freeze_embeddings,
            freeze_layers: self.encoder.freeze_layers,
            dropout: self.encoder.dropout,
            optimizer: AdamWOptions {
                weight_decay: schedule.weight_decay,
                most_norm: (schedule.most_norm > 0.0).then_some(schedule.most_norm),
                ..AdamWOptions::default()
            },
            seed: self.seed,
        })
    }

    /// What is made small at a step, from 0, of `steps`.
    pub(crate) fn objective(&self, step: u64, steps: u64) -> Objective {
        let ObjectiveKeys { loss, mining, distance, margin, temperature, alpha, beta, base, epsilon } = self.objective;
        let distance = match distance {
            DistanceKind::Cosine => Distance::Cosine,
            DistanceKind::Euclidean => Distance::Euclidean,
            DistanceKind::SquaredEuclidean => Distance::SquaredEuclidean,
        };
        let mining = match mining {
            MiningKind::BatchAll => Mining::BatchAll,
            MiningKind::Hybrid if step < steps / 2 => Mining::BatchAll,
            MiningKind::BatchHard | MiningKind::Hybrid => Mining::BatchHard,
        };
        match loss {
            LossKind::Triplet => Objective::Triplet { mining, distance, margin },
            LossKind::SupervisedContrastive => Objective::SupervisedContrastive { temperature },
            LossKind::MultiSimilarity => Objective::MultiSimilarity(MultiSimilarity { alpha, beta, base, epsilon }),
            LossKind::Contrastive => Objective::Contrastive { margin },
        }
    }
}

/// Changes one key of a recipe; `change` is `section.key=value`.
fn set(table: &mut toml::Table, change: &str) -> Result<(), Error> {
    let (key, value) = change.split_once('=').ok_or_else(|| Error::value("--set", change, "KEY=VALUE"))?;
    let parsed: Result<toml::Table, _> = toml::from_str(&format!("value = {value}"));
    let value = parsed.ok().and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut parts: Vec<&str> = key.trim().split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut section = table;
    for part in parts {
        let entry = section.entry(part.to_owned()).or_insert_with(|| toml::Table::new().into());
        section = entry.as_table_mut().ok_or_else(|| Error::value("--set", change, "SECTION.KEY=VALUE"))?;
    }
    section.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, changes: &[&str]) -> Result<Recipe, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recipe.toml");
        std::fs::write(&path, text).unwrap();
        Recipe::read(&path, &changes.iter().map(|change| (*change).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_explained_file_holds_every_key_with_its_default() {
        let explained: Recipe = toml::from_str(EXPLAINED).unwrap();
        assert_eq!(explained, Recipe::default());
        let written: toml::Table = toml::from_str(EXPLAINED).unwrap();
        assert_eq!(toml::Table::try_from(Recipe::default()).unwrap(), written);
        let is_key = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
        let before = EXPLAINED.lines().zip(EXPLAINED.lines().skip(1)).filter(|(_, line)| is_key(line));
        for (before, line) in before {
            assert!(before.starts_with('#') || before.contains('='), "{line} is not explained");
        }
    }

    #[test]
    fn the_recipes_of_the_project_can_be_read() {
        let files: Vec<PathBuf> =
            std::fs::read_dir("../../recipes").unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            Recipe::read(&file, &[]).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }

    #[test]
    fn keys_are_changed_for_one_run() {
        let recipe = read("seed = 4\n", &["schedule.epochs=3", "objective.loss=triplet", "data.kb=a.jsonl"]).unwrap();
        assert_eq!((recipe.seed, recipe.schedule.epochs, recipe.objective.loss), (4, 3, LossKind::Triplet));
        assert!(recipe.data.kb[0].ends_with("a.jsonl"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let cases: [(&str, &[&str], &str); 7] = [
            ("[sampler]\ngroup = 1\n", &[], "sampler.group is 1; it can be 2 and more"),
            ("[schedule]\nepoch = 1\n", &[], "recipe.toml"),
            ("", &["schedule.epochs"], "--set is schedule.epochs; it can be KEY=VALUE"),
            ("", &["schedule.epoch=1"], "schedule.epoch=1"),
            ("device = \"abacus\"", &[], "device is abacus"),
            ("", &["encoder.pooling=sum"], "encoder.pooling is sum"),
            ("[augmentation]\nversion = 0.9\nacronym = 0.2\n", &[], "augmentation is 1.1"),
        ];
        for (text, changes, expected) in cases {
            let error = read(text, changes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn hybrid_mining_changes_at_half_of_the_steps() {
        let recipe = read("[objective]\nloss = \"triplet\"\n", &[]).unwrap();
        let is_hard = |step| matches!(recipe.objective(step, 5), Objective::Triplet { mining: Mining::BatchHard, .. });
        assert_eq!([0, 1, 2, 3, 4].map(is_hard), [false, false, true, true, true]);
    }
}
