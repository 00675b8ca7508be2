//! Masked language models: words at a masked place, and how well texts fit there.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use truename_error::{ErrorKind, HintPart, hint};
use truename_text::{Span, SplitMix64};
use xxhash_rust::xxh3::xxh3_64;

use super::masked::MaskedHead;
use crate::{AdapterChoice, Backbone, Error, Input, Part, Sequence, Slot, Template, Tokenizer, error};

/// Predicts the words at a masked place of a text (Devlin et al. 2018).
///
/// Any BERT folder with a masked-language head has one, and so has the result of `truename train` with `task.kind = "pretrain"`.
pub struct MaskedLanguageModel {
    backbone: Backbone,
    head: MaskedHead,
    /// Tokens that are whole words, with their texts.
    words: Vec<(u32, String)>,
    prompts: Prompts,
}

/// A place of a text that is masked.
#[derive(Clone, Copy, Debug)]
pub struct MaskedPlace<'a> {
    /// The text around the place.
    pub text: &'a str,
    /// The place in the text.
    pub span: Span,
    /// Share of the tokens beside the place that are masked in the original text, which stands before the masked one as the first of a
    /// sentence pair so that the answers mean what the masked word means (LSBert: Qiang et al. 2020, section 3.2; its code masks half of
    /// them). The same text always has the same ones masked. `None` leaves out the original.
    pub original_masked: Option<f64>,
}

/// A word at a masked place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MaskedWord {
    /// The word, as the vocabulary writes it.
    pub word: String,
    /// Its log-probability among all tokens.
    pub log_probability: f32,
}

/// The templates of prompts with one mask, two, and so on.
struct Prompts {
    alone: Vec<Template>,
    with_original: Vec<Template>,
    mask: u32,
}

/// Largest number of tokens of a text that is scored at a place.
const MOST_MASKS: usize = 8;
/// Sequences whose scores over the vocabulary are held at a time.
const CHUNK: usize = 32;

impl Prompts {
    fn new(tokenizer: &Tokenizer) -> Result<Self, Error> {
        let mask = ["[MASK]", "<mask>"].into_iter().find(|name| tokenizer.id(name).is_some()).unwrap_or("[MASK]");
        let id = tokenizer.id(mask).ok_or_else(|| error::no_token(mask))?;
        let is_bert = tokenizer.id("[CLS]").is_some();
        let [first, last] = if is_bert { ["[CLS]", "[SEP]"] } else { ["<s>", "</s>"] };
        let special = Part::Special;
        let template = |masks: usize, with_original: bool| {
            let mut parts = vec![special(first)];
            if with_original {
                parts.extend([Part::Slot, Part::Slot, Part::Slot, special(last)]);
                // RoBERTa puts two of them between the texts of a pair.
                parts.extend((!is_bert).then_some(special(last)));
                parts.extend(is_bert.then_some(Part::Segment(1)));
            }
            parts.push(Part::Slot);
            parts.extend((0..masks).map(|_| special(mask)));
            parts.extend([Part::Slot, special(last)]);
            tokenizer.template(&parts)
        };
        let templates =
            |with_original| (1..=MOST_MASKS).map(|masks| template(masks, with_original)).collect::<Result<_, _>>();
        Ok(Self { alone: templates(false)?, with_original: templates(true)?, mask: id })
    }

    /// Returns the tokens of a prompt and the places of its masks. Text on both sides is cut alike where the window is too short.
    fn fill(
        &self,
        place: &MaskedPlace<'_>,
        masks: usize,
        tokenizer: &Tokenizer,
    ) -> Result<(Sequence, Range<usize>), Error> {
        let MaskedPlace { text, span, original_masked } = *place;
        // Slots have a space between them, for tokenizers to which a space counts.
        let before = Slot::rest_ending(text[..span.start].trim_end());
        let behind = Slot::rest(text[span.end..].trim_start());
        let (templates, slots) = match original_masked {
            Some(_) => {
                let word = Slot::rest(&text[span.range()]);
                (&self.with_original, vec![before.clone(), word, behind.clone(), before, behind])
            }
            None => (&self.alone, vec![before, behind]),
        };
        let mut sequence = tokenizer.fill(&templates[masks - 1], &slots)?;
        if let Some(share) = original_masked.filter(|share| *share > 0.0) {
            let [before, behind] = [1, 3].map(|part| sequence.parts[part].clone());
            for token in drawn(before.chain(behind).collect(), share, xxh3_64(text.as_bytes())) {
                sequence.input.replace(token, self.mask);
            }
        }
        // The asked masks stand before the last slot and the last special token.
        let end = sequence.parts[sequence.parts.len() - 2].start;
        Ok((sequence, end - masks..end))
    }
}

