//! The memory of this process while something runs.

use std::fs;
use std::time::Duration;

/// The resident memory, in bytes; 0 where there is no `/proc`.
fn resident() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split_ascii_whitespace().nth(1);
    pages
        .and_then(|pages| pages.parse::<u64>().ok())
        .unwrap_or(0)
        * 4_096
}

/// Awaits a future; gives what it gives, and by how many MiB the memory was larger meanwhile than before.
pub(super) async fn grown<T>(work: impl Future<Output = T>) -> (T, f64) {
    let before = resident();
    let mut most = before;
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => {
                most = most.max(resident());
                return (done, (most - before) as f64 / f64::from(1 << 20));
            }
            _ = ticks.tick() => most = most.max(resident()),
        }
    }
}
