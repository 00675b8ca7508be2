//! Clusters against the definition of agglomeration, and thresholds chosen with and without labels.

use truename_infer::Encoder;
use truename_kb::Progress;

use super::*;

fn encoder() -> Encoder {
    Encoder::open("../truename-infer/tests/models/bert".as_ref()).unwrap()
}

/// Names that share words, with variants of spelling. The places differ in length, so that no two distances are equal.
fn names() -> Vec<String> {
    let places = ["yale", "cairo", "oxford", "harvard", "brussels", "thuringia", "nottingham", "susquehanna"];
    let forms = ["{}", "{} university", "university of {}", "the {} river", "{} river", "{} county", "{}s"];
    places.iter().flat_map(|place| forms.iter().map(move |form| form.replace("{}", place))).collect()
}

fn clustered(names: &[String], encoder: Option<&Encoder>, options: &ClusterOptions) -> (NameSpace, Dendrogram) {
    let progress = Progress::default();
    let space = NameSpace::new(names, encoder, options, &progress).unwrap();
    let dendrogram = Dendrogram::new(&space, options, &progress).unwrap();
    (space, dendrogram)
}

/// Returns clusters by the definition of agglomeration: the two nearest are merged until none are within the threshold.
fn slow(space: &NameSpace, linkage: Linkage, threshold: f32) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = (0..space.len()).map(|name| vec![name]).collect();
    let between = |left: &[usize], right: &[usize]| {
        let pairs = left.iter().flat_map(|one| right.iter().map(move |other| f64::from(space.distance(*one, *other))));
        match linkage {
            Linkage::Average => pairs.sum::<f64>() / (left.len() * right.len()) as f64,
            Linkage::Complete => pairs.fold(0.0, f64::max),
            Linkage::Single => pairs.fold(f64::MAX, f64::min),
        }
    };
    loop {
        let mut nearest = (f64::MAX, 0, 0);
        for left in 0..clusters.len() {
            for right in left + 1..clusters.len() {
                let distance = between(&clusters[left], &clusters[right]);
                if distance < nearest.0 {
                    nearest = (distance, left, right);
                }
            }
        }
        if nearest.0 > f64::from(threshold) {
            clusters.iter_mut().for_each(|names| names.sort_unstable());
            clusters.sort();
            return clusters;
        }
        let merged = clusters.remove(nearest.2);
        clusters[nearest.1].extend(merged);
    }
}

fn groups(labels: &[usize]) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); labels.iter().max().map_or(0, |last| last + 1)];
    labels.iter().enumerate().for_each(|(name, label)| groups[*label].push(name));
    groups
}

#[test]
fn matrix_and_complete_graph_cluster_as_the_definition_says() {
    let (names, encoder) = (names(), encoder());
    for encoder in [None, Some(&encoder)] {
        for linkage in [Linkage::Average, Linkage::Complete, Linkage::Single] {
            let exact = ClusterOptions { linkage, ..ClusterOptions::default() };
            let graph = ClusterOptions { max_exact: 1, neighbours: names.len(), ..exact };
            let ((space, matrix), (_, graph)) =
                (clustered(&names, encoder, &exact), clustered(&names, encoder, &graph));
            assert!(matrix.is_exact() && !graph.is_exact());
            for threshold in [0.05, 0.2, 0.41, 0.6] {
                let expected = slow(&space, linkage, threshold);
                assert_eq!(groups(&matrix.cut(threshold)), expected, "{linkage:?} at {threshold}");
                // N-grams do not find names that share nothing, of which the largest distance is.
                if encoder.is_some() || linkage == Linkage::Single {
                    assert_eq!(groups(&graph.cut(threshold)), expected, "{linkage:?} at {threshold}, graph");
                }
            }
        }
    }
}

#[test]
fn the_graph_of_letters_clusters_nearly_as_the_matrix() {
    let names = names();
    let graph = ClusterOptions { max_exact: 1, neighbours: 8, ..ClusterOptions::default() };
    let (_, matrix) = clustered(&names, None, &ClusterOptions::default());
    let (_, graph) = clustered(&names, None, &graph);
    assert_eq!(graph.cut(0.4), matrix.cut(0.4));
    assert!(graph.largest_distance() <= 0.8);
}

