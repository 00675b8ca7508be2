//! `/v1/bases`: the knowledge bases of a server with their counts and models.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use truename::Error;
use truename_records::RecordTable;
use utoipa::ToSchema;

use crate::base::Base;
use crate::failure::{Failure, FailureBody};
use crate::state::{ServedBase, Shared, read_base};

/// The knowledge bases of a server.
#[derive(Serialize, ToSchema)]
pub(super) struct Bases {
    /// Version of the program.
    version: &'static str,
    /// The first is the default.
    bases: Vec<BaseInfo>,
    /// Names of the files of mappings to be judged; the first is the default.
    mappings: Vec<String>,
    /// Names of the tables whose pairs of records are to be labelled.
    pairs: Vec<String>,
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
    /// True if requests may teach it what people judged.
    learns: bool,
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
    for ServedBase { slot, .. } in &state.served {
        // One that cannot be read at present is not listed.
        let Some(base) = slot.base() else { continue };
        let name = slot.name.clone();
        let learns = state.learns(Some(&name))?;
        bases.push(read_base(base, move |base| info(base, name, learns)).await?);
    }
    let mappings = state.mappings.iter().map(|mappings| mappings.name.clone()).collect();
    let tables = state.pairs.iter().flat_map(|pairs| pairs.tables.each());
    // The folders of the server are nobody's business.
    let name = |table: &RecordTable| table.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let pairs = tables.map(name).collect();
    Ok(Json(Bases { version: env!("CARGO_PKG_VERSION"), bases, mappings, pairs }))
}

fn info(base: &Base, name: String, learns: bool) -> Result<BaseInfo, Error> {
    let (catalogue, linker) = (base.catalogue()?, base.default_linker());
    let root = format!("/kb/{name}/reconcile");
    Ok(BaseInfo {
        name,
        concepts: catalogue.concepts(),
        names: catalogue.names(),
        types: catalogue.type_names(),
        encoder: base.kb.encoder()?.is_some(),
        recognizer: linker.recognizer()?.fingerprint().is_some(),
        context: linker.reads_context()?,
        learns,
        threshold: linker.threshold(),
        reconcile: [format!("{root}/0.2"), format!("{root}/1.0")],
    })
}
