//! `map`, with a small encoder of random weights.

use crate::folder::{Folder, model};

fn map(folder: &Folder, arguments: &[&str]) -> crate::folder::Ran {
    folder.run(&[&["map", "--kb", "kb", "--encoder", &model("bert")], arguments].concat())
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

#[test]
fn concepts_queries_and_a_sample_are_drawn_the_same_each_time() {
    let folder = Folder::with_kb();
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")]).code, 0);
    folder.write("names.txt", "\u{FEFF}heart <attak>\n\nheart <attak>\nasprin\n");
    let arguments = ["--concepts", "X:1,X:2,X:3", "--names", "names.txt", "--name", "fever"];
    let drawn = map(&folder, &[&arguments[..], &["--out", "one.csv"]].concat());
    let summary = "8 names drawn: 5 of 3 concepts, 3 queried names and 0 of the others\n";
    assert_eq!((drawn.code, drawn.out.as_str(), drawn.err.as_str()), (0, "", summary));
    let (table, svg) = (text(&folder, "one.csv"), text(&folder, "one.svg"));
    assert_eq!(table.lines().count(), 9, "{table}");
    assert!(table.starts_with("id,name,x,y,group\nX:1,myocardial infarction,") && table.contains("\n,heart <attak>,"));
    assert!(svg.contains("<title>heart &lt;attak&gt;</title>") && !svg.contains("<attak"));
    assert_eq!(svg.matches("class=\"query\"").count(), 4, "three and one in the legend");
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("class=\"sample\""));

    let again = map(&folder, &[&arguments[..], &["--threads", "1", "--out", "two.csv"]].concat());
    assert_eq!((again.code, text(&folder, "two.svg"), text(&folder, "two.csv")), (0, svg.clone(), table));
    assert_eq!(map(&folder, &[&arguments[..], &["--seed", "5", "--out", "two.csv"]].concat()).code, 0);
    assert_ne!(text(&folder, "two.svg"), svg);
}

#[test]
fn what_is_near_a_query_is_drawn_too() {
    let folder = Folder::with_kb();
    let drawn = map(&folder, &["--name", "heart attak", "--sample", "1", "--out", "map.csv"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    assert!(drawn.err.contains("found by letters\nhint: `truename kb embed`"), "{}", drawn.err);
    assert!(text(&folder, "map.svg").contains("<title>myocardial infarction X:1</title>"));

    // Near a concept that was asked for, nothing more is drawn but the sample.
    let drawn = map(&folder, &["--concepts", "X:1", "--name", "heart attak", "--sample", "1", "--out", "map.csv"]);
    let summary = "4 names drawn: 2 of 1 concept, 1 queried name and 1 of the others\n";
    assert!(drawn.err.ends_with(summary), "{}", drawn.err);
    assert_eq!(map(&folder, &["--concepts", "X:2", "--sample", "0", "--out", "map.csv"]).code, 0);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = Folder::with_kb();
    assert_eq!(map(&folder, &["--out", "map.csv"]).code, 2);
    assert_eq!(map(&folder, &["--concepts", "X:1", "--perplexity", "NaN", "--out", "map.csv"]).code, 2);
    let unknown = map(&folder, &["--concepts", "X:1,X:8", "--out", "map.csv"]);
    assert_eq!((unknown.code, unknown.err.as_str()), (1, "error: no concept has the id \"X:8\"\n"));
    folder.write("names.txt", "\n \n");
    let empty = map(&folder, &["--names", "names.txt", "--out", "map.csv"]);
    assert_eq!((empty.code, empty.err.as_str()), (1, "error: there is no name to draw\n"));
    assert!(!folder.path("map.csv").exists() && !folder.path("map.svg").exists());
}
