//! The pictures as they were last looked at. `TRUENAME_RENEW=1 cargo test -p truename-eval --test it pictures::`
//! writes them anew; look at them before you commit them.

use std::path::Path;

use truename_eval::mentions::{FoundMention, JudgedDocument, Margins, ThresholdCurve};
use truename_eval::{Answer, JudgedName, NameScores, plot};
use truename_text::{Mention, Span};

fn assert_same(name: &str, picture: &str) {
    // Cargo runs tests in the folder of their crate, which may be elsewhere than it was built.
    let path = Path::new("tests/pictures").join(name);
    if std::env::var_os("TRUENAME_RENEW").is_some() {
        std::fs::write(&path, picture).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == picture, "{} is not what is drawn now:\n{picture}", path.display());
}

fn name(gold: &[&str], id: &str, probability: f64) -> JudgedName {
    JudgedName::new("name", gold, vec![Answer { id: id.into(), probability }], false)
}

/// Nine names: in the bins of the reliability diagram 1, 4 and 4 of them.
fn scores() -> NameScores {
    let with = [("B", 0.25), ("A", 0.55), ("B", 0.55), ("A", 0.95), ("A", 0.95), ("A", 0.975), ("B", 0.925)]
        .map(|(id, probability)| name(&["A"], id, probability));
    let without = [0.525, 0.575].map(|probability| name(&[], "A", probability));
    NameScores::of(&[&with[..], &without].concat())
}

#[test]
fn reliability() {
    assert_same("reliability.svg", &plot::reliability(&scores()));
}

#[test]
fn nil_roc() {
    assert_same("nil-roc.svg", &plot::nil_roc(&scores()));
}

#[test]
fn nothing_to_draw() {
    let scores = NameScores::of(&[]);
    assert_same("reliability-of-nothing.svg", &plot::reliability(&scores));
    assert_same("nil-roc-of-nothing.svg", &plot::nil_roc(&scores));
}

#[test]
fn thresholds() {
    // Eight mentions; those with the margins -1 and 0.5 are wrong.
    let span = |at: usize| Span::new(2 * at, 2 * at + 1);
    let gold = [0, 1, 3, 4, 5, 7].map(|at| Mention::new(span(at), "N", None)).to_vec();
    let margins = [2.0, 1.0, 0.5, 0.25, -0.25, -0.5, -1.0, -1.5];
    let mention = |(at, margin)| FoundMention { margin: Some(margin), ..FoundMention::new(span(at), "N") };
    let found = margins.iter().copied().enumerate().map(mention);
    let documents = [JudgedDocument { gold, found: found.collect(), ..JudgedDocument::default() }];
    let curve = |margins| ThresholdCurve::of(&documents, true, margins).unwrap();
    assert_same("thresholds.svg", &plot::thresholds(&curve(Margins::Range { low: -2.0, high: 2.0, points: 41 })));
    assert_same("thresholds-of-one.svg", &plot::thresholds(&curve(Margins::Range { low: 0.0, high: 0.0, points: 2 })));
}
