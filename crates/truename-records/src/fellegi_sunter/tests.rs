//! The model on made-up tables.

use super::table_columns::TableColumns;
use super::*;
use crate::{
    ColumnChoice, ComparedTables, DistinctRecords, PairLabel, PairLabels, PairModel, PairScorer, Record, RecordPair,
    RecordTable, RecordTables, ScorerChoice, Tables, UnsupervisedScorer,
};

fn table(columns: &str, rows: &[String]) -> Vec<Record> {
    let columns: std::sync::Arc<[String]> = columns.split(',').map(str::to_owned).collect();
    rows.iter().map(|row| Record::new(&columns, row.split(',').map(str::to_owned).collect())).collect()
}

fn pair(left: u32, right: u32) -> RecordPair {
    RecordPair { left, right }
}

fn fit(tables: Tables<'_>, candidates: &[RecordPair]) -> FellegiSunterModel {
    FellegiSunterModel::fit(tables, candidates, &ColumnTypes::of(tables))
}

/// All pairs of a table.
fn pairs(rows: &[Record]) -> Vec<RecordPair> {
    let count = rows.len() as u32;
    (0..count).flat_map(|left| (left + 1..count).map(move |right| pair(left, right))).collect()
}

const GIVEN: [&str; 8] = ["Anna", "Ella", "Zoe", "Hans", "Igor", "Judith", "Carlos", "Omar"];
const FAMILY: [&str; 10] =
    ["Woods", "Sample", "Quendler", "Kaya", "Heath", "Marionne", "Doering", "Lindqvist", "Oyelaran", "Brzezinski"];

/// Eighty customers, and each eighth once more with another spelling of the phone number and without e-mail.
fn customers() -> Vec<String> {
    let customer = |number: usize| {
        let (given, family) = (GIVEN[number % 8], FAMILY[number / 8]);
        let place = ["20095,Hamburg", "04511,Leipzig", "10115,Berlin", "80331,Munich"][number % 4];
        let phone = format!("0{}{}", 300 + number, 583_699 + 7919 * number);
        (
            format!("{given} {family},{} Elm Street,{place}", 3 * number + 1),
            phone,
            format!("{family}{number}@example.org"),
        )
    };
    let all = (0..80).map(customer).map(|(row, phone, email)| format!("{row},{phone},{email}"));
    let again = (0..80).step_by(8).map(customer).map(|(row, phone, _)| format!("{row},+49 {},", &phone[1..]));
    all.chain(again).collect()
}

const CUSTOMERS: &str = "name,street,postcode,city,phone,email";

#[test]
fn a_customer_written_otherwise_is_a_sure_match() {
    let rows = table(CUSTOMERS, &customers());
    let tables = Tables::One(&rows);
    let model = fit(tables, &pairs(&rows));
    let kinds: Vec<String> = model.columns.iter().map(|column| column.kind.to_string()).collect();
    assert_eq!(kinds, ["person-name", "address", "postcode", "place", "phone", "email"]);
    let scores = model.scorer(tables).unwrap().score(&pairs(&rows)).unwrap();
    for (pair, score) in pairs(&rows).into_iter().zip(scores) {
        let is_same = pair.right >= 80 && (pair.right - 80) * 8 == pair.left;
        assert!(if is_same { score > 0.99 } else { score < 0.01 }, "{pair:?} {score}");
    }
    assert!((model.matches_per_record - 10.0 / 90.0).abs() < 0.05, "{}", model.matches_per_record);
    assert!(FellegiSunterModel::suits(&ColumnTypes::of(tables)));
}

#[test]
fn the_city_says_little_where_the_postcode_is_equal() {
    let rows = table(CUSTOMERS, &customers());
    let model = fit(Tables::One(&rows), &pairs(&rows));
    let city = model.columns.iter().find(|column| column.name == "city").unwrap();
    assert_eq!(city.given.iter().map(|given| given.on.as_str()).collect::<Vec<_>>(), ["postcode"]);
    let explanation = model.scorer(Tables::One(&rows)).unwrap().explain(pair(0, 80));
    let weight = |name: &str| explanation.columns.iter().find(|part| part.column == name).unwrap().weight;
    assert!(weight("city").abs() < 0.5 && weight("postcode") > 1.0, "{explanation}");
}

