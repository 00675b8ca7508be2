use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_infer::{CharacterConfig, Checkpoint, Network, Pooling};
use truename_nn::{
    AdamWOptions, Device, Distance, LearnerOptions, MetricLoss, Mining, MultiSimilarity, NamePattern,
    untrained_characters,
};

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

/// Names, or pairs of names, that one batch can hold: memory grows with their number, and of some losses with its square.
const MOST_NAMES_OF_BATCH: usize = 65_536;

/// The numbers that a key can have.
#[derive(Clone, Copy)]
struct Range {
    start: f64,
    end: f64,
    is_above_start: bool,
    is_below_end: bool,
}

impl Range {
    fn of(start: f64, end: f64) -> Self {
        Self { start, end, is_above_start: false, is_below_end: false }
    }

    fn contains(&self, value: f64) -> bool {
        let is_above = if self.is_above_start { value > self.start } else { value >= self.start };
        let is_below = if self.is_below_end { value < self.end } else { value <= self.end };
        is_above && is_below
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { start, end, is_above_start: true, .. } => write!(f, "more than {start} and at most {end}"),
            Self { start, end, is_below_end: true, .. } => write!(f, "at least {start} and less than {end}"),
            Self { start, end, .. } => write!(f, "from {start} to {end}"),
        }
    }
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
        let changed: Self = table.try_into().map_err(|source| Error::change(&changes.join(" --set "), source))?;
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
        if let Some((key, value, range)) = self.numbers().into_iter().find(|(_, value, range)| !range.contains(*value))
        {
            return Err(Error::value(key, value, range));
        }
        if self.ranker.folds == 1 {
            return Err(Error::value("ranker.folds", 1, "0 or from 2 to 20"));
        }
        let Augmentation { misspelling, acronym, part, spacing, punctuation, version } = self.augmentation;
        let changes = misspelling + acronym + part + spacing + punctuation + version;
        if changes > 1.0 {
            return Err(Error::value("the sum of augmentation", changes, "at most 1"));
        }
        let batch = self.sampler.group * self.sampler.groups;
        if batch > MOST_NAMES_OF_BATCH {
            return Err(Error::value(
                "sampler.group times sampler.groups",
                batch,
                format!("at most {MOST_NAMES_OF_BATCH}"),
            ));
        }
        self.device()?;
        self.pooling()?;
        self.characters()?;
        Ok(self)
    }

    /// Every number but the seed, with its key and the range that it must lie in.
    fn numbers(&self) -> [(&'static str, f64, Range); 38] {
        let Self { encoder, objective, sampler, pairs, augmentation, schedule, evaluation, ranker, .. } = self;
        let whole = |number: usize| number as f64;
        let share = Range::of(0.0, 1.0);
        let not_all = Range { is_below_end: true, ..share };
        let positive = |end| Range { is_above_start: true, ..Range::of(0.0, end) };
        [
            ("encoder.hidden", whole(encoder.hidden), Range::of(1.0, 16_384.0)),
            ("encoder.layers", whole(encoder.layers), Range::of(1.0, 100.0)),
            ("encoder.dropout", encoder.dropout, not_all),
            ("encoder.freeze_layers", whole(encoder.freeze_layers), Range::of(0.0, 1000.0)),
            ("objective.margin", objective.margin, Range::of(-1000.0, 1000.0)),
            ("objective.temperature", objective.temperature, positive(1000.0)),
            ("objective.alpha", objective.alpha, positive(1e6)),
            ("objective.beta", objective.beta, positive(1e6)),
            ("objective.base", objective.base, Range::of(-1000.0, 1000.0)),
            ("objective.epsilon", objective.epsilon, Range::of(0.0, 1000.0)),
            ("sampler.group", whole(sampler.group), Range::of(2.0, 10_000.0)),
            ("sampler.groups", whole(sampler.groups), Range::of(2.0, 10_000.0)),
            ("sampler.hard", sampler.hard, share),
            ("pairs.batch", whole(pairs.batch), Range::of(1.0, MOST_NAMES_OF_BATCH as f64)),
            ("pairs.most", whole(pairs.most), Range::of(0.0, 1e10)),
            ("pairs.negatives", pairs.negatives, Range::of(0.0, 1000.0)),
            ("pairs.related", pairs.related, Range::of(0.0, 1000.0)),
            ("pairs.round", whole(pairs.round), Range::of(1.0, 10_000.0)),
            ("pairs.nearest", whole(pairs.nearest), Range::of(0.0, 1000.0)),
            ("augmentation.misspelling", augmentation.misspelling, share),
            ("augmentation.acronym", augmentation.acronym, share),
            ("augmentation.part", augmentation.part, share),
            ("augmentation.spacing", augmentation.spacing, share),
            ("augmentation.punctuation", augmentation.punctuation, share),
            ("augmentation.version", augmentation.version, share),
            ("schedule.epochs", whole(schedule.epochs), Range::of(1.0, 10_000.0)),
            ("schedule.most_steps", schedule.most_steps as f64, Range::of(0.0, 1e10)),
            ("schedule.learning_rate", schedule.learning_rate, positive(10.0)),
            ("schedule.warm_up", schedule.warm_up, share),
            ("schedule.accumulate", whole(schedule.accumulate), Range::of(1.0, 10_000.0)),
            ("schedule.weight_decay", schedule.weight_decay, Range::of(0.0, 1000.0)),
            ("schedule.most_norm", schedule.most_norm, Range::of(0.0, 1e6)),
            ("evaluation.share", evaluation.share, not_all),
            ("evaluation.every", whole(evaluation.every), Range::of(1.0, 10_000.0)),
            ("evaluation.patience", whole(evaluation.patience), Range::of(0.0, 10_000.0)),
            ("evaluation.most_names", whole(evaluation.most_names), Range::of(0.0, 1e10)),
            ("evaluation.vote", whole(evaluation.vote), Range::of(0.0, 10_000.0)),
            ("ranker.folds", whole(ranker.folds), Range::of(0.0, 20.0)),
        ]
    }

    fn device(&self) -> Result<Device, Error> {
        self.device.parse().map_err(|reason| Error::device(&self.device, reason))
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
            Some(config) => Ok(untrained_characters(config, self.seed)),
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
            device: self.device()?,
            pooling: self.pooling()?,
            freeze: self.encoder.frozen(),
            dropout: self.encoder.dropout,
            optimizer: AdamWOptions {
                weight_decay: schedule.weight_decay,
                most_norm: (schedule.most_norm > 0.0).then_some(schedule.most_norm),
                ..AdamWOptions::default()
            },
            seed: self.seed,
        })
    }

    /// The loss over groups.
    pub(crate) fn metric_loss(&self) -> MetricLoss {
        let ObjectiveKeys { loss, mining, distance, margin, temperature, alpha, beta, base, epsilon } = self.objective;
        let distance = match distance {
            DistanceKind::Cosine => Distance::Cosine,
            DistanceKind::Euclidean => Distance::Euclidean,
            DistanceKind::SquaredEuclidean => Distance::SquaredEuclidean,
        };
        let mining = if mining == MiningKind::BatchHard { Mining::BatchHard } else { Mining::BatchAll };
        match loss {
            LossKind::Triplet => MetricLoss::Triplet { mining, distance, margin },
            LossKind::MultiSimilarity => MetricLoss::MultiSimilarity(MultiSimilarity { alpha, beta, base, epsilon }),
            LossKind::SupervisedContrastive | LossKind::Contrastive => {
                MetricLoss::SupervisedContrastive { temperature }
            }
        }
    }
}

