//! Scores of linked documents: of the mentions found, and of their ids. A [`LinkEvaluation`] links and scores them.

mod document;
mod evaluation;
mod link_error;
mod precision_recall;
mod reliability;
mod scores;

pub use self::document::{Answer, FoundMention, JudgedDocument};
pub use self::evaluation::LinkEvaluation;
pub(crate) use self::evaluation::no_mention;
pub use self::link_error::{LinkError, LinkErrorKind, link_errors};
pub use self::precision_recall::PrecisionRecall;
pub(crate) use self::precision_recall::{BOUNDS, Counts, Place};
pub use self::reliability::{Reliability, ReliabilityBin, ThresholdScores};
pub use self::scores::{LinkedScores, LinkingScores, MentionScores, TypeScores};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use truename_text::{Mention, Span};

    use super::*;

    fn answer(id: &str) -> Answer {
        Answer { ids: vec![id.into(), "OMIM:7".into()] }
    }

    fn found(start: usize, end: usize, id: Option<&str>) -> FoundMention {
        FoundMention {
            span: Span::new(start, end),
            fragments: Vec::new(),
            types: vec!["disease".into()],
            answer: id.map(answer),
            probability: 0.9,
        }
    }

    fn document() -> JudgedDocument {
        let gold = |start, end, mention_type: &str, id: Option<&str>| {
            Mention::new(Span::new(start, end), mention_type, id.map(str::to_owned))
        };
        JudgedDocument {
            id: "1".into(),
            text: "0123456789".repeat(5),
            gold: vec![
                gold(0, 5, "Disease", Some("MESH:D1")),
                gold(10, 15, "Disease", Some("D2|D3")),
                gold(20, 25, "Disease", None),
                gold(30, 35, "Chemical", Some("D4")),
            ],
            found: vec![
                found(0, 5, Some("D1")),
                found(10, 14, Some("D3")),
                found(20, 25, Some("D9")),
                found(40, 45, None),
            ],
            given: vec![vec![answer("D1")], vec![answer("D9"), answer("D2")], vec![], vec![answer("7")]],
        }
    }

    #[test]
    fn mentions_ids_and_sets_are_scored_apart() {
        let scores = LinkedScores::of(&[document()], &BTreeSet::from(["disease".into(), "gene".into()]));
        let all = &scores.all;
        assert_eq!(scores.types_compared, BTreeSet::from(["Disease".into()]));
        assert_eq!((all.mentions.strict.precision, all.mentions.strict.recall), (0.5, 0.5));
        assert_eq!((all.mentions.start.precision, all.mentions.end.precision), (0.75, 0.5));
        assert_eq!((all.mentions.loose.precision, all.mentions.loose.recall), (0.75, 0.75));
        assert_eq!((all.linking.accuracy_1, all.linking.accuracy_5, all.linking.mentions), (1.0 / 3.0, 2.0 / 3.0, 3));
        assert_eq!((all.end_to_end.precision, all.end_to_end.recall), (1.0 / 3.0, 1.0 / 3.0));
        assert_eq!((scores.documents.found, scores.documents.gold), (3, 4));
        assert_eq!((scores.documents.precision, scores.documents.recall), (2.0 / 3.0, 0.5));
        assert_eq!(scores.types["Chemical"].mentions.strict.found, 4);
        assert_eq!(scores.types["Disease"].mentions.strict.recall, 2.0 / 3.0);
    }

    #[test]
    fn errors_are_told_apart() {
        let kinds: Vec<LinkErrorKind> = link_errors(&[document()]).into_iter().map(|error| error.kind).collect();
        assert_eq!(kinds, [LinkErrorKind::Missed, LinkErrorKind::Spurious, LinkErrorKind::Bounds]);
    }

    #[test]
    fn a_discontinuous_mention_is_not_its_envelope() {
        let mut document = document();
        document.gold[0].fragments = vec![Span::new(0, 2), Span::new(3, 5)];
        let scores = LinkedScores::of(&[document], &BTreeSet::new());
        assert_eq!((scores.all.mentions.strict.recall, scores.all.mentions.loose.recall), (0.25, 0.75));
        assert_eq!(scores.all.end_to_end.recall, 0.0);
    }

    #[test]
    fn many_mentions_take_no_longer_than_they_must() {
        let text = "x ".repeat(100_000);
        let spans = || (0..100_000).map(|at| Span::new(2 * at, 2 * at + 1));
        let gold = spans().map(|span| Mention::new(span, "", None)).collect();
        let found = spans()
            .map(|span| FoundMention { span, fragments: vec![], types: vec![], answer: None, probability: 0.0 })
            .collect();
        let document = JudgedDocument { text, gold, found, ..JudgedDocument::default() };
        assert_eq!(LinkedScores::of(&[document], &BTreeSet::new()).all.mentions.strict.f1, 1.0);
    }

    #[test]
    fn nothing_at_all_scores_nothing() {
        assert_eq!(LinkedScores::of(&[], &BTreeSet::new()).all.mentions.strict.f1, 0.0);
    }
}
