//! Worked cases for the scores of names: small enough to be checked by hand.

use std::io::{Cursor, Read};

use truename_eval::{
    Answer, Bin, GoldName, JudgedName, NameScores, RocPoint, check_same_names, compare, read_gold, read_gold_from,
    read_judged, read_judged_from, write_judged,
};

fn judged(gold: &[&str], answers: &[(&str, f64)], nil: bool) -> JudgedName {
    let answers = answers.iter().map(|(id, probability)| Answer { id: (*id).into(), probability: *probability });
    JudgedName::new("name", gold, answers.collect(), nil)
}

/// A name for which A is right, and whose best candidate has a probability.
fn best(is_right: bool, probability: f64) -> JudgedName {
    judged(&["A"], &[(if is_right { "A" } else { "B" }, probability)], false)
}

/// A name that has no concept.
fn without(probability: f64) -> JudgedName {
    judged(&[], &[("A", probability)], false)
}

/// A name whose right concept is the candidate at a place, from 1.
fn at_rank(rank: usize) -> JudgedName {
    let answers = (1..=12).map(|at| Answer { id: if at == rank { "A" } else { "B" }.into(), probability: 0.5 });
    JudgedName::new("name", &["A"], answers.collect(), false)
}

fn assert_close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
}

#[test]
fn calibration_error_is_the_mean_gap_of_the_bins() {
    let cases: [(&[JudgedName], f64); 9] = [
        (&[], 0.0),
        (&[best(true, 1.0)], 0.0),
        (&[best(false, 1.0)], 1.0),
        // One right of two at 0.75: |1.5 - 1| / 2.
        (&[best(true, 0.75), best(false, 0.75)], 0.25),
        // In one bin the gaps cancel: |0.72 + 0.78 - 1| / 2.
        (&[best(true, 0.72), best(false, 0.78)], 0.25),
        // In two bins they do not: (|0.15 - 1| + |0.85 - 0|) / 2.
        (&[best(true, 0.15), best(false, 0.85)], 0.85),
        // 0.5 is in the bin above it, apart from 0.49: (|0.49 - 1| + |0.5 - 0|) / 2.
        (&[best(true, 0.49), best(false, 0.5)], 0.505),
        // No candidate counts as 0, and so does a candidate for a name without a concept: (0 + 0.25) / 2.
        (&[judged(&["A"], &[], true), judged(&[], &[("A", 0.25)], true)], 0.125),
        // (|0.1 - 1| + |0.1 - 1| + |1.5 - 1| + |1.95 - 1|) / 8, the bins being 0, 1, 7 and 9.
        (
            &[
                best(true, 0.05),
                best(false, 0.05),
                judged(&["A"], &[], false),
                best(true, 0.1),
                best(true, 0.75),
                best(false, 0.75),
                best(true, 1.0),
                best(false, 0.95),
            ],
            0.40625,
        ),
    ];
    for (names, wanted) in cases {
        assert_close(NameScores::of(names).ece, wanted);
    }
}

#[test]
fn bins_hold_counts_means_and_shares() {
    let names = [best(true, 0.72), best(false, 0.78), best(true, 0.7), best(true, 1.0), best(false, 0.03)];
    let bins = NameScores::of(&names).reliability;
    assert_eq!(bins.len(), 10);
    for (at, bin) in bins.iter().enumerate() {
        let wanted = match at {
            0 => Bin { count: 1, probability: 0.03, right: 0.0 },
            7 => Bin { count: 3, probability: 2.2 / 3.0, right: 2.0 / 3.0 },
            9 => Bin { count: 1, probability: 1.0, right: 1.0 },
            _ => Bin::default(),
        };
        assert_eq!(bin.count, wanted.count, "bin {at}");
        assert_close(bin.probability, wanted.probability);
        assert_close(bin.right, wanted.right);
    }
}

