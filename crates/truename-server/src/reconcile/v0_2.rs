//! Version 0.2: one address for manifest, queries and data extension.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::property::{Property, Value};
use super::query::{Condition, Quantifier, Query, Strictness, find, named_types, still_there};
use super::suggest::{self, Window};
use super::{BATCH, OfPath, PREVIEW, SCHEMA_SPACE, check_size, page, path_of};
use crate::base::Base;
use crate::body::{Parameters, bytes};
use crate::failure::Failure;
use crate::state::Shared;

/// Returns the methods of the address itself.
pub(super) fn root() -> MethodRouter<Shared> {
    get(get_root).post(post_root)
}

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/", root())
        .route("/suggest/entity", get(suggest_entity))
        .route("/suggest/type", get(suggest_type))
        .route("/suggest/property", get(suggest_property))
        .route("/flyout/entity", get(flyout_entity))
        .route("/flyout/type", get(flyout_type))
        .route("/flyout/property", get(flyout_property))
        .route("/preview", get(preview))
        .route("/properties", get(properties))
}

#[derive(Deserialize)]
struct Asked {
    queries: Option<String>,
    extend: Option<String>,
    callback: Option<String>,
}

async fn get_root(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    headers: HeaderMap,
    Parameters(asked): Parameters<Asked>,
) -> Result<Response, Failure> {
    answer(&state, kb.as_deref(), &headers, asked).await
}

async fn post_root(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    request: Request,
) -> Result<Response, Failure> {
    let headers = request.headers().clone();
    let body = bytes(request, &state).await?;
    let request = axum::http::Request::builder()
        .method("POST")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(axum::body::Body::from(body))
        .map_err(|_| Failure::internal())?;
    let form = <axum::Form<Asked> as axum::extract::FromRequest<_>>::from_request(request, &state).await;
    let axum::Form(asked) =
        form.map_err(|rejection| Failure::request(format!("the form: {}", rejection.body_text())))?;
    if asked.queries.is_none() && asked.extend.is_none() {
        return Err(Failure::request("the form has neither `queries` nor `extend`"));
    }
    answer(&state, kb.as_deref(), &headers, asked).await
}

async fn answer(state: &Shared, kb: Option<&str>, headers: &HeaderMap, asked: Asked) -> Result<Response, Failure> {
    let base = state.base(kb)?;
    let Asked { queries, extend, callback } = asked;
    let answer = match (queries, extend) {
        (Some(queries), _) => reconcile(state, &base, &queries).await?,
        (None, Some(query)) => extended(&base, &query)?,
        (None, None) => manifest(state, kb, &base, headers)?,
    };
    written(&answer, callback.as_deref())
}

/// Writes JSON, or a script that calls a function of the client's page (JSONP).
fn written(answer: &impl Serialize, callback: Option<&str>) -> Result<Response, Failure> {
    let json = serde_json::to_string(answer).map_err(|_| Failure::internal())?;
    let Some(callback) = callback else {
        return Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response());
    };
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || "_$".contains(first))
            && letters.all(|letter| letter.is_ascii_alphanumeric() || "_$".contains(letter))
    };
    if callback.len() > 200 || !callback.split('.').all(is_name) {
        return Err(Failure::request("`callback` is no name of a function"));
    }
    // Two characters end a line in older scripts, but not in JSON.
    let json = json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    Ok((kind, format!("/**/{callback}({json});")).into_response())
}

fn manifest(state: &Shared, kb: Option<&str>, base: &Base, headers: &HeaderMap) -> Result<Json, Failure> {
    let (name, address) = (&state.served(kb)?.slot.name, state.address(headers));
    let pages = format!("{address}{}/concept/", path_of(name));
    let service = format!("{address}{}/reconcile/0.2", path_of(name));
    let types = base.catalogue()?.type_names();
    let suggested = |kind: &str| {
        json!({
            "service_url": service, "service_path": format!("/suggest/{kind}"),
            "flyout_service_url": service, "flyout_service_path": format!("/flyout/{kind}?id=${{id}}"),
        })
    };
    let mut manifest = json!({
        "versions": ["0.1", "0.2"],
        "name": name,
        "identifierSpace": state.options.identifier_space.as_deref().unwrap_or(&pages),
        "schemaSpace": SCHEMA_SPACE,
        "defaultTypes": named_types(&types),
        "documentation": format!("{address}/docs"),
        "serviceVersion": env!("CARGO_PKG_VERSION"),
        "view": { "url": format!("{pages}{{{{id}}}}") },
        "preview": { "url": format!("{service}/preview?id={{{{id}}}}"), "width": PREVIEW.0, "height": PREVIEW.1 },
        "suggest": { "entity": suggested("entity"), "type": suggested("type"), "property": suggested("property") },
        "extend": {
            "propose_properties": { "service_url": service, "service_path": "/properties" },
            "property_settings": [{
                "name": "limit", "label": "Limit", "type": "number", "default": 0,
                "help_text": "Most values of a row; 0 for all of them",
            }],
        },
        "batchSize": BATCH,
    });
    if state.options.keys.is_some() {
        manifest["authentication"] = json!({ "type": "apiKey", "name": "key", "in": "query" });
    }
    Ok(manifest)
}

