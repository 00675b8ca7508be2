//! Entity resolution through the binary.

use std::io::Write;

use crate::folder::{Folder, model, ran};
use serde_json::Value;

const PAPERS: &str = "\
key,title,authors,year
a,Mining association rules between sets of items,Agrawal; Imielinski; Swami,1993
b,The R*-tree: an efficient access method,Beckmann; Kriegel,1990
c,Mining asociation rules between sets of items,\"Agrawal, Swami\",1993
d,Efficient similarity search in sequence databases,Agrawal; Faloutsos,1993
e,The R*-tree - an efficient acess method,Beckmann; Kriegel,1990
";

const OTHERS: &str = "\
id;Title;Year;pages
x;the r*-tree an efficient access method;1990;322
y;Mining association rules between sets of items;1993;207
z;Query evaluation techniques for large databases;1993;73
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("papers.csv", PAPERS);
    folder.write("others.csv", OTHERS);
    folder
}

fn dedupe(folder: &Folder, further: &[&str]) -> crate::folder::Ran {
    folder.run(&[&["-q", "dedupe", "papers.csv", "--id-column", "key"], further].concat())
}

/// The first two cells and the last of each row.
fn pairs(text: &str) -> Vec<(String, String, String)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), vec!["left", "right", "probability", "cluster"]);
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row.unwrap();
        let probability: f64 = row[2].parse().unwrap();
        assert!((0.0..=1.0).contains(&probability));
        (row[0].to_owned(), row[1].to_owned(), row[3].to_owned())
    };
    reader.records().map(row).collect()
}

fn pair(left: &str, right: &str, cluster: &str) -> (String, String, String) {
    (left.into(), right.into(), cluster.into())
}

#[test]
fn equal_rows_are_one_record() {
    let folder = Folder::new();
    let first = ["Hans", "Emil", "Paul", "Carl", "Kate", "Gina"];
    let last = ["Green", "Evans", "Jones", "Stone", "Brown"];
    let names: Vec<String> = first.iter().flat_map(|first| last.map(|last| format!("{first} {last}"))).collect();
    let rows = names.iter().chain(&names[..12]).map(|name| format!("{name}\n"));
    folder.write("names.csv", format!("name\n{}", rows.collect::<String>()));
    let found = folder.run(&["-q", "dedupe", "names.csv"]);
    let equal = pairs(&found.out);
    for number in 1..=12 {
        assert!(
            equal.iter().any(|(left, right, _)| *left == number.to_string() && *right == (number + 30).to_string())
        );
    }
}

#[test]
fn many_equal_rows_are_one_record() {
    let folder = Folder::new();
    let rows: String = (0..20_000).map(|_| "Acme Tools Ltd,12 Main Street,Springfield\n").collect();
    folder
        .write("rows.csv", format!("name,street,town\nAcme Tools,12 Main Street,Springfield\n{rows}Zeta,1 Hill,Ulm\n"));
    let found = folder.run(&["dedupe", "rows.csv", "--json", "run.json"]);
    assert!(found.err.contains("20,002 records, 3 distinct: "), "{}", found.err);
    let listed = pairs(&found.out);
    // One pair a row: with the first of the equal ones.
    assert_eq!((listed.len(), &listed[..2]), (20_000, &[pair("1", "2", "1"), pair("2", "3", "1")][..]));
    assert_eq!(listed[19_999], pair("2", "20001", "1"));
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!((summary["distinct"].as_u64(), summary["matches"].as_u64()), (Some(3), Some(20_000)));
    let table = folder.run(&["-q", "dedupe", "rows.csv", "--format", "table"]).out;
    assert_eq!(table.matches("Springfield,1,").count(), 20_001);
    let page = folder.run(&["-q", "dedupe", "rows.csv", "--format", "html"]).out;
    assert!(
        page.contains("<bdi>2 (and 19,999 equal rows)</bdi>") && page.contains("<bdi>3 (and 19,998 equal rows)</bdi>")
    );
    assert_eq!(pairs(&folder.run(&["-q", "dedupe", "rows.csv", "--threshold", "1"]).out), []);
    // Equal rows of two tables go together one by one.
    folder.write("left.csv", "name\nAcme Tools Ltd\nAcme Tools Ltd\nAcme Tools Ltd\n");
    folder.write("right.csv", "name\nAcme Tools Ltd\nAcme Tools Ltd\n");
    let two = |further: &[&str]| {
        let listed = pairs(&folder.run(&[&["-q", "dedupe", "left.csv", "right.csv"], further].concat()).out);
        listed.into_iter().map(|(left, right, cluster)| format!("{left}-{right} {cluster}")).collect::<Vec<_>>()
    };
    assert_eq!(two(&[]), ["1-1 1", "1-2 1", "2-1 1", "3-1 1"]);
    assert_eq!(two(&["--one-to-one"]), ["1-1 1", "2-2 2"]);
}

