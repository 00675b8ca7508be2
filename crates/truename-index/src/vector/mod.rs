//! Nearest vectors without a graph: signs of all rows, codes of the best thousand, 16-bit vectors of the best fifty.
//!
//! A row is kept three times: one bit a dimension, its sign; one byte a dimension with a scale; and 16-bit floating
//! point. Each kind lies in a value of its own for every 4,096 rows. A search compares the signs of all rows with the
//! query's: the more bits differ, the wider the angle (Charikar 2002, "Similarity estimation techniques from rounding
//! algorithms"; NSEEN, Fakhraei et al. 2019, hashes the vectors of names too, by Annoy's hyperplanes). The nearest by sign
//! are ranked by their codes, the best of these by the 16-bit vectors, whose cosines are answered.
//!
//! There is no graph to build or mend: an update writes the blocks whose rows change, a filter skips rows, and the
//! answer depends on neither the order of updates nor the number of threads. Rows are addressed by the number of the
//! name; a number without a vector is an absent row. A store may keep several sets of vectors, such as one for
//! the encoder in use and one for its successor; they share a table and nothing else.
//!
//! The signs are taken along the axes as they are. Of the ten nearest of 51,200 names of MeSH (MiniLM-L6) 99.97 % are
//! among the first 1,000 by sign, 99.8 % after a random rotation, 100 % with the mean taken off and 99.93 % with both;
//! among the first 500, 99.7, 99.6, 99.5 and 99.7 %. The mean would have to follow every update.

mod block;
mod kernels;
mod nearest;
mod options;
mod search;

use std::ops::Bound;

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_storage::{Environment, Table, Transaction, WriteTransaction};

use self::block::{Block, BlockBuffer, Layout, MAX_DIMENSIONS, Part, RowBitmap, RowBuffer, place};
pub use self::options::VectorSearch;
pub use self::search::{VectorReader, VectorScratch};
use crate::{Error, error};

const TABLE: &str = "vectors";
/// The part of a key of the layout: the version of the format (one byte) and the dimensions (`u32`, little-endian).
const LAYOUT: u8 = 0;
const VERSION: u8 = 1;
/// Largest deviation of a length from 1; rounding a vector to 16 bits stays below it.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// A set of vectors of unit length, by the number of the name, in a store.
#[derive(Clone, Copy)]
pub struct VectorIndex {
    /// Set (one byte), [`Part`] (one byte) and block (`u32`, big-endian) to that part of the block; set and [`LAYOUT`] to
    /// the layout.
    table: Table<[u8], [u8]>,
    set: u8,
}

/// A name's number and vector.
type Row<'a> = (u32, &'a [f32]);

