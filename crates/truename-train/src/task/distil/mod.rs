//! The kind `distil`: a smaller student of a recognizer, an encoder, or a model that is both.

mod data;
mod keys;
mod soft_window;
mod teacher;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_infer::{
    Checkpoint, Encoder, Manifest, MarginCalibration, ScoredSpan, SpanConfig, SpanOptions, SpanScorer, StudentSize,
    Tensors, Tokenizer, WindowOptions,
};
use truename_kb::Progress;
use truename_nn::{Distillation, DistillationOptions, LearnerOptions, SoftSpans, SoftVectors, TeacherAnswers};
use truename_text::Span;

use self::data::DistilData;
use self::keys::{DistilKeys, ObjectiveKeys, StudentKeys, Vocabulary};
use self::soft_window::{Reader, SoftWindow};
use self::teacher::Teacher;
use super::kind::{Kind, run};
use crate::documents::{Documents, packed};
use crate::recipe::{Part, Schema};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData, checkpoint_of};
use crate::{Error, Recipe};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "distil",
        summary: "a smaller student of a recognizer or an encoder, on texts or names without labels",
        explained: concat!(
            include_str!("../../recipe/run.toml"),
            "[task]\n# Kind of task: a smaller student learns the answers of a recognizer (on texts), an encoder (on names), or of both in one model.\n",
            "kind = \"distil\"\n\n",
            include_str!("distil.toml"),
            include_str!("../../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<DistilKeys>()],
    },
    begin: |recipe, out, start| {
        let task = Distil::new(recipe, checkpoint_of(out, start).as_deref())?;
        run(task, recipe, out, start)
    },
    begin_on: None,
};

/// Distillation: a student learns the answers of a teacher to texts and names (Hinton et al. 2015).
pub struct Distil {
    keys: DistilKeys,
    seed: u64,
    teacher: Teacher,
    data: DistilData,
    windows: Vec<SoftWindow>,
    /// The size of the student, known when a new run asks for it: its tokens are those of all texts.
    size: OnceLock<StudentSize>,
    /// The documents to evaluate on, with their own mentions and with the teacher's.
    dev: OnceLock<[Documents; 2]>,
}

/// A batch by the numbers of its windows or names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AnswerNumbers {
    /// Windows of texts.
    Texts(Vec<u32>),
    /// Names.
    Names(Vec<u32>),
}

impl Distil {
    fn new(recipe: &Recipe, checkpoint: Option<&Path>) -> Result<Self, Error> {
        let keys: DistilKeys = recipe.keys()?;
        let teacher = Teacher::open(&keys)?;
        let types: Vec<&str> = teacher.types().iter().map(|entity_type| entity_type.name.as_str()).collect();
        let data = DistilData::read(&keys.data, &types)?;
        teacher.check(&data)?;
        let (windows, size, dev) = (Vec::new(), OnceLock::new(), OnceLock::new());
        let mut task = Self { keys, seed: recipe.seed, teacher, data, windows, size, dev };
        let mut student = checkpoint.map_or_else(|| task.student(), Checkpoint::open)?;
        task.windows = task.windows(&student.tokenizer()?)?;
        Ok(task)
    }

    /// Returns the student of a new run.
    fn student(&self) -> Result<Checkpoint, Error> {
        let mut student = Checkpoint::Transformer(self.keys.teacher()?.student(self.size()?)?);
        let (head, tensors) = match self.teacher.scorer() {
            Some(_) => (&[SpanConfig::HEAD][..], "spans.type_"),
            None => (&[][..], "spans."),
        };
        student.leave_out(&[tensors]);
        student.manifest_mut().keep_heads(head);
        Ok(student)
    }

    fn size(&self) -> Result<&StudentSize, Error> {
        if let Some(size) = self.size.get() {
            return Ok(size);
        }
        let StudentKeys { layers, hidden, vocabulary } = self.keys.student;
        let vocabulary = (vocabulary == Vocabulary::Texts).then(|| self.tokens()).transpose()?;
        Ok(self.size.get_or_init(|| StudentSize { layers, hidden, vocabulary }))
    }

    /// Returns the teacher's tokens of all texts and names.
    fn tokens(&self) -> Result<BTreeSet<u32>, Error> {
        /// Longer passages are read in parts.
        const WINDOW: usize = 128;
        let tokenizer = self.teacher.tokenizer();
        let of_passage = |text: &String| {
            let windows = tokenizer.windows_of(text, WINDOW, 0)?;
            Ok(windows.iter().flat_map(|window| window.input.ids().to_vec()).collect::<BTreeSet<u32>>())
        };
        let of_name = |name: &String| Ok(tokenizer.tokens(name)?.ids.into_iter().collect::<BTreeSet<u32>>());
        let passages = self.data.passages.par_iter().map(of_passage);
        let sets: Vec<BTreeSet<u32>> =
            passages.chain(self.data.names.par_iter().map(of_name)).collect::<Result<_, Error>>()?;
        Ok(sets.into_iter().flatten().collect())
    }