#[test]
fn columns_that_identify_rows_are_not_compared() {
    let folder = Folder::new();
    let rows: String = (0..1000).map(|row| format!("{row},Acme Tools Ltd,12 Main Street\n")).collect();
    folder.write("rows.csv", format!("id,name,street\n{rows}"));
    let found = folder.run(&["dedupe", "rows.csv", "--json", "run.json"]);
    assert_eq!(pairs(&found.out).len(), 999);
    let said = "column \"id\" identifies the rows and is not compared\nhint: --compare \"id\" compares it too\n";
    assert!(found.err.contains(said), "{}", found.err);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!((summary["identifiers"][0].as_str(), summary["distinct"].as_u64()), (Some("id"), Some(1)));
    for further in [["--compare", "ID"], ["--column", "id"]] {
        let found = folder.run(&[&["dedupe", "rows.csv"][..], &further].concat());
        assert!(!found.err.contains("identifies"), "{}", found.err);
    }
    let refused = folder.run(&["dedupe", "rows.csv", "--compare", "nam"]);
    assert!(refused.code == 2 && refused.err.contains("did you mean --compare name?"), "{}", refused.err);
    // A key that two tables share tells which records go together; numbers of rows do not.
    let table = |ids: [u32; 3]| -> String {
        let names = ["Acme Tools", "Zeta Foods", "Omega Cars"];
        std::iter::once("id,name\n".to_owned()).chain((0..3).map(|at| format!("{},{}\n", ids[at], names[at]))).collect()
    };
    folder.write("left.csv", table([1, 2, 3]));
    folder.write("same.csv", table([1, 2, 3]));
    folder.write("other.csv", table([2, 3, 1]));
    let said = |right: &str| folder.run(&["dedupe", "left.csv", right]).err.contains("column \"id\" identifies");
    assert_eq!((said("same.csv"), said("other.csv")), (false, true));
}

/// Forty customers, and each tenth once more with another spelling of the phone number.
fn customers() -> String {
    let given = ["Anna", "Ella", "Zoe", "Hans", "Igor"];
    let family = ["Woods", "Sample", "Quendler", "Kaya", "Heath", "Marionne", "Doering", "Lindqvist"];
    let mut rows = "id,name,city,phone\n".to_owned();
    for number in 0..40 {
        let name = format!("{} {}", given[number % 5], family[number / 5]);
        let (city, phone) = (["Berlin", "Kiel", "Bonn"][number % 3], 300_000 + 7919 * number);
        rows.push_str(&format!("c{number},{name},{city},030 {phone}\n"));
        if number % 10 == 0 {
            rows.push_str(&format!("d{number},{name},{city},+49 30 {phone}\n"));
        }
    }
    rows
}

#[test]
fn a_model_without_labels_is_said_saved_applied_and_explained() {
    let folder = Folder::new();
    folder.write("customers.csv", customers());
    let run = |further: &[&str]| folder.run(&[&["dedupe", "customers.csv", "--id-column", "id"], further].concat());
    let fitted = run(&["--save-model", "model.json", "--json", "run.json", "--all-pairs"]);
    let said = "column \"name\" is compared as person-name: equal +";
    assert!(fitted.code == 0 && fitted.err.contains(said), "{}", fitted.err);
    assert!(fitted.err.contains("column \"phone\" is compared as phone: equal +"), "{}", fitted.err);
    let mut found: Vec<_> = pairs(&fitted.out).into_iter().filter(|(.., cluster)| !cluster.is_empty()).collect();
    found.iter_mut().for_each(|(.., cluster)| cluster.clear());
    assert_eq!(found, ["0", "10", "20", "30"].map(|number| pair(&format!("c{number}"), &format!("d{number}"), "")));
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!(summary["model"], serde_json::from_slice::<Value>(&folder.read("model.json")).unwrap());
    let applied = run(&["--model", "model.json", "--all-pairs"]);
    assert_eq!((applied.code, &applied.out), (0, &fitted.out));
    // The weights of a pair, in place of the answers or beside them.
    let explained = run(&["--explain", "c0", "d0", "--explain", "c0", "c5", "--json", "run.json"]);
    assert!(explained.out.starts_with("c0 and d0\nprior "), "{}", explained.out);
    assert!(
        explained.out.contains("\n\nc0 and c5\nprior ") && explained.out.contains("name       equal "),
        "{}",
        explained.out
    );
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    let weights = summary["explanations"][0]["columns"].as_array().unwrap();
    assert_eq!((weights.len(), weights[2]["level"].as_str()), (3, Some("equal")));
    run(&["--explain", "c0", "d0", "--out", "pairs.csv"]);
    assert_eq!(pairs(std::str::from_utf8(&folder.read("pairs.csv")).unwrap()).len(), 4);
}

