/// Watches a pull and may stop it. `()` watches nothing.
pub trait Progress: Sync {
    /// A file begins to be fetched, or unpacked from what was fetched; `bytes` is its size where that is known.
    fn file(&self, name: &str, bytes: Option<u64>);
    /// So many more bytes of the file that began last have arrived or been unpacked.
    fn advance(&self, bytes: u64);
    /// Whether to stop: asked every few kilobytes; the pull then fails with
    /// [`Error::is_interrupted`](crate::Error::is_interrupted) and leaves nothing behind.
    fn stop(&self) -> bool;
}

impl Progress for () {
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    fn advance(&self, _bytes: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// Passes on only the wish to stop: for files that are merely checked.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Progress);

impl Progress for Quiet<'_> {
    fn file(&self, _name: &str, _bytes: Option<u64>) {}
    fn advance(&self, _bytes: u64) {}
    fn stop(&self) -> bool {
        self.0.stop()
    }
}
