//! The store: concepts, names and lookup keys in one LMDB environment.
//!
//! Any number of processes read while one writes; a reader sees one committed state. Whatever happens to
//! a writer, the store opens at its last commit.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use heed::byteorder::BE;
use heed::types::{Bytes, Str, U32, U64};
use heed::{Database, Env, PutFlags, RoTxn, RwTxn, WithoutTls};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_text::{Key, NameKeys, NormalizedName, stable_hash};

use crate::environment::Environment;
use crate::forms::FormTables;
use crate::name_order::{NameOrder, OrderKey, updated_ranks};
use crate::{Comparison, Concept, ConceptId, ConceptIndex, Error, Forms, NameIndex, checksums, pages};

/// The version of the layout below, and of the normal forms and keys in it. A store says which it has; others
/// are refused.
pub const FORMAT: u32 = 4;

/// A knowledge base on disk.
#[derive(Clone)]
pub struct Store {
    env: Arc<Environment>,
    tables: Tables,
    path: PathBuf,
}

#[derive(Clone, Copy)]
pub(crate) struct Tables {
    /// Facts about the whole store.
    meta: Database<Str, Bytes>,
    /// Concept id to concept number.
    ids: Database<Str, U32<BE>>,
    /// Concept number to [`Record`].
    pub(crate) concepts: Database<U32<BE>, Bytes>,
    /// Name number to concept number (4 bytes, little endian) and the name.
    names: Database<U32<BE>, Bytes>,
    /// Lookup key to name numbers (4 bytes each, little endian), in the order of [`NameOrder`].
    pub(crate) keys: Database<U64<BE>, Bytes>,
    /// Word hash to the number of names that have it.
    pub(crate) words: Database<U64<BE>, U32<BE>>,
    /// The automata of [`Forms`].
    forms: FormTables,
}

const META_FORMAT: &str = "format";
const META_COUNTS: &str = "counts";
const META_RANKS: &str = "ranks";

/// A concept as it is stored; its names are in a table of their own.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    id: &'a str,
    /// Name numbers, the preferred name first.
    names: Vec<u32>,
    #[serde(borrow)]
    types: Vec<&'a str>,
    #[serde(borrow)]
    parents: Vec<&'a str>,
    #[serde(borrow)]
    xrefs: Vec<&'a str>,
    definition: Option<&'a str>,
}

/// How much a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Concepts.
    pub concepts: u32,
    /// Names.
    pub names: u32,
    next_concept: u32,
    next_name: u32,
}

/// What [`Store::apply`] did; the names are for the indexes to follow.
#[derive(Debug, Default)]
pub struct Applied {
    /// Concepts that were not there before.
    pub added: u32,
    /// Concepts that were there and differ now.
    pub changed: u32,
    /// Concepts that are gone.
    pub removed: u32,
    /// Ids that were to be removed and were not there.
    pub missing: Vec<ConceptId>,
    /// Names that are gone.
    pub old_names: Vec<(NameIndex, String)>,
    /// Names that are new.
    pub new_names: Vec<(NameIndex, String)>,
}

impl Store {
    /// Makes an empty store in a folder that is empty or not there yet.
    ///
    /// # Errors
    /// Where the folder holds something, or the disk fails.
    pub fn create(path: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(path).map_err(|source| Error::io("create", path, source))?;
        let mut entries = std::fs::read_dir(path).map_err(|source| Error::io("read", path, source))?;
        if entries.next().is_some() {
            return Err(Error::exists(path));
        }
        let environment = Environment::open(path)?;
        let env = &environment.lmdb;
        let mut write = environment.write()?;
        let tables = Tables {
            meta: env.create_database(&mut write, Some("meta"))?,
            ids: env.create_database(&mut write, Some("ids"))?,
            concepts: env.create_database(&mut write, Some("concepts"))?,
            names: env.create_database(&mut write, Some("names"))?,
            keys: env.create_database(&mut write, Some("keys"))?,
            words: env.create_database(&mut write, Some("words"))?,
            forms: FormTables {
                automata: env.create_database(&mut write, Some("forms"))?,
                shared: env.create_database(&mut write, Some("shared-forms"))?,
            },
        };
        tables.meta.put(&mut write, META_FORMAT, &FORMAT.to_le_bytes())?;
        tables.put_counts(&mut write, Counts::default())?;
        environment.commit(write)?;
        Ok(Self { env: environment, tables, path: path.to_owned() })
    }

