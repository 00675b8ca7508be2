//! Rights, hosts and origins.

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::json;
use truename_server::ServerOptions;

use crate::{Served, encoded};

/// Routes that are answered without a key, and tell nothing of a knowledge base.
const OPEN: [&str; 14] = [
    "/",
    "/docs",
    "/mappings",
    "/pairs",
    "/openapi.json",
    "/health",
    "/ready",
    "/favicon.ico",
    "/assets/app.js",
    "/reconcile/0.2",
    "/reconcile/1.0",
    "/kb/first/reconcile/0.2",
    "/kb/first/reconcile/1.0",
    "/kb/none/reconcile/0.2",
];
/// All other routes, by method, beside those of the OpenAPI document.
const CLOSED: [(&str, &str); 18] = [
    ("GET", "/metrics"),
    ("GET", "/kb/first/concept/D:1"),
    ("POST", "/reconcile/0.2"),
    ("GET", "/reconcile/0.2/suggest/entity"),
    ("GET", "/reconcile/0.2/suggest/type"),
    ("GET", "/reconcile/0.2/suggest/property"),
    ("GET", "/reconcile/0.2/flyout/entity"),
    ("GET", "/reconcile/0.2/flyout/type"),
    ("GET", "/reconcile/0.2/flyout/property"),
    ("GET", "/reconcile/0.2/preview"),
    ("GET", "/reconcile/0.2/properties"),
    ("POST", "/reconcile/1.0/match"),
    ("GET", "/reconcile/1.0/suggest/entity"),
    ("GET", "/reconcile/1.0/suggest/type"),
    ("GET", "/reconcile/1.0/suggest/property"),
    ("GET", "/reconcile/1.0/preview"),
    ("POST", "/reconcile/1.0/extend"),
    ("GET", "/reconcile/1.0/extend/propose"),
];
/// Parameters that ask for something, as clients may write them.
const PARAMETERS: [&str; 10] = [
    "",
    "queries=%7B%22q%22%3A%7B%22query%22%3A%22heart%20attack%22%7D%7D",
    "%71ueries=%7B%22q%22%3A%7B%22query%22%3A%22aspirin%22%7D%7D",
    "quer%69es={}",
    "%65xtend=%7B%22ids%22%3A%5B%22D%3A1%22%5D%2C%22properties%22%3A%5B%7B%22id%22%3A%22type%22%7D%5D%7D",
    "a=1&extend=%7B%22ids%22%3A%5B%22D%3A1%22%5D%2C%22properties%22%3A%5B%5D%7D",
    "prefix=heart&id=D%3A1&q=heart&key=",
    "key=0123456789abcdeX",
    "%6bey=0123456789abcdeX",
    "callback=f&queries=%7B%7D",
];

