//! Ctrl-C or SIGTERM: the work is asked to stop; what does not stop soon is ended, and what it has half written removed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use truename::{Committing, Progress, remove_partials};

use crate::progress;

/// The time in which work stops by itself. Work that cannot look at the switch, as a long sort, is then ended.
const PATIENCE: Duration = Duration::from_millis(500);
/// The same for work that keeps what is done: a step of training is finished, and its checkpoint written.
const PATIENCE_WITH_STEPS: Duration = Duration::from_millis(2500);

static PROGRESS: LazyLock<Arc<Progress>> = LazyLock::new(Arc::default);
static SAVING: AtomicUsize = AtomicUsize::new(0);
static IS_REPORTED: AtomicBool = AtomicBool::new(false);
static HAS_PRINTED: AtomicBool = AtomicBool::new(false);
/// The last words of work that keeps what is done.
static KEEPS: Mutex<Option<String>> = Mutex::new(None);

pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if PROGRESS.is_stopped() {
            leave();
        }
        PROGRESS.stop();
        // A commit under way is finished, and then the command.
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
    });
}

/// The switch, for the library to look at.
pub fn progress() -> Arc<Progress> {
    Arc::clone(&PROGRESS)
}

pub fn asked() -> bool {
    PROGRESS.is_stopped()
}

/// Ends work that was asked to stop.
pub fn check() -> anyhow::Result<()> {
    anyhow::ensure!(!asked(), message());
    Ok(())
}

/// Begins to put results in place, which is not interrupted.
pub fn commit() -> anyhow::Result<Committing<'static>> {
    PROGRESS.commit().map_err(|_| anyhow::Error::msg(message()))
}

/// Says what is kept where the work from here on is interrupted; it may take longer to stop.
pub fn keeps(what: &str) {
    *KEEPS.lock().unwrap_or_else(PoisonError::into_inner) = Some(what.to_owned());
}

/// Saves what is to be kept, however long that takes.
pub fn saving<T>(save: impl FnOnce() -> T) -> T {
    SAVING.fetch_add(1, Ordering::SeqCst);
    let outcome = save();
    SAVING.fetch_sub(1, Ordering::SeqCst);
    outcome
}

/// Remembers that results went to stdout, which cannot be taken back.
pub fn has_printed() {
    HAS_PRINTED.store(true, Ordering::Relaxed);
}

/// Says how the command ends; only the first to say so goes on.
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
        progress::clear();
        crate::say!("error: {}", message());
    });
    std::process::exit(1)
}
