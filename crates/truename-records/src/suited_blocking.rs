//! Blocking that suits tables: by neighbours, or in large tables by rules found in their columns.

use rayon::prelude::*;
use truename_text::{SplitMix64, stable_hash};

use super::distinct::Firsts;
use super::{BlockRule, Blocking, ColumnType, ColumnTypes, DistinctRecords, Record, RecordTables, Tables};

/// Number of distinct records up to which neighbours are searched, if rules can take their place.
const MOST_SEARCHED: usize = 100_000;
/// Most pairs of a rule, and of all rules together, for each record.
const PAIRS_OF_RULE: f64 = 1.0;
const PAIRS: f64 = 4.0;
/// Least share of the records that have a key of a rule.
const LEAST_KEYED: f64 = 0.2;
/// Most records whose keys are counted, and seed by which they are drawn.
const MOST_KEYED: usize = 2_000_000;
const SEED: u64 = 1;
/// Number of records by which one key in how many is counted.
const COUNTED: usize = 250_000;
/// Most columns of a rule.
const MOST_COLUMNS: usize = 3;
/// Most rules that are found.
const MOST_RULES: usize = 16;
/// Fewest rules that take the place of neighbours: each misses what is written otherwise in its columns.
const FEWEST_RULES: usize = 3;

/// Number of neighbours and rules that suit tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuitedBlocking {
    /// Number of neighbours; 0 for the rules alone.
    pub neighbours: usize,
    /// Rules found in the columns.
    pub rules: Vec<BlockRule>,
}

impl SuitedBlocking {
    /// Returns the number of neighbours and the rules that are asked for. Without either it is the standard number for up to 100,000 distinct
    /// records or with an encoder, which compares by neighbours, and for more the rules of [`found_rules`] alone, if there are three.
    pub fn new(tables: &RecordTables, neighbours: Option<usize>, rules: Vec<BlockRule>, has_encoder: bool) -> Self {
        let RecordTables { types, .. } = tables;
        let tables = tables.tables();
        if neighbours.is_none() && rules.is_empty() && !has_encoder {
            let firsts = DistinctRecords::of(tables).firsts();
            if firsts.left.len() + firsts.right.len() > MOST_SEARCHED {
                let rules = rules_of_sample(tables, &firsts, &ColumnTypes::of(tables).with(types));
                if rules.len() >= FEWEST_RULES {
                    return Self { neighbours: 0, rules };
                }
            }
        }
        Self { neighbours: neighbours.unwrap_or(Blocking::default().neighbours), rules }
    }
}

/// Returns the rules of tables by at most two million of their records, which are spread over the tables.
fn rules_of_sample(tables: Tables<'_>, firsts: &Firsts, types: &ColumnTypes) -> Vec<BlockRule> {
    let share = MOST_KEYED as f64 / (firsts.left.len() + firsts.right.len()) as f64;
    if share >= 1.0 {
        return found_rules(tables, types, 1.0);
    }
    let limit = (share * (1_u64 << 32) as f64) as u64;
    let is_drawn = |row: &&u32| SplitMix64::at(SEED, u64::from(**row)) >> 32 < limit;
    let drawn = |records: &[Record], rows: &[u32]| -> Vec<Record> {
        rows.iter().filter(is_drawn).map(|row| records[*row as usize].clone()).collect()
    };
    let left = drawn(tables.left(), &firsts.left);
    match tables {
        Tables::One(_) => found_rules(Tables::One(&left), types, share),
        Tables::Two(_, right) => found_rules(Tables::Two(&left, &drawn(right, &firsts.right)), types, share),
    }
}

/// Returns rules whose keys few records share: values of one, two or three columns, names by their sound. Those of three columns come last,
/// else those with the fewest pairs first, at most one pair a record each and four together. Columns that are a rule are together in no other.
/// `share`: the share of all records that the tables have, 1 for whole ones; the pairs are those of all.
pub fn found_rules(tables: Tables<'_>, types: &ColumnTypes, share: f64) -> Vec<BlockRule> {
    let columns: Vec<KeyedColumn> =
        types.iter().filter_map(|(name, kind)| KeyedColumn::of(tables, name, kind)).collect();
    let of = |places: &[usize]| Found::of(&places.iter().map(|at| &columns[*at]).collect::<Vec<_>>(), share);
    // Combinations of columns that are too coarse for a rule.
    let (mut found, mut coarse) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..MOST_COLUMNS {
        let longer = coarse.iter().flat_map(|places: &Vec<usize>| {
            let next = places.last().map_or(0, |last| last + 1);
            (next..columns.len()).map(move |at| [&places[..], &[at]].concat())
        });
        let is_coarse = |places: &[usize]| coarse.iter().any(|known| known == places);
        let without = |places: &[usize], at: usize| [&places[..at], &places[at + 1..]].concat();
        let longer: Vec<Vec<usize>> =
            longer.filter(|places| (0..places.len()).all(|at| is_coarse(&without(places, at)))).collect();
        let rules: Vec<Option<Found>> = longer.iter().map(|places| of(places)).collect();
        coarse = longer.into_iter().zip(&rules).filter(|(_, rule)| rule.is_none()).map(|(places, _)| places).collect();
        found.extend(rules.into_iter().flatten());
    }
    found.sort_by_key(|found| (found.columns > 2, found.pairs));
    let mut left = (PAIRS * share * tables.all().count() as f64) as u64;
    let fits = |found: &Found| {
        let fits = found.pairs <= left;
        left -= if fits { found.pairs } else { 0 };
        fits
    };
    found.into_iter().filter(fits).take(MOST_RULES).filter_map(|found| found.rule.parse().ok()).collect()
}

