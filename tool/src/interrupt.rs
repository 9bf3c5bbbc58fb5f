//! Ctrl-C: the first stops at the next safe place, the second at once.

use std::future::Future;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::failure::{Failure, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);
static NOTIFY: OnceLock<Notify> = OnceLock::new();

fn notify() -> &'static Notify {
    NOTIFY.get_or_init(Notify::new)
}

/// Catches Ctrl-C from here on.
pub(crate) fn catch() {
    // A second handler cannot be set; then the default one ends the program.
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(2);
        }
        anstream::eprintln!("\nstopping; Ctrl-C again stops at once");
        notify().notify_waiters();
    });
}

/// Leaves Ctrl-C to a child process, and waits for that.
pub(crate) fn leave_to_child() {
    let _ = ctrlc::set_handler(|| {});
}

/// True if Ctrl-C was pressed.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Awaits work that only reads; Ctrl-C drops it. `resume` says how to continue.
pub(crate) async fn or_stop<T>(work: impl Future<Output = T>, resume: &str) -> Result<T> {
    let stopped = notify().notified();
    let interrupted = || Failure::Interrupted {
        resume: resume.to_owned(),
    };
    tokio::pin!(stopped);
    stopped.as_mut().enable();
    if is_requested() {
        return Err(interrupted());
    }
    tokio::select! {
        done = work => Ok(done),
        () = stopped => Err(interrupted()),
    }
}
