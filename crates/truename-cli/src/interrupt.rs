//! Ctrl-C or a request to end: the first asks the work to stop and clean up, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

pub fn listen() {
    // Without a handler Ctrl-C ends the process at once; a `.partial` beside may stay.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(1);
        }
    });
}

pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
