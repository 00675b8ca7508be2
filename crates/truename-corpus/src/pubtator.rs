//! PubTator: `PMID|t|title`, `PMID|a|abstract`, then a row an annotation, and a blank line.
//!
//! The text is the parts joined by line breaks of one character. The format has no end mark: a
//! file whose last line has no line end may be cut off within it, which is a problem of the last document.

use std::io::{self, Write};

use truename_read::Source;
use truename_text::{Assertions, Document, Mention, OffsetUnit, Offsets, Passage, Span, excerpt};

use crate::Error;
use crate::annotation::{AnnotatedText, Annotation, concept_id, number, one_line};
use crate::output::{Output, ReadDocument};
use crate::source::told;
use crate::wrong::Wrong;

/// Returns true if a text begins with a document: no blank in the id, then `|t|`; or `|a|` where the id is a number or has a row, since
/// a document may have no title.
pub(crate) fn begins(text: &str) -> bool {
    let mut lines = text.lines();
    let Some((id, label, _)) = lines.next().and_then(text_line) else { return false };
    let mut has_row = || lines.any(|line| line.strip_prefix(id).is_some_and(|rest| rest.starts_with('\t')));
    match label {
        _ if id.contains(char::is_whitespace) => false,
        "t" => true,
        "a" => id.bytes().all(|byte| byte.is_ascii_digit()) || has_row(),
        _ => false,
    }
}

/// Returns the id, label and text of a line as `PMID|t|title`.
fn text_line(line: &str) -> Option<(&str, &str, &str)> {
    let (id, rest) = line.split_once('|')?;
    let (label, text) = rest.split_once('|')?;
    let is_label = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_label && !id.is_empty() && !id.contains('\t')).then_some((id, label, text))
}

/// The message about a last line without a line end.
pub(crate) const UNENDED: &str = "the last line has no line end, so the file may be cut off; add one where it is whole";

/// The lines of one document.
#[derive(Default)]
struct Block {
    id: String,
    parts: Vec<(String, String)>,
    rows: Vec<(u64, String)>,
    /// First problem with the document.
    problem: Option<Wrong>,
}

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let mut lines = source.into_lines();
    let mut block: Option<Block> = None;
    while let Some(line) = lines.read()? {
        let (number, text) = (line.number, String::from_utf8_lossy(line.bytes));
        let header = text_line(&text);
        let ends = text.trim().is_empty() || header.is_some_and(|(_, label, _)| label == "t");
        if ends && let Some(block) = block.take() {
            block.give(output);
            if output.stopped {
                return Ok(());
            }
        }
        if text.trim().is_empty() {
            continue;
        }
        let block = block.get_or_insert_with(|| {
            line.begin_block();
            Block::begin(number, &text, header)
        });
        let is_wanted = header.is_some() || output.options.mentions;
        if let Err(fault) = line.text().map(|_| ()).and_then(|()| line.check_block())
            && is_wanted
        {
            block.fail(number, told(fault));
        }
        if !line.is_ended {
            block.fail(number, UNENDED);
        }
        if is_wanted {
            block.add(number, &text, header);
        }
    }
    if let Some(block) = block {
        block.give(output);
    }
    Ok(())
}

impl Block {
    fn begin(number: u64, line: &str, header: Option<(&str, &str, &str)>) -> Self {
        let Some((id, ..)) = header else {
            let mut block = Self::default();
            let message = "a row without the text of its document, which a line such as ID|t|title gives";
            block.fail(number, format!("{message}: \"{}\"", excerpt(line)));
            return block;
        };
        Self { id: id.to_owned(), ..Self::default() }
    }

    fn fail(&mut self, line: u64, wrong: impl Into<Wrong>) {
        self.problem.get_or_insert(Wrong::at(line, wrong));
    }

