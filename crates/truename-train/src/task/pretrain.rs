//! The kind `pretrain`: masked language modelling over synonyms (Prompt-BioEL, section 3.3) and texts.

use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_corpus::ReadOptions;
use truename_error::HintPart;
use truename_infer::{Checkpoint, ClozeConfig, Part as Piece, Slot, SpecialToken, Template, Tokenizer};
use truename_kb::Progress;
use truename_nn::{LearnerOptions, MaskedLanguageModelling, MaskedTokens};
use xxhash_rust::xxh3::Xxh3;

use super::kind::{Kind, run};
use crate::documents::{EncoderKeys, read_corpus, transformer};
use crate::names::read_concepts;
use crate::recipe::{Keys, Part, Range, Schema, one_or_many};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{DataFile, Error, NamedConcept, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "pretrain",
        summary: "masked language modelling over the synonyms of a knowledge base, and texts (Prompt-BioEL)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an encoder learns to fill in masked tokens of synonyms from the other synonyms (Prompt-BioEL, section 3.3).\n",
            "kind = \"pretrain\"\n\n",
            include_str!("pretrain.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<PretrainKeys>()],
    },
    begin: |recipe, out, start| run(Pretrain::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct PretrainKeys {
    data: DataKeys,
    encoder: EncoderKeys,
    mask: MaskKeys,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    kb: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    text: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct MaskKeys {
    window: usize,
    share: f64,
    batch: usize,
}

impl Default for MaskKeys {
    fn default() -> Self {
        Self { window: 128, share: 0.15, batch: 2048 }
    }
}

impl Keys for PretrainKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("encoder.dropout", Range::PART),
        ("encoder.freeze_layers", Range::of(0.0, 1000.0)),
        ("encoder.layers", Range::of(0.0, 1000.0)),
        ("mask.window", Range::of(8.0, 100_000.0)),
        ("mask.share", Range::PART),
        ("mask.batch", Range::of(8.0, 1e7)),
    ];
    const PATHS: &'static [&'static str] = &["data.kb", "data.text", "encoder.from"];
}

/// Masked language modelling over synonyms (Prompt-BioEL, section 3.3) and texts.
pub struct Pretrain {
    data: PretrainData,
    keys: PretrainKeys,
    seed: u64,
}

struct PretrainData {
    /// Concepts with two names or more.
    concepts: Vec<NamedConcept>,
    passages: Vec<String>,
    files: Vec<DataFile>,
}

/// A text with its masked tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaskedText {
    ids: Vec<u32>,
    /// Places of masked tokens, with the tokens that stood there.
    masked: Vec<(u32, u32)>,
}

impl Pretrain {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let keys: PretrainKeys = recipe.keys()?;
        let mut files = Vec::new();
        let mut concepts = read_concepts(&keys.data.kb, &mut files)?;
        concepts.retain(|concept| concept.names.len() > 1);
        let mut passages = Vec::new();
        for path in &keys.data.text {
            read_corpus(path, &ReadOptions::default(), &mut files, &mut |document| {
                let spans = document.passage_spans();
                passages.extend(spans.into_iter().map(|span| document.text[span.range()].to_owned()));
            })?;
        }
        if concepts.is_empty() && passages.is_empty() {
            return Err(error::missing("data.kb", HintPart::setting("kb")));
        }
        Ok(Self { data: PretrainData { concepts, passages, files }, keys, seed: recipe.seed })
    }

    /// Masks one token of each synonym, chosen at random.
    fn of_concept(
        &self,
        concept: &NamedConcept,
        template: &Template,
        tokenizer: &Tokenizer,
        random: &mut Rng,
    ) -> Result<MaskedText, Error> {
        let mut names: Vec<&str> = concept.names.iter().map(String::as_str).collect();
        random.shuffle(&mut names);
        let room = self.keys.mask.window.saturating_sub(template.fixed_tokens());
        let slot = Slot::list(names, room);
        let sequence = tokenizer.fill_within(template, &[slot], self.keys.mask.window)?;
        let (ids, places) = (sequence.input.ids(), &sequence.places);
        let mut text = MaskedText { ids: ids.to_vec(), masked: Vec::new() };
        let mask = mask(tokenizer)?;
        let tokens: Vec<usize> = (0..ids.len()).filter(|at| places[*at].is_some()).collect();
        for name in tokens.chunk_by(|left, right| places[*left].map(|p| p.text) == places[*right].map(|p| p.text)) {
            let place = name[random.usize(..name.len())];
            text.masked.push((place as u32, ids[place]));
            text.ids[place] = mask;
        }
        Ok(text)
    }

    /// Masks a share of a text's tokens: of ten, eight become the mask, one another token, and one stays (Devlin et al. 2018).
    fn of_window(&self, ids: &[u32], tokenizer: &Tokenizer, random: &mut Rng) -> Result<MaskedText, Error> {
        let mask = mask(tokenizer)?;
        let mut text = MaskedText { ids: ids.to_vec(), masked: Vec::new() };
        for place in 1..ids.len().saturating_sub(1) {
            if random.f64() >= self.keys.mask.share {
                continue;
            }
            text.masked.push((place as u32, ids[place]));
            match random.u8(..10) {
                0 => {}
                1 => text.ids[place] = ids[random.usize(1..ids.len() - 1)],
                _ => text.ids[place] = mask,
            }
        }
        Ok(text)
    }
}