/// Returns all routes that need a key.
fn closed() -> Vec<(String, String)> {
    let mut routes: Vec<(String, String)> = Vec::new();
    for (method, path) in CLOSED {
        routes.push((method.into(), path.into()));
        if path.starts_with("/reconcile") {
            routes.push((method.into(), format!("/kb/first{path}")));
        }
    }
    let description: serde_json::Value = serde_json::from_str(&truename_server::openapi()).unwrap();
    for (path, methods) in description["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "D%3A1");
        routes.extend(methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
    }
    routes
}

/// Returns other ways to write a path, which may lead to the same place or nowhere.
fn spellings(path: &str) -> Vec<String> {
    let letters = path.char_indices().filter(|(_, letter)| letter.is_ascii_alphanumeric());
    let one = letters.map(|(at, letter)| format!("{}%{:02x}{}", &path[..at], letter as u32, &path[at + 1..]));
    let others =
        [format!("{path}/"), format!("/{path}"), format!("{path}//"), format!("/.{path}"), path.to_uppercase()];
    [path.to_owned()].into_iter().chain(others).chain(one).collect()
}

/// Sends a request that could be of any kind; returns its status and body.
async fn ask(served: &Served, method: &str, path: &str) -> (StatusCode, String) {
    let kind = if path.contains("/reconcile/0.2") { "application/x-www-form-urlencoded" } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("content-type", kind);
    let body = if method == "POST" { "queries=%7B%7D" } else { "" };
    let (status, _, answer) = served.send(request.body(Body::from(body)).unwrap()).await;
    (status, String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test]
async fn every_route_needs_the_right_of_its_row_however_it_is_written() {
    let served = Served::with_keys(|options| options.requests_per_minute = std::num::NonZeroU32::new(1_000_000));
    let told = ["second", "disease", "aspirin", "myocardial", "D:2"];
    for (method, path) in closed() {
        for path in spellings(&path) {
            for parameters in PARAMETERS {
                let (status, answer) = ask(&served, &method, &format!("{path}?{parameters}")).await;
                assert!(status == 401, "{method} {path}?{parameters}: {status} {answer}");
            }
        }
    }
    for path in OPEN {
        assert_eq!(ask(&served, "GET", path).await.0, 200, "{path}");
        for path in spellings(path) {
            for parameters in PARAMETERS {
                let (status, answer) = ask(&served, "GET", &format!("{path}?{parameters}")).await;
                assert!(status == 200 || status == 401 || status == 404, "{path}?{parameters}: {status}");
                // The page and its documentation have examples of their own.
                let is_of_a_base = status == 200 && path.contains("reconcile");
                let leak = told.iter().find(|told| is_of_a_base && answer.contains(**told));
                assert!(leak.is_none(), "{path}?{parameters} tells {leak:?}: {answer}");
            }
        }
    }
    // The key opens them.
    for (method, path) in closed() {
        let (status, answer) = ask(&served, &method, &format!("{path}?key=0123456789abcdef")).await;
        assert!(status != 401 && !status.is_server_error(), "{method} {path}: {status} {answer}");
    }
}

#[test]
fn the_table_of_routes_has_all_of_them() {
    let mut routes = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(path).unwrap();
                let literals = source.split(".route(\"").skip(1);
                routes.extend(literals.map(|rest| rest.split('"').next().unwrap().to_owned()));
            }
        }
    }
    assert!(routes.len() > 15, "{routes:?}");
    let known: Vec<&str> = OPEN.into_iter().chain(CLOSED.iter().map(|(_, path)| *path)).collect();
    for route in routes {
        let plain = route
            .replace("{name}", "app.js")
            .replace("{kb}", "first")
            .replace("{id}", "D:1")
            .replace("{kind}", "entity");
        assert!(known.iter().any(|path| path.ends_with(&plain)), "{route} is not in the table");
    }
}

#[tokio::test]
async fn a_key_is_read_wherever_clients_write_it() {
    let served = Served::with_keys(|_| {});
    for (header, value) in [
        ("authorization", "Bearer 0123456789abcdef"),
        ("authorization", "bearer 0123456789abcdef"),
        ("authorization", "BEARER   0123456789abcdef "),
        ("x-api-key", "0123456789abcdef"),
    ] {
        let request = Request::get("/v1/bases").header(header, value).body(Body::empty()).unwrap();
        assert_eq!(served.send(request).await.0, 200, "{header}: {value}");
    }
    let encoded = encoded("0123456789abcdef");
    for parameter in ["key=0123456789abcdef".to_owned(), format!("key={encoded}"), format!("a=b&%6bey={encoded}")] {
        assert_eq!(served.get(&format!("/v1/bases?{parameter}")).await.0, 200, "{parameter}");
    }
}

#[tokio::test]
async fn wrong_keys_are_limited() {
    let served = Served::with_keys(|_| {});
    let mut statuses = Vec::new();
    for at in 0..40 {
        statuses.push(served.get(&format!("/v1/bases?key=0123456789abcd{at:02}")).await.0.as_u16());
    }
    assert_eq!((statuses[0], statuses[39]), (401, 429));
    assert_eq!(served.get("/v1/bases?key=0123456789abcdef").await.0, 200);
}

#[tokio::test]
async fn a_host_of_another_name_is_refused() {
    let served =
        Served::with(ServerOptions { host_names: vec!["names.example.org".into()], ..ServerOptions::default() });
    let status = async |host: &'static str| {
        let request = Request::get("/v1/bases").header("host", host).body(Body::empty()).unwrap();
        served.send(request).await.0.as_u16()
    };
    for (host, expected) in
        [("localhost:8077", 200), ("names.example.org", 200), ("10.1.2.3", 200), ("evil.example", 421)]
    {
        assert_eq!(status(host).await, expected, "{host}");
    }
    let request = Request::get("http://evil.example/v1/bases").body(Body::empty()).unwrap();
    assert_eq!(served.send(request).await.0, 421);
}

