/// Observer of a pull, which may stop it. `()` observes nothing.
pub trait Progress: Sync {
    /// Called when the download or unpacking of a file begins; `bytes` is its size if known.
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    /// Called when `bytes` more of that file are downloaded or unpacked.
    fn advance(&self, _bytes: u64) {}
    /// Returns whether to stop. Called every few kilobytes; a stopped pull fails with
    /// [`Error::is_interrupted`](crate::Error::is_interrupted) and leaves nothing behind.
    fn stop(&self) -> bool {
        false
    }
}

impl Progress for () {}

/// Forwards only the stop request, for files that are merely checked.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Progress);

impl Progress for Quiet<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
}
