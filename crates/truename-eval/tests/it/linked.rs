//! Worked cases for the scores of linked documents.

use std::collections::BTreeSet;

use truename_eval::linked::{
    Answer, FoundMention, JudgedDocument, LinkError, LinkErrorKind, LinkedScores, PrecisionRecall, link_errors,
};
use truename_text::{Mention, Span};

fn gold(start: usize, end: usize, mention_type: &str, id: Option<&str>) -> Mention {
    Mention::new(Span::new(start, end), mention_type, id.map(str::to_owned))
}

fn found(start: usize, end: usize, mention_type: &str, id: Option<&str>) -> FoundMention {
    FoundMention {
        span: Span::new(start, end),
        fragments: Vec::new(),
        types: vec![mention_type.into()],
        answer: id.map(answer),
        probability: 0.9,
    }
}

fn answer(id: &str) -> Answer {
    Answer { ids: vec![id.into()] }
}

fn document(gold: Vec<Mention>, found: Vec<FoundMention>) -> JudgedDocument {
    let text = "a Cold and a cough and a COLD and fever".into();
    JudgedDocument { id: "7".into(), text, given: vec![Vec::new(); gold.len()], gold, found }
}

fn scores(documents: &[JudgedDocument]) -> LinkedScores {
    LinkedScores::of(documents, &BTreeSet::from(["disease".to_owned()]))
}

#[test]
fn each_criterion_asks_for_its_part_of_the_bounds() {
    for (one, other, met) in [
        (gold(2, 6, "Disease", None), found(2, 6, "disease", None), [true, true, true, true]),
        (gold(2, 6, "Disease", None), found(2, 5, "disease", None), [false, true, false, true]),
        (gold(2, 6, "Disease", None), found(3, 6, "disease", None), [false, false, true, true]),
        (gold(2, 6, "Disease", None), found(1, 7, "disease", None), [false, false, false, true]),
        (gold(2, 6, "Disease", None), found(6, 7, "disease", None), [false, false, false, false]),
        (gold(2, 6, "Disease", None), found(0, 2, "disease", None), [false, false, false, false]),
        // The knowledge base has this type, so the mention must have it;
        (gold(2, 6, "Disease", None), found(2, 6, "drug", None), [false, false, false, false]),
        // it has none of the name of this one.
        (gold(2, 6, "Organ", None), found(2, 6, "drug", None), [true, true, true, true]),
    ] {
        let of = scores(&[document(vec![one.clone()], vec![other.clone()])]).all.mentions;
        let recalls = [of.strict, of.start, of.end, of.loose].map(|score| score.recall == 1.0);
        let precisions = [of.strict, of.start, of.end, of.loose].map(|score| score.precision == 1.0);
        assert_eq!((recalls, precisions), (met, met), "{one:?} {other:?}");
    }
}

#[test]
fn pieces_must_be_the_same() {
    let mut one = gold(0, 6, "Disease", Some("X:1"));
    one.fragments = vec![Span::new(0, 1), Span::new(2, 6)];
    let mut other = found(0, 6, "disease", Some("X:1"));
    let of = |other: &FoundMention| scores(&[document(vec![one.clone()], vec![other.clone()])]).all;
    assert_eq!((of(&other).mentions.strict.f1, of(&other).end_to_end.f1), (0.0, 0.0));
    other.fragments.clone_from(&one.fragments);
    assert_eq!((of(&other).mentions.strict.f1, of(&other).end_to_end.f1), (1.0, 1.0));
}

#[test]
fn the_names_within_a_composite_mention_count_as_one() {
    let gold = vec![gold(2, 18, "Disease", Some("X:1|X:2")), gold(25, 29, "Disease", Some("X:3"))];
    let part = |end: usize, id: &str| FoundMention {
        fragments: vec![Span::new(2, 3), Span::new(4, end)],
        ..found(2, end, "disease", Some(id))
    };
    let of = |found: Vec<FoundMention>| scores(&[document(gold.clone(), found)]);
    let cases = [
        // Both names are found, of which one ends with the composite mention.
        (vec![part(18, "X:1"), found(13, 18, "disease", Some("X:2"))], [1000, 500], [1000, 500], [1000, 1000]),
        // The second is another concept.
        (vec![part(18, "X:1"), found(13, 18, "disease", Some("X:9"))], [1000, 500], [500, 500], [500, 500]),
        // They end before.
        (vec![part(15, "X:1"), found(13, 15, "disease", Some("X:2"))], [0, 0], [0, 0], [1000, 1000]),
        // No mention is discontinuous, or it reaches out of the composite one.
        (
            vec![found(2, 6, "disease", Some("X:1")), found(13, 18, "disease", Some("X:2"))],
            [0, 0],
            [0, 0],
            [1000, 1000],
        ),
        (vec![part(19, "X:1")], [0, 0], [0, 0], [0, 0]),
    ];
    for (found, strict, end_to_end, concepts) in cases {
        let scores = of(found.clone());
        let both = |score: PrecisionRecall| [rounded(score)[0], rounded(score)[1]];
        assert_eq!(both(scores.all.mentions.strict), strict, "{found:?}");
        assert_eq!(both(scores.all.end_to_end), end_to_end, "{found:?}");
        assert_eq!(both(scores.composites), concepts, "{found:?}");
        assert_eq!(scores.composites.gold, 2);
    }
}

