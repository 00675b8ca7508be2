//! The evaluation of a linker by annotated documents.

use std::collections::HashMap;

use truename::{Document, KnowledgeBase, LinkOptions, LinkedDocument, Linker, Progress, Span};
use truename_error::ErrorKind;

use super::document::{Answer, FoundMention, JudgedDocument};
use super::link_error::{LinkError, link_errors};
use super::scores::LinkedScores;
use crate::Error;

/// Number of candidates examined for each gold mention.
const DEPTH: usize = 5;
/// Number of documents linked between two looks at the progress.
const PIECE: usize = 256;

/// Documents linked twice: as they are, and with their gold mentions.
pub struct LinkEvaluation {
    finding: Linker,
    linking: Linker,
    types: Vec<String>,
    answers: HashMap<String, Answer>,
    judged: Vec<JudgedDocument>,
    truncated: Vec<String>,
}

impl LinkEvaluation {
    /// Creates an evaluation without documents. Gold mentions of other types than `types` are left out, unless it is empty.
    ///
    /// # Errors
    /// If the linker's options do not fit its knowledge base.
    pub fn new(linker: &Linker, types: Vec<String>) -> Result<Self, Error> {
        let with_top = |top| linker.with_options(LinkOptions { top, ..linker.options().clone() });
        let (finding, linking) = (with_top(1)?, with_top(DEPTH)?);
        Ok(Self { finding, linking, types, answers: HashMap::new(), judged: Vec::new(), truncated: Vec::new() })
    }

    /// Links documents with gold mentions.
    ///
    /// # Errors
    /// If the knowledge base or a model fails, or the work is stopped.
    pub fn add(&mut self, mut documents: Vec<Document>, progress: &Progress) -> Result<(), Error> {
        if !self.types.is_empty() {
            documents
                .iter_mut()
                .for_each(|document| document.mentions.retain(|gold| self.types.contains(&gold.mention_type)));
        }
        for piece in documents.chunks(PIECE) {
            progress.check()?;
            let given = self.linking.link_mentions(piece.to_vec())?;
            let found = self.finding.link_documents(piece.to_vec())?;
            let links = given.iter().chain(&found).flat_map(|document| &document.mentions).map(|mention| &mention.link);
            self.truncated.extend(links.filter(|link| link.is_truncated).map(|link| link.name.clone()));
            for (found, given) in found.into_iter().zip(given) {
                let judged = self.judge(found, &given)?;
                self.judged.push(judged);
            }
        }
        Ok(())
    }

    fn judge(&mut self, found: LinkedDocument, given: &LinkedDocument) -> Result<JudgedDocument, Error> {
        let mut judged = JudgedDocument { id: found.document.id, text: found.document.text, ..Default::default() };
        for mention in found.mentions {
            let answer = mention.link.id().map(|id| self.answer(id.as_str())).transpose()?;
            let probability = mention.link.candidates.first().map_or(0.0, |best| best.probability);
            let truename::LinkedMention { span, fragments, types, .. } = mention;
            judged.found.push(FoundMention { span, fragments, types, answer, probability });
        }
        let place = |span: &Span, fragments: &[Span]| (*span, fragments.to_vec());
        let given: HashMap<_, _> =
            given.mentions.iter().map(|linked| (place(&linked.span, &linked.fragments), &linked.link)).collect();
        for gold in &found.document.mentions {
            let link = given.get(&place(&gold.span, &gold.fragments));
            let candidates = link.map_or(&[][..], |link| &link.candidates);
            judged.given.push(candidates.iter().map(|one| self.answer(one.id.as_str())).collect::<Result<_, _>>()?);
        }
        judged.gold = found.document.mentions;
        Ok(judged)
    }

    /// Returns an answer with all ids of its concepts; each is looked up once.
    fn answer(&mut self, id: &str) -> Result<Answer, Error> {
        if let Some(answer) = self.answers.get(id) {
            return Ok(answer.clone());
        }
        let concepts = self.kb().concepts_of(&id.parse()?)?;
        let ids = concepts.into_iter().flat_map(|concept| std::iter::once(concept.id.to_string()).chain(concept.xrefs));
        let answer = Answer { ids: ids.collect() };
        self.answers.insert(id.to_owned(), answer.clone());
        Ok(answer)
    }

    fn kb(&self) -> &KnowledgeBase {
        self.finding.knowledge_base()
    }

    /// Names that are longer than the window of a model.
    pub fn truncated(&self) -> &[String] {
        &self.truncated
    }

    /// Returns the scores of all documents.
    ///
    /// # Errors
    /// If there is no gold mention, or the knowledge base fails.
    pub fn scores(&self) -> Result<LinkedScores, Error> {
        if self.judged.iter().all(|document| document.gold.is_empty()) {
            return Err(no_mention(&self.types));
        }
        let mut scores = LinkedScores::of(&self.judged, &self.kb().types()?);
        scores.unknown_ids = self.unknown_ids()?;
        Ok(scores)
    }

    /// Returns the errors of all documents, the commonest first.
    pub fn errors(&self) -> Vec<LinkError> {
        link_errors(&self.judged)
    }

    /// Counts gold mentions none of whose ids is in the knowledge base.
    fn unknown_ids(&self) -> Result<usize, Error> {
        let mut known: HashMap<String, Vec<String>> = HashMap::new();
        self.kb().for_each_concept(|concept| {
            for id in std::iter::once(concept.id.to_string()).chain(concept.xrefs) {
                known.entry(local(&id).to_owned()).or_default().push(id);
            }
            Ok::<_, Error>(())
        })?;
        let is_known = |id: &str| known.get(local(id)).is_some_and(|ids| Answer { ids: ids.clone() }.is(id));
        let gold = self.judged.iter().flat_map(|document| &document.gold);
        Ok(gold.filter(|mention| mention.id.is_some() && !mention.ids().any(is_known)).count())
    }
}

/// Returns the error of a corpus without a gold mention that counts.
pub(crate) fn no_mention(types: &[String]) -> Error {
    let of_types = if types.is_empty() { String::new() } else { format!(" of the type {}", types.join(" or ")) };
    Error::new(ErrorKind::TooFew, format!("the corpus has no mention to compare with{of_types}"))
}

/// Returns an id without its prefix.
fn local(id: &str) -> &str {
    id.split_once(':').map_or(id, |(_, local)| local)
}
