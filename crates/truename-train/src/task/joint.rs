//! The kind `joint`: a recognizer (BINDER) whose encoder places mentions near the names of their concepts.
//!
//! A mention's vector is the mean of its tokens' states in the window in which it is found, so that one reading of a text finds mentions and
//! links them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_infer::{Checkpoint, Encoder, InContextConfig, Input, Manifest, Pooling, Tokenizer};
use truename_kb::Progress;
use truename_nn::{GoldSpan, Joint as JointObjective, JointBatch, LearnerOptions, Retrieval};
use truename_text::Span;

use super::in_context::check_names_are_plain;
use super::kind::{Kind, run};
use super::recognize::{Recognize, RecognizeKeys};
use crate::documents::{CorpusKey, DocumentKeys, transformer};
use crate::mentions::{DataKeys, LinkedExample, Mentions, NameRetrieval, PlannedQuery, QueryText};
use crate::recipe::{Keys, Part, Range as KeyRange, Schema, one_or_many};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData, checkpoint_of};
use crate::{Error, Recipe};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "joint",
        summary: "a recognizer whose encoder places the mentions that it finds near the names of their concepts",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: one encoder learns to find mentions (BINDER) and to place them near the names of their concepts.\n",
            "kind = \"joint\"\n\n",
            "[data]\n# Knowledge base whose concepts are linked: a store, or files that `kb import` reads. `--kb` names one too.\nkb = []\n",
            include_str!("../documents/data.toml"),
            include_str!("recognize.toml"),
            include_str!("joint.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<DocumentKeys>(), Part::of::<RecognizeKeys>(), Part::of::<JointKeys>()],
    },
    begin: |recipe, out, start| {
        let task = Joint::new(recipe, checkpoint_of(out, start).as_deref())?;
        run(task, recipe, out, start)
    },
    begin_on: None,
};

