//! Matrix products compared with `rten-gemm`, in turn, on the shapes of MiniLM's layer.

use std::hint::black_box;

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::NdTensorView;
use truename_infer::kernels::{Matrix, Onto, multiply, multiply_packed};

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
/// Multiplications in all rounds of a shape together.
const WORK: usize = 8_000_000_000;
const MAX_ROUNDS: usize = 2000;

pub fn run() {
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