#[tokio::test]
async fn pages_of_other_origins_read_what_they_may() {
    let allow_api_origins = vec!["https://app.example".into()];
    let served = Served::with(ServerOptions { allow_api_origins, ..ServerOptions::default() });
    let ask = async |path: &'static str, headers: &[(&'static str, &'static str)]| {
        let mut request = Request::get(path).header("host", "127.0.0.1:8077");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (status, headers, _) = served.send(request.body(Body::empty()).unwrap()).await;
        (status.as_u16(), headers)
    };
    let allowed = |headers: &HeaderMap| headers.contains_key("access-control-allow-origin");
    let queries = "/reconcile/0.2?callback=f&queries=%7B%7D";
    for (origin, reads_reconciliation, reads_api) in [
        ("http://127.0.0.1:3333", true, false),
        ("https://app.example", false, true),
        ("https://evil.example", false, false),
        ("null", false, false),
    ] {
        let of_origin = [("origin", origin)];
        assert_eq!(allowed(&ask("/reconcile/0.2", &of_origin).await.1), reads_reconciliation, "{origin}");
        assert_eq!(allowed(&ask("/v1/bases", &of_origin).await.1), reads_api, "{origin}");
        // A script has no origin, but is read by whoever loads it.
        let script = [("sec-fetch-site", "cross-site"), ("referer", origin)];
        let (status, headers) = ask(queries, &script).await;
        assert_eq!(status, if reads_reconciliation { 200 } else { 403 }, "{origin}");
        let resource = if reads_reconciliation { "cross-origin" } else { "same-origin" };
        assert_eq!(headers["cross-origin-resource-policy"], resource);
    }
    assert_eq!(ask(queries, &[]).await.0, 200);
    assert_eq!(ask(queries, &[("sec-fetch-site", "same-origin")]).await.0, 200);
    assert_eq!(ask(queries, &[("sec-fetch-site", "cross-site")]).await.0, 403);
    for path in ["/v1/judgements", "/v1/mappings", "/v1/mappings/judgements", "/v1/pairs", "/v1/pairs/labels"] {
        assert_eq!(ask(path, &[("origin", "https://app.example")]).await.0, 403, "{path}");
    }
    assert_eq!(ask("/v1/judgements", &[("origin", "http://127.0.0.1:8077")]).await.0, 200);
}

#[tokio::test]
async fn those_without_a_key_are_refused() {
    let served = Served::with_keys(|options| options.requests_per_minute = std::num::NonZeroU32::new(4));
    for open in ["/", "/health", "/ready", "/docs", "/assets/app.css", "/reconcile/0.2", "/kb/second/reconcile/1.0"] {
        assert_eq!(served.get(open).await.0, 200, "{open}");
    }
    for closed in ["/v1/bases", "/metrics", "/reconcile/0.2?queries=%7B%7D", "/kb/first/concept/D:1"] {
        assert_eq!(served.get(closed).await.0, 401, "{closed}");
    }
    let (_, manifest) = served.get("/reconcile/1.0").await;
    assert_eq!(manifest["authentication"]["name"], "key");
    assert_eq!(served.get("/v1/bases?key=0123456789abcdeX").await.0, 401);
    let request = Request::post("/v1/judgements").header("authorization", "Bearer 0123456789abcdef");
    let body = json!({"judgements": [{"name": "a", "id": null}], "user": "bob"}).to_string();
    let request = request.header("content-type", "application/json").body(Body::from(body)).unwrap();
    assert_eq!(served.send(request).await.0, 201);
    let (_, listed) = served.get("/v1/judgements?key=0123456789abcdef").await;
    assert_eq!(listed["judgements"][0]["user"], "ann");
    let mut last = StatusCode::OK;
    for _ in 0..4 {
        last = served.get("/v1/bases?key=0123456789abcdef").await.0;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn headers_keep_pages_apart() {
    let served = Served::new();
    for path in ["/", "/v1/bases", "/nowhere", "/reconcile/0.2", "/assets/app.js"] {
        let request = Request::get(path).header("origin", "https://elsewhere.example").body(Body::empty()).unwrap();
        let (_, headers, _) = served.send(request).await;
        assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
    let page = String::from_utf8(served.send(Request::get("/").body(Body::empty()).unwrap()).await.2).unwrap();
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("onclick"));
    for script in page.split("<script").skip(1) {
        assert!(script.split_once('>').unwrap().1.starts_with("</script>"), "an inline script: {script}");
    }
    let (_, preview, _) = served.send(Request::get("/reconcile/1.0/preview?id=D:1").body(Body::empty()).unwrap()).await;
    assert!(preview["content-security-policy"].to_str().unwrap().contains("frame-ancestors *"));
}
