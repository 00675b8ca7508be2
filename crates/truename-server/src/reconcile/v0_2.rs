//! Version 0.2: one address for manifest, queries and data extension.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State as Extract};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Extension, Router};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::property::{Property, Value};
use super::query::{self, Answered, Condition, Found, Quantifier, Query, Strictness, named_types, still_there};
use super::suggest::{self, Window};
use super::{BATCH, OfKind, OfPath, PREVIEW, SCHEMA_SPACE, authentication, check_size, closed_manifest, page, path_of};
use crate::access::Caller;
use crate::base::Base;
use crate::body::{self, Parameters, bytes, is_form};
use crate::budget::{HeldBytes, HeldMemory};
use crate::failure::Failure;
use crate::state::{Shared, State, read_base};
use crate::text::Text;
use crate::work::Deadline;

/// Versions that these addresses serve.
const VERSIONS: [&str; 2] = ["0.1", "0.2"];
/// Most cells of a data extension.
const MOST_CELLS: usize = 10_000;
/// Most values of a cell.
const MOST_VALUES: usize = 10_000;
/// Data extensions of the largest size that there is memory for at a time.
const SHARES: usize = 8;

/// Returns the methods of the address itself.
pub(super) fn root() -> MethodRouter<Shared> {
    get(get_root).post(post_root)
}

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/", root())
        .route("/suggest/{kind}", get(suggest))
        .route("/flyout/{kind}", get(flyout))
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
    Extract(state): Extract<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Extension(caller): Extension<Caller>,
    Extension(holding): Extension<HeldMemory>,
    headers: HeaderMap,
    Parameters(asked): Parameters<Asked>,
) -> Result<Response, Failure> {
    match caller.may_read {
        true => answer(&state, kb.as_deref(), &headers, asked, &holding).await,
        false => written(&closed_manifest(&state, &headers, &VERSIONS), asked.callback.as_deref()),
    }
}

async fn post_root(
    Extract(state): Extract<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    Extension(holding): Extension<HeldMemory>,
    request: Request,
) -> Result<Response, Failure> {
    let headers = request.headers().clone();
    let form = bytes(request, &state).await?;
    let asked: Asked =
        serde_urlencoded::from_bytes(&form).map_err(|error| Failure::request(format!("the form: {error}")))?;
    if asked.queries.is_none() && asked.extend.is_none() {
        return Err(match is_form(&headers) {
            true => Failure::request("the form has neither `queries` nor `extend`"),
            false => Failure::request("the body is no form with `queries` or `extend`")
                .hint("send `Content-Type: application/x-www-form-urlencoded`"),
        });
    }
    answer(&state, kb.as_deref(), &headers, asked, &holding).await
}

async fn answer(
    state: &Shared,
    kb: Option<&str>,
    headers: &HeaderMap,
    Asked { queries, extend, callback }: Asked,
    holding: &HeldMemory,
) -> Result<Response, Failure> {
    let base = state.base(kb)?;
    match (queries, extend) {
        (Some(queries), _) => written(&reconcile(state, &base, &queries, holding).await?, callback.as_deref()),
        (None, Some(query)) => written(&extended(state, base, &query, holding).await?, callback.as_deref()),
        (None, None) => written(&manifest(state, kb, headers).await?, callback.as_deref()),
    }
}

