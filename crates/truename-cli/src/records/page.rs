//! A self-contained page to check pairs side by side.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::Context;
use truename_plot::Escaped;
use truename_records::{Record, Resolution, ScoredPair};
use truename_text::{NormalizedName, stable_hash};

use super::input::Input;
use crate::arguments::Dedupe;
use crate::count::{counted, grouped};
use crate::names::column::folded;
use crate::output::Output;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Content security policy: loads and runs nothing but the page's own style and script, whatever the records contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Writes the compared pairs, the most doubtful first.
pub fn write(arguments: &Dedupe, input: &Input, resolution: &Resolution) -> anyhow::Result<()> {
    let mut out = Output::open(arguments.out.as_deref())?;
    let shown = most_doubtful(&resolution.pairs, arguments.scorer.threshold, arguments.shown as usize);
    let pairs: Vec<Pair> = shown.iter().map(|scored| Pair::of(input, resolution, scored)).collect();
    let page = Page { title: title(input), compared: resolution.pairs.len(), pairs };
    page.write(&mut out).context("cannot write the results")?;
    out.finish()
}

/// Returns the pairs whose probability is nearest to the threshold, the nearest first; equally near ones by row.
fn most_doubtful(pairs: &[ScoredPair], threshold: f64, count: usize) -> Vec<ScoredPair> {
    let doubt = |scored: &ScoredPair| (scored.probability - threshold).abs();
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|one, other| doubt(one).total_cmp(&doubt(other)).then_with(|| one.pair.cmp(&other.pair)));
    sorted.truncate(count);
    sorted
}

fn title(input: &Input) -> String {
    let names: Vec<String> = input.each().map(|table| table.path.display().to_string()).collect();
    format!("Pairs of {}", names.join(" and "))
}

struct Page<'a> {
    title: String,
    /// Number of pairs compared; the page has the most doubtful.
    compared: usize,
    pairs: Vec<Pair<'a>>,
}

/// A pair as it is shown.
struct Pair<'a> {
    left: Side<'a>,
    right: Side<'a>,
    probability: f64,
    is_match: bool,
}

struct Side<'a> {
    name: String,
    record: &'a Record,
}

impl<'a> Pair<'a> {
    fn of(input: &'a Input, resolution: &Resolution, scored: &ScoredPair) -> Self {
        let ScoredPair { pair, probability } = *scored;
        let (left, right) = input.tables().records(pair);
        let (of_left, of_right) = resolution.distinct.counts(pair);
        // The first two rows of equal ones: the right one stands for the others.
        let (of_left, of_right) =
            if resolution.distinct.first(pair).is_none() { (1, of_right - 1) } else { (of_left, of_right) };
        Self {
            left: Side { name: named(input.left.name(pair.left), of_left), record: left },
            right: Side { name: named(input.right().name(pair.right), of_right), record: right },
            probability,
            is_match: resolution.clusters.has(pair),
        }
    }

    /// Returns the columns of both records with their values, those of one name together.
    fn rows(&self) -> Vec<(&str, &str, &str)> {
        let mut further: Vec<(&str, &str)> = self.right.record.fields().collect();
        let mut rows = Vec::new();
        for (name, left) in self.left.record.fields() {
            let same = further.iter().position(|(other, _)| folded(other) == folded(name));
            let right = same.map_or("", |at| further.remove(at).1);
            rows.push((name, left, right));
        }
        rows.extend(further.into_iter().map(|(name, right)| (name, "", right)));
        rows
    }
}

/// Returns the name of a row that stands for so many rows.
fn named(name: String, rows: u32) -> String {
    match rows {
        1 => name,
        rows => format!("{name} (and {})", counted(u64::from(rows) - 1, "equal row")),
    }
}

impl Page<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let title = Escaped(&self.title);
        writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>")?;
        writeln!(out, "<body data-pairs=\"{:016x}\">\n<header><h1 dir=\"auto\">{title}</h1>", self.fingerprint())?;
        let (shown, compared) = (counted(self.pairs.len() as u64, "pair"), grouped(self.compared as u64));
        writeln!(
            out,
            "<p>{shown} of {compared} compared, the most doubtful first. Words that the other record lacks are marked.</p>"
        )?;
        writeln!(
            out,
            "<p class=\"tools\" hidden><span class=\"keyboard\"><kbd>j</kbd> next</span> \
             <span class=\"keyboard\"><kbd>k</kbd> previous</span> <span class=\"keyboard\"><kbd>y</kbd> same</span> \
             <span class=\"keyboard\"><kbd>n</kbd> different</span> <span class=\"keyboard\"><kbd>u</kbd> take back</span> \
             <span id=\"judged\" role=\"status\"></span> \
             <button type=\"button\" id=\"save\">Save judgements (CSV)</button></p>"
        )?;
        writeln!(out, "</header>\n<main>")?;
        for (number, pair) in (1..).zip(&self.pairs) {
            pair.write(out, number)?;
        }
        writeln!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }

    /// Returns a hash of the pairs, under which the browser keeps their judgements.
    fn fingerprint(&self) -> u64 {
        let texts = self.pairs.iter().flat_map(|pair| [&pair.left, &pair.right]);
        stable_hash(&texts.map(|side| side.record.serialized()).collect::<Vec<_>>().join("\n"))
    }
}