    /// Adds a line, unless the document has a problem.
    fn add(&mut self, number: u64, line: &str, header: Option<(&str, &str, &str)>) {
        let is_row = |piece: &str| piece.strip_prefix(&*self.id).is_some_and(|rest| rest.starts_with('\t'));
        let is_line = |piece: &str| text_line(piece).is_some() || is_row(piece);
        // The two lines would be read as one.
        if line.contains('\r') && line.split('\r').skip(1).any(is_line) {
            self.fail(number, "a carriage return alone ends a line here, and a line feed others; use one of them");
        }
        match header {
            _ if self.problem.is_some() => (self.parts, self.rows) = Default::default(),
            Some(header) => self.add_part(number, header),
            None => self.rows.push((number, line.to_owned())),
        }
    }

    fn add_part(&mut self, line: u64, (id, label, text): (&str, &str, &str)) {
        if id != self.id {
            self.fail(line, format!("the text of \"{}\" stands among that of \"{}\"", excerpt(id), excerpt(&self.id)));
        }
        self.parts.push((label.to_owned(), text.to_owned()));
    }

    fn give(self, output: &mut Output<'_>) {
        let id = self.id.clone();
        output.give_one(&id, self.document(output.unit()));
    }

    fn document(self, unit: OffsetUnit) -> Result<ReadDocument, Wrong> {
        let Self { id, parts, rows, problem, .. } = self;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let (text, passages) = assemble(parts);
        let annotated = AnnotatedText::new(&text, unit);
        let (mut mentions, mut left_out) = (Vec::<Mention>::new(), 0);
        for (line, row) in rows {
            if let Some((assertions, span)) = assertions_of(&row, &annotated) {
                let is_same = |mention: &&mut Mention| mention.span == span;
                mentions.iter_mut().filter(is_same).for_each(|mention| mention.assertions = assertions);
                continue;
            }
            match read_row(&row, &id, &annotated).map_err(|wrong| Wrong::at(line, wrong))? {
                Some(mention) => mentions.push(mention),
                None => left_out += 1,
            }
        }
        Ok(ReadDocument { document: Document { id, text, passages, mentions }, left_out })
    }
}

/// Returns the text of the parts and their places. Empty parts at the end leave no trace.
fn assemble(mut parts: Vec<(String, String)>) -> (String, Vec<Passage>) {
    let full = parts.iter().rposition(|(_, part)| !part.is_empty()).map_or(0, |last| last + 1);
    parts.truncate(full);
    let (mut text, mut passages) = (String::new(), Vec::new());
    for (at, (label, part)) in parts.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let span = Span::new(text.len(), text.len() + part.len());
        text.push_str(part);
        if !part.is_empty() {
            passages.push(Passage { kind: kind(label).to_owned(), span });
        }
    }
    (text, passages)
}

fn kind(label: &str) -> &str {
    match label {
        "t" => "title",
        "a" => "abstract",
        other => other,
    }
}

/// Returns what a row of the form of a relation says of the mention at a span.
fn assertions_of(row: &str, annotated: &AnnotatedText<'_>) -> Option<(Assertions, Span)> {
    let mut columns = row.split('\t').skip(1);
    let assertions: Assertions =
        columns.next()?.parse().ok().filter(|assertions: &Assertions| !assertions.is_empty())?;
    let span = annotated.span(number(columns.next()?).ok()?, number(columns.next()?).ok()?).ok()?;
    columns.next().is_none().then_some((assertions, span))
}