    /// Opens a store for reading and, where the folder allows it, writing.
    ///
    /// # Errors
    /// Where there is none, it is damaged, or a newer version of Truename made it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        refuse_other(path)?;
        let environment = Environment::open(path)?;
        environment.refuse_truncated()?;
        let env = &environment.lmdb;
        // Readers that were killed hold their slots, and pages, until they are looked for.
        let _ = env.clear_stale_readers();
        let read = env.read_txn()?;
        let foreign = || Error::not_a_store(path, "it is an LMDB environment of another program");
        let meta: Database<Str, Bytes> = env.open_database(&read, Some("meta"))?.ok_or_else(foreign)?;
        let format = meta.get(&read, META_FORMAT)?.and_then(|bytes| bytes.try_into().ok()).ok_or_else(foreign)?;
        let format = u32::from_le_bytes(format);
        if format != FORMAT {
            return Err(Error::other_format(path, format, FORMAT));
        }
        let tables = Tables {
            meta,
            ids: env.open_database(&read, Some("ids"))?.ok_or_else(foreign)?,
            concepts: env.open_database(&read, Some("concepts"))?.ok_or_else(foreign)?,
            names: env.open_database(&read, Some("names"))?.ok_or_else(foreign)?,
            keys: env.open_database(&read, Some("keys"))?.ok_or_else(foreign)?,
            words: env.open_database(&read, Some("words"))?.ok_or_else(foreign)?,
            forms: FormTables {
                automata: env.open_database(&read, Some("forms"))?.ok_or_else(foreign)?,
                shared: env.open_database(&read, Some("shared-forms"))?.ok_or_else(foreign)?,
            },
        };
        // A committed transaction keeps the table handles open.
        read.commit()?;
        Ok(Self { env: environment, tables, path: path.to_owned() })
    }

    /// The environment, in which indexes keep tables of their own.
    pub fn env(&self) -> &Env<WithoutTls> {
        &self.env.lmdb
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to write; nothing counts until the transaction is committed. Waits for another writer.
    ///
    /// The first time, and after another process wrote, the whole file is compared with its checksums.
    ///
    /// # Errors
    /// Where the storage fails or is read-only; [`Error::is_damaged`] where the file differs from its checksums.
    pub fn write(&self) -> Result<RwTxn<'_>, Error> {
        self.env.write()
    }

    /// Makes what was written the committed state.
    ///
    /// # Errors
    /// Where the disk is full or fails; the store is as it was before.
    pub fn commit(&self, write: RwTxn<'_>) -> Result<(), Error> {
        self.env.commit(write)
    }

    /// The last committed state, which later writes do not change.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let read = self.env.lmdb.read_txn().map_err(|source| Error::storage(&self.path, source))?;
        let counts = self.tables.counts(&read)?;
        Ok(Snapshot { environment: &self.env, tables: self.tables, read, counts })
    }

    /// Compares a store's file with its checksums; nothing in it is believed.
    ///
    /// # Errors
    /// [`Error::is_damaged`] where they differ, and where the folder holds no store.
    pub fn compare(path: &Path) -> Result<Comparison, Error> {
        refuse_other(path)?;
        checksums::compare(path)
    }

    /// The size of the file, and the bytes of it that [`compact`](crate::compact) would save.
    ///
    /// # Errors
    /// Where the storage fails or is damaged.
    pub fn size(&self) -> Result<(u64, u64), Error> {
        let data = self.path.join("data.mdb");
        // Pages of this state are not used anew while it is being read.
        let _snapshot = self.snapshot()?;
        pages::size(&data).map_err(|source| Error::io("read", &data, source))
    }

    /// Stores a fact about the whole store under a name.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn put_meta(&self, write: &mut RwTxn<'_>, name: &str, value: &[u8]) -> Result<(), Error> {
        Ok(self.tables.meta.put(write, name, value)?)
    }

    /// Forgets a fact about the whole store.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn delete_meta(&self, write: &mut RwTxn<'_>, name: &str) -> Result<(), Error> {
        self.tables.meta.delete(write, name)?;
        Ok(())
    }

    /// Empties the store but for its format.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn clear(&self, write: &mut RwTxn<'_>) -> Result<(), Error> {
        let Tables { meta, ids, concepts, names, keys, words, forms } = self.tables;
        meta.clear(write)?;
        ids.clear(write)?;
        concepts.clear(write)?;
        names.clear(write)?;
        keys.clear(write)?;
        words.clear(write)?;
        forms.clear(write)?;
        meta.put(write, META_FORMAT, &FORMAT.to_le_bytes())?;
        self.tables.put_counts(write, Counts::default())
    }

    /// Fills an empty store, and returns the names by number.
    ///
    /// Concepts are numbered by id and names by length, which the n-gram search profits from.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn fill(&self, write: &mut RwTxn<'_>, mut concepts: Vec<Concept>) -> Result<Vec<String>, Error> {
        concepts.par_sort_unstable_by(|left, right| left.id.cmp(&right.id));
        let mut names: Vec<(usize, u32, u32)> = Vec::new();
        for (number, concept) in (0u32..).zip(&concepts) {
            self.tables.ids.put_with_flags(write, PutFlags::APPEND, concept.id.as_str(), &number)?;
            names.extend(concept.names().zip(0u32..).map(|(name, place)| (name.chars().count(), number, place)));
        }
        names.par_sort_unstable();
        let mut numbers: Vec<Vec<u32>> = concepts.iter().map(|concept| vec![0; 1 + concept.synonyms.len()]).collect();
        for (number, (_, concept, place)) in (0u32..).zip(&names) {
            numbers[*concept as usize][*place as usize] = number;
        }
        for (number, concept) in (0u32..).zip(&concepts) {
            let names = std::mem::take(&mut numbers[number as usize]);
            let record = postcard::to_stdvec(&record(concept, names))?;
            self.tables.concepts.put_with_flags(write, PutFlags::APPEND, &number, &record)?;
        }
        let counts = Counts {
            concepts: concepts.len() as u32,
            names: names.len() as u32,
            next_concept: concepts.len() as u32,
            next_name: names.len() as u32,
        };
        self.tables.put_counts(write, counts)?;
        self.fill_names(write, concepts, &names)
    }

    fn fill_names(
        &self,
        write: &mut RwTxn<'_>,
        concepts: Vec<Concept>,
        order: &[(usize, u32, u32)],
    ) -> Result<Vec<String>, Error> {
        let mut texts: Vec<Vec<String>> = concepts
            .into_par_iter()
            .map(|concept| std::iter::once(concept.name).chain(concept.synonyms).collect())
            .collect();
        let mut names = Vec::with_capacity(order.len());
        for (number, (_, concept, place)) in (0u32..).zip(order) {
            let name = std::mem::take(&mut texts[*concept as usize][*place as usize]);
            let value = name_value(ConceptIndex(*concept), &name);
            self.tables.names.put_with_flags(write, PutFlags::APPEND, &number, &value)?;
            names.push(name);
        }
        let (mut keys, mut words): (Vec<(Key, u32)>, Vec<u64>) = (0u32..names.len() as u32)
            .into_par_iter()
            .fold(Default::default, |(mut keys, mut words): (Vec<_>, Vec<_>), number| {
                let normalized = NormalizedName::new(&names[number as usize]);
                keys.extend(filed_keys(&normalized).into_iter().map(|key| (key, number)));
                words.extend(distinct_words(&normalized));
                (keys, words)
            })
            .reduce(Default::default, |mut left, right| {
                left.0.extend(right.0);
                left.1.extend(right.1);
                left
            });
        keys.par_sort_unstable();
        for run in keys.chunk_by(|left, right| left.0 == right.0) {
            let numbers: Vec<u8> = run.iter().flat_map(|(_, number)| number.to_le_bytes()).collect();
            self.tables.keys.put_with_flags(write, PutFlags::APPEND, &run[0].0.0, &numbers)?;
        }
        words.par_sort_unstable();
        for run in words.chunk_by(|left, right| left == right) {
            self.tables.words.put_with_flags(write, PutFlags::APPEND, &run[0], &(run.len() as u32))?;
        }
        self.tables.forms.build(write, &names)?;
        Ok(names)
    }

    /// Adds or replaces concepts and removes others, in place.
    ///
    /// A concept that stays the same is left alone. Replaced concepts keep their number. No two of `concepts` have one id.
    ///
    /// # Errors
    /// Where the storage fails; drop the transaction then.
    pub fn apply(
        &self,
        write: &mut RwTxn<'_>,
        concepts: Vec<Concept>,
        removed: &[ConceptId],
    ) -> Result<Applied, Error> {
        let mut counts = self.tables.counts(write)?;
        let mut applied = Applied::default();
        let mut placed = Vec::new();
        for id in removed {
            match self.tables.ids.get(write, id.as_str())? {
                Some(number) => {
                    self.drop_names(write, number, &mut applied)?;
                    self.tables.concepts.delete(write, &number)?;
                    self.tables.ids.delete(write, id.as_str())?;
                    counts.concepts -= 1;
                    applied.removed += 1;
                }
                None => applied.missing.push(id.clone()),
            }
        }
        for concept in concepts {
            let number = match self.tables.ids.get(write, concept.id.as_str())? {
                Some(number) => {
                    let known = self.tables.concept(write, ConceptIndex(number))?;
                    if known == concept {
                        continue;
                    }
                    applied.changed += 1;
                    if known.names().eq(concept.names()) {
                        let names = self.tables.record(write, ConceptIndex(number))?.names;
                        let record = postcard::to_stdvec(&record(&concept, names))?;
                        self.tables.concepts.put(write, &number, &record)?;
                        continue;
                    }
                    self.drop_names(write, number, &mut applied)?;
                    number
                }
                None => {
                    applied.added += 1;
                    counts.concepts += 1;
                    counts.next_concept += 1;
                    counts.next_concept - 1
                }
            };
            let first = counts.next_name;
            for (place, name) in concept.names().enumerate() {
                let value = name_value(ConceptIndex(number), name);
                self.tables.names.put(write, &counts.next_name, &value)?;
                let key = OrderKey { length: name.chars().count(), concept: concept.id.as_str().to_owned(), place };
                placed.push((key, counts.next_name));
                applied.new_names.push((NameIndex(counts.next_name), name.to_owned()));
                counts.next_name += 1;
            }
            let record = postcard::to_stdvec(&record(&concept, (first..counts.next_name).collect()))?;
            self.tables.ids.put(write, concept.id.as_str(), &number)?;
            self.tables.concepts.put(write, &number, &record)?;
        }
        counts.names = counts.names + applied.new_names.len() as u32 - applied.old_names.len() as u32;
        self.tables.put_counts(write, counts)?;
        if !applied.old_names.is_empty() || !placed.is_empty() {
            let ranks = self.put_ranks(write, &applied.old_names, placed, counts.next_name)?;
            for (number, name) in &applied.new_names {
                self.file_name(write, *number, name, &ranks)?;
            }
            self.tables.forms.update(write, &applied.old_names, &applied.new_names)?;
        }
        Ok(applied)
    }

    /// Stores the order of the names after a change, and returns the rank of each number.
    fn put_ranks(
        &self,
        write: &mut RwTxn<'_>,
        gone: &[(NameIndex, String)],
        new: Vec<(OrderKey, u32)>,
        next_name: u32,
    ) -> Result<Vec<u32>, Error> {
        let stored = self.tables.meta.get(write, META_RANKS)?;
        let is_before = |name, key: &OrderKey| {
            let (concept, text) = self.tables.name(write, name)?;
            Ok(match text.chars().count().cmp(&key.length) {
                // A concept's names come and go together, so that the key is of another one.
                Ordering::Equal => self.tables.record(write, concept)?.id < key.concept.as_str(),
                length => length.is_lt(),
            })
        };
        let ranks = updated_ranks(stored, gone.iter().map(|(name, _)| *name), new, next_name, is_before)?;
        let bytes: Vec<u8> = ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect();
        self.tables.meta.put(write, META_RANKS, &bytes)?;
        Ok(ranks)
    }

    /// Files a name under its keys and words.
    fn file_name(&self, write: &mut RwTxn<'_>, number: NameIndex, name: &str, ranks: &[u32]) -> Result<(), Error> {
        let rank = |number: u32| ranks[number as usize];
        let normalized = NormalizedName::new(name);
        for key in filed_keys(&normalized) {
            let mut numbers: Vec<u32> = each_u32(self.tables.keys.get(write, &key.0)?.unwrap_or_default()).collect();
            numbers.insert(numbers.partition_point(|other| rank(*other) < rank(number.0)), number.0);
            let numbers: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
            self.tables.keys.put(write, &key.0, &numbers)?;
        }
        for word in distinct_words(&normalized) {
            let count = self.tables.words.get(write, &word)?.unwrap_or_default();
            self.tables.words.put(write, &word, &(count + 1))?;
        }
        Ok(())
    }

    fn drop_names(&self, write: &mut RwTxn<'_>, concept: u32, applied: &mut Applied) -> Result<(), Error> {
        let numbers = self.tables.record(write, ConceptIndex(concept))?.names;
        for number in numbers {
            let name = self.tables.name(write, NameIndex(number))?.1.to_owned();
            let normalized = NormalizedName::new(&name);
            for key in filed_keys(&normalized) {
                let numbers = self.tables.keys.get(write, &key.0)?.unwrap_or_default();
                let kept: Vec<u8> = each_u32(numbers).filter(|n| *n != number).flat_map(u32::to_le_bytes).collect();
                if kept.is_empty() {
                    self.tables.keys.delete(write, &key.0)?;
                } else {
                    self.tables.keys.put(write, &key.0, &kept)?;
                }
            }
            for word in distinct_words(&normalized) {
                match self.tables.words.get(write, &word)? {
                    Some(count) if count > 1 => self.tables.words.put(write, &word, &(count - 1))?,
                    _ => {
                        self.tables.words.delete(write, &word)?;
                    }
                }
            }
            self.tables.names.delete(write, &number)?;
            applied.old_names.push((NameIndex(number), name));
        }
        Ok(())
    }

    /// Closes the environment, so that the folder can be moved.
    pub fn close(self) {
        if let Ok(env) = Arc::try_unwrap(self.env) {
            env.close();
        }
    }
}

