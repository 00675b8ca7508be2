//! Pages of a concept: its address, previews and flyouts.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use truename::{Concept, Error};
use truename_plot::Escaped;

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

fn page(base: &Base, id: &str, values: usize, address: &str) -> Result<Response, Failure> {
    let (concept, address) = (find(base, id)?, Escaped(address));
    let (title, body) = (Escaped(&concept.name), described(&concept, base, values)?);
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{address}/assets/concept.css\">\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    );
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}

/// Returns a concept in HTML, to show beside a suggestion.
pub(super) fn flyout(base: &Base, id: &str) -> Result<String, Failure> {
    Ok(described(&find(base, id)?, base, PREVIEW_VALUES)?)
}

fn find(base: &Base, id: &str) -> Result<Concept, Failure> {
    Ok(base.kb.concept(&concept_id(id)?)?)
}

fn described(concept: &Concept, base: &Base, most: usize) -> Result<String, Error> {
    let (name, id) = (Escaped(&concept.name), Escaped(concept.id.as_str()));
    let mut html = format!("<h1 dir=\"auto\">{name}</h1>\n<p><code>{id}</code></p>\n");
    if let Some(definition) = &concept.definition {
        let _ = writeln!(html, "<p dir=\"auto\">{}</p>", Escaped(definition));
    }
    let _ = writeln!(html, "<dl>");
    for property in [Property::Type, Property::Synonym, Property::Parent, Property::Child, Property::Xref] {
        let values = property.values(concept, base, most + 1)?;
        if values.is_empty() {
            continue;
        }
        let _ = writeln!(html, "<dt>{}</dt>", property.name());
        for value in values.iter().take(most) {
            let _ = match value {
                Value::Text(text) => writeln!(html, "<dd dir=\"auto\">{}</dd>", Escaped(text)),
                Value::Concept { id, name } => {
                    writeln!(html, "<dd dir=\"auto\">{} <code>{}</code></dd>", Escaped(name), Escaped(id.as_str()))
                }
            };
        }
        if values.len() > most {
            let _ = writeln!(html, "<dd>…</dd>");
        }
    }
    let _ = writeln!(html, "</dl>");
    Ok(html)
}
