//! Pairs of records that are listed and labelled.

use std::path::PathBuf;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use truename_records::{Blocking, ColumnChoice, RecordTable, RecordTables};
use truename_server::{PairSource, Server, ServerOptions};

use crate::Served;

/// Pumps of which half stand twice, in two colours.
fn source(labels: PathBuf) -> PairSource {
    let words = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda"];
    let row = |number: usize, colour: &str| {
        vec![format!("p{number}{colour}"), format!("{} pump", words[number]), colour.to_owned()]
    };
    let rows = (0..words.len())
        .flat_map(|number| [row(number, "green"), row(number, if number % 2 == 0 { "greene" } else { "crimson" })]);
    let table = RecordTable::new("folder/pumps.csv", ["id", "title", "colour"].map(str::to_owned).to_vec(), rows);
    let choice = ColumnChoice { id_column: Some("id".into()), ..ColumnChoice::default() };
    let tables = RecordTables::new(table, None, &choice).unwrap();
    let pairs = Blocking::default().pairs(tables.tables()).unwrap().pairs;
    PairSource { tables, pairs, labels, threshold: 0.5 }
}

fn serving(labels: PathBuf) -> Served {
    Served::with(ServerOptions { pairs: Some(source(labels)), ..ServerOptions::default() })
}

fn label(pair: &Value, same: Value) -> Value {
    json!({"left": pair["left"], "right": pair["right"], "same": same})
}

#[tokio::test]
async fn pairs_are_labelled_and_the_labels_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    let served = serving(path.clone());
    assert_eq!(served.get("/v1/bases").await.1["pairs"], json!(["pumps.csv"]));
    let (status, list) = served.get("/v1/pairs?top=3").await;
    assert_eq!((status.as_u16(), &list["labels"], &list["matches"]), (200, &json!(0), &json!(0)));
    let pairs = list["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    let columns: Vec<&Value> = pairs[0]["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(columns, ["title", "colour"]);
    assert!(pairs[0]["left"].as_str().unwrap().starts_with('p') && pairs[0]["probability"].is_f64());

    for (pair, same) in pairs.iter().zip([json!(true), json!(false), json!(null)]) {
        assert_eq!(served.post("/v1/pairs/labels", label(pair, same)).await.0, 201);
    }
    let written = || std::fs::read_to_string(&path).unwrap();
    let rows: Vec<String> = written().lines().map(|row| row.rsplit_once(',').unwrap().0.to_owned()).collect();
    let row = |pair: &Value, label: u8| {
        format!("{},{},{label}", pair["left"].as_str().unwrap(), pair["right"].as_str().unwrap())
    };
    assert_eq!(rows, ["left,right,label".to_owned(), row(&pairs[0], 1), row(&pairs[1], 0)]);
    let (_, next) = served.get("/v1/pairs").await;
    assert_eq!((&next["labels"], &next["matches"]), (&json!(2), &json!(1)));
    let left = next["pairs"].as_array().unwrap();
    assert!(
        left.len() == 5
            && left.iter().all(|pair| pairs.iter().all(|done| label(pair, json!(null)) != label(done, json!(null))))
    );
    // A later label takes the place of the first, and none takes it back.
    assert_eq!(served.post("/v1/pairs/labels", label(&pairs[1], json!(true))).await.0, 201);
    assert_eq!(served.post("/v1/pairs/labels", label(&pairs[0], json!(null))).await.0, 201);
    let (_, headers, table) = served.send(Request::get("/v1/pairs/labels").body(Body::empty()).unwrap()).await;
    assert_eq!((headers["content-type"].to_str().unwrap(), table), ("text/csv; charset=utf-8", written().into_bytes()));
    assert!(written().lines().count() == 2 && written().contains(&row(&pairs[1], 1)));

    // The next server goes on.
    let (_, list) = serving(path.clone()).get("/v1/pairs?top=100").await;
    assert_eq!((&list["labels"], &list["matches"]), (&json!(1), &json!(1)));
    let pairs = list["pairs"].as_array().unwrap();
    assert!(pairs.iter().any(|pair| row(pair, 1) == rows[1]) && pairs.iter().all(|pair| row(pair, 0) != rows[2]));
}

#[tokio::test]
async fn what_was_not_asked_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = serving(folder.path().join("labels.csv"));
    let pair = json!({"left": "p0green", "right": "p1green", "same": true});
    let (status, refused) = served.post("/v1/pairs/labels", pair).await;
    assert_eq!(status, 404);
    assert_eq!(refused["error"], "the pair of \"p0green\" and \"p1green\" was not asked for");
    assert_eq!(served.post("/v1/pairs/labels", json!({"left": "1", "right": "2"})).await.0, 400);
    assert_eq!(served.get("/v1/pairs?top=101").await.0, 400);
    let without = Served::new();
    assert_eq!(without.get("/v1/bases").await.1["pairs"], json!([]));
    assert_eq!(without.get("/v1/pairs").await.0, 404);
}

#[tokio::test]
async fn a_label_that_cannot_be_kept_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let served = serving(folder.path().join("missing/labels.csv"));
    let (_, list) = served.get("/v1/pairs").await;
    assert_eq!(served.post("/v1/pairs/labels", label(&list["pairs"][0], json!(true))).await.0, 500);
    assert_eq!(served.get("/v1/pairs").await.1["labels"], json!(0));
}

#[test]
fn malformed_labels_end_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    std::fs::write(&path, "left,right,label\n1,2,maybe\n").unwrap();
    let options = ServerOptions { pairs: Some(source(path)), ..ServerOptions::default() };
    let kb = truename_server::BaseSource {
        name: "mesh".into(),
        folder: None,
        judgements: folder.path().join("judgements.jsonl"),
    };
    let error = Server::open(vec![kb], options).err().unwrap().to_string();
    assert!(error.contains("labels.csv") && error.contains("maybe"), "{error}");
}