/// One committed state of a store.
pub struct Snapshot<'store> {
    environment: &'store Environment,
    pub(crate) tables: Tables,
    read: RoTxn<'store, WithoutTls>,
    counts: Counts,
}

impl Snapshot<'_> {
    /// The transaction, for the indexes of the same store.
    pub fn transaction(&self) -> &RoTxn<'_, WithoutTls> {
        &self.read
    }

    /// Returns the number of the transaction that committed this state; later states have higher numbers.
    pub fn version(&self) -> u64 {
        self.read.id() as u64
    }

    /// How much the store holds.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A fact stored under a name.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn meta(&self, name: &str) -> Result<Option<&[u8]>, Error> {
        Ok(self.tables.meta.get(&self.read, name)?)
    }

    /// The number of the concept with an id.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn index_of(&self, id: &ConceptId) -> Result<Option<ConceptIndex>, Error> {
        Ok(self.tables.ids.get(&self.read, id.as_str())?.map(ConceptIndex))
    }

    /// The whole concept with an id.
    ///
    /// # Errors
    /// [`Error::is_not_found`] where there is none.
    pub fn concept_by_id(&self, id: &ConceptId) -> Result<Concept, Error> {
        let index = self.index_of(id)?.ok_or_else(|| Error::unknown_concept(id.as_str()))?;
        self.concept(index)
    }

    /// The whole concept with a number of this store.
    ///
    /// # Errors
    /// Where the number is of another store, or the storage fails.
    pub fn concept(&self, index: ConceptIndex) -> Result<Concept, Error> {
        self.tables.concept(&self.read, index)
    }

    /// The id and the name numbers of a concept, the preferred name first.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn concept_names(&self, index: ConceptIndex) -> Result<(&str, Vec<NameIndex>), Error> {
        let record = self.tables.record(&self.read, index)?;
        Ok((record.id, record.names.into_iter().map(NameIndex).collect()))
    }

    /// The types of a concept.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn concept_types(&self, index: ConceptIndex) -> Result<Vec<&str>, Error> {
        Ok(self.tables.record(&self.read, index)?.types)
    }

    /// All concepts, by id.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn concepts(&self) -> Result<impl Iterator<Item = Result<Concept, Error>> + '_, Error> {
        let entries = ascending(self.tables.ids.iter(&self.read)?);
        Ok(entries.map(|entry| self.tables.concept(&self.read, ConceptIndex(entry?.1))))
    }

    /// All concept numbers with their types.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn all_types(&self) -> Result<impl Iterator<Item = Result<(ConceptIndex, Vec<&str>), Error>> + '_, Error> {
        let entries = ascending(self.tables.concepts.iter(&self.read)?);
        Ok(entries.map(|entry| {
            let (number, bytes) = entry?;
            Ok((ConceptIndex(number), postcard::from_bytes::<Record<'_>>(bytes)?.types))
        }))
    }

    /// A name and the concept it is of.
    ///
    /// # Errors
    /// Where the number is of another store, or the storage fails.
    pub fn name(&self, index: NameIndex) -> Result<(ConceptIndex, &str), Error> {
        self.tables.name(&self.read, index)
    }

    /// A name and the concept it is of; nothing where the store has no such name, or no longer.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn find_name(&self, index: NameIndex) -> Result<Option<(ConceptIndex, &str)>, Error> {
        self.tables.names.get(&self.read, &index.0)?.map(parse_name).transpose()
    }

    /// All names with their numbers and concepts, by number.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names(&self) -> Result<impl Iterator<Item = Result<(NameIndex, ConceptIndex, &str), Error>> + '_, Error> {
        self.names_from(NameIndex(0))
    }

    /// The names from a number on.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names_from(
        &self,
        first: NameIndex,
    ) -> Result<impl Iterator<Item = Result<(NameIndex, ConceptIndex, &str), Error>> + '_, Error> {
        let entries = ascending(self.tables.names.range(&self.read, &(first.0..))?);
        Ok(entries.map(|entry| {
            let (number, bytes) = entry?;
            let (concept, name) = parse_name(bytes)?;
            Ok((NameIndex(number), concept, name))
        }))
    }

    /// The names filed under a lookup key, in the order of [`NameOrder`].
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names_under(&self, key: Key) -> Result<impl Iterator<Item = NameIndex> + '_, Error> {
        let numbers = self.tables.keys.get(&self.read, &key.0)?.unwrap_or_default();
        Ok(each_u32(numbers).map(NameIndex))
    }

    /// The order of the names; nothing where it is that of their numbers, as after an import.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn name_order(&self) -> Result<Option<NameOrder<'_>>, Error> {
        Ok(self.tables.meta.get(&self.read, META_RANKS)?.map(NameOrder))
    }

    /// The forms in which names stand in texts.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn forms(&self) -> Result<Forms<'_>, Error> {
        let forms = self.tables.forms.read(&self.read)?;
        // A walk along damaged ones would panic.
        if self.environment.forms_verified.load(Relaxed) != self.read.id() {
            forms.verify()?;
            self.environment.forms_verified.store(self.read.id(), Relaxed);
        }
        Ok(forms)
    }

    /// How many names have the word with this hash.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names_with_word(&self, word: u64) -> Result<u32, Error> {
        Ok(self.tables.words.get(&self.read, &word)?.unwrap_or_default())
    }
}

