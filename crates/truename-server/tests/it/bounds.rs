//! Bounds of requests and answers.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use truename_server::ServerOptions;

use crate::{Served, encoded};

#[tokio::test]
async fn an_extension_has_a_bounded_number_of_cells() {
    let served = Served::new();
    let query = |ids: usize, properties: usize| {
        let properties = vec![json!({"id": "synonym"}); properties];
        json!({"ids": vec!["D:1"; ids], "properties": properties})
    };
    for (ids, properties, expected) in [(3000, 1000, 413), (10_001, 0, 413), (100, 100, 200)] {
        assert_eq!(served.post("/reconcile/1.0/extend", query(ids, properties)).await.0, expected);
        let form = format!("extend={}", encoded(&query(ids, properties).to_string()));
        let request = Request::post("/reconcile/0.2").header("content-type", "application/x-www-form-urlencoded");
        assert_eq!(served.send(request.body(Body::from(form)).unwrap()).await.0, expected);
    }
}

#[tokio::test]
async fn a_batch_asks_for_a_bounded_number_of_candidates() {
    let served = Served::new();
    let batch = |limit: usize| {
        let queries = (0..200).map(|at| (at.to_string(), json!({"query": "heart", "limit": limit})));
        serde_json::Value::Object(queries.collect())
    };
    assert_eq!(served.reconcile(batch(50)).await.0, 200);
    assert_eq!(served.reconcile(batch(100)).await.0, 413);
    let values = json!({"q": {"query": "heart", "properties": [{"pid": "child", "v": vec!["x"; 10_001]}]}});
    assert_eq!(served.reconcile(values).await.0, 413);
}

#[tokio::test]
async fn a_form_is_as_large_as_any_body() {
    let served = Served::new();
    let queries = json!({"q": {"query": "aspirin", "type": vec!["chemical"; 200_000]}}).to_string();
    let form = format!("queries={}", encoded(&queries));
    assert!(form.len() > 2 << 20);
    let request = Request::post("/reconcile/0.2").header("content-type", "application/x-www-form-urlencoded");
    let (status, _, answer) = served.send(request.body(Body::from(form)).unwrap()).await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn a_body_has_a_bounded_number_of_values() {
    let served = Served::new();
    let names = json!({"names": vec![""; 300_000]});
    let (status, answer) = served.post("/v1/match", names).await;
    assert_eq!(status, 413);
    assert!(answer["error"].as_str().unwrap().contains("values"), "{answer}");
}

#[tokio::test]
async fn a_document_is_answered_whole_or_refused() {
    let served = Served::with(ServerOptions { memory_bytes: 16 << 20, ..ServerOptions::default() });
    let document = |mentions: usize| json!({"text": "aspirin, ".repeat(mentions)});
    let (status, answer) = served.post("/v1/link", json!({"documents": vec![document(1000); 10]})).await;
    assert_eq!(status, 200);
    let documents = answer["documents"].as_array().unwrap();
    assert!(documents.len() == 10 && documents.iter().all(|one| one["mentions"].as_array().unwrap().len() == 1000));
    let (status, answer) = served.post("/v1/link", json!({"documents": [document(20_000)]})).await;
    assert_eq!(status, 413);
    assert!(answer["error"].as_str().unwrap().contains("180000 bytes"), "{answer}");
    let request = Request::post("/v1/link").header("content-type", "application/x-ndjson");
    let lines = format!("{}\n{}\n", document(1), document(20_000));
    let (_, _, answer) = served.send(request.body(Body::from(lines)).unwrap()).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.lines().last().unwrap().starts_with("{\"error\""), "{answer}");
    assert_eq!(served.post("/v1/link", json!({"documents": []})).await.1, json!({"documents": []}));
}

#[tokio::test]
async fn a_long_name_has_no_answer_and_is_not_remembered() {
    let served = Served::new();
    let names = vec!["aspirin ".repeat(1000)];
    for _ in 0..2 {
        let (status, answer) = served.post("/v1/match", json!({"names": names})).await;
        assert_eq!((status.as_u16(), &answer["links"][0]["id"]), (200, &json!(null)));
    }
    let (_, _, metrics) = served.send(Request::get("/metrics").body(Body::empty()).unwrap()).await;
    assert!(String::from_utf8(metrics).unwrap().contains("truename_names_remembered_total 0"));
    let judged = json!({"judgements": [{"name": names[0], "id": null}]});
    assert_eq!(served.post("/v1/judgements", judged).await.0, 400);
}

#[tokio::test]
async fn methods_that_clients_make_up_are_counted_as_one() {
    let served = Served::new();
    for method in ["BREW", "STEEP"] {
        let request = Request::builder().method(method).uri("/health").body(Body::empty()).unwrap();
        assert_eq!(served.send(request).await.0, 405);
    }
    let (_, _, metrics) = served.send(Request::get("/metrics").body(Body::empty()).unwrap()).await;
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(metrics.contains("method=\"other\"") && !metrics.contains("BREW"), "{metrics}");
}