#[test]
fn labels_correct_a_model_of_typed_columns_and_types_are_given() {
    let folder = Folder::new();
    let rows: String = (0..60)
        .map(|at| {
            let family = [
                "Woods",
                "Kaya",
                "Heath",
                "Marionne",
                "Doering",
                "Lindqvist",
                "Quendler",
                "Sample",
                "Oyelaran",
                "Brzezinski",
                "Abel",
                "Cohen",
            ];
            let name = format!("{} {}", ["Anna", "Ella", "Zoe", "Hans", "Igor"][at % 5], family[at / 5]);
            let mark = if at % 2 == 0 { "green" } else { "crimson" };
            format!("{name},{at} Elm Street,green\n{name},{} Elm Street,{mark}\n", at + 500)
        })
        .collect();
    folder.write("rows.csv", format!("name,street,mark\n{rows}"));
    let labels: String = (0..60).map(|at| format!("{},{},{}\n", 2 * at + 1, 2 * at + 2, (at + 1) % 2)).collect();
    folder.write("labels.csv", format!("left,right,label\n{labels}"));
    let run = |further: &[&str]| folder.run(&[&["dedupe", "rows.csv"], further].concat());
    let found = run(&["--labels", "labels.csv", "--save-model", "model.json", "--json", "run.json"]);
    assert!(found.code == 0 && found.err.contains("the fitted weights are kept: mark: "), "{}", found.err);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!(summary["labels"]["kept"], true);
    assert_eq!(summary["model"]["columns"][2]["correction"].as_array().unwrap().len(), 6);
    assert_eq!(run(&["--model", "model.json"]).out, found.out);
    let lexical = run(&["--labels", "labels.csv", "--scorer", "lexical", "--json", "run.json"]);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert!(lexical.code == 0 && summary["model"].is_null());
    // A type in place of the one found, and what is none.
    assert!(run(&[]).err.contains("column \"mark\" is compared as text"));
    assert!(run(&["--type", "mark=code"]).err.contains("column \"mark\" is compared as code"));
    let refused = run(&["--type", "mark=colour"]);
    assert!(
        refused.code == 2 && refused.err.contains("no type of column \"colour\" among given-name"),
        "{}",
        refused.err
    );
    let refused = run(&["--type", "marks=code"]);
    assert!(refused.code == 2 && refused.err.contains("did you mean --type mark"), "{}", refused.err);
    assert!(run(&["--type", "mark=code", "--scorer", "lexical"]).err.contains("hint: --scorer fellegi-sunter"));
}

#[test]
fn new_rows_join_the_clusters_of_an_earlier_run() {
    let folder = Folder::new();
    let all = customers();
    let rows: Vec<&str> = all.lines().collect();
    folder.write("customers.csv", &all);
    let run = |arguments: &[&str]| {
        folder.run(&[&["dedupe"], arguments, &["--id-column", "id", "--format", "table"]].concat())
    };
    run(&["customers.csv", "--out", "done.csv"]);
    let done = String::from_utf8(folder.read("done.csv")).unwrap();
    // One more record of the second customer, twice; another customer; and a column that the table lacks.
    let (name, city, phone) = ("Ella Woods", "Kiel", "307919");
    folder.write(
        "new.csv",
        format!("ID,phone,name,city,fax\nn1,+49 30 {phone},{name},{city},1\nn2,+49 30 {phone},{name},{city},1\nn3,0511 2,Nora Zwei,Ulm,\n"),
    );
    let found = run(&["new.csv", "--against", "done.csv", "--json", "run.json"]);
    assert_eq!(found.code, 0, "{}", found.err);
    let (before, after): (Vec<&str>, Vec<&str>) = (done.lines().collect(), found.out.lines().collect());
    assert_eq!(after[0], "id,name,city,phone,fax,cluster,probability");
    let cells = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    let cluster = |row: &str| cells(row).iter().nth_back(1).unwrap().clone();
    let clusters = |rows: &[&str]| rows.iter().map(|row| cluster(row)).collect::<Vec<_>>();
    let standing = clusters(&before[1..]);
    assert_eq!(clusters(&after[1..rows.len()]), standing);
    let second = rows.iter().position(|row| row.starts_with("c1,")).unwrap();
    let greatest: u32 = standing.iter().map(|id| id.parse().unwrap()).max().unwrap();
    assert_eq!(
        clusters(&after[rows.len()..]),
        [standing[second - 1].clone(), standing[second - 1].clone(), (greatest + 1).to_string()]
    );
    let pairs = folder.run(&["-q", "dedupe", "new.csv", "--against", "done.csv", "--id-column", "id"]);
    assert_eq!(
        self::pairs(&pairs.out).iter().map(|(left, right, _)| (left.as_str(), right.as_str())).collect::<Vec<_>>(),
        [("c1", "n1"), ("n1", "n2")]
    );
    // Nothing is new the second time but another row, and what it joins is said.
    folder.write("done.csv", "id,name,city,phone,cluster\n1,Nora Zwei,Ulm,0511 22334455,9\n2,Nora Zwei,Ulm,,4\n3,Omar Drei,Bonn,030 99887766,5\n");
    folder.write("new.csv", "id,name,city,phone\n4,Nora Zwei,Ulm,+49 511 22334455\n");
    let joined = run(&["new.csv", "--against", "done.csv", "--threshold", "0.01", "--json", "run.json"]);
    assert!(joined.err.contains("cluster \"9\" is a part of cluster \"4\" now"), "{}", joined.err);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!(summary["joined"], serde_json::json!([["9", "4"]]));
    let refused = run(&["new.csv", "--against", "done.csv", "--cluster-column", "clusters"]);
    assert!(refused.code == 2 && refused.err.contains("did you mean --cluster-column cluster"), "{}", refused.err);
    folder.write("new.csv", "id,name,city,phone\n3,Nora Zwei,Ulm,0511 22334455\n");
    let refused = run(&["new.csv", "--against", "done.csv"]);
    assert!(refused.err.contains("done.csv and new.csv: rows 3 and 4 have the same id \"3\""), "{}", refused.err);
}