// python: fpr, tpr, _ = sklearn.metrics.roc_curve(...); each case by hand from the names in order of probability.
#[test]
fn the_nil_curve_climbs_by_the_names_below_each_threshold() {
    type Point = (f64, f64, f64);
    let cases: [(&[JudgedName], &[Point], f64); 5] = [
        (&[best(true, 0.9), without(0.1)], &[(0.0, 0.0, 0.0), (0.1, 0.0, 1.0), (0.9, 1.0, 1.0)], 1.0),
        (&[best(true, 0.1), without(0.9)], &[(0.0, 0.0, 0.0), (0.1, 1.0, 0.0), (0.9, 1.0, 1.0)], 0.0),
        (&[best(true, 0.5), without(0.5)], &[(0.0, 0.0, 0.0), (0.5, 1.0, 1.0)], 0.5),
        // Of the six pairs 0.4 and 0.4 tie, and 0.6 of a name without lies above 0.4: (1 + 1 + 1 + 1 + 0.5 + 0) / 6.
        (
            &[best(true, 0.9), best(false, 0.4), without(0.4), without(0.1), without(0.6)],
            &[(0.0, 0.0, 0.0), (0.1, 0.0, 1.0 / 3.0), (0.4, 0.5, 2.0 / 3.0), (0.6, 0.5, 1.0), (0.9, 1.0, 1.0)],
            0.75,
        ),
        // No candidate is a probability of 0, which lies below every other.
        (&[best(true, 0.2), judged(&[], &[], true)], &[(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.2, 1.0, 1.0)], 1.0),
    ];
    for (names, points, area) in cases {
        let scores = NameScores::of(names);
        assert_close(scores.nil_auc.unwrap(), area);
        assert_eq!(scores.nil_roc.len(), points.len());
        for (RocPoint { threshold, false_nil, true_nil }, wanted) in scores.nil_roc.iter().zip(points) {
            assert_close(*threshold, wanted.0);
            assert_close(*false_nil, wanted.1);
            assert_close(*true_nil, wanted.2);
        }
    }
    for of_one_kind in [&[best(true, 0.9)][..], &[without(0.1)], &[]] {
        let scores = NameScores::of(of_one_kind);
        assert_eq!((scores.nil_auc, scores.nil_roc), (None, Vec::new()));
    }
}

#[test]
fn accuracy_counts_to_its_depth_and_ranks_are_averaged() {
    let names: Vec<JudgedName> = [1, 2, 3, 4, 5, 6, 10, 11].map(at_rank).into();
    let scores = NameScores::of(&names);
    let found = [scores.accuracy_at_1, scores.accuracy_at_3, scores.accuracy_at_5, scores.accuracy_at_10];
    assert_eq!(found, [1.0, 3.0, 5.0, 7.0].map(|right| right / 8.0));
    let reciprocal: f64 = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 10.0, 11.0].map(|rank| 1.0 / rank).iter().sum();
    assert_close(scores.mrr, reciprocal / 8.0);
    // Names without a concept have no rank: they count for accuracy alone, and that where they are answered NIL.
    let scores = NameScores::of(&[at_rank(2), judged(&[], &[], true), judged(&[], &[("A", 0.5)], false)]);
    assert_eq!((scores.mrr, scores.accuracy_at_1), (0.5, 1.0 / 3.0));
    assert_eq!((scores.mentions, scores.nil_mentions, scores.nil_answers), (3, 2, 1));
}

fn typed(name_type: &str, name: JudgedName) -> JudgedName {
    JudgedName { name_type: Some(name_type.into()), ..name }
}

#[test]
fn the_table_is_printed() {
    let names = [
        typed("disease", best(true, 0.9)),
        typed("disease", at_rank(4)),
        typed("drug", best(false, 0.6)),
        judged(&["A"], &[("A", 0.2)], true),
        without(0.4),
        judged(&[], &[("A", 0.1)], true),
    ];
    // ECE: (|0.9 - 1| + |0.5 - 0| + |0.6 - 0| + |0.2 - 1| + |0.4 - 0| + |0.1 - 0|) / 6 = 2.5 / 6.
    // AUC: 0.1 lies below all four with a concept, 0.4 below three of them.
    let table = "\
mentions          6  (2 NIL)
answered          4
acc@1         33.33
acc@3         33.33
acc@5         50.00
acc@10        50.00
MRR          0.3125
NIL AUC      0.8750
ECE          0.4167
disease: 2 mentions, acc@1 50.00, acc@5 100.00
drug: 1 mention, acc@1 0.00, acc@5 0.00";
    assert_eq!(NameScores::of(&names).to_string(), table);
    let table = "\
mentions          1  (0 NIL)
answered          1
acc@1        100.00
acc@3        100.00
acc@5        100.00
acc@10       100.00
MRR          1.0000
NIL AUC           –  (needs names with an id and names without)
ECE          0.2500";
    assert_eq!(NameScores::of(&[best(true, 0.75)]).to_string(), table);
}