#[test]
fn twins_are_two_and_swapped_names_one() {
    let mut rows: Vec<String> = (0..40)
        .map(|number| {
            let (given, family) = (GIVEN[number % 8], FAMILY[number / 8]);
            format!(
                "{given},{family},19{}-0{}-1{},{number} Mill Way,{}",
                30 + number,
                number % 9 + 1,
                number % 7,
                20_000 + number
            )
        })
        .collect();
    rows.push("Irmgard,Woods,1930-01-10,0 Mill Way,20000".into());
    rows.push("Woods,Ella,1931-02-11,1 Mill Way,20001".into());
    let rows = table("given,family,born,street,postcode", &rows);
    let tables = Tables::One(&rows);
    let scorer = fit(tables, &pairs(&rows)).scorer(tables).unwrap();
    let scores = scorer.score(&[pair(0, 40), pair(1, 41)]).unwrap();
    assert!(scores[0] < 0.5 && scores[1] > 0.9, "{scores:?}\n{}", scorer.explain(pair(0, 40)));
    assert_eq!(scorer.explain(pair(1, 41)).columns[0].level, Some("swapped"));
}

/// Persons with names in two columns, dates and cities.
fn persons() -> Vec<String> {
    let born = |number: usize| format!("19{}-0{}-1{}", 30 + number % 60, number % 9 + 1, number % 7);
    let city = |number: usize| ["Bonn", "Kiel", "Ulm"][number % 3];
    (0..80).map(|at| format!("{},{},{},{}", GIVEN[at % 8], FAMILY[at / 8], born(at), city(at))).collect()
}

#[test]
fn a_common_full_name_says_little_although_its_parts_are_rare() {
    let mut rows = persons();
    rows.extend((0..20).map(|number| format!("Mohammed,Nguyen,19{}-03-0{},Bonn", 30 + 3 * number, number % 9 + 1)));
    rows.extend(["Mohammed,Nguyen,,".into(), "Zacharias,Brillen,,".into(), "Zacharias,Brillen,,".into()]);
    let rows = table("given,family,born,city", &rows);
    let tables = Tables::One(&rows);
    let scorer = fit(tables, &pairs(&rows)).scorer(tables).unwrap();
    let name = |pair| scorer.explain(pair).columns[..2].iter().map(|part| part.weight).sum::<f64>();
    // A fifth of the rows has the full name: 2.3 bits, in place of twice that.
    let (common, rare) = (name(pair(80, 100)), name(pair(101, 102)));
    assert!((1.0..3.0).contains(&common) && rare > common + 2.0, "{common} {rare}");
    assert!(scorer.score(&[pair(80, 100), pair(101, 102)]).unwrap().iter().all(|score| *score < 0.99));
}

#[test]
fn similar_dates_speak_for_no_match() {
    let mut rows = persons();
    rows.extend((0..20).map(|at| persons()[3 * at].replace("-1", "-2")));
    let rows = table("given,family,born,city", &rows);
    let tables = Tables::One(&rows);
    let model = fit(tables, &pairs(&rows));
    let weights: Vec<(&str, f64)> = model.columns[2].weights().collect();
    assert!(
        weights.iter().all(|(level, weight)| *level == "equal" || level.contains("swapped") || *weight <= 1e-9),
        "{weights:?}"
    );
}

#[test]
fn suffixes_in_a_column_of_their_own_tell_generations_apart() {
    let mut rows: Vec<String> = (0..40)
        .map(|at| format!("{},{},,{at} Mill Way,030 {}", GIVEN[at % 8], FAMILY[at / 8], 5555 + 17 * at))
        .collect();
    rows.extend(["Anna,Woods,Sr.,0 Mill Way,030 5555".into(), "Anna,Woods,Jr.,0 Mill Way,030 5555".into()]);
    rows.extend(["Ella,Woods,II,1 Mill Way,030 5572".into(), "Ella,Woods,2nd,1 Mill Way,030 5572".into()]);
    let rows = table("given,family,suffix,street,phone", &rows);
    let tables = Tables::One(&rows);
    let scorer = fit(tables, &pairs(&rows)).scorer(tables).unwrap();
    let scores = scorer.score(&[pair(40, 41), pair(42, 43)]).unwrap();
    assert!(scores[0] < 0.9 && scores[1] >= 0.99, "{scores:?} {}", scorer.explain(pair(40, 41)));
    assert_eq!(scorer.explain(pair(40, 41)).columns[1].level, Some("suffix differs"));
}

