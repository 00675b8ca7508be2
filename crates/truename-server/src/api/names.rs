use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use truename_view::NameLine;
use utoipa::{IntoParams, ToSchema};

use super::answers::NameAnswer;
use super::name_options;
use crate::base::NameOptions;
use crate::body::{Body, Parameters, is_lines};
use crate::failure::{Failure, FailureBody};
use crate::state::Shared;
use crate::stream;

/// Most names of a request.
const MOST_NAMES: usize = 1000;

/// Names to link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MatchRequest {
    /// At most 1,000 names.
    #[schema(max_items = 1000, example = json!(["heart attacks", "hart failure"]))]
    names: Vec<String>,
    /// Number of candidates of each name.
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
    /// Expected share of names without a concept, from which the fitted threshold follows.
    #[schema(minimum = 0, maximum = 1, default = 0.1)]
    nil_share: Option<f64>,
}

/// Knowledge base, and the options of a stream of names.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MatchParameters {
    /// Name of the knowledge base; the first without it.
    kb: Option<String>,
    /// Of a stream: number of candidates of each name.
    #[param(minimum = 1, maximum = 100)]
    top: Option<usize>,
    /// Of a stream: only concepts of this type.
    r#type: Option<String>,
    /// Of a stream: explains each answer in words.
    explain: Option<bool>,
    /// Of a stream: answers NIL below this probability.
    #[param(minimum = 0, maximum = 1)]
    min_probability: Option<f64>,
    /// Of a stream: expected share of names without a concept.
    #[param(minimum = 0, maximum = 1)]
    nil_share: Option<f64>,
}

/// Answers in the order of the names.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what is serialized")]
struct MatchResponse {
    links: Vec<NameAnswer>,
}

/// Links names to concepts.
///
/// With `Content-Type: application/x-ndjson` each line is a name as a JSON string, or an object with the key `name`, and is answered
/// by a line, while further ones come.
#[utoipa::path(post, path = "/v1/match", tag = "names", params(MatchParameters),
    request_body(content = MatchRequest), responses(
        (status = 200, description = "The answer", body = MatchResponse),
        (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn match_names(
    State(state): State<Shared>,
    Parameters(parameters): Parameters<MatchParameters>,
    request: Request,
) -> Result<Response, Failure> {
    let base = state.base(parameters.kb.as_deref())?;
    if is_lines(request.headers()) {
        let MatchParameters { top, r#type, explain, min_probability, nil_share, .. } = parameters;
        let types = r#type.into_iter().collect();
        let options = name_options(top, types, Vec::new(), explain.unwrap_or(false), min_probability, nil_share)?;
        base.linker(&options)?;
        let longest = state.options.max_body_bytes;
        return Ok(stream::answer(request.into_body(), longest, name_of, move |names| {
            let (state, options, base) = (Arc::clone(&state), options.clone(), Arc::clone(&base));
            async move {
                let links = state.names.ask_patiently(base, options, names).await?;
                stream::lines(links.iter().map(|link| NameLine::new(link)))
            }
        }));
    }
    let Body(MatchRequest { names, top, types, without_aliases, explain, min_probability, nil_share }) =
        Body::from_request(request, &state).await?;
    if names.len() > MOST_NAMES {
        let message = format!("{} names; a request may have {MOST_NAMES}", names.len());
        return Err(Failure::request(message).hint("send more requests, or a stream of `application/x-ndjson`"));
    }
    let options: NameOptions = name_options(top, types, without_aliases, explain, min_probability, nil_share)?;
    // Options that do not fit are the client's mistake, and no work for the queue.
    base.linker(&options)?;
    let links = state.names.ask(base, options, names).await?;
    #[derive(Serialize)]
    struct Links<'a> {
        links: Vec<NameLine<'a>>,
    }
    let links = Links { links: links.iter().map(|link| NameLine::new(link)).collect() };
    Ok(Json(links).into_response())
}

/// Returns the name of a line of a stream.
fn name_of(line: &[u8]) -> Result<String, Failure> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Named {
        Name(String),
        Object { name: String },
    }
    match serde_json::from_slice(line) {
        Ok(Named::Name(name) | Named::Object { name }) => Ok(name),
        Err(_) => Err(Failure::request("it is neither a JSON string nor an object with the key `name`")),
    }
}
