//! Free space of the disk that a file is on.

use std::io;
use std::path::Path;

/// Returns the error of a full disk, if the disk of a file that can be written to is full.
#[cfg(unix)]
#[allow(unsafe_code)]
#[allow(clippy::unnecessary_cast, reason = "the fields have 32 bits on some systems")]
pub fn full_disk(path: &Path) -> Option<io::Error> {
    use std::os::unix::ffi::OsStrExt;

    /// Fewest free bytes for a transaction.
    const FULL: u64 = 1 << 20;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: zeros are a valid `statvfs`, which the call fills in; the path ends with a zero.
    let (outcome, found) = unsafe {
        let mut found: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &mut found), found)
    };
    let is_full = (found.f_bavail as u64).saturating_mul(found.f_frsize as u64) < FULL;
    let is_writable = outcome == 0 && found.f_flag & libc::ST_RDONLY == 0;
    (is_writable && is_full).then(|| io::Error::from_raw_os_error(libc::ENOSPC))
}

#[cfg(not(unix))]
pub fn full_disk(_: &Path) -> Option<io::Error> {
    None
}

/// Returns true for the error that LMDB makes of a write that was cut short, mostly for want of space.
#[cfg(unix)]
pub(crate) fn is_short_write(source: &io::Error) -> bool {
    source.raw_os_error() == Some(libc::EIO)
}

#[cfg(not(unix))]
pub(crate) fn is_short_write(_: &io::Error) -> bool {
    false
}
