//! The server: knowledge bases opened, routes with their layers, watch for changes, an orderly stop.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State as Extract};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::access::guard;
use crate::answer::Answer;
use crate::base::Cache;
use crate::base::Slot;
use crate::budget::{Budget, HeldMemory};
use crate::connection::{self, Connection};
use crate::failure::Failure;
use crate::limiter::{Limiter, WRONG_KEYS};
use crate::mappings::Mappings;
use crate::metrics::{CountedRequest, Metrics};
use crate::origin::Origins;
use crate::pairs::Pairs;
use crate::queue::{Lane, Limits};
use crate::route::Route;
use crate::state::{ServedBase, Shared, State};
use crate::work::{LinkNames, ReadDocuments};
use crate::{BaseSource, Error, Judgements, ServerOptions, api, assets, error, memory, reconcile};

/// Time between two looks at the folders of the knowledge bases.
const WATCH: Duration = Duration::from_secs(1);
/// Longest time that requests under way have to end once the server stops.
const DRAIN: Duration = Duration::from_secs(20);
/// Time that a request has beside that of its answer, to arrive whole.
const ARRIVAL: Duration = Duration::from_secs(30);

/// Bytes that requests take between two looks, after which the memory that they left is given back.
const MUCH: usize = 32 << 20;
/// Shares of the memory for bodies, answers and remembered answers: one part of so many.
const BODIES: usize = 6;
const ANSWERS: usize = 2;
const CACHE: usize = 12;

/// Policy of our own pages: nothing from elsewhere, no inline script, no inline style.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A server of knowledge bases.
pub struct Server {
    state: Shared,
}

#[derive(OpenApi)]
#[openapi(info(
    title = "Truename",
    description = "Gives names and mentions in texts their identifiers in a knowledge base."
))]
struct Description;

impl Server {
    /// Opens knowledge bases with all models that are attached to them. The first is the default. A knowledge base whose file is cut off
    /// later is answered 503 from then on ([`guard::survive`](truename::guard::survive)), and opened anew once it can be.
    ///
    /// # Errors
    /// If there is none, two have one name, or one cannot be opened; if a file of mappings, of their
    /// judgements or of the labels of pairs is malformed.
    pub fn open(sources: Vec<BaseSource>, mut options: ServerOptions) -> Result<Self, Error> {
        truename::guard::survive();
        let mut served: Vec<ServedBase> = Vec::new();
        let memory = options.memory_bytes;
        let is_plain =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let cache = Cache { answers: options.cache, bytes: memory / CACHE / sources.len().max(1) };
        for BaseSource { name, folder, judgements } in sources {
            if !is_plain(&name) || served.iter().any(|other| other.slot.name == name) {
                return Err(error::name(&name));
            }
            let slot = Slot::open(&name, folder.as_deref(), cache)?;
            served.push(ServedBase { slot, judgements: Judgements::new(&judgements) });
        }
        if served.is_empty() {
            return Err(error::name(""));
        }
        let mut mappings: Vec<Mappings> = Vec::new();
        for source in &options.mappings {
            mappings.push(Mappings::open(source, &mappings)?);
        }
        let pairs = options.pairs.take().map(Pairs::open).transpose()?;
        let metrics = Metrics::new();
        let limits = Limits { waiting: options.queue, tokens: options.batch_tokens, timeout: options.timeout };
        let work = LinkNames { remembered: metrics.remembered.clone(), searched: metrics.searched.clone() };
        let names = Lane::start(work, limits, metrics.names.clone());
        let documents = Lane::start(ReadDocuments, limits, metrics.documents.clone());
        let wrong_keys = Limiter::new(options.requests_per_minute.unwrap_or(WRONG_KEYS));
        let limiter = options.requests_per_minute.take().map(Limiter::new);
        let bodies = Budget::new((memory / BODIES).max(options.max_body_bytes));
        let (answers, origins) = (Budget::new(memory / ANSWERS), Origins::new(&options));
        let is_stopping = AtomicBool::new(false);
        let state = State {
            served,
            mappings,
            pairs,
            options,
            limiter,
            wrong_keys,
            origins,
            bodies,
            answers,
            names,
            documents,
            metrics,
            is_stopping,
        };
        Ok(Self { state: Arc::new(state) })
    }