/// Writes JSON, or a script that calls a function of the client's page (JSONP).
fn written(answer: &impl Serialize, callback: Option<&str>) -> Result<Response, Failure> {
    let json = serde_json::to_string(answer).map_err(|error| Failure::internal(&error))?;
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

async fn manifest(state: &Shared, kb: Option<&str>, headers: &HeaderMap) -> Result<Json, Failure> {
    let (name, address) = (&state.served(kb)?.slot.name, state.address(headers));
    let pages = format!("{address}{}/concept/", path_of(name));
    let service = format!("{address}{}/reconcile/0.2", path_of(name));
    let types = state.read(kb, |base| base.catalogue()).await?.type_names();
    let suggested = |kind: &str| {
        json!({
            "service_url": service, "service_path": format!("/suggest/{kind}"),
            "flyout_service_url": service, "flyout_service_path": format!("/flyout/{kind}?id=${{id}}"),
        })
    };
    let mut manifest = json!({
        "versions": VERSIONS,
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
        manifest["authentication"] = authentication();
    }
    Ok(manifest)
}

// Queries

/// Fields of a query. `lang` is one of them, though names here have no language.
const FIELDS: [&str; 6] = ["query", "type", "limit", "properties", "type_strict", "lang"];
/// Longest value in a message, in characters.
const SHOWN: usize = 60;

/// The fields of a query that are still to be read.
pub(super) struct Fields(Map<String, Json>);

impl Fields {
    /// Returns the fields of a query, or the reason why it is none.
    pub fn of(query: Json, known: &[&str]) -> Result<Self, String> {
        let Json::Object(fields) = query else { return Err(format!("expected an object, found {}", shown(&query))) };
        match fields.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("`{key}` is no field of a query, which are {}", known.join(", "))),
            None => Ok(Self(fields)),
        }
    }

    /// Takes a field; `None` where it is missing or null.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str, expected: &str) -> Result<Option<T>, String> {
        let Some(value) = self.0.remove(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let read = T::deserialize(&value).map(Some);
        read.map_err(|_| format!("`{name}`: expected {expected}, found {}", shown(&value)))
    }

    /// Takes the limit of candidates.
    pub fn take_limit(&mut self) -> Result<Option<usize>, String> {
        let expected = "a positive integer";
        let Some(limit) = self.take::<RawValue>("limit", expected)?.map(String::from) else { return Ok(None) };
        match limit.trim().parse::<f64>() {
            Ok(number) if number >= 1.0 && number.fract() == 0.0 => Ok(Some(number as usize)),
            _ => Err(format!("`limit` is {limit}, not {expected}")),
        }
    }
}

fn shown(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
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
    Text(Text),
    Concept { id: String },
}

