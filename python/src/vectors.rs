//! Vectors of the names of a knowledge base.

use std::ops::ControlFlow;
use std::sync::Arc;

use truename::{EmbedReport, Encoder, KnowledgeBase, Progress};
use truename_error::{Error, ErrorKind, HintPart, hint};

/// Returns the encoder in the folder of the knowledge base.
pub fn own_encoder(kb: &KnowledgeBase) -> Result<Arc<Encoder>, Error> {
    kb.attached_encoder()?.ok_or_else(|| {
        Error::new(ErrorKind::Choice, format!("{} has no encoder", kb.path().display()))
            .with_hint(hint!["name one: ", HintPart::action("kb embed").value("DIR")])
    })
}

/// Copies the encoder into the knowledge base and encodes all names. Stopped, it keeps the finished vectors.
pub fn embed(kb: &KnowledgeBase, encoder: &Encoder, progress: &Progress) -> Result<EmbedReport, Error> {
    kb.attach_encoder(encoder)?;
    let mut reached = None;
    let report = kb.embed(encoder, |done, total| {
        let before = *reached.get_or_insert_with(|| {
            progress.begin("embedding", total);
            0
        });
        progress.advance(done - before);
        reached = Some(done);
        if progress.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match report.is_complete {
        true => kb.prune_models().map(|()| report),
        false => Err(Error::new(ErrorKind::Interrupted, "interrupted; the vectors stored so far are kept")),
    }
}
