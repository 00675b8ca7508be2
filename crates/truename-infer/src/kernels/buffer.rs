//! Buffers that grow once and are used again.

/// The first `len` numbers of a buffer, which grows to that once and is then used again and again.
pub fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}
