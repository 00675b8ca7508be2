use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State as Extract};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::access::{Limiter, guard};
use crate::base::Slot;
use crate::failure::Failure;
use crate::metrics::Metrics;
use crate::queue::{Lane, Limits};
use crate::state::{Served, Shared, State};
use crate::work::{LinkNames, ReadDocuments};
use crate::{BaseSource, Error, Judgements, ServerOptions, api, assets, reconcile};

/// Time between two looks at the folders of the knowledge bases.
const WATCH: Duration = Duration::from_secs(1);
/// Longest time that requests under way have to end once the server stops.
const DRAIN: Duration = Duration::from_secs(20);
/// Time that a request has beside that of its answer, to arrive whole.
const ARRIVAL: Duration = Duration::from_secs(30);

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
    /// Opens knowledge bases with all models that are attached to them. The first is the default.
    ///
    /// # Errors
    /// If there is none, two have one name, or one cannot be opened.
    pub fn open(sources: Vec<BaseSource>, mut options: ServerOptions) -> Result<Self, Error> {
        let mut served: Vec<Served> = Vec::new();
        let is_plain =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        for BaseSource { name, folder, judgements } in sources {
            if !is_plain(&name) || served.iter().any(|other| other.slot.name == name) {
                return Err(Error::name(&name));
            }
            let slot = Slot::open(&name, folder.as_deref(), options.cache)?;
            served.push(Served { slot, judgements: Judgements::new(&judgements) });
        }
        if served.is_empty() {
            return Err(Error::name(""));
        }
        let metrics = Metrics::new();
        let limits = Limits { waiting: options.queue, tokens: options.batch_tokens, timeout: options.timeout };
        let work = LinkNames { remembered: metrics.remembered.clone(), searched: metrics.searched.clone() };
        let names = Lane::start(work, limits, metrics.names.clone());
        let documents = Lane::start(ReadDocuments, limits, metrics.documents.clone());
        let limiter = options.requests_per_minute.take().map(Limiter::new);
        let is_stopping = AtomicBool::new(false);
        Ok(Self { state: Arc::new(State { served, options, limiter, names, documents, metrics, is_stopping }) })
    }

    /// Returns all routes.
    pub fn router(&self) -> Router {
        let state = Arc::clone(&self.state);
        let (own, description) = own().split_for_parts();
        let description = Arc::new(description);
        Router::new()
            .merge(own)
            .merge(reconcile::router())
            .merge(assets::router())
            .route("/openapi.json", get(move || async move { Json((*description).clone()) }))
            .route("/health", get(|| async { "ok\n" }))
            .route("/ready", get(ready))
            .route("/metrics", get(metrics))
            .fallback(|| async {
                Failure::not_found("there is nothing at this address").hint("/docs lists the addresses")
            })
            .method_not_allowed_fallback(|| async {
                Failure::new(StatusCode::METHOD_NOT_ALLOWED, "this address has no such method")
            })
            .layer(DefaultBodyLimit::max(state.options.max_body_bytes))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), guard))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), in_time))
            .layer(cors())
            .layer(middleware::from_fn_with_state(Arc::clone(&state), finish))
            .with_state(state)
    }

    /// Answers requests until `stop` ends; requests under way are then finished.
    ///
    /// # Errors
    /// If connections cannot be accepted.
    pub async fn serve(
        &self,
        listener: tokio::net::TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Error> {
        let watch = tokio::spawn(watch(Arc::clone(&self.state)));
        let service = self.router().into_make_service_with_connect_info::<SocketAddr>();
        let (state, (asked, is_asked)) = (Arc::clone(&self.state), tokio::sync::oneshot::channel::<()>());
        let stop = async move {
            stop.await;
            state.is_stopping.store(true, Ordering::Relaxed);
            let _ = asked.send(());
        };
        let serving = axum::serve(listener, service).with_graceful_shutdown(stop);
        let late = async {
            // An error is the end of the server itself, which the other branch sees.
            if is_asked.await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(DRAIN).await;
        };
        let outcome = tokio::select! {
            outcome = serving => outcome.map_err(Error::listen),
            () = late => {
                tracing::warn!("connections were closed after {DRAIN:?}");
                Ok(())
            }
        };
        watch.abort();
        outcome
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
    loop {
        tokio::time::sleep(WATCH).await;
        let state = Arc::clone(&state);
        let looked = tokio::task::spawn_blocking(move || {
            for served in &state.served {
                let name = &served.slot.name;
                match served.slot.refresh() {
                    Ok(true) => tracing::info!("{name} was opened anew"),
                    Ok(false) => {}
                    Err(error) => tracing::error!("{name} stays as it was, for it cannot be opened anew: {error}"),
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

/// Lets pages of any origin read answers, as reconciliation asks for, but no judgements (`guard`).
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(Duration::from_secs(3600))
}

/// Ends requests that do not arrive, or are not answered, in time.
async fn in_time(Extract(state): Extract<Shared>, request: Request, next: Next) -> Response {
    let limit = state.options.timeout + ARRIVAL;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::new(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time").into_response(),
    }
}

/// Counts the request and adds security headers.
async fn finish(Extract(state): Extract<Shared>, request: Request, next: Next) -> Response {
    let (start, method) = (Instant::now(), request.method().clone());
    let path = request.extensions().get::<MatchedPath>().map_or("other".into(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = |text| HeaderValue::from_static(text);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(fixed(POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(fixed("no-store"));
    // The embedding of answers by pages of other origins is what reconciliation is for.
    headers.insert("cross-origin-resource-policy", fixed("cross-origin"));
    state.metrics.answered(method.as_str(), &path, response.status().as_u16(), start.elapsed());
    response
}
