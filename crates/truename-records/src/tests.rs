//! Small tables resolved as the command does, by the scorer that suits them.

use crate::{Blocking, ColumnChoice, PairModel, RecordTable, RecordTables, Resolver, ScorerChoice, UnsupervisedScorer};

/// Returns the pairs of rows that are in one cluster.
fn matches(columns: &str, rows: &[&str], scorer: Option<UnsupervisedScorer>) -> Vec<(u32, u32)> {
    let cells = |row: &str| row.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let table = RecordTable::new("rows", cells(columns), rows.iter().map(|row| cells(row)));
    let tables = RecordTables::new(table, None, &ColumnChoice::default()).unwrap();
    let candidates = Blocking::default().pairs(tables.tables()).unwrap().pairs;
    let choice = ScorerChoice { scorer, types: &[] };
    let model = PairModel::unsupervised(tables.tables(), &candidates, &choice).unwrap();
    let scorer = model.scorer(tables.tables()).unwrap();
    let found = Resolver::new(&*scorer).resolve(tables.tables(), &candidates).unwrap();
    let count = rows.len() as u32;
    let pairs = (0..count).flat_map(|left| (left + 1..count).map(move |right| (left, right)));
    pairs.filter(|(left, right)| found.clusters.of_left(*left) == found.clusters.of_left(*right)).collect()
}

const PRODUCTS: [&str; 15] = [
    "Canon EOS 600D",
    "Canon EOS600D",
    "Canon EOS 60D",
    "Galaxy S21",
    "Galxy S21",
    "Galaxy S22",
    "iPhone 12",
    "iPhone 13",
    "Windows Server 2012",
    "Windows Server 2016",
    "type 1 diabetes",
    "type 2 diabetes",
    "vitamin B1",
    "vitamin B12",
    "Part II",
];

#[test]
fn names_of_things_that_differ_in_a_designator_do_not_match() {
    let mut names = PRODUCTS.to_vec();
    names.push("Part I");
    assert_eq!(matches("name", &names, None), [(0, 1), (3, 4)]);
    assert_eq!(matches("device", &names, None), [(0, 1), (3, 4)]);
    // With other columns that agree.
    let rows: Vec<String> = names.iter().map(|name| format!("{name},black,399")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    for scorer in [None, Some(UnsupervisedScorer::Lexical)] {
        let found = matches("product,colour,price", &rows, scorer);
        assert!(found.iter().all(|pair| [(0, 1), (3, 4)].contains(pair)) && found.contains(&(0, 1)), "{found:?}");
    }
    assert!(!matches("product,colour,price", &rows, Some(UnsupervisedScorer::FellegiSunter)).contains(&(6, 7)));
}

#[test]
fn companies_that_differ_in_a_distinguishing_word_do_not_match() {
    let names = [
        "Stadtwerke Ulm",
        "Stadtwerke Bonn",
        "Volksbank Ulm",
        "Volksbank Bonn",
        "M\u{fc}ller GmbH",
        "Mueller GmbH",
        "Siemens",
        "Siemens AG",
        "Hotel Adler",
        "Hotel Krone",
    ];
    for column in ["name", "company", "firma"] {
        assert_eq!(matches(column, &names, None), [(4, 5), (6, 7)], "{column}");
    }
    let names =
        ["Sparkasse Kiel,DE", "Sparkasse Trier,DE", "Sparkase Trier,DE", "Weber Bau Ulm,DE", "Weber Bau Bonn,DE"];
    assert_eq!(matches("name,country", &names, None), [(1, 2)]);
}

#[test]
fn persons_with_other_dates_of_birth_do_not_match() {
    let rows = [
        "Hans M\u{fc}ller,1950-03-14,Main Street 5,Bonn",
        "Hans M\u{fc}ller,1982-11-02,Main Street 5,Bonn",
        "Jan Weber,2001-05-04,Elm Street 3,Ulm",
        "Jana Weber,2003-09-21,Elm Street 3,Ulm",
        "Kaya Julia,1999-01-12,Mill Way 7,Kiel",
        "Julian Kaya,2002-08-30,Mill Way 7,Kiel",
        "Max Berg,2010-06-06,Ring 8,Ulm",
        "Moritz Berg,2010-06-06,Ring 8,Ulm",
        "Lena Vogt,2011-07-08,Lane 6,Trier",
        "Lea Vogt,2011-07-08,Lane 6,Trier",
        "Jonh Sample,1971-02-03,Oak Road 9,Trier",
        "John Sample,1971-02-03,Oak Road 9,Trier",
        "Anna Woods,1980-04-05,Hill Road 4,Kiel",
        "Anna Woods,1980-05-04,Hill Road 4,Kiel",
        "Quendler Zo\u{eb},1990-07-08,Hill Road 14,Kiel",
        "Zoe Quendler,1990-07-08,Hill Road 14,Kiel",
        "Igor Heath,1966-10-28,Park Row 2,Bonn",
        "Igor Heath,1966-10-23,Park Row 2,Bonn",
    ];
    let expected = [(10, 11), (12, 13), (14, 15), (16, 17)];
    assert_eq!(matches("name,birth_date,street,city", &rows, None), expected);
    let split = |row: &&str| row.replacen(' ', ",", 1);
    let rows: Vec<String> = rows.iter().map(split).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(matches("given_name,surname,dob,street,city", &rows, None), expected);
}

#[test]
fn digits_of_addresses_codes_and_phones_may_be_misspelt() {
    let rows: Vec<String> = (0..30)
        .map(|at| {
            format!(
                "{} Grove{at},{at}7 Elm Street,0{}5{at},030 {}",
                ["Anna", "Hans", "Zoe"][at % 3],
                at + 10,
                5_550_000 + 7919 * at
            )
        })
        .collect();
    let typo = rows[4].replace("47 Elm", "48 Elm");
    let rows: Vec<&str> = rows.iter().map(String::as_str).chain([typo.as_str()]).collect();
    assert_eq!(matches("name,street,postcode,phone", &rows, None), [(4, 30)]);
}
