//! Documents of CoNLL while their lines come: tokens, sentences, mentions.

use std::cmp::Reverse;

use truename_text::{Document, Mention, Passage, Span};

use super::layout::Layout;
use super::scheme::{MisplacedTag, Run, Scheme};
use super::tag::Tag;
use crate::output::ReadDocument;
use crate::wrong::Wrong;

/// A document of which lines are still to come.
pub(super) struct PendingDocument {
    document: Document,
    sentence: Sentence,
    /// First problem with the document; its content is dropped then.
    problem: Option<Wrong>,
}

/// The tokens of the last sentence.
#[derive(Default)]
pub(super) struct Sentence {
    /// The number of each token's line.
    lines: Vec<u64>,
    spans: Vec<Span>,
    /// The tags of each label column.
    labels: Vec<Vec<Tag>>,
}

impl PendingDocument {
    pub(super) fn new(id: String) -> Self {
        Self { document: Document::new(id, ""), sentence: Sentence::default(), problem: None }
    }

    pub(super) fn id(&self) -> &str {
        &self.document.id
    }

    pub(super) fn fail(&mut self, line: u64, wrong: impl Into<Wrong>) {
        self.problem.get_or_insert_with(|| Wrong::at(line, wrong));
        self.sentence = Sentence::default();
        self.document = Document::new(std::mem::take(&mut self.document.id), "");
    }

    /// Adds a token with its tags, unless the document has a problem.
    pub(super) fn add(&mut self, line: u64, token: &str, tags: Vec<Tag>) {
        if self.problem.is_some() {
            return;
        }
        let text = &mut self.document.text;
        match (self.sentence.spans.is_empty(), text.is_empty()) {
            (true, true) => {}
            (true, false) => text.push('\n'),
            (false, _) => text.push(' '),
        }
        let span = Span::new(text.len(), text.len() + token.len());
        text.push_str(token);
        self.sentence.add(line, span, tags);
    }

    /// The sentence whose end has come.
    pub(super) fn sentence(&self) -> &Sentence {
        &self.sentence
    }

    /// Adds the passage and the mentions of the sentence.
    pub(super) fn end_sentence(&mut self, scheme: Scheme, layout: &Layout) {
        let sentence = std::mem::take(&mut self.sentence);
        let (Some(first), Some(last)) = (sentence.spans.first(), sentence.spans.last()) else { return };
        self.document.passages.push(Passage { kind: "sentence".into(), span: Span::new(first.start, last.end) });
        match sentence.mentions(scheme, layout) {
            Ok(mentions) => self.document.mentions.extend(mentions),
            Err(wrong) => self.fail(wrong.line.unwrap_or_default(), wrong),
        }
    }

    pub(super) fn finish(self) -> Result<ReadDocument, Wrong> {
        self.problem.map_or(Ok(self.document.into()), Err)
    }
}

impl Sentence {
    pub(super) fn add(&mut self, line: u64, span: Span, tags: Vec<Tag>) {
        self.lines.push(line);
        self.spans.push(span);
        self.labels.resize_with(tags.len(), Vec::new);
        for (column, tag) in self.labels.iter_mut().zip(tags) {
            column.push(tag);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(super) fn labels(&self) -> &[Vec<Tag>] {
        &self.labels
    }

    /// Returns the mentions of all label columns, in order of their places.
    fn mentions(&self, scheme: Scheme, layout: &Layout) -> Result<Vec<Mention>, Wrong> {
        let mut mentions = Vec::new();
        for tags in &self.labels {
            let runs = scheme.runs(tags).map_err(|MisplacedTag { token, reason }| {
                Wrong::at(self.lines[token], format!("\"{}\" {reason}", layout.written(&tags[token])))
            })?;
            mentions.extend(runs.iter().flat_map(|run| self.mentions_of(run, layout)));
        }
        mentions.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
        Ok(mentions)
    }

    /// Returns a mention for each type of a run; tags have one, a chunk of a tie-or-break file may have several.
    fn mentions_of(&self, run: &Run<'_>, layout: &Layout) -> Vec<Mention> {
        let span = Span::new(self.spans[run.first].start, self.spans[run.last].end);
        match layout.is_tie_or_break() {
            true => run.mention_type.split(',').map(|mention_type| Mention::new(span, mention_type, None)).collect(),
            false => vec![Mention::new(span, run.mention_type, None)],
        }
    }
}
