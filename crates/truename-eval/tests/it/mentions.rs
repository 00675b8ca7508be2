//! Worked cases for the scores of recognized mentions.

use truename_eval::mentions::{
    FoundMention, JudgedDocument, Margins, MentionError, MentionErrorKind, MentionErrors, RecognitionScores,
    ThresholdCurve, TrainingTexts,
};
use truename_text::{Document, Mention, Span};

/// A document whose mentions are told by their text, at its first occurrence, and their type.
fn document(text: &str, gold: &[(&str, &str)], found: &[(&str, &str)]) -> JudgedDocument {
    let span = |piece: &str| {
        let start = text.find(piece).unwrap();
        Span::new(start, start + piece.len())
    };
    JudgedDocument {
        id: "7".into(),
        text: text.into(),
        gold: gold.iter().map(|(piece, kind)| Mention::new(span(piece), *kind, None)).collect(),
        found: found.iter().map(|(piece, kind)| FoundMention::new(span(piece), *kind)).collect(),
    }
}

fn errors(document: JudgedDocument) -> Vec<MentionError> {
    MentionErrors::of(&[document], true, None).errors
}

/// Kind, type, found and gold texts of the errors.
fn told(document: JudgedDocument) -> Vec<(MentionErrorKind, String, String, String)> {
    let joined = |texts: &[truename_eval::mentions::ErrorText]| {
        texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join(" / ")
    };
    let told = |error: MentionError| {
        let kind = match &error.found_type {
            Some(found) => format!("{} as {found}", error.mention_type),
            None => error.mention_type.clone(),
        };
        (error.kind, kind, joined(&error.found), joined(&error.gold))
    };
    errors(document).into_iter().map(told).collect()
}

#[test]
fn each_criterion_asks_for_its_part_of_the_bounds() {
    let text = "human T cells died";
    for (found, kind, met) in [
        ("T cells", "cell", [true, true, true, true]),
        ("T cell", "Cell", [false, true, false, true]),
        ("human T cells", "Cell", [false, false, true, true]),
        ("human T", "Cell", [false, false, false, true]),
        ("human", "Cell", [false; 4]),
        ("T cells", "Protein", [false; 4]),
    ] {
        let scores = RecognitionScores::of(&[document(text, &[("T cells", "Cell")], &[(found, kind)])], true);
        let of = scores.all.mentions;
        let recalls = [of.strict, of.start, of.end, of.loose].map(|score| score.recall == 1.0);
        let precisions = [of.strict, of.start, of.end, of.loose].map(|score| score.precision == 1.0);
        assert_eq!((recalls, precisions), (met, met), "{found} {kind}");
    }
}

#[test]
fn every_type_is_compared_and_scored() {
    let gold = [("aspirin", "Chemical"), ("cold", "Disease"), ("fever", "Disease")];
    let found = [("aspirin", "chemical"), ("cold", "Chemical"), ("a", "Gene")];
    let scores = RecognitionScores::of(&[document("aspirin for a cold and fever", &gold, &found)], true);
    let all = scores.all.mentions.strict;
    assert_eq!((all.found, all.gold, all.precision, all.recall, all.f1), (3, 3, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0));
    let chemical = scores.types["Chemical"].mentions.strict;
    assert_eq!((chemical.found, chemical.gold, chemical.precision, chemical.recall), (2, 1, 0.5, 1.0));
    let disease = scores.types["Disease"].mentions.strict;
    assert_eq!((disease.found, disease.gold, disease.recall), (0, 2, 0.0));
    assert_eq!(scores.types_compared.iter().collect::<Vec<_>>(), ["Chemical", "Disease"]);
    assert_eq!(scores.other_types.into_iter().collect::<Vec<_>>(), [("Gene".to_owned(), 1)]);
    let json = serde_json::to_value(RecognitionScores::of(&[], true)).unwrap();
    assert_eq!(json["mentions"]["strict"]["f1"], 0.0);
}

