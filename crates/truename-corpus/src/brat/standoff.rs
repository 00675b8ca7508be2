//! Reads the annotations of brat, also with offsets as programs on Windows count them.

use std::collections::HashMap;
use std::path::Path;

use truename_text::{Assertion, Document, Mention, Span, excerpt};

use super::pair::pair;
use crate::annotation::{AnnotatedText, Annotation, number};
use crate::source::stem;
use crate::wrong::Wrong;
use crate::{Problem, ReadOptions};

/// Resource written before an id that names none, because brat requires one: `KB:D003139`.
pub(super) const NO_RESOURCE: &str = "KB:";
/// Byte order mark, which is the first character of a text to brat.
const MARK: char = '\u{FEFF}';
/// The type of a mention that has none.
pub(super) const NO_TYPE: &str = "_";

/// Reads a document from its text and its annotations. Returns it with the number of rows left out; `name` is the path of
/// the text.
///
/// # Errors
/// The first problem with the annotations.
pub fn read_standoff(
    name: &Path,
    text: &str,
    annotations: &str,
    options: &ReadOptions,
) -> Result<(Document, u64), Problem> {
    let mut document = Document::new(stem(name), text);
    if !options.mentions {
        return Ok((document, 0));
    }
    let wrong = |wrong: Wrong| wrong.in_file(&pair(name).1, Some(&stem(name)));
    let read = match mentions(text, annotations, options) {
        Err(first) => CountedText::ways(text)
            .find_map(|counted| {
                let (mut mentions, left_out) = mentions(&counted.text, annotations, options).ok()?;
                mentions.iter_mut().for_each(|mention| counted.place(mention));
                Some((mentions, left_out))
            })
            .ok_or(first),
        read => read,
    };
    let (mentions, left_out) = read.map_err(wrong)?;
    document.mentions = mentions;
    Ok((document, left_out))
}

/// A text as a program on Windows counts it: a byte order mark is no character, and a line end is one.
struct CountedText {
    text: String,
    /// Byte in the file of each byte of the text, and of its end.
    places: Vec<usize>,
}

impl CountedText {
    /// Returns the ways to count a text other than as it is.
    fn ways(text: &str) -> impl Iterator<Item = Self> {
        let (has_mark, has_returns) = (text.starts_with(MARK), text.contains("\r\n"));
        let ways = [(has_mark, false), (false, has_returns), (has_mark, has_returns)];
        ways.into_iter()
            .filter(|way| *way != (false, false))
            .map(|(skips_mark, joins_ends)| Self::of(text, skips_mark, joins_ends))
    }

    fn of(text: &str, skips_mark: bool, joins_ends: bool) -> Self {
        let (mut counted, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
        for (at, letter) in text.char_indices() {
            if (skips_mark && at == 0) || (joins_ends && text[at..].starts_with("\r\n")) {
                continue;
            }
            places.extend((0..letter.len_utf8()).map(|byte| at + byte));
            counted.push(letter);
        }
        places.push(text.len());
        Self { text: counted, places }
    }

    /// Moves a mention to its place in the file.
    fn place(&self, mention: &mut Mention) {
        let moved = |span: &Span| Span::new(self.places[span.start], self.places[span.end - 1] + 1);
        mention.span = moved(&mention.span);
        mention.fragments.iter_mut().for_each(|fragment| *fragment = moved(fragment));
    }
}

/// Returns the mentions of a text, and the number of rows left out.
fn mentions(text: &str, annotations: &str, options: &ReadOptions) -> Result<(Vec<Mention>, u64), Wrong> {
    let mut rows = Rows::new(AnnotatedText::new(text, options.offsets));
    let end = if annotations.contains('\n') { '\n' } else { '\r' };
    for (line, row) in (1..).zip(annotations.split_inclusive(end)) {
        let is_ended = row.ends_with(end);
        let row = row.strip_suffix(end).unwrap_or(row);
        let row = row.strip_suffix('\r').unwrap_or(row);
        let taken = rows.take(line, row).and_then(|()| Ok(check_end(row, is_ended)?));
        taken.map_err(|wrong| Wrong::at(line, wrong))?;
    }
    let left_out = rows.left_out;
    let mut mentions = rows.finish()?;
    mentions.iter_mut().for_each(|mention| join_lines(mention, text));
    Ok((mentions, left_out))
}

/// Makes one span of fragments that only line ends part, for brat lets no span go over a line end.
fn join_lines(mention: &mut Mention, text: &str) {
    let parts = |pair: &[Span]| {
        let between = text.get(pair[0].end..pair[1].start).unwrap_or(".");
        between.is_empty() || !between.trim_matches(['\r', '\n']).is_empty()
    };
    if !mention.fragments.is_empty() && !mention.fragments.windows(2).any(parts) {
        mention.fragments.clear();
    }
}

/// Refuses a last row that may be cut off: without a line end, and without the text that ends it.
fn check_end(row: &str, is_ended: bool) -> Result<(), String> {
    if is_ended || !row.starts_with(['T', 'N']) || row.matches('\t').count() >= 2 {
        return Ok(());
    }
    Err(format!("\"{}\" has neither a text nor a line end, so the file may be cut off", excerpt(row)))
}

/// The content of the rows of a `.ann` file.
struct Rows<'t> {
    annotated: AnnotatedText<'t>,
    mentions: Vec<Mention>,
    /// The place of each mention by its name, `T1`.
    by_name: HashMap<String, usize>,
    /// Line, name of the mention and id of each normalization.
    ids: Vec<(u64, String, String)>,
    /// Assertions, each with the name of its mention.
    assertions: Vec<(Assertion, String)>,
    left_out: u64,
}

