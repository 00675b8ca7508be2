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
