//! Answers of the router.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;
use truename::{ImportOptions, KnowledgeBase, LinkOptions, Linker, OffsetUnit};
use truename_server::ServerOptions;
use truename_view::{DocumentLine, NameLine};

use crate::{Served, encoded};

#[tokio::test]
async fn names_are_answered_as_the_library_answers_them() {
    let served = Served::new();
    let names = ["Heart Attacks", "hart failure", "nothing of the kind", ""];
    let request = Request::post("/v1/match").header("content-type", "application/json");
    let body = json!({"names": names, "top": 3, "explain": true}).to_string();
    let (status, _, answer) = served.send(request.body(Body::from(body)).unwrap()).await;
    assert_eq!(status, 200);
    let linker = Linker::new(served.kb())
        .unwrap()
        .with_options(LinkOptions { top: 3, explain: true, ..LinkOptions::default() })
        .unwrap();
    let links = linker.link_names(&names).unwrap();
    let lines: Vec<String> = links.iter().map(|link| serde_json::to_string(&NameLine::new(link)).unwrap()).collect();
    assert_eq!(String::from_utf8(answer).unwrap(), format!("{{\"links\":[{}]}}", lines.join(",")));
    // Asked again, they come from memory.
    let (_, again) = served.post("/v1/match", json!({"names": names, "top": 3, "explain": true})).await;
    assert_eq!(again["links"][1]["id"], "D:2");
    let (_, _, metrics) = served.send(Request::get("/metrics").body(Body::empty()).unwrap()).await;
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(metrics.contains("truename_names_remembered_total 4"), "{metrics}");
    assert!(metrics.contains("path=\"/v1/match\",status=\"200\"} 2"), "{metrics}");
}

#[tokio::test]
async fn a_stream_is_answered_line_by_line() {
    let served = Served::new();
    let names: Vec<String> =
        (0..150).map(|at| if at % 2 == 0 { "heart attack".into() } else { format!("name {at}") }).collect();
    let body: String = names.iter().map(|name| format!("{}\n", json!({ "name": name }))).collect();
    let request = Request::post("/v1/match?top=2").header("content-type", "application/x-ndjson");
    let (status, headers, answer) = served.send(request.body(Body::from(body)).unwrap()).await;
    assert_eq!((status.as_u16(), headers["content-type"].to_str().unwrap()), (200, "application/x-ndjson"));
    let linker =
        Linker::new(served.kb()).unwrap().with_options(LinkOptions { top: 2, ..LinkOptions::default() }).unwrap();
    let lines: String = linker
        .link_names(&names)
        .unwrap()
        .iter()
        .map(|link| serde_json::to_string(&NameLine::new(link)).unwrap() + "\n")
        .collect();
    assert_eq!(String::from_utf8(answer).unwrap(), lines);
    let request = Request::post("/v1/match").header("content-type", "application/x-ndjson");
    let (_, _, answer) = served.send(request.body(Body::from("\"aspirin\"\n[7]\n\"aspirin\"\n")).unwrap()).await;
    let answer = String::from_utf8(answer).unwrap();
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("C:1") && lines[1].contains("line 2"), "{answer}");
}

#[tokio::test]
async fn a_request_is_counted_at_the_end_of_its_answer() {
    let served = Served::new();
    let count = async || {
        let (_, _, metrics) = served.send(Request::get("/metrics").body(Body::empty()).unwrap()).await;
        let metrics = String::from_utf8(metrics).unwrap();
        let count = metrics.lines().find(|line| line.contains("duration_seconds_count{path=\"/v1/match\"}"));
        (
            count.map(|line| line.rsplit(' ').next().unwrap().to_owned()),
            metrics.contains("\"/v1/match\",status=\"200\"} 1"),
        )
    };
    let request = Request::post("/v1/match").header("content-type", "application/x-ndjson");
    let request = request.body(Body::from("\"aspirin\"\n")).unwrap();
    let answer = served.router.clone().oneshot(request).await.unwrap();
    assert_eq!(count().await, (None, false));
    to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    assert_eq!(count().await, (Some("1".into()), true));
}