impl Tables {
    fn counts(&self, read: &RoTxn<'_>) -> Result<Counts, Error> {
        let bytes = self.meta.get(read, META_COUNTS)?.unwrap_or_default();
        Ok(postcard::from_bytes(bytes)?)
    }

    fn put_counts(&self, write: &mut RwTxn<'_>, counts: Counts) -> Result<(), Error> {
        Ok(self.meta.put(write, META_COUNTS, &postcard::to_stdvec(&counts)?)?)
    }

    fn record<'txn>(&self, read: &'txn RoTxn<'_>, index: ConceptIndex) -> Result<Record<'txn>, Error> {
        let bytes =
            self.concepts.get(read, &index.0)?.ok_or_else(|| Error::unknown_concept(&format!("#{}", index.0)))?;
        Ok(postcard::from_bytes(bytes)?)
    }

    fn name<'txn>(&self, read: &'txn RoTxn<'_>, index: NameIndex) -> Result<(ConceptIndex, &'txn str), Error> {
        let bytes = self.names.get(read, &index.0)?;
        parse_name(bytes.ok_or_else(|| Error::unknown_concept(&format!("name #{}", index.0)))?)
    }

    fn concept(&self, read: &RoTxn<'_>, index: ConceptIndex) -> Result<Concept, Error> {
        let record = self.record(read, index)?;
        let owned = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect();
        let mut names = Vec::with_capacity(record.names.len());
        for number in record.names {
            names.push(self.name(read, NameIndex(number))?.1.to_owned());
        }
        let mut names = names.into_iter();
        Ok(Concept {
            id: record.id.parse()?,
            name: names.next().unwrap_or_default(),
            synonyms: names.collect(),
            types: owned(record.types),
            parents: record.parents.into_iter().map(str::parse).collect::<Result<_, _>>()?,
            xrefs: owned(record.xrefs),
            definition: record.definition.map(str::to_owned),
        })
    }
}

