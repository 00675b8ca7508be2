//! Cloze prompts: candidates of a mention scored in its context, all of them at once (Prompt-BioEL).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_text::Span;
use truename_text::similarity::sequence_ratio;

use super::masked::MaskedHead;
use super::{ContextMapping, markers};
use crate::{Backbone, Error, Part, Sequence, Slot, SpecialToken, States, Template, Tokenizer, error};

/// Scores the candidates of a mention in its context by a cloze prompt that shows all of them at once (Prompt-BioEL, section 3.2).
pub struct ClozeScorer {
    backbone: Backbone,
    prompt: ClozePrompt,
    head: MaskedHead,
}

/// Configuration of a [`ClozeScorer`], kept in the model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClozeConfig {
    /// Most candidates of a prompt.
    pub candidates: usize,
    /// Most tokens of a candidate's names; fewer are read where the window has no room for so many of each.
    pub name_tokens: usize,
    /// Most tokens of a prompt.
    pub window: usize,
    /// The words before the mask.
    pub question: Question,
    /// True where a prompt shows all candidates of a mention; false where each has a prompt of its own, as in a cross-encoder.
    #[serde(default = "together")]
    pub together: bool,
    /// What a candidate is scored by.
    #[serde(default)]
    pub score: CandidateScore,
    /// True where the types of a candidate stand before its names.
    #[serde(default)]
    pub types: bool,
    /// True where the broader concepts of a candidate stand before its names, if it shares a name with another candidate.
    #[serde(default)]
    pub parents: bool,
    /// From scores to logits.
    #[serde(default)]
    pub mapping: ContextMapping,
    /// Probability of the ranker's best candidate from which the answer is certain without the context; `None` for none.
    #[serde(default)]
    pub certain: Option<f64>,
    /// Hashes of the documents that it learnt from.
    #[serde(default)]
    pub learnt: BTreeSet<u64>,
}

/// The words between the context and the mask (Prompt-BioEL, table 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// "Which of the following options is the same as", the mention, and a question mark.
    #[default]
    Words,
    /// The mention alone.
    Mention,
    /// None.
    None,
}

/// What a candidate is scored by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateScore {
    /// The score of its token at the mask (Prompt-BioEL, equation 6).
    #[default]
    Token,
    /// The dot product of the mapped state of the mask and the state of its token, divided by the root of their width; not in the paper. It
    /// is the same function for each place of a prompt, so that no order has to be learnt.
    State,
    /// The cosine of the mean state of the mention and that of its names, stretched to logits; not in the paper. An encoder of sentences
    /// gives it a sense before any training. Each candidate's tokens have positions of their own, so that no order has to be learnt.
    Spans,
}

impl CandidateScore {
    /// Logit of a candidate by [`Spans`](Self::Spans) for a cosine of 1, and its negative for one of 0.
    pub const SPAN_LOGIT: f64 = 10.0;

    /// Returns the logit for the cosine of two mean states.
    fn of_cosine(cosine: f32) -> f32 {
        Self::SPAN_LOGIT as f32 * (2.0 * cosine - 1.0)
    }
}

impl ClozeConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "cloze";
    /// Token before a mention.
    pub const START: &'static str = markers::START;
    /// Token behind a mention.
    pub const END: &'static str = markers::END;
    /// Token between two names.
    pub const OR: &'static str = markers::OR;

    /// Creates the configuration of the paper (section 4.2) for a window.
    pub fn new(window: usize) -> Self {
        Self {
            candidates: 6,
            name_tokens: 32,
            window,
            question: Question::Words,
            together: true,
            score: CandidateScore::Token,
            types: false,
            parents: false,
            mapping: ContextMapping::default(),
            certain: None,
            learnt: BTreeSet::new(),
        }
    }

    /// Most candidates that a prompt shows.
    pub fn shown(&self) -> usize {
        if self.together { self.candidates } else { 1 }
    }

    /// Most tokens of what stands before the names of a candidate.
    const LABEL_TOKENS: usize = 8;

    /// Returns whether anything stands before the names of a candidate.
    fn has_labels(&self) -> bool {
        self.types || self.parents
    }

    /// Name of the token that stands for a candidate, from 0.
    pub fn option(number: usize) -> String {
        format!("[E{}]", number + 1)
    }

    /// The special tokens that the prompt adds to a vocabulary.
    pub fn special_tokens(&self) -> Vec<SpecialToken> {
        let marks = [Self::START, Self::END, Self::OR].map(SpecialToken::new);
        marks.into_iter().chain((0..self.shown()).map(Self::option).map(SpecialToken::new)).collect()
    }
}

