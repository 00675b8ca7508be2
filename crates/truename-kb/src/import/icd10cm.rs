//! The order file of ICD-10-CM or ICD-10-PCS (`icd10cm_order_2024.txt`).
//!
//! Order number, code, 1 for a code that can be billed, short and long description, each at its place in the line.

use std::collections::HashSet;

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

struct Line<'a> {
    code: &'a str,
    short: &'a str,
    long: &'a str,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let is_number = line.get(..5)?.bytes().all(|byte| byte.is_ascii_digit());
        let has_gaps = [5, 13, 15, 76].into_iter().all(|at| line.as_bytes().get(at) == Some(&b' '));
        let code = line.get(6..13)?.trim_end();
        let is_code = code.len() >= 3 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_billed = matches!(line.as_bytes().get(14), Some(b'0' | b'1'));
        let (short, long) = (line.get(16..76)?.trim(), line.get(77..)?.trim());
        (is_number && has_gaps && is_code && is_billed).then_some(Self { code, short, long })
    }
}

/// Returns true if a line is one of the file.
pub(super) fn is_line(line: &str) -> bool {
    Line::of(line).is_some()
}

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    // Codes of ICD-10-CM begin with a letter and have a full stop behind the third place; those of PCS have none.
    let (mut codes, mut has_stops) = (HashSet::<String>::new(), None);
    for_each_row(
        source,
        collector,
        |_| false,
        |number, line, collector| {
            let Some(Line { code, short, long }) = Line::of(line) else {
                return collector.problem(Some(number), line, "no order number, code and descriptions at their places");
            };
            let has_stops = *has_stops.get_or_insert(code.as_bytes()[0].is_ascii_alphabetic());
            let written = |code: &str| match code.split_at_checked(3) {
                Some((category, rest)) if has_stops && !rest.is_empty() => format!("{category}.{rest}"),
                _ => code.to_owned(),
            };
            let above = (3..code.len()).rev().map(|end| &code[..end]).find(|above| codes.contains(*above));
            let id = written(code);
            let entry = Entry {
                name: if long.is_empty() { short } else { long }.to_owned(),
                synonyms: vec![short.to_owned()],
                parents: above.map(written).into_iter().collect(),
                xrefs: (id != code).then(|| code.to_owned()).into_iter().collect(),
                id,
                ..Entry::default()
            };
            codes.insert(code.to_owned());
            collector.add(Some(number), entry)
        },
    )
}
