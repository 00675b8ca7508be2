//! Tables of vectors with rows for new tokens.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Tensor;
use crate::tokenizer::NewToken;

/// Returns a table with `rows` rows, in which the row of a new token is that of the token it begins as; without one, each number is drawn
/// evenly around the mean of its column with the column's deviation, from the seed, the row and the column alone.
///
/// # Shapes
/// `table: [tokens, columns]`, output: `[rows, columns]`
pub(crate) fn grown(table: Tensor, new: &[NewToken], rows: usize, seed: u64) -> Tensor {
    let columns = table.shape()[1];
    let (means, deviations) = moments(table.values(), columns);
    let mut values = table.with_rows(rows).into_values();
    for NewToken { id, like } in new {
        let row = *id as usize;
        if let Some(like) = like {
            let like = *like as usize * columns;
            values.copy_within(like..like + columns, row * columns);
            continue;
        }
        for (column, value) in values[row * columns..][..columns].iter_mut().enumerate() {
            // An even distribution with deviation 1 reaches to √3.
            let drawn = 3f64.sqrt() * (2.0 * drawn(seed, row, column) - 1.0);
            *value = (means[column] + deviations[column] * drawn) as f32;
        }
    }
    Tensor::new(vec![rows, columns], values)
}

/// A number from 0 to 1, without 1.
fn drawn(seed: u64, row: usize, column: usize) -> f64 {
    let place = [row as u64, column as u64].map(u64::to_le_bytes).concat();
    (xxh3_64_with_seed(&place, seed) >> 11) as f64 / (1u64 << 53) as f64
}

/// Mean and standard deviation of each column.
fn moments(values: &[f32], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = (values.len() / columns).max(1) as f64;
    let (mut sums, mut squares) = (vec![0.0; columns], vec![0.0; columns]);
    for row in values.chunks_exact(columns) {
        for (column, value) in row.iter().map(|value| f64::from(*value)).enumerate() {
            sums[column] += value;
            squares[column] += value * value;
        }
    }
    let means: Vec<f64> = sums.iter().map(|sum| sum / rows).collect();
    let variance = |(square, mean): (&f64, &f64)| (square / rows - mean * mean).max(0.0);
    let deviations = squares.iter().zip(&means).map(|moments| variance(moments).sqrt()).collect();
    (means, deviations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_rows_have_the_moments_of_the_others() {
        let columns = 8;
        let values = (0..600 * columns).map(|at| (at as f32 * 0.7).sin() + (at % columns) as f32).collect();
        let table = Tensor::new(vec![600, columns], values);
        let new: Vec<NewToken> = (600..1600).chain([3]).map(|id| NewToken { id, like: None }).collect();
        let grown_table = grown(table.clone(), &new, 1600, 7);
        assert_eq!(grown_table.shape(), [1600, columns]);
        assert_eq!(grown_table.values()[..3 * columns], table.values()[..3 * columns]);
        assert_ne!(grown_table.values()[3 * columns..][..columns], table.values()[3 * columns..][..columns]);
        assert_eq!(grown_table.values()[4 * columns..600 * columns], table.values()[4 * columns..]);
        let (old, new_rows) = (moments(table.values(), columns), &grown_table.values()[600 * columns..]);
        let (means, deviations) = moments(new_rows, columns);
        for column in 0..columns {
            assert!((means[column] - old.0[column]).abs() < 0.1, "{column}");
            assert!((deviations[column] - old.1[column]).abs() < 0.1, "{column}");
        }
        assert_eq!(grown(table.clone(), &new, 1600, 7), grown_table);
        assert_ne!(grown(table.clone(), &new, 1600, 8), grown_table);
        let like = grown(table.clone(), &[NewToken { id: 600, like: Some(5) }], 601, 7);
        assert_eq!(like.values()[600 * columns..], table.values()[5 * columns..6 * columns]);
    }
}
