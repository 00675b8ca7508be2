//! A linked document, as JSON.

use serde::{Serialize, Serializer};
use truename::{Candidate, ConceptId, Document, LinkedDocument, LinkedMention, OffsetUnit, Offsets, Passage, Span};

/// A document with its linked mentions; serializes to a line of `link --format jsonl`.
#[derive(Serialize)]
pub struct DocumentLine<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<PassageLine<'a>>,
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

#[derive(Serialize)]
struct PassageLine<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct MentionLine<'a> {
    start: usize,
    end: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<[usize; 2]>,
    text: &'a str,
    types: &'a [String],
    /// None where mentions are not linked.
    #[serde(flatten)]
    answer: Option<AnswerPart<'a>>,
    /// Score of the recognizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    /// True if the recognizer knows the type by its description alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    zero_shot: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_form: Option<&'a str>,
    #[serde(flatten)]
    candidates: Option<CandidatePart<'a>>,
}

#[derive(Serialize)]
struct AnswerPart<'a> {
    id: Option<&'a str>,
    preferred_name: Option<&'a str>,
    matched_name: Option<&'a str>,
    probability: f64,
}

#[derive(Serialize)]
struct CandidatePart<'a> {
    candidates: &'a [Candidate],
    #[serde(skip_serializing_if = "Option::is_none")]
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
    let link = &mention.link;
    let answer = link.answer();
    let [start, end] = bounds(mention.span, offsets);
    MentionLine {
        start,
        end,
        fragments: mention.fragments.iter().map(|fragment| bounds(*fragment, offsets)).collect(),
        text: mention.span.of(text).unwrap_or_default(),
        types: &mention.types,
        answer: mention.is_linked().then(|| AnswerPart {
            id: link.id().map(ConceptId::as_str),
            preferred_name: answer.map(|candidate| candidate.preferred_name.as_str()),
            matched_name: answer.map(|candidate| candidate.matched_name.as_str()),
            probability: link.candidates.first().map_or(0.0, |candidate| candidate.probability),
        }),
        score: mention.score,
        threshold: mention.threshold,
        zero_shot: mention.is_zero_shot,
        long_form: mention.long_form.as_deref(),
        candidates: mention.is_linked().then(|| CandidatePart {
            candidates: &link.candidates,
            explanation: link.explanation.as_deref(),
            is_truncated: link.is_truncated,
        }),
    }
}
