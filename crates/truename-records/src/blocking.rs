//! Pairs worth comparing: each record with the nearest of the others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;
use truename_error::{ErrorKind, HintPart, hint};
use truename_index::{NgramIndex, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Encoder;
use truename_kb::Progress;
use truename_read::quoted;
use truename_storage::Environment;
use truename_text::{NormalizedName, grams, stable_hash};

use super::columns::Columns;
use super::distinct::Firsts;
use super::keyed_rows::KeyedRows;
use super::{BlockRule, DistinctRecords, Record, RecordPair, Tables};
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
/// Both work on the values of a record in one text; in two tables on those of the columns that both have. Equal records are one
/// ([`DistinctRecords`]), and pairs name the first row of each. Of records that are equally near, those of the lower rows are taken.
pub struct Blocking<'a> {
    /// Encoder for the nearest by vectors too; none for n-grams alone.
    pub encoder: Option<&'a Encoder>,
    /// Number of neighbours that each record has by each index; 0 for the rules alone.
    pub neighbours: usize,
    /// Rules whose records with equal keys are proposed too.
    pub rules: &'a [BlockRule],
    /// First row of one table that is compared with others, 0 for two tables; pairs of rows before it are not proposed.
    pub first_new: usize,
    /// Number of the table that each row of one table came from; rows of one number are not compared.
    pub sources: Option<&'a [u32]>,
    /// Progress of the work, for another thread to watch or stop.
    pub progress: Arc<Progress>,
}

/// The pairs that blocking proposes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CandidatePairs {
    /// Each pair once, in order.
    pub pairs: Vec<RecordPair>,
    /// Number of distinct records longer than the encoder's window; their vectors cover the beginning.
    pub truncated: u64,
    /// Number of records with each rule's keys that more than a thousand records share; the rule proposes no pairs of these.
    pub left_out: Vec<usize>,
}

impl Default for Blocking<'_> {
    fn default() -> Self {
        Self {
            encoder: None,
            neighbours: NEIGHBOURS,
            rules: &[],
            first_new: 0,
            sources: None,
            progress: Arc::default(),
        }
    }
}