/// A column with the hash of the key that each record has; 0 for none.
struct KeyedColumn {
    term: String,
    left: Vec<u64>,
    /// None for one table.
    right: Option<Vec<u64>>,
}

impl KeyedColumn {
    /// Returns the keys of a column; none where equal values of its type say little, or its name cannot be written in a rule.
    fn of(tables: Tables<'_>, name: &str, kind: ColumnType) -> Option<Self> {
        let term = match kind {
            ColumnType::GivenName | ColumnType::FamilyName | ColumnType::PersonName => format!("soundex({name})"),
            ColumnType::Company | ColumnType::Address => format!("prefix({name}, 6)"),
            ColumnType::Place => format!("prefix({name}, 4)"),
            ColumnType::Postcode | ColumnType::Code | ColumnType::Phone | ColumnType::Email | ColumnType::Date => {
                name.to_owned()
            }
            ColumnType::Number | ColumnType::Coordinates | ColumnType::Text => return None,
        };
        let rule: BlockRule = term.parse().ok().filter(|rule: &BlockRule| rule.columns().eq([name]))?;
        let hash = |record: &Record| rule.key(record).map_or(0, |key| stable_hash(&key).max(1));
        let hashes = |records: &[Record]| records.par_iter().map(hash).collect();
        let right = match tables {
            Tables::One(_) => None,
            Tables::Two(_, right) => Some(hashes(right)),
        };
        Some(Self { term, left: hashes(tables.left()), right })
    }
}

/// A rule that few pairs of records fulfil.
struct Found {
    rule: String,
    columns: usize,
    pairs: u64,
}

impl Found {
    fn of(columns: &[&KeyedColumn], share: f64) -> Option<Self> {
        let rule = columns.iter().map(|column| column.term.as_str()).collect::<Vec<_>>().join(" + ");
        let records =
            columns.iter().map(|column| column.left.len() + column.right.as_ref().map_or(0, Vec::len)).max()?;
        let part = (records / COUNTED).max(1) as u64;
        let keys = |of: fn(&KeyedColumn) -> &[u64]| {
            let key = |row| {
                let parts = columns.iter().map(|column| of(column)[row]);
                let joined = |key: u64, part: u64| key.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ part;
                if parts.clone().any(|part| part == 0) { 0 } else { parts.fold(0, joined).max(1) }
            };
            let is_counted = |key: &u64| *key != 0 && key.is_multiple_of(part);
            let mut keys: Vec<u64> = (0..of(columns[0]).len()).into_par_iter().map(key).filter(is_counted).collect();
            keys.par_sort_unstable();
            keys
        };
        let left = keys(|column| &column.left);
        let right = columns[0].right.as_ref().map(|_| keys(|column| column.right.as_deref().unwrap_or_default()));
        let keyed = part * (left.len() + right.as_ref().map_or(0, Vec::len)) as u64;
        let pairs = part
            * match &right {
                None => left.chunk_by(u64::eq).map(|equal| (equal.len() * (equal.len() - 1) / 2) as u64).sum::<u64>(),
                Some(right) => shared(&left, right),
            };
        let is_found =
            keyed as f64 >= LEAST_KEYED * records as f64 && pairs as f64 <= PAIRS_OF_RULE * share * records as f64;
        is_found.then_some(Self { rule, columns: columns.len(), pairs })
    }
}