/// The sections of the kind beside those of recognition.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct JointKeys {
    data: KbKeys,
    linking: LinkingKeys,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct KbKeys {
    #[serde(deserialize_with = "one_or_many")]
    kb: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct LinkingKeys {
    weight: f64,
    temperature: f64,
    names: usize,
    hard: usize,
}

impl Default for LinkingKeys {
    fn default() -> Self {
        Self { weight: 1.0, temperature: 0.05, names: 16, hard: 2 }
    }
}

impl Keys for JointKeys {
    const RANGES: &'static [(&'static str, KeyRange)] = &[
        ("linking.weight", KeyRange::positive(1000.0)),
        ("linking.temperature", KeyRange::positive(1000.0)),
        ("linking.names", KeyRange::of(0.0, 10_000.0)),
        ("linking.hard", KeyRange::of(0.0, 1000.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.kb"];
}

/// Recognition and linking from one reading of a text.
pub struct Joint {
    recognize: Recognize,
    retrieval: NameRetrieval,
    /// The mentions of each window that are linked.
    linked: Vec<Vec<LinkedPlace>>,
    linking: LinkingKeys,
    batch_tokens: usize,
}

/// A mention that is linked, in its window.
struct LinkedPlace {
    /// Number of the example.
    example: u32,
    tokens: Range<usize>,
}

/// The batches of an epoch.
#[derive(Default, Serialize, Deserialize)]
pub struct JointPlan {
    /// The windows of each batch.
    windows: Vec<Vec<u32>>,
    /// The queries of each batch: the mentions of its windows, then names.
    queries: Vec<Vec<PlannedQuery>>,
}

impl Joint {
    fn new(recipe: &Recipe, checkpoint: Option<&Path>) -> Result<Self, Error> {
        let (DocumentKeys { data, text, .. }, JointKeys { data: KbKeys { kb }, linking }) =
            (recipe.keys()?, recipe.keys()?);
        let recognize = Recognize::new(recipe, checkpoint)?;
        let paths = |corpora: &[CorpusKey]| corpora.iter().map(|corpus| corpus.path().to_owned()).collect();
        let (train, dev) = (paths(&data.train), paths(&data.dev));
        let linked = DataKeys { kb, train, dev, dev_share: data.dev_share, distinct: false };
        let retrieval = NameRetrieval::new(Mentions::read(recipe, &linked, None)?, linking.hard);
        let linked = linked_places(&recognize, &retrieval.mentions);
        Ok(Self { recognize, retrieval, linked, linking, batch_tokens: text.batch })
    }

    /// Returns the vectors of the mentions in windows, by the numbers of their examples.
    fn mention_vectors(
        &self,
        windows: &[u32],
        encoder: &Encoder,
        progress: &Progress,
    ) -> Result<HashMap<u32, Vec<f32>>, Error> {
        /// Windows whose states are held at a time.
        const TOGETHER: usize = 256;
        let mut vectors = HashMap::new();
        for windows in windows.chunks(TOGETHER) {
            progress.check()?;
            let input = |window: &u32| self.recognize.documents.windows[*window as usize].input.clone();
            let inputs: Vec<Input> = windows.iter().map(input).collect();
            let states = encoder.backbone().states(&inputs, &[encoder.info().layers])?;
            for (window, states) in windows.iter().zip(states) {
                let vector = |place: &LinkedPlace| (place.example, states.mean_vector(0, place.tokens.clone()));
                vectors.extend(self.linked[*window as usize].iter().map(vector));
            }
        }
        Ok(vectors)
    }
}

/// Returns the mentions of each window that are linked: those whose concept is known and that are written out, for a short form is read as its
/// long form.
fn linked_places(recognize: &Recognize, mentions: &Mentions) -> Vec<Vec<LinkedPlace>> {
    let is_written_out = |example: &LinkedExample| mentions.text(example)[example.span.range()] == example.name;
    let examples = mentions.train.iter().zip(0..).filter(|(example, _)| is_written_out(example));
    let numbers: HashMap<(usize, Span), u32> =
        examples.map(|(example, number)| ((example.document, example.span), number)).collect();
    let windows = recognize.documents.windows.iter();
    let of_window = windows.map(|window| {
        let place = |(gold, place): (&GoldSpan, &Span)| {
            let example = *numbers.get(&(window.document, *place))?;
            Some(LinkedPlace { example, tokens: gold.first as usize..gold.last as usize + 1 })
        };
        window.labels.gold.iter().zip(&window.places).filter_map(place).collect()
    });
    of_window.collect()
}

impl Task for Joint {
    type Objective = JointObjective;
    type Plan = JointPlan;

    const SCORE: &'static str = Recognize::SCORE;

    fn data(&self) -> &dyn TaskData {
        self
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let networks = self.recognize.networks()?;
        check_names_are_plain(transformer(&networks)?)?;
        Ok(networks)
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.recognize.configure(options)?;
        options.pooling = Some(Pooling::Mean);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<JointObjective, Error> {
        let LinkingKeys { weight, temperature, .. } = self.linking;
        let retrieval = Retrieval { temperature: Some(temperature) };
        Ok(JointObjective { spans: self.recognize.objective(networks)?, retrieval, weight })
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        self.recognize.describe(manifest)?;
        manifest.set_head(InContextConfig::HEAD, &InContextConfig::default())
    }

    fn expected_epoch(&self, _: &JointPlan) -> EpochSize {
        self.recognize.documents.expected_epoch(self.batch_tokens)
    }

    fn plan_epoch(&self, plan: &mut JointPlan, epoch: &Epoch<'_, JointObjective>) -> Result<(), Error> {
        let mut random = epoch.random();
        let mut batches = self.recognize.documents.plan(self.batch_tokens, &mut random);
        batches.truncate(epoch.max_batches);
        let drawn = batches.iter().map(|windows| {
            let linked = windows.iter().flat_map(|window| &self.linked[*window as usize]);
            let names = self.retrieval.drawn_names(&mut random, self.linking.names);
            linked.map(|place| QueryText::Mention(place.example)).chain(names).collect()
        });
        let (drawn, encoder) = (drawn.collect(), epoch.encoder()?);
        let vectors = self.mention_vectors(&batches.concat(), &encoder, epoch.progress())?;
        let mention = |example| vectors[&example].as_slice();
        let queries = self.retrieval.plan(drawn, mention, &encoder, &mut random, epoch.progress())?;
        *plan = JointPlan { windows: batches, queries };
        Ok(())
    }

    fn batches(&self, plan: &JointPlan) -> usize {
        plan.windows.len()
    }

    fn batch(&self, plan: &JointPlan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let (windows, queries, tokenizer) = (&plan.windows[number], &plan.queries[number], &tokenizers[0]);
        let spans = self.recognize.labelled(windows);
        let rows: Vec<Range<usize>> = spans.texts.rows().collect();
        let places = windows.iter().zip(&rows).flat_map(|(window, rows)| {
            let of_place = |place: &LinkedPlace| rows.start + place.tokens.start..rows.start + place.tokens.end;
            self.linked[*window as usize].iter().map(of_place)
        });
        let mentions: Vec<Range<usize>> = places.collect();
        let mut retrieval = self.retrieval.options(queries, tokenizer)?;
        for name in queries.iter().filter_map(|query| query.asked.name()) {
            retrieval.mentions.push_input(&self.retrieval.name_tokens(name, tokenizer)?);
        }
        let texts = windows.len() + retrieval.options.len() + retrieval.mentions.len();
        Ok((JointBatch { spans, mentions, retrieval }, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let mut description = self.recognize.describe_data(tokenizers)?;
        description.lines.extend(self.retrieval.mentions.describe());
        let linked: usize = self.linked.iter().map(Vec::len).sum();
        description
            .lines
            .push(format!("{linked} mentions in windows are linked, among {} distinct names", self.retrieval.names()));
        Ok(description)
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        let mut scores = self.recognize.evaluate(folder, progress)?;
        scores.values.extend(self.retrieval.evaluate(folder, progress)?.values);
        Ok(scores)
    }

    fn finish(&self, folder: &Path, progress: &Progress) -> Result<(), Error> {
        self.recognize.finish(folder, progress)?;
        self.retrieval.fit_mapping(folder)
    }
}

impl TaskData for Joint {
    fn hash(&self) -> String {
        self.recognize.documents.hash() + &self.retrieval.mentions.hash()
    }

    fn provenance(&self) -> serde_json::Value {
        let (recognition, linking) = (self.recognize.documents.provenance(), self.retrieval.mentions.provenance());
        serde_json::json!({"recognition": recognition, "linking": linking})
    }

    fn has_evaluation(&self) -> bool {
        self.recognize.documents.has_evaluation()
    }
}
