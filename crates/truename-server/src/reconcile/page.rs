//! Pages of a concept: its address, previews and flyouts.

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use truename::{Concept, Error};

use super::property::{Property, Value};
use crate::base::Base;
use crate::body::concept_id;
use crate::failure::Failure;
use crate::state::Shared;

/// Most values of a property on a page.
const VALUES: usize = 30;
/// Most values of a property in a preview.
const PREVIEW_VALUES: usize = 4;

/// Policy of pages that other sites may frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

pub(super) fn router() -> Router<Shared> {
    Router::new().route("/kb/{kb}/concept/{id}", get(concept))
}

/// The page at the address of a concept.
async fn concept(
    State(state): State<Shared>,
    Path((kb, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let address = state.address(&headers);
    state.read(Some(&kb), move |base| page(base, &id, VALUES, &address)).await
}

/// Returns a small page of a concept.
pub(super) fn preview(base: &Base, id: &str, address: &str) -> Result<Response, Failure> {
    page(base, id, PREVIEW_VALUES, address)
}

/// A page of a concept.
#[derive(Template)]
#[template(path = "concept.html")]
struct Page<'a> {
    described: Described,
    address: &'a str,
}

/// A concept and its properties.
#[derive(Template)]
#[template(path = "described.html")]
struct Described {
    concept: Concept,
    properties: Vec<Values>,
}

/// A property with its first values.
struct Values {
    name: &'static str,
    values: Vec<Value>,
    has_more: bool,
}

fn page(base: &Base, id: &str, values: usize, address: &str) -> Result<Response, Failure> {
    let page = Page { described: Described::new(find(base, id)?, base, values)?, address }.to_string();
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}

/// Returns a concept in HTML, to show beside a suggestion.
pub(super) fn flyout(base: &Base, id: &str) -> Result<String, Failure> {
    Ok(Described::new(find(base, id)?, base, PREVIEW_VALUES)?.to_string())
}

fn find(base: &Base, id: &str) -> Result<Concept, Failure> {
    Ok(base.kb.concept(&concept_id(id)?)?)
}

impl Described {
    fn new(concept: Concept, base: &Base, most: usize) -> Result<Self, Error> {
        let mut properties = Vec::new();
        for property in [Property::Type, Property::Synonym, Property::Parent, Property::Child, Property::Xref] {
            let mut values = property.values(&concept, base, most + 1)?;
            if !values.is_empty() {
                let has_more = values.len() > most;
                values.truncate(most);
                properties.push(Values { name: property.name(), values, has_more });
            }
        }
        Ok(Self { concept, properties })
    }
}
