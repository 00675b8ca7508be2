//! Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000) over texts of
//! different lengths, in one direction; what is served and what is trained share it.
//!
//! ```text
//! i, f, o = σ(x W_i + h' U_i), σ(x W_f + h' U_f), σ(x W_o + h' U_o)      h', c': one step before
//! g = tanh(x W_g + h' U_g),   c = f c' + i g,   h = o tanh(c)
//! ```
//! The rows of a text follow each other, without padding. A text's states do not depend on the texts beside it.

use std::ops::Range;

use rayon::prelude::*;
use rten_simd::SimdUnaryOp;
use rten_vecmath::{Sigmoid, Tanh};

use crate::kernels::{Matrix, Onto, PackedMatrix, multiply_packed};

/// Texts that one thread takes through all their steps, whatever the number of threads.
const PIECE: usize = 64;

/// The directions of a recurrence, as its tensors are called; the second is reversed.
pub const DIRECTIONS: [&str; 2] = ["forward", "backward"];

/// Outcome of the steps of a batch.
#[derive(Clone, Debug)]
pub struct States {
    /// `h` of each step. `[rows, width]`
    pub hidden: Vec<f32>,
    /// `tanh(c)` of each step. `[rows, width]`
    cells: Vec<f32>,
    /// `c` of each step. `[rows, width]`
    memory: Vec<f32>,
    /// `i, f, g, o` of each step. `[rows, 4 width]`
    gates: Vec<f32>,
}

/// Takes the rows of each text through the recurrence, from the last to the first with `is_reversed`.
///
/// # Shapes
/// `input: [rows, 4 width]` is `x W + b`, the gates in the order `i, f, g, o`; `recurrent: [width, 4 width]`
///
/// # Panics
/// Where the texts do not follow each other from row 0, or shapes do not fit.
pub fn forward(texts: &[Range<usize>], is_reversed: bool, input: Vec<f32>, recurrent: &PackedMatrix) -> States {
    let width = recurrent.rows();
    let rows = texts.last().map_or(0, |text| text.end);
    let mut states = States {
        hidden: vec![0.0; rows * width],
        cells: vec![0.0; rows * width],
        memory: vec![0.0; rows * width],
        gates: input,
    };
    let mut pieces = Vec::new();
    let States { hidden, cells, memory, gates } = &mut states;
    let mut rest = [hidden, cells, memory, gates].map(|values| values.as_mut_slice());
    for texts in texts.chunks(PIECE) {
        let rows = texts[texts.len() - 1].end - texts[0].start;
        let [mut hidden, mut cells, mut memory, mut gates] = rest;
        let piece = Piece {
            steps: Steps::new(texts, is_reversed),
            hidden: hidden.split_off_mut(..rows * width).expect("as many rows as the texts have"),
            cells: cells.split_off_mut(..rows * width).expect("as many rows as the texts have"),
            memory: memory.split_off_mut(..rows * width).expect("as many rows as the texts have"),
            gates: gates.split_off_mut(..rows * 4 * width).expect("as many rows as the texts have"),
        };
        pieces.push(piece);
        rest = [hidden, cells, memory, gates];
    }
    pieces.into_par_iter().for_each(|piece| piece.run(recurrent, width));
    states
}

/// The gradient of `input` from that of the hidden states.
///
/// # Shapes
/// `recurrent: [4 width, width]`, `gradient: [rows, width]`, output: `[rows, 4 width]`
pub fn backward(
    texts: &[Range<usize>],
    is_reversed: bool,
    states: &States,
    recurrent: &PackedMatrix,
    gradient: &[f32],
) -> Vec<f32> {
    let width = recurrent.rows() / 4;
    let mut found = vec![0.0; states.gates.len()];
    let mut rest = found.as_mut_slice();
    let mut pieces = Vec::new();
    for texts in texts.chunks(PIECE) {
        let rows = texts[0].start..texts[texts.len() - 1].end;
        let (own, after) = rest.split_at_mut(rows.len() * 4 * width);
        pieces.push((texts, rows, own));
        rest = after;
    }
    pieces.into_par_iter().for_each(|(texts, rows, found)| {
        let steps = Steps::new(texts, is_reversed);
        let gradient = &gradient[rows.start * width..rows.end * width];
        back_piece(&steps, states, rows.start, recurrent, gradient, found);
    });
    found
}

/// `h'` of each row: the hidden state of the step before, 0 at a text's first.
///
/// # Shapes
/// `hidden: [rows, width]`, output: the same
pub fn before(texts: &[Range<usize>], is_reversed: bool, hidden: &[f32], width: usize) -> Vec<f32> {
    let mut before = vec![0.0; hidden.len()];
    for text in texts.iter().filter(|text| text.len() > 1) {
        let (first, last) = (text.start * width, text.end * width);
        if is_reversed {
            before[first..last - width].copy_from_slice(&hidden[first + width..last]);
        } else {
            before[first + width..last].copy_from_slice(&hidden[first..last - width]);
        }
    }
    before
}