impl From<RawValue> for String {
    fn from(value: RawValue) -> Self {
        match value {
            RawValue::Text(text) => text.into(),
            RawValue::Concept { id } => id,
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

/// Reads a query. One whose text is empty has no candidates; one that asks for nothing is a mistake.
fn read_query(query: Json) -> Result<Query, String> {
    let asks_for_text = query.get("query").is_some();
    let mut fields = Fields::of(query, &FIELDS)?;
    let name = fields.take::<RawValue>("query", "a text")?.map(String::from);
    let types: Option<OneOrMore<String>> = fields.take("type", "a text or a list of texts")?;
    let properties: Option<Vec<RawProperty>> = fields.take("properties", "a list of objects with `pid` and `v`")?;
    let condition = |RawProperty { pid, v }: RawProperty| Condition {
        property: Property::of(&pid),
        values: v.all().into_iter().map(String::from).collect(),
        quantifier: Quantifier::Any,
        is_required: false,
    };
    let query = Query {
        name: name.filter(|name| !name.trim().is_empty()),
        types: types.map(OneOrMore::all).unwrap_or_default().into_iter().filter(|kind| !kind.is_empty()).collect(),
        strictness: match fields.take("type_strict", "`any`, `all` or `should`")? {
            None | Some(RawStrictness::Any) => Strictness::Any,
            Some(RawStrictness::All) => Strictness::All,
            Some(RawStrictness::Should) => Strictness::Should,
        },
        limit: fields.take_limit()?,
        conditions: properties.unwrap_or_default().into_iter().map(condition).collect(),
    };
    match asks_for_text || !query.conditions.is_empty() {
        true => Ok(query),
        false => Err("it has neither a `query` nor `properties`".into()),
    }
}

/// The answer to a query. Its fault leaves the other queries of the batch alone.
#[derive(Serialize)]
struct QueryAnswer {
    result: Vec<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<Answered> for QueryAnswer {
    fn from(answered: Answered) -> Self {
        let (mut result, error) = match answered {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        result.iter_mut().flat_map(|found| &mut found.features).for_each(|feature| feature.name = None);
        Self { result, error }
    }
}

async fn reconcile(
    state: &Shared,
    base: &Arc<Base>,
    queries: &str,
    holding: &HeldMemory,
) -> Result<BTreeMap<String, QueryAnswer>, Failure> {
    let raw: BTreeMap<String, Json> = body::json(queries.as_bytes(), "`queries`")?;
    check_size(raw.len())?;
    let (mut keys, mut read) = (Vec::new(), Vec::new());
    for (key, query) in raw {
        let query = read_query(query);
        read.push(query.map_err(|error| format!("query \"{key}\": {error}")));
        keys.push(key);
    }
    let answered = query::answer(state, base, read, holding).await?;
    Ok(keys.into_iter().zip(answered.into_iter().map(QueryAnswer::from)).collect())
}

// Data extension

/// A data extension. Its ids and properties are read one by one, so that the fault of one leaves the others alone.
#[derive(Deserialize)]
pub(super) struct RawExtension {
    ids: Vec<Json>,
    properties: Vec<Json>,
}

impl RawExtension {
    /// Returns the ids and columns that can be read. An id that cannot, as null for a cell without a match, has no row.
    ///
    /// # Errors
    /// If no property can be read.
    pub fn read(self) -> Result<(Vec<String>, Arc<[Column]>), Failure> {
        let ids = self.ids.iter().filter_map(|id| RawValue::deserialize(id).ok()).map(String::from).collect();
        let columns: Arc<[Column]> = self.properties.iter().filter_map(Column::read).collect();
        match self.properties.first().filter(|_| columns.is_empty()) {
            Some(first) => Err(Failure::request(format!("`properties`: {} has no `id`", shown(first)))),
            None => Ok((ids, columns)),
        }
    }
}

/// A property whose values are asked for; concepts have no values of one that is not known.
pub(super) struct Column {
    pub id: String,
    property: Option<Property>,
    most: usize,
}

impl Column {
    /// Reads an object with an `id` and perhaps `settings`, or an id by itself.
    fn read(property: &Json) -> Option<Self> {
        let id = String::from(RawValue::deserialize(property).ok()?);
        let limit = property.pointer("/settings/limit").and_then(|limit| Text::deserialize(limit).ok());
        let limit = limit.and_then(|limit| String::from(limit).trim().parse::<f64>().ok());
        let most = limit.filter(|limit| *limit >= 1.0).map_or(usize::MAX, |limit| limit as usize);
        Some(Self { property: Property::of(&id), id, most })
    }
}

/// The answer to a data extension.
#[derive(Serialize)]
struct Extended {
    meta: Vec<Meta>,
    rows: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
}

/// A column of an answer.
#[derive(Serialize)]
pub(super) struct Meta {
    id: String,
    name: String,
}

impl From<&Column> for Meta {
    fn from(column: &Column) -> Self {
        let name = column.property.map_or(column.id.as_str(), |property| property.name()).to_owned();
        Self { id: column.id.clone(), name }
    }
}

async fn extended(state: &Shared, base: Arc<Base>, query: &str, holding: &HeldMemory) -> Result<Extended, Failure> {
    let (ids, columns) = body::json::<RawExtension>(query.as_bytes(), "`extend`")?.read()?;
    let mut rows = BTreeMap::new();
    for (id, values) in rows_of(state, base, ids, &columns, holding).await? {
        rows.insert(id, columns.iter().map(|column| column.id.clone()).zip(values).collect());
    }
    Ok(Extended { meta: columns.iter().map(Meta::from).collect(), rows })
}

/// An id with the values of each column.
pub(super) type Row = (String, Vec<Vec<Value>>);

/// Returns the values of each column for concepts; none of a concept that is not there.
///
/// # Errors
/// If there are too many cells, values or bytes of them.
pub(super) async fn rows_of(
    state: &Shared,
    base: Arc<Base>,
    ids: Vec<String>,
    columns: &Arc<[Column]>,
    holding: &HeldMemory,
) -> Result<Vec<Row>, Failure> {
    let cells = ids.len().saturating_mul(columns.len());
    if cells.max(ids.len()).max(columns.len()) > MOST_CELLS {
        let message = format!(
            "{} ids of {} properties are {cells} cells; a request may have {MOST_CELLS}",
            ids.len(),
            columns.len()
        );
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message).hint("ask for fewer ids"));
    }
    let (state, columns) = (Arc::clone(state), Arc::clone(columns));
    let read = read_base(base, move |base| {
        let mut held = HeldBytes::default();
        read_rows(&state, base, ids, &columns, &mut held).map(|rows| (rows, held))
    });
    let (rows, held) = read.await?;
    holding.keep(held);
    Ok(rows)
}

fn read_rows(
    state: &State,
    base: &Base,
    ids: Vec<String>,
    columns: &[Column],
    held: &mut HeldBytes,
) -> Result<Vec<Row>, Failure> {
    let (mut rows, mut bytes, deadline) = (Vec::with_capacity(ids.len()), 0, Deadline::after(state.options.timeout));
    for id in ids {
        let concept = match id.parse() {
            Ok(id) => still_there(base, &id)?,
            Err(_) => None,
        };
        let mut values = Vec::with_capacity(columns.len());
        for column in columns {
            deadline.check()?;
            let of = match (&concept, column.property) {
                (Some(concept), Some(property)) => property.values(concept, base, column.most.min(MOST_VALUES + 1))?,
                _ => Vec::new(),
            };
            bytes += of.iter().map(Value::bytes).sum::<usize>();
            if of.len() > MOST_VALUES || bytes > state.answers.bytes() / SHARES {
                let message = "the values are more than an answer may have";
                let failure = Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message);
                return Err(failure.hint("ask for fewer ids, or give the properties the setting `limit`"));
            }
            values.push(of);
        }
        // The values, and what is written of them.
        if !held.grow_to(2 * bytes, &state.answers) {
            return Err(Failure::busy());
        }
        rows.push((id, values));
    }
    Ok(rows)
}

#[derive(Deserialize)]
pub(super) struct Proposal {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub limit: Option<usize>,
    pub callback: Option<String>,
}

async fn properties(
    Extract(state): Extract<Shared>,
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

async fn suggest(
    Extract(state): Extract<Shared>,
    Path(OfKind { kb, kind }): Path<OfKind>,
    Parameters(Prefix { prefix, cursor, limit, callback }): Parameters<Prefix>,
) -> Result<Response, Failure> {
    let found = suggest::found(&state, kb.as_deref(), &kind, prefix, Window::new(cursor, limit)).await?;
    written(&found, callback.as_deref())
}

#[derive(Deserialize)]
struct OfId {
    id: String,
    callback: Option<String>,
}

async fn flyout(
    Extract(state): Extract<Shared>,
    Path(OfKind { kb, kind }): Path<OfKind>,
    Parameters(OfId { id, callback }): Parameters<OfId>,
) -> Result<Response, Failure> {
    let not_found = || Failure::not_found(format!("there is no {kind} \"{id}\""));
    let html = match kind.as_str() {
        "entity" => {
            let id = id.clone();
            state.read(kb.as_deref(), move |base| page::flyout(base, &id)).await?
        }
        "type" => {
            let catalogue = state.read(kb.as_deref(), |base| base.catalogue()).await?;
            let concepts = catalogue.types().find(|(kind, _)| *kind == id).map(|(_, concepts)| concepts);
            let concepts = concepts.ok_or_else(not_found)?;
            format!("<h1>{}</h1>\n<p>{concepts} concepts</p>\n", truename_plot::EscapedText(&id))
        }
        _ => {
            let named = Property::of(&id).filter(|_| kind == "property").ok_or_else(not_found)?.named();
            format!("<h1>{}</h1>\n<p>{}</p>\n", named.name, named.description.unwrap_or_default())
        }
    };
    written(&json!({ "id": id, "html": html }), callback.as_deref())
}

async fn preview(
    Extract(state): Extract<Shared>,
    Path(OfPath { kb }): Path<OfPath>,
    headers: HeaderMap,
    Parameters(OfId { id, .. }): Parameters<OfId>,
) -> Result<Response, Failure> {
    let address = state.address(&headers);
    state.read(kb.as_deref(), move |base| page::preview(base, &id, &address)).await
}
