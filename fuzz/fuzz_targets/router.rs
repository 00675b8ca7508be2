//! The router answers any method, path, query, headers and body without a failure of its own, and nothing of a knowledge
//! base without a key.
#![no_main]

use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Uri};
use tokio::runtime::Runtime;
use tower::ServiceExt;
use truename::{ImportOptions, KnowledgeBase};
use truename_server::{BaseSource, Keys, Server, ServerOptions};

const KEY: &str = "0123456789abcdef";
/// Words of the knowledge base, which stand in no page of the server.
const SECRETS: [&str; 3] = ["Zymurgosis", "X:4711", "zymurgology"];
/// Heads that lead a request to a handler; the input chooses among them, or writes its own.
const PATHS: [&str; 14] = [
    "/v1/match",
    "/v1/link",
    "/v1/recognize",
    "/v1/bases",
    "/v1/search",
    "/v1/concepts/X:4711",
    "/v1/judgements",
    "/v1/review/order",
    "/reconcile/0.2",
    "/reconcile/1.0/match",
    "/reconcile/1.0/extend",
    "/kb/kb/reconcile/0.2/suggest/entity",
    "/kb/kb/concept/X:4711",
    "/metrics",
];
const KINDS: [&str; 4] =
    ["application/json", "application/x-ndjson", "application/x-www-form-urlencoded", "text/plain"];

struct Served {
    routers: [Router; 2],
    runtime: Runtime,
    _servers: [Server; 2],
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let (concepts, kb, keys) = (folder.join("concepts.jsonl"), folder.join("kb"), folder.join("keys"));
    let concept =
        "{\"id\": \"X:4711\", \"name\": \"Zymurgosis\", \"types\": [\"zymurgology\"], \"parents\": [\"X:1\"]}\n";
    std::fs::write(&concepts, format!("{concept}{{\"id\": \"X:1\", \"name\": \"beer\"}}\n")).expect("concepts");
    std::fs::write(&keys, format!("ann {KEY}\n")).expect("keys");
    KnowledgeBase::import(&[concepts], &kb, &ImportOptions::default(), false).expect("a knowledge base");
    let servers = [true, false].map(|has_keys| {
        let judgements = if has_keys { folder.join("judgements.jsonl") } else { "/dev/null/none".into() };
        let source = BaseSource { name: "kb".into(), folder: Some(kb.clone()), judgements };
        let options =
            ServerOptions { keys: has_keys.then(|| Keys::read(&keys).expect("keys")), ..ServerOptions::default() };
        Server::open(vec![source], options).expect("a server")
    });
    let runtime = Runtime::new().expect("threads");
    Served { routers: servers.each_ref().map(Server::router), runtime, _servers: servers }
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let [choice, kind, rest @ ..] = bytes else { return };
    let mut parts = rest.splitn(4, |byte| *byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (method, path, header, body) = (part(), part(), part(), part());
    let path = match PATHS.get(usize::from(*choice) % (PATHS.len() + 1)) {
        Some(known) => [known.as_bytes(), path].concat(),
        None => path.to_vec(),
    };
    let Ok(uri) = Uri::try_from(path) else { return };
    let method = match method {
        b"" | b"G" => Method::GET,
        b"P" => Method::POST,
        other => Method::from_bytes(other).unwrap_or(Method::GET),
    };
    let served = &*SERVED;
    for (router, has_keys) in served.routers.iter().zip([true, false]) {
        // Judgements without keys would be written.
        if !has_keys && uri.path().contains("judgements") {
            continue;
        }
        let mut request = Request::builder().method(method.clone()).uri(uri.clone());
        request = request.header("content-type", KINDS[usize::from(*kind) % KINDS.len()]);
        if let Some(at) = header.iter().position(|byte| *byte == b':') {
            request = request.header(&header[..at], &header[at + 1..]);
        }
        let Ok(request) = request.body(Body::from(body.to_vec())) else { return };
        let holds_key = request.uri().query().is_some_and(|query| query.contains("key"))
            || String::from_utf8_lossy(header).contains(KEY);
        let (status, answer) = served.runtime.block_on(async {
            let response = router.clone().oneshot(request).await.expect("an answer");
            (response.status(), to_bytes(response.into_body(), usize::MAX).await)
        });
        assert!(!status.is_server_error(), "{method} {uri}: {status}");
        if let Ok(answer) = answer.as_ref().map(|answer| String::from_utf8_lossy(answer)) {
            let told = SECRETS.iter().find(|secret| answer.contains(**secret) && !uri.to_string().contains(**secret));
            assert!(!has_keys || holds_key || told.is_none(), "{method} {uri} tells {told:?} without a key");
        }
    }
});
