//! The kind `rerank`: a re-ranker by cloze prompts (Prompt-BioEL, section 3.2).

use std::collections::BTreeMap;
use std::path::Path;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_infer::{
    CandidateScore, Checkpoint, ClozeConfig, ClozePrompt, ClozeQuery, ClozeScorer, ContextMapping, ContextScores,
    Manifest, MentionOutcome, Question, ScoredMention, Tokenizer,
};
use truename_kb::Progress;
use truename_nn::{Cloze, LearnerOptions, Prompts};
use truename_text::Span;

use super::kind::{Kind, run};
use crate::documents::transformer;
use crate::mentions::{CandidateKeys, LinkedExample, MentionKeys, Mentions};
use crate::recipe::{Keys, Part, Range, Schema};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "rerank",
        summary: "a re-ranker that reads the context of a mention and all its candidates at once (Prompt-BioEL)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: a re-ranker learns to choose among the candidates of a mention by its context (Prompt-BioEL).\n",
            "kind = \"rerank\"\n\n",
            include_str!("../mentions/data.toml"),
            include_str!("rerank.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<MentionKeys>(), Part::of::<RerankKeys>()],
    },
    begin: |recipe, out, start| run(Rerank::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct RerankKeys {
    candidates: CandidateKeys,
    prompt: PromptKeys,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct PromptKeys {
    candidates: usize,
    name_tokens: usize,
    window: usize,
    question: Question,
    together: bool,
    score: CandidateScore,
    types: bool,
    parents: bool,
    batch: usize,
    exact: f64,
}

impl Default for PromptKeys {
    fn default() -> Self {
        let ClozeConfig { candidates, name_tokens, window, question, together, score, types, parents, .. } =
            ClozeConfig::new(384);
        Self { candidates, name_tokens, window, question, together, score, types, parents, batch: 8, exact: 0.25 }
    }
}

impl Keys for RerankKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("prompt.candidates", Range::of(2.0, 64.0)),
        ("prompt.name_tokens", Range::of(1.0, 10_000.0)),
        ("prompt.window", Range::of(16.0, 100_000.0)),
        ("prompt.batch", Range::of(1.0, 10_000.0)),
        ("prompt.exact", Range::of(0.0, 1.0)),
    ];
    const PATHS: &'static [&'static str] = &["candidates.encoder", "candidates.retriever"];
}

/// Re-ranking by cloze prompts (Prompt-BioEL, section 3.2).
pub struct Rerank {
    mentions: Mentions,
    config: ClozeConfig,
    /// Examples with a candidate beside the right one, by number.
    learnt: Vec<u32>,
    /// Those among them whose exact name decides.
    exact: usize,
    keys: MentionKeys,
    prompt: PromptKeys,
    seed: u64,
}

impl Rerank {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let RerankKeys { candidates, prompt } = recipe.keys()?;
        let mut config = ClozeConfig::new(prompt.window);
        (config.candidates, config.name_tokens) = (prompt.candidates, prompt.name_tokens);
        (config.question, config.together, config.score) = (prompt.question, prompt.together, prompt.score);
        (config.types, config.parents) = (prompt.types, prompt.parents);
        let keys: MentionKeys = recipe.keys()?;
        let mentions = Mentions::read(recipe, &keys.data, Some((&candidates, prompt.candidates)))?;
        let has_negative = |example: &LinkedExample| negatives(example).next().is_some();
        let examples = mentions.train.iter().zip(0..);
        let learnt: Vec<u32> =
            examples.filter(|(example, _)| has_negative(example)).map(|(_, number)| number).collect();
        if learnt.is_empty() {
            let message = "no mention to learn has a candidate beside the right one";
            return Err(Error::new(ErrorKind::TooFew, message)
                .with_hint("name a corpus whose mentions have several candidates in the knowledge base"));
        }
        let exact = learnt.iter().filter(|number| mentions.train[**number as usize].is_exact()).count();
        if exact > 0 && exact == learnt.len() && expected(exact, prompt.exact) == 0 {
            let known = "higher, for each mention to learn has the name of one concept alone";
            return Err(error::value("prompt.exact", prompt.exact, known));
        }
        Ok(Self { mentions, config, learnt, exact, keys, prompt, seed: recipe.seed })
    }
}

