//! Pipes and stdin, read by a thread of their own, so that their readers learn when nothing waits.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::options::OnIdle;

/// Time without a byte after which a pipe is idle. Longer makes larger batches of what comes slowly, and delays each answer.
pub(crate) const IDLE: Duration = Duration::from_millis(5);
/// Time without a byte after which the lines that came are the beginning of a text; longer than [`IDLE`], since more lines tell more.
pub(crate) const BEGINS: Duration = Duration::from_millis(100);
const CHUNK: usize = 1 << 16;
/// Chunks that are read ahead.
const CHUNKS: usize = 4;

/// Time that a read of a pipe waits before it fails with [`io::ErrorKind::WouldBlock`], and may be tried again; in milliseconds, 0 for
/// no bound.
#[derive(Clone)]
pub(crate) struct Patience(Arc<AtomicU64>);

impl Patience {
    pub(crate) fn of(time: Duration) -> Self {
        Self(Arc::new(AtomicU64::new(time.as_millis() as u64)))
    }

    /// Bounds the time within `read`.
    pub(crate) fn within<T>(&self, time: Duration, read: impl FnOnce() -> T) -> T {
        self.0.store(time.as_millis() as u64, Ordering::Relaxed);
        let read = read();
        self.end();
        read
    }

    /// Lets a read wait as long as it takes.
    pub(crate) fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn time(&self) -> Option<Duration> {
        let millis = self.0.load(Ordering::Relaxed);
        (millis > 0).then(|| Duration::from_millis(millis))
    }
}

/// A reader whose bytes another thread reads.
pub(crate) struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
    patience: Patience,
    on_idle: Option<OnIdle>,
}

impl Pipe {
    /// Begins to read.
    pub(crate) fn new(mut reader: impl Read + Send + 'static, patience: Patience, on_idle: Option<OnIdle>) -> Self {
        let (send, chunks) = sync_channel(CHUNKS);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match reader.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ends = !matches!(read, Ok(1..));
                chunk.truncate(*read.as_ref().unwrap_or(&0));
                if send.send(read.map(|_| chunk)).is_err() || ends {
                    return;
                }
            }
        });
        Self { chunks, chunk: Cursor::default(), patience, on_idle }
    }

    /// Returns the next chunk; none where the pipe is closed.
    fn receive(&self) -> Option<io::Result<Vec<u8>>> {
        let patience = self.patience.time();
        match self.chunks.recv_timeout(patience.unwrap_or(IDLE)) {
            Ok(chunk) => Some(chunk),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) if patience.is_some() => Some(Err(io::ErrorKind::WouldBlock.into())),
            Err(RecvTimeoutError::Timeout) => {
                self.on_idle.iter().for_each(|on_idle| on_idle());
                self.chunks.recv().ok()
            }
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.position() == self.chunk.get_ref().len() as u64 {
            let Some(chunk) = self.receive() else { return Ok(0) };
            self.chunk = Cursor::new(chunk?);
        }
        self.chunk.read(buffer)
    }
}
