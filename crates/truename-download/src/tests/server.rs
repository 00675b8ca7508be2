//! An HTTP server on this machine with replies by path, which records its requests.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Response of a server at one path.
#[derive(Clone, Default)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    /// Claimed length, if it differs from the body's.
    pub(super) claimed: Option<usize>,
    /// Required `Authorization`; requests without it get 401.
    pub(super) login: Option<&'static str>,
}

impl Reply {
    pub(super) fn of(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, body: body.into(), ..Self::default() }
    }

    pub(super) fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A server on this machine; its thread ends with the tests.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) url: String,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) authorization: Option<String>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, replies: Arc::default(), requests: Arc::default() };
        let answering = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Some tests disconnect early.
                let _ = answering.answer(stream);
            }
        });
        server
    }

    pub(super) fn put(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().insert(path.to_owned(), reply);
    }

    pub(super) fn reply(&self, path: &str) -> Reply {
        self.replies.lock().unwrap()[path].clone()
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = read_request(&stream)?;
        self.requests.lock().unwrap().push(request.clone());
        let path = request.path.split('?').next().unwrap_or_default();
        let mut reply = self.replies.lock().unwrap().get(path).cloned().unwrap_or(Reply::status(404));
        if reply.login.is_some_and(|login| request.authorization.as_deref() != Some(login)) {
            reply = Reply::status(401);
        }
        let length = reply.claimed.unwrap_or(reply.body.len());
        write!(stream, "HTTP/1.1 {} x\r\nContent-Length: {length}\r\nConnection: close\r\n", reply.status)?;
        for (name, value) in &reply.headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        stream.write_all(b"\r\n")?;
        stream.write_all(&reply.body)
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<Request> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut authorization = None;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or_default();
        if name.eq_ignore_ascii_case("authorization") {
            authorization = Some(value.to_owned());
        }
    }
    Ok(Request { path, authorization })
}