impl VectorIndex {
    /// Makes the table in a store, or opens it where it exists. The set is number 0.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn create(environment: &Environment, write: &mut WriteTransaction<'_>) -> Result<Self, Error> {
        Ok(Self { table: environment.create_table(write, TABLE)?, set: 0 })
    }

    /// Opens the table of a store. The set is number 0.
    ///
    /// Commit `read` if the index is to be used in later transactions: LMDB forgets a table that was opened in a
    /// transaction that ends otherwise.
    ///
    /// # Errors
    /// If the store has none.
    pub fn open(environment: &Environment, read: &impl Transaction) -> Result<Self, Error> {
        Ok(Self { table: environment.open_table(read, TABLE)?.ok_or_else(error::missing)?, set: 0 })
    }

    /// Returns another set of vectors in the same store, which is empty until it is filled.
    #[must_use]
    pub fn set(self, number: u8) -> Self {
        Self { set: number, ..self }
    }

    /// Removes every vector of this set; the next may have other dimensions.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn clear(&self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        let (first, last) = ([self.set], [self.set, u8::MAX]);
        self.table.delete_range(write, (Bound::Included(&first[..]), Bound::Excluded(&last[..])))?;
        Ok(())
    }

    /// Returns the dimensions of the vectors; `None` before the first is put.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn dimensions(&self, read: &impl Transaction) -> Result<Option<usize>, Error> {
        Ok(self.layout(read)?.map(|layout| layout.dimensions))
    }

    /// Returns the number of names with a vector.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn len(&self, read: &impl Transaction) -> Result<usize, Error> {
        self.table.prefix_iter(read, &[self.set, Part::Present as u8])?.map(|entry| Ok(RowBitmap(entry?.1).len())).sum()
    }

    /// Returns true if no name has a vector.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn is_empty(&self, read: &impl Transaction) -> Result<bool, Error> {
        Ok(self.len(read)? == 0)
    }

    /// Adds or replaces the vectors of some names. If a name is given twice, the later vector counts.
    ///
    /// Costs writing the blocks that the rows are in: a few thousand at a time, in ascending order, are cheapest.
    ///
    /// # Shapes
    /// `rows`: `[names]` of a number and `[dimensions]`. The first rows of an empty index set the dimensions.
    ///
    /// # Errors
    /// [`ErrorKind::EncoderMismatch`] for a vector of other dimensions, [`ErrorKind::NotFinite`] and [`ErrorKind::Choice`] for one
    /// that is not of unit length, before anything is written; or if the storage fails.
    pub fn put(&self, write: &mut WriteTransaction<'_>, rows: &[(u32, &[f32])]) -> Result<(), Error> {
        let Some((_, first)) = rows.first() else { return Ok(()) };
        let stored = self.layout(write)?;
        let layout = stored.unwrap_or(Layout { dimensions: first.len() });
        rows.par_iter().try_for_each(|(name, vector)| check(stored, Some(*name), vector))?;
        if let Some((name, vector)) = rows.iter().find(|(_, vector)| vector.len() != layout.dimensions) {
            check(Some(layout), Some(*name), vector)?;
        }
        self.put_layout(write, layout)?;
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|(name, _)| *name);
        let changed: Vec<_> = sorted.chunk_by(|left, right| place(left.0).0 == place(right.0).0).collect();
        changed.chunks(rayon::current_num_threads()).try_for_each(|changed| self.put_blocks(write, layout, changed))
    }

    /// Writes as many blocks as there are threads.
    fn put_blocks(&self, write: &mut WriteTransaction<'_>, layout: Layout, rows: &[&[Row<'_>]]) -> Result<(), Error> {
        let number = |rows: &[Row<'_>]| place(rows[0].0).0;
        let stored: Vec<Option<Block<'_>>> =
            rows.iter().map(|rows| self.block(write, layout, number(rows))).collect::<Result<_, Error>>()?;
        let written: Vec<BlockBuffer> =
            rows.par_iter().zip(stored).map(|(rows, stored)| written(layout, rows, stored)).collect();
        for (rows, block) in rows.iter().zip(&written) {
            for (part, bytes) in block.parts() {
                self.table.put(write, &self.key(part, number(rows)), bytes)?;
            }
        }
        Ok(())
    }

    /// Removes the vectors of some names; names without one are passed over.
    ///
    /// Costs a bit a name; a block without a row left is freed.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn remove(&self, write: &mut WriteTransaction<'_>, numbers: &[u32]) -> Result<(), Error> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        for names in sorted.chunk_by(|left, right| place(*left).0 == place(*right).0) {
            let block = place(names[0]).0;
            let Some(present) = self.table.get(write, &self.key(Part::Present, block))? else { continue };
            let mut present = present.to_vec();
            for slot in names.iter().map(|name| place(*name).1) {
                present.iter_mut().skip(slot / 8).take(1).for_each(|byte| *byte &= !(1 << (slot % 8)));
            }
            self.put_present(write, block, &present)?;
        }
        Ok(())
    }

    /// Stores which rows of a block are there, and frees the block where none is.
    fn put_present(&self, write: &mut WriteTransaction<'_>, block: u32, present: &[u8]) -> Result<(), Error> {
        if present.iter().any(|byte| *byte != 0) {
            return self.table.put(write, &self.key(Part::Present, block), present);
        }
        for part in [Part::Present, Part::Bits, Part::Codes, Part::Halves] {
            self.table.delete(write, &self.key(part, block))?;
        }
        Ok(())
    }

    /// Reads every vector.
    ///
    /// # Errors
    /// [`Error::is_damaged`] if one is not of unit length, or the blocks do not fit together.
    pub fn check(&self, read: &impl Transaction) -> Result<(), Error> {
        let Some(layout) = self.layout(read)? else { return Ok(()) };
        self.blocks(read, layout)?.par_iter().try_for_each(|block| {
            let mut row = RowBuffer::default();
            block.present.slots().try_for_each(|slot| {
                block.read(slot, &mut row);
                let name = Some(block.first + slot as u32);
                check(None, name, &row.vector).map_err(|_| error::damaged("a vector is not of unit length"))
            })
        })
    }

    /// Returns the numbers without a vector, in the order given, so that an interrupted filling can go on.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn missing(&self, read: &impl Transaction, numbers: impl IntoIterator<Item = u32>) -> Result<Vec<u32>, Error> {
        let mut missing = Vec::new();
        let mut last: Option<(u32, RowBitmap<'_>)> = None;
        for number in numbers {
            let (block, slot) = place(number);
            let present = match last {
                Some((known, present)) if known == block => present,
                _ => RowBitmap(self.table.get(read, &self.key(Part::Present, block))?.unwrap_or_default()),
            };
            last = Some((block, present));
            if !present.contains(slot) {
                missing.push(number);
            }
        }
        Ok(missing)
    }

    /// Returns the vector of a name, rounded to 16 bits a dimension; `None` where it has none.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn get(&self, read: &impl Transaction, number: u32) -> Result<Option<Vec<f32>>, Error> {
        let Some(layout) = self.layout(read)? else { return Ok(None) };
        let (block, slot) = place(number);
        let block = self.block(read, layout, block)?.filter(|block| block.present.contains(slot));
        Ok(block.map(|block| {
            let mut row = RowBuffer::default();
            block.read(slot, &mut row);
            row.vector
        }))
    }

    fn key(&self, part: Part, block: u32) -> [u8; 6] {
        let [a, b, c, d] = block.to_be_bytes();
        [self.set, part as u8, a, b, c, d]
    }

    fn layout(&self, read: &impl Transaction) -> Result<Option<Layout>, Error> {
        let Some(bytes) = self.table.get(read, &[self.set, LAYOUT])? else { return Ok(None) };
        match bytes {
            [VERSION, dimensions @ ..] => {
                let dimensions = dimensions.try_into().map_err(|_| error::damaged("a layout of the wrong length"))?;
                Ok(Some(Layout { dimensions: u32::from_le_bytes(dimensions) as usize }))
            }
            _ => Err(error::damaged("vectors in an unknown format")),
        }
    }

    fn put_layout(&self, write: &mut WriteTransaction<'_>, layout: Layout) -> Result<(), Error> {
        let mut bytes = vec![VERSION];
        bytes.extend((layout.dimensions as u32).to_le_bytes());
        self.table.put(write, &[self.set, LAYOUT], &bytes)
    }

    /// Returns a block, if it is there.
    fn block<'txn>(
        &self,
        read: &'txn impl Transaction,
        layout: Layout,
        number: u32,
    ) -> Result<Option<Block<'txn>>, Error> {
        let part = |part| self.table.get(read, &self.key(part, number));
        let Some(present) = part(Part::Present)? else { return Ok(None) };
        let [bits, codes, halves] = [Part::Bits, Part::Codes, Part::Halves].map(part);
        let (bits, codes, halves) = (bits?, codes?, halves?);
        let empty: &[u8] = &[];
        let [bits, codes, halves] = [bits, codes, halves].map(|part| part.unwrap_or(empty));
        Block::new(layout, number, present, bits, codes, halves).map(Some)
    }

    /// Returns every block, in ascending order.
    fn blocks<'txn>(&self, read: &'txn impl Transaction, layout: Layout) -> Result<Vec<Block<'txn>>, Error> {
        let parts = |part: Part| self.table.prefix_iter(read, &[self.set, part as u8]);
        let (mut bits, mut codes, mut halves) = (parts(Part::Bits)?, parts(Part::Codes)?, parts(Part::Halves)?);
        let mut blocks = Vec::new();
        for entry in parts(Part::Present)? {
            let (present_key, present) = entry?;
            let number = present_key.get(2..).and_then(|number| number.try_into().ok()).map(u32::from_be_bytes);
            let number = number.ok_or_else(|| error::damaged("a key of vectors has the wrong length"))?;
            let [bits, codes, halves] =
                [&mut bits, &mut codes, &mut halves].map(|entries| match entries.next().transpose()? {
                    Some((key, part)) if key[2..] == present_key[2..] => Ok(part),
                    _ => Err(error::damaged("a block of vectors lacks a part")),
                });
            let block = Block::new(layout, number, present, bits?, codes?, halves?)?;
            if blocks.last().is_some_and(|last: &Block<'_>| last.first >= block.first) {
                return Err(error::damaged("the blocks of vectors are out of order"));
            }
            blocks.push(block);
        }
        Ok(blocks)
    }
}