/// Three gold mentions, two of them with an id; four found, three of them with an answer.
fn worked() -> JudgedDocument {
    let mut document = document(
        vec![gold(2, 6, "Disease", Some("X:1")), gold(13, 18, "Disease", Some("X:2|X:3")), gold(25, 29, "Organ", None)],
        vec![
            found(2, 6, "disease", Some("X:1")),
            found(13, 18, "drug", Some("X:3")),
            found(25, 29, "drug", Some("X:9")),
            found(34, 39, "disease", None),
        ],
    );
    document.given = vec![
        vec![answer("X:9"), answer("X:1")],
        [9, 8, 7, 6, 5, 2].map(|id| answer(&format!("X:{id}"))).into(),
        vec![answer("X:1")],
    ];
    document
}

fn rounded(score: PrecisionRecall) -> [u32; 3] {
    [score.precision, score.recall, score.f1].map(|share| (1000.0 * share).round() as u32)
}

#[test]
fn ids_are_scored_with_bounds_for_given_mentions_and_by_document() {
    let scores = scores(&[worked(), worked()]);
    // Of 4 found the first and third are right, of 3 gold mentions the first and third are found.
    assert_eq!(rounded(scores.all.mentions.strict), [500, 667, 571]);
    // Of 3 answers 2 are right, of 2 ids both are found, whatever the type.
    assert_eq!(rounded(scores.all.end_to_end), [667, 1000, 800]);
    assert_eq!((scores.all.end_to_end.found, scores.all.end_to_end.gold), (6, 4));
    // X:1 is second, X:2 sixth.
    let linking = scores.all.linking;
    assert_eq!((linking.accuracy_1, linking.accuracy_5, linking.mentions), (0.0, 0.5, 4));
    // X:1, X:3 and X:9 beside X:1, X:2 and X:3.
    assert_eq!(rounded(scores.documents), [667, 667, 667]);
    assert_eq!((scores.documents.found, scores.documents.gold, scores.document_count), (6, 6, 2));
    let disease = &scores.types["Disease"];
    assert_eq!((disease.mentions.strict.found, disease.mentions.strict.gold), (4, 4));
    assert_eq!(rounded(disease.mentions.strict), [500, 500, 500]);
    assert_eq!(disease.linking.mentions, 4);
    let organ = &scores.types["Organ"];
    assert_eq!((organ.mentions.strict.found, organ.mentions.strict.gold, organ.linking.mentions), (8, 2, 0));
    assert_eq!(rounded(organ.mentions.strict), [250, 1000, 400]);
    assert_eq!(organ.linking.accuracy_1, 0.0);
    assert_eq!(scores.unknown_ids, 0);
}

#[test]
fn a_long_mention_hides_none_after_it() {
    // The first found one ends last, so that a search by ends alone would go wrong.
    let spans = [(0, 39), (2, 6), (13, 18)];
    let all = spans.map(|(start, end)| found(start, end, "disease", None)).into();
    let scores = scores(&[document(vec![gold(25, 29, "Disease", None), gold(13, 18, "Disease", None)], all)]);
    let strict = scores.all.mentions.strict;
    assert_eq!((strict.precision, strict.recall), (1.0 / 3.0, 0.5));
    let loose = scores.all.mentions.loose;
    assert_eq!((loose.precision, loose.recall), (2.0 / 3.0, 1.0));
}

fn error(kind: LinkErrorKind, text: &str, gold: &str, found: &str, count: usize, at: usize) -> LinkError {
    let [text, gold, found] = [text, gold, found].map(str::to_owned);
    LinkError { kind, text, gold, found, count, example: ("7".into(), at) }
}

#[test]
fn errors_are_counted_and_shown_by_their_first() {
    let documents = [document(
        vec![
            gold(2, 6, "Disease", Some("X:1")),
            gold(13, 18, "Disease", Some("X:2")),
            gold(25, 29, "Disease", Some("X:1")),
            gold(30, 33, "Disease", None),
            gold(34, 39, "Disease", Some("X:4")),
        ],
        vec![
            found(2, 6, "disease", Some("X:9")),
            found(11, 18, "disease", Some("X:2")),
            found(25, 29, "disease", Some("X:9")),
            // Its bounds and, as the annotators give no id, its answer are right.
            found(30, 33, "disease", Some("X:5")),
            // Of two that overlap, that with the right bounds counts.
            found(33, 39, "disease", Some("X:5")),
            found(34, 39, "disease", None),
            found(7, 10, "disease", Some("X:5")),
        ],
    )];
    assert_eq!(
        link_errors(&documents),
        [
            error(LinkErrorKind::WrongId, "cold", "X:1", "X:9", 2, 2),
            error(LinkErrorKind::Spurious, "and", "", "X:5", 1, 7),
            error(LinkErrorKind::Bounds, "cough", "cough", "a cough", 1, 13),
            error(LinkErrorKind::WrongId, "fever", "X:4", "NIL", 1, 34),
        ]
    );
    let missed = document(vec![gold(2, 6, "Disease", None)], Vec::new());
    assert_eq!(link_errors(&[missed]), [error(LinkErrorKind::Missed, "cold", "", "", 1, 2)]);
    let right = document(vec![gold(2, 6, "Disease", Some("X:1|X:2"))], vec![found(2, 6, "x", Some("X:2"))]);
    assert_eq!(link_errors(&[right]), []);
}

#[test]
fn ids_meet_with_and_without_a_prefix() {
    let answer = Answer { ids: vec!["MESH:D1".into(), "OMIM:7".into()] };
    for (id, is_right) in
        [("MESH:D1", true), ("mesh:D1", true), ("D1", true), ("7", true), ("MESH:7", false), ("D2", false), ("", false)]
    {
        assert_eq!(answer.is(id), is_right, "{id}");
    }
    assert!(Answer { ids: vec!["D1".into()] }.is("OMIM:D1"));
}