    fn windows(&self, student: &Tokenizer) -> Result<Vec<SoftWindow>, Error> {
        let Some(scorer) = self.teacher.scorer() else { return Ok(Vec::new()) };
        let teacher = (self.keys.student.vocabulary == Vocabulary::Texts).then_some(self.teacher.tokenizer());
        let SpanConfig { window, capitals, .. } = *scorer.config();
        let options = WindowOptions { tokens: window, overlap: self.keys.sampler.overlap, capitals };
        let reader = Reader { student, teacher, options };
        let windows: Vec<Vec<SoftWindow>> =
            self.data.passages.par_iter().map(|text| SoftWindow::of(text, &reader)).collect::<Result<_, _>>()?;
        Ok(windows.into_iter().flatten().collect())
    }

    /// Returns the batches of an epoch, of windows and names in these orders.
    fn batches_of(&self, windows: &[u32], names: &[u32]) -> Vec<AnswerNumbers> {
        let length = |window: u32| self.windows[window as usize].tokens();
        let texts = packed(windows, length, self.keys.sampler.tokens).into_iter().map(AnswerNumbers::Texts);
        texts.chain(names.chunks(self.keys.sampler.names).map(|names| AnswerNumbers::Names(names.to_vec()))).collect()
    }

    fn orders(&self) -> [Vec<u32>; 2] {
        [self.windows.len(), self.data.names.len()].map(|count| (0..count as u32).collect())
    }

    fn texts(&self, numbers: &[u32]) -> Result<SoftSpans, Error> {
        let scorer = self.teacher.spans()?;
        let windows: Vec<&SoftWindow> = numbers.iter().map(|number| &self.windows[*number as usize]).collect();
        let read: Vec<_> = windows.iter().map(|window| window.teacher()).collect();
        let mut batch = SoftSpans::default();
        for (window, margins) in windows.iter().zip(scorer.margins(&read)?) {
            window.push(&mut batch, &margins, scorer.config().max_span);
        }
        Ok(batch)
    }

    fn names(&self, numbers: &[u32], tokenizer: &Tokenizer) -> Result<SoftVectors, Error> {
        let names: Vec<&str> = numbers.iter().map(|number| self.data.names[*number as usize].as_str()).collect();
        let mut batch = SoftVectors::default();
        let vectors = self.teacher.encoder()?.encode(&names)?;
        for (number, name) in names.iter().enumerate() {
            batch.texts.push(&tokenizer.tokens(name)?.ids);
            batch.vectors.extend_from_slice(vectors.row(number));
        }
        Ok(batch)
    }

    /// Returns the documents to evaluate on, with their own mentions and with the teacher's.
    fn dev(&self) -> Result<&[Documents; 2], Error> {
        if let Some(dev) = self.dev.get() {
            return Ok(dev);
        }
        let scorer = self.teacher.spans()?;
        let own = Documents::to_evaluate(scorer.types().to_vec(), self.data.dev.clone());
        let by_teacher = own.with_mentions(&mentions(scorer, &own)?);
        Ok(self.dev.get_or_init(|| [own, by_teacher]))
    }

    /// Returns whether the documents to evaluate on have mentions of the teacher's types.
    fn has_gold(&self) -> bool {
        self.data.dev.mentions.iter().any(|mentions| *mentions > 0)
    }

    /// Returns the share of the names to evaluate on whose nearest other one is that of the teacher.
    fn nearest_agreement(&self, folder: &Path) -> Result<f64, Error> {
        let [teacher, student] =
            [self.teacher.encoder()?, &Encoder::open(folder)?].map(|encoder| nearest(encoder, &self.data.dev_names));
        let (teacher, student) = (teacher?, student?);
        let same = teacher.iter().zip(&student).filter(|(teacher, student)| teacher == student).count();
        Ok(same as f64 / teacher.len().max(1) as f64)
    }
}

/// Returns the mentions that a recognizer finds in documents, each a span and the number of its type.
fn mentions(scorer: &SpanScorer, documents: &Documents) -> Result<Vec<Vec<(Span, u32)>>, Error> {
    let texts: Vec<&str> = documents.dev().collect();
    let found = scorer.find(&texts, &SpanOptions::default())?;
    let mention = |span: &ScoredSpan| (span.span, span.type_number);
    Ok(found.iter().map(|spans| spans.iter().map(mention).collect()).collect())
}

