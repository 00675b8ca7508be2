//! The tokens and spans of a batch that may be mentions, as rows with their groups.

use std::collections::HashMap;
use std::ops::Range;

use super::contrast::Group;
use super::{LabelledSpans, Part, SpanLabels};

/// The tokens that may begin or end a mention: for each text its first token, whose score is the threshold, and then those.
pub(super) struct PositionRows {
    /// Row of each token in the states of the batch.
    pub rows: Vec<i32>,
    pub groups: Vec<Group>,
}

impl PositionRows {
    pub fn of(batch: &LabelledSpans, part: Part) -> Self {
        let mut all = Self { rows: Vec::new(), groups: Vec::new() };
        for (text, labels) in batch.texts.rows().zip(&batch.labels) {
            let tokens = if part == Part::Start { &labels.starts } else { &labels.ends };
            let threshold = all.rows.len();
            all.rows.push(text.start as i32);
            all.rows.extend(tokens.iter().map(|token| (text.start + *token as usize) as i32));
            let row = |token: u32| threshold + 1 + tokens.partition_point(|other| *other < token);
            let is_open = |token: &u32| labels.open.iter().any(|(first, last)| first <= token && token <= last);
            let open: Vec<usize> = tokens.iter().filter(|token| is_open(token)).map(|token| row(*token)).collect();
            let token = |first, last| if part == Part::Start { first } else { last };
            let positives =
                |type_number: u32| labels.of(type_number).map(|span| row(token(span.first, span.last))).collect();
            let rows = threshold + 1..all.rows.len();
            all.groups.extend(labels.groups(&rows, threshold, &open, positives));
        }
        all
    }
}

/// The spans that may be mentions: for each text that of its first token alone, whose score is the threshold, and then those.
pub(super) struct SpanRows {
    /// Row of the first token of each span in the states of the batch.
    pub firsts: Vec<i32>,
    /// Row of the last token of each span.
    pub lasts: Vec<i32>,
    /// Tokens from the first to the last.
    pub widths: Vec<i32>,
    pub groups: Vec<Group>,
}

impl SpanRows {
    pub fn of(batch: &LabelledSpans, max_span: usize) -> Self {
        let mut all = Self { firsts: Vec::new(), lasts: Vec::new(), widths: Vec::new(), groups: Vec::new() };
        for (text, labels) in batch.texts.rows().zip(&batch.labels) {
            let threshold = all.firsts.len();
            all.push(&text, 0, 0);
            let (mut rows, mut open) = (HashMap::new(), Vec::new());
            for first in &labels.starts {
                let ends = &labels.ends[labels.ends.partition_point(|last| last < first)..];
                for last in ends.iter().take_while(|last| ((*last - first) as usize) < max_span) {
                    let row = all.firsts.len();
                    rows.insert((*first, *last), row);
                    if labels.open.iter().any(|(from, to)| from <= last && first <= to) {
                        open.push(row);
                    }
                    all.push(&text, *first, *last);
                }
            }
            let positives = |type_number: u32| {
                labels.of(type_number).filter_map(|span| rows.get(&(span.first, span.last)).copied()).collect()
            };
            let of_text = threshold + 1..all.firsts.len();
            let groups: Vec<Group> = labels.groups(&of_text, threshold, &open, positives).collect();
            all.groups.extend(groups);
        }
        all
    }

    fn push(&mut self, text: &Range<usize>, first: u32, last: u32) {
        self.firsts.push((text.start + first as usize) as i32);
        self.lasts.push((text.start + last as usize) as i32);
        self.widths.push((last - first) as i32);
    }
}

impl SpanLabels {
    fn of(&self, type_number: u32) -> impl Iterator<Item = &super::GoldSpan> {
        self.gold.iter().filter(move |span| span.type_number == type_number)
    }

    /// Returns a group for each type that is marked in the text.
    fn groups(
        &self,
        rows: &Range<usize>,
        threshold: usize,
        open: &[usize],
        positives: impl Fn(u32) -> Vec<usize>,
    ) -> impl Iterator<Item = Group> {
        self.types.iter().map(move |type_number| {
            let positives = positives(*type_number);
            Group {
                type_number: *type_number as usize,
                rows: rows.clone(),
                threshold: Some(threshold),
                positives,
                open: open.to_vec(),
            }
        })
    }
}