fn together() -> bool {
    true
}

/// A mention in its context, with its candidates.
#[derive(Clone, Debug)]
pub struct ClozeQuery<'a> {
    /// The text around the mention.
    pub text: &'a str,
    /// Place of the mention in the text.
    pub span: Span,
    /// The candidates.
    pub candidates: Vec<ClozeCandidate<'a>>,
}

/// A candidate of a mention.
#[derive(Clone, Debug, Default)]
pub struct ClozeCandidate<'a> {
    /// Its names.
    pub names: Vec<&'a str>,
    /// Its types.
    pub types: Vec<&'a str>,
    /// Names of its broader concepts.
    pub parents: Vec<&'a str>,
}

impl<'a> From<Vec<&'a str>> for ClozeCandidate<'a> {
    fn from(names: Vec<&'a str>) -> Self {
        Self { names, ..Self::default() }
    }
}

impl<'a> ClozeQuery<'a> {
    /// Returns the same mention with so many candidates at a time.
    pub fn split(&self, shown: usize) -> impl Iterator<Item = ClozeQuery<'a>> + '_ {
        let of = |candidates: &[ClozeCandidate<'a>]| ClozeQuery { candidates: candidates.to_vec(), ..*self };
        self.candidates.chunks(shown.max(1)).map(of)
    }
}

/// Makes the tokens of prompts.
pub struct ClozePrompt {
    config: ClozeConfig,
    /// For one candidate, two, and so on.
    templates: Vec<Template>,
    options: Vec<u32>,
    /// Most tokens of a mention and of a candidate's names, so that the longest prompt fits the window.
    name_tokens: usize,
}

/// The tokens of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClozeTokens {
    /// The tokens.
    pub sequence: Sequence,
    /// Number of the token that is masked.
    pub mask: usize,
    /// Number of the token that stands for each candidate.
    pub options: Vec<usize>,
    /// The tokens of the mention in its context.
    pub mention: Range<usize>,
    /// The tokens of each candidate's names.
    pub names: Vec<Range<usize>>,
}