/// Returns the number of the nearest other one of each name.
fn nearest(encoder: &Encoder, names: &[String]) -> Result<Vec<Option<usize>>, Error> {
    let vectors = encoder.encode(names)?;
    let cosine = |left: usize, right: usize| truename_infer::kernels::dot::<16>(vectors.row(left), vectors.row(right));
    let of_name = |name: usize| {
        let others = (0..names.len()).filter(|other| *other != name);
        others.max_by(|left, right| cosine(name, *left).total_cmp(&cosine(name, *right)))
    };
    Ok((0..names.len()).into_par_iter().map(of_name).collect())
}

impl Task for Distil {
    type Objective = Distillation;
    type Plan = Vec<AnswerNumbers>;

    const SCORE: &'static str = "agreement";

    fn score(&self) -> &str {
        if self.has_gold() { "f1" } else { Self::SCORE }
    }

    fn data(&self) -> &dyn TaskData {
        &self.data
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![self.student()?])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        options.dropout = self.keys.encoder.dropout;
        options.pooling = self.teacher.pooling();
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<Distillation, Error> {
        let ObjectiveKeys { temperature, spans, positions, states, vectors, similarities } = self.keys.objective;
        let seed = self.seed;
        let options = DistillationOptions { temperature, spans, positions, states, vectors, similarities, seed };
        Ok(Distillation::new(networks[0].hidden(), self.teacher.hidden(), self.teacher.heads()?, options))
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        let Some(scorer) = self.teacher.scorer() else { return Ok(()) };
        let mut config = scorer.config().clone();
        config.vectors = Some(scorer.vectors().clone());
        manifest.set_head(SpanConfig::HEAD, &config)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let [windows, names] = self.orders();
        EpochSize { batches: self.batches_of(&windows, &names).len(), texts: windows.len() + names.len() }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Distillation>) -> Result<(), Error> {
        let mut random = epoch.random();
        let [mut windows, mut names] = self.orders();
        random.shuffle(&mut windows);
        random.shuffle(&mut names);
        *plan = self.batches_of(&windows, &names);
        random.shuffle(plan);
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        Ok(match &plan[number] {
            AnswerNumbers::Texts(numbers) => (TeacherAnswers::Texts(self.texts(numbers)?), numbers.len()),
            AnswerNumbers::Names(numbers) => {
                (TeacherAnswers::Names(self.names(numbers, &tokenizers[0])?), numbers.len())
            }
        })
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        /// Names whose lengths stand for all.
        const SAMPLED: usize = 1000;
        let step = self.data.names.len().div_ceil(SAMPLED).max(1);
        let of_names =
            self.data.names.iter().step_by(step).map(|name| Ok(tokenizers[0].tokens(name)?.ids.len() as u32));
        let of_windows = self.windows.iter().map(|window| Ok(window.tokens() as u32));
        let lengths = of_windows.chain(of_names).collect::<Result<_, Error>>()?;
        Ok(Description { lines: self.data.lines(self.windows.len()), lengths })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        progress.check()?;
        let (mut scores, mut agreements) = (Scores::default(), Vec::new());
        if !self.data.dev.passages.is_empty() {
            let [own, by_teacher] = self.dev()?;
            let found = mentions(&SpanScorer::open(folder)?, own)?;
            let of_teacher = by_teacher.score(&found);
            agreements.push(of_teacher.get("f1"));
            scores = if self.has_gold() { own.score(&found) } else { Scores { names: of_teacher.names, ..scores } };
        }
        if !self.data.dev_names.is_empty() {
            agreements.push(self.nearest_agreement(folder)?);
            scores.names += self.data.dev_names.len();
        }
        let agreement = agreements.iter().sum::<f64>() / agreements.len().max(1) as f64;
        scores.values.insert("agreement".into(), agreement);
        Ok(scores)
    }

    fn finish(&self, folder: &Path, _: &Progress) -> Result<(), Error> {
        let mut checkpoint = Checkpoint::open(folder)?;
        checkpoint.leave_out(&[Distillation::TRAINING_ONLY]);
        if let (Some(_), true) = (self.teacher.scorer(), self.has_gold()) {
            let own = &self.dev()?[0];
            let scorer = SpanScorer::open(folder)?;
            let mut config = scorer.config().clone();
            config.calibration = MarginCalibration::fit(&own.margins(&scorer)?).or(config.calibration);
            checkpoint.manifest_mut().set_head(SpanConfig::HEAD, &config)?;
        }
        checkpoint.save(folder, &Tensors::new(), None)
    }
}
