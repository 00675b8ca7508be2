//! Simplifies words of a text: substitutes from models and vocabularies, ranked by fit, similarity and frequency.

use rayon::prelude::*;
use serde::Serialize;
use truename_error::ErrorKind;
use truename_infer::{Encoder, MaskedLanguageModel, MaskedPlace};
use truename_text::{Offsets, Sentences, Span};

use super::inflection::is_after_auxiliary;
use super::rank::{Best, mean_ranks, ranks};
use super::similarity::similarities;
use super::variant::is_variant;
use super::{Frequencies, SynonymVocabulary};
use crate::Error;

/// Finds simpler words for words of a text.
///
/// Substitutes come from a masked-language model, a vocabulary of synonyms or both. Their ranks by each feature that there is a source
/// for count alike, as in LSBert (section 3.3): fit at the place, cross-entropy of the text around it, similarity, frequency, and whether
/// the vocabulary has the substitute.
#[derive(Default)]
pub struct Simplifier {
    /// Masked-language model, which proposes words and ranks by fit in context.
    pub model: Option<MaskedLanguageModel>,
    /// Vocabulary that proposes words.
    pub synonyms: Option<SynonymVocabulary>,
    /// Counts of words, to rank by.
    pub frequencies: Option<Frequencies>,
    /// Encoder, to rank by similarity in context.
    pub encoder: Option<Encoder>,
    /// Options.
    pub options: SimplifyOptions,
}

/// Options of a [`Simplifier`].
#[derive(Clone, Debug, PartialEq)]
pub struct SimplifyOptions {
    /// Most words that the masked-language model proposes (LSBert: 10).
    pub candidates: usize,
    /// Most substitutes that are returned.
    pub top: usize,
    /// Share of the sentence's other tokens that are masked where the model reads it before the one without the word; none if it reads the
    /// latter alone ([`MaskedPlace::original_masked`]).
    pub original_masked: Option<f64>,
    /// Words on each side of the place whose cross-entropy is compared (LSBert: 5), which takes a second or two a word on one core with
    /// MiniLM-L6; 0 compares none.
    pub window: usize,
    /// Occurrences in a million words below which a word is simplified if no words are named.
    pub rare: f64,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        // Below 10 occurrences in a million, 4 on the Zipf scale, a word is not of high frequency (van Heuven et al. 2014).
        Self { candidates: 10, top: 10, original_masked: Some(0.0), window: 0, rare: 10.0 }
    }
}

/// A word with its substitutes.
#[derive(Clone, Debug, PartialEq)]
pub struct SimplifiedWord {
    /// Place of the word in the text.
    pub span: Span,
    /// The word.
    pub word: String,
    /// The best substitute, in the capitals of the word; none where the word is kept, as no substitute is both right and simpler.
    pub replacement: Option<String>,
    /// Substitutes, best first.
    pub substitutes: Vec<Substitute>,
}

/// A word as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct WordJson<'a> {
    /// Id of the document; left out if it has none.
    #[serde(skip_serializing_if = "str::is_empty")]
    document: &'a str,
    word: &'a str,
    start: usize,
    end: usize,
    replacement: Option<&'a str>,
    substitutes: &'a [Substitute],
}

impl SimplifiedWord {
    /// Returns the word as JSON, with offsets of a document.
    pub fn to_json<'a>(&'a self, document: &'a str, offsets: &Offsets) -> WordJson<'a> {
        WordJson {
            document,
            word: &self.word,
            start: offsets.of_byte(self.span.start),
            end: offsets.of_byte(self.span.end),
            replacement: self.replacement.as_deref(),
            substitutes: &self.substitutes,
        }
    }
}

/// A substitute with its features; a feature without a source is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Substitute {
    /// The word or phrase.
    pub word: String,
    /// Mean of its ranks among the substitutes by each feature; lower is better.
    pub rank: f64,
    /// Mean log-probability of its tokens at the place; higher is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    /// Cross-entropy of the text around the place with the substitute in it; lower is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_entropy: Option<f64>,
    /// Cosine with the word, both in the text; higher is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Occurrences in the word list; higher is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<u64>,
    /// True if the vocabulary of synonyms has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synonym: Option<bool>,
}

/// Most synonyms of the vocabulary that are ranked beside the words of the model, the best fitting first.
const MOST_SYNONYMS: usize = 20;
/// Words asked of the model for each candidate, as forms of the word are left out.
const ASKED: usize = 8;
/// Fewest letters of a word that is simplified without being named.
const SHORTEST_RARE: usize = 3;

impl Simplifier {
    /// Returns the places of words in a text as [`Self::places_of`] does; those of [`Self::rare_places`] if no words are named.
    pub fn places<S: AsRef<str>>(&self, text: &str, words: &[S]) -> Vec<Span> {
        if words.is_empty() { self.rare_places(text) } else { Self::places_of(text, words) }
    }