fn record(concept: &Concept, names: Vec<u32>) -> Record<'_> {
    fn borrowed(values: &[String]) -> Vec<&str> {
        values.iter().map(String::as_str).collect()
    }
    Record {
        id: concept.id.as_str(),
        names,
        types: borrowed(&concept.types),
        parents: concept.parents.iter().map(ConceptId::as_str).collect(),
        xrefs: borrowed(&concept.xrefs),
        definition: concept.definition.as_deref(),
    }
}

fn name_value(concept: ConceptIndex, name: &str) -> Vec<u8> {
    [&concept.0.to_le_bytes(), name.as_bytes()].concat()
}

fn parse_name(bytes: &[u8]) -> Result<(ConceptIndex, &str), Error> {
    let damaged = || Error::from(postcard::Error::DeserializeUnexpectedEnd);
    let (concept, name) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    let name = std::str::from_utf8(name).map_err(|_| postcard::Error::DeserializeBadUtf8)?;
    Ok((ConceptIndex(u32::from_le_bytes(*concept)), name))
}

fn filed_keys(name: &NormalizedName) -> Vec<Key> {
    if name.is_empty() {
        return Vec::new();
    }
    let keys = NameKeys::of(name);
    let initials = keys.initials.map(initials_key);
    let deletions = Key::deletions(name).into_iter().map(deletion_key);
    keys.filed().chain(initials).chain(deletions).collect()
}