#[test]
fn pairs_are_labelled_on_the_terminal() {
    let folder = Folder::new();
    folder.write("customers.csv", customers());
    let ask = |answers: &str, further: &[&str]| {
        let arguments = ["dedupe", "customers.csv", "--id-column", "id", "--label", "labels.csv"];
        folder.run_with_input(&[&arguments[..], further].concat(), answers.as_bytes())
    };
    let labels = || String::from_utf8(folder.read("labels.csv")).unwrap();
    let begun = ask("n\n?\nmaybe\ny\n", &[]);
    assert_eq!((begun.code, begun.out.as_str()), (0, ""), "{}", begun.err);
    assert!(
        begun.err.contains("  phone ")
            && begun.err.matches("y yes, n no, ? not sure, u take back the last answer, q stop").count() == 2,
        "{}",
        begun.err
    );
    assert_eq!(
        labels().lines().map(|row| row.split(',').nth(2).unwrap().to_owned()).collect::<Vec<_>>(),
        ["label", "0", "1"]
    );
    let first = labels();
    // An answer is taken back, and given again; one that is not given again has no label.
    let corrected = ask("y\nu\nn\nq\n", &[]);
    assert!(corrected.err.contains("3 labelled, 2 the same"), "{}", corrected.err);
    let third = labels().strip_prefix(&first).unwrap().to_owned();
    assert!(third.lines().count() == 1 && third.split(',').nth(2) == Some("0"), "{third}");
    folder.write("labels.csv", &first);
    assert_eq!((ask("u\ny\nu\nq\n", &[]).code, labels()), (0, first.clone()));
    // The next run goes on, and its answers are those of `--labels`.
    let gone_on = ask("n\nq\nn\n", &["--out", "pairs.csv"]);
    assert!(gone_on.err.contains("2 labelled, 1 the same") && labels().starts_with(&first), "{}", gone_on.err);
    let rows: Vec<String> =
        labels().lines().skip(1).map(|row| row.split(',').take(2).collect::<Vec<_>>().join(",")).collect();
    assert_eq!((rows.len(), rows.iter().collect::<std::collections::HashSet<_>>().len()), (3, 3));
    let fitted = folder.run(&["-q", "dedupe", "customers.csv", "--id-column", "id", "--labels", "labels.csv"]);
    assert_eq!(fitted.out.as_bytes(), folder.read("pairs.csv"));
    let refused = folder.run(&["dedupe", "-", "--label", "labels.csv"]);
    assert!(refused.code == 2 && refused.err.contains("--label reads the answers from stdin"), "{}", refused.err);
}

#[test]
fn rules_of_blocking_propose_pairs_and_say_their_recall() {
    let folder = Folder::new();
    folder.write("customers.csv", customers());
    folder.write("gold.csv", "left,right\nc0,d0\nc10,d10\nc20,c21\n");
    let run = |further: &[&str]| folder.run(&[&["dedupe", "customers.csv", "--id-column", "id"], further].concat());
    let found =
        run(&["--neighbours", "1", "--block", "city + soundex(name)", "--gold", "gold.csv", "--json", "run.json"]);
    assert!(found.err.contains("rule \"city + soundex(name)\" proposes 66.67 % of the known matches"), "{}", found.err);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!(summary["rules"][0]["left_out"].as_u64(), Some(0));
    let alone: Value = {
        run(&["--neighbours", "1", "--json", "alone.json"]);
        serde_json::from_slice(&folder.read("alone.json")).unwrap()
    };
    assert!(summary["candidates"].as_u64() > alone["candidates"].as_u64());
    let refused = run(&["--block", "soundex(name"]);
    assert!(refused.code == 2 && refused.err.contains("--block: no rule of blocking"), "{}", refused.err);
    assert!(run(&["--block", "street"]).err.contains("no column \"street\" is compared"));
}