fn mask(tokenizer: &Tokenizer) -> Result<u32, Error> {
    let known = ["[MASK]", "<mask>"].into_iter().find_map(|name| tokenizer.id(name));
    known.ok_or_else(|| error::value("encoder.from", "an encoder without a mask token", "one with [MASK] or <mask>"))
}

impl Task for Pretrain {
    type Objective = MaskedLanguageModelling;
    type Plan = Vec<Vec<MaskedText>>;

    const SCORE: &'static str = "accuracy";

    fn data(&self) -> &dyn TaskData {
        &self.data
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let mut transformer = self.keys.encoder.open_transformer()?;
        transformer.add_special_tokens(&[SpecialToken::new(ClozeConfig::OR)], self.seed)?;
        Ok(vec![Checkpoint::Transformer(transformer)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<MaskedLanguageModelling, Error> {
        MaskedLanguageModelling::new(transformer(networks)?, self.seed)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let texts = self.data.concepts.len() + self.data.passages.len();
        let batches = (texts * self.keys.mask.window / 2).div_ceil(self.keys.mask.batch);
        EpochSize { batches, texts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, MaskedLanguageModelling>) -> Result<(), Error> {
        let (mut random, tokenizer) = (epoch.random(), epoch.tokenizer());
        let [first, last] = [["[CLS]", "<s>"], ["[SEP]", "</s>"]]
            .map(|names| names.into_iter().find(|name| tokenizer.id(name).is_some()).unwrap_or(names[0]));
        let template =
            tokenizer.template(&[Piece::Special(first), Piece::List(ClozeConfig::OR), Piece::Special(last)])?;
        let (mut windows, mut synonyms) = (Vec::new(), Vec::new());
        for passage in &self.data.passages {
            epoch.check()?;
            for window in tokenizer.windows_of(passage, self.keys.mask.window, 0)? {
                windows.push(self.of_window(window.input.ids(), tokenizer, &mut random)?);
            }
        }
        for concept in &self.data.concepts {
            epoch.check()?;
            synonyms.push(self.of_concept(concept, &template, tokenizer, &mut random)?);
        }
        for texts in [&mut windows, &mut synonyms] {
            texts.retain(|text| !text.masked.is_empty());
            random.shuffle(texts);
        }
        let mut tokens = 0;
        for text in windows.into_iter().chain(synonyms) {
            tokens += text.ids.len();
            if plan.is_empty() || tokens > self.keys.mask.batch {
                plan.push(Vec::new());
                tokens = text.ids.len();
            }
            plan.last_mut().expect("one was added").push(text);
        }
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, _: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let mut batch = MaskedTokens::default();
        for MaskedText { ids, masked } in &plan[number] {
            let first = batch.texts.tokens().len() as u32;
            batch.texts.push(ids);
            batch.masked.extend(masked.iter().map(|(place, token)| (first + place, *token)));
        }
        Ok((batch, plan[number].len()))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let names: usize = self.data.concepts.iter().map(|concept| concept.names.len()).sum();
        let lines = vec![format!(
            "{} concepts with {names} synonyms, {} passages of texts",
            self.data.concepts.len(),
            self.data.passages.len()
        )];
        /// Concepts whose lengths stand for all.
        const SAMPLED: usize = 200;
        let step = self.data.concepts.len().div_ceil(SAMPLED).max(1);
        let sample = self.data.concepts.iter().step_by(step).map(|concept| concept.names.join(" "));
        let sample: Vec<String> = sample.chain(self.data.passages.iter().take(SAMPLED).cloned()).collect();
        let length = |text: &String| Ok(tokenizers[0].tokens(text)?.ids.len() as u32);
        Ok(Description { lines, lengths: sample.iter().map(length).collect::<Result<_, Error>>()? })
    }

    fn evaluate(&self, _: &Path, _: &Progress) -> Result<Scores, Error> {
        Ok(Scores::default())
    }
}

impl TaskData for PretrainData {
    fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for concept in &self.concepts {
            hasher.update(format!("{}\0{}\0\0", concept.id, concept.names.join("\0")).as_bytes());
        }
        self.passages.iter().for_each(|passage| hasher.update(format!("{passage}\0").as_bytes()));
        format!("{:032x}", hasher.digest128())
    }

    fn provenance(&self) -> serde_json::Value {
        serde_json::json!({
            "concepts": self.concepts.len(), "passages": self.passages.len(), "files": self.files,
        })
    }

    fn has_evaluation(&self) -> bool {
        false
    }
}
