//! Version 1.0-draft: an address for each service.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::property::Property;
use super::query::{Condition, Found, Quantifier, Query, Strictness, find, named_types};
use super::suggest::{self, Window};
use super::v0_2::{Column, OneOrMore, Proposal, RawExtended, RawValue, Row, limit, proposed, rows_of};
use super::{BATCH, OfPath, PREVIEW, check_size, page, path_of};
use crate::body::{Body, Parameters};
use crate::failure::Failure;
use crate::state::Shared;

/// Returns the methods of the address itself.
pub(super) fn root() -> MethodRouter<Shared> {
    get(manifest)
}

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/", root())
        .route("/match", post(reconcile))
        .route("/suggest/entity", get(suggest_entity))
        .route("/suggest/type", get(suggest_type))
        .route("/suggest/property", get(suggest_property))
        .route("/preview", get(preview))
        .route("/extend", post(extend))
        .route("/extend/propose", get(propose))
}

async fn manifest(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    headers: HeaderMap,
) -> Result<Json<Value>, Failure> {
    let served = state.served(kb.as_deref())?;
    let name = &served.slot.name;
    let address = state.address(&headers);
    let types = served.slot.base().catalogue()?.type_names();
    let mut manifest = json!({
        "versions": ["1.0-draft"],
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
        manifest["authentication"] = json!({ "type": "apiKey", "name": "key", "in": "query" });
    }
    Ok(Json(manifest))
}

// Queries

#[derive(Deserialize)]
struct Batch {
    queries: Vec<RawQuery>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuery {
    conditions: Vec<RawCondition>,
    #[serde(rename = "type")]
    kind: Option<String>,
    limit: Option<f64>,
    /// Language of the query; names here have none.
    #[serde(rename = "lang")]
    _lang: Option<String>,
    #[serde(rename = "dir")]
    _dir: Option<String>,
}

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

impl RawQuery {
    fn read(self) -> Result<Query, String> {
        if self.conditions.is_empty() {
            return Err("it has no conditions".into());
        }
        let mut query = Query {
            types: self.kind.into_iter().filter(|kind| !kind.is_empty()).collect(),
            strictness: Strictness::Any,
            limit: limit(self.limit)?,
            ..Query::default()
        };
        for condition in self.conditions {
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
        if query.name.is_none() && query.conditions.is_empty() {
            return Err("its name is empty".into());
        }
        Ok(query)
    }
}

async fn reconcile(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Body(Batch { queries }): Body<Batch>,
) -> Result<Json<Value>, Failure> {
    let base = state.base(kb.as_deref())?;
    check_size(queries.len())?;
    let read = |(number, query): (usize, RawQuery)| {
        query.read().map_err(|error| Failure::request(format!("query {number}: {error}")))
    };
    let queries: Vec<Query> = queries.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let found = find(&state, &base, &queries).await?;
    let result =
        |found: Vec<Found>| json!({ "candidates": found.iter().map(|found| found.json(true)).collect::<Vec<_>>() });
    Ok(Json(json!({ "results": found.into_iter().map(result).collect::<Vec<_>>() })))
}

// Data extension

#[derive(Deserialize)]
struct RawExtension {
    ids: Vec<String>,
    properties: Vec<RawExtended>,
}

async fn extend(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Body(RawExtension { ids, properties }): Body<RawExtension>,
) -> Result<Json<Value>, Failure> {
    let base = state.base(kb.as_deref())?;
    let columns: Vec<Column> = properties.into_iter().map(Column::from).collect();
    let row = |(id, values): Row| {
        let of = columns.iter().zip(values).map(|(column, values)| json!({ "id": column.id, "values": values }));
        json!({ "id": id, "properties": of.collect::<Vec<_>>() })
    };
    let rows: Vec<Value> = rows_of(&base, ids, &columns)?.into_iter().map(row).collect();
    let meta = columns.iter().map(|column| json!({ "id": column.id, "name": column.name() }));
    Ok(Json(json!({ "meta": meta.collect::<Vec<_>>(), "rows": rows })))
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

impl Prefix {
    fn window(&self) -> Window {
        Window::new(self.offset, self.limit)
    }
}

async fn suggest_entity(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(asked): Parameters<Prefix>,
) -> Result<Json<Value>, Failure> {
    let found = suggest::concepts(&*state.base(kb.as_deref())?, &asked.prefix, asked.window())?;
    Ok(Json(json!({ "result": found })))
}

async fn suggest_type(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(asked): Parameters<Prefix>,
) -> Result<Json<Value>, Failure> {
    let found = suggest::types(&*state.base(kb.as_deref())?, &asked.prefix, asked.window())?;
    Ok(Json(json!({ "result": found })))
}

async fn suggest_property(Parameters(asked): Parameters<Prefix>) -> Result<Json<Value>, Failure> {
    Ok(Json(json!({ "result": suggest::properties(&asked.prefix, asked.window()) })))
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
    page::preview(&*state.base(kb.as_deref())?, &id, &state.address(&headers))
}