/// The rows of a piece by step; texts by length, the longest first, so that those under way are always the first.
struct Steps {
    /// Of all steps, one after another.
    rows: Vec<usize>,
    /// End of each step in `rows`.
    ends: Vec<usize>,
}

impl Steps {
    /// Rows count from the first text's.
    fn new(texts: &[Range<usize>], is_reversed: bool) -> Self {
        let first = texts.first().map_or(0, |text| text.start);
        let mut order: Vec<&Range<usize>> = texts.iter().collect();
        order.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let longest = order.first().map_or(0, |text| text.len());
        let (mut rows, mut ends) = (Vec::new(), Vec::with_capacity(longest));
        for step in 0..longest {
            let under_way = order.iter().take_while(|text| text.len() > step);
            rows.extend(
                under_way.map(|text| if is_reversed { text.end - 1 - step } else { text.start + step } - first),
            );
            ends.push(rows.len());
        }
        Self { rows, ends }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a step; the text at a place is the same in all steps.
    fn at(&self, step: usize) -> &[usize] {
        let start = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[step]]
    }

    fn most(&self) -> usize {
        self.ends.first().copied().unwrap_or(0)
    }
}

struct Piece<'a> {
    steps: Steps,
    hidden: &'a mut [f32],
    cells: &'a mut [f32],
    memory: &'a mut [f32],
    gates: &'a mut [f32],
}

impl Piece<'_> {
    fn run(self, recurrent: &PackedMatrix, width: usize) {
        let Self { steps, hidden, cells, memory, gates } = self;
        let texts = steps.most();
        let (mut state, mut carried) = (vec![0.0; texts * width], vec![0.0; texts * width]);
        let mut summed = vec![0.0; texts * 4 * width];
        for step in 0..steps.len() {
            let rows = steps.at(step);
            let summed = &mut summed[..rows.len() * 4 * width];
            for (sum, row) in summed.chunks_exact_mut(4 * width).zip(rows) {
                sum.copy_from_slice(&gates[row * 4 * width..][..4 * width]);
            }
            multiply_packed(Matrix::new(&state[..rows.len() * width], width), recurrent, summed, Onto::Out);
            for (place, row) in rows.iter().enumerate() {
                let sum = &mut summed[place * 4 * width..][..4 * width];
                Sigmoid {}.map_mut(&mut sum[..2 * width]);
                Tanh {}.map_mut(&mut sum[2 * width..3 * width]);
                Sigmoid {}.map_mut(&mut sum[3 * width..]);
                gates[row * 4 * width..][..4 * width].copy_from_slice(sum);
                let carried = &mut carried[place * width..][..width];
                let ([input, forget], [new, output]) = halves(sum, width);
                for (at, carried) in carried.iter_mut().enumerate() {
                    *carried = forget[at] * *carried + input[at] * new[at];
                }
                memory[row * width..][..width].copy_from_slice(carried);
                let cell = &mut cells[row * width..][..width];
                cell.copy_from_slice(carried);
                Tanh {}.map_mut(cell);
                let hidden = &mut hidden[row * width..][..width];
                for (at, hidden) in hidden.iter_mut().enumerate() {
                    *hidden = output[at] * cell[at];
                }
                state[place * width..][..width].copy_from_slice(hidden);
            }
        }
    }
}

/// `[i, f]` and `[g, o]` of one step.
fn halves(gates: &[f32], width: usize) -> ([&[f32]; 2], [&[f32]; 2]) {
    let (first, second) = gates.split_at(2 * width);
    let ((input, forget), (new, output)) = (first.split_at(width), second.split_at(width));
    ([input, forget], [new, output])
}

