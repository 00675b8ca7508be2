//! The instructions that products in 8 bits use, found when first asked for.

use std::fmt;
use std::sync::OnceLock;

use super::{Kernel, TILE_PANELS, portable};

/// Instructions for products in 8 bits; the sums are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int8Instructions {
    /// AMX (`tdpbusd` of 16 rows and 16 columns), where Linux grants it.
    Amx,
    /// AVX-512 with VNNI (`vpdpbusd` of 64 bytes).
    Avx512Vnni,
    /// AVX2 with VNNI (`vpdpbusd` of 32 bytes).
    AvxVnni,
    /// AVX2 (`vpmaddubsw`).
    Avx2,
    /// The dot products of ARMv8.2 (`udot`).
    NeonDotprod,
    /// None: plain loops.
    Portable,
}

impl Int8Instructions {
    const ALL: [Self; 6] = [Self::Amx, Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::NeonDotprod, Self::Portable];

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

    fn is_available(self) -> bool {
        self.kernel_if_available().is_some()
    }

    /// The function for the tiles of a product, and their size: that of AVX-512 where AMX would be nearly empty or have half a step.
    ///
    /// # Panics
    /// Where this processor lacks the instructions.
    pub(super) fn kernel(self, rows: usize, depth: usize) -> Kernel {
        /// Most rows that are too few for AMX.
        const FEW_ROWS: usize = 8;
        /// Depth of a step of AMX.
        const STEP: usize = 64;
        let is_too_small = rows <= FEW_ROWS || depth < STEP || !depth.is_multiple_of(STEP);
        let instructions = if self == Self::Amx && is_too_small { Self::Avx512Vnni } else { self };
        instructions.kernel_if_available().expect("instructions of this processor")
    }

    fn kernel_if_available(self) -> Option<Kernel> {
        let of_eight_rows = |tile| Some(Kernel { rows: 8, panels: TILE_PANELS, tile, begin: || (), end: || () });
        match self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx if super::amx::is_granted() && Self::Avx512Vnni.is_available() => Some(super::amx::KERNEL),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") => {
                of_eight_rows(super::x86::tile_avx512_vnni)
            }
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni") => {
                of_eight_rows(super::x86::tile_avx_vnni)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if is_x86_feature_detected!("avx2") => of_eight_rows(super::x86::tile_avx2),
            #[cfg(target_arch = "aarch64")]
            Self::NeonDotprod if std::arch::is_aarch64_feature_detected!("dotprod") => {
                of_eight_rows(super::aarch64::tile_neon_dotprod)
            }
            Self::Portable => of_eight_rows(portable::tile),
            _ => None,
        }
    }
}

impl fmt::Display for Int8Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Amx => "amx",
            Self::Avx512Vnni => "avx512-vnni",
            Self::AvxVnni => "avx-vnni",
            Self::Avx2 => "avx2",
            Self::NeonDotprod => "neon-dotprod",
            Self::Portable => "portable",
        })
    }
}
