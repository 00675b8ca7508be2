//! Connections: their number, and the time that they may wait.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// Longest time that the head of a request takes to arrive, from the end of the one before it.
const HEAD: Duration = Duration::from_secs(15);
/// Longest time in which a client takes nothing of its answer.
const STALLED: Duration = Duration::from_secs(30);
/// Largest head of a request, and number of bytes of an answer on their way, in bytes.
const BUFFER: usize = 64 << 10;
/// File descriptors that are left for files.
const FILES: usize = 64;
/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// A connection, as its requests see it.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Time since when the client has something to send; `None` while it is being answered.
    waiting: Mutex<Option<Instant>>,
    closing: Notify,
}

impl Connection {
    fn new(peer: IpAddr) -> Self {
        Self { peer, waiting: Mutex::new(Some(Instant::now())), closing: Notify::new() }
    }

    /// Marks that the client waits for the server.
    pub fn mark_asked(&self) {
        *self.locked() = None;
    }

    /// Marks that the server waits for the client.
    pub fn mark_waiting(&self) {
        *self.locked() = Some(Instant::now());
    }

    fn locked(&self) -> MutexGuard<'_, Option<Instant>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All open connections. Where there are too many, the one whose client has been silent for longest makes room.
struct Connections {
    open: Mutex<HashMap<u64, Arc<Connection>>>,
    most: usize,
    /// Most connections of one address.
    most_of_peer: usize,
}

impl Connections {
    fn new(most: usize) -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| limit as usize);
        let most = most.min(descriptors.saturating_sub(FILES)).max(1);
        Self { open: Mutex::default(), most, most_of_peer: (most - most / 4).max(1) }
    }

    /// Adds a connection; `None` if there is no room for it.
    fn add(&self, number: u64, peer: IpAddr) -> Option<Arc<Connection>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_peer = open.values().filter(|other| other.peer == peer).count();
        if of_peer >= self.most_of_peer || open.len() >= self.most {
            let is_rival = |other: &Connection| of_peer < self.most_of_peer || other.peer == peer;
            let silent = open.iter().filter(|(_, other)| is_rival(other));
            let silent = silent
                .filter_map(|(number, other)| Some((*other.locked(), *number)).filter(|(since, _)| since.is_some()));
            let (_, silent) = silent.min()?;
            open.remove(&silent)?.closing.notify_one();
        }
        let connection = Arc::new(Connection::new(peer));
        open.insert(number, Arc::clone(&connection));
        Some(connection)
    }

    fn remove(&self, number: u64) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }
}

/// Answers connections until `stop` ends, and then those that are open for at most `drain`. Returns false if some were cut off.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    most: usize,
    stop: impl Future<Output = ()>,
    drain: Duration,
) -> bool {
    let connections = Arc::new(Connections::new(most));
    let (ending, is_ending) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        while tasks.try_join_next().is_some() {}
        let Ok((stream, peer)) = accepted else {
            // The client left, or there is no descriptor; both pass.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Some(connection) = connections.add(number, peer.ip()) else { continue };
        let (router, connections, is_ending) = (router.clone(), Arc::clone(&connections), is_ending.clone());
        tasks.spawn(async move {
            answer(stream, peer, router, connection, is_ending).await;
            connections.remove(number);
        });
    }
    drop(listener);
    let _ = ending.send(true);
    let all = async { while tasks.join_next().await.is_some() {} };
    tokio::time::timeout(drain, all).await.is_ok()
}

/// Answers the requests of a connection.
async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    connection: Arc<Connection>,
    mut is_ending: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALLED));
    let of = Arc::clone(&connection);
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Arc::clone(&of));
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(BUFFER);
    let mut answered = pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), service));
    loop {
        tokio::select! {
            // An error is the client's: it left, or sent no HTTP.
            _ = &mut answered => return,
            () = connection.closing.notified() => return,
            ended = is_ending.changed() => {
                answered.as_mut().graceful_shutdown();
                if ended.is_err() {
                    let _ = answered.await;
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_silence_makes_room() {
        let connections = Connections { open: Mutex::default(), most: 3, most_of_peer: 2 };
        let [a, b, c] = [1, 2, 3].map(|last| IpAddr::from([10, 0, 0, last]));
        let first = connections.add(1, a).unwrap();
        let second = connections.add(2, a).unwrap();
        first.mark_asked();
        // The share of one address is full: its silent connection ends, and not that which is answered.
        let third = connections.add(3, a).unwrap();
        let numbers = || {
            let mut numbers: Vec<u64> = connections.open.lock().unwrap().keys().copied().collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(numbers(), [1, 3]);
        third.mark_asked();
        assert!(connections.add(4, a).is_none());
        connections.add(5, b).unwrap();
        // All are full: whoever is silent makes room.
        connections.add(6, c).unwrap();
        assert_eq!(numbers(), [1, 3, 6]);
        first.mark_waiting();
        connections.remove(6);
        connections.add(7, a).unwrap();
        assert_eq!(numbers(), [3, 7]);
        drop(second);
    }
}
