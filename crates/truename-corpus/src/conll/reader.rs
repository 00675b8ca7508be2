//! Reads CoNLL line by line, a document at a time.

use truename_read::Source;
use truename_text::{Span, excerpt};

use super::document::{PendingDocument, Sentence};
use super::layout::Layout;
use super::line::{Line, cells, mark_of_comment, whole_lines};
use super::scheme::Scheme;
use crate::output::Output;
use crate::source::{stem, told};

/// The state of reading between two lines.
pub(super) struct Reader {
    /// The name of the file, which names documents without an id.
    name: String,
    /// The columns; none before the first row.
    layout: Option<Layout>,
    /// The scheme; none before the first mention.
    scheme: Option<Scheme>,
    /// False where each sentence is a document.
    has_marks: bool,
    /// Documents begun.
    count: u64,
    /// Id of the next document.
    next_id: Option<String>,
    document: Option<PendingDocument>,
}

impl Reader {
    /// Creates a reader that knows the columns and the scheme of the file from its beginning.
    pub(super) fn new(source: &Source, output: &Output<'_>) -> Self {
        let beginning = source.beginning_text();
        let lines: Vec<Line<'_>> = whole_lines(&beginning).map(Line::of).collect();
        let rows: Vec<Vec<&str>> = lines.iter().filter_map(Line::row).map(cells).collect();
        let mut reader = Self {
            name: stem(source.path()),
            layout: Layout::of(&rows, output.options.conll_labels),
            scheme: None,
            has_marks: false,
            count: 0,
            next_id: None,
            document: None,
        };
        let lines: Vec<Line<'_>> = lines.into_iter().map(|line| reader.resolved(line)).collect();
        reader.has_marks = lines.iter().any(|line| matches!(line, Line::Mark(_)));
        if let Some(layout) = &reader.layout {
            reader.scheme = layout.scheme(sentences(&lines, layout).iter().flat_map(Sentence::labels));
        }
        reader
    }

    /// Returns a line with a comment taken as the row or mark that it may be.
    fn resolved<'t>(&self, line: Line<'t>) -> Line<'t> {
        let Line::Comment(comment) = line else { return line };
        let is_row = self.layout.as_ref().is_some_and(|layout| layout.tags(&cells(comment)).is_ok());
        match mark_of_comment(comment) {
            _ if is_row => Line::Row(comment),
            Some(id) => Line::Mark(id),
            None => line,
        }
    }

    pub(super) fn add(&mut self, line: &truename_read::Line<'_>, text: &str, output: &mut Output<'_>) {
        let is_first = self.document.as_ref().is_none_or(|document| document.sentence().is_empty());
        match self.resolved(Line::of(text)) {
            Line::Row(row) if is_first && self.layout.as_ref().is_some_and(|layout| layout.is_comment(&cells(row))) => {
            }
            Line::Blank if self.has_marks => self.end_sentence(),
            Line::Blank => self.end_document(output),
            Line::Mark(id) => {
                self.end_document(output);
                self.has_marks = true;
                self.next_id = id.map(str::to_owned);
            }
            Line::Comment(_) => {}
            Line::Row(row) => self.add_row(line, row, output),
        }
    }

    fn add_row(&mut self, line: &truename_read::Line<'_>, row: &str, output: &Output<'_>) {
        let (cells, options) = (cells(row), &output.options);
        if self.layout.is_none() {
            self.layout = Layout::of(std::slice::from_ref(&cells), options.conll_labels);
        }
        let Some(layout) = self.layout.as_ref().filter(|layout| !layout.is_passed_over(&cells)) else { return };
        let token = layout.token(&cells);
        let tags = if options.mentions { layout.tags(&cells) } else { Ok(Vec::new()) };
        let (document, number) = (self.document(line), line.number);
        if let Err(fault) = line.check_block() {
            document.fail(number, told(fault));
        }
        match tags {
            _ if token.is_empty() => document.fail(number, format!("a row without a token: \"{}\"", excerpt(row))),
            Ok(tags) => document.add(number, token, tags),
            Err(message) => document.fail(number, message),
        }
    }

    /// Returns the document to which a line belongs.
    pub(super) fn document(&mut self, line: &truename_read::Line<'_>) -> &mut PendingDocument {
        self.document.get_or_insert_with(|| {
            line.begin_block();
            self.count += 1;
            let (name, count) = (&self.name, self.count);
            PendingDocument::new(self.next_id.take().unwrap_or_else(|| format!("{name}:{count}")))
        })
    }

    fn end_sentence(&mut self) {
        let (Some(document), Some(layout)) = (&mut self.document, &self.layout) else { return };
        if self.scheme.is_none() {
            self.scheme = layout.scheme(document.sentence().labels());
        }
        document.end_sentence(self.scheme.unwrap_or(Scheme::Lenient), layout);
    }

    pub(super) fn end_document(&mut self, output: &mut Output<'_>) {
        self.end_sentence();
        if let Some(document) = self.document.take() {
            let id = document.id().to_owned();
            output.give_one(&id, document.finish());
        }
    }
}

/// Returns the tags of sentences; bad rows are passed over.
fn sentences(lines: &[Line<'_>], layout: &Layout) -> Vec<Sentence> {
    let mut sentences = vec![Sentence::default()];
    for line in lines {
        match line {
            Line::Row(row) => {
                if let (Ok(tags), Some(sentence)) = (layout.tags(&cells(row)), sentences.last_mut()) {
                    sentence.add(0, Span::default(), tags);
                }
            }
            Line::Comment(_) => {}
            Line::Blank | Line::Mark(_) => sentences.push(Sentence::default()),
        }
    }
    sentences
}