    /// Returns all routes.
    pub fn router(&self) -> Router {
        let state = Arc::clone(&self.state);
        let (own, description) = own().split_for_parts();
        let description = Bytes::from(description.to_pretty_json().unwrap_or_default());
        Router::new()
            .merge(own)
            .merge(reconcile::router())
            .merge(assets::router())
            .route("/openapi.json", get(move || async { ([(header::CONTENT_TYPE, "application/json")], description) }))
            .route("/health", get(|| async { "ok\n" }))
            .route("/ready", get(ready))
            .route("/metrics", get(metrics))
            .fallback(|| async {
                Failure::not_found("there is nothing at this address").hint("/docs lists the addresses")
            })
            .method_not_allowed_fallback(|| async {
                Failure::new(StatusCode::METHOD_NOT_ALLOWED, "this address has no such method")
            })
            .layer(middleware::from_fn_with_state(Arc::clone(&state), guard))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), in_time))
            .layer(cors(Arc::clone(&state)))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), finish))
            .with_state(state)
    }

    /// Answers requests until `stop` ends; requests under way are then finished.
    pub async fn serve(&self, listener: tokio::net::TcpListener, stop: impl Future<Output = ()> + Send + 'static) {
        let watch = tokio::spawn(watch(Arc::clone(&self.state)));
        let state = Arc::clone(&self.state);
        let stop = async move {
            stop.await;
            state.is_stopping.store(true, Ordering::Relaxed);
        };
        if !connection::serve(listener, self.router(), self.state.options.connections, stop, DRAIN).await {
            tracing::warn!("connections were closed after {DRAIN:?}");
        }
        watch.abort();
    }
}

/// Returns the OpenAPI document of the own API, as JSON.
pub fn openapi() -> String {
    own().into_openapi().to_pretty_json().unwrap_or_default()
}

fn own() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Description::openapi()).merge(api::router())
}

/// Opens knowledge bases anew that were replaced or whose models changed.
async fn watch(state: Shared) {
    let logged = Arc::new(Mutex::new(BTreeMap::new()));
    let mut has_garbage = false;
    loop {
        tokio::time::sleep(WATCH).await;
        state.limiter.iter().chain([&state.wrong_keys]).for_each(Limiter::forget);
        // Small answers use the same memory again.
        has_garbage |= state.bodies.taken() + state.answers.taken() > MUCH;
        if has_garbage {
            has_garbage = !(state.bodies.is_free() && state.answers.is_free());
            let _ = tokio::task::spawn_blocking(memory::give_back).await;
        }
        let (state, logged) = (Arc::clone(&state), Arc::clone(&logged));
        let looked = tokio::task::spawn_blocking(move || {
            let mut logged = logged.lock().unwrap_or_else(PoisonError::into_inner);
            for ServedBase { slot, .. } in &state.served {
                let now = match slot.refresh() {
                    Ok(true) => {
                        tracing::warn!("{} was opened anew", slot.name);
                        String::new()
                    }
                    Ok(false) => String::new(),
                    Err(error) => error.to_string(),
                };
                // The same fault is logged once.
                let before = logged.insert(slot.name.clone(), now.clone());
                if !now.is_empty() && before.as_ref() != Some(&now) {
                    let state = if slot.base().is_some() { "answers as before" } else { "is answered 503" };
                    tracing::error!("{} {state}, for it cannot be opened anew: {now}", slot.name);
                }
            }
        });
        if looked.await.is_err() {
            tracing::error!("the look at the knowledge bases failed");
        }
    }
}

async fn ready(Extract(state): Extract<Shared>) -> Response {
    match state.is_stopping.load(Ordering::Relaxed) {
        true => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping").into_response(),
        false => "ready\n".into_response(),
    }
}

async fn metrics(Extract(state): Extract<Shared>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], state.metrics.text()).into_response()
}

/// Lets pages of the allowed origins read answers, but no judgements (`guard`).
fn cors(state: Shared) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, parts| {
            state.origins.may_read(origin, Route::of(&parts.extensions))
        }))
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(Duration::from_secs(3600))
}

/// Ends requests that do not arrive, or are not answered, in time. Counts what they hold until their answer is sent.
async fn in_time(Extract(state): Extract<Shared>, mut request: Request, next: Next) -> Response {
    let (holding, connection) = (HeldMemory::default(), request.extensions().get::<Arc<Connection>>().cloned());
    let counted = request.extensions().get::<Arc<CountedRequest>>().cloned();
    request.extensions_mut().insert(holding.clone());
    if let Some(connection) = connection.as_ref().filter(|_| request.body().is_end_stream()) {
        connection.mark_asked();
    }
    let limit = state.options.timeout + ARRIVAL;
    let response = match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::late(state.options.timeout).into_response(),
    };
    response.map(|body| Answer::body(body, holding, connection, counted))
}

/// Counts the request and adds security headers.
async fn finish(Extract(state): Extract<Shared>, mut request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = Route::of(request.extensions());
    // Others may load what they may read.
    let resource = match state.origins.shows_reader(request.headers(), route) {
        true => "cross-origin",
        false => "same-origin",
    };
    let path = request.extensions().get::<MatchedPath>().map_or("other".into(), |path| path.as_str().to_owned());
    // Clients make methods up; each would be a metric of its own.
    let method = if matches!(method, Method::GET | Method::POST | Method::HEAD | Method::OPTIONS) {
        method.as_str()
    } else {
        "other"
    };
    let counted = Arc::new(state.metrics.request(method, path));
    request.extensions_mut().insert(Arc::clone(&counted));
    let mut response = next.run(request).await;
    counted.set_status(response.status().as_u16());
    let headers = response.headers_mut();
    let fixed = |text| HeaderValue::from_static(text);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(fixed(POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(fixed("no-store"));
    headers.insert("cross-origin-resource-policy", fixed(resource));
    response
}
