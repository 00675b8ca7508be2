//! Data of tasks that learn from documents with mentions.
//!
//! Documents are cut into windows, which are packed side by side up to a number of tokens. What cannot be learnt is
//! left open: neither mention nor none.

mod corpus;
mod keys;
mod windows;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use fastrand::Rng;
use truename_error::{ErrorKind, Hint, HintPart, hint};
use truename_eval::linked::PrecisionRecall;
use truename_infer::{Checkpoint, EntityType, SpanOptions, SpanScorer, Tokenizer, WindowOptions};
use truename_text::Span;
use xxhash_rust::xxh3::Xxh3;

use self::corpus::{MentionLabel, Passage};
use self::windows::{LearntWindow, UnlearntMentions, WindowSizes, windows};
use crate::recipe::Recipe;
use crate::training::{Description, EpochSize, Scores, TaskData};
use crate::{Error, error};

pub(crate) use corpus::{Corpora, is_held_out, read_corpus};
use keys::TextKeys;
pub(crate) use keys::{CorpusKey, DocumentKeys, EncoderKeys, corpora, frozen, transformer};
pub(crate) use windows::packed;

/// Longest span, and whether windows show capitals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanShape {
    /// Largest number of tokens of a span.
    pub max_span: usize,
    /// True if words with capitals are of segment 1.
    pub capitals: bool,
}

/// Documents to learn from and to evaluate on.
pub(crate) struct Documents {
    pub types: Vec<EntityType>,
    train: Corpora,
    dev: Corpora,
    pub windows: Vec<LearntWindow>,
    unlearnt: UnlearntMentions,
}

impl Documents {
    /// Reads the corpora that a recipe names, and cuts them into windows. Where there is no corpus to evaluate on, a share of the
    /// documents is held out.
    ///
    /// # Errors
    /// Where a corpus or the tokenizer cannot be read, no type is described, or there is nothing to learn.
    pub fn read(recipe: &Recipe, tokenizer: &Tokenizer, spans: SpanShape) -> Result<Self, Error> {
        let keys: DocumentKeys = recipe.keys()?;
        let DocumentKeys { data, types, text, .. } = &keys;
        if data.train.is_empty() {
            return Err(error::no_files("data.train"));
        }
        let names: Vec<&str> = types.keys().map(String::as_str).collect();
        if names.is_empty() {
            let advice = "name each type with a description: `[types]` and `Disease = \"names of diseases\"`";
            return Err(error::key("the recipe names no type of mentions", advice));
        }
        let mut train = Corpora::read(&data.train, &names, "data.train")?;
        let mut dev = Corpora::read(&data.dev, &names, "data.dev")?;
        if data.dev.is_empty() && data.dev_share > 0.0 {
            dev = train.split_off(data.dev_share, names.len());
        }
        if dev.passages.is_empty() && recipe.evaluation.patience > 0 {
            return Err(error::nothing_to_evaluate());
        }
        if train.mentions.iter().sum::<usize>() == 0 {
            let others: Vec<&str> = train.others.keys().map(String::as_str).collect();
            let annotate = HintPart::action("annotate");
            let advice = match others.first() {
                None => hint!["name a corpus with annotations; ", annotate, " makes some by a knowledge base"],
                Some(first) => Hint::from(format!(
                    "the corpus has mentions of {}: name these types, or map them, `{{path = \"…\", types = {{{first} = \
                     \"TYPE\"}}}}`",
                    others.join(", ")
                )),
            };
            let message = format!("{} has no mention of a type of the recipe", data.train[0].path().display());
            return Err(Error::new(ErrorKind::TooFew, message).with_hint(advice));
        }
        if text.window > tokenizer.window().max(TextKeys::default().window) {
            let known = format!("at most {}, the tokens that the encoder reads", tokenizer.window());
            return Err(error::value("text.window", text.window, known));
        }
        let SpanShape { max_span, capitals } = spans;
        let options = WindowOptions { tokens: text.window, overlap: text.overlap, capitals };
        let sizes = WindowSizes { options, max_span };
        let (mut windows, unlearnt) =
            windows(&train.passages, |passage| train.types_of(passage).to_vec(), tokenizer, sizes)?;
        windows.retain(|window| text.empty || !window.labels.gold.is_empty());
        Ok(Self { types: keys.entity_types(), train, dev, windows, unlearnt })
    }

    /// Takes documents to evaluate on alone.
    pub fn to_evaluate(types: Vec<EntityType>, dev: Corpora) -> Self {
        let (train, unlearnt) = (Corpora::default(), UnlearntMentions::default());
        Self { types, train, dev, windows: Vec::new(), unlearnt }
    }

