use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use truename::{Document, LinkedDocument, Mention, OffsetUnit, Offsets, Span};
use truename_view::{DocumentLine, HtmlWriter};
use utoipa::{IntoParams, ToSchema};

use super::answers::DocumentAnswer;
use super::name_options;
use crate::base::DocumentOptions;
use crate::body::{Body, Parameters, is_lines};
use crate::failure::{Failure, FailureBody};
use crate::state::Shared;
use crate::stream;
use crate::work::Task;

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

/// Documents to link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {
    /// At most 100 documents. Either all of them have `mentions` or none.
    #[schema(max_items = 100)]
    documents: Vec<DocumentRequest>,
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
    /// Leaves abbreviations as they are.
    #[serde(default)]
    no_abbreviations: bool,
    /// Links by names alone, even if the knowledge base has models that read context.
    #[serde(default)]
    no_context: bool,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Unit,
}

/// Documents to find mentions in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecognizeRequest {
    /// At most 100 documents.
    #[schema(max_items = 100)]
    documents: Vec<DocumentRequest>,
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
    /// Of a stream: unit of offsets.
    #[param(inline)]
    offsets: Option<Unit>,
}

/// Documents in the order in which they were sent.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what is serialized")]
struct DocumentsResponse {
    documents: Vec<DocumentAnswer>,
}

/// Finds the mentions of documents and links them to concepts.
///
/// With `Accept: text/html` the answer is a fragment of HTML with the mentions in colour, for a page with the style
/// `/assets/documents.css`. With `Content-Type: application/x-ndjson` each line is a document, and is answered by a line, while further
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
        let LinkParameters { top, explain, nested, offsets, .. } = parameters;
        let names = name_options(top, Vec::new(), Vec::new(), explain.unwrap_or(false), None, None)?;
        let (nested, abbreviations, context, given_mentions) = (nested.unwrap_or(false), true, true, false);
        let options = DocumentOptions { names, nested, abbreviations, context, given_mentions };
        let unit: OffsetUnit = offsets.unwrap_or_default().into();
        let longest = state.options.max_body_bytes;
        let document = |line: &[u8]| {
            serde_json::from_slice(line)
                .map(|DocumentRequest { id, text, .. }| Document::new(id, text))
                .map_err(|error| Failure::request(error.to_string()))
        };
        return Ok(stream::answer(request.into_body(), longest, document, move |documents| {
            let (state, task, base) = (Arc::clone(&state), Task::Link(options.clone()), Arc::clone(&base));
            async move {
                let linked = state.documents.ask_patiently(base, task, documents).await?;
                stream::lines(linked.iter().map(|document| DocumentLine::new(document, unit)))
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
        offsets,
        ..
    } = asked;
    let names = name_options(top, types, without_aliases, explain, min_probability, nil_share)?;
    let given_mentions = documents.iter().any(|document| document.mentions.is_some());
    let (abbreviations, context) = (!asked.no_abbreviations, !asked.no_context);
    let options = DocumentOptions { names, nested, abbreviations, given_mentions, context };
    base.pipeline(&options)?;
    let documents = read(documents, given_mentions, offsets.into())?;
    let linked = state.documents.ask(base, Task::Link(options), documents).await?;
    if wants_html {
        return html(&linked);
    }
    Ok(json(&linked, offsets.into()))
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
    let documents = read(documents, false, offsets.into())?;
    let task = Task::Recognize { nested, abbreviations: !no_abbreviations };
    let found = state.documents.ask(base, task, documents).await?;
    Ok(json(&found, offsets.into()))
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.starts_with("text/html"))
}

/// Returns the documents of a request.
fn read(documents: Vec<DocumentRequest>, given_mentions: bool, unit: OffsetUnit) -> Result<Vec<Document>, Failure> {
    if documents.len() > MOST_DOCUMENTS {
        let message = format!("{} documents; a request may have {MOST_DOCUMENTS}", documents.len());
        return Err(Failure::request(message).hint("send more requests, or a stream of `application/x-ndjson`"));
    }
    documents
        .into_iter()
        .enumerate()
        .map(|(number, document)| read_one(number, document, given_mentions, unit))
        .collect()
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

fn json(documents: &[LinkedDocument], unit: OffsetUnit) -> Response {
    #[derive(Serialize)]
    struct Documents<'a> {
        documents: Vec<DocumentLine<'a>>,
    }
    let documents =
        Documents { documents: documents.iter().map(|document| DocumentLine::new(document, unit)).collect() };
    Json(documents).into_response()
}

fn html(documents: &[LinkedDocument]) -> Result<Response, Failure> {
    let mut page = HtmlWriter::fragment(Vec::new());
    for document in documents {
        page.write(document).map_err(|_| Failure::internal())?;
    }
    let page = page.finish().map_err(|_| Failure::internal())?;
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response())
}