#[test]
fn models_and_pairs_that_cannot_be_had_are_refused() {
    let folder = folder();
    folder.write("customers.csv", customers());
    folder.write("no.json", "{}");
    let refused = |further: &[&str]| {
        let found = folder.run(&[&["-q", "dedupe"], further].concat());
        assert_ne!(found.code, 0);
        found.err
    };
    assert!(refused(&["papers.csv", "--id-column", "key", "--save-model", "m"]).contains("--scorer fellegi-sunter"));
    assert!(refused(&["papers.csv", "--id-column", "key", "--explain", "a", "b"]).contains("--scorer fellegi-sunter"));
    let customers = ["customers.csv", "--id-column", "id"];
    let of = |further: &[&str]| refused(&[&customers, further].concat());
    assert!(of(&["--explain", "c0", "x"]).contains("customers.csv has no record \"x\""));
    assert!(of(&["--explain", "c0", "c0"]).contains("\"c0\" is paired with itself"));
    assert!(of(&["--model", "no.json"]).contains("no.json is no Fellegi–Sunter model: missing field"));
    assert!(of(&["--model", "no.json", "--scorer", "lexical"]).contains("cannot be used with"));
    let fitted = folder.run(&["-q", "dedupe", "papers.csv", "--id-column", "key", "--scorer", "fellegi-sunter"]);
    assert_eq!(pairs(&fitted.out), [pair("a", "c", "1"), pair("b", "e", "2")]);
    assert_eq!(folder.run(&["-q", "dedupe", "customers.csv", "--id-column", "id", "--save-model", "m.json"]).code, 0);
    assert!(refused(&["papers.csv", "--model", "m.json"]).contains("do not share the column \"name\" of the model"));
}

#[test]
fn records_of_one_table_are_paired() {
    let folder = folder();
    let found = dedupe(&folder, &[]);
    assert_eq!((found.code, found.err.as_str()), (0, ""));
    assert_eq!(pairs(&found.out), [pair("a", "c", "1"), pair("b", "e", "2")]);
    // Without an id, rows are counted from 1; the key is then compared too.
    let rows = folder.run(&["dedupe", "papers.csv", "--column", "TITLE", "--column", "year"]);
    assert_eq!(pairs(&rows.out), [pair("1", "3", "1"), pair("2", "5", "2")]);
    assert!(
        rows.err.contains("5 records: ") && rows.err.contains(" within 2 clusters of several records"),
        "{}",
        rows.err
    );
    let all = dedupe(&folder, &["--all-pairs"]);
    assert_eq!(pairs(&all.out).iter().filter(|(.., cluster)| cluster.is_empty()).count(), pairs(&all.out).len() - 2);
    assert!(pairs(&all.out).len() > 2);
    assert_eq!(pairs(&dedupe(&folder, &["--threshold", "1"]).out), []);
    for threads in ["1", "2"] {
        assert_eq!(dedupe(&folder, &["--threads", threads, "--all-pairs"]), all);
    }
}

#[test]
fn records_of_two_tables_are_paired() {
    let folder = folder();
    let found = folder.run(&["-q", "dedupe", "papers.csv", "others.csv"]);
    assert_eq!(
        pairs(&found.out).into_iter().map(|(left, right, _)| (left, right)).collect::<Vec<_>>(),
        [("1", "2"), ("2", "1"), ("3", "2"), ("5", "1")].map(|(left, right)| (left.to_owned(), right.to_owned()))
    );
    let one = folder.run(&["-q", "dedupe", "papers.csv", "others.csv", "--one-to-one"]);
    let one: Vec<(String, String, String)> = pairs(&one.out);
    assert_eq!(
        one.iter().map(|(left, right, _)| (left.as_str(), right.as_str())).collect::<Vec<_>>(),
        [("1", "2"), ("2", "1")]
    );
    let refused = folder.run(&["dedupe", "papers.csv", "--one-to-one"]);
    assert_eq!(refused.code, 2);
}

#[test]
fn records_of_three_tables_share_clusters() {
    let folder = Folder::new();
    let person = |number: usize| {
        let given = ["Anna", "Ella", "Zoe", "Hans", "Igor"][number % 5];
        format!(
            "{given} {},0{} {}",
            ["Woods", "Sample", "Quendler", "Kaya", "Heath", "Marionne"][number / 5],
            30 + number,
            583_699 + 7919 * number
        )
    };
    let rows = |numbers: std::ops::Range<usize>| {
        numbers.enumerate().map(|(row, number)| format!("{},{}\n", row + 1, person(number))).collect::<String>()
    };
    folder.write("shop.csv", format!("id,name,phone\n{}", rows(0..20)));
    folder.write("web.csv", format!("ID,Name,Phone\n{}", rows(10..30)));
    folder.write("club.tsv", format!("id,name,phone\n{}21,{}\n", rows(5..25), person(24)).replace(',', "\t"));
    let run = |further: &[&str]| folder.run(&[&["dedupe", "shop.csv", "web.csv", "club.tsv"], further].concat());
    let found = run(&["--format", "table"]);
    assert!(found.err.contains("column \"id\" identifies the rows"), "{}", found.err);
    let mut reader = csv::Reader::from_reader(found.out.as_bytes());
    assert_eq!(reader.headers().unwrap(), vec!["id", "name", "phone", "table", "cluster", "probability"]);
    let table: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut clusters: std::collections::BTreeMap<&str, Vec<String>> = std::collections::BTreeMap::new();
    table.iter().for_each(|row| clusters.entry(&row[4]).or_default().push(row[1].to_owned()));
    assert_eq!((table.len(), clusters.len()), (61, 30));
    assert!(clusters.values().all(|names| names.iter().all(|name| *name == names[0])));
    // The same person twice in one table is one row of a cluster, one to one.
    let one = run(&["--format", "table", "--one-to-one"]);
    let ends: Vec<&str> = one
        .out
        .lines()
        .filter(|row| row.starts_with("20,") && row.contains(",club,") || row.starts_with("21,"))
        .collect();
    let cluster = |row: &str| row.split(',').nth_back(1).unwrap().to_owned();
    assert!(ends.len() == 2 && cluster(ends[0]) != cluster(ends[1]), "{ends:?}");
    let named = run(&["-q", "--id-column", "id"]);
    let pairs = pairs(&named.out);
    assert!(pairs.iter().any(|(left, right, _)| left == "shop:11" && right == "web:1"), "{pairs:?}");
    assert!(pairs.iter().all(|(left, right, _)| left.split(':').next() != right.split(':').next()), "{pairs:?}");
}