/// Mentions of an epoch whose exact name decides, of so many.
fn expected(exact: usize, share: f64) -> usize {
    (exact as f64 * share).round() as usize
}

/// The wrong candidates of an example, likeliest first.
fn negatives(example: &LinkedExample) -> impl Iterator<Item = u32> + '_ {
    let concepts = example.candidates.iter().map(|candidate| candidate.concept);
    concepts.filter(|concept| !example.right.contains(concept))
}

/// A prompt to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedPrompt {
    /// Number of the example.
    example: u32,
    /// Its candidates in the order of the prompt, by the numbers of the concepts.
    candidates: Vec<u32>,
    /// Place of the right one.
    right: u32,
}

impl Task for Rerank {
    type Objective = Cloze;
    type Plan = Vec<PlannedPrompt>;

    const SCORE: &'static str = "acc@1";

    fn data(&self) -> &dyn TaskData {
        &self.mentions
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let mut transformer = self.keys.encoder.open_transformer()?;
        transformer.add_special_tokens(&self.config.special_tokens(), self.seed)?;
        transformer.set_window(self.prompt.window.max(transformer.window()))?;
        Ok(vec![Checkpoint::Transformer(transformer)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<Cloze, Error> {
        let transformer = transformer(networks)?;
        let option = |number| transformer.special_token(&ClozeConfig::option(number));
        let options = (0..self.config.shown()).map(option).collect::<Result<_, _>>()?;
        Ok(Cloze::new(transformer, options, self.seed)?.scored_by(self.prompt.score))
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(ClozeConfig::HEAD, &self.config)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let exact = self.exact;
        let mentions = self.learnt.len() - exact + expected(exact, self.prompt.exact);
        let texts = mentions * if self.prompt.together { 1 } else { self.prompt.candidates };
        EpochSize { batches: mentions.div_ceil(self.prompt.batch), texts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Cloze>) -> Result<(), Error> {
        let mut random = epoch.random();
        let is_exact = |number: u32| self.mentions.train[number as usize].is_exact();
        let mut is_drawn = |number: &u32| !is_exact(*number) || random.f64() < self.prompt.exact;
        let mut order: Vec<u32> = self.learnt.iter().copied().filter(|number| is_drawn(number)).collect();
        random.shuffle(&mut order);
        let of = |number: u32| (number, &self.mentions.train[number as usize]);
        *plan = order.into_iter().map(|number| planned(of(number), self.prompt.candidates, &mut random)).collect();
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len().div_ceil(self.prompt.batch)
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let tokenizer = &tokenizers[0];
        let prompt = ClozePrompt::new(self.config.clone(), tokenizer)?;
        let first = number * self.prompt.batch;
        let mut batch = Prompts::default();
        for planned in &plan[first..(first + self.prompt.batch).min(plan.len())] {
            let example = &self.mentions.train[planned.example as usize];
            let mut right = planned.right as usize;
            let (text, span) = self.mentions.context(example);
            for query in self.query((&text, span), &planned.candidates).split(self.config.shown()) {
                let candidates = query.candidates.len();
                batch.push(&prompt.tokens(&query, tokenizer)?, (right < candidates).then_some(right as u32));
                right = right.wrapping_sub(candidates);
            }
        }
        let texts = batch.len();
        Ok((batch, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let mut lines = self.mentions.describe();
        let alone = self.mentions.train.len() - self.learnt.len();
        if alone > 0 {
            lines.push(format!(
                "{alone} mentions have no candidate beside the right one, so that there is no choice to learn"
            ));
        }
        if self.exact > 0 {
            let exact = self.exact;
            lines.push(format!(
                "{exact} mentions have the name of one concept alone; an epoch learns a part (prompt.exact)"
            ));
        }
        /// Fewer mentions make a poor mapping.
        const TO_MAP: usize = 20;
        match self.mentions.dev.iter().filter(|example| !example.is_exact()).count() {
            0 => lines.push("no mention is held out, so that probabilities are those of the score alone".to_owned()),
            few if few < TO_MAP => {
                lines.push(format!(
                    "probabilities are fitted to {few} mentions alone; `truename calibrate` fits them to more"
                ));
            }
            _ => {}
        }
        let prompt = ClozePrompt::new(self.config.clone(), &tokenizers[0])?;
        let length = |number: &u32| {
            let example = &self.mentions.train[*number as usize];
            let (text, span) = self.mentions.context(example);
            let shown = self.query((&text, span), &self.shortlist(example)).split(self.config.shown()).next();
            let tokens = shown.map(|query| prompt.tokens(&query, &tokenizers[0])).transpose()?;
            Ok(tokens.map_or(0, |tokens| tokens.sequence.input.len() as u32))
        };
        /// Prompts whose lengths stand for all.
        const SAMPLED: usize = 200;
        let step = self.learnt.len().div_ceil(SAMPLED).max(1);
        let lengths = self.learnt.iter().step_by(step).map(length).collect::<Result<_, Error>>()?;
        Ok(Description { lines, lengths })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        let answers = self.answers(self.scored(&ClozeScorer::open(folder)?, progress)?);
        let names = answers.len();
        let share =
            |is: &dyn Fn(&Answer) -> bool| answers.iter().filter(|one| is(one)).count() as f64 / names.max(1) as f64;
        let certain = certain(&answers).unwrap_or(f64::INFINITY);
        let is_certain = |answer: &Answer| answer.probability.is_some_and(|probability| probability >= certain);
        let kept = |answer: &Answer| if answer.probability.is_none() { answer.before } else { answer.alone };
        let values = [
            (Rerank::SCORE, share(&|answer| answer.alone)),
            ("acc@1, exact names kept", share(&kept)),
            ("acc@1 with the ranker", share(&|answer| answer.with_ranker)),
            ("acc@1 before", share(&|answer| answer.before)),
            ("among the candidates", share(&|answer| answer.among)),
            ("certain without context", share(&is_certain)),
        ];
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value));
        Ok(Scores { names, values: values.collect::<BTreeMap<_, _>>() })
    }

    fn finish(&self, folder: &Path, progress: &Progress) -> Result<(), Error> {
        let scorer = ClozeScorer::open(folder)?;
        let scored = self.scored(&scorer, progress)?;
        // Where the exact name decides, no re-ranker is asked.
        let open = self.mentions.dev.iter().zip(&scored).filter(|(example, _)| !example.is_exact());
        let mut config = scorer.config().clone();
        config.mapping = ContextMapping::default().fitted(&open.map(|(_, scored)| scored.clone()).collect::<Vec<_>>());
        config.certain = certain(&self.answers(scored));
        config.learnt = self.mentions.learnt();
        let mut manifest = Manifest::open(folder)?;
        manifest.set_head(ClozeConfig::HEAD, &config)?;
        manifest.save(folder)
    }
}

/// Draws the order of an example's candidates: the right one and the likeliest others, `most` in all.
fn planned((number, example): (u32, &LinkedExample), most: usize, random: &mut Rng) -> PlannedPrompt {
    let right: Vec<u32> = example.right.iter().copied().collect();
    let right = right[random.usize(..right.len())];
    let mut candidates: Vec<u32> = negatives(example).take(most - 1).chain([right]).collect();
    random.shuffle(&mut candidates);
    let place = candidates.iter().position(|candidate| *candidate == right).unwrap_or_default();
    PlannedPrompt { example: number, candidates, right: place as u32 }
}

impl Rerank {
    /// Returns the prompt of a mention, given by its text and its place there.
    fn query<'a>(&'a self, (text, span): (&'a str, Span), candidates: &[u32]) -> ClozeQuery<'a> {
        let candidates = candidates.iter().map(|concept| self.mentions.candidate(*concept)).collect();
        ClozeQuery { text, span, candidates }
    }

    /// The candidates of an example in their order, as many as a prompt has.
    fn shortlist(&self, example: &LinkedExample) -> Vec<u32> {
        example.candidates.iter().take(self.config.candidates).map(|candidate| candidate.concept).collect()
    }
}

/// What is right of a mention to evaluate on.
struct Answer {
    /// By the score of the re-ranker alone.
    alone: bool,
    /// By re-ranker and ranker together, by a mapping that was fitted to other mentions; where the exact name decides, by that.
    with_ranker: bool,
    /// By the order before.
    before: bool,
    /// Any candidate.
    among: bool,
    /// Probability of the best candidate by the ranker; `None` where the exact name decides.
    probability: Option<f64>,
}

/// Returns the probability of the ranker from which the re-ranker gains nothing, over mentions with a ranker.
fn certain(answers: &[Answer]) -> Option<f64> {
    let judged = |answer: &Answer| {
        let probability = answer.probability.filter(|probability| *probability > 0.0)?;
        Some(MentionOutcome { probability, by_name: answer.before, in_context: answer.with_ranker })
    };
    MentionOutcome::certain_from(&answers.iter().filter_map(judged).collect::<Vec<_>>())
}

impl Rerank {
    fn answers(&self, scored: Vec<ScoredMention>) -> Vec<Answer> {
        let dev = &self.mentions.dev;
        let is_open: Vec<bool> = dev.iter().map(|example| !example.is_exact()).collect();
        let open = || scored.iter().zip(dev).zip(&is_open).filter(|(_, is_open)| **is_open).map(|(both, _)| both);
        let is_second: Vec<bool> = open().map(|(_, example)| example.document % 2 == 1).collect();
        let open: Vec<ScoredMention> = open().map(|(scored, _)| scored.clone()).collect();
        let mut together = ScoredMention::best_by_other_part(ContextMapping::default(), &open, &is_second).into_iter();
        let of = |((example, scored), is_open): ((&LinkedExample, &ScoredMention), &bool)| {
            let is_right = |place: Option<usize>| place.is_some() && place == scored.right;
            let before = is_right(Some(0));
            let with_ranker = if *is_open { is_right(together.next().flatten()) } else { before };
            let best = example.candidates.first().filter(|_| *is_open);
            Answer {
                alone: is_right(scored.best(|scores| scores.cloze)),
                with_ranker,
                before,
                among: scored.right.is_some(),
                probability: best.map(|best| best.probability),
            }
        };
        dev.iter().zip(&scored).zip(&is_open).map(of).collect()
    }

    /// Scores the candidates of the mentions to evaluate on.
    fn scored(&self, scorer: &ClozeScorer, progress: &Progress) -> Result<Vec<ScoredMention>, Error> {
        /// Prompts that are scored at a time.
        const TOGETHER: usize = 256;
        let mut all = Vec::with_capacity(self.mentions.dev.len());
        for examples in self.mentions.dev.chunks(TOGETHER) {
            progress.check()?;
            let shortlists: Vec<Vec<u32>> = examples.iter().map(|example| self.shortlist(example)).collect();
            let contexts: Vec<_> = examples.iter().map(|example| self.mentions.context(example)).collect();
            let asked = contexts.iter().zip(&shortlists);
            let queries = asked.map(|((text, span), candidates)| self.query((text.as_ref(), *span), candidates));
            let scores = scorer.score(&queries.collect::<Vec<_>>())?;
            for ((example, candidates), cloze) in examples.iter().zip(&shortlists).zip(scores) {
                let right = candidates.iter().position(|concept| example.right.contains(concept));
                let before = example.candidates.iter().map(|candidate| candidate.scores);
                let scored = before.zip(cloze).map(|(before, cloze)| ContextScores { cloze: cloze.into(), ..before });
                all.push(ScoredMention { candidates: scored.collect(), right });
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mentions::RankedCandidate;

    #[test]
    fn candidates_stand_in_random_order_in_training_and_the_right_one_is_among_them() {
        let candidate = |concept| RankedCandidate { concept, ..RankedCandidate::default() };
        let example = LinkedExample {
            document: 0,
            span: Span::new(0, 1),
            name: "a".to_owned(),
            right: BTreeSet::from([9]),
            candidates: (0..8).map(candidate).collect(),
        };
        let mut random = Rng::with_seed(1);
        let mut places = BTreeSet::new();
        for _ in 0..200 {
            let PlannedPrompt { candidates, right, .. } = planned((0, &example), 4, &mut random);
            assert_eq!(candidates[right as usize], 9, "no generator proposed it");
            let sorted: BTreeSet<u32> = candidates.iter().copied().collect();
            assert_eq!(sorted, BTreeSet::from([0, 1, 2, 9]), "the likeliest others");
            places.insert(candidates);
        }
        assert_eq!(places.len(), 24, "all orders");
    }
}
