//! Bodies of answers: what a request holds until its answer is sent, and bodies that are written while they are sent.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::budget::HeldMemory;
use crate::connection::Connection;
use crate::metrics::CountedRequest;

/// Largest part of a body that is handed over at once, in bytes.
const PART: usize = 64 << 10;
/// Parts that are written ahead of the client.
const AHEAD: usize = 2;

/// The body of an answer. Its memory stays counted until the last part is handed over.
pub(crate) struct Answer {
    body: Body,
    rest: Bytes,
    _holding: HeldMemory,
    connection: Option<Arc<Connection>>,
    _counted: Option<Arc<CountedRequest>>,
}

impl Answer {
    /// Returns a body that holds its memory, its connection and its request, which is counted at its end.
    pub fn body(
        body: Body,
        holding: HeldMemory,
        connection: Option<Arc<Connection>>,
        counted: Option<Arc<CountedRequest>>,
    ) -> Body {
        Body::new(Self { body, rest: Bytes::new(), _holding: holding, connection, _counted: counted })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(connection) = &self.connection {
            connection.mark_waiting();
        }
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => return Poll::Ready(other),
            }
        }
        let part = self.rest.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// Writes the body of an answer, no faster than the client takes it. Dropped before [`BodyWriter::finish`] it breaks the
/// connection, so that an answer that is cut off does not look whole.
///
/// It waits for the client, and so belongs in [`blocking`](crate::work::blocking) tasks.
pub(crate) struct BodyWriter {
    part: Vec<u8>,
    parts: mpsc::Sender<Option<Bytes>>,
}

impl BodyWriter {
    /// Returns a writer and the body that it writes.
    pub fn new() -> (Self, Body) {
        let (parts, written) = mpsc::channel(AHEAD);
        let written = stream::unfold(Some(written), |written| async move {
            let mut written: mpsc::Receiver<Option<Bytes>> = written?;
            match written.recv().await {
                Some(Some(part)) => Some((Ok(part), Some(written))),
                Some(None) => None,
                None => Some((Err(io::Error::other("the answer was not finished")), None)),
            }
        });
        (Self { part: Vec::new(), parts }, Body::from_stream(written))
    }

    /// Sends the rest and ends the body.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.send(None)
    }

    fn send(&self, part: Option<Bytes>) -> io::Result<()> {
        let left = |_| io::Error::new(io::ErrorKind::BrokenPipe, "the client left");
        self.parts.blocking_send(part).map_err(left)
    }
}

/// Answers with JSON that a function writes.
pub(crate) fn json_written(write: impl FnOnce(&mut BodyWriter) -> io::Result<()> + Send + 'static) -> Response {
    let (mut writer, body) = BodyWriter::new();
    tokio::task::spawn_blocking(move || match write(&mut writer).and_then(|()| writer.finish()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => tracing::error!("an answer was cut off: {error}"),
        _ => {}
    });
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.part) {
            part if part.is_empty() => Ok(()),
            part => self.send(Some(part.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    async fn written(write: impl FnOnce(BodyWriter) + Send + 'static) -> Result<Bytes, axum::Error> {
        let (writer, body) = BodyWriter::new();
        let writing = tokio::task::spawn_blocking(move || write(writer));
        let body = to_bytes(Answer::body(body, HeldMemory::default(), None, None), usize::MAX).await;
        writing.await.unwrap();
        body
    }

    #[tokio::test]
    async fn a_body_arrives_whole_or_as_an_error() {
        let whole = written(|mut writer| {
            (0..50_000).for_each(|number| writeln!(writer, "{number}").unwrap());
            writer.finish().unwrap();
        });
        let whole = whole.await.unwrap();
        assert!(whole.starts_with(b"0\n1\n") && whole.ends_with(b"\n49999\n") && whole.len() == 288_890);
        let cut_off = written(|mut writer| {
            writer.write_all(&[b' '; 3 * PART]).unwrap();
            drop(writer);
        });
        assert!(cut_off.await.is_err());
    }
}
