/// Watches a pull and may stop it. `()` watches nothing.
pub trait Progress: Sync {
    /// Called when a file begins to be fetched or unpacked; `bytes` is its size where that is known.
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    /// Called when `bytes` more of that file have arrived or been unpacked.
    fn advance(&self, _bytes: u64) {}
    /// Returns true to stop. Asked every few kilobytes; the pull then fails with
    /// [`Error::is_interrupted`](crate::Error::is_interrupted) and leaves nothing behind.
    fn stop(&self) -> bool {
        false
    }
}

impl Progress for () {}

/// Passes on only the wish to stop, for files that are merely checked.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Progress);

impl Progress for Quiet<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
}
