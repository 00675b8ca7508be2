//! The instructions that products in 8 bits use, found when first asked for.

use std::fmt;
use std::sync::OnceLock;

use super::{Sums, Tile, portable};

/// Instructions for products in 8 bits; the sums are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int8Instructions {
    /// AVX-512 with VNNI (`vpdpbusd` of 64 bytes).
    Avx512Vnni,
    /// AVX2 with VNNI (`vpdpbusd` of 32 bytes).
    AvxVnni,
    /// AVX2 (`vpmaddubsw`).
    Avx2,
    /// None: plain loops.
    Portable,
}

impl Int8Instructions {
    const ALL: [Self; 4] = [Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::Portable];

    /// The fastest instructions of this processor, or those that the environment variable `TRUENAME_ISA` names.
    ///
    /// # Panics
    /// Where the variable names instructions that are not known or that this processor lacks.
    pub fn current() -> Self {
        static CURRENT: OnceLock<Int8Instructions> = OnceLock::new();
        *CURRENT.get_or_init(|| match std::env::var("TRUENAME_ISA") {
            Ok(name) => Self::available()
                .find(|instructions| instructions.to_string() == name)
                .unwrap_or_else(|| panic!("TRUENAME_ISA={name}: this processor has {}", Self::names())),
            Err(_) => Self::available().next().expect("plain loops need no instructions"),
        })
    }

    /// Returns whether products in 8 bits are faster than those in single precision. Plain loops are not, and multiply only where
    /// `TRUENAME_ISA` names them.
    pub fn pay() -> bool {
        Self::current() != Self::Portable || std::env::var_os("TRUENAME_ISA").is_some()
    }

    /// All that this processor has, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|instructions| instructions.is_available())
    }

    fn names() -> String {
        Self::available().map(|instructions| instructions.to_string()).collect::<Vec<_>>().join(", ")
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Self::Avx512Vnni => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni"),
            Self::AvxVnni => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni"),
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Portable => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Self::Portable
    }

    /// The function for tiles.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn tile(self) -> fn(&Tile, &mut Sums) {
        use super::x86;
        match self {
            Self::Avx512Vnni => x86::tile_avx512_vnni,
            Self::AvxVnni => x86::tile_avx_vnni,
            Self::Avx2 => x86::tile_avx2,
            Self::Portable => portable::tile,
        }
    }

    /// The function for tiles.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn tile(self) -> fn(&Tile, &mut Sums) {
        portable::tile
    }
}

impl fmt::Display for Int8Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Avx512Vnni => "avx512-vnni",
            Self::AvxVnni => "avx-vnni",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        })
    }
}