#[test]
fn placeholders_that_agree_say_nothing() {
    let mut rows = customers();
    rows.extend(
        ["Falcon Air", "Cobalt Mining"].map(|name| format!("{name},123 Unknown,00000,TBA,0000000000,test@test.com")),
    );
    let rows = table(CUSTOMERS, &rows);
    let tables = Tables::One(&rows);
    let scorer = fit(tables, &pairs(&rows)).scorer(tables).unwrap();
    let explanation = scorer.explain(pair(90, 91));
    assert!(explanation.columns[1..].iter().all(|part| part.level.is_none()), "{explanation}");
}

#[test]
fn weights_add_up_to_the_probability() {
    let rows = table(CUSTOMERS, &customers());
    let tables = Tables::One(&rows);
    let scorer = fit(tables, &pairs(&rows)).scorer(tables).unwrap();
    for pair in [pair(0, 80), pair(0, 8), pair(3, 7)] {
        let Explanation { prior, columns, relatives, weight, probability, .. } = scorer.explain(pair);
        let sum = prior + columns.iter().map(|part| part.weight).sum::<f64>() + relatives;
        assert!((sum - weight).abs() < 1e-9 && (1.0 / (1.0 + (-weight).exp2()) - probability).abs() < 1e-6, "{pair:?}");
        assert_eq!(scorer.score(&[pair]).unwrap(), [probability]);
    }
    let text = scorer.explain(pair(0, 80)).to_string();
    assert!(
        text.starts_with("prior ") && text.contains("email      missing  ") && text.contains("  probability 0.99"),
        "{text}"
    );
}

#[test]
fn equality_of_a_rare_value_says_more() {
    let mut rows: Vec<String> = (0..60).map(|number| format!("John Sample,{}", 10_000 + number)).collect();
    rows.extend(["Zoe Quendler,1".into(), "Zoe Quendler,2".into()]);
    let rows = table("name,code", &rows);
    let scorer = fit(Tables::One(&rows), &pairs(&rows)).scorer(Tables::One(&rows)).unwrap();
    let [common, rare] = [pair(0, 1), pair(60, 61)].map(|pair| scorer.explain(pair).columns[0].weight);
    assert!(rare > common + 3.0 && common < 1.0, "{common} {rare}");
}

#[test]
fn equal_rows_are_one_record() {
    let mut all = customers();
    all.extend(std::iter::repeat_n(all[0].clone(), 500));
    let rows = table(CUSTOMERS, &all);
    let tables = Tables::One(&rows);
    let some = pairs(&rows[..90]);
    let scorer = fit(tables, &some).scorer(tables).unwrap();
    let (once, again) = (table(CUSTOMERS, &all[..90]), scorer.score(&some).unwrap());
    assert_eq!(fit(Tables::One(&once), &some).to_json(), scorer.model().to_json());
    assert_eq!(scorer.model().scorer(Tables::One(&once)).unwrap().score(&some).unwrap(), again);
    assert_eq!(scorer.score(&[pair(0, 300), pair(90, 400)]).unwrap(), scorer.score(&[pair(0, 90); 2]).unwrap());
}

