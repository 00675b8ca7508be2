//! Windows of texts, which the student and the teacher read each by its tokens.

use std::collections::HashMap;

use truename_infer::{SpanWindow, Tokenizer, WindowMargins, WindowOptions};
use truename_nn::{SoftLabels, SoftSpans};
use truename_text::Span;

use crate::Error;

/// A window of a text as the student reads it, and as the teacher does.
pub(super) struct SoftWindow {
    pub student: SpanWindow,
    /// The same piece of the text by the teacher's tokens; `None` where both have the same tokens.
    teacher: Option<SpanWindow>,
    /// Bytes of the text before that piece.
    offset: usize,
}

/// The tokenizers and the sizes of windows.
pub(super) struct Reader<'a> {
    pub student: &'a Tokenizer,
    /// `None` where both have the same tokens.
    pub teacher: Option<&'a Tokenizer>,
    /// Size and overlap of the windows, and whether they show capitals.
    pub options: WindowOptions,
}

impl SoftWindow {
    /// Cuts a text into windows.
    pub fn of(text: &str, reader: &Reader<'_>) -> Result<Vec<Self>, Error> {
        let mut all = Vec::new();
        for student in SpanWindow::of(text, reader.student, reader.options)? {
            let Some(covered) = student.covered().filter(|_| !student.starts.is_empty()) else { continue };
            let Some(tokenizer) = reader.teacher else {
                all.push(Self { student, teacher: None, offset: 0 });
                continue;
            };
            let options = WindowOptions { overlap: 0, ..reader.options };
            let windows = SpanWindow::of(&text[covered.range()], tokenizer, options)?;
            let teacher = windows.into_iter().next();
            all.extend(teacher.map(|teacher| Self { student, teacher: Some(teacher), offset: covered.start }));
        }
        Ok(all)
    }

    pub fn tokens(&self) -> usize {
        self.student.sequence.input.len()
    }

    /// The window that the teacher reads.
    pub fn teacher(&self) -> &SpanWindow {
        self.teacher.as_ref().unwrap_or(&self.student)
    }

    /// Adds the student's tokens to a batch, with the teacher's margins of the spans that both have and states of the tokens that both have.
    pub fn push(&self, batch: &mut SoftSpans, margins: &WindowMargins, max_span: usize) {
        let (student, teacher) = (&self.student, self.teacher());
        let first_row = batch.texts.tokens().len() as u32;
        batch.texts.push_input(&student.sequence.input);
        let place = |window: &SpanWindow, token: u32, offset: usize| {
            window.sequence.span(token as usize).map(|span| Span::new(span.start + offset, span.end + offset))
        };
        let of_student = |token: u32| place(student, token, 0);
        let of_teacher = |token: u32| place(teacher, token, self.offset);
        let shared = |tokens: &[u32], known: &[u32], bound: fn(Span) -> usize| -> Vec<(u32, usize)> {
            let places: HashMap<usize, usize> =
                known.iter().enumerate().filter_map(|(at, token)| Some((bound(of_teacher(*token)?), at))).collect();
            let place = |token: &u32| Some((*token, *places.get(&bound(of_student(*token)?))?));
            tokens.iter().filter_map(place).collect()
        };
        let starts = shared(&student.starts, &teacher.starts, |span| span.start);
        let ends = shared(&student.ends, &teacher.ends, |span| span.end);
        let types = margins.starts.len() / teacher.starts.len().max(1);
        let rows = |all: &[f32], places: &[(u32, usize)]| -> Vec<f32> {
            places.iter().flat_map(|(_, at)| &all[at * types..][..types]).copied().collect()
        };
        let mut labels = SoftLabels {
            start_margins: rows(&margins.starts, &starts),
            end_margins: rows(&margins.ends, &ends),
            starts: starts.iter().map(|(token, _)| *token).collect(),
            ends: ends.iter().map(|(token, _)| *token).collect(),
            ..SoftLabels::default()
        };
        let known: HashMap<(u32, u32), usize> = margins.spans.iter().copied().zip(0..).collect();
        for (first, start) in &starts {
            let after = &ends[ends.partition_point(|(last, _)| last < first)..];
            for (last, end) in after.iter().take_while(|(last, _)| ((last - first) as usize) < max_span) {
                if let Some(at) = known.get(&(teacher.starts[*start], teacher.ends[*end])) {
                    labels.spans.push((*first, *last));
                    labels.span_margins.extend_from_slice(&margins.span_margins[at * types..][..types]);
                }
            }
        }
        batch.labels.push(labels);
        let tokens = teacher.sequence.input.len() as u32;
        let places: HashMap<Span, u32> = (0..tokens).filter_map(|token| Some((of_teacher(token)?, token))).collect();
        let hidden = margins.states.len() / tokens.max(1) as usize;
        for token in 0..self.tokens() as u32 {
            let same = of_student(token).map_or((token == 0).then_some(0), |span| places.get(&span).copied());
            if let Some(same) = same {
                batch.state_rows.push(first_row + token);
                batch.states.extend_from_slice(&margins.states[same as usize * hidden..][..hidden]);
            }
        }
    }
}
