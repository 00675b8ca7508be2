//! Matrix products over plain slices, which the layers here and those that are trained share.
//!
//! Every number of a product is summed in an order that the shapes fix, so neither the other rows nor the number of
//! threads change a bit of it.
//!
//! They stand in place of `rten-gemm`, which they are ahead of on the shapes of training and of many names
//! (`truename-bench products`).

mod buffer;
mod dot;
mod int8;
mod matrix;
mod multiply;
mod rows;

pub use buffer::sized;
pub use dot::dot;
pub use int8::{
    Int8Instructions, Int8Matrix, Int8Rows, Int8Values, PackedWeights, int8_bytes, multiply_int8, multiply_int8_gelu,
};
pub use matrix::{Matrix, PackedMatrix};
pub use multiply::{Onto, multiply, multiply_packed};
pub use rows::{Rows, gather, gather_transposed, product};
