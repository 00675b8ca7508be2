//! A linked document, as JSON.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use truename::{
    Assertion, Candidate, Document, Link, LinkedDocument, LinkedMention, OffsetUnit, Offsets, Passage, Span,
};
use truename_error::{Error, ErrorKind};
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
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = PassageAnswer)]
struct PassageLine<'a> {
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// A mention. The keys of the answer are there if mentions were linked.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = MentionAnswer)]
struct MentionLine<'a> {
    start: usize,
    end: usize,
    /// Start and end of each piece of a discontinuous mention.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Vec<usize>>)]
    fragments: Vec<[usize; 2]>,
    #[schema(value_type = String)]
    text: Cow<'a, str>,
    #[schema(value_type = Vec<String>)]
    types: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    id: Option<Option<Cow<'a, str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    preferred_name: Option<Option<Cow<'a, str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    matched_name: Option<Option<Cow<'a, str>>>,
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
    /// Probability that the span is a mention; the probabilities of the candidates have it as a factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    mention_probability: Option<f64>,
    /// True if the recognizer knows the type by its description alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    zero_shot: bool,
    /// Long form of an abbreviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    long_form: Option<Cow<'a, str>>,
    /// Assertions of the text about the mention: `negated`, `hypothetical`, `historical`, `family`, `uncertain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    assertions: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<CandidateAnswer>>, nullable = false)]
    candidates: Option<Cow<'a, [Candidate]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    explanation: Option<Cow<'a, str>>,
    /// True if the vector covers only the beginning of the name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

impl<'a> DocumentLine<'a> {
    /// Creates the line of a document; offsets count `unit`.
    pub fn new(document: &'a LinkedDocument, unit: OffsetUnit) -> Self {
        let LinkedDocument { document: Document { id, text, passages, .. }, .. } = document;
        let offsets = Offsets::new(text, unit);
        let passage = |passage: &'a Passage| {
            let [start, end] = bounds(passage.span, &offsets);
            PassageLine { kind: (&passage.kind).into(), start, end }
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
        fragments: mention.fragments.iter().map(|fragment| bounds(*fragment, offsets)).collect(),
        text: mention.span.of(text).unwrap_or_default().into(),
        types: (&mention.types).into(),
        id: is_linked.then(|| link.id().map(|id| id.as_str().into())),
        preferred_name: is_linked.then(|| answer.map(|candidate| (&candidate.preferred_name).into())),
        matched_name: is_linked.then(|| answer.map(|candidate| (&candidate.matched_name).into())),
        probability: is_linked.then(|| probability(link)),
        score: mention.score,
        threshold: mention.threshold,
        mention_probability: mention.mention_probability,
        zero_shot: mention.is_zero_shot,
        long_form: mention.long_form.as_deref().map(Cow::from),
        assertions: mention.assertions.names().into_iter().map(Cow::from).collect(),
        candidates: is_linked.then_some((&link.candidates).into()),
        explanation: link.explanation.as_deref().filter(|_| is_linked).map(Cow::from),
        is_truncated: is_linked && link.is_truncated,
    }
}

/// A line that is read back.
#[derive(Deserialize)]
struct WrittenDocument {
    id: String,
    text: String,
    #[serde(default)]
    passages: Vec<PassageLine<'static>>,
    mentions: Vec<MentionLine<'static>>,
}