/// Returns a block with rows added or replaced.
fn written(layout: Layout, rows: &[Row<'_>], stored: Option<Block<'_>>) -> BlockBuffer {
    let last = rows.iter().map(|(name, _)| place(*name).1).max().unwrap_or(0);
    let mut block = BlockBuffer::new(layout, stored, last);
    rows.iter().for_each(|(name, vector)| block.put(place(*name).1, vector));
    block
}

/// Checks that the vector of a name, or a query, fits into an index with this layout, if it has one.
fn check(stored: Option<Layout>, name: Option<u32>, vector: &[f32]) -> Result<(), Error> {
    let refused = |kind, what: String| {
        let whose = name.map_or("query".to_owned(), |name| format!("vector of name {name}"));
        Err(Error::new(kind, format_args!("{whose} has {what}")))
    };
    let given = vector.len();
    if let Some(Layout { dimensions }) = stored.filter(|layout| layout.dimensions != given) {
        return refused(ErrorKind::EncoderMismatch, format!("{given} dimensions; the index holds {dimensions}"));
    }
    if !(1..=MAX_DIMENSIONS).contains(&given) {
        return refused(ErrorKind::Choice, format!("{given} dimensions; 1 to {MAX_DIMENSIONS} can be indexed"));
    }
    if !vector.iter().all(|number| number.is_finite()) {
        return refused(ErrorKind::NotFinite, "a number that is not finite".to_owned());
    }
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    match (length - 1.0).abs() > LENGTH_TOLERANCE {
        true => refused(ErrorKind::Choice, format!("length {length}; 1 is needed")),
        false => Ok(()),
    }
}
