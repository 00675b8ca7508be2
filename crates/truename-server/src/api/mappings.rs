//! `/v1/mappings`: mappings of two vocabularies, listed with their concepts, and judged.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use truename::{Concept, ConceptId, Date, LONGEST_NAME_BYTES};
use truename_error::excerpt;
use utoipa::{IntoParams, ToSchema};

use super::judgements::Saved;
use crate::Error;
use crate::access::Caller;
use crate::base::Base;
use crate::body::{Body, Parameters};
use crate::budget::HeldMemory;
use crate::failure::{Failure, FailureBody};
use crate::mappings::{MappingJudgement, MappingRow, Mappings};
use crate::state::Shared;
use crate::work::blocking;

/// Most mappings of an answer.
const MOST: usize = 100;
/// Most names of a concept, and of concepts around it, that are shown.
const MOST_NAMES: usize = 20;
/// Bytes that a mapping with its two concepts usually takes.
const MAPPING_BYTES: usize = 16 << 10;

/// A part of the mappings.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// Name of the file of mappings; the first without it.
    file: Option<String>,
    /// Place in the order of the review from which mappings are listed.
    #[param(default = 0)]
    from: Option<usize>,
    /// Number of mappings.
    #[param(minimum = 1, maximum = 100, default = 20)]
    top: Option<usize>,
    /// True for mappings with a judgement alone, false for those without one.
    judged: Option<bool>,
}

/// Mappings in the order of their review: at random, doubtful ones sooner.
#[derive(Serialize, ToSchema)]
pub(super) struct MappingList {
    /// Name of the file of mappings.
    file: String,
    /// Number of all mappings of the file.
    total: usize,
    /// Number of mappings with a judgement.
    judged: usize,
    mappings: Vec<ListedMapping>,
    /// `from` of the next part; `null` at the end.
    next: Option<usize>,
}

/// A mapping with both concepts.
#[derive(Serialize, ToSchema)]
struct ListedMapping {
    /// Place in the order of the review.
    place: usize,
    subject_id: String,
    predicate_id: String,
    object_id: String,
    confidence: f64,
    /// Kind of the evidence.
    mapping_justification: String,
    /// Forms of the names that are alike.
    match_string: String,
    subject: MappedConcept,
    object: MappedConcept,
    judgement: Option<MappingJudgement>,
}

/// A concept of a mapping, as the first knowledge base that has it knows it, else as the file of mappings does.
#[derive(Default, Serialize, ToSchema)]
struct MappedConcept {
    /// Name of the knowledge base; `null` where none has the concept.
    kb: Option<String>,
    /// Id in the knowledge base, else that of the file.
    id: String,
    name: String,
    synonyms: Vec<String>,
    definition: Option<String>,
    /// Names of broader concepts.
    parents: Vec<String>,
    /// Names of the concepts that it is a part of.
    part_of: Vec<String>,
    types: Vec<String>,
}

