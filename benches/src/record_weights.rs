//! Fits the standard weights of the lexical scorer of records to the train parts of public pairs.

use std::path::Path;

use rayon::prelude::*;
use truename_eval::pairs::{PairScores, read_pairs};
use truename_records::{Features, LexicalScorer, LexicalWeights, PairTables, Sample};

/// Pairs that weights are fitted to, those that they are scored on, and their weight beside the other sets: bibliographies and
/// products have the same.
const SETS: [(&str, &str, &str, f64); 6] = [
    ("DBLP-ACM", "dblp-acm/train.txt.gz", "dblp-acm/test.txt", 2.0),
    ("DBLP-Scholar", "dblp-scholar/train.txt.balance.gz", "dblp-scholar/test.txt.gz", 2.0),
    ("WDC cameras", "wdc-lspc/cameras/train.txt.medium", "wdc-lspc/cameras/valid.txt.medium", 1.0),
    ("WDC computers", "wdc-lspc/computers/train.txt.medium.gz", "wdc-lspc/computers/valid.txt.medium", 1.0),
    ("WDC shoes", "wdc-lspc/shoes/train.txt.medium.gz", "wdc-lspc/shoes/valid.txt.medium", 1.0),
    ("WDC watches", "wdc-lspc/watches/train.txt.medium.gz", "wdc-lspc/watches/valid.txt.medium", 1.0),
];
/// Weight in pairs of a set whose weight is 1.
const PAIRS: f64 = 10_000.0;

/// Fits weights to all sets and to all sets but each, prints F1 on the parts that are held out, and the weights as code.
pub fn run(data: &Path) -> anyhow::Result<()> {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (_, train_file, test_file, _) in SETS {
        train.push(samples(&data.join(train_file))?);
        test.push(samples(&data.join(test_file))?);
    }
    let fitted = |left_out: Option<usize>| {
        let mut all = Vec::new();
        for (number, samples) in train.iter().enumerate().filter(|(number, _)| Some(*number) != left_out) {
            let weight = SETS[number].3 * PAIRS / samples.len() as f64;
            let weighed =
                |(features, is_same): &(Features, bool)| Sample { features: *features, is_same: *is_same, weight };
            all.extend(samples.iter().map(weighed));
        }
        LexicalWeights::zero().fit(&all, LexicalWeights::PENALTY)
    };
    let standard = fitted(None);
    let without: Vec<LexicalWeights> = (0..SETS.len()).into_par_iter().map(|set| fitted(Some(set))).collect();
    println!("set\tall sets\tbest threshold\twithout the set\tthe set alone");
    for (number, (name, ..)) in SETS.into_iter().enumerate() {
        let weight =
            |(features, is_same): &(Features, bool)| Sample { features: *features, is_same: *is_same, weight: 1.0 };
        let own = standard.fit(&train[number].iter().map(weight).collect::<Vec<_>>(), LexicalWeights::PENALTY);
        let scores = |weights: &LexicalWeights| {
            let judged: Vec<(f64, bool)> =
                test[number].iter().map(|(features, is_same)| (weights.probability(features), *is_same)).collect();
            PairScores::of(&judged, 0.5)
        };
        let of_all = scores(&standard);
        let f1 = [of_all.f1, of_all.best.f1, scores(&without[number]).f1, scores(&own).f1]
            .map(|f1| format!("{:.2}", 100.0 * f1));
        println!("{name}\t{}", f1.join("\t"));
    }
    for (name, weight) in standard.weights() {
        println!("    {weight:.3}, // {name}");
    }
    Ok(())
}

/// Returns the features and the label of each pair of a file.
fn samples(path: &Path) -> anyhow::Result<Vec<(Features, bool)>> {
    let labelled = read_pairs(path)?;
    let tables = PairTables::of_texts(labelled.iter().map(|pair| (pair.left.as_str(), pair.right.as_str())));
    let scorer = LexicalScorer::new(tables.tables());
    let features = tables.pairs().par_iter().map(|pair| scorer.features(*pair)).collect::<Vec<_>>();
    Ok(features.into_iter().zip(labelled.iter().map(|pair| pair.is_same)).collect())
}