/// Returns the number of pairs of equal keys of two sorted lists.
fn shared(left: &[u64], right: &[u64]) -> u64 {
    let count = |key: u64| right.partition_point(|other| *other <= key) - right.partition_point(|other| *other < key);
    left.chunk_by(u64::eq).map(|equal| (equal.len() * count(equal[0])) as u64).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{ColumnChoice, RecordTable};

    /// Persons of whom each second one stands twice, with another street the second time.
    fn people(count: usize) -> Vec<[String; 5]> {
        let names = ["Nora", "Omar", "Paul", "Rita", "Sami", "Tina", "Ulla", "Vera", "Will", "Xena", "Yuri"];
        let person = |at: usize, street: usize| {
            let born = format!("19{:02}-{:02}-{:02}", at % 89, at / 89 % 12 + 1, at / 1068 % 28 + 1);
            let street = format!("{street} {} Street", names[street % 11]);
            let (given, family) = (names[at % 11].to_owned(), format!("{}son", names[at / 11 % 11]));
            [given, family, street, born, (10_007 + at * 7919 % 89_983).to_string()]
        };
        (0..count).flat_map(|at| [(at % 2 == 0).then(|| person(at, at + 1)), Some(person(at, at))]).flatten().collect()
    }

    fn tables(rows: &[[String; 5]]) -> RecordTables {
        let columns = ["given name", "family name", "street", "date of birth", "customer number"].map(str::to_owned);
        let table = RecordTable::new("people", columns.to_vec(), rows);
        RecordTables::new(table, None, &ColumnChoice::default()).unwrap()
    }

    #[test]
    fn rules_propose_few_pairs_and_the_matches() {
        let rows = people(4000);
        let tables = tables(&rows);
        let types = ColumnTypes::of(tables.tables());
        let rules = found_rules(tables.tables(), &types, 1.0);
        assert!(rules.len() >= FEWEST_RULES, "{rules:?}");
        let blocking = Blocking { neighbours: 0, rules: &rules, ..Blocking::default() };
        let pairs: HashSet<_> = blocking.pairs(tables.tables()).unwrap().pairs.into_iter().collect();
        assert!(pairs.len() as f64 <= PAIRS * rows.len() as f64, "{} of {rules:?}", pairs.len());
        let matches = (0..rows.len() as u32 - 1).filter(|row| rows[*row as usize][4] == rows[*row as usize + 1][4]);
        let matches: Vec<_> = matches.filter_map(|row| tables.tables().pair(row, row + 1)).collect();
        assert!(matches.len() == 2000 && matches.iter().all(|pair| pairs.contains(pair)), "{rules:?}");
        // A column whose values are rare is a rule alone, and in no other.
        let texts: Vec<String> = rules.iter().map(ToString::to_string).collect();
        assert!(texts.contains(&"customer number".to_owned()), "{texts:?}");
        assert!(texts.iter().all(|text| !text.contains('+') || !text.contains("customer number")), "{texts:?}");
        // In a part of the records each pair stands for many.
        let of_part: Vec<String> = found_rules(tables.tables(), &types, 0.1).iter().map(ToString::to_string).collect();
        assert!(
            texts.contains(&"date of birth".to_owned()) && !of_part.contains(&"date of birth".to_owned()),
            "{of_part:?}"
        );
    }

    #[test]
    fn keys_of_two_tables_are_counted_together() {
        let rows = people(4000);
        let (left, right): (Vec<_>, Vec<_>) = rows.iter().cloned().enumerate().partition(|(at, _)| at % 3 == 0);
        let table = |name: &str, rows: Vec<(usize, [String; 5])>| {
            let columns =
                ["given name", "family name", "street", "date of birth", "customer number"].map(str::to_owned);
            RecordTable::new(name, columns.to_vec(), rows.into_iter().map(|(_, row)| row))
        };
        let tables =
            RecordTables::new(table("one", left), Some(table("two", right)), &ColumnChoice::default()).unwrap();
        let rules = found_rules(tables.tables(), &ColumnTypes::of(tables.tables()), 1.0);
        assert!(rules.iter().any(|rule| rule.to_string() == "customer number"), "{rules:?}");
    }

    #[test]
    fn large_tables_alone_have_rules_in_place_of_neighbours() {
        let small = tables(&people(100));
        let standard = SuitedBlocking { neighbours: 10, rules: Vec::new() };
        assert_eq!(SuitedBlocking::new(&small, None, Vec::new(), false), standard);
        let large = tables(&people(70_000));
        let suited = SuitedBlocking::new(&large, None, Vec::new(), false);
        assert!(suited.neighbours == 0 && suited.rules.len() >= FEWEST_RULES, "{suited:?}");
        assert_eq!(SuitedBlocking::new(&large, Some(10), Vec::new(), false), standard);
        assert_eq!(SuitedBlocking::new(&large, None, Vec::new(), true), standard);
        let rules = vec!["street".parse().unwrap()];
        let with_rules = SuitedBlocking::new(&large, None, rules.clone(), false);
        assert_eq!(with_rules, SuitedBlocking { neighbours: 10, rules });
    }
}