impl ClozePrompt {
    /// Creates the prompts of a configuration.
    ///
    /// # Errors
    /// Where the tokenizer reads characters, or lacks a token: [`ClozeConfig::special_tokens`] are to be added first. Where the window has no
    /// room for a token of each name.
    pub fn new(config: ClozeConfig, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let named =
            |names: [&'static str; 2]| names.into_iter().find(|name| tokenizer.id(name).is_some()).unwrap_or(names[0]);
        let [first, last, mask] = [["[CLS]", "<s>"], ["[SEP]", "</s>"], ["[MASK]", "<mask>"]].map(named);
        let names: Vec<String> = (0..config.shown()).map(ClozeConfig::option).collect();
        let template = |candidates: usize| {
            let special = Part::Special;
            let context = [Part::Slot, special(ClozeConfig::START), Part::Slot, special(ClozeConfig::END), Part::Slot];
            let mut parts = vec![special(first)];
            parts.extend(context);
            match config.question {
                Question::Words => parts.extend([
                    Part::Text("Which of the following options is the same as"),
                    Part::Slot,
                    Part::Text("?"),
                ]),
                Question::Mention => parts.push(Part::Slot),
                Question::None => {}
            }
            parts.extend([special(mask), special(last)]);
            for name in &names[..candidates] {
                parts.push(special(name));
                parts.extend(config.has_labels().then_some(Part::Slot));
                parts.extend([Part::List(ClozeConfig::OR), special(last)]);
            }
            tokenizer.template(&parts)
        };
        let templates: Vec<Template> = (1..=config.shown()).map(template).collect::<Result<_, _>>()?;
        let labels = if config.has_labels() { config.shown() * ClozeConfig::LABEL_TOKENS } else { 0 };
        let fixed = templates.last().map_or(0, Template::fixed_tokens) + labels;
        let mentions = if config.question == Question::None { 1 } else { 2 };
        let name_tokens = config.name_tokens.min(config.window.saturating_sub(fixed) / (config.shown() + mentions));
        if name_tokens == 0 {
            return Err(error::too_long(fixed + config.shown() + mentions, config.window));
        }
        let option = |name: &String| tokenizer.id(name).ok_or_else(|| error::no_token(name));
        let options = names.iter().map(option).collect::<Result<_, _>>()?;
        Ok(Self { config, templates, options, name_tokens })
    }

    /// Its configuration.
    pub fn config(&self) -> &ClozeConfig {
        &self.config
    }

    /// The tokens that stand for the candidates.
    pub fn options(&self) -> &[u32] {
        &self.options
    }

    /// Returns the tokens of a prompt. Names of a candidate stand in the order of their likeness to the mention: twice the tokens of the
    /// longest common subsequence, divided by the tokens of both; names of several candidates, which tell them not apart, stand behind the
    /// others. Before them stand its types and, if it shares a name with another candidate, its broader concepts, where the configuration says
    /// so. The context has what the rest leaves of the window, on both sides alike.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    ///
    /// # Panics
    /// Where there is no candidate or there are more than a prompt shows, or the span is not of the text.
    pub fn tokens<'a>(&self, query: &ClozeQuery<'a>, tokenizer: &Tokenizer) -> Result<ClozeTokens, Error> {
        let mention = &query.text[query.span.range()];
        let shared = shared_names(&query.candidates);
        let by_likeness = |candidate: &ClozeCandidate<'a>| {
            let names = by_likeness(&candidate.names, mention, &shared, tokenizer)?;
            Ok(ClozeCandidate { names, ..candidate.clone() })
        };
        let candidates = query.candidates.iter().map(by_likeness).collect::<Result<Vec<_>, Error>>()?;
        let labels: Vec<String> = candidates.iter().map(|candidate| self.label(candidate, &shared)).collect();
        let query = &ClozeQuery { candidates, ..*query };
        let long = self.filled(query, &labels, self.config.name_tokens, tokenizer);
        let mut sequence = long.or_else(|_| self.filled(query, &labels, self.name_tokens, tokenizer))?;
        sequence.truncated.sort_unstable();
        // A mask, a separator, and the parts of each candidate end the template: its token, its label, its names and a separator.
        let width = if self.config.has_labels() { 4 } else { 3 };
        let behind = sequence.parts.len() - width * query.candidates.len();
        let of_candidates: Vec<&[Range<usize>]> = sequence.parts[behind..].chunks_exact(width).collect();
        let options = of_candidates.iter().map(|parts| parts[0].start).collect();
        let names = of_candidates.iter().map(|parts| parts[width - 2].clone()).collect();
        let (mask, mention) = (sequence.parts[behind - 2].start, sequence.parts[3].clone());
        if self.config.score == CandidateScore::Spans {
            let of_candidate = |parts: &&[Range<usize>]| 0..(parts[width - 1].end - parts[0].start) as u32;
            let before = 0..sequence.parts[behind - 1].end as u32;
            let positions = before.chain(of_candidates.iter().flat_map(of_candidate)).collect();
            sequence.input = sequence.input.with_positions(positions);
        }
        Ok(ClozeTokens { sequence, mask, options, mention, names })
    }

    /// Returns what stands before the names of a candidate.
    fn label(&self, candidate: &ClozeCandidate<'_>, shared: &HashSet<String>) -> String {
        let is_homonym = || candidate.names.iter().any(|name| shared.contains(&name.to_lowercase()));
        let types = if self.config.types { &candidate.types[..] } else { &[] };
        let parents = if self.config.parents && is_homonym() { &candidate.parents[..] } else { &[] };
        match [types, parents].concat() {
            parts if parts.is_empty() => String::new(),
            parts => parts.join(", ") + ":",
        }
    }

    /// Fills the template, with at most so many tokens of each name.
    fn filled(
        &self,
        query: &ClozeQuery<'_>,
        labels: &[String],
        name_tokens: usize,
        tokenizer: &Tokenizer,
    ) -> Result<Sequence, Error> {
        let ClozeQuery { text, span, candidates } = query;
        let template = &self.templates[candidates.len() - 1];
        let mention = &text[span.range()];
        let mut slots = vec![
            Slot::rest_ending(&text[..span.start]),
            Slot::new(mention, name_tokens),
            Slot::rest(&text[span.end..]),
        ];
        if self.config.question != Question::None {
            slots.push(Slot::new(mention, name_tokens));
        }
        for (candidate, label) in candidates.iter().zip(labels) {
            slots.extend(self.config.has_labels().then(|| Slot::new(label, ClozeConfig::LABEL_TOKENS)));
            slots.push(Slot::list(candidate.names.clone(), name_tokens));
        }
        tokenizer.fill_within(template, &slots, self.config.window)
    }
}

