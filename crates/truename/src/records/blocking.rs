//! Pairs worth comparing: each record with the nearest of the others.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use truename_index::{NgramIndex, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Encoder;
use truename_kb::Progress;
use truename_storage::Environment;
use truename_text::{Gram, NormalizedName, grams};

use super::columns::Columns;
use super::{Record, RecordPair, Tables};
use crate::Error;

/// Default number of neighbours.
const NEIGHBOURS: usize = 10;
/// Queries searched between two looks at the progress.
const PIECE: usize = 256;
/// Records encoded together.
const ENCODED: usize = 4096;
/// Address space of an index beside that of its content; costs no memory until it is filled.
const MAP_BYTES: u64 = 1 << 30;
/// Most bytes of an index for each byte of text (postings and counts of n-grams), and for each dimension of a vector.
const MAP_BYTES_PER_TEXT_BYTE: u64 = 64;
const MAP_BYTES_PER_DIMENSION: u64 = 8;

/// Blocking by nearest neighbours: a pair is proposed if one record is among the nearest of the other by the cosine of
/// their n-grams ([`NgramIndex`]) or, with an encoder, of their vectors ([`VectorIndex`]).
///
/// Both work on the values of a record in one text; in two tables on those of the columns that both have. Of records that are equally near, those of the lower rows are taken.
pub struct Blocking<'a> {
    encoder: Option<&'a Encoder>,
    neighbours: usize,
    progress: Arc<Progress>,
}

/// The pairs that blocking proposes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocked {
    /// Each pair once, in order.
    pub pairs: Vec<RecordPair>,
    /// Number of records longer than the encoder's window; their vectors cover the beginning.
    pub truncated: u64,
}

impl Default for Blocking<'_> {
    fn default() -> Self {
        Self { encoder: None, neighbours: NEIGHBOURS, progress: Arc::default() }
    }
}

impl<'a> Blocking<'a> {
    /// Creates blocking by n-grams, with ten neighbours a record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Proposes each record's nearest by vectors too.
    #[must_use]
    pub fn encoder(self, encoder: Option<&'a Encoder>) -> Self {
        Self { encoder, ..self }
    }

    /// Sets the number of neighbours that each record has by each index.
    #[must_use]
    pub fn neighbours(self, neighbours: usize) -> Self {
        Self { neighbours, ..self }
    }

    /// Reports to a progress, and stops when it says so.
    #[must_use]
    pub fn progress(self, progress: Arc<Progress>) -> Self {
        Self { progress, ..self }
    }

    /// Returns the pairs of each record with its neighbours. In two tables the neighbours are of the other table, and both
    /// tables' records are asked for.
    ///
    /// # Errors
    /// If the temporary index or the encoder fails, or [`Error::is_interrupted`].
    pub fn pairs(&self, tables: Tables<'_>) -> Result<Blocked, Error> {
        let mut blocked = Blocked::default();
        self.by_ngrams(tables, &mut blocked)?;
        if let Some(encoder) = self.encoder {
            self.by_vectors(tables, encoder, &mut blocked)?;
        }
        blocked.pairs.par_sort_unstable();
        blocked.pairs.dedup();
        Ok(blocked)
    }

    fn by_ngrams(&self, tables: Tables<'_>, blocked: &mut Blocked) -> Result<(), Error> {
        let columns = Columns::of(tables);
        match tables {
            Tables::One(records) => {
                let index = IndexedRecords::new(records, &columns, &self.progress)?;
                // A record is nearest to itself.
                let near = self.nearest_by_ngrams(&index, records, self.neighbours + 1)?;
                blocked.pairs.extend(of_one(tables, near, self.neighbours));
            }
            Tables::Two(left, right) => {
                let near = self.nearest_by_ngrams(
                    &IndexedRecords::new(right, &columns, &self.progress)?,
                    left,
                    self.neighbours,
                )?;
                blocked.pairs.extend(near.into_iter().map(|(left, right)| RecordPair { left, right }));
                let near = self.nearest_by_ngrams(
                    &IndexedRecords::new(left, &columns, &self.progress)?,
                    right,
                    self.neighbours,
                )?;
                blocked.pairs.extend(near.into_iter().map(|(right, left)| RecordPair { left, right }));
            }
        }
        Ok(())
    }

    /// Returns the rows of queries with the rows of their nearest, in the order of the queries, the nearest first.
    fn nearest_by_ngrams(
        &self,
        index: &IndexedRecords<'_>,
        queries: &[Record],
        limit: usize,
    ) -> Result<Vec<(u32, u32)>, Error> {
        self.progress.begin("searching by n-grams", queries.len() as u64);
        let rank = |name: u32| index.rows[name as usize];
        let piece = |(number, piece): (usize, &[Record])| {
            self.progress.check()?;
            let read = index.environment.read().map_err(truename_kb::Error::from)?;
            let search = Search { limit, rank: Some(&rank), ..Search::default() };
            let (mut scratch, mut near) = (SearchScratch::default(), Vec::with_capacity(piece.len() * limit));
            for (at, record) in piece.iter().enumerate() {
                let query = (number * PIECE + at) as u32;
                let hits = index.ngrams.search(&read, &grams_of(record, index.columns), &search, &mut scratch)?;
                near.extend(hits.into_iter().map(|hit| (query, rank(hit.name))));
            }
            self.progress.advance(piece.len() as u64);
            Ok(near)
        };
        let pieces: Result<Vec<_>, Error> = queries.par_chunks(PIECE).enumerate().map(piece).collect();
        Ok(pieces?.concat())
    }

