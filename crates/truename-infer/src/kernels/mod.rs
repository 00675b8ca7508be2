//! Matrix products over plain slices, which the layers here and those that are trained share.
//!
//! Every number of a product is summed in an order that the shapes fix, so neither the other rows nor the number of
//! threads change a bit of it.

mod matrix;
mod multiply;
mod rows;

pub use matrix::{Matrix, Packed};
pub use multiply::{Onto, multiply, multiply_packed};
pub use rows::{Rows, gather, gather_transposed, product};

/// The first `len` numbers of a buffer, which grows to that once and is then used again and again.
pub fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}
