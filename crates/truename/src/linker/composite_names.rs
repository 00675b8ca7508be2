//! Composite names: a text that names several concepts (`hepatitis B and C`) is answered by all of them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use truename_kb::ConceptId;
use truename_text::{Document, KeyMatch};

use super::{LinkCall, LinkOptions, Linker, is_nil};
use crate::link::COMPOSITE;
use crate::recognizer::{CompositeRecognizer, DictionaryRecognizer, Reading, RecognizedMention, Recognizer};
use crate::{Candidate, Error, Link, Scores};

impl Linker {
    /// Answers each text that is no name itself, but consists of names of several concepts, by all of these: its first candidate then has
    /// their ids (`A|B`), their names, and the product of their probabilities.
    pub(super) fn add_composites(&self, call: &LinkCall<'_>, links: &mut [Link]) -> Result<(), Error> {
        let is_open =
            |link: &Link| link.candidates.first().is_none_or(|best| best.scores.exact < KeyMatch::Reordered.score());
        let open: Vec<usize> = (0..links.len()).filter(|at| is_open(&links[*at])).collect();
        let documents: Vec<Document> = open.iter().map(|at| Document::new("", links[*at].name.as_str())).collect();
        let mut readings: Vec<Reading<'_>> = documents.iter().map(Reading::without_abbreviations).collect();
        let found = self.composite_recognizer().recognize(&mut readings)?;
        let names: Vec<Vec<String>> =
            documents.iter().zip(&found).map(|(document, found)| names_of(document, found)).collect();
        let asked: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let mut answers = call.rank(&asked)?.into_iter();
        for (at, names) in open.into_iter().zip(&names) {
            let parts: Vec<Link> = answers.by_ref().take(names.len()).collect();
            if let Some(composite) = composite(&parts) {
                let link = &mut links[at];
                if link.explanation.is_some() {
                    link.explanation = Some(explain(&parts));
                }
                link.candidates.insert(0, composite);
                link.candidates.truncate(call.depth());
                link.is_nil = is_nil(&link.candidates, call.threshold());
            }
        }
        Ok(())
    }

    /// The recognizer of all names, and of those that share words.
    fn composite_recognizer(&self) -> &CompositeRecognizer {
        self.composites.get_or_init(|| {
            let LinkOptions { types, without_aliases, .. } = &self.options;
            let names = || {
                let names = DictionaryRecognizer::new(self.kb.clone()).of_types(types.clone());
                names.without_aliases(without_aliases.clone()).with_model(None)
            };
            CompositeRecognizer::new(Arc::new(names()), names())
        })
    }
}

/// Returns the names that a text consists of, in their order; none where it has other words than conjunctions beside them.
fn names_of(document: &Document, found: &[RecognizedMention]) -> Vec<String> {
    let mut rest = document.text.clone();
    let mut names: HashMap<Range<usize>, String> = HashMap::new();
    for mention in found {
        let whole = [mention.span];
        let pieces = if mention.fragments.is_empty() { &whole[..] } else { &mention.fragments };
        pieces.iter().for_each(|piece| rest.replace_range(piece.range(), &" ".repeat(piece.range().len())));
        names.insert(mention.span.range(), mention.text(document).into_owned());
    }
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if !words.all(|word| ["and", "or", "the"].contains(&word.to_lowercase().as_str())) {
        return Vec::new();
    }
    let mut names: Vec<(Range<usize>, String)> = names.into_iter().collect();
    names.sort_by_key(|(place, _)| (place.start, place.end));
    names.into_iter().map(|(_, name)| name).collect()
}

/// Returns the candidate of several answers; `None` where one is NIL or they are of one concept.
fn composite(parts: &[Link]) -> Option<Candidate> {
    let mut answers: Vec<&Candidate> = parts.iter().map(Link::answer).collect::<Option<_>>()?;
    let mut known: Vec<&ConceptId> = Vec::new();
    answers.retain(|answer| {
        !known.contains(&&answer.id) && {
            known.push(&answer.id);
            true
        }
    });
    if answers.len() < 2 {
        return None;
    }
    let joined =
        |of: &dyn Fn(&Candidate) -> &str| answers.iter().map(|answer| of(answer)).collect::<Vec<_>>().join(COMPOSITE);
    let id: ConceptId = joined(&|answer| answer.id.as_str()).parse().ok()?;
    let exact = answers.iter().map(|answer| answer.scores.exact).fold(f64::INFINITY, f64::min);
    let probability = answers.iter().map(|answer| answer.probability).product();
    Some(Candidate {
        matched_name: joined(&|answer| &answer.matched_name),
        // No ranker was asked: the parts decide, whatever the context.
        scores: Scores { exact, ..Scores::default() },
        ..Candidate::new(id, joined(&|answer| &answer.preferred_name), probability)
    })
}

fn explain(parts: &[Link]) -> String {
    let of = |part: &Link| part.answer().map(|answer| format!("\"{}\" ({})", part.name, answer.id));
    format!("It names several concepts: {}.", parts.iter().filter_map(of).collect::<Vec<_>>().join(", "))
}