    /// Returns the places of words in a text, in their order; capitals do not count.
    pub fn places_of<S: AsRef<str>>(text: &str, words: &[S]) -> Vec<Span> {
        let words: Vec<String> = words.iter().map(|word| word.as_ref().to_lowercase()).collect();
        let sentences = Sentences::of(text);
        let is_named = |span: &Span| span.of(text).is_some_and(|word| words.contains(&word.to_lowercase()));
        sentences.words().filter(is_named).collect()
    }

    /// Returns the places of words that are rarer than [`SimplifyOptions::rare`], in their order; none without frequencies. Names, which
    /// have a capital within a sentence, short words and those with digits or signs are left out.
    pub fn rare_places(&self, text: &str) -> Vec<Span> {
        let Some(frequencies) = &self.frequencies else { return Vec::new() };
        let sentences = Sentences::of(text);
        let is_rare = |span: &Span| {
            let word = span.of(text).unwrap_or_default();
            let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
            let is_name = capitals > 1 || capitals == 1 && !sentences.begins(*span);
            let is_plain = word.chars().count() >= SHORTEST_RARE && word.chars().all(char::is_alphabetic);
            is_plain && !is_name && frequencies.per_million(word) < self.options.rare
        };
        sentences.words().filter(is_rare).collect()
    }

    /// Returns the substitutes of the words at places of a text, in the order of the places.
    ///
    /// # Errors
    /// If there is neither a model nor a vocabulary, or a model fails.
    ///
    /// # Panics
    /// If a span is not of the text.
    #[tracing::instrument(name = "simplify", level = "debug", skip_all, fields(words = places.len()))]
    pub fn simplify(&self, text: &str, places: &[Span]) -> Result<Vec<SimplifiedWord>, Error> {
        let sentences = Sentences::of(text);
        places.par_iter().map(|span| self.simplify_word(text, *span, &sentences)).collect()
    }

    fn simplify_word(&self, text: &str, span: Span, sentences: &Sentences<'_>) -> Result<SimplifiedWord, Error> {
        let word = &text[span.range()];
        let sentence = sentences.around(span);
        let place = MaskedPlace {
            text: &text[sentence.range()],
            span: Span::new(span.start - sentence.start, span.end - sentence.start),
            original_masked: self.options.original_masked,
        };
        let is_participle = is_after_auxiliary(&sentences.before(span, 2));
        let found = self.candidates(word, &place, is_participle)?;
        let context = Context { text, span, window: sentences.window(span, self.options.window), place };
        let mut substitutes = self.ranked(word, found, &context)?;
        let replacement = self.replacement(word, &substitutes, &context)?;
        substitutes.truncate(self.options.top);
        Ok(SimplifiedWord { span, word: word.to_owned(), replacement, substitutes })
    }

    /// Returns the candidates with their fit and whether the vocabulary has them: the model's best, then synonyms.
    fn candidates(&self, word: &str, place: &MaskedPlace<'_>, is_participle: bool) -> Result<Vec<Substitute>, Error> {
        if self.model.is_none() && self.synonyms.is_none() {
            return Err(Error::new(ErrorKind::Choice, "there is no source of substitutes")
                .with_hint("give a masked-language model, synonyms or a knowledge base"));
        }
        let synonyms = self.synonyms.as_ref().map(|synonyms| synonyms.of(word, is_participle));
        let is_synonym = |word: &String| synonyms.as_ref().map(|synonyms| synonyms.contains(word));
        let candidate = |word: String, fit: Option<f64>| {
            let synonym = is_synonym(&word);
            Substitute { word, rank: 0.0, fit, cross_entropy: None, similarity: None, frequency: None, synonym }
        };
        let mut found: Vec<Substitute> = Vec::new();
        if let Some(model) = &self.model {
            let asked = ASKED * self.options.candidates.max(1);
            for masked in model.words(std::slice::from_ref(place), asked)?.remove(0) {
                let proposed = masked.word.to_lowercase();
                let is_known = found.iter().any(|known| known.word == proposed);
                if found.len() < self.options.candidates && !is_known && !is_variant(word, &proposed) {
                    found.push(candidate(proposed, Some(f64::from(masked.log_probability))));
                }
            }
        }
        let synonyms = synonyms.clone().unwrap_or_default().into_iter();
        let new =
            synonyms.filter(|synonym| !is_variant(word, synonym) && !found.iter().any(|known| known.word == *synonym));
        let new: Vec<String> = new.collect();
        let fits = match &self.model {
            Some(model) => model.fit(place, &new)?.into_iter().map(|fit| fit.map(f64::from)).collect(),
            None => vec![None; new.len()],
        };
        let mut new: Vec<Substitute> = new.into_iter().zip(fits).map(|(word, fit)| candidate(word, fit)).collect();
        // Stable: without a model they keep the vocabulary's order.
        let fit = |one: &Substitute| one.fit.unwrap_or(f64::NEG_INFINITY);
        new.sort_by(|left, right| fit(right).total_cmp(&fit(left)));
        found.extend(new.into_iter().take(MOST_SYNONYMS));
        Ok(found)
    }

