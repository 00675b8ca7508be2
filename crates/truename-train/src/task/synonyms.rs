//! The kind `synonyms`: an adapter by synonyms in marked sentences (PICSO, section 3).
//!
//! The states of the frozen backbone are computed by `truename-infer`; only the adapter, with an aggregator where
//! the loss reads one, learns.

use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_error::HintPart;
use truename_infer::{
    AdapterChoice, AdapterConfig, AdapterFeatures, AdaptersConfig, Backbone, Checkpoint, Encoder, EntityPrompt,
    InitialWeights, Input, Manifest, Tokenizer, TransformerCheckpoint,
};
use truename_kb::Progress;
use truename_nn::{DebiasedLoss, Distance, EntityVector, LearnerOptions, MarkedEntities, MetricLoss, Mining};
use truename_text::Span;

use super::kind::{Kind, run};
use crate::documents::transformer;
use crate::recipe::{Condition, Keys, Part, Range, Schema, one_or_many};
use crate::sentences::SentenceSet;
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "synonyms",
        summary: "an adapter on a frozen encoder, from synonyms in their sentences (PICSO)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an adapter on a frozen encoder learns synonyms in their sentences (PICSO).\n",
            "kind = \"synonyms\"\n\n",
            include_str!("synonyms.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<SynonymKeys>()],
    },
    begin: |recipe, out, start| run(Synonyms::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct SynonymKeys {
    data: DataKeys,
    encoder: BackboneKeys,
    adapter: AdapterKeys,
    objective: ObjectiveKeys,
    sampler: SamplerKeys,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    sentences: Vec<PathBuf>,
    dev_share: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct BackboneKeys {
    from: PathBuf,
    dropout: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct AdapterKeys {
    name: String,
    layers: Vec<usize>,
    depth: usize,
    entity_aware: bool,
    initial_deviation: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectiveKeys {
    vector: VectorKind,
    loss: LossKind,
    temperature: f64,
    prior: f64,
    concentration: f64,
    per_positive: bool,
    margin: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VectorKind {
    Pooled,
    Aggregated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossKind {
    Debiased,
    InfoNce,
    Triplet,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SamplerKeys {
    group: usize,
    batch: usize,
    window: usize,
    names: f64,
    distinct: bool,
}

/// A sentence of a batch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BatchSentence {
    sentence: u32,
    /// The entity is read without its sentence.
    is_name: bool,
}

impl Default for DataKeys {
    fn default() -> Self {
        Self { sentences: Vec::new(), dev_share: 0.02 }
    }
}

impl Default for BackboneKeys {
    fn default() -> Self {
        Self { from: PathBuf::new(), dropout: 0.1 }
    }
}

impl Default for AdapterKeys {
    fn default() -> Self {
        Self {
            name: "general".to_owned(),
            layers: Vec::new(),
            depth: 2,
            entity_aware: true,
            initial_deviation: InitialWeights::DEVIATION,
        }
    }
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        let DebiasedLoss { temperature, prior, concentration, per_positive } = DebiasedLoss::default();
        let (vector, loss, margin) = (VectorKind::Pooled, LossKind::Debiased, 0.3);
        Self { vector, loss, temperature, prior, concentration, per_positive, margin }
    }
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { group: 4, batch: 256, window: 64, names: 0.25, distinct: false }
    }
}

impl Keys for SynonymKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("data.dev_share", Range::PART),
        ("encoder.dropout", Range::PART),
        ("adapter.depth", Range::of(1.0, 100.0)),
        ("adapter.initial_deviation", Range::of(0.0, 1.0)),
        ("objective.temperature", Range::positive(1000.0)),
        ("objective.prior", Range::PART),
        ("objective.concentration", Range::of(0.0, 1000.0)),
        ("objective.margin", Range::of(-1000.0, 1000.0)),
        ("sampler.group", Range::of(2.0, 10_000.0)),
        ("sampler.batch", Range::of(4.0, 65_536.0)),
        ("sampler.window", Range::of(8.0, 100_000.0)),
        ("sampler.names", Range::of(0.0, 1.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.sentences", "encoder.from"];
    const CONDITIONS: &'static [Condition] = &[
        Condition {
            keys: &["objective.temperature", "objective.per_positive"],
            on: "objective.loss",
            values: &["debiased", "info-nce"],
        },
        Condition {
            keys: &["objective.prior", "objective.concentration"],
            on: "objective.loss",
            values: &["debiased"],
        },
        Condition { keys: &["objective.margin"], on: "objective.loss", values: &["triplet"] },
    ];

    fn check(&self) -> Result<(), Error> {
        let name = &self.adapter.name;
        match AdapterChoice::is_name(name) {
            true => Ok(()),
            false => Err(error::value("adapter.name", name, "letters, digits, - and _, and not all or none")),
        }
    }
}

impl VectorKind {
    /// The vector, and the states that a model without fine-tuning then gives.
    fn of(self) -> (EntityVector, AdapterFeatures) {
        match self {
            Self::Pooled => (EntityVector::Pooled, AdapterFeatures::Balanced),
            Self::Aggregated => (EntityVector::Aggregated, AdapterFeatures::Sum),
        }
    }
}

impl ObjectiveKeys {
    fn metric_loss(&self) -> MetricLoss {
        let Self { loss, temperature, prior, concentration, per_positive, margin, .. } = *self;
        let debiased = DebiasedLoss { temperature, prior, concentration, per_positive };
        match loss {
            LossKind::Debiased => MetricLoss::Debiased(debiased),
            // Without a prior and without weights equation 3 is InfoNCE.
            LossKind::InfoNce => MetricLoss::Debiased(DebiasedLoss { prior: 0.0, concentration: 0.0, ..debiased }),
            LossKind::Triplet => MetricLoss::Triplet { mining: Mining::BatchHard, distance: Distance::Cosine, margin },
        }
    }
}

/// Contrastive learning of an adapter from synonyms in their sentences (PICSO, sections 3.2 to 3.4).
pub struct Synonyms {
    sentences: SentenceSet,
    keys: SynonymKeys,
    config: AdapterConfig,
    /// Computes the states of the frozen backbone.
    backbone: Backbone,
    prompt: EntityPrompt,
    seed: u64,
    /// About as many sentences as an epoch learns.
    texts: usize,
}

impl Synonyms {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let keys: SynonymKeys = recipe.keys()?;
        if keys.data.sentences.is_empty() {
            return Err(error::missing("data.sentences", HintPart::key("data.sentences").value("[\"DIR\"]")));
        }
        let mut checkpoint = open(&keys, recipe.seed)?;
        checkpoint.use_adapters(&AdapterChoice::none())?;
        let config = config(&keys, &checkpoint)?;
        let backbone = Backbone::of_checkpoint(Checkpoint::Transformer(checkpoint))?;
        let prompt = EntityPrompt::new(keys.sampler.window, backbone.tokenizer())?;
        let sentences = SentenceSet::read(&keys.data.sentences, keys.data.dev_share)?;
        let mut task = Self { sentences, keys, config, backbone, prompt, seed: recipe.seed, texts: 0 };
        task.texts = task.groups(&mut Rng::with_seed(recipe.seed)).iter().map(Vec::len).sum();
        match task.texts {
            0 => Err(error::value(
                "sampler.distinct",
                true,
                "false: no two sentences of a concept differ in name and context",
            )),
            _ => Ok(task),
        }
    }

    /// Layers whose states a batch has: those that the adapter reads, then the last.
    fn layers(&self) -> Vec<usize> {
        self.config.layers.iter().map(|layer| layer + 1).chain([self.backbone.info().layers]).collect()
    }

    /// Returns the tokens of a sentence, or of its entity alone.
    fn read(&self, BatchSentence { sentence, is_name }: BatchSentence) -> Result<Input, Error> {
        let sentence = self.sentences.sentence(sentence);
        let (text, span) = match is_name {
            true => (sentence.entity(), Span::new(0, sentence.entity().len())),
            false => (sentence.text.as_str(), sentence.span),
        };
        Ok(self.prompt.tokens(text, span, self.backbone.tokenizer())?.input)
    }

    /// Draws the groups of an epoch: the sentences of each concept in random order, `sampler.group` at a time.
    fn groups(&self, random: &mut Rng) -> Vec<Vec<u32>> {
        let SamplerKeys { group: size, distinct, .. } = self.keys.sampler;
        let mut groups = Vec::new();
        for concept in self.sentences.train() {
            let mut sentences: Vec<u32> = concept.clone().collect();
            random.shuffle(&mut sentences);
            if distinct {
                groups.extend(self.sentences.distinct_groups(&sentences, size));
                continue;
            }
            // Even sizes, so that no sentence is left alone.
            let count = sentences.len().div_ceil(size);
            let size = sentences.len().div_ceil(count);
            groups.extend(sentences.chunks(size).filter(|group| group.len() > 1).map(<[u32]>::to_vec));
        }
        random.shuffle(&mut groups);
        groups
    }
}

/// Opens the backbone with the markers of entities among its tokens.
fn open(keys: &SynonymKeys, seed: u64) -> Result<TransformerCheckpoint, Error> {
    if keys.encoder.from.as_os_str().is_empty() {
        return Err(error::missing("encoder.from", HintPart::setting("encoder")));
    }
    let Checkpoint::Transformer(mut checkpoint) = Checkpoint::open(&keys.encoder.from)? else {
        return Err(error::no_transformer());
    };
    if checkpoint.adapters().adapters.contains_key(&keys.adapter.name) {
        return Err(error::value("adapter.name", &keys.adapter.name, "another than those of the folder"));
    }
    let adapters = checkpoint.adapters();
    // One folder gives one kind of states.
    let other = match keys.objective.vector {
        VectorKind::Pooled => (AdapterFeatures::Sum, "pooled", "aggregated"),
        VectorKind::Aggregated => (AdapterFeatures::Balanced, "aggregated", "pooled"),
    };
    if !adapters.adapters.is_empty() && adapters.features == other.0 {
        return Err(error::value(
            "objective.vector",
            other.1,
            format!("{}, as for the adapters of the folder", other.2),
        ));
    }
    checkpoint.add_special_tokens(&AdaptersConfig::special_tokens(), seed)?;
    Ok(checkpoint)
}

fn config(keys: &SynonymKeys, backbone: &TransformerCheckpoint) -> Result<AdapterConfig, Error> {
    let model = backbone.config();
    let layers = model.num_hidden_layers;
    let mut config = AdapterConfig::new(layers, model.hidden_size, model.num_attention_heads, model.intermediate_size);
    let AdapterKeys { layers: chosen, depth, entity_aware, .. } = &keys.adapter;
    if !chosen.is_empty() {
        if !chosen.is_sorted_by(|left, right| left < right) || chosen.iter().any(|layer| *layer >= layers) {
            let known = format!("ascending, each below {layers}");
            return Err(error::value("adapter.layers", format!("{chosen:?}"), known));
        }
        config.layers.clone_from(chosen);
    }
    (config.depth, config.entity_aware) = (*depth, *entity_aware);
    Ok(config)
}

impl Task for Synonyms {
    type Objective = truename_nn::Synonyms;
    /// The sentences of each batch.
    type Plan = Vec<Vec<BatchSentence>>;

    const SCORE: &'static str = "acc@1";

    fn data(&self) -> &dyn TaskData {
        &self.sentences
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![Checkpoint::Transformer(open(&self.keys, self.seed)?)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        options.dropout = self.keys.encoder.dropout;
        options.adapters = false;
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<truename_nn::Synonyms, Error> {
        let backbone = transformer(networks)?;
        let (AdapterKeys { name, initial_deviation, .. }, objective) = (&self.keys.adapter, &self.keys.objective);
        let initial = InitialWeights { deviation: *initial_deviation, seed: self.seed };
        let (vector, _) = objective.vector.of();
        truename_nn::Synonyms::new(name, &self.config, backbone, vector, objective.metric_loss(), initial)
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        let known: Option<AdaptersConfig> = manifest.head(AdaptersConfig::HEAD)?;
        let mut adapters = known.unwrap_or_else(|| {
            let mut adapters = AdaptersConfig::default();
            (_, adapters.features) = self.keys.objective.vector.of();
            adapters
        });
        adapters.adapters.insert(self.keys.adapter.name.clone(), self.config.clone());
        manifest.set_head(AdaptersConfig::HEAD, &adapters)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        EpochSize { batches: self.texts.div_ceil(self.keys.sampler.batch), texts: self.texts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Self::Objective>) -> Result<(), Error> {
        let mut random = epoch.random();
        for group in self.groups(&mut random) {
            let drawn = |sentence| BatchSentence { sentence, is_name: random.f64() < self.keys.sampler.names };
            let group: Vec<BatchSentence> = group.into_iter().map(drawn).collect();
            if plan.last().is_none_or(|batch| batch.len() + group.len() > self.keys.sampler.batch) {
                plan.push(Vec::new());
            }
            plan.last_mut().expect("there is a batch").extend(group);
        }
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, _: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let drawn = &plan[number];
        let inputs: Vec<Input> = drawn.iter().map(|drawn| self.read(*drawn)).collect::<Result<_, Error>>()?;
        let mut batch = MarkedEntities::default();
        let pooled = |(drawn, input): (&BatchSentence, &Input)| match input.entity().filter(|_| !drawn.is_name) {
            Some(entity) => entity,
            None => 0..input.len(),
        };
        batch.pooled = drawn.iter().zip(&inputs).map(pooled).collect();
        inputs.iter().for_each(|input| batch.texts.push_input(input));
        let layers = self.layers();
        let states = self.backbone.states(&inputs, &layers)?;
        batch.states = (0..layers.len())
            .map(|place| states.iter().flat_map(|text| text.layer(place)).copied().collect())
            .collect();
        batch.labels = drawn.iter().map(|drawn| self.sentences.concept_of(drawn.sentence)).collect();
        Ok((batch, inputs.len()))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        /// Sentences whose lengths stand for all.
        const SAMPLED: usize = 500;
        let prompt = EntityPrompt::new(self.keys.sampler.window, &tokenizers[0])?;
        let all: Vec<u32> = self.sentences.train().flatten().collect();
        let length = |number: &u32| {
            let sentence = self.sentences.sentence(*number);
            Ok(prompt.tokens(&sentence.text, sentence.span, &tokenizers[0])?.input.len() as u32)
        };
        let sample = all.iter().step_by(all.len().div_ceil(SAMPLED).max(1));
        let mut lines = vec![self.sentences.describe()];
        if self.texts < all.len() {
            lines.push(format!("{} of them have a partner of another name and context", self.texts));
        }
        Ok(Description { lines, lengths: sample.map(length).collect::<Result<_, Error>>()? })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        self.sentences.scores(&Encoder::open(folder)?, Synonyms::SCORE, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_nce_is_the_loss_without_prior_and_weights() {
        let keys = ObjectiveKeys { loss: LossKind::InfoNce, ..ObjectiveKeys::default() };
        let expected = DebiasedLoss { prior: 0.0, concentration: 0.0, ..DebiasedLoss::default() };
        assert_eq!(keys.metric_loss(), MetricLoss::Debiased(expected));
    }

    #[test]
    fn names_and_layers_that_make_no_sense_are_refused() {
        let recipe = |more: &str| format!("[task]\nkind = \"synonyms\"\n{more}").parse::<Recipe>();
        let error = recipe("[adapter]\nname = \"all\"\n").unwrap_err().to_string();
        assert!(error.contains("adapter.name is all"), "{error}");
        let error = recipe("[objective]\nloss = \"triplet\"\nprior = 0.2\n").unwrap_err().to_string();
        assert!(error.contains("objective.prior"), "{error}");
    }
}
