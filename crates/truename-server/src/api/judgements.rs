//! `/v1/judgements`: judgements saved, listed and learnt.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use truename::{ConceptId, LONGEST_NAME_BYTES, LearnReport, Progress, last_of_each};
use utoipa::ToSchema;

use crate::access::Caller;
use crate::body::{Body, Parameters, concept_id};
use crate::failure::{Failure, FailureBody};
use crate::judgements::one;
use crate::state::{OfBase, Shared, read_base};
use crate::work::blocking;
use crate::{Judgement, last_judgements};

/// Most judgements of a request.
const MOST: usize = 1000;

/// Judgements to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveRequest {
    #[schema(max_items = 1000)]
    judgements: Vec<Judged>,
    /// Who judged; the user of the key where there is one.
    #[serde(default)]
    user: String,
}

/// A name with its concept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Judged {
    name: String,
    /// Id of the concept; `null` if no concept has the name.
    id: Option<String>,
    /// Says that the name is never a mention of a document; `id` is then `null`.
    #[serde(default)]
    stop_name: bool,
    /// Withdraws the judgements of the name before; `id` is then `null`.
    #[serde(default)]
    withdrawn: bool,
    /// Chance with which the name was drawn to be judged, as `/v1/review/order` says.
    #[serde(default = "one")]
    #[schema(exclusive_minimum = 0, maximum = 1, default = 1.0)]
    chance: f64,
}

/// Number of judgements that are on the disk.
#[derive(Serialize, ToSchema)]
pub(super) struct Saved {
    pub(super) saved: usize,
}

/// Saves judgements. They are on the disk before the answer.
#[utoipa::path(post, path = "/v1/judgements", tag = "judgements", params(OfBase), request_body(content = SaveRequest),
    responses((status = 201, description = "The judgements are on the disk", body = Saved), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn save(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfBase>,
    Extension(caller): Extension<Caller>,
    Body(request): Body<SaveRequest>,
) -> Result<(StatusCode, Json<Saved>), Failure> {
    if request.judgements.len() > MOST {
        return Err(Failure::request(format!("{} judgements; a request may have {MOST}", request.judgements.len())));
    }
    let base = state.base(of.kb.as_deref())?;
    let (user, at) = (caller.user.unwrap_or(request.user), now());
    let mut judgements = Vec::new();
    for Judged { name, id, stop_name, withdrawn, chance } in request.judgements {
        if name.trim().is_empty() {
            return Err(Failure::request("a judgement has an empty name"));
        }
        if name.len() > LONGEST_NAME_BYTES {
            return Err(Failure::request(format!("a name has {} bytes of {LONGEST_NAME_BYTES}", name.len())));
        }
        if withdrawn && (id.is_some() || stop_name) {
            return Err(Failure::request("a judgement that is withdrawn has an id, or makes a stop name"));
        }
        if stop_name && id.is_some() {
            return Err(Failure::request("a name that is never a mention has an id"));
        }
        if !(chance > 0.0 && chance <= 1.0) {
            return Err(Failure::request(format!("the chance {chance} is not above 0 and at most 1")));
        }
        let id = id.map(|id| concept_id(&id)).transpose()?;
        judgements.push(Judgement { name, id, stop_name, withdrawn, chance, user: user.clone(), at });
    }
    let ids: Vec<ConceptId> = judgements.iter().filter_map(|judgement| judgement.id.clone()).collect();
    read_base(base, move |base| ids.iter().try_for_each(|id| base.kb.concept(id).map(drop))).await?;
    let saved = judgements.len();
    blocking(move || {
        let file = &state.served(of.kb.as_deref())?.judgements;
        file.append(&judgements).map_err(|error| Failure::internal(&error))
    })
    .await??;
    Ok((StatusCode::CREATED, Json(Saved { saved })))
}

/// Judgements, the last one of each name.
#[derive(Serialize, ToSchema)]
pub(super) struct ListResponse {
    judgements: Vec<Judgement>,
}

/// Lists the last judgement of each name.
#[utoipa::path(get, path = "/v1/judgements", tag = "judgements", params(OfBase),
    responses((status = 200, description = "The answer", body = ListResponse), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn list(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfBase>,
) -> Result<Json<ListResponse>, Failure> {
    state.served(of.kb.as_deref())?;
    let state = Arc::clone(&state);
    let read = move || state.served(of.kb.as_deref())?.judgements.read().map_err(|error| Failure::internal(&error));
    let judgements = last_judgements(blocking(read).await??);
    Ok(Json(ListResponse { judgements }))
}

/// Counts of the judgements that a knowledge base learnt.
#[derive(Serialize, ToSchema)]
pub(super) struct Learnt {
    /// Number of judgements that are new, or differ from those learnt before.
    learnt: u32,
    /// Number of judgements that were learnt before.
    unchanged: u32,
    /// Number of names whose judgement was learnt and is withdrawn.
    forgotten: u32,
    /// Number of judgements left out because no concept has their id any more.
    unknown: usize,
}

/// Teaches the knowledge base the last judgement of each name, so that it is answered so from then on. Answered once it is committed.
#[utoipa::path(post, path = "/v1/judgements/learn", tag = "judgements", params(OfBase),
    responses((status = 200, description = "The answer", body = Learnt), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn learn(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfBase>,
) -> Result<Json<Learnt>, Failure> {
    if !state.learns(of.kb.as_deref())? {
        return Err(Failure::new(StatusCode::FORBIDDEN, "this knowledge base does not learn here")
            .hint("whoever runs the server can let knowledge bases in folders of their own learn"));
    }
    let base = state.base(of.kb.as_deref())?;
    let report = read_base(base, move |base| {
        let judgements =
            state.served(of.kb.as_deref())?.judgements.read().map_err(|error| Failure::internal(&error))?;
        let (withdrawn, standing): (Vec<_>, Vec<_>) =
            last_of_each(judgements, |judgement| judgement.name.clone()).into_iter().partition(|one| one.withdrawn);
        let learnt: Vec<truename::Judgement> = standing.iter().map(Judgement::to_learn).collect();
        let withdrawn: Vec<String> = withdrawn.into_iter().map(|judgement| judgement.name).collect();
        base.kb.learn(&learnt, &withdrawn, &Progress::default()).map_err(Failure::from)
    })
    .await?;
    let LearnReport { learnt, unchanged, forgotten, unknown, .. } = report;
    Ok(Json(Learnt { learnt, unchanged, forgotten, unknown: unknown.len() }))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
