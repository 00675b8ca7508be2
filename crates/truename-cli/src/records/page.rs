//! A self-contained page to check pairs side by side.

use std::collections::HashSet;

use anyhow::Context;
use askama::Template;
use truename::{Drawn, EVEN_SHARE, doubt_at, review_order};
use truename_error::{counted, grouped};
use truename_records::{Record, Resolution, ScoredPair, side_by_side};
use truename_text::{NormalizedName, stable_hash};
use truename_view::Head;

use super::input::Input;
use crate::arguments::Dedupe;
use crate::output::Output;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("csv.js"), include_str!("page.js"));

/// Content security policy: loads and runs nothing but the page's own style and script, whatever the records contain.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Seed of the draws: the same tables have the same page.
const SEED: u64 = 1;

/// Writes a sample of the compared pairs, doubtful ones sooner.
pub fn write(arguments: &Dedupe, input: &Input, resolution: &Resolution) -> anyhow::Result<()> {
    let mut out = Output::open(arguments.out.as_deref())?;
    let doubt = |scored: &ScoredPair| doubt_at(scored.probability, arguments.scorer.threshold);
    let doubts: Vec<f64> = resolution.pairs.iter().map(doubt).collect();
    let mut shown = review_order(&doubts, EVEN_SHARE, SEED);
    shown.truncate(arguments.shown as usize);
    let pair = |Drawn { index, chance }| Pair::of(input, resolution, &resolution.pairs[index], chance);
    let pairs: Vec<Pair> = shown.into_iter().map(pair).collect();
    let title =
        format!("Pairs of {}", input.tables.each().map(|table| table.name.as_str()).collect::<Vec<_>>().join(" and "));
    let page = Page::new(&title, resolution.pairs.len(), &pairs);
    page.write_into(&mut out).context("cannot write the results")?;
    out.finish()
}

#[derive(Template)]
#[template(path = "pairs.html")]
struct Page<'a> {
    head: Head<'a>,
    script: &'static str,
    /// Hash of the pairs, under which the browser keeps their judgements.
    fingerprint: String,
    shown: String,
    /// Number of pairs compared; the page has a sample.
    compared: String,
    pairs: &'a [Pair<'a>],
}

/// A pair as it is shown.
struct Pair<'a> {
    left: Side<'a>,
    right: Side<'a>,
    probability: f64,
    is_match: bool,
    /// Chance with which it was drawn, beside 1 for the most doubtful pair.
    chance: f64,
}

struct Side<'a> {
    name: String,
    record: &'a Record,
}

impl<'a> Pair<'a> {
    fn of(input: &'a Input, resolution: &Resolution, scored: &ScoredPair, chance: f64) -> Self {
        let ScoredPair { pair, probability } = *scored;
        let (left, right) = input.tables.tables().records(pair);
        let (of_left, of_right) = resolution.distinct.counts(pair);
        // The first two rows of equal ones: the right one stands for the others.
        let (of_left, of_right) =
            if resolution.distinct.first(pair).is_none() { (1, of_right - 1) } else { (of_left, of_right) };
        Self {
            left: Side { name: named(input.tables.left.row_name(pair.left), of_left), record: left },
            right: Side { name: named(input.tables.right().row_name(pair.right), of_right), record: right },
            probability,
            is_match: resolution.clusters.has(pair),
            chance,
        }
    }

    fn shown(&self) -> impl Iterator<Item = Row<'_>> {
        side_by_side(self.left.record, self.right.record)
            .into_iter()
            .map(|(name, left, right)| Row::new(name, [left, right]))
    }

    fn percentage(&self) -> f64 {
        self.probability.clamp(0.0, 1.0) * 100.0
    }
}

/// A column of a pair: for each record its words, each with whether the other record lacks it.
pub struct Row<'a> {
    pub name: &'a str,
    pub differs: bool,
    pub cells: [Vec<(&'a str, bool)>; 2],
}

impl<'a> Row<'a> {
    pub fn new(name: &'a str, values: [&'a str; 2]) -> Self {
        let [left, right] = values.map(words);
        let marked = |value: &'a str, other: &HashSet<String>| {
            value.split_whitespace().map(|word| (word, !words(word).is_subset(other))).collect()
        };
        Self { name, differs: left != right, cells: [marked(values[0], &right), marked(values[1], &left)] }
    }
}