    /// Adds the other features and sorts by the mean of the ranks; ties keep the order of the candidates.
    fn ranked(&self, word: &str, mut found: Vec<Substitute>, context: &Context<'_>) -> Result<Vec<Substitute>, Error> {
        let words: Vec<String> = found.iter().map(|one| one.word.clone()).collect();
        let mut features: Vec<Vec<f64>> = Vec::new();
        if self.model.is_some() {
            features.push(ranks(&found.iter().map(|one| one.fit).collect::<Vec<_>>(), Best::Highest));
        }
        if let Some(losses) = self.cross_entropies(&words, context)? {
            features.push(ranks(&losses, Best::Lowest));
            found.iter_mut().zip(losses).for_each(|(one, loss)| one.cross_entropy = loss);
        }
        if let Some(encoder) = &self.encoder {
            let MaskedPlace { text, span, .. } = context.place;
            let found_similarities = similarities(encoder, text, span, &words)?;
            features.push(ranks(&found_similarities, Best::Highest));
            found.iter_mut().zip(found_similarities).for_each(|(one, similarity)| one.similarity = similarity);
        }
        if let Some(frequencies) = &self.frequencies {
            found.iter_mut().for_each(|one| one.frequency = Some(frequencies.count(&one.word)));
            let counts: Vec<Option<f64>> = found.iter().map(|one| one.frequency.map(|count| count as f64)).collect();
            features.push(ranks(&counts, Best::Highest));
        }
        // Synonyms have the first rank, others the end of the first third (LSBert's code).
        if self.model.is_some() && self.synonyms.is_some() {
            let others = (found.len() as f64 / 3.0).max(1.0);
            features.push(found.iter().map(|one| if one.synonym == Some(true) { 1.0 } else { others }).collect());
        }
        let means = mean_ranks(&features, found.len());
        found.iter_mut().zip(means).for_each(|(one, rank)| one.rank = rank);
        found.sort_by(|left, right| left.rank.total_cmp(&right.rank));
        found.retain(|one| one.word != word.to_lowercase());
        Ok(found)
    }

    /// Returns the cross-entropy of the window with each candidate in the place of the word; none without a model or a window.
    fn cross_entropies(&self, words: &[String], context: &Context<'_>) -> Result<Option<Vec<Option<f64>>>, Error> {
        let Some(model) = self.model.as_ref().filter(|_| self.options.window > 0) else { return Ok(None) };
        let texts: Vec<String> = words.iter().map(|word| context.with(word)).collect();
        let losses = model.cross_entropies(&texts)?;
        Ok(Some(losses.into_iter().map(|loss| Some(f64::from(loss))).collect()))
    }

    /// Returns the best substitute in the capitals of the word if it is commoner than the word, or fits the text around better (LSBert,
    /// section 3.4); without frequencies and model, the best substitute.
    fn replacement(
        &self,
        word: &str,
        substitutes: &[Substitute],
        context: &Context<'_>,
    ) -> Result<Option<String>, Error> {
        let Some(best) = substitutes.first() else { return Ok(None) };
        let is_commoner = match (&self.frequencies, best.frequency) {
            (Some(frequencies), Some(count)) => Some(count > frequencies.count(word)),
            _ => None,
        };
        let fits_better = match best.cross_entropy {
            Some(loss) if is_commoner != Some(true) => {
                let of_word = self.cross_entropies(&[word.to_owned()], context)?;
                of_word.and_then(|losses| losses[0]).map(|of_word| loss < of_word)
            }
            _ => None,
        };
        let is_simpler = match (is_commoner, fits_better) {
            (None, None) => true,
            (commoner, better) => commoner == Some(true) || better == Some(true),
        };
        Ok(is_simpler.then(|| in_capitals_of(word, &best.word)))
    }
}

/// A word in its text.
struct Context<'a> {
    text: &'a str,
    span: Span,
    /// The words around it.
    window: Span,
    /// It in its sentence.
    place: MaskedPlace<'a>,
}

impl Context<'_> {
    /// Returns the words around with another word in the place.
    fn with(&self, word: &str) -> String {
        let Self { text, span, window, .. } = self;
        format!("{}{word}{}", &text[window.start..span.start], &text[span.end..window.end])
    }
}

