//! `/v1/match`: names in, concepts out, whole or as a stream of lines.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use serde::{Deserialize, Serializer};
use serde_json::Value;
use truename_view::NameLine;
use utoipa::{IntoParams, ToSchema};

use super::name_options;
use crate::answer::{BodyWriter, json_written};
use crate::base::{Base, NameOptions};
use crate::body::{Body, Parameters, is_lines, json};
use crate::budget::HeldMemory;
use crate::failure::{Failure, FailureBody};
use crate::state::{Shared, read_base};
use crate::stream;
use crate::text::Text;

/// Most names of a request.
const MOST_NAMES: usize = 1000;

/// Names to link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MatchRequest {
    /// At most 1,000 names; null is an empty one, and a number its digits.
    #[schema(value_type = Vec<String>, max_items = 1000, example = json!(["heart attacks", "hart failure"]))]
    names: Vec<Option<Text>>,
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
    links: Vec<NameLine<'static>>,
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
        check(&base, &options).await?;
        return Ok(stream::answer(Arc::clone(&state), request, name_of, move |names| {
            let (state, options, base) = (Arc::clone(&state), options.clone(), Arc::clone(&base));
            async move {
                let held = state.answers.take(options.bytes_of(&names)).await;
                let links = state.names.ask_patiently(base, options, names).await?;
                Ok(move |out: &mut BodyWriter| {
                    let _held = held;
                    stream::write_lines(out, links.iter().map(|link| NameLine::new(link)))
                })
            }
        }));
    }
    let holding = request.extensions().get::<HeldMemory>().cloned().unwrap_or_default();
    let Body(MatchRequest { names, top, types, without_aliases, explain, min_probability, nil_share }) =
        Body::from_request(request, &state).await?;
    if names.len() > MOST_NAMES {
        let message = format!("{} names; a request may have {MOST_NAMES}", names.len());
        return Err(Failure::request(message).hint("send more requests, or a stream of `application/x-ndjson`"));
    }
    let options: NameOptions = name_options(top, types, without_aliases, explain, min_probability, nil_share)?;
    check(&base, &options).await?;
    let names: Vec<String> = names.into_iter().map(|name| name.map_or_else(String::new, String::from)).collect();
    holding.keep(state.answers.take(options.bytes_of(&names)).await);
    let links = state.names.ask(base, options, names).await?;
    Ok(json_written(move |out| {
        out.write_all(b"{\"links\":")?;
        serde_json::Serializer::new(&mut *out).collect_seq(links.iter().map(|link| NameLine::new(link)))?;
        out.write_all(b"}")
    }))
}

/// Refuses options that do not fit: they are the client's mistake, and no work for the queue.
pub(super) async fn check(base: &Arc<Base>, options: &NameOptions) -> Result<(), Failure> {
    let options = options.clone();
    read_base(Arc::clone(base), move |base| base.linker(&options).map(drop)).await
}

/// Returns the name of a line of a stream.
fn name_of(line: &[u8]) -> Result<String, Failure> {
    let value = match json(line, "the line") {
        Ok(Value::Object(mut fields)) => fields.remove("name"),
        value => value.ok(),
    };
    let name = value.and_then(|value| serde_json::from_value::<Option<Text>>(value).ok());
    let name = name.map(|name| name.map_or_else(String::new, String::from));
    name.ok_or_else(|| Failure::request("it is neither a JSON string nor an object with the key `name`"))
}