#[test]
fn spans_alone_are_compared_where_the_recognizer_has_no_types() {
    let gold = [("aspirin", "Chemical"), ("cold", "Disease")];
    let scores = RecognitionScores::of(&[document("aspirin for a cold", &gold, &[("cold", ""), ("for", "")])], false);
    let all = scores.all.mentions.strict;
    assert_eq!((all.precision, all.recall), (0.5, 0.5));
    assert_eq!(["Chemical", "Disease"].map(|kind| scores.types[kind].mentions.strict.recall), [0.0, 1.0]);
    assert!(scores.types_compared.is_empty());
}

#[test]
fn nested_mentions_count_each_and_duplicates_once() {
    let gold = [("human GR", "Protein"), ("GR", "Protein"), ("GR", "DNA"), ("GR", "DNA")];
    let found = [("GR", "DNA"), ("GR", "dna"), ("GR", "Protein")];
    let all = RecognitionScores::of(&[document("human GR", &gold, &found)], true).all.mentions.strict;
    assert_eq!((all.found, all.gold, all.precision, all.recall), (2, 3, 1.0, 2.0 / 3.0));
}

#[test]
fn pieces_must_be_the_same() {
    let mut document =
        document("left and right arm", &[("left and right arm", "Body")], &[("left and right arm", "Body")]);
    document.gold[0].fragments = vec![Span::new(0, 4), Span::new(15, 18)];
    let of = RecognitionScores::of(std::slice::from_ref(&document), true).all.mentions;
    assert_eq!((of.strict.f1, of.loose.f1), (0.0, 1.0));
    assert_eq!(
        told(document),
        [(MentionErrorKind::Bounds, "Body".into(), "left and right arm".into(), "left arm".into())]
    );
}

#[test]
fn undecided_mentions_do_not_count() {
    let gold = [("cold", "unknown"), ("lead", "unknown"), ("lead", "Chemical"), ("fever", "Disease")];
    let found = [("cold", "Disease"), ("lead", "Disease"), ("and", "unknown"), ("a cold", "Disease")];
    let document = document("a cold and lead and fever", &gold, &found);
    let scores = RecognitionScores::of(std::slice::from_ref(&document), true);
    assert_eq!((scores.all.mentions.strict.found, scores.all.mentions.strict.gold), (2, 2));
    assert!(!scores.types.contains_key("unknown") && scores.undecided == 2);
    let kinds: Vec<_> = told(document).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, [MentionErrorKind::WrongType, MentionErrorKind::Missed, MentionErrorKind::Spurious]);
}

/// The examples of the paper's table 8, and others.
#[test]
fn errors_have_kinds() {
    use MentionErrorKind::{Bounds, Genitive, Merged, Missed, Modifier, Split, Spurious, WrongType};
    let line = "EBV-transformed human B cell line SKW6.4";
    let parts = ["EBV-transformed human B cell line", "SKW6.4"];
    let cases: [(&str, &[&str], &[&str], MentionErrorKind); 17] = [
        ("f-14 tomcats", &["tomcats"], &["f-14 tomcats"], Modifier),
        ("a cruise ship", &["cruise ship"], &["ship"], Modifier),
        ("second-site LTR revertants", &["second-site LTR"], &["second-site LTR revertants"], Modifier),
        ("anti-CD28", &["CD28"], &["anti-CD28"], Modifier),
        ("the attendant's", &["attendant's"], &["attendant"], Genitive),
        ("the attendant 's", &["attendant"], &["attendant 's"], Genitive),
        ("the nurses’ ward", &["nurses"], &["nurses’"], Genitive),
        ("Dr. Germ", &["Dr", "Germ"], &["Dr. Germ"], Merged),
        ("Dr. Germ", &["Dr. Germ"], &["Dr", "Germ"], Split),
        (line, &parts, &[line], Merged),
        // Nested gold mentions are no several ones.
        ("human T cells", &["T cells", "cells"], &["human T cells"], Modifier),
        ("tumors", &["tumor"], &["tumors"], Bounds),
        ("left breast cancer", &["breast cancer"], &["left breast"], Bounds),
        ("left breast cancer cells", &["breast cancer"], &["left breast cancer cells"], Bounds),
        ("fever", &["fever"], &[], Missed),
        ("fever", &[], &["fever"], Spurious),
        ("fever", &["fever"], &["fever"], WrongType),
    ];
    for (text, gold, found, expected) in cases {
        let kind = if expected == WrongType { "Chemical" } else { "Disease" };
        let gold: Vec<_> = gold.iter().map(|text| (*text, "Disease")).collect();
        let found: Vec<_> = found.iter().map(|text| (*text, kind)).collect();
        let first = told(document(text, &gold, &found)).remove(0);
        assert_eq!(first.0, expected, "{text}: {first:?}");
    }
    let merged = told(document(line, &[(parts[0], "Cell"), (parts[1], "Cell")], &[(line, "Cell")]));
    assert_eq!(merged, [(Merged, "Cell".into(), line.into(), parts.join(" / "))]);
}

