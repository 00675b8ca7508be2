//! Version 1.0-draft: an address for each service.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::property::{self, Property};
use super::query::{self, Answered, Condition, Found, Quantifier, Query, Strictness, named_types};
use super::suggest::{self, Window};
use super::v0_2::{Fields, Meta, OneOrMore, Proposal, RawExtension, RawValue, Row, proposed, rows_of};
use super::{BATCH, OfKind, OfPath, PREVIEW, authentication, check_size, closed_manifest, page, path_of};
use crate::access::Caller;
use crate::body::{Body, Parameters};
use crate::budget::HeldMemory;
use crate::failure::Failure;
use crate::state::Shared;

/// Versions that these addresses serve.
const VERSIONS: [&str; 1] = ["1.0-draft"];

/// Returns the methods of the address itself.
pub(super) fn root() -> MethodRouter<Shared> {
    get(manifest)
}

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/", root())
        .route("/match", post(reconcile))
        .route("/suggest/{kind}", get(suggest))
        .route("/preview", get(preview))
        .route("/extend", post(extend))
        .route("/extend/propose", get(propose))
}

async fn manifest(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Value>, Failure> {
    if !caller.may_read {
        return Ok(Json(closed_manifest(&state, &headers, &VERSIONS)));
    }
    let served = state.served(kb.as_deref())?;
    let name = &served.slot.name;
    let address = state.address(&headers);
    let types = state.read(kb.as_deref(), |base| base.catalogue()).await?.type_names();
    let mut manifest = json!({
        "versions": VERSIONS,
        "name": name,
        "defaultTypes": named_types(&types),
        "documentation": format!("{address}/docs"),
        "serviceVersion": env!("CARGO_PKG_VERSION"),
        "view": { "url": format!("{address}{}/concept/{{id}}", path_of(name)) },
        "preview": { "width": PREVIEW.0, "height": PREVIEW.1 },
        "suggest": { "entity": true, "type": true, "property": true },
        "extend": {
            "proposeProperties": true,
            "propertySettings": [{
                "id": "limit", "name": "Limit", "type": "number", "default": 0,
                "helpText": "Most values of a row; 0 for all of them",
            }],
        },
        "batchSize": BATCH,
        "standardizedScore": true,
    });
    if state.options.keys.is_some() {
        manifest["authentication"] = authentication();
    }
    Ok(Json(manifest))
}

// Queries

#[derive(Deserialize)]
struct Batch {
    queries: Vec<Value>,
}

/// Fields of a query. Names here have neither a language nor a direction.
const FIELDS: [&str; 5] = ["conditions", "type", "limit", "lang", "dir"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawCondition {
    match_type: MatchType,
    property_id: Option<String>,
    property_value: OneOrMore<RawValue>,
    #[serde(default)]
    required: bool,
    match_quantifier: Option<RawQuantifier>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum MatchType {
    Name,
    Id,
    Property,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawQuantifier {
    Any,
    All,
    None,
}

fn read_query(query: Value) -> Result<Query, String> {
    let mut fields = Fields::of(query, &FIELDS)?;
    let expected = "a list of objects with `matchType` and `propertyValue`";
    let conditions: Vec<RawCondition> = fields.take("conditions", expected)?.unwrap_or_default();
    if conditions.is_empty() {
        return Err("it has no conditions".into());
    }
    let kind: Option<String> = fields.take("type", "a text")?;
    let mut query = Query {
        types: kind.into_iter().filter(|kind| !kind.is_empty()).collect(),
        strictness: Strictness::Any,
        limit: fields.take_limit()?,
        ..Query::default()
    };
    for condition in conditions {
        let values: Vec<String> = condition.property_value.all().into_iter().map(String::from).collect();
        let quantifier = match condition.match_quantifier {
            None | Some(RawQuantifier::Any) => Quantifier::Any,
            Some(RawQuantifier::All) => Quantifier::All,
            Some(RawQuantifier::None) => Quantifier::None,
        };
        let property = match condition.match_type {
            MatchType::Name if query.name.is_none() && values.len() == 1 && quantifier == Quantifier::Any => {
                query.name = values.into_iter().next().filter(|name| !name.trim().is_empty());
                continue;
            }
            MatchType::Name => Some(Property::Synonym),
            MatchType::Id => Some(Property::Id),
            MatchType::Property => {
                let id = condition.property_id.ok_or("a condition on a property has no `propertyId`")?;
                Property::of(&id)
            }
        };
        // An id is no evidence among others: no other concept has it.
        let is_required = condition.required || condition.match_type == MatchType::Id;
        query.conditions.push(Condition { property, values, quantifier, is_required });
    }
    Ok(query)
}

async fn reconcile(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Extension(holding): Extension<HeldMemory>,
    Body(Batch { queries }): Body<Batch>,
) -> Result<Json<Results>, Failure> {
    let base = state.base(kb.as_deref())?;
    check_size(queries.len())?;
    let read = |(number, query): (usize, Value)| read_query(query).map_err(|error| format!("query {number}: {error}"));
    let queries = queries.into_iter().enumerate().map(read).collect();
    let results = query::answer(&state, &base, queries, &holding).await?;
    Ok(Json(Results { results: results.into_iter().map(QueryAnswer::from).collect() }))
}

/// Answers in the order of the queries.
#[derive(Serialize)]
struct Results {
    results: Vec<QueryAnswer>,
}

/// The answer to a query. Its fault leaves the other queries of the batch alone.
#[derive(Serialize)]
struct QueryAnswer {
    candidates: Vec<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<Answered> for QueryAnswer {
    fn from(answered: Answered) -> Self {
        match answered {
            Ok(candidates) => Self { candidates, error: None },
            Err(error) => Self { candidates: Vec::new(), error: Some(error) },
        }
    }
}

// Data extension

async fn extend(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Extension(holding): Extension<HeldMemory>,
    Body(extension): Body<RawExtension>,
) -> Result<Json<Extended>, Failure> {
    let base = state.base(kb.as_deref())?;
    let (ids, columns) = extension.read()?;
    let row = |(id, values): Row| {
        let ids = columns.iter().map(|column| column.id.clone());
        ExtendedRow { id, properties: ids.zip(values).map(|(id, values)| Cell { id, values }).collect() }
    };
    let rows = rows_of(&state, base, ids, &columns, &holding).await?.into_iter().map(row).collect();
    Ok(Json(Extended { meta: columns.iter().map(Meta::from).collect(), rows }))
}

/// The answer to a data extension.
#[derive(Serialize)]
struct Extended {
    meta: Vec<Meta>,
    rows: Vec<ExtendedRow>,
}

#[derive(Serialize)]
struct ExtendedRow {
    id: String,
    properties: Vec<Cell>,
}

/// The values of a property.
#[derive(Serialize)]
struct Cell {
    id: String,
    values: Vec<property::Value>,
}

async fn propose(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(Proposal { kind, limit, .. }): Parameters<Proposal>,
) -> Result<Json<Value>, Failure> {
    state.served(kb.as_deref())?;
    Ok(Json(proposed(kind, limit)))
}

// Suggestions and pages

#[derive(Deserialize)]
struct Prefix {
    prefix: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

async fn suggest(
    State(state): State<Shared>,
    Path(OfKind { kb, kind }): Path<OfKind>,
    Parameters(Prefix { prefix, offset, limit }): Parameters<Prefix>,
) -> Result<Json<Value>, Failure> {
    suggest::found(&state, kb.as_deref(), &kind, prefix, Window::new(offset, limit)).await.map(Json)
}

#[derive(Deserialize)]
struct OfId {
    id: String,
}

async fn preview(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    headers: HeaderMap,
    Parameters(OfId { id }): Parameters<OfId>,
) -> Result<Response, Failure> {
    let address = state.address(&headers);
    state.read(kb.as_deref(), move |base| page::preview(base, &id, &address)).await
}