impl Pair<'_> {
    fn write(&self, out: &mut impl Write, number: usize) -> io::Result<()> {
        let [left, right] = [&self.left, &self.right].map(|side| side.record.serialized());
        let (left, right) = (Escaped(&left), Escaped(&right));
        writeln!(out, "<article id=\"pair-{number}\" tabindex=\"-1\" data-left=\"{left}\" data-right=\"{right}\">")?;
        let decision = if self.is_match { "match" } else { "no match" };
        let width = self.probability.clamp(0.0, 1.0) * 100.0;
        writeln!(
            out,
            "<h2>{number} <span class=\"bar\"><i style=\"width:{width:.0}%\"></i></span> <span>{:.3}</span> \
             <small>{decision}</small> <b class=\"judgement\"></b></h2>",
            self.probability
        )?;
        let (left, right) = (Escaped(&self.left.name), Escaped(&self.right.name));
        writeln!(
            out,
            "<table><thead><tr><td></td><th scope=\"col\"><bdi>{left}</bdi></th><th scope=\"col\"><bdi>{right}</bdi></th></tr></thead><tbody>"
        )?;
        for (name, left, right) in self.rows() {
            let (left_words, right_words) = (words(left), words(right));
            let class = if left_words == right_words { "" } else { " class=\"differs\"" };
            write!(out, "<tr{class}><th scope=\"row\"><bdi>{}</bdi></th>", Escaped(name))?;
            write_cell(out, left, &right_words)?;
            write_cell(out, right, &left_words)?;
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table>")?;
        writeln!(
            out,
            "<p class=\"tools\" hidden><button type=\"button\" value=\"1\">Same</button> \
             <button type=\"button\" value=\"0\">Different</button></p>\n</article>"
        )
    }
}

/// Writes a value; words that the other value lacks are marked.
fn write_cell(out: &mut impl Write, value: &str, other: &HashSet<String>) -> io::Result<()> {
    write!(out, "<td dir=\"auto\">")?;
    for (number, word) in value.split_whitespace().enumerate() {
        let space = if number == 0 { "" } else { " " };
        match words(word).is_subset(other) {
            true => write!(out, "{space}{}", Escaped(word))?,
            false => write!(out, "{space}<mark>{}</mark>", Escaped(word))?,
        }
    }
    write!(out, "</td>")
}

/// Returns the words of a value in their normal form.
fn words(value: &str) -> HashSet<String> {
    NormalizedName::new(value).tokens().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use truename_records::RecordPair;

    use super::*;

    fn record(values: [&str; 2]) -> Record {
        Record::new(&["Title".to_owned(), "year".to_owned()].into(), values.map(str::to_owned).to_vec())
    }

    fn page(left: &Record, right: &Record) -> String {
        let side = |record, name: &str| Side { name: name.to_owned(), record };
        let pair = Pair { left: side(left, "1"), right: side(right, "<2>"), probability: 0.5, is_match: true };
        let page = Page { title: "Pairs of <a>".into(), compared: 1000, pairs: vec![pair] };
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
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
    fn the_most_doubtful_come_first_and_columns_of_one_name_together() {
        let scored = |row, probability| ScoredPair { pair: RecordPair { left: row, right: row + 1 }, probability };
        let pairs = [scored(0, 0.9), scored(1, 0.45), scored(2, 0.55), scored(3, 0.1)];
        let rows: Vec<u32> = most_doubtful(&pairs, 0.5, 3).iter().map(|scored| scored.pair.left).collect();
        assert_eq!(rows[2..], [0]);
        let other = Record::new(&["YEAR".to_owned(), "x".to_owned()].into(), vec!["1".into(), "2".into()]);
        let left = record(["a", "1993"]);
        let side = |record| Side { name: String::new(), record };
        let pair = Pair { left: side(&left), right: side(&other), probability: 0.0, is_match: false };
        assert_eq!(pair.rows(), [("Title", "a", ""), ("year", "1993", "1"), ("x", "", "2")]);
    }
}
