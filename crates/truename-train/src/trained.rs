//! Encoders as `train` left them, by which a ranker is fitted.
//!
//! An encoder that learnt the names of a knowledge base has put each beside its synonyms. So a ranker is fitted by
//! encoders that were trained without a part of the names each (`ranker.folds`), each asked for its part.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use truename::{CalibrateOptions, Encoder, Gain, GoldName, KnowledgeBase, Progress};

use crate::Error;

/// A trained encoder, with those trained beside it without a part of the names each.
#[derive(Clone)]
pub struct TrainedEncoders {
    encoder: Arc<Encoder>,
    out_of_fold: Vec<Arc<Encoder>>,
}

impl TrainedEncoders {
    /// Opens the folders of [`train`](crate::train), the encoder's first; `None` where there is no folder.
    ///
    /// # Errors
    /// Where a folder cannot be read.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Option<Self>, Error> {
        let open = |folder: P| Encoder::open(folder.as_ref()).map(Arc::new);
        let mut encoders = folders.into_iter().map(open).collect::<Result<Vec<_>, _>>()?.into_iter();
        Ok(encoders.next().map(|encoder| Self { encoder, out_of_fold: encoders.collect() }))
    }

    /// Takes an encoder that has seen none of the names.
    pub fn of(encoder: Arc<Encoder>) -> Self {
        Self { encoder, out_of_fold: Vec::new() }
    }

    /// The encoder that has seen all names.
    pub fn encoder(&self) -> &Arc<Encoder> {
        &self.encoder
    }

    /// Gives the names of a knowledge base vectors by the encoder, and returns the knowledge base with the encoder in use.
    ///
    /// # Errors
    /// Where the encoder or the storage fails, or the work is stopped.
    pub fn embed(&self, kb: &KnowledgeBase, progress: &Progress) -> Result<KnowledgeBase, Error> {
        let flow = |_, _| if progress.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        kb.embed(&self.encoder, flow)?;
        progress.check()?;
        kb.clone().with_encoder(Arc::clone(&self.encoder))
    }

    /// Fits the ranker of a knowledge base that the encoder embedded: by the encoders that have not seen the names which they
    /// are asked for, where there are such.
    ///
    /// # Errors
    /// As [`KnowledgeBase::calibrate`].
    pub fn calibrate(&self, kb: &KnowledgeBase, gold: &[GoldName], options: &CalibrateOptions) -> Result<Gain, Error> {
        match self.out_of_fold.as_slice() {
            [] => kb.calibrate(gold, options),
            others => kb.calibrate_out_of_fold(others, gold, options),
        }
    }
}
