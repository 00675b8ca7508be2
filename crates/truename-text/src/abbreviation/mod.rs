//! Abbreviations that a text itself defines: "thyroid peroxidase (TPO)".
//!
//! Half of a definition stands in brackets, the other half before them, in either order
//! (Schwartz and Hearst 2003); or a sign stands between them (`sign.rs`). The letters of the short form are then found
//! in the long form from its end backwards. Sohn, Comeau, Kim and Wilbur (2008, "Abbreviation definition identification based on automatic precision
//! estimates") try seventeen ways of doing so, the most precise first. Here each letter has a cost by where it stands
//! (at the start of a word: none), the cheapest alignment is taken, and longer short forms may cost more.
//! The costs were chosen on the records of MED1250 with even index; `truename-bench abbreviations` measures them.

mod bracket;
mod compound;
mod short_form;
mod sign;
mod vocabulary;
mod window;
mod words_backwards;

use self::bracket::{Bracket, brackets, is_balanced, labels};
use self::short_form::ShortForm;
use self::vocabulary::is_stop_word;
use self::window::Window;
use self::words_backwards::WordsBackwards;
use crate::Span;

/// A short form and the long form it stands for, as one text defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Abbreviation {
    /// The short form where it is defined.
    pub short: Span,
    /// The long form beside it; the two share no byte.
    pub long: Span,
}

/// Definitions in `text`, in the order in which they stand.
///
/// Time is linear in the length of the text, whatever is in it.
///
/// ```
/// let text = "Antibodies to thyroid peroxidase (TPO; see below) were measured.";
/// let found = truename_text::abbreviations(text);
/// assert_eq!(found.len(), 1);
/// assert_eq!(&text[found[0].short.range()], "TPO");
/// assert_eq!(&text[found[0].long.range()], "thyroid peroxidase");
/// ```
pub fn abbreviations(text: &str) -> Vec<Abbreviation> {
    let brackets = brackets(text);
    let labels = labels(text, &brackets);
    let unlabelled = brackets.iter().zip(labels).filter(|(_, is_label)| !is_label);
    let mut found: Vec<Abbreviation> = unlabelled.filter_map(|(bracket, _)| definition(text, *bracket)).collect();
    found.extend(sign::definitions(text));
    found.sort_unstable_by_key(|one| (one.short.start.min(one.long.start), one.short));
    found.dedup();
    found
}

/// Returns the likeliest definition with a half, or both, in a bracket.
fn definition(text: &str, bracket: Bracket) -> Option<Abbreviation> {
    let before = Span::new(0, bracket.open);
    let first = first_part(text, bracket.content);
    let usual = aligned(text, first, before);
    let swapped = name_at_end(text, before).and_then(|short| aligned(text, short, first));
    let swapped = swapped.filter(|(_, found)| starts_with_long(text, first, found.long));
    let inside = last_part(text, bracket.content).and_then(|(long, short)| aligned(text, short, long));
    [usual, swapped, inside].into_iter().flatten().min_by_key(|(cost, _)| *cost).map(|(_, found)| found)
}

/// Returns the content of a bracket up to a comma or semicolon: "(TPO; see text)", "(TPO, n = 3)".
fn first_part(text: &str, content: Span) -> Span {
    let piece = &text[content.range()];
    let mut ends = piece.match_indices([';', ',']).map(|(at, _)| at);
    let end = ends.find(|at| !piece[at + 1..].starts_with(|next: char| !next.is_whitespace())).unwrap_or(piece.len());
    Span::new(content.start, content.start + end).trimmed(text, char::is_whitespace)
}

/// Returns the content before and after its last comma or semicolon: "(thyroid peroxidase, TPO)".
fn last_part(text: &str, content: Span) -> Option<(Span, Span)> {
    let at = content.start + text[content.range()].rfind([';', ','])?;
    let [long, short] = [Span::new(content.start, at), Span::new(at + 1, content.end)];
    Some((long, short.trimmed(text, char::is_whitespace)))
}

/// Returns the last word of `before` where it looks like an abbreviation: more than one character, one of them a capital.
fn name_at_end(text: &str, before: Span) -> Option<Span> {
    let short = WordsBackwards::new(text, before).next()?.span;
    let piece = &text[short.range()];
    let is_name = piece.contains(char::is_uppercase) && piece.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some();
    is_name.then_some(short)
}

/// Returns true if only stop words stand before the long form in its part of the bracket: "TPO (the thyroid peroxidase)".
fn starts_with_long(text: &str, part: Span, long: Span) -> bool {
    text[part.start..long.start].split_whitespace().all(is_stop_word)
}

