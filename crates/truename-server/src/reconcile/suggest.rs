//! Suggestions for what a person types.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value as Json, json};
use truename::ConceptId;

use super::property::{Named, Property};
use super::query::{describe, named_types};
use crate::base::Base;
use crate::failure::Failure;
use crate::state::State;

/// Number of suggestions where a request does not say.
const SUGGESTIONS: usize = 10;
/// Most suggestions of a request, those that it skips among them.
const MOST: usize = 1000;

/// Least cosine of the n-grams of a name that does not begin with the text.
const LEAST_SIMILARITY: f32 = 0.4;

/// A part of all suggestions.
#[derive(Clone, Copy)]
pub(super) struct Window {
    skip: usize,
    take: usize,
}

/// A suggested concept.
#[derive(Serialize)]
struct Suggestion {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    notable: Vec<Named>,
}

impl Window {
    pub fn new(skip: Option<usize>, take: Option<usize>) -> Self {
        let skip = skip.unwrap_or(0).min(MOST);
        Self { skip, take: take.unwrap_or(SUGGESTIONS).min(MOST - skip) }
    }

    fn of<T>(self, all: impl Iterator<Item = T>) -> Vec<T> {
        all.skip(self.skip).take(self.take).collect()
    }
}

/// Returns the answer to a text that a person types, of what it is looked for in: `entity`, `type` or `property`.
pub(super) async fn found(
    state: &State,
    kb: Option<&str>,
    kind: &str,
    prefix: String,
    window: Window,
) -> Result<Json, Failure> {
    let found = match kind {
        "entity" => json!(state.read(kb, move |base| concepts(base, &prefix, window)).await?),
        "type" => json!(state.read(kb, move |base| types(base, &prefix, window)).await?),
        "property" => json!(window.of(fitting(Property::ALL.into_iter().map(Property::named).collect(), &prefix))),
        _ => return Err(Failure::not_found(format!("there are no suggestions of {kind}"))),
    };
    Ok(json!({ "result": found }))
}

/// Returns concepts whose id or a name begins so, then those with similar names.
fn concepts(base: &Base, prefix: &str, window: Window) -> Result<Vec<Suggestion>, Failure> {
    let most = window.skip + window.take;
    let (mut ids, mut seen) = (Vec::new(), BTreeSet::new());
    let mut add = |id: ConceptId| {
        if seen.insert(id.clone()) {
            ids.push(id);
        }
    };
    if let Some(concept) = prefix.parse::<ConceptId>().ok().and_then(|id| base.kb.concept(&id).ok()) {
        add(concept.id);
    }
    if !prefix.trim().is_empty() {
        base.kb.names_with_prefix(prefix, most)?.into_iter().for_each(|near| add(near.id));
        let near = base.kb.nearest_by_ngrams(prefix, most)?;
        near.into_iter().filter(|near| near.score >= LEAST_SIMILARITY).for_each(|near| add(near.id));
    }
    let mut suggestions = Vec::new();
    for id in window.of(ids.into_iter()) {
        // A concept may be removed while this runs.
        let Ok(concept) = base.kb.concept(&id) else { continue };
        let (description, notable) = (describe(&concept), named_types(&concept.types));
        suggestions.push(Suggestion { id: id.to_string(), name: concept.name, description, notable });
    }
    Ok(suggestions)
}

/// Returns types whose name has the text, those that begin with it first.
fn types(base: &Base, prefix: &str, window: Window) -> Result<Vec<Named>, Failure> {
    let catalogue = base.catalogue()?;
    let named = |(kind, concepts): (&str, usize)| Named {
        id: kind.to_owned(),
        name: kind.to_owned(),
        description: Some(format!("{concepts} concepts")),
    };
    Ok(window.of(fitting(catalogue.types().map(named).collect(), prefix)))
}

/// Keeps what has the text in its name or id; what begins with it comes first.
fn fitting(all: Vec<Named>, prefix: &str) -> impl Iterator<Item = Named> {
    let wanted = prefix.trim().to_lowercase();
    let place = move |named: &Named| {
        let of = [named.id.to_lowercase(), named.name.to_lowercase()];
        match () {
            () if of.iter().any(|text| text.starts_with(&wanted)) => Some(0),
            () if of.iter().any(|text| text.contains(&wanted)) => Some(1),
            () => None,
        }
    };
    let mut fitting: Vec<(i32, Named)> =
        all.into_iter().filter_map(|named| place(&named).map(|place| (place, named))).collect();
    fitting.sort_by_key(|(place, _)| *place);
    fitting.into_iter().map(|(_, named)| named)
}
