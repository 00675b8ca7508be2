//! Tables of the store.
//!
//! `meta` holds the format, counts, provenance, sets of vectors, the order of names, copied models, fitted rankers,
//! what became of each retired id, and judgements of names that no concept has. The n-gram index and the vectors have
//! tables of their own in the same file (`truename-index`).

use std::collections::HashMap;
use std::path::Path;

use truename_error::{ErrorKind, HintPart, hint};
use truename_storage::{Environment, Table, Transaction, WriteTransaction};

use super::counts::Counts;
use super::forms::FormTables;
use super::record::{Record, parse_name};
use crate::{Alias, Concept, ConceptIndex, Error, NameIndex, SynonymScope, error};

/// Version of the layout below, and of the normal forms and keys in it. A store of another version is refused.
pub const FORMAT: u32 = 6;

const META_FORMAT: &str = "format";
const META_COUNTS: &str = "counts";
pub(super) const META_RANKS: &str = "ranks";
/// Number of names of other stores that are counted in `words`; none where there are no others.
pub(super) const META_OTHER_NAMES: &str = "other-names";
/// Before a retired id, the name of the fact that says what became of it; stores of earlier versions have none.
pub(super) const META_RETIRED: &str = "retired:";
/// Before a lookup key, the name of the fact that has the judgements without a concept of its names.
pub(super) const META_JUDGED: &str = "judged:";

#[derive(Clone, Copy)]
pub(super) struct Tables {
    /// Facts about the whole store.
    pub(super) meta: Table<str, [u8]>,
    /// Concept id to concept number.
    pub(super) ids: Table<str, u32>,
    /// Concept number to [`Record`].
    pub(super) concepts: Table<u32, [u8]>,
    /// Name number to concept number (4 bytes, little endian) and the name.
    pub(super) names: Table<u32, [u8]>,
    /// Lookup key to name numbers (4 bytes each, little endian), in the order of [`NameOrder`](super::NameOrder).
    pub(super) keys: Table<u64, [u8]>,
    /// Word hash to the number of names that have it, those of other stores among them where the store was given their frequencies.
    pub(super) words: Table<u64, u32>,
    /// The automata of [`Forms`](super::Forms).
    pub(super) forms: FormTables,
}

impl Tables {
    /// Makes the tables of an empty store.
    pub(super) fn create(environment: &Environment, write: &mut WriteTransaction<'_>) -> Result<Self, Error> {
        let tables = Self {
            meta: environment.create_table(write, "meta")?,
            ids: environment.create_table(write, "ids")?,
            concepts: environment.create_table(write, "concepts")?,
            names: environment.create_table(write, "names")?,
            keys: environment.create_table(write, "keys")?,
            words: environment.create_table(write, "words")?,
            forms: FormTables {
                automata: environment.create_table(write, "forms")?,
                shared: environment.create_table(write, "shared-forms")?,
            },
        };
        tables.put_format(write)?;
        Ok(tables)
    }

    /// Opens the tables of the store in a folder, if it is one of this format.
    pub(super) fn open(environment: &Environment, read: &impl Transaction, folder: &Path) -> Result<Self, Error> {
        let foreign = || error::not_a_store(folder, "it is an LMDB environment of another program");
        let meta: Table<str, [u8]> = environment.open_table(read, "meta")?.ok_or_else(foreign)?;
        let format = meta.get(read, META_FORMAT)?.and_then(|bytes| bytes.try_into().ok()).ok_or_else(foreign)?;
        let format = u32::from_le_bytes(format);
        if format != FORMAT {
            let advice = match format > FORMAT {
                true => "update truename, or import the sources again with this version".into(),
                false => hint![
                    "import the sources again with this version: ",
                    HintPart::action("kb import").with("force", "")
                ],
            };
            let message = format!(
                "{} has store format {format}; this version of truename reads format {FORMAT}",
                folder.display()
            );
            return Err(Error::new(ErrorKind::OtherVersion, message).with_hint(advice));
        }
        Ok(Self {
            meta,
            ids: environment.open_table(read, "ids")?.ok_or_else(foreign)?,
            concepts: environment.open_table(read, "concepts")?.ok_or_else(foreign)?,
            names: environment.open_table(read, "names")?.ok_or_else(foreign)?,
            keys: environment.open_table(read, "keys")?.ok_or_else(foreign)?,
            words: environment.open_table(read, "words")?.ok_or_else(foreign)?,
            forms: FormTables {
                automata: environment.open_table(read, "forms")?.ok_or_else(foreign)?,
                shared: environment.open_table(read, "shared-forms")?.ok_or_else(foreign)?,
            },
        })
    }