/// Lists mappings to be judged, with their judgements.
#[utoipa::path(get, path = "/v1/mappings", tag = "mappings", params(Page),
    responses((status = 200, description = "The answer", body = MappingList), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn list(
    State(state): State<Shared>,
    Extension(holding): Extension<HeldMemory>,
    Parameters(Page { file, from, top, judged }): Parameters<Page>,
) -> Result<Json<MappingList>, Failure> {
    let top = top.unwrap_or(20);
    if !(1..=MOST).contains(&top) {
        return Err(Failure::request(format!("`top` is {top}; it may be 1 to {MOST}")));
    }
    holding.keep(state.answers.take(top * MAPPING_BYTES).await);
    blocking(move || {
        let (mappings, bases) = (state.mappings(file.as_deref())?, Bases::of(&state));
        let judgements = mappings.judged();
        let fits = |place: &usize| judged.is_none_or(|judged| judgements[*place].is_some() == judged);
        let mut places = (from.unwrap_or(0)..mappings.rows.len()).filter(fits);
        let listed: Vec<_> = places.by_ref().take(top).map(|place| (place, judgements[place].clone())).collect();
        let (next, judged) = (places.next(), judgements.iter().flatten().count());
        drop(judgements);
        let listed = listed.into_iter().map(|(place, judgement)| bases.listed(mappings, place, judgement));
        let list = MappingList {
            file: mappings.name.clone(),
            total: mappings.rows.len(),
            judged,
            mappings: listed.collect::<Result<_, _>>()?,
            next,
        };
        bases.check()?;
        Ok(Json(list))
    })
    .await?
}

/// Knowledge bases in which concepts are looked up, with their names.
struct Bases(Vec<(String, Arc<Base>)>);

impl Bases {
    /// Returns the knowledge bases of a server that can be read.
    fn of(state: &Shared) -> Self {
        let served = state.served.iter();
        Self(served.filter_map(|served| Some((served.slot.name.clone(), served.slot.base()?))).collect())
    }

    /// Fails if a part of one could not be read meanwhile.
    fn check(&self) -> Result<(), Failure> {
        if self.0.iter().any(|(_, base)| base.kb.has_faulted()) { Err(Failure::unreadable()) } else { Ok(()) }
    }

    fn listed(
        &self,
        mappings: &Mappings,
        place: usize,
        judgement: Option<MappingJudgement>,
    ) -> Result<ListedMapping, Error> {
        let row = &mappings.rows[place];
        let [subject_id, object_id] = row.ids.clone();
        Ok(ListedMapping {
            place,
            subject_id,
            predicate_id: row.predicate.clone(),
            object_id,
            confidence: row.confidence,
            mapping_justification: row.justification.clone(),
            match_string: row.match_string.clone(),
            subject: self.concept(mappings, row, 0)?,
            object: self.concept(mappings, row, 1)?,
            judgement,
        })
    }

    /// Returns what is known of a side of a mapping.
    fn concept(&self, mappings: &Mappings, row: &MappingRow, side: usize) -> Result<MappedConcept, Error> {
        for id in mappings.spellings(&row.ids[side]).iter().filter_map(|id| id.parse::<ConceptId>().ok()) {
            for (kb, base) in &self.0 {
                match base.kb.concept(&id) {
                    Ok(concept) => return Ok(MappedConcept::of(concept, kb, base)),
                    Err(error) if error.is_not_found() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let (id, name) = (row.ids[side].clone(), row.labels[side].clone());
        Ok(MappedConcept { id, name, ..MappedConcept::default() })
    }
}

impl MappedConcept {
    fn of(concept: Concept, kb: &str, base: &Base) -> Self {
        let named = |ids: Vec<ConceptId>| {
            let name = |id: ConceptId| base.kb.concept(&id).map_or_else(|_| id.to_string(), |concept| concept.name);
            ids.into_iter().take(MOST_NAMES).map(name).collect()
        };
        Self {
            kb: Some(kb.to_owned()),
            id: concept.id.to_string(),
            name: concept.name,
            synonyms: concept.synonyms.into_iter().take(MOST_NAMES).collect(),
            definition: concept.definition,
            parents: named(concept.parents),
            part_of: named(concept.part_of),
            types: concept.types.into_iter().take(MOST_NAMES).collect(),
        }
    }
}

/// The file of mappings of a request.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OfFile {
    /// Name of the file of mappings; the first without it.
    file: Option<String>,
}

/// A judgement of a mapping to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeRequest {
    subject_id: String,
    object_id: String,
    /// Relation of the mapping; needed only where the file has several between both ids.
    predicate_id: Option<String>,
    /// True if the mapping is right, false if it is wrong; `null` takes its judgement back.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    accepted: Option<bool>,
    /// Who judged; the user of the key where there is one.
    #[serde(default)]
    user: String,
}

/// Saves the judgement of a mapping. It is on the disk before the answer.
#[utoipa::path(post, path = "/v1/mappings/judgements", tag = "mappings", params(OfFile), request_body(content = JudgeRequest),
    responses((status = 201, description = "The judgement is on the disk", body = Saved), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn judge(
    State(state): State<Shared>,
    Parameters(of): Parameters<OfFile>,
    Extension(caller): Extension<Caller>,
    Body(request): Body<JudgeRequest>,
) -> Result<(StatusCode, Json<Saved>), Failure> {
    let JudgeRequest { subject_id, object_id, predicate_id, accepted, user } = request;
    let user = caller.user.unwrap_or(user);
    if user.len() > LONGEST_NAME_BYTES {
        return Err(Failure::request(format!("the user has {} bytes of {LONGEST_NAME_BYTES}", user.len())));
    }
    let judgement = accepted.map(|accepted| MappingJudgement { accepted, user, date: Date::today().to_string() });
    blocking(move || {
        let mappings = state.mappings(of.file.as_deref())?;
        let pair = format!("of \"{}\" onto \"{}\"", excerpt(&subject_id), excerpt(&object_id));
        let place = match mappings.places([&subject_id, &object_id], predicate_id.as_deref())[..] {
            [place] => place,
            [] => {
                let relation =
                    predicate_id.map_or_else(String::new, |predicate| format!(" by \"{}\"", excerpt(&predicate)));
                let message = format!("{} has no mapping {pair}{relation}", mappings.name);
                return Err(Failure::not_found(message).hint("`GET /v1/mappings` lists those that can be judged"));
            }
            _ => {
                let message = format!("{} has several mappings {pair}", mappings.name);
                return Err(Failure::request(message).hint("say which one by `predicate_id`"));
            }
        };
        mappings.judge(place, judgement).map_err(|error| Failure::internal(&error))
    })
    .await??;
    Ok((StatusCode::CREATED, Json(Saved { saved: 1 })))
}

/// Form of the judgements.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Sssom,
}

/// The judgements of a request.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Export {
    /// Name of the file of mappings; the first without it.
    file: Option<String>,
    /// Form of the table; `sssom` is the only one.
    #[serde(rename = "format")]
    #[param(inline)]
    _format: Option<Format>,
}

/// Returns the judgements as an SSSOM table, which `truename align --known` and `--exclude` read. `/v1/mappings` has them as JSON.
#[utoipa::path(get, path = "/v1/mappings/judgements", tag = "mappings", params(Export),
    responses((status = 200, description = "The table", body = String, content_type = "text/tab-separated-values"), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn judgements(
    State(state): State<Shared>,
    Parameters(Export { file, .. }): Parameters<Export>,
) -> Result<Response, Failure> {
    let read = move || state.mappings(file.as_deref())?.sssom().map_err(|error| Failure::internal(&error));
    let kind = [(header::CONTENT_TYPE, "text/tab-separated-values; charset=utf-8")];
    Ok((kind, blocking(read).await??).into_response())
}