/// Two systems on ten names, of which the third and the last have no concept.
fn systems() -> [Vec<JudgedName>; 2] {
    let [nil, no_nil] = [judged(&[], &[("A", 0.1)], true), judged(&[], &[("A", 0.9)], false)];
    let [unfound, withheld] = [best(false, 0.9), judged(&["A"], &[("A", 0.2)], true)];
    let left = [1, 2, 0, 0, 4, 1, 0, 1, 2, 0].map(|rank| if rank > 0 { at_rank(rank) } else { unfound.clone() });
    let right = [1, 1, 0, 0, 1, 1, 2, 2, 1, 0].map(|rank| if rank > 0 { at_rank(rank) } else { unfound.clone() });
    let [mut left, mut right] = [left, right].map(Vec::from);
    (left[2], left[3], left[9]) = (nil.clone(), withheld, no_nil);
    (right[2], right[9]) = (nil.clone(), nil);
    [left, right]
}

// python, with the SplitMix64 of bootstrap.rs as `next`:
//   gaps = [right - left for each name]
//   samples = sorted(sum(gaps[next() % 10] for _ in range(10)) / 10 for _ in range(10000))
//   interval = samples[250], samples[9750]
//   p = 2 * min(sum(s <= 0 for s in samples), sum(s >= 0 for s in samples)) / 10000
// accuracy: left 1011... = [1,0,1,0,0,1,0,1,0,0], right [1,1,1,0,1,1,0,0,1,1] -> 0.4, 0.7, (-0.1, 0.7), 0.2282
// mrr: left [1,.5,1,0,.25,1,0,1,.5,0], right [1,1,1,0,1,1,.5,.5,1,1] -> 0.525, 0.8, (0.0, 0.525), 0.0538
#[test]
fn comparison_agrees_with_its_reference() {
    let [left, right] = systems();
    let comparison = compare(&left, &right);
    assert_eq!(comparison.mentions, 10);
    for (found, wanted) in
        [(comparison.accuracy, [0.4, 0.7, -0.1, 0.7, 0.2282]), (comparison.mrr, [0.525, 0.8, 0.0, 0.525, 0.0538])]
    {
        let found = [found.left, found.right, found.interval.0, found.interval.1, found.p];
        found.iter().zip(wanted).for_each(|(found, wanted)| assert_close(*found, wanted));
    }
    let table = "\
10 mentions, paired bootstrap of 10000 samples
           A        B    B - A   95 % interval        p
acc@1    40.00    70.00   +30.00   -10.00 to +70.00     0.2282
MRR     0.5250   0.8000  +0.2750   +0.0000 to +0.5250   0.0538";
    assert_eq!(comparison.to_string(), table);
    let none = compare(&[], &[]);
    assert_eq!((none.accuracy.left, none.accuracy.right, none.accuracy.p), (0.0, 0.0, 1.0));
}

#[test]
fn predictions_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.jsonl");
    let names = vec![typed("disease", best(true, 0.9)), judged(&[], &[], true), at_rank(2)];
    let mut written = Vec::new();
    write_judged(&mut written, &names).unwrap();
    assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 3);
    std::fs::write(&path, written).unwrap();
    assert_eq!(read_judged(&path).unwrap(), names);
    let missing = read_judged(&folder.path().join("none.jsonl")).unwrap_err();
    assert!(missing.is_not_found() && missing.hint().is_none(), "{missing}");
    assert!(std::error::Error::source(&missing).is_some());
}

