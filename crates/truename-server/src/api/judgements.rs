use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::User;
use crate::body::{Body, Parameters, concept_id};
use crate::failure::{Failure, FailureBody};
use crate::state::{OfBase, Shared};
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
    /// Withdraws the judgements of the name before; `id` is then `null`.
    #[serde(default)]
    withdrawn: bool,
}

/// Number of judgements that are on the disk.
#[derive(Serialize, ToSchema)]
pub(super) struct Saved {
    saved: usize,
}

/// Saves judgements. They are on the disk before the answer.
#[utoipa::path(post, path = "/v1/judgements", tag = "judgements", params(OfBase), request_body(content = SaveRequest),
    responses((status = 201, description = "The judgements are on the disk", body = Saved), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn save(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfBase>,
    Extension(User(user)): Extension<User>,
    Body(request): Body<SaveRequest>,
) -> Result<(StatusCode, Json<Saved>), Failure> {
    if request.judgements.len() > MOST {
        return Err(Failure::request(format!("{} judgements; a request may have {MOST}", request.judgements.len())));
    }
    let base = state.base(of.kb.as_deref())?;
    let (user, at) = (user.unwrap_or(request.user), now());
    let mut judgements = Vec::new();
    for Judged { name, id, withdrawn } in request.judgements {
        if name.trim().is_empty() {
            return Err(Failure::request("a judgement has an empty name"));
        }
        if withdrawn && id.is_some() {
            return Err(Failure::request("a judgement that is withdrawn has an id"));
        }
        let id = id.map(|id| concept_id(&id)).transpose()?;
        if let Some(id) = &id {
            base.kb.concept(id)?;
        }
        judgements.push(Judgement { name, id, withdrawn, user: user.clone(), at });
    }
    let saved = judgements.len();
    tokio::task::spawn_blocking(move || {
        let file = &state.served(of.kb.as_deref())?.judgements;
        file.append(&judgements).map_err(|error| {
            tracing::error!("{error}");
            Failure::internal()
        })
    })
    .await
    .map_err(|_| Failure::internal())??;
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
    let read = tokio::task::spawn_blocking(move || {
        state.served(of.kb.as_deref())?.judgements.read().map_err(|error| {
            tracing::error!("{error}");
            Failure::internal()
        })
    });
    let judgements = last_judgements(read.await.map_err(|_| Failure::internal())??);
    Ok(Json(ListResponse { judgements }))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