impl Blocking<'_> {
    /// Most distinct records of a table with one key of a rule that are compared.
    pub const MOST_WITH_KEY: usize = 1000;

    /// Returns the pairs of each record with its neighbours. In two tables the neighbours are of the other table, and both
    /// tables' records are asked for.
    ///
    /// # Errors
    /// If the temporary index or the encoder fails, the tables do not share a column of a rule, there are neither neighbours nor rules, or
    /// [`Error::is_interrupted`].
    pub fn pairs(&self, tables: Tables<'_>) -> Result<CandidatePairs, Error> {
        if self.neighbours == 0 && self.rules.is_empty() {
            return Err(Error::new(ErrorKind::Choice, "without neighbours and rules no records are compared")
                .with_hint(hint![HintPart::setting("block").value("postcode + soundex(last)")]));
        }
        let mut blocked = CandidatePairs::default();
        let distinct = DistinctRecords::of(tables);
        let (firsts, sources) = (distinct.firsts(), self.sources.map(|sources| distinct.sources(sources)));
        let sources = sources.as_deref();
        if self.neighbours > 0 {
            self.by_ngrams(tables, &firsts, sources, &mut blocked)?;
        }
        if let Some(encoder) = self.encoder.filter(|_| self.neighbours > 0) {
            self.by_vectors(tables, &firsts, encoder, &mut blocked)?;
        }
        for rule in self.rules {
            self.progress.check()?;
            by_rule(tables, &firsts, rule, &mut blocked)?;
        }
        if let Tables::One(_) = tables {
            let is_apart = |pair: &RecordPair| sources.is_none_or(|sources| are_apart(sources, pair.left, pair.right));
            blocked.pairs.retain(|pair| pair.right as usize >= self.first_new && is_apart(pair));
        }
        blocked.pairs.par_sort_unstable();
        blocked.pairs.dedup();
        Ok(blocked)
    }

    fn by_ngrams(
        &self,
        tables: Tables<'_>,
        firsts: &Firsts,
        sources: Option<&[Option<u32>]>,
        blocked: &mut CandidatePairs,
    ) -> Result<(), Error> {
        let columns = Columns::of(tables);
        let text = |record: &Record| NormalizedName::new(&columns.text(record));
        let left = Texts::of(tables.left(), &firsts.left, text);
        let index = IndexedTexts::new(&left.texts, &self.progress)?;
        match tables {
            Tables::One(_) => {
                let near = self.nearest_by_ngrams(&index, &left, sources)?;
                blocked.add(&left, &left, near, self.neighbours, |row, other| tables.pair(row, other));
            }
            Tables::Two(_, records) => {
                let right = Texts::of(records, &firsts.right, text);
                let near = self.nearest_by_ngrams(&index, &right, None)?;
                drop(index);
                blocked.add(&right, &left, near, self.neighbours, |row, other| tables.pair(other, row));
                let near = self.nearest_by_ngrams(&IndexedTexts::new(&right.texts, &self.progress)?, &left, None)?;
                blocked.add(&left, &right, near, self.neighbours, |row, other| tables.pair(row, other));
            }
        }
        Ok(())
    }

    /// Returns the places of the texts nearest to each query, the nearest first; none for a query that no new row has. With `sources` of
    /// the records the texts are those of the queries, and the nearest of other sources count.
    fn nearest_by_ngrams(
        &self,
        index: &IndexedTexts,
        queries: &Texts<NormalizedName>,
        sources: Option<&[Option<u32>]>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        self.progress.begin("searching by n-grams", queries.texts.len() as u64);
        let rank = |name: u32| index.places[name as usize];
        let is_new = |rows: &[u32]| rows.last().is_some_and(|row| *row as usize >= self.first_new);
        let piece = |(piece, rows): (&[NormalizedName], &[Vec<u32>])| {
            self.progress.check()?;
            let read = index.environment.read()?;
            let (mut scratch, mut near) = (SearchScratch::default(), Vec::with_capacity(piece.len()));
            for (query, rows) in piece.iter().zip(rows) {
                if !is_new(rows) {
                    near.push(Vec::new());
                    continue;
                }
                let is_other = sources.map(|sources| {
                    move |name: u32| {
                        let others = &queries.rows[rank(name) as usize];
                        others.iter().any(|other| rows.iter().any(|row| are_apart(sources, *row, *other)))
                    }
                });
                let allowed = is_other.as_ref().map(|is_other| is_other as &dyn Fn(u32) -> bool);
                let search = Search { limit: self.limit(), rank: Some(&rank), allowed, ..Search::default() };
                let hits = index.ngrams.search(&read, &grams(query), &search, &mut scratch)?;
                near.push(hits.into_iter().map(|hit| rank(hit.name)).collect());
            }
            self.progress.advance(piece.len() as u64);
            Ok(near)
        };
        let pieces = queries.texts.par_chunks(PIECE).zip(queries.rows.par_chunks(PIECE));
        let pieces: Result<Vec<Vec<Vec<u32>>>, Error> = pieces.map(piece).collect();
        Ok(pieces?.concat())
    }

    /// Number of texts to search for: a record of one table is nearest to itself.
    fn limit(&self) -> usize {
        self.neighbours + 1
    }

    fn by_vectors(
        &self,
        tables: Tables<'_>,
        firsts: &Firsts,
        encoder: &Encoder,
        blocked: &mut CandidatePairs,
    ) -> Result<(), Error> {
        let columns = Columns::of(tables);
        let text = |record: &Record| columns.text(record);
        let left = Texts::of(tables.left(), &firsts.left, text);
        let right = match tables {
            Tables::One(_) => None,
            Tables::Two(_, right) => Some(Texts::of(right, &firsts.right, text)),
        };
        let count = left.texts.len() + right.as_ref().map_or(0, |right| right.texts.len());
        let bytes = (count * encoder.dimensions()) as u64 * MAP_BYTES_PER_DIMENSION;
        let environment = Environment::scratch(MAP_BYTES + bytes)?;
        let mut write = environment.write()?;
        let index = VectorIndex::create(&environment, &mut write)?;
        write.commit()?;
        self.progress.begin("encoding", count as u64);
        let first = index.set(0);
        blocked.truncated += self.encode(&left, encoder, &environment, &first)?;
        match right {
            None => {
                let near = self.nearest_by_vectors(&environment, (&first, left.texts.len()), &first)?;
                blocked.add(&left, &left, near, self.neighbours, |row, other| tables.pair(row, other));
            }
            Some(right) => {
                let second = index.set(1);
                blocked.truncated += self.encode(&right, encoder, &environment, &second)?;
                let near = self.nearest_by_vectors(&environment, (&first, left.texts.len()), &second)?;
                blocked.add(&left, &right, near, self.neighbours, |row, other| tables.pair(row, other));
                let near = self.nearest_by_vectors(&environment, (&second, right.texts.len()), &first)?;
                blocked.add(&right, &left, near, self.neighbours, |row, other| tables.pair(other, row));
            }
        }
        Ok(())
    }

    /// Stores the vectors of texts by place. Returns the number of records longer than the encoder's window.
    fn encode(
        &self,
        texts: &Texts<String>,
        encoder: &Encoder,
        environment: &Environment,
        index: &VectorIndex,
    ) -> Result<u64, Error> {
        let mut truncated = 0;
        for (number, piece) in texts.texts.chunks(ENCODED).enumerate() {
            self.progress.check()?;
            let vectors = encoder.encode(piece)?;
            let first = number * ENCODED;
            truncated += vectors.truncated().iter().map(|at| texts.rows[first + *at].len() as u64).sum::<u64>();
            let rows = (first as u32..).zip(vectors.rows());
            // A text without a token has no direction.
            let rows: Vec<(u32, &[f32])> = rows.filter(|(_, row)| row.iter().any(|number| *number != 0.0)).collect();
            let mut write = environment.write()?;
            index.put(&mut write, &rows)?;
            write.commit()?;
            self.progress.advance(piece.len() as u64);
        }
        Ok(truncated)
    }

    /// Returns the places of the texts nearest to each of `count` texts of one set of vectors in another, the nearest first.
    fn nearest_by_vectors(
        &self,
        environment: &Environment,
        (queries, count): (&VectorIndex, usize),
        index: &VectorIndex,
    ) -> Result<Vec<Vec<u32>>, Error> {
        self.progress.begin("searching by vectors", count as u64);
        let read = environment.read()?;
        let (reader, mut scratch) = (index.reader(&read)?, VectorScratch::default());
        let search = VectorSearch { limit: self.limit(), ..VectorSearch::default() };
        let mut near = vec![Vec::new(); count];
        for first in (0..count).step_by(PIECE) {
            self.progress.check()?;
            let piece = first..count.min(first + PIECE);
            let mut vectors = Vec::with_capacity(piece.len());
            for place in piece.clone() {
                vectors.extend(queries.get(&read, place as u32)?.map(|vector| (place, vector)));
            }
            let texts: Vec<&[f32]> = vectors.iter().map(|(_, vector)| vector.as_slice()).collect();
            for ((place, _), hits) in vectors.iter().zip(reader.search(&texts, &search, &mut scratch)?) {
                near[*place] = hits.into_iter().map(|hit| hit.name).collect();
            }
            self.progress.advance(piece.len() as u64);
        }
        Ok(near)
    }
}

