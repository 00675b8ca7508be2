//! Blocking that suits tables: by neighbours, or in large tables by rules found in their columns.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{SplitMix64, stable_hash};

use super::distinct::Firsts;
use super::keyed_rows::KeyedRows;
use super::{BlockRule, Blocking, ColumnType, ColumnTypes, DistinctRecords, Record, RecordPair, RecordTables, Tables};

/// Number of distinct records up to which neighbours are searched, if rules can take their place.
const MOST_SEARCHED: usize = 100_000;
/// Most pairs of a rule, and of all rules together, for each record.
const PAIRS_OF_RULE: f64 = 1.0;
const PAIRS: f64 = 4.0;
/// Pairs for each record up to which a rule needs no further column.
const FEW_PAIRS: f64 = 0.05;
/// Pairs for each record that take as much time as the keys of a rule.
const PAIRS_OF_KEYS: f64 = 1.0;
/// Least share of the records that have a key of a rule.
const LEAST_KEYED: f64 = 0.2;
/// Most records whose keys are counted, and seed by which they are drawn.
const MOST_KEYED: usize = 500_000;
const SEED: u64 = 1;
/// Most columns of a rule, and most columns of which rules are made.
const MOST_COLUMNS: usize = 3;
const MOST_KEYS: usize = 16;
/// Most rules that are found.
const MOST_RULES: usize = 16;
/// Fewest rules that take the place of neighbours: each misses what is written otherwise in its columns.
const FEWEST_RULES: usize = 3;
/// Most pairs that are looked at for likely matches.
const LOOKED_AT: usize = 4_000_000;
/// Bits by which the columns that a likely match agrees in say more than that it is one pair of the tables.
const FURTHER_BITS: f64 = 3.0;
/// Worth of a likely match that a rule proposes already, to the rule after it.
const WORTH_AGAIN: f64 = 0.2;

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

/// Returns the rules of tables by at most half a million of their records, drawn by chance.
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

/// Returns rules whose keys few records share: values of one, two or three columns, names by their sound. Of those with at most one pair a
/// record they are those that together propose most of the likely matches, and most of them more than once, with four pairs a record at most.
/// `share`: the share of all records that the tables have, drawn by chance, 1 for whole ones; the pairs are those of all.
pub fn found_rules(tables: Tables<'_>, types: &ColumnTypes, share: f64) -> Vec<BlockRule> {
    let keyed = types.iter().filter_map(|(name, kind)| KeyedColumn::of(tables, name, kind));
    let columns: Vec<KeyedColumn> = keyed.take(MOST_KEYS).collect();
    let records = share * tables.all().count() as f64;
    let Combinations { found, pairs } = Combinations::of(&columns, records);
    let likely = likely_matches(tables, &columns, &found, &Chance::of(tables, columns.len(), &pairs, records));
    // Likely matches that agree in the same columns, with their weight: the more rules propose them, the less another one is worth.
    let alike = likely.chunk_by(u32::eq);
    let mut weighed: Vec<(u32, f64)> = alike.map(|alike| (alike[0], alike.len() as f64)).collect();
    let (mut left, mut chosen): (f64, Vec<&Found>) = (PAIRS * records, Vec::new());
    while chosen.len() < MOST_RULES {
        let worth = |rule: &Found| {
            let proposed = weighed.iter().filter(|(agreed, _)| rule.proposes(*agreed));
            let worth = proposed.map(|(_, weight)| weight).sum::<f64>() + f64::MIN_POSITIVE;
            worth / (rule.pairs as f64 + PAIRS_OF_KEYS * records)
        };
        let fits =
            |rule: &&Found| rule.pairs as f64 <= left && !chosen.iter().any(|chosen| rule.is_within(chosen.columns));
        let best = found.par_iter().filter(fits).map(|rule| (worth(rule), rule));
        let Some((_, best)) = best.max_by(|(one, first), (other, second)| {
            one.total_cmp(other).then_with(|| second.columns.cmp(&first.columns))
        }) else {
            break;
        };
        left -= best.pairs as f64;
        let proposed = weighed.iter_mut().filter(|(agreed, _)| best.proposes(*agreed));
        proposed.for_each(|(_, weight)| *weight *= WORTH_AGAIN);
        // Rules of its columns and further ones propose nothing beside it.
        left += chosen.iter().filter(|rule| rule.is_within(best.columns)).map(|rule| rule.pairs as f64).sum::<f64>();
        chosen.retain(|rule| !rule.is_within(best.columns));
        chosen.push(best);
    }
    chosen.into_iter().map(|rule| rule.rule.clone()).collect()
}

