//! Connections of a listening server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use truename_server::ServerOptions;

use crate::Served;

/// Serves on a free port while a test runs.
async fn served(options: ServerOptions, test: impl FnOnce(SocketAddr) + Send + 'static) {
    let served = Served::with(options);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, is_over) = tokio::sync::oneshot::channel::<()>();
    let test = tokio::task::spawn_blocking(move || {
        test(address);
        drop(stop);
    });
    let stopped = async { _ = is_over.await };
    tokio::time::timeout(Duration::from_secs(50), served.server.serve(listener, stopped)).await.unwrap();
    test.await.unwrap();
}

/// Asks for the health of the server; returns what it answers.
fn health(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_lock_nobody_out() {
    let options = ServerOptions { connections: 16, ..ServerOptions::default() };
    served(options, |address| {
        let mut silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
        for stream in &mut silent {
            let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: loc");
        }
        assert!(health(address).starts_with("HTTP/1.1 200"));
        // Bodies that do not come are silent too.
        for stream in &mut silent {
            let head = "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
            *stream = TcpStream::connect(address).unwrap();
            let _ = stream.write_all(head.as_bytes());
        }
        assert!(health(address).starts_with("HTTP/1.1 200"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_bodies_hold_a_bounded_memory() {
    let options = ServerOptions { memory_bytes: 16 << 20, max_body_bytes: 1 << 20, ..ServerOptions::default() };
    served(options, |address| {
        let head = "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1048000\r\n\r\n";
        let mut streams: Vec<TcpStream> = Vec::new();
        let mut refused = 0;
        for _ in 0..8 {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            let _ = stream.write_all(&vec![b' '; 1_000_000]);
            let mut answer = [0; 12];
            let is_refused = stream.read_exact(&mut answer).is_ok() && answer.ends_with(b"503");
            refused += usize::from(is_refused);
            streams.push(stream);
        }
        assert!((3..8).contains(&refused), "{refused}");
        drop(streams);
        assert!(health(address).starts_with("HTTP/1.1 200"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_is_too_long_is_refused() {
    served(ServerOptions::default(), |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        let path = "a".repeat(1 << 20);
        let _ = stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"));
        assert!(health(address).starts_with("HTTP/1.1 200"));
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_knowledge_base_that_is_cut_off_leaves_the_others_alone() {
    let served = Served::new();
    let data = served.folder.path().join("kb/data.mdb");
    let whole = std::fs::read(&data).unwrap();
    let router = served.router.clone();
    let copy = served.folder.path().join("whole.mdb");
    std::fs::write(&copy, whole).unwrap();
    let length = std::fs::metadata(&data).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(4096).unwrap();
    assert!(length > 4096);
    let names = serde_json::json!({"names": ["heart attack", "hart failure"]});
    for _ in 0..3 {
        for path in ["/v1/match", "/v1/match?kb=second"] {
            let (status, answer) = served.post(path, names.clone()).await;
            let expected = if path.ends_with("second") { 200 } else { 503 };
            assert_eq!(status.as_u16(), expected, "{path}: {answer}");
        }
        for path in ["/v1/concepts/D:1", "/reconcile/0.2/suggest/entity?prefix=heart", "/reconcile/0.2"] {
            assert_eq!(served.get(path).await.0, 503, "{path}");
        }
        assert_eq!(served.get("/v1/bases").await.1["bases"].as_array().unwrap().len(), 1);
    }
    // Once the file is whole again, it is opened anew.
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    std::fs::rename(&copy, &data).unwrap();
    let answered = async move {
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let request = axum::http::Request::get("/v1/concepts/D:1").body(axum::body::Body::empty()).unwrap();
            if tower::ServiceExt::oneshot(router.clone(), request).await.unwrap().status() == 200 {
                return;
            }
        }
        panic!("it is not opened anew");
    };
    served.server.serve(listener, answered).await;
}