/// Returns a substitute with the capitals of a word: all, or the first letter.
fn in_capitals_of(word: &str, substitute: &str) -> String {
    let letters = || word.chars().filter(|letter| letter.is_alphabetic());
    if letters().count() > 1 && letters().all(char::is_uppercase) {
        return substitute.to_uppercase();
    }
    let mut rest = substitute.chars();
    match rest.next() {
        Some(first) if letters().next().is_some_and(char::is_uppercase) => first.to_uppercase().chain(rest).collect(),
        _ => substitute.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(rows: &str) -> SynonymVocabulary {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.csv");
        std::fs::write(&path, rows).unwrap();
        SynonymVocabulary::read(&[path]).unwrap()
    }

    fn frequencies(text: &str) -> Frequencies {
        let mut frequencies = Frequencies::default();
        frequencies.add_text(text);
        frequencies
    }

    fn words(word: &SimplifiedWord) -> Vec<&str> {
        word.substitutes.iter().map(|one| one.word.as_str()).collect()
    }

    const TEXT: &str = "The streams were diverted. Diverted and ARID land.";

    #[test]
    fn synonyms_are_ranked_by_frequency() {
        let rows = "divert,detour,turn,redirect\narid,dry,waterless";
        let simplifier = Simplifier {
            synonyms: Some(vocabulary(rows)),
            frequencies: Some(frequencies("turned turned turned diverted redirected dry")),
            ..Simplifier::default()
        };
        let places = Simplifier::places_of(TEXT, &["diverted", "Arid"]);
        assert_eq!(places, [Span::new(17, 25), Span::new(27, 35), Span::new(40, 44)]);
        let found = simplifier.simplify(TEXT, &places).unwrap();
        assert_eq!(words(&found[0]), ["turned", "redirected", "detoured"]);
        assert_eq!(found[0].substitutes.iter().map(|one| one.rank).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(found[0].replacement.as_deref(), Some("turned"));
        assert_eq!(found[1].replacement.as_deref(), Some("Turned"));
        assert_eq!(found[2].replacement.as_deref(), Some("DRY"));
        assert_eq!(found[0].substitutes[0].fit, None, "no model");
    }

    #[test]
    fn a_word_that_is_commoner_than_its_substitutes_is_kept() {
        let simplifier = Simplifier {
            synonyms: Some(vocabulary("arid,dry")),
            frequencies: Some(frequencies("arid arid dry")),
            ..Simplifier::default()
        };
        let found = simplifier.simplify(TEXT, &[Span::new(40, 44)]).unwrap();
        assert_eq!((found[0].replacement.as_deref(), words(&found[0])), (None, vec!["dry"]));
        let without = Simplifier { synonyms: Some(vocabulary("arid,dry")), ..Simplifier::default() };
        assert_eq!(without.simplify(TEXT, &[Span::new(40, 44)]).unwrap()[0].replacement.as_deref(), Some("DRY"));
    }

    #[test]
    fn rare_words_are_found_but_no_names() {
        let text = "Possessors of Zanzibar saw NASA's x2 and the imminent oxen. Imminent it is";
        let options = SimplifyOptions { rare: 200_000.0, ..SimplifyOptions::default() };
        let simplifier = Simplifier {
            frequencies: Some(frequencies("and and and the saw of it is is is")),
            options,
            ..Simplifier::default()
        };
        let found: Vec<&str> = simplifier.rare_places(text).iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["Possessors", "saw", "the", "imminent", "oxen", "Imminent"]);
        assert!(Simplifier::default().rare_places(text).is_empty(), "no frequencies");
    }

    #[test]
    fn an_encoder_ranks_by_similarity() {
        let encoder = Encoder::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let text = "the patient had fever again";
        let simplifier = Simplifier {
            synonyms: Some(vocabulary("fever,heart,the day,attack")),
            encoder: Some(encoder),
            options: SimplifyOptions { top: 2, ..SimplifyOptions::default() },
            ..Simplifier::default()
        };
        let found = simplifier.simplify(text, &[Span::new(16, 21)]).unwrap().remove(0);
        let similarities: Vec<f64> = found.substitutes.iter().map(|one| one.similarity.unwrap()).collect();
        assert_eq!(similarities.len(), 2);
        assert!(similarities.is_sorted_by(|left, right| left >= right), "{similarities:?}");
    }

    #[test]
    fn without_a_source_there_is_an_error() {
        let error = Simplifier::default().simplify(TEXT, &[Span::new(40, 44)]).unwrap_err();
        assert_eq!(error.to_string(), "there is no source of substitutes");
        assert!(error.hint().is_some());
    }
}