#[test]
fn rows_gain_their_clusters() {
    let folder = folder();
    let found = dedupe(&folder, &["--format", "table"]);
    let lines: Vec<&str> = found.out.lines().collect();
    assert_eq!(lines[0], "key,title,authors,year,cluster,probability");
    assert!(
        lines[3].starts_with("c,Mining asociation rules between sets of items,\"Agrawal, Swami\",1993,1,"),
        "{}",
        lines[3]
    );
    assert_eq!(lines[4], "d,Efficient similarity search in sequence databases,Agrawal; Faloutsos,1993,3,");
    let two = folder.run(&["-q", "dedupe", "papers.csv", "others.csv", "--format", "table", "--out", "both.tsv"]);
    assert_eq!(two, ran(0, "", ""));
    let both = String::from_utf8(folder.read("both.tsv")).unwrap();
    let lines: Vec<&str> = both.lines().collect();
    assert_eq!(lines[0], "key\ttitle\tauthors\tyear\tid\tpages\ttable\tcluster\tprobability");
    assert!(
        lines[6].starts_with("\tthe r*-tree an efficient access method\t\t1990\tx\t322\tright\t2\t"),
        "{}",
        lines[6]
    );
    let refused = dedupe(&folder, &["--format", "table", "--out", "rows.parquet"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("call the output .csv or .tsv"), "{}", refused.err);
}

#[test]
fn clusters_become_one_row_each() {
    let folder = folder();
    let merged = dedupe(&folder, &["--format", "merged", "--merge", "title=longest"]);
    let table = "key,title,authors,year,cluster,count\n\
                 a,Mining association rules between sets of items,Agrawal; Imielinski; Swami,1993,1,2\n\
                 b,The R*-tree: an efficient access method,Beckmann; Kriegel,1990,2,2\n\
                 d,Efficient similarity search in sequence databases,Agrawal; Faloutsos,1993,3,1\n";
    assert_eq!((merged.code, merged.out.as_str()), (0, table));
    let two = folder.run(&["-q", "dedupe", "papers.csv", "others.csv", "--format", "merged", "--merge", "id=first"]);
    assert!(
        two.out.starts_with("key,title,authors,year,id,pages,cluster,count\na,Mining")
            && two.out.contains(",y,207,1,3\n"),
        "{}",
        two.out
    );
    let refused = |further: &[&str]| {
        let found = dedupe(&folder, further);
        assert_ne!(found.code, 0);
        found.err
    };
    assert!(refused(&["--merge", "longest"]).contains("--merge is for --format merged"));
    assert!(refused(&["--format", "merged", "--merge", "oldest"]).contains("no rule \"oldest\""));
    assert!(refused(&["--format", "merged", "--merge", "newest(authors)"]).contains("\"authors\" holds no dates"));
}

#[test]
fn the_page_has_the_pairs_and_their_records() {
    let folder = folder();
    assert_eq!(dedupe(&folder, &["--format", "html", "--out", "pairs.html", "--shown", "2"]), ran(0, "", ""));
    let page = String::from_utf8(folder.read("pairs.html")).unwrap();
    assert_eq!(page.matches("<article").count(), 2);
    assert!(page.contains("<title>Pairs of papers.csv</title>") && page.contains("2 pairs of "));
    assert!(page.contains("data-left=\"COL title VAL ") && page.matches("data-chance=").count() == 2);
    assert_eq!(page.matches("http").count(), page.matches("http-equiv").count());
}

#[test]
fn recall_is_reported_where_matches_are_known() {
    let folder = folder();
    folder.write("gold.csv", "left,right\nc,a\nb,e\nb,d\n");
    let found = folder.run(&[
        "dedupe",
        "papers.csv",
        "--id-column",
        "key",
        "--gold",
        "gold.csv",
        "--json",
        "run.json",
        "--out",
        "pairs.csv",
    ]);
    assert_eq!(found.code, 0);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    assert_eq!((summary["records"].as_u64(), summary["matches"].as_u64()), (Some(5), Some(2)));
    let gold = &summary["gold"];
    assert_eq!((gold["gold"].as_u64(), gold["found"].as_u64()), (Some(3), Some(2)));
    assert!(
        found.err.contains("3 pairs of known matches: blocking proposes 3 (100.00 %), 2 are found (66.67 %)"),
        "{}",
        found.err
    );
    // Serialised records, as the page saves them, name rows too.
    folder.write(
        "judged.csv",
        "left,right,label\nCOL title VAL the r*-tree an efficient access method,COL title VAL x,1\n",
    );
    folder.write("one.csv", "title\nThe r*-tree\n");
    let unknown = folder.run(&["-q", "dedupe", "one.csv", "--gold", "judged.csv"]);
    assert_eq!(unknown.code, 1);
    let message =
        "error: judged.csv:2: one.csv has no record \"COL title VAL the r*-tree an efficient access method\"\nhint: ";
    assert!(unknown.err.starts_with(message), "{}", unknown.err);
    folder.write("judged.csv", "left,right,label\nCOL title VAL b,COL title VAL a,1\n");
    folder.write("two.csv", "title\na\nb\n");
    let known = folder.run(&["dedupe", "two.csv", "--gold", "judged.csv"]);
    assert!(known.err.contains("1 pair of known matches"), "{}", known.err);
}

#[test]
fn malformed_tables_are_told() {
    let folder = Folder::new();
    folder.write("in.csv", "id,name,x\n1,alpha\n2,alpha,b,c\n");
    let found = folder.run(&["dedupe", "in.csv", "--id-column", "id", "--format", "table"]);
    assert!(found.out.starts_with("id,name,x,extra_1,cluster,probability\n1,alpha,,,"), "{}", found.out);
    assert!(found.err.contains("in.csv:2: row has 2 of 3 cells; filled up"), "{}", found.err);
    assert!(found.err.contains("in.csv:3: row has 4 cells, the header has 3"), "{}", found.err);
    let strict = folder.run(&["-q", "dedupe", "in.csv", "--strict"]);
    assert_eq!(strict, ran(1, "", "error: in.csv:2: row has 2 of 3 cells; filled up\n"));
    folder.write("twice.csv", "id,name\n1,a\n1,b\n");
    let twice = folder.run(&["-q", "dedupe", "twice.csv", "--id-column", "id"]);
    assert_eq!(twice, ran(1, "", "error: twice.csv: rows 1 and 2 have the same id \"1\"\n"));
    let column = folder.run(&["-q", "dedupe", "twice.csv", "--column", "nam"]);
    assert_eq!(column.code, 2);
    assert!(column.err.contains("did you mean --column name?"), "{}", column.err);
    folder.write("list.jsonl", "{\"name\": 1}\n");
    let jsonl = folder.run(&["-q", "dedupe", "list.jsonl"]);
    assert_eq!(jsonl.code, 2);
    assert!(jsonl.err.contains("list.jsonl is no table"), "{}", jsonl.err);
    folder.write("empty.csv", "");
    assert_eq!(
        folder.run(&["-q", "dedupe", "empty.csv"]),
        ran(1, "", "error: empty.csv: the file is empty: no header\n")
    );
    folder.write("header.csv", "id,name\n");
    assert_eq!(folder.run(&["-q", "dedupe", "header.csv"]), ran(0, "left,right,probability,cluster\n", ""));
}

#[test]
fn gzipped_tables_are_read_and_written() {
    let folder = folder();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(PAPERS.as_bytes()).unwrap();
    folder.write("papers.csv.gz", packed.finish().unwrap());
    let plain = dedupe(&folder, &[]);
    let unpacked = folder.run(&["-q", "dedupe", "papers.csv.gz", "--id-column", "key", "--out", "pairs.csv.gz"]);
    assert_eq!(unpacked, ran(0, "", ""));
    let mut text = String::new();
    let packed = folder.read("pairs.csv.gz");
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).unwrap();
    assert_eq!(text, plain.out);
}

