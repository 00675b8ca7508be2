//! Large allocations in temporary files, for work on more data than the memory holds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(target_os = "linux")]
use std::{
    fs::File,
    os::fd::AsRawFd,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Bytes from which an allocation is put into a temporary file.
const LARGE: usize = 4 << 20;

/// Most files at a time, so that the program can open its own. Few allocations are so large.
#[cfg(target_os = "linux")]
const MOST_FILES: usize = 256;

/// Greatest alignment of a map on every system.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

/// Number of [`Spilling`]s that live.
static SPILLING: AtomicUsize = AtomicUsize::new(0);

/// Addresses of the allocations that are in files, with these.
#[cfg(target_os = "linux")]
static MAPPED: Mutex<Vec<(usize, File)>> = Mutex::new(Vec::new());

/// An allocator by which a program works on more data than the memory holds: while a [`Spilling`] lives, each allocation of 4 MiB or more is the
/// map of an unnamed temporary file (`TMPDIR`), whose pages the system writes there when it needs the memory. Smaller ones, those for which no
/// file can be made, and all on systems other than Linux are those of [`System`]. A program names it `#[global_allocator]`; without that a
/// [`Spilling`] changes nothing. A child made by `fork` shares the files with its parent, so it must not write to what was there before.
#[derive(Clone, Copy, Debug)]
pub struct SpillAllocator;

/// Has the [`SpillAllocator`] of the program put large allocations into files until it is dropped.
#[derive(Debug)]
pub struct Spilling(());

impl Spilling {
    /// Begins; allocations that are there already move when they grow.
    pub fn begin() -> Self {
        SPILLING.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Spilling {
    fn drop(&mut self) {
        SPILLING.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_spilled(bytes: usize) -> bool {
    bytes >= LARGE && SPILLING.load(Ordering::Relaxed) > 0
}

// SAFETY: an allocation is either a map of its own, whose address is noted in `MAPPED` as long as it lives, or one of `System`, to which it is
// handed back. Maps begin at a page and are of zeros.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for SpillAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        map(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        map(layout).unwrap_or_else(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        if !unmap(address, layout) {
            // SAFETY: what is not mapped is of `System`, with the caller's layout.
            unsafe { System.dealloc(address, layout) }
        }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if !is_spilled(bytes) && !is_mapped(address, layout) {
            // SAFETY: what is not mapped is of `System`, with the caller's layout.
            return unsafe { System.realloc(address, layout, bytes) };
        }
        if let Some(moved) = map_again(address, layout, bytes) {
            return moved;
        }
        // SAFETY: `bytes` is a size of the caller for this alignment; both allocations have the bytes that are copied, and the old one is given
        // back once.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(bytes, layout.align()));
            if !moved.is_null() {
                std::ptr::copy_nonoverlapping(address, moved, layout.size().min(bytes));
                self.dealloc(address, layout);
            }
            moved
        }
    }
}

#[cfg(target_os = "linux")]
fn mapped() -> MutexGuard<'static, Vec<(usize, File)>> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the place of an allocation among those in files.
#[cfg(target_os = "linux")]
fn place(mapped: &[(usize, File)], address: *mut u8) -> Option<usize> {
    mapped.iter().position(|(known, _)| *known == address.addr())
}

#[cfg(target_os = "linux")]
fn is_mapped(address: *mut u8, layout: Layout) -> bool {
    layout.size() >= LARGE && place(&mapped(), address).is_some()
}

/// Gives a file its blocks before the map writes them, so that a full disk is found here and not by a signal. Returns whether it has them.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn has_room(file: &File, bytes: usize) -> bool {
    // SAFETY: the file is open.
    bytes.try_into().is_ok_and(|bytes| unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, bytes) } == 0)
}

/// Maps a temporary file; none where the allocation is not spilled, or the file cannot be made as long as it is.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn map(layout: Layout) -> Option<*mut u8> {
    if !is_spilled(layout.size()) || layout.align() > PAGE || mapped().len() >= MOST_FILES {
        return None;
    }
    let file = tempfile::tempfile().ok().filter(|file| has_room(file, layout.size()))?;
    let (access, fd) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
    // SAFETY: a new map at an address of the system's choice; the file has no name, so nobody else can change it.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), layout.size(), access, libc::MAP_SHARED, fd, 0) };
    if address == libc::MAP_FAILED {
        return None;
    }
    mapped().push((address.addr(), file));
    Some(address.cast())
}