/// The first key of a section, where there is one of this name.
fn first_key(section: &str) -> Option<&'static str> {
    let (_, keys) = EXPLAINED.split_once(&format!("\n[{section}]\n"))?;
    keys.lines().find_map(|line| line.split_once(" = ").filter(|_| !line.starts_with('#')).map(|(key, _)| key))
}

impl EncoderKeys {
    /// Patterns of the names of parameters that keep their values.
    fn frozen(&self) -> Vec<NamePattern> {
        let embeddings = self.freeze_embeddings.then(|| NamePattern::new("*embeddings.*"));
        let layers = (0..self.freeze_layers)
            .flat_map(|layer| ["layer", "layers"].map(|name| NamePattern::new(format!("*{name}.{layer}.*"))));
        embeddings.into_iter().chain(layers).collect()
    }
}

impl ObjectiveKeys {
    /// Whether the mining of triplets changes in the middle of the run.
    pub(crate) fn is_hybrid(&self) -> bool {
        self.mining == MiningKind::Hybrid
    }
}

/// Changes one key of a recipe; `change` is `section.key=value`.
fn set(table: &mut toml::Table, change: &str) -> Result<(), Error> {
    let (key, value) = change.split_once('=').ok_or_else(|| Error::value("--set", change, "KEY=VALUE"))?;
    let key = key.trim();
    if let Some(first) = first_key(key) {
        return Err(Error::section(key, &format!("{key}.{first}={value}")));
    }
    let parsed: Result<toml::Table, _> = toml::from_str(&format!("value = {value}"));
    let value = parsed.ok().and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut section = table;
    for part in parts {
        let entry = section.entry(part.to_owned()).or_insert_with(|| toml::Table::new().into());
        section = entry.as_table_mut().ok_or_else(|| Error::not_a_section(key, part))?;
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
            ("[sampler]\ngroup = 1\n", &[], "sampler.group is 1; it must be from 2 to 10000"),
            ("[schedule]\nepoch = 1\n", &[], "recipe.toml"),
            ("", &["schedule.epochs"], "--set is schedule.epochs; it must be KEY=VALUE"),
            ("", &["schedule.epoch=1"], "schedule.epoch=1"),
            ("device = \"abacus\"", &[], "there is no device \"abacus\""),
            ("", &["encoder.pooling=sum"], "encoder.pooling is sum"),
            ("[augmentation]\nversion = 0.9\nacronym = 0.2\n", &[], "the sum of augmentation is 1.1"),
        ];
        for (text, changes, expected) in cases {
            let error = read(text, changes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn every_number_has_a_range() {
        let recipe = toml::Table::try_from(Recipe::default()).unwrap();
        let sections = recipe.iter().filter_map(|(section, keys)| Some((section, keys.as_table()?)));
        let is_number = |value: &toml::Value| value.is_integer() || value.is_float();
        let numbers = sections.flat_map(|(section, keys)| {
            keys.iter().filter(|(_, value)| is_number(value)).map(move |(key, _)| format!("{section}.{key}"))
        });
        let mut known: Vec<&str> = Recipe::default().numbers().iter().map(|(key, ..)| *key).collect();
        let mut numbers: Vec<String> = numbers.collect();
        numbers.sort();
        known.sort_unstable();
        assert_eq!(numbers, known);
        for key in numbers {
            for value in ["1000000000000", "-1000000000000"] {
                let error = read("", &[&format!("{key}={value}")]).unwrap_err();
                let message = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
                let message = message.map(ToString::to_string).collect::<Vec<_>>().join(": ");
                assert!(error.is_recipe() && message.contains(&key), "{key}={value}: {message}");
            }
        }
    }

    #[test]
    fn a_section_is_no_key() {
        let error = read("", &["schedule=3"]).unwrap_err();
        assert_eq!(error.to_string(), "`schedule` is a section, not a key");
        assert_eq!(error.hint().unwrap(), "set a key in it, e.g. `--set schedule.epochs=3`");
    }
}
