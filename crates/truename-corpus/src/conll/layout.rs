//! Columns of a CoNLL file, told by its first rows: which hold labels, and in which scheme.

use truename_error::counted;
use truename_text::excerpt;

use super::line::{Line, cells, whole_lines};
use super::scheme::{Scheme, Votes};
use super::tag::Tag;

/// Columns of a tie-or-break file: token, boundary, type and, where it was labelled by a dictionary, `S` or `D`.
const TIE_OR_BREAK_COLUMNS: std::ops::RangeInclusive<usize> = 3..=4;

/// The columns of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of columns of each row.
    columns: usize,
    /// Column of the token: 1 where the tokens are numbered in column 0, else 0.
    token: usize,
    labels: Labels,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Labels {
    /// Tags, from this column on; 0 is the token's.
    Tags { first: usize },
    /// AutoNER's "tie or break" (Shang et al. 2018): `I` begins a chunk, `O` joins a token to the one before, and the next
    /// column has the chunk's types.
    TieOrBreak,
}

impl Layout {
    /// Returns the layout that most rows have; none where there is no row.
    ///
    /// `first_label` is the column of the first label, counted from 1 at the token.
    pub(super) fn of(rows: &[Vec<&str>], first_label: Option<usize>) -> Option<Self> {
        let columns = commonest(rows.iter().map(Vec::len))?;
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).filter(|row| row.len() == columns).collect();
        let most =
            |property: &dyn Fn(&[&str]) -> bool| 2 * rows.iter().filter(|row| property(row)).count() > rows.len();
        let token = usize::from(columns > 2 && are_numbered(&rows));
        let has_tags = |column: usize| most(&|row| Tag::parse(row[column].trim()).is_some());
        let labels = match first_label {
            Some(first) => Labels::Tags { first: token + first.saturating_sub(1).max(1) },
            None if TIE_OR_BREAK_COLUMNS.contains(&columns) && most(&is_tie_or_break) => Labels::TieOrBreak,
            None if (token + 1..columns).all(has_tags) => Labels::Tags { first: token + 1 },
            None => Labels::Tags { first: (columns - 1).max(1) },
        };
        Some(Self { columns, token, labels })
    }

    /// Returns the token of a row; empty where the row has none.
    pub(super) fn token<'t>(&self, row: &[&'t str]) -> &'t str {
        row.get(self.token).copied().unwrap_or_default()
    }

    /// Returns true if a row is a comment though no blank is behind its `#`, as GermEval has them above a sentence.
    pub(super) fn is_comment(&self, row: &[&str]) -> bool {
        row[0].starts_with('#') && (row.len() != self.columns || row[0] == "#" && self.tags(row).is_err())
    }

    /// Returns the tags of a row, one a label column; an error where it is none of this file's rows.
    pub(super) fn tags(&self, row: &[&str]) -> Result<Vec<Tag>, String> {
        if row.len() != self.columns {
            let (found, others) = (counted(row.len() as u64, "column"), self.columns);
            return Err(format!("a line of {found}, where the others have {others}"));
        }
        match self.labels {
            Labels::TieOrBreak => tie_or_break(row).map(|tag| vec![tag]),
            Labels::Tags { first } if first < row.len() => row[first..].iter().map(|label| tag(label.trim())).collect(),
            Labels::Tags { first } => Err(format!(
                "a line of {}, where the first label is in column {}",
                counted(row.len() as u64, "column"),
                first + 1 - self.token
            )),
        }
    }

    /// Returns the scheme that the tags of sentences tell, one list a label column; none where there is no mention.
    pub(super) fn scheme<'t>(&self, labels: impl IntoIterator<Item = &'t Vec<Tag>>) -> Option<Scheme> {
        if self.is_tie_or_break() {
            return Some(Scheme::Iob2);
        }
        let mut votes = Votes::default();
        labels.into_iter().for_each(|tags| votes.count(tags));
        votes.scheme()
    }

    pub(super) fn is_tie_or_break(&self) -> bool {
        self.labels == Labels::TieOrBreak
    }

    /// Returns true if a row is no token: it stands for the beginning or the end of a sentence, as AutoNER writes them, or, in a file of
    /// numbered tokens, for several of them (`1-2`) or for an omitted word (`1.1`), as CoNLL-U has them.
    pub(super) fn is_passed_over(&self, row: &[&str]) -> bool {
        let is_number = |text: &str| text.parse::<u64>().is_ok();
        let is_double = |text: &str| text.split_once(['-', '.']).is_some_and(|(a, b)| is_number(a) && is_number(b));
        self.is_tie_or_break() && matches!(row, ["<s>" | "<eof>", _, "None", ..]) || self.token > 0 && is_double(row[0])
    }

    /// Returns a tag as its row has it.
    pub(super) fn written(&self, tag: &Tag) -> String {
        match tag.to_string().split_once('-') {
            Some(("B", mention_type)) if self.is_tie_or_break() => format!("I {mention_type}"),
            Some((_, mention_type)) if self.is_tie_or_break() => format!("O {mention_type}"),
            _ => tag.to_string(),
        }
    }
}

