//! Document frequencies of a knowledge base, and those of all shards that it is one of.

use std::fs;
use std::path::Path;

use truename_error::{ErrorKind, HintPart, hint};
use truename_index::{Frequencies, NgramIndex};
use truename_kb::{Store, WriteTransaction};

use super::KnowledgeBase;
use crate::{Error, error};

/// First bytes of a file of frequencies.
const MAGIC: &[u8] = b"truename-frequencies 1\n";

/// Numbers of names that have each n-gram and each word, by which n-grams and words are weighed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameFrequencies {
    grams: Frequencies,
    words: Frequencies,
}

impl NameFrequencies {
    /// Returns the frequencies in these names and others together.
    ///
    /// # Errors
    /// If there are more than 4,294,967,295 names.
    pub fn with(&self, others: &Self) -> Result<Self, Error> {
        Ok(Self { grams: self.grams.with(&others.grams)?, words: self.words.with(&others.words)? })
    }

    /// Returns the number of names.
    pub fn names(&self) -> u32 {
        self.words.names
    }

    /// Weighs the n-grams and words of a store of `names` names, all numbers of which are below `next_name`.
    pub(super) fn weigh(
        &self,
        store: &Store,
        ngrams: &NgramIndex,
        write: &mut WriteTransaction<'_>,
        names: u32,
        next_name: u32,
    ) -> Result<(), Error> {
        ngrams.weigh(write, next_name, &self.grams)?;
        // The frequencies of n-grams are those of all its names, or that failed.
        store.put_word_frequencies(write, &self.words.counts, self.words.names.saturating_sub(names))
    }

    /// Reads a file that [`NameFrequencies::write`] wrote.
    ///
    /// # Errors
    /// If it cannot be read, or is none.
    pub fn read(file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let bytes = fs::read(file).map_err(|source| error::io("read", file, source))?;
        let parse = |bytes: &[u8]| {
            let (grams, words): ((u32, Vec<_>), (u32, Vec<_>)) = postcard::from_bytes(bytes).ok()?;
            let [grams, words] = [grams, words].map(|(names, counts)| Frequencies { names, counts });
            [&grams, &words].iter().all(|one| one.is_sorted()).then_some(Self { grams, words })
        };
        bytes.strip_prefix(MAGIC).and_then(parse).ok_or_else(|| {
            Error::new(ErrorKind::Other, format!("{} holds no frequencies of names", file.display()))
                .with_hint(hint!["write them with ", HintPart::action("kb frequencies")])
        })
    }

    /// Writes the frequencies to a file, in place of the one there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, file: impl AsRef<Path>) -> Result<(), Error> {
        let file = file.as_ref();
        let [grams, words] = [&self.grams, &self.words].map(|one| (one.names, &one.counts));
        let bytes = postcard::to_extend(&(grams, words), MAGIC.to_vec()).map_err(Error::other)?;
        truename_files::write(file, bytes).map_err(|source| error::io("write", file, source))
    }
}

impl KnowledgeBase {
    /// Returns the frequencies in the names of this knowledge base.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn frequencies(&self) -> Result<NameFrequencies, Error> {
        let snapshot = self.store.snapshot()?;
        let words = Frequencies { names: snapshot.counts().names, counts: snapshot.own_word_frequencies()? };
        Ok(NameFrequencies { grams: self.indexes.ngrams.frequencies(snapshot.transaction())?, words })
    }

    /// Returns the frequencies by which it weighs n-grams and words: its own, or those that it was given ([`KnowledgeBase::weigh`]).
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn weighed_by(&self) -> Result<NameFrequencies, Error> {
        let snapshot = self.store.snapshot()?;
        let words = Frequencies { names: snapshot.weighed_names(), counts: snapshot.word_frequencies()? };
        Ok(NameFrequencies { grams: self.indexes.ngrams.weighed_by(snapshot.transaction())?, words })
    }

    /// Weighs n-grams and words by the frequencies in the names of several knowledge bases, of which this is one, so that its names have
    /// the scores that they have in one knowledge base of all. Later updates add to them; a new import forgets them.
    ///
    /// # Errors
    /// If `whole` lacks names of this knowledge base, or the storage fails.
    pub fn weigh(&self, whole: &NameFrequencies) -> Result<(), Error> {
        let mut write = self.write()?;
        let snapshot = self.store.snapshot()?;
        let (names, next_name) = (snapshot.counts().names, snapshot.next_name()?.0);
        drop(snapshot);
        whole.weigh(&self.store, &self.indexes.ngrams, &mut write, names, next_name)?;
        self.store.commit(write)
    }
}
