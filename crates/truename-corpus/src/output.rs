//! The output of readers: documents, problems and counts.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use truename_error::{HintPart, hint};
use truename_read::Encoding;
use truename_text::{Document, Mention, OffsetUnit};

use crate::wrong::Wrong;
use crate::{Problem, ReadOptions};

/// A document with the number of annotations left out.
pub(crate) struct ReadDocument {
    pub(crate) document: Document,
    pub(crate) left_out: u64,
}

impl From<Document> for ReadDocument {
    fn from(document: Document) -> Self {
        Self { document, left_out: 0 }
    }
}

pub(crate) struct Output<'v> {
    pub(crate) options: ReadOptions,
    /// The encoding that the file was translated from; none where it is read as UTF-8.
    pub(crate) encoding: Option<Encoding>,
    /// True where every text of a brat folder must have annotations.
    pub(crate) is_annotated: bool,
    /// Annotations that were not kept.
    pub(crate) left_out: u64,
    /// True where no more is wanted.
    pub(crate) stopped: bool,
    file: PathBuf,
    visit: &'v mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
}

impl<'v> Output<'v> {
    pub(crate) fn new(
        file: &Path,
        options: &ReadOptions,
        visit: &'v mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
    ) -> Self {
        Self {
            options: options.clone(),
            encoding: None,
            is_annotated: false,
            left_out: 0,
            stopped: false,
            file: file.to_owned(),
            visit,
        }
    }

    pub(crate) fn unit(&self) -> OffsetUnit {
        self.options.offsets
    }

    /// Hands over a document or its problem.
    pub(crate) fn give(&mut self, read: Result<ReadDocument, Problem>) {
        let read = read.and_then(|ReadDocument { document, left_out }| {
            self.left_out += left_out;
            self.refuse_undecoded(document)
        });
        self.stopped |= (self.visit)(read).is_break();
    }

    /// Refuses a translated text with U+FFFD, which stands for bytes that its encoding does not have.
    fn refuse_undecoded(&self, document: Document) -> Result<Document, Problem> {
        let Some(encoding) = self.encoding else { return Ok(document) };
        let undecoded = |text: &str| text.contains('\u{FFFD}');
        let label = encoding.name();
        let message = match document.text.find('\u{FFFD}') {
            Some(at) => format!("after {at} bytes of text there is something that is not {label}"),
            None if undecoded(&document.id) || document.mentions.iter().any(|mention| has(mention, undecoded)) => {
                format!("an id or a type holds something that is not {label}")
            }
            None => return Ok(document),
        };
        let problem = Problem::new(self.file.clone(), None, message).in_document(Some(document.id));
        Err(problem.with_hint(hint!["check ", HintPart::setting("encoding")]))
    }

    /// Hands over a document of the file that is being read, or its problem with the document's id.
    pub(crate) fn give_one(&mut self, id: &str, read: Result<ReadDocument, Wrong>) {
        let id = Some(id).filter(|id| !id.is_empty());
        let read = read.map_err(|wrong| wrong.in_file(&self.file, id));
        self.give(read);
    }
}

fn has(mention: &Mention, property: impl Fn(&str) -> bool) -> bool {
    property(&mention.mention_type) || mention.id.as_deref().is_some_and(property)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{SourceOptions, read_from};

    /// Returns the documents and problems of a file in memory.
    pub(crate) fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
        let (mut documents, mut problems) = (Vec::new(), Vec::new());
        read_from(Path::new(name), Cursor::new(bytes.to_vec()), options, &mut |read| {
            match read {
                Ok(document) => documents.push(document),
                Err(problem) => problems.push(with_hint(&problem)),
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        (documents, problems)
    }

    /// Returns a problem with its advice.
    pub(crate) fn with_hint(problem: &Problem) -> String {
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})"));
        format!("{problem}{}", hint.unwrap_or_default())
    }

    pub(crate) fn bounded(max_line_bytes: u64) -> ReadOptions {
        ReadOptions { source: SourceOptions { max_line_bytes, ..SourceOptions::default() }, ..ReadOptions::default() }
    }

    pub(crate) fn read_str(name: &str, text: &str, options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
        read_bytes(name, text.as_bytes(), options)
    }

    pub(crate) fn problems(name: &str, bytes: &[u8], options: &ReadOptions) -> Vec<String> {
        read_bytes(name, bytes, options).1
    }

    #[test]
    fn bytes_that_the_named_encoding_does_not_have_are_a_problem() {
        let options = ReadOptions {
            source: SourceOptions { encoding: Some("shift_jis".into()), ..SourceOptions::default() },
            ..ReadOptions::default()
        };
        assert_eq!(
            problems("a.txt", b"a \x81\xFF b", &options),
            ["a.txt: document a: after 2 bytes of text there is something that is not Shift_JIS (check `encoding`)"]
        );
        assert_eq!(read_bytes("a.txt", "肺".as_bytes(), &ReadOptions::default()).1, [""; 0]);
    }

    #[test]
    fn a_visitor_may_end_the_reading() {
        let documents = "{\"text\": \"a\"}\n{\"text\": \"b\"}\n";
        let bioc = "{\"passages\": []}{\"passages\": []}";
        let xml = "<collection><document></document><document></document></collection>";
        for (name, content) in
            [("a.jsonl", documents), ("a.pubtator", "1|t|a\n2|t|b\n"), ("a.json", bioc), ("a.xml", xml)]
        {
            let mut seen = 0;
            read_from(Path::new(name), content.as_bytes(), &ReadOptions::default(), &mut |_| {
                seen += 1;
                ControlFlow::Break(())
            })
            .unwrap();
            assert_eq!(seen, 1, "{name}");
        }
    }
}