    fn by_vectors(&self, tables: Tables<'_>, encoder: &Encoder, blocked: &mut Blocked) -> Result<(), Error> {
        let rows = tables.all().count();
        let bytes = (rows * encoder.dimensions()) as u64 * MAP_BYTES_PER_DIMENSION;
        let environment = Environment::scratch(MAP_BYTES + bytes).map_err(truename_kb::Error::from)?;
        let mut write = environment.write().map_err(truename_kb::Error::from)?;
        let index = VectorIndex::create(&environment, &mut write)?;
        write.commit().map_err(truename_kb::Error::from)?;
        self.progress.begin("encoding", rows as u64);
        let (first, columns) = (index.set(0), Columns::of(tables));
        let encode = |records: &[Record], index: &VectorIndex| {
            let texts: Vec<String> = records.par_iter().map(|record| columns.text(record)).collect();
            self.encode(&texts, encoder, &environment, index)
        };
        blocked.truncated += encode(tables.left(), &first)?;
        match tables {
            Tables::One(records) => {
                let rows = 0..records.len() as u32;
                let near = self.nearest_by_vectors(&environment, (&first, rows), &first, self.neighbours + 1)?;
                blocked.pairs.extend(of_one(tables, near, self.neighbours));
            }
            Tables::Two(left, right) => {
                let second = index.set(1);
                blocked.truncated += encode(right, &second)?;
                let (left, right) = (0..left.len() as u32, 0..right.len() as u32);
                let near = self.nearest_by_vectors(&environment, (&first, left), &second, self.neighbours)?;
                blocked.pairs.extend(near.into_iter().map(|(left, right)| RecordPair { left, right }));
                let near = self.nearest_by_vectors(&environment, (&second, right), &first, self.neighbours)?;
                blocked.pairs.extend(near.into_iter().map(|(right, left)| RecordPair { left, right }));
            }
        }
        Ok(())
    }

    /// Stores the vectors of records' texts by row. Returns the number of texts longer than the encoder's window.
    fn encode(
        &self,
        texts: &[String],
        encoder: &Encoder,
        environment: &Environment,
        index: &VectorIndex,
    ) -> Result<u64, Error> {
        let mut truncated = 0;
        for (number, piece) in texts.chunks(ENCODED).enumerate() {
            self.progress.check()?;
            let vectors = encoder.encode(piece)?;
            truncated += vectors.truncated().len() as u64;
            if let Some(damaged) = vectors.rows().position(|row| row.iter().any(|number| !number.is_finite())) {
                return Err(Error::damaged_encoder(&piece[damaged]));
            }
            let rows = (0..).map(|at| (number * ENCODED + at) as u32).zip(vectors.rows());
            // A record without a token has no direction.
            let rows: Vec<(u32, &[f32])> = rows.filter(|(_, row)| row.iter().any(|number| *number != 0.0)).collect();
            let mut write = environment.write().map_err(truename_kb::Error::from)?;
            index.put(&mut write, &rows)?;
            write.commit().map_err(truename_kb::Error::from)?;
            self.progress.advance(piece.len() as u64);
        }
        Ok(truncated)
    }

    /// Returns the rows of one set of vectors with the rows of their nearest in another.
    fn nearest_by_vectors(
        &self,
        environment: &Environment,
        (queries, rows): (&VectorIndex, Range<u32>),
        index: &VectorIndex,
        limit: usize,
    ) -> Result<Vec<(u32, u32)>, Error> {
        self.progress.begin("searching by vectors", u64::from(rows.end));
        let read = environment.read().map_err(truename_kb::Error::from)?;
        let (reader, mut scratch) = (index.reader(&read)?, VectorScratch::default());
        let search = VectorSearch { limit, ..VectorSearch::default() };
        let mut near = Vec::with_capacity(rows.len() * limit);
        for first in rows.clone().step_by(PIECE) {
            self.progress.check()?;
            let piece = first..rows.end.min(first + PIECE as u32);
            let mut vectors = Vec::with_capacity(piece.len());
            for row in piece.clone() {
                vectors.extend(queries.get(&read, row)?.map(|vector| (row, vector)));
            }
            let texts: Vec<&[f32]> = vectors.iter().map(|(_, vector)| vector.as_slice()).collect();
            for ((row, _), hits) in vectors.iter().zip(reader.search(&texts, &search, &mut scratch)?) {
                near.extend(hits.into_iter().map(|hit| (*row, hit.name)));
            }
            self.progress.advance(piece.len() as u64);
        }
        Ok(near)
    }
}

