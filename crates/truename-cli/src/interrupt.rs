//! Handles Ctrl-C and SIGTERM: asks the work to stop, then ends the process and removes partial output.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use truename::{Committing, Progress};
use truename_files::remove_partials;

use crate::bars;

/// Time for work to stop by itself; work that cannot check for it, such as a long sort, is then ended.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time for work that keeps its results: training finishes its step and writes a checkpoint.
const PATIENCE_WITH_STEPS: Duration = Duration::from_millis(2500);

static PROGRESS: LazyLock<Arc<Progress>> = LazyLock::new(Arc::default);
static SAVING: AtomicUsize = AtomicUsize::new(0);
static IS_REPORTED: AtomicBool = AtomicBool::new(false);
static HAS_PRINTED: AtomicBool = AtomicBool::new(false);
/// True if the work ends by itself once it is asked to stop, however long that takes.
static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);
/// Last message of work that keeps its results.
static KEEPS: Mutex<Option<String>> = Mutex::new(None);

pub fn listen() {
    let _ = ctrlc::set_handler(stop);
}

/// Stops as Ctrl-C does where stdin ends, which another process holds open as long as it wants the work.
pub fn stop_with_stdin() {
    thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        stop();
    });
}

/// Asks the work to stop, and ends the process where it does not soon; a second time ends it at once.
fn stop() {
    if PROGRESS.is_stopped() {
        leave();
    }
    PROGRESS.stop();
    if ENDS_BY_ITSELF.load(Ordering::SeqCst) {
        return;
    }
    // A commit under way is completed, and then the command.
    let is_late = PROGRESS.is_committing();
    thread::spawn(move || {
        if is_late {
            keeps("the results were written");
        }
        while PROGRESS.is_committing() {
            thread::sleep(Duration::from_millis(10));
        }
        let keeps = KEEPS.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        thread::sleep(if keeps { PATIENCE_WITH_STEPS } else { PATIENCE });
        while SAVING.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(10));
        }
        leave();
    });
}

/// Lets the work end by itself once it is asked to stop; a second signal ends it at once.
pub fn ends_by_itself() {
    ENDS_BY_ITSELF.store(true, Ordering::SeqCst);
}

/// Returns the progress that the library checks for interruption.
pub fn progress() -> Arc<Progress> {
    Arc::clone(&PROGRESS)
}

pub fn asked() -> bool {
    PROGRESS.is_stopped()
}

/// Fails if the work was asked to stop.
pub fn check() -> anyhow::Result<()> {
    anyhow::ensure!(!asked(), message());
    Ok(())
}

/// Begins to commit results; the commit is not interrupted.
pub fn commit() -> anyhow::Result<Committing<'static>> {
    PROGRESS.commit().map_err(|_| anyhow::Error::msg(message()))
}

/// Sets the message about kept results if the work is interrupted from here on; it then gets more time to stop.
pub fn keeps(what: &str) {
    *KEEPS.lock().unwrap_or_else(PoisonError::into_inner) = Some(what.to_owned());
}

/// Runs a save that is never cut short.
pub fn saving<T>(save: impl FnOnce() -> T) -> T {
    SAVING.fetch_add(1, Ordering::SeqCst);
    let outcome = save();
    SAVING.fetch_sub(1, Ordering::SeqCst);
    outcome
}

/// Records that results went to stdout, which cannot be undone.
pub fn has_printed() {
    HAS_PRINTED.store(true, Ordering::Relaxed);
}

/// Reports how the command ends; only the first caller goes on.
pub fn report(say: impl FnOnce()) {
    if IS_REPORTED.swap(true, Ordering::SeqCst) {
        loop {
            thread::park();
        }
    }
    say();
}

fn message() -> String {
    let kept = KEEPS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let printed = HAS_PRINTED.load(Ordering::Relaxed).then(|| "the output is incomplete".to_owned());
    format!("interrupted; {}", kept.or(printed).unwrap_or_else(|| "nothing was written".into()))
}

/// Ends the process.
fn leave() -> ! {
    report(|| {
        remove_partials();
        bars::clear();
        crate::say!("error: {}", message());
    });
    std::process::exit(1)
}