#[test]
fn an_encoder_proposes_further_pairs() {
    let folder = folder();
    let count = |further: &[&str]| {
        assert_eq!(dedupe(&folder, &[&["--neighbours", "1", "--json", "run.json"], further].concat()).code, 0);
        let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
        summary["candidates"].as_u64().unwrap()
    };
    assert!(count(&["--encoder", &model("bert")]) > count(&[]));
    let missing = dedupe(&folder, &["--encoder", "nowhere"]);
    assert_eq!(missing.code, 1);
}

const LABELLED: &str = "\
left,right,label
COL name VAL alpha one COL code VAL 11,COL name VAL alpha one COL code VAL 12,1
COL name VAL beta two COL code VAL 21,COL name VAL beta two COL code VAL 29,1
COL name VAL gamma three COL code VAL 31,COL name VAL gamma three COL code VAL 33,1
COL name VAL alpha one COL code VAL 11,COL name VAL delta one COL code VAL 11,0
COL name VAL beta two COL code VAL 21,COL name VAL gamma two COL code VAL 21,0
COL name VAL gamma three COL code VAL 31,COL name VAL beta four COL code VAL 31,0
";

#[test]
fn pairs_are_scored_and_the_scorer_is_fitted() {
    let folder = Folder::new();
    folder.write("gold.csv", LABELLED);
    let evaluated = |further: &[&str]| {
        let ran = folder
            .run(&[&["-q", "evaluate", "pairs", "--gold", "gold.csv", "--json", "scores.json"], further].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let scores: Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
        assert_eq!((scores["pairs"].as_u64(), scores["positives"].as_u64()), (Some(6), Some(3)));
        (ran.out, scores)
    };
    let (shown, scores) = evaluated(&[]);
    let f1 = |scores: &Value| scores["f1"].as_f64().unwrap();
    let (precision, recall) = (scores["precision"].as_f64().unwrap(), scores["recall"].as_f64().unwrap());
    assert!((f1(&scores) - 2.0 * precision * recall / (precision + recall).max(1e-9)).abs() < 1e-9);
    assert!(shown.starts_with("6 pairs, 3 of the same thing; "), "{shown}");
    // Here another code is no other thing, which labels teach.
    let many = LABELLED.lines().skip(1).cycle().take(600).collect::<Vec<_>>().join("\n");
    folder.write("labels.csv", format!("left,right,label\n{many}\n"));
    let (_, fitted) = evaluated(&["--labels", "labels.csv"]);
    assert_eq!(f1(&fitted), 1.0);
    let ditto = LABELLED.lines().skip(1).map(|line| line.replace(',', "\t") + "\n").collect::<String>();
    folder.write("gold.csv", ditto);
    assert_eq!(evaluated(&["--labels", "labels.csv"]).1["f1"], fitted["f1"]);
}

#[test]
fn labels_say_what_they_changed_and_what_is_missing() {
    let folder = Folder::new();
    let (rows, labels): (Vec<String>, Vec<String>) = (0..30)
        .map(|number| {
            let name = format!("alpha{number} beta{}", number * 7);
            (format!("{name},{number}0\n{name},{number}1\n"), format!("{},{},1\n", 2 * number + 1, 2 * number + 2))
        })
        .unzip();
    folder.write("rows.csv", format!("name,code\n{}", rows.concat()));
    let labelled = |rows: &[String]| format!("left,right,label\n{}", rows.concat());
    folder.write("labels.csv", labelled(&labels));
    let refused = folder.run(&["-q", "dedupe", "rows.csv", "--labels", "labels.csv"]);
    let message = "error: labels.csv: all of 30 labelled pairs are of the same thing\nhint: add pairs with the label 0: pairs of \
                   different things that look alike\n";
    assert_eq!(refused, ran(1, "", message));
    let others: Vec<String> =
        (0..30).map(|number| format!("{},{},0\n", 2 * number + 1, (2 * number + 3) % 60 + 1)).collect();
    folder.write("labels.csv", labelled(&[labels, others].concat()));
    let found = folder.run(&["dedupe", "rows.csv", "--labels", "labels.csv", "--json", "run.json"]);
    assert_eq!(found.code, 0, "{}", found.err);
    let summary: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    let gain = &summary["labels"];
    assert_eq!((gain["labels"].as_u64(), gain["matches"].as_u64()), (Some(60), Some(30)));
    assert!(gain["f1"][1].as_f64() >= gain["f1"][0].as_f64() || gain["kept"] == false, "{gain}");
    assert!(
        found.err.contains("60 labelled pairs, 30 of the same thing; ") && found.err.contains(" kept: "),
        "{}",
        found.err
    );
    folder.write("labels.csv", "left,right,label,chance\n1,2,1,2\n");
    let wrong = folder.run(&["-q", "dedupe", "rows.csv", "--labels", "labels.csv"]);
    assert!(
        wrong.err.starts_with("error: labels.csv:2: the chance \"2\" is not above 0 and at most 1\nhint: "),
        "{}",
        wrong.err
    );
}

#[test]
fn bad_labels_and_models_are_refused() {
    let folder = Folder::new();
    folder.write("gold.csv", "left,right,label\na,b,maybe\n");
    let refused = folder.run(&["-q", "evaluate", "pairs", "--gold", "gold.csv"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.starts_with("error: gold.csv:2: the label \"maybe\" is neither 1 nor 0\nhint: "),
        "{}",
        refused.err
    );
    folder.write("gold.csv", LABELLED);
    let encoder = folder.run(&["-q", "evaluate", "pairs", "--gold", "gold.csv", "--model", &model("bert")]);
    assert_eq!(encoder.code, 1);
    assert!(encoder.err.contains("classes"), "{}", encoder.err);
    let both = folder.run(&["-q", "evaluate", "pairs", "--gold", "gold.csv", "--model", "m", "--labels", "l"]);
    assert_eq!(both.code, 2);
}
