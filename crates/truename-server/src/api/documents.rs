//! `/v1/link` and `/v1/recognize`: documents in, mentions out, whole or as a stream of lines.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use truename::{Document, LinkedDocument, Mention, OffsetUnit, Offsets, Span};
use truename_view::{DocumentLine, HtmlWriter};
use utoipa::{IntoParams, ToSchema};

use super::{distinct, name_options};
use crate::answer::BodyWriter;
use crate::base::{Base, DocumentOptions};
use crate::body::{Body, Parameters, is_lines, json};
use crate::budget::HeldBytes;
use crate::failure::{Failure, FailureBody};
use crate::state::{Shared, read_base};
use crate::stream;
use crate::work::{Task, blocking};

/// Pieces of an answer that the memory of answers has room for.
const PIECES: usize = 8;
const JSON_START: &[u8] = b"{\"documents\":[";
/// Most documents of a request.
const MOST_DOCUMENTS: usize = 100;

/// A document to read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentRequest {
    #[serde(default)]
    id: String,
    #[schema(example = "He died of a heart attack.")]
    text: String,
    /// Mentions to link, in place of those that are found.
    mentions: Option<Vec<Place>>,
}

/// A document as it was sent, or the part of it that cannot be read.
struct SentDocument {
    id: String,
    read: Result<DocumentRequest, Unreadable>,
}

/// The part of a document that cannot be read.
struct Unreadable {
    place: String,
    fault: String,
}

impl<'de> Deserialize<'de> for SentDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let id = value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let read = serde_path_to_error::deserialize(value).map_err(|error| Unreadable {
            place: error.path().iter().next().map(|_| format!(".{}", error.path())).unwrap_or_default(),
            fault: error.inner().to_string(),
        });
        Ok(Self { id, read })
    }
}

/// A document that was not answered.
struct RefusedDocument {
    /// Place among the documents of the request.
    number: usize,
    id: String,
    failure: Failure,
}

/// The answer to a document that was not answered.
#[derive(Serialize, ToSchema)]
struct RefusedDocumentLine<'a> {
    id: &'a str,
    /// Why it has no mentions.
    error: String,
}

/// The place of a mention.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    start: usize,
    end: usize,
}

/// The unit of offsets.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// Unicode scalar values, as in Python.
    #[default]
    Chars,
    /// Bytes of UTF-8, as in Rust and Go.
    Bytes,
    /// UTF-16 code units, as in JavaScript and Java.
    Utf16,
}

impl From<Unit> for OffsetUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Chars => Self::Chars,
            Unit::Bytes => Self::Bytes,
            Unit::Utf16 => Self::Utf16,
        }
    }
}

/// Largest number of names that are never mentions.
const MOST_STOP_NAMES: usize = 1000;

/// Documents to link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {
    /// At most 100 documents. Either all of them have `mentions` or none.
    #[schema(max_items = 100, value_type = Vec<DocumentRequest>)]
    documents: Vec<SentDocument>,
    /// Number of candidates of each mention.
    #[schema(minimum = 1, maximum = 100, default = 5)]
    top: Option<usize>,
    /// Only concepts of these types.
    #[serde(default)]
    types: Vec<String>,
    /// Leaves out the aliases of these sources; `*` stands for all.
    #[serde(default)]
    without_aliases: Vec<String>,
    /// Explains each answer in words.
    #[serde(default)]
    explain: bool,
    /// Answers NIL below this probability, in place of the fitted threshold.
    #[schema(minimum = 0, maximum = 1)]
    min_probability: Option<f64>,
    /// Expected share of mentions without a concept, from which the fitted threshold follows.
    #[schema(minimum = 0, maximum = 1, default = 0.1)]
    nil_share: Option<f64>,
    /// Finds mentions within mentions too.
    #[serde(default)]
    nested: bool,
    /// Reads `breast and ovarian cancer` as each of its names, where the knowledge base has them.
    #[serde(default)]
    composites: bool,
    /// Leaves abbreviations as they are.
    #[serde(default)]
    no_abbreviations: bool,
    /// Links by names alone, even if the knowledge base has models that read context.
    #[serde(default)]
    no_context: bool,
    /// Leaves out mentions that the text negates, only supposes or has of somebody else.
    #[serde(default)]
    asserted: bool,
    /// Type of mentions whose recognizer and concept have none.
    type_name: Option<String>,
    /// Names that are never mentions, at most 1,000.
    #[serde(default)]
    #[schema(max_items = 1000)]
    stop_names: Vec<String>,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Unit,
}

/// Documents to find mentions in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecognizeRequest {
    /// At most 100 documents.
    #[schema(max_items = 100, value_type = Vec<DocumentRequest>)]
    documents: Vec<SentDocument>,
    /// Finds mentions within mentions too.
    #[serde(default)]
    nested: bool,
    /// Leaves abbreviations as they are.
    #[serde(default)]
    no_abbreviations: bool,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Unit,
}