#[test]
fn a_model_is_read_as_it_is_written() {
    let rows = table(CUSTOMERS, &customers());
    let model = fit(Tables::One(&rows), &pairs(&rows));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    std::fs::write(&path, model.to_json()).unwrap();
    let read = FellegiSunterModel::open(&path).unwrap();
    assert_eq!(read.to_json(), model.to_json());
    // Columns of another table may stand in another order.
    let other = table("City,email,name,street,postcode,phone", &["Berlin,,Anna Woods,1 Elm Street,10115,030 1".into()]);
    assert!(read.scorer(Tables::One(&other)).is_ok());
    let lacking = table("name,city", &["a,b".into()]);
    let error = read.scorer(Tables::One(&lacking)).err().unwrap().to_string();
    assert_eq!(error, "the tables do not share the column \"street\" of the model");
    let refused = |from: &str, to: &str| {
        std::fs::write(&path, model.to_json().replacen(from, to, 1)).unwrap();
        FellegiSunterModel::open(&path).unwrap_err().to_string()
    };
    assert!(refused("sunter 1", "sunter 9").contains("its format is \"truename fellegi-sunter 9\""));
    assert!(refused("\"m\": [", "\"m\": [ 0.5,").contains("m and u of column \"name\" are not 7 probabilities"));
    assert!(refused("person-name", "person").contains("unknown variant `person`"));
    assert!(refused("{", "").contains(" is no Fellegi–Sunter model: "));
}

#[test]
fn tables_without_names_and_values_are_fitted_too() {
    for rows in [table("a,b", &[]), table("a,b", &["x,".into()]), table("a,b", &[",".into(), ",".into()])] {
        let tables = Tables::One(&rows);
        let model = fit(tables, &pairs(&rows));
        let scores = model.scorer(tables).unwrap().score(&pairs(&rows)).unwrap();
        assert!(scores.iter().all(|score| (0.0..0.5).contains(score)), "{scores:?}");
        assert!(!FellegiSunterModel::suits(&ColumnTypes::of(tables)));
    }
    // Two tables that share no column: all values are one.
    let (left, right) = (table("a", &["heart attack".into()]), table("b", &["heart attack".into()]));
    let model = fit(Tables::Two(&left, &right), &[pair(0, 0)]);
    assert_eq!((model.columns.len(), model.columns[0].name.as_str()), (1, ""));
}

/// Pairs of one customer and of two, of whom nothing tells but the last column, whose name says nothing.
fn labelled_customers() -> RecordTables {
    let mut rows = Vec::new();
    for number in 0..60 {
        let name = format!("{} {}", GIVEN[number % 8], FAMILY[number / 8]);
        let cells = |street: usize, note: &str| vec![name.clone(), format!("{street} Elm Street"), note.to_owned()];
        // A customer moved and kept the mark, or another one of the same name has another mark.
        let other = if number % 2 == 0 { "green" } else { "crimson" };
        rows.extend([cells(number, "green"), cells(number + 500, other)]);
    }
    let columns = ["name", "street", "mark"].map(str::to_owned).to_vec();
    RecordTables::new(RecordTable::new("customers", columns, rows), None, &ColumnChoice::default()).unwrap()
}

#[test]
fn labels_correct_the_weights_and_are_kept_where_they_are_better() {
    let tables = labelled_customers();
    let pairs = pairs(tables.left.records());
    let model = fit(tables.tables(), &pairs);
    let names: Vec<[String; 2]> = (0..60).map(|at| [2 * at + 1, 2 * at + 2].map(|row| row.to_string())).collect();
    let label = |(at, [left, right]): (usize, &[String; 2]), is_same| (at, left.clone(), right.clone(), is_same);
    let fit_labels = |is_same: &dyn Fn(usize) -> bool| {
        let all: Vec<_> = names.iter().enumerate().map(|one| label((one.0, one.1), is_same(one.0))).collect();
        let labels: Vec<PairLabel<'_>> = all
            .iter()
            .map(|(_, left, right, is_same)| PairLabel { left, right, is_same: *is_same, chance: 1.0 })
            .collect();
        let labels = PairLabels { name: "labels.csv", pairs: &labels, threshold: 0.5 };
        model.fit_labels(labels, Some(ComparedTables { tables: &tables, pairs: &pairs })).unwrap()
    };
    let (fitted, gain) = fit_labels(&|at| at % 2 == 0);
    assert!(gain.kept && gain.f1.1 > gain.f1.0 && gain.log_loss.1 < gain.log_loss.0, "{gain}");
    assert!(gain.changes[0].0.starts_with("mark: "), "{gain}");
    let scorer = fitted.scorer(tables.tables()).unwrap();
    let scores = scorer.score(&[pair(0, 1), pair(2, 3)]).unwrap();
    assert!(scores[0] > 0.5 && scores[1] < 0.5, "{scores:?}");
    let explanation = scorer.explain(pair(2, 3));
    let sum =
        explanation.prior + explanation.columns.iter().map(|part| part.weight).sum::<f64>() + explanation.relatives;
    assert!((sum - explanation.weight).abs() < 1e-9 && explanation.probability == scores[1]);
    let read: FellegiSunterModel = serde_json::from_str(&fitted.to_json()).unwrap();
    assert_eq!(read, fitted);
    // Labels at random change nothing.
    let draw = &mut truename_text::SplitMix64::new(7);
    let random: Vec<bool> = (0..60).map(|_| draw.draw().is_multiple_of(2)).collect();
    let (unfitted, gain) = fit_labels(&|at| random[at]);
    assert!(!gain.kept && unfitted == model && gain.changes.is_empty(), "{gain}");
}

