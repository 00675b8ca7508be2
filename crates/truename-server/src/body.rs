//! Bodies and queries of requests, with errors in our form.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use truename::ConceptId;

use crate::failure::Failure;

/// A body of JSON.
pub(crate) struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            let failure = Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body is not said to be JSON");
            return Err(failure.hint("send `Content-Type: application/json`"));
        }
        let bytes = bytes(request, state).await?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| Failure::request(format!("the body: {error}")))
    }
}

/// Reads a body up to the limit of its size.
pub(crate) async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Failure> {
    Bytes::from_request(request, state).await.map_err(|rejection| {
        let status = rejection.status();
        let message = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "the body is larger than this server takes".to_owned(),
            _ => format!("the body: {}", rejection.body_text()),
        };
        Failure::new(status, message)
    })
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is_kind(headers, &["application/json"])
}

pub(crate) fn is_lines(headers: &HeaderMap) -> bool {
    is_kind(headers, &["application/x-ndjson", "application/jsonl", "application/ndjson"])
}

fn is_kind(headers: &HeaderMap, kinds: &[&str]) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kinds.contains(&given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str())
}

/// Parameters of an address.
pub(crate) struct Parameters<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let Query(found) = Query::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Failure::request(format!("the parameters: {}", rejection.body_text())))?;
        Ok(Self(found))
    }
}

/// Reads the id of a concept.
pub(crate) fn concept_id(text: &str) -> Result<ConceptId, Failure> {
    text.parse().map_err(|error: <ConceptId as FromStr>::Err| Failure::request(error.to_string()))
}