/// The key under which a name is filed by its initials, apart from names that are written like them.
pub fn initials_key(initials: Key) -> Key {
    initials.in_drawer(1)
}

/// The key under which a short name is filed with one letter left out.
pub fn deletion_key(deletion: Key) -> Key {
    deletion.in_drawer(2)
}

fn distinct_words(name: &NormalizedName) -> Vec<u64> {
    let mut words: Vec<u64> = name.tokens().map(stable_hash).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Entries of a table, whose keys must ascend: on damaged pages LMDB may go in circles.
pub(crate) fn ascending<K: Copy + Ord, V>(
    entries: impl Iterator<Item = heed::Result<(K, V)>>,
) -> impl Iterator<Item = Result<(K, V), Error>> {
    let mut last = None;
    entries.map(move |entry| {
        let (key, value) = entry?;
        if last.replace(key).is_some_and(|last| last >= key) {
            return Err(Error::damaged_record("the records of a table are out of order"));
        }
        Ok((key, value))
    })
}

pub(crate) fn each_u32(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")))
}

fn refuse_other(path: &Path) -> Result<(), Error> {
    let data = path.join("data.mdb");
    if !data.is_file() {
        let reason = if path.exists() { "it holds no file data.mdb" } else { "there is no such folder" };
        return Err(Error::not_a_store(path, reason));
    }
    if std::fs::metadata(&data).map_err(|source| Error::io("read", &data, source))?.len() == 0 {
        return Err(Error::not_a_store(path, "its file data.mdb is empty"));
    }
    Ok(())
}