#[test]
fn labelled_records_without_the_columns_are_refused() {
    let tables = labelled_customers();
    let pairs = pairs(tables.left.records());
    let labels = [("nobody", true), ("no one", false)].map(|(left, is_same)| PairLabel {
        left,
        right: "1",
        is_same,
        chance: 1.0,
    });
    let labels = PairLabels { name: "labels.csv", pairs: &labels, threshold: 0.5 };
    let compared = ComparedTables { tables: &tables, pairs: &pairs };
    let error = fit(tables.tables(), &pairs).fit_labels(labels, Some(compared)).unwrap_err();
    assert_eq!(error.to_string(), "labels.csv: the tables do not share the column \"name\" of the model");
    assert!(error.hint().is_some());
}

#[test]
fn types_are_given_by_name() {
    let choice = |column: &str, kind: &str| ColumnChoice {
        types: vec![(column.to_owned(), kind.parse().unwrap())],
        ..ColumnChoice::default()
    };
    let table = || {
        let row = vec!["Golden Dragon".to_owned(), "12 Elm Street".to_owned()];
        RecordTable::new("restaurants", vec!["Name".to_owned(), "address".to_owned()], vec![row])
    };
    let tables = RecordTables::new(table(), None, &choice("NAME", "company")).unwrap();
    let choice_of = |tables: &RecordTables, scorer| {
        let choice = ScorerChoice { scorer, types: &tables.types };
        PairModel::unsupervised(tables.tables(), &[], &choice)
    };
    let PairModel::FellegiSunter(model) = choice_of(&tables, None).unwrap() else { panic!("types are given") };
    assert_eq!(model.columns[0].kind, ColumnType::Company);
    let error = choice_of(&tables, Some(UnsupervisedScorer::Lexical)).err().unwrap();
    assert_eq!(error.to_string(), "the lexical scorer compares columns without types");
    assert!(RecordTables::new(table(), None, &choice("nam", "text")).is_err());
    let some = ColumnChoice { columns: vec!["address".into()], ..choice("name", "text") };
    let error = RecordTables::new(table(), None, &some).unwrap_err();
    assert_eq!(error.to_string(), "the column \"name\" has a type and is not compared");
    assert!("person".parse::<ColumnType>().unwrap_err().to_string().contains("person-name, company"));
}

/// The frequencies of a table, counted by its halves.
fn frequencies(model: &FellegiSunterModel, rows: &[Record]) -> ValueFrequencies {
    let mut texts: std::collections::BTreeMap<(u32, String), u64> = std::collections::BTreeMap::new();
    for half in rows.chunks(rows.len() / 2 + 1) {
        for ValueText { column, text, records } in model.value_texts(half) {
            *texts.entry((column, text)).or_default() += records;
        }
    }
    let terms = texts.iter().flat_map(|((column, text), records)| model.value_terms(*column, &[(text, *records)]));
    ValueFrequencies::new(rows.len() as u64, terms)
}