/// Returns the columns, a bit each, in which each likely match agrees, in order: a pair that shares the key of a rule and agrees in more than
/// half of its columns, and in more than any pair of the tables does by chance.
fn likely_matches(tables: Tables<'_>, columns: &[KeyedColumn], found: &[Found], chance: &Chance) -> Vec<u32> {
    let mut pairs: Vec<RecordPair> = Vec::new();
    for rule in found {
        if pairs.len() + rule.pairs as usize > LOOKED_AT {
            break;
        }
        keyed_rows(columns, rule.columns).equal().for_each(|equal| pairs.extend(equal.pairs(tables)));
    }
    pairs.par_sort_unstable();
    pairs.dedup();
    let agreed = |pair: &RecordPair| {
        let (mut agreed, mut filled) = (0_u32, 0);
        for (at, column) in columns.iter().enumerate() {
            let (left, right) = (column.left[pair.left as usize], column.right()[pair.right as usize]);
            filled += u32::from(left != 0 && right != 0);
            agreed |= u32::from(left != 0 && left == right) << at;
        }
        (2 * agreed.count_ones() > filled && chance.is_small(agreed)).then_some(agreed)
    };
    let mut likely: Vec<u32> = pairs.par_iter().filter_map(agreed).collect();
    likely.par_sort_unstable();
    likely
}

/// Probabilities that two records agree in a column, in bits.
struct Chance {
    /// Of each column, and of each column beside an earlier one with which it was counted.
    alone: Vec<f64>,
    beside: HashMap<(usize, usize), f64>,
    /// Of a pair of the tables.
    pair: f64,
}

impl Chance {
    /// Estimates the probabilities by the pairs that agree, without those that may be matches: one for each of the records.
    fn of(tables: Tables<'_>, columns: usize, pairs: &HashMap<u32, u64>, records: f64) -> Self {
        let (left, right) = (tables.left().len() as f64, tables.right().len() as f64);
        let all = if let Tables::One(_) = tables { left * (left - 1.0) / 2.0 } else { left * right };
        let by_chance = |pairs: u64| (pairs as f64 - records).max(0.0) + 1.0;
        let bits = |of: u32| pairs.get(&of).map(|pairs| (all.max(1.0) / by_chance(*pairs)).log2());
        let alone: Vec<f64> = (0..columns).map(|at| bits(1 << at).unwrap_or_default()).collect();
        let both = (0..columns).flat_map(|at| (0..at).map(move |earlier| (earlier, at)));
        let beside =
            both.filter_map(|(earlier, at)| Some(((earlier, at), bits(1 << earlier | 1 << at)? - alone[earlier])));
        Self { beside: beside.collect(), alone, pair: all.max(1.0).log2() }
    }

    /// Returns true if hardly a pair of the tables agrees in so many columns by chance.
    fn is_small(&self, agreed: u32) -> bool {
        let is_agreed = |at: &usize| agreed & 1 << at != 0;
        let of_column = |at: usize| {
            let beside = (0..at).filter(is_agreed).filter_map(|earlier| self.beside.get(&(earlier, at)));
            beside.fold(self.alone[at], |least, bits| least.min(*bits)).max(0.0)
        };
        (0..self.alone.len()).filter(is_agreed).map(of_column).sum::<f64>() > self.pair + FURTHER_BITS
    }
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

    /// Returns the keys of the records that `right` of a pair counts.
    fn right(&self) -> &[u64] {
        self.right.as_deref().unwrap_or(&self.left)
    }
}