/// Returns the pairs of each record of one table with its nearest others, at most `limit` of them.
fn of_one(tables: Tables<'_>, near: Vec<(u32, u32)>, limit: usize) -> impl Iterator<Item = RecordPair> {
    let mut last = (0, 0);
    near.into_iter().filter_map(move |(query, row)| {
        let pair = tables.pair(query, row)?;
        last = if last.0 == query { (query, last.1 + 1) } else { (query, 1) };
        (last.1 <= limit).then_some(pair)
    })
}

/// A temporary index of the n-grams of records.
struct IndexedRecords<'a> {
    columns: &'a Columns,
    environment: Environment,
    ngrams: NgramIndex,
    /// Rows in the order of their numbers in the index, which go by length: searches are then fastest.
    rows: Vec<u32>,
}

impl<'a> IndexedRecords<'a> {
    fn new(records: &[Record], columns: &'a Columns, progress: &Progress) -> Result<Self, Error> {
        progress.check()?;
        progress.begin("indexing", 0);
        let lengths: Vec<usize> =
            records.iter().map(|record| record.fields().map(|(_, value)| value.len()).sum()).collect();
        let mut rows: Vec<u32> = (0..records.len() as u32).collect();
        rows.sort_by_key(|row| (lengths[*row as usize], *row));
        let bytes = lengths.iter().sum::<usize>() as u64 * MAP_BYTES_PER_TEXT_BYTE;
        let environment = Environment::scratch(MAP_BYTES + bytes).map_err(truename_kb::Error::from)?;
        let mut write = environment.write().map_err(truename_kb::Error::from)?;
        let ngrams = NgramIndex::create(&environment, &mut write)?;
        let grams = |name: u32| grams_of(&records[rows[name as usize] as usize], columns);
        ngrams.build(&mut write, records.len() as u32, grams)?;
        write.commit().map_err(truename_kb::Error::from)?;
        Ok(Self { columns, environment, ngrams, rows })
    }
}

fn grams_of(record: &Record, columns: &Columns) -> Vec<Gram> {
    grams(&NormalizedName::new(&columns.text(record)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(names: &[&str]) -> Vec<Record> {
        let columns = ["name".to_owned()].into();
        names.iter().map(|name| Record::new(&columns, vec![(*name).to_owned()])).collect()
    }

    fn rows(blocked: &Blocked) -> Vec<(u32, u32)> {
        blocked.pairs.iter().map(|pair| (pair.left, pair.right)).collect()
    }

    #[test]
    fn each_record_is_paired_with_its_nearest() {
        let one = records(&["heart attack", "migraine", "heart attacks", "migraines", ""]);
        let blocked = Blocking::new().neighbours(1).pairs(Tables::One(&one)).unwrap();
        assert_eq!(rows(&blocked), [(0, 2), (1, 3)]);
        let two = records(&["migraine headache", "attack of the heart", "unrelated"]);
        let blocked = Blocking::new().neighbours(1).pairs(Tables::Two(&one, &two)).unwrap();
        assert_eq!(rows(&blocked), [(0, 1), (1, 0), (2, 1), (3, 0)]);
    }

    #[test]
    fn of_equal_records_the_lower_rows_are_taken() {
        let same = records(&["alpha"; 20]);
        let blocked = Blocking::new().neighbours(2).pairs(Tables::One(&same)).unwrap();
        assert!(blocked.pairs.iter().all(|pair| pair.left < 2), "{blocked:?}");
        assert_eq!(blocked.pairs.len(), 18 + 19);
    }

    #[test]
    fn an_encoder_adds_its_nearest() {
        let encoder = Encoder::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let (left, right) = (records(&["heart attack", "xyz"]), records(&["infarct", "flu", "cold"]));
        let letters = Blocking::new().neighbours(1).pairs(Tables::Two(&left, &right)).unwrap();
        let blocking = Blocking::new().neighbours(1).encoder(Some(&encoder));
        let blocked = blocking.pairs(Tables::Two(&left, &right)).unwrap();
        assert!(letters.pairs.is_empty());
        // Each of the five records has a nearest one; some are nearest to each other.
        assert!((3..=5).contains(&blocked.pairs.len()), "{blocked:?}");
        assert_eq!(blocked, blocking.pairs(Tables::Two(&left, &right)).unwrap());
        let one = blocking.pairs(Tables::One(&right)).unwrap();
        assert!(one.pairs.iter().all(|pair| pair.left < pair.right) && one.pairs.len() >= 2, "{one:?}");
    }

    #[test]
    fn a_stopped_progress_ends_the_search() {
        let progress = Arc::new(Progress::default());
        progress.stop();
        let blocking = Blocking::new().progress(progress);
        assert!(blocking.pairs(Tables::One(&records(&["a"]))).unwrap_err().is_interrupted());
    }

    #[test]
    fn nothing_has_no_pairs() {
        assert_eq!(Blocking::new().pairs(Tables::One(&[])).unwrap(), Blocked::default());
        assert_eq!(Blocking::new().pairs(Tables::Two(&records(&["a"]), &[])).unwrap(), Blocked::default());
    }
}