impl MaskedLanguageModel {
    /// Opens a folder with a masked-language head.
    ///
    /// # Errors
    /// Where the folder has none ([`Error::is_not_found`]), a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::open_with_adapters(folder, &AdapterChoice::All)
    }

    /// Opens a folder with a masked-language head, with chosen adapters alone.
    ///
    /// # Errors
    /// As [`MaskedLanguageModel::open`], and if there is no such adapter.
    pub fn open_with_adapters(folder: &Path, choice: &AdapterChoice) -> Result<Self, Error> {
        let backbone = Backbone::open_with_adapters(folder, choice)?;
        if !backbone.has_masked_head() {
            let message = format!("the model in {} has no masked-language head", folder.display());
            let train = HintPart::action("train").value("recipes/masked-language.toml").with("encoder", "DIR");
            return Err(Error::new(ErrorKind::NotFound, message).with_hint(hint![
                "train one: ",
                train,
                ", or give a BERT model saved as `AutoModelForMaskedLM`"
            ]));
        }
        let tokens: Vec<u32> = (0..backbone.info().vocabulary as u32).collect();
        let head = backbone.masked_head(&tokens)?;
        let prompts = Prompts::new(backbone.tokenizer())?;
        let words = whole_words(backbone.tokenizer(), &tokens);
        Ok(Self { head, words, prompts, backbone })
    }

    /// The network that reads the texts.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Returns up to `count` words with the highest log-probabilities at each place, best first; equal ones in the order of the
    /// vocabulary. Parts of words, numbers and signs are none.
    ///
    /// # Errors
    /// Where the tokenizer fails or the window has no room.
    ///
    /// # Panics
    /// Where a span is not of its text.
    #[tracing::instrument(name = "masked_words", level = "debug", skip_all, fields(places = places.len()))]
    pub fn words(&self, places: &[MaskedPlace<'_>], count: usize) -> Result<Vec<Vec<MaskedWord>>, Error> {
        let of_place = |place: &MaskedPlace<'_>| {
            let prompt = self.prompts.fill(place, 1, self.backbone.tokenizer())?;
            let scores = &self.log_probabilities(&[prompt])?[0];
            let mut best: Vec<usize> = (0..self.words.len()).collect();
            let score = |word: usize| scores[self.words[word].0 as usize];
            best.sort_by(|left, right| score(*right).total_cmp(&score(*left)));
            best.truncate(count);
            let word = |word: usize| MaskedWord { word: self.words[word].1.clone(), log_probability: score(word) };
            Ok(best.into_iter().map(word).collect())
        };
        places.par_iter().map(of_place).collect()
    }

    /// Returns the mean log-probability of the tokens of each text at a place, all of them masked at once; none for a text without
    /// tokens, or with too many.
    ///
    /// # Errors
    /// As [`MaskedLanguageModel::words`].
    ///
    /// # Panics
    /// Where the span is not of the text.
    pub fn fit<S: AsRef<str>>(&self, place: &MaskedPlace<'_>, texts: &[S]) -> Result<Vec<Option<f32>>, Error> {
        let tokenizer = self.backbone.tokenizer();
        let slot = tokenizer.template(&[Part::Text("a"), Part::Slot])?;
        let tokens = |text: &S| {
            if text.as_ref().trim().is_empty() {
                return Ok(Vec::new());
            }
            let filled = tokenizer.fill(&slot, &[Slot::new(text.as_ref(), MOST_MASKS + 1)])?;
            Ok(filled.input.ids()[filled.parts[1].clone()].to_vec())
        };
        let tokens: Vec<Vec<u32>> = texts.iter().map(tokens).collect::<Result<_, Error>>()?;
        let mut lengths: Vec<usize> =
            tokens.iter().map(Vec::len).filter(|length| (1..=MOST_MASKS).contains(length)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let prompts: Vec<_> =
            lengths.iter().map(|masks| self.prompts.fill(place, *masks, tokenizer)).collect::<Result<_, _>>()?;
        let scores = self.log_probabilities(&prompts)?;
        let vocabulary = self.backbone.info().vocabulary;
        let of_text = |ids: &Vec<u32>| {
            let scores = &scores[lengths.iter().position(|length| *length == ids.len())?];
            let sum: f32 = ids.iter().enumerate().map(|(mask, id)| scores[mask * vocabulary + *id as usize]).sum();
            Some(sum / ids.len() as f32)
        };
        Ok(tokens.iter().map(of_text).collect())
    }

    /// Returns the cross-entropy of each text: the mean of its tokens' negative log-probabilities, each token masked in turn (LSBert,
    /// section 3.3). Lower is more natural.
    ///
    /// # Errors
    /// As [`MaskedLanguageModel::words`].
    pub fn cross_entropies<S: AsRef<str>>(&self, texts: &[S]) -> Result<Vec<f32>, Error> {
        let mut masked: Vec<(Input, usize)> = Vec::new();
        let mut answers: Vec<(usize, u32)> = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            // Of a long text its beginning.
            let Some(window) = self.backbone.tokenizer().windows(text.as_ref(), 0)?.into_iter().next() else {
                continue;
            };
            let ids = window.input.ids();
            for token in (0..ids.len()).filter(|token| window.places[*token].is_some()) {
                let mut ids = ids.to_vec();
                answers.push((number, std::mem::replace(&mut ids[token], self.prompts.mask)));
                masked.push((Input::new(ids), token));
            }
        }
        let mut sums = vec![(0.0, 0); texts.len()];
        for (masked, answers) in masked.chunks(CHUNK).zip(answers.chunks(CHUNK)) {
            let inputs: Vec<Input> = masked.iter().map(|(input, _)| input.clone()).collect();
            let places: Vec<Range<usize>> = masked.iter().map(|(_, token)| *token..*token + 1).collect();
            for (scores, (number, id)) in self.scored(&inputs, &places)?.iter().zip(answers) {
                sums[*number].0 -= scores[*id as usize];
                sums[*number].1 += 1;
            }
        }
        Ok(sums.into_iter().map(|(sum, tokens): (f32, usize)| sum / tokens.max(1) as f32).collect())
    }

    /// Returns the log-probabilities of all tokens at the masks of prompts.
    ///
    /// # Shapes
    /// output: of each prompt `[masks, vocabulary]`
    fn log_probabilities(&self, prompts: &[(Sequence, Range<usize>)]) -> Result<Vec<Vec<f32>>, Error> {
        let inputs: Vec<Input> = prompts.iter().map(|(sequence, _)| sequence.input.clone()).collect();
        let places: Vec<Range<usize>> = prompts.iter().map(|(_, masks)| masks.clone()).collect();
        self.scored(&inputs, &places)
    }

    fn scored(&self, inputs: &[Input], places: &[Range<usize>]) -> Result<Vec<Vec<f32>>, Error> {
        let states = self.backbone.states(inputs, &[self.backbone.info().layers])?;
        let of_input = |(states, places): (_, &Range<usize>)| {
            let states: &crate::States = states;
            places.clone().flat_map(|token| log_softmax(self.head.scores(states.row(0, token)))).collect()
        };
        Ok(states.par_iter().zip(places).map(of_input).collect())
    }
}