/// The pairs that agree in combinations of columns.
struct Combinations {
    /// The rules with at most a pair for each of the records, those with the fewest pairs first.
    found: Vec<Found>,
    /// Number of pairs of combinations, by their columns.
    pairs: HashMap<u32, u64>,
}

/// A rule that few pairs of records fulfil.
struct Found {
    rule: BlockRule,
    /// The columns, a bit each.
    columns: u32,
    pairs: u64,
}

impl Combinations {
    /// Counts the pairs of columns, and of those with many pairs together with further ones.
    fn of(columns: &[KeyedColumn], records: f64) -> Self {
        let mut all = Self { found: Vec::new(), pairs: HashMap::new() };
        // Combinations that need a further column.
        let mut coarse: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..MOST_COLUMNS {
            let is_coarse = |places: &[usize]| coarse.iter().any(|known| known == places);
            let without = |places: &[usize], at: usize| [&places[..at], &places[at + 1..]].concat();
            let longer = coarse.iter().flat_map(|places: &Vec<usize>| {
                let next = places.last().map_or(0, |last| last + 1);
                (next..columns.len()).map(move |at| [&places[..], &[at]].concat())
            });
            let longer: Vec<Vec<usize>> =
                longer.filter(|places| (0..places.len()).all(|at| is_coarse(&without(places, at)))).collect();
            let counted: Vec<(Found, bool)> =
                longer.par_iter().filter_map(|places| Found::of(columns, places, records)).collect();
            coarse = Vec::new();
            for (found, is_rule) in counted {
                let places = (0..columns.len()).filter(|at| found.columns & 1 << at != 0).collect();
                coarse.extend((found.pairs as f64 > FEW_PAIRS * records).then_some(places));
                all.pairs.insert(found.columns, found.pairs);
                all.found.extend(is_rule.then_some(found));
            }
        }
        all.found.sort_by_key(|found| (found.pairs, found.columns));
        all
    }
}

impl Found {
    /// Counts the pairs with equal keys of columns. Returns whether these are few enough for a rule, too; nothing if their names make none.
    fn of(columns: &[KeyedColumn], places: &[usize], records: f64) -> Option<(Self, bool)> {
        let of = places.iter().fold(0_u32, |of, place| of | 1 << place);
        let rows = keyed_rows(columns, of);
        let all = columns[0].left.len() + columns[0].right.as_ref().map_or(0, Vec::len);
        let pairs: u64 = rows.equal().map(|equal| equal.pair_count()).sum();
        let is_rule = rows.count() as f64 >= LEAST_KEYED * all as f64 && pairs as f64 <= PAIRS_OF_RULE * records;
        let text = places.iter().map(|place| columns[*place].term.as_str()).collect::<Vec<_>>().join(" + ");
        Some((Self { rule: text.parse().ok()?, columns: of, pairs }, is_rule))
    }

    /// Returns true if the rule proposes a pair that agrees in columns.
    fn proposes(&self, agreed: u32) -> bool {
        agreed & self.columns == self.columns
    }

    /// Returns true if the rule proposes no pair that a rule of other columns does not.
    fn is_within(&self, others: u32) -> bool {
        self.columns & others == others
    }
}

/// Returns the rows that have a key in each of some columns.
fn keyed_rows(columns: &[KeyedColumn], of: u32) -> KeyedRows {
    let columns: Vec<&KeyedColumn> =
        (0..).zip(columns).filter(|(at, _)| of & 1 << at != 0).map(|(_, column)| column).collect();
    let keyed = |side: fn(&KeyedColumn) -> &[u64]| {
        let key = |row: u32| {
            let parts = columns.iter().map(|column| side(column)[row as usize]);
            let joined = |key: u64, part: u64| key.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ part;
            parts.clone().all(|part| part != 0).then(|| (parts.fold(0, joined), row))
        };
        (0..side(columns[0]).len() as u32).filter_map(key).collect::<Vec<_>>()
    };
    let right = columns[0].right.as_ref().map(|_| keyed(KeyedColumn::right));
    KeyedRows::new(keyed(|column| &column.left), right)
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
