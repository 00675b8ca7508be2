//! Documents linked one after another from a source of any length.

use std::collections::VecDeque;

use super::Linker;
use crate::{Document, Error, LinkedDocument};

/// Largest number of documents of a batch.
const BATCH_DOCUMENTS: usize = 256;
/// Bytes of text after which no further document is added to a batch.
const BATCH_BYTES: usize = 4 << 20;

/// An item of a source of documents.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// The next document.
    Document(Document),
    /// No document for the moment, as from a pipe that is idle: the documents that came are answered.
    Idle,
}

impl From<Document> for StreamItem {
    fn from(document: Document) -> Self {
        Self::Document(document)
    }
}

/// Batches of documents of bounded memory: 256, or those that together have more than 4 MiB of text. A batch ends where its source is
/// [idle](StreamItem::Idle).
///
/// ```
/// use truename::{Document, DocumentBatches, StreamItem};
///
/// let document = |id: &str| StreamItem::from(Document::new(id, "aspirin"));
/// let items = [document("1"), document("2"), StreamItem::Idle, document("3")];
/// let sizes: Vec<usize> = DocumentBatches(items.into_iter()).map(|batch| batch.len()).collect();
/// assert_eq!(sizes, [2, 1]);
/// ```
pub struct DocumentBatches<I>(pub I);

impl<I: Iterator<Item: Into<StreamItem>>> Iterator for DocumentBatches<I> {
    type Item = Vec<Document>;

    fn next(&mut self) -> Option<Vec<Document>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH_DOCUMENTS && bytes < BATCH_BYTES {
            match self.0.next().map(Into::into) {
                Some(StreamItem::Document(document)) => {
                    bytes += document.text.len();
                    batch.push(document);
                }
                Some(StreamItem::Idle) if batch.is_empty() => {}
                Some(StreamItem::Idle) | None => break,
            }
        }
        (!batch.is_empty()).then_some(batch)
    }
}

/// Documents with their linked mentions, in the order of the documents. See [`Linker::link_stream`].
pub struct LinkStream<'a, I> {
    linker: &'a Linker,
    link: fn(&Linker, Vec<Document>) -> Result<Vec<LinkedDocument>, Error>,
    batches: DocumentBatches<I>,
    ready: VecDeque<LinkedDocument>,
}

impl Linker {
    /// Links documents as they come, a batch at a time ([`DocumentBatches`]) on all threads of the current rayon pool, and keeps their order. No
    /// more than a batch is in memory.
    ///
    /// An error is that of a batch, whose documents are lost; the next ones can still be read.
    ///
    /// ```
    /// use truename::{Document, ImportOptions, KnowledgeBase, Linker};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let (file, mykb) = (folder.path().join("kb.tsv"), folder.path().join("mykb"));
    /// # std::fs::write(&file, "id\tname\n1\taspirin\n2\tibuprofen\n")?;
    /// # KnowledgeBase::import(&[file], &mykb, &ImportOptions::default(), false)?;
    /// let linker = Linker::open(&mykb)?;
    /// let notes = ["No aspirin.", "Ibuprofen, aspirin."].into_iter().map(|text| Document::new("note", text));
    /// let mut mentions = 0;
    /// for linked in linker.link_stream(notes) {
    ///     mentions += linked?.mentions.len();
    /// }
    /// assert_eq!(mentions, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn link_stream<I>(&self, documents: I) -> LinkStream<'_, I::IntoIter>
    where
        I: IntoIterator<Item: Into<StreamItem>>,
    {
        let batches = DocumentBatches(documents.into_iter());
        LinkStream { linker: self, link: Self::link_documents, batches, ready: VecDeque::new() }
    }

    /// Links the mentions that documents have, as [`Linker::link_stream`] does those that it finds.
    pub fn link_mention_stream<I>(&self, documents: I) -> LinkStream<'_, I::IntoIter>
    where
        I: IntoIterator<Item: Into<StreamItem>>,
    {
        LinkStream { link: Self::link_mentions, ..self.link_stream(documents) }
    }
}

impl<I: Iterator<Item: Into<StreamItem>>> LinkStream<'_, I> {
    /// Returns the next documents together: those that are linked already, else a batch.
    pub fn next_batch(&mut self) -> Option<Result<Vec<LinkedDocument>, Error>> {
        if !self.ready.is_empty() {
            return Some(Ok(std::mem::take(&mut self.ready).into()));
        }
        self.batches.next().map(|batch| (self.link)(self.linker, batch))
    }
}

impl<I: Iterator<Item: Into<StreamItem>>> Iterator for LinkStream<'_, I> {
    type Item = Result<LinkedDocument, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            match self.next_batch()? {
                Ok(linked) => self.ready.extend(linked),
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_a_bounded_number_of_documents_and_bytes() {
        let sizes = |count: usize, bytes: usize| -> Vec<usize> {
            let documents = (0..count).map(|_| Document::new("", "x".repeat(bytes)));
            DocumentBatches(documents).map(|batch| batch.len()).collect()
        };
        assert_eq!(sizes(600, 1), [256, 256, 88]);
        assert_eq!(sizes(3, 3 << 20), [2, 1]);
        assert_eq!(sizes(0, 0), [0; 0]);
    }

    #[test]
    fn an_idle_source_ends_a_batch_and_makes_no_empty_one() {
        let document = || StreamItem::from(Document::new("", "x"));
        let items = [StreamItem::Idle, document(), StreamItem::Idle, StreamItem::Idle, document(), document()];
        let sizes: Vec<usize> = DocumentBatches(items.into_iter()).map(|batch| batch.len()).collect();
        assert_eq!(sizes, [1, 2]);
    }
}