/// Returns the definition of `short` by the end of `side`, after its cost.
fn aligned(text: &str, short: Span, side: Span) -> Option<(u32, Abbreviation)> {
    let form = ShortForm::new(&text[short.range()])?;
    let window = Window::new(text, side, form.longest_long_form())?;
    let (cost, start) = form.align(&window)?;
    let long = Span::new(start, window.end);
    let pieces = [long, short].map(|span| &text[span.range()]);
    let is_definition = pieces[0].len() > pieces[1].len() && is_balanced(pieces[0]) && !has_words(pieces[0], pieces[1]);
    is_definition.then_some((cost, Abbreviation { short, long }))
}

/// Returns true if the words of `short` stand in `long`, which then explains nothing.
fn has_words(long: &str, short: &str) -> bool {
    let [long, short] = [long, short].map(|form| {
        let words = form.split_whitespace().map(str::to_lowercase);
        words.fold(" ".to_owned(), |joined, word| joined + &word + " ")
    });
    long.contains(&short)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    /// Returns the definitions as "short = long", joined by "; ".
    fn found(text: &str) -> String {
        let pairs = abbreviations(text).into_iter();
        let lines = pairs.map(|pair| format!("{} = {}", &text[pair.short.range()], &text[pair.long.range()]));
        lines.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn each_rule_has_a_case_for_it_and_one_against_it() {
        let cases = [
            // Either order, round and square brackets, both halves inside.
            ("A green tea pot (GTP) broke.", "GTP = green tea pot"),
            ("A green tea pot (XQZ) broke.", ""),
            ("The GTP (green tea pot) broke.", "GTP = green tea pot"),
            ("The gtp (green tea pot) broke.", ""),
            ("The GTP (a small and green tea pot) broke.", ""),
            ("A green tea pot [GTP] broke.", "GTP = green tea pot"),
            ("It broke (green tea pot, GTP).", "GTP = green tea pot"),
            ("It broke (red coffee cup, GTP).", ""),
            // What may follow a short form.
            ("A green tea pot (GTP; see below) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP, n = 3) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP-like) broke.", ""),
            ("A green tea pot (GTP)-shaped cup.", "GTP = green tea pot"),
            ("A green tea pot (GTP)ase.", ""),
            ("A third hot [3H]-shaped cup.", ""),
            ("An iron in iron (III) oxide.", ""),
            // What may stand before one, and other brackets.
            ("A green tea pot (\"GTP\") broke.", "GTP = green tea pot"),
            ("A green tea pot (henceforth, GTP) broke.", "GTP = green tea pot"),
            ("A green tea pot (abbreviated as \u{201c}GTP\u{201d}) broke.", "GTP = green tea pot"),
            ("A green tea pot (hereinafter GTP; see below) broke.", "GTP = green tea pot"),
            ("The GTP (or green tea pot) broke.", "GTP = green tea pot"),
            ("A green tea pot\u{ff08}GTP\u{ff09}broke.", "GTP = green tea pot"),
            ("A green tea pot (orange) broke.", ""),
            ("A green tea pot (a.k.a. GTP) broke.", "GTP = green tea pot"),
            ("A green tea pot («GTP») broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP [1, 2]) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP (1)) broke.", "GTP = green tea pot"),
            ("A green tea pot (GTP: C92.0) broke.", "GTP = green tea pot"),
            ("A green tea pot [GTP](http://example.org) broke.", ""),
            ("A green tea pot (the \"GTP\" of old) broke.", ""),
            // Brackets in brackets, and around.
            ("All broke (also the green tea pot (GTP)).", "GTP = green tea pot"),
            ("All broke (also the green) tea pot (GTP).", ""),
            ("The green tea pot (GTP) lid (GTPL) broke.", "GTP = green tea pot; GTPL = green tea pot (GTP) lid"),
            ("A benzo[a]fluorene(BaF) spot.", "BaF = benzo[a]fluorene"),
            ("A polyadenyl(A) spot.", ""),
            // Words left out, and the cheapest alignment.
            ("The ministry of home affairs (MHA) met.", "MHA = ministry of home affairs"),
            ("The ministry seldom saw home affairs (MHA).", ""),
            ("A bad boat in the broad bay (BB) sank.", "BB = broad bay"),
            ("The lid of tin on the old tea pot (OTP).", "OTP = old tea pot"),
            // Letters inside words: hyphens, slashes, combining forms, plurals, contiguous letters.
            ("A salt-water boat (SWB) sank.", "SWB = salt-water boat"),
            ("A salted boat (SLTDB) sank.", "SLTDB = salted boat"),
            ("Two salt water boats (SWBs) sank.", "SWBs = salt water boats"),
            ("Some cup/tea pot (TP) broke.", "TP = tea pot"),
            ("Some hydrocolourant (HC) was spilt.", "HC = hydrocolourant"),
            ("Some colourhydrant (LH) was spilt.", ""),
            ("The tinned soup (NS) was eaten.", ""),
            // Locants, digits, number words, Greek letters, accents.
            ("Some 2,6-dichlorofoobar (DCF) was spilt.", "DCF = 2,6-dichlorofoobar"),
            ("Some nitrous oxide (N2O) was spilt.", "N2O = nitrous oxide"),
            ("Some carbon oxide (22O) was spilt.", ""),
            ("A three-dimensional (3D) pot.", "3D = three-dimensional"),
            ("A two-dimensional (3D) pot.", ""),
            ("The foo bar protein alpha (FBPα) rose.", "FBPα = foo bar protein alpha"),
            ("The foo bar protein β (FBP-b) rose.", "FBP-b = foo bar protein β"),
            ("The étude comparée (EC) ended.", "EC = étude comparée"),
            // Signs.
            ("GTP = green tea pot, TP = tea pot.", "GTP = green tea pot; TP = tea pot"),
            ("(GTP = green tea pot; TP=tea pot)", "GTP = green tea pot; TP = tea pot"),
            ("A green tea pot (=GTP) broke.", "GTP = green tea pot"),
            ("GTP = 5 green tea pots, TP = cup", ""),
            ("A green tea pot, GTP, broke.", "GTP = green tea pot"),
            ("A green tea pot, or GTP, broke.", "GTP = green tea pot"),
            ("A great teapot, GTP, broke. Green tea pots, GTP broke", ""),
            ("gtp = green tea pot, GTP == green tea pot, x = A", ""),
            ("GTP: green tea pot", ""),
            ("Abbreviations: GTP: green tea pot; CI, cup\ninner. TP: cup", "GTP = green tea pot; CI = cup\ninner"),
            (
                "LIST OF ABBREVIATIONS\n\nGTP\tgreen tea pot\nTP – tea pot\n\nCI: cup inner",
                "GTP = green tea pot; TP = tea pot",
            ),
            ("Abbreviations were few: GTP-bound green tea pot", ""),
            // What is no short form.
            ("The green tea pot (G T P) broke.", ""),
            ("The green tea pot (+GTP) broke.", ""),
            ("The many women (men) came.", ""),
            ("The pressure (p<5) fell.", ""),
            ("After 5 miles (5 m) it broke.", ""),
            ("It has (a) an armchair and (b) a bed.", ""),
            ("It has an armchair (A) and a tall bed (X).", "A = armchair"),
            ("The abcdefghijkl mno (ABCDEFGHIJKL) rose.", ""),
            ("The lid of the GTP pot (GTP) broke.", ""),
            // Ends of sentences and paragraphs, initials, dashes, quotes.
            ("He saw green. Tea pots (GTP) broke.", ""),
            ("He saw green: tea pots (GTP) broke.", ""),
            ("The U.S. Tea Office (USTO) met.", "USTO = U.S. Tea Office"),
            ("Green\n\ntea pot (GTP)", ""),
            ("A green\r\ntea\npot\r\n(GTP) broke.", "GTP = green\r\ntea\npot"),
            ("Odd things--tea pots (TP) broke.", "TP = tea pots"),
            ("A \u{201c}green tea pot\u{201d} (GTP) broke.", "GTP = green tea pot"),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn brackets_without_end_take_no_time() {
        let start = Instant::now();
        for piece in [
            "(",
            "(a",
            "(a) ",
            "a (A) ",
            "[(",
            ") (aa",
            "a-a aa (aaaaaaaaaa) aaa ",
            "((((((a))))))",
            "(\u{3b1}\u{3000}",
            "AA=a,a,a,a",
            "Abbreviations: AA:",
        ] {
            let text = piece.repeat((1 << 20) / piece.len());
            abbreviations(&text);
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn spans_slice_the_text_and_do_not_overlap(
            text in prop_oneof![".{0,80}", "([abA2α’é. -]{0,8}[(\\[][abA2α,; -]{0,8}[)\\]]){0,6}", "[abA() \n\u{300}ß-]{0,80}"]
        ) {
            for pair in abbreviations(&text) {
                prop_assert!(pair.short.of(&text).is_some() && pair.long.of(&text).is_some());
                prop_assert!(!pair.short.overlaps(pair.long));
            }
        }
    }
}
