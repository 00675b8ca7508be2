//! Lines of CoNLL: rows, marks of documents, comments, ends of sentences.

/// A line of a file, as far as it can be told without knowing the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    /// The end of a sentence.
    Blank,
    /// The beginning of a document, with its id where the line has it.
    Mark(Option<&'t str>),
    /// A line that begins with `# `: a comment, unless it has the columns of the others.
    Comment(&'t str),
    /// A token with its columns.
    Row(&'t str),
}

impl<'t> Line<'t> {
    pub(super) fn of(line: &'t str) -> Self {
        let line = line.trim_end_matches([' ', '\t']);
        match line.split([' ', '\t']).next() {
            _ if line.trim().is_empty() => Self::Blank,
            Some("-DOCSTART-") => Self::Mark(None),
            // JNLPBA: `###MEDLINE:95369245`.
            Some(first) if first == line && first.len() > 3 && first.starts_with("###") => {
                Self::Mark(Some(&first[3..]))
            }
            Some("#") if !line.starts_with("#\t") => Self::Comment(line),
            _ => Self::Row(line),
        }
    }

    /// Returns a row; none where the line may be a comment.
    pub(super) fn row(&self) -> Option<&'t str> {
        match self {
            Self::Row(row) => Some(row),
            _ => None,
        }
    }
}

/// Returns the mark that a comment is: `# newdoc id = X`, `# newdoc`, `# id X`, `# id = X`.
pub(super) fn mark_of_comment(comment: &str) -> Option<Option<&str>> {
    let mut words = comment.split(|c: char| c.is_whitespace() || c == '=').filter(|word| !word.is_empty()).skip(1);
    match words.next()? {
        "newdoc" => Some(words.next().filter(|key| *key == "id").and_then(|_| words.next())),
        "id" => words.next().map(Some),
        _ => None,
    }
}

/// Returns the cells of a row: between tabs where it has one, else between spaces.
pub(super) fn cells(row: &str) -> Vec<&str> {
    match row.contains('\t') {
        true => row.split('\t').collect(),
        false => row.split(' ').filter(|cell| !cell.is_empty()).collect(),
    }
}

/// Returns the lines of the beginning of a file, without the last one where that has no end.
pub(super) fn whole_lines(beginning: &str) -> impl Iterator<Item = &str> {
    let end = if beginning.contains('\n') { '\n' } else { '\r' };
    let whole = beginning.rfind(end).map_or("", |last| &beginning[..last]);
    whole.split(end).map(|line| line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, wanted) in [
            ("", Line::Blank),
            (" \t ", Line::Blank),
            ("-DOCSTART- -X- O O", Line::Mark(None)),
            ("-DOCSTART-\tO", Line::Mark(None)),
            ("###MEDLINE:95369245", Line::Mark(Some("MEDLINE:95369245"))),
            ("###\tO", Line::Row("###\tO")),
            ("# text = a cold", Line::Comment("# text = a cold")),
            ("#", Line::Comment("#")),
            ("# O", Line::Comment("# O")),
            ("#\tO", Line::Row("#\tO")),
            ("#1 O ", Line::Row("#1 O")),
            ("a\tO\t", Line::Row("a\tO")),
        ] {
            assert_eq!(Line::of(line), wanted, "{line:?}");
        }
    }

    #[test]
    fn comments_name_documents() {
        for (comment, wanted) in [
            ("# newdoc id = weblog-1", Some(Some("weblog-1"))),
            ("# newdoc", Some(None)),
            ("# id 7\tdomain=en", Some(Some("7"))),
            ("# id = 7", Some(Some("7"))),
            ("# id", None),
            ("# sent_id = 7", None),
            ("# text = a cold", None),
            ("#", None),
        ] {
            assert_eq!(mark_of_comment(comment), wanted, "{comment}");
        }
    }

    #[test]
    fn tabs_or_spaces_part_cells() {
        assert_eq!(cells("New York\tB-LOC"), ["New York", "B-LOC"]);
        assert_eq!(cells("York  NNP B-LOC"), ["York", "NNP", "B-LOC"]);
        assert_eq!(cells("\tO"), ["", "O"]);
        assert_eq!(cells("a\u{a0}b O"), ["a\u{a0}b", "O"]);
    }

    #[test]
    fn the_last_line_of_the_beginning_may_be_cut() {
        let lines = |text| whole_lines(text).collect::<Vec<_>>();
        assert_eq!(lines("a O\r\n\r\nb"), ["a O", ""]);
        assert_eq!(lines("a O\rb O\r"), ["a O", "b O"]);
        assert_eq!(lines("a O"), [""]);
    }
}
