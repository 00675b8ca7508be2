//! Who may ask, and how often.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State as Extract};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::failure::Failure;
use crate::state::Shared;

/// Addresses that need no key, beside the manifests: they tell nothing of a knowledge base.
const OPEN: [&str; 6] = ["", "/docs", "/openapi.json", "/health", "/ready", "/favicon.ico"];

/// Limits the requests of each user.
pub(crate) struct Limiter(DefaultKeyedRateLimiter<String>);

impl Limiter {
    pub fn new(a_minute: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_minute(a_minute)))
    }

    /// Returns the time to wait if a user asked too often.
    fn check(&self, user: &str) -> Result<(), Duration> {
        self.0.check_key(&user.to_owned()).map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }
}

/// The user whose key a request has; none where there are no keys.
#[derive(Clone)]
pub(crate) struct User(pub Option<String>);

/// Refuses requests without a key where keys are needed, and those over the limit.
pub(crate) async fn guard(Extract(state): Extract<Shared>, mut request: Request, next: Next) -> Response {
    // Pages of other origins may read the knowledge bases, but neither judge nor read what others judged.
    let is_of_judgements = request.uri().path() == "/v1/judgements";
    if is_of_judgements && is_from_elsewhere(request.headers(), state.options.base_url.as_deref()) {
        return Failure::new(StatusCode::FORBIDDEN, "judgements are for the pages of this server alone")
            .into_response();
    }
    let user = match &state.options.keys {
        Some(keys) if !is_open(&request) => match key(&request).and_then(|key| keys.user(&key).map(str::to_owned)) {
            Some(user) => Some(user),
            None => return no_key().into_response(),
        },
        _ => None,
    };
    if let Some(limiter) = state.limiter.as_ref().filter(|_| !is_open(&request)) {
        let peer = || request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_string());
        let who = user.clone().or_else(peer).unwrap_or_default();
        if let Err(wait) = limiter.check(&who) {
            return Failure::too_many(wait.as_secs() + 1).into_response();
        }
    }
    request.extensions_mut().insert(User(user));
    next.run(request).await
}

fn no_key() -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, "this server answers those who have a key")
        .hint("send `Authorization: Bearer KEY`, or the parameter `key`")
}

fn is_open(request: &Request) -> bool {
    let path = request.uri().path().trim_end_matches('/');
    let is_manifest = (path.ends_with("/reconcile/0.2") || path.ends_with("/reconcile/1.0"))
        && request.method() == Method::GET
        && !request.uri().query().is_some_and(|query| query.contains("queries=") || query.contains("extend="));
    OPEN.contains(&path) || path.starts_with("/assets/") || is_manifest
}

/// Returns the key of a request.
fn key(request: &Request) -> Option<String> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let bearer = header(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let own = || request.headers().get("x-api-key").and_then(|value| value.to_str().ok());
    if let Some(key) = bearer.or_else(own) {
        return Some(key.trim().to_owned());
    }
    let query = request.uri().query()?;
    query.split('&').find_map(|part| part.strip_prefix("key=")).map(str::to_owned)
}

/// Returns whether a page of another origin sent the request.
fn is_from_elsewhere(headers: &HeaderMap, base_url: Option<&str>) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()) else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let of_origin = origin.split_once("://").map_or("", |(_, host)| host);
    let is_own =
        base_url.is_some_and(|own| own.trim_end_matches('/') == origin || own.starts_with(&format!("{origin}/")));
    of_origin != host && !is_own
}