/// Returns the mention of a row; none where the row is a relation, which has a name in place of the offset.
fn read_row(row: &str, id: &str, annotated: &AnnotatedText<'_>) -> Result<Option<Mention>, Wrong> {
    let columns: Vec<&str> = row.split('\t').collect();
    if columns.len() > 1 && columns[0] != id {
        return Err(format!("a row of \"{}\" stands under the text of \"{}\"", excerpt(columns[0]), excerpt(id)).into());
    }
    // A seventh column lists the parts of a composite mention; tools add others.
    let (start, end, text, mention_type, identifier) = match columns[..] {
        [_, name, _, _] if !name.starts_with(|first: char| first.is_ascii_digit()) => return Ok(None),
        // With a fifth column, as in BioRED.
        [_, name, _, _, _] if name.starts_with(char::is_alphabetic) => return Ok(None),
        [_, start, end, text, mention_type] => (start, end, text, mention_type, ""),
        [_, start, end, text, mention_type, identifier, ..] => (start, end, text, mention_type, identifier),
        _ => {
            return Err(
                format!("a row of {} columns; PMID, start, end, text, type and id make 6", columns.len()).into()
            );
        }
    };
    annotated
        .mention(Annotation {
            pieces: vec![(number(start)?, number(end)?)],
            text: Some(text.to_owned()),
            mention_type: mention_type.to_owned(),
            id: concept_id(identifier),
            ..Annotation::default()
        })
        .map(Some)
}

/// Writes a document as a block: the first passage as the title, all others as the abstract.
///
/// Between the two the format has one line break, so where the passages are not one blank apart, or there are
/// none, the whole text is the title. The format has neither fragments nor probabilities nor line breaks:
/// a discontinuous mention goes from its first fragment to its last, and each `\r` and `\n` becomes a space,
/// which moves no offset. Assertions follow as rows of the form of a relation: `PMID`, `negated`, start, end. In ids `|`, tabs and line breaks become `_`.
pub(crate) fn write(out: &mut impl Write, document: &Document, unit: OffsetUnit) -> io::Result<()> {
    let id = block_id(&document.id);
    let text = document.text.replace(['\r', '\n'], " ");
    let (title, rest) = match split(document) {
        Some((end, start)) => (&text[..end], &text[start..]),
        None => (&*text, ""),
    };
    writeln!(out, "{id}|t|{title}\n{id}|a|{rest}")?;
    let (offsets, mut assertions) = (Offsets::new(&document.text, unit), Vec::new());
    for mention in &document.mentions {
        let (start, end) = (offsets.of_byte(mention.span.start), offsets.of_byte(mention.span.end));
        let written = one_line(mention.span.of(&text).unwrap_or_default());
        let mention_type = one_line(&mention.mention_type);
        let identifier = mention.id.as_deref().map_or("-".into(), one_line);
        writeln!(out, "{id}\t{start}\t{end}\t{written}\t{mention_type}\t{identifier}")?;
        if !mention.assertions.is_empty() {
            assertions.push(format!("{id}\t{}\t{start}\t{end}", mention.assertions));
        }
    }
    assertions.iter().try_for_each(|row| writeln!(out, "{row}"))?;
    out.write_all(b"\n")
}

fn block_id(id: &str) -> String {
    if id.is_empty() { "_".into() } else { id.replace(['|', '\t', '\r', '\n'], "_") }
}