#[tokio::test]
async fn documents_are_linked_as_the_library_links_them() {
    let served = Served::new();
    let text = "Ärzte: aspirin after a heart attack 🫀 (myocardial infarction).";
    let linked = Linker::new(served.kb()).unwrap().link_document(truename::Document::new("a", text)).unwrap();
    for (unit, offsets) in [("chars", OffsetUnit::Chars), ("bytes", OffsetUnit::Bytes), ("utf16", OffsetUnit::Utf16)] {
        let request = Request::post("/v1/link").header("content-type", "application/json");
        let body = json!({"documents": [{"id": "a", "text": text}], "offsets": unit}).to_string();
        let (status, _, answer) = served.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(status, 200);
        let line = serde_json::to_string(&DocumentLine::new(&linked, offsets)).unwrap();
        assert_eq!(String::from_utf8(answer).unwrap(), format!("{{\"documents\":[{line}]}}"));
    }
    let given = json!({"documents": [{"text": text, "mentions": [{"start": 7, "end": 14}]}]});
    let (_, answer) = served.post("/v1/link", given).await;
    assert_eq!(answer["documents"][0]["mentions"][0]["id"], "C:1");
    let of_sentence =
        |asserted| json!({"documents": [{"text": "No heart attack. Takes aspirin."}], "asserted": asserted});
    let (_, answer) = served.post("/v1/link", of_sentence(false)).await;
    assert_eq!(answer["documents"][0]["mentions"][0]["assertions"], json!(["negated"]));
    let (_, answer) = served.post("/v1/link", of_sentence(true)).await;
    assert_eq!(answer["documents"][0]["mentions"].as_array().unwrap().len(), 1);
    let of_coordination =
        |composites| json!({"documents": [{"text": "Heart attack or failure."}], "composites": composites});
    for (composites, mentions) in [(false, 1), (true, 2)] {
        let (_, answer) = served.post("/v1/link", of_coordination(composites)).await;
        assert_eq!(answer["documents"][0]["mentions"].as_array().unwrap().len(), mentions);
    }
    let stopped = json!({"documents": [{"text": "Takes aspirin."}], "stop_names": ["Aspirin"]});
    let (_, answer) = served.post("/v1/link", stopped).await;
    assert_eq!(answer["documents"][0]["mentions"], json!([]));
    let untyped =
        json!({"documents": [{"text": "nothing", "mentions": [{"start": 0, "end": 7}]}], "type_name": "Entity"});
    let (_, answer) = served.post("/v1/link", untyped).await;
    assert_eq!(answer["documents"][0]["mentions"][0]["types"], json!(["Entity"]));
    let outside = json!({"documents": [{"text": "abc", "mentions": [{"start": 2, "end": 9}]}]});
    assert_eq!(served.post("/v1/link", outside).await.0, 400);
    let (_, found) = served.post("/v1/recognize", json!({"documents": [{"text": text}]})).await;
    assert_eq!(found["documents"][0]["mentions"][0]["types"], json!(["chemical"]));
    assert!(found["documents"][0]["mentions"][0].get("id").is_none());
    let request = Request::post("/v1/link").header("content-type", "application/json").header("accept", "text/html");
    let body = json!({"documents": [{"text": "<b>aspirin</b>"}]}).to_string();
    let (_, headers, html) = served.send(request.body(Body::from(body)).unwrap()).await;
    let html = String::from_utf8(html).unwrap();
    assert!(headers["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(html.starts_with("<article") && html.contains("&lt;b&gt;") && !html.contains("style="), "{html}");
}

#[tokio::test]
async fn a_document_that_cannot_be_read_has_an_error_and_the_others_are_answered() {
    let served = Served::new();
    let batch = json!({"documents": [
        {"id": "a", "text": 7},
        {"id": "b", "text": "Takes aspirin."},
        "aspirin",
        {"id": "d", "text": "aspirin", "word": 1},
        {"id": "e", "text": "aspirin"},
        {"id": "f"},
    ]});
    for path in ["/v1/link", "/v1/recognize"] {
        let (status, answer) = served.post(path, batch.clone()).await;
        assert_eq!(status, 200, "{answer}");
        let documents = answer["documents"].as_array().unwrap();
        let ids: Vec<&str> = documents.iter().map(|document| document["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["a", "b", "", "d", "e", "f"], "{path}");
        for (document, expected) in
            documents.iter().zip(["`documents[0].text`", "", "`documents[2]`", "word", "", "text"])
        {
            let error = document["error"].as_str().unwrap_or_default();
            assert!(error.contains(expected) && error.is_empty() == expected.is_empty(), "{document}");
            assert_eq!(document["mentions"].is_array(), expected.is_empty(), "{document}");
        }
    }
    let given = json!({"documents": [
        {"text": "aspirin", "mentions": [{"start": 0, "end": 7}]},
        {"text": "aspirin", "mentions": [{"start": 2, "end": 9}]},
        {"text": "aspirin"},
    ]});
    let (status, answer) = served.post("/v1/link", given).await;
    assert_eq!((status.as_u16(), &answer["documents"][0]["mentions"][0]["id"]), (200, &json!("C:1")));
    assert!(answer["documents"][1]["error"].as_str().unwrap().contains("document 1"), "{answer}");
    assert!(answer["documents"][2]["error"].as_str().unwrap().contains("no `mentions`"), "{answer}");
    let (status, answer) = served.post("/v1/link", json!({"documents": [{"id": "a"}, {"text": 1}]})).await;
    assert_eq!(status, 400);
    assert!(answer["error"].as_str().unwrap().contains("documents[0]"), "{answer}");
    assert_eq!(served.post("/v1/link", json!({"documents": {}})).await.0, 400);
}

#[tokio::test]
async fn concepts_are_shown_and_searched() {
    let served = Served::new();
    let (status, concept) = served.get("/v1/concepts/D%3A1").await;
    assert_eq!((status.as_u16(), &concept["name"]), (200, &json!("myocardial infarction")));
    assert_eq!(served.get("/v1/concepts/D:9").await.0, 404);
    let (_, found) = served.get("/v1/search?q=heart%20atack&top=1").await;
    assert_eq!(found["candidates"][0]["id"], "D:1");
    assert_eq!(found["candidates"].as_array().unwrap().len(), 1);
    let (_, bases) = served.get("/v1/bases").await;
    assert_eq!(bases["bases"][0]["types"], json!(["chemical", "disease", "state"]));
    assert_eq!((&bases["bases"][0]["concepts"], &bases["bases"][0]["names"]), (&json!(5), &json!(7)));
    let (_, found) = served.get("/v1/search?q=heart%20attack&kb=second").await;
    assert_eq!(found["candidates"][0]["id"], "O:1");
    assert_eq!(served.get("/v1/search?q=a&kb=third").await.0, 404);
}

#[tokio::test]
async fn a_retired_id_is_shown_with_what_became_of_it() {
    let served = Served::new();
    let file = served.folder.path().join("retired.jsonl");
    let lines = concat!(
        "{\"id\": \"D:90\", \"removed\": true, \"replaced_by\": [\"D:1\"]}\n",
        "{\"id\": \"D:91\", \"removed\": true, \"consider\": [\"D:1\"]}\n"
    );
    std::fs::write(&file, lines).unwrap();
    served.kb().update(&[file], &[], &ImportOptions::default()).unwrap();
    let (status, retired) = served.get("/v1/concepts/D:90").await;
    assert_eq!((status.as_u16(), retired), (200, json!({"id": "D:90", "replaced_by": ["D:1"], "removed": true})));
    let (_, retired) = served.get("/v1/concepts/D:91").await;
    assert_eq!(retired, json!({"id": "D:91", "consider": ["D:1"], "removed": true}));
    let (_, answer) = served.post("/v1/match", json!({"names": ["D:90", "D:91", "D:1"]})).await;
    assert_eq!((&answer["links"][0]["id"], &answer["links"][0]["retired_id"]), (&json!("D:1"), &json!("D:90")));
    assert_eq!((&answer["links"][1]["id"], &answer["links"][1]["retired_id"]), (&json!(null), &json!("D:91")));
    assert!(answer["links"][2].get("retired_id").is_none());
    let (_, described) = served.get("/openapi.json").await;
    let has = |schema: &str, field: &str| described["components"]["schemas"][schema]["properties"].get(field).is_some();
    assert!(has("NameAnswer", "retired_id") && has("ConceptAnswer", "replaced_by"), "{described}");
}

#[tokio::test]
async fn bad_input_is_told_to_the_client() {
    let served = Served::new();
    for (path, body, said) in [
        ("/v1/match", json!({"names": "one"}), "invalid type"),
        ("/v1/match", json!({"names": [], "tops": 3}), "tops"),
        ("/v1/match", json!({"names": ["a"], "top": 0}), "`top` is 0"),
        ("/v1/match", json!({"names": ["a"], "types": ["planet"]}), "planet"),
        ("/v1/match", json!({"names": ["a"], "min_probability": 2}), "min_probability"),
        ("/v1/match", json!({"names": vec!["a"; 1001]}), "1001 names"),
        ("/v1/judgements", json!({"judgements": [{"name": " ", "id": null}]}), "empty name"),
        ("/v1/judgements", json!({"judgements": [{"name": "a", "id": "D:9"}]}), "D:9"),
        ("/v1/review/order", json!({"answers": [{"probability": 1.5}]}), "1.5"),
        (
            "/v1/judgements",
            json!({"judgements": [{"name": "a", "id": null, "chance": 0}]}),
            "the chance 0 is not above 0",
        ),
    ] {
        let (status, answer) = served.post(path, body).await;
        assert!(status.is_client_error(), "{path} {status}");
        assert!(answer["error"].as_str().unwrap().contains(said), "{answer}");
    }
    let request = Request::post("/v1/match").body(Body::from("{}")).unwrap();
    assert_eq!(served.send(request).await.0, 415);
    assert_eq!(served.get("/nowhere").await.0, 404);
    let (status, answer) = served.get("/v1/match").await;
    assert_eq!(status, 405);
    assert!(answer["error"].is_string());
    let small = Served::with(ServerOptions { max_body_bytes: 64, ..ServerOptions::default() });
    let (status, _) = small.post("/v1/match", json!({"names": vec!["a"; 40]})).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn judgements_are_saved_and_listed() {
    let served = Served::new();
    let judged =
        json!({"judgements": [{"name": "heart atack", "id": "D:1"}, {"name": "x", "id": null}], "user": "ann"});
    let (status, saved) = served.post("/v1/judgements", judged).await;
    assert_eq!((status.as_u16(), &saved["saved"]), (201, &json!(2)));
    served.post("/v1/judgements", json!({"judgements": [{"name": "x", "id": "C:1"}]})).await;
    let (_, listed) = served.get("/v1/judgements").await;
    assert_eq!(listed["judgements"].as_array().unwrap().len(), 2);
    assert_eq!((&listed["judgements"][0]["user"], &listed["judgements"][1]["id"]), (&json!("ann"), &json!("C:1")));
    assert!(served.folder.path().join("kb/judgements.jsonl").exists());
    assert_eq!(served.get("/v1/judgements?kb=second").await.1["judgements"], json!([]));
    let request = Request::post("/v1/judgements").header("content-type", "application/json");
    let request = request.header("host", "localhost:1").header("origin", "https://elsewhere.example");
    let body = Body::from(json!({"judgements": []}).to_string());
    assert_eq!(served.send(request.body(body).unwrap()).await.0, 403);
}

#[tokio::test]
async fn judgements_are_learnt_and_answered_from_then_on() {
    let served = Served::with(ServerOptions { learns: true, ..ServerOptions::default() });
    let asked = json!({"names": ["my pill", "aspirin"], "explain": true});
    let judged = json!({"judgements": [
        {"name": "my pill", "id": "C:1"}, {"name": "aspirin", "id": null}, {"name": "heart failure", "id": null, "stop_name": true}
    ]});
    assert_eq!(served.post("/v1/judgements", judged).await.0, 201);
    assert_eq!(served.post("/v1/match", asked.clone()).await.1["links"][1]["id"], "C:1", "saved, not learnt");
    let (status, learnt) = served.post("/v1/judgements/learn", json!({})).await;
    assert_eq!((status.as_u16(), learnt), (200, json!({"learnt": 3, "unchanged": 0, "forgotten": 0, "unknown": 0})));
    let links = served.post("/v1/match", asked.clone()).await.1["links"].clone();
    assert_eq!((&links[0]["id"], &links[1]["id"]), (&json!("C:1"), &json!(null)));
    for link in [&links[0], &links[1]] {
        assert!(link["explanation"].as_str().unwrap().contains("You judged"), "{link}");
    }
    let text = json!({"documents": [{"text": "Heart failure and heart disease."}]});
    let linked = served.post("/v1/link", text).await.1;
    assert_eq!(linked["documents"][0]["mentions"].as_array().unwrap().len(), 1, "{linked}");
    let withdrawn = json!({"judgements": [{"name": "aspirin", "id": null, "withdrawn": true}]});
    served.post("/v1/judgements", withdrawn).await;
    let (_, learnt) = served.post("/v1/judgements/learn", json!({})).await;
    assert_eq!(learnt, json!({"learnt": 0, "unchanged": 2, "forgotten": 1, "unknown": 0}));
    assert_eq!(served.post("/v1/match", asked).await.1["links"][1]["id"], "C:1");
    assert_eq!(served.get("/v1/bases").await.1["bases"][0]["learns"], json!(true));
    let request = Request::post("/v1/judgements/learn").header("host", "localhost:1");
    let request = request.header("origin", "https://elsewhere.example").body(Body::empty()).unwrap();
    assert_eq!(served.send(request).await.0, 403);
}

#[tokio::test]
async fn a_server_learns_only_where_it_is_let() {
    let served = Served::new();
    let before = served.kb().fingerprint().unwrap();
    served.post("/v1/judgements", json!({"judgements": [{"name": "x", "id": "C:1"}]})).await;
    let (status, failure) = served.post("/v1/judgements/learn", json!({})).await;
    assert_eq!(status, 403);
    assert!(failure["error"].is_string() && failure["hint"].is_string(), "{failure}");
    assert_eq!(served.get("/v1/bases").await.1["bases"][0]["learns"], json!(false));
    assert_eq!(served.kb().fingerprint().unwrap(), before);
    for judged in [
        json!({"name": "x", "id": "C:1", "stop_name": true}),
        json!({"name": "x", "id": null, "stop_name": true, "withdrawn": true}),
    ] {
        assert_eq!(served.post("/v1/judgements", json!({"judgements": [judged]})).await.0, 400);
    }
}

#[tokio::test]
async fn an_update_is_seen_by_the_next_request() {
    let served = Served::new();
    assert_eq!(served.post("/v1/match", json!({"names": ["asthma"]})).await.1["links"][0]["id"], json!(null));
    let more = served.folder.path().join("more.jsonl");
    std::fs::write(&more, "{\"id\": \"D:4\", \"name\": \"asthma\", \"types\": [\"lung disease\"]}\n").unwrap();
    served.kb().update(&[more], &["D:1".parse().unwrap()], &ImportOptions::default()).unwrap();
    let (_, answer) = served.post("/v1/match", json!({"names": ["asthma", "heart attack"]})).await;
    assert_eq!((&answer["links"][0]["id"], &answer["links"][1]["id"]), (&json!("D:4"), &json!(null)));
    assert_eq!(
        served.get("/v1/bases").await.1["bases"][0]["types"],
        json!(["chemical", "disease", "lung disease", "state"])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_is_dropped_or_mixed_while_the_knowledge_base_is_replaced() {
    let served = Served::new();
    let write = |version: usize| {
        let concepts: String = (0..40)
            .map(|at| {
                format!(
                    "{{\"id\": \"V{version}:{at}\", \"name\": \"kind {at} of thing\", \"types\": [\"t{}\"]}}\n",
                    at % 2
                )
            })
            .collect();
        let file = served.folder.path().join(format!("version-{version}.jsonl"));
        std::fs::write(&file, concepts).unwrap();
        file
    };
    let (files, kb) = ([write(0), write(1)], served.folder.path().join("kb"));
    KnowledgeBase::import(&files[..1], &kb, &ImportOptions::default(), true).unwrap();
    let is_over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let over = std::sync::Arc::clone(&is_over);
    let writer = std::thread::spawn(move || {
        let mut versions = 0;
        while !over.load(std::sync::atomic::Ordering::Relaxed) {
            versions += 1;
            std::thread::sleep(std::time::Duration::from_millis(60));
            KnowledgeBase::import(&files[versions % 2..][..1], &kb, &ImportOptions::default(), true).unwrap();
        }
        versions
    });
    let names: Vec<String> = (0..40).map(|at| format!("kind {at} of thing")).collect();
    let queries: serde_json::Map<String, Value> =
        (0..40).map(|at| (format!("q{at:02}"), json!({"query": names[at], "type": format!("t{}", at % 2)}))).collect();
    let mut seen = std::collections::BTreeSet::new();
    let start = std::time::Instant::now();
    for round in 0.. {
        if round >= 60 && seen.len() == 2 || start.elapsed().as_secs() > 30 {
            break;
        }
        let (status, answer) = served.post("/v1/match", json!({"names": names})).await;
        let ids: Vec<&str> =
            answer["links"].as_array().unwrap().iter().map(|link| link["id"].as_str().unwrap()).collect();
        assert_eq!((status.as_u16(), ids.len()), (200, 40));
        assert!(ids.iter().all(|id| id[..2] == ids[0][..2]), "{ids:?}");
        seen.insert(ids[0][..2].to_owned());
        let (status, answer) = served.reconcile(Value::Object(queries.clone())).await;
        assert_eq!(status, 200);
        let best: Vec<&str> =
            answer.as_object().unwrap().values().map(|found| found["result"][0]["id"].as_str().unwrap()).collect();
        assert!(best.len() == 40 && best.iter().all(|id| id[..2] == best[0][..2]), "{best:?}");
    }
    is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    let versions = writer.join().unwrap();
    assert!(versions >= 1 && seen.len() == 2, "{versions} versions, {seen:?}");
}

#[tokio::test]
async fn version_0_2_answers_queries() {
    let served = Served::new();
    let (_, manifest) = served.get("/reconcile/0.2").await;
    assert!(manifest["versions"].as_array().unwrap().contains(&json!("0.2")));
    assert!(manifest["view"]["url"].as_str().unwrap().ends_with("/kb/first/concept/{{id}}"));
    let queries = json!({
        "exact": {"query": "heart attack"},
        "id": {"query": "D:2", "limit": 1},
        "typed": {"query": "heart failure", "type": "chemical"},
        "unknown type": {"query": "heart failure", "type": ["planet"]},
        "all": {"query": "heart failure", "type": ["disease", "state"], "type_strict": "all"},
        "should": {"query": "heart failure", "type": ["chemical"], "type_strict": "should"},
        "property": {"properties": [{"pid": "xref", "p": "Cross-reference", "v": "x:1"}]},
        "filtered": {"query": "heart failure", "properties": [{"pid": "parent", "v": {"id": "D:3"}}, {"pid": "type", "v": ["chemical"]}]},
        "nil": {"query": "nothing of the kind"},
    });
    let (status, answer) = served.reconcile(queries).await;
    assert_eq!(status, 200);
    let best = |key: &str| answer[key]["result"][0].clone();
    assert_eq!((&best("exact")["id"], &best("exact")["match"]), (&json!("D:1"), &json!(true)));
    assert_eq!(best("exact")["type"], json!([{"id": "disease", "name": "disease"}]));
    assert_eq!(best("exact")["description"], "Death of heart muscle.");
    assert!(best("exact")["features"].as_array().unwrap().iter().any(|feature| feature["id"] == "probability"));
    assert_eq!(
        (&best("id")["id"], &best("id")["score"], &best("id")["match"]),
        (&json!("D:2"), &json!(100.0), &json!(true))
    );
    assert_eq!(answer["id"]["result"].as_array().unwrap().len(), 1);
    assert_ne!(best("typed")["id"], "D:2");
    assert_eq!(answer["unknown type"]["result"], json!([]));
    assert_eq!(best("all")["id"], "D:2");
    // Of another type: a candidate behind those of the type, and no match.
    let should = answer["should"]["result"].as_array().unwrap();
    let place = should.iter().position(|one| one["id"] == "D:2").unwrap();
    assert!(should[..place].iter().all(|one| one["type"][0]["id"] == "chemical") && should[place]["match"] == false);
    assert_eq!((&best("property")["id"], &best("property")["match"]), (&json!("D:1"), &json!(true)));
    // It meets one of two properties, so that two thirds of its score are left.
    assert_eq!((&best("filtered")["id"], &best("filtered")["match"]), (&json!("D:2"), &json!(false)));
    assert!((60.0..70.0).contains(&best("filtered")["score"].as_f64().unwrap()));
    assert!(answer["nil"]["result"].as_array().unwrap().iter().all(|found| found["match"] == false));
    for wrong in [json!({"q": {"query": "a", "limit": 0}}), json!({"q": {"query": "a", "extra": 1}}), json!([])] {
        assert_eq!(served.reconcile(wrong).await.0, 400);
    }
    let many: serde_json::Map<String, Value> = (0..1001).map(|at| (at.to_string(), json!({"query": "a"}))).collect();
    assert_eq!(served.reconcile(Value::Object(many)).await.0, 413);
    let queries = encoded(r#"{"q": {"query": "aspirin"}}"#);
    let (_, by_get) = served.get(&format!("/kb/second/reconcile/0.2?queries={queries}")).await;
    assert!(by_get["q"]["result"].is_array());
    let padded = format!("/reconcile/0.2?queries={queries}&callback=jQuery.run_1");
    let (_, headers, script) = served.send(Request::get(padded).body(Body::empty()).unwrap()).await;
    assert!(headers["content-type"].to_str().unwrap().starts_with("text/javascript"));
    assert!(String::from_utf8(script).unwrap().starts_with("/**/jQuery.run_1({\"q\""));
    assert_eq!(served.get(&format!("/reconcile/0.2?queries={queries}&callback=alert(1)")).await.0, 400);
}

#[tokio::test]
async fn version_0_2_suggests_and_extends() {
    let served = Served::new();
    let ids = |answer: &Value| -> Vec<String> {
        answer["result"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    let (_, found) = served.get("/reconcile/0.2/suggest/entity?prefix=heart%20f").await;
    assert_eq!(ids(&found)[0], "D:2");
    assert_eq!(ids(&served.get("/reconcile/0.2/suggest/entity?prefix=D%3A1").await.1)[0], "D:1");
    let (_, rest) = served.get("/reconcile/0.2/suggest/entity?prefix=heart&cursor=1").await;
    assert_eq!(ids(&rest).len() + 1, ids(&served.get("/reconcile/0.2/suggest/entity?prefix=heart").await.1).len());
    assert_eq!(ids(&served.get("/reconcile/0.2/suggest/type?prefix=dis").await.1), ["disease"]);
    assert_eq!(ids(&served.get("/reconcile/0.2/suggest/property?prefix=cross").await.1), ["xref"]);
    let (_, flyout) = served.get("/reconcile/0.2/flyout/entity?id=D%3A1").await;
    assert!(flyout["html"].as_str().unwrap().contains("heart attack"));
    assert_eq!(served.get("/reconcile/0.2/flyout/entity?id=D%3A9").await.0, 404);
    let query =
        json!({"ids": ["D:1", "D:9"], "properties": [{"id": "parent"}, {"id": "synonym", "settings": {"limit": "1"}}]});
    let (_, extended) = served.get(&format!("/reconcile/0.2?extend={}", encoded(&query.to_string()))).await;
    assert_eq!(extended["rows"]["D:1"]["parent"], json!([{"id": "D:3", "name": "heart disease"}]));
    assert_eq!(extended["rows"]["D:1"]["synonym"], json!([{"str": "heart attack"}]));
    assert_eq!(extended["rows"]["D:9"]["parent"], json!([]));
    assert_eq!(extended["meta"][0], json!({"id": "parent", "name": "Broader concept"}));
    let (_, proposed) = served.get("/reconcile/0.2/properties?type=disease&limit=2").await;
    assert_eq!((proposed["properties"].as_array().unwrap().len(), &proposed["type"]), (2, &json!("disease")));
    let (_, _, preview) =
        served.send(Request::get("/reconcile/0.2/preview?id=D%3A1").body(Body::empty()).unwrap()).await;
    assert!(String::from_utf8(preview).unwrap().contains("<h1 dir=\"auto\">myocardial infarction</h1>"));
    assert_eq!(served.get("/kb/first/concept/D%3A1").await.0, 200);
}

#[tokio::test]
async fn the_draft_answers_queries_and_extends() {
    let served = Served::new();
    let batch = json!({"queries": [
        {"conditions": [{"matchType": "name", "propertyValue": "heart attack"}], "limit": 1},
        {"type": "disease", "conditions": [
            {"matchType": "name", "propertyValue": "heart"},
            {"matchType": "property", "propertyId": "type", "propertyValue": "state", "required": true}]},
        {"conditions": [{"matchType": "id", "propertyValue": "C:2"}]},
        {"conditions": [
            {"matchType": "name", "propertyValue": "heart failure"},
            {"matchType": "property", "propertyId": "type", "propertyValue": ["state"], "matchQuantifier": "none", "required": true}]},
        {"conditions": [{"matchType": "name", "propertyValue": ["nothing here", "Heart Failure"]}]},
    ]});
    let (status, answer) = served.post("/reconcile/1.0/match", batch).await;
    assert_eq!(status, 200);
    let candidates = |at: usize| answer["results"][at]["candidates"].as_array().unwrap().clone();
    assert_eq!(
        (candidates(0).len(), &candidates(0)[0]["id"], &candidates(0)[0]["match"]),
        (1, &json!("D:1"), &json!(true))
    );
    assert!(candidates(0)[0]["features"][0]["name"].is_string());
    assert_eq!(candidates(1).iter().map(|one| one["id"].as_str().unwrap()).collect::<Vec<_>>(), ["D:2"]);
    assert_eq!((&candidates(2)[0]["id"], &candidates(2)[0]["match"]), (&json!("C:2"), &json!(true)));
    assert!(candidates(3).iter().all(|one| one["id"] != "D:2"));
    assert_eq!((&candidates(4)[0]["id"], &candidates(4)[0]["match"]), (&json!("D:2"), &json!(true)));
    for wrong in [
        json!({"queries": [{"conditions": []}]}),
        json!({"q0": {"query": "a"}}),
        json!({"queries": [{"conditions": [{"propertyValue": "a"}]}]}),
    ] {
        assert_eq!(served.post("/reconcile/1.0/match", wrong).await.0, 400);
    }
    let query = json!({"ids": ["D:1"], "properties": [{"id": "child"}, {"id": "xref"}]});
    let (_, extended) = served.post("/reconcile/1.0/extend", query).await;
    assert_eq!(extended["rows"][0]["properties"][1], json!({"id": "xref", "values": [{"str": "X:1"}]}));
    let (_, unknown) =
        served.post("/reconcile/1.0/extend", json!({"ids": ["D:1"], "properties": [{"id": "height"}]})).await;
    assert_eq!(unknown["rows"][0]["properties"][0], json!({"id": "height", "values": []}));
    let (_, manifest) = served.get("/kb/second/reconcile/1.0").await;
    assert_eq!((&manifest["versions"], &manifest["standardizedScore"]), (&json!(["1.0-draft"]), &json!(true)));
    assert_eq!(served.get("/reconcile/1.0/suggest/entity?prefix=ibu&limit=1").await.1["result"][0]["id"], "C:2");
    assert_eq!(served.get("/reconcile/1.0/extend/propose?type=disease").await.1["type"], "disease");
}

#[tokio::test]
async fn a_full_queue_says_when_to_ask_again() {
    let options = ServerOptions { queue: 1, cache: 1, ..ServerOptions::default() };
    let served = Served::with(options);
    let names: Vec<String> = (0..1000).map(|at| format!("hart atack of kind {at}")).collect();
    let ask = |served: &Served| {
        let request = Request::post("/v1/match").header("content-type", "application/json");
        let body = Body::from(json!({"names": names}).to_string());
        served.router.clone().oneshot(request.body(body).unwrap())
    };
    let asked: Vec<_> = (0..16).map(|_| tokio::spawn(ask(&served))).collect();
    let (mut answered, mut refused) = (0, 0);
    for response in asked {
        let response = response.await.unwrap().unwrap();
        match response.status().as_u16() {
            200 => answered += 1,
            503 => {
                assert_eq!(response.headers()["retry-after"], "1");
                refused += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert!(answered >= 1 && refused >= 1 && answered + refused == 16, "{answered} answered, {refused} refused");
}

#[tokio::test]
async fn a_faulty_query_leaves_the_others_of_its_batch_alone() {
    let served = Served::new();
    for (odd, error) in [
        (json!({"query": ""}), None),
        (json!({"query": null, "limit": 3}), None),
        (json!({"query": "aspirin", "limit": "1"}), None),
        (json!({"query": 7}), None),
        (json!({"query": "aspirin", "limit": "many"}), Some("`limit` is many")),
        (json!({"query": "aspirin", "limit": 0}), Some("`limit` is 0")),
        (json!({"query": ["aspirin"]}), Some("odd")),
        (json!({"properties": []}), Some("neither")),
        (json!("aspirin"), Some("query \"odd\": expected an object, found \"aspirin\"")),
        (json!(null), Some("expected an object, found null")),
        (json!(["a", null, null, null, null]), Some("expected an object, found [\"a\"")),
        (json!({"query": "a", "type": 5}), Some("`type`: expected a text or a list of texts, found 5")),
        (json!({"query": "a", "type": [null, "x"]}), Some("`type`: expected a text or a list of texts")),
        (json!({"query": "a", "limit": [3]}), Some("`limit`: expected a positive integer, found [3]")),
        (json!({"query": "a", "properties": [5]}), Some("expected a list of objects with `pid` and `v`, found [5]")),
        (json!({"query": "a", "extra": 5}), Some("`extra` is no field of a query")),
        (json!({"query": "", "lang": "en"}), None),
    ] {
        let (status, answer) = served.reconcile(json!({"good": {"query": "aspirin"}, "odd": odd})).await;
        assert_eq!((status.as_u16(), &answer["good"]["result"][0]["id"]), (200, &json!("C:1")), "{odd}");
        assert!(answer["odd"]["result"].is_array());
        match error {
            Some(error) => assert!(answer["odd"]["error"].as_str().unwrap().contains(error), "{answer}"),
            None => assert!(answer["odd"].get("error").is_none(), "{answer}"),
        }
        let has_answer = odd["limit"] == "1";
        assert_eq!(answer["odd"]["result"].as_array().unwrap().len(), usize::from(has_answer), "{odd}");
    }
    let name = |value: Value| json!({"conditions": [{"matchType": "name", "propertyValue": value}]});
    let batch = json!({"queries": [name(json!("aspirin")), {"conditions": "none"}, name(json!(" ")), name(json!(7))]});
    let (status, answer) = served.post("/reconcile/1.0/match", batch).await;
    assert_eq!((status.as_u16(), &answer["results"][0]["candidates"][0]["id"]), (200, &json!("C:1")));
    let error =
        "query 1: `conditions`: expected a list of objects with `matchType` and `propertyValue`, found \"none\"";
    assert_eq!(answer["results"][1]["error"], error);
    assert_eq!(answer["results"][2], json!({"candidates": []}));
    let query = json!({"ids": ["D:1", null], "properties": [{"id": "xref"}]});
    let (_, extended) = served.post("/reconcile/1.0/extend", query).await;
    assert_eq!((extended["rows"].as_array().unwrap().len(), &extended["rows"][0]["id"]), (1, &json!("D:1")));
    let (_, matched) = served.post("/v1/match", json!({"names": ["aspirin", null]})).await;
    assert_eq!((&matched["links"][0]["id"], &matched["links"][1]["id"]), (&json!("C:1"), &json!(null)));
    // Half of a surrogate pair, which no value of serde_json can hold.
    let queries = r#"{"good": {"query": "aspirin"}, "odd": {"query": "\ud83d"}}"#;
    let (status, answer) = served.get(&format!("/reconcile/0.2?queries={}", encoded(queries))).await;
    assert_eq!((status.as_u16(), &answer["good"]["result"][0]["id"]), (200, &json!("C:1")));
}

#[tokio::test]
async fn a_faulty_id_or_property_leaves_the_others_of_an_extension_alone() {
    let served = Served::new();
    let ids = json!(["D:1", 5, null, {"id": "D:2"}, ["x"]]);
    for properties in
        [json!([{"id": "xref"}]), json!(["xref"]), json!([{"id": "xref", "settings": {"limit": []}}, null, {}])]
    {
        let query = json!({"ids": ids, "properties": properties});
        let (status, extended) = served.get(&format!("/reconcile/0.2?extend={}", encoded(&query.to_string()))).await;
        assert_eq!((status.as_u16(), &extended["rows"]["D:1"]["xref"]), (200, &json!([{"str": "X:1"}])), "{query}");
        let rows: Vec<&str> = extended["rows"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((rows, extended["meta"].as_array().unwrap().len()), (vec!["5", "D:1", "D:2"], 1));
        let (_, draft) = served.post("/reconcile/1.0/extend", query).await;
        assert_eq!(draft["rows"].as_array().unwrap().len(), 3);
    }
    let none = json!({"ids": ids, "properties": [null]});
    assert_eq!(served.post("/reconcile/1.0/extend", none).await.0, 400);
}

#[tokio::test]
async fn numbers_are_names_as_tables_show_them() {
    let served = Served::new();
    let (status, matched) = served.post("/v1/match", json!({"names": ["aspirin", 1984.0, true]})).await;
    assert_eq!(
        (status.as_u16(), &matched["links"][0]["id"], &matched["links"][1]["name"]),
        (200, &json!("C:1"), &json!("1984"))
    );
    let request = Request::post("/v1/match").header("content-type", "application/x-ndjson");
    let body = "null\n7\n{\"name\": null}\n{\"name\": 8.0}\n\"aspirin\"\n";
    let (_, _, answer) = served.send(request.body(Body::from(body)).unwrap()).await;
    let lines = String::from_utf8(answer).unwrap();
    let names = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["", "7", "", "8", "aspirin"]);
    let json = Request::post("/reconcile/0.2").header("content-type", "application/json");
    let (status, _, answer) = served.send(json.body(Body::from("{}")).unwrap()).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        status == 400 && answer.contains("the body is no form") && answer.contains("x-www-form-urlencoded"),
        "{answer}"
    );
}
