//! Matrix products compared with `rten-gemm`, in turn, on the shapes of MiniLM's layer, in single precision and in 8 bits.

use std::hint::black_box;

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::NdTensorView;
use truename_infer::kernels::{
    Int8Instructions, Int8Matrix, Int8Rows, Matrix, Onto, PackedWeights, multiply, multiply_int8, multiply_packed,
};

use crate::process::timed;

/// Rows, depth and columns of a product, and whether each factor is transposed: for a layer's maps, the gradients of
/// their inputs and of their weights, and a single name.
const SHAPES: [(usize, usize, usize, bool, bool); 7] = [
    (4096, 384, 384, false, true),
    (4096, 384, 1536, false, true),
    (4096, 1536, 384, false, false),
    (384, 4096, 384, true, false),
    (1536, 4096, 384, true, false),
    (16, 384, 1536, false, true),
    (5, 384, 1536, false, true),
];
/// Rows, depth and columns of a product in 8 bits: maps of layers of 384 and 768 values, and a single name.
const INT8_SHAPES: [(usize, usize, usize); 7] = [
    (4096, 384, 384),
    (4096, 384, 1536),
    (4096, 1536, 384),
    (4096, 768, 768),
    (4096, 768, 3072),
    (16, 384, 1536),
    (5, 384, 1536),
];
/// Multiplications in all rounds of a shape together.
const WORK: usize = 8_000_000_000;
const MAX_ROUNDS: usize = 2000;

pub fn run() {
    run_single();
    run_int8();
}

fn run_single() {
    let theirs = GemmExecutor::new();
    println!(
        "rows depth columns, transposed: Gflop/s of rten-gemm and ours; the same with the right factor laid out before"
    );
    for (rows, depth, columns, is_left_transposed, is_right_transposed) in SHAPES {
        let numbers = |count: usize| -> Vec<f32> { (0..count).map(|at| (at % 17) as f32 * 0.1).collect() };
        let (left, right, mut out) = (numbers(rows * depth), numbers(depth * columns), vec![0.0; rows * columns]);
        let matrix = |values, [rows, columns]: [usize; 2], is_transposed| match is_transposed {
            true => {
                (Matrix::new(values, rows).transposed(), NdTensorView::from_data([columns, rows], values).transposed())
            }
            false => (Matrix::new(values, columns), NdTensorView::from_data([rows, columns], values)),
        };
        let (left, their_left) = matrix(&left[..], [rows, depth], is_left_transposed);
        let (right, their_right) = matrix(&right[..], [depth, columns], is_right_transposed);
        let (packed, their_packed) = (right.packed(), theirs.prepack_b(their_right));
        let their = |right: GemmInputB<f32>, out: &mut [f32]| {
            let product = theirs.gemm(out, GemmInputA::Unpacked(their_left), right, GemmOptions::default());
            product.expect("the factors fit each other");
        };
        let mut best = [f64::MAX; 4];
        for _ in 0..(WORK / (rows * depth * columns)).clamp(1, MAX_ROUNDS) {
            let mut time = |at: usize, work: &dyn Fn(&mut [f32])| {
                best[at] = best[at].min(timed(|| work(&mut out)).1.as_secs_f64());
                black_box(&out);
            };
            time(0, &|out| their(GemmInputB::Unpacked(their_right), out));
            time(1, &|out| multiply(left, right, out, Onto::Nothing));
            time(2, &|out| their(GemmInputB::Packed(&their_packed), out));
            time(3, &|out| multiply_packed(left, &packed, out, Onto::Nothing));
        }
        let speeds = best.map(|seconds| 2e-9 * (rows * depth * columns) as f64 / seconds);
        println!(
            "{rows:4} {depth:4} {columns:4}, {is_left_transposed:5} {is_right_transposed:5}: {:4.0} {:4.0}  {:4.0} {:4.0}",
            speeds[0], speeds[1], speeds[2], speeds[3]
        );
    }
}

/// Rows are quantised before. Ours writes numbers in single precision, rten-gemm sums in 32 bits, which its caller would scale.
fn run_int8() {
    /// Rows of a call of ours, as in the layers of a network.
    const ROWS: usize = 64;
    let theirs = GemmExecutor::<u8, i8, i32>::new();
    println!("\nin 8 bits on one thread ({}), the right factor laid out before:", Int8Instructions::current());
    println!("rows depth columns: Gop/s of rten-gemm ({}) and ours", theirs.kernel_name());
    for (rows, depth, columns) in INT8_SHAPES {
        let numbers = |count: usize| -> Vec<f32> { (0..count).map(|at| (at % 17) as f32 * 0.1).collect() };
        let quantized = |rows: &[f32]| {
            let mut quantized = Int8Rows::default();
            quantized.quantize(rows, depth);
            quantized
        };
        let left: Vec<Int8Rows> = numbers(rows * depth).chunks(ROWS * depth).map(quantized).collect();
        let PackedWeights { values, scales } = PackedWeights::quantize(&numbers(columns * depth), depth);
        let right = Int8Matrix::new(depth).with_map(Box::new(values), &scales);
        let bytes: Vec<u8> = (0..rows * depth).map(|at| (at % 251) as u8).collect();
        let weights: Vec<i8> = (0..depth * columns).map(|at| (at % 127) as i8 - 63).collect();
        let their_left = NdTensorView::from_data([rows, depth], &bytes[..]);
        let their_right = theirs.prepack_b(NdTensorView::from_data([depth, columns], &weights[..]));
        let (mut out, mut sums, mut best) = (vec![0.0; rows * columns], vec![0; rows * columns], [f64::MAX; 2]);
        let mut time = |at: usize, work: &mut dyn FnMut()| best[at] = best[at].min(timed(work).1.as_secs_f64());
        for _ in 0..(WORK / (rows * depth * columns)).clamp(1, MAX_ROUNDS) {
            let (left_factor, right_factor) = (GemmInputA::Unpacked(their_left), GemmInputB::Packed(&their_right));
            let mut their = || theirs.gemm(&mut sums, left_factor, right_factor, GemmOptions::default());
            time(0, &mut || their().expect("the factors fit each other"));
            time(1, &mut || {
                let parts = left.iter().zip(out.chunks_mut(ROWS * columns));
                parts.for_each(|(left, out)| multiply_int8(left, &right, out, Onto::Nothing));
            });
        }
        black_box((&out, &sums));
        let speeds = best.map(|seconds| 2e-9 * (rows * depth * columns) as f64 / seconds);
        println!("{rows:4} {depth:4} {columns:4}: {:4.0} {:4.0}", speeds[0], speeds[1]);
    }
}
