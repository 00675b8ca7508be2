//! Tiles with AMX, the matrix registers of Intel's server processors since 2023.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::LazyLock;

use super::{BLOCK_ROWS, GROUP, Kernel, PANEL_COLUMNS, RowSums, TILE_PANELS, Tile};

/// The function for tiles of 32 rows and two panels.
pub(super) const KERNEL: Kernel =
    Kernel { rows: 2 * BLOCK_ROWS, panels: 2, tile: tile_amx, begin: configure, end: release };
/// Depth of a step: bytes of a row of a register.
const DEPTH: usize = 64;
/// Bytes of a row of weights, and of sums of a panel.
const LINE: usize = PANEL_COLUMNS * GROUP;

/// What `ldtilecfg` reads: all eight registers have 16 rows of 64 bytes.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes_of_row: [u16; 16],
    rows: [u8; 16],
}

const CONFIGURATION: Configuration = {
    let (mut bytes_of_row, mut rows) = ([0; 16], [0; 16]);
    let mut register = 0;
    while register < 8 {
        bytes_of_row[register] = DEPTH as u16;
        rows[register] = BLOCK_ROWS as u8;
        register += 1;
    }
    Configuration { palette: 1, start_row: 0, reserved: [0; 14], bytes_of_row, rows }
};

/// Returns whether the processor has the registers and Linux grants them to this process, which is asked once.
pub(super) fn is_granted() -> bool {
    static IS_GRANTED: LazyLock<bool> = LazyLock::new(|| {
        /// `ARCH_REQ_XCOMP_PERM` and the number of the registers' state (`arch_prctl(2)`).
        const REQUEST: [libc::c_ulong; 2] = [0x1023, 18];
        const TILES_AND_INT8: u32 = 1 << 24 | 1 << 25;
        let has = __cpuid_count(0, 0).eax >= 7 && __cpuid_count(7, 0).edx & TILES_AND_INT8 == TILES_AND_INT8;
        // SAFETY: the call reads and writes no memory of this process.
        has && unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST[0], REQUEST[1]) } == 0
    });
    *IS_GRANTED
}

/// Configures the registers of this thread.
fn configure() {
    // SAFETY: `Int8Instructions` hands the function out where the instructions are.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &CONFIGURATION, options(nostack, readonly, preserves_flags)) };
}

/// Empties the registers, so that the system need not save them.
fn release() {
    // SAFETY: as for `configure`.
    unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
}

/// Computes the sums of a tile with AMX, between `configure` and `release`.
///
/// # Panics
/// As [`Tile::steps`], and where the depth has no whole steps.
fn tile_amx(tile: &Tile, sums: &mut [RowSums]) {
    const { assert!(KERNEL.panels <= TILE_PANELS && LINE == size_of::<[i32; PANEL_COLUMNS]>()) };
    let steps = tile.steps(sums) * GROUP / DEPTH;
    assert!(steps > 0 && steps * DEPTH == tile.panels[0].len() / PANEL_COLUMNS, "whole steps");
    let rows = tile.count.next_multiple_of(BLOCK_ROWS);
    assert!(rows <= KERNEL.rows && tile.panels.len() <= KERNEL.panels, "no more than the registers hold");
    assert!(tile.values.len() >= rows * tile.stride && sums.len() >= rows, "whole blocks of rows and sums");
    let block = Block {
        values: tile.values.as_ptr(),
        stride: tile.stride,
        // A second panel that is not there is the first one again, whose sums nobody reads.
        panels: [tile.panels[0].as_ptr(), tile.panels[tile.panels.len() - 1].as_ptr()],
        steps,
        sums: sums.as_mut_ptr(),
    };
    // SAFETY: the caller has configured the registers, and all lengths are checked.
    unsafe { if rows > BLOCK_ROWS { block.two() } else { block.one() } }
}

/// Factors of the sums of 16 or 32 rows and of two panels.
struct Block {
    /// `[rows, stride]`
    values: *const u8,
    stride: usize,
    panels: [*const i8; 2],
    steps: usize,
    sums: *mut RowSums,
}

impl Block {
    /// Computes the sums of 16 rows.
    ///
    /// # Safety
    /// The registers are configured, and rows, panels and sums have 16 rows and `steps`, at least one.
    unsafe fn one(self) {
        // SAFETY: as the caller says.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "2:",
                "tileloadd tmm6, [{left} + {line}*1]",
                "tileloadd tmm4, [{values} + {stride}*1]",
                "tileloadd tmm7, [{right} + {line}*1]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "add {values}, {depth}",
                "add {left}, {lines}",
                "add {right}, {lines}",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {sums_stride}*1], tmm0",
                "tilestored [{sums} + {sums_stride}*1 + {line_bytes}], tmm1",
                values = inout(reg) self.values => _,
                left = inout(reg) self.panels[0] => _,
                right = inout(reg) self.panels[1] => _,
                steps = inout(reg) self.steps => _,
                line = in(reg) LINE,
                stride = in(reg) self.stride,
                sums = in(reg) self.sums,
                sums_stride = in(reg) size_of::<RowSums>(),
                depth = const DEPTH,
                lines = const BLOCK_ROWS * LINE,
                line_bytes = const LINE,
                out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    /// Computes the sums of 32 rows.
    ///
    /// # Safety
    /// As [`Block::one`], of 32 rows.
    unsafe fn two(self) {
        // SAFETY: as the caller says.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm6, [{left} + {line}*1]",
                "tileloadd tmm4, [{values} + {stride}*1]",
                "tileloadd tmm7, [{right} + {line}*1]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tileloadd tmm5, [{below} + {stride}*1]",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "add {values}, {depth}",
                "add {below}, {depth}",
                "add {left}, {lines}",
                "add {right}, {lines}",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {sums_stride}*1], tmm0",
                "tilestored [{sums} + {sums_stride}*1 + {line_bytes}], tmm1",
                "tilestored [{sums} + {sums_stride}*1 + {block}], tmm2",
                "tilestored [{sums} + {sums_stride}*1 + {block} + {line_bytes}], tmm3",
                values = inout(reg) self.values => _,
                below = inout(reg) self.values.add(BLOCK_ROWS * self.stride) => _,
                left = inout(reg) self.panels[0] => _,
                right = inout(reg) self.panels[1] => _,
                steps = inout(reg) self.steps => _,
                line = in(reg) LINE,
                stride = in(reg) self.stride,
                sums = in(reg) self.sums,
                sums_stride = in(reg) size_of::<RowSums>(),
                depth = const DEPTH,
                lines = const BLOCK_ROWS * LINE,
                line_bytes = const LINE,
                block = const BLOCK_ROWS * size_of::<RowSums>(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}
