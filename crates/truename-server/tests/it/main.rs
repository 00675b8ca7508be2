//! Asks the router without a socket, and the server with one.

use std::path::PathBuf;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;
use truename::{ImportOptions, KnowledgeBase};
use truename_server::{BaseSource, Keys, Server, ServerOptions};

const CONCEPTS: &str = r#"{"id": "D:1", "name": "myocardial infarction", "synonyms": ["heart attack"], "types": ["disease"], "parents": ["D:3"], "xrefs": ["X:1"], "definition": "Death of heart muscle."}
{"id": "D:2", "name": "heart failure", "types": ["disease", "state"], "parents": ["D:3"]}
{"id": "D:3", "name": "heart disease", "types": ["disease"]}
{"id": "C:1", "name": "aspirin", "synonyms": ["acetylsalicylic acid"], "types": ["chemical"]}
{"id": "C:2", "name": "ibuprofen", "types": ["chemical"]}
"#;

mod access;
mod bounds;
mod mappings;
mod pairs;
mod served;
mod sockets;

struct Served {
    folder: TempDir,
    router: Router,
    // The router does not keep the lanes' threads; the server does.
    server: Server,
}

impl Served {
    fn new() -> Self {
        Self::with(ServerOptions::default())
    }

    fn with(options: ServerOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("concepts.jsonl");
        std::fs::write(&file, CONCEPTS).unwrap();
        let kb = folder.path().join("kb");
        KnowledgeBase::import(&[file], &kb, &ImportOptions::default(), false).unwrap();
        let other = folder.path().join("other.jsonl");
        std::fs::write(&other, "{\"id\": \"O:1\", \"name\": \"heart attack\"}\n").unwrap();
        let second = folder.path().join("second");
        KnowledgeBase::import(&[other], &second, &ImportOptions::default(), false).unwrap();
        let source = |name: &str, folder: PathBuf| {
            let judgements = folder.join("judgements.jsonl");
            BaseSource { name: name.into(), folder: Some(folder), judgements }
        };
        let server = Server::open(vec![source("first", kb), source("second", second)], options).unwrap();
        Self { folder, router: server.router(), server }
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        (status, headers, to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec())
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let (status, _, body) = self.send(Request::get(path).body(Body::empty()).unwrap()).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::post(path).header("content-type", "application/json");
        let (status, _, body) = self.send(request.body(Body::from(body.to_string())).unwrap()).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    async fn reconcile(&self, queries: Value) -> (StatusCode, Value) {
        let form = format!("queries={}", encoded(&queries.to_string()));
        let request = Request::post("/reconcile/0.2").header("content-type", "application/x-www-form-urlencoded");
        let (status, _, body) = self.send(request.body(Body::from(form)).unwrap()).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Serves those who have the key 0123456789abcdef of Ann.
    fn with_keys(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "ann 0123456789abcdef\n").unwrap();
        let mut options = ServerOptions { keys: Some(Keys::read(file.path()).unwrap()), ..ServerOptions::default() };
        change(&mut options);
        Self::with(options)
    }

    fn kb(&self) -> KnowledgeBase {
        KnowledgeBase::open(self.folder.path().join("kb")).unwrap()
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