    /// Returns documents to evaluate on with other mentions, a list for each passage.
    pub fn with_mentions(&self, found: &[Vec<(Span, u32)>]) -> Self {
        Self::to_evaluate(self.types.clone(), self.dev.with_mentions(found, self.types.len()))
    }

    /// Returns the windows of each batch of an epoch, in random order, with at most so many tokens a batch.
    pub fn plan(&self, tokens: usize, random: &mut Rng) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.windows.len() as u32).collect();
        random.shuffle(&mut order);
        self.packed(&order, tokens)
    }

    fn packed(&self, order: &[u32], tokens: usize) -> Vec<Vec<u32>> {
        packed(order, |window| self.windows[window as usize].input.len(), tokens)
    }

    /// Returns the size of an epoch that is not planned yet.
    pub fn expected_epoch(&self, tokens: usize) -> EpochSize {
        let order: Vec<u32> = (0..self.windows.len() as u32).collect();
        EpochSize { batches: self.packed(&order, tokens).len(), texts: self.windows.len() }
    }

    /// Refuses corpora that leave types without annotations.
    pub fn check_all_types_are_annotated(&self) -> Result<(), Error> {
        let is_whole = |types: &Vec<u32>| types.len() == self.types.len();
        if self.train.types.iter().all(is_whole) {
            return Ok(());
        }
        let message = "a corpus does not annotate all types, and a tagger takes every other word for no mention";
        Err(Error::new(ErrorKind::Choice, message)
            .with_hint("train it by `task.kind = \"recognize\"`, or on corpora that annotate all types"))
    }

    /// The passages to evaluate on.
    pub fn dev(&self) -> impl Iterator<Item = &str> {
        self.dev.passages.iter().map(|passage| passage.text.as_str())
    }

    fn counts(&self, part: &Corpora) -> BTreeMap<String, usize> {
        self.types.iter().map(|entity_type| entity_type.name.clone()).zip(part.mentions.iter().copied()).collect()
    }

    pub fn describe(&self) -> Description {
        let mut lines = vec![self.line("to learn", &self.train)];
        if self.has_evaluation() {
            lines.push(self.line("to evaluate on", &self.dev));
        }
        for part in [&self.train, &self.dev] {
            lines.extend(part.problems.iter().map(|(first, count)| format!("{first} ({count} skipped in this file)")));
            let others: Vec<String> =
                part.others.iter().map(|(mention_type, count)| format!("{mention_type} ({count})")).collect();
            if !others.is_empty() {
                lines.push(format!(
                    "mentions of types that the recipe does not have are left out: {}",
                    others.join(", ")
                ));
            }
        }
        for (entity_type, count) in self.types.iter().zip(&self.train.mentions) {
            if *count == 0 {
                lines.push(format!("no corpus to learn from has a mention of {}", entity_type.name));
            }
        }
        let UnlearntMentions { in_words, too_long, cut } = self.unlearnt;
        let Corpora { across, with_gaps, .. } = self.train;
        let reasons = [
            (in_words, "begin or end within a word"),
            (too_long, "are longer than spans.max_span"),
            (cut, "are longer than a window"),
            (across, "are not within one passage"),
            (with_gaps, "have gaps"),
        ];
        lines.extend(not_learnt(&reasons));
        Description { lines, lengths: self.windows.iter().map(|window| window.input.len() as u32).collect() }
    }

    fn line(&self, purpose: &str, part: &Corpora) -> String {
        let counts: Vec<String> = self.counts(part).iter().map(|(name, count)| format!("{count} {name}")).collect();
        let (documents, passages) = (part.documents, part.passages.len());
        format!("{documents} documents {purpose}, {passages} passages, mentions: {}", counts.join(", "))
    }

    /// Returns whether a span of a passage to evaluate on, given by its number, is a mention of a type; `None` where the corpus
    /// leaves it open, or does not annotate the type.
    pub fn is_gold(&self, passage: usize, span: Span, type_number: u32) -> Option<bool> {
        let passage = &self.dev.passages[passage];
        if !self.dev.types_of(passage).contains(&type_number) {
            return None;
        }
        let is_gold = passage.mentions.contains(&MentionLabel { span, type_number, has_gaps: false });
        (is_gold || !passage.open.contains(&span)).then_some(is_gold)
    }

    /// Returns the margins of the mentions that a recognizer finds in the passages to evaluate on, each with whether it is right.
    pub fn margins(&self, scorer: &SpanScorer) -> Result<Vec<(f64, bool)>, Error> {
        let texts: Vec<&str> = self.dev().collect();
        let mut margins = Vec::new();
        for (number, spans) in scorer.find(&texts, &SpanOptions::default())?.iter().enumerate() {
            for span in spans {
                let margin = f64::from(span.score) - f64::from(span.threshold);
                let is_gold = self.is_gold(number, span.span, span.type_number);
                margins.extend(is_gold.map(|is_gold| (margin, is_gold)));
            }
        }
        Ok(margins)
    }

    /// Number of mentions of each type to evaluate on.
    pub fn dev_mentions(&self) -> &[usize] {
        &self.dev.mentions
    }

    /// Scores the mentions found in the passages to evaluate on, each a span and the number of its type: strict precision, recall and F1, of all and of each type.
    /// Mentions found where the corpus has one of unknown type do not count.
    pub fn score(&self, found: &[Vec<(Span, u32)>]) -> Scores {
        let mut counts = vec![Counts::default(); self.types.len()];
        for (passage, found) in self.dev.passages.iter().zip(found) {
            self.count(passage, found, &mut counts);
        }
        let sum = |of: fn(&Counts) -> usize| counts.iter().map(of).sum();
        let all = Counts { found: sum(|of| of.found), gold: sum(|of| of.gold), right: sum(|of| of.right) };
        let PrecisionRecall { precision, recall, f1, .. } = all.scores();
        let mut values =
            BTreeMap::from([("precision".into(), precision), ("recall".into(), recall), ("f1".into(), f1)]);
        if self.types.len() > 1 {
            let of_type = |(entity_type, counts): (&EntityType, &Counts)| {
                (format!("f1 {}", entity_type.name), counts.scores().f1)
            };
            values.extend(self.types.iter().zip(&counts).map(of_type));
        }
        Scores { names: all.gold, values }
    }

    fn count(&self, passage: &Passage, found: &[(Span, u32)], counts: &mut [Counts]) {
        let types = self.dev.types_of(passage);
        let whole = passage.mentions.iter().filter(|mention| !mention.has_gaps);
        let gold: HashSet<(Span, u32)> = whole.map(|mention| (mention.span, mention.type_number)).collect();
        passage.mentions.iter().for_each(|mention| counts[mention.type_number as usize].gold += 1);
        for (span, type_number) in found.iter().filter(|(_, type_number)| types.contains(type_number)) {
            let (counts, is_right) = (&mut counts[*type_number as usize], gold.contains(&(*span, *type_number)));
            counts.found += usize::from(is_right || !passage.open.contains(span));
            counts.right += usize::from(is_right);
        }
    }
}