#[test]
fn a_pair_has_the_probability_of_the_whole_table_in_any_part() {
    let persons: Vec<String> = (0..60)
        .flat_map(|at| {
            let (given, family) = (GIVEN[at % 8], FAMILY[at * 7 % 10]);
            let suffix = ["", "", "Jr.", "Junior"][at % 4];
            let born = format!("19{:02}-0{}-1{}", at % 40, at % 9 + 1, at % 8);
            let note = ["likes long walks", "likes walks of hours", "n/a", "calls on Monday"][at % 4];
            [
                format!("{given},{family},{suffix},{born},{note},{at}.5"),
                format!("{given},{},,{born},{note} {},{at}", &family[1..], at % 3),
                format!("{family},{given},,,{note},"),
            ]
        })
        .collect();
    let companies: Vec<String> = (0..40)
        .flat_map(|at| {
            let name = ["Stadtwerke", "Hotel", "Sparkasse", "Cafe"][at % 4];
            let place = ["Ulm", "Bonn", "Trier", "Köln", "Jena"][at % 5];
            [format!("{name} {place} GmbH,{place},{at}"), format!("{name} {place},{place} Nord,0{at}")]
        })
        .collect();
    for (columns, rows) in [
        (CUSTOMERS, customers()),
        ("given name,family name,suffix,date of birth,note,number", persons),
        ("company,city,customer number", companies),
    ] {
        let mut rows = table(columns, &rows);
        // The first row of equal ones stands for them.
        let mut seen = std::collections::HashSet::new();
        rows.retain(|row| seen.insert(row.clone()));
        let (tables, pairs) = (Tables::One(&rows), pairs(&rows));
        let model = fit(tables, &pairs);
        let whole = model.scorer(tables).unwrap().score(&pairs).unwrap();
        let frequencies = frequencies(&model, &rows);
        let firsts = DistinctRecords::of(tables).firsts();
        let in_parts = TableColumns::in_parts(tables, &firsts, |name| model.kind(name));
        assert_eq!(FellegiSunterModel::fit_columns(tables, &firsts, &in_parts, &pairs), model);
        let in_parts = model.scorer_of(in_parts).unwrap();
        assert_eq!(in_parts.score(&pairs).unwrap(), whole);
        assert_eq!(in_parts.explain(pairs[7]).to_string(), model.scorer(tables).unwrap().explain(pairs[7]).to_string());
        for (piece, step) in [(1, 37), (7, 1), (pairs.len(), 1)] {
            let of_piece = |pairs: &[RecordPair]| {
                let (left, right): (Vec<Record>, Vec<Record>) = pairs
                    .iter()
                    .map(|pair| (rows[pair.left as usize].clone(), rows[pair.right as usize].clone()))
                    .unzip();
                let aligned: Vec<RecordPair> = (0..left.len() as u32).map(|row| pair(row, row)).collect();
                let scorer = model.scorer_of_part(Tables::Two(&left, &right), &frequencies).unwrap();
                scorer.score(&aligned).unwrap()
            };
            let parts: Vec<f64> = pairs.chunks(piece).step_by(step).flat_map(of_piece).collect();
            let expected: Vec<f64> = whole.chunks(piece).step_by(step).flatten().copied().collect();
            assert_eq!(parts, expected, "{columns}, {piece} pairs at once");
        }
    }
}

#[test]
fn in_a_small_table_a_misspelt_name_alone_is_a_match() {
    let rows = table(
        "name,phone,email,city",
        &[
            "Ulmer Quarzwerke,n/a,n/a,n/a",
            "Granit Labor,n/a,n/a,n/a",
            "Nordlicht Film,n/a,n/a,n/a",
            "Delfin Reisen,n/a,n/a,n/a",
            "Ulmer-Quarzwerke,0731 440066,post@quarz.example,Ulm",
            "Adria Foto,,,",
            "Falke Luftfracht,,,",
            "Granit Labors,0511 228844,,Kiel",
        ]
        .map(str::to_owned),
    );
    let model = fit(Tables::One(&rows), &pairs(&rows));
    let scores = model.scorer(Tables::One(&rows)).unwrap().score(&pairs(&rows)).unwrap();
    let matches = pairs(&rows).into_iter().zip(&scores).filter(|(_, score)| **score >= 0.5);
    assert_eq!(matches.map(|(pair, _)| (pair.left, pair.right)).collect::<Vec<_>>(), [(0, 4), (1, 7)], "{scores:?}");
}
