use axum::Json;
use axum::extract::State;
use serde::Serialize;
use truename::Linker;
use utoipa::ToSchema;

use crate::failure::{Failure, FailureBody};
use crate::state::Shared;

/// The knowledge bases of a server.
#[derive(Serialize, ToSchema)]
pub(super) struct Bases {
    /// Version of the program.
    version: &'static str,
    /// The first is the default.
    bases: Vec<BaseInfo>,
}

/// A knowledge base.
#[derive(Serialize, ToSchema)]
struct BaseInfo {
    name: String,
    /// Number of concepts.
    concepts: usize,
    /// Number of names.
    names: usize,
    types: Vec<String>,
    /// True if names are compared by vectors too.
    encoder: bool,
    /// True if a trained recognizer finds mentions, not the dictionary alone.
    recognizer: bool,
    /// True if mentions are linked in their context.
    context: bool,
    /// Probability below which an answer is NIL by default.
    threshold: f64,
    /// Addresses of the reconciliation services.
    reconcile: [String; 2],
}

/// Lists the knowledge bases.
#[utoipa::path(get, path = "/v1/bases", tag = "concepts",
    responses((status = 200, description = "The answer", body = Bases), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn bases(State(state): State<Shared>) -> Result<Json<Bases>, Failure> {
    let mut bases = Vec::new();
    for served in &state.served {
        let (base, name) = (served.slot.base(), &served.slot.name);
        let catalogue = base.catalogue()?;
        let types = catalogue.type_names();
        let linker = Linker::new(base.kb.clone())?;
        let root = format!("/kb/{name}/reconcile");
        bases.push(BaseInfo {
            name: name.clone(),
            concepts: catalogue.concepts(),
            names: catalogue.names(),
            types,
            encoder: base.kb.encoder().is_some(),
            recognizer: base.has_recognizer(),
            context: base.reads_context(),
            threshold: linker.threshold(),
            reconcile: [format!("{root}/0.2"), format!("{root}/1.0")],
        });
    }
    Ok(Json(Bases { version: env!("CARGO_PKG_VERSION"), bases }))
}
