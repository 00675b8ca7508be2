//! A linked document, as JSON.

use serde::{Serialize, Serializer};
use truename::{Candidate, ConceptId, Document, LinkedDocument, LinkedMention, OffsetUnit, Offsets, Passage, Span};
use utoipa::ToSchema;

use crate::{CandidateAnswer, probability};

/// A document with its mentions.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentAnswer)]
pub struct DocumentLine<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<PassageLine<'a>>,
    #[schema(value_type = Vec<MentionLine<'static>>)]
    mentions: MentionLines<'a>,
}

/// The mentions of a document; each becomes a line as it is written.
struct MentionLines<'a> {
    document: &'a LinkedDocument,
    offsets: Offsets,
}

impl Serialize for MentionLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = &self.document.document.text;
        serializer.collect_seq(self.document.mentions.iter().map(|mention| mention_line(mention, text, &self.offsets)))
    }
}

/// A passage of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = PassageAnswer)]
struct PassageLine<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    start: usize,
    end: usize,
}

/// A mention. The keys of the answer are there if mentions were linked.
#[derive(Serialize, ToSchema)]
#[schema(as = MentionAnswer)]
struct MentionLine<'a> {
    start: usize,
    end: usize,
    /// Start and end of each piece of a discontinuous mention.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<Vec<usize>>,
    text: &'a str,
    types: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    id: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    preferred_name: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    matched_name: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    probability: Option<f64>,
    /// Score of the recognizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    threshold: Option<f64>,
    /// True if the recognizer knows the type by its description alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    zero_shot: bool,
    /// Long form of an abbreviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    long_form: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<CandidateAnswer>>, nullable = false)]
    candidates: Option<&'a [Candidate]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    explanation: Option<&'a str>,
    /// True if the vector covers only the beginning of the name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

impl<'a> DocumentLine<'a> {
    /// Creates the line of a document; offsets count `unit`.
    pub fn new(document: &'a LinkedDocument, unit: OffsetUnit) -> Self {
        let LinkedDocument { document: Document { id, text, passages, .. }, .. } = document;
        let offsets = Offsets::new(text, unit);
        let passage = |passage: &'a Passage| {
            let [start, end] = bounds(passage.span, &offsets);
            PassageLine { kind: &passage.kind, start, end }
        };
        let passages = passages.iter().map(passage).collect();
        Self { id, text, passages, mentions: MentionLines { document, offsets } }
    }
}

fn bounds(span: Span, offsets: &Offsets) -> [usize; 2] {
    [offsets.of_byte(span.start), offsets.of_byte(span.end)]
}

fn mention_line<'a>(mention: &'a LinkedMention, text: &'a str, offsets: &Offsets) -> MentionLine<'a> {
    let (link, is_linked) = (&mention.link, mention.is_linked());
    let answer = link.answer();
    let [start, end] = bounds(mention.span, offsets);
    MentionLine {
        start,
        end,
        fragments: mention.fragments.iter().map(|fragment| bounds(*fragment, offsets).to_vec()).collect(),
        text: mention.span.of(text).unwrap_or_default(),
        types: &mention.types,
        id: is_linked.then(|| link.id().map(ConceptId::as_str)),
        preferred_name: is_linked.then(|| answer.map(|candidate| candidate.preferred_name.as_str())),
        matched_name: is_linked.then(|| answer.map(|candidate| candidate.matched_name.as_str())),
        probability: is_linked.then(|| probability(link)),
        score: mention.score,
        threshold: mention.threshold,
        zero_shot: mention.is_zero_shot,
        long_form: mention.long_form.as_deref(),
        candidates: is_linked.then_some(&link.candidates),
        explanation: link.explanation.as_deref().filter(|_| is_linked),
        is_truncated: is_linked && link.is_truncated,
    }
}