/// Reads back the line of a [`DocumentLine`], whose offsets count `unit`. Mentions that the document had before it was linked are not in
/// the line.
///
/// # Errors
/// If the line is none, or one of its mentions is no piece of its text.
pub fn read_document(line: &str, unit: OffsetUnit) -> Result<LinkedDocument, Error> {
    let no_document = |error| Error::new(ErrorKind::Syntax, "the line is no linked document").with_source(error);
    let WrittenDocument { id, text, passages, mentions } = serde_json::from_str(line).map_err(no_document)?;
    let offsets = Offsets::new(&text, unit);
    let span = |start, end| {
        let bytes = offsets.to_byte(start).zip(offsets.to_byte(end));
        let span = bytes.map(|(start, end)| Span::new(start, end)).filter(|span| text.get(span.range()).is_some());
        let message = format_args!("document \"{id}\": {start}..{end} is no piece of its text");
        span.ok_or_else(|| Error::new(ErrorKind::Syntax, message))
    };
    let passage = |passage: PassageLine<'_>| {
        Ok(Passage { span: span(passage.start, passage.end)?, kind: passage.kind.into_owned() })
    };
    let passages = passages.into_iter().map(passage).collect::<Result<_, Error>>()?;
    let mention = |written: MentionLine<'_>| {
        let fragments: Vec<Span> =
            written.fragments.iter().map(|[start, end]| span(*start, *end)).collect::<Result<_, Error>>()?;
        let whole = span(written.start, written.end)?;
        let surface = truename::Mention { span: whole, fragments: fragments.clone(), ..Default::default() };
        let surface = surface.surface(&text).into_owned();
        let is_linked = written.candidates.is_some();
        let assertions = written.assertions.iter().map(|name| name.parse::<Assertion>()).collect::<Result<_, _>>();
        let assertions = assertions.map_err(|fault| Error::new(ErrorKind::Syntax, fault))?;
        let long_form = written.long_form.map(Cow::into_owned);
        let name = if is_linked { long_form.clone().unwrap_or_else(|| surface.clone()) } else { String::new() };
        let candidates = written.candidates.unwrap_or_default().into_owned();
        let mut link = Link::new(name, candidates, is_linked && written.id.flatten().is_none());
        (link.explanation, link.is_truncated) = (written.explanation.map(Cow::into_owned), written.is_truncated);
        Ok(LinkedMention {
            fragments,
            types: written.types.into_owned(),
            score: written.score,
            threshold: written.threshold,
            mention_probability: written.mention_probability,
            is_zero_shot: written.zero_shot,
            long_form,
            assertions,
            ..LinkedMention::new(whole, surface, Arc::new(link))
        })
    };
    let mentions = mentions.into_iter().map(mention).collect::<Result<_, Error>>()?;
    Ok(LinkedDocument { document: Document { passages, ..Document::new(id, text) }, mentions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back() {
        let text = "Kein 😀 Fieber (F), breast and lung cancer";
        let mut document = Document::new("n 1", text);
        document.passages = vec![Passage { kind: "title".into(), span: Span::new(0, text.len()) }];
        let at = |piece: &str| {
            let start = text.find(piece).unwrap();
            Span::new(start, start + piece.len())
        };
        let mut fever = Candidate::new("D1".parse().unwrap(), "Fever", 0.9850073653956207);
        (fever.scores.ngram, fever.probability_by_name) = (Some(0.5), Some(0.25));
        let mut link = Link::new("Fieber", vec![fever], false);
        (link.explanation, link.is_truncated) = (Some("so".into()), true);
        let known =
            LinkedMention { types: vec!["sign".into()], ..LinkedMention::new(at("Fieber"), "Fieber", link.into()) };
        let short = LinkedMention {
            long_form: Some("Fieber".into()),
            ..LinkedMention::new(
                Span::new(at("F)").start, at("F)").start + 1),
                "F",
                Link::new("Fieber", Vec::new(), true).into(),
            )
        };
        let parts = LinkedMention {
            fragments: vec![at("breast"), at("cancer")],
            score: Some(2.0),
            assertions: [Assertion::Negated, Assertion::Family].into_iter().collect(),
            threshold: Some(1.0),
            mention_probability: Some(0.875),
            is_zero_shot: true,
            ..LinkedMention::new(
                Span::new(at("breast").start, text.len()),
                "breast cancer",
                Link::new("", Vec::new(), false).into(),
            )
        };
        let linked = LinkedDocument { document, mentions: vec![known, short, parts] };
        for unit in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
            let line = serde_json::to_string(&DocumentLine::new(&linked, unit)).unwrap();
            assert_eq!(read_document(&line, unit).unwrap(), linked);
        }
        let outside = r#"{"id":"n","text":"a","mentions":[{"start":0,"end":2,"text":"a","types":[]}]}"#;
        assert!(read_document(outside, OffsetUnit::Chars).unwrap_err().to_string().contains("0..2 is no piece"));
        assert!(read_document("[]", OffsetUnit::Chars).is_err());
    }
}