    /// Empties the tables but for the format.
    pub(super) fn clear(&self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        let Self { meta, ids, concepts, names, keys, words, forms } = self;
        meta.clear(write)?;
        ids.clear(write)?;
        concepts.clear(write)?;
        names.clear(write)?;
        keys.clear(write)?;
        words.clear(write)?;
        forms.clear(write)?;
        self.put_format(write)
    }

    fn put_format(&self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        self.meta.put(write, META_FORMAT, &FORMAT.to_le_bytes())?;
        self.put_counts(write, Counts::default())
    }

    pub(super) fn counts(&self, read: &impl Transaction) -> Result<Counts, Error> {
        let bytes = self.meta.get(read, META_COUNTS)?.unwrap_or_default();
        postcard::from_bytes(bytes).map_err(error::record)
    }

    /// Returns the number that the next new name gets; those of all names are below it.
    ///
    /// # Errors
    /// [`Error::is_damaged`] if it is not the one that the stored names lead to: tables are allocated by it.
    pub(super) fn next_name(&self, read: &impl Transaction) -> Result<u32, Error> {
        let counted = self.counts(read)?.next_name;
        let stored = match self.meta.get(read, META_RANKS)? {
            Some(ranks) => ranks.len() / size_of::<u32>(),
            // No name has gone yet.
            None => ascending(self.names.iter(read)?).try_fold(0, |count, entry| entry.map(|_| count + 1))?,
        };
        if stored != counted as usize || self.names.range(read, counted..)?.next().is_some() {
            return Err(truename_storage::damaged(format!("it counts {counted} numbers of names and has {stored}")));
        }
        Ok(counted)
    }

    pub(super) fn put_counts(&self, write: &mut WriteTransaction<'_>, counts: Counts) -> Result<(), Error> {
        let counts = postcard::to_stdvec(&counts).map_err(error::record)?;
        self.meta.put(write, META_COUNTS, &counts)
    }

    pub(super) fn record<'txn>(
        &self,
        read: &'txn impl Transaction,
        index: ConceptIndex,
    ) -> Result<Record<'txn>, Error> {
        let bytes =
            self.concepts.get(read, &index.0)?.ok_or_else(|| error::unknown_concept(&format!("#{}", index.0)))?;
        Record::parse(bytes)
    }

    pub(super) fn name<'txn>(
        &self,
        read: &'txn impl Transaction,
        index: NameIndex,
    ) -> Result<(ConceptIndex, &'txn str), Error> {
        let bytes = self.names.get(read, &index.0)?;
        parse_name(bytes.ok_or_else(|| error::unknown_concept(&format!("name #{}", index.0)))?)
    }

    pub(super) fn concept(&self, read: &impl Transaction, index: ConceptIndex) -> Result<Concept, Error> {
        let record = self.record(read, index)?;
        let owned = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect();
        let mut names = Vec::with_capacity(record.names.len());
        for number in &record.names {
            names.push(self.name(read, NameIndex(*number))?.1.to_owned());
        }
        let scopes: HashMap<NameIndex, SynonymScope> = record.scopes().collect();
        let scoped = record.names.iter().zip(&names);
        let scopes =
            scoped.filter_map(|(number, name)| Some((name.clone(), *scopes.get(&NameIndex(*number))?))).collect();
        let sources = record.alias_sources;
        let aliases = names.split_off(names.len().saturating_sub(sources.len()));
        let alias = |(name, source): (String, &str)| Alias { name, source: source.to_owned() };
        let mut names = names.into_iter();
        let ids = |ids: Vec<&str>| ids.into_iter().map(str::parse).collect::<Result<_, _>>();
        Ok(Concept {
            id: record.id.parse()?,
            name: names.next().unwrap_or_default(),
            synonyms: names.collect(),
            scopes,
            aliases: aliases.into_iter().zip(sources).map(alias).collect(),
            types: owned(record.types),
            parents: ids(record.parents)?,
            part_of: ids(record.part_of)?,
            disjoint_from: ids(record.disjoint_from)?,
            xrefs: owned(record.xrefs),
            definition: record.definition.map(str::to_owned),
        })
    }
}

/// Entries of a table, whose keys must ascend: on damaged pages LMDB may go in circles.
pub(super) fn ascending<K: Copy + Ord, V>(
    entries: impl Iterator<Item = Result<(K, V), truename_storage::Error>>,
) -> impl Iterator<Item = Result<(K, V), Error>> {
    let mut last = None;
    entries.map(move |entry| {
        let (key, value) = entry?;
        if last.replace(key).is_some_and(|last| last >= key) {
            return Err(truename_storage::damaged("the records of a table are out of order"));
        }
        Ok((key, value))
    })
}

pub(super) fn each_u32(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")))
}