/// Returns the end of the title and the beginning of the abstract: one blank apart, and neither cut short.
fn split(document: &Document) -> Option<(usize, usize)> {
    let spans: Vec<Span> = document.passages.iter().map(|passage| passage.span).collect();
    let (end, start) = match spans[..] {
        [first, ..] if first.start == 1 => (0, 1),
        [first, second, ..] if first.start == 0 => (first.end, second.start),
        _ => return None,
    };
    let text = &document.text;
    let between = text.get(end..start).filter(|between| matches!(*between, "\n" | "\r" | "\t" | " "));
    (between.is_some() && start < text.len()).then_some((end, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::{bounded, problems, read_str};
    use crate::{Format, ReadOptions, Writer};

    fn read_plain(text: &str) -> (Vec<Document>, Vec<String>) {
        read_str("a.pubtator", text, &ReadOptions::default())
    }

    #[test]
    fn each_malformed_row_is_explained() {
        for (row, message) in [
            ("7\t0\t1", "a row of 3 columns; PMID, start, end, text, type and id make 6"),
            ("a second line of the abstract", "a row of 1 columns; PMID, start, end, text, type and id make 6"),
            ("8\t0\t1\tA\tX\tid", "a row of \"8\" stands under the text of \"7\""),
            ("7\t2\t6\tcold", "a row of 4 columns; PMID, start, end, text, type and id make 6"),
            ("7\tx\t1\tA\tX\tid", "\"x\" is no offset"),
            ("7\t0\t1.5\tA\tX\tid", "\"1.5\" is no offset"),
            ("7\t-1\t1\tA\tX", "\"-1\" is no offset"),
            ("7\t3\t3\t\tX\tid", "the span 3–3 is empty"),
            ("7\t2\t40\tcold\tX\tid", "the span 2–40 lies outside the text, which has 12 chars"),
            ("7\t1\t5\tcold\tX\tid", "the text at 1–5 is \" col\", the file says \"cold\""),
            ("8|a|abstract", "the text of \"8\" stands among that of \"7\""),
        ] {
            let (documents, problems) = read_plain(&format!("1|t|One\n\n7|t|A cold\n7|a|came.\n{row}\n2|t|Two\n"));
            assert_eq!(problems, [format!("a.pubtator:5: document 7: {message}")]);
            assert_eq!(documents.iter().map(|document| &*document.id).collect::<Vec<_>>(), ["1", "2"]);
        }
    }

    #[test]
    fn rows_without_a_text_are_one_problem() {
        let (documents, problems) = read_plain("7|t|A cold\n\n7\t0\t1\tA\tX\n7\t0\t1\tA\tX\n\n8|t|B\n");
        assert_eq!(
            problems,
            ["a.pubtator:3: a row without the text of its document, which a line such as ID|t|title gives: \
              \"7\\t0\\t1\\tA\\tX\""]
        );
        assert_eq!(documents.len(), 2);
    }

    #[test]
    fn a_block_that_is_not_utf8_is_one_problem() {
        let bytes = b"1|t|A\n\n2|t|na\xEFve\n2|a|\xEF\n\n3|t|B\n";
        let found = problems("a.pubtator", bytes, &ReadOptions::default());
        assert_eq!(
            found,
            [
                "a.pubtator:3: document 2: byte 7 of the line is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)"
            ]
        );
    }

    #[test]
    fn a_last_line_without_an_end_may_be_cut_off() {
        for cut in ["1|t|A\n\n2|t|A co", "1|t|A\n\n2|t|A cold\n2\t2\t6\tcold\tDisease\tD0031"] {
            for mentions in [true, false] {
                let (documents, problems) =
                    read_str("a.pubtator", cut, &ReadOptions { mentions, ..ReadOptions::default() });
                let line = cut.lines().count();
                assert_eq!(problems, [format!("a.pubtator:{line}: document 2: {UNENDED}")]);
                assert_eq!(documents.len(), 1);
            }
        }
    }

    #[test]
    fn carriage_returns_among_line_feeds_end_no_lines() {
        let whole = "1|t|Naïve\n1|a|A cold came.\n1\t8\t12\tcold\tDisease\tD1\n\n2|t|B\n";
        let wanted = read_plain(whole);
        assert_eq!((wanted.0.len(), wanted.1.len()), (2, 0));
        // One among others would make two lines one.
        for mixed in [whole.replace("Naïve\n", "Naïve\r"), whole.replace("came.\n", "came.\r")] {
            let (documents, problems) = read_plain(&mixed);
            let message = "a carriage return alone ends a line here, and a line feed others; use one of them";
            assert_eq!(documents, wanted.0[1..]);
            assert_eq!(problems.len(), 1);
            assert!(problems[0].ends_with(&format!("document 1: {message}")), "{problems:?}");
        }
        let (documents, problems) = read_plain("1|t|A\rcold\r\n");
        assert_eq!((documents[0].text.as_str(), problems.len()), ("A\rcold", 0));
    }

    #[test]
    fn long_documents_are_passed_over() {
        let options = bounded(30);
        let long_line = format!("2|t|{}\n2|a|b\n", "x".repeat(30));
        let long_block = "2|t|cold\n".to_owned() + &"2\t0\t4\tcold\tX\n".repeat(10);
        for (long, message) in [
            (
                long_line,
                "a.pubtator:3: document 2: the line is longer than 30 bytes (`max_line_bytes` reads longer ones)",
            ),
            (
                long_block,
                "a.pubtator:5: document 2: the document is longer than 30 bytes (`max_line_bytes` reads longer ones)",
            ),
        ] {
            let (documents, problems) = read_str("a.pubtator", &format!("1|t|A\n\n{long}\n3|t|B\n"), &options);
            assert_eq!(documents.iter().map(|document| &*document.id).collect::<Vec<_>>(), ["1", "3"]);
            assert_eq!(problems, [message]);
        }
    }

    #[test]
    fn rows_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let bytes = b"1|t|A\n1\tx\ty\xFF\n8\t1\n";
        assert_eq!(problems("a.pubtator", bytes, &options), [""; 0]);
    }

    #[test]
    fn real_files_have_wrinkles() {
        let (documents, problems) = read_plain(
            "\n  \n7|t|A cold \r\n7|a| came.\r\n7\t2\t6\tcold\tDisease\t D003139 \r\n7\t2\t6\tcold\tDisease\t-1\r\n\
             7\t2\t6\tcold\tDisease\t-\r\n7\t2\t6\tcold\tDisease\t\r\n7\t2\t6\tcold\tDisease\r\n\
             7\t2\t6\tcold\tDisease\tD1|D2\tcold|cold\r\n7\t2\t6\tcold\tDisease\tD3\tparts\t0.9\tmore\r\n7\t2\t11\tcold   ca\tSpan\r\n7\tCID\tD1\tD2\r\n\
             7\tAssociation\tD1\tD2\tNovel\r\n7|t|Again\r\n\r\n8|t|\n8|a|Only abstract\n8|section|More\n",
        );
        assert_eq!(problems, [""; 0]);
        let texts: Vec<_> = documents.iter().map(|document| (&*document.id, &*document.text)).collect();
        assert_eq!(texts, [("7", "A cold \n came."), ("7", "Again"), ("8", "\nOnly abstract\nMore")]);
        let ids: Vec<_> = documents[0].mentions.iter().map(|mention| mention.id.as_deref()).collect();
        assert_eq!(ids, [Some("D003139"), None, None, None, None, Some("D1|D2"), Some("D3"), None]);
        let passages: Vec<_> =
            documents[2].passages.iter().map(|passage| (&*passage.kind, passage.span.range())).collect();
        assert_eq!(passages, [("abstract", 1..14), ("section", 15..19)]);
    }

    #[test]
    fn relations_are_counted() {
        let rows = "7|t|A\n7\tCID\tD1\tD2\n7\tBind\tD1\tD2\tNo\n";
        let summary = crate::read_from(Path::new("a.pubtator"), rows.as_bytes(), &ReadOptions::default(), &mut |_| {
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(summary.unwrap(), crate::Summary { format: Format::Pubtator, left_out: 2 });
    }

    use std::path::Path;

    #[test]
    fn what_the_format_cannot_hold_moves_no_offset() {
        let mut document = Document::new("a|b", "One\r\ntwo\n\nthree");
        document.mentions.push(Mention::new(Span::new(0, 8), "a\tkind", None));
        let mut writer = Writer::new(Format::Pubtator, OffsetUnit::Chars, Vec::new()).unwrap();
        writer.write(&document).unwrap();
        document.passages.push(Passage { kind: "title".into(), span: Span::new(0, 8) });
        document.passages.push(Passage { kind: "body".into(), span: Span::new(9, 15) });
        writer.write(&document).unwrap();
        assert_eq!(
            String::from_utf8(writer.finish().unwrap()).unwrap(),
            "a_b|t|One  two  three\na_b|a|\na_b\t0\t8\tOne  two\ta kind\t-\n\n\
             a_b|t|One  two\na_b|a| three\na_b\t0\t8\tOne  two\ta kind\t-\n\n"
        );
    }
}