#[test]
fn a_malformed_prediction_is_told_by_its_line() {
    let whole = r#"{"name":"a","gold":[],"answers":[],"nil":true}"#;
    for (line, message) in [
        ("a cold", "3: not JSON: expected value at column 1"),
        (r#"{"name":"a","gold":["#, "3: not JSON: EOF while parsing a list at column 20"),
        (r#"{"name":"a"}"#, "3: no prediction: missing field `gold`"),
    ] {
        let lines = format!("{whole}\n{whole}\n{line}\n");
        let error = read_judged_from(Cursor::new(lines), "p.jsonl".as_ref()).unwrap_err();
        assert_eq!(error.to_string(), format!("p.jsonl:{message}"));
        let hint = "predictions are made by `evaluate names predictions=FILE`, one JSON object a line";
        assert_eq!(error.hint().unwrap().to_string(), hint);
        assert!(!error.is_not_found());
    }
}

#[test]
fn tables_of_judgements_are_told_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, table: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, table).unwrap();
        read_gold(&path)
    };
    let gold = |name: &str, ids: &[&str], name_type: Option<&str>| GoldName {
        name: name.into(),
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        name_type: name_type.map(str::to_owned),
        ..GoldName::default()
    };
    let commas = read("a.CSV", "\u{FEFF}type,id,name\ndisease,X:1,\"pain, acute\"\n,,b\n").unwrap();
    assert_eq!(commas, [gold("pain, acute", &["X:1"], Some("disease")), gold("b", &[], None)]);
    let tabs = read("a.txt", "name\tid\r\"a\tX:1|X:2\r").unwrap();
    assert_eq!(tabs, [gold("\"a", &["X:1", "X:2"], None)]);
    let missing = read_gold(&folder.path().join("none.tsv")).unwrap_err();
    assert!(missing.is_not_found());
    let error = read("a.tsv", "name\tcode\n").unwrap_err();
    let hint = "gold judgements are a table, or JSON objects, with the columns `name` and `id`, several ids joined by `|`, and perhaps \
                `chance` (above 0, at most 1)";
    assert_eq!((error.hint().unwrap().to_string().as_str(), error.is_not_found()), (hint, false));
    assert!(std::error::Error::source(&error).is_none());
    let latin = folder.path().join("latin.tsv");
    std::fs::write(&latin, b"name\tid\na\tX:1\n\xE9\tX:1\n").unwrap();
    let error = read_gold(&latin).unwrap_err().to_string();
    assert!(error.contains("latin.tsv:3: byte "), "{error}");
}

/// A disk that fails after a header.
struct Failing(Cursor<&'static [u8]>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        if read > 0 { Ok(read) } else { Err(std::io::Error::other("the disk is gone")) }
    }
}

#[test]
fn a_failing_disk_is_no_malformed_table() {
    let failing = |bytes: &'static [u8]| Failing(Cursor::new(bytes));
    let gold = read_gold_from(failing(b"name\tid\na\tX:1\n"), "g.tsv".as_ref()).unwrap_err();
    let predictions = read_judged_from(failing(b""), "p.jsonl".as_ref()).unwrap_err();
    for (error, message) in [(gold, "cannot read g.tsv"), (predictions, "cannot read p.jsonl")] {
        assert_eq!((error.to_string().as_str(), error.hint(), error.is_not_found()), (message, None, false));
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the disk is gone");
    }
}

#[test]
fn files_that_differ_are_named() {
    let [cold, flu, nil] = [("a cold", &["A"][..]), ("flu", &[]), ("a cold", &[])]
        .map(|(name, gold)| JudgedName::new(name, gold, vec![], true));
    let differ = |first: &[&JudgedName], second: &[&JudgedName]| {
        let [first, second] = [first, second].map(|list| list.iter().map(|one| (*one).clone()).collect::<Vec<_>>());
        check_same_names((&first, "a.jsonl".as_ref()), (&second, "b.jsonl".as_ref())).err()
    };
    assert!(differ(&[&cold, &flu], &[&cold, &flu]).is_none());
    for (first, second, name) in [
        (&[&cold, &flu][..], &[&cold][..], "flu"),
        (&[&flu], &[&flu, &cold], "a cold"),
        (&[&cold], &[&nil], "a cold"),
        (&[&flu], &[&cold], "flu"),
    ] {
        let error = differ(first, second).unwrap();
        assert_eq!(error.to_string(), format!("a.jsonl and b.jsonl differ in their names or judgements at \"{name}\""));
        assert_eq!(error.hint().unwrap().to_string(), "make both with `predictions` from the same gold file");
    }
}

#[test]
fn judgements_and_predictions_of_a_folder_are_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.csv", "name,id\na,X:1\n");
    write("b.tsv", "Id\tName\nX:2\tb\n");
    for path in [folder.path().to_owned(), folder.path().join("?.*")] {
        let names: Vec<String> = read_gold(&path).unwrap().into_iter().map(|gold| gold.name).collect();
        assert_eq!(names, ["a", "b"]);
    }
    write("c.csv", "name,id\n");
    let error = read_gold(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("c.csv:1: no judgements"), "{error}");
    let judged = JudgedName::new("a", &["X:1"], Vec::new(), true);
    for name in ["p.jsonl", "q.jsonl"] {
        let mut lines = Vec::new();
        write_judged(&mut lines, std::slice::from_ref(&judged)).unwrap();
        write(name, std::str::from_utf8(&lines).unwrap());
    }
    assert_eq!(read_judged(&folder.path().join("*.jsonl")).unwrap(), [judged.clone(), judged]);
}
