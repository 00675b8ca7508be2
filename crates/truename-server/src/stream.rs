//! Streams of lines: each piece is answered while the next one comes.

use std::future::Future;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::BodyDataStream;
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde::Serialize;

use crate::answer::BodyWriter;
use crate::budget::HeldBytes;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::state::Shared;
use crate::work::blocking;

/// Most lines that are answered together.
const PIECE: usize = 64;
/// Most bytes of lines that are answered together, but for a single line.
const PIECE_BYTES: usize = 256 << 10;
/// Longest time between two pieces of a body.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines that come.
struct Lines {
    state: Shared,
    connection: Option<Arc<Connection>>,
    body: BodyDataStream,
    rest: Vec<u8>,
    held: HeldBytes,
    /// Bytes of `rest` that were read.
    at: usize,
    /// Bytes of `rest` that hold no end of a line.
    searched: usize,
    number: usize,
    is_whole: bool,
}

/// Answers lines with lines, in their order. A line that cannot be answered ends the stream with a line that has the key `error`.
///
/// `parse` makes an item of a line; `ask` answers some items with a function that writes their lines.
pub(crate) fn answer<I: Send + 'static, F, W>(
    state: Shared,
    request: Request,
    parse: impl Fn(&[u8]) -> Result<I, Failure> + Send + Sync + 'static,
    ask: impl Fn(Vec<I>) -> F + Send + Sync + 'static,
) -> Response
where
    F: Future<Output = Result<W, Failure>> + Send,
    W: FnOnce(&mut BodyWriter) -> io::Result<()> + Send + 'static,
{
    let mut lines = Lines {
        state,
        connection: request.extensions().get::<Arc<Connection>>().cloned(),
        body: request.into_body().into_data_stream(),
        rest: Vec::new(),
        held: HeldBytes::default(),
        at: 0,
        searched: 0,
        number: 0,
        is_whole: false,
    };
    let (mut writer, body) = BodyWriter::new();
    tokio::spawn(async move {
        loop {
            let (items, mut failure) = match lines.next(&parse).await {
                Ok(items) => (items, None),
                Err((items, failure)) => (items, Some(failure)),
            };
            let is_end = items.is_empty() || failure.is_some();
            let answered = match items.is_empty() {
                true => None,
                false => ask(items).await.map_err(|of_items| failure = Some(of_items)).ok(),
            };
            let is_end = is_end || failure.is_some();
            let written = blocking(move || {
                if let Some(write) = answered {
                    write(&mut writer)?;
                }
                if let Some(failure) = failure {
                    writer.write_all(&failure.line())?;
                }
                writer.flush()?;
                Ok::<_, io::Error>(writer)
            });
            // Fails if the client left.
            let Ok(Ok(written)) = written.await else { return };
            if is_end {
                let _ = blocking(move || written.finish()).await;
                return;
            }
            writer = written;
        }
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// Writes values as lines of JSON.
pub(crate) fn write_lines<T: Serialize>(out: &mut impl Write, values: impl Iterator<Item = T>) -> io::Result<()> {
    for value in values {
        serde_json::to_writer(&mut *out, &value)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

impl Lines {
    /// Returns the items of the next lines; none at the end. A failure comes with the items of the lines before it.
    async fn next<I>(&mut self, parse: &impl Fn(&[u8]) -> Result<I, Failure>) -> Result<Vec<I>, (Vec<I>, Failure)> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        loop {
            while let Some(end) = self.rest[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.at..self.searched + end;
                (self.at, self.searched) = (line.end + 1, line.end + 1);
                bytes += line.len();
                self.take(line, parse, &mut items)?;
                if items.len() == PIECE || bytes >= PIECE_BYTES {
                    return Ok(items);
                }
            }
            if !items.is_empty() {
                return Ok(items);
            }
            self.rest.drain(..std::mem::take(&mut self.at));
            self.searched = self.rest.len();
            if self.is_whole {
                self.at = self.rest.len();
                self.take(0..self.rest.len(), parse, &mut items)?;
                return Ok(items);
            }
            self.read().await.map_err(|failure| (Vec::new(), failure))?;
        }
    }

    /// Reads the next part of the body.
    async fn read(&mut self) -> Result<(), Failure> {
        self.held = match self.rest.is_empty() {
            true => HeldBytes::default(),
            false => std::mem::take(&mut self.held),
        };
        self.connection.iter().for_each(|connection| connection.mark_waiting());
        let part = tokio::time::timeout(PATIENCE, self.body.next()).await;
        self.connection.iter().for_each(|connection| connection.mark_asked());
        let part = part.map_err(|_| Failure::request("the next line did not come in time"))?;
        let Some(part) = part else {
            self.is_whole = true;
            return Ok(());
        };
        let part = part.map_err(|error| Failure::request(format!("the body: {error}")))?;
        let (length, longest) = (self.rest.len() + part.len(), self.state.options.max_body_bytes);
        if self.rest.len() > longest {
            return Err(Failure::request(format!("line {} is longer than this server takes", self.number + 1)));
        }
        if !self.held.grow_to(length, &self.state.bodies) {
            return Err(Failure::busy());
        }
        self.rest.extend_from_slice(&part);
        Ok(())
    }

    fn take<I>(
        &mut self,
        line: std::ops::Range<usize>,
        parse: &impl Fn(&[u8]) -> Result<I, Failure>,
        items: &mut Vec<I>,
    ) -> Result<(), (Vec<I>, Failure)> {
        self.number += 1;
        match self.rest[line].trim_ascii() {
            b"" => Ok(()),
            line => match parse(line) {
                Ok(item) => {
                    items.push(item);
                    Ok(())
                }
                Err(failure) => Err((std::mem::take(items), failure.at_line(self.number))),
            },
        }
    }
}