/// Returns true unless the records of two rows are of one table alone.
fn are_apart(sources: &[Option<u32>], row: u32, other: u32) -> bool {
    let source = sources[row as usize];
    source.is_none() || source != sources[other as usize]
}

/// Adds the pairs of records with equal keys, where at most [`Blocking::MOST_WITH_KEY`] records have the key.
fn by_rule(tables: Tables<'_>, firsts: &Firsts, rule: &BlockRule, blocked: &mut CandidatePairs) -> Result<(), Error> {
    let columns = Columns::of(tables);
    if let Some(missing) = rule.columns().find(|column| !columns.names().contains(column)) {
        let message =
            format!("rule of blocking {}: no column {} is compared", quoted(&rule.to_string()), quoted(missing));
        return Err(Error::new(ErrorKind::NoColumn, message));
    }
    let keyed = |records: &[Record], rows: &[u32]| {
        let key = |row: &u32| Some((stable_hash(&rule.key(&records[*row as usize])?), *row));
        rows.par_iter().filter_map(key).collect::<Vec<(u64, u32)>>()
    };
    let right = match tables {
        Tables::One(_) => None,
        Tables::Two(_, records) => Some(keyed(records, &firsts.right)),
    };
    let mut left_out = 0;
    for equal in KeyedRows::new(keyed(tables.left(), &firsts.left), right).equal() {
        if equal.rows.len().max(equal.others.len()) > Blocking::MOST_WITH_KEY {
            left_out += equal.rows.len();
        } else {
            blocked.pairs.extend(equal.pairs(tables));
        }
    }
    blocked.left_out.push(left_out);
    Ok(())
}

