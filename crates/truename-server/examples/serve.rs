//! A server of the bundled knowledge base on a free port, asked once, as any client asks, and stopped.
//!
//! Run it by `cargo run --example serve`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use truename_server::{BaseSource, Server, ServerOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let judgements = folder.path().join("judgements.jsonl");
    let source = BaseSource { name: "mesh".into(), folder: None, judgements };
    let server = Server::open(vec![source], ServerOptions::default())?;

    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let (stop, is_stopped) = oneshot::channel();
    let client = tokio::task::spawn_blocking(move || {
        let answer = ask(address, r#"{"names": ["heart atack"]}"#);
        // Requests under way are finished; then `serve` returns.
        let _ = stop.send(());
        answer
    });
    server.serve(listener, async { _ = is_stopped.await }).await;
    let answer = client.await??;
    println!("{answer}");
    assert!(answer.contains("D009203"));
    Ok(())
}

/// Returns what the server answers to names, headers and all.
fn ask(address: SocketAddr, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "POST /v1/match HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
        Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn it_runs() {
    main().unwrap();
}