impl TaskData for Documents {
    fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for entity_type in &self.types {
            hasher.update(format!("{}\0{}\0\0", entity_type.name, entity_type.descriptions.join("\0")).as_bytes());
        }
        for part in [&self.train, &self.dev] {
            hasher.update(b"\0part");
            for passage in &part.passages {
                hasher.update(passage.text.as_bytes());
                let labels = format!("\0{:?}{:?}{:?}\0", passage.mentions, passage.open, part.types_of(passage));
                // The name of the field in runs that were begun before.
                hasher.update(labels.replace("type_number", "kind").as_bytes());
            }
        }
        format!("{:032x}", hasher.digest128())
    }

    fn provenance(&self) -> serde_json::Value {
        let files: Vec<_> = self.train.files.iter().chain(&self.dev.files).collect();
        let counts = |part: &Corpora| serde_json::json!({"documents": part.documents, "passages": part.passages.len(), "mentions": self.counts(part)});
        serde_json::json!({
            "train": counts(&self.train), "dev": counts(&self.dev), "files": files,
        })
    }

    fn has_evaluation(&self) -> bool {
        !self.dev.passages.is_empty()
    }
}

/// Returns the line on the mentions that are not learnt, with their numbers by the reason; `None` where all are.
pub(crate) fn not_learnt(reasons: &[(usize, &str)]) -> Option<String> {
    let counted = reasons.iter().filter(|(count, _)| *count > 0).map(|(count, reason)| format!("{count} {reason}"));
    let counted = counted.collect::<Vec<_>>().join(", ");
    (!counted.is_empty()).then(|| format!("mentions that are not learnt: {counted}"))
}

/// Opens the tokenizer of a run: that of its checkpoint, or of the network that a new run starts from.
pub(crate) fn tokenizer(encoder: &EncoderKeys, checkpoint: Option<&Path>) -> Result<Tokenizer, Error> {
    let mut checkpoint = checkpoint.map_or_else(|| encoder.open(), Checkpoint::open)?;
    checkpoint.tokenizer()
}

#[derive(Clone, Default)]
struct Counts {
    found: usize,
    gold: usize,
    right: usize,
}

impl Counts {
    fn scores(&self) -> PrecisionRecall {
        PrecisionRecall::new(self.right, self.found, self.gold)
    }
}