#[test]
fn an_error_is_of_one_type_and_right_mentions_make_none() {
    use MentionErrorKind::{Merged, Missed, Modifier, Spurious, WrongType};
    let text = "cisplatin nephrotoxicity and human GR";
    let gold = [("cisplatin", "Chemical"), ("nephrotoxicity", "Disease"), ("GR", "Protein")];
    let found = [("cisplatin nephrotoxicity", "Disease"), ("human GR", "Protein"), ("GR", "Protein")];
    let of = told(document(text, &gold, &found));
    assert_eq!(of.iter().map(|error| error.0).collect::<Vec<_>>(), [Modifier, Missed, Spurious]);
    assert!(of.iter().all(|error| error.0 != Merged));
    let of = told(document(text, &[("GR", "Protein"), ("human GR", "Protein")], &[("GR", "DNA"), ("GR", "Protein")]));
    assert_eq!(of.iter().map(|error| error.0).collect::<Vec<_>>(), [Missed, Spurious]);
    let of = told(document(text, &[("GR", "Protein")], &[("GR", "DNA"), ("human GR", "Protein")]));
    assert_eq!(of[0], (WrongType, "Protein as DNA".into(), "GR".into(), "GR".into()));
    assert_eq!(of[1].0, Spurious);
}

#[test]
fn errors_are_counted_with_the_frequency_of_their_texts() {
    let mut training = TrainingTexts::default();
    let mut train = Document::new("1", "T cells, t\ncells and GR");
    for (start, end) in [(0, 7), (9, 16), (21, 23)] {
        train.mentions.push(Mention::new(Span::new(start, end), "Cell", None));
    }
    training.add(&train);
    let modifier = || document("unstimulated T\ncells", &[("T\ncells", "Cell")], &[("unstimulated T\ncells", "Cell")]);
    let folded = document("Unstimulated t cells", &[("t cells", "cell")], &[("Unstimulated t cells", "cell")]);
    let missed = document("a GR", &[("GR", "Protein")], &[]);
    let all = MentionErrors::of(&[missed, modifier(), folded], true, Some(&training));
    assert_eq!(all.errors.iter().map(|error| error.count).collect::<Vec<_>>(), [2, 1]);
    let expected = serde_json::json!({
        "kind": "modifier",
        "type": "Cell",
        "found": [{"text": "unstimulated T cells", "in_training": 0}],
        "gold": [{"text": "T cells", "in_training": 2}],
        "count": 2,
        "example": ["7", 13],
    });
    assert_eq!(serde_json::to_value(&all.errors[0]).unwrap(), expected);
    assert_eq!(serde_json::to_value(&all.kinds).unwrap(), serde_json::json!({"modifier": 2, "missed": 1}));
    let without = serde_json::to_value(&errors(modifier())[0]).unwrap();
    assert_eq!(without["gold"], serde_json::json!([{"text": "T cells"}]));
}