impl CandidatePairs {
    /// Adds the pairs of each row of the queries with the rows of the texts nearest to its own, at most `limit` a row.
    fn add<T>(
        &mut self,
        queries: &Texts<T>,
        others: &Texts<T>,
        near: Vec<Vec<u32>>,
        limit: usize,
        pair: impl Fn(u32, u32) -> Option<RecordPair>,
    ) {
        for (rows, near) in queries.rows.iter().zip(near) {
            for row in rows {
                let others = near.iter().flat_map(|place| &others.rows[*place as usize]);
                self.pairs.extend(others.filter_map(|other| pair(*row, *other)).take(limit));
            }
        }
    }
}

/// The distinct texts of records, in the order of their first rows. Many records may have one text: those of two tables that
/// differ in columns that only one table has.
struct Texts<T> {
    texts: Vec<T>,
    /// Rows of each text, ascending.
    rows: Vec<Vec<u32>>,
}

impl<T: Hash + Eq + Clone + Send> Texts<T> {
    fn of(records: &[Record], rows: &[u32], text: impl Fn(&Record) -> T + Sync) -> Self {
        let of_rows: Vec<T> = rows.par_iter().map(|row| text(&records[*row as usize])).collect();
        let mut places: HashMap<T, usize> = HashMap::new();
        let mut texts = Self { texts: Vec::new(), rows: Vec::new() };
        for (row, text) in rows.iter().zip(of_rows) {
            let place = *places.entry(text).or_insert_with_key(|text| {
                texts.texts.push(text.clone());
                texts.rows.push(Vec::new());
                texts.texts.len() - 1
            });
            texts.rows[place].push(*row);
        }
        texts
    }
}

/// A temporary index of the n-grams of texts.
struct IndexedTexts {
    environment: Environment,
    ngrams: NgramIndex,
    /// Places of the texts in the order of their numbers in the index, which go by length: searches are then fastest.
    places: Vec<u32>,
}