/// Through the steps of a piece from the last to the first; `first` is its first row.
fn back_piece(
    steps: &Steps,
    states: &States,
    first: usize,
    recurrent: &PackedMatrix,
    gradient: &[f32],
    found: &mut [f32],
) {
    let width = recurrent.rows() / 4;
    let texts = steps.most();
    let (mut hidden, mut carried) = (vec![0.0; texts * width], vec![0.0; texts * width]);
    let mut gates_back = vec![0.0; texts * 4 * width];
    for step in (0..steps.len()).rev() {
        let rows = steps.at(step);
        let gates_back = &mut gates_back[..rows.len() * 4 * width];
        for (place, row) in rows.iter().enumerate() {
            let gates = &states.gates[(first + row) * 4 * width..][..4 * width];
            let ([input, forget], [new, output]) = halves(gates, width);
            let cell = &states.cells[(first + row) * width..][..width];
            let before = step.checked_sub(1).map(|before| steps.at(before)[place]);
            let memory = before.map(|row| &states.memory[(first + row) * width..][..width]);
            let back = &mut gates_back[place * 4 * width..][..4 * width];
            for at in 0..width {
                let state = gradient[row * width + at] + hidden[place * width + at];
                let carry = carried[place * width + at] + state * output[at] * (1.0 - cell[at] * cell[at]);
                back[at] = carry * new[at] * input[at] * (1.0 - input[at]);
                let earlier = memory.map_or(0.0, |memory| memory[at]);
                back[width + at] = carry * earlier * forget[at] * (1.0 - forget[at]);
                back[2 * width + at] = carry * input[at] * (1.0 - new[at] * new[at]);
                back[3 * width + at] = state * cell[at] * output[at] * (1.0 - output[at]);
                carried[place * width + at] = carry * forget[at];
            }
            found[row * 4 * width..][..4 * width].copy_from_slice(back);
        }
        let back = Matrix::new(gates_back, 4 * width);
        multiply_packed(back, recurrent, &mut hidden[..rows.len() * width], Onto::Nothing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 3;
    const TEXTS: [Range<usize>; 4] = [0..2, 2..7, 7..8, 8..11];

    fn numbers(count: usize, seed: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * 1.7 + seed).sin() * 0.8).collect()
    }

    /// By the formulas, one text after another.
    fn plain(is_reversed: bool, input: &[f32], recurrent: &[f32]) -> Vec<f32> {
        let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
        let mut all = vec![0.0; input.len() / 4];
        for text in TEXTS {
            let (mut hidden, mut carried) = ([0.0f32; WIDTH], [0.0f32; WIDTH]);
            let rows: Vec<usize> = if is_reversed { text.rev().collect() } else { text.collect() };
            for row in rows {
                let before = hidden;
                let gate = |gate: usize, at: usize| -> f32 {
                    let column = gate * WIDTH + at;
                    let sum: f32 = (0..WIDTH).map(|from| before[from] * recurrent[column * WIDTH + from]).sum();
                    input[row * 4 * WIDTH + column] + sum
                };
                for at in 0..WIDTH {
                    carried[at] = sigmoid(gate(1, at)) * carried[at] + sigmoid(gate(0, at)) * gate(2, at).tanh();
                    hidden[at] = sigmoid(gate(3, at)) * carried[at].tanh();
                    all[row * WIDTH + at] = hidden[at];
                }
            }
        }
        all
    }

    #[test]
    fn states_are_those_of_the_formulas() {
        let (input, recurrent) = (numbers(11 * 4 * WIDTH, 0.3), numbers(4 * WIDTH * WIDTH, 1.1));
        for is_reversed in [false, true] {
            let packed = Matrix::new(&recurrent, WIDTH).transposed().packed();
            let states = forward(&TEXTS, is_reversed, input.clone(), &packed);
            let expected = plain(is_reversed, &input, &recurrent);
            assert!(states.hidden.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{states:?} {expected:?}");
            let alone = forward(&vec![0..3; 1], is_reversed, input[8 * 4 * WIDTH..].to_vec(), &packed);
            assert_eq!(alone.hidden, states.hidden[8 * WIDTH..], "a text does not depend on others");
        }
    }

    #[test]
    fn gradients_are_those_of_small_changes() {
        let (input, recurrent) = (numbers(11 * 4 * WIDTH, 0.3), numbers(4 * WIDTH * WIDTH, 1.1));
        let weights = numbers(11 * WIDTH, 2.0);
        let loss =
            |states: &[f32]| states.iter().zip(&weights).map(|(state, weight)| f64::from(state * weight)).sum::<f64>();
        for is_reversed in [false, true] {
            let packed = Matrix::new(&recurrent, WIDTH).transposed().packed();
            let states = forward(&TEXTS, is_reversed, input.clone(), &packed);
            let back = Matrix::new(&recurrent, WIDTH).packed();
            let found = backward(&TEXTS, is_reversed, &states, &back, &weights);
            for at in 0..input.len() {
                let moved = |change: f32| {
                    let mut input = input.clone();
                    input[at] += change;
                    loss(&plain(is_reversed, &input, &recurrent))
                };
                let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                assert!((f64::from(found[at]) - expected).abs() < 1e-3, "{at}: {} {expected}", found[at]);
            }
            // Of the recurrent map: the states before each step times what came back to the gates.
            let before = before(&TEXTS, is_reversed, &states.hidden, WIDTH);
            for at in 0..recurrent.len() {
                let moved = |change: f32| {
                    let mut recurrent = recurrent.clone();
                    recurrent[at] += change;
                    loss(&plain(is_reversed, &input, &recurrent))
                };
                let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                let (column, from) = (at / WIDTH, at % WIDTH);
                let found: f32 = (0..11).map(|row| found[row * 4 * WIDTH + column] * before[row * WIDTH + from]).sum();
                assert!((f64::from(found) - expected).abs() < 1e-3, "{at}: {found} {expected}");
            }
        }
    }
}
