//! Bodies and queries of requests, with errors in our form.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use truename::ConceptId;
use truename_read::json::finite;

use crate::budget::{HeldBytes, HeldMemory};
use crate::connection::Connection;
use crate::failure::Failure;
use crate::state::{Shared, State};
use crate::text::without_lone_surrogates;

/// Most values of a body of JSON, those within values counted too.
const MOST_VALUES: usize = 250_000;
/// Longest time between two parts of a body.
const SILENCE: Duration = Duration::from_secs(15);
/// Least memory that a body takes, in bytes.
const LEAST: usize = 4 << 10;

/// A body of JSON.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            let failure = Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body is not said to be JSON");
            return Err(failure.hint("send `Content-Type: application/json`"));
        }
        Ok(Self(json(&bytes(request, state).await?, "the body")?))
    }
}

/// Reads JSON of a bounded number of values; `what` names it in errors.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, Failure> {
    // Each takes many times the two bytes that it may have here.
    if values(bytes) > MOST_VALUES {
        let message = format!("{what} has more than {MOST_VALUES} values");
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message).hint("send it in parts"));
    }
    let bytes = without_lone_surrogates(bytes);
    // Python writes `NaN` for a missing cell.
    let bytes = match std::str::from_utf8(&bytes).map(finite) {
        Ok(Cow::Owned(finite)) => Cow::Owned(finite.into_bytes()),
        _ => bytes,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let place = match error.path().iter().next() {
            Some(_) if error.inner().is_data() => format!(" at `{}`", error.path()),
            _ => String::new(),
        };
        Failure::request(format!("{what}{place}: {}", error.inner()))
    })?;
    deserializer.end().map_err(|error| Failure::request(format!("{what}: {error}")))?;
    Ok(value)
}

/// Counts the values of JSON, or a few more.
fn values(json: &[u8]) -> usize {
    let (mut values, mut is_text, mut bytes) = (1, false, json.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' if is_text => _ = bytes.next(),
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values
}

/// Reads a body up to the limit of its size. What is read counts as held until the request is answered.
pub(crate) async fn bytes(request: Request, state: &State) -> Result<Vec<u8>, Failure> {
    let most = state.options.max_body_bytes;
    let too_large = || {
        let message = format!("the body is larger than the {most} bytes that this server takes");
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let holding = request.extensions().get::<HeldMemory>().cloned().unwrap_or_default();
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let body = request.into_body();
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let (mut bytes, mut held) = (Vec::new(), HeldBytes::default());
    let mut parts = body.into_data_stream();
    loop {
        let part = tokio::time::timeout(SILENCE, parts.next()).await;
        let part = part.map_err(|_| Failure::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"))?;
        let Some(part) = part else { break };
        let part = part.map_err(|error| Failure::request(format!("the body: {error}")))?;
        if bytes.len() + part.len() > most {
            return Err(too_large());
        }
        if !held.grow_to((bytes.len() + part.len()).max(LEAST), &state.bodies) {
            return Err(Failure::busy());
        }
        bytes.extend_from_slice(&part);
    }
    holding.keep(held);
    if let Some(connection) = connection {
        connection.mark_asked();
    }
    Ok(bytes)
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is_kind(headers, &["application/json"])
}

pub(crate) fn is_lines(headers: &HeaderMap) -> bool {
    is_kind(headers, &["application/x-ndjson", "application/jsonl", "application/ndjson"])
}

pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    is_kind(headers, &["application/x-www-form-urlencoded"])
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::text::Text;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (json, count) in [("7", 1), (r#"["a,[{", "\\\"\\,", 1]"#, 4), (r#"{"a": {"b": [], "c,": 1}}"#, 5)] {
            assert_eq!(values(json.as_bytes()), count, "{json}");
        }
        let read: serde_json::Value = json(br#"{"a": NaN, "b": "NaN"}"#, "the body").unwrap();
        assert_eq!(read, serde_json::json!({"a": null, "b": "NaN"}));
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(json::<Vec<u8>>(many.as_bytes(), "the body").is_err());
    }

    #[test]
    fn errors_name_the_place_and_the_value() {
        for (text, message) in [
            (
                r#"{"a": ["b", ["c"]]}"#,
                "the body at `a[1]`: invalid type: sequence, expected a text at line 1 column 13",
            ),
            (r#"{"a": [{}]}"#, "the body at `a[0]`: invalid type: map, expected a text at line 1 column 9"),
            (r#"{"a": ["b", }"#, "the body: expected value at line 1 column 13"),
            ("{} {}", "the body: trailing characters at line 1 column 4"),
        ] {
            let error = json::<HashMap<String, Vec<Option<Text>>>>(text.as_bytes(), "the body").err().unwrap();
            assert_eq!(error.to_string(), message);
        }
    }
}
