//! Who may ask for what, and how often.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State as Extract};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::Failure;
use crate::origin::is_own_page;
use crate::route::{Right, Route};
use crate::state::{Shared, State};

/// Sender of a request.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The user whose key the request has.
    pub user: Option<String>,
    /// False if the request has no key and users have keys.
    pub may_read: bool,
}

/// Refuses requests to other hosts, those without the right that their route needs, and those over the limit.
pub(crate) async fn guard(Extract(state): Extract<Shared>, mut request: Request, next: Next) -> Response {
    match admitted(&state, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(failure) => failure.into_response(),
    }
}

fn admitted(state: &State, request: &Request) -> Result<Caller, Failure> {
    if let Some(host) = state.origins.foreign_host(request.uri(), request.headers()) {
        let failure = Failure::new(StatusCode::MISDIRECTED_REQUEST, format!("this server is not called \"{host}\""));
        return Err(failure.hint("ask it by its address, or have whoever runs it add the name to its host names"));
    }
    let route = Route::of(request.extensions());
    let base_url = state.options.base_url.as_deref();
    if route.right == Right::Judge && !is_own_page(request.headers(), base_url) {
        return Err(Failure::new(StatusCode::FORBIDDEN, "judgements are for the pages of this server alone"));
    }
    let parameters = parameters(request);
    let is_open = route.is_open(request.method(), &parameters);
    // A script is read by the page that loads it, whatever the origin.
    let is_script = route.is_reconciliation && parameters.iter().any(|(name, _)| name == "callback");
    if is_script && state.origins.is_from_stranger(request.headers(), route) {
        let failure =
            Failure::new(StatusCode::FORBIDDEN, "pages of this origin may not read the answers of this server");
        return Err(failure.hint("whoever runs the server can allow the origin"));
    }
    let user = match &state.options.keys {
        Some(_) if route.right == Right::Open => None,
        Some(keys) => match key(request, &parameters) {
            Some(key) => Some(keys.user(&key).ok_or_else(|| wrong_key(state, request))?.to_owned()),
            None if is_open => None,
            None => return Err(no_key()),
        },
        None => None,
    };
    let may_read = user.is_some() || state.options.keys.is_none();
    if let (Some(limiter), false) = (&state.limiter, is_open) {
        limiter.check(&user.clone().unwrap_or_else(|| peer(request)))?;
    }
    Ok(Caller { user, may_read })
}

/// Counts a wrong key of an address.
fn wrong_key(state: &State, request: &Request) -> Failure {
    state.wrong_keys.check(&peer(request)).err().unwrap_or_else(no_key)
}

fn no_key() -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, "this server answers those who have a key")
        .hint("send `Authorization: Bearer KEY`, or the parameter `key`")
}

fn peer(request: &Request) -> String {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map_or_else(String::new, |peer| peer.0.ip().to_string())
}

/// Returns the parameters of an address as the handlers decode them.
fn parameters(request: &Request) -> Vec<(String, String)> {
    serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default()
}

/// Returns the key of a request.
fn key(request: &Request, parameters: &[(String, String)]) -> Option<String> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let bearer = header(header::AUTHORIZATION)
        .and_then(|value| value.trim().split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, key)| key);
    let own = || request.headers().get("x-api-key").and_then(|value| value.to_str().ok());
    if let Some(key) = bearer.or_else(own) {
        return Some(key.trim().to_owned());
    }
    parameters.iter().find_map(|(name, value)| (name == "key").then(|| value.clone()))
}