/// Knowledge base, and the options of a stream of documents.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LinkParameters {
    /// Name of the knowledge base; the first without it.
    kb: Option<String>,
    /// Of a stream: number of candidates of each mention.
    #[param(minimum = 1, maximum = 100)]
    top: Option<usize>,
    /// Of a stream: explains each answer in words.
    explain: Option<bool>,
    /// Of a stream: finds mentions within mentions too.
    nested: Option<bool>,
    /// Of a stream: reads `breast and ovarian cancer` as each of its names, where the knowledge base has them.
    composites: Option<bool>,
    /// Of a stream: leaves out mentions that the text negates, only supposes or has of somebody else.
    asserted: Option<bool>,
    /// Of a stream: type of mentions whose recognizer and concept have none.
    type_name: Option<String>,
    /// Of a stream: unit of offsets.
    #[param(inline)]
    offsets: Option<Unit>,
}

/// Documents in the order in which they were sent.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what is serialized")]
struct DocumentsResponse {
    documents: Vec<AnsweredDocument>,
}

/// A document with its mentions, or the reason why it has none.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "the variants describe what is serialized")]
enum AnsweredDocument {
    Linked(DocumentLine<'static>),
    Refused(RefusedDocumentLine<'static>),
}

/// Finds the mentions of documents and links them to concepts. A document that cannot be read is answered with an `error`, the others with
/// their mentions.
///
/// With `Accept: text/html` the answer is a fragment of HTML with the mentions in colour, for a page with the style
/// `/assets/documents.css`; each article ends with its document as JSON in an element `script` of the class `data`, whose offsets count
/// UTF-16 units. With `Content-Type: application/x-ndjson` each line is a document, and is answered by a line, while further
/// ones come.
#[utoipa::path(post, path = "/v1/link", tag = "documents", params(LinkParameters),
    request_body(content = LinkRequest), responses(
        (status = 200, description = "The answer", body = DocumentsResponse),
        (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn link(
    State(state): State<Shared>,
    Parameters(parameters): Parameters<LinkParameters>,
    request: Request,
) -> Result<Response, Failure> {
    let base = state.base(parameters.kb.as_deref())?;
    if is_lines(request.headers()) {
        let LinkParameters { top, explain, nested, composites, asserted, type_name, offsets, .. } = parameters;
        let names = name_options(top, Vec::new(), Vec::new(), explain.unwrap_or(false), None, None)?;
        let options = DocumentOptions {
            names,
            nested: nested.unwrap_or(false),
            composites: composites.unwrap_or(false),
            abbreviations: true,
            context: true,
            given_mentions: false,
            asserted: asserted.unwrap_or(false),
            type_name,
            stop_names: Vec::new(),
        };
        let unit: OffsetUnit = offsets.unwrap_or_default().into();
        let reader = Reader { state: Arc::clone(&state), base, task: Task::Link(options) };
        let of_line = reader.clone();
        let document = move |line: &[u8]| {
            let DocumentRequest { id, text, .. } = json(line, "it")?;
            let document = Document::new(id, text);
            of_line.check(&document).map(|()| document)
        };
        return Ok(stream::answer(state, request, document, move |documents| {
            let reader = reader.clone();
            async move {
                let (linked, held) = reader.read(documents, true).await?;
                Ok(move |out: &mut BodyWriter| {
                    let _held = held;
                    stream::write_lines(out, linked.iter().map(|document| DocumentLine::new(document, unit)))
                })
            }
        }));
    }
    let wants_html = wants_html(request.headers());
    let Body(asked): Body<LinkRequest> = Body::from_request(request, &state).await?;
    let LinkRequest {
        documents,
        types,
        without_aliases,
        top,
        explain,
        min_probability,
        nil_share,
        nested,
        composites,
        asserted,
        type_name,
        stop_names,
        offsets,
        ..
    } = asked;
    if stop_names.len() > MOST_STOP_NAMES {
        let message = format!("`stop_names` has {} names; it may have {MOST_STOP_NAMES}", stop_names.len());
        return Err(Failure::request(message));
    }
    let stop_names = distinct(stop_names);
    let names = name_options(top, types, without_aliases, explain, min_probability, nil_share)?;
    let given_mentions =
        documents.iter().flat_map(|document| &document.read).any(|document| document.mentions.is_some());
    let (abbreviations, context) = (!asked.no_abbreviations, !asked.no_context);
    let options = DocumentOptions {
        names,
        nested,
        composites,
        abbreviations,
        given_mentions,
        context,
        asserted,
        type_name,
        stop_names,
    };
    let of = options.clone();
    read_base(Arc::clone(&base), move |base| base.linker_of_documents(&of).map(drop)).await?;
    let reader = Reader { state, base, task: Task::Link(options) };
    let (documents, refused) = reader.check_each(read(documents, given_mentions, offsets.into())?)?;
    let format = if wants_html { Format::Html } else { Format::Json(offsets.into()) };
    reader.answer(documents, refused, format).await
}

/// Finds the mentions of documents, without linking them.
#[utoipa::path(post, path = "/v1/recognize", tag = "documents", params(crate::state::OfBase),
    request_body(content = RecognizeRequest), responses(
        (status = 200, description = "The answer", body = DocumentsResponse),
        (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn recognize(
    State(state): State<Shared>,
    Parameters(of): Parameters<crate::state::OfBase>,
    Body(RecognizeRequest { documents, nested, no_abbreviations, offsets }): Body<RecognizeRequest>,
) -> Result<Response, Failure> {
    let base = state.base(of.kb.as_deref())?;
    let reader = Reader { state, base, task: Task::Recognize { nested, abbreviations: !no_abbreviations } };
    let (documents, refused) = reader.check_each(read(documents, false, offsets.into())?)?;
    reader.answer(documents, refused, Format::Json(offsets.into())).await
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.starts_with("text/html"))
}

/// Returns the documents of a request, or why one is not read.
fn read(
    documents: Vec<SentDocument>,
    given_mentions: bool,
    unit: OffsetUnit,
) -> Result<Vec<Result<Document, RefusedDocument>>, Failure> {
    if documents.len() > MOST_DOCUMENTS {
        let message = format!("{} documents; a request may have {MOST_DOCUMENTS}", documents.len());
        return Err(Failure::request(message).hint("send more requests, or a stream of `application/x-ndjson`"));
    }
    let read = |(number, SentDocument { id, read }): (usize, SentDocument)| {
        let unreadable = |Unreadable { place, fault }| {
            Failure::request(format!("the body at `documents[{number}]{place}`: {fault}"))
        };
        let document = read.map_err(unreadable).and_then(|document| read_one(number, document, given_mentions, unit));
        document.map_err(|failure| RefusedDocument { number, id, failure })
    };
    Ok(documents.into_iter().enumerate().map(read).collect())
}

fn read_one(
    number: usize,
    DocumentRequest { id, text, mentions }: DocumentRequest,
    given_mentions: bool,
    unit: OffsetUnit,
) -> Result<Document, Failure> {
    let mut document = Document::new(id, text);
    if !given_mentions {
        return Ok(document);
    }
    let Some(places) = mentions else {
        return Err(Failure::request(format!("document {number} has no `mentions`, but another has")));
    };
    let offsets = Offsets::new(&document.text, unit);
    for Place { start, end } in places {
        let bytes = offsets.to_byte(start).zip(offsets.to_byte(end)).filter(|(start, end)| start < end);
        let span = bytes.map(|(start, end)| Span::new(start, end)).filter(|span| span.of(&document.text).is_some());
        let Some(span) = span else {
            let length = offsets.length();
            return Err(Failure::request(format!(
                "document {number}: {start} to {end} is no part of its text, which ends at {length}"
            )));
        };
        document.mentions.push(Mention { span, ..Mention::default() });
    }
    Ok(document)
}

/// Reads documents in pieces of bounded memory.
#[derive(Clone)]
struct Reader {
    state: Shared,
    base: Arc<Base>,
    task: Task,
}

impl Reader {
    /// Returns the documents that can be answered, and the others with the reasons.
    ///
    /// # Errors
    /// If there are some, and none can be answered.
    fn check_each(
        &self,
        documents: Vec<Result<Document, RefusedDocument>>,
    ) -> Result<(Vec<Document>, VecDeque<RefusedDocument>), Failure> {
        let (mut checked, mut refused) = (Vec::with_capacity(documents.len()), VecDeque::new());
        for (number, document) in documents.into_iter().enumerate() {
            let document = document.and_then(|document| match self.check(&document) {
                Ok(()) => Ok(document),
                Err(failure) => Err(RefusedDocument { number, id: document.id, failure }),
            });
            match document {
                Ok(document) => checked.push(document),
                Err(one) => refused.push_back(one),
            }
        }
        match refused.pop_front_if(|_| checked.is_empty()) {
            Some(first) => Err(first.failure),
            None => Ok((checked, refused)),
        }
    }

    /// Answers documents with a body of all of them, those that were refused among them; in HTML, the first one that was refused is the
    /// answer. The first piece is read before the answer begins, so that its failure is the answer; a later one cuts the answer off.
    async fn answer(
        self,
        documents: Vec<Document>,
        mut refused: VecDeque<RefusedDocument>,
        format: Format,
    ) -> Result<Response, Failure> {
        if let Some(first) = refused.pop_front_if(|_| matches!(format, Format::Html)) {
            return Err(first.failure);
        }
        let mut pieces = self.pieces(documents).into_iter();
        let mut piece = self.read(pieces.next().unwrap_or_default(), false).await?;
        let (writer, body) = BodyWriter::new();
        let (kind, mut writer) = match format {
            Format::Json(unit) => ("application/json", DocumentWriter::Json { out: writer, unit, refused, written: 0 }),
            Format::Html => {
                ("text/html; charset=utf-8", DocumentWriter::Html(HtmlWriter::fragment(writer).with_data()))
            }
        };
        tokio::spawn(async move {
            loop {
                let (linked, held) = piece;
                let written = blocking(move || {
                    let _held = held;
                    linked.iter().try_for_each(|document| writer.write(document))?;
                    Ok::<_, io::Error>(writer)
                });
                // Fails if the client left.
                let Ok(Ok(written)) = written.await else { return };
                writer = written;
                let Some(next) = pieces.next() else { break };
                piece = match self.read(next, true).await {
                    Ok(read) => read,
                    Err(failure) => return tracing::error!("an answer was cut off: {failure}"),
                };
            }
            let _ = blocking(move || writer.finish()).await;
        });
        Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
    }

    /// Reads a piece; waits for room in the queue if it is not the first of an answer.
    async fn read(
        &self,
        documents: Vec<Document>,
        has_begun: bool,
    ) -> Result<(Vec<LinkedDocument>, HeldBytes), Failure> {
        let bytes = documents.iter().map(|document| self.bytes_of(document)).sum();
        let held = self.state.answers.take(bytes).await;
        let (lane, base, task) = (&self.state.documents, Arc::clone(&self.base), self.task.clone());
        let linked = match has_begun {
            true => lane.ask_patiently(base, task, documents).await,
            false => lane.ask(base, task, documents).await,
        };
        Ok((linked?, held))
    }

    /// Refuses a document that takes more memory than there is.
    fn check(&self, document: &Document) -> Result<(), Failure> {
        let (takes, most, length) = (self.bytes_of(document), self.state.answers.bytes(), document.text.len());
        if takes <= most {
            return Ok(());
        }
        let most_bytes = (length as u128 * most as u128 / takes as u128) as usize;
        let message = format!("a document has {length} bytes; with as many candidates it may have {most_bytes}");
        Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            .hint("split it, or ask for fewer candidates with `top`"))
    }

    fn bytes_of(&self, document: &Document) -> usize {
        self.task.bytes_of(document.text.len())
    }

    /// Splits documents into pieces that take a share of the memory, or have one document.
    fn pieces(&self, documents: Vec<Document>) -> Vec<Vec<Document>> {
        let (most, mut filled) = (self.state.answers.bytes() / PIECES, 0);
        let mut pieces: Vec<Vec<Document>> = Vec::new();
        for document in documents {
            let bytes = self.bytes_of(&document);
            match pieces.last_mut().filter(|_| filled + bytes <= most) {
                Some(piece) => {
                    filled += bytes;
                    piece.push(document);
                }
                None => {
                    filled = bytes;
                    pieces.push(vec![document]);
                }
            }
        }
        pieces
    }
}

/// Format of an answer with documents.
enum Format {
    Json(OffsetUnit),
    Html,
}

/// Writes an answer with documents.
enum DocumentWriter {
    Json {
        out: BodyWriter,
        unit: OffsetUnit,
        /// Refused documents that are still to be written, in the order of the request.
        refused: VecDeque<RefusedDocument>,
        written: usize,
    },
    Html(HtmlWriter<BodyWriter>),
}

impl DocumentWriter {
    fn write(&mut self, document: &LinkedDocument) -> io::Result<()> {
        self.write_refused()?;
        match self {
            Self::Json { out, unit, written, .. } => write_one(out, written, &DocumentLine::new(document, *unit)),
            Self::Html(page) => page.write(document),
        }
    }

    /// Writes the documents that were refused up to the next one that was not.
    fn write_refused(&mut self) -> io::Result<()> {
        let Self::Json { out, refused, written, .. } = self else { return Ok(()) };
        while let Some(RefusedDocument { id, failure, .. }) = refused.pop_front_if(|one| one.number == *written) {
            write_one(out, written, &RefusedDocumentLine { id: &id, error: failure.to_string() })?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.write_refused()?;
        match self {
            Self::Json { mut out, written, .. } => {
                out.write_all(if written == 0 { JSON_START } else { b"" })?;
                out.write_all(b"]}")?;
                out.finish()
            }
            Self::Html(page) => page.finish()?.finish(),
        }
    }
}

/// Writes a document of JSON behind those that were written.
fn write_one(out: &mut BodyWriter, written: &mut usize, document: &impl Serialize) -> io::Result<()> {
    out.write_all(if *written == 0 { JSON_START } else { b"," })?;
    *written += 1;
    Ok(serde_json::to_writer(out, document)?)
}