/// Returns true if the first cells of most rows are numbers that count from 1, as in CoNLL-U and GermEval.
fn are_numbered(rows: &[&[&str]]) -> bool {
    let (mut last, mut highest, mut count) = (0, 0, 0);
    for number in rows.iter().filter_map(|row| row[0].parse::<usize>().ok()) {
        let is_next = number == 1 || last > 0 && number == last + 1;
        last = if is_next { number } else { 0 };
        highest = last.max(highest);
        count += usize::from(is_next);
    }
    highest > 1 && 2 * count > rows.len()
}

/// Returns the commonest value, of several the one that comes first.
fn commonest(values: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

fn is_tie_or_break(row: &[&str]) -> bool {
    tie_or_break(row).is_ok() && Tag::parse(row[2].trim()).is_none()
}

/// Returns the tag that stands for a boundary and a type.
fn tie_or_break(row: &[&str]) -> Result<Tag, String> {
    let no_certainty = row.get(3).filter(|certainty| !matches!(certainty.trim(), "S" | "D"));
    if let Some(certainty) = no_certainty {
        return Err(format!("\"{}\" is neither S nor D", excerpt(certainty)));
    }
    let letter = match row[1].trim() {
        "I" => 'B',
        "O" => 'I',
        boundary => return Err(format!("\"{}\" is neither I, a break, nor O, a tie", excerpt(boundary))),
    };
    match row[2].trim() {
        "None" => Ok(Tag::OUTSIDE),
        mention_type => Tag::new(letter, mention_type)
            .filter(|_| !mention_type.is_empty())
            .ok_or_else(|| "the type is missing".to_owned()),
    }
}

fn tag(label: &str) -> Result<Tag, String> {
    Tag::parse(label).ok_or_else(|| {
        let letters = "O, or one of B I E S L U M W, a hyphen and a type";
        format!("\"{}\" is no tag, which is {letters}", excerpt(label))
    })
}

/// Returns true if a text is CoNLL: nearly all of its whole lines are rows of one number of columns with tags.
///
/// Columns may be told apart by spaces only where there is an `O` and a second row, for words stand like this in texts too.
pub(crate) fn is_conll(text: &str) -> bool {
    let lines: Vec<Line<'_>> = whole_lines(text).map(Line::of).collect();
    let rows: Vec<Vec<&str>> = lines.iter().filter_map(Line::row).map(cells).collect();
    let Some(layout) = Layout::of(&rows, None) else { return false };
    let is_counted =
        |row: &Vec<&str>| layout.tags(row).is_ok() || !layout.is_comment(row) && !layout.is_passed_over(row);
    let rows: Vec<Vec<&str>> = rows.into_iter().filter(is_counted).collect();
    let tags: Vec<Vec<Tag>> = rows.iter().filter_map(|row| layout.tags(row).ok()).collect();
    let has_tag = |property: fn(&Tag) -> bool| tags.iter().flatten().any(property);
    let has_tabs = lines.iter().filter_map(Line::row).any(|row| row.contains('\t'));
    let is_sure = if has_tabs {
        has_tag(|tag| tag.is_outside() || !tag.mention_type.is_empty())
    } else {
        rows.len() > 1 && has_tag(Tag::is_outside)
    };
    is_sure && 10 * tags.len() >= 9 * rows.len()
}
