//! Errors as answers.

use std::borrow::Cow;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use truename::{Error, ErrorKind};
use utoipa::ToSchema;

/// A request that cannot be answered.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    message: Cow<'static, str>,
    hint: Option<String>,
    retry_after_s: Option<u64>,
}

/// The body of a failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailureBody<'a> {
    /// Message of the failure.
    error: &'a str,
    /// A way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, message: message.into(), hint: None, retry_after_s: None }
    }

    /// A mistake of the client.
    pub(crate) fn request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The queue is full.
    pub(crate) fn busy() -> Self {
        let failure = Self::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests wait for an answer");
        Self { retry_after_s: Some(1), ..failure.hint("ask again after the seconds of Retry-After") }
    }

    /// The knowledge base is damaged, or its file was cut off.
    pub(crate) fn unreadable() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "this knowledge base cannot be read at present")
            .hint("the log of the server says why")
    }

    /// The answer took too long.
    pub(crate) fn late(limit: Duration) -> Self {
        let message = format!("the answer took longer than {} s", limit.as_secs_f64());
        Self::new(StatusCode::GATEWAY_TIMEOUT, message).hint("send fewer names or texts in a request")
    }

    pub(crate) fn too_many(wait_s: u64) -> Self {
        let failure = Self::new(StatusCode::TOO_MANY_REQUESTS, "this key made more requests than it may in a minute");
        Self { retry_after_s: Some(wait_s.max(1)), ..failure }
    }

    /// A failure of the server, which is logged with its cause.
    pub(crate) fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!("{}", chain(cause));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the request failed here; the log of the server says why")
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds the line of a stream.
    pub(crate) fn at_line(self, number: usize) -> Self {
        Self { message: format!("line {number}: {}", self.message).into(), ..self }
    }

    /// Returns the failure as a line of a stream that has begun.
    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(&self.body()).unwrap_or_default();
        line.push(b'\n');
        line
    }

    fn body(&self) -> FailureBody<'_> {
        FailureBody { error: &self.message, hint: self.hint.as_deref() }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Tells clients their mistakes; ours are logged, and not told.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = error.hint().map(|hint| hint.to_string());
        let failure = if error.is_not_found() {
            Self::not_found(error.to_string())
        } else if error.is_damaged() {
            tracing::error!("{}", chain(&error));
            return Self::unreadable();
        } else if error.kind() == ErrorKind::Choice {
            Self::request(error.to_string())
        } else {
            return Self::internal(&error);
        };
        Self { hint, ..failure }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
