//! The own API: `/v1`.

mod bases;
mod concepts;
mod documents;
mod judgements;
mod mappings;
mod names;
mod pairs;
mod review;

use truename::LinkOptions;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::base::NameOptions;
use crate::failure::Failure;
use crate::state::Shared;

/// Most sources of aliases that a request leaves out.
const MOST_SOURCES: usize = 100;
/// Most candidates of an answer.
const MOST_CANDIDATES: usize = 100;

pub(crate) fn router() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(bases::bases))
        .routes(routes!(names::match_names))
        .routes(routes!(documents::link))
        .routes(routes!(documents::recognize))
        .routes(routes!(concepts::concept))
        .routes(routes!(concepts::search))
        .routes(routes!(judgements::save, judgements::list))
        .routes(routes!(judgements::learn))
        .routes(routes!(review::order))
        .routes(routes!(mappings::list))
        .routes(routes!(mappings::judge, mappings::judgements))
        .routes(routes!(pairs::list))
        .routes(routes!(pairs::label, pairs::labels))
}

/// Returns texts in order, each once: options are kept with what was made of them.
fn distinct(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Checks the options of answers.
fn name_options(
    top: Option<usize>,
    types: Vec<String>,
    without_aliases: Vec<String>,
    explain: bool,
    min_probability: Option<f64>,
    nil_share: Option<f64>,
) -> Result<NameOptions, Failure> {
    let (top, [types, without_aliases]) = (top.unwrap_or(5), [types, without_aliases].map(distinct));
    if without_aliases.len() > MOST_SOURCES {
        let message = format!("`without_aliases` has {} sources; it may have {MOST_SOURCES}", without_aliases.len());
        return Err(Failure::request(message));
    }
    if !(1..=MOST_CANDIDATES).contains(&top) {
        return Err(Failure::request(format!("`top` is {top}; it may be 1 to {MOST_CANDIDATES}")));
    }
    let share = |name: &str, value: f64| match (0.0..=1.0).contains(&value) {
        true => Ok(value.to_bits()),
        false => Err(Failure::request(format!("`{name}` is {value}; it may be 0 to 1"))),
    };
    Ok(NameOptions {
        top,
        types,
        without_aliases,
        explain,
        min_probability: min_probability.map(|value| share("min_probability", value)).transpose()?,
        nil_share: share("nil_share", nil_share.unwrap_or(LinkOptions::NIL_SHARE))?,
    })
}
