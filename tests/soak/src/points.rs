//! The points of the library where a write can stop. They are the process's: one test at a time uses them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mongo_model::{Database, Error, Result, finishing, settle};

/// How a write is stopped without the end of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Its future is dropped.
    Drop,
    /// The call fails.
    Error,
    /// The call fails, and its caller makes it again.
    Again,
}

/// Every fault.
pub const FAULTS: [Fault; 3] = [Fault::Drop, Fault::Error, Fault::Again];

/// Where a write can stop that changes lists and counts of a parent: a change, a move or a delete of its children, and the recovery.
const OF_CHILDREN: [&str; 19] = [
    "before_w1",
    "after_w1",
    "after_fused",
    "after_fused_clear",
    "after_w2",
    "after_w3",
    "recent_after_pull",
    "recent_after_refill",
    "after_c1",
    "after_c2",
    "after_c3",
    "after_c4",
    "sweep_after_read",
    "sweep_after_fix",
    "before_d1",
    "after_d1",
    "after_d2",
    "before_d3",
    "after_d3",
];

/// The points of lists and counts: those of their children, and of inserts of either side.
#[must_use]
pub fn kept() -> Vec<&'static str> {
    let inserts = [
        "before_i1",
        "after_i1",
        "after_i2",
        "after_i3",
        "begin_after_children",
        "begin_after_flags",
        "begin_after_recount",
        "after_mark",
    ];
    [&inserts[..], &OF_CHILDREN].concat()
}

/// The points of soft deletes: those of lists and counts, of two-way references, and of marks that go down a cascade.
#[must_use]
pub fn marks() -> Vec<&'static str> {
    let marks = [
        "before_mark_children",
        "after_mark_children",
        "after_mark_flag",
        "2w_after_p1",
        "2w_after_w1",
        "2w_after_w3",
    ];
    [&marks[..], &OF_CHILDREN].concat()
}

/// The whole name of a point.
#[must_use]
pub fn point(name: &str) -> String {
    format!("mongo_model::{name}")
}

/// The action of a fail point: `what`, from the pass after `nth` passes on.
#[must_use]
pub fn action(nth: usize, what: &str) -> String {
    match nth {
        0 => format!("return({what})"),
        before => format!("{before}*off->return({what})"),
    }
}

/// Runs a write that nothing stops: the points that it passes, and how often.
///
/// # Panics
/// If something stops it.
pub async fn passed(
    points: &[&'static str],
    write: impl Future<Output = Result<()>>,
) -> BTreeMap<&'static str, usize> {
    let passed = Arc::new(Mutex::new(BTreeMap::new()));
    for &name in points {
        let passed = Arc::clone(&passed);
        let count = move || *passed.lock().expect("no panic").entry(name).or_default() += 1;
        fail::cfg_callback(point(name), count).expect("a point");
    }
    write.await.expect("nothing stops it");
    points.iter().for_each(|name| fail::remove(point(name)));
    let passed = Arc::into_inner(passed).expect("no callback");
    passed.into_inner().expect("no panic")
}

/// Stops a write when it passes a point after `nth` passings; what it says when it is made again, if it is.
///
/// # Panics
/// If it does not come there.
pub async fn stopped(
    name: &str,
    nth: usize,
    fault: Fault,
    write: impl AsyncFn() -> Result<()>,
) -> Option<Result<()>> {
    if let Fault::Drop = fault {
        fail::cfg(point(name), &action(nth, "hang")).expect("an action");
        let hangs = async {
            while mongo_model::__private::hanging() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            done = write() => panic!("it was not stopped at {name}: {done:?}"),
            () = hangs => {}
        }
        fail::remove(point(name));
        assert_eq!(mongo_model::__private::hanging(), 0);
        return None;
    }
    fail::cfg(point(name), &action(nth, "error")).expect("an action");
    // After a successful write, a propagation that fails is pending rather than an error.
    drop(write().await);
    fail::remove(point(name));
    match fault {
        Fault::Again => Some(write().await),
        Fault::Drop | Fault::Error => None,
    }
}

/// A write and what it does behind its answer, which fails if that does.
///
/// # Errors
/// Those of the write; [`Error::NotDurable`] with the reason for which the rest failed.
pub async fn with_rest(db: &Database, write: impl Future<Output = Result<()>>) -> Result<()> {
    let failed = finishing(db).failed;
    write.await?;
    let after = settle(db).await;
    match after.error {
        Some(reason) if after.failed > failed => Err(Error::NotDurable { reason }),
        _ => Ok(()),
    }
}

/// Runs a write of which every pass of a point fails, also behind its answer; what it leaves pending stays.
pub async fn failing_at<T>(db: &Database, name: &str, write: impl IntoFuture<Output = Result<T>>) {
    fail::cfg(point(name), "return(error)").expect("an action");
    drop(write.await);
    // Work behind the answer that ran after the point is removed would leave nothing pending.
    settle(db).await;
    fail::remove(point(name));
}
