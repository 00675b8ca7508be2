//! `/v1/concepts` and `/v1/search`: concepts by id and by name.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use truename::Candidate;
use truename_view::CandidateAnswer;
use utoipa::{IntoParams, ToSchema};

use super::{name_options, names};
use crate::base::Base;
use crate::body::{Parameters, concept_id};
use crate::failure::{Failure, FailureBody};
use crate::state::{OfBase, Shared};

/// A concept, or an id that is no longer in use.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what `Concept` and `Removal` serialize")]
struct ConceptAnswer {
    id: String,
    /// The preferred name of a concept.
    #[schema(nullable = false)]
    name: Option<String>,
    #[schema(nullable = false)]
    synonyms: Option<Vec<String>>,
    /// Names that outside vocabularies give it.
    #[schema(nullable = false)]
    aliases: Option<Vec<AliasAnswer>>,
    #[schema(nullable = false)]
    types: Option<Vec<String>>,
    /// Ids of broader concepts.
    #[schema(nullable = false)]
    parents: Option<Vec<String>>,
    /// Ids of the concepts that it is a part of.
    #[schema(nullable = false)]
    part_of: Option<Vec<String>>,
    /// Ids of the concepts with which it has no narrower one in common.
    #[schema(nullable = false)]
    disjoint_from: Option<Vec<String>>,
    /// The same concept elsewhere.
    #[schema(nullable = false)]
    xrefs: Option<Vec<String>>,
    #[schema(nullable = false)]
    definition: Option<String>,
    /// True if the id is no longer in use. The answer then has the two fields below, and no name.
    #[schema(nullable = false)]
    removed: Option<bool>,
    /// Ids that replace it.
    #[schema(nullable = false)]
    replaced_by: Option<Vec<String>>,
    /// Ids that may be meant.
    #[schema(nullable = false)]
    consider: Option<Vec<String>>,
}

/// A name that an outside vocabulary gives a concept.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what `Alias` serializes")]
struct AliasAnswer {
    name: String,
    source: String,
}

/// Returns a concept, or what became of an id that is no longer in use.
#[utoipa::path(get, path = "/v1/concepts/{id}", tag = "concepts", params(("id" = String, Path, description = "Id of the concept"), OfBase),
    responses((status = 200, description = "The answer", body = ConceptAnswer), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn concept(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfBase>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = concept_id(&id)?;
    let read = move |base: &Arc<Base>| match base.kb.concept(&id) {
        Err(error) if error.is_not_found() => base.kb.retired(&id)?.map(Err).ok_or(error),
        concept => concept.map(Ok),
    };
    Ok(match state.read(of.kb.as_deref(), read).await? {
        Ok(concept) => Json(concept).into_response(),
        Err(retired) => Json(retired.as_removal()).into_response(),
    })
}

/// A search.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Search {
    /// Name of the knowledge base; the first without it.
    kb: Option<String>,
    /// Words to look for.
    q: String,
    /// Number of concepts.
    #[param(minimum = 1, maximum = 100, default = 20)]
    top: Option<usize>,
    /// Only concepts of this type.
    r#type: Option<String>,
}

/// Concepts that a search found, the likeliest first.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the fields describe what is serialized")]
struct SearchResponse {
    candidates: Vec<CandidateAnswer>,
}

/// Searches concepts by name.
#[utoipa::path(get, path = "/v1/search", tag = "concepts", params(Search),
    responses((status = 200, description = "The answer", body = SearchResponse), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn search(
    State(state): State<Shared>,
    Parameters(Search { kb, q, top, r#type }): Parameters<Search>,
) -> Result<Response, Failure> {
    let base = state.base(kb.as_deref())?;
    let top = top.unwrap_or(20);
    // At least two, so that a single exact name does not end the search.
    let options = name_options(Some(top.max(2)), r#type.into_iter().collect(), Vec::new(), false, None, None)?;
    if top == 0 {
        return Err(Failure::request("`top` is 0; it may be 1 to 100"));
    }
    names::check(&base, &options).await?;
    let links = state.names.ask(base, options, vec![q]).await?;
    #[derive(Serialize)]
    struct Found<'a> {
        candidates: &'a [Candidate],
    }
    let candidates = links.first().map_or(&[][..], |link| &link.candidates[..link.candidates.len().min(top)]);
    Ok(Json(Found { candidates }).into_response())
}
