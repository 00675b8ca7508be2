//! Streams of lines: each piece is answered while the next one comes.

use std::future::Future;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use serde::Serialize;

use crate::failure::Failure;

/// Most lines that are answered together.
const PIECE: usize = 64;
/// Longest time between two pieces of a body.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines that come.
struct Lines {
    body: BodyDataStream,
    rest: Vec<u8>,
    /// Bytes of `rest` that were read.
    at: usize,
    number: usize,
    longest: usize,
    is_whole: bool,
    has_failed: bool,
}

/// Answers lines with lines, in their order. A line that cannot be answered ends the stream with a line that has the key `error`.
///
/// `parse` makes an item of a line; `ask` answers some items with their lines.
pub(crate) fn answer<I: Send + 'static, F>(
    body: Body,
    longest: usize,
    parse: impl Fn(&[u8]) -> Result<I, Failure> + Send + Sync + 'static,
    ask: impl Fn(Vec<I>) -> F + Send + Sync + 'static,
) -> Response
where
    F: Future<Output = Result<Vec<u8>, Failure>> + Send,
{
    let lines = Lines {
        body: body.into_data_stream(),
        rest: Vec::new(),
        at: 0,
        number: 0,
        longest,
        is_whole: false,
        has_failed: false,
    };
    let answers = stream::unfold((lines, parse, ask), |(mut lines, parse, ask)| async move {
        if lines.has_failed {
            return None;
        }
        let (items, failure) = match lines.next(&parse).await {
            Ok(None) => return None,
            Ok(Some(items)) => (items, None),
            Err((items, failure)) => (items, Some(failure)),
        };
        let mut out = Vec::new();
        match ask(items).await {
            Ok(answers) => out.extend(answers),
            Err(failure) => {
                out.extend(failure.line());
                lines.has_failed = true;
            }
        }
        if let Some(failure) = failure.filter(|_| !lines.has_failed) {
            out.extend(failure.line());
            lines.has_failed = true;
        }
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(out)), (lines, parse, ask)))
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response()
}

/// Returns values as lines of JSON.
pub(crate) fn lines<T: Serialize>(values: impl Iterator<Item = T>) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    for value in values {
        serde_json::to_writer(&mut out, &value).map_err(|_| Failure::internal())?;
        out.push(b'\n');
    }
    Ok(out)
}

impl Lines {
    /// Returns the items of the next lines; `None` at the end. A failure comes with the items of the lines before it.
    async fn next<I>(
        &mut self,
        parse: &impl Fn(&[u8]) -> Result<I, Failure>,
    ) -> Result<Option<Vec<I>>, (Vec<I>, Failure)> {
        let mut items = Vec::new();
        loop {
            while let Some(end) = self.rest[self.at..].iter().position(|byte| *byte == b'\n') {
                let line = self.rest[self.at..=self.at + end].to_vec();
                self.at += line.len();
                self.take(&line, parse, &mut items)?;
                if items.len() == PIECE {
                    return Ok(Some(items));
                }
            }
            if !items.is_empty() {
                return Ok(Some(items));
            }
            self.rest.drain(..std::mem::take(&mut self.at));
            if self.rest.len() > self.longest {
                let message = format!("line {} is longer than this server takes", self.number + 1);
                return Err((items, Failure::request(message)));
            }
            if self.is_whole {
                let line = std::mem::take(&mut self.rest);
                self.take(&line, parse, &mut items)?;
                return Ok((!items.is_empty()).then_some(items));
            }
            match tokio::time::timeout(PATIENCE, self.body.next()).await {
                Ok(Some(Ok(more))) => self.rest.extend_from_slice(&more),
                Ok(None) => self.is_whole = true,
                Ok(Some(Err(error))) => return Err((items, Failure::request(format!("the body: {error}")))),
                Err(_) => return Err((items, Failure::request("the next line did not come in time"))),
            }
        }
    }

    fn take<I>(
        &mut self,
        line: &[u8],
        parse: &impl Fn(&[u8]) -> Result<I, Failure>,
        items: &mut Vec<I>,
    ) -> Result<(), (Vec<I>, Failure)> {
        self.number += usize::from(!line.is_empty());
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        match parse(line) {
            Ok(item) => items.push(item),
            Err(failure) => {
                return Err((std::mem::take(items), failure.at_line(self.number)));
            }
        }
        Ok(())
    }
}