/// Returns a share of tokens that a seed draws, rounded down.
fn drawn(mut tokens: Vec<usize>, share: f64, seed: u64) -> Vec<usize> {
    let mut random = SplitMix64::new(seed);
    let count = (share * tokens.len() as f64) as usize;
    for at in 0..count {
        let other = at + random.below((tokens.len() - at) as u64) as usize;
        tokens.swap(at, other);
    }
    tokens.truncate(count);
    tokens
}

/// `x - log(sum(exp(x)))`
fn log_softmax(mut scores: Vec<f32>) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    let shift = most + sum.ln();
    scores.iter_mut().for_each(|score| *score -= shift);
    scores
}

/// Returns the tokens that are whole words of two letters or more.
fn whole_words(tokenizer: &Tokenizer, tokens: &[u32]) -> Vec<(u32, String)> {
    /// Marks of a word's beginning: byte-level BPE's, which writes letters beyond ASCII as other letters, and SentencePiece's.
    const BYTES: char = '\u{120}';
    const PIECES: char = '\u{2581}';
    let names: Vec<(u32, String)> = tokens.iter().filter_map(|id| Some((*id, tokenizer.token(*id)?))).collect();
    let mark = [BYTES, PIECES].into_iter().find(|mark| names.iter().any(|(_, name)| name.starts_with(*mark)));
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || mark != Some(BYTES) && letter.is_alphabetic();
    let word = |(id, name): (u32, String)| {
        let word = mark.map_or(Some(&*name), |mark| name.strip_prefix(mark))?;
        (word.chars().count() > 1 && word.chars().all(is_letter)).then(|| (id, word.to_owned()))
    };
    names.into_iter().filter_map(word).collect()
}