// Queries

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuery {
    query: Option<String>,
    #[serde(rename = "type")]
    kind: Option<OneOrMore<String>>,
    limit: Option<f64>,
    properties: Option<Vec<RawProperty>>,
    type_strict: Option<RawStrictness>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    pub fn all(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::More(more) => more,
        }
    }
}

#[derive(Deserialize)]
struct RawProperty {
    pid: String,
    v: OneOrMore<RawValue>,
}

/// A value of a property, which may be a concept.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum RawValue {
    Text(String),
    Flag(bool),
    Number(serde_json::Number),
    Concept { id: String },
}

impl From<RawValue> for String {
    fn from(value: RawValue) -> Self {
        match value {
            RawValue::Text(text) | RawValue::Concept { id: text } => text,
            RawValue::Flag(flag) => flag.to_string(),
            RawValue::Number(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawStrictness {
    Any,
    All,
    Should,
}

impl RawQuery {
    fn read(self) -> Result<Query, String> {
        let properties = self.properties.unwrap_or_default();
        let name = self.query.filter(|query| !query.trim().is_empty());
        if name.is_none() && properties.is_empty() {
            return Err("it has neither a `query` nor `properties`".into());
        }
        let condition = |RawProperty { pid, v }: RawProperty| Condition {
            property: Property::of(&pid),
            values: v.all().into_iter().map(String::from).collect(),
            quantifier: Quantifier::Any,
            is_required: false,
        };
        Ok(Query {
            name,
            types: self
                .kind
                .map(OneOrMore::all)
                .unwrap_or_default()
                .into_iter()
                .filter(|kind| !kind.is_empty())
                .collect(),
            strictness: match self.type_strict {
                None | Some(RawStrictness::Any) => Strictness::Any,
                Some(RawStrictness::All) => Strictness::All,
                Some(RawStrictness::Should) => Strictness::Should,
            },
            limit: limit(self.limit)?,
            conditions: properties.into_iter().map(condition).collect(),
        })
    }
}

/// Returns a limit of candidates.
pub(super) fn limit(limit: Option<f64>) -> Result<Option<usize>, String> {
    match limit {
        Some(limit) if limit < 1.0 || limit.fract() != 0.0 => {
            Err(format!("`limit` is {limit}, not a positive integer"))
        }
        limit => Ok(limit.map(|limit| limit as usize)),
    }
}

async fn reconcile(state: &Shared, base: &Arc<Base>, queries: &str) -> Result<Json, Failure> {
    let raw: BTreeMap<String, RawQuery> =
        serde_json::from_str(queries).map_err(|error| Failure::request(format!("`queries`: {error}")))?;
    check_size(raw.len())?;
    let (mut keys, mut queries) = (Vec::new(), Vec::new());
    for (key, query) in raw {
        queries.push(query.read().map_err(|error| Failure::request(format!("query \"{key}\": {error}")))?);
        keys.push(key);
    }
    let found = find(state, base, &queries).await?;
    let mut answers = Map::new();
    for (key, candidates) in keys.into_iter().zip(found) {
        let candidates: Vec<Json> = candidates.iter().map(|found| found.json(false)).collect();
        answers.insert(key, json!({ "result": candidates }));
    }
    Ok(Json::Object(answers))
}

// Data extension

#[derive(Deserialize)]
struct RawExtension {
    ids: Vec<String>,
    properties: Vec<RawExtended>,
}

#[derive(Deserialize)]
pub(super) struct RawExtended {
    id: String,
    #[serde(default)]
    settings: Option<Settings>,
}

#[derive(Deserialize)]
struct Settings {
    limit: Option<RawValue>,
}

/// A property whose values are asked for; concepts have no values of one that is not known.
pub(super) struct Column {
    pub id: String,
    property: Option<Property>,
    most: usize,
}

impl Column {
    pub fn name(&self) -> &str {
        self.property.map_or(self.id.as_str(), |property| property.name())
    }
}

impl From<RawExtended> for Column {
    fn from(RawExtended { id, settings }: RawExtended) -> Self {
        let limit = match settings.and_then(|settings| settings.limit) {
            Some(RawValue::Text(text)) => text.trim().parse::<f64>().ok(),
            Some(RawValue::Number(number)) => number.as_f64(),
            _ => None,
        };
        let most = limit.filter(|limit| *limit >= 1.0).map_or(usize::MAX, |limit| limit as usize);
        Self { property: Property::of(&id), id, most }
    }
}

fn extended(base: &Base, query: &str) -> Result<Json, Failure> {
    let RawExtension { ids, properties } =
        serde_json::from_str(query).map_err(|error| Failure::request(format!("`extend`: {error}")))?;
    let columns: Vec<Column> = properties.into_iter().map(Column::from).collect();
    let mut rows = Map::new();
    for (id, values) in rows_of(base, ids, &columns)? {
        let row: Map<String, Json> =
            columns.iter().zip(values).map(|(column, values)| (column.id.clone(), values.into())).collect();
        rows.insert(id, Json::Object(row));
    }
    let meta: Vec<Json> = columns.iter().map(|column| json!({ "id": column.id, "name": column.name() })).collect();
    Ok(json!({ "meta": meta, "rows": rows }))
}

/// An id with the values of each column.
pub(super) type Row = (String, Vec<Vec<Json>>);

/// Returns the values of each column for concepts; none of a concept that is not there.
pub(super) fn rows_of(base: &Base, ids: Vec<String>, columns: &[Column]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        let concept = match id.parse() {
            Ok(id) => still_there(base, &id)?,
            Err(_) => None,
        };
        let mut values = Vec::with_capacity(columns.len());
        for column in columns {
            let of = match (&concept, column.property) {
                (Some(concept), Some(property)) => property.values(concept, base, column.most)?,
                _ => Vec::new(),
            };
            values.push(of.into_iter().map(cell).collect());
        }
        rows.push((id, values));
    }
    Ok(rows)
}

fn cell(value: Value) -> Json {
    match value {
        Value::Text(text) => json!({ "str": text }),
        Value::Concept { id, name } => json!({ "id": id, "name": name }),
    }
}

#[derive(Deserialize)]
pub(super) struct Proposal {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub limit: Option<usize>,
    pub callback: Option<String>,
}

async fn properties(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(Proposal { kind, limit, callback }): Parameters<Proposal>,
) -> Result<Response, Failure> {
    state.served(kb.as_deref())?;
    written(&proposed(kind, limit), callback.as_deref())
}

/// Returns the properties that concepts of a type have.
pub(super) fn proposed(kind: Option<String>, limit: Option<usize>) -> Json {
    let all = Property::ALL.into_iter().filter(|property| *property != Property::Id);
    let properties: Vec<Json> = all
        .take(limit.filter(|limit| *limit > 0).unwrap_or(usize::MAX))
        .map(|property| json!({ "id": property.id(), "name": property.name() }))
        .collect();
    let mut answer = json!({ "properties": properties });
    if let Some(kind) = kind {
        answer["type"] = kind.into();
    }
    if let Some(limit) = limit {
        answer["limit"] = limit.into();
    }
    answer
}

// Suggestions and pages

#[derive(Deserialize)]
struct Prefix {
    #[serde(default)]
    prefix: String,
    cursor: Option<usize>,
    limit: Option<usize>,
    callback: Option<String>,
}

impl Prefix {
    fn window(&self) -> Window {
        Window::new(self.cursor, self.limit)
    }
}

async fn suggest_entity(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(asked): Parameters<Prefix>,
) -> Result<Response, Failure> {
    let found = suggest::concepts(&*state.base(kb.as_deref())?, &asked.prefix, asked.window())?;
    written(&json!({ "result": found }), asked.callback.as_deref())
}

async fn suggest_type(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(asked): Parameters<Prefix>,
) -> Result<Response, Failure> {
    let found = suggest::types(&*state.base(kb.as_deref())?, &asked.prefix, asked.window())?;
    written(&json!({ "result": found }), asked.callback.as_deref())
}

async fn suggest_property(Parameters(asked): Parameters<Prefix>) -> Result<Response, Failure> {
    let found = suggest::properties(&asked.prefix, asked.window());
    written(&json!({ "result": found }), asked.callback.as_deref())
}

#[derive(Deserialize)]
struct OfId {
    id: String,
    callback: Option<String>,
}

async fn flyout_entity(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(OfId { id, callback }): Parameters<OfId>,
) -> Result<Response, Failure> {
    let html = page::flyout(&*state.base(kb.as_deref())?, &id)?;
    written(&json!({ "id": id, "html": html }), callback.as_deref())
}

async fn flyout_type(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Parameters(OfId { id, callback }): Parameters<OfId>,
) -> Result<Response, Failure> {
    let catalogue = state.base(kb.as_deref())?.catalogue()?;
    let concepts = catalogue.types().find(|(kind, _)| *kind == id).map(|(_, concepts)| concepts);
    let concepts = concepts.ok_or_else(|| Failure::not_found(format!("there is no type \"{id}\"")))?;
    let html = format!("<h1>{}</h1>\n<p>{concepts} concepts</p>\n", truename_plot::Escaped(&id));
    written(&json!({ "id": id, "html": html }), callback.as_deref())
}

async fn flyout_property(Parameters(OfId { id, callback }): Parameters<OfId>) -> Result<Response, Failure> {
    let property = Property::of(&id).ok_or_else(|| Failure::not_found(format!("there is no property \"{id}\"")))?;
    let named = property.named();
    let html = format!("<h1>{}</h1>\n<p>{}</p>\n", named.name, named.description.unwrap_or_default());
    written(&json!({ "id": id, "html": html }), callback.as_deref())
}

async fn preview(
    State(state): State<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    headers: HeaderMap,
    Parameters(OfId { id, .. }): Parameters<OfId>,
) -> Result<Response, Failure> {
    page::preview(&*state.base(kb.as_deref())?, &id, &state.address(&headers))
}