#[test]
fn distances_are_the_same_alone_in_blocks_and_on_other_threads() {
    let (names, encoder) = (names(), encoder());
    let (space, dendrogram) = clustered(&names, Some(&encoder), &ClusterOptions::default());
    let mut rows = vec![0.0; 2 * (names.len() - 3)];
    space.distances(&[5, 40], 3, &mut rows);
    for (at, distance) in rows.iter().enumerate() {
        let (from, to) = ([5, 40][at / (names.len() - 3)], at % (names.len() - 3) + 3);
        assert!((distance - space.distance(from, to)).abs() < 1e-5);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = pool.install(|| clustered(&names, Some(&encoder), &ClusterOptions::default()).1);
    assert_eq!(alone, dendrogram);
}

#[test]
fn the_silhouette_finds_clear_clusters_without_labels() {
    let names: Vec<String> =
        ["acute heart attack", "acute heart attacks", "low dose aspirin", "low dose aspirins", "cough", "toe nail"]
            .map(Into::into)
            .into();
    let (space, dendrogram) = clustered(&names, None, &ClusterOptions::default());
    let chosen = choose_by_silhouette(&space, &dendrogram, &Progress::default()).unwrap();
    assert_eq!(dendrogram.cut(chosen.threshold), [0, 0, 1, 1, 2, 3]);
    assert!(chosen.score > 0.1);
}

#[test]
fn spellings_of_one_name_are_one_cluster_where_nothing_else_is_there() {
    for names in [["ink", "Ink", "INK"], ["Ödland & Co", "odland and co", "ODLAND & CO"]] {
        let names = names.map(str::to_owned);
        let (space, dendrogram) = clustered(&names, None, &ClusterOptions::default());
        let chosen = choose_by_silhouette(&space, &dendrogram, &Progress::default()).unwrap();
        assert_eq!(dendrogram.cut(chosen.threshold), [0, 0, 0], "{names:?}");
    }
    let names = ["Northwind", "Southwind"].map(str::to_owned);
    let (space, dendrogram) = clustered(&names, None, &ClusterOptions::default());
    let chosen = choose_by_silhouette(&space, &dendrogram, &Progress::default()).unwrap();
    assert_eq!(dendrogram.cut(chosen.threshold), [0, 1]);
}

#[test]
fn a_score_of_ones_own_chooses_the_middle_of_the_best_thresholds() {
    let names = names();
    let (_, dendrogram) = clustered(&names, None, &ClusterOptions::default());
    let clusters = |labels: &[usize]| labels.iter().max().unwrap() + 1;
    let wanted = clusters(&dendrogram.cut(0.4));
    let score = |labels: &[usize]| if clusters(labels) == wanted { 1.0 } else { 0.0 };
    let chosen = choose_by(&dendrogram, &Progress::default(), score).unwrap();
    assert_eq!((clusters(&dendrogram.cut(chosen.threshold)), chosen.score), (wanted, 1.0));
}

#[test]
fn no_name_one_name_and_names_without_letters_are_clustered() {
    let options = ClusterOptions::default();
    for names in [&[][..], &["a"], &["—", "…", "a"]] {
        for options in [options, ClusterOptions { max_exact: 0, ..options }] {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let (space, dendrogram) = clustered(&names, None, &options);
            let chosen = choose_by_silhouette(&space, &dendrogram, &Progress::default()).unwrap();
            assert_eq!(dendrogram.cut(chosen.threshold).len(), names.len());
            assert_eq!(dendrogram.cut(0.9), (0..names.len()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn stopped_work_ends() {
    let progress = Progress::default();
    let (space, _) = clustered(&names(), None, &ClusterOptions::default());
    progress.stop();
    for max_exact in [1, 1000] {
        let options = ClusterOptions { max_exact, ..ClusterOptions::default() };
        assert!(Dendrogram::new(&space, &options, &progress).unwrap_err().is_interrupted());
    }
}

/// Returns the clusters of more than one name at the threshold of the silhouette, over the matrix and over a graph.
fn clusters_of(names: &[&str]) -> [Vec<Vec<String>>; 2] {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    [ClusterOptions::MAX_EXACT, 1].map(|max_exact| {
        let options = ClusterOptions { max_exact, ..ClusterOptions::default() };
        let (space, dendrogram) = clustered(&names, None, &options);
        let chosen = choose_by_silhouette(&space, &dendrogram, &Progress::default()).unwrap();
        let groups = groups(&dendrogram.cut(chosen.threshold)).into_iter().filter(|group| group.len() > 1);
        groups.map(|group| group.into_iter().map(|name| names[name].clone()).collect()).collect()
    })
}

const ALIKE: [&str; 22] = [
    "Galaxy S21",
    "Galxy S21",
    "Galaxy S22",
    "Canon EOS 60D",
    "iPhone 12",
    "iPhone 13",
    "Windows Server 2012",
    "Windows Server 2016",
    "type 1 diabetes",
    "type 2 diabetes",
    "vitamin B1",
    "vitamin B12",
    "Part I",
    "Part II",
    "Stadtwerke Ulm",
    "Stadtwerke Bonn",
    "Volksbank Ulm",
    "Volksbank Bonn",
    "Müller GmbH",
    "Mueller GmbH",
    "Siemens",
    "Siemens AG",
];

#[test]
fn designators_and_words_tell_names_apart_and_spellings_do_not() {
    for clusters in clusters_of(&ALIKE) {
        let expected = [["Galaxy S21", "Galxy S21"], ["Müller GmbH", "Mueller GmbH"], ["Siemens", "Siemens AG"]];
        assert_eq!(clusters, expected);
    }
    let names = ["Café Élan", "Cafe Elan", "Woods, Anna", "Anna Woods", "Harvard University", "Mill Way", "Oak Road"];
    for clusters in clusters_of(&names) {
        assert_eq!(clusters, [["Café Élan", "Cafe Elan"], ["Woods, Anna", "Anna Woods"]]);
    }
}

#[test]
fn names_that_are_told_apart_are_in_no_cluster_at_any_threshold() {
    let names =
        ["Windows Server", "Windows Server 2012", "windows server 2012 R2", "Windows Server 2016"].map(str::to_owned);
    for linkage in [Linkage::Average, Linkage::Complete] {
        for max_exact in [1, 1000] {
            let options = ClusterOptions { linkage, max_exact, ..ClusterOptions::default() };
            let (_, dendrogram) = clustered(&names, None, &options);
            let labels = dendrogram.cut(f32::MAX);
            assert!(labels[1] == labels[2] && labels[2] != labels[3], "{labels:?}");
            assert!(dendrogram.largest_distance() <= 1.0);
        }
    }
}

#[test]
fn with_an_encoder_words_tell_companies_apart_alone() {
    let names = ["acute heart attack", "acute heart failure", "Ulm Water AG", "Ulm Power AG"].map(str::to_owned);
    let (space, _) = clustered(&names, Some(&encoder()), &ClusterOptions::default());
    assert!(space.distance(0, 1) <= 2.0);
    let (space, _) = clustered(&names, None, &ClusterOptions::default());
    assert!(space.distance(0, 1) > 2.0 && space.distance(2, 3) > 2.0);
}