impl<'t> Rows<'t> {
    fn new(annotated: AnnotatedText<'t>) -> Self {
        Self {
            annotated,
            mentions: Vec::new(),
            by_name: HashMap::new(),
            ids: Vec::new(),
            assertions: Vec::new(),
            left_out: 0,
        }
    }

    fn take(&mut self, line: u64, row: &str) -> Result<(), Wrong> {
        let columns: Vec<&str> = row.splitn(3, '\t').collect();
        let (name, value) = (columns[0], columns.get(1).copied().unwrap_or_default());
        let of_row = |wrong: Wrong| wrong.within(excerpt(name));
        match name.chars().next() {
            None => {}
            Some('T') => {
                let mention = self.mention(value, columns.get(2)).map_err(of_row)?;
                if self.by_name.insert(name.to_owned(), self.mentions.len()).is_some() {
                    return Err(format!("there are two mentions {}", excerpt(name)).into());
                }
                self.mentions.push(mention);
            }
            Some('N') => {
                let (target, id) = normalization(value).map_err(|message| of_row(message.into()))?;
                if target.starts_with('T') {
                    self.ids.push((line, target.to_owned(), id.to_owned()));
                } else {
                    self.left_out += 1;
                }
            }
            Some('A') => match attribute_of(value) {
                Some((assertion, target)) => self.assertions.push((assertion, target.to_owned())),
                None => self.left_out += 1,
            },
            Some('R' | 'E' | 'M' | '*' | '#') => self.left_out += 1,
            Some(_) => return Err(format!("\"{}\" is no row of brat's", excerpt(row)).into()),
        }
        Ok(())
    }

    fn mention(&self, value: &str, text: Option<&&str>) -> Result<Mention, Wrong> {
        let malformed = || format!("\"{}\" is not a type, a start and an end", excerpt(value));
        let (mention_type, offsets) = value.split_once(' ').ok_or_else(malformed)?;
        let mut pieces = Vec::new();
        for piece in offsets.split(';') {
            let (start, end) = piece.trim().split_once(' ').ok_or_else(malformed)?;
            pieces.push((number(start)?, number(end)?));
        }
        let mention_type = if mention_type == NO_TYPE { String::new() } else { mention_type.to_owned() };
        let text = text.map(|text| (*text).to_owned());
        self.annotated.mention(Annotation { pieces, text, mention_type, ..Annotation::default() })
    }

    /// Returns the mentions with their ids, or the line of an id that no mention has.
    fn finish(mut self) -> Result<Vec<Mention>, Wrong> {
        for (line, target, id) in self.ids {
            let Some(at) = self.by_name.get(&target) else {
                return Err(Wrong::at(line, format!("there is no mention {} for this id", excerpt(&target))));
            };
            match &mut self.mentions[*at].id {
                Some(known) => known.extend(["|", &id]),
                none => *none = Some(id),
            }
        }
        for (assertion, target) in self.assertions {
            if let Some(at) = self.by_name.get(&target) {
                self.mentions[*at].assertions.insert(assertion);
            }
        }
        Ok(self.mentions)
    }
}

/// Returns the name of an assertion as an attribute.
pub(super) fn attribute(assertion: Assertion) -> &'static str {
    match assertion {
        Assertion::Negated => "Negation",
        Assertion::Hypothetical => "Hypothetical",
        Assertion::Historical => "Historical",
        Assertion::Family => "Family",
        Assertion::Uncertain => "Uncertain",
    }
}

/// Returns the assertion of `Negation T1`, and the name of the mention; none where the attribute is another or has a value.
fn attribute_of(value: &str) -> Option<(Assertion, &str)> {
    let (name, target) = value.split_once(' ')?;
    let assertion = Assertion::ALL.into_iter().find(|assertion| attribute(*assertion) == name)?;
    target.starts_with('T').then_some((assertion, target.trim_end()))
}

/// Returns the name of the mention and the id of `Reference T1 MESH:D003139`.
fn normalization(value: &str) -> Result<(&str, &str), String> {
    let columns: Vec<&str> = value.splitn(3, ' ').collect();
    match columns[..] {
        [_, target, id] => Ok((target, id.strip_prefix(NO_RESOURCE).unwrap_or(id))),
        _ => Err(format!("\"{}\" is not a type, a mention and an id", excerpt(value))),
    }
}