/// Returns the word that a place lies in; empty outside of words.
fn word_at(text: &str, at: usize) -> Span {
    let is_other = |letter: char| !letter.is_alphanumeric();
    let start =
        text[..at].rfind(is_other).map_or(0, |other| other + text[other..].chars().next().map_or(0, char::len_utf8));
    let end = text[at..].find(is_other).map_or(text.len(), |length| at + length);
    Span::new(start.min(end), end)
}

/// Returns the names that several candidates have, in lower case.
fn shared_names(candidates: &[ClozeCandidate<'_>]) -> HashSet<String> {
    let (mut known, mut shared) = (HashSet::new(), HashSet::new());
    for candidate in candidates {
        let names: HashSet<String> = candidate.names.iter().map(|name| name.to_lowercase()).collect();
        shared.extend(names.intersection(&known).cloned());
        known.extend(names);
    }
    shared
}

/// Returns names in descending order of the likeness of their tokens to those of the mention, the shared ones last; ties keep their order.
fn by_likeness<'a>(
    names: &[&'a str],
    mention: &str,
    shared: &HashSet<String>,
    tokenizer: &Tokenizer,
) -> Result<Vec<&'a str>, Error> {
    if names.len() < 2 {
        return Ok(names.to_vec());
    }
    let mention = tokenizer.tokens(&mention.to_lowercase())?.ids;
    let likeness = |name: &&'a str| {
        let lowercase = name.to_lowercase();
        let ratio = sequence_ratio(&tokenizer.tokens(&lowercase)?.ids, &mention);
        Ok((if shared.contains(&lowercase) { ratio - 1.0 } else { ratio }, *name))
    };
    let mut names = names.iter().map(likeness).collect::<Result<Vec<_>, Error>>()?;
    names.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

