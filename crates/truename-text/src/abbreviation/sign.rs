//! Definitions by a sign (`GTP = green tea pot`), between commas, and in lists headed `Abbreviations`.

use std::ops::Range;

use super::{Abbreviation, aligned, name_at_end, starts_with_long};
use crate::Span;

/// Long forms behind a sign are sought in this many bytes.
const LONGEST_SIDE: usize = 250;
/// Marks at which a long form may end that are tried.
const MAX_ENDS: usize = 4;
/// Bytes between the heading of a list and its colon (`Abbreviations used in this paper:`).
const LONGEST_HEADING: usize = 40;
/// Bytes of a headed list that are read.
const LONGEST_LIST: usize = 20_000;
/// The word that heads lists, but for its first letter and in lower case.
const HEADING: &str = "bbreviations";

/// Returns the definitions by signs.
pub(super) fn definitions(text: &str) -> Vec<Abbreviation> {
    let mut found: Vec<Abbreviation> = text.match_indices('=').filter_map(|(at, _)| definition(text, at, 1)).collect();
    found.extend(text.match_indices(", ").filter_map(|(at, _)| apposition(text, at)));
    for list in headed_lists(text) {
        let signs = text[list.clone()].match_indices([':', ',', '\t', '–', '—', '-']);
        found.extend(signs.filter_map(|(at, sign)| definition(text, list.start + at, sign.len())));
    }
    found
}

/// Returns the cheapest definition with the short form right before a sign and the long form right behind it.
fn definition(text: &str, sign: usize, length: usize) -> Option<Abbreviation> {
    let before = Span::new(0, sign);
    let short = name_at_end(text, before)?;
    let is_beside = text[short.end..sign].chars().all(|c| c == ' ');
    let is_joined = matches!(&text[sign..sign + length], "-" | "–") && !text[..sign].ends_with(' ');
    if !is_beside || is_joined {
        return None;
    }
    let side = Span::new(sign + length, text.floor_char_boundary(sign + length + LONGEST_SIDE));
    let found = ends(&text[side.range()]).filter_map(|end| {
        let side = Span::new(side.start, side.start + end).trimmed(text, char::is_whitespace);
        aligned(text, short, side).filter(|(_, found)| starts_with_long(text, side, found.long))
    });
    found.min_by_key(|(cost, _)| *cost).map(|(_, found)| found)
}

/// Returns the definition of capitals between a comma and another by the initials of the words right before them.
fn apposition(text: &str, comma: usize) -> Option<Abbreviation> {
    let rest = &text[comma + 2..];
    let rest = rest.strip_prefix("or ").unwrap_or(rest);
    let length = rest.find(|c: char| !c.is_ascii_uppercase()).filter(|length| *length > 1)?;
    let start = text.len() - rest.len();
    let short = Span::new(start, start + length);
    let found = rest[length..].starts_with(',').then(|| aligned(text, short, Span::new(0, comma))).flatten();
    found.filter(|(cost, _)| *cost == 0).map(|(_, found)| found)
}

/// Returns the places at which a long form may end.
fn ends(side: &str) -> impl Iterator<Item = usize> {
    let stop = [side.find("\n\n"), side.find([';', ')', ']'])].into_iter().flatten().min().unwrap_or(side.len());
    let start = side.len() - side.trim_start().len();
    let marks = side[..stop].match_indices(['\n', ',', '.']).map(|(at, _)| at).filter(move |at| *at > start);
    marks.take(MAX_ENDS).chain([stop])
}

/// Returns the places of lists headed `Abbreviations`, each up to an empty line behind its first item.
fn headed_lists(text: &str) -> Vec<Range<usize>> {
    let mut lists: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices(['A', 'a']) {
        if lists.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let Some(rest) = text.get(at + 1..).filter(|rest| starts_with_heading(rest)) else { continue };
        let rest = &rest[HEADING.len()..];
        let heading = &rest[..rest.floor_char_boundary(LONGEST_HEADING)];
        let Some(mark) =
            heading.find([':', '\n', '.', ';']).filter(|mark| !matches!(heading.as_bytes()[*mark], b'.' | b';'))
        else {
            continue;
        };
        let list = rest[mark + 1..].trim_start();
        let end = list.find("\n\n").unwrap_or(list.len()).min(list.floor_char_boundary(LONGEST_LIST));
        let start = text.len() - list.len();
        lists.push(start..start + end);
    }
    lists
}

fn starts_with_heading(text: &str) -> bool {
    text.get(..HEADING.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEADING))
}
