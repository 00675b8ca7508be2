//! Vectors of the names of both sides by an encoder, and their nearest names.

use truename_index::{VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Encoder;
use truename_infer::kernels::dot;
use truename_kb::{Environment, Progress};

use crate::Error;
use crate::name_pair::NamePair;
use crate::vocabulary::{Name, Vocabulary};

/// Names encoded together, and queries searched together.
const ENCODED: usize = 4096;
const SEARCHED: usize = 256;
/// Sums of a dot product that are kept apart.
const LANES: usize = 16;
/// Address space of an index for each number of a vector, and beside that.
const MAP_BYTES_PER_NUMBER: u64 = 8;
const MAP_BYTES: u64 = 64 << 20;

/// Vectors of unit length of all names of both sides; of zeros where a name has no token.
pub(crate) struct NameVectors {
    width: usize,
    sides: [Vec<f32>; 2],
    /// Number of names longer than the encoder's window.
    pub(crate) truncated: usize,
}

impl NameVectors {
    pub(crate) fn new(sides: [&Vocabulary<'_>; 2], encoder: &Encoder, progress: &Progress) -> Result<Self, Error> {
        progress.begin("encoding", sides.iter().map(|side| side.names.len() as u64).sum());
        let mut truncated = 0;
        let mut encode = |names: &[Name]| -> Result<Vec<f32>, Error> {
            let mut rows = Vec::with_capacity(names.len() * encoder.dimensions());
            for names in names.chunks(ENCODED) {
                progress.check()?;
                let written: Vec<&str> = names.iter().map(|name| name.profile.written.as_str()).collect();
                let vectors = encoder.encode(&written)?;
                truncated += vectors.truncated().len();
                rows.extend(vectors.into_vec());
                progress.advance(names.len() as u64);
            }
            Ok(rows)
        };
        let sides = [encode(&sides[0].names)?, encode(&sides[1].names)?];
        Ok(Self { width: encoder.dimensions(), sides, truncated })
    }

    /// Returns the cosine of a name of the source and one of the target.
    pub(crate) fn cosine(&self, source: u32, target: u32) -> f32 {
        dot::<LANES>(self.row(0, source), self.row(1, target))
    }

    /// Returns each name with the nearest of the other side, in both directions.
    pub(crate) fn nearest(&self, neighbours: usize, progress: &Progress) -> Result<Vec<NamePair>, Error> {
        let pair = |source: u32, target: u32| NamePair { source, target, rewritten: 0.0 };
        let mut found: Vec<NamePair> = Vec::new();
        found.extend(self.search([0, 1], neighbours, progress)?.into_iter().map(|(name, other)| pair(name, other)));
        found.extend(self.search([1, 0], neighbours, progress)?.into_iter().map(|(name, other)| pair(other, name)));
        Ok(found)
    }

    fn search(&self, [from, to]: [usize; 2], neighbours: usize, progress: &Progress) -> Result<Vec<(u32, u32)>, Error> {
        let environment = Environment::scratch(MAP_BYTES + MAP_BYTES_PER_NUMBER * self.sides[to].len() as u64)?;
        let mut write = environment.write()?;
        let index = VectorIndex::create(&environment, &mut write)?;
        for rows in self.rows(to).chunks(ENCODED) {
            index.put(&mut write, rows)?;
        }
        write.commit()?;
        let read = environment.read()?;
        let (reader, mut scratch) = (index.reader(&read)?, VectorScratch::default());
        let search = VectorSearch { limit: neighbours, ..VectorSearch::default() };
        let (queries, mut found) = (self.rows(from), Vec::new());
        progress.begin("searching by vectors", queries.len() as u64);
        for piece in queries.chunks(SEARCHED) {
            progress.check()?;
            let rows: Vec<&[f32]> = piece.iter().map(|(_, row)| *row).collect();
            for ((name, _), hits) in piece.iter().zip(reader.search(&rows, &search, &mut scratch)?) {
                found.extend(hits.into_iter().map(|hit| (*name, hit.name)));
            }
            progress.advance(piece.len() as u64);
        }
        Ok(found)
    }

    fn row(&self, side: usize, name: u32) -> &[f32] {
        &self.sides[side][name as usize * self.width..][..self.width]
    }

    /// Returns the names of a side that have a vector.
    fn rows(&self, side: usize) -> Vec<(u32, &[f32])> {
        let rows = (0..).zip(self.sides[side].chunks_exact(self.width));
        rows.filter(|(_, row)| row.iter().any(|number| *number != 0.0)).collect()
    }
}
