//! The page and its assets, all of them in the binary.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use truename_view::Asset;

use crate::failure::Failure;
use crate::state::Shared;

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        [$(Asset { name: $name, contents: include_str!(concat!("page/", $name)) }),*]
    };
}

static INDEX: &str = include_str!("page/index.html");
static DOCS: &str = include_str!("page/docs.html");
/// Files of the page beside those that it shares with the page of linked documents.
static ASSETS: &[Asset] = &assets![
    "app.css",
    "app.js",
    "browse.js",
    "concept.css",
    "docs.css",
    "docs.js",
    "judgements.js",
    "mappings.js",
    "matching.js",
    "pairs.js",
    "review.js",
    "server.js",
    "table.js",
    "table_view.js",
    "text.js",
    "types.js",
];

/// An icon without a file: a letter on a disc.
const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><circle cx=\"16\" cy=\"16\" r=\"16\" \
                    fill=\"#2f5d8a\"/><path d=\"M8 9h16v3h-6.3v12h-3.4V12H8z\" fill=\"#fff\"/></svg>";

pub(crate) fn router() -> Router<Shared> {
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { sent(INDEX, "text/html; charset=utf-8", &headers) }))
        .route("/mappings", get(|headers: HeaderMap| async move { sent(INDEX, "text/html; charset=utf-8", &headers) }))
        .route("/pairs", get(|headers: HeaderMap| async move { sent(INDEX, "text/html; charset=utf-8", &headers) }))
        .route("/docs", get(|headers: HeaderMap| async move { sent(DOCS, "text/html; charset=utf-8", &headers) }))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { sent(ICON, "image/svg+xml", &headers) }))
        .route("/assets/{name}", get(asset))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let asset = ASSETS.iter().chain(truename_view::ASSETS).find(|asset| asset.name == name);
    let asset = asset.ok_or_else(|| Failure::not_found(format!("there is no asset \"{name}\"")))?;
    let kind = if name.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
    Ok(sent(asset.contents, kind, &headers))
}

/// Sends a file, unless the browser has this version of it.
fn sent(contents: &'static str, kind: &'static str, headers: &HeaderMap) -> Response {
    let tag = concat!("\"", env!("CARGO_PKG_VERSION"));
    let tag = format!("{tag}-{:x}\"", contents.len() as u64 ^ checksum(contents));
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], contents).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// FNV-1a: tells versions of a file apart.
fn checksum(contents: &str) -> u64 {
    contents.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
