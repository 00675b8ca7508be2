//! One-to-one assignment with the highest sum of weights, on a sparse graph.
//!
//! Rows are added one by one along the shortest augmenting path by reduced costs (Jonker and Volgenant 1987); each row has a column of its
//! own of weight 0, under which it stays unassigned. A path reaches no further than the component of its row.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    pub(crate) row: u32,
    pub(crate) column: u32,
    /// Weight above that of leaving both unassigned; not negative.
    pub(crate) weight: f64,
}

/// A distance as a key of the heap; distances are finite.
#[derive(Clone, Copy, PartialEq)]
struct Distance(f64);

impl Eq for Distance {}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A column of the graph, or the column of a row that stays unassigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Column {
    Own(u32),
    Shared(u32),
}

#[derive(Default)]
struct Assignment {
    /// Columns of each row with their costs.
    rows: BTreeMap<u32, Vec<(Column, f64)>>,
    /// Row of each assigned column, with the column's price.
    taken: HashMap<Column, u32>,
    column_price: HashMap<Column, f64>,
    row_price: HashMap<u32, f64>,
}

/// Returns the edges of the assignment with the highest sum of weights: no two share a row or a column. Ties go by row and column.
pub(crate) fn assign(edges: &[Edge]) -> Vec<(u32, u32)> {
    let mut assignment = Assignment::default();
    for edge in edges {
        assignment.rows.entry(edge.row).or_default().push((Column::Shared(edge.column), -edge.weight));
    }
    for (row, columns) in &mut assignment.rows {
        columns.sort_by_key(|(column, _)| *column);
        columns.push((Column::Own(*row), 0.0));
    }
    let rows: Vec<u32> = assignment.rows.keys().copied().collect();
    rows.into_iter().for_each(|row| assignment.add(row));
    let shared = |(column, row): (&Column, &u32)| match column {
        Column::Shared(column) => Some((*row, *column)),
        Column::Own(_) => None,
    };
    let mut assigned: Vec<(u32, u32)> = assignment.taken.iter().filter_map(shared).collect();
    assigned.sort_unstable();
    assigned
}

impl Assignment {
    fn reduced_cost(&self, row: u32, column: Column, cost: f64) -> f64 {
        let price = self.column_price.get(&column).copied().unwrap_or_default();
        cost - self.row_price.get(&row).copied().unwrap_or_default() - price
    }

    /// Assigns a row along the shortest augmenting path (Dijkstra by reduced costs), and moves the prices.
    fn add(&mut self, start: u32) {
        let cheapest =
            self.rows[&start].iter().map(|(column, cost)| cost - self.column_price.get(column).unwrap_or(&0.0));
        let cheapest = cheapest.fold(f64::INFINITY, f64::min);
        self.row_price.insert(start, cheapest);
        let (mut distances, mut before) = (HashMap::<Column, f64>::new(), HashMap::<Column, u32>::new());
        let (mut heap, mut done) = (BinaryHeap::new(), Vec::<(Column, f64)>::new());
        let (mut row, mut so_far) = (start, 0.0);
        let (end, length) = loop {
            for (column, cost) in &self.rows[&row] {
                let distance = so_far + self.reduced_cost(row, *column, *cost).max(0.0);
                if distances.get(column).is_none_or(|known| distance < *known) {
                    distances.insert(*column, distance);
                    before.insert(*column, row);
                    heap.push(Reverse((Distance(distance), *column)));
                }
            }
            let Some((column, distance)) = nearest(&mut heap, &distances, &done) else { return };
            match self.taken.get(&column) {
                None => break (column, distance),
                Some(next) => (row, so_far) = (*next, distance),
            }
            done.push((column, distance));
        };
        *self.row_price.entry(start).or_default() += length;
        for (column, distance) in done {
            *self.row_price.entry(self.taken[&column]).or_default() += length - distance;
            *self.column_price.entry(column).or_default() -= length - distance;
        }
        self.flip(end, start, &before);
    }

    /// Moves each row of a path to the next column, from the free end on.
    fn flip(&mut self, end: Column, start: u32, before: &HashMap<Column, u32>) {
        let own: HashMap<u32, Column> = before
            .values()
            .filter_map(|row| {
                let mut columns = self.rows[row].iter().map(|(column, _)| *column);
                Some((*row, columns.find(|column| self.taken.get(column) == Some(row))?))
            })
            .collect();
        let mut column = end;
        loop {
            let row = before[&column];
            self.taken.insert(column, row);
            if row == start {
                break;
            }
            column = own[&row];
        }
    }
}

/// Returns the nearest column that no path was ended at yet.
fn nearest(
    heap: &mut BinaryHeap<Reverse<(Distance, Column)>>,
    distances: &HashMap<Column, f64>,
    done: &[(Column, f64)],
) -> Option<(Column, f64)> {
    while let Some(Reverse((Distance(distance), column))) = heap.pop() {
        if distances[&column] == distance && done.iter().all(|(known, _)| *known != column) {
            return Some((column, distance));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use truename_text::SplitMix64;

    use super::*;

    /// Returns the highest sum of weights by trying everything.
    fn best(edges: &[Edge], rows: &[u32], used: &mut Vec<u32>) -> f64 {
        let Some((row, rest)) = rows.split_first() else { return 0.0 };
        let mut highest = best(edges, rest, used);
        for edge in edges.iter().filter(|edge| edge.row == *row) {
            if !used.contains(&edge.column) {
                used.push(edge.column);
                highest = highest.max(edge.weight + best(edges, rest, used));
                used.pop();
            }
        }
        highest
    }

    #[test]
    fn the_sum_is_that_of_all_assignments_tried() {
        let mut random = SplitMix64::new(7);
        for size in 1..8u32 {
            for _ in 0..40 {
                let mut edges = Vec::new();
                for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                    if random.below(3) > 0 {
                        edges.push(Edge { row, column, weight: random.below(8) as f64 / 8.0 });
                    }
                }
                let assigned = assign(&edges);
                let weight = |pair: &(u32, u32)| {
                    edges.iter().find(|edge| (edge.row, edge.column) == *pair).expect("an edge").weight
                };
                let sum: f64 = assigned.iter().map(weight).sum();
                let rows: Vec<u32> = (0..size).collect();
                assert!((sum - best(&edges, &rows, &mut Vec::new())).abs() < 1e-9, "{edges:?}");
                let columns: std::collections::HashSet<u32> = assigned.iter().map(|(_, column)| *column).collect();
                assert_eq!(columns.len(), assigned.len());
            }
        }
    }

    #[test]
    fn a_chain_is_assigned_as_a_whole() {
        let edge = |row, column, weight| Edge { row, column, weight };
        assert_eq!(assign(&[edge(0, 0, 0.9), edge(0, 1, 0.8), edge(1, 0, 0.85)]), [(0, 1), (1, 0)]);
        assert!(assign(&[]).is_empty());
    }
}