/// Maps the file of an allocation with another size, without a copy; none where it has none, or the map cannot be made.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn map_again(address: *mut u8, layout: Layout, bytes: usize) -> Option<*mut u8> {
    if layout.size().min(bytes) < LARGE {
        return None;
    }
    let mut mapped = mapped();
    let known = place(&mapped, address)?;
    let file = &mapped[known].1;
    let is_sized = if bytes < layout.size() { file.set_len(bytes as u64).is_ok() } else { has_room(file, bytes) };
    if !is_sized {
        return None;
    }
    // SAFETY: a map of this size, of which the caller has the only pointer, and a file that is as long as the new one.
    let moved = unsafe { libc::mremap(address.cast(), layout.size(), bytes, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED {
        return None;
    }
    mapped[known].0 = moved.addr();
    Some(moved.cast())
}

/// Gives a map back. Returns whether the allocation is one.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn unmap(address: *mut u8, layout: Layout) -> bool {
    if layout.size() < LARGE {
        return false;
    }
    let mut mapped = mapped();
    let Some(known) = place(&mapped, address) else { return false };
    // Before the map: then its address may be another allocation's.
    mapped.swap_remove(known);
    drop(mapped);
    // SAFETY: a map of this size, which the caller gives back.
    unsafe { libc::munmap(address.cast(), layout.size()) };
    true
}

#[cfg(not(target_os = "linux"))]
fn is_mapped(_: *mut u8, _: Layout) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn map(_: Layout) -> Option<*mut u8> {
    None
}

#[cfg(not(target_os = "linux"))]
fn map_again(_: *mut u8, _: Layout, _: usize) -> Option<*mut u8> {
    None
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: *mut u8, _: Layout) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: SpillAllocator = SpillAllocator;

    /// Returns whether the bytes are in a map of a deleted file.
    #[cfg(target_os = "linux")]
    fn is_in_file(bytes: &[u8]) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.ends_with("(deleted)")).any(|line| {
            let (range, _) = line.split_once(' ').unwrap();
            let (first, end) = range.split_once('-').unwrap();
            let place = |text| usize::from_str_radix(text, 16).unwrap();
            (place(first)..place(end)).contains(&bytes.as_ptr().addr())
        })
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_vectors_move_into_files_and_back_with_their_bytes() {
        let pattern = |length: usize| (0..length).map(|place| (place % 251) as u8);
        let mut bytes: Vec<u8> = pattern(LARGE).collect();
        assert!(!is_in_file(&bytes));
        let spilling = Spilling::begin();
        let second = Spilling::begin();
        drop(second);
        bytes.extend(pattern(2 * LARGE).skip(LARGE));
        assert!(is_in_file(&bytes) && bytes.iter().copied().eq(pattern(2 * LARGE)));
        let zeros = vec![0_u8; LARGE + 1];
        assert!(is_in_file(&zeros) && zeros.iter().all(|byte| *byte == 0) && !is_in_file(&vec![0_u8; LARGE - 1]));
        drop(zeros);
        bytes.extend(pattern(9 * LARGE).skip(2 * LARGE));
        assert!(is_in_file(&bytes) && bytes.iter().copied().eq(pattern(9 * LARGE)));
        bytes.truncate(5 * LARGE);
        bytes.shrink_to_fit();
        assert!(is_in_file(&bytes) && bytes.iter().copied().eq(pattern(5 * LARGE)));
        drop(spilling);
        assert!(is_in_file(&bytes) && !is_in_file(&vec![0_u8; LARGE]));
        bytes.truncate(100);
        bytes.shrink_to_fit();
        assert!(!is_in_file(&bytes) && bytes.iter().copied().eq(pattern(100)));
        assert!(mapped().is_empty());
    }
}