/// Returns the name of a row that stands for so many rows.
fn named(name: String, rows: u32) -> String {
    match rows {
        1 => name,
        rows => format!("{name} (and {})", counted(u64::from(rows) - 1, "equal row")),
    }
}

impl<'a> Page<'a> {
    fn new(title: &'a str, compared: usize, pairs: &'a [Pair<'a>]) -> Self {
        let texts = pairs.iter().flat_map(|pair| [&pair.left, &pair.right]);
        let texts: Vec<_> = texts.map(|side| side.record.serialized()).collect();
        Self {
            head: Head { title, policy: POLICY, style: STYLE },
            script: SCRIPT,
            fingerprint: format!("{:016x}", stable_hash(&texts.join("\n"))),
            shown: counted(pairs.len() as u64, "pair"),
            compared: grouped(compared as u64),
            pairs,
        }
    }
}

/// Returns the words of a value in their normal form.
fn words(value: &str) -> HashSet<String> {
    NormalizedName::new(value).tokens().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(values: [&str; 2]) -> Record {
        Record::new(&["Title".to_owned(), "year".to_owned()].into(), values.map(str::to_owned).to_vec())
    }

    fn page(left: &Record, right: &Record) -> String {
        let side = |record, name: &str| Side { name: name.to_owned(), record };
        let pair =
            Pair { left: side(left, "1"), right: side(right, "<2>"), probability: 0.5, is_match: true, chance: 0.25 };
        Page::new("Pairs of <a>", 1000, &[pair]).render().unwrap()
    }

    #[test]
    fn cells_that_differ_are_marked() {
        let page = page(&record(["Mining Rules", "1993"]), &record(["mining trees", "1993"]));
        assert!(page.contains("<tr class=\"differs\"><th scope=\"row\"><bdi>Title</bdi></th>"));
        assert!(page.contains(
            "<td dir=\"auto\">Mining <mark>Rules</mark></td><td dir=\"auto\">mining <mark>trees</mark></td>"
        ));
        assert!(page.contains("<tr><th scope=\"row\"><bdi>year</bdi></th><td dir=\"auto\">1993</td>"));
        assert!(
            page.contains("1 pair of 1,000 compared")
                && page.contains("data-chance=\"0.25\"")
                && page.contains("data-left=\"COL Title VAL Mining Rules COL year VAL 1993\"")
        );
    }

    #[test]
    fn nothing_given_becomes_markup() {
        let evil = "</script><script>alert(1)</script>\"'&\u{1b}";
        let page = page(&record([evil, "x"]), &record(["", evil]));
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!page.contains('\u{1b}') && page.contains("&lt;2&gt;") && page.contains("Pairs of &lt;a&gt;"));
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = page(&record(["a", ""]), &record(["b", ""]));
        assert_eq!(page.matches("http").count(), page.matches("http-equiv").count());
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("</") && !STYLE.contains("url("));
    }

    #[test]
    fn pairs_at_the_threshold_are_in_doubt_and_columns_of_one_name_are_together() {
        assert_eq!([0.8, 0.0, 0.4].map(|probability| doubt_at(probability, 0.8)), [1.0, 0.0, 0.5]);
        let other = Record::new(&["YEAR".to_owned(), "x".to_owned()].into(), vec!["1".into(), "2".into()]);
        let left = record(["a", "1993"]);
        let side = |record| Side { name: String::new(), record };
        let pair = Pair { left: side(&left), right: side(&other), probability: 0.0, is_match: false, chance: 1.0 };
        assert_eq!(
            side_by_side(pair.left.record, pair.right.record),
            [("Title", "a", ""), ("year", "1993", "1"), ("x", "", "2")]
        );
    }
}