/// Four gold mentions; found ones by falling margin: right, right, wrong, right, and one right that always counts.
fn with_margins() -> JudgedDocument {
    let text = "one two three four five";
    let gold = [("one", "N"), ("two", "N"), ("four", "N"), ("five", "N")];
    let found = [("one", "N"), ("two", "N"), ("three", "N"), ("four", "N"), ("five", "N")];
    let mut document = document(text, &gold, &found);
    let margins = [Some(2.0), Some(1.0), Some(-0.5), Some(-1.0), None];
    document.found.iter_mut().zip(margins).for_each(|(mention, margin)| mention.margin = margin);
    document
}

#[test]
fn scores_and_errors_count_mentions_above_the_threshold() {
    let document = [with_margins()];
    let strict = RecognitionScores::of(&document, true).all.mentions.strict;
    assert_eq!((strict.found, strict.precision, strict.recall), (3, 1.0, 0.75));
    let errors = MentionErrors::of(&document, true, None);
    assert_eq!(errors.kinds.into_iter().collect::<Vec<_>>(), [(MentionErrorKind::Missed, 1)]);
}

#[test]
fn a_curve_has_the_scores_at_other_thresholds() {
    let document = [with_margins()];
    let curve = |margins| ThresholdCurve::of(&document, true, margins).unwrap();
    let all = curve(Margins::Range { low: -2.0, high: 2.0, points: 5 });
    let points: Vec<(f64, f64, f64)> =
        all.points.iter().map(|point| (point.margin, point.scores.precision, point.scores.recall)).collect();
    // A mention at the margin itself does not count.
    let expected = [(-2.0, 0.8, 1.0), (-1.0, 0.75, 0.75), (0.0, 1.0, 0.75), (1.0, 1.0, 0.5), (2.0, 1.0, 0.25)];
    assert_eq!(points, expected);
    assert_eq!((all.own.margin, all.own.scores.found, all.own.scores.recall), (0.0, 3, 0.75));
    // F1: 8/9 at -2, 6/7 at 0.
    assert!(all.best.margin == -2.0 && (all.best.scores.f1 - 8.0 / 9.0).abs() < 1e-12, "{:?}", all.best);
    let quantiles: Vec<f64> = curve(Margins::Quantiles { points: 4 }).points.iter().map(|point| point.margin).collect();
    assert_eq!(quantiles, [-1.0, -0.5, 1.0, 2.0]);
    // Equally good margins: the own threshold counts.
    assert_eq!(curve(Margins::Range { low: -0.25, high: 0.5, points: 4 }).best.margin, 0.0);
    let json = serde_json::to_value(&all).unwrap();
    assert_eq!((json["own"]["margin"].as_f64(), json["points"][0]["recall"].as_f64()), (Some(0.0), Some(1.0)));
    let mut without = document.clone();
    without[0].found.iter_mut().for_each(|mention| mention.margin = None);
    assert_eq!(ThresholdCurve::of(&without, true, Margins::Quantiles { points: 4 }), None);
}

#[test]
fn many_mentions_take_no_longer_than_they_must() {
    let text = "x ".repeat(50_000);
    let spans = || (0..50_000).map(|at| Span::new(2 * at, 2 * at + 1));
    let gold = spans().map(|span| Mention::new(span, "X", None)).collect();
    let found = spans().map(|span| FoundMention::new(Span::new(span.start, span.end + 1), "X")).collect();
    let document = [JudgedDocument { text, gold, found, ..JudgedDocument::default() }];
    assert_eq!(RecognitionScores::of(&document, true).all.mentions.start.f1, 1.0);
    assert_eq!(MentionErrors::of(&document, true, None).kinds[&MentionErrorKind::Modifier], 50_000);
}

#[test]
fn a_margin_that_is_no_number_never_counts() {
    let mut document = with_margins();
    document.found.iter_mut().for_each(|mention| mention.margin = Some(f64::NAN));
    assert_eq!(RecognitionScores::of(&[document.clone()], true).all.mentions.strict.found, 0);
    assert_eq!(ThresholdCurve::of(&[document], true, Margins::Quantiles { points: 4 }), None);
}