impl IndexedTexts {
    fn new(texts: &[NormalizedName], progress: &Progress) -> Result<Self, Error> {
        progress.check()?;
        progress.begin("indexing", 0);
        let length = |place: u32| texts[place as usize].as_str().len();
        let mut places: Vec<u32> = (0..texts.len() as u32).collect();
        places.sort_by_key(|place| (length(*place), *place));
        let bytes = texts.iter().map(|text| text.as_str().len()).sum::<usize>() as u64 * MAP_BYTES_PER_TEXT_BYTE;
        let environment = Environment::scratch(MAP_BYTES + bytes)?;
        let mut write = environment.write()?;
        let ngrams = NgramIndex::create(&environment, &mut write)?;
        let of_text = |name: u32| grams(&texts[places[name as usize] as usize]);
        ngrams.build(&mut write, texts.len() as u32, of_text)?;
        write.commit()?;
        Ok(Self { environment, ngrams, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(names: &[&str]) -> Vec<Record> {
        let columns = ["name".to_owned()].into();
        names.iter().map(|name| Record::new(&columns, vec![(*name).to_owned()])).collect()
    }

    fn rows(blocked: &CandidatePairs) -> Vec<(u32, u32)> {
        blocked.pairs.iter().map(|pair| (pair.left, pair.right)).collect()
    }

    #[test]
    fn each_record_is_paired_with_its_nearest() {
        let one = records(&["heart attack", "migraine", "heart attacks", "migraines", ""]);
        let blocked = Blocking { neighbours: 1, ..Blocking::default() }.pairs(Tables::One(&one)).unwrap();
        assert_eq!(rows(&blocked), [(0, 2), (1, 3)]);
        let two = records(&["migraine headache", "attack of the heart", "unrelated"]);
        let blocked = Blocking { neighbours: 1, ..Blocking::default() }.pairs(Tables::Two(&one, &two)).unwrap();
        assert_eq!(rows(&blocked), [(0, 1), (1, 0), (2, 1), (3, 0)]);
    }

    #[test]
    fn equal_records_are_one_and_of_equal_texts_the_lower_rows_are_taken() {
        let same = records(&["alpha", "alpha", "alphas", "alpha"]);
        assert_eq!(rows(&Blocking::default().pairs(Tables::One(&same)).unwrap()), [(0, 2)]);
        // The columns that both tables have are equal, others differ.
        let columns = ["name".to_owned(), "of left".to_owned()].into();
        let left: Vec<Record> =
            (0..20).map(|row| Record::new(&columns, vec!["alpha".into(), row.to_string()])).collect();
        let blocked = Blocking { neighbours: 2, ..Blocking::default() }.pairs(Tables::Two(&left, &same[2..])).unwrap();
        assert!(blocked.pairs.iter().all(|pair| pair.right < 2), "{blocked:?}");
        assert_eq!(blocked.pairs.len(), 20 * 2);
    }

    #[test]
    fn rules_add_the_records_with_equal_keys() {
        let one = records(&["alpha x", "beta", "gamma x", "alpha y", "alpha x"]);
        let rules = ["prefix(name, 5)".parse().unwrap(), "soundex(name)".parse().unwrap()];
        let of = |rules| Blocking { neighbours: 1, rules, ..Blocking::default() };
        let blocked = of(&rules).pairs(Tables::One(&one)).unwrap();
        assert!(rows(&blocked).contains(&(0, 3)) && rows(&blocked).contains(&(0, 2)), "{blocked:?}");
        assert!(!rows(&blocked).contains(&(1, 3)) && blocked.left_out == [0, 0], "{blocked:?}");
        let two = records(&["gamma x", "delta", "alpine"]);
        let blocked = of(&rules[..1]).pairs(Tables::Two(&one, &two)).unwrap();
        assert!(rows(&blocked).contains(&(2, 0)) && !rows(&blocked).contains(&(1, 2)), "{blocked:?}");
        let alone = Blocking { neighbours: 0, rules: &rules[..1], ..Blocking::default() };
        assert_eq!(rows(&alone.pairs(Tables::One(&one)).unwrap()), [(0, 3)]);
        let none = Blocking { neighbours: 0, ..Blocking::default() }.pairs(Tables::One(&one)).unwrap_err();
        assert_eq!(none.to_string(), "without neighbours and rules no records are compared");
        let names: Vec<String> = (0..1001).map(|row| format!("omega {row}")).collect();
        let many = records(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let blocked = of(&rules[..1]).pairs(Tables::One(&many)).unwrap();
        assert!(blocked.left_out == [1001] && blocked.pairs.len() < 3000);
        let other = ["title".parse().unwrap()];
        let error = of(&other).pairs(Tables::One(&one)).unwrap_err().to_string();
        assert_eq!(error, "rule of blocking \"title\": no column \"title\" is compared");
    }

    #[test]
    fn an_encoder_adds_its_nearest() {
        let encoder = Encoder::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let (left, right) = (records(&["heart attack", "xyz"]), records(&["infarct", "flu", "cold"]));
        let letters = Blocking { neighbours: 1, ..Blocking::default() }.pairs(Tables::Two(&left, &right)).unwrap();
        let blocking = Blocking { neighbours: 1, encoder: Some(&encoder), ..Blocking::default() };
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
        let blocking = Blocking { progress, ..Blocking::default() };
        assert!(blocking.pairs(Tables::One(&records(&["a"]))).unwrap_err().is_interrupted());
    }

    #[test]
    fn nothing_has_no_pairs() {
        assert_eq!(Blocking::default().pairs(Tables::One(&[])).unwrap(), CandidatePairs::default());
        assert_eq!(Blocking::default().pairs(Tables::Two(&records(&["a"]), &[])).unwrap(), CandidatePairs::default());
    }
}
