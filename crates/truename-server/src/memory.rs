//! Memory that the allocator keeps.

/// Gives freed memory back to the system. The allocator of glibc keeps what lies between pieces in use, in an arena for every few threads,
/// so that the memory of a server would grow with each burst of large requests.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn give_back() {
    // SAFETY: touches free memory alone, under the locks of the allocator.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
