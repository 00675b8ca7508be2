//! Types of keys and values.

use heed::byteorder::BE;
use heed::types::{Bytes, Str, U32, U64};

use self::sealed::Coded;

/// A type of keys or values: `[u8]`, `str` (UTF-8), `u32` or `u64` (big-endian, so that keys ascend as their numbers).
pub trait Stored: Coded {}

/// The item that a table returns for a [`Stored`] type: `&'txn [u8]` or `&'txn str`, borrowed from the map, or the
/// number.
pub type Item<'txn, T> = <T as Coded>::Item<'txn>;

/// The binding's name for a type.
pub(crate) type Codec<T> = <T as Coded>::Codec;

mod sealed {
    use heed::{BytesDecode, BytesEncode};

    pub trait Coded: 'static {
        type Item<'txn>;
        type Codec: for<'a> BytesEncode<'a, EItem = Self> + for<'a> BytesDecode<'a, DItem = Self::Item<'a>> + 'static;
    }
}

impl Stored for [u8] {}

impl Coded for [u8] {
    type Item<'txn> = &'txn [u8];
    type Codec = Bytes;
}

impl Stored for str {}

impl Coded for str {
    type Item<'txn> = &'txn str;
    type Codec = Str;
}

impl Stored for u32 {}

impl Coded for u32 {
    type Item<'txn> = u32;
    type Codec = U32<BE>;
}

impl Stored for u64 {}

impl Coded for u64 {
    type Item<'txn> = u64;
    type Codec = U64<BE>;
}