impl ClozeScorer {
    /// Opens a folder with a cloze head.
    ///
    /// # Errors
    /// Where the folder has none, a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let backbone = Backbone::open(folder)?;
        let config: Option<ClozeConfig> = backbone.manifest().head(ClozeConfig::HEAD)?;
        let config = config.ok_or_else(|| error::no_head(folder, ClozeConfig::HEAD, "re-ranker", "rerank"))?;
        let prompt = ClozePrompt::new(config, backbone.tokenizer())?;
        let head = backbone.masked_head(prompt.options())?;
        Ok(Self { backbone, prompt, head })
    }

    /// Configuration of the model.
    pub fn config(&self) -> &ClozeConfig {
        self.prompt.config()
    }

    /// The network that reads prompts.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Returns a logit for each candidate of each query, by [`ClozeConfig::score`]. A query without candidates has none.
    ///
    /// # Errors
    /// As [`ClozePrompt::tokens`].
    ///
    /// # Panics
    /// Where the span is not of the text.
    #[tracing::instrument(name = "cloze", level = "debug", skip_all, fields(queries = queries.len()))]
    pub fn score(&self, queries: &[ClozeQuery<'_>]) -> Result<Vec<Vec<f32>>, Error> {
        queries
            .par_chunks(64)
            .map(|chunk| self.score_chunk(chunk))
            .collect::<Result<Vec<_>, _>>()
            .map(|all| all.concat())
    }

    /// Returns whether the window holds a mention, without its context and candidates.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn holds_mention(&self, mention: &str) -> Result<bool, Error> {
        self.backbone.tokenizer().holds(mention, self.config().window)
    }

    /// Returns whether a concept has a name that is read whole.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn holds_name<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<bool, Error> {
        self.backbone.tokenizer().holds_any(names, self.prompt.name_tokens)
    }

    /// Returns the words of the context that the last layer attends to most where the score is read, at the mention
    /// ([`CandidateScore::Spans`]) or at the mask, each with its share of the attention, most attended first: a hint at what decided, and no
    /// proof.
    ///
    /// # Errors
    /// As [`ClozePrompt::tokens`].
    ///
    /// # Panics
    /// Where the span is not of the text.
    pub fn attended(&self, query: &ClozeQuery<'_>, count: usize) -> Result<Vec<(Span, f32)>, Error> {
        /// Shorter words are mostly articles and prepositions.
        const SHORTEST: usize = 3;
        let Some(shown) = query.split(self.config().shown()).next() else { return Ok(Vec::new()) };
        let prompt = self.prompt.tokens(&shown, self.backbone.tokenizer())?;
        let read = match self.config().score {
            CandidateScore::Spans => prompt.mention,
            CandidateScore::Token | CandidateScore::State => prompt.mask..prompt.mask + 1,
        };
        let weights = self.backbone.attention(&prompt.sequence.input, read)?;
        let mut words: BTreeMap<(usize, usize), f32> = BTreeMap::new();
        for (place, weight) in prompt.sequence.places.iter().zip(weights) {
            // The texts before and behind the mention.
            let start = match place {
                Some(place) if place.text == 0 => place.span.start,
                Some(place) if place.text == 2 => query.span.end + place.span.start,
                _ => continue,
            };
            let word = word_at(query.text, start);
            if query.text[word.range()].chars().count() >= SHORTEST && !word.overlaps(query.span) {
                *words.entry((word.start, word.end)).or_default() += weight;
            }
        }
        let mut words: Vec<(Span, f32)> =
            words.into_iter().map(|((start, end), weight)| (Span::new(start, end), weight)).collect();
        words.sort_by(|left, right| right.1.total_cmp(&left.1));
        words.truncate(count);
        Ok(words)
    }

    fn score_chunk(&self, queries: &[ClozeQuery<'_>]) -> Result<Vec<Vec<f32>>, Error> {
        let tokenizer = self.backbone.tokenizer();
        let asked = queries.iter().flat_map(|query| query.split(self.config().shown()));
        let prompts: Vec<ClozeTokens> =
            asked.map(|query| self.prompt.tokens(&query, tokenizer)).collect::<Result<_, _>>()?;
        let inputs: Vec<_> = prompts.iter().map(|prompt| prompt.sequence.input.clone()).collect();
        let states = self.backbone.states(&inputs, &[self.backbone.info().layers])?;
        let of_prompt = |(states, prompt): (&States, &ClozeTokens)| match self.config().score {
            CandidateScore::Token => self.head.scores(states.row(0, prompt.mask)),
            CandidateScore::State => {
                let mask = self.head.mapped(states.row(0, prompt.mask));
                let root = (mask.len() as f32).sqrt();
                let dot = |state: &[f32]| mask.iter().zip(state).map(|(left, right)| left * right).sum::<f32>() / root;
                prompt.options.iter().map(|option| dot(states.row(0, *option))).collect()
            }
            CandidateScore::Spans => {
                let mean = |tokens: &Range<usize>| states.mean_vector(0, tokens.clone());
                let mention = mean(&prompt.mention);
                let dot = |names: Vec<f32>| mention.iter().zip(names).map(|(left, right)| left * right).sum();
                prompt.names.iter().map(|names| CandidateScore::of_cosine(dot(mean(names)))).collect()
            }
        };
        let of_prompt = |all: (&States, &ClozeTokens)| of_prompt(all).into_iter().take(all.1.options.len());
        let mut scores = states.iter().zip(&prompts).flat_map(of_prompt);
        Ok(queries.iter().map(|query| scores.by_ref().take(query.candidates.len()).collect()).collect())
    }
}
